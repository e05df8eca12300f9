"""Pictures of released numbers as inline SVG: one row a group, on one common scale.

Only released values are drawn. A line through a count is the noise of its mechanism where its width
is public; adaptive noise has no public width and gets none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10
from typing import Any

from leastnoise.record import Release, Releases
from leastnoise.record.flat import cells, numbers, shown_key

# A phone's width, so that text keeps its size there; wider screens show several side by side.
WIDTH = 360
_LEFT, _RIGHT, _TOP, _AXIS = 8, 8, 22, 26
# Heights in one row: of its label, and of the line of each series below.
_LABEL, _LINE = 18, 12
_MOST_SERIES = 6
_MOST_ROWS = 80  # a longer picture does not help: the table stands above it

# Okabe and Ito's colours, which colour-blind readers can tell apart, each with its own shape.
COLOURS = ("#0072b2", "#b84a00", "#007a5a", "#a3478a", "#000000", "#5a5a5a")
SHAPES = ("circle", "square", "triangle", "diamond", "cross", "ring")


@dataclass(frozen=True, slots=True)
class Mark:
    """Numbers of one group in one row: points, and the ends of a line through them."""

    series: int
    points: tuple[float, ...]
    line: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of marks under their labels, with the names of the series."""

    title: str
    rows: tuple[tuple[str, tuple[Mark, ...]], ...]
    series: tuple[str, ...]
    caption: str
    from_zero: bool = False

    def svg(self, identity: str) -> str:
        """The picture; ``identity`` makes the ids on the page differ."""
        low, high = self._range()
        ticks = nice_ticks(low, high)
        low, high = min(low, ticks[0]), max(high, ticks[-1])
        height = _LABEL + _LINE * max(1, len(self.series))
        bottom = _TOP + height * len(self.rows) + 4

        def x(value: float) -> float:
            return round(_LEFT + (value - low) / (high - low) * (WIDTH - _LEFT - _RIGHT), 2)

        parts: list[str] = []
        for i, tick in enumerate(ticks):
            at, text = x(tick), f'text-anchor="{_anchor(i, ticks)}">{short(tick)}</text>'
            parts += [
                f'<line class="grid" x1="{at}" x2="{at}" y1="{_TOP - 4}" y2="{bottom}"/>',
                f'<text class="tick" x="{at}" y="{_TOP - 9}" {text}',
                f'<text class="tick" x="{at}" y="{bottom + 14}" {text}',
            ]
        for i, (label, marks) in enumerate(self.rows):
            y = _TOP + height * i
            parts.append(
                f'<text class="label" x="{_LEFT}" y="{y + 13}">{escape(_cut(label))}</text>'
            )
            parts += [self._drawn(m, x, y + _LABEL + _LINE * m.series + 4) for m in marks]
        described = f"{self.caption} The table has the same numbers."
        return (
            f'<svg viewBox="0 0 {WIDTH} {bottom + _AXIS}" role="img" '
            f'aria-labelledby="{identity}-t {identity}-d">'
            f'<title id="{identity}-t">{escape(self.title)}</title>'
            f'<desc id="{identity}-d">{escape(described)}</desc>{"".join(parts)}</svg>'
        )

    def legend(self) -> str:
        """The shapes with the names of their series; "" for a single one."""
        if len(self.series) < 2:
            return ""
        items = "".join(
            f'<li><svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">'
            f"{_shape(i, 7, 7)}</svg> {escape(name)}</li>"
            for i, name in enumerate(self.series)
        )
        return f'<ul class="legend">{items}</ul>'

    def _drawn(self, mark: Mark, x: Callable[[float], float], y: float) -> str:
        colour = COLOURS[mark.series % len(COLOURS)]
        parts = [f'<line class="track" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>']
        if self.from_zero:
            for point in mark.points:
                start, end = sorted((x(0.0), x(point)))
                parts.append(
                    f'<rect x="{start}" y="{y - 5}" width="{round(end - start, 2)}" height="10" '
                    f'fill="{colour}"/>'
                )
        if mark.line is not None:
            a, b = mark.line
            parts.append(
                f'<line x1="{x(a)}" x2="{x(b)}" y1="{y}" y2="{y}" stroke="{colour}" '
                f'stroke-width="2"/>'
            )
        if not self.from_zero:
            parts.extend(_shape(mark.series, x(point), y) for point in mark.points)
        return "".join(parts)

    def _range(self) -> tuple[float, float]:
        values = [0.0] if self.from_zero else []
        for _, marks in self.rows:
            for mark in marks:
                values += [*mark.points, *(mark.line or ())]
        low, high = min(values), max(values)
        return (low, high) if low < high else (low - 1, high + 1)


