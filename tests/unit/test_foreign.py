"""What foreign code raises is a failure; what a signal raises stops the work."""

import signal
import threading
import time

import numpy as np
import pytest

from leastnoise.foreign import all_of, attempted, guarded, stop_if_signalled
from leastnoise.frames.labels import run_codes
from leastnoise.frames.values import Dialect, to_floats

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
        stop_if_signalled()  # it was raised once, which is enough


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
