"""Random data of a front end, a change of one row, and what it may change."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from leastnoise.foreign import guarded, stop_if_signalled
from leastnoise.testing.locality.objects import SECRET, show
from leastnoise.testing.locality.readings import ROWS, Given, Read, Refusal, Seen, chain
from leastnoise.testing.locality.surroundings import Setting, Watch, under
from leastnoise.testing.statistic_laws import check_pair
from leastnoise.testing.violations import PrivacyViolation, Subject

if TYPE_CHECKING:
    from leastnoise.testing.locality.front_ends import ColumnKind

# Seconds in which one violation is made smaller.
_PATIENCE = 5.0
Row = tuple[Any, ...]
Rows = tuple[Row, ...]
Build = Callable[[Sequence["ColumnKind"], Rows], Given]


@dataclass(frozen=True, slots=True)
class Case:
    """Rows, the change of one of them, and how they are given and read.

    ``row`` stands in place of the row at ``at``; None: that row is left out. ``reference`` hands
    the same rows over to be read in memory. What x' is read under are names of settings.
    """

    kinds: tuple[ColumnKind, ...]
    rows: Rows
    at: int
    row: Row | None
    build: Build
    reads: tuple[Read, ...]
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    reference: Build | None = None

    @property
    def other(self) -> Rows:
        """The rows with the change."""
        added = () if self.row is None else (self.row,)
        return (*self.rows[: self.at], *added, *self.rows[self.at + 1 :])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one reading: something seen, a refusal or a failure, and what got out."""

    seen: Seen | None
    error: str
    refused: bool
    said: tuple[str, ...] = ()


class Unbuilt(Exception):
    """The library of the front end does not take these entries."""


def _outcomes(
    case: Case,
    build: Build,
    rows: Rows,
    watch: Watch,
    settings: Mapping[str, Setting],
) -> list[Outcome]:
    """Hand rows over and read them in every way; no exception of a reading passes."""
    with guarded():
        try:
            given = build(case.kinds, rows)
        except BaseException as error:  # an entry may raise anything
            stop_if_signalled()
            raise Unbuilt from error

    def outcome(read: Read) -> Outcome:
        def work() -> Outcome:
            try:
                return Outcome(read(given), "", refused=False)
            except Refusal as refusal:
                return Outcome(None, str(refusal), refused=True)
            except BaseException as error:  # whatever a reading raises is what is looked for
                stop_if_signalled()
                return Outcome(None, chain(error), refused=False)

        with guarded():
            found, said = watch(lambda: under(settings, work))
        return replace(found, said=said)

    return [outcome(read) for read in case.reads]


Known = tuple[list[Outcome], Sequence[Outcome | None]]


def known(case: Case, watch: Watch) -> Known:
    """What is read of the rows without the change, and of the same rows in memory."""
    ours = _outcomes(case, case.build, case.rows, watch, {})
    if case.reference is None:
        return ours, [None] * len(ours)
    return ours, _outcomes(case, case.reference, case.rows, watch, {})


def violations(
    case: Case, sides: Known, watch: Watch
) -> tuple[list[tuple[Read, PrivacyViolation]], int]:
    """What one changed row changes that it may not, by reading; and how many were refused."""
    ours, memory = sides
    theirs = _outcomes(case, case.build, case.other, watch, case.settings)
    found: list[tuple[Read, PrivacyViolation]] = []
    for read, x, other, there in zip(case.reads, ours, theirs, memory, strict=True):
        difference = _difference(case, x, other)
        if difference is None and there is not None and x.seen is not None:
            difference = _unlike(x.seen, there)
        if difference is not None:
            found.append((read, _violation(case, read, *difference)))
    return found, sum(x.refused for x in ours)


def _difference(case: Case, x: Outcome, other: Outcome) -> tuple[str, str] | None:
    for name, one in (("x", x), ("x'", other)):
        if one.seen is None and not one.refused:
            return "no error depends on data", f"{name}: {one.error}"
        if one.said:
            return "nothing is printed, logged or warned about", f"{name}: {' | '.join(one.said)}"
        if SECRET in one.error:
            return "no error quotes an entry", f"{name}: {one.error}"
    if x.error != other.error:
        return (
            "a refusal depends on the schema alone",
            f"x: {x.error or 'read'}; x': {other.error or 'read'}",
        )
    if x.seen is None or other.seen is None:
        return None
    return _apart(case, x.seen, other.seen)


def _apart(case: Case, x: Seen, other: Seen) -> tuple[str, str] | None:
    for name in x.public.keys() | other.public.keys():
        if case.row is None and name == ROWS:
            continue
        if x.public.get(name) != other.public.get(name):
            return (
                "public parameters do not depend on data",
                f"{name}: {x.public.get(name)} at x and {other.public.get(name)} at x'",
            )
    keep = slice(case.at + 1, None), slice(case.at + (case.row is not None), None)
    for name in x.rows.keys() | other.rows.keys():
        ours, theirs = x.rows.get(name, ()), other.rows.get(name, ())
        if len(ours) - len(theirs) != (case.row is None) and ours != theirs:
            return "one entry a row", f"{name}: {len(ours)} at x and {len(theirs)} at x'"
        ours, theirs = (
            [*side[: case.at], *side[rest]] for side, rest in zip((ours, theirs), keep, strict=True)
        )
        if ours != theirs:
            return "no row decides how another is read", f"{name}: {_shown(ours, theirs)}"
    for name in x.groups.keys() | other.groups.keys():
        ours, theirs = (
            _renamed([*side[: case.at], *side[rest]])
            for side, rest in zip(
                (x.groups.get(name, ()), other.groups.get(name, ())), keep, strict=True
            )
        )
        if ours != theirs:
            return "no row decides which others are equal", f"{name}: {_shown(ours, theirs)}"
    for name in x.bags.keys() | other.bags.keys():
        one, two = Counter(x.bags.get(name, ())), Counter(other.bags.get(name, ()))
        if (one - two).total() > 1 or (two - one).total() > (case.row is not None):
            return (
                "one row changes one row of what is left",
                f"{name}: {_few(one - two)} go and {_few(two - one)} come",
            )
    return _laws(case, x, other)


