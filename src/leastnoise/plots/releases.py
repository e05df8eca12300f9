"""Pictures of what was released and spent: from records and ledgers, which hold no private data."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterError
from leastnoise.plots.drawing import COLOURS, DASHES, dress, new_axes
from leastnoise.record import Release, Releases
from leastnoise.record.flat import shown_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from leastnoise.accounting import Ledger


def budget(ledger: Ledger, ax: Axes | None = None) -> Axes:
    """The spending of a ledger over time, and its budget.

    Parameters
    ----------
    ledger : Ledger
        Any ledger; its history is public to whoever may read the file.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib Axes
        Steps of the exact sum of epsilon (or rho), with a line at the budget.

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    """
    plot = new_axes(ax)
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    history = ledger.history
    what = next(iter(history[0].state["budget"]))
    times = [datetime.fromisoformat(entry.time) for entry in history]
    spent, limit = (
        [float(Fraction(entry.state[key][what])) for entry in history]
        for key in ("spent", "budget")
    )
    plot.step(times, limit, where="post", color="black", linestyle=DASHES[1], label="budget")
    plot.step(times, spent, where="post", color=COLOURS[0], linewidth=1.8, label="spent")
    plot.plot(times, spent, "o", color=COLOURS[0], markersize=3)
    plot.set_ylim(bottom=0)
    places = AutoDateLocator()
    plot.xaxis.set_major_locator(places)
    plot.xaxis.set_major_formatter(ConciseDateFormatter(places))
    dress(plot, f"Budget of {ledger.dataset}", "", what)
    plot.legend(frameon=False, loc="best")
    return plot


def groups(releases: Releases[Any, Any], name: str | None = None, ax: Axes | None = None) -> Axes:
    """One statistic of all groups of a release, each with its uncertainty where that is public.

    Parameters
    ----------
    releases : Releases
        As ``data.group_by({...}).release(...)`` gives it; every value must be one number.
    name : str
        The statistic, by the name it was released under. Not needed for the only one.
    ax : matplotlib Axes, optional
        Where to draw. Default: a new figure.

    Returns
    -------
    matplotlib Axes
        A dot a group; lines hold 95 % of the noise of Laplace and Gaussian answers. Noise that
        adapts to the data has no public width, and no line.

    Raises
    ------
    ParameterError
        Without groups, for an unknown name, or where values are not single numbers.
    MissingDependencyError
        Without matplotlib.
    """
    if not releases.by:
        raise ParameterError("these releases have no groups: make them with group_by")
    if name is None and len(releases.names) == 1:
        name = releases.names[0]
    if name is None or name not in releases.names:
        raise ParameterError(f"name must be one of {', '.join(releases.names)}, got {name!r}")
    rows = [(" · ".join(map(shown_key, row.key)), row.records[name]) for row in releases.rows()]
    if any(not isinstance(record.value, (int, float)) for _, record in rows):
        raise ParameterError(f"{name} is not one number a group: draw its parts one by one")
    plot = new_axes(ax)
    for place, (_, record) in enumerate(rows):
        interval = _interval(record)
        if interval is not None:
            plot.plot([place, place], interval, color=COLOURS[0], linewidth=1.4)
        plot.plot([place], [record.value], "o", color=COLOURS[0], markersize=5)
    plot.set_xticks(range(len(rows)), [label for label, _ in rows], rotation=45, ha="right")
    dress(plot, name, ", ".join(releases.by), rows[0][1].statistic)
    return plot


def _interval(record: Release) -> tuple[float, float] | None:
    """The interval that was released, or 95 % of the noise where its width is public."""
    if record.interval is not None:
        low, high = record.interval
        return float(low), float(high)
    if record.noise_scale is None:
        return None
    low, high = record.noise_interval(0.95)
    return float(low), float(high)
