"""The difference of two released numbers, from their records alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor, hypot, inf, log, nextafter
from typing import TYPE_CHECKING

from leastnoise.errors import ParameterError, ParameterTypeError

if TYPE_CHECKING:
    from leastnoise.record.release import Release, Scalar


CENTRAL_LIMIT = "the central limit theorem for the sample, the noise exactly"
_SQUARES = "distances of both ends squared and added, for independent samples"
# Two normal, Laplace or mixed errors reach no farther than that at such a miss or a smaller one.
_SQUARED_BELOW = Fraction(1, 20)


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two released numbers, and an interval for that of the exact ones.

    Attributes
    ----------
    value : number
        The first released number less the second.
    interval : pair of numbers
        Where the difference of the statistics lies, of the records or of the population.
    coverage : dict
        What the interval covers ("of", "holds"), and with which probability ("level").
    secure : bool
        False if either is a simulation, which is not private.
    """

    value: Scalar
    interval: tuple[Scalar, Scalar]
    coverage: dict[str, str]
    secure: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the two records, in fractions."""

    value: Fraction
    ends: tuple[Fraction, Fraction]
    miss: Fraction
    of: str
    holds: str
    noise: float | None
    step: Fraction
    squared: bool

    @classmethod
    def of_release(cls, record: object) -> _Part:
        from leastnoise.record.release import Release

        if not isinstance(record, Release):
            raise ParameterTypeError(
                f"a difference is taken of two releases, not of {type(record).__name__}"
            )
        if record.interval is None or record.coverage is None:
            raise ParameterError(
                "a difference needs two releases with intervals: release both with WithInterval"
            )
        if not isinstance(record.value, (int, float)):
            raise ParameterError("dates and durations have no difference here")
        coverage = record.coverage
        low, high = map(Fraction, record.interval)
        laplace = record.noise == "Laplace" and coverage["of"] == "data" and record.limits is None
        step, miss = Fraction(record.step), 1 - Fraction(coverage.get("each", coverage["level"]))
        squared = (
            coverage.get("method") == CENTRAL_LIMIT
            and miss <= _SQUARED_BELOW
            and record.bounds is not None
            and Fraction(record.bounds[0]) + step < low
            and high < Fraction(record.bounds[1]) - step
        )
        return cls(
            Fraction(record.value),
            (low, high),
            miss,
            coverage["of"],
            coverage["holds"],
            record.noise_scale if laplace else None,
            step,
            squared,
        )


def difference(first: Release, second: Release) -> Difference:
    """The difference ``first`` less ``second``; see ``Release.difference``.

    Both intervals hold but for both misses. Laplace noise of public width is known better: of the
    same sign, both noises do not add up, whether an answer was cut to its range or not. Intervals
    that rest on the central limit theorem are squared and added, as the variances behind them are,
    but not where an end was cut to the bounds: its distance from the answer is no longer known.
    """
    a, b = _Part.of_release(first), _Part.of_release(second)
    if (first.statistic, first.column) != (second.statistic, second.column):
        raise ParameterError("a difference needs two releases of one statistic of one column")
    if a.of != b.of:
        raise ParameterError(
            'both intervals must be of one kind: of="data", or of="population", for both'
        )
    value, miss, method = a.value - b.value, min(Fraction(1), a.miss + b.miss), {}
    if a.noise and b.noise and miss < 1:
        half = Fraction(_reach(float(miss), a.noise, b.noise)) + (a.step + b.step) / 2
        half += (abs(a.value) + abs(b.value)) / 2**52  # answers are rounded to doubles
        low, high = value - half, value + half
    elif a.squared and b.squared:
        miss, method = max(a.miss, b.miss), {"method": f"{CENTRAL_LIMIT}; {_SQUARES}"}
        low = value - _length(a.value - a.ends[0], b.ends[1] - b.value)
        high = value + _length(a.ends[1] - a.value, b.value - b.ends[0])
    else:
        low, high = a.ends[0] - b.ends[1], a.ends[1] - b.ends[0]
    if isinstance(first.value, int) and isinstance(second.value, int):
        shown, ends = int(value), (ceil(low), floor(high))
    else:
        shown, ends = float(value), (_beyond(low, -inf), _beyond(high, inf))
    coverage = {
        "level": str(1 - miss),
        "of": a.of,
        "holds": f"the difference: {a.holds}",
        **method,
    }
    return Difference(shown, ends, coverage, first.secure and second.secure)


def _length(first: Fraction, second: Fraction) -> Fraction:
    return Fraction(hypot(float(first), float(second)))


def _reach(miss: float, first: float, second: float) -> float:
    """The least w that two errors with Laplace noise exceed with this chance at most.

    An error is the noise or a part of it, of the same sign. Two of one sign differ by less than
    the larger, which is half of all cases; two of different signs by their sum.
    """
    a, b = max(first, second), min(first, second)
    a = max(a, 1.001 * b)  # no difference of near numbers

    def beyond(w: float) -> float:
        far, near = exp(-w / a), exp(-w / b)
        return ((far + near - far * near) + (a * far - b * near) / (a - b)) / 2

    low, high = 0.0, 2 * a * (log(1 / miss) + 1)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > miss else (low, middle)
    return high * (1 + 1e-9)


def _beyond(end: Fraction, away: float) -> float:
    """A double that is not inside."""
    near = float(end)
    inside = Fraction(near) > end if away < 0 else Fraction(near) < end
    return nextafter(near, away) if inside else near
