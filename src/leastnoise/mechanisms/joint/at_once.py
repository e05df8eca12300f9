"""A few quantiles of one column at once, by how many records must change for all to be right.

Answers y_1 <= ... <= y_k cut the records into k + 1 parts. Half the sum of how far the parts are
from their right sizes is the number of records that must be moved, and no replaced record changes
it by more than one: so one epsilon pays for all answers together, and an answer that leaves all
records behind is as unlikely as the records it costs. Splitting (``splitting.py``) pays twice below
its root where records are replaced, and is better for many quantiles.

Public bases halve with every step between the first and the last answer: a range that reaches far
beyond the records has many points. Source: the score of Gillenwater, Joseph and Kulesza
(2021), exact; the base and the sampler are ours (``docs/proofs/quantiles-at-once.md``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, lcm

import numpy as np

from leastnoise.numbers import exp_enclosure, ln2_enclosure
from leastnoise.randomness import BitSource, bernoulli_exp
from leastnoise.sampling.chain import Chain, Segments, draw_enclosed
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import window_ranks
from leastnoise.summaries.records import records_of

_LN2_UPPER = Fraction(ln2_enclosure(64)[1], 2**64)
# Answers that need more changes than weigh 2^-32 together are as likely as these.
_REST = 32
# From more orders on splitting is better; from a greater reach on it is faster.
MOST_ORDERS, MOST_REACH = 4, 1 << 13


@dataclass(frozen=True, slots=True)
class Base:
    """Points above 0, ascending, at which a base halves, and how often it is halved anyhow."""

    steps: tuple[int, ...] = ()
    halved: int = 0

    def step(self, point: int) -> int:
        """How many steps a point is above 0, or below."""
        if point >= 0:
            return bisect_right(self.steps, point)
        return -bisect_right(self.steps, -1 - point)


@dataclass(frozen=True, slots=True, repr=False)
class AtOnceLaw:
    """NOT PRIVATE. The joint law base(y) exp(-(epsilon/2) min(changes, reach)) of all quantiles.

    ``records`` and ``orders`` ascend. The base is a sum over ``bases``, which are public: each
    2^-(steps between the first and last answer), a step at each of the ascending points that it
    lists above 0, as many below, and a last step for all.
    """

    records: Sequence[int]
    lattice: Lattice
    orders: tuple[Fraction, ...]
    epsilon: Fraction
    bases: tuple[Base, ...]

    @property
    def reach(self) -> int:
        """How many changes are told apart: public numbers alone."""
        return reach_of(len(self.orders), self.lattice, self.epsilon)

    @property
    def parts(self) -> int:
        """Places are counted in this many parts of a record."""
        return lcm(*(order.denominator for order in self.orders))

    @property
    def rate(self) -> Fraction:
        """The exponent of half a change by one such part."""
        return self.epsilon / (4 * self.parts)

    def base(self, answers: Sequence[int]) -> Fraction:
        """That of some ascending answers."""
        ends = [(one.halved, one.step(answers[-1]) - one.step(answers[0])) for one in self.bases]
        return sum((Fraction(1, 2 ** sum(pair)) for pair in ends), Fraction(0))

    def exponent(self, answers: Sequence[int]) -> int:
        """That of some ascending answers in units of ``rate``."""
        ranks = [until for _, until in records_of(self.records).counts(list(answers))]
        places = [0, *(one for (one,) in self._places([[rank] for rank in ranks])), 0]
        whole = sum(abs(b - a) for a, b in pairwise(places))
        return min(whole, 2 * self.parts * self.reach)

    def draw(self, source: BitSource) -> list[int]:
        """One exact draw, ascending.

        Answers within reach are drawn by segments, and kept with the chance by which they are
        likelier than those beyond; or all answers are drawn by the base alone.
        """
        near = self.chains()
        far = replace(self, records=()).chains()
        beyond = self.rate * 2 * self.parts * self.reach

        def bounds(bits: int, *, up: bool) -> list[int]:
            factor = exp_enclosure(beyond.numerator, beyond.denominator, bits)[up]
            found: list[int] = []
            for chains, scale in ((near, 1 << bits), (far, factor)):
                for one, base in zip(chains, self.bases, strict=True):
                    whole, cut = one.total(bits, up=up) * scale, bits + base.halved
                    found.append(-(-whole >> cut) if up else whole >> cut)
            return found

        while True:
            chosen = draw_enclosed(
                lambda bits: (bounds(bits, up=False), bounds(bits, up=True)), source
            )
            if chosen >= len(near):
                return far[chosen - len(near)].draw(source)
            answers = near[chosen].draw(source)
            left = beyond - self.rate * self.exponent(answers)
            if not bernoulli_exp(left.numerator, left.denominator, source):
                return answers

    def _places(self, ranks: Sequence[Sequence[int]]) -> list[list[int]]:
        """How far above its order each of some ranks is, for each order, in parts of a record."""
        n, parts = len(self.records), self.parts
        pairs = zip(ranks, self.orders, strict=True)
        return [[r * parts - int(order * parts) * n for r in some] for some, order in pairs]

    def chains(self) -> list[Chain]:
        """Of each base, cut at every record within reach of an order, and where a base halves."""
        low, high = self.lattice.low, self.lattice.high
        spans = [window_ranks(order, len(self.records), self.reach + 2) for order in self.orders]
        found = records_of(self.records).windows(spans) if len(self.records) else [()] * len(spans)
        windows = [np.array(window, dtype=np.int64) for window in found]
        up = np.array([s for one in self.bases for s in one.steps], dtype=np.int64)
        cuts = np.unique(np.concatenate([[low], up, -up, *windows]))
        cuts = cuts[(cuts >= low) & (cuts <= high)]
        ranks = [
            (first - 1 + np.searchsorted(window, cuts, side="right")).tolist()
            for (first, _), window in zip(spans, windows, strict=True)
        ]
        first, sizes = cuts.tolist(), np.diff(cuts, append=high + 1).tolist()
        places, limit = self._places(ranks), self.parts * self.reach
        steps = [[one.step(cut) for cut in first] for one in self.bases]
        return [Chain(Segments(first, sizes, s, places, limit), self.rate) for s in steps]


def reach_of(orders: int, lattice: Lattice, epsilon: Fraction) -> int:
    """How many changes are told apart, from public numbers: more weigh 2^-32 in all at most."""
    bits = _REST + orders * lattice.width.bit_length()
    return ceil(2 * bits * _LN2_UPPER / epsilon)


def at_once(orders: Sequence[Fraction], lattice: Lattice, relation: str, epsilon: Fraction) -> bool:
    """Whether quantiles are drawn at once: public numbers decide."""
    few = 1 < len(orders) <= MOST_ORDERS and relation != "add-remove"
    return few and reach_of(len(orders), lattice, epsilon) <= MOST_REACH
