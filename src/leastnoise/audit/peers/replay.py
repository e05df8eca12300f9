"""Laws read off a release whose noise was replaced: where it is centred, and how wide it is.

A release that adds noise to numbers is run with every standard variate replaced by 0, 1 and 2. The
first run gives the centres and the second the scales; the third must lie on the same line, or
something other than adding was done and nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError

Floats = NDArray[np.float64]
_LARGEST = 1e4  # epsilons beyond this are shown as infinite


@dataclass(frozen=True, slots=True)
class Additive:
    """Independent noise of one family around ``centres``, a scale for each."""

    centres: tuple[float, ...]
    scales: tuple[float, ...]


def additive(run: Callable[[float], Sequence[float]]) -> Additive:
    """The law of a release; ``run(z)`` makes it with every standard variate replaced by z.

    Raises
    ------
    ParameterError
        If the release is not its noise added to something.
    """
    still, one, two = (np.asarray(run(z), dtype=np.float64) for z in (0.0, 1.0, 2.0))
    if not still.shape == one.shape == two.shape:
        raise ParameterError("the noise decides how many numbers there are")
    if not np.allclose(two - one, one - still, rtol=1e-6, atol=1e-9, equal_nan=True):
        raise ParameterError("the release is not its noise added to something")
    return Additive(tuple(still.tolist()), tuple(np.abs(one - still).tolist()))


def laplace_loss(mine: Additive, theirs: Additive) -> tuple[float, str]:
    """The worst log-ratio of two Laplace laws, and its reason: distances over scales, added up."""
    if found := _incomparable(mine, theirs):
        return inf, found
    if not _same(mine.scales, theirs.scales):
        return inf, f"noise of scale {_few(mine.scales)} against {_few(theirs.scales)}"
    moved, gaps, scales = _moved(mine, theirs)
    if (scales == 0).any():
        return inf, f"answers {_few(gaps)} apart without noise"
    how = f"{moved} of {len(mine.centres)} answers moved by {_few(gaps)} in noise of scale "
    return float((gaps / scales).sum()), how + _few(scales)


def gaussian_loss(mine: Additive, theirs: Additive, delta: float) -> tuple[float, str]:
    """The least epsilon at which two normal laws are (epsilon, delta)-close, and its reason.

    Raises
    ------
    ParameterError
        If both the centres and the scales differ.
    """
    if found := _incomparable(mine, theirs):
        return inf, found
    moved, gaps, scales = _moved(mine, theirs)
    if _same(mine.scales, theirs.scales):
        if (scales == 0).any():
            return inf, f"answers {_few(gaps)} apart without noise"
        mu = float(np.sqrt(((gaps / scales) ** 2).sum()))
        how = f"answers {mu:.4g} standard deviations apart"
        return _least(lambda epsilon: _shifted(mu, epsilon), delta), how
    own, other = set(mine.scales), set(theirs.scales)
    if moved or len(own) > 1 or len(other) > 1:
        raise ParameterError("both the centres and the scales differ")
    ratio, size = own.pop() / other.pop(), len(mine.centres)
    how = f"{size} answers in noise of scale {_few(mine.scales)} against {_few(theirs.scales)}"
    both = (_widened(ratio, size), _widened(1 / ratio, size))
    return max(_least(delta_of, delta) for delta_of in both), how


def _incomparable(mine: Additive, theirs: Additive) -> str:
    if len(mine.centres) != len(theirs.centres):
        return f"{len(mine.centres)} numbers against {len(theirs.centres)}, whatever the noise"
    if not np.array_equal(np.isnan(mine.centres), np.isnan(theirs.centres)):
        return "NaN for one data set only, whatever the noise"
    return ""


def _same(scales: Sequence[float], others: Sequence[float]) -> bool:
    return bool(np.allclose(scales, others, rtol=1e-9, atol=0, equal_nan=True))


def _moved(mine: Additive, theirs: Additive) -> tuple[int, Floats, Floats]:
    """How many centres differ beyond rounding, by how much, and the scales there."""
    centres, scales = np.asarray(mine.centres), np.asarray(mine.scales)
    gaps = np.abs(centres - np.asarray(theirs.centres))
    moved = gaps > 1e-9 * np.maximum(1.0, np.abs(centres))
    return int(moved.sum()), gaps[moved], scales[moved]


def _shifted(mu: float, epsilon: float) -> float:
    """delta of two normal laws mu standard deviations apart (Balle and Wang 2018, theorem 5)."""
    from scipy.stats import norm

    if mu == 0:
        return 0.0
    near, far = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return float(norm.cdf(near) - np.exp(epsilon + norm.logcdf(far)))


def _widened(ratio: float, size: int) -> Callable[[float], float]:
    """delta of normal noise ``ratio`` times as wide as that of the neighbour, at one centre.

    The log-ratio depends on the length alone, and is monotone in it.
    """
    from scipy.stats import chi2

    def delta_of(epsilon: float) -> float:
        # squared length in units of the neighbour's variance where the log-ratio is epsilon
        edge = 2 * (epsilon + size * log(ratio)) / (1 - ratio**-2)
        side = chi2.sf if ratio > 1 else chi2.cdf
        edge = max(edge, 0.0)
        return float(side(edge / ratio**2, size) - np.exp(epsilon) * side(edge, size))

    return delta_of


def _least(delta_of: Callable[[float], float], delta: float) -> float:
    """The least epsilon with delta_of(epsilon) <= delta, rounded down: never above the truth."""
    low, high = 0.0, 1.0
    if delta_of(low) <= delta:
        return 0.0
    while delta_of(high) > delta:
        low, high = high, 2 * high
        if high > _LARGEST:
            return inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return low


def _few(numbers: Sequence[float] | NDArray[Any]) -> str:
    """Up to three different numbers."""
    different = sorted({float(f"{x:.4g}") for x in np.asarray(numbers).tolist()})
    shown = ", ".join(f"{x:.4g}" for x in different[:3])
    return f"{shown} and more" if len(different) > 3 else shown or "0"
