"""Engines give bit for bit the summaries of columns in memory, and only those."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import (
    ColumnTypeError,
    LeastNoiseError,
    ParameterError,
    ParameterTypeError,
    SchemaError,
)
from leastnoise.frames import open_table
from leastnoise.frames.engines import LazyTable, passes, summarise, windows
from leastnoise.frames.engines.engine import engine_of
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset
from leastnoise.testing import simulate
from support.commands import fresh
from support.engines import ENGINES, ROOMS, keep_open, on_engine, spark
from support.optional import optional

pa = optional("pyarrow")

RANDOM = np.random.default_rng(20)
N = 700
ODD = [None, math.nan, math.inf, -math.inf, -0.0, 0.0, 1e308, -1e308, 5e-324, 0.5, 1.5, 2.5]
COLUMNS: dict[str, Any] = {
    "floats": pa.array([*RANDOM.lognormal(3, 1, N).tolist(), *ODD]),
    "ties": pa.array([*RANDOM.integers(0, 4, N).astype(float).tolist(), *ODD]),
    "equal": pa.array([7.25] * N),
    "halves": pa.array((RANDOM.integers(-60, 60, N) / 2).tolist()),
    "singles": pa.array(RANDOM.normal(10, 30, N).astype(np.float32)),
    "integers": pa.array([*RANDOM.integers(-90, 90, N).tolist(), None, 2**62, -(2**62)]),
    "small": pa.array(RANDOM.integers(-100, 100, N).tolist(), pa.int8()),
    "unsigned": pa.array([*RANDOM.integers(0, 90, N).tolist(), 2**64 - 1], pa.uint64()),
    "truth": pa.array((RANDOM.random(N) < 0.3).tolist()),
    "missing": pa.array([None] * 5, pa.float64()),
    "none": pa.array([], pa.float64()),
    "one": pa.array([3.75]),
}
WIDE, TIGHT, FAR = (-1000, 100_000), ("-0.5", "19.75"), (10**6, 10**6 + 3)
STATISTICS: dict[str, Callable[[Any], Any]] = {
    "quantiles": lambda bounds: ln.Quantiles("v", q=["0.1", "0.5", "0.95"], bounds=bounds),
    "median, declared step": lambda bounds: ln.Median("v", bounds=bounds, step="0.3"),
    "median, imputed": lambda bounds: ln.Median("v", bounds=bounds, missing="none"),
    "sum": lambda bounds: ln.Sum("v", bounds=bounds),
    "sum, imputed": lambda bounds: ln.Sum("v", bounds=bounds, missing="none"),
    "sum, declared step": lambda bounds: ln.Sum("v", bounds=bounds, step="0.7"),
    "variance": lambda bounds: ln.Variance("v", bounds=bounds),
    "variance, declared step": lambda bounds: ln.Variance("v", bounds=bounds, step="1/3"),
    "count": lambda bounds: ln.Count("v"),
    "rows": lambda bounds: ln.Count(),
}


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def narrow() -> Iterator[None]:
    """Limits so low that brackets, narrowing and grouping are used on some hundred rows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (*ROOMS, passes, windows, summarise):
            patch.setattr(module, "SMALL", 20, raising=False)
            patch.setattr(module, "FEW", 30, raising=False)
        patch.setattr(windows, "_SAMPLE", 40)
        yield


def same_summary(statistic: Any, here: Any, there: Any, depth: int | None) -> None:
    mine, theirs = (plan(statistic, data, "add-remove", None) for data in (here, there))
    assert isinstance(theirs.table, LazyTable)
    expected = mine.table.summarise(mine.request, depth)
    found = theirs.table.summarise(theirs.request, depth)
    for field in fields(expected):
        assert getattr(found, field.name) == getattr(expected, field.name), field.name


