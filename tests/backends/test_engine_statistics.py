"""What a file, a table or a frame says of its rows decides no answer: engines look at the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset, Unit
from support.answers import ASKED, EXPECTED, PLAIN, SOME, TABLE, answers, plain
from support.engines import ENGINES, keep_open, on_engine, spark
from support.footers import (
    LARGEST,
    by_arrow,
    by_duckdb,
    by_polars,
    in_order,
    with_empty_groups,
    wrong,
)
from support.fronts import only_library
from support.optional import optional

pa = optional("pyarrow")

FILES: dict[str, Callable[[Any, Path], None]] = {
    "arrow": by_arrow(),
    "arrow, plain": by_arrow(use_dictionary=False, compression="none", write_page_index=True),
    "arrow, no statistics": by_arrow(write_statistics=False, compression="zstd"),
    "arrow, pages": by_arrow(data_page_version="2.0", compression="gzip", data_page_size=256),
    "polars": by_polars,
    "duckdb": by_duckdb,
    "in order": in_order,
    "empty groups": with_empty_groups,
    "wrong": wrong,
}


def read(engine: str, path: Path) -> Any:
    """The file as an engine reads it."""
    return spark().read.parquet(str(path)) if engine == "spark" else open_table(path, engine=engine)


def test_the_rows_tell_engines_apart() -> None:
    """Each statistic sees the one row, or NaN, that statistics do not tell of."""
    one_less = TABLE.filter(np.array(TABLE["k"].to_numpy() != LARGEST["k"]))
    assert answers(one_less, ["filter", "numbers", "groups of numbers", "maximum"]) != EXPECTED


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("kind", list(FILES))
def test_files(kind: str, engine: str, tmp_path: Path) -> None:
    optional(engine)
    FILES[kind](TABLE, tmp_path / "t.parquet")
    asked = list(ASKED) if kind == "wrong" else SOME
    found = answers(read(engine, tmp_path / "t.parquet"), asked)
    assert found == {name: EXPECTED[name] for name in asked}


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize("kind", list(FILES))
def test_all_of_files(kind: str, engine: str, tmp_path: Path) -> None:
    optional(engine)
    FILES[kind](TABLE, tmp_path / "t.parquet")
    assert answers(read(engine, tmp_path / "t.parquet"), list(ASKED)) == EXPECTED


@pytest.mark.parametrize("kind", ["wrong"])
def test_files_by_spark(kind: str, tmp_path: Path) -> None:
    FILES[kind](TABLE.drop(["u"]), tmp_path / "t.parquet")
    found = answers(read("spark", tmp_path / "t.parquet"), SOME)
    assert found == {name: EXPECTED[name] for name in SOME}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", list(FILES))
def test_all_files_by_spark(kind: str, tmp_path: Path) -> None:
    FILES[kind](TABLE.drop(["u"]), tmp_path / "t.parquet")
    some = [name for name in ASKED if name != "persons"]
    found = answers(read("spark", tmp_path / "t.parquet"), some)
    assert found == {name: EXPECTED[name] for name in some}


@pytest.mark.parametrize("writer", [by_arrow(), by_polars, by_duckdb])
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_one_row_counts_as_one(
    writer: Callable[[Any, Path], None], engine: str, tmp_path: Path
) -> None:
    """With the last row missing or NaN, the statistics of the file tell of no NaN, or of one."""
    optional(engine)
    for last, there in ((3.0, 3), (None, 2), (math.nan, 2), (-math.inf, 3)):
        table = pa.table({"x": pa.array([1.0, 2.0, *[math.nan] * 400, last])})
        writer(table, tmp_path / "t.parquet")
        held = read(engine, tmp_path / "t.parquet")
        assert answers(held, ["count"])["count"] == [[there]]
        p = plan(ln.Sum("x", bounds=(0, 10)), held, "add-remove", None)
        assert p.table.summarise(p.request, 0).n == there


def test_tables_of_a_database(tmp_path: Path) -> None:
    """Statistics of a table stay as wide as its rows once were, and leave out NaN."""
    duckdb = optional("duckdb")
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.register("rows", TABLE)
        connection.execute("CREATE TABLE t AS FROM rows")
        connection.execute("INSERT INTO t SELECT * REPLACE (999 AS k, 1e9 AS x) FROM rows")
        connection.execute("CHECKPOINT")
        connection.execute("DELETE FROM t WHERE k = 999")
        connection.execute("UPDATE t SET x = x, s = s WHERE u = 1")
        connection.execute("CREATE VIEW v AS SELECT * FROM t ORDER BY x")
        assert answers(connection.table("v"), SOME) == {name: EXPECTED[name] for name in SOME}
    held = open_table(tmp_path / "t.duckdb", engine="duckdb", source="t")
    assert answers(held, list(ASKED)) == EXPECTED


def test_frames_that_are_said_to_be_in_order() -> None:
    pl = optional("polars")
    for descending in (False, True):
        frame = pl.from_arrow(TABLE).with_columns(pl.all().set_sorted(descending=descending))
        assert answers(frame.lazy(), list(ASKED)) == EXPECTED


def test_a_frame_with_objects() -> None:
    pl = optional("polars")
    frame = pl.DataFrame({"o": [object(), object()], "x": pl.Series([2.0, 1.0]).set_sorted()})
    p = plan(ln.Median("x", bounds=(0, 10)), frame.lazy(), "add-remove", None)
    assert p.table.summarise(p.request, 1).n == 2


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_encrypted_files_are_refused_at_no_charge(engine: str, tmp_path: Path) -> None:
    optional(engine)
    path = tmp_path / "t.parquet"
    by_arrow()(TABLE, path)
    path.write_bytes(b"PARE" + path.read_bytes()[4:-4] + b"PARE")
    with pytest.raises(SchemaError, match="could not open the table"):
        open_table(path, engine=engine)


MACROS = ["isnan(x) AS false", "hash(x) AS 1", "trim(a, b) AS 'q'", '"+"(a, b) AS 0']


@pytest.mark.parametrize("macro", MACROS)
def test_macros_in_the_place_of_functions_are_refused(macro: str, tmp_path: Path) -> None:
    """Queries would call them, and they may do anything."""
    duckdb = optional("duckdb")
    path, name = tmp_path / "t.duckdb", macro.partition("(")[0].strip('"')
    connection = keep_open(duckdb.connect(path))
    connection.execute("CREATE TABLE t AS SELECT 1.5 AS x")
    connection.execute(
        "CREATE MACRO mine(x) AS x + 1; CREATE MACRO list(x) AS [x]; DROP MACRO list"
    )
    with ln.open(connection, source="t") as data:
        assert data.release(ln.Count("x"), epsilon=10**6).value == 1
    for kind in ("", "TEMP "):
        connection.execute(f"CREATE {kind}MACRO {macro}")
        for make in (lambda: connection.table("t"), lambda: connection.sql("SELECT 2.5 AS x")):
            with pytest.raises(ParameterError, match="take the place") as caught:
                open_table(make())
            assert name in str(caught.value)
        connection.execute(f'DROP MACRO "{name}"')
    connection.execute(f"CREATE MACRO {macro}")
    connection.close()
    with pytest.raises(ParameterError, match="take the place"):
        open_table(path, engine="duckdb", source="t")


LIMITS: list[tuple[Any, Any]] = [
    ((2**53 + 1, 2**53 + 9), 1),
    ((1354761244566112, 1354761244610141), "0.7"),
    ((-545117960058608490645905473533, -545117960058608490645904534072), 1),
    ((-14163338065195351307, -14163338065195240406), "1/1024"),
    ((8855302732776639, 8855302734274641), 3),
    ((-(10**200), 10**200), None),
    ((0, Fraction(3, 10)), None),
]


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "spark"])
@pytest.mark.parametrize(("bounds", "step"), LIMITS)
def test_numbers_at_the_limits_and_beyond(bounds: Any, step: Any, engine: str) -> None:
    """Also where doubles cannot hold the limits: sum and extremes are of the same numbers."""
    low, high = (float(Fraction(end)) for end in bounds)
    x = [math.inf, -math.inf, 1e308, -1e308, 0.0]
    for end in (low, high):
        near = [end * (1 + i * 2.0**-52) for i in range(-5, 6)]
        x += [end, *near, *(end + i * (high - low) / 16 for i in range(-20, 21))]
    table = pa.table({"x": x})
    p, q = (
        plan(ln.Sum("x", bounds=bounds, step=step), data, "add-remove", None)
        for data in (table, on_engine(engine, table))
    )
    expected = p.table.summarise(p.request, len(x))
    assert plain(q.table.summarise(q.request, len(x))) == plain(expected)
    assert expected.total == sum(expected.smallest)


def text_of(entries: list[bytes | None]) -> Any:
    """Text as a faulty writer makes it: nobody has looked whether it is UTF-8."""
    plain = pa.array(entries * 40, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(plain), plain.buffers(), plain.null_count)


TEXTS: dict[str, Any] = {
    "texts": ln.Histogram("s", categories=["a", "zz"]),
    "filtered": ln.Count(),
    "distinct": ln.CountDistinct("s"),
    "keys": ln.PrivateKeys("s", delta="1e-6"),
    "groups": ln.Sum("x", bounds=(0, 10)),
}


def of_texts(data: Any) -> dict[str, Any]:
    """What is read of the entries that are text."""
    persons = Subset(unit=Unit("s", 240))
    subsets = {
        "filtered": Subset(where=(ln.col("s") == "zz") | (ln.col("s") == "a")),
        "keys": persons,
        "groups": PLAIN.grouped({"s": ["a", "zz"]}, None),
    }
    found: dict[str, Any] = {}
    for name, statistic in TEXTS.items():
        subset = subsets.get(name, PLAIN)
        p = plan(statistic, data, "add-remove", None, subset=subset)
        parts = [p.table] if subset == PLAIN else split(p.table, subset, active())
        found[name] = [plain(part.summarise(p.request, 0)) for part in parts]
    return found


@pytest.mark.parametrize("engine", [*ENGINES, "file by duckdb"])
def test_text_that_is_no_utf8(engine: str, tmp_path: Path) -> None:
    """It is missing or another text, and the query goes on; DuckDB believed it and was then dead,
    and refused a file while it read.
    """
    entries = [b"a", None, b" zz", b"caf\xc3\xa9"]
    broken = [b"b\xff", b"\xed\xa0\x80", b"b\xc0"]
    x = pa.array([float(i % 7) for i in range(280)])
    table = pa.table({"s": text_of([*entries, *broken]), "x": x})
    if engine == "file by duckdb":
        duckdb = optional("duckdb")
        if int(duckdb.__version__.partition(".")[0]) < 2:
            pytest.skip("before version 2, DuckDB refuses such text while it reads a file")
        by_arrow()(table, tmp_path / "t.parquet")
        found = of_texts(read("duckdb", tmp_path / "t.parquet"))
    else:
        found = of_texts(on_engine(engine, table))
    expected = of_texts(table)
    kept = {"a": 1, "zz": 1, "caf\u00e9": 1}
    counts = [{key: found["keys"][0][0][key] for key in kept}]
    assert counts == [kept]
    for name in ("texts", "filtered", "groups"):
        assert found[name] == expected[name]
    assert 3 <= found["distinct"][0][0] <= 6


def test_bounds_between_two_doubles_are_refused() -> None:
    """Numbers that far from the limits had no place on the lattice."""
    for statistic in (ln.Sum, ln.Median, ln.Variance):
        with pytest.raises(ParameterError, match="too far from 0"):
            ln.release(statistic("x", bounds=(10**40 + 1, 10**40 + 2)), {"x": [1.0]}, epsilon=1)


def test_a_repeated_name_is_refused_where_it_is_asked_for(tmp_path: Path) -> None:
    """DuckDB numbers it, and takes large and small letters for the same; others read the first."""
    path = tmp_path / "t.parquet"
    columns = [pa.array([value]) for value in (1.0, 2.0, 4.0, 8.0)]
    table = pa.Table.from_arrays(columns, names=["v", "v", "v_1", "V"])
    by_arrow()(table, path)
    for library in ("pyarrow", "duckdb", None):
        with pytest.MonkeyPatch.context() as patch:
            if library is not None:
                optional(library)
                only_library(patch, library)
            held = open_table(path, engine=None if library else "duckdb")
            assert held.column_names() == ("v", "v", "v_1", "V")
            for name, total in (("v_1", 4), ("V", 8)):
                p = plan(ln.Sum(name, bounds=(0, 9), step=1), held, "add-remove", None)
                assert p.table.summarise(p.request, 0).total == total
            with pytest.raises(SchemaError, match="column v appears twice"):
                plan(ln.Sum("v", bounds=(0, 9)), held, "add-remove", None)
    optional("duckdb")
    held = open_table(on_engine("duckdb", table.select([0, 2])))
    assert held.column_names() == ("v", "v_1")


def test_polars_opens_no_file_with_a_repeated_name(tmp_path: Path) -> None:
    pl = optional("polars")
    if int(pl.__version__.partition(".")[0]) < 2:
        pytest.skip("before version 2, Polars does not tell that a name is repeated")
    path = tmp_path / "t.parquet"
    by_arrow()(pa.Table.from_arrays([pa.array([1])] * 2, names=["v", "v"]), path)
    with pytest.raises(SchemaError, match="without repeated column names"):
        open_table(path, engine="polars")
    with pytest.MonkeyPatch.context() as patch:
        only_library(patch, "polars")
        with pytest.raises(SchemaError, match="cannot be read"):
            open_table(path)
