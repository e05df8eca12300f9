"""The interquartile range: the difference of two order statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from leastnoise.profiles import Profile
from leastnoise.statistics.statistic import ColumnStatistic
from leastnoise.summaries import spec
from leastnoise.summaries.columns import Shown
from leastnoise.summaries.ranks import RankSummary, rank_of

# A pair (r, s) of deletions and insertions, and the levels an answer looks beyond its own.
Moves = tuple[int, int]
_REACH = 3


def _edit_moves(level: int) -> Iterable[Moves]:
    """Most deletions and insertions; the ranks of the new size turn with period 4."""
    return (
        (r, s)
        for r in range(max(0, level - 3), level + 1)
        for s in range(max(0, level - 3), level + 1)
        if max(r, s) == level
    )


def _widest(level: int) -> Iterable[Moves]:
    """Add-remove moves that can raise the difference: few deletions (period 4)."""
    return ((r, total - r) for total in (level, level - 1) for r in range(min(4, total) + 1))


def _narrowest(level: int) -> Iterable[Moves]:
    """Add-remove moves that can lower the difference: few insertions (period 4)."""
    return ((total - s, s) for total in (level, level - 1) for s in range(min(4, total) + 1))


def difference_profile(s: RankSummary, relation: str) -> Profile:
    """The profile of x_(k) - x_(j) for the two orders of the summary (errata 3)."""
    n, (first, last) = s.n, s.at
    low, high = s.limits
    width = high - low
    depth = None if s.depth is None else max(0, s.depth - _REACH)

    def gaps(j: int, k: int, shift: int, least: int, most: int) -> np.ndarray:
        """x_(k + shift + t) - x_(j + t) for t = least..most."""
        above = s.span(1, k + shift + least, k + shift + most)
        return above - s.span(0, j + least, j + most)

    def largest(level: int, moves: Iterable[Moves]) -> int:
        """max over moves (r, s) and v <= s of x_(k'+r-v) - x_(j'-v), ranks of the new size."""
        best = 0
        for r, added in moves:
            size = n - r + added
            if r > n or size < 1:
                continue  # the empty table: 0
            j, k = rank_of(first, size), rank_of(last, size)
            best = max(best, int(gaps(j, k, r, -added, 0).max()))
        return best

    def smallest(level: int, moves: Iterable[Moves]) -> int:
        """min over moves (r, s) and e <= r of x_(k'-s+e) - x_(j'+e), 0 if k' - s <= j'."""
        best = width
        for r, added in moves:
            size = n - r + added
            if r > n or size < 1:
                best = 0
                continue
            j, k = rank_of(first, size), rank_of(last, size)
            if k - added <= j:
                return 0
            best = min(best, int(gaps(j, k, -added, 0, r).min()))
        return best

    def bound(
        search: Callable[[int, Iterable[Moves]], int],
        end: int,
        add_remove: Callable[[int], Iterable[Moves]],
    ) -> Callable[[int], int]:
        def read(level: int) -> int:
            if level == 0:
                return value
            if level > n:
                return end
            if relation == "replace-one":
                return search(level, [(level, level)])
            moves = add_remove(level) if relation == "add-remove" else _edit_moves(level)
            return search(level, moves)

        return read

    value = 0 if n == 0 else s.rank(1) - s.rank(0)
    return Profile(
        value=value,
        lower=bound(smallest, 0, _narrowest),
        upper=bound(largest, width, _widest),
        support=(0, width),
        depth=depth,
        integral=True,
        unit=s.step,
    )


@dataclass(frozen=True, slots=True)
class InterquartileRange(ColumnStatistic):
    """The upper quartile minus the lower quartile of a column clipped to bounds.

    Quartiles are the records of ranks max(1, ceil(n/4)) and max(1, ceil(3n/4)). Released directly,
    with its own profile, it is more accurate than the difference of two released quartiles.

    Parameters
    ----------
    column, bounds, step, missing
        As for ``leastnoise.Median``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If bounds, step or the missing policy are missing or invalid; checked before any data is
        read.

    Notes
    -----
    An empty table has the public value 0. Default mechanism: ``PiecewiseLaplace()``. Guarantee:
    epsilon-DP under "replace-one", "add-remove" and "edit" with the bounds of errata 3
    (``docs/proofs/order-statistics.md``); not monotone under any of them.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.InterquartileRange(bounds=(0, 100)), [10, 20, 30, 40])
    >>> p.value, p.upper(1)
    (20, 30)
    """

    @property
    def shown(self) -> Shown:
        """How far two entries are apart."""
        return "difference"

    def spec(self) -> spec.RankSpec:
        """Order statistics around the two quartiles."""
        quartiles = (Fraction(1, 4), Fraction(3, 4))
        return spec.ranks(
            self.column, at=quartiles, bounds=self.bounds, step=self.step, missing=self.missing
        )

    def profile(self, summary: RankSummary, relation: str) -> Profile:
        """Bounds on the difference after l changes."""
        return difference_profile(summary, relation)
