"""A release leaves the process as it was, whatever a row is made of and whenever it is stopped."""

from __future__ import annotations

import gc
import logging
import os
import random
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln

MEDIAN = ln.Median(bounds=(0, 5))
PLAIN: list[Any] = [1, 2, 3]
ODD: list[Any] = [1, 2, Fraction(3)]  # a class of which nothing is known: all is sealed around it


class Stopped(BaseException):
    """What no library takes for an error of its own."""


def state() -> tuple[object, ...]:
    """What a release turns off, and must turn on again."""
    return (
        *(os.fstat(descriptor)[1:3] for descriptor in (1, 2)),  # which files, not what they hold
        sys.stdout,
        sys.__stdout__,
        logging.root.manager.disable,
        list(warnings.filters),
        sys.get_int_max_str_digits(),
        sys.getrecursionlimit(),
        *(signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)),
        signal.pthread_sigmask(signal.SIG_BLOCK, ())
        if hasattr(signal, "pthread_sigmask")
        else None,
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
@pytest.mark.parametrize("rows", [PLAIN, ODD], ids=["plain", "odd"])
def test_a_signal_at_any_moment_leaves_nothing_turned_off(rows: list[Any]) -> None:
    def stop(*_: object) -> None:
        raise Stopped

    def forever() -> None:
        while True:
            ln.release(MEDIAN, rows, epsilon=1)

    drawn = random.Random(11)  # moments, not noise
    before = signal.signal(signal.SIGALRM, stop)
    gc.disable()  # what a handler raises in a callback of the collector is lost
    try:
        ln.release(MEDIAN, rows, epsilon=1)
        first = state()
        for _ in range(60):
            signal.setitimer(signal.ITIMER_REAL, drawn.uniform(0.001, 0.008), 1)
            with suppress(Stopped):
                forever()
            signal.setitimer(signal.ITIMER_REAL, 0)
            ln.release(MEDIAN, rows, epsilon=1)
            assert state() == first
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


def test_calls_may_be_nested_as_deep_as_ever() -> None:
    """Reading an odd entry nests more of them than reading a plain one."""

    def below(calls: int, made: Callable[[], object]) -> object:
        return made() if not calls else below(calls - 1, made)

    def outcome(rows: list[Any], calls: int) -> str:
        try:
            below(calls, lambda: ln.release(MEDIAN, rows, epsilon=1))
        except RecursionError:
            return "too deep"
        return "an answer"

    first, limit = state(), sys.getrecursionlimit()
    outcome(ODD, 0)
    for calls in (*range(limit - 260, limit - 30, 23), *range(limit - 30, limit, 2)):
        assert outcome(PLAIN, calls) == outcome(ODD, calls)
    assert outcome(PLAIN, limit - 260) == "an answer"
    assert outcome(PLAIN, limit) == "too deep"
    assert outcome(PLAIN, 0) == "an answer"  # which also turns back what had no room to be
    assert state() == first


SCRIPT = """
import sys
from fractions import Fraction

import leastnoise as ln

print("printed before")
ln.release(ln.Median(bounds=(0, 5)), [1, 2, {last}], epsilon=1)
print("the other stream", file=sys.stderr)
print(sorted(sys.modules))
"""


def test_neither_the_order_of_prints_nor_modules_tell_of_a_row() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT.format(last=last)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={name: x for name, x in os.environ.items() if name != "PYTHONUNBUFFERED"},
            check=True,
            timeout=60,
        ).stdout
        for last in ("3", "Fraction(3)")
    }
    assert len(said) == 1
    assert said.pop().startswith(b"printed before\n")
