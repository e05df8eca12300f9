"""What ``leastnoise.open`` refuses at once: paths that are no file, and options that are none."""

from __future__ import annotations

import ctypes
import io
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.accounting import Ledger
from leastnoise.errors import (
    DataFileError,
    LeastNoiseError,
    ParameterError,
    ParameterTypeError,
    SchemaError,
)
from support.commands import in_process
from support.optional import optional

TEXT = "age,pay\n30,1\n31,2\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in (
        "pay.csv",
        "a[1].csv",
        "pay.xlsx",
        "pay.zip",
        "pay.dat",
        "pay",
        "pay.duckdb",
        *OTHERS,
    ):
        Path(name).write_text(TEXT, encoding="utf-8")
    Path("folder.csv").mkdir()
    return tmp_path


OTHERS = ("pay.jsonl", "pay.feather", "pay.pkl", "pay.sas7bdat")
PATHS = [
    ("none.csv", "there is no file 'none.csv'; give one that exists"),
    ("nowhere/pay.csv", "there is no file 'nowhere/pay.csv'"),
    ("folder.csv", "'folder.csv' is a folder; give one of its files"),
    (".", "'.' is a folder"),
    ("no*.csv", r"no file that the pattern 'no\*.csv' matches"),
    ("pay*", r"are of several formats, .*: give a pattern of one of them"),
    ("pay.xlsx", "save the sheet as CSV"),
    ("pay.zip", "unpack it, or pack it as .csv.gz"),
    ("pay.dat", "'.dat' is not known; rename it.*or give separator="),
    ("pay", "'no extension' is not known"),
    ("pay.duckdb", "needs engine='duckdb' and source="),
    ("pay.jsonl", r"pandas\.read_json\(path\), with lines=True"),
    ("pay.feather", r"pyarrow\.feather\.read_table"),
    ("pay.pkl", r"pandas\.read_pickle\(path\), if you trust"),
    ("pay.sas7bdat", r"pandas\.read_sas"),
    ("~/pay.csv", r"~ is not expanded; give os\.path\.expanduser\('~/pay\.csv'\)"),
    ("https://example.com/pay.csv", "an address is not fetched; save it to a file first"),
    ("s3://bucket/pay.parquet", "an address is not fetched"),
    ("SELECT * FROM pay", r"SQL; give the path of the data, and ask data\.sql"),
    ("pay\n1\n2\n", "several lines; save them to a file"),
    ("a\0b", "there is no file"),
    ("", "there is no file ''"),
]


@pytest.mark.parametrize(("name", "cure"), PATHS)
def test_a_path_that_is_no_file_is_refused_when_it_is_opened(name: str, cure: str) -> None:
    path = Path("pay.db")
    Ledger.create(path, dataset="pay", budget=ln.PureDP(1)).close()
    for data in (name, Path(name)) if name else (name,):
        for ledger in ({}, {"ledger": path, "dataset": "pay"}):
            with pytest.raises(DataFileError, match=cure) as caught:
                ln.open(data, **ledger)
            assert isinstance(caught.value, ParameterError)
            assert isinstance(caught.value, SchemaError)
            assert caught.value.__cause__ is None
    with closing(Ledger.open(path)) as opened:
        assert opened.spent.epsilon == 0
        assert [entry.kind for entry in opened.history] == ["create"]


