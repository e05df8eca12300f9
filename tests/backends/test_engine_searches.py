"""Releases in several steps on engines: each step asks the engine, and no column crosses."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.frames.engines import (
    LazyTable,
    passes,
    reader,
    summarise,
    table,
    weighted,
    windows,
)
from leastnoise.frames.engines.edges import first_doubles, rows_below
from leastnoise.frames.memory.counting import counts_of
from leastnoise.frames.memory.numbers import SortedNumbers, raw_numbers
from leastnoise.frames.readers.open import open_table
from leastnoise.mechanisms.bracket import bracket_heights
from leastnoise.mechanisms.joint import tie_breaking
from leastnoise.session.search.float_index import FloatIndex
from leastnoise.summaries.lattice import Lattice, choose_lattice
from leastnoise.testing import simulate
from support.engines import ENGINES, ROOMS, on_engine
from support.optional import optional

pa = optional("pyarrow")

RANDOM = np.random.default_rng(23)
N = 600
GAPS = [None, math.nan, math.inf, -math.inf, -0.0, 0.0, 1e300, -5e-324, 2.0**-41, 2.0**60, -0.75]
WIDE = [2**63 - 1, -(2**63), 2**53 + 1, None, 0]


def mixed(centre: float) -> list[Any]:
    values = RANDOM.normal(centre, 20, N - len(GAPS)).tolist()
    return [*values, *RANDOM.permutation(np.array(GAPS, dtype=object)).tolist()]


DATA = pa.table(
    {
        "y": pa.array(mixed(40), pa.float64()),
        "p": pa.array(mixed(45), pa.float64()),
        "k": pa.array([None, *RANDOM.integers(-40, 90, N - 1).tolist()]),
        "whole": pa.array(RANDOM.integers(-40, 90, N).tolist(), pa.int16()),
        "single": pa.array(RANDOM.choice([0.1, 0.2, 1.0, math.nan], N), pa.float32()),
        "wide": pa.array([*WIDE, *RANDOM.integers(-(10**6), 10**6, N - len(WIDE)).tolist()]),
        "spread": pa.array(RANDOM.choice([-1, 1], N) * 10.0 ** RANDOM.uniform(-20, 25, N)),
        "label": pa.array(RANDOM.integers(0, 2, N).tolist()),
        "chance": pa.array([None, *RANDOM.random(N - 1).tolist()]),
    }
)
BOUNDS = (0, 100)
SEVEN = [Fraction(i, 8) for i in range(1, 8)]
TWENTY = [Fraction(i, 21) for i in range(1, 21)]
P = ln.PrivateBounds()
STATISTICS: dict[str, Callable[[], Any]] = {
    "quantiles": lambda: ln.Quantiles("y", q=SEVEN, bounds=BOUNDS),
    "quantiles of few values": lambda: ln.Quantiles("single", q=SEVEN, bounds=(0, 1), step="0.1"),
    "quantiles of integers": lambda: ln.Quantiles("k", q=SEVEN, bounds=(-30, 60), missing="none"),
    "quantiles, imputed": lambda: ln.Quantiles("y", q=SEVEN, bounds=BOUNDS, missing=7),
    "quantiles, wide": lambda: ln.Quantiles("wide", q=SEVEN, bounds=(-(2**63), 2**63 - 1)),
    "quantiles far off": lambda: ln.Quantiles("y", q=SEVEN, bounds=(10**9, 10**9 + 7)),
    "quantiles beyond the type": lambda: ln.Quantiles("whole", q=SEVEN, bounds=(-(2**70), 2**70)),
    "many quantiles": lambda: ln.Quantiles("y", q=TWENTY, bounds=BOUNDS),
    "many quantiles of integers": lambda: ln.Quantiles("k", q=TWENTY, bounds=(-30, 60), missing=3),
    "many quantiles beyond the type": lambda: ln.Quantiles(
        "whole", q=TWENTY, bounds=(-(2**70), 2**70), missing="none"
    ),
    "a mean": lambda: ln.Mean("y", bounds=P),
    "a mean, imputed": lambda: ln.Mean("k", bounds=P, missing=3),
    "a sum": lambda: ln.Sum("whole", bounds=P),
    "a variance": lambda: ln.Variance("y", bounds=P),
    "a deviation": lambda: ln.StandardDeviation("wide", bounds=P),
    "a range": lambda: ln.InterquartileRange("p", bounds=P),
    "a median": lambda: ln.Median("y", bounds=P),
    "a median of wide numbers": lambda: ln.Median("wide", bounds=P),
    "an extreme": lambda: ln.Quantile("y", q="0.001", bounds=P),
    "an extreme of spread numbers": lambda: ln.Quantile("spread", q="0.999", bounds=P),
    "weights": lambda: ln.WeightedQuantile("y", "chance", q="0.3", bounds=BOUNDS, largest=1),
    "weights of few values": lambda: ln.WeightedQuantile(
        "label", "p", q="0.5", bounds=(0, 3), largest=60
    ),
    "weights of integers": lambda: ln.WeightedQuantile(
        "wide", "whole", q="1/7", bounds=(-(10**6), 2**63 - 1), largest=7
    ),
    "weights, outside": lambda: ln.WeightedQuantile("k", "y", q=1, bounds=(-900, -800), largest=90),
    "weights of hardly any row": lambda: ln.WeightedQuantile(
        "y", "spread", q="0.9", bounds=BOUNDS, largest=1e20
    ),
    "a loss": lambda: ln.MeanAbsoluteError("y", "p", bounds=P),
    "a squared loss": lambda: ln.RootMeanSquaredError("y", "k", bounds=P, missing=7),
    "an entropy": lambda: ln.CrossEntropy("label", "chance", labels=[0, 1], loss_bound=P),
}
TRIMMED: dict[str, Callable[[], Any]] = {
    "trimmed": lambda: ln.TrimmedMeanVector(["y", "p"], bounds=[BOUNDS, (-9, 60)], missing=7),
    "trimmed, untrimmed": lambda: ln.TrimmedMeanVector(
        ["whole", "k"], bounds=[(-20, 70), (-20, 70)], trim=0, missing=1
    ),
    "trimmed to the middle": lambda: ln.TrimmedMeanVector(
        ["label", "single", "wide"], bounds=[(0, 3), (0, 1), (-1000, 10**7)], trim="0.49",
        missing="none",
    ),
    "trimmed far off": lambda: ln.TrimmedMeanVector(
        ["y", "whole"], bounds=[(10**9, 10**9 + 7), (50, 10**6)], missing="none"
    ),
}  # fmt: skip


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def narrow(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits so low that brackets and batches are used on some hundred rows."""
    monkeypatch.setattr(tie_breaking, "FEW", 5)
    if engine == "spark":  # every narrowing is one more job
        monkeypatch.setattr(weighted, "FEW", 60)
        return
    monkeypatch.setattr(weighted, "_AT_ONCE", 700)
    for module in (*ROOMS, passes, windows, summarise, weighted):
        for name, value in (("SMALL", 20), ("FEW", 60), ("_SAMPLE", 40), ("_BATCH", 64)):
            monkeypatch.setattr(module, name, value, raising=False)


