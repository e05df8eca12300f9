"""An interrupted run goes on only with the function and the law that began it."""

import json
import types

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.blackbox import workers
from leastnoise.errors import ParameterError, ParameterTypeError


def exponential(rng, size):
    return rng.exponential(size=size)


def flat(rng, size):
    """Records whose median hardly ever changes."""
    return rng.integers(0, 2, size=size) + (rng.random(size) < 0.02) * 5.0


def mean(records):
    return float(np.mean(records))


def sampler(function=mean, **changed):
    asked = {"draw_record": exponential, "n": 50, "gamma": "0.1", "batch": False, "workers": 1}
    return ln.SensitivitySampler(function, **{**asked, **changed})


class Scaled:
    """An object with a state of its own, whose code says little."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, records):
        return self.factor * float(np.median(records))


@pytest.fixture
def interrupted(monkeypatch):
    """Runs are interrupted after 60 pairs while the switch is on."""
    switch = types.SimpleNamespace(on=True)
    update = workers.Progress.update

    def stop(self, done):
        update(self, done)
        if switch.on and done >= 60:
            raise KeyboardInterrupt

    monkeypatch.setattr(workers.Progress, "update", stop)
    return switch


FACTOR = 1.0


def scaled(records):
    return FACTOR * float(np.mean(records))


def test_a_run_of_the_same_process_goes_on_with_the_same_function(monkeypatch, interrupted):
    found = sampler(scaled)
    with pytest.raises(KeyboardInterrupt):
        found.estimate()
    kept = set(found.changes)
    assert len(kept) == 60
    interrupted.on = False
    monkeypatch.setitem(globals(), "FACTOR", 1000.0)
    with pytest.raises(ParameterError, match="belongs to another function"):
        found.estimate()
    monkeypatch.setitem(globals(), "FACTOR", 1.0)
    found.estimate()
    assert kept < set(found.changes)
    assert len(found.changes) == 66


def test_a_run_of_an_object_goes_on_if_it_is_said(interrupted):
    program = Scaled(1)
    found = sampler(program)
    with pytest.raises(KeyboardInterrupt):
        found.estimate()
    interrupted.on = False
    with pytest.raises(ParameterError, match=r"say estimate\(same_function=True\)"):
        found.estimate()
    with pytest.raises(ParameterError, match="function cannot be compared"):
        found.respond(np.ones(50), epsilon=1)
    program.factor = 1000
    with pytest.raises(ParameterError, match="drawn again"):
        found.estimate(same_function=True)
    program.factor = 1
    assert 0 < float(found.estimate(same_function=True)) < 1
    assert found.respond(np.ones(50), epsilon=1).secure


def test_a_checkpoint_of_another_object_is_never_accepted(tmp_path):
    """Most pairs do not change, so that drawing some again would not tell."""
    path = tmp_path / "kept.json"
    asked = {"draw_record": flat, "n": 51, "checkpoint": path}
    for _ in range(5):
        path.unlink(missing_ok=True)
        first = sampler(Scaled(1), **asked)
        try:
            first.estimate()
        except ParameterError as error:
            assert "sensitivity is 0" in str(error)  # noqa: PT017 - chance decides which it is
        with pytest.raises(ParameterError, match="cannot be compared"):
            sampler(Scaled(1000), **asked).estimate()


def edited(path, **changed):
    kept = json.loads(path.read_text(encoding="utf-8"))
    kept.update({name: change(kept[name]) for name, change in changed.items()})
    path.write_text(json.dumps(kept), encoding="utf-8")


EDITS = {
    "small": {"changes": lambda c: {i: g if i == "0" else [1e-9] for i, g in c.items()}},
    "empty": {"changes": lambda c: {**c, "5": []}},
    "long": {"changes": lambda c: {**c, "5": [1.0, 2.0]}},
    "beyond": {"changes": lambda c: {**c, "999": [1e-9]}},
    "negative chunk": {"changes": lambda c: {**c, "-1": [1e-9]}},
    "odd name": {"changes": lambda c: {**c, " 5": [1e-9]}},
    "nan": {"changes": lambda c: {**c, "5": [float("nan")]}},
    "negative": {"changes": lambda c: {**c, "5": [-1.0]}},
    "no mapping": {"changes": lambda c: []},
    "failures": {"failures": lambda f: -3},
    "more failures": {"failures": lambda f: 133},
    "true": {"failures": lambda f: True},
    "entropy": {"entropy": lambda e: "-5"},
    "long entropy": {"entropy": lambda e: str(1 << 128)},
    "marks": {"codes": lambda c: 3},
    "format": {"format": lambda f: "other"},
}


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("edit", sorted(EDITS))
def test_an_edited_checkpoint_is_refused(tmp_path, monkeypatch, edit, signed):
    path = tmp_path / "kept.json"
    sampler(checkpoint=path).estimate()
    edited(path, **EDITS[edit])
    if signed:  # what is wrong is seen without the digest too
        edited(path, digest=lambda d: None)
        monkeypatch.setattr("leastnoise.blackbox.checkpoint._digest", lambda kept: None)
    with pytest.raises(ParameterError, match="damaged"):
        sampler(checkpoint=path).estimate()


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe\x00", b"null", b"[" * 100_000])
def test_what_is_no_checkpoint_is_refused(tmp_path, content):
    path = tmp_path / "kept.json"
    path.write_bytes(content)
    with pytest.raises(ParameterError, match="damaged"):
        sampler(checkpoint=path).estimate()


def test_a_path_is_checked_before_any_work(tmp_path):
    with pytest.raises(ParameterTypeError, match="checkpoint must be a path"):
        sampler(checkpoint=5)
    with pytest.raises(ParameterError, match="folder that exists"):
        sampler(checkpoint=tmp_path / "none" / "kept.json")
    with pytest.raises(ParameterError, match="must be a file"):
        sampler(checkpoint=tmp_path)
