"""Lists, tuples and numpy arrays: one column without a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames.labels import AS_NUMBERS, entry_codes, entry_ids, entry_values, no_text
from leastnoise.frames.table import check_bare
from leastnoise.frames.values import Dialect, to_floats
from leastnoise.summaries.columns import Column, ColumnType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


FROM_DATES = "convert it to a number first, for example days since a public date"
FROM_DURATIONS = "convert it to a number first, for example seconds"


@dataclass(frozen=True, slots=True, repr=False)
class SequenceTable:
    """NOT PRIVATE: a list, tuple or range, read entry by entry.

    The type is the same whatever the entries are: not integer, and it can hold missing values.
    """

    entries: Sequence[object]
    dialect: Dialect

    def column_names(self) -> None:
        """Give None: a bare sequence has no names."""

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type of every sequence; a name is a `SchemaError`."""
        check_bare(name)
        return ColumnType(None, _builtin_name(self.entries), integer=False, nullable=True)

    def column(self, name: str | None) -> Column:
        """Read the entries by the rule of `leastnoise.frames.values`."""
        return Column(self.column_type(name), to_floats(self.entries, self.dialect), None)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type of every sequence: its entries may be text."""
        return self.column_type(name)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare entry by entry."""
        self.text_type(name)
        return entry_codes(self.entries, labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of the entries."""
        self.text_type(name)
        return entry_ids(self.entries)

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of the entries, and tell them."""
        self.text_type(name)
        return entry_values(self.entries)

    def row_count(self) -> int:
        """Count the entries."""
        return len(self.entries)

    def __repr__(self) -> str:
        """Say what it is; print nothing of the data."""
        return f"SequenceTable({_builtin_name(self.entries)}, NOT PRIVATE)"


@dataclass(frozen=True, slots=True, repr=False)
class ArrayTable:
    """NOT PRIVATE: a one-dimensional numpy array, masked or not."""

    array: NDArray[Any]
    dialect: Dialect

    def column_names(self) -> None:
        """Give None: a bare array has no names."""

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the dtype declares; a name is a `SchemaError`."""
        check_bare(name)
        return array_type(None, self.array.dtype, masked=isinstance(self.array, np.ma.MaskedArray))

    def column(self, name: str | None) -> Column:
        """Read the array; its own memory where no conversion is needed."""
        return array_column(self.column_type(name), self.array, self.dialect)

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the dtype declares: text, or objects that may be text."""
        check_bare(name)
        return array_text_type(None, self.array.dtype)

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """Compare entry by entry; a masked one is missing."""
        self.text_type(name)
        return entry_codes(self.array.tolist(), labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """Number the texts of the entries; a masked one is missing."""
        self.text_type(name)
        return entry_ids(self.array.tolist())

    def text_values(self, name: str | None) -> tuple[NDArray[np.int64], list[str]]:
        """Number the texts of the entries, and tell them."""
        self.text_type(name)
        return entry_values(self.array.tolist())

    def row_count(self) -> int:
        """Count the entries."""
        return len(self.array)

    def __repr__(self) -> str:
        """Name the dtype; print nothing of the data."""
        return f"ArrayTable({self.array.dtype.name}, NOT PRIVATE)"


def open_array(array: NDArray[Any], dialect: Dialect) -> ArrayTable:
    """Check the shape of an array.

    Raises
    ------
    SchemaError
        If it has not exactly one dimension.
    """
    if array.ndim == 0:
        raise SchemaError(
            "the array has no dimension; give a one-dimensional array, a list or a table"
        )
    if array.ndim > 1:
        raise SchemaError(
            f"the array has {array.ndim} dimensions; give one column of it, for example "
            "array[:, 0], or name its columns: {'a': array[:, 0], 'b': array[:, 1]}"
        )
    return ArrayTable(array, dialect)


def array_type(name: str | None, dtype: np.dtype[Any], *, masked: bool = False) -> ColumnType:
    """Give the public type of an array: a function of its dtype and of its being masked.

    Raises
    ------
    ColumnTypeError
        If the dtype is neither boolean, integer, floating nor object.
    """
    if dtype.kind in "biu":
        return ColumnType(name, dtype.name, integer=True, nullable=masked)
    if dtype.kind in "fO":
        return ColumnType(name, dtype.name, integer=False, nullable=True)
    column = "the column" if name is None else f"column {name!r}"
    kind = "structured" if dtype.names else dtype.name
    cures = {
        "M": f"{FROM_DATES}: (a - np.datetime64('2020-01-01')) / np.timedelta64(1, 'D')",
        "m": f"{FROM_DURATIONS}: a / np.timedelta64(1, 's')",
        "c": "take .real, .imag or abs()",
        "V": "take one field of it, array['field']",
    }
    cure = cures.get(dtype.kind, "convert it to numbers, or give .astype(object) or .tolist()")
    if dtype.kind == "V" and not dtype.names:
        cure = "convert it with .astype(np.float64)"
    raise ColumnTypeError(f"{column} has type {kind}, which holds no numbers; {cure}")


def array_text_type(name: str | None, dtype: np.dtype[Any]) -> ColumnType:
    """Give the public type of an array that is read as text labels.

    Raises
    ------
    ColumnTypeError
        If the dtype is neither text nor object.
    """
    if dtype.kind in "UTO":
        kind = "object" if dtype.kind == "O" else "text"
        return ColumnType(name, kind, integer=False, nullable=True)
    cure = AS_NUMBERS if dtype.kind in "biuf" else "give .astype(str)"
    raise no_text(name, "structured" if dtype.names else dtype.name, cure)


def array_column(
    type: ColumnType,
    array: NDArray[Any],
    dialect: Dialect,
) -> Column:
    """Read an array whose type `array_type` has accepted; never raises on values."""
    masked = isinstance(array, np.ma.MaskedArray)
    missing: NDArray[np.bool_] | None = np.ma.getmaskarray(array) if masked else None
    if missing is not None and not missing.any():
        missing = None
    plain: NDArray[Any] = np.asarray(np.ma.getdata(array) if masked else array)
    if plain.dtype.kind == "O":
        values: NDArray[Any] = to_floats(plain, dialect)
    elif plain.dtype.kind == "f":
        with np.errstate(all="ignore"):  # a long double may be out of range: infinite
            values = plain.astype(_float_dtype(plain.dtype), copy=False)
    else:
        values = plain.astype(plain.dtype.newbyteorder("="), copy=False)
        return Column(type, values, missing)
    if missing is not None:
        values = np.where(missing, values.dtype.type(np.nan), values)
    return Column(type, values, None)


def _float_dtype(dtype: np.dtype[Any]) -> type[np.float32 | np.float64]:
    return np.float32 if dtype.itemsize <= 4 else np.float64


def _builtin_name(entries: object) -> str:
    return next(kind.__name__ for kind in (list, tuple, range) if isinstance(entries, kind))
