"""``leastnoise reproduce``: figures of the papers, regenerated and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from leastnoise.cli import show

if TYPE_CHECKING:
    from leastnoise.reproduce import Panel, Reproduction

_FLAG = Parameter(show_default=False)
_MOST_ROWS, _MOST_COLUMNS = 12, 7


def reproduce(
    paper: str,
    figure: str | None = None,
    /,
    *,
    quick: Annotated[bool, _FLAG] = False,
    out: str | None = None,
    data: str | None = None,
) -> int:
    """Regenerate the figures of the papers, with ours beside theirs, and check them.

    leastnoise reproduce all --quick

    Errors are exact where the law is known, otherwise simulated from fixed streams. Exit code 1 if
    a number is not as expected, or a figure could not be run.

    Parameters
    ----------
    paper
        all, asymmetric-sensitivity, inverse-sensitivity, k-norm, piecewise-laplace,
        sensitivity-sampler, or errata: what our corrections and improvements gain.
    figure
        One of its figures, such as figure-1. Default: all that are reproduced.
    quick
        Fewer points and repeats.
    out
        Write a CSV, an SVG and a JSON file of parameters for each panel into this folder (extra:
        plots).
    data
        A folder with the public files that the papers use; what it lacks is named, the rest drawn.
        Default: data of installed packages, and synthetic data.
    """
    from leastnoise import reproduce as room

    good = True
    for found in room.reproduce(paper, figure, quick=quick, out=out, data=data):
        for panel in found.panels:
            _show(panel)
        _judge(found)
        good = good and found.holds
    return 0 if good else 1


def _show(panel: Panel) -> None:
    """One table; of many rows some, evenly spaced. Curves in the plane are for files only."""
    if panel.kind == "outlines":
        return
    rows = panel.rows()
    named = panel.kind in ("names", "implications")
    shown = rows if named or len(rows) <= _MOST_ROWS else rows[:: -(-len(rows) // _MOST_ROWS)]
    names = [name for name in panel.series if not name.endswith(", stated")]
    if named or len(names) < len(shown) > _MOST_COLUMNS:
        table = show.table(panel.x, *names, right=range(1, 1 + len(names)))
        for x in shown:
            table.add_row(x, *(_beside(panel, name, x) for name in names))
    else:
        table = show.table(panel.x, *shown, right=range(1, 1 + len(shown)))
        for name, column in panel.series.items():
            table.add_row(name, *(_cell(column.get(x)) for x in shown))
    stated = any(name.endswith(", stated") for name in panel.series)
    about = f"{panel.y}, in parentheses as stated" if stated else panel.y
    show.write(f"{panel.title} ({about})", "", table, "")


def _beside(panel: Panel, name: str, x: str) -> str:
    """A number, and in parentheses the one that is stated."""
    stated = panel.series.get(f"{name}, stated", {}).get(x)
    measured = _cell(panel.series[name].get(x))
    return measured if stated is None else f"{measured} ({stated:g})"


def _cell(number: float | None) -> str:
    return "-" if number is None else format(number, ".4g")


def _judge(found: Reproduction) -> None:
    lines = [f"{found.paper} {found.figure}: {found.seconds:.1f} s of CPU time"]
    if found.missing:
        lines.append(
            f"  NOT DRAWN: {found.missing}" if found.panels else f"  NOT RUN: {found.missing}"
        )
    for one in found.checks:
        word = "as expected" if one.holds else "NOT AS EXPECTED"
        measured, stated = (
            "nothing" if x is None else format(x, ".5g") for x in (one.measured, one.expected)
        )
        relation = {"<=": "at most ", ">=": "at least "}.get(one.relation, "")
        lines.append(
            f"  {word}: {one.series}, {one.x}: {measured} for {relation}{stated} "
            f"(within {one.tolerance:.2%}; {one.source})"
        )
    lines += [f"  {file}" for file in found.files]
    show.write(*(show.clean(line) for line in lines), "")
