"""Calls as other libraries have them: the error says what to write here."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError, ParameterTypeError

STATISTIC: Any = ln.Median("pay", bounds=(0, 5))
AGE: Any = ln.col("age")
DATA: Any = ln.open({"pay": [1.0, 2.0], "dept": ["a", "b"]})
N: Any = ln


@pytest.mark.parametrize(
    ("call", "cure"),
    [
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
        (lambda: N.PureDP(1, delta=1e-6), r"delta=: it belongs to ApproxDP\(epsilon, delta\)"),
        (lambda: STATISTIC.fit([1.0]), r"release\(Median\(\.\.\.\), data, epsilon=1\)"),
        (lambda: N.Covariance("pay", "dept"), r"columns= as a list of names"),
        (lambda: N.Median("pay", epsilon=1), r"release\(Median\(\.\.\.\), data, epsilon=1\)"),
        (lambda: N.Median("pay", unit="id"), r"data, epsilon=1, unit=\.\.\.\)"),
        (lambda: N.Count(where=AGE > 1), r"open\(data\)\.where\("),
        (lambda: N.Variance("pay", ddof=1), "with n and not n - 1 below"),
    ],
)
def test_the_error_says_what_to_write(call: Callable[[], object], cure: str) -> None:
    with pytest.raises((TypeError, AttributeError), match=cure):
        call()


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
