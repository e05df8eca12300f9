"""Whether two functions are the same: by their code and everything that it refers to.

Only these are distinguished: plain functions and partials, the values and functions that
they capture, name or have as defaults, of exact types that cannot change, and what installed
libraries define, by name and version. Anything else, such as an object with a state, a list, a
subclass, a function with attributes or one that writes what it reads, makes the whole unknown.
A match is not a proof: files, the environment and the random state are outside.
"""

from __future__ import annotations

import builtins
import dis
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from hashlib import sha256
from importlib import metadata
from importlib.util import find_spec
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from leastnoise.foreign import class_of
from leastnoise.frames.libraries.on_numpy import is_dtype

_STDLIB = sysconfig.get_path("stdlib")
_SITES = tuple(
    os.path.join(os.path.realpath(site), "")
    for site in (*map(sysconfig.get_path, ("purelib", "platlib")), os.path.dirname(np.__path__[0]))
)
_PLAIN = (type(None), bool, float, complex, str, bytes, type(...), range, Decimal)
_NAMED = (FunctionType, BuiltinFunctionType, np.ufunc, type(cast("object", np.mean)))
# Builtins by which code reaches what it does not name.
_HIDDEN = {"__import__", "compile", "eval", "exec", "globals", "input", "locals", "open", "vars"}
_DEEPEST = 50
CODE = re.compile(r"[^:]+-[0-9a-f]{12}:[0-9a-f]{32}")
"""How a fingerprint is written."""


class _UnknownError(Exception):
    """A value that cannot be compared with others."""


def name_of(function: object) -> str:
    """How records call a function."""
    if isinstance(function, np.ufunc):  # before numpy 2.2 it has no __qualname__
        return function.__name__
    found = getattr(function, "__qualname__", None) or type(function).__qualname__
    return str(found)


def fingerprint(function: object) -> str | None:
    """One text for one function, ``python-libraries:content``; None where two look alike.

    It covers code, defaults, captured values, the globals and attributes of own modules that the
    code names, and names and versions of installed libraries.
    """
    try:
        return _Reader().read(function)
    except (_UnknownError, RecursionError):
        return None


def same_function(one: str | None, other: str | None, *, assume: bool = False) -> bool:
    """Whether two fingerprints are of one function; ``assume`` decides where nothing can.

    That is where both are unknown, and where Python or a library has another version.
    """
    if one is None or other is None:
        return assume and one is other
    (before, content), (after, again) = one.split(":", 1), other.split(":", 1)
    if before == after or before.rsplit("-", 1)[0] == after.rsplit("-", 1)[0]:
        return content == again and (assume or before == after)
    return assume


