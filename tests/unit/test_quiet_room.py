"""Every release is made under the default state of numpy, warnings and decimals, and leaves what it
found: no setting of the caller decides whether there is an answer.
"""

from __future__ import annotations

import decimal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import LedgerError, ParameterError
from leastnoise.estimators import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
)
from leastnoise.frames.memory.labels import entry_text
from leastnoise.numbers import as_fraction
from leastnoise.production import quiet, silent
from leastnoise.record import Release

# Values on which doubles underflow, overflow, are inexact or no numbers.
HARD = np.array([1e-320, 1e-200, 1.0, np.inf, -np.inf, np.nan, 1e308])
ROWS = {"x": HARD, "y": HARD[::-1].copy(), "k": ["a", "b", None, "a", "b", "a", ""]}


@contextmanager
def strict(**numpy: Any) -> Iterator[None]:
    """A process in which everything raises."""
    with (
        np.errstate(**(numpy or {"all": "raise"})),
        warnings.catch_warnings(),
        decimal.localcontext(decimal.Context(prec=1, traps=list(decimal.Context().traps))),
    ):
        warnings.simplefilter("error")
        yield


def of(statistic: Any, **options: Any) -> Callable[[], object]:
    return lambda: ln.release(statistic, ROWS, epsilon="0.7", **options)


def grouped() -> object:
    with ln.open(ROWS) as data:
        return data.group_by({"k": ["a", "b"]}).release(ln.Sum("x", bounds=(3, 3.5)), epsilon=1)


def batch() -> object:
    with ln.open(ROWS) as data:
        several = data.batch()
        several.add("all", {"m": ln.Mean("x", bounds=(0, 1))}, epsilon=1)
        return several.release()


def scored(metric: str, model: Any) -> Callable[[], object]:
    return lambda: ln.private_score(
        model, HARD[:, None], [0, 1, 1, 0, 1, 0, 1], metric=metric, epsilon=1, **model.options
    )


class Numbers:
    """A model that answers with what it is given."""

    options = {"bounds": (0, 1)}  # noqa: RUF012  # a class of this test

    def predict(self, X: Any) -> Any:
        return X[:, 0]


class Chances:
    """A classifier of two labels."""

    options = {"labels": [0, 1]}  # noqa: RUF012  # a class of this test
    classes_ = np.array([0, 1])

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X: Any) -> Any:
        return np.repeat(X, 2, axis=1)


def sums(values: Any) -> float:
    return float(np.nansum(values))


def aggregated() -> object:
    box = ln.SampleAndAggregate(sums, bounds=(0, 1), blocks=3)
    return box.respond(HARD, epsilon=1)


def black_box() -> object:
    return ln.BlackBox(sums, sensitivity=1, bounds=(0, 1)).respond(HARD, epsilon=1)


def vector() -> object:
    return ln.SparseVector(epsilon=1, threshold=3, answers=1).above(2)


def fitted(model: Any, y: Any) -> Callable[[], object]:
    X = np.column_stack([HARD, HARD[::-1]])
    return lambda: model.fit(X, y)


BOUNDS: Any = (0, 1)
RELEASES: dict[str, Callable[[], object]] = {
    "count": of(ln.Count("x")),
    "sum": of(ln.Sum("x", bounds=(3, 3.5))),
    "sum, adaptive": of(ln.Sum("x", bounds=BOUNDS), mechanism=ln.InverseSensitivity()),
    "mean": of(ln.Mean("x", bounds=BOUNDS, missing="none")),
    "mean without bounds": of(ln.Mean("x", bounds=ln.PrivateBounds())),
    "median": of(ln.Median("x", bounds=BOUNDS)),
    "median of wide integers": of(ln.Median("x", bounds=(2**60, 2**60 + 40))),
    "quantiles": of(ln.Quantiles("x", q=["0.1", "0.5"], bounds=BOUNDS)),
    "interval": of(ln.QuantileInterval("x", q="0.5", confidence="0.95", bounds=BOUNDS)),
    "variance": of(ln.Variance("x", bounds=(0, 1e200))),
    "standard deviation": of(ln.StandardDeviation("x", bounds=BOUNDS)),
    "interquartile range": of(ln.InterquartileRange("x", bounds=BOUNDS)),
    "histogram": of(ln.Histogram("x", bins=[0, 1, "2.5"])),
    "distinct": of(ln.CountDistinct("x")),
    "mode": of(ln.Mode("k", categories=["a", "b"])),
    "filter": of(ln.Median("x", bounds=BOUNDS), where=ln.col("y") > 0),
    "covariance": of(ln.Covariance(columns=["x", "y"], bounds=[BOUNDS, BOUNDS])),
    "mean vector": of(ln.MeanVector(columns=["x", "y"], bounds=[BOUNDS, BOUNDS])),
    "squared error": of(ln.MeanSquaredError("x", "y")),
    "R2": of(ln.R2("x", "y", bounds=BOUNDS)),
    "weighted": of(ln.WeightedQuantile("x", "y", q="0.5", bounds=BOUNDS, largest=1)),
    "smooth": of(ln.Median("x", bounds=BOUNDS), mechanism=ln.SmoothLaplace(delta="1e-6")),
    "normal": of(ln.Sum("x", bounds=BOUNDS), mechanism=ln.Gaussian(delta="1e-6")),
    "groups": grouped,
    "batch": batch,
    "score": scored("neg_mean_squared_error", Numbers()),
    "accuracy": scored("accuracy", Chances()),
    "brier": scored("neg_brier_score", Chances()),
    "aggregate": aggregated,
    "black box": black_box,
    "sparse vector": vector,
    "linear": fitted(
        PrivateLinearRegression(epsilon=1, bounds=[BOUNDS, BOUNDS], target_bounds=BOUNDS), HARD
    ),
    "logistic": fitted(
        PrivateLogisticRegression(epsilon=1, bounds=[BOUNDS, BOUNDS], classes=[0, 1]),
        [0, 1, 1, 0, 1, 0, 1],
    ),
}


