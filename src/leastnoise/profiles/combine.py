"""Profiles built from others: each obeys the neighbour law because its parts do.

All parts are profiles at one and the same data set, under one relation, in the same units; every
other argument is public. Bounds of sums add, monotone maps keep order, and the tightest of several
bounds of one function is a bound (``docs/proofs/profile-combinators.md``). ``monotone`` is kept
where all bounds move in the direction of one part's bounds, and False otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.params import parse_number
from leastnoise.profiles.parts import (
    End,
    Exact,
    as_profile,
    bound_of,
    checked,
    common_step,
    extreme,
    joined,
    local_of,
    mapped,
    range_ends,
    sum_of,
)
from leastnoise.profiles.profile import Profile, Rational, exact


def total(profiles: Iterable[Profile]) -> Profile:
    """The profile of the sum of several functions of the same data.

    Parameters
    ----------
    profiles : list of Profile
        At the same data set, in one unit.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the list is empty, an entry is not a profile, or the units differ.

    Notes
    -----
    Obeys the neighbour law if the parts do (``docs/proofs/profile-combinators.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> low = ln.profile(ln.Quantile(q="0.1", bounds=(0, 9)), [1, 4, 8])
    >>> high = ln.profile(ln.Quantile(q="0.9", bounds=(0, 9)), [1, 4, 8])
    >>> total([low, high]).upper(1)
    13
    """
    parts = checked(profiles)
    sizes = [part.global_sensitivity for part in parts]
    return joined(
        parts,
        sum,
        support=(sum_of(range_ends(parts, 0)), sum_of(range_ends(parts, 1))),
        sensitivity=None if None in sizes else sum(size for size in sizes if size is not None),
        local=sum,
    )


def shift(profile: Profile, by: object) -> Profile:
    """The profile of f + ``by``, a public number.

    Parameters
    ----------
    profile : Profile
        Of f.
    by : number
        Public, in the units of the profile.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile, or ``by`` not a number.
    """
    step = parse_number(by, "by")
    return replace(
        mapped(profile, lambda v: v + step), resolution=common_step(profile.resolution, step)
    )


def scale(profile: Profile, by: object) -> Profile:
    """The profile of ``by`` f, a public number other than 0; a negative one swaps the bounds.

    Parameters
    ----------
    profile : Profile
        Of f.
    by : number
        Public, not 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile, or ``by`` is 0 or not a number.
    """
    factor = parse_number(by, "by")
    if factor == 0:
        raise ParameterError("by must not be 0: a constant needs no profile")
    size, local = as_profile(profile).global_sensitivity, local_of(profile)

    def stretched(level: int) -> Exact:
        return 0 if local is None else exact(abs(factor) * local(level))

    image = mapped(profile, lambda v: factor * v, falling=factor < 0)
    return replace(
        image,
        sensitivity=None if size is None else abs(factor) * size,
        local_sensitivity=None if local is None else stretched,
        resolution=abs(factor) * Fraction(exact(profile.resolution)),
    )


def monotone_map(
    profile: Profile,
    function: Callable[[Exact], Rational],
    *,
    falling: bool = False,
    resolution: Rational,
    sensitivity: Rational | None = None,
) -> Profile:
    """The profile of g(f) for a public monotone function g of exact numbers.

    Parameters
    ----------
    profile : Profile
        Of f.
    function : callable
        g, exact, never falling on the range of f (never rising if ``falling``).
    resolution : Rational
        Spacing of the output lattice, public.
    sensitivity : Rational, optional
        Global sensitivity of g(f). Default: the width of its range.
    falling : bool
        Whether g falls, so that the bounds are swapped.

    Raises
    ------
    ParameterTypeError
        If ``profile`` is not a profile, or ``function`` not callable.
    """
    if not callable(function):
        raise ParameterTypeError(f"function must be callable, got {quoted(function)}")
    image = mapped(profile, lambda v: exact(function(v)), falling=falling)
    return replace(
        image,
        sensitivity=sensitivity,
        local_sensitivity=None,
        resolution=resolution,
        integral=False,
    )


def clip(profile: Profile, low: object, high: object) -> Profile:
    """The profile of f cut to the public limits [low, high].

    Parameters
    ----------
    profile : Profile
        Of f.
    low, high : number
        Public, low < high, in the units of the profile.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile, or the limits are not numbers in ascending order.
    """
    least, most = parse_number(low, "low"), parse_number(high, "high")
    if not least < most:
        raise ParameterError(f"low must be below high, got {quoted(low)} and {quoted(high)}")
    ends = exact(least), exact(most)
    cut = mapped(profile, lambda v: min(max(v, least), most), ends=ends)
    width, size = most - least, profile.global_sensitivity
    return replace(
        cut,
        sensitivity=exact(width if size is None else min(width, size)),
        resolution=common_step(profile.resolution, least, most),
    )


def maximum(profiles: Iterable[Profile]) -> Profile:
    """The profile of the largest of several functions of the same data.

    Parameters
    ----------
    profiles : list of Profile
        At the same data set, in one unit.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the list is empty, an entry is not a profile, or the units differ.
    """
    parts = checked(profiles)
    return joined(
        parts,
        max,
        support=(extreme(range_ends(parts, 0), max, skip=True), extreme(range_ends(parts, 1), max)),
        sensitivity=extreme([part.global_sensitivity for part in parts], max),
        local=max,
    )


def minimum(profiles: Iterable[Profile]) -> Profile:
    """The profile of the smallest of several functions of the same data.

    Parameters
    ----------
    profiles : list of Profile
        At the same data set, in one unit.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the list is empty, an entry is not a profile, or the units differ.
    """
    parts = checked(profiles)
    return joined(
        parts,
        min,
        support=(extreme(range_ends(parts, 0), min), extreme(range_ends(parts, 1), min, skip=True)),
        sensitivity=extreme([part.global_sensitivity for part in parts], max),
        local=max,
    )


def quotient(top: Profile, bottom: Profile, *, resolution: Rational) -> Profile:
    """The profile of f / g for f >= 0 and g of public range above 0.

    Parameters
    ----------
    top, bottom : Profile
        Of f and g, at the same data set and in one unit.
    resolution : Rational
        Spacing of the output lattice, public.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the public ranges do not show this, or a part is not a profile.
    """
    checked((top, bottom))
    least, below = top.support[0], bottom.support[0]
    if least is None or exact(least) < 0:
        raise ParameterError("the public range of the numerator must not extend below 0")
    if below is None or exact(below) <= 0:
        raise ParameterError(
            "the public range of the denominator must lie above 0: give it a positive lower bound"
        )
    over, under = bound_of(top, 1), bound_of(bottom, 0)
    down, up = bound_of(top, 0), bound_of(bottom, 1)

    def divided(part: End, whole: End) -> End:
        if whole is None:
            return 0  # a quotient of something finite by something without limit
        return None if part is None else Fraction(part) / whole

    most, ends = top.support[1], bottom.support
    return Profile(
        value=Fraction(exact(top.value)) / exact(bottom.value),
        lower=lambda level: divided(down(level), up(level)),
        upper=lambda level: divided(over(level), under(level)),
        support=(
            divided(exact(least), None if ends[1] is None else exact(ends[1])),
            divided(None if most is None else exact(most), exact(below)),
        ),
        resolution=resolution,
        unit=Fraction(1),
    )


def tightest(profiles: Iterable[Profile]) -> Profile:
    """The best of several profiles of one and the same function.

    The value must be the same; the least upper and the greatest lower bound are taken.

    Parameters
    ----------
    profiles : list of Profile
        At the same data set, in one unit.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the list is empty, an entry is not a profile, or values or units differ.
    """
    parts = checked(profiles)
    if len({exact(part.value) for part in parts}) > 1:
        raise ParameterError("tightest needs profiles of one function, with equal values")
    uppers, lowers = [bound_of(part, 1) for part in parts], [bound_of(part, 0) for part in parts]
    known = [read for part in parts if (read := local_of(part)) is not None]

    def upper(level: int) -> End:
        return extreme([read(level) for read in uppers], min, skip=True)

    def lower(level: int) -> End:
        return extreme([read(level) for read in lowers], max, skip=True)

    def local(level: int) -> Exact:
        return min(read(level) for read in known)

    return replace(
        parts[0],
        upper=upper,
        lower=lower,
        support=(
            extreme(range_ends(parts, 0), max, skip=True),
            extreme(range_ends(parts, 1), min, skip=True),
        ),
        sensitivity=extreme([part.global_sensitivity for part in parts], min, skip=True),
        local_sensitivity=local if known else None,
        monotone=False,
        depth=None,
        resolution=common_step(*(part.resolution for part in parts)),
        integral=all(part.integral for part in parts),
    )
