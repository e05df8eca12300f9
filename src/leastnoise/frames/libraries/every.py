"""All front ends for what libraries hold in memory."""

from __future__ import annotations

from collections.abc import Mapping

from leastnoise.frames.contract import Front
from leastnoise.frames.libraries import on_arrow, on_numpy, on_pandas, on_polars
from leastnoise.frames.readers import values

FRONTS: Mapping[str, Front] = {
    "lists": values,
    "numpy": on_numpy,
    "pandas": on_pandas,
    "polars": on_polars,
    "pyarrow": on_arrow,
}
"""The front ends by the library they read."""
