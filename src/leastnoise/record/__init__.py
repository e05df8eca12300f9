"""The records of releases: one, or a table of them."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.record.description import ColumnDescription, Description
    from leastnoise.record.release import (
        Label,
        Release,
        Scalar,
        SimulatedRelease,
        Value,
        protection,
    )
    from leastnoise.record.releases import Key, Releases, Row

__getattr__ = lazy_names(
    __name__,
    {
        "description": (
            "ColumnDescription",
            "Description",
        ),
        "release": (
            "Label",
            "Release",
            "Scalar",
            "SimulatedRelease",
            "Value",
            "protection",
        ),
        "releases": (
            "Key",
            "Releases",
            "Row",
        ),
    },
)

__all__ = [
    "ColumnDescription",
    "Description",
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
