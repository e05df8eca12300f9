"""A statistic's profile at one data set, read off in full: exact numbers that laws compare.

A reading goes the way of a release: schema, policy for missing values, relation of the
profile, summary, profile, output lattice. So a fault anywhere on that way is seen, not only
one in the statistic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np

from leastnoise.foreign import is_tuple
from leastnoise.profiles import LIMITLESS, Profile, Rational, Scores, exact, on_grid
from leastnoise.session.prepare import StatisticPlan, plan
from leastnoise.testing.violations import PrivacyViolation, Subject

Exact = int | Fraction
# Fractions of denominators up to this are printed as they are, others to so many digits.
_SHORT, _DIGITS, _HUGE = 10_000, 10, 10**300
AsData = Callable[[tuple[Any, ...]], Any]


@dataclass(frozen=True, slots=True)
class Bounds:
    """``upper`` and ``lower`` for l = 0, 1, ..., with the sensitivities beside them.

    ``kind`` says which numbers these are: the profile's own, or those on the output lattice;
    ``unit`` is what 1 means in the user's units.
    """

    kind: str
    unit: Fraction
    value: Exact
    upper: tuple[Exact, ...]
    lower: tuple[Exact, ...]
    support: tuple[Exact | None, Exact | None]
    sensitivity: Exact | None
    local: tuple[Exact, ...] | None

    def texts(self, *numbers: Exact | None) -> list[str]:
        """Numbers in the user's units, rounded unless that would make different ones equal."""
        values = [n if n is None or abs(n) >= LIMITLESS else n * self.unit for n in numbers]
        finite = {float(v) for v in values if v is not None and abs(v) < _HUGE}
        apart = len({f"{v:.{_DIGITS}g}" for v in finite}) == len({*values} - {None})
        return [_text(v, exactly=not apart) for v in values]


def _text(value: Exact | None, *, exactly: bool) -> str:
    if value is None or abs(value) >= LIMITLESS:
        return "no limit"
    if exactly or value.denominator <= _SHORT or abs(value) >= _HUGE:
        return str(value)
    return f"{float(value):.{_DIGITS}g}"


@dataclass(frozen=True, slots=True)
class Reading:
    """One profile at one data set of the check's own making.

    ``public`` holds what must be equal for neighbours, since records and laws show or use it as
    public.
    """

    data: tuple[Any, ...]
    profile: Profile
    public: dict[str, object]
    own: Bounds
    lattice: Bounds


class Reader:
    """Reads every profile of a statistic at data sets made of given records."""

    def __init__(
        self,
        subject: Subject,
        statistic: object,
        *,
        relation: str,
        missing: object,
        as_data: AsData,
        depth: int | None,
    ) -> None:
        self.subject = subject
        self.statistic, self.relation, self.missing = statistic, relation, missing
        self.as_data, self.depth = as_data, depth
        # errors of parameters and schema are the caller's, and come before any record is looked at
        self._plan(())

    def _plan(self, records: tuple[Any, ...]) -> StatisticPlan:
        return plan(self.statistic, self.as_data(records), self.relation, self.missing)

    def __call__(self, records: tuple[Any, ...], levels: int) -> tuple[Reading, ...]:
        """One reading of ``levels`` levels for each profile of the statistic."""
        try:
            return read(self._plan(records), records, levels, self.subject, self.depth)
        except PrivacyViolation:
            raise
        except Exception as error:
            raise self.subject.violation(
                "no error depends on data", f"{type(error).__name__}: {error}", x=list(records)
            ) from error


def read(
    prepared: StatisticPlan,
    records: tuple[Any, ...],
    levels: int,
    subject: Subject,
    depth: int | None,
) -> tuple[Reading, ...]:
    """The readings of a plan whose table holds these records."""
    summary = prepared.table.summarise(prepared.request, depth)
    found = prepared.profiles(summary)
    profiles = [part for one in found for part in _parts(one)]
    choice: object = found[0] if found else None
    shape: dict[str, object] = {
        "number of parts": len(profiles),
        "choice": choice.public if isinstance(choice, Scores) else None,
        "request": prepared.request,
        "relation of the profile": prepared.profile_relation,
        # a row count that a profile may use is public only if no row was dropped
        "number of rows kept": getattr(summary, "n", None) if prepared.n_public else None,
    }
    return tuple(_read(records, levels, p, shape, subject) for p in profiles)


