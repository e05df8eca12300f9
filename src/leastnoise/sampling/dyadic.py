"""Exact sampling of laws exp(-E(y)) over integers whose exponent is known by levels.

On each side of a centre the lattice points d = 1, 2, ..., span are grouped in levels
by a nondecreasing callable ``reach``: level l holds reach(l-1) < d <= reach(l), and
d <= reach(0) is the plateau around the centre. With rate r > 0 the exponent is

    E(d) = 0                                              on the plateau,
    E(d) = r l                                            flat (inverse sensitivity),
    E(d) = r (l - 1 + (d - reach(l-1)) / D_l)             sloped (piecewise Laplace),

D_l = reach(l) - reach(l-1). Method: block j holds the points with t_j <= E < t_(j+1),
t_j a rational upper bound of j ln 2. Draw block j with the exact integer weight
N_j 2^-j, a point uniformly in it, accept it with probability 2^j exp(-E) <= 1, else
start again. Accepted points follow exp(-E) exactly, whatever the blocks are; no
normalising constant and no float is needed. The blocks stop once the rest cannot
matter for speed; the rest is one last block under the same rule.

Source: exact_sampling 3. Structure test: ``tests/laws/test_dyadic.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol

from leastnoise.numbers import ln2_enclosure
from leastnoise.randomness import BitSource, bernoulli_scaled

LN2_BITS = 64
LN2_UPPER = ln2_enclosure(LN2_BITS)[1]  # ln 2 <= LN2_UPPER / 2**64
# Reading a level of a profile costs far more than a trial, and a law is mostly drawn from once. So
# levels are cut into blocks of two ln 2 (a third more trials for half of the edges), and the last
# block, which has most of the levels, is proposed with probability below 2**-REST.
REST = 4
# Up to one over this rate blocks begin with levels: an edge then reads one level instead of two.
_WHOLE_LEVELS = 2


@dataclass(frozen=True, slots=True, repr=False)
class Side:
    """One side of the centre: how many points lie within a level, as far as ``span``.

    That is ``sign * reach(level) + offset``, nondecreasing in the level, cut to [0, ``span``] by
    the law.
    """

    reach: Callable[[int], int]
    span: int
    offset: int = 0
    sign: int = 1


class BlockLaw(Protocol):
    """A law whose exponent grows with the distance on both sides of a centre or mode."""

    @property
    def centred(self) -> bool:
        """Whether there is a centre point, at distance 0, with exponent 0."""
        ...

    def span(self, sign: int) -> int:
        """The number of points on one side (sign 1: right, -1: left)."""
        ...

    def edge(self, sign: int, block: int) -> int:
        """A distance of one side from which E >= t_block (span + 1 if there is none)."""
        ...

    def exponent_in(self, block: int, last: bool, sign: int, distance: int) -> tuple[int, int]:
        """E as (numerator, denominator) of a point of a block; ``last``: the block of the rest.

        Of the centre, at distance 0, that is (0, 1).
        """
        ...


@dataclass(frozen=True, slots=True, repr=False)
class LevelLaw:
    """The law exp(-E) of a signed offset from the centre; see the module's docstring."""

    right: Side
    left: Side
    rate: Fraction
    sloped: bool
    depth: int

    @property
    def wider(self) -> int:
        """By how many points levels reach beyond the bounds that their sides read; public."""
        return (self.right.offset + self.left.offset) // 2

    @property
    def centred(self) -> bool:
        """The centre is a point of its own, with exponent 0."""
        return True

    def span(self, sign: int) -> int:
        """The number of points on one side."""
        return self.side(sign).span

    def side(self, sign: int) -> Side:
        """The side of positive (1) or negative (-1) offsets."""
        return self.right if sign > 0 else self.left

    def reach(self, sign: int, level: int) -> int:
        """Points of one side within ``level``; all of them beyond the depth."""
        side = self.right if sign > 0 else self.left
        if level > self.depth:
            return side.span
        return max(0, min(side.span, side.sign * side.reach(level) + side.offset))

    def level(self, sign: int, distance: int, first: int = 0) -> int:
        """The smallest level from ``first`` on that reaches ``distance``."""
        return level_reaching(partial(self.reach, sign), distance, first, self.depth + 1)

    def exponent(self, sign: int, distance: int, level: int) -> tuple[int, int]:
        """E as (numerator, denominator) of a point known to lie in ``level``."""
        num, den = self.rate.numerator, self.rate.denominator
        if level == 0:
            return 0, 1
        if not self.sloped:
            return num * level, den
        start = self.reach(sign, level - 1)
        size = self.reach(sign, level) - start
        return num * ((level - 1) * size + distance - start), den * size

    def edge(self, sign: int, block: int) -> int:
        """A distance of one side from which E >= t_block (span + 1 if there is none).

        Odd blocks are empty: they end where they begin.
        """
        if block == 0:
            return 1
        level, part = self.cut(block + block % 2)
        if level > self.depth + 1:
            return self.side(sign).span + 1
        if part is None:
            return self.reach(sign, level) + 1
        start = self.reach(sign, level - 1)
        top, bottom = part
        size = self.reach(sign, level) - start if top else 0
        return start + max(1, -(-top * size // bottom))

    def cut(self, block: int) -> tuple[int, tuple[int, int] | None]:
        """(level, part) of an even block: it begins behind this part of the points of a level.

        None: behind all of them. Public: the same for every centre and every side.
        """
        # s = t_block / rate is the score at the edge, kept as top / bottom
        num, den = self.rate.numerator, self.rate.denominator
        top, bottom = block * LN2_UPPER * den, num << LN2_BITS
        level = -(-top // bottom)
        if not self.sloped:
            return level, (0, 1)
        if num * _WHOLE_LEVELS <= den:
            return level, None
        return level, (top - (level - 1) * bottom, bottom)

    def exponent_in(self, block: int, last: bool, sign: int, distance: int) -> tuple[int, int]:
        """E of a point of a block: t_block <= E < t_(block + 2) bounds the level to search."""
        if distance == 0:
            return 0, 1
        num, den = self.rate.numerator, self.rate.denominator
        first = -(-block * LN2_UPPER * den // (num << LN2_BITS))
        until = self.depth + 1
        if not last:
            until = min(until, (block + 2) * LN2_UPPER * den // (num << LN2_BITS) + 1)
        level = level_reaching(partial(self.reach, sign), distance, first, until)
        return self.exponent(sign, distance, level)


@dataclass(frozen=True, slots=True, repr=False)
class Blocks:
    """The dyadic blocks of a law: ``counts[j]`` points proposed with weight 2^-j each.

    ``edges`` holds, for each side, the first distance of every block and the end.
    """

    law: BlockLaw
    right: tuple[int, ...]
    left: tuple[int, ...]
    weights: tuple[int, ...]

    @property
    def last(self) -> int:
        """The block of the rest."""
        return len(self.weights) - 1

    @property
    def total(self) -> int:
        """The sum of the integer weights N_j 2^(J-j)."""
        return sum(self.weights)

    def point(self, block: int, index: int) -> tuple[int, int]:
        """The ``index``-th point of a block as (sign, distance); (1, 0) is the centre."""
        if block == 0 and self.law.centred:
            if index == 0:
                return 1, 0
            index -= 1
        on_right = self.right[block + 1] - self.right[block]
        if index < on_right:
            return 1, self.right[block] + index
        return -1, self.left[block] + index - on_right

    def count(self, block: int) -> int:
        """The number of points of a block, the centre in block 0."""
        return (
            self.right[block + 1]
            - self.right[block]
            + self.left[block + 1]
            - self.left[block]
            + (block == 0 and self.law.centred)
        )


def blocks_of(law: BlockLaw, rest_bits: int = REST) -> Blocks:
    """Cut a law into dyadic blocks; the last block holds all that is left, once that is rare.

    Rare: proposed with probability below 2**-rest_bits. A matter of speed only.
    """
    spans = law.span(1), law.span(-1)
    centre = int(law.centred)
    right, left = [1], [1]
    known = 0  # 2^j times the weight of the blocks before j
    weights: list[int] = []
    block = 0
    while True:
        edges: list[int] = []
        for sign, span, done in ((1, spans[0], right), (-1, spans[1], left)):
            if done[-1] > span:
                edges.append(span + 1)
            else:
                # reach is monotone; the clamp keeps the blocks a partition if a profile is not
                edges.append(min(span + 1, max(done[-1], law.edge(sign, block + 1))))
        count = edges[0] - right[-1] + edges[1] - left[-1] + (0 if block else centre)
        weights.append(count)
        right.append(edges[0])
        left.append(edges[1])
        known = 2 * (known + count)
        block += 1
        rest = spans[0] + 1 - right[-1] + spans[1] + 1 - left[-1]
        if rest == 0:
            break
        if rest << rest_bits < known:
            weights.append(rest)
            right.append(spans[0] + 1)
            left.append(spans[1] + 1)
            break
    top = len(weights) - 1
    scaled = tuple(count << (top - j) for j, count in enumerate(weights))
    return Blocks(law, tuple(right), tuple(left), scaled)


def draw_offset(blocks: Blocks, source: BitSource) -> int:
    """One exact draw of the signed distance from the centre or mode.

    The number of trials depends on the data, so running time is not protected.
    """
    total = blocks.total
    top = len(blocks.weights) - 1
    while True:
        ticket = source.below(total)
        block = 0
        while ticket >= blocks.weights[block]:
            ticket -= blocks.weights[block]
            block += 1
        sign, distance = blocks.point(block, ticket >> (top - block))
        numerator, denominator = blocks.law.exponent_in(block, block == top, sign, distance)
        if bernoulli_scaled(block, numerator, denominator, source):
            return sign * distance


def level_reaching(rising: Callable[[int], int], least: int, low: int, high: int) -> int:
    """The smallest i in [low, high] with rising(i) >= least, as ``high`` must.

    Steps interpolate, which takes few of them where the function is smooth; one that has not halved
    the range is followed by one that does.
    """
    below = rising(low)
    if below >= least or low == high:
        return low
    above = rising(high)
    halve = False
    while high - low > 1:  # low does not reach it, high does
        size = high - low
        middle = (low + high) // 2
        if not halve:
            part = size * (least - below) // max(1, above - below)
            middle = max(low + 1, min(high - 1, low + part))
        found = rising(middle)
        if found >= least:
            high, above = middle, found
        else:
            low, below = middle, found
        halve = not halve and 2 * (high - low) > size
    return high
