"""Profiles built from others: each obeys the neighbour law because its parts do.

All parts are profiles at one and the same data set, under one relation, in the same units; every
other argument is public. Bounds of sums add, monotone maps keep order, and the tightest of several
bounds of one function is a bound (``docs/proofs/profile-combinators.md``). ``monotone`` is kept
where all bounds move in the direction of one part's bounds, and False otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import gcd

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.params import parse_list, parse_number
from leastnoise.profiles.profile import Profile, Rational, exact

Exact = int | Fraction
Bound = Callable[[int], Rational | None]
End = Exact | None


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
    parts = _parts(profiles)
    sizes = [part.global_sensitivity for part in parts]
    return _joined(
        parts,
        sum,
        support=(_sum(_ends(parts, 0)), _sum(_ends(parts, 1))),
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
        _mapped(profile, lambda v: v + step), resolution=_common(profile.resolution, step)
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
    size, local = _as_profile(profile).global_sensitivity, _local(profile)

    def stretched(level: int) -> Exact:
        return 0 if local is None else exact(abs(factor) * local(level))

    mapped = _mapped(profile, lambda v: factor * v, falling=factor < 0)
    return replace(
        mapped,
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
        raise ParameterTypeError(f"function must be callable, got {function!r}")
    mapped = _mapped(profile, lambda v: exact(function(v)), falling=falling)
    return replace(
        mapped,
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
        raise ParameterError(f"low must be below high, got {low!r} and {high!r}")
    ends = exact(least), exact(most)
    cut = _mapped(profile, lambda v: min(max(v, least), most), ends=ends)
    width, size = most - least, profile.global_sensitivity
    return replace(
        cut,
        sensitivity=exact(width if size is None else min(width, size)),
        resolution=_common(profile.resolution, least, most),
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
    parts = _parts(profiles)
    return _joined(
        parts,
        max,
        support=(_extreme(_ends(parts, 0), max, skip=True), _extreme(_ends(parts, 1), max)),
        sensitivity=_extreme([part.global_sensitivity for part in parts], max),
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
    parts = _parts(profiles)
    return _joined(
        parts,
        min,
        support=(_extreme(_ends(parts, 0), min), _extreme(_ends(parts, 1), min, skip=True)),
        sensitivity=_extreme([part.global_sensitivity for part in parts], max),
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
    _parts((top, bottom))
    least, below = top.support[0], bottom.support[0]
    if least is None or exact(least) < 0:
        raise ParameterError("the public range of the numerator must not extend below 0")
    if below is None or exact(below) <= 0:
        raise ParameterError(
            "the public range of the denominator must lie above 0: give it a positive lower bound"
        )
    over, under = _read(top, 1), _read(bottom, 0)
    down, up = _read(top, 0), _read(bottom, 1)

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
    parts = _parts(profiles)
    if len({exact(part.value) for part in parts}) > 1:
        raise ParameterError("tightest needs profiles of one function, with equal values")
    uppers, lowers = [_read(part, 1) for part in parts], [_read(part, 0) for part in parts]
    known = [read for part in parts if (read := _local(part)) is not None]

    def upper(level: int) -> End:
        return _extreme([read(level) for read in uppers], min, skip=True)

    def lower(level: int) -> End:
        return _extreme([read(level) for read in lowers], max, skip=True)

    def local(level: int) -> Exact:
        return min(read(level) for read in known)

    return replace(
        parts[0],
        upper=upper,
        lower=lower,
        support=(
            _extreme(_ends(parts, 0), max, skip=True),
            _extreme(_ends(parts, 1), min, skip=True),
        ),
        sensitivity=_extreme([part.global_sensitivity for part in parts], min, skip=True),
        local_sensitivity=local if known else None,
        monotone=False,
        depth=None,
        resolution=_common(*(part.resolution for part in parts)),
        integral=all(part.integral for part in parts),
    )


# --- shared ------------------------------------------------------------------------------------


def _parts(profiles: Iterable[Profile]) -> tuple[Profile, ...]:
    parts = tuple(_as_profile(each) for each in parse_list(profiles, "profiles", "profiles"))
    if not parts:
        raise ParameterError("give at least one profile")
    _same_unit(parts)
    return parts


def _as_profile(value: object) -> Profile:
    if not isinstance(value, Profile):
        raise ParameterTypeError(f"profile must be a Profile, not {type(value).__name__}")
    return value


def _same_unit(parts: Sequence[Profile]) -> None:
    if len({part.unit for part in parts}) > 1:
        raise ParameterError(
            "the profiles are in different units: convert them with in_users_units()"
        )


def _read(profile: Profile, side: int) -> Callable[[int], End]:
    """A bound with the rule beyond the depth: lower (0) or upper (1)."""
    bound: Bound = (profile.lower, profile.upper)[side]
    beyond, depth = profile.support[side], profile.depth

    def read(level: int) -> End:
        if depth is not None and level > depth and beyond is not None:
            return exact(beyond)
        value = bound(level)
        return None if value is None else exact(value)

    return read


def _local(profile: Profile) -> Callable[[int], Exact] | None:
    """The local sensitivity with the rule beyond the depth, if the profile gives one."""
    local, depth, (low, high) = profile.local_sensitivity, profile.depth, profile.support
    if local is None:
        return None
    width = None if low is None or high is None else exact(high) - exact(low)

    def read(level: int) -> Exact:
        if width is None:
            return exact(local(level))
        return width if depth is not None and level > depth else min(width, exact(local(level)))

    return read


def _ends(parts: Sequence[Profile], side: int) -> list[End]:
    ends = [part.support[side] for part in parts]
    return [None if end is None else exact(end) for end in ends]


def _sum(values: Sequence[End]) -> End:
    known = [value for value in values if value is not None]
    return exact(sum(known, Fraction(0))) if len(known) == len(values) else None


def _extreme(
    values: Sequence[End], choose: Callable[[list[Exact]], Exact], *, skip: bool = False
) -> End:
    """The extreme of values of which None stands for no limit, which wins unless skipped."""
    known = [value for value in values if value is not None]
    return None if not known or (len(known) < len(values) and not skip) else choose(known)


def _common(*steps: Rational) -> Exact:
    """The largest number of which all are whole multiples: no value leaves that lattice."""

    def both(a: Fraction, b: Fraction) -> Fraction:
        top = gcd(a.numerator * b.denominator, b.numerator * a.denominator)
        return Fraction(top, a.denominator * b.denominator)

    return exact(reduce(both, [Fraction(exact(step)) for step in steps]))


def _joined(
    parts: tuple[Profile, ...],
    join: Callable[[list[Exact]], Rational],
    *,
    support: tuple[End, End],
    sensitivity: End,
    local: Callable[[list[Exact]], Rational],
) -> Profile:
    """A function that rises in every part, bound by bound."""

    def bounds(side: int) -> Bound:
        reads = [_read(part, side) for part in parts]

        def read(level: int) -> End:
            values = [bound(level) for bound in reads]
            known = [value for value in values if value is not None]
            if len(known) == len(values):
                return exact(join(known))
            # without a limit on that side only what the others force remains
            forced = (join is max and side == 0) or (join is min and side == 1)
            return exact(join(known)) if forced and known else None

        return read

    lower, upper = bounds(0), bounds(1)
    known = [read for part in parts if (read := _local(part)) is not None]
    return Profile(
        value=exact(join([exact(part.value) for part in parts])),
        lower=lower,
        upper=upper,
        support=support,
        sensitivity=sensitivity,
        local_sensitivity=(lambda level: exact(local([read(level) for read in known])))
        if len(known) == len(parts)
        else None,
        monotone=len(parts) == 1 and parts[0].monotone,
        resolution=_common(*(part.resolution for part in parts)),
        integral=all(part.integral for part in parts),
        clamp=all(part.clamp for part in parts),
        unit=parts[0].unit,
    )


def _mapped(
    profile: Profile,
    function: Callable[[Exact], Exact],
    *,
    falling: bool = False,
    ends: tuple[End, End] = (None, None),
) -> Profile:
    """One monotone function on value, bounds and range; a falling one swaps the sides.

    ``ends`` are what it makes of no limit below and of no limit above.
    """
    _as_profile(profile)

    def bound(side: int) -> Bound:
        read = _read(profile, 1 - side if falling else side)

        def mapped(level: int) -> End:
            value = read(level)
            return ends[side] if value is None else exact(function(value))

        return mapped

    def end(side: int) -> End:
        limit = profile.support[1 - side if falling else side]
        return ends[side] if limit is None else exact(function(exact(limit)))

    return replace(
        profile,
        value=exact(function(exact(profile.value))),
        lower=bound(0),
        upper=bound(1),
        support=(end(0), end(1)),
        local_sensitivity=_local(profile),
        depth=None,
        ratio=None,
        moments=None,
    )


__all__ = [
    "clip",
    "maximum",
    "minimum",
    "monotone_map",
    "quotient",
    "scale",
    "shift",
    "tightest",
    "total",
]
