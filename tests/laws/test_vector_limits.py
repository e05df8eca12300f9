"""Limits of the columns of a vector: their joint law by enumeration, their price, and their use."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil
from typing import Any

import numpy as np
import polars as pl
import pytest

import leastnoise as ln
from leastnoise import PureDP, audit
from leastnoise.audit.scripted import (
    Certain,
    Dataset,
    ScriptedColumns,
    clamped_masses,
    sorted_numbers,
)
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.mechanisms import private_limits
from leastnoise.mechanisms.cone_laplace import ConeLaplace
from leastnoise.mechanisms.k_norm import KNorm
from leastnoise.randomness import active
from leastnoise.session.search import columns, limits, vectors
from leastnoise.session.search.columns import SearchedColumn
from leastnoise.session.search.limits import Draws, Limits
from leastnoise.session.search.vectors import VectorSearch
from leastnoise.summaries.lattice import Lattice, choose_lattice
from leastnoise.testing import simulate
from support.engines import on_engine

EPSILON = Fraction(1)
RELATIONS = ("replace-one", "add-remove", "edit")
SOON = ln.PrivateLimits(fewest="1e-9")
PAIRS = ((0, 0), (2, 2), (None, 2))
FACTS = SearchedColumn("x", (Fraction(0), Fraction(20)), 4.0)


def searched(degree: int, relation: str, *names: str) -> VectorSearch:
    columns = tuple(SearchedColumn(name, FACTS.declared, FACTS.finest) for name in names)
    return VectorSearch(columns, frozenset(), degree, relation, SOON)


@lru_cache(maxsize=4096)
def column_law(
    values: Dataset, degree: int, relation: str, rows: int | None, epsilon: Fraction
) -> list[tuple[Limits, Certain]]:
    """The limits of one column and what they cost, by every path of its search."""
    found: dict[tuple[Any, ...], tuple[Limits, Certain]] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = ScriptedColumns(waiting.pop())
        search = searched(degree, relation, "x")
        one = search._column(FACTS, sorted_numbers(values), rows, epsilon, draws)
        waiting += draws.others
        same = one.low, one.high, one.cost
        before = found[same][1] if same in found else (Fraction(0), Fraction(0))
        found[same] = one, (before[0] + draws.mass[0], before[1] + draws.mass[1])
    return list(found.values())


def vector_law(data: Dataset, degree: int, relation: str) -> audit.Probabilities:
    """The limits of two columns, and a noisy sum of what is clipped to them."""
    rows = np.array(data, dtype=np.float64).reshape(len(data), 2)
    held = {
        name: tuple(int(x) for x in column if not np.isnan(x))
        for name, column in zip("xy", rows.T, strict=True)
    }
    public = len(data) if relation == "replace-one" else None
    found: dict[Hashable, Certain] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = ScriptedColumns(waiting.pop())
        released = searched(degree, relation, "x", "y").run(
            lambda name: held[name],  # pyright: ignore[reportArgumentType]
            public,
            EPSILON,
            draws,
        )
        waiting += draws.others
        tops = [ceil(high) for _, high in released.bounds]
        cut = np.minimum(np.nan_to_num(rows), tops)
        sums, width = (cut[:, 1], tops[1]) if degree == 1 else (cut.prod(axis=1), tops[0] * tops[1])
        rate = (EPSILON - released.cost) / width
        for answer, (a, b) in clamped_masses(int(sums.sum()), rate, 0, 1).items():
            place = released.bounds, released.cost, answer
            low, high = found.get(place, (Fraction(0), Fraction(0)))
            found[place] = low + draws.mass[0] * a, high + draws.mass[1] * b
    return audit.Probabilities(found)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches of a single row, with two radii to walk through and to choose from."""
    monkeypatch.setattr(private_limits, "_ROWS", 0)

    def two(first: int, *more: int) -> Any:
        return np.array([first, max(first + 1, int(more[-1]) - 1)])

    def last(first: int, inner: int, outer: int, end: int, records: Fraction) -> Any:
        return two(first, end)

    monkeypatch.setattr(limits, "inner_keys", two)
    monkeypatch.setattr(limits, "outer_keys", two)
    monkeypatch.setattr(limits, "last_keys", last)
    monkeypatch.setattr("leastnoise.session.search.columns.outer_keys", two)
    monkeypatch.setattr("leastnoise.session.search.columns._WALKED", 40)

    def told(
        self: VectorSearch,
        column: SearchedColumn,
        numbers: Any,
        rows: Any,
        epsilon: Any,
        draws: Any,
    ) -> Limits:
        known = column_law(numbers, self.degree, self.relation, rows, epsilon)
        return known[draws._choice([mass for _, mass in known])][0]

    own = VectorSearch._column

    def either(self: VectorSearch, *given: Any) -> Limits:
        return (told if isinstance(given[1], tuple) else own)(self, *given)

    column_law.cache_clear()
    monkeypatch.setattr(VectorSearch, "_column", either)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_limits_of_two_columns_and_a_sum_together(relation: str, degree: int) -> None:
    found = audit.exact_law(
        lambda data: vector_law(data, degree, relation),
        universe=PAIRS, n=1, relation=relation, claim=PureDP(EPSILON),
    )  # fmt: skip
    assert found.passed
    assert found.lo > EPSILON * 3 / 10  # much of epsilon is lost somewhere


