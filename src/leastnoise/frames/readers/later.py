"""Columns that are computed when they are read, which is after the charge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.contract import Mask, Physical, Run
from leastnoise.frames.libraries import on_numpy
from leastnoise.frames.memory.table import BareTable
from leastnoise.frames.readers.values import Dialect


@dataclass(frozen=True, repr=False)
class Later:
    """NOT PRIVATE: a number of rows, and what makes an array of them; it is made once."""

    rows: int
    make: Callable[[], NDArray[Any]]

    @cached_property
    def array(self) -> NDArray[Any]:
        """The rows."""
        return self.make()

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return "Later(NOT PRIVATE)"

    def column(self, kind: type, place: int | None = None) -> BareTable:
        """One column, of this type of numpy; ``place`` is that in an array of several."""
        part = self if place is None else Later(self.rows, lambda: self.array[:, place])
        return BareTable(_LATER, part, on_numpy.physical(np.dtype(kind)), Dialect())


class _Later:
    """The front end of arrays, but that there is none yet."""

    def accepted(self) -> Sequence[Any]:
        return on_numpy.accepted()

    def physical(self, dtype: np.dtype[Any]) -> Physical:
        return on_numpy.physical(dtype)

    def numbers(
        self, native: Later, physical: Physical, dialect: Dialect
    ) -> tuple[NDArray[Any], Mask | None]:
        return on_numpy.numbers(native.array, physical, dialect)

    def texts(self, native: Later, physical: Physical) -> Iterable[Run]:
        return on_numpy.texts(native.array, physical)


_LATER = _Later()