def compare(kind: str, engine: str, cases: list[tuple[str, Any, int | None]]) -> None:
    if engine == "spark" and kind == "unsigned":
        pytest.skip("Spark has no unsigned integers")
    table = pa.table({"v": COLUMNS[kind]})
    held = on_engine(engine, table)
    for name, bounds, depth in cases:
        try:
            statistic = STATISTICS[name](bounds)
            plan(statistic, table, "add-remove", None)
        except LeastNoiseError:  # no lattice point of an integer column inside
            continue
        same_summary(statistic, table, held, depth)


CASES = [(n, b, d) for n in STATISTICS for b in (WIDE, TIGHT, FAR) for d in (0, 5, 60, None)]


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("kind", list(COLUMNS))
def test_summaries_are_those_of_columns_in_memory(kind: str, engine: str) -> None:
    first = list(COLUMNS).index(kind)
    stride = 40 if engine == "spark" else 7  # the kinds take turns, so that all cases are met
    compare(kind, engine, CASES[first % stride :: stride])


@pytest.mark.nightly
@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("kind", list(COLUMNS))
def test_all_summaries_are_those_of_columns_in_memory(kind: str, engine: str) -> None:
    compare(kind, engine, CASES)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("kind", ["floats", "ties", "integers"])
def test_the_order_that_a_connection_prefers_changes_nothing(kind: str) -> None:
    duckdb = optional("duckdb")
    connection = keep_open(duckdb.connect())
    connection.execute("SET default_order = 'DESC'")
    connection.execute("SET default_null_order = 'NULLS_FIRST'")
    table = pa.table({"g": [i % 3 for i in range(len(COLUMNS[kind]))], "v": COLUMNS[kind]})
    held = connection.from_arrow(table)
    for name in ("quantiles", "sum", "variance"):
        for depth in (0, 5, 60):
            same_summary(STATISTICS[name](WIDE), table, held, depth)
    keys = Subset().grouped({"g": [0, 1, 2]}, None)
    parts: list[list[Any]] = []
    for data in (table, held):
        p = plan(STATISTICS["quantiles"](WIDE), data, "add-remove", None, subset=keys)
        parts.append([part.summarise(p.request, 4) for part in split(p.table, keys, active())])
    assert parts[0] == parts[1]


