"""The exceptions of leastnoise.

Every error says which parameter or column is meant, its type, and the cure. None is raised because
of a data value, and no message holds one: errors come from parameters and schema alone.
"""

from __future__ import annotations

from datetime import date, time, timedelta
from numbers import Number
from typing import Final

_SCALARS: Final = (str, Number, type(None), type, date, time, timedelta)
_VOWELS: Final = ("a", "e", "i", "o", "u", "nd")  # ndarray
_LONGEST: Final = 60  # characters of a text or number


class LeastNoiseError(Exception):
    """The base of every error this library raises on purpose."""


class ParameterError(LeastNoiseError, ValueError):
    """A parameter has a value outside its domain."""


class ParameterTypeError(LeastNoiseError, TypeError):
    """A parameter has a type that is not accepted."""


class SchemaError(LeastNoiseError, ValueError):
    """The shape, the names or the format of the input do not fit the request."""


class ColumnTypeError(SchemaError, TypeError):
    """A column has a type that the request cannot use."""


class DataFileError(ParameterError, SchemaError):
    """The path given as data is not a file that can be read: a wrong parameter and schema."""


class BudgetExceededError(LeastNoiseError):
    """A charge would spend more than the ledger has left; nothing was spent or drawn."""


class LedgerError(LeastNoiseError):
    """A ledger is missing, damaged, busy, or belongs to another data set, relation or unit."""


class MissingDependencyError(LeastNoiseError, ImportError):
    """An optional library is not installed; ``extra`` names the extra that brings it.

    ``message`` says which, and the command that installs it.
    """

    def __init__(self, message: str, *, extra: str | None = None) -> None:
        """Keep the message and the name of the extra, as in ``leastnoise[extra]``."""
        super().__init__(message)
        self.extra = extra


class ProductionError(LeastNoiseError, RuntimeError):
    """Something reserved for simulation and tests was used where real releases are made."""


def quoted(value: object) -> str:
    """A wrong value as messages show it: what is not one number or short text by its type alone.

    Whoever hands data where a parameter is wanted must not find its entries in the message.
    """
    if not issubclass(type(value), _SCALARS):
        return kind_of(value)
    written = repr(value)
    return written if len(written) <= _LONGEST else f"{written[:_LONGEST]}..."


def kind_of(value: object) -> str:
    """What a value is, for messages that must not show it, such as an entry of a list."""
    name = type(value).__name__
    return f"{'an' if name.lower().startswith(_VOWELS) else 'a'} {name}"
