"""Small pictures of released numbers, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from math import isfinite
from typing import Any

_WIDTH, _HEIGHT = 180, 14
_BAR, _LINE = "#0072b2", "#444"


def _svg(inner: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" '
        f'aria-hidden="true">{inner}</svg>'
    )


def bar(share: float) -> str:
    """A share of a whole."""
    width = round(_WIDTH * min(1.0, max(0.0, share)), 1)
    return _svg(
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#eee"/>'
        f'<rect width="{width}" height="{_HEIGHT}" fill="{_BAR}"/>'
    )


def box(quartiles: Sequence[Any], limits: Sequence[Any] | None) -> str:
    """Quartiles as a box between released limits."""
    values = [_place(x) for x in (*quartiles, *(limits or ()))]
    low, high = min(values), max(values)
    if not (isfinite(high - low) and high > low):
        return ""

    def x(value: Any) -> float:
        return round((_place(value) - low) / (high - low) * (_WIDTH - 4) + 2, 1)

    first, middle, last = map(x, quartiles)
    ends = (limits[0], limits[-1]) if limits else (quartiles[0], quartiles[-1])
    return _svg(
        f'<line x1="{x(ends[0])}" x2="{x(ends[1])}" y1="7" y2="7" stroke="{_LINE}"/>'
        f'<rect x="{first}" width="{max(1.0, round(last - first, 1))}" y="2" height="10" '
        f'fill="#9cc9e5"/><line x1="{middle}" x2="{middle}" y1="1" y2="13" stroke="{_BAR}" '
        'stroke-width="2"/>'
    )


def _place(value: Any) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, date):
        return float(value.toordinal())
    return float(value)
