"""The records of releases: one, or a table of them."""

from leastnoise.record.release import (
    Label,
    Release,
    Scalar,
    SimulatedRelease,
    Value,
    protection,
)
from leastnoise.record.releases import Key, Releases, Row

__all__ = [
    "Key",
    "Label",
    "Release",
    "Releases",
    "Row",
    "Scalar",
    "SimulatedRelease",
    "Value",
    "protection",
]