def pictures(table: Releases[Any, Any], titles: Mapping[str, str]) -> list[Picture]:
    """A picture for every statistic that has one: numbers by group, or the cells of one list."""
    rows = list(table.rows())
    if not table.by:
        return [
            _bars(titles[name], record)
            for name, record in rows[0].records.items()
            if record.statistic in ("Histogram",) and _finite(record)
        ]
    found: list[Picture] = []
    for name in table.names:
        records = {row.key: row.records[name] for row in rows}
        first = next(iter(records.values()))
        flat = isinstance(first.value, list) and first.statistic not in (
            "Quantiles",
            "QuantileInterval",
        )
        if flat or not all(_finite(record) for record in records.values()) or len(records) < 2:
            continue
        picture = _groups(titles[name], table.by, records)
        if len(picture.rows) <= _MOST_ROWS:
            found.append(picture)
    return found


def _groups(title: str, by: tuple[str, ...], records: Mapping[Any, Release]) -> Picture:
    """Rows by key; the last column makes series where its keys are few."""
    last = list(dict.fromkeys(key[-1] for key in records))
    series = (
        [shown_key(label) for label in last] if len(by) > 1 and len(last) <= _MOST_SERIES else []
    )
    rows: dict[str, list[Mark]] = {}
    for key, record in records.items():
        named = key[:-1] if series else key
        place = series.index(shown_key(key[-1])) if series else 0
        rows.setdefault(", ".join(map(shown_key, named)), []).append(_mark(place, record))
    several = isinstance(next(iter(records.values())).value, list)
    what = (
        "Points joined by a line are the answers of one group."
        if several
        else "One point per group."
    )
    if any(mark.line is not None for marks in rows.values() for mark in marks) and not several:
        what = "A line covers 95 % of the noise, without sampling error."
    if all(record.interval is not None for record in records.values()):
        what = "A line is the interval that was released with each answer."
    return Picture(
        title, tuple((label, tuple(m)) for label, m in rows.items()), tuple(series), what
    )


def _mark(series: int, record: Release) -> Mark:
    points = tuple(float(value) for _, value in numbers(record))
    if len(points) > 1:
        return Mark(series, points, (min(points), max(points)))
    if record.interval is not None:
        low, high = record.interval
        return Mark(series, points, (float(low), float(high)))
    line = None if record.noise_scale is None else record.noise_interval(0.95)
    return Mark(series, points, line)


def _bars(title: str, record: Release) -> Picture:
    rows = tuple(
        (str(label), (Mark(0, (float(value),), None),)) for label, value in numbers(record)
    )
    return Picture(
        title, rows, (), "One bar per cell; a noisy count may be negative.", from_zero=True
    )


def _finite(record: Release) -> bool:
    """Whether all values are numbers that a picture can show."""
    return all(
        isinstance(value, (int, float)) and abs(value) < 1e300 and isfinite(value)
        for _, value in cells(record)
    )


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers that cover [low, high]: at least two, ``most`` + 2 at most."""
    raw = (high - low) / (most - 1)
    power = 10.0 ** floor(log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first, last = floor(low / step), ceil(high / step)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def short(value: float) -> str:
    """A round number in a few characters: 1500000 is 1.5M."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size <= abs(value) < 1000 * size and abs(value) >= 1e4:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _anchor(i: int, ticks: Sequence[float]) -> str:
    return "start" if i == 0 else "end" if i == len(ticks) - 1 else "middle"


def _cut(label: str, most: int = 52) -> str:
    return label if len(label) <= most else f"{label[: most - 3]}..."


def _shape(series: int, x: float, y: float) -> str:
    colour = COLOURS[series % len(COLOURS)]
    match SHAPES[series % len(SHAPES)]:
        case "circle":
            return f'<circle cx="{x}" cy="{y}" r="4.5" fill="{colour}"/>'
        case "square":
            return f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" fill="{colour}"/>'
        case "triangle":
            return f'<path d="M{x} {y - 5}l5 9h-10z" fill="{colour}"/>'
        case "diamond":
            return f'<path d="M{x} {y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z" fill="{colour}"/>'
        case "cross":
            return (
                f'<path d="M{x - 4} {y - 4}l8 8m0 -8l-8 8" stroke="{colour}" stroke-width="2.5"/>'
            )
        case _:
            return (
                f'<circle cx="{x}" cy="{y}" r="4" fill="white" stroke="{colour}" stroke-width="2"/>'
            )
