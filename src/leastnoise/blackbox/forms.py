"""The public form of a database: its kind, the shape and columns of a record, the declared types.

Only what is declared is read, never an entry. So data that has another form than drawn databases
can be refused before anything is charged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.foreign import attempted, is_list
from leastnoise.frames.copies import library_of
from leastnoise.frames.libraries.on_numpy import is_array

Array = NDArray[Any]
_NUMBERS = "biufc"


@dataclass(frozen=True, slots=True)
class Form:
    """The public form of a database, besides the number of its records.

    ``kind`` is "array", "list" or the library's name of a series or table; ``shape`` that of one
    record of an array; ``types`` a letter of numpy, or a name, for each column.
    """

    kind: str
    shape: tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None

    def check(self, data: Any) -> None:
        """Compare private data with this form of drawn databases.

        A list declares nothing, so it may stand for an array; a series may for one of numbers.

        Raises
        ------
        ParameterError
            With a message that names the difference and the cure.
        """
        given = form_of(data)
        listed = given.kind == "list" and self.kind == "array"
        series = given.kind.endswith("series") and self.kind == "array"
        if not (listed or series or given.kind == self.kind):
            raise ParameterError(
                f"data must be {self.kind}, as draw_record draws it, got {given.kind}: convert it, "
                "or draw records of that kind"
            )
        if listed:
            return
        if given.shape != self.shape:
            raise ParameterError(
                f"a record of data must have the shape {self.shape} of a drawn record, got "
                f"{given.shape}"
            )
        if given.columns != self.columns:
            raise ParameterError(
                f"data must have the columns of drawn records, in that order: {self.columns}, got "
                f"{given.columns}"
            )
        for place, (wanted, found) in enumerate(zip(self.types, given.types, strict=True)):
            # whole numbers pass for real ones: ``fitted`` makes them so
            if found != wanted and not (self.kind == "array" and wanted == "f" and found in "bi"):
                where = "data" if self.columns is None else f"column {self.columns[place]!r}"
                raise ParameterError(
                    f"{where} must have entries of the drawn type, {wanted!r}, got "
                    f"{quoted(found)}: "
                    "convert them"
                )

    def fitted(self, data: Any) -> Any:
        """Data that passed ``check``, as drawn databases are: it may raise, and entries are read.

        One record of a list may decide that it is no array, which is a part of the function that
        was sampled. Where a sensitivity is proved, ``as_records`` keeps the form instead.
        """
        if self.kind != "array":
            return unnumbered(data)
        found: Any = stacked(data) if is_list(data) else np.asarray(data)
        real = self.types == ("f",) and getattr(found, "dtype", np.dtype(float)).kind in "biuO"
        return found.astype(np.float64) if real else found


def form_of(database: Any) -> Form:
    """The form of a list, an array, a series or a table."""
    library = library_of(database)
    if library is None:
        if not is_array(database):
            return Form("list")
        array = database
        odd = isinstance(array, (np.ma.MaskedArray, np.matrix))
        kind = type(array).__name__ if odd else "array"
        return Form(kind, array.shape[1:], (_type(array.dtype),))
    if library == "pyarrow":
        table = hasattr(database, "schema")
        names, types = (database.schema.names, database.schema.types) if table else ((), ())
    else:
        table = hasattr(database, "columns")
        names, types = (database.columns, database.dtypes) if table else ((), ())
    if not table:
        declared = database.type if library == "pyarrow" else database.dtype
        return Form(f"{library} series", (), (_type(declared),))
    columns = tuple(str(name) for name in names)
    return Form(f"{library} table", (), tuple(_type(each) for each in types), columns)


def _type(dtype: Any) -> str:
    """A letter as numpy has it, else the name of the type; signs and sizes are left out."""
    letter, name = getattr(dtype, "kind", None), str(dtype)
    if isinstance(letter, str):  # numpy and pandas; fields are spelled out
        return name if letter == "V" else letter.replace("u", "i")
    plain = name.lower().lstrip("u")
    starts = {"f": ("float", "double", "halffloat"), "i": ("int",), "b": ("bool",)}
    return next((letter for letter, start in starts.items() if plain.startswith(start)), name)


def unnumbered(table: Any) -> Any:
    """A pandas table without row labels, which no pair compares."""
    return table.reset_index(drop=True) if library_of(table) == "pandas" else table


def stacked(records: list[Any]) -> Any:
    """Records as one array where they are numbers of one shape, else as the list they are."""
    found: Any = attempted(lambda: np.asarray(records))
    return records if found is None or found.dtype.kind not in _NUMBERS else found
