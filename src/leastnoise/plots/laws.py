"""Errors against epsilon, profiles and laws.

NOT PRIVATE: every picture here looks at the data, so it is for public or synthetic data only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, nan
from typing import TYPE_CHECKING, Literal

from leastnoise.errors import ParameterError
from leastnoise.laws import Law, saturated
from leastnoise.plots.drawing import COLOURS, DASHES, MARKERS, as_float, dress, new_axes, strokes
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile, Rational, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BARS = 400
_TAIL = 0.001
_POINTS = 80
_SURE = 0.98  # an answer is further off than this: nothing to see


def error_against_epsilon(
    table: Mapping[str, Mapping[float, float | None]],
    ax: Axes | None = None,
    *,
    title: str = "Expected error against epsilon",
    legend: Literal["beside", "below"] = "beside",
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
    legend
        Where the names stand: beside the lines, or below them for a narrow page.

    Returns
    -------
    Axes
        ``axes.figure.savefig`` or ``save`` writes it.

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    ProductionError
        Where LEASTNOISE_PRODUCTION is set.
    """
    forbid_in_production("error_against_epsilon")
    plot = new_axes(ax, width=8.6)
    ends: list[tuple[float, str]] = []
    for i, (name, errors) in enumerate(table.items()):
        points = [(e, error) for e, error in sorted(errors.items()) if error]
        if not points:
            continue
        stroke = strokes(i)
        plot.plot(
            *zip(*points, strict=True),
            **stroke,
            marker=MARKERS[(i + i // len(MARKERS)) % len(MARKERS)],
            markersize=6,
            markerfacecolor="white",
            markeredgewidth=1.4,
            linewidth=1.6,
            label=name,
        )
        ends.append((points[-1][1], name))
    plot.set_xscale("log")
    plot.set_yscale("log")
    epsilons = sorted({e for errors in table.values() for e in errors})
    plot.set_xticks(epsilons, [format(e, "g") for e in epsilons])
    plot.xaxis.minorticks_off()
    dress(plot, title, "epsilon (smaller is more private)", "expected error")
    if ends:
        # in the order of the lines' right ends, so that the eye goes straight across
        order = [name for _, name in sorted(ends, key=lambda end: -end[0])]
        handles, names = plot.get_legend_handles_labels()
        found = dict(zip(names, handles, strict=True))
        plot.legend(
            [found[name] for name in order],
            order,
            loc="center left" if legend == "beside" else "upper center",
            bbox_to_anchor=(1.01, 0.5) if legend == "beside" else (0.45, -0.16),
            frameon=False,
            handlelength=3.6,
            fontsize=9,
        )
    return plot


def profile(p: Profile, levels: Sequence[int] = range(51), ax: Axes | None = None) -> Axes:
    """NOT PRIVATE. The values a statistic can take after at most l records changed.

    Parameters
    ----------
    p : Profile
        As ``leastnoise.profile`` gives it.
    levels
        Numbers of changed records, >= 0.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib Axes
        ``save`` writes them.

    Raises
    ------
    ParameterError
        For no levels, or one below 0.
    MissingDependencyError
        Without matplotlib.
    ProductionError
        Where LEASTNOISE_PRODUCTION is set.
    """
    forbid_in_production("profile")
    if not levels or min(levels) < 0:
        raise ParameterError("levels must be whole numbers of at least 0, and at least one")
    shown = sorted(levels)
    plot = new_axes(ax)
    upper = [as_float(p.upper(level)) for level in shown]
    lower = [as_float(p.lower(level)) for level in shown]
    plot.fill_between(shown, lower, upper, step="post", color=COLOURS[5], alpha=0.25, linewidth=0)
    plot.step(shown, upper, where="post", color=COLOURS[1], linewidth=1.8, label="largest value")
    plot.axhline(as_float(p.value), color="black", linewidth=1, linestyle=DASHES[2], label="value")
    plot.step(
        shown,
        lower,
        where="post",
        color=COLOURS[0],
        linewidth=1.8,
        linestyle=DASHES[1],
        label="smallest value",
    )
    dress(plot, "Sensitivity profile", "records changed, at most", "value of the statistic")
    plot.legend(frameon=False, loc="best")
    return plot


def law(law: Law, ax: Axes | None = None) -> Axes:
    """NOT PRIVATE. The density of the answers, on a logarithmic axis, between its 0.1 % tails.

    Parameters
    ----------
    law : Law
        As ``mechanism.law(profile, epsilon)`` gives it.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib Axes
        ``save`` writes them.

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    ProductionError
        Where LEASTNOISE_PRODUCTION is set.
    """
    forbid_in_production("law")
    plot = new_axes(ax)
    first, last = law.point_quantile(_TAIL), law.point_quantile(1 - _TAIL)
    stride = max(1, -(-(last - first + 1) // _BARS))
    edges = list(range(first, last + stride + 1, stride))
    below = [law.point_cdf(edge - 1) for edge in edges]
    width = stride * saturated(law.step)
    heights = [(b - a) / width if b > a else nan for a, b in pairwise(below)]
    positions = [saturated(edge * law.step) for edge in edges]
    plot.stairs(heights, positions, baseline=None, color=COLOURS[0], linewidth=1.8)
    plot.set_yscale("log")
    middle = saturated(law.point_quantile(0.5) * law.step)
    plot.axvline(middle, color="black", linewidth=1, linestyle=DASHES[2], label="median answer")
    dress(plot, "Law of the answer", "answer", "probability per unit")
    plot.legend(frameon=False, loc="best")
    return plot


def tails(laws: Mapping[str, Law], centre: Rational, ax: Axes | None = None) -> Axes:
    """NOT PRIVATE. How likely an answer is further off than a distance, one line a mechanism.

    Parameters
    ----------
    laws
        For each mechanism its law, as ``mechanism.law(profile, epsilon)`` gives it.
    centre
        The value that answers should be near, as ``profile.value`` gives it.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib Axes
        ``save`` writes them.

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    ProductionError
        Where LEASTNOISE_PRODUCTION is set.
    """
    forbid_in_production("tails")
    plot = new_axes(ax)
    value = Fraction(exact(centre))
    for i, (name, law) in enumerate(laws.items()):
        middle = value / law.step
        below, above = floor(middle), ceil(middle)

        def chance(t: int, law: Law = law, below: int = below, above: int = above) -> float:
            return law.point_cdf(below - t) + 1 - law.point_cdf(above + t - 1)

        ends = law.point_quantile(_TAIL / 10), law.point_quantile(1 - _TAIL / 10)
        last = max(below - ends[0], ends[1] - above, 1)
        bits = bisect_left(range(last.bit_length()), -_SURE, key=lambda b: -chance(1 << b))
        first = 1 << max(0, bits - 1)
        points = sorted(
            {round(first * (last / first) ** (k / _POINTS)) for k in range(_POINTS + 1)}
        )
        chances = [chance(t) for t in points]
        plot.plot(
            [saturated(t * law.step) for t in points],
            [c if c > _TAIL / 10 else nan for c in chances],
            **strokes(i),
            linewidth=1.8,
            label=name,
        )
    plot.set_xscale("log")
    plot.set_yscale("log")
    dress(plot, "How far off answers are", "distance from the value", "chance of at least that")
    plot.legend(
        frameon=False, fontsize=9, handlelength=3.6, loc="upper center", bbox_to_anchor=(0.45, -0.2)
    )
    return plot
