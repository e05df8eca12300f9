"""Exact sums over consecutive records of a spread, in numpy."""

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
