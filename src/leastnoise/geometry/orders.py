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
from typing import Any, cast

import numpy as np

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.geometry.ball import Ball, as_ball, exact_vector
from leastnoise.geometry.lp import LpBall
from leastnoise.geometry.polytope import Polytope
from leastnoise.geometry.space import SensitivitySpace
from leastnoise.params import parse_count, parse_epsilon, parse_list, parse_number

_ANGLES = 1 << 16
_LOSSES: dict[str, Any] = {"l1": 1, "l2": 2, "linf": inf}


def is_contained(inner: Ball, outer: Ball, *, directions: int = 20_000) -> bool:
    """Whether one ball lies in another.

    Exact where ``inner`` is a polytope (its vertices) and, in doubles, where ``outer`` is one (its
    facets) or where ``inner`` is a ball of l_p; otherwise by ``directions`` random rays, so that
    True means that no ray contradicts it.

    Parameters
    ----------
    inner, outer : Ball
        Of one dimension.
    directions : int
        Random rays, at least 1, where the answer is not exact.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the dimensions differ, a parameter is invalid, or an argument is not a ball.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> geometry.is_contained(geometry.LpBall(1, 3), geometry.LpBall(2, 3))
    True
    """
    as_ball(inner, "inner")
    as_ball(outer, "outer")
    directions = parse_count(directions, "directions")
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
    delta = parse_number(sensitivity, "sensitivity")
    if not delta > 0:
        raise ParameterError(f"sensitivity must be greater than 0, got {quoted(sensitivity)}")
    return float(delta / parse_epsilon(epsilon))


def entropy(ball: Ball, *, epsilon: object = 1, sensitivity: object = 1) -> float:
    """The entropy of the K-norm mechanism, in nats.

    Parameters
    ----------
    ball : Ball
        K, of d coordinates.
    epsilon, sensitivity : number
        Above 0: the noise has the density exp(-epsilon ||v||_K / sensitivity).

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, or ``ball`` is not a ball.

    Notes
    -----
    log((Delta e / epsilon)^d d! volume(K)). Source: Awan and Slavkovic, Proposition 3.14.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> round(geometry.entropy(geometry.LpBall("inf", 2), epsilon=2), 4)
    2.6931
    """
    d = as_ball(ball).dimension
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

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, ``direction`` is 0 or of another length, or ``ball`` is not a
        ball.

    Notes
    -----
    d (d + 1) (Delta / (epsilon ||e||_K))^2. Source: Awan and Slavkovic, Theorem 3.17, as corrected
    in errata 2.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> round(geometry.conditional_variance(geometry.LpBall(1, 2), [1, 1]), 9)
    3.0
    """
    d = as_ball(ball).dimension
    e = np.array([float(x) for x in exact_vector(direction, d, "direction")])
    if not e.any():
        raise ParameterError("direction must not be 0")
    e = e / np.linalg.norm(e)
    scale = _scale(sensitivity, epsilon)
    return d * (d + 1) * (scale / float(ball.norms(e[None, :])[0])) ** 2


@dataclass(frozen=True, slots=True)
class Loss:
    """An expected loss and its standard error (0 if it is computed rather than sampled)."""

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

    Parameters
    ----------
    ball : Ball
        K, of d coordinates.
    norm : "l1", "l2" or "linf"
        In which the noise is measured.
    epsilon, sensitivity : number
        Above 0: the noise has the density exp(-epsilon ||v||_K / sensitivity).
    draws : int
        Uniform points, at least 1.

    Returns
    -------
    Loss
        ``value`` and its standard ``error``, 0 where nothing is drawn.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, or ``ball`` is not a ball.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> round(geometry.expected_loss(geometry.LpBall("inf", 2), "linf").value, 6)
    2.0
    """
    as_ball(ball)
    draws = parse_count(draws, "draws")
    if norm not in tuple(_LOSSES):
        raise ParameterError(f"norm must be one of {', '.join(_LOSSES)}, got {quoted(norm)}")
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

    Returns
    -------
    list of d floats
        In the units of the coordinates.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, or ``ball`` is not a ball.

    Notes
    -----
    It is sqrt((d + 1)(d + 2)) Delta / epsilon times the root mean square of U.
    """
    d = as_ball(ball).dimension
    draws = parse_count(draws, "draws")
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
    """Balls for one sensitivity space, the smallest volume first.

    Attributes
    ----------
    rows : tuple
        One entry a ball: name, ball, sensitivity, whether that is exact, volume and entropy of the
        noise, expected losses, and the names of the balls that it lies in.
    space : SensitivitySpace
        What was compared for.
    epsilon : float
        Of entropies and losses.
    """

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
        draw it with ``leastnoise.plots.balls``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If there are no balls, one has another dimension, a parameter is invalid, or an argument is
        not a ball or a space.

    Examples
    --------
    >>> space = SensitivitySpace.from_points([(1, 2), (2, 1)])
    >>> table = compare({"l1": LpBall(1, 2), "linf": LpBall("inf", 2)}, space)
    >>> [(row.name, row.sensitivity, round(row.volume, 9)) for row in table.rows]
    [('linf', 2.0, 16.0), ('l1', 3.0, 18.0)]
    """
    if isinstance(balls, Mapping):
        named = {name: as_ball(ball, "balls") for name, ball in balls.items()}
    else:
        listed = parse_list(balls, "balls", "balls")
        named = {ball.name: ball for ball in (as_ball(b, "balls") for b in listed)}
    if not isinstance(cast("object", space), SensitivitySpace):
        raise ParameterTypeError(f"space must be a SensitivitySpace, not {type(space).__name__}")
    if not named:
        raise ParameterError("compare needs at least one ball")
    found: list[tuple[str, Ball, float]] = []
    for name, ball in named.items():
        if ball.dimension != space.dimension:
            raise ParameterError(f"{name} does not have the dimension of the space")
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
    """The balls of l1, l2 and l-infinity in this many coordinates, by name.

    Parameters
    ----------
    dimension : int
        d >= 1.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``dimension`` is invalid.
    """
    return {"l1": LpBall(1, dimension), "l2": LpBall(2, dimension), "linf": LpBall(inf, dimension)}
