"""``leastnoise reproduce``: figures of the papers, regenerated and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from leastnoise.cli import show

if TYPE_CHECKING:
    from leastnoise.reproduce import Check, Panel, Reproduction

_FLAG = Parameter(show_default=False)
_MOST_ROWS = 12
_NUMBER, _SPREAD = 10, 11  # characters of a number, and of a standard error behind it


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

    done: list[Reproduction] = []
    for found in room.reproduce(paper, figure, quick=quick, out=out, data=data):
        for panel in found.panels:
            _show(panel)
        _judge(found)
        done.append(found)
    _summary(done, pictures=out is not None)
    return 0 if all(found.holds for found in done) else 1


def _show(panel: Panel) -> None:
    """The numbers, or evenly spaced rows of many. Curves in the plane go to files only."""
    if panel.kind == "outlines":
        return
    rows = panel.rows()
    named = panel.kind in ("names", "implications")
    shown = rows if named or len(rows) <= _MOST_ROWS else rows[:: -(-len(rows) // _MOST_ROWS)]
    names = [name for name in panel.series if not name.endswith(", stated")]
    if named or _width(panel, shown, names) < _width(panel, names, shown):
        _print(panel, shown, names, turned=False)
    else:
        _print(panel, names, shown, turned=True)


def _width(panel: Panel, lines: Sequence[str], heads: Sequence[str]) -> int:
    """The width of a table in characters."""
    least = _NUMBER + (_SPREAD if panel.errors else 0)
    first = max(map(len, (panel.x, *lines)))
    return first + sum(max(least, 3 + len(head)) for head in heads)


def _print(panel: Panel, lines: list[str], heads: list[str], *, turned: bool) -> None:
    """One table, or several below each other on a narrow screen."""
    stated = any(name.endswith(", stated") for name in panel.series)
    about = f"{panel.y}, in parentheses as stated" if stated else panel.y
    parts: list[list[str]] = []
    for head in heads:
        if parts and _width(panel, lines, [*parts[-1], head]) <= show.console().width:
            parts[-1].append(head)
        else:
            parts.append([head])
    show.write(f"{panel.title} ({about})", "")
    for part in parts:
        table = show.table(panel.x, *part, right=range(1, 1 + len(part)))
        for line in lines:
            places = [(line, head) if turned else (head, line) for head in part]
            table.add_row(line, *(_cell(panel, name, x) for name, x in places))
        show.write(table, "")


def _cell(panel: Panel, name: str, x: str) -> str:
    """A number, its standard error, and in parentheses the number that is stated."""
    measured = panel.series[name].get(x)
    if measured is None:
        return "-"
    text = format(measured, ".4g")
    spread = panel.errors.get(name, {}).get(x)
    text += f" ± {spread:.2g}" if spread else ""
    stated = panel.series.get(f"{name}, stated", {}).get(x)
    return text if stated is None else f"{text} ({stated:g})"


def _judge(made: Reproduction) -> None:
    lines = [f"{made.paper} {made.figure}: {made.seconds:.1f} s of CPU time"]
    if made.missing:
        lines.append(f"  {_left(made)}")
    lines += [f"  {_verdict(one)}" for one in made.checks]
    lines += [f"  {file}" for file in made.files]
    show.write(*(show.clean(line) for line in lines), "")


def _left(made: Reproduction) -> str:
    return f"{'NOT ALL DRAWN' if made.panels else 'NOT RUN'}: {made.missing}"


def _verdict(one: Check) -> str:
    """A measured number beside the expected one, with the source of the latter."""
    measured, stated = (
        "nothing" if x is None else format(x, ".5g") for x in (one.measured, one.expected)
    )
    around = f" ± {one.tolerance:.2g}" if one.tolerance else ""
    other = f" of {one.against}" if one.against else ""
    relation = {"<=": "at most ", ">=": "at least ", "differs": "unlike "}.get(one.relation, "for ")
    word = "as expected" if one.holds else "NOT AS EXPECTED"
    return (
        f"{word}: {one.panel}, {one.series}, {one.x}: {measured}, "
        f"{relation}{stated}{around}{other} ({one.source})"
    )


def _summary(done: list[Reproduction], *, pictures: bool) -> None:
    """Which claims held and which did not, and how to see more."""
    checks = [one for found in done for one in found.checks]
    good = sum(one.holds for one in checks)
    whole = sum(not found.missing for found in done)
    seconds = sum(found.seconds for found in done)
    lines = [
        f"{whole} of {len(done)} figures and tables drawn, {good} of {len(checks)} numbers and "
        f"claims as expected, {seconds:.0f} s of CPU time"
    ]
    for found in done:
        place = f"{found.paper} {found.figure}"
        if found.missing:
            lines.append(f"  {place}: {_left(found)}")
        lines += [f"  {place}: {_verdict(one)}" for one in found.checks if not one.holds]
    absent = list(dict.fromkeys(name for found in done for name in found.left_out))
    if absent:
        lines.append(
            f"Public data that was left out: {', '.join(absent)}. --data FOLDER adds it; the files "
            "are named in docs/reproduce.md"
        )
    if not pictures:
        lines.append("--out FOLDER writes the numbers and pictures as files")
    show.write(*(show.clean(line) for line in lines))
