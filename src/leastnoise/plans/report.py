"""The report of a plan: one HTML file that needs nothing else, for a screen, a phone and paper.

The page itself is ``page.html``; this module fills its places with released values and public
parameters. It has no script, loads nothing, and takes every text as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from leastnoise._version import __version__
from leastnoise.params import PrivateLimit
from leastnoise.plans.pictures import pictures
from leastnoise.plans.run import Outcome, TableOutcome
from leastnoise.record import Release, Releases
from leastnoise.record.flat import flat, shown

Facts = list[tuple[str, str]]

_READING = (
    "Every number is drawn at random around the true one, so that no answer reveals much about "
    "one unit of privacy: whether it is in the data, or what it contains. The same request made "
    "again gives different numbers.",
    "Counts may be negative or fail to add up: they are unbiased, and clipping or rounding them "
    "would hide how much noise there is.",
    "Noise that adapts to the data has no public width, because its width would reveal something "
    "about the data; so there is no interval for it. Lines through counts cover 95 % of their "
    "noise.",
    "The numbers describe the data set, not a population: they do not account for sampling error, "
    "unless an interval is said to hold something of the population.",
)


def render(outcome: Outcome) -> str:
    """The whole page.

    Parameters
    ----------
    outcome
        What a plan released.

    Returns
    -------
    str
        HTML5, self-contained.
    """
    plan, tables = outcome.plan, outcome.tables
    links = "".join(
        f'<li><a href="#table-{i}">{escape(table.plan.title)}</a></li>'
        for i, table in enumerate(tables, start=1)
    )
    page = Template(files("leastnoise.plans").joinpath("page.html").read_text(encoding="utf-8"))
    return page.substitute(
        version=escape(__version__),
        title=escape(plan.title),
        note=f"<p>{escape(plan.note)}</p>" if plan.note else "",
        nav=f'<nav aria-label="Tables"><ul>{links}</ul></nav>' if len(tables) > 1 else "",
        promise=escape(outcome.promise),
        facts=_list(_facts(outcome)),
        tables="\n".join(_table(i, table) for i, table in enumerate(tables, start=1)),
        reading="\n".join(f"<p>{text}</p>" for text in _READING),
        source=escape(Path(plan.source).name),
        made=datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def _facts(outcome: Outcome) -> Facts:
    plan, records = outcome.plan, outcome.records
    relation = records[0].relation
    changed = {
        "replace-one": "one {unit} is changed; the number of rows of the whole file is public",
        "add-remove": "one {unit} is added or removed; the number of rows is private",
        "edit": "one {unit} is changed, added or removed; the number of rows is private",
    }[relation].format(unit=outcome.unit)
    limit = "" if plan.max_rows is None else f", with at most {plan.max_rows} rows used of each"
    if isinstance(plan.max_rows, PrivateLimit):
        limit = ", and each statistic uses as many rows of a person as it found privately"
    facts: Facts = [
        ("Data", plan.file.name),
        ("Unit of privacy", f"one {outcome.unit}{limit}"),
        ("Neighbours", f"{relation}: {changed}"),
        ("Spent by this report", outcome.spent),
    ]
    if outcome.remaining is not None:
        facts.append(("Left in the ledger", outcome.remaining))
    facts += [
        ("Budget", outcome.tracked),
        ("Not protected", records[0].not_protected),
    ]
    if not all(record.secure for record in records):
        facts.append(("NOT PRIVATE", "these numbers were drawn in a simulation, not for release"))
    return facts


def _table(number: int, table: TableOutcome) -> str:
    plan, made = table.plan, table.releases
    heading = f"table-{number}"
    facts: Facts = []
    if plan.condition:
        facts.append(("Rows", f"those with {plan.condition}"))
    if made.by:
        facts.append(("Groups", f"{len(made)} declared, by {' and '.join(made.by)}"))
        found = isinstance(plan.max_groups, PrivateLimit)
        gets = "All groups of a person share" if found else "Each group's answers get"
        facts.append((gets, f"epsilon = {table.epsilon}"))
    facts.append(("Charge", table.charge))
    titles = {asked.name: asked.title for asked in plan.statistics}
    facts += _statistics(table, titles)
    drawn = pictures(made, titles)
    figures = "".join(
        f"<figure><figcaption><strong>{escape(picture.title)}</strong>{escape(picture.caption)}"
        f"</figcaption>{picture.legend()}{picture.svg(f'{heading}-{i}')}</figure>"
        for i, picture in enumerate(drawn, start=1)
    )
    note = f"<p>{escape(plan.note)}</p>" if plan.note else ""
    return (
        f'<section aria-labelledby="{heading}"><h2 id="{heading}">{escape(plan.title)}</h2>{note}'
        f"{_grid(made, plan.title, titles)}"
        + (f'<div class="pictures">{figures}</div>' if figures else "")
        + f"<h3>How it was made</h3><dl>{_list(facts)}</dl></section>"
    )


def _statistics(table: TableOutcome, titles: dict[str, str]) -> Facts:
    """One line for each statistic: its column, epsilon and mechanism."""
    facts: Facts = []
    for asked in table.plan.statistics:
        record = next(iter(table.releases.rows())).records[asked.name]
        words = [_words(record), f"epsilon = {record.guarantee.numbers().get('epsilon', '')}"]
        words.append(record.mechanism)
        if record.bounds is not None:
            pairs = record.bounds if isinstance(record.bounds[0], tuple) else (record.bounds,)
            ends = ", ".join(" to ".join(map(shown, pair)) for pair in pairs)
            origin = "declared bounds" if record.limits is None else "limits found privately:"
            words.append(f"{origin} {ends}")
        words.append(_missing(record))
        words += list(record.notes)
        facts.append((titles[asked.name], "; ".join(word for word in words if word)))
    return facts


def _words(record: Release) -> str:
    name = "".join(f" {c.lower()}" if c.isupper() else c for c in record.statistic).strip()
    return f"{name} of {record.column or 'rows'}"


def _missing(record: Release) -> str:
    if record.missing == "none" or record.missing == "in no cell":
        return ""
    if record.missing == "drop":
        return "rows without a value are dropped"
    return f"missing values: {record.missing}"


def _grid(made: Releases[Any, Any], title: str, titles: dict[str, str]) -> str:
    """The table in its own frame, which scrolls on a narrow screen."""
    found = flat(made, titles=titles)
    if not made.by:
        return _tall(made, title, titles)
    head = "".join(
        f'<th scope="col"{" class=" + chr(34) + "key" + chr(34) if i < found.keys else ""}>'
        f"{escape(name)}</th>"
        for i, name in enumerate(found.columns)
    )
    body = "".join(_row(row, found.keys) for row in found.rows())
    return _framed(title, f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>")


def _tall(made: Releases[Any, Any], title: str, titles: dict[str, str]) -> str:
    """Without groups: one line for each number."""
    found = flat(made, "long", titles)
    labelled = any(cell is not None for cell in found.columns["cell"])
    names = ["statistic", "cell", "value"] if labelled else ["statistic", "value"]
    head = "".join(
        f'<th scope="col" class="{"" if name == "value" else "key"}">{name}</th>' for name in names
    )
    lines = zip(*(found.columns[name] for name in names), strict=True)
    body = "".join(_row(line, len(names) - 1) for line in lines)
    return _framed(title, f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>")


def _framed(title: str, inner: str) -> str:
    named = escape(title, quote=True)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="Table: {named}">'
        f"<table><caption>Released values</caption>{inner}</table></div>"
    )


def _row(row: Sequence[Any], keys: int) -> str:
    line = "".join(
        f'<th scope="row">{escape(shown(x))}</th>' if i < keys else f"<td>{escape(shown(x))}</td>"
        for i, x in enumerate(row)
    )
    return f"<tr>{line}</tr>"


def _list(facts: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts)
