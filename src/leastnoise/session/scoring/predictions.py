"""Predictions of a public model for private rows: what it does on them shows nowhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import SchemaError
from leastnoise.foreign import attempted, class_of, guarded, stop_if_signalled
from leastnoise.frames.copies import copied, library_of
from leastnoise.frames.libraries.on_numpy import as_objects
from leastnoise.frames.readers.later import Later
from leastnoise.production import sealed

Array = NDArray[Any]

# A list of these alone is read by numpy as each of its entries is.
_PLAIN = {bool, int, float, np.bool_, np.int64, np.int32, np.float64, np.float32}


def predictions(method: Callable[[Any], Any], X: Any, one_by_one: bool, *, width: int) -> Later:
    """Predictions, which the model makes once they are read, and the rows are charged.

    ``width`` columns of numbers; 1: one number a row; 0: one text a row. They are NaN (None for
    texts) in rows on which the model fails. Making them never raises, and their type depends on
    nothing else.

    Raises
    ------
    SchemaError
        If X is not of a kind whose rows can be picked by position.
    """
    given = _rows(X)
    rows = _count(given)

    def own(places: Sequence[int] | None) -> Any:
        """A copy of the rows for each call, because a model may write to its input."""
        return copied(given if places is None else _take(given, places))

    def call(places: Sequence[int] | None) -> Array | None:
        """One call, or None if it fails or gives something of another shape."""
        size = rows if places is None else len(places)
        found = attempted(lambda: _read(method(own(places)), size, width))
        right = (size,) if width <= 1 else (size, width)
        return None if found is None or found.shape != right else found

    def ask() -> Array:
        # what a model prints, warns or logs may show private rows
        with guarded(), sealed():
            return _ask(call, rows, one_by_one, width)

    return Later(rows, ask)


def _ask(
    call: Callable[[Sequence[int] | None], Array | None], rows: int, one_by_one: bool, width: int
) -> Array:
    found = None if one_by_one else call(None)
    if found is not None:
        return found
    if rows == 0:
        return _missing(0, width)
    each = [call([i]) for i in range(rows)]
    fit = [i for i, part in enumerate(each) if part is not None]
    if fit and not one_by_one:
        # a row that fails is replaced by one that does not, so that the others are predicted by
        # the same call, in the same places, as if it had not failed
        found = call([i if each[i] is not None else fit[0] for i in range(rows)])
    if found is None:
        return np.concatenate([_missing(1, width) if p is None else p for p in each])
    failed = [i for i, part in enumerate(each) if part is None]
    found[failed] = None if width == 0 else np.nan
    return found


def _missing(rows: int, width: int) -> Array:
    if width == 0:
        return np.full(rows, None, dtype=object)
    return np.full(rows if width == 1 else (rows, width), np.nan)


def _read(output: Any, size: int, width: int) -> Array:
    """What a call gave, as texts or numbers."""
    if not isinstance(output, (list, tuple)):
        output = np.asarray(output)
        if size == 1 and output.shape == ((width,) if width > 1 else ()):  # the row is squeezed out
            output = output[None]
        if width <= 1 and output.ndim == 2 and output.shape[1] == 1:
            output = output[:, 0]
        kind = output.dtype.kind
        if width == 0 and kind == "U":
            return as_objects(output)
        if width != 0 and kind in "biuf":
            return output.astype(np.float64)
        output = list(output)
    entries = cast("Sequence[Any]", output)
    return _texts(entries) if width == 0 else _numbers(entries, width)


def _texts(output: Sequence[Any]) -> Array:
    """Each entry by itself: only text can be a label, whatever another object would print."""
    found = np.full(len(output), None, dtype=object)
    for i, entry in enumerate(output):
        text = _alone(entry)
        if isinstance(text, str):
            found[i] = text[:] if type(text) is str else str.__getitem__(text, slice(None))
    return found


def _numbers(output: Sequence[Any], width: int) -> Array:
    """Each row by itself: an entry that is not a number must not decide about others."""
    if set(map(type, output)) <= _PLAIN:
        return np.array(output, dtype=np.float64)
    found = np.array([_row_of_numbers(entry, width) for entry in output])
    return found.reshape((-1,) if width == 1 else (-1, width))


def _row_of_numbers(entry: Any, width: int) -> list[float]:
    try:
        found = np.array(entry, dtype=np.float64)
    except BaseException:  # entries may be of any class
        stop_if_signalled()
        return [np.nan] * width
    return found.reshape(-1).tolist() if found.size == width else [np.nan] * width


def _alone(entry: Any) -> Any:
    """The only entry of a list of one, as some models give for a row."""
    held: Any = entry
    if not isinstance(entry, (list, tuple, np.ndarray)):
        return held
    return held[0] if np.ndim(held) and len(held) == 1 else held


def _rows(X: Any) -> Any:
    """What rows are picked from, as a failing row may call for: told by its type alone.

    Raises
    ------
    SchemaError
        If it is not of a kind whose rows can be picked by position.
    """
    kind = class_of(X)
    if issubclass(kind, (list, tuple)):
        return list(X)
    if kind is np.ma.MaskedArray or library_of(X) is not None:
        return X
    if issubclass(kind, np.ndarray) and X.ndim:
        return np.asarray(X)  # other classes have rules of their own
    if kind.__module__.startswith("scipy.sparse") and X.format in ("csr", "csc"):
        return X
    raise SchemaError(
        f"rows of {kind.__name__} cannot be picked by position; give X as a list of rows, "
        "a matrix, a frame, or a sparse matrix as X.tocsr()"
    )


def _count(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def _take(rows: Any, places: Sequence[int]) -> Any:
    match library_of(rows):
        case "pandas":
            return rows.iloc[places]
        case "pyarrow":
            return rows.take(places)
        case _ if isinstance(rows, list):
            return [rows[place] for place in places]
        case _:
            return rows[places]
