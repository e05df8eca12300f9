"""Awan and Slavkovic: the sensitivity space of Example 2.10 (Figure 1), and Table 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import sqrt

from leastnoise import geometry
from leastnoise.reproduce.panels import Panel, Settings


def _curve(x: Fraction) -> tuple[Fraction, Fraction]:
    """(x, 2 x^2) of a record in [-1, 1]."""
    return x, 2 * x * x


def example(settings: Settings) -> Iterator[Panel]:
    """Figure 1, Examples 2.10 and 3.22: sensitivities and volumes of the balls."""
    half = 12 if settings.quick else 24
    best = Fraction(_farthest()).limit_denominator(10**6)
    records = [Fraction(i, half) for i in range(-half, half + 1)] + [best, -best]
    space = geometry.SensitivitySpace.from_records(_curve, records, complete=False)
    table = geometry.compare({**geometry.lp_balls(2), "hull": space.hull()}, space)
    series = {
        "sensitivity": {row.name: float(row.sensitivity) for row in table.rows},
        "volume": {row.name: float(row.volume) for row in table.rows},
    }
    told = {"statistic": "(x, 2 x^2), x in [-1, 1]", "records": len(records)}
    yield Panel("figure-1", "Balls around Example 2.10", "ball", "size", series, told)


def _farthest() -> float:
    """The record x for which (1, 2) - (x, 2 x^2) is longest: a root of the derivative.

    |.|^2 = (1 - x)^2 + 4 (1 - x^2)^2 has the derivative (1 - x)(-2 - 16 x (1 + x)).
    """
    return (-1 + sqrt(0.5)) / 2


def cautionary(settings: Settings) -> Iterator[Panel]:
    """Table 1: a ball inside another, and worse in every expected loss. Exact moments."""
    balls = {
        "K": geometry.Polytope(points=[(100, 1), (100, -1)]),
        "H": geometry.Polytope(points=[(110, 0), (0, 11)]),
    }
    series = {
        name: {norm: geometry.expected_loss(ball, norm).value for norm in ("linf", "l2", "l1")}
        for name, ball in balls.items()
    }
    told = {"epsilon": "1", "sensitivity": 1}
    yield Panel("table-1", "K lies in H", "norm", "expected loss", series, told)


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "figure-1": example,
    "table-1": cautionary,
}
