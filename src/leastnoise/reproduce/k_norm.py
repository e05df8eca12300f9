"""Awan and Slavkovic: the sensitivity space of Example 2.10 (Figure 1), orders (2), Table 1 (6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from leastnoise import geometry
from leastnoise.reproduce import linear_regression, logistic_regression
from leastnoise.reproduce.panels import Panel, Settings

Floats = NDArray[np.float64]


def _curve(x: Fraction) -> tuple[Fraction, Fraction]:
    """(x, 2 x^2) of a record in [-1, 1]."""
    return x, 2 * x * x


def _space(settings: Settings) -> geometry.SensitivitySpace:
    half = settings.pick(12, 24)
    best = Fraction(_farthest()).limit_denominator(10**6)
    records = [Fraction(i, half) for i in range(-half, half + 1)] + [best, -best]
    return geometry.SensitivitySpace.from_records(_curve, records, complete=False)


def _farthest() -> float:
    """The record x for which (1, 2) - (x, 2 x^2) is longest: a root of the derivative.

    |.|^2 = (1 - x)^2 + 4 (1 - x^2)^2 has the derivative (1 - x)(-2 - 16 x (1 + x)).
    """
    return (-1 + sqrt(0.5)) / 2


def outline(ball: geometry.Ball, size: float, points: int) -> tuple[list[float], list[float]]:
    """The boundary of a ball in the plane, ``size`` times as large; angles are of its own box."""
    angles = np.arange(points) * (2 * pi / points)
    widths = np.array([float(w) for w in ball.half_widths])
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1) * widths
    edge = rays / ball.norms(rays)[:, None] * size
    return edge[:, 0].tolist(), edge[:, 1].tolist()


def _curves(
    balls: dict[str, tuple[geometry.Ball, float]], points: int
) -> dict[str, dict[str, float]]:
    """Outlines as pairs of columns over the angle in degrees."""
    series: dict[str, dict[str, float]] = {}
    degrees = [f"{360 * i / points:g}" for i in range(points)]
    for name, (ball, size) in balls.items():
        for word, values in zip(("first", "second"), outline(ball, size, points), strict=True):
            series[f"{name}, {word}"] = dict(zip(degrees, values, strict=True))
    return series


def _bow(points: int) -> dict[str, dict[str, float]]:
    """The edge of the sensitivity space: |v| <= 4 |u| - 2 u^2 for |u| <= 2, for all u = x - x'."""
    turns = np.arange(points) / points
    u = 2 - 8 * np.abs(turns - 0.5)  # from -2 to 2 and back
    u = 2 * np.sin(np.pi / 2 * u / 2)
    v = (4 * np.abs(u) - 2 * u**2) * np.where(turns < 0.5, 1, -1)
    degrees = [f"{360 * i / points:g}" for i in range(points)]
    return {
        f"sensitivity space, {word}": dict(zip(degrees, column.tolist(), strict=True))
        for word, column in (("first", u), ("second", v))
    }


def example(settings: Settings) -> Iterator[Panel]:
    """Figure 1, Examples 2.10 and 3.22: sensitivities and volumes of the balls, and the balls."""
    space = _space(settings)
    balls = geometry.lp_balls(2)
    table = geometry.compare({**balls, "hull": space.hull()}, space)
    series = {
        "sensitivity": {row.name: float(row.sensitivity) for row in table.rows},
        "volume": {row.name: float(row.volume) for row in table.rows},
    }
    told = {"statistic": "(x, 2 x^2), x in [-1, 1]", "points": len(space.points)}
    yield Panel("figure-1", "Balls around Example 2.10", "ball", "size", series, told, kind="table")
    exact = {row.name: (row.ball, float(row.sensitivity)) for row in table.rows}
    hull = exact.pop("hull")
    # equation (2): each coordinate's largest change alone
    loose = {"l1": 4.0, "l2": sqrt(8), "linf": 2.0}
    points = settings.pick(120, 720)
    for name, title, sizes in (
        ("exact", "exact sensitivities", {k: v[1] for k, v in exact.items()}),
        ("approximate", "sensitivities by coordinates", loose),
    ):
        drawn = {"convex hull": hull, **{k: (balls[k], sizes[k]) for k in balls}}
        yield Panel(
            f"figure-1-{name}",
            f"The sensitivity space and balls of {title}",
            "first coordinate",
            "second coordinate",
            {**_bow(points), **_curves(drawn, points)},
            told | {"sensitivities": sizes},
            kind="outlines",
        )


CRITERIA = {
    "stochastically tighter": (0.0, 1.0),
    "less conditional variance": (0.5, 1.0),
    "less entropy": (1.0, 1.0),
    "contained": (0.25, 0.0),
    "smaller volume": (1.0, 0.0),
}
ARROWS = (
    ("contained", "stochastically tighter"),
    ("contained", "less conditional variance"),
    ("contained", "smaller volume"),
    ("smaller volume", "less entropy"),
)


