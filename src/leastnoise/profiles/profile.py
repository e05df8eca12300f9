"""The sensitivity profile of a function at a data set.

``lower(l)`` and ``upper(l)`` bound the values that the function can take after at
most l records change. Every privacy proof in this library needs one property of
them, the *neighbour law*: for neighbours x and x' and every l >= 0

    upper(x', l) <= upper(x, l + 1)    and    lower(x', l) >= lower(x, l + 1).

A statistic need not give the tightest bounds, only bounds that obey the law.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

# An exact number: an int, a Fraction, or a pair (numerator, denominator > 0) that is not reduced.
Rational = int | Fraction | tuple[int, int]


def exact(value: Rational) -> int | Fraction:
    """The value as an int where it is whole, else as a Fraction."""
    if isinstance(value, tuple):
        value = Fraction(*value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    return value


def whole_change(
    sensitivity: Rational | None, low: Rational | None, high: Rational | None
) -> int | Fraction | None:
    """The most that one record can change: as given, else the width of a finite support."""
    if sensitivity is not None:
        return exact(sensitivity)
    return None if low is None or high is None else exact(high) - exact(low)


@dataclass(frozen=True, slots=True, repr=False)
class NoisyRatio:
    """NOT PRIVATE. A mean written as ``midpoint + total / count`` with a private count.

    ``total`` is the exact sum of ``2 x - (low + high)`` over the records, so one record adds at
    most ``weight`` = high - low in absolute value. The mean is
    ``scale * (middle + total / count)`` with ``middle = low + high`` and, in the profile's own
    units, ``scale = 1/2``. ``rows`` is how many records one unit of privacy has at most.
    """

    total: int
    count: int
    weight: int
    middle: int
    scale: Fraction
    rows: int = 1


@dataclass(frozen=True, slots=True, repr=False)
class Moments:
    """NOT PRIVATE. The exact sums behind a variance whose row count is public.

    ``total`` and ``squares`` are the sums of x and of x^2 over ``rows`` records x, integers in
    [``low``, ``high``]. The function is ``scale`` times their variance, or times the root of it
    where ``root`` is set.
    """

    rows: int
    total: int
    squares: int
    low: int
    high: int
    scale: Fraction = Fraction(1)
    root: bool = False

    def finer(self, parts: int) -> Moments:
        """The same records as points of a lattice that is ``parts`` times as fine."""
        return Moments(
            self.rows,
            self.total * parts,
            self.squares * parts**2,
            self.low * parts,
            self.high * parts,
            self.scale / (parts if self.root else parts**2),
            self.root,
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Profile:
    """NOT PRIVATE. The sensitivity profile of a statistic at one data set.

    Parameters
    ----------
    value : Rational
        The value of the function: an int, a Fraction or a pair (numerator, denominator).
    lower, upper : callable of an int l >= 0
        Smallest and largest value after at most l changes; ``lower(0) == upper(0) == value``.
        Non-increasing and nondecreasing in l, inside ``support``. ``None`` stands for no limit,
        on a side where ``support`` has none.
    support : pair
        Public range of the function. ``None`` stands for no limit on that side.
    sensitivity : Rational, optional
        The *global* sensitivity under the stated relation and unit, fixed by public parameters.
        Default: the width of ``support``.
    local_sensitivity : callable, optional
        ``A(l)``, nondecreasing: a bound on the change by one more record within distance l, with
        ``A(x', l) <= A(x, l + 1)`` for neighbours. Default: ``upper(l+1) - lower(l+1)``.
    monotone : bool
        True only where a proof is listed (``docs/proofs/monotone-budgets.md``): for neighbours
        every bound moves in one direction.
    depth : int, optional
        The bounds are read up to this l; beyond it they are the ends of ``support``. A function
        of public parameters only. Default: every l.
    resolution : Rational
        Spacing of the output lattice, in the units of ``value``. Public.
    integral : bool
        True when value, bounds and sensitivity are always whole multiples of ``resolution``,
        whatever the data. Otherwise rounding adds one step to every sensitivity.
    clamp : bool
        Whether a noisy answer is cut to ``support`` after the draw (post-processing).
    unit : Fraction
        What 1 means in the user's units (the step of the input lattice for a quantile).
    ratio : NoisyRatio, optional
        The sum and count behind a mean whose row count is private.
    moments : Moments, optional
        The sums behind a variance whose row count is public.
    rows : int, optional
        The number of records, where it is public: mechanisms may fit their public parameters to
        it.

    Notes
    -----
    Source: Durfee (2025), section 2; Asi and Duchi (2020), section 2. Neighbour law: D24 A.2.
    """

    value: Rational
    lower: Callable[[int], Rational | None]
    upper: Callable[[int], Rational | None]
    support: tuple[Rational | None, Rational | None]
    sensitivity: Rational | None = None
    local_sensitivity: Callable[[int], Rational] | None = None
    monotone: bool = False
    depth: int | None = None
    resolution: Rational = 1
    integral: bool = False
    clamp: bool = True
    unit: Fraction | None = None
    ratio: NoisyRatio | None = None
    moments: Moments | None = None
    rows: int | None = None

    def __repr__(self) -> str:
        return "Profile(NOT PRIVATE: computed from the data, numbers hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a profile looks at private data and cannot be copied or pickled")

    @property
    def global_sensitivity(self) -> int | Fraction | None:
        """``sensitivity``, or the width of a finite support, or None."""
        return whole_change(self.sensitivity, *self.support)

    def in_users_units(self) -> Profile:
        """The same profile with exact values (int or Fraction) in the user's units."""
        unit = Fraction(1) if self.unit is None else self.unit

        def scaled(value: Rational) -> int | Fraction:
            return exact(exact(value) * unit)

        def end(value: Rational | None) -> int | Fraction | None:
            return None if value is None else scaled(value)

        def bounded(
            bound: Callable[[int], Rational | None], beyond: Rational | None
        ) -> Callable[[int], Rational | None]:
            depth = self.depth

            def read(level: int) -> int | Fraction | None:
                return end(beyond if depth is not None and level > depth else bound(level))

            return read

        def spread(local: Callable[[int], Rational]) -> Callable[[int], Rational]:
            return lambda level: scaled(local(level))

        low, high = self.support
        local, whole = self.local_sensitivity, self.global_sensitivity
        ratio, moments = self.ratio, self.moments
        return replace(
            self,
            value=scaled(self.value),
            lower=bounded(self.lower, low),
            upper=bounded(self.upper, high),
            support=(end(low), end(high)),
            sensitivity=end(whole),
            local_sensitivity=None if local is None else spread(local),
            resolution=scaled(self.resolution),
            unit=Fraction(1),
            ratio=None if ratio is None else replace(ratio, scale=ratio.scale * unit),
            moments=None if moments is None else replace(moments, scale=moments.scale * unit),
        )
