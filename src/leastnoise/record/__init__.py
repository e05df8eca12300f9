"""The records of releases: one, or a table of them."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.record.description import ColumnDescription as ColumnDescription
    from leastnoise.record.description import Description as Description
    from leastnoise.record.release import Label as Label
    from leastnoise.record.release import Release as Release
    from leastnoise.record.release import Scalar as Scalar
    from leastnoise.record.release import SimulatedRelease as SimulatedRelease
    from leastnoise.record.release import Value as Value
    from leastnoise.record.release import protection as protection
    from leastnoise.record.releases import Key as Key
    from leastnoise.record.releases import Releases as Releases
    from leastnoise.record.releases import Row as Row
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "description": ("ColumnDescription", "Description"),
            "release": ("Label", "Release", "Scalar", "SimulatedRelease", "Value", "protection"),
            "releases": ("Key", "Releases", "Row"),
        },
    )
