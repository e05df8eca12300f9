"""Foreign things: types of objects that callers give, and foreign code run on private rows.

The functions ``is_...`` are ``isinstance`` for containers, text and paths, with types for type
checkers: after ``isinstance(value, list)`` the type of the entries is unknown, here it is
``object``. Those for lists, tuples and text are used on private entries too, so they look at the
class of an object: ``isinstance`` would also read its ``__class__``, which may run anybody's code.

Whatever foreign code raises is a failure, and only a signal stops the work.

Methods of objects in the cells, programs and models may raise anything, ``KeyboardInterrupt`` and
``SystemExit`` too, for reasons that only the data know. So the type of an exception does not show
that the user wants to stop; its origin does. Inside `guarded` the handlers of the signals that stop
a program keep what they raise, and `stop_if_signalled` raises that and nothing else.

Python runs these handlers only in its main thread; in other threads every exception is a failure.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import compress, repeat
from operator import is_, is_not
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

if TYPE_CHECKING:
    from typing_extensions import TypeIs


def is_list(value: object) -> TypeIs[list[object]]:
    """Whether it is a list."""
    return issubclass(type(value), list)


def is_tuple(value: object) -> TypeIs[tuple[object, ...]]:
    """Whether it is a tuple."""
    return issubclass(type(value), tuple)


def is_list_or_tuple(value: object) -> TypeIs[list[object] | tuple[object, ...]]:
    """Whether it is a list or a tuple."""
    return issubclass(type(value), (list, tuple))


def is_text(value: object) -> TypeIs[str]:
    """Whether it is text."""
    return issubclass(type(value), str)


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
    """The class of an object whose type is not declared."""
    return type(value)


def is_masked(value: object) -> bool:
    """Whether it is a masked array of numpy, which loads them once they are used."""
    if "numpy.ma" not in sys.modules:
        return False
    import numpy as np

    return isinstance(value, np.ma.MaskedArray)


Result = TypeVar("Result")
Instead = TypeVar("Instead")

# Ctrl-C, termination, alarms, and other signals by which a program may stop its own work.
_STOPPING = [
    getattr(signal, name)
    for name in (
        *("SIGINT", "SIGTERM", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGHUP", "SIGQUIT", "SIGXCPU"),
        *("SIGUSR1", "SIGUSR2", "SIGBREAK"),
    )
    if hasattr(signal, name)
]
_raised: list[BaseException] = []


class _Kept:
    """A signal's handler that keeps what it raises."""

    def __init__(self, handler: Callable[[int, FrameType | None], object]) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> None:
        try:
            self.handler(number, frame)
        except BaseException as error:
            error.__context__ = None  # which it interrupted
            _raised.append(error)
            raise


_actions = getattr(ctypes.CDLL(None), "sigaction", None) if os.name == "posix" else None


def _handle(number: int, handler: Callable[[int, FrameType | None], object]) -> None:
    """Set the handler that Python calls, and no more.

    A library such as Polars asks the system for signals before Python: `signal.signal` alone would
    make it deaf to Ctrl-C for good.
    """
    action = ctypes.create_string_buffer(512)
    known = _actions is not None and _actions(number, None, action) == 0
    signal.signal(number, handler)
    if _actions is not None and known:
        _actions(number, action, None)


# All signals that a program may handle; the others report a fault of the process itself.
_FAULTS = ("SIGKILL", "SIGSTOP", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP")
_WAITING = signal.valid_signals() - {getattr(signal, name, 0) for name in _FAULTS}
# Absent on Windows. What `signal` wraps: the wrapper makes an enumeration of every signal that was
# blocked, which would take a quarter of the time of a small release.
_mask: Any = getattr(import_module("_signal"), "pthread_sigmask", None)


@contextmanager
def signals_waiting() -> Generator[None]:
    """Let signals wait until the end of the block, which turns something of the process on or off.

    An exception of a handler would leave it half done. In other threads none is raised.
    """
    if _mask is None or current_thread() is not main_thread():
        yield
        return
    before = _mask(signal.SIG_BLOCK, ())
    try:
        _mask(signal.SIG_BLOCK, _WAITING)  # which may run a handler, too
        yield
    finally:
        _mask(signal.SIG_SETMASK, before)


_guarding: list[dict[int, _Kept]] = []  # the handlers set by the open block of the main thread


@contextmanager
def guarded() -> Generator[None]:
    """Distinguish what signals raise from what foreign code raises; nested blocks cost nothing."""
    if _guarding or current_thread() is not main_thread():
        yield
        return
    kept: dict[int, _Kept] = {}
    try:
        with signals_waiting():
            _guarding.append(kept)
            for number in _STOPPING:
                handler = signal.getsignal(number)
                if callable(handler):
                    kept[number] = _Kept(handler)
                    _handle(number, kept[number])
        yield
    finally:
        unguard()


def unguard() -> None:
    """End the open block of the main thread, if there is one."""
    if current_thread() is not main_thread():
        return
    with signals_waiting():
        for number, own in _guarding[0].items() if _guarding else ():
            if signal.getsignal(number) is own:  # else it was changed inside, which stays
                _handle(number, own.handler)
        _guarding.clear()
        _raised.clear()


def stop_if_signalled() -> None:
    """After foreign code has failed, raise what a signal raised meanwhile, without its context.

    Call it inside `guarded`. What foreign code raised is not kept as its context,
    because debuggers show that.
    It is raised once more in each block around this one, up to the outermost.
    """
    if not _raised or current_thread() is not main_thread():
        return
    error = _raised[-1].with_traceback(None)
    try:
        raise error
    except BaseException:
        error.__context__ = error.__cause__ = None
        raise


def attempted(call: Callable[[], Result], failed: Instead = None) -> Result | Instead:
    """The result of foreign code, or ``failed`` if it raises anything at all."""
    with guarded():
        try:
            return call()
        except BaseException:
            stop_if_signalled()
            return failed


def all_of(entries: Sequence[object], kind: type) -> bool:
    """Whether every entry is exactly of this type, by identity.

    A class may define its own equality and hash, and so pass for another.
    """
    return all(map(is_, map(type, entries), repeat(kind)))


def all_integers(entries: Sequence[object]) -> TypeGuard[Sequence[int]]:
    """Whether every entry is exactly a Python integer."""
    return all_of(entries, int)


def all_among(entries: Sequence[object], kinds: frozenset[int]) -> bool:
    """Whether the class of every entry is one of these, given by their ``id``."""
    rest: list[object] = list(entries)
    while rest:  # one pass a class
        kind: type[object] = type(rest[0])
        if id(kind) not in kinds:
            return False
        rest = list(compress(rest, map(is_not, map(type, rest), repeat(kind))))
    return True
