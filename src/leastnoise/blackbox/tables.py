"""Private records as a program sees them: their form depends on the kind of the container alone.

If one record could decide whether a program gets an array or a list, or of which dtype, then it
could change how the program reads all others. So a container with a declared type (array, series,
frame, Arrow table) stays what it is, and one without (list, tuple) is a list of its records.
"""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterTypeError
from leastnoise.frames.copies import library_of
from leastnoise.frames.libraries.on_numpy import is_array

Array = NDArray[Any]
_SEQUENCES: tuple[type[Any], ...] = (list, tuple, range, deque, array)


def as_records(data: Any) -> Any:
    """The private table, read by its kind alone; no record is looked at.

    Returns
    -------
    Array, series, frame or Arrow table
        As it is, with its declared types.
    list
        The records of a list, tuple, range, deque or ``array.array`` as they are.

    Raises
    ------
    ParameterTypeError
        If it is not a table whose rows have an order.
    """
    kind = type(data).__name__
    if library_of(data) is not None:
        return data
    if isinstance(getattr(data, "dtype", None), np.dtype) and getattr(data, "ndim", 0):
        return data if is_array(data) else np.asarray(data)
    for plain in _SEQUENCES:
        if isinstance(data, plain):
            return list(plain.__iter__(data))  # not what a subclass gives in its place
    raise ParameterTypeError(
        "data must be a table of records, rows first: a list, a numpy array, a pandas, Polars or "
        f"Arrow series or table; got {kind}. Read files and collect lazy frames first, give "
        "columns as a frame, and turn any other iterable into a list"
    )
