"""The process around a reading: settings that a caller may have, and everything that gets out."""

from __future__ import annotations

import contextlib
import csv
import decimal
import io
import locale
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Mapping
from typing import IO, Any, TypeVar

import numpy as np

Result = TypeVar("Result")

Setting = Callable[[], contextlib.AbstractContextManager[Any]]

# Frames that a call under a low limit of recursion still has.
_FRAMES = 400


@contextlib.contextmanager
def _decimals() -> Generator[None]:
    with decimal.localcontext() as context:
        context.prec = 1
        for signal in context.traps:
            context.traps[signal] = True
        yield


@contextlib.contextmanager
def _warnings_are_errors() -> Generator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@contextlib.contextmanager
def _locale() -> Generator[None]:
    before = locale.setlocale(locale.LC_ALL)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8", ""):  # the first that there is
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, name)
            break
    try:
        yield
    finally:
        locale.setlocale(locale.LC_ALL, before)


def _switched(
    read: Callable[[], Any], write: Callable[[Any], Any], value: Callable[[], Any]
) -> Callable[[], contextlib.AbstractContextManager[None]]:
    """A setting of the whole process, and back."""

    @contextlib.contextmanager
    def switch() -> Generator[None]:
        before = read()
        write(value())
        try:
            yield
        finally:
            write(before)

    return switch


def _deep() -> int:
    depth, frame = 0, sys._getframe()  # pyright: ignore[reportPrivateUsage]  # documented by CPython
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth + _FRAMES


ANOTHER_THREAD = "another thread"

SETTINGS: dict[str, Setting] = {
    "numpy.seterr(all='raise')": lambda: np.errstate(all="raise"),
    "numpy.set_printoptions(legacy='1.13')": lambda: np.printoptions(legacy="1.13"),
    "warnings.simplefilter('error')": _warnings_are_errors,
    "decimal: one digit, all traps": _decimals,
    "another locale": _locale,
    "csv.field_size_limit(3)": _switched(csv.field_size_limit, csv.field_size_limit, lambda: 3),
    "sys.set_int_max_str_digits(640)": _switched(
        sys.get_int_max_str_digits, sys.set_int_max_str_digits, lambda: 640
    ),
    ANOTHER_THREAD: contextlib.nullcontext,
    f"{_FRAMES} frames of recursion left": _switched(
        sys.getrecursionlimit, sys.setrecursionlimit, _deep
    ),
}
"""What a process may have set before it calls the library, by how it is set."""


def under(settings: Mapping[str, Setting], work: Callable[[], Result]) -> Result:
    """Do work under some settings, and in a thread of its own if ``ANOTHER_THREAD`` is one."""

    def inside() -> Result:
        with contextlib.ExitStack() as stack:
            for setting in settings.values():
                stack.enter_context(setting())
            return work()

    if ANOTHER_THREAD not in settings:
        return inside()
    found: list[Result] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(inside())
        except BaseException as error:  # raised where it would have been
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return found[0]


class Watch:
    """Keeps what is printed, warned, logged or said by the interpreter while its block runs.

    File descriptors are watched as well as Python's streams. The whole process is: nothing else may
    print meanwhile.
    """

    def __init__(self, file: IO[bytes]) -> None:
        """Keep an empty file, to which both file descriptors lead meanwhile."""
        self._file = file
        self._stream, self._log = io.StringIO(), io.StringIO()

    def __call__(self, work: Callable[[], Result]) -> tuple[Result, tuple[str, ...]]:
        """The result of some work, and what got out."""
        with contextlib.ExitStack() as stack:
            _flush()
            for descriptor in (1, 2):
                kept = os.dup(descriptor)
                stack.callback(os.close, kept)
                stack.callback(os.dup2, kept, descriptor)
                os.dup2(self._file.fileno(), descriptor)
            stack.enter_context(contextlib.redirect_stdout(self._stream))
            stack.enter_context(contextlib.redirect_stderr(self._stream))
            stack.callback(setattr, sys, "unraisablehook", sys.unraisablehook)
            sys.unraisablehook = lambda unraisable: self._stream.write(
                f"unraisable {unraisable.exc_type.__name__}"
            )
            handler, root = logging.StreamHandler(self._log), logging.getLogger()
            stack.callback(root.setLevel, root.level)
            stack.callback(root.removeHandler, handler)
            root.addHandler(handler)
            root.setLevel(logging.WARNING)  # py4j logs all that Spark answers, for who asks for it
            # what an entry does to the process is undone, so that it does it to one reading only
            stack.enter_context(decimal.localcontext())
            stack.enter_context(np.errstate())
            warned = stack.enter_context(warnings.catch_warnings(record=True))
            warnings.simplefilter("always")
            result = work()
            _flush()
        return result, self._messages([f"warning: {w.message}" for w in warned or ()])

    def _messages(self, warned: list[str]) -> tuple[str, ...]:
        said = warned
        if os.fstat(self._file.fileno()).st_size:
            self._file.seek(0)
            said.append(f"file descriptors: {self._file.read().decode(errors='replace')}")
            self._file.seek(0)
            self._file.truncate()
        for name, stream in (("printed", self._stream), ("logged", self._log)):
            if stream.tell():
                said.append(f"{name}: {stream.getvalue()}")
                stream.seek(0)
                stream.truncate()
        return tuple(said)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # it may be None, or closed
            stream.flush()
