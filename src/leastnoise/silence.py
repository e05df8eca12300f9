"""Silence while a program of the user runs: nothing that it prints, warns or logs leaves the block.

``silent`` hides what goes through Python, for public drawn data. ``sealed`` is for private data:
the file descriptors 1 and 2 lead nowhere too, and logging is off. Both are switches of the whole
process, so other threads are silent meanwhile; the first block turns them and the last one back.
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
from collections.abc import Generator
from contextvars import ContextVar
from typing import Any

import numpy as np

_silenced: ContextVar[bool] = ContextVar("leastnoise_silenced", default=False)
_lock = threading.Lock()
_sealing: list[contextlib.ExitStack] = []  # one entry a block that is open; the first holds all


@contextlib.contextmanager
def silent() -> Generator[None]:
    """Nothing printed and no warning leaves the block; blocks inside cost next to nothing."""
    if _silenced.get():
        yield
        return
    token = _silenced.set(True)
    hidden = io.StringIO()
    with (
        contextlib.redirect_stdout(hidden),
        contextlib.redirect_stderr(hidden),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            _silenced.reset(token)


@contextlib.contextmanager
def sealed() -> Generator[None]:
    """Nothing that Python, C code or a child process prints, and no log record, leaves it."""
    with _lock:
        stack = contextlib.ExitStack()
        if not _sealing:
            _seal(stack)
        _sealing.append(stack)
    try:
        with silent():
            yield
    finally:
        with _lock:
            first = _sealing[0]
            _sealing.pop()
            if not _sealing:
                first.close()


def _seal(stack: contextlib.ExitStack) -> None:
    """Turn everything off; ``stack`` turns it on again, in the opposite order."""
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
