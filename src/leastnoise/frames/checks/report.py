"""NOT PRIVATE. What a check found: in words, with the options that would mend it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leastnoise.frames.contract import STANDARD

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
        Keywords of ``leastnoise.open`` that would mend it.
    """

    where: str
    what: str
    cure: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.what}; {self.cure}"


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
        """The same, where options were given: what mends the rest is told with them."""
        marks = given.get("missing_values")
        if marks is None:
            return replace(self, given=given)
        findings: list[Finding] = []
        for finding in self.findings:
            found = [x for x in finding.options.get("missing_values", ()) if x not in STANDARD]
            more = {"missing_values": [*dict.fromkeys([*marks, *found])]} if found else {}
            findings.append(replace(finding, options={**finding.options, **more}))
        return replace(self, findings=tuple(findings), given=given)

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of ``leastnoise.open`` that would mend what was found, and those that were
        given; none if nothing mends it.
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
    def mending(self) -> str:
        """What stands before the options: which findings they mend, and which need more."""
        places = {
            told: [str(i) for i, x in enumerate(self.findings, 1) if bool(x.options) is told]
            for told in (True, False)
        }
        if not places[False]:
            return "All options together that would mend it:"
        return (
            f"All options together that would mend {', '.join(places[True])}; they do not mend "
            f"{', '.join(places[False])}, see there:"
        )

    def lines(self) -> list[str]:
        """The report without the options."""
        lines = [WARNING, "", *map(str, self.columns), ""]
        if any(column.others or column.dates for column in self.columns):
            lines += [LABELS, ""]
        if not self.findings:
            lines.append("Nothing was found that reads otherwise than it looks.")
        return [*lines, *(f"{i}. {finding}" for i, finding in enumerate(self.findings, 1))]

    def __str__(self) -> str:
        lines = self.lines()
        if self.options:
            written = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
            lines += ["", f"{self.mending} {written}"]
        return "\n".join(lines)


def column_of(name: str) -> str:
    """A column as a condition names it."""
    return name if name.isidentifier() else f"`{name}`"


def without(name: str, words: Sequence[str], found: Iterable[str]) -> str:
    """The condition that drops rows with these words in a column, and none with no entry there."""
    column = column_of(name)
    told = f"!= {words[0]!r}" if len(words) == 1 else f"not in {[*words]!r}"
    none = any(not x.strip() or x.strip() in STANDARD for x in found)
    return f"{column} {told} or is_missing({column})" if none else f"{column} {told}"


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
