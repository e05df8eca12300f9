"""The summary of trimmed means: sums of the middle records, and the records at their edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.params import Missing
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.requests import Counted, Reader
from leastnoise.summaries.vectors import ScaledRequest, VectorSpec

# Levels of change that are used; beyond them, the global sensitivity. Public.
LEVELS = 64


@dataclass(frozen=True, slots=True)
class OrderedRequest(ScaledRequest):
    """Sums of the records that stay of each column when a share ``trim`` of either end is cut."""

    trim: Fraction = Fraction(0)

    def kept(self, n: int) -> tuple[int, int]:
        """First and last rank that stay."""
        cut = n * self.trim.numerator // self.trim.denominator
        return cut + 1, n - cut

    def empty(self, depth: int | None) -> OrderedSummary:
        """The summary of no rows."""
        return self.summary([np.empty(0, np.int64) for _ in self.widths])

    def read(self, reader: Reader, depth: int | None) -> OrderedSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.ordered(self)

    def summary(self, columns: Sequence[NDArray[Any]]) -> OrderedSummary:
        """From the whole values Z of every column, ascending."""
        n = len(columns[0])
        first, last = self.kept(n)
        lows = [values[max(0, first - 1 - LEVELS) : first].tolist() for values in columns]
        highs = [values[max(0, last - 1) : last + LEVELS].tolist() for values in columns]
        totals = [
            _sum(values[first - 1 : last], width)
            for values, width in zip(columns, self.widths, strict=True)
        ]
        return self.at_edges(n, lows, highs, totals)

    def at_edges(
        self,
        n: int,
        lows: Sequence[Sequence[int]],
        highs: Sequence[Sequence[int]],
        totals: Sequence[int],
    ) -> OrderedSummary:
        """From whole values in ascending order: those up to the first that stays, and from the last
        that stays on, at most ``LEVELS`` more of each; and the sums of what stays.
        """
        above: list[tuple[int, ...]] = []
        below: list[tuple[int, ...]] = []
        for low, high, width in zip(lows, highs, self.widths, strict=True):
            above.append((*high, *[width] * (LEVELS + 1 - len(high))))
            below.append((*low[::-1], *[-width] * (LEVELS + 1 - len(low))))
        return OrderedSummary(n, tuple(totals), self.units, tuple(above), tuple(below), self.widths)


def _sum(values: NDArray[Any], width: int) -> int:
    """The exact sum: 64 bits where they are enough, else Python's integers."""
    if width * len(values) < 1 << 62:
        return int(values.sum())
    return sum(int(value) for value in values.tolist())


@dataclass(frozen=True, slots=True)
class OrderedSpec(VectorSpec):
    """Made by a vector of trimmed means."""

    trim: Fraction = Fraction(0)

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> OrderedRequest:
        """The request for columns of these public types."""
        base = VectorSpec.resolve(self, names, kinds, session)
        return OrderedRequest(
            base.column,
            base.names,
            base.lattices,
            base.missing,
            base.fills,
            base.space,
            trim=self.trim,
        )


@dataclass(frozen=True, slots=True, repr=False)
class OrderedSummary(Counted):
    """NOT PRIVATE. Sums of the records that stay, and the order statistics at their edges.

    ``above[j][l]`` is the record l ranks above the last that stays, ``below[j][l]`` the one l ranks
    below the first, the limits beyond the ends; whole numbers Z in [-W, W].
    """

    n: int
    totals: tuple[int, ...]
    units: tuple[Fraction, ...]
    above: tuple[tuple[int, ...], ...]
    below: tuple[tuple[int, ...], ...]
    widths: tuple[int, ...]

    def reach(self, level: int) -> Fraction:
        """The largest change of a scaled sum by one more record after ``level`` - 1 others."""
        return max(
            Fraction(max(high[level] - low[level - 1], high[level - 1] - low[level]), width)
            for high, low, width in zip(self.above, self.below, self.widths, strict=True)
        )
