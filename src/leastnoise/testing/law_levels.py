"""The structure behind exact draws from a law by levels: nothing here is left to chance.

If blocks partition the support, if block j is proposed with weight N_j 2^-j, if E >= j ln 2
on it, and if a point is kept with probability exactly 2^j exp(-E), then accepted points
follow exp(-E) exactly (``docs/proofs/dyadic-blocks.md``). Each "if" is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

from leastnoise.laws import Law, LevelsLaw
from leastnoise.numbers import ln2_enclosure
from leastnoise.randomness import BitSource
from leastnoise.sampling.dyadic import Blocks, LevelLaw, draw_offset
from leastnoise.testing.scripted import CLOSE, LENGTH, ScriptedBits, exp_digits, uniform_beside
from leastnoise.testing.violations import Subject

_BITS = 256
_LN2_UPPER = ln2_enclosure(_BITS)[1]
# Up to this many points every one is looked at, else those at the edges of blocks and levels.
_EVERY = 3000
# How many bits of a uniform are read last.
_LAST = 64
# Points whose acceptance is decided at its very edge.
_DECISIONS = 40


def check_levels(subject: Subject, law: Law, blocks: Blocks) -> None:
    """Blocks, weights, exponents and acceptance of one law."""
    _partition(subject, blocks)
    places = list(_places(blocks))
    for block, index in places:
        sign, distance = blocks.point(block, index)
        here = subject.within(block=block, index=index, offset=sign * distance)
        used = Fraction(*blocks.law.exponent_in(block, block == blocks.last, sign, distance))
        if isinstance(law, LevelsLaw):
            _exponent(here, law, sign, distance, used)
        if used * (1 << _BITS) < block * _LN2_UPPER:
            raise here.violation(
                "every point of block j has E >= j ln 2", f"E = {used}, about {float(used)!r}"
            )

    def draw(source: BitSource) -> int:
        if isinstance(law, LevelsLaw):
            return law.draw(source) - law.centre
        return draw_offset(blocks, source)

    for block, index in places[:: max(1, len(places) // _DECISIONS)]:
        _acceptance(subject, blocks, block, index, draw)


def _partition(subject: Subject, blocks: Blocks) -> None:
    """(block, index) -> point is one to one and onto, with the weights that were promised."""
    centre = int(blocks.law.centred)
    spans = {"right": blocks.law.span(1), "left": blocks.law.span(-1)}
    for name, edges in (("right", blocks.right), ("left", blocks.left)):
        span = spans[name]
        ascending = all(a <= b for a, b in pairwise(edges))
        if edges[0] != 1 or edges[-1] != span + 1 or not ascending:
            raise subject.violation(
                "blocks partition the support", f"the {name} edges do not run from 1 to {span + 1}"
            )
    if not len(blocks.right) == len(blocks.left) == len(blocks.weights) + 1:
        raise subject.violation(
            "blocks partition the support", "edges and weights differ in length"
        )
    top = len(blocks.weights) - 1
    for block, weight in enumerate(blocks.weights):
        count = (
            blocks.right[block + 1]
            - blocks.right[block]
            + blocks.left[block + 1]
            - blocks.left[block]
            + (0 if block else centre)
        )
        if weight != count << (top - block):
            raise subject.violation(
                "block weights are N_j 2^(J-j)",
                f"weight {weight}, but N_j = {count} and J - j = {top - block}",
                block=block,
            )
        if blocks.count(block) != count:
            raise subject.violation(
                "blocks partition the support",
                f"count {blocks.count(block)}, but the edges enclose {count}",
                block=block,
            )
    points = spans["right"] + spans["left"] + centre
    if points > _EVERY:
        return
    seen = {
        sign * distance
        for block in range(top + 1)
        for sign, distance in (blocks.point(block, i) for i in range(blocks.count(block)))
    }
    every = set(range(-spans["left"], spans["right"] + 1))
    if seen != (every if centre else every - {0}):
        raise subject.violation(
            "blocks partition the support",
            f"{len(seen)} different points are proposed, the support has {points}",
        )


def _places(blocks: Blocks) -> Iterator[tuple[int, int]]:
    """(block, index) of every point, or of the ends and the middle of both runs of every block."""
    every = blocks.right[-1] + blocks.left[-1] - 1 <= _EVERY
    for block in range(len(blocks.weights)):
        count = blocks.count(block)
        if every:
            yield from ((block, index) for index in range(count))
            continue
        on_right = blocks.right[block + 1] - blocks.right[block]
        on_right += 0 if block else int(blocks.law.centred)
        at = {0, 1, on_right // 2, on_right - 1, on_right, (on_right + count) // 2, count - 1}
        yield from ((block, index) for index in sorted(at) if 0 <= index < count)


def reference_exponent(levels: LevelLaw, sign: int, distance: int) -> Fraction:
    """E of a point from the definition alone: the first level that reaches it, by bisection.

    Beyond the depth the range end counts as reached.
    """
    side = levels.right if sign > 0 else levels.left

    def reach(level: int) -> int:
        if level > levels.depth:
            return side.span
        return max(0, min(side.span, side.sign * side.reach(level) + side.offset))

    if distance <= reach(0):
        return Fraction(0)
    low, high = 0, levels.depth + 1  # reach(low) < distance <= reach(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reach(middle) >= distance else (middle, high)
    if not levels.sloped:
        return levels.rate * high
    start = reach(high - 1)
    return levels.rate * (high - 1 + Fraction(distance - start, reach(high) - start))


def _exponent(here: Subject, law: LevelsLaw, sign: int, distance: int, used: Fraction) -> None:
    expected = reference_exponent(law.levels, sign, distance)
    analysed = law.exponent(law.centre + sign * distance)
    if not used == analysed == expected:
        raise here.violation(
            "the sampler's exponent is the law's",
            f"sampler {used}, law {analysed}, definition {expected}",
        )


def _acceptance(
    subject: Subject, blocks: Blocks, block: int, index: int, draw: Callable[[BitSource], int]
) -> None:
    """A point is kept exactly when a uniform lies below 2^j exp(-E)."""
    sign, distance = blocks.point(block, index)
    exponent = Fraction(*blocks.law.exponent_in(block, block == blocks.last, sign, distance))
    threshold = exp_digits(exponent) * (1 << block)
    if (block, index) == (0, 0) or exponent == 0 or threshold >= 1:
        return
    first, other = blocks.point(0, 0)
    ticket = sum(blocks.weights[:block]) + (index << (len(blocks.weights) - 1 - block))
    wide = (blocks.total - 1).bit_length()
    for side in (-1, 1):
        u = uniform_beside(threshold, side)
        if u is None or u >> _LAST != int(threshold * (1 << LENGTH - _LAST)):
            continue  # no such uniform, or one that is decided before its last bits are read
        # the ticket and the uniform; then ticket 0 and uniform 0, which are always kept
        after = wide + LENGTH
        source = ScriptedBits((ticket << LENGTH | u) << after, wide + LENGTH + after)
        drawn = draw(source)
        kept = sign * distance if side < 0 else first * other
        if drawn != kept:
            raise subject.violation(
                "a point is kept with probability exactly 2^j exp(-E)",
                f"a uniform 2**-{CLOSE} {'below' if side < 0 else 'above'} it gave {drawn}, "
                f"not {kept}",
                block=block,
                offset=sign * distance,
            )
