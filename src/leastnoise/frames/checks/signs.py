"""NOT PRIVATE. The signs in numbers that a column, or all columns, were found to have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from leastnoise.frames.checks.counted import Entries
from leastnoise.frames.checks.report import Checked, Finding
from leastnoise.frames.readers.values import Dialect

_SIGNS = ("decimal", "thousands")
_MANY = 10  # entries of a column for one that would be lost, which may be a typing error


@dataclass(frozen=True, slots=True)
class Signs:
    """What fixes all columns, or why nothing does.

    Parameters
    ----------
    dialect
        The given one, with the signs that were found.
    doubt
        Why an option fixes one column and not another; "" if there is no such.
    """

    dialect: Dialect
    doubt: str = ""

    def offered(self, reports: Mapping[str, Checked]) -> dict[str, Checked]:
        """The reports; without the options, where these would do harm."""
        if not self.doubt:
            return {**reports}
        return {name: _without(report) for name, report in reports.items()}


def signs_of(
    reports: Mapping[str, Checked], entries: Mapping[str, Entries], dialect: Dialect
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
        return Signs(dialect, f"thousands are separated by several signs, {shown}")
    for sign in thousands.keys() & decimals.keys():
        return Signs(
            dialect,
            f"{sign!r} may part thousands in {thousands[sign]!r} and is the decimal sign in "
            f"{decimals[sign]!r}",
        )
    signs = {x: next(iter(found[x])) for x in _SIGNS if found[x]}
    corrected = _with_signs(dialect, signs)
    for name, text in _lost(reports, entries, dialect, corrected):
        return Signs(
            dialect, f"{_written(signs)} would fix a column, but then {text!r} in {name!r} is none"
        )
    return Signs(corrected)


def in_one_way(
    findings: Sequence[Finding], counts: Mapping[str, int], dialect: Dialect
) -> list[Finding]:
    """The findings of a column; where no option reads all of its numbers, how many each leaves.

    Parameters
    ----------
    findings
        One for each kind of entry that is no number as the column is read.
    counts
        How often each entry is there that is a number, perhaps with other signs.
    dialect
        How the column is read.
    """
    offered = [x for x in findings if x.options.keys() & set(_SIGNS)]
    ways: list[Mapping[str, str]] = [dict(x.options) for x in offered]
    united = {option: sign for way in reversed(ways) for option, sign in way.items()}
    together = [united] if len({*united.values()}) == len(united) else []
    if not offered or (together and not _unread(counts, _with_signs(dialect, united))):
        return [*findings]
    lost = sorted(
        ((way, _unread(counts, _with_signs(dialect, way))) for way in ({}, *together, *ways)),
        key=lambda item: item[1].total(),
    )
    best = [item for i, item in enumerate(lost) if not any(item[1] >= x[1] for x in lost[:i])]
    total = sum(counts.values())
    told = "; ".join(
        f"{'with ' + _written(way) if way else 'as it is read'} {unread.total()} of {total} are "
        f"missing, such as {unread.most_common(1)[0][0]!r}"
        for way, unread in best
    )
    way, unread = best[0]
    few = bool(way) and unread.total() * _MANY < total
    cure = "rewrite the column, each entry on its own and all in one way"
    if few:
        cure = f"give {_written(way)} if the others are typing errors, or else {cure}"
    mixed = Finding(
        offered[0].where,
        f"numbers are written in several ways, and no option reads all of them: {told}",
        cure,
        way if few else {},
    )
    return [mixed, *(x for x in findings if x not in offered)]


def _unread(counts: Mapping[str, int], dialect: Dialect) -> Counter[str]:
    read = dialect.numbers(counts)
    return Counter({text: n for text, n in counts.items() if text not in read})


def _with_signs(dialect: Dialect, signs: Mapping[str, str]) -> Dialect:
    """A dialect with some signs; what was given before and is at odds with them gives way."""
    new: dict[str, str | None] = {**signs}
    if new.get("thousands") == dialect.decimal:
        new.setdefault("decimal", ".")
    elif new.get("decimal") == dialect.thousands:
        new.setdefault("thousands", None)
    return replace(dialect, **new)


def _written(signs: Mapping[str, str]) -> str:
    return " and ".join(f"{option}={sign!r}" for option, sign in signs.items())


def _lost(
    reports: Mapping[str, Checked],
    entries: Mapping[str, Entries],
    dialect: Dialect,
    corrected: Dialect,
) -> Iterator[tuple[str, str]]:
    """Columns of which many numbers would be none, each with such an entry."""
    if corrected == dialect:
        return
    for name, report in reports.items():
        column = report.columns[0]
        counts, read = entries[name].counts, entries[name].numbers(corrected)
        known = entries[name].numbers(dialect) if column.numbers else ()
        lost = [text for text in known if text not in read]
        if lost and sum(counts[text] for text in lost) * _MANY >= column.rows - column.missing:
            yield name, lost[0]


def _without(report: Checked) -> Checked:
    findings = [
        replace(x, options={k: v for k, v in x.options.items() if k not in _SIGNS})
        for x in report.findings
    ]
    return replace(report, findings=tuple(findings))
