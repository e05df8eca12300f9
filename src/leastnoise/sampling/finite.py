"""Exact choice among finitely many candidates by integer costs: two laws, no float, no constant.

Candidate i has the cost c_i, an integer with least value 0, and the exponent E_i = r c_i. With
p_i = exp(-E_i):

    proportional:      P(i) = p_i / (p_0 + ... + p_(n-1)),
    permute and flip:  in random order toss a coin of probability p_i for each candidate; the first
                       success is the answer (the least cost always succeeds).

Both cut the candidates into blocks: block j holds those with E >= j ln 2, by a
rational upper bound of ln 2, and below the next edge. *Proportional*: a block is drawn with the
exact integer weight N_j 2^-j, a candidate uniformly in it, and it is kept with probability
2^j p_i <= 1, else all is drawn anew. *Permute and flip*: a coin of probability p_i is one of
probability 2^-j and then one of probability 2^j p_i. The first coins of a block are tossed
together, by j words of random bits joined by "and"; only the number of survivors matters, because
the order is uniform. Survivors are then looked at in random order, about two of them.

Source: McSherry and Talwar (2007); McKenna and Sheldon (2020); exact_sampling 3 and 5.
``docs/proofs/selection.md``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers import ln2_enclosure
from leastnoise.randomness import BitSource, bernoulli_scaled

_LN2_BITS = 64
_LN2_UPPER = ln2_enclosure(_LN2_BITS)[1]
_MOST_BLOCKS = 64
_WORD = 64
_INT64 = 1 << 62

Costs = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, slots=True, repr=False)
class FiniteWeights:
    """Candidates block by block.

    ``order[i]`` is the candidate at place i, ``costs[i]`` its cost above the least, ``edges[j]``
    the first place of block j (the last edge is the number of candidates).
    """

    order: Sequence[int]
    costs: Sequence[int]
    rate: Fraction
    edges: tuple[int, ...]

    def exponent(self, place: int) -> tuple[int, int]:
        """E of the candidate at a place, as (numerator, denominator)."""
        return self.rate.numerator * int(self.costs[place]), self.rate.denominator

    def accept(self, block: int, place: int, source: BitSource) -> bool:
        """True with probability 2^block exp(-E)."""
        return bernoulli_scaled(block, *self.exponent(place), source)


def finite_weights(costs: Costs, rate: Fraction) -> FiniteWeights:
    """Cut candidates into blocks; any integers are taken, the least becomes 0.

    Parameters
    ----------
    costs : sequence of int, or an int64 array
        At least one; low is good. The law does not change if a number is added to all of them.
    rate : Fraction
        > 0.
    """
    count = len(costs)
    if count == 0 or rate <= 0:
        raise ValueError("at least one cost and a rate above 0 are needed")
    least, most = _ends(costs)
    starts: list[int] = []
    for block in range(1, _MOST_BLOCKS + count.bit_length() + 1):
        # the least cost with E >= block * LN2_UPPER >= block ln 2
        top = block * _LN2_UPPER * rate.denominator
        start = -(-top // (rate.numerator << _LN2_BITS))
        if start > most - least:
            break
        starts.append(start)
    if least > -_INT64 and most < _INT64:
        whole: NDArray[np.int64] = np.asarray(costs, dtype=np.int64) - least
        blocks = np.searchsorted(np.array(starts, dtype=np.int64), whole, side="right")
        order: Any = np.argsort(blocks.astype(np.uint8), kind="stable")
        sizes: list[int] = np.bincount(blocks, minlength=len(starts) + 1).tolist()
        ordered: Any = whole[order]
        return FiniteWeights(order, ordered, rate, (0, *accumulate(sizes)))
    listed = [int(cost) - least for cost in costs]
    ranked = sorted(range(count), key=listed.__getitem__)
    ascending = [listed[i] for i in ranked]
    edges = (0, *(bisect_left(ascending, start) for start in starts), count)
    return FiniteWeights(ranked, ascending, rate, edges)


def _ends(costs: Costs) -> tuple[int, int]:
    if isinstance(costs, np.ndarray):
        return int(costs.min()), int(costs.max())
    return min(costs), max(costs)


def draw_proportional(weights: FiniteWeights, source: BitSource) -> int:
    """One candidate with probability proportional to exp(-E)."""
    edges = weights.edges
    blocks = len(edges) - 1
    scaled = [(edges[j + 1] - edges[j]) << (blocks - 1 - j) for j in range(blocks)]
    total = sum(scaled)
    while True:
        ticket, block = source.below(total), 0
        while ticket >= scaled[block]:
            ticket -= scaled[block]
            block += 1
        place = edges[block] + (ticket >> (blocks - 1 - block))
        if weights.accept(block, place, source):
            return int(weights.order[place])


def draw_permute_and_flip(weights: FiniteWeights, source: BitSource) -> int:
    """The first success of coins of probability exp(-E) in random order."""
    edges = weights.edges
    left = [_survivors(edges[j + 1] - edges[j], j, source) for j in range(len(edges) - 1)]
    seen: set[int] = set()
    while True:  # the least cost has probability 1, so this ends
        ticket, block = source.below(sum(left)), 0
        while ticket >= left[block]:
            ticket -= left[block]
            block += 1
        left[block] -= 1
        place = edges[block] + source.below(edges[block + 1] - edges[block])
        while place in seen:  # a survivor is uniform among those of the block not yet seen
            place = edges[block] + source.below(edges[block + 1] - edges[block])
        seen.add(place)
        if weights.accept(block, place, source):
            return int(weights.order[place])


def _survivors(count: int, block: int, source: BitSource) -> int:
    """How many of ``count`` coins of probability 2^-block succeed: 64 of them at a time."""
    if block == 0:
        return count
    alive = 0
    for start in range(0, count, _WORD):
        size = min(_WORD, count - start)
        word = source.bits(size)
        for _ in range(block - 1):
            if not word:
                break
            word &= source.bits(size)
        alive += word.bit_count()
    return alive
