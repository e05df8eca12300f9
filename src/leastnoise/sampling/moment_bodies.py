"""Uniform points of bodies in [-2, 2]^d that are cut out by small constraints.

Coordinates are drawn one by one in an order that completes constraints early; the first violated
one starts the whole point anew, so the accepted points are uniform on the body. All comparisons
are of integers; an undecided one refines the point, and never redraws it.

Constraints on the coordinates (u in units of 1, each in [-2, 2]):

* ``pair`` (a, s): |s| <= 2 - 2 (max(|a|, 1) - 1)^2,
* ``triple`` (a, b, c): |a| + |b| + |c| <= 4,
* ``cycle`` (a, b, c, d): every sum +-a +-b +-c +-d with an odd number of minus signs is <= 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict
from leastnoise.sampling.reals import LazyUniforms, RealVector, affine

_WORD = 64


@dataclass(frozen=True, slots=True)
class MomentBody:
    """A body in [-2, 2]^d; ``order`` is the order in which coordinates are drawn."""

    order: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    triples: tuple[tuple[int, int, int], ...]
    cycles: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def constraints(self) -> tuple[tuple[int, ...], ...]:
        """All constraints; a pair has two coordinates, a triple three, a cycle four."""
        return (*self.pairs, *self.triples, *self.cycles)


@lru_cache(maxsize=64)
def _plan(body: MomentBody) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For every step of the order, the constraints that it completes, as positions in it."""
    place = {index: k for k, index in enumerate(body.order)}
    steps: list[list[tuple[int, ...]]] = [[] for _ in body.order]
    for constraint in body.constraints:
        positions = tuple(place[i] for i in constraint)
        steps[max(positions)].append(positions)
    return tuple(tuple(sorted(step, key=len)) for step in steps)


def holds(constraint: Sequence[tuple[int, int]], one: int) -> Verdict:
    """Whether a constraint holds for all coordinates in [low, high] / one, for none, or neither."""
    if len(constraint) == 4:
        return _cycle(constraint, one)
    least = [max(low, -high, 0) for low, high in constraint]
    most = [max(-low, high) for low, high in constraint]
    if len(constraint) == 3:
        if sum(most) <= 4 * one:
            return True
        return False if sum(least) > 4 * one else None
    far, near = max(most[0] - one, 0), max(least[0] - one, 0)
    limit = 2 * one * one
    if far <= one and most[1] * one <= limit - 2 * far * far:
        return True
    return False if near > one or least[1] * one > limit - 2 * near * near else None


def _cycle(constraint: Sequence[tuple[int, int]], one: int) -> Verdict:
    """The largest signed sum with an odd number of minus signs, from both ends."""
    if _odd_sum([(low + high, high - low) for low, high in constraint], 1) <= 8 * one:
        return True
    if _odd_sum([(low + high, high - low) for low, high in constraint], -1) > 8 * one:
        return False
    return None


def _odd_sum(parts: Sequence[tuple[int, int]], side: int) -> int:
    """An upper (1) or lower (-1) bound on twice the largest odd-signed sum; (middle, radius) twice.

    Of the signs that make every term positive the parity may be wrong; flipping the smallest term
    mends it. The bound moves by at most the sum of the radii.
    """
    total = sum(abs(m) for m, _ in parts)
    if sum(m < 0 for m, _ in parts) % 2 == 0:
        total -= 2 * min(abs(m) for m, _ in parts)
    return total + side * sum(r for _, r in parts)


def draw_moments(body: MomentBody, source: BitSource, tried: list[int] | None = None) -> RealVector:
    """A uniform point of the body; ``tried[0]`` counts the points begun, for measurements."""
    steps = _plan(body)
    while True:
        if tried is not None:
            tried[0] += 1
        uniforms = LazyUniforms(0, source)
        if all(_step(uniforms, step) for step in steps):
            break
    values = [0] * len(body.order)
    for index, k in zip(body.order, uniforms.values, strict=True):
        values[index] = k
    uniforms.values = values
    return affine(uniforms, (Fraction(2),) * len(values))


def _step(uniforms: LazyUniforms, constraints: Sequence[Sequence[int]]) -> bool:
    """One more coordinate, and whether all constraints that it completes hold."""
    uniforms.push()
    for positions in constraints:
        while True:
            one = 1 << (uniforms.bits - 1)
            found = [2 * uniforms.values[i] - 2 * one for i in positions]
            verdict = holds([(low, low + 2) for low in found], one)
            if verdict is not None:
                break
            uniforms.extend(uniforms.bits + _WORD)
        if not verdict:
            return False
    return True
