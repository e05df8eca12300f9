"""The parts of a combined profile: their bounds, ranges and units, read in one way.

``leastnoise.profiles.combine`` makes functions of them: `joined` for one that rises in every part,
`mapped` for a monotone map of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import gcd

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.params import parse_list
from leastnoise.profiles.profile import Profile, Rational, exact

Exact = int | Fraction
Bound = Callable[[int], Rational | None]
End = Exact | None


def checked(profiles: Iterable[Profile]) -> tuple[Profile, ...]:
    """A list of profiles at one data set, at least one, all in one unit."""
    parts = tuple(as_profile(each) for each in parse_list(profiles, "profiles", "profiles"))
    if not parts:
        raise ParameterError("give at least one profile")
    same_unit(parts)
    return parts


def as_profile(value: object) -> Profile:
    """The value, if it is a profile."""
    if not isinstance(value, Profile):
        raise ParameterTypeError(f"profile must be a Profile, not {type(value).__name__}")
    return value


def same_unit(parts: Sequence[Profile]) -> None:
    """Refuse profiles in different units."""
    if len({part.unit for part in parts}) > 1:
        raise ParameterError(
            "the profiles are in different units: convert them with in_users_units()"
        )


def bound_of(profile: Profile, side: int) -> Callable[[int], End]:
    """A bound with the rule beyond the depth: lower (0) or upper (1)."""
    bound: Bound = (profile.lower, profile.upper)[side]
    beyond, depth = profile.support[side], profile.depth

    def read(level: int) -> End:
        if depth is not None and level > depth:
            return None if beyond is None else exact(beyond)
        value = bound(level)
        return None if value is None else exact(value)

    return read


def local_of(profile: Profile) -> Callable[[int], Exact] | None:
    """The local sensitivity with the rule beyond the depth, if the profile gives one."""
    local, depth, (low, high) = profile.local_sensitivity, profile.depth, profile.support
    known = None if profile.sensitivity is None else exact(profile.sensitivity)
    width = known if low is None or high is None else exact(high) - exact(low)
    if local is None or (width is None and depth is not None):
        return None

    def read(level: int) -> Exact:
        if width is None:
            return exact(local(level))
        return width if depth is not None and level > depth else min(width, exact(local(level)))

    return read


def range_ends(parts: Sequence[Profile], side: int) -> list[End]:
    """The lower (0) or upper (1) ends of the public ranges."""
    ends = [part.support[side] for part in parts]
    return [None if end is None else exact(end) for end in ends]


def sum_of(values: Sequence[End]) -> End:
    """The sum; None, no limit, if any value is None."""
    known = [value for value in values if value is not None]
    return exact(sum(known, Fraction(0))) if len(known) == len(values) else None


def extreme(
    values: Sequence[End], choose: Callable[[list[Exact]], Exact], *, skip: bool = False
) -> End:
    """The extreme of values of which None stands for no limit, which wins unless skipped."""
    known = [value for value in values if value is not None]
    return None if not known or (len(known) < len(values) and not skip) else choose(known)


def common_step(*steps: Rational) -> Exact:
    """The largest number of which all are whole multiples: no value leaves that lattice."""

    def both(a: Fraction, b: Fraction) -> Fraction:
        top = gcd(a.numerator * b.denominator, b.numerator * a.denominator)
        return Fraction(top, a.denominator * b.denominator)

    return exact(reduce(both, [Fraction(exact(step)) for step in steps]))


def joined(
    parts: tuple[Profile, ...],
    join: Callable[[list[Exact]], Rational],
    *,
    support: tuple[End, End],
    sensitivity: End,
    local: Callable[[list[Exact]], Rational],
) -> Profile:
    """A function that rises in every part, bound by bound."""

    def bounds(side: int) -> Bound:
        reads = [bound_of(part, side) for part in parts]

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
    known = [read for part in parts if (read := local_of(part)) is not None]
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
        resolution=common_step(*(part.resolution for part in parts)),
        integral=all(part.integral for part in parts),
        clamp=all(part.clamp for part in parts),
        unit=parts[0].unit,
    )


def mapped(
    profile: Profile,
    function: Callable[[Exact], Exact],
    *,
    falling: bool = False,
    ends: tuple[End, End] = (None, None),
) -> Profile:
    """One monotone function on value, bounds and range; a falling one swaps the sides.

    ``ends`` are what it makes of no limit below and of no limit above.
    """
    as_profile(profile)

    def bound(side: int) -> Bound:
        read = bound_of(profile, 1 - side if falling else side)

        def image(level: int) -> End:
            value = read(level)
            return ends[side] if value is None else exact(function(value))

        return image

    def end(side: int) -> End:
        limit = profile.support[1 - side if falling else side]
        return ends[side] if limit is None else exact(function(exact(limit)))

    return replace(
        profile,
        value=exact(function(exact(profile.value))),
        lower=bound(0),
        upper=bound(1),
        support=(end(0), end(1)),
        local_sensitivity=local_of(profile),
        depth=None,
        ratio=None,
        moments=None,
    )
