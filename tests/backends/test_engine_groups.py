"""Filters, groups and persons inside engines are those of tables in memory."""

from __future__ import annotations

import decimal
import math
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.engines import LazyTable, group_ranks, numbers
from leastnoise.frames.engines.engine import arrow_wholes
from leastnoise.frames.engines.on_polars import PolarsEngine
from leastnoise.frames.engines.persons import limited_persons
from leastnoise.frames.memory.groups import check_subset
from leastnoise.frames.memory.summarise import summaries
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.session.prepare import plan
from leastnoise.summaries.distinct import DistinctRequest
from leastnoise.summaries.subset import Subset, Unit
from leastnoise.testing import simulate
from support.engines import ENGINES, ROOMS, keep_open, on_engine, spark
from support.optional import optional
from support.subsets import COLUMNS, CONDITIONS, KEYS

pa = optional("pyarrow")
col = ln.col

TYPED = {"id": pa.array(range(8)), **{name: pa.array(values) for name, values in COLUMNS.items()}}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def held(engine: str) -> LazyTable:
    table = open_table(on_engine(engine, pa.table(TYPED)))
    assert isinstance(table, LazyTable)
    return table


def ids(part: Any) -> list[int]:
    return sorted(int(i) for i in part.column("id").values)


def test_conditions(held: LazyTable, engine: str) -> None:
    for condition, expected in CONDITIONS[:: 8 if engine == "spark" else 1]:
        subset = Subset().filtered(condition)
        check_subset(held, subset)
        (part,) = split(held, subset, active())
        assert part.row_count() == len(expected), str(condition)
        assert ids(part) == expected, str(condition)


def test_single_floats_compare_as_they_were_read(engine: str) -> None:
    table = pa.table({"id": [0, 1, 2], "x": pa.array([0.1, 0.2, None], pa.float32())})
    here, there = open_table(table), open_table(on_engine(engine, table))
    for condition in (col("x") == 0.1, col("x") < 0.1, col("x").is_in([0.2, 7])):
        subset = Subset().filtered(condition)
        (expected,), (found,) = (split(t, subset, active()) for t in (here, there))
        assert ids(found) == ids(expected), str(condition)


def test_groups(held: LazyTable) -> None:
    subset = Subset().grouped(KEYS, None)
    check_subset(held, subset)
    assert [part.row_count() for part in split(held, subset, active())] == [1, 1, 0, 0, 0, 0]
    zeros = Subset().grouped({"score": [0, 0.1, 10**9]}, None)
    assert [ids(part) for part in split(held, zeros, active())] == [[3], [0, 5], []]
    with_age = Subset().filtered(col("age") > 17).grouped({"member": [0, 1]}, None)
    assert [ids(part) for part in split(held, with_age, active())] == [[1, 4, 6], [3, 5, 7]]


RANDOM = np.random.default_rng(8)
MANY = 400
BIG = pa.table(
    {
        "region": RANDOM.choice(["N ", " S", "W", "", "x"], MANY).tolist(),
        "year": pa.array([None if y == 9 else int(y) for y in RANDOM.integers(0, 10, MANY)]),
        "pay": pa.array(
            [*RANDOM.lognormal(3, 1, MANY - 3).round(1).tolist(), None, math.nan, -1e9]
        ),
        "other": pa.array(RANDOM.normal(0, 1, MANY)),
        "rough": pa.array((RANDOM.integers(-3, 4, MANY) / 2).tolist()),
    }
)
STATISTICS: dict[str, Callable[[], Any]] = {
    "median": lambda: ln.Median("pay", bounds=(0, 100)),
    "imputed": lambda: ln.Median("pay", bounds=(0, 100), missing=7),
    "quantiles": lambda: ln.Quantiles("pay", q=["0.1", "0.77"], bounds=(0, 100)),
    "integers": lambda: ln.Quantile("year", q="1/3", bounds=(1, 5)),
    "odd order": lambda: ln.Quantile("pay", q="0.123456789", bounds=(0, 100)),
    "sum": lambda: ln.Sum("pay", bounds=(-3, 50)),
    "count": lambda: ln.Count(),
    "present": lambda: ln.Count("pay"),
    "cells": lambda: ln.Histogram("year", categories=[1, 2, 3]),
    "variance": lambda: ln.Variance("pay", bounds=(0, 100)),
    "losses": lambda: ln.MeanAbsoluteError("pay", "other", bounds=(0, 100)),
}


