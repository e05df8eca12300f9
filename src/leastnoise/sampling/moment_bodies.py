"""Uniform points of bodies in [-2, 2]^d that are cut out by small constraints.

Many points are begun at once, each known to 28 bits a coordinate. Coordinates are drawn one by one
in an order that completes constraints early, and points that certainly violate one are left out.
The others are taken in turn and decided exactly, refined as long as that is needed; the first that
lies in the body is the draw. A point is never redrawn because it is undecided, so what is accepted
is uniform on the body. All comparisons are of integers.

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

import numpy as np
from numpy.typing import NDArray

from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Decision, Verdict
from leastnoise.sampling.reals import LazyUniforms, RealVector, affine

_WORD = 64
# Of every 32 random bits the first 28 begin a coordinate: sums of four stay below 2^31.
_BITS = 28
_ONE = 1 << (_BITS - 1)
# Points begun at once: few at first, more while none is found.
_FEW, _MANY = 32, 1 << 17

Whole = NDArray[np.int32]


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
def _plan(body: MomentBody) -> tuple[tuple[NDArray[np.intp], ...], ...]:
    """For every step of the order the constraints that it completes: pairs, triples and cycles.

    A column of a table holds the positions of one constraint in the order.
    """
    place = {index: k for k, index in enumerate(body.order)}
    steps: list[list[list[int]]] = [[] for _ in body.order]
    for constraint in body.constraints:
        positions = [place[i] for i in constraint]
        steps[max(positions)].append(positions)
    found: list[tuple[NDArray[np.intp], ...]] = []
    for step in steps:
        kinds = ([c for c in step if len(c) == size] for size in (2, 3, 4))
        found.append(tuple(np.array(kind, dtype=np.intp).T for kind in kinds if kind))
    return tuple(found)


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
    corrects it. The bound moves by at most the sum of the radii.
    """
    total = sum(abs(m) for m, _ in parts)
    if sum(m < 0 for m, _ in parts) % 2 == 0:
        total -= 2 * min(abs(m) for m, _ in parts)
    return total + side * sum(r for _, r in parts)


def draw_moments(body: MomentBody, source: BitSource, decide: Decision | None = None) -> RealVector:
    """A uniform point of the body, or of the part of it that ``decide`` tells."""
    size = _FEW
    while True:
        for begun in _begun(body, size, source).T.tolist():
            uniforms = LazyUniforms(0, source, _BITS)
            uniforms.values = [0] * len(begun)
            for index, k in zip(body.order, begun, strict=True):
                uniforms.values[index] = k
            if _inside(uniforms, body, decide):
                return affine(uniforms, (Fraction(2),) * len(begun))
        size = min(4 * size, _MANY)


def _begun(body: MomentBody, size: int, source: BitSource) -> Whole:
    """Of ``size`` points the ones that violate no constraint for certain; a column is a point."""
    steps = _plan(body)
    points = np.zeros((len(steps), size), dtype=np.int32)
    for k, step in enumerate(steps):
        count = points.shape[1]
        words = source.bits(32 * count).to_bytes(4 * count, "little")
        points[k] = np.frombuffer(words, dtype="<u4") >> (32 - _BITS)
        for positions in step:
            violated = certainly_violated(2 * points[positions] - 2 * _ONE).any(axis=0)
            points = points[:, ~violated]
    return points


def certainly_violated(low: Whole) -> NDArray[np.bool_]:
    """Where ``holds`` is False for coordinates in [low, low + 2] / 2^27: the same bounds.

    The first axis is that of the two, three or four coordinates of a constraint.
    """
    if len(low) == 4:
        middle = low + 1
        sizes = np.abs(middle)
        even = ~np.logical_xor.reduce(middle < 0)
        return sizes.sum(axis=0) - np.where(even, 2 * sizes.min(axis=0), 0) - 4 > 4 * _ONE
    near = np.maximum(np.maximum(low, -2 - low), 0)
    if len(low) == 3:
        return near.sum(axis=0) > 4 * _ONE
    reach, height = np.maximum(near[0] - _ONE, 0).astype(np.int64), near[1].astype(np.int64)
    return (reach > _ONE) | (height * _ONE > 2 * _ONE * _ONE - 2 * reach * reach)


def _inside(uniforms: LazyUniforms, body: MomentBody, decide: Decision | None) -> bool:
    """Whether the point lies in the body, refined until that is certain."""
    uniforms.extend(_WORD)
    while True:
        one = 1 << (uniforms.bits - 1)
        low = [2 * k - 2 * one for k in uniforms.values]
        verdicts = {holds([(low[i], low[i] + 2) for i in c], one) for c in body.constraints}
        verdict = False if False in verdicts else None if None in verdicts else True
        if verdict and decide is not None:
            verdict = decide(low, [x + 2 for x in low], one)
        if verdict is not None:
            return verdict
        uniforms.extend(uniforms.bits + _WORD)
