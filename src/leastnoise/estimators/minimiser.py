"""The exact minimiser of a perturbed convex objective, rounded to a public lattice.

    J(theta) = sum_i l_i(u_i theta + o_i) + sum_j d_j theta_j^2 / 2 + V theta,
    l_i'(z) = t_i (a sigma(z) - b_i),   |u_ij| <= 1,   d_j > 0,   V one real random vector.

Privacy of objective perturbation is a statement about the exact minimiser. Its rounding to the
lattice is a function of it, so no tolerance has to be paid for: the minimiser is enclosed in a box
that is certain, and noise and arithmetic are refined until the whole box rounds to one point. First
in doubles with proved error bounds; what stays undecided, about one fit in a thousand, in integers.

Termination: each round in integers takes a Newton step if that halves the gradient; else one as
long as the slope along it tells, which lowers J, and one of length 1/L along the gradient, which
multiplies J - min J by at most 1 - min d / L, L = n m a / 4 + max d. A bound on the number of
rounds is proved in ``docs/proofs/objective-perturbation.md``; a minimiser on the edge of a lattice
cell has probability zero. Steps decide about time alone: what is returned is certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.descent import descend, newton_move, step_length
from leastnoise.estimators.float_objective import FloatObjective, Floats, Local, Objective
from leastnoise.estimators.sigmoid import sigmoid_enclosure

FEATURE_BITS = 20
"""Features are whole multiples of 2**-20."""

_BITS = 192
_LN2_UP = 0.6932  # a little more than log 2

Ends = tuple[list[int], list[int]]


def minimise(objective: Objective, step: Fraction) -> list[int]:
    """For every coordinate of the exact minimiser floor(theta / step + 1/2)."""
    doubles = FloatObjective(objective)
    here = descend(doubles)
    found = _rounded_in_doubles(doubles, here, step)
    return _rounded_exactly(doubles, here, step) if found is None else found


def _rounded_in_doubles(doubles: FloatObjective, here: Local, step: Fraction) -> list[int] | None:
    """The lattice point, if doubles can tell."""
    sizes = np.abs(here.gradient) + here.error * (1 + 2.0**-40)
    if not np.isfinite(sizes).all():
        return None
    bounds = [Fraction(size) for size in (sizes * (1 + 2.0**-40)).tolist()]
    point = [Fraction(x) for x in here.point.tolist()]
    return _rounded(point, doubles.bend(here).radii(bounds), step)


def _rounded(point: list[Fraction], radii: list[Fraction], step: Fraction) -> list[int] | None:
    found: list[int] = []
    for x, radius in zip(point, radii, strict=True):
        low = (2 * (x - radius) + step) // (2 * step)
        if low != (2 * (x + radius) + step) // (2 * step):
            return None
        found.append(int(low))
    return found


# In integers


def _rounded_exactly(doubles: FloatObjective, start: Local, step: Fraction) -> list[int]:
    """The lattice point, from gradients enclosed in integers, however many bits it takes."""
    objective = doubles.objective
    records = _grouped(objective)
    steep = Fraction(objective.most * objective.width * objective.height, 4) + max(objective.ridge)
    bits = _BITS
    point = [Fraction(x) for x in start.point.tolist()]
    ends = _gradient(doubles, records, point, bits)
    least = _norm(ends, bits)
    while True:
        near_by = doubles.at(_floats(point))
        found = _rounded(point, doubles.bend(near_by).radii(_sizes(ends, bits)), step)
        if found is not None:
            return found
        if _blurred(ends):  # more digits of the gradient and of the noise
            bits += _BITS
            ends = _gradient(doubles, records, point, bits)
            continue
        slope = _Slope(doubles, records, point, ends, near_by.hessian, bits)
        after = slope(1.0)
        if _norm(slope.ends, bits) <= least / 2:
            point, ends, least = slope.tried, slope.ends, _norm(slope.ends, bits)
            continue
        slope(step_length(slope, slope.start, after))
        pairs = zip(slope.tried, _middle(slope.ends, bits), strict=True)
        moved = [_cut(x - g / steep, bits) for x, g in pairs]
        if moved == point:
            bits += _BITS
        point = moved
        ends = _gradient(doubles, records, point, bits)
        least = min(least, _norm(ends, bits))


class _Slope:
    """The slope along a Newton step, from the middles of enclosed gradients."""

    def __init__(
        self,
        doubles: FloatObjective,
        records: GroupedRecords,
        point: list[Fraction],
        ends: Ends,
        hessian: Floats,
        bits: int,
    ) -> None:
        self._doubles, self._records, self._bits = doubles, records, bits
        self._point = point
        gradient = np.array([float(g) for g in _middle(ends, bits)])
        self._move = [Fraction(x) for x in newton_move(hessian, gradient).tolist()]
        self.start = self._along(ends)
        self.tried, self.ends = point, ends

    def __call__(self, length: float) -> float:
        t = Fraction(length)
        pairs = zip(self._point, self._move, strict=True)
        self.tried = [_cut(x + t * v, self._bits) for x, v in pairs]
        self.ends = _gradient(self._doubles, self._records, self.tried, self._bits)
        return self._along(self.ends)

    def _along(self, ends: Ends) -> float:
        pairs = zip(_middle(ends, self._bits), self._move, strict=True)
        return float(sum((g * v for g, v in pairs), Fraction(0)))


@dataclass(frozen=True, slots=True, repr=False)
class GroupedRecords:
    """NOT PRIVATE. Records in integers, alike ones together: features in units of 2**-20, the sum
    of their times, and that of their targets as often."""

    features: NDArray[np.int64]
    offsets: Floats
    times: NDArray[np.int64]
    targets: NDArray[np.int64]

    def __repr__(self) -> str:
        return "GroupedRecords(NOT PRIVATE)"


def _grouped(objective: Objective) -> GroupedRecords:
    seen = objective.features.any(axis=1)
    keys = np.column_stack([objective.features, objective.offsets])[seen] + 0.0  # no -0.0
    times = np.broadcast_to(objective.times, objective.rows)[seen]
    _, first, place = np.unique(
        np.ascontiguousarray(keys).view([("", np.void, keys.shape[1] * 8)]).ravel(),
        return_index=True, return_inverse=True,
    )  # fmt: skip
    often = np.bincount(place, times, len(first))
    targets = np.bincount(place, objective.targets[seen] * times, len(first))
    whole = np.rint(keys[first, :-1] * 2.0**FEATURE_BITS).astype(np.int64)
    return GroupedRecords(whole, keys[first, -1], _whole(often), _whole(targets))


def _whole(sums: Any) -> NDArray[np.int64]:
    return np.rint(sums).astype(np.int64)


def _gradient(
    doubles: FloatObjective, records: GroupedRecords, point: list[Fraction], bits: int
) -> Ends:
    """Integers that enclose 2**bits times the gradient."""
    objective = doubles.objective
    work = bits + FEATURE_BITS
    near_by = _floats(point)
    z = records.features @ (near_by * 2.0**-FEATURE_BITS) + records.offsets
    # beyond this |z| sigma is within 2^-work of 0 or 1
    still = np.abs(z) > _LN2_UP * work + 1 + doubles.reach(near_by)
    flat = objective.height * records.times * (still & (z > 0)) - records.targets
    sums = flat @ records.features
    unsure = objective.height * (records.times * still) @ np.abs(records.features)
    lows = [(int(s) << work) - int(w) for s, w in zip(sums, unsure, strict=True)]
    highs = [(int(s) << work) + int(w) for s, w in zip(sums, unsure, strict=True)]
    down = max(x.denominator.bit_length() - 1 for x in point)  # denominators are powers of two
    scaled = [x.numerator << (down + 1 - x.denominator.bit_length()) for x in point]
    for row, offset, times in zip(
        records.features[~still].tolist(),
        records.offsets[~still].tolist(),
        records.times[~still].tolist(),
        strict=True,
    ):
        top = sum(u * x for u, x in zip(row, scaled, strict=True))
        low, high = sigmoid_enclosure(*_sum(top, down + FEATURE_BITS, offset), work)
        low, high = objective.height * times * low, objective.height * times * high
        for j, u in enumerate(row):
            lows[j] += u * (low if u > 0 else high)
            highs[j] += u * (high if u > 0 else low)
    noise = objective.noise.enclose(bits)
    for j, (down_end, up_end) in enumerate(noise):
        pull = objective.ridge[j] * point[j] * (1 << bits)
        lows[j] = (lows[j] >> 2 * FEATURE_BITS) + down_end + pull.__floor__()
        highs[j] = -(-highs[j] >> 2 * FEATURE_BITS) + up_end + pull.__ceil__()
    return lows, highs


def _sum(top: int, down: int, offset: float) -> tuple[int, int]:
    """top / 2**down + offset as a fraction."""
    above, below = offset.as_integer_ratio()
    places = below.bit_length() - 1
    common = max(down, places)
    return (top << (common - down)) + (above << (common - places)), 1 << common


def _floats(point: list[Fraction]) -> Floats:
    return np.array([float(x) for x in point])


def _middle(ends: Ends, bits: int) -> list[Fraction]:
    return [Fraction(a + b, 2 << bits) for a, b in zip(*ends, strict=True)]


def _sizes(ends: Ends, bits: int) -> list[Fraction]:
    """Upper bounds of the sizes of the entries."""
    return [Fraction(max(abs(a), abs(b)), 1 << bits) for a, b in zip(*ends, strict=True)]


def _norm(ends: Ends, bits: int) -> Fraction:
    """An upper bound of the length of every vector between the ends."""
    squares = sum(max(abs(a), abs(b)) ** 2 for a, b in zip(*ends, strict=True))
    return Fraction(isqrt(squares) + 1, 1 << bits)


def _blurred(ends: Ends) -> bool:
    """Whether fewer than 64 digits of the length of a vector are known."""
    widest = max(b - a for a, b in zip(*ends, strict=True))
    return widest << 64 > max(max(abs(a), abs(b)) for a, b in zip(*ends, strict=True))


def _cut(value: Fraction, bits: int) -> Fraction:
    """A nearby multiple of 2**-bits."""
    return Fraction(round(value * (1 << bits)), 1 << bits)
