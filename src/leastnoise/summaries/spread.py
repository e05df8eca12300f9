"""What a variance needs: exact power sums, the extremes, and the records around the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.summaries.lattice import Lattice, OnLattice
from leastnoise.summaries.ranks import Run


@dataclass(frozen=True, slots=True, repr=False)
class SpreadSummary(OnLattice):
    """NOT PRIVATE. Row count, exact power sums, extremes and a middle run of sorted records.

    Parameters
    ----------
    n, total, squares : int
        Number of records, sum and sum of squares of their lattice integers.
    lattice : Lattice
        The public input lattice.
    smallest, largest : sequence of int
        The min(depth, n) smallest records ascending and the largest descending.
    middle : Run
        Consecutive order statistics that hold, for every number m that ``depth`` changes can make
        the mean, the ``depth`` records on either side of m (see ``mean_reach``); values that
        repeat more often are ``shortened``.
    depth : int or None
        How far profiles look: a function of public parameters only. None: all the way.
    """

    n: int
    total: int
    squares: int
    lattice: Lattice
    smallest: Sequence[int]
    largest: Sequence[int]
    middle: Run
    depth: int | None

    @classmethod
    def of(cls, values: Sequence[int], lattice: Lattice, depth: int | None = None) -> SpreadSummary:
        """The summary of lattice integers: the reference the fast paths must equal."""
        ordered = sorted(values)
        return cls(
            len(ordered),
            sum(ordered),
            sum(z * z for z in ordered),
            lattice,
            ordered[:depth],
            ordered[::-1][:depth],
            Run(1, ordered),
            depth,
        )


def mean_reach(n: int, total: int, lattice: Lattice, depth: int) -> tuple[Fraction, Fraction]:
    """Limits of the mean of any table within ``depth`` deletions and insertions, depth < n.

    With y = Z - low in [0, width], the sum after r deletions and s insertions lies within
    [sum - r width, sum + s width] and the number of records within [n - depth, n + depth].
    """
    room = depth * lattice.width
    above = total - n * lattice.low
    least = Fraction(max(0, above - room), n + depth)
    most = Fraction(above + room, n - depth)
    return lattice.low + least, lattice.low + min(most, Fraction(lattice.width))


def middle_limits(n: int, total: int, lattice: Lattice, depth: int) -> tuple[float, float]:
    """Doubles around every mean within ``depth`` changes, the limits of the lattice at most."""
    least, most = Fraction(lattice.low), Fraction(lattice.high)
    if depth < n:
        least, most = mean_reach(n, total, lattice, depth)
    return lattice.bracket(least, most)


def shortened(run: NDArray[Any], depth: int) -> NDArray[Any]:
    """An ascending run with at most depth + 1 copies of a value in a row.

    Profiles delete at most ``depth`` consecutive records of the middle run, and any such window of
    the run is one of the shortened run too, so nothing that they see is lost.
    """
    if len(run) <= depth + 1:
        return run
    copied = np.zeros(len(run), dtype=np.bool_)
    np.equal(run[depth + 1 :], run[: -depth - 1], out=copied[depth + 1 :])
    return run[~copied] if copied.any() else run
