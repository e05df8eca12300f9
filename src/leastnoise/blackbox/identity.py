"""Whether two functions are the same: by their code and everything that it refers to."""

from __future__ import annotations

import sys
import sysconfig
from fractions import Fraction
from functools import partial
from hashlib import sha256
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

_STDLIB = sysconfig.get_path("stdlib")
_PLAIN = (type(None), bool, int, float, complex, str, bytes, Fraction)


class _UnknownError(Exception):
    """A value that cannot be told from another."""


def name_of(function: object) -> str:
    """How records call a function."""
    found = getattr(function, "__qualname__", None) or type(function).__qualname__
    return str(found)


def fingerprint(function: object) -> str | None:
    """One text for one function under one Python; None where two could not be told apart.

    It covers code, defaults, captured values and the globals that the code names. Values that may
    change later (lists, dicts, objects) have none. A library's own function goes by its name.
    """
    try:
        content = _content(function, ())
    except _UnknownError:
        return None
    if content[0] == "name":
        return f"name:{content[1]}"
    version = f"{sys.implementation.cache_tag}:"
    return version + sha256(repr(content).encode()).hexdigest()[:32]


def same_function(one: str | None, other: str | None, *, said: bool = False) -> bool:
    """Whether two fingerprints are of one function; ``said`` decides where nothing can."""
    if one is None or other is None:
        return said and one is None and other is None
    (version, _), (running, _) = one.split(":", 1), other.split(":", 1)
    if version != running and "name" not in (version, running):
        return said
    return one == other


def _content(value: Any, above: tuple[int, ...]) -> tuple[object, ...]:
    """A value as nested tuples of text and numbers; raises ``_UnknownError`` for what has none."""
    if id(value) in above:
        return ("again", above.index(id(value)))
    inside = (*above, id(value))
    if isinstance(value, _PLAIN):
        return (type(value).__name__, repr(value))
    if isinstance(value, CodeType):
        constants = tuple(_content(c, inside) for c in value.co_consts)
        return ("code", value.co_code, value.co_names, value.co_varnames, constants)
    if isinstance(value, (tuple, frozenset)):
        parts = [_content(part, inside) for part in cast("tuple[Any, ...]", value)]
        kept = parts if isinstance(value, tuple) else sorted(parts, key=repr)
        return ("tuple" if isinstance(value, tuple) else "frozenset", *kept)
    if isinstance(value, FunctionType) and not _importable(value):
        return ("function", *_parts(value, inside))
    if isinstance(value, partial):
        whole = cast("partial[Any]", value)
        named = tuple(sorted(whole.keywords.items()))
        return ("partial", *(_content(x, inside) for x in (whole.func, whole.args, named)))
    if isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        if not array.dtype.hasobject:
            return ("array", str(array.dtype), array.shape, sha256(array.tobytes()).hexdigest())
    if isinstance(value, ModuleType):
        return ("module", value.__name__)
    if _importable(value):
        return ("name", f"{value.__module__}.{name_of(cast('object', value))}")
    raise _UnknownError


def _parts(function: FunctionType, inside: tuple[int, ...]) -> list[tuple[object, ...]]:
    """Code, defaults, captured values, globals."""
    code = function.__code__
    try:
        captured = tuple(cell.cell_contents for cell in function.__closure__ or ())
    except ValueError:  # a cell that is still empty
        raise _UnknownError from None
    defaults = (function.__defaults__, tuple(sorted((function.__kwdefaults__ or {}).items())))
    names = sorted(_names(code) & function.__globals__.keys())
    used = tuple((name, function.__globals__[name]) for name in names)
    return [_content(part, inside) for part in (code, defaults, captured, used)]


def _names(code: CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found


def _importable(value: Any) -> bool:
    """Whether a name leads to this very function or class of an installed library."""
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(path, str) or module not in sys.modules:
        return False
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is not value:
        return False
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        return module in sys.builtin_module_names
    return "site-packages" in file or file.startswith(_STDLIB)
