"""Statistics of several columns, and of all entries: engines give the summaries of memory."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.frames.engines import passes, summarise, windows
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.session.prepare import StatisticPlan, plan
from leastnoise.summaries.keys import HolderRequest
from leastnoise.summaries.subset import Subset, Unit
from leastnoise.testing import simulate
from support.engines import ENGINES, ROOMS, on_engine
from support.optional import optional

pa = optional("pyarrow")

RANDOM = np.random.default_rng(11)
N = 400
GAPS = [None, math.nan, math.inf, -math.inf, -0.0, 1e300]


def numbers(centre: float) -> Any:
    return [*RANDOM.normal(centre, 20, N - len(GAPS)).tolist(), *RANDOM.permutation(GAPS).tolist()]


DATA = pa.table(
    {
        "y": pa.array(numbers(40)),
        "p": pa.array(numbers(45)),
        "k": pa.array([None, *RANDOM.integers(-40, 90, N - 1).tolist()]),
        "whole": pa.array(RANDOM.integers(-40, 90, N).tolist(), pa.int16()),
        "single": pa.array(RANDOM.choice([0.1, 0.2, 1.0, math.nan], N), pa.float32()),
        "label": pa.array([None, *RANDOM.integers(0, 3, N - 1).tolist()]),
        "guess": pa.array(RANDOM.choice([0.0, 1.0, 2.0, 0.5, -0.0, math.nan], N)),
        "chance": pa.array([None, *RANDOM.random(N - 1).round(2).tolist()]),
        "other": pa.array(RANDOM.random(N)),
        "text": pa.array([None, *RANDOM.choice([" a", "b\u2003", "b", "a", "", "zz"], N - 1)]),
        "said": pa.array(RANDOM.choice(["a", "b ", "c"], N)),
        "flag": pa.array(RANDOM.random(N) < 0.4),
    }
)
BOUNDS = (0, 100)
METRICS: dict[str, Callable[[], Any]] = {
    "squares": lambda: ln.MeanSquaredError("y", "p", bounds=BOUNDS),
    "squares, imputed": lambda: ln.MeanSquaredError("y", "k", bounds=BOUNDS, missing=7),
    "squares without bounds": lambda: ln.MeanSquaredError("y", "p"),
    "distances": lambda: ln.MeanAbsoluteError("k", "single", bounds=(-30, 70)),
    "distances, declared step": lambda: ln.MeanAbsoluteError("y", "p", bounds=BOUNDS, step="0.3"),
    "entropy": lambda: ln.CrossEntropy("label", "chance", labels=[0, 1]),
    "entropy of text": lambda: ln.CrossEntropy("said", ["chance", "other"], labels=["a", "b"]),
    "determination": lambda: ln.R2("y", "p", bounds=BOUNDS),
    "determination, imputed": lambda: ln.R2("y", "whole", bounds=BOUNDS, missing="none"),
    "confusion": lambda: ln.ConfusionMatrix("label", "guess", labels=[0, 1, 2]),
    "confusion of singles": lambda: ln.ConfusionMatrix("single", "guess", labels=[0.1, 1]),
    "confusion of text": lambda: ln.ConfusionMatrix("text", "said", labels=["b", "a"]),
    "ranks": lambda: ln.RocAuc("label", "y", labels=[0, 1]),
    "ranks of text": lambda: ln.RocAuc("said", "chance", labels=["c", "a"]),
    "ranks of whole scores": lambda: ln.RocAuc("flag", "whole", labels=[0, 1]),
}
ENTRIES: dict[str, Callable[[], Any]] = {
    "cells of singles": lambda: ln.Histogram("single", categories=[0.1, 0.2]),
    "keys of text": lambda: ln.PrivateKeys("text", delta="1e-6"),
    "keys of numbers": lambda: ln.PrivateKeys("guess", delta="1e-6"),
    "keys of integers": lambda: ln.PrivateKeys("label", delta="1e-6"),
    "keys of odd numbers": lambda: ln.PrivateKeys("y", delta="1e-6"),
    "weights": lambda: ln.WeightedQuantile("y", "chance", q="0.5", bounds=BOUNDS, largest=1),
}
VECTORS: dict[str, Callable[[], Any]] = {
    "moments": lambda: ln.MomentVector(columns=["y", "p", "k"], bounds=[BOUNDS] * 3, degree=2),
    "moments, imputed": lambda: ln.MomentVector(
        columns=["y", "whole"], bounds=[BOUNDS, (-10, 10)], missing="none"
    ),
    "moments of a far lattice": lambda: ln.MomentVector(
        columns=["y", "p"], bounds=[(10**9, 10**9 + 7), (0, 1)], step="0.01"
    ),
    "indicators": lambda: ln.MomentVector(
        columns=["flag", "guess", "y"],
        bounds=[(0, 1), (0, 1), BOUNDS],
        exclusive=[["flag", "guess"]],
        missing="none",
    ),
    "means": lambda: ln.MeanVector(columns=["y", "p"], bounds=[BOUNDS] * 2),
    "a function of records": lambda: ln.RecordSum(
        lambda r: [r[0] * r[1]], columns=["y", "p"], bounds=[BOUNDS] * 2, box=[(0, 10_000)]
    ),
}
STATISTICS = METRICS | ENTRIES | VECTORS


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def narrow(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so low that brackets and batches are used on some hundred rows."""
    if engine == "spark":  # every narrowing is one more job; test_engines.py has those
        return
    for module in (*ROOMS, passes, windows, summarise):
        for name, value in (("SMALL", 20), ("FEW", 60), ("_SAMPLE", 40), ("_BATCH", 64)):
            monkeypatch.setattr(module, name, value, raising=False)


