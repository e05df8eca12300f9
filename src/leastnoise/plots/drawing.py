"""The parts of all pictures: axes, files, colours and markers that every eye can distinguish."""

from __future__ import annotations

from io import BytesIO
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from leastnoise.errors import MissingDependencyError, ParameterError
from leastnoise.profiles import Rational, exact

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".svg", ".png", ".pdf")
"""The endings of pictures that ``save`` can write."""

# Okabe and Ito's colours for all eyes; the yellow is left out, it vanishes on paper.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00", "#666666")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (6, 2, 1, 2)),
    (0, (3, 1)),
    (0, (8, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
)


def strokes(i: int) -> dict[str, Any]:
    """Colour and dash of the i-th line, the same pair again after 64."""
    count = len(COLOURS)
    return {"color": COLOURS[i % count], "linestyle": DASHES[(i + i // count) % len(DASHES)]}


def check_path(path: str | Path) -> None:
    """Refuse a file that ``save`` could not write, before any work is done.

    Parameters
    ----------
    path : str or Path
        Where the picture shall go.

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
    """Write the figure of these axes; text in an SVG stays text.

    Parameters
    ----------
    ax : Axes
        A picture of this package.
    path : str or Path
        Its ending chooses the format, one of ``FORMATS``.

    Raises
    ------
    ParameterError
        For an unknown ending or a folder that does not exist.
    """
    check_path(path)
    file = Path(path)
    _write(ax, file, file.suffix.lower())


def svg(ax: Axes) -> str:
    """The figure of these axes as the text of an SVG, in which text stays text.

    Parameters
    ----------
    ax : Axes
        A picture of this package.

    Returns
    -------
    str
        The same text for the same picture.
    """
    written = BytesIO()
    _write(ax, written, ".svg")
    return written.getvalue().decode()


def _write(ax: Axes, target: Path | BytesIO, ending: str) -> None:
    """The same bytes for the same picture: no date, and names that do not change."""
    import matplotlib as mpl

    dated = {".svg": {"Date": None, "Creator": None}, ".pdf": {"CreationDate": None}}
    with cast("Any", mpl).rc_context({"svg.fonttype": "none", "svg.hashsalt": "leastnoise"}):
        cast("Any", ax.figure).savefig(
            target, format=ending[1:], dpi=200, bbox_inches="tight", metadata=dated.get(ending)
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


def new_axes(ax: Axes | None, *, width: float = 6.4, height: float = 4.2) -> Any:
    """The given axes, or those of a new figure of this size in inches."""
    made = _figure()
    return made(figsize=(width, height), layout="constrained").subplots() if ax is None else ax


def dress(plot: Any, title: str, x: str, y: str) -> None:
    """Title, labels and a light grid."""
    plot.set_title(title, fontsize=11, loc="left")
    plot.set_xlabel(x)
    plot.set_ylabel(y)
    plot.grid(visible=True, which="major", color="#dddddd", linewidth=0.8)
    plot.set_axisbelow(True)
    plot.spines[["top", "right"]].set_visible(False)


def as_float(value: Rational | None) -> float:
    """NOT PRIVATE. The nearest double; NaN for none."""
    return nan if value is None else float(exact(value))
