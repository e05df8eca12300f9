"""Checks of other libraries' claims, each library in a module of its own.

They are not dependencies of ours: a check runs on the version that is installed. Each module has
``PEER``; the library is imported inside the functions that call it.
"""

from __future__ import annotations

from importlib import import_module

from leastnoise.audit.peers.check import Peer
from leastnoise.errors import ParameterError

# The module of each library, which is also its name here.
NAMES = (
    "datasynthesizer",
    "diffprivlib",
    "dpmm",
    "leastnoise",
    "opacus",
    "opendp",
    "smartnoise_sql",
    "smartnoise_synth",
    "synthcity",
)


def peer(name: str) -> Peer:
    """The checks of one library, by its name or that of its distribution.

    Raises
    ------
    ParameterError
        If there are none.
    """
    module = name.casefold().replace("-", "_")
    if module not in NAMES:
        raise ParameterError(f"there are no checks of {name!r}; choose from {', '.join(NAMES)}")
    return import_module(f"leastnoise.audit.peers.{module}").PEER
