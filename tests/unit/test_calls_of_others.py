"""Calls as other libraries have them: the error says what to write here."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import LedgerError, ParameterError, ParameterTypeError
from leastnoise.testing import simulate as simulated

simulate: Any = simulated

RELEASE: Any = ln.release(ln.Count(), [1] * 20, epsilon=1)
TABLE: Any = ln.open({"pay": [1.0]}).release({"n": ln.Count()}, epsilon=1)
STATISTIC: Any = ln.Median("pay", bounds=(0, 5))
AGE: Any = ln.col("age")
DATA: Any = ln.open({"pay": [1.0, 2.0], "dept": ["a", "b"]})
N: Any = ln


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        (lambda: N.col.age, r"write col\('age'\)"),
        (lambda: RELEASE.result, r"the released number is \.value"),
        (lambda: RELEASE + 1, r"a record, not a number: .* release\.value \+ 1"),
        (lambda: np.sqrt(RELEASE), "a record, not a number"),
        (lambda: np.array([1.0]) * RELEASE, "a record, not a number"),
        (lambda: 2 * RELEASE, r"as in release\.value \+ 1"),
        (lambda: RELEASE < 3, r"as in release\.value \+ 1"),
        (lambda: f"{RELEASE:.2f}", r"as in release\.value \+ 1"),
        (lambda: sum([TABLE]), r"table\['name'\]\.value"),
        (lambda: RELEASE.std, r"\.noise_scale is the scale of the noise"),
        (lambda: RELEASE.confidence_interval(), r"WithInterval\(statistic\)"),
        (lambda: RELEASE.epsilon, r"what it cost is \.guarantee"),
        (lambda: TABLE.n, r"table\['name'\]\.value"),
        (lambda: TABLE.plot(), r"table\.to_pandas\(\)\.plot\(\)"),
        (lambda: N.tools.mean([1]), r"such as leastnoise\.Mean"),
        (lambda: N.TopK(3), r"leastnoise\.Mode"),
        (lambda: N.PrivateReader, r"leastnoise\.open\(data\)\.sql\("),
        (lambda: N.QueryBuilder("pay"), r"leastnoise\.open\(data\)\.sql\("),
        (lambda: N.KeySet, r"group_by\(\{'town': \['N', 'S'\]\}\)"),
        (lambda: N.AddOneRow(), "relation='add-remove'"),
        (lambda: N.AddMaxRowsInMaxGroups(), "unit='person', max_rows=1"),
        (lambda: N.RhoZCDPBudget(1), r"leastnoise\.ZCDP\('1/2'\)"),
        (lambda: N.Privacy(epsilon=1), "epsilon= goes into leastnoise.release"),
        (lambda: N.PrivacyAccountant(1), r"leastnoise\.Ledger"),
        (lambda: N.Context.compositor(), r"leastnoise\.open\(data, ledger="),
        (lambda: N.enable_features("contrib"), "nothing to enable: leave it out"),
        (lambda: N.from_connection(1), r"opened by leastnoise\.open\(data\)"),
        (lambda: N.PrivateSession(1), r"opened by leastnoise\.open\(data\)"),
        (lambda: DATA.execute("SELECT 1"), r"data\.sql\("),
        (lambda: DATA.evaluate(1), r"data\.sql\("),
        (lambda: DATA.remaining_privacy_budget, r"write data\.remaining"),
        (lambda: N.open([1.0], accountant=1), "accountant=: give ledger= and dataset="),
        (lambda: N.open([1.0], row_privacy=True), "row_privacy=: leave it out"),
        (lambda: N.Sum((18, 65)), r"limits are given by name, bounds=\(lower, upper\)"),
        (lambda: N.Median([0.5, 2]), r"limits are given by name, .*data goes into release"),
        (lambda: N.Variance("pay", bounds=([1], [3])), r"an end is a list: write .* as \(0, 60\)"),
        (lambda: N.Ledger.open("t.db", dataset="d"), r"leastnoise\.open\(data, ledger="),
        (lambda: N.Median(("x", "pay"), bounds=(0, 1)), r"'_'\.join\(x\) for x in frame\.columns"),
        (lambda: N.Sum("pay", bounds="auto"), r"give PrivateBounds\(\)"),
        (lambda: AGE.isin([1]), r"write \.is_in\(\[\.\.\.\]\)"),
        (lambda: AGE.isna(), r"write \.is_missing\(\)"),
        (lambda: AGE.notnull(), r"~col\(\.\.\.\)\.is_missing\(\)"),
        (lambda: AGE.str.contains("x"), "compares a column with constants"),
        (lambda: AGE + 1 > 2, "compute what else you need as a column"),
        (lambda: 2 * AGE > 2, "compute what else you need as a column"),
        (lambda: -AGE, "compute what else you need as a column"),
        (lambda: DATA.group_by(dept=["a"]), r"group_by\(\{'dept': \['N', 'S'\]\}\)"),
        (lambda: DATA.head(), "without ledger="),
        (lambda: N.Ledger("t.db"), r"Ledger\.create\(path, dataset='pay', budget=PureDP\(1\)\)"),
        (lambda: N.Ledger(epsilon=1), r"Ledger\.open\(path\)"),
        (lambda: N.BudgetAccountant(1), "did you mean 'Ledger'"),
        (lambda: N.PureDP(1, delta=1e-6), r"delta=: it goes into ApproxDP\(epsilon, delta\)"),
        (lambda: N.Ledger.create("t.db", dataset="d", epsilon=1), r"give budget=leastnoise.PureDP"),
        (lambda: DATA.describe(), "describe needs epsilon=: give epsilon=1"),
        (lambda: DATA.where(AGE > 1, AGE < 3), r"join conditions by &, where\(\(...\) & \(...\)\)"),
        (lambda: AGE.between([30, 60]), "between needs high="),
        (lambda: DATA.check(epsilon=1), "a check is not private, and nothing is charged"),
        (lambda: DATA.check("pay", (0, 1)), "check takes column by position and the rest by name"),
        (lambda: DATA.check(bounds=(0, 1)), r"name it, check\('pay', bounds="),
        (lambda: N.open(), "open needs data="),
        (lambda: simulate(random_state=1), r"give simulate\(1\)"),
        (lambda: STATISTIC.fit([1.0]), r"release\(Median\(\.\.\.\), data, epsilon=1\)"),
        (lambda: N.Covariance("pay", "dept"), r"columns= as a list of names"),
        (lambda: N.Median("pay", epsilon=1), r"release\(Median\(\.\.\.\), data, epsilon=1\)"),
        (lambda: N.Median("pay", unit="id"), r"data, epsilon=1, unit=\.\.\.\)"),
        (lambda: N.Count(where=AGE > 1), r"open\(data\)\.where\("),
        (lambda: N.Variance("pay", ddof=1), "with n and not n - 1 below"),
    ],
)
def test_the_error_says_what_to_write(call: Callable[[], object], cure: str) -> None:
    with pytest.raises((TypeError, AttributeError, ParameterError), match=cure):
        call()


@pytest.mark.parametrize(
    ("metric", "cure"),
    [
        ("mean_squared_error", "did you mean 'neg_mean_squared_error'"),
        ("r2", r'private_score\(..., metric="r2", bounds=\(lower, upper\)\)'),
        ("accuracy", "fit it first, or declare labels="),
    ],
)
def test_scores_say_what_the_call_lacks(metric: str, cure: str) -> None:
    class Model:
        def predict(self, X: Any) -> Any:
            return [0.0 for _ in X]

    with pytest.raises(ParameterError, match=cure):
        ln.private_score(Model(), [[1], [2]], [1, 2], metric=metric, epsilon=1)


def test_all_minima_and_all_maxima_of_an_array_are_told() -> None:
    numpy = pytest.importorskip("numpy")
    estimators = pytest.importorskip("leastnoise.estimators")
    ends = numpy.array([[-1, -1], [1, 1]])
    model = estimators.PrivateLinearRegression(bounds=ends, target_bounds=(0, 1))
    with pytest.raises(ParameterError, match="all minima and all maxima"):
        model.fit(numpy.zeros((9, 2)), numpy.zeros(9))


def test_ends_that_cannot_be_pairs_are_read_as_all_minima_and_all_maxima() -> None:
    numpy = pytest.importorskip("numpy")
    estimators = pytest.importorskip("leastnoise.estimators")
    x, y = numpy.linspace([-3, 1], [-3.5, 7], 90), numpy.linspace(0, 1, 90)
    fitted: list[object] = []
    for bounds in (([-4, -4], [0, 9]), [(-4, 0), (-4, 9)]):
        with simulate(2):
            model = estimators.PrivateLinearRegression(bounds=bounds, target_bounds=(0, 1))
            fitted.append(model.fit(x, y).coef_.tolist())
    assert fitted[0] == fitted[1]
    model = estimators.PrivateLinearRegression(bounds=([0, 5], [10, 100]), target_bounds=(0, 1))
    with pytest.raises(ParameterError, match="give pairs as a list of tuples"):
        model.fit(x, y)


def test_seeds_of_numpy_are_whole_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    values: list[object] = []
    for seed in (3, numpy.int64(3)):
        with simulate(seed):
            values.append(ln.release(ln.Count(), [0] * 9, epsilon=1).value)
    assert values[0] == values[1]


@pytest.mark.parametrize("name", ["PrivateLinearRegression", "PrivateLogisticRegression"])
def test_estimators_say_where_parameters_of_others_go(name: str) -> None:
    base = pytest.importorskip("sklearn.base")
    model = getattr(pytest.importorskip("leastnoise.estimators"), name)
    for word, cure in {
        "data_norm": "give bounds=",
        "bounds_X": "give it as bounds=",
        "max_iter": "leave it out",
        "random_state": "simulate",
    }.items():
        with pytest.raises(ParameterTypeError, match=f"{name} has no parameter {word}=.*{cure}"):
            model(**{word: 1})
    assert base.clone(model(epsilon=2)).get_params()["epsilon"] == 2


def test_a_statistic_is_taken_for_no_function() -> None:
    with pytest.raises(ParameterError, match="function must be callable"):
        N.SampleAndAggregate(STATISTIC, bounds=(0, 5), blocks=2)


def test_columns_and_statistics_are_copied_as_before() -> None:
    for one in (STATISTIC, N.PureDP(1), AGE > 1):
        assert deepcopy(one) == pickle.loads(pickle.dumps(one)) == one
    assert deepcopy(AGE).name == pickle.loads(pickle.dumps(AGE)).name == "age"


def test_a_table_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    path.write_text("id,pay\n" + "".join(f"{i},{i * 90}\n" for i in range(400)))
    with pytest.raises(LedgerError, match="is no ledger of leastnoise, or is damaged"):
        ln.Ledger.open(path)


def test_releases_and_col_are_copied_as_before() -> None:
    assert pickle.loads(pickle.dumps(RELEASE)) == deepcopy(RELEASE) == RELEASE
    assert pickle.loads(pickle.dumps(ln.col)) is ln.col
    assert dict(deepcopy(TABLE)) == dict(TABLE)
