"""What is particular to numpy, pandas, Polars, Arrow and Parquet."""

from __future__ import annotations

import array
import datetime
import decimal
import io
import itertools
import math
import re
import types
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import (
    ColumnTypeError,
    MissingDependencyError,
    ParameterTypeError,
    SchemaError,
)
from leastnoise.frames import open_table
from support.fronts import SECRET, entries, only_library
from support.optional import optional

# ---------------------------------------------------------------------------------------------
# numpy.


def test_numpy_layouts_and_dtypes() -> None:
    def read(data: Any) -> list[float | int | None]:
        return entries(open_table(data).column(None))

    assert read(np.array([1, 2**60 + 1], dtype=">i8")) == [1, 2**60 + 1]
    assert read(np.array([1.5, np.nan], dtype=">f8")) == [1.5, None]
    assert read(np.array([1.5, np.nan], dtype=">f4")) == [1.5, None]
    assert read(np.arange(10)[::-3]) == [9, 6, 3, 0]
    assert read(np.asfortranarray(np.arange(6.0).reshape(2, 3))[:, 1]) == [1.0, 4.0]
    half = open_table(np.array([1.5, np.nan, np.inf], dtype=np.float16)).column(None)
    assert half.values.dtype == np.float32
    assert entries(half) == [1.5, None, math.inf]
    assert read(np.array(["1e4000", "-1e4000", "0.5"], dtype=np.longdouble)) == [
        math.inf,
        -math.inf,
        0.5,
    ]
    assert read(np.array([2**63, 2**64 - 1], dtype=np.uint64)) == [2**63, 2**64 - 1]
    assert read(array.array("d", [1.5, 2.5])) == [1.5, 2.5]
    assert read(array.array("b", [1, -2])) == [1, -2]
    assert read(range(3)) == [0.0, 1.0, 2.0]
    assert read([]) == []


def test_masked_arrays() -> None:
    floats = open_table(np.ma.array([1.5, 2.5, np.nan], mask=[False, True, False])).column(None)
    assert entries(floats) == [1.5, None, None]
    singles = np.ma.array(np.array([1.5, 2.5], np.float32), mask=[True, False])
    assert open_table(singles).column(None).values.dtype == np.float32
    objects = np.ma.array(np.array(["1", "2", None], dtype=object), mask=[True, False, False])
    assert entries(open_table(objects).column(None)) == [None, 2.0, None]
    plain = open_table(np.ma.array([1, 2])).column(None)
    assert plain.missing is None
    assert plain.type.nullable
    big = np.ma.array(np.array([2**64 - 1, 1], dtype=">u8"), mask=[False, True])
    assert entries(open_table(big).column(None)) == [2**64 - 1, None]


def test_the_input_is_not_written_to() -> None:
    data = np.ma.array([1.5, 2.5], mask=[True, False])
    open_table(data).column(None)
    assert data.data.tolist() == [1.5, 2.5]


BAD_DTYPES = {
    "datetime64": np.array(["2024-01-01", "NaT"], dtype="datetime64[s]"),
    "timedelta64": np.array([1, 2], dtype="timedelta64[s]"),
    "str": np.array(["1", "2"]),
    "bytes": np.array([b"1", b"2"]),
    "complex128": np.array([1j, 2]),
    "structured": np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
}


@pytest.mark.parametrize("kind", list(BAD_DTYPES))
def test_numpy_types_without_numbers(kind: str) -> None:
    for data, name in ((BAD_DTYPES[kind], None), ({"ts": BAD_DTYPES[kind]}, "ts")):
        table = open_table(data)
        for ask in (table.column_type, table.column):
            with pytest.raises(ColumnTypeError, match=kind) as caught:
                ask(name)
            assert isinstance(caught.value, TypeError)
            assert name is None or repr(name) in str(caught.value)


