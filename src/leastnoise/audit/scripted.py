"""Searches for limits as laws of their own: every path of their random choices, one by one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np

from leastnoise.audit.adapt import Probabilities
from leastnoise.frames.memory.numbers import RawNumbers, SortedNumbers
from leastnoise.laws import ConstantLaw, Law, PermuteAndFlipLaw
from leastnoise.laws.first_firing import Certain, enclose_indices
from leastnoise.mechanisms.private_limits import COST_RATE, PrivateLimits
from leastnoise.numbers import exp_enclosure
from leastnoise.session.kinds.limited_losses import Distances
from leastnoise.session.search.bounds_search import quantile_law
from leastnoise.session.search.columns import Columns, SearchedColumn
from leastnoise.session.search.draws import Draws, Limits
from leastnoise.session.search.far import FarSearch
from leastnoise.session.search.limits import LimitSearch
from leastnoise.session.search.near import NearSearch
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Listed

Dataset = tuple[Any, ...]
BITS = 128


def sorted_numbers(data: Dataset) -> SortedNumbers:
    """The numbers of a small data set."""
    return SortedNumbers(np.array(sorted(data), dtype=np.float64))


def masses_of(law: Law, tilt: Callable[[int], Fraction] | None = None) -> dict[int, Certain]:
    """Certified probabilities of the points of a law by levels, with an exponent added to each."""
    if isinstance(law, ConstantLaw):
        return {law.centre: (Fraction(1), Fraction(1))}
    weights: dict[int, tuple[int, int]] = {}
    for run in law.runs() or ():
        for i in range(run.count or 0):
            point = run.first + run.direction * i
            e = run.exponent + i * run.slope + (0 if tilt is None else tilt(point))
            weights[point] = exp_enclosure(e.numerator, e.denominator, BITS)
    low, high = (sum(w[i] for w in weights.values()) for i in (0, 1))
    return {y: (Fraction(w[0], high), Fraction(w[1], low)) for y, w in weights.items()}


@lru_cache(maxsize=4096)
def clamped_masses(count: int, rate: Fraction, least: int, most: int) -> Mapping[int, Certain]:
    """Certified probabilities of a noisy count that is clamped to least..most, least < most.

    ``rate``: of the discrete Laplace law of the noise.
    """
    one = Fraction(1 << BITS)

    def tail(distance: int) -> Certain:
        """The noise is at least ``distance``: q^distance / (1 + q), q = exp(-rate)."""
        if distance <= 0:
            low, high = tail(1 - distance)
            return 1 - high, 1 - low
        (a, b), (c, d) = power(rate, distance), power(rate, 1)
        return a / (one + d), b / (one + c)

    def point(distance: int) -> Certain:
        """The noise is ``distance``: (1 - q) q^distance / (1 + q)."""
        (a, b), (c, d) = power(rate, abs(distance)), power(rate, 1)
        return a / one * (one - d) / (one + d), b / one * (one - c) / (one + c)

    inner = {y: point(y - count) for y in range(least + 1, most)}
    return {least: tail(count - least), **inner, most: tail(most - count)}


@lru_cache(maxsize=4096)
def power(rate: Fraction, times: int) -> tuple[int, int]:
    """exp(-rate times) between two integers, in units of 2**-BITS."""
    return exp_enclosure(rate.numerator * times, rate.denominator, BITS)


@lru_cache(maxsize=4096)
def _firing(heights: tuple[int, ...], e1: Fraction, e2: Fraction) -> list[Certain]:
    return enclose_indices(heights, e1, e2, BITS)


@lru_cache(maxsize=4096)
def _flipping(costs: tuple[int, ...]) -> list[Certain]:
    masses = PermuteAndFlipLaw(costs, COST_RATE).enclosures(BITS)
    return [masses[i] for i in range(len(costs))]


class Scripted(Draws):
    """Choices that follow a script, with their probability; after its end, always the first."""

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script: tuple[int, ...] = script
        self.taken, self.mass = 0, (Fraction(1), Fraction(1))
        self.others: list[tuple[int, ...]] = []

    def median(self, numbers: RawNumbers, epsilon: Fraction, relation: str) -> Fraction:
        """Refused: a search about 0 asks for no median."""
        raise NotImplementedError

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """Noise that is cut at none and two rows, which is post-processing."""
        return self._choice([*clamped_masses(rows, epsilon, 0, 2).values()])

    def first(self, heights: list[int], split: tuple[Fraction, Fraction]) -> int | None:
        """What the script says; where it ends, the other outcomes are left to be explored."""
        index = self._choice(_firing(tuple(heights), *split))
        return None if index == len(heights) else index

    def cheapest(self, costs: list[int]) -> int:
        """The same for a choice by costs."""
        return self._choice(_flipping(tuple(costs)))

    def _choice(self, masses: Sequence[Certain]) -> int:
        """The next choice of the script."""
        if self.taken == len(self.script):
            self.others += [(*self.script, i) for i in range(1, len(masses))]
            self.script = (*self.script, 0)
        index = self.script[self.taken]
        self.taken += 1
        low, high = masses[index]
        self.mass = self.mass[0] * low, self.mass[1] * high
        return index


def _cut(data: Dataset, high: int) -> int:
    """The sum of the records, none above ``high``."""
    return sum(min(x, high) for x in data)


def limits_search(
    data: Dataset, relation: str, epsilon: Fraction, top: int = 2, least: float = 0.5
) -> Probabilities:
    """The limits of ``PrivateLimits`` about 0 and the noisy sum, clamped, by every path."""
    found: dict[Hashable, Certain] = {}
    for limits, script, mass in scripted_limits(data, relation, epsilon, top, least):
        high = ceil(limits.high)
        noisy = clamped_masses(_cut(data, high), (epsilon - limits.cost) / high, 0, top)
        for answer, (a, b) in noisy.items():
            found[script, limits.high, answer] = mass[0] * a, mass[1] * b
    return Probabilities(found)


class ScriptedNear(Scripted):
    """The same where all records may seem to be off the centre, and a radius is chosen twice.

    ``each``: how many rows one stands for.
    """

    each = 200

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """Noise that is cut at none and two rows, each for many, which is post-processing."""
        return self.each * super().rows(rows, epsilon)


def any_relation(
    law_of: Callable[[Dataset, Fraction], Probabilities],
) -> Callable[[Dataset, str, Fraction], Probabilities]:
    """A law that is one under every relation."""
    return lambda data, _, epsilon: law_of(data, epsilon)


def far_limits_search(data: Dataset, epsilon: Fraction, *, losses: bool = False) -> Probabilities:
    """The limits far beyond most records and a noisy sum inside them, clamped, by every path.

    So that a few records matter, radii are counted from 1 and the limit is the radius itself.
    ``losses``: records are distances, which are told by their squares.
    """
    found: dict[Hashable, Certain] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = ScriptedNear(waiting.pop())
        squares = Distances(sorted_numbers(tuple(x * x for x in data)), squared=True)
        numbers = squares if losses else sorted_numbers(data)
        declared = Fraction(0), Fraction(1000)
        limits = FarSearch(numbers, declared, epsilon, 400, draws, finest=2.0).run()
        waiting += draws.others
        high = ceil(limits.high) if limits.tight else ceil(limits.high / 64)
        noisy = clamped_masses(_cut(data, high), (epsilon - limits.cost) / high, 0, 3)
        for answer, (a, b) in noisy.items():
            key = (draws.script, limits.fits, answer)  # which mechanism answers hangs on the second
            found[key] = draws.mass[0] * a, draws.mass[1] * b
    return Probabilities(found)


class ScriptedFew(ScriptedNear):
    """The same where one record stands for fewer than half of all rows."""

    each = 150


def near_limits_search(
    data: Dataset, epsilon: Fraction, about: Fraction | None = None
) -> Probabilities:
    """The limits of few records and a noisy sum inside them, clamped, by every path.

    The number of rows is one that was released, so that radii are chosen twice. ``about``: a
    released number that most records are.
    """
    found: dict[Hashable, Certain] = {}
    for limits, script, mass in scripted_near(data, epsilon, about):
        high = ceil(limits.high)
        noisy = clamped_masses(_cut(data, high), (epsilon - limits.cost) / high, 0, 3)
        for answer, (a, b) in noisy.items():
            found[script, answer] = mass[0] * a, mass[1] * b
    return Probabilities(found)


def scripted_near(
    data: Dataset, epsilon: Fraction, about: Fraction | None = None
) -> Iterator[tuple[Limits, tuple[int, ...], Certain]]:
    """The near limits that every path leads to, with the path and its probability."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = ScriptedFew(waiting.pop())
        declared, rows = (Fraction(0), Fraction(16)), 400
        numbers, finest = sorted_numbers(data), 0.0 if about else 2.0
        search = NearSearch(numbers, declared, epsilon, rows, draws, finest, about)
        limits = search.run() if about is None else search.run_about()
        waiting += draws.others
        yield limits, draws.script, draws.mass


