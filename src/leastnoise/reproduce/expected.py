"""Numbers that a reproduction must give, from the papers or from closed forms.

``papers/PAPER/expected.csv`` lists them: panel, series, x, relation, expected, tolerance, tolerance
of a quick run where it differs, when (always; full: not with ``--quick``; drawn: unless its data
set is not there) and where the number is from. They are never written by the code that they check.

The relation is =, <=, >=, or "differs" for a number that is stated and not found: it must be missed
by more than the tolerance, so that it is noticed when it is found after all. What is expected is a
number, or another series of the panel ("NAME @ x" at another x). A tolerance is relative, or so
many standard errors of the difference ("3 se").
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from leastnoise.reproduce.panels import Panel, Series

COLUMNS = [
    "panel", "series", "x", "relation", "expected", "tolerance", "quick", "when", "source",
]  # fmt: skip
RELATIONS = ("=", "<=", ">=", "differs")
TIMES = ("always", "full", "drawn")


@dataclass(frozen=True, slots=True)
class Check:
    """One expected number beside the one that was measured.

    Attributes
    ----------
    panel, series, x : str
        Where the number stands: panel, column and row.
    relation : "=", "<=", ">=" or "differs"
        How the measured number must lie to the expected one.
    expected, measured : float or None
        None where the panel has no such number; the check then fails.
    tolerance : float or None
        Absolute. None where a standard error is asked for and not known; the check then fails.
    source : str
        Where the expected number is from.
    against : str
        The series that the expected number is of, or empty.
    """

    panel: str
    series: str
    x: str
    relation: str
    expected: float | None
    tolerance: float | None
    source: str
    measured: float | None
    against: str = ""

    @property
    def holds(self) -> bool:
        """Whether the measured number is within the tolerance."""
        allowed = self.tolerance
        if self.measured is None or self.expected is None or allowed is None:
            return False
        gap = self.measured - self.expected
        match self.relation:
            case "<=":
                return gap <= allowed
            case ">=":
                return gap >= -allowed
            case "differs":
                return abs(gap) > allowed
            case _:
                return abs(gap) <= allowed


@dataclass(frozen=True, slots=True)
class Row:
    """A line of expected.csv."""

    panel: str
    series: str
    x: str
    relation: str
    expected: str
    tolerance: str
    quick: str
    when: str
    source: str


def folder(paper: str) -> Path:
    """Where the expected numbers of a paper are: in the wheel, or in the repository."""
    here = Path(__file__).resolve()
    installed = here.parent / "papers" / paper
    return installed if installed.is_dir() else here.parents[3] / "papers" / paper


@cache
def expected_rows(paper: str) -> tuple[Row, ...]:
    """The lines of a paper's expected.csv."""
    with (folder(paper) / "expected.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    if head != COLUMNS:
        raise ValueError(f"expected.csv of {paper}: the columns are {COLUMNS}")
    return tuple(_row(paper, *row) for row in rows)


def _row(
    paper: str,
    panel: str,
    series: str,
    x: str,
    relation: str,
    expected: str,
    tolerance: str,
    quick: str,
    when: str,
    source: str,
) -> Row:
    if relation not in RELATIONS or when not in TIMES:
        raise ValueError(f"expected.csv of {paper}: {relation!r} or {when!r} is no known word")
    for one in (tolerance, quick or tolerance):
        float(one.removesuffix(" se"))
    return Row(
        panel, series, x, relation, expected, tolerance, quick or tolerance, when, source
    )  # fmt: skip


def check(
    paper: str,
    figure: str,
    panels: Iterable[Panel],
    *,
    quick: bool = False,
    absent: Iterable[str] = (),
) -> list[Check]:
    """Every expected number of a figure beside the measured one.

    ``absent``: data sets whose files are not there. Their panels may be missing, no others.
    """
    places = [f"{figure}-{name}" for name in absent]
    found = {panel.name: panel for panel in panels}
    return [
        _compared(row, found.get(row.panel), row.quick if quick else row.tolerance)
        for row in expected_rows(paper)
        if _within(row.panel, figure)
        and not (row.when == "full" and quick)
        and not (row.when == "drawn" and any(_within(row.panel, place) for place in places))
    ]


def _within(panel: str, place: str) -> bool:
    return panel == place or panel.startswith(f"{place}-")


def _compared(row: Row, panel: Panel | None, tolerance: str) -> Check:
    """One row beside the value in its panel."""
    series: Series = {} if panel is None else panel.series
    spreads: Series = {} if panel is None else panel.errors
    measured = series.get(row.series, {}).get(row.x)
    spread = [spreads.get(row.series, {}).get(row.x)]
    against = ""
    try:
        expected = float(row.expected)
    except ValueError:
        against, _, place = row.expected.partition(" @ ")
        place = place or row.x
        expected = series.get(against, {}).get(place)
        spread.append(spreads.get(against, {}).get(place))
        against += "" if place == row.x else f" at {place}"
    if not tolerance.endswith(" se"):
        allowed = None if expected is None else float(tolerance) * abs(expected)
    elif None in spread:
        allowed = None
    else:
        squares = sum(one * one for one in spread if one is not None)
        allowed = float(tolerance.removesuffix(" se")) * squares**0.5
    return Check(
        row.panel, row.series, row.x, row.relation, expected, allowed, row.source, measured, against
    )  # fmt: skip
