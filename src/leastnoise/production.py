"""The quiet state in which releases are made, and what is refused where the data is real.

Every release is made inside ``quiet``: numpy, ``warnings`` and ``decimal`` in their default state,
no warnings, and integers of up to 100,000 digits as text. Under
``np.seterr(all="raise")``, warnings that are errors or a decimal context with traps, whether there
is an answer at all would depend on the values. ``silent`` also hides what a user's program prints
through Python, for public drawn data. ``sealed`` is for private data: file descriptors 1 and 2
also lead nowhere, and logging is off.

numpy and ``decimal`` keep their state by thread. The rest are switches of the whole process, so
other threads are silent meanwhile; the first block turns them off and the last one on again, in
whatever order the blocks of several threads end.

A profile or a law looks at private data, and a simulation gives results that are not private. They
are for accuracy studies and tests on public data; where real releases are made they would be
accidents, and LEASTNOISE_PRODUCTION=1 refuses them.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import io
import os
import sys
import threading
import warnings
from collections.abc import Callable, Generator
from contextvars import ContextVar
from decimal import (
    ROUND_HALF_EVEN,
    Context,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from functools import cache, partial
from types import FrameType
from typing import Any

import numpy as np

from leastnoise.errors import LeastNoiseError, ProductionError
from leastnoise.foreign import signals_waiting, unguard

# decimal.DefaultContext can be changed too, so everything is written out.
_DECIMALS = Context(
    prec=28,
    rounding=ROUND_HALF_EVEN,
    Emin=-999_999,
    Emax=999_999,
    capitals=1,
    clamp=0,
    flags=[],
    traps=[InvalidOperation, DivisionByZero, Overflow],
)
_BY_THREAD = bool(getattr(sys.flags, "context_aware_warnings", False))
_BUFFER = 8192  # numpy's, in entries
# Of an integer as text: as many as a text may have letters. A million take minutes.
_DIGITS = 100_000
_CALLS = 2000  # nested ones that a release may need, whatever it reads
_OFF = ("", "0", "false", "no", "off")
_releasing: ContextVar[bool] = ContextVar("leastnoise_releasing", default=False)
_inside = threading.local()  # of a thread: a context may outlive its block


# What turns a switch on again, the last first. Each is there before what it undoes is done.
_Undo = list[Callable[[], object]]


class _Switch:
    """A switch of the whole process, off from when the first block begins until the last ends.

    A signal may raise between any two of its steps: the system gives one that this thread lets wait
    to another thread, and Python runs the handler here. So each step may be made twice, and what
    one has left undone is made up for when blocks end, and before the next begins.
    """

    def __init__(self, turn: Callable[[_Undo], None]) -> None:
        self.turn = turn
        self.lock = threading.Lock()
        self.blocks: dict[object, int] = {}  # the thread of each
        self.undo: _Undo = []

    @contextlib.contextmanager
    def off(self) -> Generator[None]:
        block = object()
        try:
            with signals_waiting(), self.lock:
                if not self.blocks:
                    self._turn_back()
                    self.turn(self.undo)
                self.blocks[block] = threading.get_ident()
            yield
        finally:
            self._end([block])

    def end_all(self) -> None:
        """End the blocks of this thread, also those that a signal kept from ending."""
        own = threading.get_ident()
        self._end([block for block, thread in self.blocks.copy().items() if thread == own])

    def _end(self, ended: list[object]) -> None:
        with signals_waiting(), self.lock:
            for block in ended:
                self.blocks.pop(block, None)
            if not self.blocks:
                self._turn_back()

    def _turn_back(self) -> None:
        while self.undo:
            self.undo[-1]()
            self.undo.pop()


@contextlib.contextmanager
def quiet() -> Generator[None]:
    """The default state of numpy, warnings and decimals; nested blocks cost next to nothing."""
    if getattr(_inside, "quiet", False):
        yield
        return
    _inside.quiet = True
    try:
        with _room():
            yield
    finally:
        _inside.quiet = False


@contextlib.contextmanager
def _room() -> Generator[None]:
    with _PROCESS.off(), _unwarned(), np.errstate(all="ignore"), localcontext(_DECIMALS):
        np.setbufsize(_BUFFER)  # which errstate puts back, too
        yield


@contextlib.contextmanager
def silent() -> Generator[None]:
    """Hide what is printed and warned of in the block; nested blocks cost next to nothing."""
    if getattr(_inside, "silent", False):
        yield
        return
    _inside.silent = True
    try:
        # a room of its own: what a program sets in it ends with it
        with _STREAMS.off(), _room():
            try:
                yield
            finally:
                if _PROCESS.blocks:  # else a signal came before this, and all is on again
                    warnings.simplefilter("ignore")  # of the process, where others are inside
    finally:
        _inside.silent = False


@contextlib.contextmanager
def sealed() -> Generator[None]:
    """Hide what Python, C code and child processes print in the block, and its log records."""
    with _DESCRIPTORS.off(), silent():
        yield


def _unwarned() -> contextlib.AbstractContextManager[object]:
    """Turn off warnings, if Python keeps the filters by thread, so that no other thread notices."""
    return warnings.catch_warnings(action="ignore") if _BY_THREAD else contextlib.nullcontext()


def _plain(undo: _Undo) -> None:
    """Turn off warnings; allow long integers and deeply nested calls."""
    undo.append(partial(sys.set_int_max_str_digits, sys.get_int_max_str_digits()))
    sys.set_int_max_str_digits(_DIGITS)
    undo.append(partial(_limit_calls, sys.getrecursionlimit()))
    _limit_calls(max(sys.getrecursionlimit(), len(_calls()) + _CALLS))
    if not _BY_THREAD:  # other filters for a while: what was shown once is not shown again
        _replace(undo, warnings, "filters", [("ignore", None, Warning, None, 0)])


def _hide(undo: _Undo) -> None:
    """Turn off what Python prints."""
    hidden = io.StringIO()
    for name in ("stdout", "stderr"):
        _replace(undo, sys, name, hidden)


def _seal(undo: _Undo) -> None:
    """Turn off what the process prints by other ways, and logging."""
    streams: list[Any] = [sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__]
    _flush(streams)
    logging = sys.modules.get("logging")  # loading it would tell that something was sealed
    if logging is not None:
        undo.append(partial(logging.disable, logging.root.manager.disable))
        logging.disable(sys.maxsize)
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            kept = [os.dup(descriptor)]  # it may be closed, and then stays so
            undo.append(partial(_put_back, kept, descriptor))
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), descriptor)
    for name in ("__stdout__", "__stderr__"):
        _replace(undo, sys, name, io.StringIO())
    # what was written into buffers goes nowhere, before the descriptors are back
    undo.append(partial(_flush, streams))


def _replace(undo: _Undo, owner: Any, name: str, value: object) -> None:
    undo.append(partial(setattr, owner, name, getattr(owner, name)))
    setattr(owner, name, value)


def _put_back(kept: list[int], descriptor: int) -> None:
    if kept:
        os.dup2(kept[0], descriptor)
        os.close(kept.pop())  # once: its number may be another file's after that


def _limit_calls(limit: int) -> None:
    with contextlib.suppress(RecursionError):  # so many are nested here already
        sys.setrecursionlimit(limit)


def _calls() -> list[int]:
    """The identities of the calls that are nested here, the innermost first."""
    frame, found = _outer(inspect.currentframe(), 1), list[int]()
    while frame is not None:
        found.append(id(frame))
        frame = frame.f_back
    return found


def _flush(streams: list[Any]) -> None:
    with signals_waiting():  # what a handler raises is not for us to suppress
        for stream in streams:
            with contextlib.suppress(Exception):
                stream.flush()  # it may be None, or closed
        with contextlib.suppress(Exception):
            _c_library().fflush(None)  # buffers of C code, where there is a C library to ask


@cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


_PROCESS, _STREAMS, _DESCRIPTORS = _Switch(_plain), _Switch(_hide), _Switch(_seal)


def in_production() -> bool:
    """Whether the environment says that the data is real: any value except 0, false, no and off."""
    return os.environ.get("LEASTNOISE_PRODUCTION", "").strip().lower() not in _OFF


def forbid_in_production(name: str) -> None:
    """Refuse ``name`` where LEASTNOISE_PRODUCTION is set, except inside a release.

    Raises
    ------
    ProductionError
        If the environment says so.
    """
    if in_production() and not _releasing.get():
        raise ProductionError(
            f"{name} looks at private data and LEASTNOISE_PRODUCTION forbids it; use it on "
            "public or synthetic data, in an environment without that variable"
        )


def _outer(frame: FrameType | None, calls: int) -> FrameType | None:
    for _ in range(calls):
        frame = None if frame is None else frame.f_back
    return frame


@contextlib.contextmanager
def releasing() -> Generator[None]:
    """Make a release inside the block, quietly: laws inside are drawn from and never shown.

    What a signal raises leaves alone: it may have interrupted the handling of an error whose
    message quotes an entry, which Python would show beside it. What the caller has printed is
    written first: where the process is sealed it must be, and an entry decides about that.
    """
    # A signal may have kept the last one from saying that it ended. Its call is held, as another
    # could get its identity.
    outermost = id(getattr(_inside, "release", None)) not in _calls()
    if outermost:
        _clear()
        _inside.release = _outer(inspect.currentframe(), 2)  # whose block this is
    token = _releasing.set(True)
    try:
        _flush([sys.stdout, sys.stderr])
        with quiet():
            yield
    except LeastNoiseError:
        raise
    except BaseException as error:
        error.__context__ = None
        raise
    finally:
        _releasing.reset(token)
        if outermost:
            _clear()


def _clear() -> None:
    """Turn on again what a signal, which may come between any two steps, has left off."""
    try:
        _turn_all_on()
    except BaseException:  # the signal came here
        _turn_all_on()
        raise


def _turn_all_on() -> None:
    _inside.release = None
    _releasing.set(False)
    for switch in (_DESCRIPTORS, _STREAMS, _PROCESS):
        switch.end_all()
    _inside.quiet = _inside.silent = False
    unguard()