def scripted_limits(
    data: Dataset,
    relation: str,
    epsilon: Fraction,
    top: int,
    least: float,
    draws_of: type[Scripted] = Scripted,
) -> Iterator[tuple[Limits, tuple[int, ...], Certain]]:
    """The limits about 0 that every path leads to, with the path and its probability."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = draws_of(waiting.pop())
        declared = (Fraction(0), Fraction(top))
        search = LimitSearch(
            sorted_numbers(data),
            declared,
            relation,
            epsilon,
            2,
            draws,
            finest=2 * least,
            centred=True,
        )
        limits = search.run()
        waiting += draws.others
        yield limits, draws.script, draws.mass


def again_limits_search(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """The limits alone, which are chosen again where many records seem to be beyond them."""
    found: dict[Hashable, Certain] = {}
    for limits, script, mass in scripted_limits(data, relation, epsilon, 4, 1.0, ScriptedNear):
        found[script, limits.high] = mass
    return Probabilities(found)


def long_limits_search(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """The same in bounds so wide that tails can be long."""
    return limits_search(data, relation, epsilon, top=5, least=1.0)


class ScriptedColumns(Scripted):
    """The same for columns of some of the numbers 0, 1, 2, with a median and a number of rows."""

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """Noise that is cut at two rows, which is post-processing."""
        return 1 + self._choice([*clamped_masses(rows, epsilon, 1, 2).values()])

    def median(self, numbers: RawNumbers, epsilon: Fraction, relation: str) -> Fraction:
        """By the mechanism of the median on a lattice of three points."""
        below, until = numbers.counts(np.arange(3.0))
        ordered = tuple(np.repeat(np.arange(3), until - below).tolist())
        return Fraction(self._choice(_medians(ordered, epsilon, relation)))


@lru_cache(maxsize=4096)
def _medians(ordered: Sequence[int], epsilon: Fraction, relation: str) -> list[Certain]:
    lattice = Lattice(Fraction(1), 0, 2)
    law = quantile_law(Listed([*ordered]), Fraction(1, 2), lattice, epsilon, relation)
    masses = masses_of(law)
    return [masses[i] for i in range(3)]


def columns_search(data: Dataset, relation: str, epsilon: Fraction, few: int = 0) -> Probabilities:
    """The limits of two columns of a model, one with a missing entry, and a noisy moment."""
    bounds = Fraction(0), Fraction(2)
    asked = Columns(
        (SearchedColumn("x", bounds, 3.4), SearchedColumn("y", bounds, 3.4)),
        PrivateLimits(1),
        few=few,
    )
    rows = np.array(data, dtype=np.float64).reshape(len(data), 2)
    found: dict[Hashable, Certain] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = ScriptedColumns(waiting.pop())
        limits = asked.search([*rows.T], len(rows), epsilon, relation, draws)
        waiting += draws.others
        tops = [ceil(high) for _, high in limits.bounds]
        cut = np.minimum(np.nan_to_num(rows), tops).prod(axis=1)
        rate = (epsilon - limits.cost) / (tops[0] * tops[1])
        for answer, (a, b) in clamped_masses(int(cut.sum()), rate, 0, 1).items():
            found[draws.script, answer] = draws.mass[0] * a, draws.mass[1] * b
    return Probabilities(found)
