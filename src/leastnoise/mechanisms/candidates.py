"""Public candidate answers: integers on the output lattice that thin out with distance.

Candidates are a function of public parameters only (range, scale, growth), so how they
are computed is no privacy decision; they only have to be the same for every data set.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor, isqrt, log, log1p

import numpy as np

from leastnoise.errors import ParameterError

MOST_CANDIDATES = 50_000
# Beyond this a candidate would not fit a float.
_LARGEST = 1e300
_UNIFORM = 1 << 15
_EVEN = 1 << 14


@lru_cache(maxsize=32)
def log_candidates(
    low: int | None, high: int | None, scale: Fraction, beta: Fraction
) -> Sequence[int]:
    """scale (beta^i - 1) on either side of an anchor, rounded to distinct lattice points.

    The anchor is the lower end of the range when that is >= 0, the upper end when that is <= 0,
    else 0, as far as the ends are finite. Candidates run to the ends of the range, or as far as
    ``MOST_CANDIDATES`` go.
    """
    if low is not None and low >= 0:
        anchor = low
    elif high is not None and high <= 0:
        anchor = high
    else:
        anchor = 0
    up = _offsets(None if high is None else high - anchor, scale, beta)
    down = _offsets(None if low is None else anchor - low, scale, beta)
    return (*(anchor - d for d in reversed(down)), anchor, *(anchor + d for d in up))


def _offsets(span: int | None, scale: Fraction, beta: Fraction) -> list[int]:
    """Distances from the anchor, ascending, without 0; the end of a finite span included."""
    if span == 0:
        return []
    rate = log(float(beta))
    most = MOST_CANDIDATES // 2
    reach = _LARGEST if span is None else float(span)
    count = min(most, ceil(np.log1p(reach / float(scale)) / rate))
    raw = np.floor(float(scale) * np.expm1(rate * np.arange(1, count + 1)))
    raw = np.minimum(raw, _LARGEST)
    if raw[-1] < 2**62:
        points = np.unique(raw.astype(np.int64)).tolist()
    else:
        points = sorted({int(value) for value in raw.tolist()})
    found = points[bisect_right(points, 0) :]
    if span is None:
        return found
    return [*found[: bisect_left(found, span)], span]


@lru_cache(maxsize=32)
def uniform_candidates(low: int, high: int, count: int = _UNIFORM) -> Sequence[int]:
    """``count`` evenly spaced lattice points of a finite range, ends included."""
    width = high - low
    if width <= count:
        return range(low, high + 1)
    return tuple(low + width * i // count for i in range(count + 1))


@lru_cache(maxsize=32)
def fitted_candidates(
    low: int | None, high: int | None, scale: Fraction, records: Fraction, widest: int | None
) -> Sequence[int]:
    """Log candidates, H = max(20, sqrt(records)) a factor e, at most ``widest`` apart.

    ``records`` stands for the public number of rows times epsilon, ``widest`` for the
    scale of Laplace noise: where candidates are that far apart they go on evenly (in a range with
    more than 2^14 such steps, in 2^14 of them). H ends where candidates would not reach the ends
    of the range, or e^60 scales where there is none.
    """
    span = None if low is None or high is None else high - low
    reach = 60.0 if span is None else log1p(float(span) / float(scale))
    most = int(MOST_CANDIDATES // 2 / max(1.0, reach))
    density = min(most, max(20, isqrt(floor(records))))
    found = log_candidates(low, high, scale, 1 + Fraction(1, density))
    if span is None or low is None or widest is None:
        return found
    return _filled(found, max(1, widest, span // _EVEN))


def _filled(points: Sequence[int], widest: int) -> Sequence[int]:
    """Ascending points with even ones between neighbours that are more than ``widest`` apart."""
    found: list[int] = []
    for start, stop in pairwise(points):
        gap = stop - start
        if gap <= widest:
            found.append(start)
        else:
            parts = -(-gap // widest)
            found += [start + gap * i // parts for i in range(parts)]
    return (*found, points[-1])


def parse_beta(value: Fraction) -> Fraction:
    """The growth of the candidates, 1 < beta <= 2."""
    if not 1 < value <= 2:
        raise ParameterError(f"beta must lie above 1 and not above 2, got {value}")
    return value
