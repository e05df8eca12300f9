"""The values of one column as sorted doubles, before any lattice is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.table import Table


def sorted_values(table: Table, name: str | None, imputed: float | None) -> NDArray[Any]:
    """NOT PRIVATE. Present values ascending; missing ones dropped, or set to ``imputed``."""
    column = table.column(name)
    with np.errstate(all="ignore"):
        values = column.values.astype(np.float64)
        gone = np.isnan(values) if column.missing is None else column.missing
        if imputed is None:
            values = values[~gone]
        elif gone.any():
            values = np.where(gone, imputed, values)
    return np.sort(values)
