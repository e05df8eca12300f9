"""Lists, tuples and ranges: entries of no declared type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from leastnoise.frames.contract import Mask, Physical, Run
from leastnoise.frames.readers.values import to_floats
from leastnoise.summaries.columns import Reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leastnoise.frames.readers.values import Dialect

_SEQUENCES = (list, tuple, range)


def accepted() -> Sequence[type]:
    """Give the classes of sequences."""
    return _SEQUENCES


def physical(dtype: type) -> Physical:
    """Give the one way to read a sequence, whatever it holds."""
    kind = next((kind for kind in _SEQUENCES if issubclass(dtype, kind)), None)
    return Physical(dtype.__name__, Reading.OTHER) if kind is None else _ROWS[kind]


def numbers(
    native: Sequence[object], physical: Physical, dialect: Dialect
) -> tuple[NDArray[Any], Mask | None]:
    """Read the entries by the rule of `leastnoise.frames.readers.values`."""
    return to_floats(native, dialect), None


def texts(native: Sequence[object], physical: Physical) -> Iterable[Run]:
    """Give the entries as they are."""
    return [(native, None)]


_ROWS = {kind: Physical(kind.__name__, Reading.ENTRIES) for kind in _SEQUENCES}