def plain(summary: Any) -> Any:
    """A summary that can be compared: arrays as lists."""
    names = getattr(summary, "__dataclass_fields__", None)
    if names is None:
        return summary.tolist() if hasattr(summary, "tolist") else summary
    return [plain(getattr(summary, name)) for name in names]


def bounds_of(prepared: StatisticPlan, summary: Any) -> list[Any]:
    """A profile's value and its bounds up to its depth."""
    (profile,) = prepared.profiles(summary)
    levels = range(summary.depth + 1)
    return [profile.value, *((profile.lower(i), profile.upper(i)) for i in levels)]


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("name", list(STATISTICS))
def test_summaries_are_those_of_memory(name: str, engine: str) -> None:
    statistic = STATISTICS[name]()
    held = on_engine(engine, DATA)
    for depth in (6,) if engine == "spark" else (0, 6, None):
        mine, theirs = (plan(statistic, d, "add-remove", None) for d in (DATA, held))
        expected, found = (p.table.summarise(p.request, depth) for p in (mine, theirs))
        if name == "weights" and depth is not None:  # of those only what a profile tells apart
            expected, found = bounds_of(mine, expected), bounds_of(theirs, found)
        assert plain(found) == plain(expected), depth


def test_keys_of_persons(engine: str) -> None:
    people = pa.table({"who": ["a", "a", "b", None, "c"], "k": [1, 1, 1, 1, 2]})
    found: list[Any] = []
    for data in (people, on_engine(engine, people)):
        subset = Subset(unit=Unit("who", 5))
        p = plan(ln.PrivateKeys("k", delta="1e-6"), data, "add-remove", None, subset=subset)
        (part,) = split(p.table, subset, active())
        found.append(part.summarise(p.request, 0).counts)
    assert found[0] == found[1] == {1: 2, 2: 1}


def test_persons_of_keys(engine: str) -> None:
    """By the number of their keys, of which some were shown; texts without their blanks."""
    people = pa.table(
        {
            "who": ["a", "a", "a", "b", None, "c", "c", "b"],
            "k": ["x", " x", "y", "x", "x", "z", None, "y"],
            "n": [0.5, -0.0, 0.0, 0.5, 1, math.inf, 0.25, math.nan],
        }
    )
    asked = [HolderRequest("k", "who"), HolderRequest("k", "who", ("x", "w"))]
    asked += [HolderRequest("n", "who"), HolderRequest("n", "who", (0.0, 0.25))]
    here, there = open_table(people), open_table(on_engine(engine, people))
    found = [[table.summarise(request, 0).holders for request in asked] for table in (here, there)]
    assert found[0] == found[1]
    assert found[0][:2] == [{"x": {2: 2}, "y": {2: 2}, "z": {1: 1}}, {"y": {1: 2}, "z": {1: 1}}]
    assert found[0][2:] == [{0.5: {1: 1, 2: 1}, 0.0: {2: 1}, 0.25: {1: 1}}, {0.5: {1: 2}}]


def test_releases(engine: str) -> None:
    held = on_engine(engine, DATA)
    huge = 10**9
    with ln.open(held, relation="add-remove") as data:
        assert data.release(ln.PrivateKeys("said", delta="1e-6"), epsilon=5).value
        groups = data.group_by({"said": ["a", "b"]}).release(
            {"auc": ln.RocAuc("flag", "whole", labels=[0, 1])}, epsilon=huge
        )
        assert len(groups) == 2
        vector = data.release(ln.MomentVector(columns=["y", "p"], bounds=[BOUNDS] * 2), epsilon=1)
        assert vector.value["count"] >= 0


def test_losses_without_bounds_read_both_columns_at_once(engine: str) -> None:
    """Two queries of an engine may give the rows in different orders."""
    n = 300 if engine == "spark" else 20_000
    y = np.random.default_rng(1).permutation(n).astype(float)
    data = pa.table({"y": y, "p": y + 1, "who": np.arange(n) % 97})
    with ln.open(on_engine(engine, data), unit="who", max_rows=n) as opened:
        r = opened.release(ln.MeanAbsoluteError("y", "p", bounds=ln.PrivateBounds()), epsilon=10**6)
    assert abs(r.value - 1) < 0.1


