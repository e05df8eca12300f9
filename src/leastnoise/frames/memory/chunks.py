"""Runs of a long array, short enough to stay in the cache from one step to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Fewer entries at once cost more in calls, more of them leave the cache.
CHUNK = 1 << 17


def chunks(values: Array, size: int = CHUNK) -> Iterator[Array]:
    """All entries in turn, without a copy."""
    return (values[start : start + size] for start in range(0, len(values), size))


def doubles(values: Array, size: int = CHUNK) -> Iterator[Array]:
    """The same as doubles side by side; an entry of another type is rounded to the nearest one."""
    return (np.ascontiguousarray(part, dtype=np.float64) for part in chunks(values, size))
