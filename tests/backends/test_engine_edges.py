"""Tables at the edge: repeated names, groups without rows, numbers at the ends of their types."""

from __future__ import annotations

import warnings
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ColumnTypeError, LeastNoiseError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.session.prepare import plan
from leastnoise.summaries.spec import SpreadRequest
from leastnoise.summaries.spread import SpreadSummary
from leastnoise.summaries.subset import Subset
from support.engines import ENGINES, keep_open, on_engine, spark
from support.optional import optional

pa = optional("pyarrow")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


QUERY = "SELECT i AS id, 1000 + i AS pay, i AS id, i % 5 AS person, 'a' || i AS t FROM rows"


def joined(engine: str) -> Any:
    """A table whose first name is repeated, as a join leaves it."""
    if engine == "duckdb":
        connection = keep_open(optional("duckdb").connect())
        connection.execute("CREATE TABLE rows AS SELECT i FROM range(1000) AS t(i)")
        return connection.sql(QUERY)
    session = spark()
    session.range(1000).withColumnRenamed("id", "i").createOrReplaceTempView("rows")
    return session.sql(QUERY.replace("'a' || i", "concat('a', i)"))


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_columns_behind_a_repeated_name_are_their_own(engine: str) -> None:
    table = joined(engine)
    assert open_table(table).column_names() == ("id", "pay", "id", "person", "t")
    huge = 10**7
    assert ln.release(ln.Mean("pay", bounds=(0, 3000)), table, epsilon=huge).value == (
        pytest.approx(1499.5, abs=0.01)
    )
    assert ln.release(ln.Maximum("person", bounds=(0, 3000)), table, epsilon=huge).value == 4
    with ln.open(table, unit="person", max_rows=2) as data:
        assert data.release(ln.Count(), epsilon=huge).value == 10
    with ln.open(table) as data:
        assert data.where(ln.col("t") == "a7").release(ln.Count(), epsilon=huge).value == 1
        with pytest.raises(SchemaError, match="id"):
            data.release(ln.Mean("id", bounds=(0, 3000)), epsilon=1)


GROUPED = [
    ln.Median("v", bounds=(0, 10)),
    ln.Mean("v", bounds=(0, 10)),
    ln.Sum("v", bounds=(0, 10)),
    ln.Variance("v", bounds=(0, 10)),
    ln.Count("v"),
    ln.CountDistinct("v"),
    ln.Histogram("v", bins=[0, 5, 10]),
]


@pytest.mark.parametrize("rows", [[], [(9, 1.0)], [(2, 3.0)]])
def test_groups_that_are_all_empty(engine: str, rows: list[tuple[int, float]]) -> None:
    table = pa.table(
        {
            "g": pa.array([g for g, _ in rows], pa.int64()),
            "v": pa.array([v for _, v in rows], pa.float64()),
        }
    )
    subset = Subset().grouped({"g": [1, 2]}, None)
    held = on_engine(engine, table)
    slow = engine == "spark"  # the same expressions: one statistic of each kind, one depth
    for i, statistic in enumerate(GROUPED[::3] if slow else GROUPED):
        for depth in (5,) if slow else ((0, 5), (5, None), (None, 0))[i % 3]:
            found: list[list[Any]] = []
            for data in (table, held):
                made = plan(statistic, data, "add-remove", None, subset=subset)
                parts = split(made.table, subset, active())
                found.append([part.summarise(made.request, depth) for part in parts])
            assert found[0] == found[1], (statistic, depth)


U, S, B = pa.uint64(), pa.int16(), 2**63

