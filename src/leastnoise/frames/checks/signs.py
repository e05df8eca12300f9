"""NOT PRIVATE. The signs in numbers that columns of one file were found to have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING

from leastnoise.frames.checks.report import Checked

if TYPE_CHECKING:
    from leastnoise.frames.readers.values import Dialect

_SIGNS = ("decimal", "thousands")
_MANY = 10  # entries of a column for one that would be lost, which may be a typing error


@dataclass(frozen=True, slots=True)
class Signs:
    """What mends all columns, or why nothing does.

    Parameters
    ----------
    dialect
        The given one, with the signs that were found.
    doubt
        Why an option mends one column and not another; "" if there is no such.
    """

    dialect: Dialect
    doubt: str = ""

    def offered(self, reports: Mapping[str, Checked]) -> dict[str, Checked]:
        """The reports; without the options, where these would do harm."""
        if not self.doubt:
            return {**reports}
        return {name: _without(report) for name, report in reports.items()}


def signs_of(
    reports: Mapping[str, Checked], entries: Mapping[str, Sequence[str]], dialect: Dialect
) -> Signs:
    """The signs that columns have, and whether one option is right for all of them."""
    found: dict[str, dict[str, str]] = {option: {} for option in _SIGNS}
    for name, report in reports.items():
        for option in _SIGNS:
            if option in report.options:
                found[option].setdefault(report.options[option], name)
    thousands, decimals = found["thousands"], found["decimal"]
    if len(thousands) > 1:
        shown = " and ".join(f"{sign!r} in {name!r}" for sign, name in thousands.items())
        return Signs(dialect, f"thousands are parted by several signs, {shown}")
    for sign in thousands.keys() & decimals.keys():
        return Signs(
            dialect,
            f"{sign!r} may part thousands in {thousands[sign]!r} and is the decimal sign in "
            f"{decimals[sign]!r}",
        )
    signs: dict[str, str | None] = {x: next(iter(found[x])) for x in _SIGNS if found[x]}
    if signs.get("thousands") == dialect.decimal:  # what was given was wrong, and gives way
        signs.setdefault("decimal", ".")
    elif signs.get("decimal") == dialect.thousands:
        signs.setdefault("thousands", None)
    mended = replace(dialect, **signs)
    for name, text in _lost(reports, entries, dialect, mended):
        what = " and ".join(f"{option}={sign!r}" for option, sign in signs.items())
        return Signs(dialect, f"{what} would mend a column, but then {text!r} in {name!r} is none")
    return Signs(mended)


def _lost(
    reports: Mapping[str, Checked],
    entries: Mapping[str, Sequence[str]],
    dialect: Dialect,
    mended: Dialect,
) -> Iterator[tuple[str, str]]:
    """Columns of which many numbers would be none, each with such an entry."""
    if mended == dialect:
        return
    for name, report in reports.items():
        column = report.columns[0]
        counts = Counter(entries[name]) if column.numbers else Counter[str]()
        lost = [
            text
            for text in counts
            if not isnan(dialect.number(text)) and isnan(mended.number(text))
        ]
        if lost and sum(counts[text] for text in lost) * _MANY >= column.rows - column.missing:
            yield name, lost[0]


def _without(report: Checked) -> Checked:
    findings = [
        replace(x, options={k: v for k, v in x.options.items() if k not in _SIGNS})
        for x in report.findings
    ]
    return replace(report, findings=tuple(findings))
