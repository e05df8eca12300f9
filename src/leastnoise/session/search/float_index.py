"""Doubles as whole numbers in order: a log lattice with room for every magnitude.

Per power of two there are 2**bits cells; values below 2**LEAST share the cell 0 and those beyond
2**MOST the outermost cells. The map is monotone and record by record, so an order statistic of the
indices is the index of the order statistic, and mechanisms for integers serve data without bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.summaries.lattice import Lattice

LEAST, MOST = -40, 60
_MANTISSA, _BIAS = 52, 1023


@dataclass(frozen=True, slots=True)
class FloatIndex:
    """2**bits cells a power of two, 0 < bits <= 40."""

    bits: int

    @property
    def lattice(self) -> Lattice:
        """All indices."""
        most = (MOST - LEAST) << self.bits
        return Lattice(Fraction(1), -most, most, 0, True)

    def index(self, values: NDArray[Any]) -> NDArray[Any]:
        """The index of every double; NaN must be gone before."""
        cells = np.abs(values).view(np.int64)  # one array, and every step in its place
        cells >>= _MANTISSA - self.bits
        cells -= ((_BIAS + LEAST) << self.bits) - 1
        np.clip(cells, 0, (MOST - LEAST) << self.bits, out=cells)
        return np.negative(cells, where=values < 0, out=cells)

    def value(self, index: int) -> Fraction:
        """The end of the cell that is nearer to 0: numbers of few bits are their own value."""
        if index == 0:
            return Fraction(0)
        power, part = divmod(abs(index) - 1, 1 << self.bits)
        size = Fraction(2) ** (LEAST + power) * (1 + Fraction(part, 1 << self.bits))
        return size if index > 0 else -size

    def edge(self, index: int) -> tuple[float, bool]:
        """A double below which numbers have at most this index, and whether it has so itself."""
        if not -self.lattice.high <= index < self.lattice.high:
            return (inf, True) if index > 0 else (-inf, False)
        return (float(self.value(index if index < 0 else index + 1)), index < 0)
