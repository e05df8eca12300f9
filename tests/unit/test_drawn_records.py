"""Drawn records are a function of the generator: else pairs repeat, and an estimate covers less."""

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.blackbox.reproducible import alike
from leastnoise.errors import ParameterError


class Record:
    """A record that is compared by identity."""

    def __init__(self, x):
        self.x = x


def own(mine):
    return lambda rng, size: mine.exponential(size=size)


def counted(rng, size, seen=[0]):  # noqa: B006  # what the check is for
    seen[0] += 1
    return rng.exponential(size=size) + seen[0]


def pooled(pool):
    """Records of a pool that the first call draws."""

    def draw(rng):
        if not pool:
            pool.extend(rng.exponential(size=10))
        return pool[int(rng.integers(10))]

    return draw


def sampler(draw, n=20, **changed):
    def mean(records):
        values = records.to_numpy() if hasattr(records, "to_numpy") else records
        return float(np.mean([getattr(x, "x", x) for x in np.ravel(values)]))

    asked = {"n": n, "gamma": "0.5", "workers": 1, "batch": False, **changed}
    return ln.SensitivitySampler(mean, draw_record=draw, **asked)


UNFIT = {
    "a generator of its own": own(np.random.default_rng(1)),
    "one at a time": (lambda mine: lambda rng: mine.exponential())(np.random.default_rng(1)),
    "numpy's global one": lambda rng, size: np.random.exponential(size=size),  # noqa: NPY002
    "half of it": lambda rng, size: rng.random(size) + own(np.random.default_rng())(rng, size),
    "a counter": counted,
    "frames": lambda rng, size: pd.DataFrame({"x": np.random.default_rng().random(size)}),
    "objects": lambda rng: Record(np.random.default_rng().random()),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_randomness_of_its_own_is_refused(kind):
    with pytest.raises(ParameterError, match="take all randomness from rng, without a generator"):
        sampler(UNFIT[kind])


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, size: np.random.default_rng(0).exponential(size=size),
        lambda rng, size: np.arange(size) % 2,
        lambda rng, size: pd.DataFrame({"x": np.random.default_rng(0).random(size)}),
        lambda rng, size: [Record(i) for i in range(size)],
    ],
    ids=["seed", "pattern", "frame", "objects"],
)
def test_records_that_no_generator_changes_are_refused(draw):
    with pytest.raises(ParameterError, match="same records for every generator"):
        sampler(draw)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, size: rng.exponential(size=size),
        lambda rng, size: (rng.random(size) < 0.5) * 1.0,
        lambda rng, size: np.where(rng.random(size) < 0.5, np.nan, 1.0),
        lambda rng, size: pd.DataFrame({"x": rng.random(size), "y": None}),
        lambda rng: Record(rng.random()),
        lambda rng: {"x": rng.random(), "y": float("nan")},
        lambda rng: (rng.random(), np.array([rng.random(), None])),
        lambda rng, size: np.zeros(size),
        lambda rng: 1.0,
        lambda: np.random.default_rng().random(),
    ],
    ids=["numbers", "coins", "nan", "frame", "objects", "dicts", "tuples", "zeros", "one", "none"],
)
def test_records_of_the_generator_are_taken(draw):
    ln.SensitivitySampler(len, draw_record=draw, n=20, gamma="0.5", workers=1)


def test_few_records_of_few_values_are_taken():
    """Two databases may be equal by chance."""
    for _ in range(20):
        sampler(lambda rng, size: (rng.random(size) < 0.3) * 1.0, n=1)


def test_alike():
    nan = float("nan")
    assert alike([nan, (1, "x")], [nan, (1, "x")])
    assert alike({"x": np.array([1, nan])}, {"x": np.array([1, nan])})
    assert alike(Record(1), Record(1))
    assert not alike([1, 2], [1])
    assert not alike([1], [1.0])
    assert not alike(np.zeros(2), np.zeros(3))
    assert not alike(Record(1), Record(2))
    assert not alike(Record(lambda: 1), Record(lambda: 1))


def test_a_pool_of_the_first_call_is_refused():
    with pytest.raises(ParameterError, match="take all randomness from rng"):
        sampler(pooled([]), n=1)
