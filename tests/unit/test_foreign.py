"""What foreign code raises is a failure; what a signal raises stops the work."""

import ctypes
import datetime
import logging
import os
import signal
import threading
import time
import warnings
from fractions import Fraction

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.foreign import all_of, attempted, guarded, stop_if_signalled
from leastnoise.frames.memory.labels import run_codes
from leastnoise.frames.readers.values import Dialect, to_floats

RAISED = [
    KeyboardInterrupt("secret"),
    SystemExit("secret"),
    GeneratorExit(),
    ReferenceError(),
    RecursionError(),
    MemoryError(),
]


def fails(error):
    raise error


def signalled():
    """A signal that arrives while foreign code handles an error of its own."""
    try:
        raise ValueError("secret")
    except ValueError:
        signal.raise_signal(signal.SIGINT)
        time.sleep(1)


class Entry:
    """A cell whose methods do something when they are read."""

    def __init__(self, does):
        self.does = does

    def __float__(self):
        return self.does()

    def __str__(self):
        return self.does()


@pytest.mark.parametrize("error", RAISED, ids=repr)
def test_whatever_foreign_code_raises_is_a_failure(error):
    assert attempted(lambda: fails(error), "failed") == "failed"
    cell = Entry(lambda: fails(error))
    assert np.array_equal(to_floats([1.0, cell], Dialect()), [1.0, np.nan], equal_nan=True)
    assert run_codes([(["a", cell], None)], ["a"]).tolist() == [0, -2]


@pytest.mark.parametrize(
    "read",
    [
        lambda: attempted(signalled),
        lambda: to_floats([1.0, Entry(signalled)], Dialect()),
        lambda: run_codes([(["a", Entry(signalled)], None)], ["a"]),
    ],
)
def test_a_signal_stops_the_work_and_says_nothing(read):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt) as caught:
        read()
    assert caught.value.args == ()
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    frames = [entry.frame.code.name for entry in caught.traceback]
    assert "signalled" not in frames
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), TimeoutError("late")], ids=repr)
def test_a_signal_that_interrupts_an_error_of_ours_does_not_show_it(raised, monkeypatch):
    """Text that is no number makes an error that quotes it, and most entries of a column may be."""

    class Interrupted(dict[str, float]):
        def get(self, *_):
            signal.raise_signal(signal.SIGALRM)

    def handler(*_):
        raise raised

    monkeypatch.setattr("leastnoise.frames.readers.values._TRUTH", Interrupted())
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(type(raised)) as caught:
            ln.release(ln.Median(bounds=(0, 1)), ["secret"] * 5, epsilon=1)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert caught.value is raised
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_foreign_code_cannot_hide_a_signal_behind_another_error():
    def hides():
        try:
            signalled()
        except KeyboardInterrupt:
            raise ValueError("secret") from None

    with pytest.raises(KeyboardInterrupt):
        attempted(hides)


