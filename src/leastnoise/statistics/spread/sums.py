"""Exact sums over consecutive records of a spread, in numpy, and the least of them.

Proofs: ``docs/proofs/variance.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def bits(count: int) -> int:
    """Integers below 2^bits are summed in 64 bits where there are no more than ``count`` of them.

    So are the products of their halves: of any two with (bits + 1) / 2 bits.
    """
    return 62 - count.bit_length()


def centred(values: Sequence[int], centre: int, width: int) -> NDArray[Any]:
    """2 z - centre for integers z, with |2 z - centre| <= width: int64, else objects.

    It is int64 only where there is room for the sums of differences of two of them too.
    """
    if 2 * width < 1 << bits(len(values)) and width + abs(centre) < 1 << 62:
        return 2 * np.array(values, dtype=np.int64) - centre
    return np.array([2 * z - centre for z in values], dtype=object)


def python(row: NDArray[Any]) -> Sequence[int]:
    """A row whose entries are read one at a time, as Python integers."""
    return row.tolist() if row.dtype == object else row.data


class SpreadSums:
    """Sums of the first i integers and of their squares, for every i."""

    def __init__(self, integers: NDArray[Any]) -> None:
        rows = np.zeros((4, len(integers) + 1), dtype=integers.dtype)
        rows[0, 1:] = integers
        if integers.dtype == object:
            self._half = 0
            rows[1, 1:] = integers * integers
            rows = rows[:2]
        else:
            self._half = bits(len(integers)) // 2
            size = np.abs(integers)
            high, low = size >> self._half, size & ((1 << self._half) - 1)
            np.multiply(high, high, out=rows[1, 1:])
            np.multiply(high, low, out=rows[2, 1:])
            np.multiply(low, low, out=rows[3, 1:])
        np.add.accumulate(rows, axis=1, out=rows)
        self._rows = rows
        self.first, self._high, *self._rest = map(python, rows)

    def squares(self, count: int) -> int:
        """The sum of the first ``count`` squares."""
        found = self._high[count] << 2 * self._half
        if self._rest:
            mixed, low = self._rest
            found += (mixed[count] << self._half + 1) + low[count]
        return found

    def floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All sums and sums of squares, each within 2^-50 of its size."""
        rows = self._rows.astype(np.float64)
        weights = [4.0**self._half, 2.0 ** (self._half + 1), 1.0]
        return rows[0], np.array(weights[: len(rows) - 1]) @ rows[1:]


class Ends:
    """Windows that leave i of the smallest and l - i of the largest records out.

    Everything is counted from the mean, rounded down, which changes no squared deviation.
    """

    def __init__(
        self, smallest: NDArray[Any], largest: NDArray[Any], total: int, squares: int, n: int
    ) -> None:
        mean = total // n
        self.n, self.total = n, total - n * mean
        self.squares = squares - 2 * mean * total + n * mean * mean
        self._smallest, self._largest = smallest - mean, largest - mean
        self._low, self._high = SpreadSums(self._smallest), SpreadSums(self._largest)
        self._low_floats, self._high_floats = self._low.floats(), self._high.floats()
        self._low_floats[0][:] -= self.total

    def least(self, removed: int) -> int:
        """min over i of kept * squares - sum^2, exact."""
        kept = self.n - removed
        best: int | None = None
        for i in self._near_least(removed, kept):
            j = removed - i
            total = self.total - self._low.first[i] - self._high.first[j]
            squares = self.squares - self._low.squares(i) - self._high.squares(j)
            value = kept * squares - total * total
            if value == 0:  # none is less
                return 0
            best = value if best is None or value < best else best
        return 0 if best is None else best

    def shortest(self, removed: int) -> int:
        """The least distance of the ends of such windows; 0 where the summary does not tell."""
        if removed >= len(self._smallest):
            return 0
        apart = self._largest[removed::-1] - self._smallest[: removed + 1]
        found: int = apart.item(apart.argmin())
        return found

    def _near_least(self, removed: int, kept: int) -> list[int]:
        """Windows whose float value is within far more than the float error of the least."""
        (low_sum, low), (high_sum, high) = self._low_floats, self._high_floats
        # what goes off the squares: those left out, and the square of the mean of the rest
        off = low[: removed + 1] + high[removed::-1]
        rest = low_sum[: removed + 1] + high_sum[removed::-1]
        rest *= rest
        rest /= kept
        off += rest
        slack = float(self.squares) * 2.0**-46 * (1 + removed // kept)
        most: float = off.item(off.argmax())
        near: list[int] = (off >= most - slack).nonzero()[0].tolist()
        return near