@pytest.mark.parametrize("name", RELEASES)
def test_no_setting_of_the_caller_makes_a_release_fail(name: str) -> None:
    with strict():
        state, filters = np.geterr(), list(warnings.filters)
        context = repr(decimal.getcontext())
        RELEASES[name]()
        assert np.geterr() == state
        assert list(warnings.filters) == filters
        assert repr(decimal.getcontext()) == context


@dataclass(frozen=True, slots=True)
class Own:
    """A median of somebody's own, whose profile underflows, warns and rounds a decimal."""

    def spec(self) -> Any:
        return ln.spec.ranks(at=("0.5",), bounds=(0, 1))

    def profile(self, summary: Any, relation: str) -> Any:
        warnings.warn("about values", RuntimeWarning, stacklevel=1)
        tiny = np.float64(1e-200) * np.float64(summary.n * 1e-200)
        third = decimal.Decimal(1) / 3 + decimal.Decimal(float(tiny))
        low, high = summary.limits
        assert len(str(third)) > 20
        return ln.Profile(
            value=summary.rank(0, 0),
            lower=lambda l: summary.rank(0, -l),
            upper=lambda l: summary.rank(0, l),
            support=(low, high),
        )


def test_code_of_the_caller_on_the_way_of_a_release_is_in_the_room_too() -> None:
    with strict():
        assert 0 <= float(ln.release(Own(), HARD, epsilon=1)) <= 1


def test_the_room_is_left_after_an_error() -> None:
    with strict():
        with pytest.raises(ZeroDivisionError), quiet():
            raise ZeroDivisionError
        assert np.geterr()["over"] == "raise"
        assert decimal.getcontext().prec == 1
        with pytest.raises(UserWarning, match="heard"):
            warnings.warn("heard", UserWarning, stacklevel=1)


def test_what_was_warned_of_once_is_not_warned_of_again() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        for _ in range(3):
            warnings.warn("once a place", UserWarning, stacklevel=1)
            RELEASES["median"]()
    assert len(heard) == 1


def test_a_handler_of_the_caller_is_not_called() -> None:
    heard: list[object] = []
    before = np.seterrcall(lambda *_: heard.append(_))
    try:
        with strict(all="call"):
            RELEASES["squared error"]()
    finally:
        np.seterrcall(before)
    assert not heard


@pytest.mark.parametrize("room", [quiet, silent])
def test_threads_that_leave_in_another_order_put_back_what_was(room: Any) -> None:
    """Each leaves with the state that the first one found, though the first one leaves first."""
    import sys

    filters, out = list(warnings.filters), sys.stdout
    inside, leave = threading.Event(), threading.Event()

    def second() -> None:
        with room():
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=second)
    with room():
        other.start()
        assert inside.wait(10)
    leave.set()
    other.join()
    assert list(warnings.filters) == filters
    assert sys.stdout is out


@pytest.fixture
def few_digits() -> Iterator[None]:
    """A process that turns integers of at most 640 digits into text."""
    import sys

    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


