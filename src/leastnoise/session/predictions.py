"""Predictions of a public model for private rows: what it does on them shows nowhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import SchemaError
from leastnoise.silence import sealed

Array = NDArray[Any]


def predict(method: Callable[[Any], Any], X: Any, one_by_one: bool, *, width: int) -> Array:
    """Predictions, NaN (None for texts) in rows on which the model fails; never raises.

    ``width`` columns of numbers; 1: one number a row; 0: one text a row. The type of the result
    depends on nothing else.
    """
    rows = _count(X)
    given = X.copy() if hasattr(X, "copy") else X  # a model may write to what it is given
    with sealed():  # what a model prints, warns or logs may show private rows
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
        said = method(X)
        if not isinstance(said, (list, tuple)):
            array = np.asarray(said)
            if width <= 1 and array.ndim == 2 and array.shape[1] == 1:
                array = array[:, 0]
            said = array if array.dtype.kind in "biuf" and width else list(array)
        found = _texts(cast("Any", said)) if width == 0 else _numbers(cast("Any", said), width)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a model may raise anything, SystemExit too
        return None
    return found if found.shape == ((rows,) if width <= 1 else (rows, width)) else None


def _texts(said: Sequence[Any]) -> Array:
    return np.fromiter(map(_alone, said), object)


def _numbers(said: Sequence[Any] | Array, width: int) -> Array:
    """As numbers, each row by itself: what is none in one row must not decide about others."""
    try:
        found = np.array(said, dtype=np.float64)
        return found[:, 0] if width == 1 and found.shape[1:] == (1,) else found
    except KeyboardInterrupt:
        raise
    except BaseException:  # entries may be of any class
        return np.array([_row_of_numbers(entry, width) for entry in said]).reshape(
            (-1,) if width == 1 else (-1, width)
        )


def _row_of_numbers(entry: Any, width: int) -> list[float]:
    try:
        found = np.array(_alone(entry) if width == 1 else entry, dtype=np.float64)
    except KeyboardInterrupt:
        raise
    except BaseException:  # no numbers
        return [np.nan] * width
    return found.reshape(-1).tolist() if found.size == width else [np.nan] * width


def _alone(entry: Any) -> Any:
    """The only entry of a list of one, as some models give for a row."""
    if not isinstance(entry, (list, tuple, np.ndarray)):
        return entry
    held = cast("Sequence[Any]", entry)
    return held[0] if len(held) == 1 else held


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