def test_a_list_of_too_many_rows_is_no_list(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows kept: more than a list may hold (NULL), none (an empty list), and as many as it may."""
    import narwhals as nw

    for module in ROOMS:
        monkeypatch.setattr(module, "FEW", 3)
    table = pa.table(
        {"k": list("aaaabbccc"), "x": range(9), "kept": [True] * 4 + [False] * 2 + [True] * 3}
    )
    frame: Any = nw.from_native(on_engine(engine, table)).lazy()
    run = engine_of(frame)
    assert run is not None
    found = run.collect(run.tallied(frame, ["k"], {}, nw.col("kept")))
    keys, lists = found.get_column("k").to_list(), run.lists(found.get_column("kept"))
    parts = np.split(lists.values, np.cumsum(lists.sizes)[:-1])
    held = {
        k: sorted(v.tolist()) if there else None
        for k, v, there in zip(keys, parts, lists.there, strict=True)
    }
    assert held == {"a": None, "b": [], "c": [6, 7, 8]}
    whole = run.lists(run.collect(run.tallied(frame, [], {}, nw.col("kept"))).get_column("kept"))
    assert (len(whole.values), whole.sizes.tolist(), whole.there.tolist()) == (0, [0], [False])


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "spark"])
def test_large_columns(engine: str) -> None:
    values = np.sort(np.random.default_rng(3).lognormal(10, 1, 300_000))
    mixed = np.random.default_rng(4).permutation(values)
    gaps = pa.array(np.where(mixed > 30_000, np.nan, mixed), mask=mixed < 5_000)
    whole = pa.array(mixed.astype(np.int64), mask=mixed < 5_000)
    for v in (values, np.round(values, -4), values[::-1].astype(np.float32), mixed, gaps, whole):
        table = pa.table({"v": v})
        held = on_engine(engine, table)
        for make in (STATISTICS["quantiles"], STATISTICS["sum"], STATISTICS["variance"]):
            same_summary(make((0, 500_000)), table, held, 40)


def test_sums_beyond_64_bits(engine: str) -> None:
    table = pa.table({"v": pa.array([2**62] * 9)})
    held = on_engine(engine, table)
    same_summary(ln.Sum("v", bounds=(0, 2**62)), table, held, 0)
    step = Fraction(1, 2**20)
    table = pa.table({"v": pa.array([1e12 + 0.5, 3.25] * 50)})
    same_summary(ln.Sum("v", bounds=(0, 2 * 10**12), step=step), table, on_engine(engine, table), 3)


HOSTILE = [
    'x"; DROP TABLE t; --', "a.b", "`v`", "^.*$", "select", "V", "v", "c1", "ä ö", "x'y", "{v}",
    "$1", "*",
]  # fmt: skip


def test_hostile_names_are_names(engine: str) -> None:
    names = [n for n in HOSTILE if n != "V"] if engine != "polars lazy" else HOSTILE
    data = pa.table({name: pa.array([i, i, i]) for i, name in enumerate(names)})
    held = on_engine(engine, data)
    table = open_table(held)
    assert table.column_names() == tuple(names)
    for i, name in enumerate(names):
        p = plan(ln.Sum(name, bounds=(0, 100)), held, "add-remove", None)
        assert p.table.summarise(p.request, 0).total == 3 * i
    with pytest.raises(SchemaError, match="no column 'w'"):
        table.column_type("w")


def test_releases_and_types(engine: str) -> None:
    data = pa.table({"v": [1.5, 2.5, None], "s": ["a", "b", "a"], "k": [1, 2, 2]})
    held = on_engine(engine, data)
    with simulate(5):
        here = ln.release(ln.Median("v", bounds=(0, 10)), data, epsilon=1).value
    with simulate(5):
        there = ln.release(ln.Median("v", bounds=(0, 10)), held, epsilon=1).value
    assert here == there
    with pytest.raises(ColumnTypeError, match="'s' has type String"):
        ln.release(ln.Median("s", bounds=(0, 10)), held, epsilon=1)
    assert "1.5" not in repr(open_table(held))
    shares = ln.release(ln.Histogram("s", categories=["a", "b"]), held, epsilon=10**6).value
    assert shares == ln.release(ln.Histogram("s", categories=["a", "b"]), data, epsilon=10**6).value


SECRET = 73914628


def test_a_closed_connection_is_an_error_at_no_charge(tmp_path: Path) -> None:
    duckdb = optional("duckdb")
    connection = duckdb.connect()
    relation = connection.sql(f"SELECT {SECRET}.5::DOUBLE AS v")
    ledger = ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.PureDP(2))
    with ln.open(relation, ledger=ledger, dataset="d") as data:
        connection.close()
        with pytest.raises(SchemaError, match="DuckDB could not run the query") as caught:
            data.release(ln.Median("v", bounds=(0, 10)), epsilon=1)
        told_nothing(caught.value)
        assert data.spent.epsilon == 0


def _busy(connection: Any) -> None:
    started = threading.Event()

    def work() -> None:
        started.set()
        with suppress(Exception):  # it is interrupted at the end of the test
            many = "range(1000000)"
            connection.execute(f"SELECT sum(sqrt(a.i * b.j)) FROM {many} a(i), {many} b(j)")

    threading.Thread(target=work, daemon=True).start()
    started.wait()
    time.sleep(0.2)


def _unfetched(connection: Any) -> None:
    connection.execute("SELECT * FROM t")


def _failed(connection: Any) -> None:
    connection.begin()
    with suppress(Exception):
        connection.execute("SELECT no_such_column FROM t")
        connection.execute("SELECT CAST('x' AS INTEGER)").fetchall()


@pytest.mark.parametrize(
    ("spoil", "cure"),
    [
        (_busy, "another thread uses it"),
        (_unfetched, "whose rows nobody has fetched"),
        (_failed, r"call connection.rollback\(\)"),
    ],
)
def test_a_connection_that_cannot_be_used_is_told_with_its_cure_and_costs_nothing(
    spoil: Callable[[Any], None], cure: str, tmp_path: Path
) -> None:
    connection = keep_open(optional("duckdb").connect())
    rows = f"SELECT {SECRET}.5::DOUBLE + i AS v FROM range(5000) r(i)"
    connection.execute(f"CREATE TABLE t AS {rows}")
    ledger = ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.PureDP(2))
    with ln.open(connection.table("t"), ledger=ledger, dataset="d") as data:
        spoil(connection)
        with pytest.raises(SchemaError, match=cure) as caught:
            data.release(ln.Median("v", bounds=(0, 10)), epsilon=1)
        told_nothing(caught.value)
        assert data.spent == 0
    connection.interrupt()


def failing(engine: str) -> Any:
    """A table whose schema can be read, and whose rows make the engine fail and quote a value."""
    if engine == "polars lazy":
        pl = optional("polars")

        def fail(frame: Any) -> Any:
            raise ValueError(f"a value was {SECRET}")

        return pl.LazyFrame({"v": [1.0, 2.0]}).map_batches(fail, schema={"v": pl.Float64})
    if engine == "duckdb":
        duckdb = optional("duckdb")
        query = f"SELECT CASE WHEN i > 5 THEN error('{SECRET}') ELSE i END::DOUBLE AS v"
        return keep_open(duckdb.connect()).sql(query + " FROM range(9) AS t(i)")
    text = f"CASE WHEN id > 5 THEN raise_error('{SECRET}') ELSE id END"
    return spark().range(9).selectExpr(f"CAST({text} AS DOUBLE) AS v")


def test_a_query_that_fails_gives_no_release_and_stays_charged(engine: str, tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.PureDP(2))
    with ln.open(failing(engine), ledger=ledger, dataset="d") as data:
        with pytest.raises(SchemaError, match="could not run the query") as caught:
            data.release(ln.Median("v", bounds=(0, 10)), epsilon=1)
        told_nothing(caught.value)
        assert data.spent.epsilon == 1  # private data was opened


def told_nothing(error: BaseException) -> None:
    assert str(SECRET) not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_cells(engine: str) -> None:
    texts = [" a", "b\u2003", "a", "", None, "A", "zz", "b", "\u00a0a\n"]
    numbers = [0.0, -0.0, 1.5, math.nan, None, math.inf, 2.0, 3.0, 10.0]
    data = pa.table(
        {"s": texts, "x": numbers, "k": [1, 2, 2, 2, None, 3, 1, 1, 7], "t": [True] * 9}
    )
    held = on_engine(engine, data)
    for statistic in (
        ln.Histogram("s", categories=["a", "b", "c"]),
        ln.Histogram("x", bins=[0, 1, 2, 10]),
        ln.Histogram("x", bins=[-math.inf, 2, math.inf]),
        ln.Histogram("k", categories=[7, 1, 2]),
        ln.Histogram("t", categories=[0, 1]),
        ln.CrossTab("s", "k", rows=["b", "a"], columns=[1, 2]),
    ):
        mine, theirs = (plan(statistic, d, "add-remove", None) for d in (data, held))
        expected = mine.table.summarise(mine.request, None)
        assert sum(expected.counts) > 0
        assert theirs.table.summarise(theirs.request, None) == expected


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_files_by_an_engine(engine: str, tmp_path: Path) -> None:
    pq = optional("pyarrow.parquet")
    optional(engine)
    path = tmp_path / "a [1] *.parquet"
    pq.write_table(pa.table({"v": [1.5, 2.5, None]}), path)
    table = open_table(path, engine=engine)
    assert isinstance(table, LazyTable)
    with ln.open(str(path), engine=engine) as data:
        assert data.release(ln.Count("v"), epsilon=10**6).value == 2
    path.write_bytes(b"PAR1 no parquet")
    with pytest.raises(SchemaError, match="could not open"):
        open_table(path, engine=engine)


def test_tables_of_databases(tmp_path: Path) -> None:
    duckdb = optional("duckdb")
    path = tmp_path / "pay.duckdb"
    connection = duckdb.connect(path)
    connection.execute("CREATE TABLE pay AS SELECT range::DOUBLE AS v FROM range(5)")
    with ln.open(connection, source="pay") as data:
        assert data.release(ln.Sum("v", bounds=(0, 9)), epsilon=10**9).value == pytest.approx(10)
    for source in (None, "", 3):
        with pytest.raises(ParameterError, match="source is required"):
            open_table(connection, source=source)
    with pytest.raises(SchemaError, match="the table exists"):
        open_table(connection, source="nothing")
    connection.close()
    table = open_table(path, engine="duckdb", source="pay")
    assert table.row_count() == 5


def test_engines_are_asked_for_by_name(tmp_path: Path) -> None:
    text = tmp_path / "t.csv"
    text.write_text("v\n1\n")
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (text, {"engine": "duckdb"}, "reads Parquet files"),
        (text, {"engine": "spark"}, "'duckdb' or 'polars'"),
        (text, {"engine": 3}, "must be text"),
        (text, {"source": "t"}, "needs engine"),
        ([1.0], {"engine": "duckdb"}, "is for files"),
        ([1.0], {"source": "t"}, "connection or database"),
    ]
    for data, options, cure in cases:
        with pytest.raises((ParameterError, ParameterTypeError), match=cure):
            open_table(data, **options)


def test_the_command_line_over_an_engine(tmp_path: Path) -> None:
    pq = optional("pyarrow.parquet")
    optional("duckdb")
    rows = {"v": [float(i) for i in range(100)], "s": ["a", "b"] * 50}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    arguments = [
        *("release", str(tmp_path / "t.parquet"), "--engine", "duckdb", "--stat", "count"),
        *("--where", "v >= 10", "--group-by", "s", "--keys", "s=a,b", "--epsilon", "1e6", "--json"),
    ]
    out = fresh(*arguments)
    assert out.code == 0, out.err
    assert "45" in out.out
    refused = fresh("release", str(tmp_path / "t.parquet"), "--engine", "duckdb", "--source", "t",
                      "--stat", "count", "--epsilon", "1")  # fmt: skip
    assert refused.code == 2
    assert "--source" in refused.err


def test_a_connection_that_is_stopped_in_the_middle(tmp_path: Path) -> None:
    duckdb = optional("duckdb")
    connection = duckdb.connect()
    long = connection.sql("SELECT sqrt(i * j) AS v FROM range(1000000) a(i), range(1000000) b(j)")
    ledger = ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.PureDP(2))
    done = threading.Event()

    def stop() -> None:
        while not done.wait(0.3):
            connection.interrupt()

    with ln.open(long, ledger=ledger, dataset="d") as data:
        stopper = threading.Thread(target=stop)
        stopper.start()
        try:
            with pytest.raises(SchemaError, match="DuckDB could not run the query") as caught:
                data.release(ln.Median("v", bounds=(0, 10)), epsilon=1)
        finally:
            done.set()
            stopper.join()
        told_nothing(caught.value)
        assert data.spent.epsilon == 1


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")  # of pandas 3, for udf
def test_a_worker_that_dies(tmp_path: Path) -> None:
    functions = optional("pyspark.sql.functions")

    session = spark()
    die = functions.udf(lambda value: os._exit(1), "double")
    rows = session.range(9).select(die("id").alias("v"))
    ledger = ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.PureDP(2))
    with ln.open(rows, ledger=ledger, dataset="d") as data:
        with pytest.raises(SchemaError, match="Spark could not run the query") as caught:
            data.release(ln.Median("v", bounds=(0, 10)), epsilon=1)
        told_nothing(caught.value)
        assert data.spent.epsilon == 1
