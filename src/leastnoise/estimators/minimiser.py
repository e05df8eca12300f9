"""The exact minimiser of a perturbed convex objective, rounded to a public lattice.

    J(theta) = sum_i l_i(u_i theta + o_i) + sum_j d_j theta_j^2 / 2 + V theta,
    l_i'(z) = a sigma(z) - b_i,     |u_ij| <= 1,     d_j > 0,     V one real random vector.

Privacy of objective perturbation is a statement about the exact minimiser. Its rounding to the
lattice is a function of it, so no tolerance has to be paid for: the minimiser is enclosed in a ball
that is certain, and noise and arithmetic are refined until the whole ball rounds to one point.

Enclosure: if ||grad J(theta)|| <= g and the Hessian at theta is at least h, the minimiser lies
within 2 g / h of theta wherever 2 g M / h <= 1/2, M = max ||u_i||_2 (l''' <= l'', so the Hessian
falls by at most e^(-M r) within r); always within g / min d. First in doubles with proved error
bounds; what stays undecided, about one fit in a thousand, in integers.

Termination: each step in integers takes a Newton step if that halves the gradient, else one of
length 1/L along the gradient, which multiplies its norm by at most 1 - min d / L,
L = n m a / 4 + max d. So ceil((L / min d) ln(g0 / g)) steps reach every g > 0, and a minimiser on
the edge of a lattice cell has probability zero. Proof:
``docs/proofs/objective-perturbation.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, isfinite, isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.sigmoid import ERROR, sigmoid, sigmoid_enclosure
from leastnoise.sampling.reals import RealVector

Floats = NDArray[np.float64]

FEATURE_BITS = 20
"""Features are whole multiples of 2**-20."""

_ULP = 2.0**-53
_CHUNK = 128
_NEWTON = 300
_BITS = 192


@dataclass(frozen=True, slots=True, repr=False)
class Objective:
    """NOT PRIVATE. The objective of one fit.

    ``features`` (n, m) in [-1, 1] on the lattice 2**-20, rows of zeros for records that do not
    count; ``offsets`` and ``targets`` (n); ``height`` is a, 1 or 2; ``ridge`` (m) exact.
    """

    features: Floats
    offsets: Floats
    targets: Floats
    height: int
    ridge: tuple[Fraction, ...]
    noise: RealVector

    def __repr__(self) -> str:
        return "Objective(NOT PRIVATE)"

    @property
    def rows(self) -> int:
        """n."""
        return self.features.shape[0]

    @property
    def width(self) -> int:
        """m."""
        return self.features.shape[1]

    @property
    def steepness(self) -> float:
        """A bound on every ||u_i||_2, rounded up."""
        return sqrt(self.width) * (1 + 1e-12)


def minimise(objective: Objective, step: Fraction) -> list[int]:
    """For every coordinate of the exact minimiser floor(theta / step + 1/2)."""
    point = _newton(objective)
    found = _rounded_in_doubles(objective, point, step)
    return _rounded_exactly(objective, point, step) if found is None else found


# In doubles


def _noise(objective: Objective) -> tuple[Floats, float]:
    """The noise in doubles, and a bound on its error."""
    ends = objective.noise.enclose(80)
    middle = [float(Fraction(low + high, 2 << 80)) for low, high in ends]
    widest = max(high - low for low, high in ends)
    size = max(map(abs, middle), default=0.0)
    return np.array(middle), size * 2 * _ULP + (widest + 1) * 2.0**-80


def _slopes(objective: Objective, point: Floats) -> tuple[Floats, Floats]:
    """a sigma(z) - b and sigma(z) for every record."""
    heights = sigmoid(objective.features @ point + objective.offsets)
    return objective.height * heights - objective.targets, heights


def _reach(objective: Objective, point: Floats) -> float:
    """A bound on the error of every z = u theta + o in doubles, in any order of summation."""
    offset = float(np.max(np.abs(objective.offsets), initial=0.0))
    return (objective.width + 3) * _ULP * 1.01 * (float(np.abs(point).sum()) + offset)


def _column_sums(slopes: Floats, features: Floats) -> Floats:
    """slopes @ features with a short chain of roundings: runs of 128, then exact sums."""
    n, m = features.shape
    whole = n // _CHUNK * _CHUNK
    runs = np.matmul(
        slopes[:whole].reshape(-1, 1, _CHUNK), features[:whole].reshape(-1, _CHUNK, m)
    ).reshape(-1, m)
    rest = (slopes[whole:] @ features[whole:]).reshape(1, m)
    return np.array([fsum(column) for column in np.concatenate([runs, rest]).T])


def _value(objective: Objective, point: Floats, ridge: Floats, noise: Floats) -> float:
    """J in doubles."""
    z = objective.features @ point + objective.offsets
    losses = objective.height * np.logaddexp(0.0, z) - objective.targets * z
    return float(losses.sum() + (ridge * point / 2 + noise) @ point)


def _newton(objective: Objective) -> Floats:
    """A point near the minimiser: Newton steps, damped where they do not help (Levenberg)."""
    ridge = np.array([float(d) for d in objective.ridge])
    noise, _ = _noise(objective)
    point = np.zeros(objective.width)
    value, damping, rejected = _value(objective, point, ridge, noise), 0.0, 0
    gradient, hessian = _derivatives(objective, point, ridge, noise)
    size = float(np.linalg.norm(gradient))
    for _ in range(_NEWTON):
        try:
            move = np.linalg.solve(hessian + damping * np.eye(len(point)), gradient)
        except np.linalg.LinAlgError:
            move = np.full(len(point), inf)
        tried = point - move
        if np.isfinite(tried).all():
            if (tried == point).all():
                break
            there = _value(objective, tried, ridge, noise)
            slope, bend = _derivatives(objective, tried, ridge, noise)
            length = float(np.linalg.norm(slope))
            # close to the minimiser values no longer differ, gradients still do
            if there < value - abs(value) * 2.0**-40 or (there <= value and length < size / 2):
                point, value, gradient, hessian, size = tried, there, slope, bend, length
                damping, rejected = damping / 8 if damping > ridge.min() / 8 else 0.0, 0
                continue
            if length < size and there < value + abs(value) * 2.0**-40:
                point, value, gradient, hessian, size = tried, there, slope, bend, length
        rejected += 1
        if rejected > 3 and damping == 0 and size < 2.0**-30 * (1 + objective.rows):
            break
        damping = max(4 * damping, float(np.trace(hessian)) / len(point) * 2.0**-10)
        if rejected > 60:
            break
    return point


def _derivatives(
    objective: Objective, point: Floats, ridge: Floats, noise: Floats
) -> tuple[Floats, Floats]:
    slopes, heights = _slopes(objective, point)
    gradient = _column_sums(slopes, objective.features) + ridge * point + noise
    weights = objective.height * heights * (1 - heights)
    return gradient, (objective.features.T * weights) @ objective.features + np.diag(ridge)


def _curvature(objective: Objective, heights: Floats, reach: float) -> float:
    """A certain lower bound on the least eigenvalue of the Hessian, at least the least ridge.

    A Cholesky factorisation that succeeds in doubles proves that the matrix plus
    2 (m + 2) 2^-53 trace is positive definite (Higham 2002, Theorem 10.3).
    """
    n, m = objective.features.shape
    weights = objective.height * heights * (1 - heights)
    ridge = np.array([float(d) for d in objective.ridge])
    hessian = (objective.features.T * weights) @ objective.features + np.diag(ridge)
    hessian = (hessian + hessian.T) / 2
    floor = float(min(objective.ridge)) * (1 - 2.0**-40)
    if not np.isfinite(hessian).all():
        return floor
    top = float(objective.height) * n / 4 + float(ridge.max())
    error = m * (2.0 * (n + 8) * _ULP * top + n * objective.height * (reach + 8 * ERROR))
    guess = float(np.linalg.eigvalsh(hessian)[0]) * 0.9
    try:
        np.linalg.cholesky(hessian - guess * np.eye(m))
    except np.linalg.LinAlgError:
        return floor
    slack = 4 * (m + 4) * _ULP * (float(np.trace(hessian)) + m * abs(guess))
    return max(floor, guess - slack - error)


def _rounded_in_doubles(objective: Objective, point: Floats, step: Fraction) -> list[int] | None:
    """The lattice point, if doubles can tell."""
    n, m = objective.features.shape
    ridge = np.array([float(d) for d in objective.ridge])
    noise, noise_error = _noise(objective)
    slopes, heights = _slopes(objective, point)
    loss, pull = _column_sums(slopes, objective.features), ridge * point
    gradient = loss + pull + noise
    # |z| is off by reach, sigma by reach / 4 + ERROR, a run of products by 130 roundings of each
    reach = _reach(objective, point)
    per_record = objective.height * (reach / 4 + 2 * ERROR) + (_CHUNK + 4) * _ULP * 2
    sizes = np.abs(loss) + np.abs(pull) + np.abs(noise)
    error = n * per_record + 8 * _ULP * float(sizes.max(initial=0.0)) + noise_error
    size = (float(np.linalg.norm(gradient)) + sqrt(m) * error) * (1 + 1e-12)
    radius = _radius(size, _curvature(objective, heights, reach), objective)
    if not isfinite(radius):
        return None
    exact = [Fraction(x) for x in point.tolist()]
    return _rounded(exact, Fraction(radius), step)


def _radius(size: float, curvature: float, objective: Objective) -> float:
    """How far the minimiser can be from a point with this gradient."""
    near = 2 * size / curvature * (1 + 1e-12)
    if near * objective.steepness <= 0.5:
        return near
    return size / float(min(objective.ridge)) * (1 + 1e-12)


def _rounded(point: list[Fraction], radius: Fraction, step: Fraction) -> list[int] | None:
    found: list[int] = []
    for x in point:
        low = (2 * (x - radius) + step) // (2 * step)
        if low != (2 * (x + radius) + step) // (2 * step):
            return None
        found.append(int(low))
    return found


# In integers


def _rounded_exactly(objective: Objective, start: Floats, step: Fraction) -> list[int]:
    """The lattice point, from gradients enclosed in integers, however many bits it takes."""
    n, m = objective.features.shape
    rows = np.rint(objective.features * 2.0**FEATURE_BITS).astype(np.int64).tolist()
    offsets = [Fraction(o) for o in objective.offsets.tolist()]
    targets = [int(b) for b in objective.targets.tolist()]
    least = min(objective.ridge)
    steep = Fraction(n * m * objective.height, 4) + max(objective.ridge)
    bits = _BITS
    point = [Fraction(x) for x in start.tolist()]
    low, high = _gradient(objective, rows, offsets, targets, point, bits)
    while True:
        size = _norm(low, high, bits)
        found = _rounded(point, size / least, step)
        near_by = np.array([float(x) for x in point])
        if found is None:
            heights = _slopes(objective, near_by)[1]
            curvature = Fraction(_curvature(objective, heights, 4 * _reach(objective, near_by)))
            near = 2 * size / curvature
            if near * Fraction(objective.steepness) <= Fraction(1, 2):
                found = _rounded(point, near, step)
        if found is not None:
            return found
        middle = [Fraction(a + b, 2 << bits) for a, b in zip(low, high, strict=True)]
        if all(a <= 0 <= b for a, b in zip(low, high, strict=True)):
            bits += _BITS  # the gradient is known to be small: more digits of it and of the noise
            low, high = _gradient(objective, rows, offsets, targets, point, bits)
            continue
        moved = None
        inverse = _inverse_hessian(objective, near_by)
        if inverse is not None:
            tried = _step(point, inverse, middle, bits)
            ends = _gradient(objective, rows, offsets, targets, tried, bits)
            if _norm(*ends, bits) <= size / 2:
                moved, (low, high) = tried, ends
        if moved is None:
            moved = [_cut(x - g / steep, bits) for x, g in zip(point, middle, strict=True)]
            low, high = _gradient(objective, rows, offsets, targets, moved, bits)
            if _norm(low, high, bits) >= size:
                bits += _BITS
                low, high = _gradient(objective, rows, offsets, targets, moved, bits)
        point = moved


def _gradient(
    objective: Objective,
    rows: list[list[int]],
    offsets: list[Fraction],
    targets: list[int],
    point: list[Fraction],
    bits: int,
) -> tuple[list[int], list[int]]:
    """Integers that enclose 2**bits times the gradient."""
    m = objective.width
    work = bits + FEATURE_BITS
    lows, highs = [0] * m, [0] * m
    bottom = 1
    for x in point:
        bottom = max(bottom, x.denominator)  # powers of two
    whole = [int(x * bottom) for x in point]
    for row, offset, target in zip(rows, offsets, targets, strict=True):
        top = sum(u * x for u, x in zip(row, whole, strict=True))
        z = Fraction(top, bottom << FEATURE_BITS) + offset
        low, high = sigmoid_enclosure(z.numerator, z.denominator, work)
        low, high = objective.height * low, objective.height * high
        shift = target << work
        for j, u in enumerate(row):
            if u > 0:
                lows[j] += u * (low - shift)
                highs[j] += u * (high - shift)
            elif u < 0:
                lows[j] += u * (high - shift)
                highs[j] += u * (low - shift)
    noise = objective.noise.enclose(bits)
    for j in range(m):
        pull = objective.ridge[j] * point[j] * (1 << bits)
        down = work + FEATURE_BITS - bits
        lows[j] = (lows[j] >> down) + noise[j][0] + pull.__floor__()
        highs[j] = -(-highs[j] >> down) + noise[j][1] + pull.__ceil__()
    return lows, highs


def _norm(low: list[int], high: list[int], bits: int) -> Fraction:
    """An upper bound of the length of every vector between the ends."""
    squares = sum(max(abs(a), abs(b)) ** 2 for a, b in zip(low, high, strict=True))
    return Fraction(isqrt(squares) + 1, 1 << bits)


def _inverse_hessian(objective: Objective, point: Floats) -> list[list[Fraction]] | None:
    """The inverse Hessian in doubles: it proposes steps and decides nothing."""
    heights = _slopes(objective, point)[1]
    weights = objective.height * heights * (1 - heights)
    ridge = np.array([float(d) for d in objective.ridge])
    hessian = (objective.features.T * weights) @ objective.features + np.diag(ridge)
    try:
        inverse = np.linalg.inv(hessian)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(inverse).all():
        return None
    return [[Fraction(x) for x in row] for row in inverse.tolist()]


def _step(
    point: list[Fraction], inverse: list[list[Fraction]], gradient: list[Fraction], bits: int
) -> list[Fraction]:
    return [
        _cut(x - sum((h * g for h, g in zip(row, gradient, strict=True)), Fraction(0)), bits)
        for x, row in zip(point, inverse, strict=True)
    ]


def _cut(value: Fraction, bits: int) -> Fraction:
    """A nearby multiple of 2**-bits."""
    return Fraction(round(value * (1 << bits)), 1 << bits)