IMPUTED: list[tuple[Any, list[Any], Any]] = [
    (U, [1, 2, None, 4, 5], ((-10, 100), -5)),
    (U, [1, 2, None, B + 3, 5], ((-10, 100), -5)),
    (U, [1, 2, 4, 5], ((-10, 100), -5)),
    (U, [], ((-10, 100), -5)),
    (U, [None, 2, B + 7, 2**53 + 1], ((-10, 100), "none")),
    (U, [None, 2, B + 7, 2**53 + 1], ((-(2**40), 100), "none")),
    (U, [None, 2, B + 7, 2**53 + 1], ((0, 2**64 - 1), B + 1)),
    (U, [None, 2, B + 7, 2**64 - 1], ((-1, 2**64 - 1), "none")),
    (U, [None, 2, B + 7, 2**64 - 1], ((-1, 2**64 - 1), -1)),
    (U, [None, 2, B + 7, B + 20], ((B + 1, B + 9), "none")),
    (S, [None, 2, -9, 300], ((0, 2**64), "none")),
    (S, [2, -9, 300], ((0, 2**64), "none")),
    (S, [None, 2, -9, 300], ((0, 2**64), 5)),
    (S, [None, 2, -9, 300], ((0, 2**40), 2**33)),
    (S, [None, 2, -9, 300, -7, -8, -9, 4, 5], ((0, 100), 50)),
    (S, [None, 2, -9, 300, None, -8, -9, 4, 5], ((0, 100), "none")),
    (pa.int64(), [None, 2, -(2**60), B - 1], ((-(2**64), 2**64), "none")),
    (pa.int64(), [None, 2, -(2**60), B - 1], ((-(2**64), 2**64), -(2**64))),
    (pa.int64(), [None, 2, -5], ((-(2**64), 100), -(2**64))),
    (S, [None, 2, 300], ((0, B), B)),
    (S, [None, 2, 300], ((0, B + 2**20), B + 2**10)),
    (pa.bool_(), [True, None, False], ((-3, 9), 5)),
    (pa.float64(), [None, 0.5], ((0, 1), 0.3)),
    (pa.float64(), [None, None, 0.25, float("nan"), 7.0], ((0, 1), 0.1)),
    (pa.float64(), [None] * 40, ((0.1, 0.7), Fraction(1, 3))),
    (pa.int32(), [None, 4, 5, None, 8], ((0, 9), 1.7)),
]


def statistics_of(bounds: Any, missing: Any) -> list[Any]:
    given = {"bounds": bounds, "missing": missing}
    some = [f("v", **given) for f in (ln.Median, ln.Sum, ln.Mean, ln.Variance, ln.Maximum)]
    return [*some, ln.Sum("v", **given, step="1/4"), ln.Variance("v", **given, step="0.3")]


def same_over_engines(table: Any, engine: str, asked: list[tuple[Any, Any, Any]]) -> None:
    """The summary of a table, and of its groups where it has keys, is that in memory."""
    held = on_engine(engine, table)
    for statistic, subset, depth in asked:
        found: list[list[Any]] = []
        try:
            plan(statistic, table, "add-remove", None, subset=subset)
        except LeastNoiseError:  # the number is no point of this lattice
            continue
        for data in (table, held):
            made = plan(statistic, data, "add-remove", None, subset=subset)
            parts = split(made.table, subset, active())
            found.append([part.summarise(made.request, depth) for part in parts])
        assert found[0] == found[1], (statistic, depth, subset)


SUBSETS = (Subset(), Subset().grouped({"g": [1, 2]}, None))
DEPTHS = (0, 2, None)
# Every statistic of all rows and of groups at one of the depths, in turn; at night at the others.
TURNS = [0, *(pytest.param(turn, marks=pytest.mark.nightly) for turn in (1, 2))]


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("case", range(len(IMPUTED)))
@pytest.mark.parametrize("engine", ["polars lazy", "duckdb"])
def test_imputed_numbers_are_those_of_columns_in_memory(engine: str, case: int, turn: int) -> None:
    kind, values, (bounds, missing) = IMPUTED[case]
    keys = pa.array([1 + i % 2 for i in range(len(values))], pa.int64())
    table = pa.table({"v": pa.array(values, kind), "g": keys})
    every = product(statistics_of(bounds, missing), SUBSETS)
    asked = [(*one, DEPTHS[(turn + case + i) % 3]) for i, one in enumerate(every)]
    same_over_engines(table, engine, asked)


FAR = [
    (10**6, 10**6 + 10),
    (10**7, 10**7 + 1),
    (1_700_000_000, 1_700_003_600),
    (1e9, 1000000000.7),
]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("bounds", FAR)
@pytest.mark.parametrize("engine", ["polars lazy", "duckdb"])
def test_variances_far_from_zero(engine: str, bounds: tuple[Any, Any], turn: int) -> None:
    low, high = map(float, bounds)
    values = np.random.default_rng(5).uniform(low - 0.1, high + 0.1, 200)
    table = pa.table({"v": values, "g": np.arange(200) % 3})
    statistics = [ln.Variance("v", bounds=bounds), ln.Mean("v", bounds=bounds)]
    every = enumerate(product(statistics, SUBSETS))
    same_over_engines(table, engine, [(*one, DEPTHS[(turn + i) % 3]) for i, one in every])
    made = plan(ln.Variance("v", bounds=bounds), table, "add-remove", None)
    assert isinstance(made.request, SpreadRequest)
    found = made.table.summarise(made.request, 0)
    assert isinstance(found, SpreadSummary)
    exact = [int(z) for z in made.request.lattice.quantise(values).tolist()]
    assert (found.total, found.squares) == (sum(exact), sum(z * z for z in exact))


