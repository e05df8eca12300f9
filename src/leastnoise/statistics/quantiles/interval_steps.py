"""The targets of an interval where the number of records is private: tables that step by one.

From n to n + 1 at most one of the two ends may move, and by one (``docs/proofs/
quantile-interval.md``, statement 2). Up to ``TABLE`` one table of fixed size serves every n, its
steps enforced in integers. Beyond it either end is a largest value so far of a line less a stray
that never shrinks; the two lines step at different n, and a largest value so far steps only where
its line does. Doubles have a say in how large a stray is, in tables that hold for every n, and
none in the steps.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leastnoise.statistics.quantiles.interval_targets import TABLE, Noise, is_tabled, strays, table

# A block of numbers of records has one stray: as many as one in so many of them.
_FINE = 512


class Blocks(NamedTuple):
    """Last m of each block, and its stray."""

    ends: tuple[int, ...]
    strays: tuple[int, ...]


def private_targets(order: Fraction, tail: Fraction, noise: Noise, n: int) -> tuple[int, int]:
    """Targets of the lower and the upper end for a private n.

    Up to ``TABLE`` the lower end takes every step of its table, the upper end those that are left.
    Beyond, the lower end can step only where floor(n q) does and the upper end only where it does
    not.
    """
    reached = None, None
    if is_tabled(tail, noise):
        lower, upper = _pairs(order, tail, noise)
        if n <= TABLE:
            return int(lower[n]), int(upper[n])
        reached = int(lower[TABLE]), int(upper[TABLE])
    ends: list[int] = []
    for upward, start in zip((False, True), reached, strict=True):
        ends.append(_climbed(order, upward, tail, noise, n, start))
    return ends[0], ends[1]


def _climbed(
    order: Fraction, upward: bool, tail: Fraction, noise: Noise, n: int, reached: int | None
) -> int:
    """The largest of line(m) - stray over m <= n, and what was reached at the table's end.

    The stray is that of a block of m, so within a block the last m is the largest.
    """

    def line(m: int) -> int:
        whole = m * order.numerator // order.denominator
        return m - whole - 1 if upward else whole

    own = 1 - order if upward else order
    first, power = (0 if reached is None else TABLE), 0
    best, shift = reached, 0
    while True:
        for end, stray in zip(*_blocks(own, tail, noise, first, power), strict=True):
            value = line(min(end, n)) - stray
            if best is None:
                best = value
            elif end == first:
                shift = max(0, value - best)  # it goes on from what was reached, not from above
            best = max(best, value - shift)
            if end >= n:
                return best
        power += 1


@lru_cache(maxsize=256)
def _blocks(order: Fraction, tail: Fraction, noise: Noise, first: int, power: int) -> Blocks:
    """The blocks up to max(first, TABLE) 2^power, without those of smaller powers.

    They are computed alike for every n, so that doubles round alike for neighbours.
    """
    before = _blocks(order, tail, noise, first, power - 1) if power else Blocks((), ())
    ends = [before.ends[-1] if power else first]
    while ends[-1] < max(first, TABLE) << power:
        ends.append(ends[-1] + max(1, ends[-1] // _FINE))
    found = np.array(strays(order, tail, noise, ends), dtype=object)
    if power:
        found[0] = before.strays[-1]
    grown = np.maximum.accumulate(found).tolist()
    new = 1 if power else 0
    return Blocks(tuple(ends[new:]), tuple(grown[new:]))


@lru_cache(maxsize=16)
def _pairs(
    order: Fraction, tail: Fraction, noise: Noise
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    lower, wanted = (_stepped(table(q, tail, noise)) for q in (order, 1 - order))
    free = np.arange(TABLE + 1) - lower  # grows by one exactly where the lower end stands still
    upper = np.minimum.accumulate(wanted - free) + free
    return lower, upper


def _stepped(targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The table with steps of 0 or 1, whatever rounding did to it."""
    steps: Any = np.arange(len(targets))
    return np.maximum.accumulate(np.minimum.accumulate(targets - steps) + steps)
