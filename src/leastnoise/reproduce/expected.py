"""Numbers that a reproduction must give, from the papers or from closed forms.

``papers/PAPER/expected.csv`` lists them: panel, series, x, expected, tolerance (relative) and where
the number is from. They are never written by the code that they check.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from leastnoise.reproduce.panels import Panel

COLUMNS = ["panel", "series", "x", "expected", "tolerance", "source"]


@dataclass(frozen=True, slots=True)
class Check:
    """One expected number beside the one that was measured (None: the panel has no such number)."""

    panel: str
    series: str
    x: str
    expected: float
    tolerance: float
    source: str
    measured: float | None

    @property
    def holds(self) -> bool:
        """Whether the measured number is within the tolerance."""
        if self.measured is None:
            return False
        return abs(self.measured - self.expected) <= self.tolerance * abs(self.expected)


def folder(paper: str) -> Path:
    """Where the expected numbers of a paper are: in the wheel, or in the repository."""
    here = Path(__file__).resolve()
    installed = here.parent / "papers" / paper
    return installed if installed.is_dir() else here.parents[3] / "papers" / paper


@cache
def _rows(paper: str) -> tuple[tuple[str, ...], ...]:
    with (folder(paper) / "expected.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    if head != COLUMNS:
        raise ValueError(f"expected.csv of {paper}: the columns are {COLUMNS}")
    return tuple(tuple(row) for row in rows)


def check(paper: str, figure: str, panels: Iterable[Panel]) -> list[Check]:
    """Every expected number of a figure beside the measured one."""
    found = {panel.name: panel.series for panel in panels}
    checks: list[Check] = []
    for name, series, x, expected, tolerance, source in _rows(paper):
        if name != figure and not name.startswith(f"{figure}-"):
            continue
        measured = found.get(name, {}).get(series, {}).get(x)
        checks.append(Check(name, series, x, float(expected), float(tolerance), source, measured))
    return checks