class _Reader:
    """One walk over a function: every function is described once, by its number thereafter."""

    def __init__(self) -> None:
        self.functions: dict[int, int] = {}
        self.queue: list[FunctionType] = []
        self.tuples: dict[int, tuple[Any, str]] = {}
        self.libraries: set[str] = set()

    def read(self, function: object) -> str:
        described = [self.value(function)]
        for each in self.queue:  # it grows
            described.append(self.function(each))
        libraries = _digest(sorted(self.libraries))[:12]
        return f"{sys.implementation.cache_tag}-{libraries}:{_digest(described)[:32]}"

    def value(self, value: Any, depth: int = 0) -> str:
        """A text that two values share only if they are the same for every program."""
        kind = class_of(value)
        if depth > _DEEPEST:
            raise _UnknownError
        if kind in _PLAIN:
            return f"{kind.__name__} {value!r}"
        if kind is int:
            return hex(value)
        if kind is Fraction:
            return f"{value.numerator:x}/{value.denominator:x}"
        if kind in (tuple, frozenset):
            return self.parts(kind, value, depth)
        if kind is slice:
            return f"slice {self.value((value.start, value.stop, value.step), depth + 1)}"
        if kind is np.ndarray or isinstance(value, (np.generic, np.dtype)):
            return _numbers(value)
        if kind is partial and not value.__dict__:
            inside = (value.func, value.args, tuple(sorted(value.keywords.items())))
            return f"partial {self.parts(tuple, inside, depth)}"
        if kind is BuiltinFunctionType and isinstance(value.__self__, np.ufunc):
            return f"{self.named(value.__self__)}.{value.__name__}"
        if kind is ModuleType:
            return f"module {self.library(value.__name__)} {value.__name__}"
        if (kind in _NAMED or isinstance(value, type)) and _importable(value):
            return self.named(value)
        if kind is FunctionType and not value.__dict__:
            return self.number(cast("FunctionType", value))
        raise _UnknownError

    def parts(self, kind: type, value: Any, depth: int) -> str:
        if id(value) not in self.tuples:
            parts = [self.value(part, depth + 1) for part in value]
            text = f"{kind.__name__} {_digest(sorted(parts) if kind is frozenset else parts)}"
            self.tuples[id(value)] = value, text  # the value too, so that no other has its id
        return self.tuples[id(value)][1]

    def named(self, value: Any) -> str:
        """A function or class of an installed library."""
        self.library(value.__module__ if hasattr(value, "__module__") else "numpy")
        return f"name {getattr(value, '__module__', 'numpy')}.{name_of(value)}"

    def library(self, module: str) -> str:
        found = _library(module)
        if found is None:
            raise _UnknownError
        self.libraries.add(found)
        return found.partition(" ")[0]

    def number(self, function: FunctionType) -> str:
        if id(function) not in self.functions:
            self.functions[id(function)] = len(self.queue)
            self.queue.append(function)
        return f"function {self.functions[id(function)]}"

    def function(self, function: FunctionType) -> str:
        try:
            captured = tuple(cell.cell_contents for cell in function.__closure__ or ())
        except ValueError:  # a cell that is still empty
            raise _UnknownError from None
        keywords = tuple(sorted((function.__kwdefaults__ or {}).items()))
        own = [self.value(part) for part in (function.__defaults__, keywords, captured)]
        return _digest([self.code(function.__code__, function.__globals__), *own])

    def code(self, code: CodeType, scope: dict[str, Any]) -> str:
        fields = (code.co_code, code.co_exceptiontable, code.co_flags, code.co_argcount)
        counts = (code.co_posonlyargcount, code.co_kwonlyargcount)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        constants = [
            self.code(each, scope) if isinstance(each, CodeType) else self.value(each)
            for each in code.co_consts
        ]
        used = [f"{name} {self.value(value)}" for name, value in self.used(code, scope)]
        return _digest([repr((fields, counts, names)), *constants, *used])

    def used(self, code: CodeType, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Globals that code reads, and attributes of own modules; libraries that it imports."""
        steps = [step for step in dis.get_instructions(code) if step.opname != "PRECALL"]
        for place, step in enumerate(steps):
            name = step.argval
            if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_NAME"):
                raise _UnknownError
            if step.opname in ("STORE_DEREF", "DELETE_DEREF") and name in code.co_freevars:
                raise _UnknownError  # it changes what it captured
            if step.opname == "IMPORT_NAME":
                if steps[place - 2].argval != 0:  # relative
                    raise _UnknownError
                self.library(name)
            if step.opname not in ("LOAD_GLOBAL", "LOAD_NAME"):
                continue
            if name not in scope:
                if name in _HIDDEN or not hasattr(builtins, name):
                    raise _UnknownError
                continue
            value = scope[name]
            for after in steps[place + 1 :]:
                own = type(value) is ModuleType and _library(value.__name__) is None
                if not own or after.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                    break
                if after.argval not in vars(value):
                    raise _UnknownError
                name, value = f"{name}.{after.argval}", vars(value)[after.argval]
            yield name, value


def _digest(parts: list[str]) -> str:
    whole = sha256()
    for part in parts:
        whole.update(f"{len(part)}:".encode() + part.encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def _numbers(value: Any) -> str:
    """An array, a scalar or a type of numpy, of plain numbers, texts or times."""
    dtype: Any = value if is_dtype(value) else value.dtype
    if dtype.hasobject or dtype.names or dtype.subdtype or dtype.metadata or dtype.kind in "VT":
        raise _UnknownError
    if is_dtype(value):
        return f"dtype {dtype.str}"
    kind = class_of(value)
    if issubclass(kind, np.generic):
        if kind is not dtype.type:
            raise _UnknownError
        return f"scalar {dtype.str} {value.tobytes().hex()}"
    content = sha256(value.tobytes()).hexdigest()
    return f"array {dtype.str} {value.shape} {value.strides} {content}"


def _library(module: str) -> str | None:
    """The installed distribution of a module with its version; None for what is the user's."""
    return _installed(module.partition(".")[0])


@cache
def _installed(top: str) -> str | None:
    try:
        module = sys.modules.get(top)
        spec = find_spec(top) if module is None else None
    except (ImportError, ValueError):
        return None
    file = getattr(module, "__file__", None) or getattr(spec, "origin", None)
    if top in sys.stdlib_module_names:
        known = file in (None, "built-in", "frozen") or str(file).startswith(_STDLIB)
        return f"python {sys.implementation.cache_tag}" if known else None
    if file is None or not os.path.realpath(file).startswith(_SITES):
        return None
    for name in _distributions().get(top, ()):
        return f"{name} {metadata.version(name)}"
    return None


_distributions: Callable[[], Any] = cache(metadata.packages_distributions)


def _importable(value: Any) -> bool:
    """Whether a name leads to this very function or class of an installed library."""
    module, path = getattr(value, "__module__", "numpy"), name_of(value)
    if not isinstance(module, str) or module not in sys.modules or _library(module) is None:
        return False
    found: Any = sys.modules[module]
    for part in path.split("."):
        found = getattr(found, part, None)
    return found is value
