"""Panels as pictures (extra: plots), in the style of ``leastnoise.plots``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise.plots import save
from leastnoise.plots.drawing import COLOURS, DASHES, MARKERS, dress, new_axes
from leastnoise.reproduce.panels import Panel

_MOST_TICKS = 12
_ENDS = (", low", ", high")


def draw(panel: Panel, path: Path) -> None:
    """Draw the panel into a file; the ending says the format."""
    match panel.kind:
        case "outlines":
            plot = _outlines(panel)
        case "names":
            plot = _names(panel)
        case "table":
            plot = _table(panel)
        case "implications":
            plot = _implications(panel)
        case "points":
            plot = _cloud(panel)
        case "lines" | "steps":
            plot = _lines(panel)
    save(plot, path)


def number(text: str) -> float | None:
    """A row as a number ("1/64" too), or None for a name."""
    try:
        return float(Fraction(text))
    except ValueError:
        return None


def _style(i: int) -> dict[str, Any]:
    """Colour and marker of the i-th line; from the ninth on other markers for the same colours."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "marker": MARKERS[(i + i // len(COLOURS)) % len(MARKERS)],
        "markerfacecolor": "white",
    }


def _dash(i: int) -> Any:
    return DASHES[(i + i // len(COLOURS)) % len(DASHES)]


def _legend(plot: Any) -> None:
    plot.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)


def _logs(plot: Any, panel: Panel) -> None:
    if "x" in panel.log:
        plot.set_xscale("log")
    if "y" in panel.log:
        plot.set_yscale("log")


def _both(name: str) -> str:
    """What a column shows, without which of its two ends."""
    for end in _ENDS:
        name = name.removesuffix(end)
    return name


def _legible(places: Sequence[float], log: bool) -> bool:
    """Whether every row can have its tick: few, and none close to another."""
    if len(places) > _MOST_TICKS:
        return False
    at = np.sort(np.log(places) if log else np.array(places))
    return bool((np.diff(at) >= 0.03 * (at[-1] - at[0])).all())


def _lines(panel: Panel) -> Any:
    """Lines over numbers, points over a few names; bars of one standard error."""
    plot = new_axes(None, width=8.6)
    rows = panel.rows()
    numbers = [number(x) for x in rows]
    named = None in numbers
    places: dict[str, Any] = dict(zip(rows, range(len(rows)) if named else numbers, strict=True))
    few = len(rows) <= _MOST_TICKS and panel.kind == "lines"
    names = list(dict.fromkeys(map(_both, panel.series)))
    for name, column in panel.series.items():
        i = names.index(_both(name))
        points = [(places[x], y) for x, y in column.items() if "y" not in panel.log or y > 0]
        if not points:
            continue
        plot.plot(
            *zip(*points, strict=True),
            **_style(i) | ({} if few else {"marker": None}),
            linestyle="none" if named else _dash(i),
            drawstyle="steps-post" if panel.kind == "steps" else "default",
            label="_" if name.endswith(_ENDS[1]) else _both(name),
        )
        bars = panel.errors.get(name, {})
        spread = [(places[x], column[x], e) for x, e in bars.items() if x in column and e > 0]
        if spread:
            at, y, size = zip(*spread, strict=True)
            plot.errorbar(at, y, size, fmt="none", ecolor=COLOURS[i % len(COLOURS)], capsize=2)
    _logs(plot, panel)
    if few and (named or _legible(list(places.values()), "x" in panel.log)):
        plot.set_xticks(list(places.values()), rows)
        plot.xaxis.minorticks_off()
    dress(plot, panel.title, panel.x, panel.y)
    _legend(plot)
    return plot


def _cloud(panel: Panel) -> Any:
    """One point a row."""
    plot = new_axes(None, width=8.6)
    for i, (name, column) in enumerate(panel.series.items()):
        at = [number(x) for x in column]
        y = list(column.values())
        plot.plot(at, y, linestyle="none", markersize=4, label=name, **_style(i))
    if "y" in panel.log:
        plot.axhline(1, color="#666666", linewidth=0.8)
    _logs(plot, panel)
    dress(plot, panel.title, panel.x, panel.y)
    _legend(plot)
    return plot


def _outlines(panel: Panel) -> Any:
    """Closed curves in the plane."""
    plot = new_axes(None, width=6.4)
    names = [name.removesuffix(", first") for name in panel.series if name.endswith(", first")]
    for i, name in enumerate(names):
        first, second = (list(panel.series[f"{name}, {c}"].values()) for c in ("first", "second"))
        style = {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i % len(DASHES)]}
        if i == 0:
            plot.fill(first, second, color=COLOURS[5], alpha=0.25, linewidth=0)
        plot.plot([*first, first[0]], [*second, second[0]], linewidth=1.8, label=name, **style)
    plot.set_aspect(panel.parameters.get("aspect", "equal"))
    dress(plot, panel.title, panel.x, panel.y)
    _legend(plot)
    return plot


