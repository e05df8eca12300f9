"""Objects that stand in a column without a type and whose methods do anything at all."""

from __future__ import annotations

import decimal
import logging
import os
import sys
import warnings
from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import numpy as np

# What a library may ask of an entry that it does not know.
METHODS = (
    *("__float__", "__int__", "__index__", "__str__", "__repr__", "__eq__", "__ne__", "__hash__"),
    *("__bool__", "__len__", "__iter__", "__array__", "__getattr__", "__lt__", "__format__"),
    *("__array_interface__", "__array_ufunc__", "__complex__", "__class__", "__getitem__"),
    *("__arrow_c_array__", "__buffer__", "strip", "item", "dtype", "tolist"),
)
_PROPERTIES = frozenset({"__class__", "__array_interface__", "dtype"})
_ERRORS: tuple[type[BaseException], ...] = (
    *(ValueError, TypeError, OverflowError, RecursionError, MemoryError, ReferenceError),
    *(SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration, UnicodeError, Warning),
    *(FloatingPointError, decimal.InvalidOperation, AttributeError, BaseException),
)
SECRET = "73914628"
"""What hostile objects say of themselves: it may turn up nowhere."""


def _loud(how: str) -> None:
    """Say the secret in one of the ways by which a program says something."""
    match how:
        case "prints":
            print(SECRET)  # noqa: T201  # a hostile object does
        case "writes to stderr":
            sys.stderr.write(SECRET)
        case "writes to file descriptor 1":
            os.write(1, SECRET.encode())
        case "writes to file descriptor 2":
            os.write(2, SECRET.encode())
        case "warns":
            warnings.warn(SECRET, stacklevel=1)
        case "logs":
            logging.getLogger("hostile").critical(SECRET)
        case "makes numpy raise":
            np.seterr(all="raise")
        case "makes warnings errors":
            warnings.simplefilter("error")
        case "rounds decimals to one digit":
            decimal.getcontext().prec = 1
            decimal.getcontext().traps[decimal.Inexact] = True
        case _:
            raise ValueError(how)


_LOUD = (
    *("prints", "writes to stderr", "writes to file descriptor 1", "writes to file descriptor 2"),
    *(
        "warns",
        "logs",
        "makes numpy raise",
        "makes warnings errors",
        "rounds decimals to one digit",
    ),
)
# What a method gives after it has done what it does.
_GIVES: dict[str, Any] = {
    "__float__": 2.0, "__int__": 2, "__index__": 2, "__str__": "a", "__repr__": "a", "__hash__": 1,
    "__eq__": True, "__ne__": False, "__bool__": True, "__len__": 1, "__complex__": 2j,
    "strip": "a", "item": 2.0, "tolist": 2.0, "dtype": np.dtype(float), "__class__": float,
    "__format__": "a",
}  # fmt: skip
# What an object of a subclass is made of.
_FIRST: dict[type, tuple[Any, ...]] = {
    str: ("a",),
    float: (2.0,),
    int: (2,),
    np.float64: (2.0,),
    decimal.Decimal: (2,),
    datetime: (2020, 1, 2),
    date: (2020, 1, 2),
    timedelta: (2,),
    bytes: (b"2",),
}
_BASES: tuple[type, ...] = (object, object, list, tuple, dict, str, str, *_FIRST)
_ODD = (None, "a", 10**400, float("nan"), np.array([1, 2]), np.array([True, False]), -1)


def hostile_objects() -> Callable[[Random], Any]:
    """Draw objects with one method, or all, that raises, tells the secret or is odd."""

    def draw(random: Random) -> Any:
        base = random.choice(_BASES)
        names = random.sample(METHODS, random.choice((1, 2))) if random.random() < 0.7 else METHODS
        kind = random.random()
        if kind < 0.5:
            return hostile(base, names, error=random.choice(_ERRORS))
        if kind < 0.8:
            return hostile(base, names, loud=random.choice(_LOUD))
        if kind < 0.9:  # what a method gives may be as hostile
            inner = hostile(random.choice(_BASES), METHODS, error=random.choice(_ERRORS))
            return hostile(base, names, gives=inner)
        return hostile(base, names, gives=random.choice(_ODD))

    return draw


_NOTHING = object()


def hostile(
    base: type,
    names: tuple[str, ...] | list[str],
    *,
    error: type[BaseException] | None = None,
    loud: str | None = None,
    gives: object = _NOTHING,
) -> Any:
    """An object of a subclass of ``base`` with these methods: they raise, say the secret, or give.

    Its class is made for it alone and knows how it is shown.
    """
    what = f"raises {error.__name__}" if error else loud or "gives something odd"
    label = f"Hostile{base.__name__.title()}"
    space: dict[str, Any] = {_SHOWN: f"<{label}: {', '.join(names[:2])} {what}>"}

    def method(name: str) -> Any:
        def act(*_: Any, **__: Any) -> Any:
            if error is not None:
                raise error(SECRET)
            if loud is not None:
                _loud(loud)
            return _GIVES.get(name) if gives is _NOTHING else gives

        return property(act) if name in _PROPERTIES else act

    for name in names:
        space[name] = method(name)
    if "__eq__" in names and "__hash__" not in names:
        space["__hash__"] = object.__hash__
    return base.__new__(type(label, (base,), space), *_FIRST.get(base, ()))


_SHOWN = "shown in counterexamples"


def show(entry: object) -> str:
    """An entry as a counterexample shows it, even if its own repr fails."""
    shown = vars(type(entry)).get(_SHOWN)
    if shown is not None:
        return shown
    try:
        text = repr(entry)
    except BaseException:  # a foreign repr, or too deep
        text = object.__repr__(entry)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
