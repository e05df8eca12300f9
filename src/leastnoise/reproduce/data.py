"""Public data: files of a folder or of installed packages, and data made by a formula."""

from __future__ import annotations

import csv
import gzip
import zipfile
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from io import TextIOWrapper
from math import log1p
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import MissingDependencyError, ParameterError

Floats = NDArray[np.float64]
# packages that ship a file which the papers use; none is a dependency
PACKAGED = {
    "diamonds.csv.gz": ("plotnine", "data/diamonds.csv"),
    "abalone.csv.gz": ("sklego", "data/abalone.zip"),
}
# what a file that was cut off, or is another, raises where it is unpacked
_DAMAGE = (OSError, EOFError, zlib.error, zipfile.BadZipFile)


class UnreadableFileError(ParameterError):
    """A file of the data folder is not what its name says."""


def fault(name: str, folder: Path | None) -> str:
    """Why a public file cannot be read, with the cure; empty where it can."""
    if folder is None:
        return "" if find(name, None) else f"{name} is no part of an installed package"
    path = folder / name
    if not path.is_file():
        return f"there is no {name}: put it into the folder"
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as file:
                while file.read(1 << 20):
                    pass
        elif path.suffix == ".npz":
            with zipfile.ZipFile(path) as archive:
                archive.testzip()
    except _DAMAGE:
        return f"{name} is damaged, or no {path.suffix} file: get it again"
    return ""


def find(name: str, folder: Path | None) -> Path | None:
    """A public file that can be read: of the folder; without one, of a package; or None."""
    if folder is not None:
        return None if fault(name, folder) else folder / name
    if name not in PACKAGED:
        return None
    package, inside = PACKAGED[name]
    spec = find_spec(package)
    for place in () if spec is None else spec.submodule_search_locations or ():
        path = Path(place, inside)
        if path.is_file():
            return path
    return None


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Name the file where its content is not what a figure takes it for."""
    try:
        yield
    except (*_DAMAGE, ValueError, KeyError, csv.Error) as error:
        word = f" (column {error.args[0]!r})" if isinstance(error, KeyError) else ""
        raise UnreadableFileError(
            f"{path.name} has not the content that docs/reproduce.md names{word}: get it again"
        ) from None


def need_sklearn() -> None:
    """Refuse by name where scikit-learn is missing, which some figures fit models with."""
    if find_spec("sklearn") is None:
        raise MissingDependencyError(
            'this figure needs scikit-learn: pip install "leastnoise[reproduce]"', extra="reproduce"
        )


def exponential(rows: int = 1000) -> list[float]:
    """The quantiles of an exponential law of mean 10: x_i = -10 ln(1 - (i - 1/2)/n)."""
    return [-10 * log1p(-(i - 0.5) / rows) for i in range(1, rows + 1)]


@contextmanager
def _opened(path: Path) -> Generator[TextIO]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            (name,) = archive.namelist()  # one table, whatever it is called
            with archive.open(name) as raw, TextIOWrapper(raw, "utf-8-sig", newline="") as file:
                yield file
    elif path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    else:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file


def columns(path: Path) -> dict[str, list[str]]:
    """Every column of a public CSV file, as texts."""
    with reading(path), _opened(path) as file:
        head, *rows = csv.reader(file)
        found = zip(head, zip(*rows, strict=True), strict=True)
        return {name: list(column) for name, column in found}


def column(path: Path, name: str) -> list[float]:
    """A column of numbers of a public CSV file."""
    table = columns(path)
    with reading(path):
        return [float(x) for x in table[name]]


def features(table: dict[str, list[str]], without: Sequence[str]) -> Floats:
    """A matrix of the other columns: numbers unchanged, text as one column for each category."""
    found: list[Floats] = []
    for name, texts in table.items():
        if name in without:
            continue
        try:
            found.append(np.array(texts, dtype=np.float64))
        except ValueError:
            values = np.array(texts)
            found.extend((values == c).astype(np.float64) for c in sorted(set(texts)))
    return np.column_stack(found)


def normal(spread: float = 10, rows: int = 1000, centre: float = 50) -> list[float]:
    """The quantiles of a normal law: centre + spread Phi^-1((i - 1/2)/n)."""
    from scipy.special import ndtri

    places = (np.arange(1, rows + 1) - 0.5) / rows
    return (centre + spread * ndtri(places)).tolist()
