"""Nothing that a program says about private data gets out."""

import ctypes
import decimal
import io
import logging
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.production import quiet, sealed, silent

DATA = np.random.default_rng(3).exponential(size=50)
DATA[3] = 99.0
LOG = logging.getLogger("leastnoise.tests.silence")
EARLIER = sys.__stderr__


def exponential(rng, size):
    return rng.exponential(size=size)


def c_prints(records):
    ctypes.CDLL(None).puts(b"SECRET in C")


def from_a_child(records):
    subprocess.run([sys.executable, "-c", "print('SECRET of a child')"], check=True)


TALKS = {
    "log": lambda records: LOG.critical("SECRET %s", max(records)),
    "os.write": lambda records: os.write(2, b"SECRET\n"),
    "os.write 1": lambda records: os.write(1, b"SECRET\n"),
    "__stderr__": lambda records: sys.__stderr__.write("SECRET\n"),
    "__stderr__ from before": lambda records: EARLIER.write("SECRET\n"),
    "print": lambda records: print("SECRET"),
    "warn": lambda records: warnings.warn("SECRET", stacklevel=1),
    "C": c_prints,
    "child": from_a_child,
}


class Model:
    def __init__(self, function):
        self.function = function

    def predict(self, rows):
        return [self.function([row]) for row in rows]


@pytest.mark.parametrize("talk", sorted(TALKS))
def test_nothing_is_printed(talk, capfd, tmp_path):
    def talking(records):
        if np.max(records) > 90:
            TALKS[talk](records)
        return float(np.mean(records))

    file = tmp_path / "log.txt"
    handler = logging.FileHandler(file)
    LOG.addHandler(handler)
    try:
        sampler = ln.SensitivitySampler(
            talking, draw_record=exponential, n=50, gamma="0.1", batch=False, workers=1
        )
        sampler.estimate(show_progress=False)
        sampler.respond(DATA, epsilon=1)
        ln.BlackBox(talking, sensitivity=1).respond(DATA, epsilon=1)
        ln.SampleAndAggregate(talking, bounds=(0, 10), blocks=3).respond(DATA, epsilon=1)
        ln.private_score(Model(talking), DATA, DATA, metric="r2", epsilon=1, bounds=(0, 99))
        total = ln.RecordSum(
            lambda record: [talking(record)], columns=["x"], bounds=[(0, 100)], box=[(0, 100)]
        )
        ln.release(total, {"x": DATA}, epsilon=1)
        os.write(1, b"open again 1\n")
        os.write(2, b"open again 2\n")
        LOG.critical("logged again")
    finally:
        LOG.removeHandler(handler)
        handler.close()
    EARLIER.flush()
    ctypes.CDLL(None).fflush(None)
    out, error = capfd.readouterr()
    assert "SECRET" not in out + error + file.read_text()
    assert "open again 1" in out
    assert "open again 2" in error
    assert "logged again" in file.read_text()


@pytest.mark.parametrize("block", [silent, sealed])
def test_a_block_that_outlives_another_stays_silent(block, monkeypatch):
    """Streams without a descriptor, as in a notebook; the block that came first ends first."""
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stderr", shown)
    filters = list(warnings.filters)
    first, second, ended, printed = (threading.Event() for _ in range(4))

    def ends_first():
        with block():
            first.set()
            second.wait(10)
        ended.set()

    def ends_last():
        first.wait(10)
        with block():
            second.set()
            ended.wait(10)
            print("SECRET")
            print("SECRET", file=sys.stderr)
            warnings.warn("SECRET", UserWarning, stacklevel=1)
        printed.set()

    threads = [threading.Thread(target=work) for work in (ends_first, ends_last)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert printed.is_set()
    assert shown.getvalue() == ""
    assert sys.stdout is sys.stderr is shown
    assert warnings.filters == filters
    print("heard again")
    assert shown.getvalue() == "heard again\n"


def test_blocks_of_two_threads_end_in_any_order():
    inside, leave = threading.Event(), threading.Event()

    def other():
        with sealed():
            inside.set()
            leave.wait(10)

    before, streams = os.fstat(1), (sys.__stdout__, logging.root.manager.disable)
    with sealed():
        thread = threading.Thread(target=other)
        thread.start()
        assert inside.wait(10)
    assert os.fstat(1).st_rdev == os.stat(os.devnull).st_rdev
    leave.set()
    thread.join()
    assert (os.fstat(1).st_dev, os.fstat(1).st_ino) == (before.st_dev, before.st_ino)
    assert (sys.__stdout__, logging.root.manager.disable) == streams


def interrupted(records):
    if np.max(records) > 90:
        try:
            raise ValueError(f"SECRET {np.max(records)}")
        except ValueError:
            signal.raise_signal(signal.SIGINT)
    return float(np.mean(records))


@pytest.mark.parametrize("kind", ["sampler", "declared", "blocks"])
def test_an_interrupt_by_the_user_carries_no_words(tmp_path, kind):
    budget = ln.RandomDP(5, 0, "0.5", "0.1") if kind == "sampler" else ln.PureDP(5)
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=budget)
    program = {
        "sampler": lambda: ln.SensitivitySampler(
            interrupted, draw_record=exponential, n=50, gamma="0.1", batch=False, workers=1
        ),
        "declared": lambda: ln.BlackBox(interrupted, sensitivity=1),
        "blocks": lambda: ln.SampleAndAggregate(interrupted, bounds=(0, 10), blocks=3),
    }[kind]()
    with pytest.raises(KeyboardInterrupt) as caught:
        program.respond(DATA, epsilon=1, ledger=ledger, dataset="d")
    assert caught.value.args == ()
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert ledger.spent.epsilon == 1


@pytest.mark.parametrize("block", [silent, sealed])
def test_what_a_program_sets_ends_with_its_block(block):
    """It leaves numpy and decimals to raise, and the rest of the release goes on as it was."""

    def state():
        return np.geterr(), decimal.getcontext().prec, warnings.filters[0]

    outside, filters = state(), list(warnings.filters)
    with quiet():
        before = state()
        with block():
            np.seterr(all="raise")
            decimal.getcontext().prec = 1
            warnings.simplefilter("error")
        assert state() == before
    assert state() == outside
    assert warnings.filters == filters


class Exits:
    """A record that ends the program when it is read as a number."""

    def __array__(self, *args, **kwargs):
        raise SystemExit("SECRET")

    def __float__(self):
        raise SystemExit("SECRET")

    def __deepcopy__(self, memo):
        raise SystemExit("SECRET")


ODD = {"exits": Exits(), "masked": np.ma.masked, "large": 10**400, "array": np.array([1.0])}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_records_of_a_list_are_no_error(odd):
    sampler = ln.SensitivitySampler(
        np.mean, draw_record=exponential, n=50, gamma="0.1", bounds=(0, 4), workers=1
    )
    data = [odd, *DATA[4:].tolist(), 1.0, 1.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 <= sampler.respond(data, epsilon=100).value <= 4
