"""Numbers that a reproduction must give, from the papers or from closed forms.

``papers/PAPER/expected.csv`` lists them: panel, series, x, relation (=, <= or >=), expected (a
number, or the name of another series of the panel), tolerance (relative), tolerance of a quick run
where it differs, when (always; full: not with ``--quick``; drawn: unless its data set is not there)
and where the number is from. They are never written by the code that they check.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from leastnoise.reproduce.panels import Panel

COLUMNS = [
    "panel", "series", "x", "relation", "expected", "tolerance", "quick", "when", "source",
]  # fmt: skip
RELATIONS = ("=", "<=", ">=")
TIMES = ("always", "full", "drawn")


@dataclass(frozen=True, slots=True)
class Check:
    """One expected number beside the one that was measured.

    Attributes
    ----------
    panel, series, x : str
        Where the number stands: panel, column and row.
    relation : "=", "<=" or ">="
        How the measured number must lie to the expected one.
    expected, measured : float or None
        None where the panel has no such number; the check then fails.
    tolerance : float
        Relative to the expected number.
    source : str
        Where the expected number is from.
    """

    panel: str
    series: str
    x: str
    relation: str
    expected: float | None
    tolerance: float
    source: str
    measured: float | None

    @property
    def holds(self) -> bool:
        """Whether the measured number is within the tolerance."""
        if self.measured is None or self.expected is None:
            return False
        gap, allowed = self.measured - self.expected, self.tolerance * abs(self.expected)
        match self.relation:
            case "<=":
                return gap <= allowed
            case ">=":
                return gap >= -allowed
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
    tolerance: float
    quick: float
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
    exact = float(tolerance)
    return Row(
        panel, series, x, relation, expected, exact, float(quick or exact), when, source
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
    found = {panel.name: panel.series for panel in panels}
    checks: list[Check] = []
    for row in expected_rows(paper):
        if not _within(row.panel, figure):
            continue
        if row.when == "full" and quick:
            continue
        if row.when == "drawn" and any(_within(row.panel, place) for place in places):
            continue
        series = found.get(row.panel, {})
        checks.append(
            Check(
                row.panel,
                row.series,
                row.x,
                row.relation,
                _number(row, series),
                row.quick if quick else row.tolerance,
                row.source,
                series.get(row.series, {}).get(row.x),
            )
        )
    return checks


def _within(panel: str, place: str) -> bool:
    return panel == place or panel.startswith(f"{place}-")


def _number(row: Row, series: Mapping[str, Mapping[str, float]]) -> float | None:
    """The expected number, or that of the series which it names."""
    try:
        return float(row.expected)
    except ValueError:
        return series.get(row.expected, {}).get(row.x)