@pytest.mark.parametrize(("name", "cure"), [case for case in PATHS if case[0].isprintable()])
def test_the_command_line_says_the_same_in_one_line(
    name: str, cure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = (
        ("release", name, "--stat", "count", "--epsilon", "1"),
        ("inspect", name),
        ("compare", name, "--public", "--stat", "count"),
    )
    for words in commands:
        done = in_process(capsys, *words)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error: ")
        assert "Traceback" not in done.err
        assert repr(name) in done.err or name in done.err
        assert "engine=" not in done.err  # options are written as on a command line
        assert any(word in done.err for word in ("give", "save", "unpack", "needs --engine"))


OPTIONS = [
    ("seperator", "did you mean separator=?"),
    ("sep", "did you mean separator=?"),
    ("delimiter", "did you mean separator=?"),
    ("skiprows", "did you mean skip_rows=?"),
    ("skip", "did you mean skip_rows=?"),
    ("comment_prefix", "did you mean comment=?"),
    ("has_header", "did you mean header=?"),
    ("Encoding", "did you mean encoding=?"),
    ("maxrows", "did you mean max_rows=?"),
    ("relaton", "did you mean relation=?"),
    ("weigths", "did you mean weights=?"),
    ("frobnicate", "there is no parameter frobnicate=."),
]
LISTED = (
    "separator=, decimal=, thousands=, encoding=, header=, skip_rows=, skip_after_header=, "
    "comment=, multiline=, missing_values=, engine=, source="
)


@pytest.mark.parametrize(("name", "hint"), OPTIONS)
@pytest.mark.parametrize("data", ["pay.csv", [1, 2], {"v": [1]}, np.zeros((2, 2)), "none.csv"])
def test_an_unknown_option_is_named_with_the_nearest(data: object, name: str, hint: str) -> None:
    options: dict[str, Any] = {name: 1}
    median = ln.Median(bounds=(0, 1))
    for refused in (
        lambda: ln.open(data, **options),
        lambda: ln.release(median, data, epsilon=1, **options),
        lambda: ln.profile(median, data, **options),
    ):
        with pytest.raises(ParameterError) as caught:
            refused()
        told = str(caught.value)
        assert told.startswith(f"there is no parameter {name}=")
        assert hint in told
        assert LISTED in told


@pytest.mark.parametrize("name", ["epsilon", "where", "mechanism", "weights", "purpose", "reuse"])
def test_parameters_of_release_are_told(name: str) -> None:
    options: dict[str, Any] = {name: None}
    with pytest.raises(ParameterError, match=f"{name}= is not a parameter of leastnoise.open: "):
        ln.open("pay.csv", **options)


@pytest.mark.parametrize(
    ("data", "options", "kind", "cure"),
    [
        ("pay.csv", {"separator": "ab"}, ParameterError, "separator must be one character"),
        ("pay.csv", {"encoding": "klingon"}, ParameterError, "not a text encoding"),
        ("pay.csv", {"header": "no"}, ParameterTypeError, "header must be True or False"),
        ("pay.csv", {"decimal": "ab"}, ParameterError, "decimal must be one character"),
        ("pay.csv", {"engine": "duckdb"}, ParameterError, "leave the engine out"),
        ("pay.csv", {"engine": "spark"}, ParameterError, "'duckdb' or 'polars', got 'spark'"),
        ("pay.csv", {"source": "t"}, ParameterError, "source= needs engine='duckdb'"),
        (
            [1],
            {"separator": ";"},
            ParameterError,
            "for text files, and a list is one column of entries.*Paths in a list are entries",
        ),
        ([1], {"engine": "duckdb"}, ParameterError, "engine= is for files"),
        (np.zeros((2, 2)), {"source": "t"}, ParameterError, "source= names a table of a DuckDB"),
        ([1], {"decimal": ""}, ParameterError, "decimal must be one character"),
        ([1], {"missing": "oops"}, ParameterError, 'missing must be "drop", "none" or a number'),
        ([1], {"table": " "}, ParameterError, "table must not be blank"),
        ([1], {"table": None}, ParameterTypeError, "table must be text"),
        (5, {}, ParameterTypeError, "data is one value of type int, not a column"),
        ({"a": [1], "b": [1, 2]}, {}, SchemaError, "differ in length"),
        (b"pay.csv", {}, ParameterTypeError, "bytes is not read"),
    ],
)
def test_options_and_data_that_cannot_be_used_are_refused_at_once(
    data: object, options: dict[str, Any], kind: type[Exception], cure: str
) -> None:
    with pytest.raises(kind, match=cure):
        ln.open(data, **options)


def test_files_and_queries_that_engines_cannot_open() -> None:
    pl, duckdb = optional("polars"), optional("duckdb")
    Path("broken.parquet").write_bytes(b"PAR1")
    made = duckdb.connect()
    cases: list[tuple[Any, dict[str, Any]]] = [
        (pl.scan_parquet("none*.parquet"), {}),
        (pl.scan_csv("none.csv"), {}),
        ("broken.parquet", {}),
        ("broken.parquet", {"engine": "duckdb"}),
        ("broken.parquet", {"engine": "polars"}),
        ("pay.duckdb", {"engine": "duckdb", "source": "t"}),
        (made, {"source": "none"}),
        (made, {}),
    ]
    for data, options in cases:
        with pytest.raises(LeastNoiseError):
            ln.open(data, **options)


# How a file begins, under which name, and the cure.
BEGUN = [
    (b"", "a.parquet", "it is empty: wait until it is written"),
    (b"PAR1\0\0", "a.parquet", "damaged or incomplete: wait until it is written"),
    (b"\x1f\x8b\x08", "a.parquet", "begins like gzip: unpack it"),
    (b"ARROW1\0\0", "a.parquet", "begins like Arrow: write it as Parquet"),
    (b"age,pay\n1,2\n", "a.parquet", "another format: name it .csv if it is text"),
    (b"\x80\x04\x95\x00", "a.csv", r"a pickle, which is not text: give the frame.*read_pickle"),
    (b"\x93NUMPY\x01", "a.csv", "what numpy.load makes of it"),
    (b"Obj\x01", "a.csv", "polars.read_avro"),
]


@pytest.mark.parametrize(("first", "name", "cure"), BEGUN)
def test_a_file_under_another_name_is_told_what_it_is(first: bytes, name: str, cure: str) -> None:
    optional("pyarrow")
    Path(name).write_bytes(first)
    with pytest.raises(SchemaError, match=cure), ln.open(name) as data:
        data.release(ln.Count("pay"), epsilon=1)


def test_lines_of_json_are_told() -> None:
    Path("j.csv").write_text('{"pay":1.0,"day":"a"}\n' * 3, encoding="utf-8")
    with (
        pytest.raises(SchemaError, match=r"is the file JSON\? .*read_json"),
        ln.open("j.csv") as data,
    ):
        data.release(ln.Count("pay"), epsilon=1)


def test_objects_that_are_no_tables_are_told_what_to_give() -> None:
    pd, pa = optional("pandas"), optional("pyarrow")
    frame = pd.DataFrame({"pay": [1.0, 2.0]})
    cases = [
        (io.BytesIO(b"pay\n1\n"), "give its path, or the frame that pandas.read_csv makes"),
        (io.StringIO("pay\n1\n"), "give its path, or the frame"),
        (b"pay.csv", r"bytes is not read; give a path as text, os\.fsdecode"),
        (frame.groupby("pay"), "the frame itself, and declare the groups"),
        (sqlite3.connect(":memory:"), r"pandas\.read_sql"),
        (pa.table(frame).to_reader(), r"data\.read_all\(\)"),
    ]
    for data, cure in cases:
        with pytest.raises(ParameterTypeError, match=cure):
            ln.open(data)
    with (
        pytest.raises(SchemaError, match=r"pandas\.DataFrame\(data\)"),
        ln.open([{"a": 1}]) as data,
    ):
        data.release(ln.Count("pay"), epsilon=1)


def test_a_query_whose_table_or_file_is_gone_says_so() -> None:
    pl, duckdb = optional("polars"), optional("duckdb")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1.0 AS pay")
    dropped = connection.table("t")
    connection.execute("DROP TABLE t")
    Path("gone.csv").write_text(TEXT, encoding="utf-8")
    gone = connection.sql("SELECT * FROM 'gone.csv'")
    Path("gone.csv").unlink()
    for query, cure in (
        (dropped, "the query names is not there any more"),
        (gone, "is not there, or is damaged"),
        (pl.scan_csv("gone.csv"), "file that the query reads is not there"),
    ):
        with pytest.raises(SchemaError, match=cure), ln.open(query) as data:
            data.release(ln.Count("pay"), epsilon=1)


def test_opening_runs_no_query() -> None:
    made = optional("duckdb").connect()
    broken = made.sql("SELECT error('a row was read') AS v FROM range(9)")
    with ln.open(broken) as data, pytest.raises(SchemaError):
        data.release(ln.Count("v"), epsilon=1)


def test_what_may_be_a_graph_is_left_to_the_statistic() -> None:
    edges = {"e.edges": "0 1\n1 2\n", "e.txt": "# a graph\n0 1\n1 2\n", "e.csv": "0,1\n1,2\n"}
    for name, text in edges.items():
        Path(name).write_text(text, encoding="utf-8")
        with ln.open(name) as data:
            found = data.release(ln.EdgeCount(nodes=3), epsilon=10**6)
        assert found.value == 2
    for bare in ([(0, 1), (1, 2)], {(0, 1), (1, 2)}, np.array([[0, 1], [1, 2]])):
        with ln.open(bare) as data:
            assert data.release(ln.EdgeCount(nodes=3), epsilon=10**6).value == 2


def test_a_name_with_the_signs_of_a_pattern_is_a_name() -> None:
    with ln.open("a[1].csv") as data:
        assert data.release(ln.Count(), epsilon=10**6).value == 2


def test_no_message_tells_the_length_of_an_array_of_ctypes() -> None:
    """Its class is named after it."""

    def refused(n: int) -> list[str]:
        data = (ctypes.c_double * n)()
        told: list[str] = []
        works: list[Callable[[], object]] = [
            lambda: ln.release(ln.Count(), data, epsilon=1),
            lambda: ln.release(ln.Count("a"), {"a": data}, epsilon=1),
            lambda: ln.release(ln.RocAuc(labels=[0, 1]), (data, data), epsilon=1),
            lambda: ln.release(ln.MeanVector(bounds=[(0, 1)]), data, epsilon=1),
        ]
        for work in works:
            with pytest.raises(LeastNoiseError) as caught:
                work()
            told.append(str(caught.value))
        return told

    assert refused(3) == refused(4)


def test_no_method_of_a_subclass_of_arrays_is_called() -> None:
    class Own(np.ndarray[Any, Any]):
        def __getitem__(self, place: Any) -> Any:
            raise SystemExit

        def __len__(self) -> int:
            raise ValueError

    data = np.array([1.0, 2.0, 3.0]).view(Own)
    for given in (data, {"x": data}):
        name = None if given is data else "x"
        assert abs(ln.release(ln.Sum(name, bounds=(0, 10)), given, epsilon=10_000).value - 6) < 0.1
