"""The laws that a sensitivity profile must obey, at one data set and at two neighbours.

Each is a condition of a proof in ``docs/proofs``: the neighbour law of every adaptive
mechanism, the sensitivity of Laplace noise, A(x', l) <= A(x, l + 1) of smooth sensitivity,
one direction of all bounds where a smaller budget is charged.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import cast

from leastnoise.profiles import exact
from leastnoise.statistics.foreign import as_statistic
from leastnoise.testing.readings import Bounds, Exact, Reading
from leastnoise.testing.violations import Subject

# x' is one change away from x, so what l changes reach from x' l + 1 changes must reach from x.
_REACH = "; one change more must reach at least as far"


def check_reading(subject: Subject, reading: Reading) -> None:
    """The laws of one profile: order, range, whole multiples."""
    here = subject.within(**_dropping(subject, reading), x=list(reading.data))
    for bounds in (reading.own, reading.lattice):
        _ordered(here, bounds)
        _inside(here, bounds)
    if reading.profile.integral:
        _whole(here, reading)


def _dropping(subject: Subject, reading: Reading) -> dict[str, object]:
    """Say so where missing rows are dropped, which makes another relation of replace-one."""
    relation = reading.public["relation of the profile"]
    if relation == subject.facts.get("relation"):
        return {}
    return {"relation of the profile": f"{relation}, as rows with missing values are dropped"}


def _ordered(here: Subject, b: Bounds) -> None:
    if not b.lower[0] == b.value == b.upper[0]:
        least, most, value = b.texts(b.lower[0], b.upper[0], b.value)
        raise here.violation(
            "lower(0) == upper(0) == value",
            f"lower(0) = {least}, upper(0) = {most}, value = {value}{b.kind}",
            l=0,
        )
    for level, (now, after) in enumerate(pairwise(b.upper)):
        if after < now:
            then, before = b.texts(after, now)
            raise here.violation(
                "upper bounds do not fall",
                f"upper({level + 1}) = {then} < upper({level}) = {before}{b.kind}",
                l=level,
            )
    for level, (now, after) in enumerate(pairwise(b.lower)):
        if after > now:
            then, before = b.texts(after, now)
            raise here.violation(
                "lower bounds do not rise",
                f"lower({level + 1}) = {then} > lower({level}) = {before}{b.kind}",
                l=level,
            )
    for level, (now, after) in enumerate(pairwise(b.local or ())):
        if after < now:
            then, before = b.texts(after, now)
            raise here.violation(
                "local sensitivity does not fall",
                f"A({level + 1}) = {then} < A({level}) = {before}{b.kind}",
                l=level,
            )


def _inside(here: Subject, b: Bounds) -> None:
    low, high = b.support
    for level, (least, most) in enumerate(zip(b.lower, b.upper, strict=True)):
        if (low is not None and least < low) or (high is not None and most > high):
            lower, upper, start, end = b.texts(least, most, low, high)
            raise here.violation(
                "inside support",
                f"[lower({level}), upper({level})] = [{lower}, {upper}] leaves "
                f"[{start}, {end}]{b.kind}",
                l=level,
            )


def _whole(here: Subject, reading: Reading) -> None:
    resolution = Fraction(exact(reading.profile.resolution))
    own = reading.own
    numbers: list[tuple[str, Exact | None]] = [("sensitivity", own.sensitivity)]
    numbers += [(f"upper({level})", v) for level, v in enumerate(own.upper)]
    numbers += [(f"lower({level})", v) for level, v in enumerate(own.lower)]
    numbers += [("support", end) for end in own.support]
    for name, number in numbers:
        if number is not None and (number / resolution).denominator != 1:
            raise here.violation(
                "integral: whole multiples of resolution",
                f"{name} = {number} is not a multiple of {resolution}",
            )


def check_parts(
    subject: Subject, statistic: object, x: tuple[Reading, ...], other: tuple[Reading, ...]
) -> None:
    """One record moves no more parts of an answer than share epsilon; scores keep their word."""
    choice = cast("tuple[object, ...] | None", x[0].public.get("choice"))
    if choice is not None:
        _choice(subject, x, other, monotone=bool(choice[3]), distances=bool(choice[4]))
    allowed = as_statistic(statistic).touched(str(x[0].public["relation of the profile"]))
    moved = sum(a.own != b.own for a, b in zip(x, other, strict=True))
    if allowed is not None and moved > allowed:
        raise subject.violation(
            "parts that one record can move share epsilon",
            f"{moved} parts move, but epsilon is divided by {allowed}",
            x=list(x[0].data),
            **{"x'": list(other[0].data)},
        )


def _choice(
    subject: Subject,
    x: tuple[Reading, ...],
    other: tuple[Reading, ...],
    *,
    monotone: bool,
    distances: bool,
) -> None:
    """Scores move in one direction where that is claimed; the nearest answer has distance 0."""
    here = subject.within(x=list(x[0].data), **{"x'": list(other[0].data)})
    moves = [b.own.value - a.own.value for a, b in zip(x, other, strict=True)]
    if monotone and min(moves) < 0 < max(moves):
        raise here.violation(
            "monotone: every score moves in one direction",
            f"one score rises by {max(moves)} and one falls by {-min(moves)}",
        )
    for name, side in (("x", x), ("x'", other)):
        best = max(reading.own.value for reading in side)
        if distances and best != 0:
            raise here.violation(
                "the answer is at distance 0", f"the nearest one at {-best}, {name}"
            )


def check_pair(subject: Subject, x: Reading, other: Reading) -> None:
    """The laws of two neighbours, in both directions."""
    here = subject.within(**_dropping(subject, x), x=list(x.data), **{"x'": list(other.data)})
    for name, public in x.public.items():
        if other.public[name] != public:
            raise here.violation(
                "public parameters do not depend on data",
                f"the {name} is {public} at x and {other.public[name]} at x'",
            )
    for ours, theirs in ((x.own, other.own), (x.lattice, other.lattice)):
        _neighbour_law(here, ours, theirs, "x", "x'")
        _neighbour_law(here, theirs, ours, "x'", "x")
        _sensitivity(here, ours, theirs)
        _local_law(here, ours, theirs, "x", "x'")
        _local_law(here, theirs, ours, "x'", "x")
    if x.profile.monotone:
        _one_direction(here, x.own, other.own)
    _ratio(here, x, other)


def _neighbour_law(here: Subject, a: Bounds, b: Bounds, x: str, other: str) -> None:
    for level in range(len(a.upper) - 1):
        if b.upper[level] > a.upper[level + 1]:
            theirs, ours = a.texts(b.upper[level], a.upper[level + 1])
            raise here.violation(
                "neighbour law",
                f"upper({other}, {level}) = {theirs} > "
                f"upper({x}, {level + 1}) = {ours}{a.kind}{_REACH}",
                l=level,
            )
        if b.lower[level] < a.lower[level + 1]:
            theirs, ours = a.texts(b.lower[level], a.lower[level + 1])
            raise here.violation(
                "neighbour law",
                f"lower({other}, {level}) = {theirs} < "
                f"lower({x}, {level + 1}) = {ours}{a.kind}{_REACH}",
                l=level,
            )


def _sensitivity(here: Subject, a: Bounds, b: Bounds) -> None:
    change = abs(a.value - b.value)
    if a.sensitivity is not None and change > a.sensitivity:
        one, two, moved, most = a.texts(a.value, b.value, change, a.sensitivity)
        raise here.violation(
            "global sensitivity",
            f"|value(x) - value(x')| = |{one} - {two}| = {moved} > sensitivity = {most}{a.kind}",
        )
    if a.local is not None and change > a.local[0]:
        one, two, moved, most = a.texts(a.value, b.value, change, a.local[0])
        raise here.violation(
            "local sensitivity",
            f"|value(x) - value(x')| = |{one} - {two}| = {moved} > A(x, 0) = {most}{a.kind}",
            l=0,
        )


def _local_law(here: Subject, a: Bounds, b: Bounds, x: str, other: str) -> None:
    if a.local is None or b.local is None:
        return
    for level in range(len(a.local) - 1):
        if b.local[level] > a.local[level + 1]:
            theirs, ours = a.texts(b.local[level], a.local[level + 1])
            raise here.violation(
                "smooth sensitivity",
                f"A({other}, {level}) = {theirs} > A({x}, {level + 1}) = {ours}{a.kind}",
                l=level,
            )


def _one_direction(here: Subject, a: Bounds, b: Bounds) -> None:
    """All of upper and lower move up from x to x', or all move down."""
    moves = [
        (name, level, after - now)
        for name, ours, theirs in (("upper", a.upper, b.upper), ("lower", a.lower, b.lower))
        for level, (now, after) in enumerate(zip(ours, theirs, strict=True))
    ]
    up = next((m for m in moves if m[2] > 0), None)
    down = next((m for m in moves if m[2] < 0), None)
    if up is not None and down is not None:
        rise, fall = a.texts(up[2], -down[2])
        raise here.violation(
            "monotone: every bound moves in one direction",
            f"from x to x' {up[0]}({up[1]}) rises by {rise} and "
            f"{down[0]}({down[1]}) falls by {fall}",
            l=min(up[1], down[1]),
        )


def _ratio(here: Subject, x: Reading, other: Reading) -> None:
    """Both halves of epsilon together: |T - T'| / weight + |N - N'| <= 2."""
    a, b = x.profile.ratio, other.profile.ratio
    if a is None or b is None:
        return
    spent = Fraction(abs(a.total - b.total), a.weight) + abs(a.count - b.count)
    if spent > 2:
        raise here.violation(
            "noisy ratio",
            f"|T - T'| / weight + |N - N'| = |{a.total} - {b.total}| / {a.weight} + "
            f"|{a.count} - {b.count}| = {spent} > 2",
        )