def test_a_program_that_ends_early_at_a_signal_gives_its_answer():
    def early():
        try:
            signalled()
        except KeyboardInterrupt:
            return 7

    assert attempted(early) == 7
    assert attempted(lambda: fails(KeyboardInterrupt()), 8) == 8


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms on this system")
def test_an_alarm_stops_the_work_with_what_its_handler_raises():
    def rings(*_):
        raise TimeoutError("ten seconds")

    before = signal.signal(signal.SIGALRM, rings)
    try:
        with pytest.raises(TimeoutError, match="ten seconds"):
            attempted(lambda: signal.raise_signal(signal.SIGALRM))
        assert signal.getsignal(signal.SIGALRM) is rings
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_foreign_code_sets_stays():
    before = signal.getsignal(signal.SIGINT)
    try:
        attempted(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert attempted(lambda: fails(KeyboardInterrupt())) is None
    finally:
        signal.signal(signal.SIGINT, before)


def test_blocks_inside_blocks_keep_the_outer_handlers():
    with guarded():
        outer = signal.getsignal(signal.SIGINT)
        with guarded():
            assert signal.getsignal(signal.SIGINT) is outer
        with pytest.raises(KeyboardInterrupt):
            attempted(signalled)
        assert signal.getsignal(signal.SIGINT) is outer
        with pytest.raises(KeyboardInterrupt):  # nothing that is done in the block goes on
            stop_if_signalled()
    stop_if_signalled()


def test_a_signal_gets_through_blocks_inside_blocks():
    with pytest.raises(KeyboardInterrupt) as caught:
        attempted(lambda: attempted(lambda: attempted(signalled)))
    assert caught.value.__context__ is None
    assert attempted(lambda: fails(KeyboardInterrupt()), "failed") == "failed"


@pytest.mark.skipif(os.name != "posix", reason="no such handlers on this system")
def test_a_handler_below_that_of_python_stays():
    """Polars has one for Ctrl-C; `signal.signal` would put Python's own in its place for good."""
    ring = signal.getsignal(signal.SIGINT)
    action = ctypes.CDLL(None).sigaction
    known = ctypes.create_string_buffer(512)
    heard = []
    below = ctypes.CFUNCTYPE(None, ctypes.c_int)(heard.append)
    action(signal.SIGINT, None, known)
    ctypes.CDLL(None).signal(signal.SIGINT, below)
    try:
        assert attempted(lambda: os.kill(os.getpid(), signal.SIGINT)) is None
        os.kill(os.getpid(), signal.SIGINT)
        assert heard == [signal.SIGINT] * 2
        assert signal.getsignal(signal.SIGINT) is ring
    finally:
        action(signal.SIGINT, known, None)


def test_in_another_thread_every_exception_is_a_failure():
    found = []

    def work():
        found.append(attempted(lambda: fails(KeyboardInterrupt()), "failed"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["failed"]


def test_a_class_cannot_pass_for_another():
    class Equal(type):
        def __eq__(cls, other):
            return True

        def __hash__(cls):
            return hash(str)

    class Text(metaclass=Equal):
        pass

    assert {str, Text} == {str}
    assert all_of(["a", "b"], str)
    assert not all_of(["a", Text()], str)
    assert run_codes([(["a", Text()], None)], ["a"])[0] == 0


class Loud(Entry):
    """A cell that says on every way that it was read."""

    def __init__(self):
        super().__init__(self.said)

    def said(self):
        print("secret")
        warnings.warn("secret", stacklevel=1)
        logging.getLogger("cell").error("secret")
        os.write(1, b"secret")
        os.write(2, b"secret")
        return "a"

    def __float__(self):
        self.said()
        return 1.0

    def __eq__(self, other):
        self.said()
        return False

    def __hash__(self):
        self.said()
        return 1

    def __iter__(self):
        self.said()
        return iter([1.0, 2.0])


class LoudZone(datetime.tzinfo):
    """A zone that says on every way that it was asked."""

    def utcoffset(self, dt):
        Loud().said()
        return datetime.timedelta(0)

    def tzname(self, dt):
        Loud().said()

    def dst(self, dt):
        Loud().said()


class LoudOffset(datetime.timedelta):
    """The offset of a zone of Python's own class that says that it was subtracted."""

    def __rsub__(self, other):
        Loud().said()
        return datetime.timedelta(0)


class LoudInteger(int):
    """Hides in a fraction."""

    numerator = property(lambda self: self)

    def __int__(self):
        Loud().said()
        return 1


TIME = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
TIMES = [TIME, TIME.replace(tzinfo=LoudZone())]
OFFSETS = [TIME, TIME.replace(tzinfo=datetime.timezone(LoudOffset(hours=1)))]
BINS = [TIME - datetime.timedelta(days=1), TIME + datetime.timedelta(days=1)]
CELLS = {
    "zone": lambda: ln.release(ln.Histogram(bins=BINS), TIMES, epsilon=1),
    "offset": lambda: ln.release(ln.Histogram(bins=BINS), OFFSETS, epsilon=1),
    "zone as text": lambda: ln.release(ln.Histogram(categories=["a", "b"]), TIMES, epsilon=1),
    "zone of a time": lambda: ln.release(
        ln.CountDistinct(), [x.timetz() for x in TIMES], epsilon=1
    ),
    "fraction": lambda: ln.release(
        ln.Median(bounds=(0, 9)), [1.0, Fraction(LoudInteger(1))], epsilon=1
    ),
    "number": lambda: ln.release(ln.Median(bounds=(0, 9)), [1.0, Loud()], epsilon=1),
    "text": lambda: ln.release(ln.Histogram(categories=["a", "b"]), ["a", Loud()], epsilon=1),
    "vector": lambda: ln.release(
        ln.MeanVector(bounds=[(0, 9)] * 2), [[1, 2], Loud(), [Loud(), 1]], epsilon=1
    ),
    "edge": lambda: ln.release(
        ln.EdgeCount(nodes=["a", "b"]), [("a", "b"), (Loud(), "a"), Loud()], epsilon=1
    ),
    "probabilities": lambda: ln.release(
        ln.CrossEntropy(labels=[0, 1], loss_bound=3), ([0, 1], [[0.5, 0.5], Loud()]), epsilon=1
    ),
    "array": lambda: ln.release(
        ln.Mean(bounds=(0, 9)), np.array([1.0, Loud()], dtype=object), epsilon=1
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_what_a_cell_prints_logs_or_warns_is_dropped(name, capfd, caplog):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CELLS[name]()
    assert "secret" not in "".join(capfd.readouterr()) + caplog.text
    assert not [w for w in caught if "secret" in str(w.message)]


def test_the_cell_is_loud_elsewhere(capfd):
    with pytest.warns(UserWarning, match="secret"):
        float(Loud())
    assert "".join(capfd.readouterr()).count("secret") >= 3