KEYED: list[dict[str, Any]] = [
    {"region": ["N", "S", "none"], "year": [1, 2, 77]},
    {"year": [77, 2, 1, 5], "region": ["x", "N"]},
    {"rough": [0.5, -1, 0, 1.5, 9, 0.25]},
]


# What is patched to go the ways of large tables on small ones.
WAYS: dict[str, dict[str, float]] = {
    "whole groups": {},
    "some groups after the others": {
        "_LISTED": 1,
        "FEW": 1,
        "_PARTS": 3,
        "_LEAST": 0,
        "_ROWS": -(10**6),
    },
    "short lists": {"_LEAST": 0, "FEW": 2},
    "a sample": {"_LEAST": 0, "_SHARE": 2, "_ROWS": 1, "_DEVIATIONS": 2},
    "a sample that misleads": {"_LEAST": 0, "_SHARE": 2, "_ROWS": -1, "_DEVIATIONS": 0},
}


RANKED = ("median", "imputed", "quantiles", "integers", "sum")
CASES = [(name, "whole groups") for name in STATISTICS]
CASES += [(name, way) for name in RANKED for way in list(WAYS)[1:]]


def by_way(
    name: str, way: str, keys: dict[str, Any], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for constant, value in WAYS[way].items():
        for module in (group_ranks, *ROOMS):
            monkeypatch.setattr(module, constant, value, raising=False)
    groups_are_those_of_memory(STATISTICS[name](), keys, engine)


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_summaries_of_groups(
    case: tuple[str, str], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one of the lists of keys, in turn."""
    by_way(*case, KEYED[CASES.index(case) % len(KEYED)], engine, monkeypatch)


@pytest.mark.nightly
@pytest.mark.parametrize("keys", KEYED, ids=",".join)
@pytest.mark.parametrize("case", CASES, ids="-".join)
@pytest.mark.parametrize("engine", ["polars lazy", "duckdb"])
def test_summaries_of_all_groups(
    case: tuple[str, str], keys: dict[str, Any], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_way(*case, keys, engine, monkeypatch)


def groups_are_those_of_memory(
    statistic: Any, keys: dict[str, Any], engine: str, *, other: bool = False
) -> None:
    subset = Subset().filtered(col("other") > -1).grouped(keys, None, other)
    parts: list[list[Any]] = []
    for data in (BIG, on_engine(engine, BIG)):
        p = plan(statistic, data, "add-remove", None, subset=subset)
        tables = split(p.table, subset, active())
        for depth in (0, 4):
            parts.append([table.summarise(p.request, depth) for table in tables])
            if data is not BIG:  # all at once, as a release asks for them
                parts.append(list(summaries(tables, p.request, depth)))
    assert parts[2:] == [parts[i] for i in (0, 0, 1, 1)]
    assert len(parts[0]) == math.prod(map(len, keys.values())) + other


@pytest.mark.parametrize("name", ["median", "quantiles", "sum", "count", "cells", "losses"])
def test_rows_of_no_key_are_one_more_group(name: str, engine: str) -> None:
    for keys in (KEYED[0], {"rough": [9], "region": ["none"]}):
        groups_are_those_of_memory(STATISTICS[name](), keys, engine, other=True)


PEOPLE = pa.table(
    {
        "who": [w for w in ["ann", " ann", "bob", "", None, "cy"] for _ in range(6)],
        "g": [1, 2, 3, 1, 2, 9] * 6,
        "v": RANDOM.integers(0, 3, 36).tolist(),
        "x": RANDOM.normal(0, 1, 36).tolist(),
    }
)


def test_persons_are_limited(engine: str) -> None:
    for max_rows in (1, 4, 50):
        subset = Subset(unit=Unit("who", max_rows))
        table = open_table(on_engine(engine, PEOPLE))
        check_subset(table, subset)
        (part,) = split(table, subset, active())
        sizes = {"ann": 12, "bob": 6, "cy": 6}
        who = Counter(part.text_codes("who", list(sizes)).tolist())
        assert [who[i] for i in range(3)] == [min(max_rows, n) for n in sizes.values()]
        assert part.row_count() == sum(who[i] for i in range(3))


def test_persons_beyond_limits(engine: str) -> None:
    subset = Subset(unit=Unit("who", 9))
    asked = [subset, subset.filtered(col("v") > 0), subset.grouped({"g": [1, 3]}, 1)]
    asked += [subset.grouped({"g": [1]}, 1, True), subset.filtered(col("v") > 9)]
    here, there = open_table(PEOPLE), open_table(on_engine(engine, PEOPLE))
    limits = [0, 1, 2, 3, 5, 6, 11, 12]
    for one in asked:
        found = there.persons_beyond(one, limits)
        assert found == here.persons_beyond(one, limits)
        found = there.persons_beyond(one, limits, in_groups=True)
        assert found == here.persons_beyond(one, limits, in_groups=True)
    assert there.persons_beyond(subset, limits) == [3, 3, 3, 3, 3, 1, 1, 0]


def test_engines_count_entries_of_persons(engine: str) -> None:
    """In all rows and in groups, with gaps and blanks, whatever the types."""
    n = 96
    columns = {
        "w": [None if i % 7 == 0 else f"w{i * i % 23} " for i in range(n)],
        "h": [i * i % 19 / 4 for i in range(n)],
        "b": [i % 5 == 0 for i in range(n)],
    }
    persons = {"who": [f" p{i % 8}" for i in range(n)], "id": [i % 8 for i in range(n)]}
    data = pa.table({**columns, **persons})
    here, there = open_table(data), open_table(on_engine(engine, data))
    pairs = [("w", "id")] if engine == "spark" else [*product(columns, persons)]
    for column, person in pairs:
        whole = Subset(unit=Unit(person, 99))
        for subset in (whole, whole.grouped({"id": [1, 5, 9]}, 2)):
            parts = zip(*(split(table, subset, active()) for table in (here, there)), strict=True)
            for one, other in parts:
                found = [part.person_entries(column, person) for part in (one, other)]
                counts = [[held.counted(most) for most in (1, 2, 99)] for held in found]
                assert counts[0] == counts[1]
                assert counts[0][2] == one.summarise(DistinctRequest(column), None).distinct


@pytest.mark.parametrize(
    "rows", [PEOPLE, PEOPLE.take(list(range(35, -1, -1)))], ids=["as is", "turned"]
)
def test_persons_are_limited_by_their_own_rows_alone(rows: Any, engine: str) -> None:
    """The order of the rows and everybody else's rows change nothing."""
    subset = Subset(unit=Unit("who", 3, 2)).grouped({"g": [1, 2, 3]}, 2)

    def of_bob(table: Any) -> list[list[float]]:
        parts = split(open_table(on_engine(engine, table)), subset, active())
        return [sorted(part.column("x").values.tolist()) for part in parts]

    subset = subset.filtered(col("who") == "bob")
    everybody = of_bob(rows)
    assert 0 < sum(map(len, everybody)) <= 3
    assert 0 < sum(map(bool, everybody)) <= 2
    assert of_bob(rows.filter(pa.compute.is_in(rows["who"], pa.array(["bob", "cy"])))) == everybody
    assert of_bob(PEOPLE) == everybody


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb"])
def test_no_kind_of_rows_of_a_person_is_preferred(engine: str) -> None:
    """Which rows are used is settled by all of their entries, not by those of the first column."""
    persons, each = 300, range(4)
    kinds = np.repeat([[i, 3 - i] for i in each], persons, axis=0).T
    data = pa.table(
        {
            "a": np.zeros(4 * persons), "who": [*range(persons)] * 4,
            "x": kinds[0], "y": kinds[1], "z": np.zeros(4 * persons),
        }
    )  # fmt: skip
    subset = Subset(unit=Unit("who", 1))
    (part,) = split(open_table(on_engine(engine, data)), subset, active())
    for name in "xy":
        used = np.bincount(part.column(name).values.astype(int), minlength=4)
        assert (np.abs(used - persons / 4) < persons / 8).all()  # five deviations


@pytest.mark.parametrize("first", [0, 1])
def test_a_source_that_changes_gives_nobody_more_rows(first: int) -> None:
    """Whatever an optimiser makes of one query, such as two of them."""
    pl, scans = optional("polars"), list[int]()

    class Unoptimised(PolarsEngine):
        def collect(self, frame: Any) -> Any:
            native = frame.to_native().collect(optimizations=pl.QueryOptFlags.none())
            return nw.from_native(native)

    def scan(*_: Any) -> Any:
        scans.append(len(scans))
        yield pl.DataFrame({"person": [7, 7, 8][(len(scans) + first) % 2 :]})

    source = pl.io.plugins.register_io_source(scan, schema={"person": pl.Int64})
    frame = limited_persons(Unoptimised(), nw.from_native(source), Unit("person", 1), [], [])
    assert max(Counter(frame.collect()["person"].to_list()).values()) == 1
    assert len(scans) > 1


def test_columns_of_one_row_stay_together(engine: str) -> None:
    """Two queries of an engine may give the rows in different orders."""
    n = 300 if engine == "spark" else 20_000
    y = np.random.default_rng(1).permutation(n).astype(float)
    data = pa.table({"y": y, "p": y + 1, "who": np.arange(n) % 97})
    bounds = (0, n + 1)
    with ln.open(on_engine(engine, data), unit="who", max_rows=2) as opened:
        r = opened.release(
            ln.MeanAbsoluteError("y", "p", bounds=bounds), epsilon=10**9, mechanism=ln.Laplace()
        )
    assert abs(r.value - 1) < 1e-3


def test_persons_in_groups(engine: str) -> None:
    subset = Subset(unit=Unit("who", 5)).grouped({"g": [1, 2, 3]}, 2)
    parts = split(open_table(on_engine(engine, PEOPLE)), subset, active())
    found = [Counter(part.text_codes("who", ["ann", "bob", "cy"]).tolist()) for part in parts]
    for person in range(3):
        mine = [groups[person] for groups in found]
        assert sum(mine) <= 5
        assert sum(map(bool, mine)) == 2
    assert sum(part.row_count() for part in parts) == sum(sum(c.values()) for c in found)


def test_persons_are_described(engine: str) -> None:
    with ln.open(on_engine(engine, PEOPLE), unit="who", max_rows=100) as data:
        found = data.describe(epsilon=10**7, delta="1e-6")
    assert found.table["persons"].value == 3
    assert found.table["rows"].value == 24
    assert found.table["rows used"].value == found.max_rows
    assert found.max_rows >= 8
    assert [column.name for column in found] == ["g", "v", "x"]


def test_a_release_of_groups_and_persons(engine: str) -> None:
    with ln.open(on_engine(engine, PEOPLE), unit="who", max_rows=12) as data:
        assert data.release(ln.Count(), epsilon=10**6).value == 24
        made = data.group_by({"g": [1, 9]}, max_groups=2).release(
            {"n": ln.Count(), "least": ln.Minimum("v", bounds=(0, 9))}, epsilon=10**6
        )
    assert {key: row["n"].value for key, row in made.items()} == {(1,): 8, (9,): 4}


def test_order_statistics_of_groups_are_drawn_as_in_memory(engine: str) -> None:
    """Groups of many rows, of one and of none."""
    table = pa.table({"g": [1] * 40 + [2], "x": [float(i % 7) for i in range(41)]})
    for statistic in (ln.Median("x", bounds=(0, 9)), ln.Quantiles("x", q=[0, 0.9], bounds=(0, 9))):
        found: list[list[Any]] = []
        for data in (table, on_engine(engine, table)):
            with simulate(1), ln.open(data) as opened:
                made = opened.group_by({"g": [0, 1, 2, 3]}).release(statistic, epsilon=3)
            found.append([made[key].value for key in (0, 1, 2, 3)])
        assert found[0] == found[1]


def collated(engine: str) -> Any:
    """Text that the engine itself would compare without regard to case."""
    rows = "('N', 'A', 1), ('n', 'a', 2), ('S', 'B', 3), ('s', 'b', 4), ('T', 'B', 5)"
    if engine == "spark":
        columns = "s COLLATE UTF8_LCASE AS s, p COLLATE UTF8_LCASE AS p, v"
        return spark().sql(f"SELECT {columns} FROM VALUES {rows} AS t(s, p, v)")
    duckdb = optional("duckdb")
    connection = keep_open(duckdb.connect())
    if engine == "duckdb, by column":
        kind = "VARCHAR COLLATE NOCASE"
    else:
        connection.execute("SET default_collation = 'NOCASE'")
        connection.execute("CREATE TYPE letter AS ENUM ('N', 'n', 'S', 's', 'T')")
        kind = "letter" if engine == "duckdb, categories" else "VARCHAR"
    connection.execute(f"CREATE TABLE t (s {kind}, p VARCHAR COLLATE NOCASE, v INTEGER)")
    connection.execute(f"INSERT INTO t VALUES {rows}")
    return connection.table("t")


@pytest.mark.parametrize(
    "engine", ["duckdb, by column", "duckdb, by connection", "duckdb, categories", "spark"]
)
def test_no_collation_makes_two_entries_one(engine: str) -> None:
    """'n' would be the key 'N', which no position is known for: an error that tells of a row."""
    huge = 10**6
    with ln.open(collated(engine), relation="add-remove") as data:
        assert data.where(col("s") == "N").release(ln.Count(), epsilon=huge).value == 1
        assert data.where(col("s") == "N").release(ln.Count("v"), epsilon=huge).value == 1
        cells = data.release(ln.Histogram("s", categories=["N", "S"]), epsilon=huge)
        assert cells.value == [1, 1]
        assert data.release(ln.CountDistinct("s"), epsilon=huge).value == 5
        statistics = {"n": ln.Count(), "m": ln.Maximum("v", bounds=(0, 9))}
        made = data.group_by({"s": ["N", "S"]}).release(statistics, epsilon=huge)
        assert [(row["n"].value, row["m"].value) for _, row in made.items()] == [(1, 1), (1, 3)]
    with ln.open(collated(engine), relation="add-remove", unit="p", max_rows=1) as data:
        assert data.release(ln.Count(), epsilon=huge).value == 4
        made = data.group_by({"s": ["N", "S"]}, max_groups=1).release({"n": ln.Count()}, epsilon=1)
        assert len(made) == 2


WIDE = [2**70, 2**70 + 1, 2**72, 2**72 + 1, 5, 5]
DECIMALS = pa.array([decimal.Decimal(n) for n in WIDE], pa.decimal128(38, 0))


def wide(front: str, folder: Path) -> Any:
    """Ids that are different as written and equal as numbers of 64 bits."""
    table = pa.table({"id": DECIMALS, "v": range(6)})
    if front in ENGINES:
        return on_engine(front, table)
    if front == "parquet":
        optional("pyarrow.parquet").write_table(table, folder / "ids.parquet")
        return folder / "ids.parquet"
    if front == "pandas":
        pd = optional("pandas")
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    if front == "columns":
        return {name: table.column(name) for name in table.column_names}
    if front == "duckdb of 128 bits":
        return on_engine("duckdb", table).project("CAST(id AS HUGEINT) AS id, v")
    if front.startswith("polars of 128 bits"):
        pl = optional("polars")
        made = pl.DataFrame({"id": pl.Series(WIDE, dtype=pl.Int128), "v": range(6)})
        return made.lazy() if front.endswith("lazy") else made
    return table


FRONTS = ("arrow", "pandas", "columns", "parquet", "polars of 128 bits",
          "polars of 128 bits, lazy", "duckdb of 128 bits", *ENGINES)  # fmt: skip


@pytest.mark.parametrize("front", FRONTS)
def test_persons_with_wide_numbers_are_not_one(front: str, tmp_path: Path) -> None:
    """As doubles, or cut to 64 bits, two persons would share their limit of rows."""
    with ln.open(wide(front, tmp_path), unit="id", max_rows=1, relation="add-remove") as data:
        assert data.release(ln.Count(), epsilon=10**6).value == 5
        assert data.release(ln.CountDistinct("id"), epsilon=10**6).value == 5


def test_both_zeros_are_one_person(engine: str) -> None:
    held = on_engine(engine, pa.table({"id": [0.0, -0.0, math.nan, None, 1.5], "v": range(5)}))
    with ln.open(held, unit="id", max_rows=1, relation="add-remove") as data:
        assert data.release(ln.Count(), epsilon=10**6).value == 2


def test_python_objects_of_a_lazy_frame_cost_nothing() -> None:
    """No query of Polars takes them: refused by the schema, and no part of what persons are."""
    pl = optional("polars")
    odd = pl.Series("odd", [object()] * 4, dtype=pl.Object)
    held = pl.DataFrame({"id": [1, 2, 1, 2], "odd": odd}).lazy()
    with pytest.raises(ln.errors.ColumnTypeError, match="type Object, which holds no numbers"):
        plan(ln.Median("odd", bounds=(0, 9)), held, "add-remove", None)
    with ln.open(held, unit="id", max_rows=1, relation="add-remove") as data:
        assert data.release(ln.Count(), epsilon=10**6).value == 2


def test_a_key_that_no_entry_can_equal_has_an_empty_group(engine: str) -> None:
    """Also where every group is asked on its own, as for a variance."""
    data = pa.table({"k": [1, 2, 2], "v": [1.0, 2.0, 3.0]})
    with ln.open(on_engine(engine, data)) as opened:
        made = opened.group_by({"k": [2, 1.5]}).release(
            {"n": ln.Count(), "s": ln.Variance("v", bounds=(0, 4))}, epsilon=10**6
        )
    assert [row["n"].value for row in made.values()] == [2, 0]
    assert [row["s"].value for row in made.values()] == [pytest.approx(0.25, abs=0.02), 0]


def test_rows_that_change_while_groups_are_counted_are_refused() -> None:
    duckdb = optional("duckdb")
    drawn = "SELECT range % 2 AS g, range::DOUBLE AS x FROM range(20000) WHERE random() < 0.5"
    held = keep_open(duckdb.connect()).sql(drawn)
    with ln.open(held) as data, pytest.raises(SchemaError, match="different rows"):
        data.group_by({"g": [0, 1]}).release(ln.Median("x", bounds=(0, 20_000)), epsilon=1)


def test_keys_that_a_type_does_not_tell_apart_share_no_row(engine: str) -> None:
    """Each row pays for one group, whichever way its group is asked for."""
    near = [0.1, 0.1 + 1e-9, 2.0, 0.1 - 1e-9]  # one single-precision number but 2
    table = pa.table({"id": range(4), "k": pa.array([0.1, 0.1, 2.0, 0.1], pa.float32())})
    keys = Subset().grouped({"k": near}, None)
    places = []
    for held in (open_table(table), open_table(on_engine(engine, table))):
        with pytest.raises(ParameterError, match="are one"):
            check_subset(held, keys)
        parts = split(held, keys, active())  # nothing asks for them; if it did, no row counts twice
        places.append([ids(part) for part in parts])
        asked = plan(ln.CountDistinct("id"), table, "add-remove", None).request
        assert sum(part.summarise(asked, 0).distinct for part in parts) == 4
        asked = plan(ln.Count(), table, "add-remove", None).request
        assert sum(part.summarise(asked, 0).n for part in parts) == 4
    assert places[0] == places[1] == [[], [], [2], [0, 1, 3]]


def test_a_column_without_entries_is_all_missing(engine: str) -> None:
    """Its type says nothing, so it may be asked for numbers and for text, as in memory."""
    if engine == "duckdb" and optional("duckdb").__version__.startswith("1."):
        # Reason: DuckDB before 2.0 declares such a column as one of integers.
        pytest.skip("this DuckDB has no type for a column without entries")
    data = pa.table({"v": pa.nulls(3), "w": [1, 2, 3]})
    statistics: list[Any] = [
        ln.Count("v"),
        ln.Median("v", bounds=(0, 10)),
        ln.Median("v", bounds=(0, 10), missing=4),
        ln.Variance("v", bounds=(0, 10)),
        ln.Histogram("v", categories=["a", "b"]),
        ln.Histogram("v", bins=[0, 1]),
        ln.MeanAbsoluteError("v", "w", bounds=(0, 10)),
    ]
    for statistic in statistics[:: 3 if engine == "spark" else 1]:
        found: list[Any] = []
        for source in (data, on_engine(engine, data)):
            p = plan(statistic, source, "add-remove", None)
            found.append(p.table.summarise(p.request, 4))
        assert found[0] == found[1], statistic
    table = open_table(on_engine(engine, data))
    for condition, kept in (
        (col("v") > 1, []),
        (~(col("v") > 1), []),
        (col("v") == "a", []),
        (col("v").is_in([1, 2]), []),
        (col("v").is_missing(), [1, 2, 3]),
    ):
        subset = Subset().filtered(condition)
        check_subset(table, subset)
        (part,) = split(table, subset, active())
        assert sorted(part.column("w").values.tolist()) == kept, str(condition)
    for keys in (["a"], [1, 2]):
        subset = Subset().grouped({"v": keys}, None)
        check_subset(table, subset)
        assert sum(part.row_count() for part in split(table, subset, active())) == 0


@pytest.mark.parametrize("front", [f for f in FRONTS if "128 bits" in f])
def test_integers_of_128_bits_are_exact_or_refused(front: str, tmp_path: Path) -> None:
    """They are read in 64 bits; a number that some of them would pass for is refused unread."""
    huge = 10**6
    with ln.open(wide(front, tmp_path), relation="add-remove") as data:
        kept = data.where(col("id") > 2**63 - 2)
        assert kept.release(ln.Count(), epsilon=huge).value == 4
        assert data.where(col("id") == 5).release(ln.Count(), epsilon=huge).value == 2
        top = data.release(ln.Maximum("id", bounds=(0, 2**63 - 1)), epsilon=huge)
        assert top.value == 2**63 - 1
        refused: list[Callable[[], Any]] = [
            lambda: data.where(col("id") == 2**63 - 1).release(ln.Count(), epsilon=1),
            lambda: data.where(col("id") < 2**71).release(ln.Count(), epsilon=1),
            lambda: data.group_by({"id": [5, 2**70]}).release({"n": ln.Count()}, epsilon=1),
            lambda: data.release(ln.Sum("id", bounds=(0, 2**70)), epsilon=1),
            lambda: data.release(ln.Histogram("id", categories=[5, 2**70]), epsilon=1),
            lambda: data.release(ln.Histogram("id", bins=[0, 2**64, 2**80]), epsilon=1),
            lambda: data.release(ln.MeanSquaredError("id", "v"), epsilon=1),
            lambda: data.release(ln.PrivateKeys("id", delta="1e-6"), epsilon=1),
            lambda: data.release(ln.Median("id", bounds=ln.PrivateBounds()), epsilon=1),
        ]
        for release in refused:
            with pytest.raises(ln.errors.ColumnTypeError, match="read in 64 bits"):
                release()


def test_rows_of_many_groups_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mean of each of many groups takes its count from the query that adds them all up.

    All rows are counted once; once more where the noisy count has limits searched for.
    """
    count, asked = numbers.row_count, list[object]()

    def counted(*given: Any) -> int:
        asked.append(given)
        return count(*given)

    monkeypatch.setattr(numbers, "row_count", counted)
    optional("polars")
    import polars as pl

    frame = pl.LazyFrame({"x": [float(i % 90) for i in range(300)], "g": list(range(30)) * 10})
    with ln.open(frame) as opened:
        opened.group_by({"g": range(30)}).release(ln.Mean("x", bounds=(0, 100)), epsilon=1)
    assert len(asked) <= 2


ASKED: dict[str, Any] = {
    "mean": lambda name: ln.Mean(name, bounds=(-5, 60)),
    "wide mean": lambda name: ln.Mean(name, bounds=(-1e9, 1e9)),
    "sum": lambda name: ln.Sum(name, bounds=(-5, 60)),
    "median": lambda name: ln.Median(name, bounds=(-5, 60), missing=7),
    "any median": lambda name: ln.Median(name, bounds=ln.PrivateBounds()),
    "variance": lambda name: ln.Variance(name, bounds=(-5, 60)),
    "count": lambda name: ln.Count(name),
}


@pytest.mark.parametrize("engine", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("name", ["single", "cents", "short", "unsigned", "truth", "gaps"])
def test_a_column_of_persons_that_is_read_once_gives_what_queries_give(
    name: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(20, 9, 900)
    columns = {
        "single": pa.array(values.astype(np.float32)),
        "cents": pa.array([decimal.Decimal(round(100 * x)) / 100 for x in values.tolist()]),
        "short": pa.array(values.astype(np.int8)),
        "unsigned": pa.array(np.abs(values).astype(np.uint64) * 2**60),
        "truth": pa.array(values > 20),
        "gaps": pa.array([x if x > 12 else None if x > 8 else math.nan for x in values.tolist()]),
    }
    table = pa.table({"who": rng.integers(0, 300, 900), name: columns[name]})
    made: list[dict[str, Any]] = []
    for most in (None, -1):
        data = on_engine(engine, table)
        if most is not None:
            monkeypatch.setattr(type(open_table(data).engine), "most_held", most)
        for what in ASKED.values():
            with simulate(seed=1), ln.open(data, unit="who", max_rows=2) as opened:
                made.append(opened.release(what(name), epsilon=1).to_dict())
    assert made[: len(ASKED)] == made[len(ASKED) :]


def test_whole_numbers_of_any_length_are_read() -> None:
    arrow = optional("pyarrow")
    for entries in ([1, None, -(2**63), 2**63 - 1], [1, None, -(2**90), 2**90]):
        column = arrow.chunked_array([arrow.array(entries, arrow.decimal128(38, 0))] * 2)
        series = nw.from_native(column, series_only=True)
        assert arrow_wholes(series) == [entry or 0 for entry in entries] * 2
