"""Certified sums over the runs of a law: what floating-point analysis is measured against.

A run is a geometric series with an exact exponent, so its mass is
exp(-E) (1 - exp(-s m)) / (1 - exp(-s)); each exponential is enclosed in integers and the
rest is rational arithmetic.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from math import ceil

from leastnoise.laws import Run
from leastnoise.numbers import exp_enclosure

_BITS = 160
# Exponents beyond this weigh nothing beside a centre of weight 1, whatever the range.
_NEGLIGIBLE = 2000
_DIGITS = 100


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A real number known to lie in [low, high]."""

    low: Fraction
    high: Fraction

    def __add__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.low + other.low, self.high + other.high)

    def over(self, other: Enclosure) -> Enclosure:
        """The quotient of two positive numbers."""
        return Enclosure(self.low / other.high, self.high / other.low)

    def agrees(self, value: float, *, relative: float, absolute: float = 0.0) -> bool:
        """Whether a float lies inside, up to the tolerances."""
        exact = Fraction(value)
        slack = Fraction(absolute) + Fraction(relative) * self.high
        return self.low - slack <= exact <= self.high + slack

    def __str__(self) -> str:
        return f"[{float(self.low)!r}, {float(self.high)!r}]"


ZERO = Enclosure(Fraction(0), Fraction(0))


def exp_bounds(exponent: Fraction, bits: int = _BITS) -> Enclosure:
    """exp(-exponent) to about ``bits`` significant bits, exponent >= 0."""
    if exponent > _NEGLIGIBLE:
        return Enclosure(Fraction(0), Fraction(1, 1 << _NEGLIGIBLE))  # exp(-x) < 2^-x
    scale = bits + ceil(exponent * 3 / 2)  # 3/2 > 1 / ln 2
    low, high = exp_enclosure(exponent.numerator, exponent.denominator, scale)
    return Enclosure(Fraction(low, 1 << scale), Fraction(high, 1 << scale))


def series(exponent: Fraction, slope: Fraction, count: int | None) -> Enclosure:
    """The sum of exp(-(exponent + i slope)) over i = 0, ..., count - 1 (None: without end)."""
    first = exp_bounds(exponent)
    if slope == 0:
        if count is None:
            raise ValueError("a flat run without end has no mass")
        return Enclosure(first.low * count, first.high * count)
    # 1 - exp(-s) is about s: as many more bits as s is small
    bits = _BITS + slope.denominator.bit_length()
    ratio = exp_bounds(slope, bits)
    last = ZERO if count is None else exp_bounds(slope * count, bits)
    return _widened(
        first.low * (1 - last.high) / (1 - ratio.low),
        first.high * (1 - last.low) / (1 - ratio.high),
    )


def _widened(low: Fraction, high: Fraction) -> Enclosure:
    """The enclosure on a binary grid, so that sums of many stay short."""
    scale = _BITS + max(0, high.denominator.bit_length() - high.numerator.bit_length())
    down = (low.numerator << scale) // low.denominator
    up = -((-high.numerator << scale) // high.denominator)
    return Enclosure(Fraction(down, 1 << scale), Fraction(up, 1 << scale))


def start_of(run: Run) -> int | None:
    """The lowest point of a run; None if it goes down without end."""
    if run.direction > 0:
        return run.first
    return None if run.count is None else run.first - run.count + 1


def end_of(run: Run) -> int | None:
    """The highest point of a run; None if it goes up without end."""
    if run.direction < 0:
        return run.first
    return None if run.count is None else run.first + run.count - 1


class RunSums:
    """Mass, cumulative mass and mean distance of a law given by runs in ascending order."""

    def __init__(self, runs: tuple[Run, ...]) -> None:
        self.runs = runs
        self._ends = [end_of(run) for run in runs]

    @cached_property
    def _before(self) -> list[Enclosure]:
        """The unnormalised mass below each run, and the total last."""
        sums = [ZERO]
        for run in self.runs:
            sums.append(sums[-1] + series(run.exponent, run.slope, run.count))
        return sums

    @property
    def total(self) -> Enclosure:
        """The normalising constant."""
        return self._before[-1]

    @property
    def first(self) -> int | None:
        """The lowest point of the support, None without end."""
        return start_of(self.runs[0])

    @property
    def last(self) -> int | None:
        """The highest point of the support, None without end."""
        return self._ends[-1]

    def _index(self, point: int) -> int:
        known = [end for end in self._ends if end is not None]
        return bisect_right(known, point - 1)

    def exponent(self, point: int) -> Fraction | None:
        """E of a point, or None outside the support."""
        index = self._index(point)
        if index == len(self.runs):
            return None
        run = self.runs[index]
        start = start_of(run)
        if start is not None and point < start:
            return None
        return run.exponent + run.slope * abs(point - run.first)

    def mass(self, point: int) -> Enclosure:
        """The probability of one point."""
        exponent = self.exponent(point)
        return ZERO if exponent is None else exp_bounds(exponent).over(self.total)

    def up_to(self, point: int) -> Enclosure:
        """The probability of all points up to and including this one."""
        index = self._index(point)
        if index == len(self.runs):
            return Enclosure(Fraction(1), Fraction(1))
        return (self._before[index] + self._head(self.runs[index], point)).over(self.total)

    def _head(self, run: Run, point: int) -> Enclosure:
        """The unnormalised mass of a run's points up to this one."""
        start = start_of(run)
        if start is not None and point < start:
            return ZERO
        if run.direction > 0:
            return series(run.exponent, run.slope, point - run.first + 1)
        skipped = run.first - point
        count = None if run.count is None else run.count - skipped
        return series(run.exponent + skipped * run.slope, run.slope, count)

    def mean_distance(self, centre: Fraction) -> Fraction:
        """The mean of |point - centre| in ``decimal`` arithmetic of 100 digits."""
        with localcontext() as context:
            context.prec = _DIGITS
            mass = distance = Decimal(0)
            for run in self.runs:
                for skip, count in _sides(run, centre):
                    zeroth, first = _moments(
                        _decimal(run.exponent + skip * run.slope), _decimal(run.slope), count
                    )
                    near = Fraction(run.first + run.direction * skip) - centre
                    mass += zeroth
                    distance += abs(_decimal(near) * zeroth + run.direction * first)
            return Fraction(distance / mass)


def _sides(run: Run, centre: Fraction) -> list[tuple[int, int | None]]:
    """A run as pieces (points skipped, count) that lie on one side of the centre."""
    # points strictly before the centre in the run's own direction
    ahead = (centre - run.first) * run.direction
    cut = ceil(ahead)
    if cut <= 0 or (run.count is not None and cut >= run.count):
        return [(0, run.count)]
    return [(0, cut), (cut, None if run.count is None else run.count - cut)]


def _moments(exponent: Decimal, slope: Decimal, count: int | None) -> tuple[Decimal, Decimal]:
    """The sums of exp(-(e + i s)) and of i exp(-(e + i s))."""
    scale = (-exponent).exp()
    if not slope:
        if count is None:
            raise ValueError("a flat run without end has no mass")
        n = Decimal(count)
        return scale * n, scale * n * (n - 1) / 2
    q = (-slope).exp()
    gap = 1 - q
    if count is None:
        return scale / gap, scale * q / gap**2
    n = Decimal(count)
    last = (-slope * n).exp()  # q^n
    first = (q - n * last + (n - 1) * last * q) / gap**2
    return scale * (1 - last) / gap, scale * first


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
