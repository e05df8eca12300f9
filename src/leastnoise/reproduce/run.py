"""The figures by paper and name, and running them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from time import process_time

from leastnoise.errors import MissingDependencyError, ParameterError, ParameterTypeError, quoted
from leastnoise.production import forbid_in_production
from leastnoise.reproduce.data import UnreadableFileError
from leastnoise.reproduce.expected import Check, check
from leastnoise.reproduce.panels import Panel, Settings

PAPERS: dict[str, tuple[str, ...]] = {
    "asymmetric-sensitivity": (
        "figure-1", "figure-2", "mean-squared-error", "mean-absolute-error", "figure-3",
        "figure-4", "figure-5", "figure-6", "figure-7", "figure-8",
    ),
    "inverse-sensitivity": ("figure-1", "figure-2", "figure-3"),
    "k-norm": (
        "figure-1", "figure-2", "figure-3", "figure-4", "figure-5", "figure-6", "table-1",
    ),
    "piecewise-laplace": ("figure-1", "comparison"),
    "sensitivity-sampler": (
        "table-1", "figure-1", "figure-2", "figure-3", "figure-4", "figure-5", "figure-6",
        "figure-7", "figure-8", "figure-9",
    ),
    "errata": ("improvements", "corrections", "reference"),
}  # fmt: skip
"""The figures of each paper, by the names that ``reproduce`` takes."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A figure: its panels, its numbers against the expected ones, files and CPU seconds.

    Attributes
    ----------
    paper, figure : str
        What was regenerated.
    panels : tuple of Panel
        Its numbers.
    checks : tuple of Check
        The expected numbers beside the measured ones; ``holds`` when all fit.
    files : tuple of Path
        What was written.
    seconds : float
        CPU time.
    missing : str
        Why the figure, or data sets of it, could not be drawn, with the cure; empty otherwise.
    left_out : tuple of str
        Data sets of the paper that ``data`` adds, where no folder was given.
    """

    paper: str
    figure: str
    panels: tuple[Panel, ...]
    checks: tuple[Check, ...]
    files: tuple[Path, ...]
    seconds: float
    missing: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the whole figure ran and every expected number is within its tolerance."""
        return not self.missing and all(one.holds for one in self.checks)


def reproduce(
    paper: str = "all",
    figure: str | None = None,
    *,
    quick: bool = False,
    out: str | Path | None = None,
    data: str | Path | None = None,
) -> Iterator[Reproduction]:
    """Regenerate figures of the papers one by one, each when the iterator reaches it.

    NOT PRIVATE: the numbers are computed by looking at public or synthetic data.

    Parameters
    ----------
    paper
        A key of ``PAPERS``, or "all".
    figure
        One of its figures. Default: all of them.
    quick
        Fewer points and repeats, checked against the same numbers, simulated ones with wider
        tolerances.
    out : path, optional
        A folder for a CSV, an SVG and a JSON file of parameters a panel; it is made if its parent
        exists (extra: plots).
    data : path, optional
        A folder with the public files that the papers use; see docs/reproduce.md. Default: what
        installed packages ship, and synthetic data. Files that it lacks, or that are damaged, are
        named in ``missing``, and everything else is drawn.

    Raises
    ------
    ParameterError, ParameterTypeError
        For an unknown paper or figure, or a folder that does not exist.
    MissingDependencyError
        With ``out`` but without matplotlib, or for one figure that needs scikit-learn without it.

    Examples
    --------
    >>> from leastnoise.reproduce import reproduce
    >>> (found,) = reproduce("sensitivity-sampler", "figure-2", quick=True)
    >>> found.holds
    True
    """
    forbid_in_production("reproduce")
    figures = _figures(paper, figure)
    for name, path in (("out", out), ("data", data)):
        if path is not None and not isinstance(path, (str, PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
            raise ParameterTypeError(f"{name} must be a folder, got {quoted(path)}")
    settings = Settings(quick, None if data is None else Path(data))
    if settings.data is not None and not settings.data.is_dir():
        raise ParameterError(f"data: there is no folder {str(data)!r}")
    folder = None if out is None else _prepared(Path(out))
    return (_one(*names, settings, folder, alone=len(figures) == 1) for names in figures)


def _figures(paper: str, figure: str | None) -> list[tuple[str, str]]:
    if not isinstance(paper, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
        raise ParameterTypeError(f"paper must be a name, got {quoted(paper)}")
    if paper == "all":
        if figure is not None:
            raise ParameterError('figure goes with one paper, not with "all"')
        return [(name, one) for name, figures in PAPERS.items() for one in figures]
    if paper not in PAPERS:
        raise ParameterError(f"paper must be all, {', '.join(PAPERS)}; got {quoted(paper)}")
    figures = PAPERS[paper]
    if figure is not None and figure not in figures:
        raise ParameterError(
            f"figure of {paper} must be {', '.join(figures)}; got {quoted(figure)}"
        )
    return [(paper, one) for one in figures if figure in (None, one)]


def _prepared(folder: Path) -> Path:
    from leastnoise.plots import check_path

    if not folder.parent.is_dir():
        raise ParameterError(f"out: there is no folder {str(folder.parent)!r} to make it in")
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"out: {str(folder)!r} is not a folder")
    folder.mkdir(exist_ok=True)
    check_path(folder / "figure.svg")
    return folder


def _one(
    paper: str, figure: str, settings: Settings, folder: Path | None, *, alone: bool
) -> Reproduction:
    start = process_time()
    module = import_module(f"leastnoise.reproduce.{paper.replace('-', '_')}")
    figures: dict[str, Callable[[Settings], Iterable[Panel]]] = module.FIGURES
    sets: dict[str, tuple[str, ...]] = getattr(module, "FILES", {}).get(figure, {})
    absent = {name: why for name, files in sets.items() if (why := settings.lacks(files))}
    trouble = list(dict.fromkeys(absent.values())) if settings.data is not None else []
    panels: list[Panel] = []
    files: list[Path] = []
    whole = True
    try:
        for panel in figures[figure](settings):
            panels.append(panel)
            if folder is not None:
                place = folder / paper
                place.mkdir(exist_ok=True)
                files += panel.write(place)
    except (MissingDependencyError, UnreadableFileError) as error:
        if alone and not panels and isinstance(error, MissingDependencyError):
            raise
        trouble.append(str(error))
        whole = False
    drawn = {panel.name for panel in panels}
    checks = check(paper, figure, panels, quick=settings.quick, absent=absent)
    return Reproduction(
        paper,
        figure,
        tuple(panels),
        tuple(one for one in checks if whole or one.panel in drawn),
        tuple(files),
        process_time() - start,
        "; ".join(trouble),
        tuple(absent) if settings.data is None else (),
    )
