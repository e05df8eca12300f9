"""Releases that are not a mechanism on a profile: searches and joint draws, as laws of their own.

Each gives, for a data set, a relation and an epsilon, the certified law of all that is released.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement, product
from math import isqrt
from typing import Any

import numpy as np

from leastnoise.audit.adapt import AnyLaw, Probabilities
from leastnoise.audit.noisy_ends import limited_interval, near_interval, variance_interval
from leastnoise.audit.scripted import (
    BITS,
    Dataset,
    any_relation,
    clamped_masses,
    columns_search,
    far_limits_search,
    limits_search,
    long_limits_search,
    masses_of,
    near_limits_search,
    power,
    sorted_numbers,
)
from leastnoise.frames.memory.numbers import UNITS, centred_sums
from leastnoise.laws import DiscreteLaplaceLaw, Law
from leastnoise.laws.first_firing import Certain, enclose_indices
from leastnoise.laws.interval import IntervalLaw
from leastnoise.laws.nested import NestedLaw
from leastnoise.mechanisms import PiecewiseLaplace
from leastnoise.mechanisms.bracket import (
    bracket_heights,
    bracket_split,
    brackets,
    radius_heights,
    radius_split,
)
from leastnoise.mechanisms.joint.at_once import AtOnceLaw, Base, at_once
from leastnoise.mechanisms.joint.binned import QUARTILES, BinnedLaw, Bins, binned_law
from leastnoise.mechanisms.joint.splitting import LeaningLaw, Node, SplittingLaw, level_shares
from leastnoise.numbers import exp_enclosure
from leastnoise.profiles import Profile, on_grid
from leastnoise.session.search.bounds_search import quantile_law
from leastnoise.session.search.centred_moment import moment_rates, moment_shares
from leastnoise.session.search.columns import FEW
from leastnoise.session.search.ends import RankEnds, nested_law, nested_split
from leastnoise.session.search.noisy_moments import Rates, moment_laws
from leastnoise.session.search.unknown_bounds import graded_shares
from leastnoise.session.sparse_vector import SparseVector
from leastnoise.statistics import R2, InterquartileRange, Maximum, Quantile, WithInterval
from leastnoise.statistics.with_interval import Favour, Of
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.metrics import DeterminationSummary
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.ranks import RankSummary
from leastnoise.summaries.records import Listed
from leastnoise.summaries.spread import SpreadSummary

LawOf = Callable[[Dataset, str, Fraction], AnyLaw]


@dataclass(frozen=True, slots=True)
class SearchCase:
    """A release that is no mechanism on a profile, with the universe it is enumerated over."""

    name: str
    mechanism: str
    law_of: LawOf
    universe: Dataset
    n: int = 4
    relations: tuple[str, ...] = ("replace-one", "add-remove", "edit")


class Together:
    """Independent numbers that are released together."""

    def __init__(self, *parts: Law) -> None:
        self.parts = parts

    def joint(self) -> tuple[Law, ...]:
        """One law a number."""
        return self.parts


# Overlapping, disjoint and nested brackets of the list, in its order.
_ENDS = ((0, 1), (1, 2), (-1, 0), (0.5, 1.5), (0, 2), (2, 4), (0, 4), (-4, 0))


@lru_cache(maxsize=1)
def _picked() -> tuple[int, ...]:
    place = {(float(b.low), float(b.low + b.width)): i for i, b in enumerate(brackets())}
    return tuple(place[ends] for ends in _ENDS)


def bracket_search(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """Stage A of ``PrivateBounds``, on some of its brackets."""
    heights = bracket_heights(sorted_numbers(data))
    split = bracket_split(epsilon, relation)
    return _first([heights[i] for i in _picked()], split)


def radius_search(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """Stage D of ``PrivateBounds``, with a stop rank of 1 so that few records matter."""
    heights = radius_heights(sorted_numbers(data), 1, Fraction(1, 2), [1, 2, 4, 9], Fraction(4))
    return _first(heights, radius_split(epsilon))


def _first(heights: list[int], split: tuple[Fraction, Fraction]) -> Probabilities:
    return Probabilities(dict(enumerate(enclose_indices(heights, *split, BITS))))


def centre_search(data: Dataset, relation: str, epsilon: Fraction) -> AnyLaw:
    """Stage B of ``PrivateBounds``: a private median; stage C is the same on distances."""
    lattice = Lattice(Fraction(1), 0, 50)
    return quantile_law(Listed(sorted(data)), Fraction(1, 2), lattice, epsilon, relation)


def noisy_moments(data: Dataset, relation: str, epsilon: Fraction) -> AnyLaw:
    """The noisy sums (and count) from which a variance without bounds is made."""
    public = relation == "replace-one"
    sums = centred_sums(np.array(data, dtype=np.float64), 0.0, 1.0)
    rates = moment_rates(moment_shares(epsilon, len(data) if public else 1, public=public))
    numbers = (*sums, len(data))
    laws = [DiscreteLaplaceLaw(y, r, Fraction(1)) for y, r in zip(numbers, rates, strict=False)]
    return Together(*laws)


def node_masses(law: LeaningLaw) -> dict[int, Certain]:
    """Certified probabilities of one answer of a tree of quantiles."""
    return masses_of(law.law, law.tilt)


def tree_law(tree: SplittingLaw) -> Probabilities:
    """The joint law of all answers of a tree of quantiles, by walking every path."""

    def walk(waiting: tuple[Node, ...]) -> Iterator[tuple[tuple[tuple[int, int], ...], Certain]]:
        if not waiting:
            yield (), (Fraction(1), Fraction(1))
            return
        node, rest = waiting[0], waiting[1:]
        for answer, (low, high) in node_masses(tree.law(node)).items():
            for others, (a, b) in walk((*rest, *tree.children(node, answer))):
                yield ((node.middle, answer), *others), (low * a, high * b)

    return Probabilities({tuple(sorted(path)): p for path, p in walk((tree.root,))})


def quartiles(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """Three quantiles by recursive splitting on the lattice 0, ..., 3."""
    shares = tuple(level_shares(3, relation, epsilon))
    orders = tuple(Fraction(i, 4) for i in (1, 2, 3))
    lattice = Lattice(Fraction(1), 0, 3, 0, True)
    return tree_law(SplittingLaw(sorted(data), lattice, orders, relation, shares))


def at_once_law(law: AtOnceLaw) -> Probabilities:
    """The joint law of quantiles that are drawn at once, over all ascending answers."""
    points = range(law.lattice.low, law.lattice.high + 1)
    weights: dict[Hashable, Certain] = {}
    for answers in combinations_with_replacement(points, len(law.orders)):
        exponent, base = law.rate * law.exponent(answers), law.base(answers)
        ends = exp_enclosure(exponent.numerator, exponent.denominator, BITS)
        weights[answers] = base * ends[0], base * ends[1]
    least, most = (sum(pair[end] for pair in weights.values()) for end in (0, 1))
    return Probabilities({y: (low / most, high / least) for y, (low, high) in weights.items()})


def unknown_quartiles(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """Three quantiles without bounds, drawn as a release draws them: all at once, or the outer ones
    leaning inwards."""
    orders = tuple(Fraction(i, 4) for i in (1, 2, 3))
    lattice = Lattice(Fraction(1), 0, 3, 0, True)
    if at_once(orders, lattice, relation, epsilon):
        return at_once_law(
            AtOnceLaw(sorted(data), lattice, orders, epsilon, (Base((1, 2)), Base((2,), 1)))
        )
    shares = graded_shares(orders, relation, epsilon)
    tree = SplittingLaw(sorted(data), lattice, orders, relation, shares, outward=Fraction(2, 3))
    return tree_law(tree)


def rounds_law(law: BinnedLaw, least: int = 0, most: int = 1) -> Probabilities:
    """The joint law of quartiles and all counts, clamped, by walking every path.

    Clamped counts are functions of the released ones, and keep the largest ratio of
    probabilities. Edges are listed with their counts, and answers of a tree in their place.
    """
    answers: Mapping[Any, Any] = tree_law(law.whole).table

    def walk(first: tuple[int, ...], edges: tuple[int, ...], turn: int) -> Iterator[Any]:
        laws = law.laws(edges, turn)
        masses = [clamped_masses(one.centre, one.rate, least, most) for one in laws]
        for counts in product(*masses):
            low, high = Fraction(1), Fraction(1)
            for table, y in zip(masses, counts, strict=True):
                low, high = low * table[y][0], high * table[y][1]
            if turn + 1 == len(law.rates):
                yield ((edges, counts),), (low, high)
                continue
            bins = Bins(edges, counts)
            if turn == 0 and law.splits(bins):
                for path, (a, b) in answers.items():
                    yield ((edges, counts), path), (low * a, high * b)
                continue
            following = law.refined(bins, first)
            for others, (a, b) in walk(first, following, turn + 1):
                yield ((edges, counts), *others), (low * a, high * b)

    found: dict[Hashable, Certain] = {}
    tree: Mapping[Any, Any] = tree_law(law.tree).table
    for path, (low, high) in tree.items():
        first = law.first([answer for _, answer in path])
        for rounds, (a, b) in walk(first, first, 0):
            found[path, rounds] = (low * a, high * b)
    return Probabilities(found)


def refined_counts(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """Quartiles, the first round of counts and the last, on the lattice 0, 1, 2.

    A tree takes the place of the last round from two counted records on.
    """
    lattice = Lattice(Fraction(1), 0, 2, 0, True)
    law = binned_law(sorted(data), lattice, QUARTILES, relation, epsilon)
    rates = (law.rates[0], law.rates[-1])
    return rounds_law(replace(law, rates=rates, most=isqrt(int(4 * rates[-1] ** 2)) - 1))


def sparse_vector(data: Dataset, relation: str, epsilon: Fraction, *, monotone: bool) -> AnyLaw:
    """All answers of a ``leastnoise.SparseVector`` to three counts, up to two positives."""
    vector = SparseVector(epsilon=epsilon, threshold=2, answers=2, monotone=monotone)
    values = [sum(x <= t for x in data) for t in (0, 2, 3)]
    if not monotone:
        values[1::2] = [len(data) - v for v in values[1::2]]
    e1, e2 = vector.e1, vector.e2
    reach = BITS * e1.denominator // e1.numerator + 1
    found: dict[tuple[bool, ...], tuple[int, int]] = {}
    for z in range(reach):
        (a, b), (c, d) = power(e1, z), power(e1, z + 1)
        chances = [power(e2, max(0, z + 2 - value)) for value in values]
        for answers, low, high in _answers(chances, max(0, a - d), b - c, vector.answers):
            before = found.get(answers, (0, 0))
            found[answers] = before[0] + low, before[1] + high
    rest = power(e1, reach)[1]  # of larger threshold noise
    one = 1 << BITS
    return Probabilities(
        {y: (Fraction(low, one), Fraction(high + rest, one)) for y, (low, high) in found.items()}
    )


def _answers(
    chances: list[tuple[int, int]], low: int, high: int, left: int
) -> Iterator[tuple[tuple[bool, ...], int, int]]:
    """All answers to questions that pass with these chances, until none are left."""
    if not chances or not left:
        yield (), low, high
        return
    p, q = chances[0]
    one = 1 << BITS
    for above, least, most in ((True, p, q), (False, one - q, one - p)):
        inner = low * max(0, least) >> BITS, -(-high * most >> BITS)
        for more, a, b in _answers(chances[1:], *inner, left - above):
            yield (above, *more), a, b


def _with_ends(
    law: Law, ends_of: Callable[[int], IntervalLaw | NestedLaw]
) -> dict[Hashable, Certain]:
    """A value and both ends of its interval."""
    found: dict[Hashable, Certain] = {}
    masses = law.enclosures() or masses_of(law)
    for value, (low, high) in masses.items():
        for ends, (a, b) in ends_of(value).enclosures().items():
            found[value, ends] = low * a, high * b
    return found


def ranked_interval(
    data: Dataset, relation: str, epsilon: Fraction, *, of: Of, favour: Favour
) -> Probabilities:
    """A median with its interval on the lattice 0, ..., 3."""
    lattice, order, records = (
        Lattice(Fraction(1), 0, 3, 0, True),
        Fraction(1, 4),
        Listed(sorted(data)),
    )
    ends = RankEnds(order, lattice, relation, Fraction(2, 3), of, favour)
    first, rest, growth = ends.split(epsilon)
    mechanism = WithInterval(Quantile(q=order, bounds=(0, 3))).default_mechanism(relation)
    law = quantile_law(records, order, lattice, first, relation, mechanism)
    return Probabilities(_with_ends(law, lambda value: ends.law(records, value, rest, growth)))


def extreme_interval(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """A maximum by its walk, with its interval on the lattice 0, ..., 3."""
    lattice, records = Lattice(Fraction(1), 0, 3, 0, True), Listed(sorted(data))
    ends = RankEnds(Fraction(1), lattice, relation, Fraction(2, 3), "data", "value")
    first, rest, growth = ends.split(epsilon)
    mechanism = Maximum(bounds=(0, 3)).default_mechanism(relation)
    walk = quantile_law(records, ends.order, lattice, first, relation, mechanism)
    return Probabilities(_with_ends(walk, lambda value: ends.law(records, value, rest, growth)))


def ranked_ends(data: Dataset, relation: str, epsilon: Fraction) -> AnyLaw:
    """The ends alone, about a value that is known."""
    lattice = Lattice(Fraction(1), 0, 3, 0, True)
    ends = RankEnds(Fraction(1, 2), lattice, relation, Fraction(2, 3), "data", "value")
    law = ends.law(Listed(sorted(data)), 1, epsilon)
    return Probabilities({("ends", *pair): p for pair, p in law.enclosures().items()})


def _spread(data: Dataset, relation: str) -> Profile:
    """The distance between two quartiles on the lattice 0, ..., 4."""
    spread = InterquartileRange(bounds=(0, 4), step=1)
    lattice = Lattice(Fraction(1), 0, 4, 0, True)
    summary = RankSummary.of(data, spread.spec().at, lattice)
    return replace(spread.profile(summary, relation), unit=Fraction(1))


def nested_interval(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """A spread with its interval."""
    profile, (first, rest) = _spread(data, relation), nested_split(epsilon)
    law = PiecewiseLaplace().law(profile, first)
    miss = Fraction(2, 3)
    return Probabilities(
        _with_ends(law, lambda value: nested_law(profile, Fraction(value), rest, miss))
    )


def nested_score(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """R2 of pairs of a target and a prediction in [0, 2], from -1 to 1, with its interval."""
    errors = MomentSummary.of([(a - b) ** 2 for a, b in data], Lattice(Fraction(1), 0, 4))
    targets = SpreadSummary.of([a for a, _ in data], Lattice(Fraction(1), 0, 2))
    summary = DeterminationSummary(errors, targets)
    exactly = R2(bounds=(0, 2), floor=-1).profile(summary, relation)
    coarse, (first, rest) = replace(exactly, resolution=Fraction(1, 2)), nested_split(epsilon)
    step, miss = on_grid(coarse).step, Fraction(2, 3)
    law = PiecewiseLaplace().law(coarse, first)
    return Probabilities(
        _with_ends(law, lambda point: nested_law(coarse, point * step, rest, miss))
    )


def nested_walk(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """The interval alone, about a value that is drawn without looking."""
    profile, found = _spread(data, relation), dict[Hashable, Certain]()
    for value in range(5):
        law = nested_law(profile, Fraction(value), epsilon, Fraction(2, 5))
        for ends, (low, high) in law.enclosures().items():
            found[value, ends] = low / 5, high / 5
    return Probabilities(found)


def mean_of_population(data: Dataset, relation: str, epsilon: Fraction, *, top: int) -> Together:
    """The noisy sums of whole numbers from 0 to ``top``, and their number where it is private."""
    summary = SpreadSummary.of(list(data), Lattice(Fraction(1), 0, top, 0, True))
    rates = Rates.of(epsilon, top, public=relation == "replace-one")
    return Together(*moment_laws(summary, rates))


def _monotone(data: Dataset, relation: str, epsilon: Fraction) -> AnyLaw:
    return sparse_vector(data, relation, epsilon, monotone=True)


def _general(data: Dataset, relation: str, epsilon: Fraction) -> AnyLaw:
    return sparse_vector(data, relation, epsilon, monotone=False)


_UNIT = float(UNITS)
SEARCHES = [
    SearchCase(
        "bounds of unknown data, bracket", "PrivateBounds", bracket_search, (-1.0, 0.25, 1.0, 3.0)
    ),
    SearchCase("bounds of unknown data, centre", "PrivateBounds", centre_search, (0, 25, 26, 50)),
    SearchCase(
        "bounds of unknown data, radius", "PrivateBounds", radius_search, (0.5, 1.4, 2.5, 9.0)
    ),
    SearchCase(
        "limits of columns and a moment",
        "PrivateLimits",
        columns_search,
        ((0, 0), (2, 2), (None, 2)),
        n=1,
    ),
    SearchCase(
        "intervals of few records and a moment",
        "PrivateLimits",
        partial(columns_search, few=FEW),
        ((0, 0), (2, 2), (None, 2)),
        n=1,
    ),
    SearchCase("limits and a sum", "PrivateLimits", limits_search, (0, 1, 2), n=2),
    SearchCase(
        "far limits and a sum", "PrivateLimits", any_relation(far_limits_search), (0, 1, 2), n=2
    ),
    SearchCase(
        "near limits and a sum", "PrivateLimits", any_relation(near_limits_search), (0, 1, 16), n=1
    ),
    SearchCase(
        "limits of a long tail and a sum", "PrivateLimits", long_limits_search, (0, 1, 5), n=1
    ),
    SearchCase(
        "variance of unknown data, moments",
        "CentredMoment",
        noisy_moments,
        (-_UNIT, 0.0, _UNIT / 4, _UNIT),
    ),
    SearchCase("three quantiles", "RecursiveSplitting", quartiles, (0, 1, 3), n=3),
    SearchCase(
        "three quantiles of unknown data", "PrivateBounds", unknown_quartiles, (0, 1, 3), n=3
    ),
    SearchCase("many quantiles", "RefinedCounts", refined_counts, (0, 1, 2), n=3),
    SearchCase(
        "a median with its interval",
        "WithInterval",
        partial(ranked_interval, of="data", favour="interval"),
        (0, 1, 3),
        n=3,
    ),
    SearchCase(
        "a median with an interval of the population",
        "WithInterval",
        partial(ranked_interval, of="population", favour="value"),
        (0, 1, 3),
        n=3,
    ),
    SearchCase("ends of a median", "WithInterval", ranked_ends, (0, 1, 3), n=3),
    SearchCase("a spread with its interval", "WithInterval", nested_interval, (0, 1, 4), n=3),
    SearchCase("nested intervals", "WithInterval", nested_walk, (0, 1, 4)),
    SearchCase("R2 with its interval", "WithInterval", nested_score, ((0, 0), (0, 2), (2, 0)), n=2),
    SearchCase(
        "a mean with an interval of the population",
        "WithInterval",
        partial(mean_of_population, top=3),
        (0, 1, 2, 3),
        n=3,
    ),
    SearchCase(
        "a share with an interval of the population",
        "WithInterval",
        partial(mean_of_population, top=1),
        (0, 1),
        n=3,
    ),
    SearchCase(
        "a variance with ends from sums",
        "WithInterval",
        variance_interval,
        (0, 1, 3),
        n=2,
        relations=("replace-one",),
    ),
    SearchCase(
        "a variance of private rows with ends from sums",
        "WithInterval",
        variance_interval,
        (0, 1, 3),
        n=1,
        relations=("add-remove", "edit"),
    ),
    SearchCase(
        "a sum inside limits with its interval",
        "WithInterval",
        limited_interval,
        (0, 1, 2),
        n=2,
        relations=("edit",),
    ),
    SearchCase(
        "a sum inside near limits with its interval",
        "WithInterval",
        near_interval,
        (0, 1, 16),
        n=1,
        relations=("edit",),
    ),
    SearchCase("a maximum with its interval", "WithInterval", extreme_interval, (0, 1, 3), n=2),
    SearchCase("counts above a threshold", "SparseVector", _general, (0, 2, 4), n=3),
    SearchCase(
        "counts above a threshold, one direction",
        "SparseVector(monotone=True)",
        _monotone,
        (0, 2, 4),
        n=3,
    ),
]
