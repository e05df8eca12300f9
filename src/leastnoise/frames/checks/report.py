"""NOT PRIVATE. What a check found: in words, with the options that would fix it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from leastnoise.frames.contract import STANDARD
from leastnoise.summaries.predicates import Predicate, col

OTHERS = "keep the others by a filter"
_COL = re.compile(r"(?<![\w.'\"])col\(")
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DATE = re.compile(r"date\('(\d{4})-(\d\d)-(\d\d)'\)", re.ASCII)

WARNING = (
    "NOT PRIVATE: this looks at the data itself. It is for whoever may see all of it; publish "
    "nothing of it, and take no bounds, keys or labels from it."
)

LABELS = (
    "Labels are counted by categories=, or all of them with labels=True, and so are dates that are "
    "written as text; statistics of numbers, and a count of a column without labels=True, read "
    "none of them."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """NOT PRIVATE. One thing that reads otherwise than its author meant.

    Parameters
    ----------
    where
        The column, or "" for the whole file.
    what
        What it is, and what it does to an answer.
    cure
        What to do.
    options
        Keywords of ``leastnoise.open`` that would fix it.
    kept
        The filter that the cure speaks of: which rows it keeps.
    """

    where: str
    what: str
    cure: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kept: Predicate | None = None

    def marking(self, known: Sequence[object] | None) -> Finding:
        """The same, where these stand for none already; None where nothing can be declared."""
        marks = self.options.get("missing_values")
        if marks is None:
            return self
        rest = {name: value for name, value in self.options.items() if name != "missing_values"}
        if known is not None:
            return replace(
                self, options={**rest, "missing_values": [*dict.fromkeys([*known, *marks])]}
            )
        cure = f"write NULL for it in the engine's own query, or {OTHERS}"
        kept = without(self.where, [*map(_day_of, marks)])
        return replace(self, cure=f"where it means missing, {cure}", options=rest, kept=kept)

    def words(self, by: Callable[[Predicate], str]) -> str:
        """In words; ``by`` writes a filter."""
        place = f"{self.where}: " if self.where.strip() else ""
        told = f"{place}{self.what}; {self.cure}"
        return told if self.kept is None else told.removesuffix("a filter") + by(self.kept)

    def __str__(self) -> str:
        return self.words(_in_python)


@dataclass(frozen=True, slots=True)
class CheckedColumn:
    """NOT PRIVATE. What the entries of one column are.

    Parameters
    ----------
    name
        As in the file; None of data without names.
    rows, numbers, dates, missing
        How many entries there are, and how many are read as numbers, as times, or as missing.
    others
        Some of the other entries, the most frequent first, and how often each is
        there.
    """

    name: str | None
    rows: int
    numbers: int
    dates: int
    missing: int
    others: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        held = self.rows - self.missing
        parts = [f"{_share(self.numbers, held)} numbers"]
        if self.dates:
            parts.append(f"{_share(self.dates, held)} dates or times in ISO form")
        if self.missing:
            parts.append(f"{_share(self.missing, self.rows)} of the rows missing")
        if self.others:
            shown = ", ".join(f"{text!r} ({times})" for text, times in self.others)
            parts.append(f"neither: {shown}")
        return f"{self.name or 'the column'}: {'; '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Checked:
    """NOT PRIVATE. What ``check`` found in data; it enters no record."""

    columns: tuple[CheckedColumn, ...] = ()
    findings: tuple[Finding, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def beside(self, given: Mapping[str, Any]) -> Checked:
        """The same, where options were given: what fixes the rest is told with them."""
        return replace(self, given=given)

    def marking(self, known: Sequence[object] | None) -> Checked:
        """The same; what stands for none is told beside what did so already, or, where nothing can
        be declared, in words of a query.
        """
        return replace(self, findings=tuple(x.marking(known) for x in self.findings))

    @property
    def marks(self) -> bool:
        """Whether something stands for none that is not declared."""
        return any("missing_values" in x.options for x in self.findings)

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of ``leastnoise.open`` that would fix what was found, and those that were
        given; none if nothing fixes it.
        """
        found: dict[str, Any] = {}
        for finding in self.findings:
            for name, value in finding.options.items():
                if name == "missing_values":  # several columns may have words of their own
                    found[name] = [*dict.fromkeys([*found.get(name, ()), *value])]
                else:
                    found.setdefault(name, value)
        if not found:
            return {}
        signs = {found.get("decimal"), found.get("thousands")}
        kept = {
            name: value
            for name, value in self.given.items()
            if name not in ("decimal", "thousands") or value not in signs
        }
        return {**kept, **found}

    @property
    def fixing(self) -> str:
        """What stands before the options: which findings they fix, and which need more."""
        places = {
            told: [str(i) for i, x in enumerate(self.findings, 1) if bool(x.options) is told]
            for told in (True, False)
        }
        if not places[False]:
            return "All options together that would fix it:"
        return (
            f"All options together that would fix {', '.join(places[True])}; they do not fix "
            f"{', '.join(places[False])}, see there:"
        )

    def lines(self, by: Callable[[Predicate], str] | None = None) -> list[str]:
        """The report without the options; ``by`` writes a filter, else it is Python."""
        lines = [WARNING, "", *map(str, self.columns), ""]
        if any(column.others or column.dates for column in self.columns):
            lines += [LABELS, ""]
        if not self.findings:
            lines.append("Nothing was found that reads differently from how it looks.")
        listed = (finding.words(by or _in_python) for finding in self.findings)
        return [*lines, *(f"{i}. {words}" for i, words in enumerate(listed, 1))]

    def __str__(self) -> str:
        lines = self.lines()
        if self.options:
            written = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
            lines += ["", f"{self.fixing} {written}"]
        return "\n".join(lines)


def without(
    name: str, words: Sequence[str | float | datetime.date], found: Iterable[str] = ()
) -> Predicate | None:
    """The filter that drops rows with these in a column, and none with no entry there; of a column
    that has a name.
    """
    if not name.strip():
        return None
    column = col(name)
    others = column != words[0] if len(words) == 1 else ~column.is_in(words)
    none = any(not x.strip() or x.strip() in STANDARD for x in found)
    return others | column.is_missing() if none else others


def _day_of(mark: str | float) -> str | float | datetime.date:
    """A day that stands for none, which a filter compares as one."""
    if isinstance(mark, str) and _DAY.match(mark):
        with suppress(ValueError):
            return datetime.date.fromisoformat(mark[:10])
    return mark


def _in_python(kept: Predicate) -> str:
    shown = _DATE.sub(lambda m: f"datetime.date({int(m[1])}, {int(m[2])}, {int(m[3])})", str(kept))
    return f"data.where({_COL.sub(r'ln.col(', shown)})"


def _share(part: int, whole: int) -> str:
    if not whole:
        return "0 %"
    share = 100 * part / whole
    if part and share < 0.1:
        return "less than 0.1 %"
    return "all but a few" if part < whole and share >= 99.95 else f"{share:.3g} %"


def merged(reports: Sequence[Checked]) -> Checked:
    """Several reports as one."""
    return Checked(
        tuple(column for report in reports for column in report.columns),
        tuple(finding for report in reports for finding in report.findings),
    )
