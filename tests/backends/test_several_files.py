"""Files that a pattern names are one table: whatever reads them, and only where they are alike."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import DataFileError, ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.testing import simulate
from support.fronts import only_library
from support.optional import optional

_DAY = date(2024, 2, 28)
ROWS: dict[str, list[Any]] = {
    "x": [None if i % 5 == 2 else i for i in range(20)],
    "t": [None if i % 7 == 3 else f"{'ab'[i % 2]}{i % 3}" for i in range(20)],
    "d": [date.fromordinal(_DAY.toordinal() + i % 4) for i in range(20)],
}
LIMITS = (date(2024, 1, 1), date(2025, 1, 1))


def _written(folder: Path, kind: str, cuts: tuple[int, ...] = (0, 7, 7, 20)) -> str:
    """The rows in three files, of which the second has none."""
    folder.mkdir(exist_ok=True)
    pa = optional("pyarrow")
    types = {"x": pa.int32(), "t": pa.string(), "d": pa.date32()}
    whole = pa.table({name: pa.array(ROWS[name], of) for name, of in types.items()})
    for i, (start, stop) in enumerate(pairwise(cuts)):
        part, path = whole.slice(start, stop - start), folder / f"t-{i}.{kind}"
        if kind == "parquet":
            optional("pyarrow.parquet").write_table(part, path)
            continue
        rows = zip(*(part.column(name).to_pylist() for name in types), strict=True)
        lines = [",".join("" if x is None else str(x) for x in row) for row in rows]
        path.write_text("\n".join(["x,t,d", *lines, ""]), encoding="utf-8")
    return str(folder / f"t-*.{kind}")


def _whole(folder: Path, kind: str) -> str:
    """The rows in one file."""
    return _written(folder / "whole", kind, (0, 20)).replace("*", "0")


def _released(data: Any, **how: Any) -> Any:
    wanted = {
        "n": ln.Count(),
        "x": ln.Median("x", bounds=(0, 20), step=1),
        "s": ln.Sum("x", bounds=(0, 20), step=1),
        "t": ln.CountDistinct("t"),
        "d": ln.Maximum("d", bounds=LIMITS),
    }
    where = ln.col("t").is_in(["a0", "b0", "a2"])
    with ln.open(data, relation="add-remove", **how) as opened, simulate(3):
        made = opened.release(wanted, epsilon=9)
        grouped = opened.where(where).group_by({"t": ["a0", "b0"]}).release(ln.Count(), epsilon=9)
        return {name: one.value for name, one in made.items()}, [r.value for r in grouped.values()]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_rows_of_all_files_are_those_of_one_table(kind: str, tmp_path: Path) -> None:
    assert _released(_written(tmp_path, kind)) == _released(_whole(tmp_path, kind))


@pytest.mark.parametrize("library", ["pyarrow", "polars", "duckdb"])
def test_every_library_reads_several_parquet_files(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    optional(library)
    pattern, whole = _written(tmp_path, "parquet"), _whole(tmp_path, "parquet")
    only_library(monkeypatch, library)
    assert _released(pattern) == _released(whole)


@pytest.mark.parametrize(
    ("library", "place"),
    [
        *(("pyarrow", place) for place in range(3)),
        *((library, 2) for library in ("polars", "duckdb", "polars lazy", "duckdb lazy")),
    ],
)
def test_one_file_with_missing_entries_among_others_without(
    library: str, place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file declares that entries may be missing, those of no other file are."""
    pa = optional("pyarrow")
    library, _, lazy = library.partition(" ")
    optional(library)
    for i in range(3):
        field = pa.field("x", pa.int64(), nullable=i == place)
        entries = pa.array([9, None if i == place else 9, 9], pa.int64())
        part = pa.Table.from_arrays([entries], schema=pa.schema([field]))
        optional("pyarrow.parquet").write_table(part, tmp_path / f"t{i}.parquet")
    if not lazy:
        only_library(monkeypatch, library)
    how = {"engine": library} if lazy else {}
    with ln.open(str(tmp_path / "t*.parquet"), relation="add-remove", **how) as opened, simulate(2):
        there = ~ln.col("x").is_missing()
        assert opened.release(ln.Sum("x", bounds=(0, 9), missing="drop"), epsilon=10**6).value == 72
        assert opened.where(there).release(ln.Count(), epsilon=10**6).value == 8


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_engines_read_several_parquet_files(engine: str, tmp_path: Path) -> None:
    optional(engine)
    pattern, whole = _written(tmp_path / "it's", "parquet"), _whole(tmp_path, "parquet")
    assert _released(pattern, engine=engine) == _released(whole, engine=engine)


def test_the_rows_of_a_person_may_stand_in_several_files(tmp_path: Path) -> None:
    pattern = _written(tmp_path, "csv")
    for data in (pattern, ROWS):
        with ln.open(data, relation="add-remove", unit="t", max_rows=2) as opened, simulate(1):
            assert opened.release(ln.Count(), epsilon=10**4).value == 12


def test_files_of_other_columns_are_refused(tmp_path: Path) -> None:
    pattern = _written(tmp_path, "csv")
    (tmp_path / "t-9.csv").write_text("x,t\n1,a\n", encoding="utf-8")
    with pytest.raises(SchemaError, match=r"^t-9.csv has columns 'x', 't', and t-0.csv has"):
        open_table(pattern)
    with pytest.raises(SchemaError, match="only if each has a line of names"):
        open_table(pattern, header=False)
    pattern = _written(tmp_path, "parquet")
    pq, pa = optional("pyarrow.parquet"), optional("pyarrow")
    pq.write_table(pa.table({"x": [1.5], "t": ["a"], "d": [_DAY]}), tmp_path / "t-9.parquet")
    for how in ({}, {"engine": "polars"}, {"engine": "duckdb"}):
        with pytest.raises(SchemaError, match=r"t-0.parquet has 'x' \w+, t-9\.parquet has 'x'"):
            ln.open(pattern, **how)
    with pytest.raises(DataFileError, match=r"of several formats, \.csv, \.parquet"):
        open_table(str(tmp_path / "t-*"))
    with pytest.raises(DataFileError, match=r"no file that the pattern .*z\*.csv' matches"):
        ln.open(tmp_path / "z*.csv")
    for name in ("a.duckdb", "b.duckdb"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ParameterError, match="a database is opened by itself"):
        ln.open(str(tmp_path / "*.duckdb"), engine="duckdb", source="t")


def test_a_name_that_is_there_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "a[1].csv").write_text("x\n1\n", encoding="utf-8")
    (tmp_path / "a1.csv").write_text("x\n1\n2\n", encoding="utf-8")
    assert open_table(str(tmp_path / "a[1].csv")).row_count() == 1
