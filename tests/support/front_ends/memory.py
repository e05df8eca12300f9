"""Lists and arrays of memory, of every type that they can have."""

from __future__ import annotations

import array
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np

from leastnoise.testing import ColumnKind, FrontEnd, entries

Draw = Callable[[Random], Any]

WHOLE: dict[str, tuple[int, int]] = {
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}
"""Integer types by name, and what they hold."""

TEXTS = entries.texts()
LONE = entries.texts(lone=True)
SHORT = entries.texts(longest=False)
FLOATS = entries.floats()
INT64 = entries.integers(*WHOLE["int64"])
FEW = entries.integers(-9, 9)


def exact_floats(xs: list[Any], dtype: str = "f8") -> Any:
    """An array with the bits of every entry, NaN's payload too; None is NaN."""
    kind = np.dtype(dtype)
    plain = b"".join(np.asarray(np.nan if x is None else x, kind).tobytes() for x in xs)
    return np.frombuffer(plain, kind).copy()


def objects_of(xs: list[Any]) -> Any:
    """An array of these very objects, whatever they are."""
    found = np.empty(len(xs), dtype=object)
    for i, x in enumerate(xs):
        found[i] = x
    return found


def gone(xs: list[Any]) -> Any:
    return np.array([x is None for x in xs], bool)


def covered(xs: list[Any], dtype: str) -> Any:
    """An array with anything at all where an entry is missing: a mask covers it."""
    if np.dtype(dtype).kind == "f":
        below = (np.nan, np.inf, -np.inf, float(np.finfo(dtype).max))
        return exact_floats([below[i % 4] if x is None else x for i, x in enumerate(xs)], dtype)
    ends = (False, True) if dtype == "bool" else WHOLE[dtype]
    return np.array([ends[i % 2] if x is None else x for i, x in enumerate(xs)], dtype)


class Subclass(np.ndarray[Any, Any]):
    """A subclass that anybody may write, with methods that do anything."""

    def __getitem__(self, place: Any) -> Any:
        raise SystemExit

    def __len__(self) -> int:
        raise ValueError

    def tolist(self) -> Any:
        raise KeyboardInterrupt


def _strided(xs: list[Any]) -> Any:
    """Every other entry of an array twice as long, backwards, and not to be written to."""
    found = np.repeat(exact_floats(xs)[::-1], 2)[::-2]
    found.flags.writeable = False
    return found


def _masked(dtype: str, draw: Draw) -> ColumnKind:
    def make(xs: list[Any]) -> Any:
        return np.ma.array(covered(xs, dtype), mask=gone(xs))

    return ColumnKind(f"masked {dtype}", make, entries.or_missing(draw))


def _stacked(columns: Any) -> Any:
    masked = any(isinstance(column, np.ma.MaskedArray) for column in columns)
    return (np.ma if masked else np).column_stack(columns)  # numpy's own drops masks


def _masked_objects(xs: list[Any]) -> Any:
    return np.ma.array(objects_of(xs), mask=gone(xs))


def _structured(xs: list[Any]) -> Any:
    return np.array([(x,) for x in xs], [("f", "f8")])


_NO_TEXT = b""
"""Stands for memory that is no text."""


def _any_memory(xs: list[Any]) -> Any:
    """A text array in which another program left what is no text."""
    found = np.array([x if isinstance(x, str) else "a" for x in xs], "U3")
    letters = found.view(np.uint32).reshape(len(xs), -1)
    letters[[x == _NO_TEXT for x in xs], 0] = 0x7FFFFFFF
    return found


def _masked_memory(xs: list[Any]) -> Any:
    return np.ma.array(_any_memory(xs), mask=gone(xs))


def numpy_kinds() -> list[ColumnKind]:
    def typed(name: str, dtype: Any, draw: Draw) -> ColumnKind:
        return ColumnKind(name, lambda xs: np.array(xs, dtype=dtype), draw)

    def any_text(random: Random) -> Any:
        return random.choice(("a", "b", "1", "--", "nan", _NO_TEXT))

    strings = np.dtypes.StringDType
    return [
        *(typed(name, name, entries.integers(*ends)) for name, ends in WHOLE.items()),
        typed("bool", bool, entries.booleans()),
        *(
            ColumnKind(f"float{b}", partial(exact_floats, dtype=f"f{b // 8}"), entries.floats(b))
            for b in (16, 32, 64)
        ),
        typed("longdouble", np.longdouble, FLOATS),
        ColumnKind("big-endian float64", lambda xs: exact_floats(xs).astype(">f8"), FLOATS),
        typed("big-endian int64", ">i8", INT64),
        ColumnKind("strided float64", _strided, FLOATS),
        ColumnKind("subclass", lambda xs: exact_floats(xs).view(Subclass), FLOATS),
        _masked("float64", FLOATS),
        _masked("int64", INT64),
        _masked("bool", entries.booleans()),
        ColumnKind("object", objects_of, entries.objects()),
        ColumnKind("object of texts", objects_of, entries.or_missing(LONE)),
        ColumnKind("object of times", objects_of, entries.or_missing(entries.times())),
        ColumnKind("masked object", _masked_objects, entries.or_missing(TEXTS)),
        typed("text", str, SHORT),
        ColumnKind("text of any memory", _any_memory, any_text),
        ColumnKind("masked text of any memory", _masked_memory, entries.or_missing(any_text)),
        ColumnKind("bytes", lambda xs: np.array([x.encode() for x in xs], bytes), SHORT),
        typed("StringDType", strings(), TEXTS),
        typed("StringDType with missing", strings(na_object=None), entries.or_missing(TEXTS)),
        typed("complex", complex, FLOATS),
        *(
            ColumnKind(unit, lambda xs, unit=unit: np.array(xs, "i8").view(unit), entries.counts())
            for unit in ("M8[s]", "M8[25ns]", "M8[W]", "M8[M]", "m8[us]")
        ),
        ColumnKind("structured", _structured, FLOATS),
    ]


def _lists(kind: Callable[[list[Any]], Any]) -> list[ColumnKind]:
    return [
        ColumnKind("numbers", kind, entries.or_missing(FLOATS)),
        ColumnKind("integers", kind, entries.or_missing(entries.integers(-(2**70), 2**70))),
        ColumnKind("texts", kind, entries.or_missing(LONE)),
        ColumnKind("anything", kind, entries.objects()),
        ColumnKind("times", kind, entries.or_missing(entries.times())),
    ]


def _rows(columns: list[Any]) -> list[Any]:
    return [list(row) for row in zip(*columns, strict=True)]


def _codes() -> list[ColumnKind]:
    draws = {"d": FLOATS, "q": INT64, "b": entries.integers(*WHOLE["int8"])}
    return [
        ColumnKind(f"array.array({code!r})", partial(array.array, code), draw)
        for code, draw in draws.items()
    ]


FRONTS: dict[str, Callable[[], FrontEnd]] = {
    "list": lambda: FrontEnd("list", _lists(list), table=dict, matrix=_rows),
    "tuple": lambda: FrontEnd(
        "tuple", _lists(tuple), table=dict, matrix=lambda made: tuple(_rows(made))
    ),
    "array.array": lambda: FrontEnd("array.array", _codes(), table=dict),
    "numpy": lambda: FrontEnd("numpy", numpy_kinds(), table=dict, matrix=_stacked),
}
