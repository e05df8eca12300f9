"""The verdict on statistics: shipped ones and a user's own pass, wrong ones are caught.

Beside it the bounds themselves, compared with what the function can become by brute force.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.testing import PrivacyViolation, check_statistic
from leastnoise.testing.neighbours import data_sets as positions
from leastnoise.testing.neighbours import pairs
from support.balls import (
    data_sets,
    distance,
    extremes,
    interquartile_range,
    mean,
    order_statistic,
    total,
)

LIMITS = (-1, 3)
UNIVERSE = (-1, 0, 1, 3)  # both range ends, so that extremes are attained in it
RELATIONS = ("replace-one", "add-remove", "edit")

SHIPPED = [
    ln.Median(bounds=LIMITS),
    ln.Quantile(q="0.9", bounds=LIMITS),
    ln.Quantile(q="0.3", bounds=LIMITS),
    ln.Minimum(bounds=LIMITS),
    ln.Maximum(bounds=LIMITS),
    ln.Quantiles(q=["0.25", "0.9"], bounds=LIMITS),
    ln.InterquartileRange(bounds=LIMITS),
    ln.Sum(bounds=LIMITS),
    ln.Sum(bounds=(1, 4)),
    ln.Sum(bounds=LIMITS, max_rows=3),
    ln.Mean(bounds=LIMITS),
    ln.Count(),
    ln.Count(max_rows=3),
]


def name(statistic: object) -> str:
    text = type(statistic).__name__
    return text + str(getattr(statistic, "q", "")) + str(getattr(statistic, "bounds", ""))


# --- what ships --------------------------------------------------------------


@pytest.mark.parametrize("n", [4, pytest.param(5, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("statistic", SHIPPED, ids=name)
def test_shipped_statistics_obey_every_law(statistic: Any, relation: str, n: int) -> None:
    """Exhaustive up to n over four values, negative ones among them."""
    # min and max of the limits are in the universe, one value lies beyond them
    universe = (-1, 0, 1, 4)
    check_statistic(statistic, universe=universe, n=n, relations=[relation], max_examples=0)


@pytest.mark.parametrize("statistic", SHIPPED, ids=name)
def test_shipped_statistics_survive_the_default_search(statistic: Any) -> None:
    """Floats, missing and infinite values, and random data sets of up to 16 rows."""
    report = check_statistic(statistic, n=2, max_examples=12)
    assert report.examples >= 72


@pytest.mark.nightly
@pytest.mark.parametrize("statistic", SHIPPED, ids=name)
def test_shipped_statistics_survive_a_long_search(statistic: Any) -> None:
    check_statistic(statistic, max_examples=1000)


@pytest.mark.parametrize(
    "statistic",
    [
        ln.Median(bounds=(-3, 5), step=2, missing="drop"),
        ln.Median("age", bounds=(0, 4)),
        ln.Mean("age", bounds=(0, 0.3)),
        ln.Mean(bounds=(0, 3), missing=1),
        ln.Sum(bounds=(-3, -1), missing="none"),
        ln.Count("age", nonnegative=True, missing="drop"),
        ln.Median(bounds=(0, 1e300)),
        ln.Mean(bounds=(-1e-200, 1e-200)),
        ln.InterquartileRange(bounds=(2**70, 2**70 + 2**20)),
    ],
    ids=repr,
)
def test_columns_steps_policies_and_awkward_bounds(statistic: Any) -> None:
    check_statistic(statistic, n=2, max_examples=8)


# --- how tight the bounds are ------------------------------------------------

Q = Fraction
FUNCTIONS = {
    "median": (ln.Median(bounds=LIMITS), order_statistic(Q(1, 2), LIMITS)),
    "quantile 0.9": (ln.Quantile(q="0.9", bounds=LIMITS), order_statistic(Q(9, 10), LIMITS)),
    "quantile 0.3": (ln.Quantile(q="0.3", bounds=LIMITS), order_statistic(Q(3, 10), LIMITS)),
    "minimum": (ln.Minimum(bounds=LIMITS), order_statistic(Q(0), LIMITS)),
    "maximum": (ln.Maximum(bounds=LIMITS), order_statistic(Q(1), LIMITS)),
    "interquartile range": (ln.InterquartileRange(bounds=LIMITS), interquartile_range),
    "sum": (ln.Sum(bounds=LIMITS), total),
    "mean": (ln.Mean(bounds=LIMITS), mean(LIMITS)),
}


def only_valid(function: str, relation: str, n: int) -> bool:
    """Where the bounds are wider than what the function can become.

    Everywhere else they are exact. An empty table has no neighbour under replace-one, and the
    quartiles of one row are the same record; the formulas do not look for either.
    """
    if relation == "replace-one":
        return n == 0 or (function == "interquartile range" and n == 1)
    return function == "interquartile range" and n == 0


@pytest.mark.parametrize("n", [3, pytest.param(4, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_bounds_are_the_extremes_of_the_ball(function: str, relation: str, n: int) -> None:
    statistic, definition = FUNCTIONS[function]
    levels = n + 3
    grown = 0 if relation == "replace-one" else levels - 1
    everything = list(data_sets(UNIVERSE, n + grown))
    loose = 0
    for x in data_sets(UNIVERSE, n):
        least, most = extremes(definition, x, everything, relation, levels)
        profile = ln.profile(statistic, np.array(x, dtype=np.int64), relation=relation)
        lower = [profile.lower(level) for level in range(levels)]
        upper = [profile.upper(level) for level in range(levels)]
        assert profile.value == definition(x)
        if only_valid(function, relation, len(x)):
            assert all(ours <= true for ours, true in zip(lower, least, strict=True))
            assert all(ours >= true for ours, true in zip(upper, most, strict=True))
            loose += (lower, upper) != (least, most)
        else:
            assert (lower, upper) == (least, most), x
    # the list of exceptions is not longer than it must be
    expected = any(only_valid(function, relation, rows) for rows in range(n + 1))
    assert (loose > 0) == (expected and function != "sum")


@pytest.mark.parametrize("relation", RELATIONS)
def test_neighbours_are_the_pairs_at_distance_one(relation: str) -> None:
    universe = (0, 1, 2)
    listed = {frozenset(pair) for pair in pairs(3, 3, relation)}
    every = list(positions(3, 3))
    by_distance = {
        frozenset((x, y))
        for x in data_sets(universe, 3)
        for y in data_sets(universe, 3)
        if distance(x, y, relation) == 1
    }
    assert listed == by_distance
    assert len(every) == len(set(every)) == 20


# --- a user's own statistic, exactly as documented ---------------------------


# fmt: off
@dataclass(frozen=True, slots=True)
class Midhinge:
    column: str | None = None
    bounds: tuple = (0, 1)
    def spec(self):                                   # what must be summarised
        return ln.spec.ranks(self.column, at=(Fraction(1, 4), Fraction(3, 4)), bounds=self.bounds)
    def profile(self, s, relation):                   # s: the summary, integers on the lattice
        lo, hi = s.limits
        up = lambda l: (s.rank(0, +l) + s.rank(1, +l), 2)
        down = lambda l: (s.rank(0, -l) + s.rank(1, -l), 2)
        return ln.Profile(value=up(0), lower=down, upper=up, support=(lo, hi), monotone=relation == "replace-one")  # noqa: E501 - printed so
# fmt: on


class _Variant:
    """A Midhinge whose profile is changed by ``wrong``."""

    def __init__(self, wrong: Any, bounds: tuple = (0, 4)) -> None:
        self.inner, self.wrong = Midhinge(bounds=bounds), wrong

    def __repr__(self) -> str:
        return "WrongMidhinge"

    def spec(self) -> Any:
        return self.inner.spec()

    def profile(self, s: Any, relation: str) -> ln.Profile:
        return self.wrong(self.inner.profile(s, relation), s, relation)


def test_the_documented_statistic_passes() -> None:
    check_statistic(Midhinge(bounds=(0, 4)), n=5, max_examples=40)
    check_statistic(Midhinge(), n=4, max_examples=20)
    check_statistic(Midhinge("age", bounds=(-2, 1)), n=3, max_examples=20)


def inward(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    return replace(p, upper=lambda l: p.upper(max(0, l - 1)))


def local_as_global(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    up, low = p.upper(1), p.upper(0)
    return replace(p, sensitivity=Fraction(up[0] - low[0], 2))


def monotone_by_decree(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    up = lambda l: s.rank(1, l) - s.rank(0, -l)
    down = lambda l: max(0, s.rank(1, -l) - s.rank(0, l))
    width = s.limits[1] - s.limits[0]
    return replace(p, value=up(0), upper=up, lower=down, support=(0, width), monotone=True)


def own_range(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    return replace(p, support=(s.at_rank(0, 1), s.at_rank(0, s.n)) if s.n else p.support)


def own_depth(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    return replace(p, depth=s.n)


def rounded_in(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    """Upper bounds rounded down, lower ones up: no longer one monotone map."""
    up = lambda l: p.upper(l)[0] // 2
    down = lambda l: -(-p.lower(l)[0] // 2)
    return replace(p, value=up(0), upper=up, lower=down)


def in_floats(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    return replace(p, upper=lambda l: p.upper(l)[0] / 2)


def whole_by_decree(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    return replace(p, integral=True)


def raises_on_data(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    if s.n > 2 and s.rank(1) == s.limits[1]:
        raise ValueError("too many large values")
    return p


def shrinking(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    return replace(p, local_sensitivity=lambda l: Fraction(p.upper(1)[0] - p.lower(1)[0], 2 + l))


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (inward, "neighbour law"),
        (local_as_global, "public parameters do not depend on data"),
        (monotone_by_decree, "monotone: every bound moves in one direction"),
        (own_range, None),
        (own_depth, "public parameters do not depend on data"),
        (rounded_in, "lower(0) == upper(0) == value"),
        (in_floats, "exact numbers"),
        (whole_by_decree, "integral: whole multiples of resolution"),
        (raises_on_data, "no error depends on data"),
        (shrinking, "local sensitivity does not fall"),
    ],
)
def test_wrong_statistics_are_caught(wrong: Any, law: str | None) -> None:
    with pytest.raises(PrivacyViolation) as caught:
        check_statistic(_Variant(wrong), max_examples=0)
    if law is not None:
        assert caught.value.law == law


def test_the_message_names_law_pair_level_and_numbers() -> None:
    with pytest.raises(PrivacyViolation) as caught:
        check_statistic(_Variant(inward), relations=["replace-one"], max_examples=0)
    message = str(caught.value)
    assert "WrongMidhinge breaks 'neighbour law'" in message
    assert "upper(x', 0) = " in message or "upper(x, 0) = " in message
    for fact in ("relation = replace-one", "x = [", "x' = [", "l = "):
        assert fact in message
    assert isinstance(caught.value, AssertionError)


def late(p: ln.Profile, s: Any, relation: str) -> ln.Profile:
    """Wrong only from eight rows on, beyond what is enumerated by default."""
    return inward(p, s, relation) if s.n > 7 else p


def test_random_search_finds_and_shrinks_what_enumeration_cannot_reach() -> None:
    check_statistic(_Variant(late), max_examples=0)
    with pytest.raises(PrivacyViolation) as caught:
        check_statistic(_Variant(late), relations=["replace-one"])
    pair = caught.value.facts
    assert len(pair["x"]) == len(pair["x'"]) == 8
    # shrunk: the eight records take as few values as a violation needs
    assert len({*pair["x"], *pair["x'"]}) == 2


def test_answers_that_depend_on_history_or_order_are_caught() -> None:
    class Sniffing(_Variant):
        """Remembers what it saw before: a function of history, not of the data."""

        def profile(self, s: Any, relation: str) -> ln.Profile:
            self.seen = getattr(self, "seen", 0) + 1
            value = self.seen % 2
            return ln.Profile(
                value=value, lower=lambda l: value, upper=lambda l: value, support=(0, 1)
            )

    with pytest.raises(PrivacyViolation, match=r"order of rows|neighbour law"):
        check_statistic(Sniffing(None), max_examples=0)


def test_errors_of_parameters_are_not_violations() -> None:
    with pytest.raises(ParameterError, match="relation"):
        check_statistic(ln.Median(bounds=(0, 1)), relations=["swap"])
    with pytest.raises(ParameterError, match="bounds"):
        check_statistic(ln.Median(bounds=(0.25, 0.75), step=1), max_examples=0)


def test_a_report_says_how_much_was_checked() -> None:
    report = check_statistic(
        ln.Median(bounds=(0, 3)), universe=(0, 3), n=2, depths=[None], max_examples=0
    )
    assert (report.data_sets, report.pairs, report.examples) == (18, 3 + 6 + 9, 0)
    assert "18 pairs" in str(report)