@pytest.mark.parametrize(
    "query", ["SELECT * FROM t USING SAMPLE 50%", "SELECT * FROM t WHERE random() < 0.5"]
)
def test_queries_that_give_other_rows_each_time(query: str) -> None:
    connection = keep_open(optional("duckdb").connect())
    connection.execute("CREATE TABLE t AS SELECT i::DOUBLE AS v, i % 3 AS g FROM range(1000) t(i)")
    refused: list[SchemaError] = []
    for statistic, times in ((ln.Median, 8), (ln.Mean, 2), (ln.Variance, 3)):
        for _ in range(times):
            with ln.open(connection.sql(query)) as data:
                try:
                    data.release(statistic("v", bounds=(0, 1000)), epsilon=1)
                    made = {"m": statistic("v", bounds=(0, 1000))}
                    data.group_by({"g": [0, 1, 2]}).release(made, epsilon=1)
                except SchemaError as error:
                    refused.append(error)
    assert refused
    assert all("gave different rows in two queries" in str(error) for error in refused)
    assert all(error.__context__ is None for error in refused)


@pytest.mark.parametrize("values", [[1.0] * 140_000, [1e300, -1e300] * 70_000])
@pytest.mark.parametrize("limit", [1e300, 1e306])
def test_no_warning_tells_of_large_values(values: list[float], limit: float) -> None:
    polars = optional("polars")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for statistic in (ln.Variance, ln.Mean, ln.Median):
            frame = polars.LazyFrame({"v": values})
            ln.release(statistic("v", bounds=(-limit, limit)), frame, epsilon=1)


# Types that hold no numbers and no text; Spark knows no hash of some and no order of others.
ODD = {
    "duckdb": [
        "to_days(i)", "uuid()", "CAST(i AS BIT)", "MAP {'a': i}", "TIME '10:00:00'", "'a'::BLOB",
        "DATE '2020-01-01'", "TIMESTAMPTZ '2020-01-01 00:00:00+00'", "[i]", "{'a': i}",
        "union_value(a := i)",
    ],
    "spark": [
        "parse_json('{\"a\": 1}')", "make_interval(1, 2)", "INTERVAL '1' DAY * i",
        "INTERVAL '1' MONTH * i", "map('a', i)", "CAST('a' AS BINARY)", "DATE '2020-01-01'",
        "TIMESTAMP_NTZ '2020-01-01 00:00:00'", "array(i)", "named_struct('a', i)",
    ],
    "polars lazy": [
        timedelta(1), date(2020, 1, 1), datetime(2020, 1, 1), time(1), [1], {"a": 1}, b"a",
    ],
}  # fmt: skip


def odd(engine: str) -> Any:
    """Fifty rows of v = 0..49 of five persons, and columns odd0, odd1, ..."""
    columns = {f"odd{i}": made for i, made in enumerate(ODD[engine])}
    if engine == "polars lazy":
        polars = optional("polars")
        frame = polars.DataFrame({"v": range(50), **{k: [v] * 50 for k, v in columns.items()}})
        return frame.lazy().with_columns(who=polars.col("v") % 5)
    asked = ", ".join(f"{made} AS {name}" for name, made in columns.items())
    if engine == "duckdb":
        rows = "(SELECT CAST(range AS INTEGER) AS i FROM range(50))"
        duckdb = optional("duckdb")
        return keep_open(duckdb.connect()).sql(f"SELECT i % 5 AS who, i AS v, {asked} FROM {rows}")
    rows = "(SELECT CAST(id AS INT) AS i FROM range(50))"
    return spark().sql(f"SELECT i % 5 AS who, i AS v, {asked} FROM {rows}")


BUDGET = Fraction(10**9)


