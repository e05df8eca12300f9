"""One picture of a paper as numbers: a panel, what it was computed with, and its files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from leastnoise._version import __version__
from leastnoise.reproduce.data import fault, find

Series = Mapping[str, Mapping[str, float]]
Kind = Literal["lines", "points", "steps", "outlines", "names", "table", "implications"]
T = TypeVar("T")
Log = Literal["", "x", "y", "xy"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is computed, and from which data.

    ``quick`` takes fewer points and repeats; ``data`` is a folder with the public files that a
    figure names. Without it the files of installed packages are used, and otherwise synthetic data.
    """

    quick: bool = False
    data: Path | None = None

    def file(self, name: str) -> Path | None:
        """A public file that can be read: of the data folder, of a package, or None."""
        return find(name, self.data)

    def lacks(self, files: Iterable[str]) -> str:
        """What is wrong with these files, with the cure; empty where nothing is."""
        return "; ".join(why for name in files if (why := fault(name, self.data)))

    def pick(self, few: T, many: T) -> T:
        """What ``--quick`` computes, or what a full run does."""
        return few if self.quick else many


def _no_parameters() -> dict[str, Any]:
    return {}


def _no_errors() -> dict[str, dict[str, float]]:
    return {}


@dataclass(frozen=True, slots=True)
class Panel:
    """The numbers of one picture or table.

    Parameters
    ----------
    name
        Name of its files, such as "figure-1-synthetic".
    title
        What it shows.
    x, y
        What the rows and the numbers are.
    series
        For each column its number by row; rows are texts so that an epsilon stays as written.
    parameters
        All that the numbers depend on, as JSON.
    log
        Which axes of the picture are logarithmic.
    kind
        How it is drawn: lines over numbers (columns "NAME, low" and "NAME, high" alike), a cloud of
        points, steps, closed curves (columns in pairs "NAME, first" and "NAME, second"), one line
        a name, a table, or arrows between criteria.
    errors
        Standard errors of what is simulated, by column and row.
    order
        The rows in their order, where columns lack some. Default: as they appear.
    """

    name: str
    title: str
    x: str
    y: str
    series: Series
    parameters: Mapping[str, Any] = field(default_factory=_no_parameters)
    log: Log = ""
    kind: Kind = "lines"
    errors: Series = field(default_factory=_no_errors)
    order: tuple[str, ...] = ()

    def rows(self) -> list[str]:
        """The rows of all columns, in their order."""
        return list(self.order) or list(
            dict.fromkeys(x for column in self.series.values() for x in column)
        )

    def write(self, folder: Path) -> Iterator[Path]:
        """Write NAME.csv, NAME.json (the parameters) and NAME.svg; yield each file."""
        table = folder / f"{self.name}.csv"
        columns = {**self.series}
        for name, column in self.errors.items():
            columns[f"{name}, standard error"] = column
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([self.x, *columns])
            for x in self.rows():
                cells = (column.get(x) for column in columns.values())
                writer.writerow([x, *("" if c is None else repr(float(c)) for c in cells)])
        yield table
        beside = folder / f"{self.name}.json"
        about = {
            "title": self.title,
            "x": self.x,
            "y": self.y,
            "leastnoise": __version__,
            "parameters": dict(self.parameters),
        }
        beside.write_text(json.dumps(about, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        yield beside
        from leastnoise.reproduce.pictures import draw

        picture = folder / f"{self.name}.svg"
        draw(self, picture)
        yield picture


@dataclass(frozen=True, slots=True)
class Row:
    """An error, a size or a cost without and with an improvement; either may be missing.

    ``spread``: the standard error of the share.
    """

    name: str
    without: float | None = None
    improved: float | None = None
    share: float | None = None
    spread: float | None = None

    def numbers(self) -> dict[str, float]:
        """By column; "factor" is without / with where both are there and no share is given."""
        found = {"without": self.without, "with": self.improved, "factor": self.share}
        if self.share is None and self.without is not None and self.improved:
            found["factor"] = self.without / self.improved
        return {name: float(value) for name, value in found.items() if value is not None}
