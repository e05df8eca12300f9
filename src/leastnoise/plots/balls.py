"""Norm balls in two dimensions, and the contours of their noise."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.errors import ParameterError
from leastnoise.params import parse_epsilon, parse_list, parse_number
from leastnoise.plots.drawing import COLOURS, DASHES, dress, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leastnoise.geometry import Ball, Comparison


def balls(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Norm balls in two dimensions, each scaled to hold the sensitivity space inside them.

    Awan and Slavkovic's figure 1: the smaller a ball around the space, the less noise.

    Parameters
    ----------
    comparison : Comparison
        As ``leastnoise.geometry.compare`` gives it, for balls in two dimensions.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib Axes
        ``save`` writes them.

    Raises
    ------
    ParameterError
        In more or fewer than two dimensions.
    MissingDependencyError
        Without matplotlib.
    """
    if comparison.space.dimension != 2:
        raise ParameterError("norm balls are drawn in two dimensions; print the table instead")
    plot = new_axes(ax, width=5.4)
    if comparison.space.points:
        points = comparison.space.floats()
        plot.plot(
            points[:, 0], points[:, 1], ".", color=COLOURS[5], markersize=2, label="sensitivity"
        )
    for i, row in enumerate(comparison.rows):
        edge = _outline(row.ball) * row.sensitivity
        style, colour = DASHES[i % len(DASHES)], COLOURS[i % len(COLOURS)]
        plot.plot(*edge.T, color=colour, linestyle=style, linewidth=1.8, label=row.name)
    plot.set_aspect("equal")
    dress(plot, "Norm balls around the sensitivity space", "first coordinate", "second coordinate")
    plot.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return plot


def contours(
    ball: Ball,
    *,
    epsilon: object = 1,
    sensitivity: object = 1,
    shares: Sequence[float] = (0.5, 0.9, 0.99),
    ax: Axes | None = None,
) -> Axes:
    """Where the noise of a K-norm mechanism falls: the sets that hold these shares of it.

    They are multiples of the ball, by the quantiles of a Gamma law of shape 2 (lemma 3.5).

    Parameters
    ----------
    ball : Ball
        In two dimensions.
    epsilon, sensitivity : number
        Those of the mechanism.
    shares : sequence of float
        Probabilities, each in (0, 1).
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib Axes
        ``save`` writes them.

    Raises
    ------
    ParameterError, ParameterTypeError
        In more or fewer than two dimensions, and for numbers outside their domains.
    MissingDependencyError
        Without matplotlib.
    """
    if ball.dimension != 2:
        raise ParameterError("contours are drawn in two dimensions")
    shares = [float(parse_number(s, "shares")) for s in parse_list(shares, "shares", "numbers")]
    if not shares or not all(0 < share < 1 for share in shares):
        raise ParameterError("shares must lie strictly between 0 and 1, and at least one")
    from scipy.special import gammaincinv

    scale = float(parse_number(sensitivity, "sensitivity") / parse_epsilon(epsilon))
    plot = new_axes(ax, width=5.4)
    edge = _outline(ball)
    for i, share in enumerate(sorted(shares)):
        size = scale * float(gammaincinv(2, share))
        style, colour = DASHES[i % len(DASHES)], COLOURS[i % len(COLOURS)]
        plot.plot(
            *(edge * size).T, color=colour, linestyle=style, linewidth=1.8, label=f"{share:.0%}"
        )
    plot.set_aspect("equal")
    dress(plot, "Share of the noise inside", "first coordinate", "second coordinate")
    plot.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return plot


def _outline(ball: Ball) -> Any:
    """Points of the boundary of a ball in two dimensions, shape (k, 2)."""
    angles = np.linspace(0, 2 * pi, 721)
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return rays / ball.norms(rays)[:, None]
