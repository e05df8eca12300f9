"""The sorted whole values of several columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.table import Table
from leastnoise.summaries.ordered import OrderedRequest, OrderedSummary


def summarise_ordered(table: Table, request: OrderedRequest) -> OrderedSummary:
    """NOT PRIVATE. Missing values count as the declared number; never raises on values."""
    found: list[NDArray[Any]] = []
    for name, lattice, fill in zip(request.names, request.lattices, request.fills, strict=True):
        column = table.column(name)
        values, gone = column.values, column.missing
        if gone is None and values.dtype.kind == "f":
            gone = np.isnan(values)
        if gone is not None:
            values = np.where(gone, values.dtype.type(0), values)
        places = lattice.quantise(values).astype(object if lattice.width >= 1 << 60 else np.int64)
        if gone is not None:
            places = np.where(gone, fill, places)
        found.append(np.sort(2 * places - (lattice.low + lattice.high)))
    return request.summary(found)
