"""Silence while a program of the user runs: nothing that it prints, warns or logs leaves the block.

``silent`` hides what goes through Python, for public drawn data. ``sealed`` is for private data:
the file descriptors 1 and 2 lead nowhere too, and logging is off. Both are switches of the whole
process, so other threads are silent meanwhile; the first block turns them and the last one back,
in whatever order the blocks of several threads end.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

_inside = threading.local()


class _Switch:
    """Something of the whole process, off from the first block that asks to the last that ends."""

    def __init__(self, turn: Callable[[contextlib.ExitStack], None]) -> None:
        self.turn = turn  # its stack turns all back, in the opposite order
        self.lock = threading.Lock()
        self.blocks = 0
        self.stack = contextlib.ExitStack()

    @contextlib.contextmanager
    def off(self) -> Generator[None]:
        with self.lock:
            if not self.blocks:
                self.turn(self.stack)
            self.blocks += 1
        try:
            yield
        finally:
            with self.lock:
                self.blocks -= 1
                if not self.blocks:
                    self.stack.close()


@contextlib.contextmanager
def silent() -> Generator[None]:
    """Nothing printed and no warning leaves the block; blocks inside cost next to nothing."""
    if getattr(_inside, "block", False):  # of this thread: a context may outlive its block
        yield
        return
    _inside.block = True
    try:
        with _STREAMS.off(), np.errstate(all="ignore"):
            yield
    finally:
        _inside.block = False


@contextlib.contextmanager
def sealed() -> Generator[None]:
    """Nothing that Python, C code or a child process prints, and no log record, leaves it."""
    with _DESCRIPTORS.off(), silent():
        yield


def _hide(stack: contextlib.ExitStack) -> None:
    """Turn off what Python writes and warns."""
    hidden = io.StringIO()
    stack.enter_context(contextlib.redirect_stdout(hidden))
    stack.enter_context(contextlib.redirect_stderr(hidden))
    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")


def _seal(stack: contextlib.ExitStack) -> None:
    """Turn off what the process writes by other ways, and logs."""
    streams: list[Any] = [sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__]
    _flush(streams)
    stack.callback(logging.disable, logging.root.manager.disable)
    logging.disable(sys.maxsize)
    for descriptor in (1, 2):
        with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:  # it may be closed
            kept = os.dup(descriptor)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, descriptor)
            os.dup2(nowhere.fileno(), descriptor)
    for name in ("__stdout__", "__stderr__"):
        stack.callback(setattr, sys, name, getattr(sys, name))
        setattr(sys, name, io.StringIO())
    # what was written into buffers goes nowhere, before the descriptors are back
    stack.callback(_flush, streams)


def _flush(streams: list[Any]) -> None:
    for stream in streams:
        with contextlib.suppress(Exception):
            stream.flush()  # it may be None, or closed
    with contextlib.suppress(Exception):
        ctypes.CDLL(None).fflush(None)  # buffers of C code, where there is a C library to ask


_STREAMS, _DESCRIPTORS = _Switch(_hide), _Switch(_seal)