@pytest.mark.parametrize("turn", TURNS)
def test_columns_that_nothing_reads_cost_nothing(engine: str, turn: int, tmp_path: Path) -> None:
    """Persons are limited beside them, and asking for one is refused before the charge: a third of
    the requests for each column, in turn."""
    table, names = odd(engine), [f"odd{i}" for i in range(len(ODD[engine]))]
    ledger = ln.Ledger.create(
        tmp_path / "odd.db", dataset="d", budget=ln.PureDP(BUDGET), unit="who"
    )
    with ledger, ln.open(table, ledger=ledger, dataset="d", unit="who", max_rows=3) as data:
        for i, name in enumerate(names):
            refused: list[Any] = [
                lambda name=name: data.release(ln.Median(name, bounds=(0, 1)), epsilon=1),
                lambda name=name: data.release(ln.Mean(name, bounds=ln.PrivateBounds()), epsilon=1),
                lambda name=name: data.release(ln.CountDistinct(name), epsilon=1),
                lambda name=name: data.release(ln.PrivateKeys(name, delta="1e-6"), epsilon=1),
                lambda name=name: data.release(ln.Histogram(name, categories=[1, 2]), epsilon=1),
                lambda name=name: data.release(
                    ln.Histogram(name, categories=["a", "b"]), epsilon=1
                ),
                lambda name=name: data.release(
                    ln.MeanAbsoluteError("v", name, bounds=(0, 1)), epsilon=1
                ),
                lambda name=name: data.where(ln.col(name) > 1).release(ln.Count(), epsilon=1),
                lambda name=name: data.group_by({name: [1]}, max_groups=1).release(
                    ln.Count(), epsilon=1
                ),
                lambda name=name: ln.open(table, unit=name, max_rows=3).release(
                    ln.Count(), epsilon=1
                ),
            ]
            if open_table(table).own_clock(name) is None:  # of times only whether they are there
                gone = ln.col(name).is_missing()
                refused += [
                    lambda name=name: data.release(ln.Count(name), epsilon=1),
                    lambda gone=gone: data.where(gone).release(ln.Count(), epsilon=1),
                ]
            for release in refused[(i + turn) % 3 :: 3]:
                with pytest.raises(ColumnTypeError, match=name):
                    release()
        assert data.spent.epsilon == 0
        assert data.release(ln.Count(), epsilon=10**7).value == 15
        if engine != "spark":
            made = data.group_by({"who": range(5)}, max_groups=1).release(ln.Count(), epsilon=10**7)
            assert [found.value for found in made.values()] == [3] * 5


@pytest.mark.parametrize("read_only", [False, True], ids=["writable", "read only"])
def test_a_database_stays_as_it_was(read_only: bool, tmp_path: Path) -> None:
    """No view or table is left in it, and one that may only be read is enough."""
    duckdb = optional("duckdb")
    file = str(tmp_path / "pay.duckdb")
    with duckdb.connect(file) as writer:
        writer.execute("CREATE TABLE t AS SELECT i % 3 AS g, i % 1000 AS x FROM range(50000) r(i)")
    with duckdb.connect(file, read_only=read_only) as connection:
        table, bounds = connection.table("t"), (0, 999)
        asked = {"v": ln.Variance("x", bounds=bounds, missing="none")}
        with ln.open(table) as data:
            data.release(asked, epsilon=1)
            data.group_by({"g": [0, 1, 2]}).release(ln.Median("x", bounds=bounds), epsilon=1)
        objects = "SELECT table_name FROM information_schema.tables"
        assert connection.execute(objects).fetchall() == [("t",)]


@pytest.mark.parametrize("kind", ["HUGEINT", "UHUGEINT"])
def test_numbers_of_128_bits_end_where_those_of_64_do(kind: str) -> None:
    """What is farther counts as the last number of 64 bits, and all up to there as itself."""
    duckdb = optional("duckdb")
    low, high = (-B, B - 1) if kind == "HUGEINT" else (0, 2**64 - 1)
    given = [low, low + 1, 0, 5, high - 1, high, *((-(2**100),) if low else ()), 2**100]
    held = [max(low, min(high, x)) for x in given]
    rows = ", ".join(f"({x}::{kind})" for x in given)
    with (
        duckdb.connect() as connection,
        ln.open(connection.sql(f"SELECT * FROM (VALUES {rows}) t(v)")) as data,
    ):
        for least in (low + 1, 0, 6, B - 2, high - 1):
            found = data.where(ln.col("v") >= least).release(ln.Count(), epsilon=10**6)
            assert found.value == sum(x >= least for x in held), least
