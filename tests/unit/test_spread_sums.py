"""Exact prefix sums in 64 bits and in Python integers, and the search for a level."""

from __future__ import annotations

import random

import pytest

from leastnoise.sampling.dyadic import level_reaching
from leastnoise.statistics.spread.sums import SpreadSums, bits, centred


@pytest.mark.parametrize("width", [1, 1000, 2**36, 2**51, 2**52, 2**90])
@pytest.mark.parametrize("centre", [0, 2**36 - 7, 1 - 2**62, 2**70])
def test_sums_are_exact_at_any_width(width: int, centre: int) -> None:
    rnd = random.Random(width)
    ends = [centre - width, centre + width]
    values = [rnd.randint(*ends) // 2 for _ in range(300)] + [-(-ends[0] // 2), ends[1] // 2] * 20
    records = centred(values, centre, width)
    exact = [2 * z - centre for z in values]
    assert records.tolist() == exact
    assert (records.dtype == object) == (width > 2**51 or width + abs(centre) >= 2**62)
    apart = records - exact[0]  # up to twice the width
    moved = [u - exact[0] for u in exact]
    sums = SpreadSums(apart)
    first, squares = sums.floats()
    for i in range(len(moved) + 1):
        true = sum(moved[:i]), sum(u * u for u in moved[:i])
        assert (sums.first[i], sums.squares(i)) == true
        for found, of in zip((first[i], squares[i]), true, strict=True):
            assert abs(int(found) - of) * 2**50 <= abs(of) + 2**50


@pytest.mark.parametrize("count", [1, 2, 255, 256, 300, 2**24 - 1, 2**24, 2**40])
def test_sums_in_64_bits_have_room_for_all_that_they_take(count: int) -> None:
    """The largest integers, as often as they may be summed, stay below 2^63."""
    most = (1 << bits(count)) - 1
    half = bits(count) // 2
    high, low = most >> half, (1 << half) - 1
    assert count * max(most, high**2, high * low, low**2) < 2**63


@pytest.mark.parametrize("seed", range(5))
def test_the_search_finds_the_smallest_level_in_few_steps(seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(300):
        size = rnd.randint(1, 200)
        steps = [rnd.choice([0, 1, 5, 2**70 * (rnd.random() < 0.05)]) for _ in range(size)]
        heights = [sum(steps[: i + 1]) for i in range(size)]
        low = rnd.randrange(size)
        high = rnd.randrange(low, size)
        least = rnd.randint(-1, heights[high])
        asked: list[int] = []

        def rising(i: int, heights: list[int] = heights, asked: list[int] = asked) -> int:
            asked.append(i)
            return heights[i]

        found = level_reaching(rising, least, low, high)
        assert found == next(i for i in range(low, high + 1) if heights[i] >= least or i == high)
        assert len(asked) <= 2 + 2 * (high - low).bit_length()