@pytest.mark.parametrize(
    ("data", "error", "cure"),
    [
        (np.array(1.5), SchemaError, "one-dimensional"),
        (np.ones((2, 2)), SchemaError, r"array\[:, 0\]"),
        (np.ones((2, 1)), SchemaError, r"array\[:, 0\]"),
        (1.5, ParameterTypeError, "one value of type float"),
        (np.float64(1.5), ParameterTypeError, "one value"),
        (None, ParameterTypeError, "one value"),
        ((x for x in [1.0]), ParameterTypeError, r"list\(data\)"),
        ({1.0, 2.0}, ParameterTypeError, r"list\(data\)"),
        (io.StringIO("v\n1\n"), ParameterTypeError, "path"),
        (b"abc", ParameterTypeError, "bytes"),
        (object(), ParameterTypeError, "object"),
        (int, ParameterTypeError, "type"),
        ("no such file.csv", SchemaError, "there is no file 'no such file.csv'"),
        (Path("nowhere/t.parquet"), SchemaError, "there is no file"),
        ("a\0b", SchemaError, "there is no file"),
        ("x" * 5000, SchemaError, "there is no file"),
        ("", SchemaError, "folder|no file"),
        (".", SchemaError, "folder"),
        ({}, SchemaError, "empty"),
        ({"a": [1, 2], "b": [1]}, SchemaError, "'a' and 'b' differ in length"),
        ({"a": 1}, SchemaError, "'a'.*int.*one entry a row"),
        ({"a": "text"}, SchemaError, "'a'.*str.*one entry a row"),
        ({"a": {"b": [1]}}, SchemaError, "'a'.*dict"),
        ({"a": np.ones((2, 2))}, SchemaError, "'a'.*dimensions"),
        ({1: [1]}, SchemaError, "int.*rename"),
    ],
    ids=itertools.count(),
)
def test_what_is_no_table(data: object, error: type[Exception], cure: str) -> None:
    with pytest.raises(error, match=cure):
        open_table(data)


def test_dict_columns_may_be_of_any_front_end() -> None:
    pa, pd, pl = (optional(x) for x in ("pyarrow", "pandas", "polars"))
    table = open_table(
        types.MappingProxyType(
            {
                "list": [1, None],
                "array": np.array([1, 2], dtype=np.int8),
                "pandas": pd.Series([1, None], dtype="Int64"),
                "polars": pl.Series([1, None]),
                "arrow": pa.array([1, None]),
            }
        )
    )
    assert [table.column_type(n).integer for n in table.column_names() or ()] == [
        False, True, True, True, True,
    ]  # fmt: skip
    assert all(entries(table.column(n))[0] == 1 for n in table.column_names() or ())


# ---------------------------------------------------------------------------------------------
# pandas, Polars, Arrow.


def test_bare_series() -> None:
    pa, pd, pl = (optional(x) for x in ("pyarrow", "pandas", "polars"))
    for data in (
        pd.Series([1, 2]),
        pd.Series([1, 2], name="v", index=[5, 5]),
        pl.Series([1, 2]),
        pl.Series("v", [1, 2]),
        pa.array([1, 2]),
        pa.chunked_array([[1], [], [2]]),
    ):
        table = open_table(data)
        assert table.column_names() is None
        assert table.row_count() == 2
        assert table.column_type(None).name is None
        assert entries(table.column(None)) == [1, 2]
        with pytest.raises(SchemaError, match="leave the name out"):
            table.column("v")