def _laws(case: Case, x: Seen, other: Seen) -> tuple[str, str] | None:
    for name, readings in x.profiles.items():
        theirs = other.profiles.get(name, ())
        if len(readings) != len(theirs):
            return "public parameters do not depend on data", f"{name}: parts of the answer"
        try:
            subject = Subject("")
            for a, b in zip(readings, theirs, strict=True):
                check_pair(subject, a, b)
        except PrivacyViolation as violation:
            return violation.law, f"{name} {str(violation).splitlines()[0].partition(': ')[2]}"
    return None


def _unlike(x: Seen, there: Outcome) -> tuple[str, str] | None:
    law = "an engine reads what memory reads"
    if there.seen is None:
        return law, f"memory: {there.error}"
    for name, ours in x.bags.items():
        theirs = there.seen.bags.get(name, there.seen.rows.get(name, ()))
        if Counter(ours) != Counter(theirs):
            one, two = Counter(ours), Counter(theirs)
            return law, f"{name}: {_few(one - two)}, and memory {_few(two - one)}"
    for name, readings in x.profiles.items():
        for a, b in zip(readings, there.seen.profiles.get(name, ()), strict=True):
            if a.own != b.own or a.lattice != b.lattice:
                return law, f"{name}: value {a.own.value}, and in memory {b.own.value}"
    return None


def _renamed(codes: Sequence[int]) -> list[int]:
    """Numbers that tell rows apart, by the order in which they are met; -1 stays."""
    known: dict[int, int] = {-1: -1}
    return [known.setdefault(code, len(known)) for code in codes]


def _few(bag: Counter[Any]) -> str:
    listed = [show(x) for x in list(bag.elements())[:4]]
    return f"[{', '.join(listed)}{', ...' if bag.total() > 4 else ''}]"


def _shown(ours: Sequence[object], theirs: Sequence[object]) -> str:
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return f"{show(a)} at x and {show(b)} at x' (the {i + 1}. of the other rows)"
    return f"{len(ours)} and {len(theirs)} other rows"


def _violation(case: Case, read: Read, law: str, detail: str) -> PrivacyViolation:
    def line(row: Row | None) -> str:
        if row is None:
            return "left out"
        return ", ".join(show(entry) for entry in row)

    facts: dict[str, object] = {
        "read by": read.told,
        "columns": ", ".join(kind.name for kind in case.kinds),
        "x": "; ".join(line(row) for row in case.rows[:12])
        + (f"; ... ({len(case.rows)} rows)" if len(case.rows) > 12 else ""),
        "changed row": f"{case.at + 1}: {line(case.rows[case.at])} -> {line(case.row)}",
    }
    if case.settings:
        facts["x' is read under"] = ", ".join(case.settings)
    return PrivacyViolation("", law, detail, **facts)


def shrunk(case: Case, read: Read, violation: PrivacyViolation, watch: Watch) -> PrivacyViolation:
    """The violation of the same law in the smallest case that a greedy search finds in time."""
    case = replace(case, reads=(read,))
    better, end = True, time.monotonic() + _PATIENCE
    while better:
        better = False
        for smaller in _smaller(case):
            if time.monotonic() > end:
                return violation
            try:
                again, _ = violations(smaller, known(smaller, watch), watch)
            except Unbuilt:
                continue
            if again and again[0][1].law == violation.law:
                case, violation, better = smaller, again[0][1], True
                break
    return violation


def _smaller(case: Case) -> Iterator[Case]:
    for name in case.settings:
        yield replace(case, settings={k: v for k, v in case.settings.items() if k != name})
    size = len(case.rows)
    for length in sorted({size // 2, size // 4, 1} - {0}, reverse=True):
        for start in range(0, size, length):
            stop = min(start + length, size)
            if start <= case.at < stop:
                continue
            rows = (*case.rows[:start], *case.rows[stop:])
            yield replace(case, rows=rows, at=case.at - (stop - start if stop <= case.at else 0))
    if case.row is None:
        return
    for j in range(len(case.kinds)):  # columns that need no change
        if case.row[j] is not case.rows[case.at][j]:
            yield replace(case, row=_with(case.row, j, case.rows[case.at][j]))
    for j in range(len(case.kinds)):  # entries that a plainer one of the same column stands for
        plainest = min((row[j] for row in case.rows), key=lambda entry: len(show(entry)))
        for i, row in enumerate(case.rows):
            if show(row[j]) != show(plainest):
                changed = (*case.rows[:i], _with(row, j, plainest), *case.rows[i + 1 :])
                yield replace(case, rows=changed)


def _with(row: Row, j: int, entry: Any) -> Row:
    return (*row[:j], entry, *row[j + 1 :])