def refuse(*_: Any, **__: Any) -> Any:
    raise AssertionError("a whole column was read")


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No column is read whole."""
    for name in ("column", "text_codes", "text_ids"):
        monkeypatch.setattr(table.LazyTable, name, refuse)
    monkeypatch.setattr(reader, "held", refuse)


def relations(name: str, engine: str) -> tuple[str, ...]:
    if name in TRIMMED:  # the number of rows must be public
        return ("replace-one",)
    return ("add-remove",) if engine == "spark" else ("add-remove", "replace-one")


@pytest.mark.usefixtures("narrow", "bounded")
@pytest.mark.parametrize("name", list(STATISTICS | TRIMMED))
def test_releases_are_those_of_memory(name: str, engine: str) -> None:
    held = on_engine(engine, DATA)
    # weights are compared with as many sums as epsilon asks for: Spark takes long to plan them
    small = Fraction(10 if name.startswith("weights") and engine == "spark" else 1)
    for epsilon in (small,) if engine == "spark" else (small / 2, Fraction(30)):
        for relation in relations(name, engine):
            found: list[Any] = []
            for data in (DATA, held):
                with simulate(f"{name} {epsilon}"):
                    statistic = (STATISTICS | TRIMMED)[name]()
                    found.append(ln.release(statistic, data, epsilon=epsilon, relation=relation))
            assert found[1].value == found[0].value
            assert found[1].parts == found[0].parts


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_groups_and_persons(engine: str, relation: str) -> None:
    region = pa.array([None, *RANDOM.integers(0, 3, N - 1).tolist()])
    held = on_engine(engine, DATA.append_column("region", region))
    many = [Fraction(i, 8) for i in range(1, 8)]
    with ln.open(held, relation=relation) as data:
        groups = data.group_by({"region": [0, 1, 7]})
        for statistic in (ln.Quantiles("y", q=many, bounds=BOUNDS), ln.Mean("y", bounds=P)):
            assert len(groups.release(statistic, epsilon=1)) == 3


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("name", list(STATISTICS | TRIMMED))
def test_tables_of_hardly_any_rows(name: str, engine: str, rows: int) -> None:
    few = DATA.slice(0, rows)
    found: list[Any] = []
    for data in (few, on_engine(engine, few)):
        with simulate("few"):
            statistic = (STATISTICS | TRIMMED)[name]()
            found.append(ln.release(statistic, data, epsilon=2, relation="replace-one").value)
    assert found[0] == found[1]


def test_numbers_are_counted_on_both_sides_of_a_cut(engine: str) -> None:
    cuts = np.array([-0.75, 0, 2.0**-41, 2.0**60, 1, 40, -40, 2.0**-30, 50, 0.7, 1e200])
    names = ("y",) if engine == "spark" else ("y", "k", "spread", "wide")
    held = open_table(on_engine(engine, DATA))
    for name in names:
        here, there = (raw_numbers(t, name, None) for t in (open_table(DATA), held))
        assert isinstance(here, SortedNumbers)
        assert len(here) == len(there)
        assert bracket_heights(there) == bracket_heights(here)
        for some in (cuts, cuts[:5]):
            for one, other in zip(here.counts(some), there.counts(some), strict=True):
                assert other.tolist() == one.tolist()
        for index in (FloatIndex(7), FloatIndex(2), FloatIndex(20)):
            expected = here.indexed(index)[0 : len(here)]
            assert list(there.indexed(index)[0 : len(there)]) == list(expected)
        lattice = Lattice(Fraction(1, 2), -100, 300)
        places = here.placed(lattice)[0 : len(here)]
        assert list(there.placed(lattice)[0 : len(there)]) == list(places)
        assert there.centred_sums(20.0, 0.001) == here.centred_sums(20.0, 0.001)
        passing = counts_of([here.ordered[::-2], here.ordered[-2::-2]], cuts)
        for one, other in zip(here.counts(cuts), passing, strict=True):
            assert other.tolist() == one.tolist()


def test_every_row_is_counted_between_any_number_of_edges(engine: str) -> None:
    held = open_table(on_engine(engine, pa.table({"x": [1, 2, 3]})))
    assert isinstance(held, LazyTable)
    frame = held.frame.rename({held.find("x"): "x"})
    for edges in ([], [2], [0, 2, 9]):
        below = [sum(x < edge for x in (1, 2, 3)) for edge in edges]
        assert rows_below(held.engine, frame, edges) == (below, 3)


@pytest.mark.parametrize(
    "lattice",
    [
        choose_lattice((Fraction(0), Fraction(100)), purpose="order", integer_column=False, step=s)
        for s in (None, Fraction(1, 3), Fraction(1), Fraction(1, 10))
    ]
    + [
        choose_lattice(
            (Fraction(10**30), Fraction(10**30 + 10**20)),
            purpose="order",
            integer_column=False,
            step=None,
        )
    ],
)
def test_lattice_points_begin_at_the_first_double_that_is_rounded_to_them(lattice: Lattice) -> None:
    points = sorted({lattice.low + 1, lattice.middle, lattice.high, lattice.low + 7})
    found = np.array(first_doubles(lattice, points))
    before = np.nextafter(found, -np.inf)
    for point, at, below in zip(points, found, before, strict=True):
        assert int(lattice.quantise(np.array([at]))[0]) >= point
        assert int(lattice.quantise(np.array([below]))[0]) < point