def test_pandas_types_without_numbers() -> None:
    pd = optional("pandas")
    pa = optional("pyarrow")
    stamps = pd.to_datetime(["2024-01-01", None])
    frame = pd.DataFrame(
        {
            "datetime": stamps,
            "zoned": stamps.tz_localize("UTC"),
            "duration": stamps - stamps[0],
            "period": stamps.to_period("M"),
            "string": pd.array(["1", "2"], dtype="string"),
            "category": pd.Categorical(["1", "2"]),
            "numbers": pd.Categorical([SECRET, SECRET]),
            "stamps": pd.array([None, None], dtype=pd.ArrowDtype(pa.timestamp("ns"))),
            "nested": pd.array([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
            "sparse": pd.arrays.SparseArray([1, 2]),
            "complex": np.array([1j, 2j]),
        }
    )
    table = open_table(frame)
    for name in frame.columns:
        kind = re.split(r"[\[<]", str(frame[name].dtype))[0]
        for ask in (table.column_type, table.column):
            with pytest.raises(ColumnTypeError, match=f"'{name}' has type {kind}") as caught:
                ask(name)
            assert str(SECRET) not in str(caught.value)
    with pytest.raises(ColumnTypeError, match="categories are never read as numbers"):
        table.column_type("numbers")


def test_pandas_object_columns_are_not_sniffed() -> None:
    pd = optional("pandas")
    for values in (["a", "b"], [1, 2], [True, None], [Decimal("0.1"), 1], [], [pd.Timestamp(0)]):
        declared = open_table({"v": pd.Series(values, dtype=object)}).column_type("v")
        assert (declared.kind, declared.integer, declared.nullable) == ("object", False, True)


def test_pandas_labels_that_are_not_text() -> None:
    pd = optional("pandas")
    table = open_table(pd.DataFrame({"a": [1], 0: [2], ("b", "c"): [3]}))
    assert table.column_names() == ("a",)
    with pytest.raises(SchemaError, match="2 whose label is not text"):
        table.column("0")
    empty = open_table(pd.DataFrame())
    assert empty.column_names() == ()
    with pytest.raises(SchemaError, match="the columns are none"):
        empty.column_type("a")


def test_polars_types() -> None:
    pl = optional("polars")
    good: dict[str, tuple[Any, list[Any], bool]] = {
        "i128": (pl.Int128, [2**100, None, -(2**90), 2**53 + 1], True),
        "null": (pl.Null, [None, None], False),
        "object": (pl.Object, [1, None, "2.5", object()], False),
    }
    expected: dict[str, list[Any]] = {
        "i128": [2**63 - 1, None, -(2**63), 2**53 + 1],  # saturated, row by row
        "null": [None, None],
        "object": [1.0, None, 2.5, None],
    }
    for name, (dtype, values, integer) in good.items():
        column = open_table(pl.DataFrame({name: pl.Series(values, dtype=dtype)})).column(name)
        assert column.type.integer is integer
        assert column.type.nullable
        assert entries(column) == expected[name]
    day = datetime.date(2024, 1, 1)
    bad = pl.DataFrame(
        {
            "date": [day],
            "datetime": [datetime.datetime(2024, 1, 1)],
            "duration": [datetime.timedelta(1)],
            "time": [datetime.time(1)],
            "string": ["1"],
            "binary": [b"1"],
            "list": [[1]],
            "struct": [{"a": 1}],
            "categorical": pl.Series(["secret"], dtype=pl.Categorical),
            "enum": pl.Series(["secret"], dtype=pl.Enum(["secret"])),
        }
    )
    for name in bad.columns:
        with pytest.raises(ColumnTypeError, match=f"(?i)'{name}' has type {name}") as caught:
            open_table(bad).column(name)
        assert "secret" not in str(caught.value)


def test_arrow_types() -> None:
    pa = optional("pyarrow")
    tenth = [Decimal("0.1"), None]
    good = {
        "decimal256": pa.array(tenth, pa.decimal256(50, 20)),
        "halffloat": pa.array([np.float16(0.5), None], pa.float16()),
        "null": pa.nulls(2),
    }
    if hasattr(pa, "decimal32"):  # since pyarrow 18
        good["decimal32"] = pa.array(tenth, pa.decimal32(5, 2))
    for name, data in good.items():
        column = open_table(pa.table({name: data})).column(name)
        assert not column.type.integer
        expected = data.to_pylist()[0]
        assert entries(column) == [None if expected is None else float(expected), None]
    thousands = open_table(pa.array([Decimal("12000")], pa.decimal128(5, -3))).column(None)
    assert entries(thousands) == [12000.0]
    bad = {
        "timestamp": pa.array([None], pa.timestamp("us", tz="UTC")),
        "date32": pa.array([None], pa.date32()),
        "string": pa.array(["1"]),
        "large_string": pa.array(["1"], pa.large_string()),
        "list": pa.array([[1]]),
        "struct": pa.array([{"a": 1}]),
        "dictionary": pa.array([SECRET]).dictionary_encode(),
        "binary": pa.array([b"1"]),
        "month_day_nano_interval": pa.array([None], pa.month_day_nano_interval()),
        "run_end_encoded": pa.RunEndEncodedArray.from_arrays(pa.array([1]), pa.array([5])),
    }
    for name, data in bad.items():
        for source, ask in ((pa.table({name: data}), name), (data, None)):
            with pytest.raises(ColumnTypeError, match=f"has type {name}") as caught:
                open_table(source).column(ask)
            assert str(SECRET) not in str(caught.value)


def test_arrow_fields_say_what_can_be_missing() -> None:
    pa = optional("pyarrow")
    schema = pa.schema([pa.field("v", pa.int64(), nullable=False), pa.field("w", pa.int64())])
    for data in (
        pa.table([[1, 2], [3, None]], schema=schema),
        pa.record_batch([[1, 2], [3, None]], schema=schema),
    ):
        table = open_table(data)
        assert not table.column_type("v").nullable
        assert table.column_type("w").nullable
    # A field that breaks its promise raises nothing.
    assert entries(open_table(pa.table([[1, None], [1, 2]], schema=schema)).column("v")) == [
        1,
        None,
    ]


def test_narwhals_objects_are_unwrapped() -> None:
    nw, pl = (
        optional("narwhals"),
        optional("polars"),
    )
    frame = nw.from_native(pl.DataFrame({"v": [1, 2]}))
    assert entries(open_table(frame).column("v")) == [1, 2]
    assert entries(open_table(frame["v"]).column(None)) == [1, 2]


def test_other_array_libraries_get_a_cure() -> None:
    pd = optional("pandas")
    for data in (pd.Index([1, 2]), pd.array([1, None], "Int64"), pd.Categorical(["a"])):
        with pytest.raises(ParameterTypeError, match=r"pandas\.Series"):
            open_table(data)

    class Foreign:
        __array__ = columns = None

    class Array:
        __array__ = None

    with pytest.raises(ParameterTypeError, match=r"to_pandas"):
        open_table(Foreign())
    with pytest.raises(ParameterTypeError, match=r"numpy\.asarray"):
        open_table(Array())


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(-(10**38) + 1, 10**38 - 1)), min_size=1, max_size=20),
    st.integers(0, 38),
)
def test_decimals_are_correctly_rounded_everywhere(numbers: list[int | None], scale: int) -> None:
    pa, pl = (
        optional("pyarrow"),
        optional("polars"),
    )
    context = decimal.Context(prec=80)
    values = [None if k is None else context.scaleb(Decimal(k), -scale) for k in numbers]
    expected = entries(open_table(values).column(None))
    data = pa.array(values, pa.decimal128(38, scale))
    assert entries(open_table(data).column(None)) == expected
    assert (
        entries(open_table(pl.Series(values, dtype=pl.Decimal(38, scale))).column(None)) == expected
    )


