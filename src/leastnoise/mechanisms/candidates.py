"""Public candidate answers: integers on the output lattice that thin out with distance.

Candidates are a function of public parameters only (range, scale, growth), so how they are computed
is not a privacy decision; they only have to be the same for every data set.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, exp, floor, isqrt, log, log1p, log10

import numpy as np

from leastnoise.errors import ParameterError, quoted
from leastnoise.laws.base import saturated

MOST_CANDIDATES = 50_000
# Beyond this a candidate would not fit a float.
_LARGEST = 1e300
# Nearer to 1 a growth would be 1 as a float.
_LEAST_GROWTH = 1 + Fraction(1, 10**12)
_UNIFORM = 1 << 15
_EVEN = 1 << 14
# Even places beside round numbers, how many of these there are at most, and the growth of others.
_PLACES, _ROUND, _WIDER = 4096, 500, Fraction(11, 10)
# e-folds above the scale where there is no upper end: those of 2**-20 to e^60.
_REACH = 74.0


@lru_cache(maxsize=32)
def log_candidates(
    low: int | None,
    high: int | None,
    scale: Fraction,
    beta: Fraction,
    widest: int | None = None,
) -> Sequence[int]:
    """scale (beta^i - 1) on either side of an anchor, rounded to distinct lattice points.

    The anchor is the lower end of the range when that is >= 0, the upper end when that is <= 0,
    else 0, if these ends are finite. Candidates run to the ends of the range, but no more than
    ``MOST_CANDIDATES``; where they would be more than ``widest`` apart they are spaced evenly.
    """
    if low is not None and low >= 0:
        anchor = low
    elif high is not None and high <= 0:
        anchor = high
    else:
        anchor = 0
    most = MOST_CANDIDATES // _sides(low, high)
    up = _offsets(None if high is None else high - anchor, scale, beta, most, widest)
    down = _offsets(None if low is None else anchor - low, scale, beta, most, widest)
    return (*(anchor - d for d in reversed(down)), anchor, *(anchor + d for d in up))


def _sides(low: int | None, high: int | None) -> int:
    """On how many sides of the anchor candidates lie."""
    return 1 if (low is not None and low >= 0) or (high is not None and high <= 0) else 2


def _offsets(
    span: int | None, scale: Fraction, beta: Fraction, most: int, widest: int | None
) -> list[int]:
    """Distances from the anchor, ascending, without 0; the end of a finite span included."""
    if span == 0:
        return []
    rate = log(float(beta))
    reach, width = _LARGEST if span is None else saturated(span), saturated(scale)
    count = min(most, ceil(np.log1p(reach / width) / rate))
    raw = np.floor(min(width, _LARGEST) * np.expm1(rate * np.arange(1, count + 1)))
    raw = np.minimum(raw, _LARGEST)
    if raw[-1] < 2**62:
        points = np.unique(raw.astype(np.int64)).tolist()
    else:
        points = sorted({int(value) for value in raw.tolist()})
    found = points[bisect_right(points, 0) :]
    if span is None:
        return found
    found = [*found[: bisect_left(found, span)], span]
    if widest is None:
        return found
    start = next((a for a, b in pairwise((0, *found)) if b - a > widest), span)
    even = range(start + widest, span, widest)
    return [*found[: bisect_right(found, start)], *even, *([span] if start < span else [])]


@lru_cache(maxsize=32)
def uniform_candidates(low: int, high: int, count: int = _UNIFORM) -> Sequence[int]:
    """``count`` evenly spaced lattice points of a finite range, ends included."""
    width = high - low
    if width <= count:
        return range(low, high + 1)
    return tuple(low + width * i // count for i in range(count + 1))


@lru_cache(maxsize=32)
def fitted_candidates(
    low: int | None,
    high: int | None,
    scale: Fraction,
    records: Fraction,
    widest: int | None,
    unit: Fraction | None = None,
) -> Sequence[int]:
    """Log candidates, H = max(20, sqrt(records)) a factor e, at most ``widest`` apart.

    ``records`` stands for the public number of rows times epsilon, ``widest`` for a part of the
    scale of Laplace noise: from where candidates are that far apart they go on evenly (in a range
    with more than 2^14 such steps, in 2^14 of them). H ends where candidates would not reach the
    ends of the range, or e^74 scales where there is none. With a ``unit`` the scale becomes the
    nearest power of the growth times ``unit``, so that far from 0 ranges share their candidates.
    """
    span = None if low is None or high is None else high - low
    reach = _REACH if span is None else log1p(saturated(span) / saturated(scale))
    most = int(MOST_CANDIDATES // _sides(low, high) / max(1.0, reach))
    density = min(most, max(20, isqrt(floor(records))))
    growth = 1 + Fraction(1, density)
    if unit is not None:
        rate = log1p(1 / density)
        ratio = scale / unit  # may be too large for a float
        height = log(ratio.numerator) - log(ratio.denominator)
        nearest = Fraction(exp(rate * round(height / rate) - height))
        scale = max(Fraction(1), scale * nearest)
    if span is None or widest is None:
        return log_candidates(low, high, scale, growth)
    return log_candidates(low, high, scale, growth, max(1, widest, span // _EVEN))


def parse_beta(value: Fraction) -> Fraction:
    """The growth of the candidates, 1 + 1e-12 <= beta <= 2."""
    if not _LEAST_GROWTH <= value <= 2:
        raise ParameterError(f"beta must lie between 1 + 1e-12 and 2, got {quoted(value)}")
    return value


@lru_cache(maxsize=32)
def round_candidates(low: int, high: int, step: Fraction) -> Sequence[int]:
    """Even ones, those at growing distances from 0, and round numbers with the points after them.

    Round are the multiples of a power of ten, of which at most 500 fit in the range, and numbers of
    two digits in the next five powers below; ``step`` is the spacing of the lattice. The last
    stands twice.
    """
    width = high - low
    found = {low, high, *uniform_candidates(low, high, _PLACES)}
    found.update(log_candidates(low, high, max(Fraction(1), Fraction(width, 2**40)), _WIDER))
    power = Fraction(10) ** ceil(log10(max(float(width * step), 1e-300) / _ROUND))
    numbers = [power * k for k in range(ceil(low * step / power), floor(high * step / power) + 1)]
    for _ in range(5):
        power /= 10
        numbers += [power * k for k in range(-99, 100)]
    points = {round(number / step) for number in numbers}
    found.update(end for point in points for end in (point, point + 1) if low <= end <= high)
    return [*sorted(found), high]
