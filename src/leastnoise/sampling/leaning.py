"""Exact sampling of a law by levels that leans towards a place: exp(-E(y) - lean |y - place|).

Keeping a draw of exp(-E) with probability exp(-lean |y - place|) is exact too, but a law that is
concentrated far from the place is then hardly ever kept. So the points are cut twice: into the
blocks of the law (``sampling/dyadic.py``), where E >= t_j, and into bands around the place, where
lean |y - place| >= t_b, t_i a rational upper bound of i ln 2. A cell is where a block meets a band.
Draw a cell with the exact integer weight N 2^-(j + b), a point uniformly in it, and keep it with
probability 2^(j + b) exp(-E - lean |y - place|) <= 1: the same rule, and the same proof
(``docs/proofs/dyadic-blocks.md``), whatever the cells are. The chance of being kept no longer
falls with the distance between the law and the place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from leastnoise.randomness import BitSource, bernoulli_scaled
from leastnoise.sampling.dyadic import LN2_BITS, LN2_UPPER, REST, Blocks, LevelLaw, blocks_of


@dataclass(frozen=True, slots=True, repr=False)
class Leaning:
    """The cells of a law that leans: cell i holds the offsets from ``starts[i]`` to the next start.

    Its block is ``blocks[i]``, and ``shifts[i]`` = block + band halvings make its weight.
    """

    law: Blocks
    place: Fraction
    lean: Fraction
    starts: tuple[int, ...]
    blocks: tuple[int, ...]
    shifts: tuple[int, ...]
    weights: tuple[int, ...]

    def exponent(self, cell: int, offset: int) -> tuple[int, int]:
        """E + lean |y - place| as (numerator, denominator) of a point of a cell."""
        sign, distance = (1, offset) if offset >= 0 else (-1, -offset)
        whole, block = self.law, self.blocks[cell]
        top, bottom = whole.law.exponent_in(block, block == whole.last, sign, distance)
        place, lean = self.place, self.lean
        tilt = lean.numerator * abs(offset * place.denominator - place.numerator)
        under = lean.denominator * place.denominator
        return top * under + tilt * bottom, bottom * under


def leaning(levels: LevelLaw, place: Fraction, lean: Fraction) -> Leaning:
    """The cells of exp(-E(y) - lean |y - place|); the place is an offset from the centre of E."""
    low, high = -levels.span(-1), levels.span(1)
    farthest = lean * max(abs(low - place), abs(high - place))
    bands = (farthest.numerator << LN2_BITS) // (farthest.denominator * LN2_UPPER)
    # a band may make the rest of the blocks likely by as much as all others are made unlikely
    blocks = blocks_of(levels, REST + bands)
    by_block = list(_block_starts(blocks))
    by_band = _band_starts(place, lean, bands, low)
    of_block, of_band = ([start for start, _ in some] for some in (by_block, by_band))
    starts = sorted({start for start in (*of_block, *of_band) if start <= high})
    in_block = [by_block[bisect_right(of_block, start) - 1][1] for start in starts]
    in_band = [by_band[bisect_right(of_band, start) - 1][1] for start in starts]
    shifts = [block + band for block, band in zip(in_block, in_band, strict=True)]
    top = max(shifts)
    weights = [
        (until - start) << (top - shift)
        for (start, until), shift in zip(pairwise([*starts, high + 1]), shifts, strict=True)
    ]
    return Leaning(blocks, place, lean, *map(tuple, (starts, in_block, shifts, weights)))


def _block_starts(blocks: Blocks) -> Iterator[tuple[int, int]]:
    """The first offset of every run of a block and its block, ascending; the centre is in 0."""
    left, right = blocks.left, blocks.right
    for block in range(len(left) - 2, -1, -1):
        if left[block] < left[block + 1]:
            yield 1 - left[block + 1], block
    yield 0, 0
    for block in range(1, len(right) - 1):
        if right[block] < right[block + 1]:
            yield right[block], block


def _band_starts(place: Fraction, lean: Fraction, bands: int, low: int) -> list[tuple[int, int]]:
    """The first point of every run of a band and its band, ascending, none before ``low``.

    Band b begins at place +- t_b / lean, here over the denominator ``under``.
    """
    unit = LN2_UPPER * lean.denominator * place.denominator
    under = place.denominator * lean.numerator << LN2_BITS
    middle = place.numerator * lean.numerator << LN2_BITS
    lower = [((middle - (band + 1) * unit) // under + 1, band) for band in range(bands)]
    upper = [(-((-middle - band * unit) // under), band) for band in range(bands + 1)]
    return [(max(low, start), band) for start, band in ((low, bands), *reversed(lower), *upper)]


def draw_leaning(law: Leaning, source: BitSource) -> int:
    """One exact draw of the offset from the centre of E.

    The number of trials depends on the data, so running time is not protected.
    """
    until = list(accumulate(law.weights))
    top = max(law.shifts)
    while True:
        ticket = source.below(until[-1])
        cell = bisect_right(until, ticket)
        ticket -= until[cell] - law.weights[cell]
        offset = law.starts[cell] + (ticket >> (top - law.shifts[cell]))
        if bernoulli_scaled(law.shifts[cell], *law.exponent(cell, offset), source):
            return offset