SMALL = Fraction(1, 10**60)
LONG = Fraction(10**599 + 7, 10**599 + 9)
DIVIDED: list[Any] = [
    ln.Mean("x", bounds=ln.PrivateBounds()),
    ln.Quantiles("x", q=[Fraction(i, 20) for i in range(1, 20)], bounds=BOUNDS),
    ln.MeanSquaredError("x", "y", bounds=ln.PrivateBounds()),
    ln.R2("x", "y", bounds=BOUNDS),
    ln.Variance("x", bounds=BOUNDS, step=LONG),
    ln.QuantileInterval("x", bounds=BOUNDS),
]


@pytest.mark.usefixtures("few_digits")
@pytest.mark.parametrize("epsilon", [SMALL, 1 / SMALL, LONG])
@pytest.mark.parametrize("statistic", DIVIDED, ids=lambda s: type(s).__name__)
def test_what_is_asked_for_can_be_divided_and_written(
    statistic: Any, epsilon: Fraction, tmp_path: Path
) -> None:
    """Parts of an epsilon at the limits were refused, and long texts failed, after the charge."""
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(10**61))
    asked: dict[str, Any] = {"epsilon": epsilon, "ledger": ledger, "dataset": "d"}
    made = ln.release(statistic, ROWS, **asked)
    assert Release.from_json(made.to_json()).value == made.value
    assert ln.release(statistic, ROWS, **asked, reuse=True).value == made.value


@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
@pytest.mark.parametrize("relation", ["replace-one", "edit"])
def test_limits_on_a_lattice_of_many_digits_are_held(kind: Any, relation: str) -> None:
    """Limits, and what follows from their width, had too many digits, after the charge."""
    for rows, far in ((60, 9), (300, 1e-8), (3000, 9)):
        x = far * np.linspace(0, 1, rows)
        asked = kind(bounds=(0, 10), step=LONG, missing="none")
        assert 0 <= ln.release(asked, x, epsilon=1, relation=relation).value <= 25


@pytest.mark.parametrize("epsilon", [SMALL / 2, 2 / SMALL, LONG * SMALL, "1." + "3" * 700])
def test_what_could_not_is_refused_by_its_parameter(epsilon: object, tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(10**61))
    with pytest.raises(ParameterError, match=r"more than 600 digits|between 1e-60 and 1e60"):
        ln.release(ln.Count("x"), ROWS, epsilon=epsilon, ledger=ledger, dataset="d")
    assert ledger.spent == 0


@pytest.mark.usefixtures("few_digits")
def test_counts_of_thousands_of_digits_are_given(tmp_path: Path) -> None:
    import sys

    stars = ln.KStarCount("a", "b", k=400, nodes=list(range(40_000)))
    edges = {"a": [0, 1, 2], "b": [1, 2, 3]}
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(9), relation="edge")
    # at this epsilon any count in the range is about as likely
    made = ln.release(stars, edges, epsilon=SMALL, ledger=ledger, dataset="d")
    assert abs(int(made.value)) > 10**640
    assert Release.from_json(made.to_json()).value == made.value
    assert sys.get_int_max_str_digits() == 640


def test_a_ledger_refuses_a_sum_that_could_not_be_read_again(tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(100))
    count = ln.Count("x")
    for i in range(6):
        epsilon = Fraction(10**590, 10**590 + 2 * i + 1)
        ln.release(count, ROWS, epsilon=epsilon, ledger=ledger, dataset="d")
    with pytest.raises(LedgerError, match="thousands of digits"):
        ln.release(count, ROWS, epsilon=LONG, ledger=ledger, dataset="d")
    before = ledger.spent
    ln.release(count, ROWS, epsilon=1, ledger=ledger, dataset="d")
    assert ledger.spent.epsilon == before.epsilon + 1


def test_options_for_printing_arrays_cut_no_parameter() -> None:
    with np.printoptions(precision=1, legacy="1.13", suppress=True):
        assert as_fraction(np.float32(0.123456789)) == Fraction("0.12345679")
        assert as_fraction(np.float16(0.1)) == Fraction("0.1")
        assert as_fraction(np.float32(1e-40)) == Fraction("1e-40")


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_options_for_printing_arrays_make_no_two_entries_one(kind: type) -> None:
    near = [kind(0.5), np.nextafter(kind(0.5), kind(1)), kind(1e-5), kind(0), kind(np.inf)]
    texts = [entry_text(x) for x in near]
    assert len(set(texts)) == len(near)
    assert [kind(text) for text in texts] == near
    with np.printoptions(precision=1, legacy="1.13", suppress=True):
        assert [entry_text(x) for x in near] == texts


def test_the_buffer_of_numpy_is_that_of_the_default() -> None:
    before = np.setbufsize(16)
    try:
        with quiet():
            assert np.getbufsize() == 8192
        assert np.getbufsize() == 16
    finally:
        np.setbufsize(before)
