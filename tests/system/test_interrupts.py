"""An interrupt at any moment of a release: the answer is there, or kept, or the error says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.accounting.entries import Charge

MEDIAN = ln.Median("x", bounds=(0, 100))
DATA = {"x": list(range(100))}

# Reason: other systems interrupt otherwise.
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals of POSIX")


@pytest.fixture
def ledger(tmp_path: Path) -> ln.Ledger:
    return ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(1000))


def interrupted(statement: str, run: Callable[[], object]) -> KeyboardInterrupt:
    """The interrupt that comes as SQLite has done this statement."""
    sent = False

    def watch(frame: FrameType, event: str, call: Any) -> None:
        nonlocal sent
        if sent or event != "c_return" or getattr(call, "__name__", "") != "execute":
            return
        ran = frame.f_code.co_name
        if ran == statement and database(frame).in_transaction is False:
            sent = True
            signal.raise_signal(signal.SIGINT)

    sys.setprofile(watch)
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            run()
    finally:
        sys.setprofile(None)
    return caught.value


def database(frame: FrameType) -> Any:
    return frame.f_locals["database"]


def test_an_interrupt_as_the_charge_is_written_says_what_stays_charged(ledger: ln.Ledger) -> None:
    error = interrupted("append", lambda: ledger.charge([Charge((ln.PureDP(3),))]))
    assert ledger.remaining.epsilon == 997
    (note,) = error.__notes__
    assert "epsilon 3 as entry 2" in note
    assert "not refunded" in note


def test_an_interrupt_before_a_charge_says_nothing(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("leastnoise.accounting.store._insert", stop)
    with pytest.raises(KeyboardInterrupt) as caught:
        ledger.charge([Charge((ln.PureDP(3),))])
    assert ledger.remaining.epsilon == 1000
    assert not getattr(caught.value, "__notes__", [])


def test_an_interrupt_at_the_end_of_a_session_says_where_the_answers_are(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    data = ln.open(DATA, ledger=ledger, dataset="d")
    value = data.release(MEDIAN, epsilon=1).value
    with monkeypatch.context() as patched:
        patched.setattr(type(ledger), "close", stop)
        with pytest.raises(KeyboardInterrupt) as caught:
            data.close()
    assert "reuse=True" in caught.value.__notes__[0]
    with ln.open(DATA, ledger=ledger, dataset="d") as again:
        assert again.release(MEDIAN, epsilon=1, reuse=True).value == value
    assert ledger.remaining.epsilon == 999


AT_ANY_MOMENT = """
import signal, sys
import leastnoise as ln

signal.signal(signal.SIGINT, signal.default_int_handler)
ledger = ln.Ledger.open(sys.argv[1])
data = {"x": list(range(100))}


def release(upper, moment=0, reuse=False):
    '''One release that is interrupted at this call or return of it, and how many it came to.'''
    events, answer, notes = 0, None, []

    def watch(frame, event, argument):
        nonlocal events
        events += 1
        if events == moment:
            signal.raise_signal(signal.SIGINT)

    median = ln.Median("x", bounds=(0, upper))  # its own, so that no other answer is reused
    sys.setprofile(watch)
    try:
        answer = ln.release(median, data, epsilon=1, ledger=ledger, dataset="d", reuse=reuse)
    except KeyboardInterrupt as error:
        notes = getattr(error, "__notes__", [])
    finally:
        moment = 0  # draws differ: this one may have had fewer events
        sys.setprofile(None)
    return events, answer, notes


release(98)
events, *_ = release(99)
moments, lost = 60, 0
before = spent = ledger.spent.epsilon
for moment in range(moments):
    _, answer, notes = release(100 + moment, 1 + moment * events // moments)
    now = ledger.spent.epsilon
    if now > spent and answer is None and not notes:  # as the answer was on its way to the caller
        release(100 + moment, reuse=True)
        lost += ledger.spent.epsilon > now
    spent = ledger.spent.epsilon
print(spent - before, lost)
"""


def test_an_interrupt_at_any_moment_loses_no_charge(ledger: ln.Ledger) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_ANY_MOMENT, str(ledger.path)],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    spent, lost = map(int, done.stdout.split())
    assert 0 < spent < 60
    assert lost == 0


def test_an_interrupted_draw_is_told_in_one_way(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("leastnoise.session.kinds.numbers.Numbers.draw", stop)
    with pytest.raises(KeyboardInterrupt) as caught:
        ln.release(MEDIAN, DATA, epsilon=1, ledger=ledger, dataset="d")
    (note,) = caught.value.__notes__
    assert "Nothing was released" in note
