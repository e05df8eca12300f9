"""How a text file is written, as far as its line of names tells: no row is looked at.

A file whose names cannot be read as they stand, or stand in one column with another separator among
them, is opened with each of a few public choices in turn; the first that the line of names allows
is taken, and told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from leastnoise.errors import DataFileError, SchemaError
from leastnoise.frames.readers.open import open_table

_SEPARATORS = (None, ";", "\t", "|", ",")
_ENCODINGS = (None, "cp1252", "latin-1")


def options_by_header(path: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options to add to those given, so that the line of names can be read.

    Raises
    ------
    SchemaError, DataFileError, ParameterError
        What opening the file raises, where no choice helps.
    """
    first: SchemaError | None = None
    for added in _choices(given):
        try:
            names = open_table(path, **given, **added).column_names() or ()
        except DataFileError:  # which no option fixes
            raise
        except SchemaError as error:
            first = first or error
            continue
        if "separator" not in added or len(names) > 1:  # one that parts nothing helps nobody
            return added
    if first is not None:
        raise first
    return {}


def _choices(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for encoding in _ENCODINGS:
        for separator in _SEPARATORS:
            added = {"encoding": encoding, "separator": separator}
            chosen = {name: value for name, value in added.items() if value is not None}
            if not chosen.keys() & given.keys():
                yield chosen
