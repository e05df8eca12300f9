"""Combined profiles: 500 random instances obey every law, and misuses are caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.profiles import (
    Profile,
    clip,
    exact,
    from_equation,
    from_lipschitz,
    from_local_sensitivity,
    from_radius,
    from_steady_sensitivity,
    maximum,
    minimum,
    monotone_map,
    on_grid,
    quotient,
    scale,
    shift,
    tightest,
    total,
)
from leastnoise.testing import PrivacyViolation, check_statistic

F = Fraction
RELATIONS = ("replace-one", "add-remove", "edit")
UNIVERSE = (2, 3, 7)
BOUNDS = (2, 8)


@dataclass(frozen=True, slots=True)
class Built:
    """Several order statistics of one column, combined."""

    build: Callable[[list[Profile]], Profile]
    label: str = ""
    at: tuple[Any, ...] = ("0.1", "0.5", "0.9")

    def __repr__(self) -> str:
        return f"Built({self.label})"

    def spec(self):
        return ln.spec.ranks(None, at=self.at, bounds=BOUNDS)

    def profile(self, s, relation):
        return self.build([self._part(s, i) for i in range(len(self.at))])

    def _part(self, s: Any, i: int) -> Profile:
        low, high = s.limits
        reach = lambda l: max(s.rank(i, t) - s.rank(i, t - l - 1) for t in range(l + 2))
        return Profile(
            value=s.rank(i),
            lower=lambda l: s.rank(i, -l),
            upper=lambda l: s.rank(i, l),
            support=(low, high),
            local_sensitivity=reach,
            integral=True,
        )


# --- random trees of combinators -----------------------------------------------------------------


def whole(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def tree(rng: np.random.Generator, depth: int) -> tuple[str, Callable[[list[Profile]], Profile]]:
    """A random combination of the parts, with its formula."""
    if depth == 0 or rng.random() < 0.15:
        i = whole(rng, 0, 2)
        return f"q{i}", lambda parts: parts[i]
    name, inner = tree(rng, depth - 1)
    kind = whole(rng, 0, 9)
    if kind == 0:
        by = F(whole(rng, -9, 9), whole(rng, 1, 3))
        return f"{name} + {by}", lambda parts: shift(inner(parts), by)
    if kind == 1:
        by = F(whole(rng, 1, 5) * int(rng.choice([-1, 1])), whole(rng, 1, 3))
        return f"{by} ({name})", lambda parts: scale(inner(parts), by)
    if kind == 2:
        low = whole(rng, -6, 6)
        high = low + whole(rng, 1, 9)
        return f"clip({name}, {low}, {high})", lambda parts: clip(inner(parts), low, high)
    if kind == 3:
        return f"({name})^3", lambda parts: monotone_map(
            inner(parts), lambda v: v**3, resolution=F(1, 2)
        )
    if kind == 4:
        return f"-({name})^3", lambda parts: monotone_map(
            inner(parts), lambda v: -(v**3), falling=True, resolution=1
        )
    if kind == 5:
        reach = whole(rng, 1, 5)
        return f"radius{reach}({name})", lambda parts: radius_of(inner(parts), reach)
    other, second = tree(rng, depth - 1)
    if kind == 6:
        return f"({name}) + ({other})", lambda parts: total([inner(parts), second(parts)])
    if kind == 7:
        return f"max({name}, {other})", lambda parts: maximum([inner(parts), second(parts)])
    if kind == 8:
        return f"min({name}, {other})", lambda parts: minimum([inner(parts), second(parts)])
    return f"({name}) / (1 + ({other})^2)", lambda parts: divided(inner(parts), second(parts))


def radius_of(p: Profile, distance: int) -> Profile:
    """The same function through its local sensitivity, the global one beyond a distance."""
    whole_range = p.global_sensitivity or 0
    local = p.local_sensitivity or (lambda l: exact(p.upper(l + 1)) - exact(p.lower(l + 1)))
    coarse = from_local_sensitivity(
        p.value, local, support=p.support, sensitivity=whole_range, distance=distance
    )
    return tightest([replace(coarse, unit=p.unit, resolution=p.resolution), p])


def divided(top: Profile, bottom: Profile) -> Profile:
    """A quotient whose parts are made to be positive."""
    above = replace(quotient(clip(top, 0, 9), clip(bottom, 1, 4), resolution=F(1, 8)), unit=None)
    return above


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("batch", range(10))
def test_every_random_combination_obeys_every_law(batch: int):
    """50 instances a batch: 500 in all; each over all small data sets of one relation."""
    rng = np.random.default_rng(batch)
    for instance in range(50):
        name, build = tree(rng, whole(rng, 1, 3))
        check_statistic(
            Built(build, name),
            universe=UNIVERSE,
            n=3 if instance % 5 == 0 else 2,
            relations=[RELATIONS[instance % 3]],
            max_examples=0,
            depths=[(None, 2)[instance % 2]],
        )


def test_values_and_bounds_of_combinations():
    low, high = (
        ln.profile(ln.Quantile(q=q, bounds=(0, 10)), [1, 4, 6, 9]) for q in ("0.25", "0.75")
    )
    both = total([low, high])
    assert (both.value, both.upper(1), both.lower(1), both.support) == (7, 13, 4, (0, 20))
    assert scale(low, -2).upper(1) == 0
    assert scale(low, -2).lower(2) == -12
    assert shift(low, "1/2").value == F(3, 2)
    cut = clip(low, 2, 5)
    assert (cut.value, cut.upper(9), cut.support, cut.global_sensitivity) == (2, 5, (2, 5), 3)
    assert clip(low, "1/3", 5).resolution * 3 == Fraction(low.resolution)
    assert maximum([low, high]).lower(1) == 4
    assert minimum([low, high]).upper(1) == 4
    ratio = quotient(high, shift(low, 1), resolution=F(1, 8))
    assert (ratio.value, ratio.upper(1), ratio.lower(1)) == (3, 9, F(4, 5))
    assert (ratio.support, ratio.global_sensitivity) == ((0, 10), 10)
    squares = monotone_map(low, lambda v: v * v, resolution=1)
    assert [squares.upper(l) for l in range(4)] == [1, 16, 36, 81]
    assert all(p.monotone for p in (shift(low, 1), scale(low, -1), clip(low, 0, 3), squares))
    assert not any(p.monotone for p in (both, maximum([low, high]), tightest([low, low])))


def test_no_limit_stays_no_limit_where_it_must():
    open_end = Profile(
        value=3, lower=lambda l: 3 - min(l, 3), upper=lambda l: None if l else 3, support=(0, None)
    )
    bounded = ln.profile(ln.Median(bounds=(0, 10)), [4])
    bounded = replace(bounded, unit=None)
    assert total([open_end, bounded]).upper(1) is None
    assert total([open_end, bounded]).support == (0, None)
    assert maximum([open_end, bounded]).upper(1) is None
    assert minimum([open_end, bounded]).upper(1) == 10
    assert minimum([open_end, bounded]).support == (0, 10)
    assert maximum([open_end, bounded]).support == (0, None)
    turned = scale(open_end, -1)
    assert maximum([turned, bounded]).support == (0, 10)
    assert minimum([turned, bounded]).support == (None, 0)
    assert maximum([open_end, bounded]).global_sensitivity is None
    assert minimum([turned, bounded]).global_sensitivity is None
    assert scale(open_end, -1).lower(1) is None
    assert clip(open_end, 0, 9).upper(1) == 9
    assert clip(open_end, 0, 9).support == (0, 9)
    assert on_grid(clip(open_end, 1, 9)).upper(1) == 9


def test_the_depth_of_a_part_is_kept():
    p = Profile(value=5, lower=lambda l: 5 - l, upper=lambda l: 5 + l, support=(0, 99), depth=2)
    assert [shift(p, 1).upper(l) for l in (2, 3)] == [8, 100]
    assert [total([p, p]).lower(l) for l in (2, 3)] == [6, 0]


COMBINED: dict[str, Callable[[Profile, Profile], Profile]] = {
    "shift": lambda p, _: shift(p, 1),
    "scale": lambda p, _: scale(p, -3),
    "map": lambda p, _: monotone_map(p, lambda v: -(v**3), falling=True, resolution=1),
    "clip": lambda p, _: clip(p, 3, 8),
    "sum": lambda p, q: total([p, q]),
    "largest": lambda p, q: maximum([q, p]),
    "least": lambda p, q: minimum([p, q]),
    "quotient": lambda p, q: quotient(p, shift(q, 1), resolution=1),
    "tightest": lambda p, q: tightest([q, p]),
}


@pytest.mark.parametrize("name", COMBINED)
def test_of_a_part_nothing_is_read_beyond_its_depth(name: str):
    """Its range is public, and so is the width of that for its local sensitivity."""
    depth, low, high = 2, 0, 99

    def ended(bound: Callable[[int], int], end: int) -> tuple[Callable[[int], int], ...]:
        def read(level: int) -> int:
            assert level <= depth
            return bound(level)

        return read, lambda level: bound(level) if level <= depth else end

    rules = ended(lambda l: 5 - l, low), ended(lambda l: 5 + 2 * l, high)
    local = ended(lambda l: 1 + l, high - low)
    known, explicit = (
        Profile(
            value=5,
            lower=rules[0][i],
            upper=rules[1][i],
            support=(low, high),
            local_sensitivity=local[i],
            depth=None if i else depth,
        )
        for i in (0, 1)
    )
    for others in (
        (known, explicit),
        (explicit, explicit),
    ):  # a part that ends beside one that goes on
        found, wanted = COMBINED[name](*others), COMBINED[name](explicit, explicit)
        for level in range(6):
            assert (found.lower(level), found.upper(level)) == (
                wanted.lower(level), wanted.upper(level)
            )  # fmt: skip
            if wanted.local_sensitivity is not None:
                assert found.local_sensitivity(level) == wanted.local_sensitivity(level)


# --- what does not belong together ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, q: total([]), "at least one"),
        (lambda p, q: total([p, replace(q, unit=F(1, 3))]), "units"),
        (lambda p, q: scale(p, 0), "by must not be 0"),
        (lambda p, q: shift(p, "x"), "by must be a finite number"),
        (lambda p, q: clip(p, 3, 3), "low must be below high"),
        (lambda p, q: tightest([p, shift(q, 1)]), "equal values"),
        (lambda p, q: quotient(scale(p, -1), shift(q, 1), resolution=1), "numerator"),
        (lambda p, q: quotient(p, q, resolution=1), "positive lower bound"),
        (
            lambda p, q: from_steady_sensitivity(0, 1, -1, support=(0, 9), sensitivity=9),
            "change must be at least 0",
        ),
    ],
)
def test_parameters_are_refused(call: Any, message: str):
    p = ln.profile(ln.Median(bounds=(0, 10)), [1, 4])
    with pytest.raises(ParameterError, match=message):
        call(p, p)


# --- misuses are caught -----------------------------------------------------------------------


def centred(parts: list[Profile]) -> Profile:
    """Shifted by a number of the data: the value is 0 and hides nothing of the bounds."""
    return shift(parts[1], -exact(parts[1].value))


def relative(parts: list[Profile]) -> Profile:
    """Scaled by a number of the data."""
    return scale(parts[1], F(1, exact(parts[2].value)))


def cut_at_the_data(parts: list[Profile]) -> Profile:
    return clip(parts[1], 0, exact(parts[2].value) + 1)


def square_of_both_signs(parts: list[Profile]) -> Profile:
    """A map that is not monotone on the range."""
    return monotone_map(shift(parts[1], -4), lambda v: v * v, resolution=1)


def wrong_way(parts: list[Profile]) -> Profile:
    """A falling map that is said to rise."""
    return monotone_map(parts[1], lambda v: -v, resolution=1)


def this_data_set_only(parts: list[Profile]) -> Profile:
    """The local sensitivity of this data set, at every distance."""
    p = parts[1]
    return from_steady_sensitivity(
        p.value, p.local_sensitivity(0), 0, support=p.support, sensitivity=6
    )


def capped_beyond_only(parts: list[Profile]) -> Profile:
    """Loose R_l above the global sensitivity before a distance, the global one after (errata 1)."""
    p = parts[1]
    loose = lambda l: 9 ** (l - 1) * p.local_sensitivity(l - 1) if l < 3 else 6
    return from_radius(p.value, loose, support=(-99, 99))


def not_of_one_function(parts: list[Profile]) -> Profile:
    """The bounds of another function under the value of this one."""
    return tightest([parts[0], replace(parts[2], value=parts[0].value)])


@pytest.mark.parametrize(
    "build",
    [
        centred,
        relative,
        cut_at_the_data,
        square_of_both_signs,
        wrong_way,
        this_data_set_only,
        capped_beyond_only,
        not_of_one_function,
    ],
    ids=lambda build: build.__name__,
)
def test_misuses_are_caught(build: Any):
    with pytest.raises(PrivacyViolation):
        check_statistic(Built(build), universe=UNIVERSE, n=3, max_examples=0)


def test_a_sum_is_not_monotone():
    """Two monotone parts can move in opposite directions."""

    def flagged(parts: list[Profile]) -> Profile:
        return replace(total([parts[0], scale(parts[2], -1)]), monotone=True)

    with pytest.raises(PrivacyViolation, match="one direction"):
        check_statistic(Built(flagged), universe=UNIVERSE, n=3, max_examples=0)


@pytest.mark.parametrize("name", COMBINED)
def test_only_what_is_made_of_one_part_says_that_it_is_monotone(name: str):
    parts = [
        Profile(value=2, lower=lambda _: 0, upper=lambda _: 9, support=(0, 9), monotone=flag)
        for flag in (True, False)
    ]
    assert not COMBINED[name](parts[1], parts[1]).monotone
    one = name in ("shift", "scale", "map", "clip")
    assert COMBINED[name](parts[0], parts[0]).monotone <= one


# --- equations and Lipschitz functions ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Equation:
    """The middle of a column by the sign of its residuals, cut at 2: a Huber location."""

    change: int | None = None

    def spec(self):
        return ln.spec.ranks(None, at=["1/2"], bounds=(0, 9))

    def profile(self, s, relation):
        records = [s.at_rank(0, rank) for rank in range(1, s.n + 1)]
        pull = lambda y: sum(max(-2, min(2, y - x)) for x in records)
        change = self.change or (2 if relation == "add-remove" else 4)
        return from_equation(pull, change, low=0, high=9)


@dataclass(frozen=True, slots=True)
class Spread:
    """|0.9-quantile - twice the 0.1-quantile|, as a Lipschitz function of the two."""

    weights: tuple[int, int] = (1, 2)

    def spec(self):
        return ln.spec.ranks(None, at=["0.9", "0.1"], bounds=BOUNDS)

    def profile(self, s, relation):
        base = Built(lambda parts: parts[0], at=("0.9", "0.1"))
        parts = [base._part(s, i) for i in (0, 1)]
        value = abs(exact(parts[0].value) - 2 * exact(parts[1].value))
        return from_lipschitz(
            value, list(zip(parts, self.weights, strict=True)), support=(0, 16), integral=True
        )


def test_equations_and_lipschitz_functions_obey_every_law():
    check_statistic(Equation(), universe=(0, 3, 4, 9), n=3, max_examples=20, depths=[None])
    check_statistic(Spread(), universe=UNIVERSE, n=3, max_examples=20)


@pytest.mark.parametrize("statistic", [Equation(change=1), Spread((1, 1))], ids=repr)
def test_too_small_a_change_is_caught(statistic: Any):
    with pytest.raises(PrivacyViolation):
        check_statistic(statistic, universe=(0, 3, 4, 9), n=3, max_examples=0, depths=[None])


def inward(pull: Callable[[int], int], change: int, low: int, high: int) -> Profile:
    """The obvious pair max{g <= l r}, min{g >= -l r} (errata 3): it rounds inward."""
    places = range(low, high + 1)
    above = lambda l: max((y for y in places if pull(y) <= l * change), default=low)
    below = lambda l: min((y for y in places if pull(y) >= -l * change), default=high)
    middle = above(0)
    return Profile(
        value=middle,
        upper=lambda l: max(middle, above(l)),
        lower=lambda l: min(middle, below(l)),
        support=(low, high),
        integral=True,
    )


@dataclass(frozen=True, slots=True)
class Inward(Equation):
    def profile(self, s, relation):
        records = [s.at_rank(0, rank) for rank in range(1, s.n + 1)]
        pull = lambda y: sum(max(-2, min(2, y - x)) for x in records)
        return inward(pull, 4, 0, 9)


def test_both_sides_of_an_equation_are_rounded_alike():
    with pytest.raises(PrivacyViolation):
        check_statistic(Inward(), universe=(0, 3, 4, 9), n=3, max_examples=0, depths=[None])


def test_no_radius_is_asked_for_where_the_range_has_ended():
    asked = []

    def radius(level: int) -> int:
        asked.append(level)
        return 2

    p = from_radius(10, radius, support=(0, 100), sensitivity=2)
    assert (p.upper(10**9), p.lower(10**9), p.local_sensitivity(10**9)) == (100, 0, 2)
    assert (p.upper(7), p.lower(4)) == (24, 2)
    assert len(asked) <= 50  # the range is 100 wide


@pytest.mark.parametrize("sensitive", [True, False], ids=["local sensitivity", "bounds alone"])
def test_beyond_its_depth_a_part_of_an_equation_changes_by_all_of_its_range(sensitive: bool):
    depth, most = 2, 99

    def part(last: int | None) -> Profile:
        def read(level: int) -> int:
            assert last is None or level <= last
            return level

        return Profile(
            value=5,
            lower=lambda level: max(0, 5 - read(level)),
            upper=lambda level: min(most, 5 + 2 * read(level)),
            support=(0, most),
            local_sensitivity=(lambda level: 3 + read(level)) if sensitive else None,
            depth=last,
        )

    found, known = (
        from_lipschitz(15, [(part(last), 1), (part(None), 2)], support=(0, 3 * most))
        for last in (depth, None)
    )
    for level in range(6):
        assert found.upper(level) >= known.upper(level)
        assert found.lower(level) <= known.lower(level)
    assert (found.upper(depth), found.lower(depth)) == (known.upper(depth), known.lower(depth))
    assert found.upper(depth + 2) > known.upper(depth + 2)
