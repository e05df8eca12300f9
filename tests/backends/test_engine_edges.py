"""Tables at the edge: repeated names, groups without rows, numbers at the ends of their types."""

from __future__ import annotations

from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.subsets import split
from leastnoise.frames.summarise import summarise
from leastnoise.randomness import active
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset
from support.engines import ENGINES, keep_open, on_engine, spark

pa = pytest.importorskip("pyarrow")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return request.param


QUERY = "SELECT i AS id, 1000 + i AS pay, i AS id, i % 5 AS person, 'a' || i AS t FROM rows"


def joined(engine: str) -> Any:
    """A table whose first name is repeated, as a join leaves it."""
    if engine == "duckdb":
        connection = keep_open(pytest.importorskip("duckdb").connect())
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
    for statistic in GROUPED:
        for depth in (0, 5, None):
            found: list[list[Any]] = []
            for data in (table, held):
                made = plan(statistic, data, "add-remove", None, subset=subset)
                parts = split(made.table, subset, active())
                found.append([summarise(part, made.request, depth) for part in parts])
            assert found[0] == found[1], (statistic, depth)
