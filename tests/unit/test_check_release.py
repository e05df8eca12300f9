"""Shipped statistics leave nothing but their value; what else a release could leave is caught."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.profiles import Profile
from leastnoise.testing import PrivacyViolation, check_release
from leastnoise.testing.hostile import canary, families, traces

BOUNDS: dict[str, Any] = {"bounds": (0, 100)}
SHIPPED = [
    ln.Median(**BOUNDS),
    ln.Median("age", bounds=(-3, 1e300)),
    ln.Minimum(**BOUNDS, missing="none"),
    ln.Maximum(**BOUNDS, missing=7),
    ln.Quantiles(q=[0.25, 0.75], **BOUNDS),
    ln.QuantileInterval(q=0.5, **BOUNDS),
    ln.InterquartileRange("age", **BOUNDS),
    ln.Sum(bounds=(-5, 100)),
    ln.Mean(**BOUNDS),
    ln.Mean("age", bounds=(-1, 0.125), missing="none"),
    ln.Variance(**BOUNDS),
    ln.StandardDeviation(**BOUNDS),
    ln.Count(),
    ln.Count("age", nonnegative=True),
]
MECHANISMS = [
    ln.Laplace(),
    ln.InverseSensitivity(rho=1),
    ln.AsymmetricSensitivity(),
    ln.SmoothLaplace(delta=1e-9),
]


@pytest.mark.parametrize("statistic", SHIPPED, ids=repr)
def test_shipped_statistics_leave_nothing_but_their_value(statistic: Any) -> None:
    assert check_release(statistic).releases > 100


@pytest.mark.parametrize("epsilon", ["1e-9", 64])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_other_mechanisms_and_extreme_epsilons(mechanism: Any, epsilon: object) -> None:
    check_release(ln.Median(**BOUNDS), mechanism=mechanism, epsilon=epsilon)


def pairs_of_columns() -> dict[str, list[Any]]:
    nan, inf = float("nan"), float("inf")
    columns = [
        ([], []),
        ([1.0], [3.0]),
        ([nan, 2.0], [1.0, nan]),
        ([inf, -inf, 1e308], [-1e308, inf, nan]),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
    ]
    return {
        "lists": columns,
        "arrays": [tuple(np.array(column) for column in pair) for pair in columns],
    }


@pytest.mark.parametrize(
    "statistic",
    [
        ln.MeanSquaredError(bounds=(0, 4)),
        ln.RootMeanSquaredError(),
        ln.MeanAbsoluteError(bounds=(0, 4)),
        ln.R2(bounds=(0, 4)),
        ln.ConfusionMatrix(labels=[1, 2, 3]),
    ],
    ids=lambda s: type(s).__name__,
)
def test_metrics_leave_nothing_but_their_value(statistic: Any) -> None:
    check_release(statistic, data=pairs_of_columns())


# --- what a release must not leave -------------------------------------------

BIRD = canary(Fraction(0), Fraction(100))


@dataclass(frozen=True)
class Leaky:
    """A median that does one thing more when it sees its data."""

    also: Any
    bounds: tuple[int, int] = (0, 100)

    def __repr__(self) -> str:
        return "Leaky()"

    def spec(self) -> Any:
        return ln.Median(bounds=self.bounds).spec()

    def profile(self, s: Any, relation: str) -> Profile:
        profile = ln.Median(bounds=self.bounds).profile(s, relation)
        return self.also(profile, s) or profile


def prints(p: Profile, s: Any) -> None:
    if s.n > 2:
        print("many rows")


def warns(p: Profile, s: Any) -> None:
    if s.n > 2:
        warnings.warn("many rows", UserWarning, stacklevel=2)


def logs(p: Profile, s: Any) -> None:
    if s.n > 2:
        logging.getLogger("leaky").info("many rows")


def raises(p: Profile, s: Any) -> None:
    if s.n > 2:
        raise ValueError("many rows")


def warms(p: Profile, s: Any) -> Profile:
    return replace(p, unit=Fraction(1 + (s.n > 2), 2**40))


def deepens(p: Profile, s: Any) -> Profile:
    return replace(p, depth=s.n)


class _Talkative(Profile):
    def __repr__(self) -> str:
        return f"Profile(value={self.value})"


def talks(p: Profile, s: Any) -> Profile:
    fields = {name: getattr(p, name) for name in Profile.__dataclass_fields__}
    return _Talkative(**fields)


def beyond(p: Profile, s: Any) -> Profile:
    return replace(p, value=float("nan") if s.n > 2 else p.value)


@pytest.mark.parametrize(
    ("also", "claim"),
    [
        (prints, "nothing is printed, logged or warned about"),
        (warns, "nothing is printed, logged or warned about"),
        (logs, "nothing is printed, logged or warned about"),
        (raises, "no error depends on data"),
        (warms, "nothing but the value depends on data"),
        (deepens, "nothing but the value depends on data"),
        (talks, "nothing but the value depends on data"),
        (beyond, "no error depends on data"),
    ],
)
def test_leaks_are_caught(also: Any, claim: str) -> None:
    with pytest.raises(PrivacyViolation) as caught:
        check_release(Leaky(also))
    assert caught.value.law == claim
    assert "data = " in str(caught.value)


def test_a_quoted_value_is_found() -> None:
    class Quoting(Leaky):
        notes = (f"the largest value is {BIRD}",)

    with pytest.raises(PrivacyViolation, match="nothing quotes a data value"):
        check_release(Quoting(lambda p, s: None))


def test_parts_that_do_not_share_epsilon_are_caught() -> None:
    class Generous(ln.Quantiles):
        """Says that one record moves one part only."""

        def touched(self, relation: str) -> int:
            return 1

        def default_mechanism(self, relation: str) -> Any:
            return ln.PiecewiseLaplace()

    from leastnoise.testing import check_statistic

    generous = Generous(q=[0.25, 0.75], bounds=(0, 3))
    with pytest.raises(PrivacyViolation, match="parts that one record can move share epsilon"):
        check_statistic(generous, max_examples=0)


def test_the_canary_is_found_in_any_column() -> None:
    assert traces(BIRD)[0] == "72.319485"
    known = families(Fraction(0), Fraction(100), "age")
    assert all("age" in data for family in known.values() for data in family)
    assert any(BIRD in data["age"] for data in known["float64"])
