"""Every front end that the kit of row-locality runs over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from leastnoise.frames.engines import passes, summarise, windows
from leastnoise.testing import FrontEnd
from support.engines import ROOMS
from support.front_ends import arrow, engines, files, graphs, memory, pandas, polars
from support.fronts import only_library
from support.optional import optional

_PARQUET = "parquet by "

FRONTS: dict[str, Callable[[], FrontEnd]] = {
    name: make
    for room in (memory, arrow, pandas, polars, files, engines, graphs)
    for name, make in room.FRONTS.items()
}
"""By name; each is made when it is asked for, since its library may be missing."""


@contextmanager
def narrow() -> Iterator[None]:
    """Limits of engines so low that a few rows are many: all ways of a query are used."""
    with pytest.MonkeyPatch.context() as patch:
        for room in (*ROOMS, passes, windows, summarise):
            patch.setattr(room, "SMALL", 2, raising=False)
            patch.setattr(room, "FEW", 3, raising=False)
        patch.setattr(windows, "_SAMPLE", 4)
        yield


@contextmanager
def front_end(name: str) -> Iterator[FrontEnd]:
    """One of them, read by its own library alone where several would do."""
    with pytest.MonkeyPatch.context() as patch:
        if name.startswith(_PARQUET):
            library = name.removeprefix(_PARQUET)
            optional(library)
            only_library(patch, library)
        yield FRONTS[name]()
