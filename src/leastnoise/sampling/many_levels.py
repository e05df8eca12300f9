"""Many draws of laws by levels (``sampling/dyadic.py``) at once: draw for draw those of each.

The laws differ in their bounds alone, which are words of 64 bits. Their blocks are cut for
thousands of laws together; a trial is then a ticket, a search among the records and a coin.
Integers alone are used.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers import ln2_enclosure
from leastnoise.numbers.exact import exp_enclosure, scaled_exp_enclosure
from leastnoise.randomness import BitSource, bernoulli_scaled, extended
from leastnoise.sampling.dyadic import REST, LevelLaw

Array = NDArray[Any]

# A range has fewer points than this, so that blocks, doubled once, are words.
WIDEST = 1 << 56
# A weight beyond which every rest is rare.
_MANY = 1 << 60
# Laws that are cut together.
_BATCH = 1 << 12
# Bits of a random word, of the place of a knot, and of a logarithm; knots up to 2.
_WORD, _KNOT, _PART, _KNOTS = 64, 8, 16, 513
_LN2 = ln2_enclosure(_PART)[0]


class Bounds(Protocol):
    """NOT PRIVATE. Values of several functions, and what they may become after some changes."""

    @property
    def ends(self) -> tuple[int, int]:
        """The public range of all of them."""
        ...

    @property
    def values(self) -> Array:
        """The value of each."""
        ...

    def reached(self, sign: int, level: int, which: Array) -> Array:
        """The upper (sign 1) or lower (-1) bounds of some at a level."""
        ...

    def bound(self, sign: int, level: int, which: int) -> int:
        """The same of one."""
        ...

    def around(self, sign: int, point: int, which: int) -> tuple[int, int, int]:
        """The first level at which the bound of one reaches a point beyond its value.

        Beside it the bounds at the level before and at this.
        """
        ...


def draw_points(law: LevelLaw, bounds: Bounds, source: BitSource) -> list[int]:
    """One draw of each law, one after the other.

    ``law`` is that of any of them: its rate, slope, width and depth are those of all.
    """
    found: list[int] = []
    laws = np.arange(len(bounds.values))
    for start in range(0, len(laws), _BATCH):
        found += _Batch.of(law, bounds, laws[start : start + _BATCH]).draw(source)
    return found


@dataclass(frozen=True, slots=True, repr=False)
class _Batch:
    """NOT PRIVATE. Some of the laws, cut into blocks: ``edges`` of both sides as in ``Blocks``.

    ``top`` is the last block of each law, and ``counts`` how many points there are in each block.
    """

    law: LevelLaw
    bounds: Bounds
    laws: Array
    edges: tuple[Array, Array]
    counts: Array
    top: Array

    @classmethod
    def of(cls, law: LevelLaw, bounds: Bounds, laws: Array) -> _Batch:
        low, high = bounds.ends
        centre = bounds.values[laws]
        spans = high - centre, centre - low
        edges = [np.ones_like(laws)], [np.ones_like(laws)]
        known, top = np.zeros_like(laws), np.zeros_like(laws)
        live, block = np.arange(len(laws)), 0
        while len(live):
            for sign, span, done in zip((1, -1), spans, edges, strict=True):
                ended = span + 1
                if block % 2:  # which is empty
                    ended[live] = done[-1][live]
                else:
                    far = _edge(law, bounds, sign, block + 2, laws[live])
                    here = ended[live] if far is None else np.minimum(ended[live], far)
                    ended[live] = np.maximum(done[-1][live], here)
                done.append(ended)
            count = sum(done[-1][live] - done[-2][live] for done in edges) + int(block == 0)
            known[live] = np.minimum(2 * (known[live] + count), _MANY)
            rest = sum(
                span[live] + 1 - done[-1][live] for span, done in zip(spans, edges, strict=True)
            )
            rare = (rest << REST) < known[live]
            block += 1
            # nothing is left, or one last block
            top[live] = block - 1 + (rest > 0)
            live = live[~rare & (rest > 0)]
        for span, done in zip(spans, edges, strict=True):
            done.append(span + 1)
        right, left = (np.stack(done, axis=1) for done in edges)
        counts = np.diff(right) + np.diff(left)
        counts[:, 0] += 1
        return cls(law, bounds, laws, (right, left), counts, top)

    def draw(self, source: BitSource) -> list[int]:
        """One point of each law in turn: what all laws share is looked up once."""
        exponent, below = self._exponents(), source.below
        width = self.counts.shape[1] + 1
        right, left, tickets = (a.ravel().tolist() for a in (*self.edges, self._tickets()))
        centres = self.bounds.values[self.laws]

        def point(start: int, which: int, centre: int, top: int) -> int:
            """``draw_offset`` of one law."""
            end = start + width
            while True:
                ticket = below(tickets[end - 1])
                place = bisect_right(tickets, ticket, start, end) - 1
                block = place - start
                index = (ticket - tickets[place]) >> (top - block)
                index -= block == 0  # where the centre comes first
                if index < 0:
                    return centre
                first = right[place]
                beyond = index - (right[place + 1] - first)
                sign, distance = (1, first + index) if beyond < 0 else (-1, left[place] + beyond)
                scaled = exponent(which, centre, sign, distance)
                if scaled is None or _coin(block, *scaled, source):
                    return centre + sign * distance

        starts = range(0, len(tickets), width)
        listed = (a.tolist() for a in (self.laws, centres, self.top))
        return [*map(point, starts, *listed)]

    def _tickets(self) -> Array:
        """The first ticket of every block of each law, and their number at the end.

        A point of a block has half as many as one of the block before.
        """
        blocks = np.arange(len(self.counts.T))
        shifts: Array = np.expand_dims(self.top, 1) - blocks
        counts: Array = np.where(shifts >= 0, self.counts, 0)
        most = np.ldexp(counts.astype(np.float64), shifts).sum(axis=1).max(initial=0)
        if most >= 1 << 62:  # no words
            counts = counts.astype(object)
        ends = np.cumsum(counts << np.maximum(shifts, 0), axis=1)
        return np.concatenate([np.zeros_like(ends[:, :1]), ends], axis=1)

    def _exponents(self) -> Callable[[int, int, int, int], tuple[int, int] | None]:
        """``LevelLaw.exponent`` of a point; None on the plateau."""
        law, around, bound = self.law, self.bounds.around, self.bounds.bound
        wider, depth, ends = law.wider, law.depth, self.bounds.ends
        top, bottom = law.rate.numerator, law.rate.denominator
        sloped = law.sloped

        def exponent(which: int, centre: int, sign: int, distance: int) -> tuple[int, int] | None:
            beyond = distance - wider
            if beyond <= 0:
                return None
            level, before, here = around(sign, centre + sign * beyond, which)
            if level > depth:
                level, before, here = depth + 1, bound(sign, depth, which), ends[sign > 0]
            if not sloped:
                return top * level, bottom
            start, end = sign * (before - centre), sign * (here - centre)
            if wider:
                span = sign * (ends[sign > 0] - centre)
                start = min(span, start + wider)
                end = min(span, end + wider)
            size = end - start
            return top * ((level - 1) * size + distance - start), bottom * size

        return exponent


@lru_cache(maxsize=1)
def _knots() -> list[tuple[int, int]]:
    """Bounds of 2**64 exp(-i/256) that hold those of ``scaled_exp_enclosure``."""
    found = [exp_enclosure(i, 1 << _KNOT, _WORD) for i in range(_KNOTS)]
    return [(low - 4, high + 4) for low, high in found]


def _coin(block: int, p: int, q: int, source: BitSource) -> bool:
    """``bernoulli_scaled``, which mostly is decided by how the logarithm lies between two knots."""
    # p/q - block ln 2 is from least to least + block + 1, in units of 2**-16
    least = (p << _PART) // q - block * (_LN2 + 1)
    above, below = least >> (_PART - _KNOT), ((least + block + 1) >> (_PART - _KNOT)) + 1
    if above < 0 or below >= _KNOTS:
        return bernoulli_scaled(block, p, q, source)
    knots, u = _knots(), source.bits(_WORD)
    if u < knots[below][0]:
        return True
    if u >= knots[above][1]:
        return False
    return extended(partial(scaled_exp_enclosure, block, p, q), u, source)


def _edge(law: LevelLaw, bounds: Bounds, sign: int, block: int, which: Array) -> Array | None:
    """``LevelLaw.edge`` of an even block for several laws; None if it is the end."""
    level, part = law.cut(block)
    if level > law.depth + 1:
        return None
    wider = min(law.wider, WIDEST)  # may be more than words hold

    def reach(level: int) -> Array:
        low, high = bounds.ends
        centre = bounds.values[which]
        span = high - centre if sign > 0 else centre - low
        if level > law.depth:
            return span
        return np.minimum(span, sign * (bounds.reached(sign, level, which) - centre) + wider)

    if part is None:
        return reach(level) + 1
    start = reach(level - 1)
    top, bottom = part
    if not top:
        return start + 1
    sizes = (reach(level) - start).tolist()  # products of more than 64 bits
    return start + np.array([max(1, -(-top * size // bottom)) for size in sizes], dtype=np.int64)