INTERVALS: list[Callable[[], Any]] = [
    lambda: ln.QuantileInterval("y", q="0.4", bounds=BOUNDS),
    lambda: ln.QuantileInterval("k", bounds=(-20, 60), missing="none"),
    lambda: ln.QuantileInterval("p", bounds=(-50, 500), resolution=7),
    lambda: ln.QuantileInterval("whole", bounds=(10**6, 10**6 + 5)),
]


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("make", INTERVALS)
def test_intervals_see_the_same_counts(make: Callable[[], Any], engine: str) -> None:
    """Records are only told apart as far as the candidates do: the same law at every bit."""
    statistic = make()
    held = on_engine(engine, DATA)
    prepared = plan(statistic, held, "add-remove", None)
    request = prepared.request
    cuts = statistic.candidates(request.lattice)
    expected, found = (
        plan(statistic, d, "add-remove", None).table.reader().between(request, cuts)
        for d in (DATA, held)
    )
    assert found.n == expected.n
    here, there = (s.runs[0].values for s in (expected, found))
    for cut in (*cuts[:40], *cuts[-40:]):
        for side in (bisect_left, bisect_right):
            assert side(there, cut) == side(here, cut)
    for seed in range(5):
        values: list[Any] = []
        for data in (DATA, held):
            with simulate(seed):
                values.append(ln.release(statistic, data, epsilon=1).value)
        assert values[0] == values[1]


BESIDE: list[Any] = [
    ln.Median("y", bounds=BOUNDS),
    ln.Quantile("y", q="0.9", bounds=BOUNDS),
    ln.Minimum("y", bounds=BOUNDS),
    ln.Maximum("y", bounds=BOUNDS),
    ln.InterquartileRange("y", bounds=BOUNDS),
    ln.QuantileRatio("y", bounds=(1, 100)),
    ln.Mean("y", bounds=BOUNDS),
    ln.Mean("y", bounds=(0, 10**6)),
    ln.Sum("y", bounds=(0, 10**6)),
    ln.Variance("y", bounds=BOUNDS),
    ln.StandardDeviation("y", bounds=(0, 10**6)),
    ln.Count("y"),
    ln.MeanAbsoluteError("y", "p", bounds=BOUNDS),
    ln.RootMeanSquaredError("y", "p", bounds=BOUNDS),
    ln.CrossEntropy("label", "chance", labels=[0, 1], loss_bound=10),
    ln.R2("y", "p", bounds=BOUNDS),
    ln.RocAuc("label", "y", labels=[0, 1]),
]


@pytest.mark.share(1 / 8)
@pytest.mark.parametrize("statistic", BESIDE, ids=repr)
def test_intervals_beside_a_value_are_the_same(statistic: Any, engine: str) -> None:
    """Of all rows, and of two groups whose difference has one too."""
    found: list[Any] = []
    asked = ln.WithInterval(statistic, simultaneous=True)
    for data in (DATA, on_engine(engine, DATA)):
        with simulate("beside"), ln.open(data) as opened:
            whole = opened.release(asked, epsilon=4)
            groups = opened.group_by({"said": ["a", "c"]}).release(asked, epsilon=4)
        gap = groups["a"].difference(groups["c"])
        for one in (whole, *groups.values(), gap):
            assert one.interval[0] <= one.value <= one.interval[1]
        ends = [each.interval for each in groups.values()]
        found.append((whole.value, whole.interval, *ends, gap.interval))
    assert found[0] == found[1]


def test_an_interval_of_a_mean_of_the_population_is_the_same(engine: str) -> None:
    found: list[Any] = []
    asked = ln.WithInterval(ln.Mean("y", bounds=BOUNDS), of="population")
    for data in (DATA, on_engine(engine, DATA)):
        with simulate("population"):
            release = ln.release(asked, data, epsilon=1)
        found.append((release.value, release.interval))
    assert found[0] == found[1]


@pytest.mark.parametrize("held", [1 << 27, 0], ids=["in memory", "by queries"])
@pytest.mark.parametrize("kind", ["hugeint", "uhugeint"])
def test_persons_of_128_bits_are_described_by_their_digits(
    kind: str, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As doubles they would be a few persons, and one row less would change one of those."""
    monkeypatch.setattr("leastnoise.frames.engines.table._HELD", held)
    connection = optional("duckdb").connect()
    connection.execute(f"CREATE TABLE t (p {kind}, v BIGINT)")
    first = 1 << 60
    connection.execute(f"INSERT INTO t SELECT {first} + i // 3, i % 7 FROM range(300) s(i)")
    asked: dict[str, Any] = {"relation": "add-remove", "unit": "p", "max_rows": 5}
    with simulate(2), ln.open(connection.table("t"), **asked) as data:
        text = " ".join(str(data.describe(epsilon=1000)).split())
    assert "persons 100 " in text
    assert "rows a person 3, 3, 3 " in text