# ---------------------------------------------------------------------------------------------
# Parquet.


@pytest.mark.parametrize("library", ["pyarrow", "polars", "duckdb"])
def test_parquet_schemas(tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pa, pq = (
        optional("pyarrow"),
        optional("pyarrow.parquet"),
    )
    optional(library)
    schema = pa.schema(
        [
            pa.field("nested", pa.struct([pa.field("v", pa.int64(), nullable=False)])),
            pa.field("list", pa.list_(pa.int64())),
            pa.field("v", pa.int64(), nullable=False),
            pa.field("w", pa.int32()),
            pa.field("d", pa.decimal128(20, 2), nullable=False),
            pa.field("f", pa.float64(), nullable=False),
            pa.field("ts", pa.timestamp("us")),
            pa.field("s", pa.string()),
        ]
    )
    row = {"nested": {"v": 1}, "list": [1, 2], "v": 2**53 + 1, "w": None, "d": Decimal("0.10")}
    rows = [{**row, "f": 0.5, "ts": None, "s": str(SECRET)}] * 3
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), tmp_path / "t.parquet")
    only_library(monkeypatch, library)
    table = open_table(tmp_path / "t.parquet")
    assert table.column_names() == tuple(schema.names)
    assert table.row_count() == 3
    told = library != "polars"  # which does not say which fields are required
    assert table.column_type("v").nullable is not told
    assert table.column_type("d").nullable is not told
    assert table.column_type("w").nullable
    assert table.column_type("f").nullable  # it can be NaN
    assert entries(table.column("v")) == [2**53 + 1] * 3
    assert entries(table.column("w")) == [None] * 3
    assert entries(table.column("d")) == [0.1] * 3
    for name in ("nested", "list", "ts", "s"):
        with pytest.raises(ColumnTypeError, match=f"'{name}' has type") as caught:
            table.column(name)
        assert str(SECRET) not in str(caught.value)
    with pytest.raises(SchemaError, match="no column 'x'"):
        table.column_type("x")

    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + str(SECRET).encode() * 10 + b"PAR1")
    with pytest.raises(SchemaError, match="cannot be read as a Parquet file") as caught:
        open_table(tmp_path / "bad.parquet")
    assert str(SECRET) not in str(caught.value)
    assert caught.value.__cause__ is None
    (tmp_path / "t.parquet").unlink()
    with pytest.raises(SchemaError, match="there is no file"):
        table.column("v")


def test_parquet_needs_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_library(monkeypatch)
    (tmp_path / "t.parquet").write_bytes(b"")
    with pytest.raises(MissingDependencyError, match=r"leastnoise\[parquet\]") as caught:
        open_table(tmp_path / "t.parquet")
    assert caught.value.extra == "parquet"
    assert isinstance(caught.value, ImportError)
