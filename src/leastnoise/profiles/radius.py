"""Profiles from bounds on the *local* change, where the exact bounds are too hard to compute.

A radius bounding function R_1, R_2, ... needs, for all neighbours x, x' and all l >= 1,

    R_1(x) >= |f(x) - f(x')|    and    R_l(x) <= R_{l+1}(x').

Then value +- (R_1 + ... + R_l) obeys the neighbour law (``docs/proofs/profile-combinators.md``).
Source: Durfee (2025), Definition 5.1, Corollaries 5.1 and 5.2; errata 1 (every R_l is capped by the
global sensitivity, not only those beyond a distance) and 2 (distance l - 1 is enough).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from leastnoise.errors import ParameterError
from leastnoise.params import parse_count
from leastnoise.profiles.profile import Profile, Rational, exact

Exact = int | Fraction
Support = tuple[Rational | None, Rational | None]


class _Sums:
    """R_1 + ... + R_l and the largest of them, computed once, and only while they can matter.

    A small epsilon asks for very many levels. Totals of ``enough`` and more are all alike, and no
    radius is larger than ``largest``.
    """

    __slots__ = ("_enough", "_largest", "_peaks", "_radius", "_totals")

    def __init__(
        self, radius: Callable[[int], Rational], enough: Exact | None, largest: Exact | None
    ) -> None:
        self._radius, self._enough, self._largest = radius, enough, largest
        self._totals: list[Exact] = [0]
        self._peaks: list[Exact] = [0]

    def _step(self) -> None:
        step = exact(self._radius(len(self._totals)))
        self._totals.append(self._totals[-1] + step)
        self._peaks.append(max(self._peaks[-1], step))

    def total(self, level: int) -> Exact:
        while len(self._totals) <= level:
            if self._enough is not None and self._totals[-1] >= self._enough:
                return self._totals[-1]
            self._step()
        return self._totals[level]

    def peak(self, level: int) -> Exact:
        while len(self._peaks) <= level:
            if self._largest is not None and self._peaks[-1] >= self._largest:
                return self._largest
            self._step()
        return self._peaks[level]


def from_radius(
    value: Rational,
    radius: Callable[[int], Rational],
    *,
    support: Support,
    sensitivity: Rational | None = None,
    depth: int | None = None,
    resolution: Rational = 1,
    integral: bool = False,
    clamp: bool = True,
    unit: Fraction | None = None,
) -> Profile:
    """The profile value +- (R_1 + ... + R_l), inside the public range.

    Parameters
    ----------
    value : Rational
        The value of the function, exact.
    radius : callable of an int l >= 1
        R_l >= 0, exact, with R_1(x) >= |f(x) - f(x')| and R_l(x) <= R_{l+1}(x') for neighbours.
    support : pair
        Public range.
    sensitivity : Rational, optional
        Global sensitivity. Every R_l is cut at it.
    depth : int, optional
        Beyond this public level the bounds are the range ends, so no R_l beyond it is asked for.
    resolution, integral, clamp, unit
        As for ``leastnoise.Profile``.

    Notes
    -----
    Obeys the neighbour law if the radii do (``docs/proofs/profile-combinators.md``). Source: Durfee
    (2025), Definition 5.1; errata 1 for the cut at the global sensitivity.

    Examples
    --------
    >>> p = from_radius(10, lambda level: 2 + level, support=(0, 100), sensitivity=4)
    >>> p.upper(1), p.upper(2), p.lower(3)
    (13, 17, 0)
    """
    largest = None if sensitivity is None else exact(sensitivity)

    def capped(level: int) -> Exact:
        step = exact(radius(level))
        return step if largest is None else min(step, largest)

    low, high = (None if end is None else exact(end) for end in support)
    width = None if low is None or high is None else high - low
    sums, centre = _Sums(capped, width, largest), exact(value)

    def upper(level: int) -> Exact:
        bound = centre + sums.total(level)
        return bound if high is None else min(bound, high)

    def lower(level: int) -> Exact:
        bound = centre - sums.total(level)
        return bound if low is None else max(bound, low)

    return Profile(
        value=value,
        lower=lower,
        upper=upper,
        support=support,
        sensitivity=sensitivity,
        local_sensitivity=lambda level: sums.peak(level + 1),
        depth=depth,
        resolution=resolution,
        integral=integral,
        clamp=clamp,
        unit=unit,
    )


def from_local_sensitivity(
    value: Rational,
    local: Callable[[int], Rational],
    *,
    support: Support,
    sensitivity: Rational,
    distance: int | None = None,
    resolution: Rational = 1,
    integral: bool = False,
    unit: Fraction | None = None,
) -> Profile:
    """R_l = min(A(l - 1), sensitivity): A(s) bounds the local sensitivity within distance s.

    Parameters
    ----------
    value, support, resolution, integral, unit
        As for ``from_radius``.
    local : callable of an int s >= 0
        A(s) >= |f(y) - f(y')| for all y within distance s of x and all neighbours y' of y, with
        A(s) at x <= A(s + 1) at every neighbour of x. The supremum of any bound on the local
        sensitivity over that ball is such an A.
    sensitivity : Rational
        Global sensitivity.
    distance : int, optional
        From this public distance on, the global sensitivity is taken and A is not asked: at about
        20 / epsilon that costs no accuracy.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``distance`` is not a whole number of at least 1.

    Notes
    -----
    Source: Durfee (2025), Corollary 5.1 and section 5.2.
    """
    if distance is not None:
        parse_count(distance, "distance")

    def radius(level: int) -> Rational:
        if distance is not None and level > distance:
            return sensitivity
        return local(level - 1)

    return from_radius(
        value,
        radius,
        support=support,
        sensitivity=sensitivity,
        resolution=resolution,
        integral=integral,
        unit=unit,
    )


def from_steady_sensitivity(
    value: Rational,
    local: Rational,
    change: Rational,
    *,
    support: Support,
    sensitivity: Rational,
    resolution: Rational = 1,
    integral: bool = False,
    unit: Fraction | None = None,
) -> Profile:
    """R_l = min(LS + (l - 1) change, sensitivity): one number of the data is enough.

    Parameters
    ----------
    value, support, sensitivity, resolution, integral, unit
        As for ``from_radius``.
    local : Rational
        LS, the local sensitivity at x: the most that the value changes with one record.
    change : Rational
        The most that LS changes between any two neighbours: public.

    Raises
    ------
    ParameterError
        If ``change`` is below 0.

    Notes
    -----
    Source: Durfee (2025), Corollary 5.2.
    """
    first, more = exact(local), exact(change)
    if more < 0:
        raise ParameterError("change must be at least 0: it bounds a difference in absolute value")
    return from_radius(
        value,
        lambda level: first + (level - 1) * more,
        support=support,
        sensitivity=sensitivity,
        resolution=resolution,
        integral=integral,
        unit=unit,
    )