def orders(settings: Settings) -> Iterator[Panel]:
    """Figure 2: the arrows of the diagram, tried on ordered pairs of mechanisms.

    Each way of looking is computed on its own: containment by vertices and rays, tightness by
    the mass of the noise in multiples of its own ball against the other's, entropy from volumes,
    conditional variance in many directions.
    """
    space = _space(settings)
    named = {**geometry.lp_balls(2), "hull": space.hull()}
    sizes = {row.name: float(row.sensitivity) for row in geometry.compare(named, space).rows}
    mechanisms = {f"{name} exact": (ball, sizes[name]) for name, ball in named.items()}
    loose = {"l1": 4.0, "l2": sqrt(8), "linf": 2.0}
    mechanisms |= {f"{name} approximate": (named[name], size) for name, size in loose.items()}
    mechanisms |= {f"H of {r}": (_diamond(r), 1.0) for r in (3, 4)}
    held = {f"{a} => {b}": 0.0 for a, b in ARROWS}
    tried = dict(held)
    for one in mechanisms:
        for other in mechanisms:
            if one == other:
                continue
            truth = _criteria(mechanisms[one], mechanisms[other])
            for a, b in ARROWS:
                tried[f"{a} => {b}"] += truth[a]
                held[f"{a} => {b}"] += truth[a] and truth[b]
    told = {"mechanisms": list(mechanisms), "places": CRITERIA, "directions": _RAYS}
    shares = {k: held[k] / tried[k] for k in held}
    yield Panel(
        "figure-2",
        "What a smaller ball implies, on the mechanisms of Example 2.10",
        "implication",
        "pairs of mechanisms",
        {"held": held, "tried": tried, "share": shares},
        told,
        kind="implications",
    )


def _diamond(size: int) -> geometry.Polytope:
    return geometry.Polytope(points=[(size, 0), (0, size)])


_RAYS = 720


def _criteria(
    one: tuple[geometry.Ball, float], other: tuple[geometry.Ball, float]
) -> dict[str, bool]:
    """Whether the first mechanism is better than the second, by each criterion."""
    angles = (np.arange(_RAYS) + 0.5) * (2 * pi / _RAYS)
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    slack = 1 + 1e-9
    reach = [1 / ball.norms(rays) * size for ball, size in (one, other)]
    small, large = [
        [geometry.conditional_variance(ball, list(ray), sensitivity=size) for ray in rays[::24]]
        for ball, size in (one, other)
    ]
    # Pr(noise in t times the first ball): for the first a Gamma law of shape 2, for the second
    # the mean over its directions, which carry mass in proportion to the squared reach
    radii = np.array([0.25, 0.5, 1.0, 2.0, 4.0, 8.0])[:, None]
    masses = [np.average(_gamma(radii * reach[0] / far), axis=1, weights=far**2) for far in reach]
    return {
        "contained": bool((reach[0] <= reach[1] * slack).all()),
        "smaller volume": bool((reach[0] ** 2).mean() <= (reach[1] ** 2).mean() * slack),
        "less entropy": geometry.entropy(one[0], sensitivity=one[1])
        <= geometry.entropy(other[0], sensitivity=other[1]) + 1e-3,
        "less conditional variance": all(a <= b * slack for a, b in zip(small, large, strict=True)),
        "stochastically tighter": bool((masses[0] >= masses[1] - 1e-9).all()),
    }


def _gamma(
    x: Floats,
) -> Floats:
    """The distribution function of the Gamma law of shape 2."""
    return 1 - np.exp(-x) * (1 + x)


CAUTIONARY = {
    "K": geometry.Polytope(points=[(100, 1), (100, -1)]),
    "H": geometry.Polytope(points=[(110, 0), (0, 11)]),
}


def cautionary(settings: Settings) -> Iterator[Panel]:
    """Table 1: a ball inside another, and worse in every expected loss. Exact moments."""
    series = {
        name: {norm: geometry.expected_loss(ball, norm).value for norm in ("linf", "l2", "l1")}
        for name, ball in CAUTIONARY.items()
    }
    told = {"epsilon": "1", "sensitivity": 1}
    yield Panel("table-1", "K lies in H", "norm", "expected loss", series, told, kind="table")


def variances(ball: geometry.Ball) -> tuple[float, float]:
    """Marginal variances of the noise in the plane, by quadrature over the angle."""
    angles = (np.arange(1 << 16) + 0.5) * (2 * pi / (1 << 16))
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    radius = 1 / ball.norms(rays)
    # E v_i^2 = 12 E u_i^2, u uniform in the ball
    second = (rays**2 * radius[:, None] ** 4).sum(axis=0) / 4 / ((radius**2).sum() / 2)
    return float(12 * second[0]), float(12 * second[1])


def rectangle_and_diamond(settings: Settings) -> Iterator[Panel]:
    """Figure 6, and the marginal variances that section 6 prints."""
    drawn: dict[str, tuple[geometry.Ball, float]] = {k: (b, 1.0) for k, b in CAUTIONARY.items()}
    told = {"K": "|x| <= 100, |y| <= 1", "H": "|x|/110 + |y|/11 <= 1", "aspect": "auto"}
    yield Panel(
        "figure-6",
        "K lies in H",
        "x",
        "y",
        _curves(drawn, settings.pick(360, 3600)),
        told,
        kind="outlines",
    )
    rows: dict[str, dict[str, float]] = {}
    for name, ball in CAUTIONARY.items():
        x, y = variances(ball)
        rows[name] = {"x": x, "y": y}
    yield Panel(
        "figure-6-variances", "K and H", "coordinate", "marginal variance", rows, told, kind="table"
    )


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "figure-1": example,
    "figure-2": orders,
    "figure-3": logistic_regression.distances,
    "figure-4": linear_regression.coverage,
    "figure-5": linear_regression.house_prices,
    "figure-6": rectangle_and_diamond,
    "table-1": cautionary,
}
# the public files of a data set, by figure
FILES = {"figure-5": {name: (file,) for name, (file, *_) in linear_regression.HOUSES.items()}}