def table(n: int = 3000, missing: bool = False) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    x, y = rng.normal(40, 12, n), np.exp(rng.normal(10, 0.5, n))
    if missing:
        x[::3] = np.nan
    return {"x": x, "y": y, "id": np.arange(n) // 2, "g": np.arange(n) % 2}


WIDE: dict[str, Any] = {"columns": ["x", "y"], "bounds": [(-(10**9), 10**9)] * 2}
KINDS = (ln.MeanVector, ln.MomentVector, ln.Covariance, ln.Correlation)


def released(statistic: Any, data: Any = None, seed: object = "v", **more: Any) -> ln.Release:
    options: dict[str, Any] = {"epsilon": 1, "missing": "none", **more}
    with simulate(seed):
        return ln.release(statistic, table() if data is None else data, **options)


def parts(record: ln.Release) -> dict[str, Fraction]:
    return {name: Fraction(part) for name, part in record.parts.items()}


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_limits_leave_is_what_the_vector_gets(
    kind: Any, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise is drawn at the rate of the rest of epsilon, and the record says so."""
    rates: list[Fraction] = []
    for mechanism in (KNorm, ConeLaplace):
        own = mechanism.law

        def law(self: Any, profile: Any, epsilon: Any, own: Any = own) -> Any:
            rates.append(Fraction(epsilon))
            return own(self, profile, epsilon)

        monkeypatch.setattr(mechanism, "law", law)
    for persons in ({}, {"unit": "id", "max_rows": 2}):
        rates.clear()
        # of 3,000 rows a person's share finds no limits in three of ten releases
        record = released(kind(**WIDE), table(8000), relation=relation, **persons)
        spent, rows = parts(record), 2 if persons else 1
        answer = sum(part for name, part in spent.items() if name.startswith("answer, "))
        assert sum(spent.values()) * rows == EPSILON
        assert rates[-1] == answer < EPSILON
        assert len(spent) == 3
        for low, high in record.bounds or ():
            assert -(10**6) < low < high < 10**6


def test_every_column_has_limits_of_its_own() -> None:
    record = released(ln.MeanVector(["y", "x"], bounds={"x": (0, 10**9), "y": (0, 10**8)}))
    (_, most), (_, least) = record.bounds or ((), ())
    assert 60 < least < 200 < 10_000 < most < 10**6
    again = ln.Release.from_json(record.to_json())
    assert again.bounds == record.bounds


@pytest.mark.parametrize("degree", [1, 2])
def test_every_question_of_a_column_is_paid_for(
    degree: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Fraction] = []

    def priced(own: Any, place: int) -> Any:
        def call(*given: Any) -> Any:
            asked.append(given[place])
            return own(*given)

        return call

    for module in (limits, columns):
        monkeypatch.setattr(module, "inner_split", priced(module.inner_split, 0))
        monkeypatch.setattr(module, "radius_costs", priced(module.radius_costs, 2))
    for name in ("rows", "median"):
        monkeypatch.setattr(Draws, name, priced(getattr(Draws, name), 2))
    numbers = sorted_numbers(tuple(range(-500, 1500)))
    wide = SearchedColumn("x", (-Fraction(10**6), Fraction(10**6)))
    search = VectorSearch((wide,), frozenset(), degree, "edit", ln.PrivateLimits())
    with simulate("paid"):
        found = search.run(lambda _: numbers, None, EPSILON, Draws(active()))
    assert sum(asked) == found.cost < EPSILON
    assert len(asked) >= 5  # rows, centre, one radius or two, and both sides


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind", [ln.MeanVector, ln.Covariance])
def test_exact_rows_steer_nothing_where_they_are_private(
    kind: Any, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shares, ranks and the rule for few rows hang on the public number of rows or a noisy one."""
    seen: set[Fraction] = set()
    few = ln.PrivateLimits.few

    def asked(self: ln.PrivateLimits, rows: int, epsilon: Fraction) -> bool:
        seen.add(Fraction(rows))
        return few(self, rows, epsilon)

    def shares(records: Fraction, *given: Any, own: Any, **more: Any) -> Any:
        seen.add(records)
        return own(records, *given, **more)

    monkeypatch.setattr(ln.PrivateLimits, "few", asked)
    for module, name in ((limits, "centre_share"), (columns, "column_shares")):
        monkeypatch.setattr(module, name, partial(shares, own=getattr(module, name)))
    for seed in range(5):
        released(kind(**WIDE), seed=seed, relation=relation)
    assert (len(seen) == 2) == (relation == "replace-one")
    assert len(seen) == 2 or len(seen) > 15


@pytest.mark.parametrize("kind", [ln.MeanVector, ln.Covariance])
@pytest.mark.parametrize("missing", ["none", "drop", 7])
def test_missing_entries_have_no_part_in_limits(
    kind: Any, missing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are left out, or count as the number that stands for them; a row may come or go."""
    asked: list[tuple[int, str]] = []
    median = Draws.median

    def seen(self: Draws, numbers: Any, epsilon: Fraction, relation: str) -> Fraction:
        asked.append((len(numbers), relation))
        return median(self, numbers, epsilon, relation)

    monkeypatch.setattr(Draws, "median", seen)
    for relation in RELATIONS:
        asked.clear()
        record = released(kind(**WIDE), table(missing=True), missing=missing, relation=relation)
        entries = "add-remove" if relation == "add-remove" else "edit"
        assert asked == [(3000 if missing == 7 else 2000, entries), (3000, entries)]
        assert (record.bounds or ((0, 0),))[0][1] < 200


def test_a_number_for_missing_entries_counts_as_the_nearest_limit() -> None:
    data = table(missing=True)
    record = released(ln.MeanVector(**WIDE), data, missing=10**8, epsilon=10**6)
    (low, high), _ = record.bounds or ((0, 0), (0, 0))
    cut = np.clip(np.where(np.isnan(data["x"]), 1e8, data["x"]), low, high)
    assert record.value[0] == pytest.approx(cut.mean(), rel=1e-3)


@pytest.mark.parametrize("where", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("kind", [ln.MeanVector, ln.Covariance])
def test_engines_find_the_limits_that_memory_finds(kind: Any, where: str) -> None:
    frame = pl.DataFrame(table(missing=True)).with_columns(pl.col("x").fill_nan(None))
    for missing in ("drop", 7):
        here = released(kind(**WIDE), frame, missing=missing)
        there = released(kind(**WIDE), on_engine(where, frame.to_arrow()), missing=missing)
        assert here.mechanism == "PrivateLimits()"
        assert there.to_dict() == here.to_dict()


@pytest.mark.parametrize("where", ["memory", "polars lazy", "duckdb"])
def test_groups_have_limits_in_common(where: str) -> None:
    frame = pl.DataFrame(table())
    held = frame if where == "memory" else on_engine(where, frame.to_arrow())
    with simulate("groups"), ln.open(held, relation="add-remove") as data:
        asked = data.group_by({"g": [0, 1, 2]})
        found = asked.release(ln.MeanVector(missing="none", **WIDE), epsilon=1)
    records = [found[key] for key in (0, 1, 2)]
    assert len({record.bounds for record in records}) == 1
    assert all(sum(parts(record).values()) == EPSILON for record in records)
    assert all(len(record.parts) == 3 for record in records)


def test_few_rows_and_columns_of_few_values_keep_their_bounds() -> None:
    few = {name: column[:150] for name, column in table().items()}
    assert released(ln.MeanVector(**WIDE), few).mechanism == "KNorm('linf')"
    assert parts(released(ln.MeanVector(**WIDE), few, relation="edit")).keys() == {
        "limits of column x", "limits of column y", "answer, KNorm('linf')",
    }  # fmt: skip
    steps = {name: np.round(column * 4) / 4 for name, column in table().items()}
    quarters = ln.MeanVector(["x", "y"], bounds=[(0, 30), (0, 30)], step="1/4")
    assert released(quarters, steps).parts == {}
    small = {"x": np.arange(3000) % 90, "y": np.arange(3000) % 2 * 1.0}
    kept = ln.Covariance(["x", "y"], bounds=[(0, 150), (0, 1)])
    assert released(kept, small).parts == {}
    held = ln.Covariance(["x", "y"], bounds=[(0, 10**6), (0, 1)], exclusive=[["y"]])
    assert (released(held, small).bounds or ())[1] == (0, 1)


@pytest.mark.parametrize("relation", RELATIONS)
def test_means_of_few_rows_find_near_limits(relation: str) -> None:
    """As a scalar mean does; a noisy number of rows never keeps loose bounds."""
    few = {name: column[:1200] for name, column in table().items() if name in "xy"}
    truth = [column.mean() for column in few.values()]
    drawn = [released(ln.MeanVector(**WIDE), few, i, relation=relation) for i in range(9)]
    assert all(record.limits for record in drawn)
    errors = np.abs([np.subtract(record.value, truth) for record in drawn])
    noise = np.ptp([*few.values()], axis=1) * 2 / 1200  # for each column's own range
    noise *= 1 if relation == "replace-one" else 2  # beside a count
    assert (np.median(errors, axis=0) < 6 * noise).all()


@pytest.mark.parametrize("bounds", [(-4e307, 4e307), (0, 1e-290), (1e15, 1e15 + 2)])
@pytest.mark.parametrize("step", [None, "1/8"])
def test_every_table_and_all_bounds_give_finite_answers(bounds: Any, step: Any) -> None:
    if bounds[1] in (1e-290, 4e307):
        step = None  # no lattice of this one
    rng = np.random.default_rng(2)
    for x in (rng.normal(0, 1, 2000), np.full(2000, 1e300), np.full(2000, np.nan), np.zeros(0)):
        data = {"x": x, "y": -x}
        for kind in KINDS[:2]:
            record = released(kind(["x", "y"], bounds=[bounds] * 2, step=step), data)
            assert np.isfinite(
                record.value if kind is ln.MeanVector else record.value["sums"]
            ).all()


@pytest.mark.parametrize("low", [-5, 0, 2**53 - 3, 2**60])
@pytest.mark.parametrize("step", ["1", "1/8", "1000"])
def test_nearer_limits_are_points_of_the_lattice(low: int, step: str) -> None:
    ends = Fraction(low), Fraction(low + 2**40)
    whole = choose_lattice(ends, purpose="vector", integer_column=False, step=Fraction(step))
    for a, b in ((0, 0), (0.3, 0.4), (10**6, 10**7), (2**40, 2**40)):
        near = whole.within(low + Fraction(a), low + Fraction(b))
        assert whole.low <= near.low < near.high <= whole.high
        for end in (near.low - near.base, near.high - near.base):
            assert Fraction(float(end)) == end
        assert near.low * near.step <= max(low + Fraction(a), whole.low * whole.step)
        assert near.high * near.step >= min(low + Fraction(b), whole.high * whole.step)
    assert Lattice(Fraction(1), 0, 9).within(Fraction(9), Fraction(9)) == Lattice(Fraction(1), 8, 9)


@pytest.mark.parametrize(
    "statistic",
    [
        ln.RecordSum(lambda r: (r[0],), bounds=[(0, 1)], box=[(0, 1)]),
        ln.RecordSum(lambda r: (r[0],), bounds=[(0, 1)] * 2, box=[(0, 1)]),
        ln.RecordSum(lambda r: (r[0],) * 3, bounds=[(0, 1)], box=[(0, 1)] * 3),
        ln.TrimmedMeanVector(bounds=[(0, 1)]),
    ],
)
def test_other_vectors_are_refused(statistic: Any) -> None:
    rows = [[1.0] * len(statistic.bounds)] * 9
    with pytest.raises((ParameterError, ParameterTypeError), match="PrivateLimits"):
        ln.release(statistic, rows, epsilon=1, mechanism=SOON, missing="none")


def test_bounds_that_fit_cost_little_and_loose_ones_hardly_more() -> None:
    """The error in bounds a million times too wide is near that in bounds that fit."""
    data, errors = table(20_000), {}
    truth = [float(data[name].mean()) for name in "xy"]
    for loose in (1, 10**6):
        asked = ln.MeanVector(["x", "y"], bounds=[(0, 100 * loose), (0, 10**5 * loose)])
        found = [released(asked, data, seed=i).value for i in range(8)]
        errors[loose] = np.abs(np.array(found) - truth).mean(axis=0)
    assert (errors[10**6] < 4 * errors[1] + 1e-9).all()
    assert vectors.MANY == 4000
