"""Exact counts of many doubles, chunk by chunk: below cuts, by leading bits, on a lattice.

Besides the numbers, memory holds a few chunks and tables of counts, whatever their size.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.chunks import CHUNK, doubles
from leastnoise.frames.memory.sums import MAGIC, fits_fast_path
from leastnoise.summaries.lattice import Lattice

Array = NDArray[Any]

# Keys that are counted at once: a table of all counts is filled each time.
_KEYS = 1 << 19
# Bits of a double from its first to the last of its exponent, its sign among them.
_HEAD, _WORD = 12, 64
# Where the lower half of a double is.
_LOW = 0 if sys.byteorder == "little" else 1
# The exponent of infinity and of NaN.
_LAST = 0x7FF
# Tables by leading bits have at most 2^16 cells.
_LEADING = 16
# The widest lattice that is counted, and how far from 0.
_WIDEST, _FARTHEST = 1 << 12, 1 << 40
# At most this part of the numbers is looked at for cuts between half steps.
_FEW = 64


def counts_of(parts: Iterable[Array], cuts: Array) -> tuple[Array, Array]:
    """NOT PRIVATE. For each cut, how many numbers lie below it, and how many below or at it.

    A sorted part answers all cuts at once, and sorting a part that fits the cache costs little.
    """
    edges, where = np.unique(cuts, return_inverse=True)
    below, until = (np.zeros(len(edges), dtype=np.int64) for _ in range(2))
    for part in parts:
        ordered = np.sort(part)
        below += np.searchsorted(ordered, edges, side="left")
        until += np.searchsorted(ordered, edges, side="right")
    return below[where], until[where]


def leading_counts(parts: Iterable[Array], bits: int) -> Array:
    """NOT PRIVATE. The numbers of each pattern of the first ``bits`` bits, of parts in turn.

    The upper half is for the sign bit 1: in each half magnitudes ascend.
    """
    cells, keys = _Cells(1 << bits), np.empty(_KEYS, dtype=np.int64)
    filled = 0
    for part in parts:
        if filled + len(part) > len(keys):
            cells.add(keys[:filled])
            filled = 0
        here = keys[filled : filled + len(part)].view(np.uint64)
        np.right_shift(part.view(np.uint64), _WORD - bits, out=here)
        filled += len(part)
    cells.add(keys[:filled])
    return cells.counts


class _Cells:
    """How often each of some numbers from 0 on was there."""

    def __init__(self, size: int) -> None:
        self.counts = np.zeros(size, dtype=np.int64)

    def add(self, keys: Array) -> Array:
        """Count some more, and give their counts."""
        found = np.bincount(keys)
        self.counts[: len(found)] += found
        return found


def distance_counts(values: Array, centre: float) -> tuple[Array, int]:
    """NOT PRIVATE. The same of the distances from a centre, by as many bits as a table can have.

    The values may hold NaN, which are not counted; how many there are is given last.
    """
    infinite = _LAST << (_LEADING - _HEAD)
    if not centre:  # the numbers themselves; some NaN look infinite
        cells = leading_counts(doubles(values), _LEADING)
        if not any(int(sign[infinite:].sum()) for sign in np.split(cells, 2)):
            return cells, 0
    room = np.empty(CHUNK)

    def distances() -> Iterator[Array]:
        with np.errstate(all="ignore"):
            for part in doubles(values):
                yield np.subtract(part, centre, out=room[: len(part)])

    cells, missing = leading_counts(distances(), _LEADING), 0
    for sign in np.split(cells, 2):  # a difference that is NaN is a quiet one, whatever was
        beyond = sign[infinite + 1 :]
        missing += int(beyond.sum())
        beyond[:] = 0
    return cells, missing


def beyond_one(values: Array, centre: float, key: int) -> tuple[Array, Array]:
    """NOT PRIVATE. How many numbers are at least so far above the centre, and how many below it.

    The distance is the place of its counts; NaN are not counted.
    """
    radius = np.int64(key << (_WORD - _LEADING)).view(np.float64)
    above, below = np.zeros((2, 1), dtype=np.int64)
    room, mask = np.empty(CHUNK), np.empty(CHUNK, dtype=np.bool_)
    for part in doubles(values):
        with np.errstate(all="ignore"):
            way = np.subtract(part, centre, out=room[: len(part)]) if centre else part
            far = mask[: len(part)]
            above += np.count_nonzero(np.greater_equal(way, radius, out=far))
            below += np.count_nonzero(np.less_equal(way, -radius, out=far))
    return above, below


def distance_keys(values: NDArray[np.float64], centre: float) -> NDArray[np.int64]:
    """NOT PRIVATE. The place of each number in ``distance_counts``."""
    with np.errstate(all="ignore"):
        return ((values - centre).view(np.uint64) >> (_WORD - _LEADING)).astype(np.int64)


def is_leading(cuts: Array) -> int | None:
    """Of so many leading bits are all cuts; None where they are more than a table has."""
    word = int(np.bitwise_or.reduce(cuts.view(np.uint64)))
    bits = _WORD - (word & -word).bit_length() + 1 if word else _HEAD
    return max(_HEAD, bits) if bits <= _LEADING else None


def counts_by_leading(values: Array, cuts: Array, bits: int) -> tuple[Array, Array, int]:
    """NOT PRIVATE. What ``counts_of`` gives for cuts that have no more than ``bits`` bits.

    The values may hold NaN, which are not counted; how many there are is given last.
    """
    on = np.zeros(1 << bits, dtype=np.int64)
    equal = np.empty(CHUNK, dtype=np.bool_)
    tail = (1 << (_WORD - bits)) - 1

    def watched() -> Iterator[Array]:
        for part in doubles(values):
            # half of the bits tell nearly always that no other is looked at
            words = part.view(np.uint32)[_LOW::2]
            if np.equal(words, 0, out=equal[: len(part)]).any():
                same = part.compress(part.view(np.int64) & tail == 0)
                np.add(on, leading_counts([same], bits), out=on)
            yield part

    cells, half = leading_counts(watched(), bits), 1 << (bits - 1)
    others = 0
    for sign in (0, half):  # patterns from that of infinity on are NaN, but for infinity itself
        first = sign + (_LAST << (bits - _HEAD))
        others += int(cells[first : sign + half].sum()) - int(on[first])
        cells[first : sign + half] = 0
        cells[first] = on[first]
    # in order of value: the negative ones downwards in magnitude, then the others upwards
    up_to = np.cumsum(np.concatenate([cells[half:][::-1], cells[:half]]))
    place = np.abs(cuts).view(np.int64) >> (_WORD - bits)
    level = np.where(cuts < 0, on[half + place], on[place])
    level = np.where(cuts == 0, on[0] + on[half], level)
    # numbers up to a negative cut; those below another one, with what equals -0
    until, below = up_to[half - 1 - place], np.append(0, up_to)[half + place]
    below = np.where(cuts == 0, below - on[half], below)
    below = np.where(cuts < 0, until - level, below)
    return below, below + level, others


@dataclass(frozen=True, slots=True, repr=False)
class Steps:
    """NOT PRIVATE. Numbers counted on a lattice: at every half step, and between neighbours.

    Code 4 k is the lattice point k, 4 k + 2 the place in the middle between k and k + 1; odd codes
    are what lies between such places. ``ends`` are counts up to a code, from ``first`` on; what
    lies beyond an end is counted there. ``there`` tells of each chunk which half steps have any.
    """

    lattice: Lattice
    first: int
    ends: Array
    there: list[Array]

    @staticmethod
    def fit(lattice: Lattice) -> bool:
        """Whether a lattice has few points, and a step that scaling by is exact and hides none."""
        near = max(abs(lattice.low), abs(lattice.high)) < _FARTHEST
        small = lattice.step <= 2  # a larger one takes the least numbers to 0
        return near and small and lattice.width <= _WIDEST and fits_fast_path(lattice)

    @classmethod
    def of(cls, values: Array, lattice: Lattice) -> tuple[Steps, int]:
        """One pass, for a lattice that fits; how many of the values are NaN is given last."""
        room = lattice.width + 1  # as far again on either side
        low, high = lattice.low - room, lattice.high + room
        scale, size = float(2 / lattice.step), 2 * (high - low) + 1
        # the bits of MAGIC + k are those of MAGIC plus k
        origin = int(np.float64(MAGIC).view(np.int64)) + 2 * low
        on, all_cells = (_Cells(size) for _ in range(2))
        buffers, mask = np.empty((3, CHUNK)), np.empty(CHUNK, dtype=np.bool_)
        missing, some_far, there = 0, False, list[Array]()
        ends = 2 * low / scale, 2 * high / scale
        for part in doubles(values):
            with np.errstate(all="ignore"):
                near = part if not some_far else cls._near(part, ends, buffers[2])
                codes, whole = cls._codes(near, scale, origin, buffers, mask)
                if not some_far and int(codes.view(np.uint64).max()) >= size:  # or NaN
                    some_far, near = True, cls._near(part, ends, buffers[2])
                    codes, whole = cls._codes(near, scale, origin, buffers, mask)
                missing += len(part) - len(near)
            there.append(all_cells.add(codes) > 0)
            if whole.any():
                on.add(codes.compress(whole))
        cells = np.zeros(2 * size, dtype=np.int64)
        cells[::2], cells[1::2] = on.counts, all_cells.counts - on.counts
        return cls(lattice, 4 * low, np.cumsum(cells[:-1]), there), missing

    @staticmethod
    def _near(part: Array, ends: tuple[float, float], room: Array) -> Array:
        """Numbers moved to the ends, without NaN."""
        near = np.clip(part, *ends, out=room[: len(part)])
        absent = np.isnan(near)
        return near[~absent] if absent.any() else near

    @staticmethod
    def _codes(
        part: Array, scale: float, origin: int, buffers: Array, mask: Array
    ) -> tuple[Array, Array]:
        """The half step below or at each number, from an origin on, and whether it is at it.

        What is too far away for the magic constant has a code beyond all others.
        """
        halves, cell = buffers[:2, : len(part)]
        np.multiply(part, scale, out=halves)
        np.floor(halves, out=cell)
        whole = np.equal(halves, cell, out=mask[: len(part)])
        np.add(cell, MAGIC, out=cell)
        return np.subtract(cell.view(np.int64), origin, out=cell.view(np.int64)), whole

    def points(self) -> tuple[Array, Array]:
        """The lattice points inside the limits, ties to even, and how many numbers each has."""
        codes = self.first + np.arange(len(self.ends))
        points = np.clip(np.rint(codes / 4), self.lattice.low, self.lattice.high)
        return points.astype(np.int64), np.diff(self.ends, prepend=0)

    def counts(self, values: Array, cuts: Array) -> tuple[Array, Array] | None:
        """What ``counts_of`` gives; None where many numbers would have to be looked at for it."""
        last = len(self.ends) - 1
        with np.errstate(over="ignore"):
            halves = cuts * float(2 / self.lattice.step)
            floors = np.floor(halves)
            places = 2 * floors + (floors != halves) - self.first
        inner = (places > 0) & (places < last)
        at = np.clip(places, 0, last).astype(np.int64)
        sizes = np.diff(self.ends, prepend=0)[at]
        until = self.ends[at].copy()
        below = until - sizes
        between = inner & (at % 2 == 1) & (sizes > 0)
        if between.any():
            first, end = int(at[between].min()), int(at[between].max())
            if self.ends[end] - self.ends[first - 1] > len(values) // _FEW:
                return None
            kept = self._inside(values, first - 1, end + 1)
            below[between], until[between] = (
                found + self.ends[first - 1] for found in counts_of(kept, cuts[between])
            )
        if not inner.all():
            low, high = self._number(0), self._number(last)
            some = self.ends[0] or self.ends[last] > self.ends[last - 1]
            far = (part.compress((part <= low) | (part >= high)) for part in doubles(values))
            under, over = counts_of(far if some else (), cuts[~inner])
            # of the numbers that are not far all are below a far cut that is above
            rest = np.where(cuts[~inner] > low, self.ends[last - 1] - self.ends[0], 0)
            below[~inner], until[~inner] = under + rest, over + rest
        return below, until

    def _inside(self, values: Array, first: int, last: int) -> Iterator[Array]:
        """The numbers between two even places, chunk by chunk."""
        low, high, cells = self._number(first), self._number(last), slice(first // 2, last // 2)
        for part, there in zip(doubles(values), self.there, strict=True):
            if there[cells].any():
                yield part.compress((part > low) & (part < high))

    def _number(self, place: int) -> float:
        """The number at an even place among the cells."""
        return (self.first + place) / 4 * float(self.lattice.step)
