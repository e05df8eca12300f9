"""How K-norm mechanisms compare: containment, volume, entropy, conditional variance, losses.

For the mechanism of a ball K with sensitivity Delta and privacy epsilon in d coordinates, with
noise V of the density proportional to exp(-(epsilon / Delta) ||v||_K):

* V is stochastically tighter, and has less variance in every direction, exactly if Delta K is
  contained (theorems 3.6 and 3.17);
* its entropy is log((Delta e / epsilon)^d d! volume(K)) (proposition 3.14), so the entropy order is
  the order of the volumes of Delta K (theorem 3.15);
* given that V lies on the line of a unit vector e, the signed projection has variance
  d (d + 1) (Delta / (epsilon ||e||_K))^2 (theorem 3.17, corrected: errata 2).

The convex hull of the sensitivity space is the smallest in both orders (theorem 3.19). Expected
losses need not follow either (the paper's cautionary example). All in doubles: analysis only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, lgamma, log, pi
from typing import Any

import numpy as np

from leastnoise.errors import ParameterError
from leastnoise.geometry.ball import Ball
from leastnoise.geometry.lp import LpBall
from leastnoise.geometry.polytope import Polytope
from leastnoise.geometry.space import SensitivitySpace
from leastnoise.params import parse_epsilon, parse_number

_ANGLES = 1 << 16
_LOSSES: dict[str, Any] = {"l1": 1, "l2": 2, "linf": inf}


def is_contained(inner: Ball, outer: Ball, *, directions: int = 20_000) -> bool:
    """Whether one ball lies in another.

    Exact where ``inner`` is a polytope (its vertices) and, in doubles, where ``outer`` is one (its
    facets) or where ``inner`` is a ball of l_p; otherwise by ``directions`` random rays, so that
    True means that no ray contradicts it.
    """
    if inner.dimension != outer.dimension:
        raise ParameterError("only balls of one dimension can be compared")
    if isinstance(inner, Polytope):
        return all(outer.bound(v) <= 1 for v in inner.vertices)
    if isinstance(outer, Polytope):
        return all(inner.support([float(x) for x in f]) <= 1 + 1e-12 for f in outer.facets)
    rng = np.random.default_rng(0)
    rays = rng.normal(size=(directions, inner.dimension))
    axes = np.eye(inner.dimension)
    corners = np.sign(rays[: directions // 4])
    rays = np.concatenate([rays, axes, corners])
    return bool((outer.norms(rays) <= inner.norms(rays) * (1 + 1e-9)).all())


def _scale(sensitivity: object, epsilon: object) -> float:
    """Delta / epsilon."""
    return float(parse_number(sensitivity, "sensitivity") / parse_epsilon(epsilon))


def entropy(ball: Ball, *, epsilon: object = 1, sensitivity: object = 1) -> float:
    """The entropy of the K-norm mechanism, in nats.

    Parameters
    ----------
    ball : Ball
        K, of d coordinates.
    epsilon, sensitivity : number
        Above 0: the noise has the density exp(-epsilon ||v||_K / sensitivity).
    """
    d = ball.dimension
    scale = _scale(sensitivity, epsilon)
    return d * (log(scale) + 1) + lgamma(d + 1) + log(ball.volume)


def conditional_variance(
    ball: Ball, direction: Sequence[float], *, epsilon: object = 1, sensitivity: object = 1
) -> float:
    """The variance of <V, e> given that V lies on the line of the direction e.

    Parameters
    ----------
    ball : Ball
        K, of d coordinates.
    direction : sequence of d numbers
        e, of any length but 0.
    epsilon, sensitivity : number
        Above 0: the noise has the density exp(-epsilon ||v||_K / sensitivity).
    """
    e = np.asarray(direction, dtype=float)
    e = e / np.linalg.norm(e)
    d = ball.dimension
    scale = _scale(sensitivity, epsilon)
    return d * (d + 1) * (scale / float(ball.norms(e[None, :])[0])) ** 2


@dataclass(frozen=True, slots=True)
class Loss:
    """An expected loss and its standard error (0 where it is computed, not sampled)."""

    value: float
    error: float


def expected_loss(
    ball: Ball,
    norm: str = "linf",
    *,
    epsilon: object = 1,
    sensitivity: object = 1,
    draws: int = 100_000,
) -> Loss:
    """E ||V|| of the K-norm mechanism in "l1", "l2" or "linf".

    It is (d + 1) Delta / epsilon times the mean of ||U|| over uniform U in K. In two dimensions by
    quadrature over the angle, otherwise from ``draws`` uniform points.
    """
    if norm not in _LOSSES:
        raise ParameterError(f"norm must be one of {', '.join(_LOSSES)}, got {norm!r}")
    order, d = _LOSSES[norm], ball.dimension
    scale = (d + 1) * _scale(sensitivity, epsilon)
    if d == 2:
        angles = (np.arange(_ANGLES) + 0.5) * (2 * pi / _ANGLES)
        rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        radius = 1 / ball.norms(rays)
        sizes = np.linalg.norm(rays, ord=order, axis=1)
        mean = (sizes * radius**3).sum() / 3 / ((radius**2).sum() / 2)
        return Loss(scale * float(mean), 0.0)
    points = ball.sample(draws, np.random.default_rng(0))
    sizes = np.linalg.norm(points, ord=order, axis=1)
    return Loss(scale * float(sizes.mean()), scale * float(sizes.std()) / draws**0.5)


def coordinate_rms(
    ball: Ball, *, epsilon: object = 1, sensitivity: object = 1, draws: int = 20_000
) -> list[float]:
    """The root mean square of the noise of every coordinate, from uniform points of the ball.

    Parameters
    ----------
    ball : Ball
        K, of d coordinates.
    epsilon, sensitivity : number
        Above 0: the noise has the density exp(-epsilon ||v||_K / sensitivity).
    draws : int
        Points drawn; the relative standard error falls like 1 / sqrt(draws).

    Notes
    -----
    It is sqrt((d + 1)(d + 2)) Delta / epsilon times the root mean square of U.
    """
    d = ball.dimension
    scale = ((d + 1) * (d + 2)) ** 0.5 * _scale(sensitivity, epsilon)
    points = ball.sample(draws, np.random.default_rng(0))
    return [float(x) for x in scale * np.sqrt((points**2).mean(axis=0))]


@dataclass(frozen=True, slots=True)
class ComparedBall:
    """One row of a comparison: a ball scaled to hold the sensitivity space."""

    name: str
    ball: Ball
    sensitivity: float
    exact: bool
    volume: float
    entropy: float
    losses: Mapping[str, Loss]
    inside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Balls for one sensitivity space, the smallest volume first."""

    rows: tuple[ComparedBall, ...]
    space: SensitivitySpace
    epsilon: float

    @property
    def best(self) -> ComparedBall:
        """The first in the volume order."""
        return self.rows[0]

    def __str__(self) -> str:
        head = (
            "ball",
            "sensitivity",
            "volume",
            "entropy",
            "E l1",
            "E l2",
            "E linf",
            "contained in",
        )
        lines: list[tuple[str, ...]] = [head]
        for row in self.rows:
            losses = [format(row.losses[k].value, ".4g") for k in _LOSSES]
            numbers = [format(x, ".5g") for x in (row.sensitivity, row.volume, row.entropy)]
            lines.append((row.name, *numbers, *losses, ", ".join(row.inside) or "-"))
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        return "\n".join(
            "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain values, one entry a ball."""
        return [
            {
                "ball": row.name,
                "sensitivity": row.sensitivity,
                "sensitivity_exact": row.exact,
                "volume": row.volume,
                "entropy": row.entropy,
                **{f"expected_{k}": loss.value for k, loss in row.losses.items()},
                "contained_in": list(row.inside),
            }
            for row in self.rows
        ]


def compare(
    balls: Mapping[str, Ball] | Sequence[Ball],
    space: SensitivitySpace,
    *,
    epsilon: object = 1,
    draws: int = 100_000,
) -> Comparison:
    """Compare the mechanisms of several balls for one sensitivity space.

    Parameters
    ----------
    balls : mapping of names to balls, or list of balls
        Of the dimension of the space; their size does not matter, only their shape.
    space : SensitivitySpace
        Its points; a sampled space gives sensitivities from below, marked ``exact=False``.
    epsilon : number
        For entropies and losses.
    draws : int
        Uniform points for expected losses in more than two dimensions.

    Returns
    -------
    Comparison
        Rows by volume of Delta K, each with the balls that contain it; ``print`` it as a table,
        draw it with :func:`leastnoise.plots.balls`.

    Examples
    --------
    >>> space = SensitivitySpace.from_points([(1, 2), (2, 1)])
    >>> table = compare({"l1": LpBall(1, 2), "linf": LpBall("inf", 2)}, space)
    >>> [(row.name, row.sensitivity, round(row.volume, 9)) for row in table.rows]
    [('linf', 2.0, 16.0), ('l1', 3.0, 18.0)]
    """
    named = dict(balls) if isinstance(balls, Mapping) else {ball.name: ball for ball in balls}
    if not named:
        raise ParameterError("compare needs at least one ball")
    found: list[tuple[str, Ball, float]] = []
    for name, ball in named.items():
        if ball.dimension != space.dimension:
            raise ParameterError(f"{name} has not the dimension of the space")
        size = space.sensitivity(ball) if space.complete else space.sensitivity_from_below(ball)
        found.append((name, ball, float(size)))
    scaled = {name: ball.scaled(size) for name, ball, size in found}
    rows = [
        ComparedBall(
            name,
            ball,
            size,
            space.complete,
            exp(ball.dimension * log(size)) * ball.volume,
            entropy(ball, epsilon=epsilon, sensitivity=size),
            {
                k: expected_loss(ball, k, epsilon=epsilon, sensitivity=size, draws=draws)
                for k in _LOSSES
            },
            tuple(o for o in scaled if o != name and is_contained(scaled[name], scaled[o])),
        )
        for name, ball, size in found
    ]
    ordered = sorted(rows, key=lambda row: row.volume)
    return Comparison(tuple(ordered), space, float(parse_epsilon(epsilon)))


def lp_balls(dimension: int) -> dict[str, Ball]:
    """The balls of l1, l2 and l-infinity in this many coordinates, by name."""
    return {"l1": LpBall(1, dimension), "l2": LpBall(2, dimension), "linf": LpBall(inf, dimension)}
