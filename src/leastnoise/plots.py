"""Pictures of errors, profiles, laws and norm balls (extra: plots).

NOT PRIVATE: every picture looks at the data, so it is for public or synthetic data only. Lines
differ in colour, marker and dash, so they can be told apart in grey and by every eye.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import nan, pi
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from leastnoise.errors import MissingDependencyError, ParameterError
from leastnoise.laws import Law, saturated
from leastnoise.params import parse_epsilon, parse_number
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile, Rational, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leastnoise.geometry import Ball, Comparison

FORMATS = (".svg", ".png", ".pdf")

# Okabe and Ito's colours for all eyes; the yellow is left out, it vanishes on paper.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00", "#666666")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (6, 2, 1, 2)),
    (0, (3, 1)),
    (0, (8, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
)
_BARS = 400
_TAIL = 0.001


def error_against_epsilon(
    table: Mapping[str, Mapping[float, float | None]],
    ax: Axes | None = None,
    *,
    title: str = "Expected error against epsilon",
) -> Axes:
    """NOT PRIVATE. One line a mechanism, its name at the line's side, both axes logarithmic.

    Parameters
    ----------
    table
        For each mechanism its expected error by epsilon; None and 0 are not drawn.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.
    title
        Above the picture.

    Returns
    -------
    Axes
        ``axes.figure.savefig`` or :func:`save` writes it.

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    """
    forbid_in_production("error_against_epsilon")
    plot = _axes(ax, width=8.6)
    ends: list[tuple[float, str, str]] = []
    for i, (name, errors) in enumerate(table.items()):
        points = [(e, error) for e, error in sorted(errors.items()) if error]
        if not points:
            continue
        colour = _COLOURS[i % len(_COLOURS)]
        plot.plot(
            *zip(*points, strict=True),
            color=colour,
            linestyle=_DASHES[i % len(_DASHES)],
            marker=_MARKERS[i % len(_MARKERS)],
            markersize=6,
            markerfacecolor="white",
            markeredgewidth=1.4,
            linewidth=1.6,
            label=name,
        )
        ends.append((points[-1][1], name, colour))
    plot.set_xscale("log")
    plot.set_yscale("log")
    epsilons = sorted({e for errors in table.values() for e in errors})
    plot.set_xticks(epsilons, [format(e, "g") for e in epsilons])
    plot.xaxis.minorticks_off()
    _dress(plot, title, "epsilon (smaller is more private)", "expected error")
    if ends:
        # in the order of the lines' right ends, so that the eye goes straight across
        order = [name for _, name, _ in sorted(ends, key=lambda end: -end[0])]
        handles, names = plot.get_legend_handles_labels()
        found = dict(zip(names, handles, strict=True))
        plot.legend(
            [found[name] for name in order],
            order,
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            frameon=False,
            handlelength=3.6,
            fontsize=9,
        )
    return cast("Axes", plot)


def profile(p: Profile, levels: Sequence[int] = range(51), ax: Axes | None = None) -> Axes:
    """NOT PRIVATE. The values a statistic can take after at most l records changed.

    Parameters
    ----------
    p : Profile
        As :func:`leastnoise.profile` gives it.
    levels
        Numbers of changed records, >= 0.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    """
    forbid_in_production("profile")
    if not levels or min(levels) < 0:
        raise ParameterError("levels must be whole numbers of at least 0, and at least one")
    shown = sorted(levels)
    plot = _axes(ax)
    upper = [_float(p.upper(level)) for level in shown]
    lower = [_float(p.lower(level)) for level in shown]
    plot.fill_between(shown, lower, upper, step="post", color=_COLOURS[5], alpha=0.25, linewidth=0)
    plot.step(shown, upper, where="post", color=_COLOURS[1], linewidth=1.8, label="largest value")
    plot.axhline(_float(p.value), color="black", linewidth=1, linestyle=_DASHES[2], label="value")
    plot.step(
        shown,
        lower,
        where="post",
        color=_COLOURS[0],
        linewidth=1.8,
        linestyle=_DASHES[1],
        label="smallest value",
    )
    _dress(plot, "Sensitivity profile", "records changed, at most", "value of the statistic")
    plot.legend(frameon=False, loc="best")
    return cast("Axes", plot)


def law(law: Law, ax: Axes | None = None) -> Axes:
    """NOT PRIVATE. The density of the answers, on a logarithmic axis, between its 0.1 % tails.

    Parameters
    ----------
    law : Law
        As ``mechanism.law(profile, epsilon)`` gives it.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    """
    forbid_in_production("law")
    plot = _axes(ax)
    first, last = law.point_quantile(_TAIL), law.point_quantile(1 - _TAIL)
    stride = max(1, -(-(last - first + 1) // _BARS))
    edges = list(range(first, last + stride + 1, stride))
    below = [law.point_cdf(edge - 1) for edge in edges]
    width = stride * saturated(law.step)
    heights = [(b - a) / width if b > a else nan for a, b in pairwise(below)]
    positions = [saturated(edge * law.step) for edge in edges]
    plot.stairs(heights, positions, baseline=None, color=_COLOURS[0], linewidth=1.8)
    plot.set_yscale("log")
    middle = saturated(law.point_quantile(0.5) * law.step)
    plot.axvline(middle, color="black", linewidth=1, linestyle=_DASHES[2], label="median answer")
    _dress(plot, "Law of the answer", "answer", "probability per unit")
    plot.legend(frameon=False, loc="best")
    return cast("Axes", plot)


def balls(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Norm balls in two dimensions, each scaled to hold the sensitivity space inside them.

    Awan and Slavkovic's figure 1: the smaller a ball around the space, the less noise.

    Parameters
    ----------
    comparison : Comparison
        As :func:`leastnoise.geometry.compare` gives it, for balls in two dimensions.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Raises
    ------
    ParameterError
        In more or fewer than two dimensions.
    MissingDependencyError
        Without matplotlib.
    """
    if comparison.space.dimension != 2:
        raise ParameterError("norm balls are drawn in two dimensions; print the table instead")
    plot = _axes(ax, width=5.4)
    if comparison.space.points:
        points = comparison.space.floats()
        plot.plot(
            points[:, 0], points[:, 1], ".", color=_COLOURS[5], markersize=2, label="sensitivity"
        )
    for i, row in enumerate(comparison.rows):
        edge = _outline(row.ball) * row.sensitivity
        style, colour = _DASHES[i % len(_DASHES)], _COLOURS[i % len(_COLOURS)]
        plot.plot(*edge.T, color=colour, linestyle=style, linewidth=1.8, label=row.name)
    plot.set_aspect("equal")
    _dress(plot, "Norm balls around the sensitivity space", "first coordinate", "second coordinate")
    plot.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return cast("Axes", plot)


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

    Raises
    ------
    ParameterError
        In more or fewer than two dimensions, or for a share outside (0, 1).
    MissingDependencyError
        Without matplotlib.
    """
    if ball.dimension != 2:
        raise ParameterError("contours are drawn in two dimensions")
    if not shares or not all(0 < share < 1 for share in shares):
        raise ParameterError("shares must lie strictly between 0 and 1, and at least one")
    from scipy.special import gammaincinv

    scale = float(parse_number(sensitivity, "sensitivity") / parse_epsilon(epsilon))
    plot = _axes(ax, width=5.4)
    edge = _outline(ball)
    for i, share in enumerate(sorted(shares)):
        size = scale * float(gammaincinv(2, share))
        style, colour = _DASHES[i % len(_DASHES)], _COLOURS[i % len(_COLOURS)]
        plot.plot(
            *(edge * size).T, color=colour, linestyle=style, linewidth=1.8, label=f"{share:.0%}"
        )
    plot.set_aspect("equal")
    _dress(plot, "Share of the noise inside", "first coordinate", "second coordinate")
    plot.legend(frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return cast("Axes", plot)


def _outline(ball: Ball) -> Any:
    """Points of the boundary of a ball in two dimensions, shape (k, 2)."""
    angles = np.linspace(0, 2 * pi, 721)
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return rays / ball.norms(rays)[:, None]


def check_path(path: str | Path) -> None:
    """Refuse a file that :func:`save` could not write, before any work is done.

    Raises
    ------
    ParameterError
        For an unknown ending or a folder that does not exist.
    MissingDependencyError
        Without matplotlib.
    """
    file = Path(path)
    if file.suffix.lower() not in FORMATS:
        raise ParameterError(f"a picture ends in {', '.join(FORMATS)}, got {file.name!r}")
    if not file.parent.is_dir():
        raise ParameterError(f"there is no folder {str(file.parent)!r} for the picture: make it")
    _figure()


def save(ax: Axes, path: str | Path) -> None:
    """Write the figure of these axes; text in an SVG stays text."""
    check_path(path)
    import matplotlib as mpl

    file = Path(path)
    dated = {".svg": {"Date": None, "Creator": None}, ".pdf": {"CreationDate": None}}
    with cast("Any", mpl).rc_context({"svg.fonttype": "none", "svg.hashsalt": "leastnoise"}):
        cast("Any", ax.figure).savefig(
            file, dpi=200, bbox_inches="tight", metadata=dated.get(file.suffix.lower())
        )


def _figure() -> Any:
    """The class of figures, made without pyplot: no window and no process-wide state."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError(
            "pictures need matplotlib: pip install leastnoise[plots]", extra="plots"
        ) from None
    return Figure


def _axes(ax: Axes | None, *, width: float = 6.4) -> Any:
    made = _figure()
    return made(figsize=(width, 4.2), layout="constrained").subplots() if ax is None else ax


def _dress(plot: Any, title: str, x: str, y: str) -> None:
    plot.set_title(title, fontsize=11, loc="left")
    plot.set_xlabel(x)
    plot.set_ylabel(y)
    plot.grid(visible=True, which="major", color="#dddddd", linewidth=0.8)
    plot.set_axisbelow(True)
    plot.spines[["top", "right"]].set_visible(False)


def _float(value: Rational | None) -> float:
    return nan if value is None else float(exact(value))