def _read(
    records: tuple[Any, ...],
    levels: int,
    profile: Profile,
    shape: dict[str, object],
    subject: Subject,
) -> Reading:
    own, lattice = _own(profile, records, levels, subject), _lattice(profile, levels)
    ratio = profile.ratio
    # what other parameters follow from stands first, so that the cause is what is shown
    public: dict[str, object] = {
        **shape,
        "unit": profile.unit,
        "resolution": exact(profile.resolution),
        "depth": profile.depth,
        "support": own.support,
        "sensitivity": own.sensitivity,
        "support on the lattice": lattice.support,
        "sensitivity on the lattice": lattice.sensitivity,
        "monotone": profile.monotone,
        "integral": profile.integral,
        "clamp": profile.clamp,
        "ratio": None if ratio is None else (ratio.weight, ratio.middle, ratio.scale),
    }
    return Reading(records, profile, public, own, lattice)


def _own(profile: Profile, records: tuple[Any, ...], levels: int, subject: Subject) -> Bounds:
    def number(value: object, name: str) -> Exact:
        if not _is_exact(value):
            raise subject.violation(
                "exact numbers",
                f"{name} is {value!r}, a {type(value).__name__}; it must be an int, a "
                "Fraction or a pair (numerator, denominator > 0)",
                x=list(records),
            )
        return exact(value)

    def bound(
        read: Callable[[int], object], end: Exact | None, name: str, limitless: Exact = 0
    ) -> tuple[Exact, ...]:
        depth = profile.depth
        found: list[Exact] = []
        for level in range(levels):
            if depth is not None and level > depth and end is not None:
                found.append(end)
                continue
            value = read(level)
            if value is None and limitless and end is None:  # no limit where support has none
                value = limitless
            found.append(number(value, f"{name}({level})"))
        return tuple(found)

    low, high = (None if end is None else number(end, "support") for end in profile.support)
    local = profile.local_sensitivity
    width, whole = _width(low, high), profile.sensitivity
    return Bounds(
        "",
        Fraction(1) if profile.unit is None else profile.unit,
        number(profile.value, "value"),
        bound(profile.upper, high, "upper", LIMITLESS),
        bound(profile.lower, low, "lower", -LIMITLESS),
        (low, high),
        profile.global_sensitivity if whole is None else number(whole, "sensitivity"),
        None if local is None else _cut(bound(local, width, "local_sensitivity"), width),
    )


def _parts(profile: Profile | Scores) -> list[Profile]:
    """The profile itself, or one a candidate: its score, which a record moves by so much."""
    if not isinstance(profile, Scores):
        return [profile]
    step = exact(profile.sensitivity)

    def one(score: Exact) -> Profile:
        return Profile(
            value=score,
            lower=lambda level: score - level * step,
            upper=lambda level: score + level * step,
            support=(None, None),
            sensitivity=step,
        )

    return [one(exact(value)) for value in profile.values]


def _lattice(profile: Profile, levels: int) -> Bounds:
    grid = on_grid(profile)
    return Bounds(
        " on the lattice",
        grid.step,
        grid.centre,
        tuple(grid.upper(level) for level in range(levels)),
        tuple(grid.lower(level) for level in range(levels)),
        (grid.low, grid.high),
        grid.sensitivity,
        # the default of A(l) looks at level l + 1
        _cut(
            tuple(grid.local_sensitivity(level) for level in range(levels - 1)),
            _width(grid.low, grid.high),
        ),
    )


def _width(low: Exact | None, high: Exact | None) -> Exact | None:
    return None if low is None or high is None else high - low


def _cut(local: tuple[Exact, ...], width: Exact | None) -> tuple[Exact, ...]:
    """Local sensitivities as a mechanism reads them: no change exceeds the width of the range."""
    return local if width is None else tuple(min(a, width) for a in local)


def _is_exact(value: object) -> TypeGuard[Rational]:
    if is_tuple(value):
        whole = [part for part in value if isinstance(part, int) and type(part) is int]
        return len(value) == len(whole) == 2 and whole[1] > 0
    return isinstance(value, (int, Fraction)) and not isinstance(value, bool)


def as_column(universe: Sequence[Any], column: str | None) -> AsData:
    """How records become data: one typed column, bare or in a frame with this name.

    The type is fixed by the universe, never by the records at hand: whole numbers give an integer
    column, anything else a column of floats in which None and NaN are missing. Records that are
    tuples give one column each.
    """
    if universe and isinstance(universe[0], tuple):
        makers = [as_column(entries, None) for entries in zip(*universe, strict=True)]
        return lambda records: tuple(
            make(tuple(row[i] for row in records)) for i, make in enumerate(makers)
        )
    whole = all(isinstance(v, int) and abs(v) < 2**63 for v in universe)
    dtype = np.int64 if whole else np.float64

    def make(records: tuple[Any, ...]) -> Any:
        values = [float("nan") if v is None else v for v in records]
        array = np.array(values, dtype=dtype)
        return array if column is None else {column: array}

    return make
