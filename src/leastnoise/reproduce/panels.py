"""One picture of a paper as numbers: a panel, what it was computed with, and its files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leastnoise._version import __version__
from leastnoise.errors import ParameterError

Series = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is computed, and from which data.

    ``quick`` takes fewer points; ``data`` is a folder with the public files that a figure names,
    without it only synthetic data is used.
    """

    quick: bool = False
    data: Path | None = None

    def file(self, name: str) -> Path | None:
        """A file of the data folder, or None where no folder was given."""
        if self.data is None:
            return None
        path = self.data / name
        if not path.is_file():
            raise ParameterError(f"data: there is no file {name!r} in {str(self.data)!r}")
        return path


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
        Whether both axes of the picture are logarithmic.
    """

    name: str
    title: str
    x: str
    y: str
    series: Series
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    log: bool = False

    def rows(self) -> list[str]:
        """The rows of all columns, in the order in which they appear."""
        return list(dict.fromkeys(x for column in self.series.values() for x in column))

    def write(self, folder: Path) -> Iterator[Path]:
        """Write NAME.csv, NAME.json (the parameters) and NAME.svg; yield each file."""
        table = folder / f"{self.name}.csv"
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([self.x, *self.series])
            for x in self.rows():
                cells = (column.get(x) for column in self.series.values())
                writer.writerow([x, *("" if c is None else repr(c) for c in cells)])
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
        picture = folder / f"{self.name}.svg"
        self.draw(picture)
        yield picture

    def draw(self, path: Path) -> None:
        """Draw the columns: lines over numbers, points over names."""
        from leastnoise.plots import save
        from leastnoise.plots.drawing import COLOURS, DASHES, MARKERS, dress, new_axes

        plot = new_axes(None, width=8.6)
        rows = self.rows()
        numbers = _numbers(rows)
        places = dict(zip(rows, range(len(rows)) if numbers is None else numbers, strict=True))
        few = len(rows) <= 12
        for i, (name, column) in enumerate(self.series.items()):
            points = [(places[x], y) for x, y in column.items() if not self.log or y > 0]
            if not points:
                continue
            plot.plot(
                *zip(*points, strict=True),
                color=COLOURS[i % len(COLOURS)],
                linestyle="none" if numbers is None else DASHES[i % len(DASHES)],
                marker=MARKERS[i % len(MARKERS)] if few else None,
                markerfacecolor="white",
                label=name,
            )
        if self.log:
            plot.set_yscale("log")
            if numbers is not None:
                plot.set_xscale("log")
        if few:
            plot.set_xticks(list(places.values()), rows)
            plot.xaxis.minorticks_off()
        dress(plot, self.title, self.x, self.y)
        plot.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
        save(plot, path)


def _numbers(rows: list[str]) -> list[float] | None:
    """The rows as numbers, or None if one is a name."""
    try:
        return [float(x) for x in rows]
    except ValueError:
        return None
