"""Predictions of a public model for private rows: what it does on them shows nowhere."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Generator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import SchemaError

Array = NDArray[Any]


def predict(method: Callable[[Any], Any], X: Any, one_by_one: bool, *, width: int) -> Array:
    """Predictions, NaN (None for labels) in rows on which the model fails; never raises.

    ``width`` columns of numbers; 1: one number a row; 0: one label a row.
    """
    rows = _count(X)
    given = X.copy() if hasattr(X, "copy") else X  # a model may write to what it is given
    with _silent():
        found = None if one_by_one else _shaped(method, given, rows, width)
        if found is not None:
            return found
        if rows == 0:
            return _missing(0, width)
        each = [_shaped(method, _row(given, i), 1, width) for i in range(rows)]
        if one_by_one:
            good = [part if part is not None else _missing(1, width) for part in each]
            return np.concatenate(good)
        fit = [i for i, part in enumerate(each) if part is not None]
        if not fit:
            return _missing(rows, width)
        # a row that fails is replaced by one that does not, so that the others are predicted by
        # the same call, in the same places, as if it had not failed
        places = [i if each[i] is not None else fit[0] for i in range(rows)]
        found = _shaped(method, _take(given, places), rows, width)
        if found is None:
            return _missing(rows, width)
        found = found.astype(object if width == 0 else np.float64)
        gone = [i for i, part in enumerate(each) if part is None]
        found[gone] = None if width == 0 else np.nan
        return found


def _missing(rows: int, width: int) -> Array:
    if width == 0:
        return np.full(rows, None, dtype=object)
    return np.full(rows if width == 1 else (rows, width), np.nan)


def _shaped(method: Callable[[Any], Any], X: Any, rows: int, width: int) -> Array | None:
    """One call, or None if it fails or gives something of another shape."""
    try:
        found = np.asarray(method(X))
        if width != 0:
            found = found.astype(np.float64)
        if width <= 1 and found.ndim == 2 and found.shape[1] == 1:
            found = found[:, 0]
    except KeyboardInterrupt:
        raise
    except BaseException:  # a model may raise anything, SystemExit too
        return None
    return found if found.shape == ((rows,) if width <= 1 else (rows, width)) else None


@contextlib.contextmanager
def _silent() -> Generator[None]:
    """Drop what a model prints or warns: it may show private rows."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


def _count(X: Any) -> int:
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if hasattr(X, "__len__") and hasattr(X, "__getitem__") and not isinstance(X, (str, Mapping)):
        return len(X)
    raise SchemaError("X must be a list of rows, a matrix or a frame")


def _row(X: Any, i: int) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[i : i + 1]
    return X[i : i + 1]


def _take(X: Any, places: list[int]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[places]
    if isinstance(X, (list, tuple)):
        return [X[i] for i in places]
    return X[places]
