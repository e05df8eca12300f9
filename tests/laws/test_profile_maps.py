"""Maps of profiles against their definitions: persons of several rows, and square roots.

Each field is worked out once more in the plainest way, so a stride, an end or a share that is off
anywhere shows up, not only where an audit happens to look.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isqrt, nextafter
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.profiles import Profile, square_root, strided
from leastnoise.profiles.maps import root_of
from leastnoise.profiles.profile import exact

BOUNDS: dict[str, Any] = {"bounds": (-3, 5)}
DATA = np.array([-3, -3, 0, 1, 1, 2, 4, 5], np.int64)
STATISTICS: list[Any] = [
    ln.Median(**BOUNDS),
    ln.InterquartileRange(**BOUNDS),
    ln.Sum(max_rows=9, **BOUNDS),
    ln.Mean(**BOUNDS),
    ln.Variance(**BOUNDS),
    ln.Count(),
]
DEEPEST = 12


def profiles(statistic: Any, relation: str) -> list[Profile]:
    """The profile of a statistic, and the same known to some levels only and without an end."""
    own = ln.profile(statistic, DATA, relation=relation)
    found = [own, replace(own, depth=5)]
    found.append(replace(own, depth=5, sensitivity=7, local_sensitivity=lambda level: level + 1))
    found.append(replace(own, support=(None, None), sensitivity=None))
    if own.sensitivity is not None:
        low, high = own.support
        found += [replace(own, support=(low, None)), replace(own, support=(None, high))]
        found.append(replace(own, sensitivity=None))
    return found


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
def test_persons_read_the_rows_profile_at_all_their_rows(
    statistic: Any, relation: str, rows: int
) -> None:
    for one in profiles(statistic, relation):
        many = strided(one, rows)
        if rows == 1:
            assert many is one
            continue
        for level in range(DEEPEST // rows):
            assert many.lower(level) == one.lower(rows * level)
            assert many.upper(level) == one.upper(rows * level)
        low, high = one.support
        least = one.global_sensitivity
        if least is None:
            assert many.global_sensitivity is None
        else:
            width = None if low is None or high is None else exact(high) - exact(low)
            ends = [x for x in (rows * least, width) if x is not None]
            assert many.global_sensitivity == min(ends)
        assert (many.local_sensitivity is None) is (one.local_sensitivity is None)
        if one.local_sensitivity is not None and many.local_sensitivity is not None:
            for level in range(DEEPEST // rows - 1):
                steps = [
                    least
                    if one.depth is not None and step > one.depth and least is not None
                    else exact(one.local_sensitivity(step))
                    for step in range(rows * level, rows * level + rows)
                ]
                assert many.local_sensitivity(level) == sum(steps)
        assert not many.monotone
        assert many.depth == (None if one.depth is None else one.depth // rows)
        assert many.moments is None
        assert many.ratio == (None if one.ratio is None else replace(one.ratio, rows=rows))
        if one.ratio is not None:
            again = strided(replace(one, ratio=replace(one.ratio, rows=5)), rows).ratio
            assert again is not None
            assert again.rows == 5 * rows
        kept = "value", "support", "resolution", "integral", "clamp", "unit", "rows"
        assert [getattr(many, name) for name in kept] == [getattr(one, name) for name in kept]


@pytest.mark.parametrize("resolution", [Fraction(1), Fraction(1, 3), Fraction(2, 5)])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_a_square_root_is_the_same_monotone_map_everywhere(
    relation: str, resolution: Fraction
) -> None:
    statistic = ln.Variance(**BOUNDS)
    plain = ln.profile(statistic, DATA, relation=relation)
    below = replace(plain, support=(None, plain.support[1]), lower=lambda level: -level)
    above = replace(plain, support=(4, 90))
    for one in (plain, below, above, replace(plain, support=(0, None), upper=lambda level: None)):
        root = square_root(one, resolution=resolution, unit=Fraction(7))

        def expected(value: Any) -> Any:
            if value is None:
                return None
            return isqrt(int(max(Fraction(exact(value)), 0) / resolution**2)) * resolution

        def read(value: Any) -> Any:
            return None if value is None else exact(value)

        assert read(root.value) == expected(one.value)
        for level in range(DEEPEST):
            assert read(root.lower(level)) == expected(one.lower(level))
            assert read(root.upper(level)) == expected(one.upper(level))
        low, high = one.support
        assert read(root.support[0]) == expected(0 if low is None else low)
        assert read(root.support[1]) == expected(high)
        assert (root.sensitivity, root.local_sensitivity, root.ratio) == (None, None, None)
        assert (root.resolution, root.integral, root.unit) == (resolution, True, Fraction(7))
        assert root.monotone is one.monotone
        assert root.depth == one.depth


def test_sums_of_a_root_are_handed_on_where_they_are_those_of_the_plain_variance() -> None:
    statistic = ln.Variance(**BOUNDS)
    one = ln.profile(statistic, DATA)
    assert one.moments is not None
    options: dict[str, Any] = {"resolution": Fraction(1), "unit": Fraction(1)}
    plain = replace(one.moments, scale=Fraction(1), root=False)
    root = square_root(replace(one, moments=plain), **options)
    assert root.moments == replace(plain, root=True)
    for other in (replace(plain, scale=Fraction(2)), replace(plain, root=True), None):
        assert square_root(replace(one, moments=other), **options).moments is None


@pytest.mark.parametrize("power", [-900, -60, -1, 0, 1, 60, 900])
def test_a_root_lies_between_its_neighbours_among_doubles(power: int) -> None:
    for num, den in [(1, 1), (2, 1), (1, 3), (7, 11), (10**20 + 1, 10**20), (1, 10**15)]:
        number = Fraction(num, den) * Fraction(2) ** power
        found, near = root_of(number), [root_of(number)] * 2
        for _ in range(2):
            near = [nextafter(near[0], 0), nextafter(near[1], float("inf"))]
        assert Fraction(near[0]) ** 2 <= number <= Fraction(near[1]) ** 2
        assert found > 0
    assert root_of(Fraction(0)) == root_of(Fraction(-1, 3)) == 0
