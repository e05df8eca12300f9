"""Exact counts of many doubles, chunk by chunk: below cuts, by leading bits, on a lattice.

Besides the numbers, memory holds a few chunks and tables of counts, whatever their size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.sums import MAGIC, fits_fast_path
from leastnoise.summaries.lattice import Lattice

Array = NDArray[Any]

# Numbers that are counted at once, and those that pass through several steps in the cache.
_CHUNK, _BLOCK = 1 << 17, 1 << 15
# Bits of a double from its first to the last of its exponent, its sign among them.
_HEAD, _WORD = 12, 64
# The exponent of infinity and of NaN.
_LAST = 0x7FF
# Tables by leading bits have at most 2^16 cells.
_LEADING = 16
# The widest lattice that is counted, and how far from 0.
_WIDEST, _FARTHEST = 1 << 12, 1 << 40


def chunks(values: Array, size: int = _CHUNK) -> Iterator[Array]:
    """Runs of entries as doubles; one of another type is rounded to the nearest double."""
    for start in range(0, len(values), size):
        yield values[start : start + size].astype(np.float64, copy=False)


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
    cells = np.zeros(1 << bits, dtype=np.int64)
    keys = np.empty(_CHUNK, dtype=np.uint64)
    for part in parts:
        here = np.right_shift(part.view(np.uint64), _WORD - bits, out=keys[: len(part)])
        found = np.bincount(here.view(np.int64))
        cells[: len(found)] += found
    return cells


def distance_counts(values: Array, centre: float) -> Array:
    """NOT PRIVATE. The same of the distances from a centre, by as many bits as a table can have."""
    room = np.empty(_CHUNK)

    def distances() -> Iterator[Array]:
        with np.errstate(all="ignore"):
            for part in chunks(values):
                yield np.subtract(part, centre, out=room[: len(part)])

    return leading_counts(distances(), _LEADING)


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
    rest, equal = np.empty(_CHUNK, dtype=np.int64), np.empty(_CHUNK, dtype=np.bool_)
    tail = (1 << (_WORD - bits)) - 1

    def watched() -> Iterator[Array]:
        for part in chunks(values):
            left, same = rest[: len(part)], equal[: len(part)]
            np.bitwise_and(part.view(np.int64), tail, out=left)
            np.equal(left, 0, out=same)
            if same.any():
                np.add(on, leading_counts([part.compress(same)], bits), out=on)
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
    are what lies between such places. ``cells`` begins at the code ``first``; what lies beyond an
    end is counted there.
    """

    lattice: Lattice
    first: int
    ends: Array

    @staticmethod
    def fit(lattice: Lattice) -> bool:
        """Whether a lattice has few points, and a step that scaling by is exact and hides none."""
        near = max(abs(lattice.low), abs(lattice.high)) < _FARTHEST
        small = lattice.step <= 2  # a larger one takes the least numbers to 0
        return near and small and lattice.width <= _WIDEST and fits_fast_path(lattice)

    @classmethod
    def of(cls, values: Array, lattice: Lattice) -> Steps:
        """One pass, for a lattice that fits."""
        room = lattice.width + 1  # as far again on either side
        low, high = lattice.low - room, lattice.high + room
        step, cells = float(lattice.step), np.zeros(4 * (high - low) + 1, dtype=np.int64)
        buffers, codes = np.empty((2, _BLOCK)), np.empty(_CHUNK, dtype=np.int64)
        # the bits of MAGIC + k are those of MAGIC plus k
        origin = int(np.float64(MAGIC).view(np.int64)) + 4 * low
        for part in chunks(values):
            for start in range(0, len(part), _BLOCK):
                block = part[start : start + _BLOCK]
                t, up = buffers[:, : len(block)]
                np.clip(block, low * step, high * step, out=t)
                np.multiply(t, 2 / step, out=t)
                np.ceil(t, out=up)
                np.floor(t, out=t)
                np.add(t, up, out=t)
                np.add(t, MAGIC, out=t)
                np.subtract(t.view(np.int64), origin, out=codes[start : start + len(block)])
            found = np.bincount(codes[: len(part)])
            cells[: len(found)] += found
        return cls(lattice, 4 * low, np.cumsum(cells))

    def points(self) -> tuple[Array, Array]:
        """The lattice points inside the limits, ties to even, and how many numbers each has."""
        codes = self.first + np.arange(len(self.ends))
        points = np.clip(np.rint(codes / 4), self.lattice.low, self.lattice.high)
        return points.astype(np.int64), np.diff(self.ends, prepend=0)

    def places(self, cuts: Array) -> Array | None:
        """The places of cuts among the cells; None if one is not a lattice point."""
        points = cuts / float(self.lattice.step)
        if not np.array_equal(points, np.rint(points)):
            return None
        return np.clip(4 * points - self.first, -1, len(self.ends)).astype(np.int64)

    def counts(self, values: Array, cuts: Array) -> tuple[Array, Array] | None:
        """What ``counts_of`` gives for cuts on the lattice; None if one is not."""
        places = self.places(cuts)
        if places is None:
            return None
        last = len(self.ends) - 1
        inner = (places > 0) & (places < last)
        at = np.clip(places, 1, last)
        below, until = self.ends[at - 1].copy(), self.ends[at].copy()
        if not inner.all():
            low, high = ((self.first + i) / 4 * float(self.lattice.step) for i in (0, last))
            far = (part.compress((part <= low) | (part >= high)) for part in chunks(values))
            under, over = counts_of(far, cuts[~inner])
            # of the numbers that are not far all are below a far cut that is above
            rest = np.where(cuts[~inner] > low, self.ends[last - 1] - self.ends[0], 0)
            below[~inner], until[~inner] = under + rest, over + rest
        return below, until


__all__ = ["Steps", "chunks", "counts_by_leading", "counts_of", "distance_counts", "is_leading"]
