"""``leastnoise reproduce``: figures of the papers, regenerated and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from leastnoise.cli import show

if TYPE_CHECKING:
    from leastnoise.reproduce import Panel, Reproduction

_FLAG = Parameter(show_default=False)
_MOST_ROWS = 12


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

    Every number comes from a law or a closed form. Exit code 1 if one is not as expected.

    Parameters
    ----------
    paper
        all, asymmetric-sensitivity, inverse-sensitivity, k-norm, piecewise-laplace or
        sensitivity-sampler.
    figure
        One of its figures, such as figure-1. Default: all that are reproduced.
    quick
        Fewer points.
    out
        Write a CSV, an SVG and a JSON file of parameters for each panel into this folder (extra:
        plots).
    data
        A folder with the public files that the papers use. Default: synthetic data only.
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
    """One table; of many rows some, evenly spaced."""
    rows = panel.rows()
    shown = rows if len(rows) <= _MOST_ROWS else rows[:: -(-len(rows) // _MOST_ROWS)]
    table = show.table(panel.x, *shown, right=range(1, 1 + len(shown)))
    for name, column in panel.series.items():
        cells = (column.get(x) for x in shown)
        table.add_row(name, *("-" if c is None else format(c, ".4g") for c in cells))
    show.write(f"{panel.title} ({panel.y})", "", table, "")


def _judge(found: Reproduction) -> None:
    lines = [f"{found.paper} {found.figure}: {found.seconds:.1f} s of CPU time"]
    for one in found.checks:
        word = "as expected" if one.holds else "NOT AS EXPECTED"
        measured = "nothing" if one.measured is None else format(one.measured, ".5g")
        lines.append(
            f"  {word}: {one.series}, {one.x}: {measured} for {one.expected:g} "
            f"(within {one.tolerance:.2%}; {one.source})"
        )
    lines += [f"  {file}" for file in found.files]
    show.write(*(show.clean(line) for line in lines), "")