def _names(panel: Panel) -> Any:
    """One line a name: long names beside their numbers."""
    rows = panel.rows()
    plot = new_axes(None, width=9.6, height=1.4 + 0.26 * len(rows))
    for i, (name, column) in enumerate(panel.series.items()):
        at = [rows.index(x) for x in column]
        x = list(column.values())
        plot.plot(x, at, linestyle="none", markersize=5, label=name, **_style(i))
    if "y" in panel.log:
        plot.set_xscale("log")
    plot.set_yticks(range(len(rows)), rows, fontsize=8)
    plot.set_ylim(len(rows) - 0.5, -0.5)
    dress(plot, panel.title, panel.y, "")
    _legend(plot)
    return plot


def _table(panel: Panel) -> Any:
    """The numbers themselves, a name a line."""
    rows, columns = panel.rows(), list(panel.series)
    plot = new_axes(None, width=2.4 + len(columns), height=1.0 + 0.3 * len(rows))
    cells = [[_digits(panel.series[c].get(x)) for c in columns] for x in rows]
    plot.axis("off")
    plot.grid(visible=False)
    drawn = plot.table(cellText=cells, rowLabels=rows, colLabels=columns, loc="center")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(9)
    drawn.scale(1, 1.4)
    drawn.auto_set_column_width(list(range(-1, len(columns))))
    for cell in drawn.get_celld().values():
        cell.set_edgecolor("#bbbbbb")
    plot.set_title(f"{panel.title}: {panel.y} by {panel.x}", fontsize=11, loc="left")
    return plot


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


def _implications(panel: Panel) -> Any:
    """Boxes of criteria and an arrow for every row "A => B", with how often it held."""
    places: Mapping[str, Sequence[float]] = panel.parameters["places"]
    plot = new_axes(None, width=8.6)
    box = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": COLOURS[0]}
    for name, at in places.items():
        plot.text(*at, name, ha="center", va="center", fontsize=10, bbox=box, zorder=3)
    held, tried = panel.series["held"], panel.series["tried"]
    for row in held:
        start, end = row.split(" => ")
        (x0, y0), (x1, y1) = places[start], places[end]
        # boxes are wider than high
        gap = 18 + 30 * abs(x1 - x0) / (abs(x1 - x0) + abs(y1 - y0))
        arrow = {"arrowstyle": "-|>", "color": "#444444", "shrinkA": gap, "shrinkB": gap}
        plot.annotate("", (x1, y1), (x0, y0), arrowprops=arrow, zorder=1)
        share = f"{held[row]:.0f} of {tried[row]:.0f}"
        back = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        plot.text((x0 + x1) / 2, (y0 + y1) / 2, share, fontsize=9, ha="center", va="center",
                  bbox=back, zorder=2)  # fmt: skip
    plot.set_xlim(-0.25, 1.25)
    plot.set_ylim(-0.25, 1.25)
    plot.axis("off")
    plot.set_title(panel.title, fontsize=11, loc="left")
    return plot
