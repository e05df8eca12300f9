"""``isinstance`` for containers and paths, in a form that tells type checkers about the entries.

After ``isinstance(value, list)`` the type of the entries is unknown to them; here it is ``object``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import TypeIs


def is_list(value: object) -> TypeIs[list[object]]:
    """Whether it is a list."""
    return isinstance(value, list)


def is_tuple(value: object) -> TypeIs[tuple[object, ...]]:
    """Whether it is a tuple."""
    return isinstance(value, tuple)


def is_list_or_tuple(value: object) -> TypeIs[list[object] | tuple[object, ...]]:
    """Whether it is a list or a tuple."""
    return isinstance(value, (list, tuple))


def is_sequence(value: object) -> TypeIs[Sequence[object]]:
    """Whether it is a sequence; text is one too."""
    return isinstance(value, Sequence)


def is_iterable(value: object) -> TypeIs[Iterable[object]]:
    """Whether it can be iterated over; text can too."""
    return isinstance(value, Iterable)


def is_mapping(value: object) -> TypeIs[Mapping[object, object]]:
    """Whether it is a mapping."""
    return isinstance(value, Mapping)


def is_path(value: object) -> TypeIs[str | os.PathLike[str]]:
    """Whether it is a path, or text that may be one."""
    return isinstance(value, (str, os.PathLike))


def class_of(value: object) -> type[object]:
    """The class of an object of which no type is declared."""
    return type(value)


def is_masked(value: object) -> bool:
    """Whether it is a masked array of numpy, which loads them once they are used."""
    if "numpy.ma" not in sys.modules:
        return False
    import numpy as np

    return isinstance(value, np.ma.MaskedArray)
