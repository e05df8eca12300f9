"""Every front end under test: how it is fed one column, and what comes out as Python numbers."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leastnoise.frames import Table, open_table
from leastnoise.frames.readers import parquet as parquet_module
from leastnoise.summaries.columns import Column
from support.engines import keep_open, spark
from support.optional import optional

SECRET = 73914628  # in the data of every error test; may be in no message and no repr

# ---------------------------------------------------------------------------------------------
# One column of a logical kind, made by every front end.

ARROW_KINDS = {
    "int": "int64", "int8": "int8", "uint8": "uint8", "uint64": "uint64", "bool": "bool_",
    "float": "float64", "float32": "float32",
}  # fmt: skip
PANDAS_NULLABLE = {
    "int": "Int64", "int8": "Int8", "uint8": "UInt8", "uint64": "UInt64", "bool": "boolean",
    "float": "Float64", "float32": "Float32",
}  # fmt: skip
POLARS_KINDS = {
    "int": "Int64", "int8": "Int8", "uint8": "UInt8", "uint64": "UInt64", "bool": "Boolean",
    "float": "Float64", "float32": "Float32",
}  # fmt: skip


def arrow_array(values: list[Any], kind: str) -> Any:
    pa = optional("pyarrow")
    if kind == "decimal":
        return pa.array(values, pa.decimal128(38, 10))
    return pa.array(values, getattr(pa, ARROW_KINDS[kind])())


def make_list(values: list[Any], kind: str, folder: Path) -> object:
    return values


def make_tuple(values: list[Any], kind: str, folder: Path) -> object:
    return tuple(values)


def make_dict(values: list[Any], kind: str, folder: Path) -> object:
    return {"other": [SECRET] * len(values), "v": values}


def make_numpy(values: list[Any], kind: str, folder: Path) -> object:
    if kind == "decimal":
        return np.array(values, dtype=object)
    dtype = {"int": np.int64, "bool": np.bool_, "float": np.float64}.get(kind, kind)
    mask = [v is None for v in values]
    if "float" in kind:
        return np.array([np.nan if v is None else v for v in values], dtype=dtype)
    filled = np.array([0 if v is None else v for v in values], dtype=dtype)
    return np.ma.array(filled, mask=mask) if any(mask) else filled


def make_pandas(values: list[Any], kind: str, folder: Path) -> object:
    pd = optional("pandas")
    column = make_numpy(values, kind, folder)
    if isinstance(column, np.ma.MaskedArray):
        column = pd.array(values, dtype=PANDAS_NULLABLE[kind])
    return pd.DataFrame({"other": [SECRET] * len(values), "v": column})


def make_pandas_nullable(values: list[Any], kind: str, folder: Path) -> object:
    pd = optional("pandas")
    dtype = PANDAS_NULLABLE.get(kind, object)
    return pd.DataFrame({"other": [SECRET] * len(values), "v": pd.array(values, dtype=dtype)})


def make_pandas_arrow(values: list[Any], kind: str, folder: Path) -> object:
    pd = optional("pandas")
    column = arrow_array(values, kind)
    dtype = pd.ArrowDtype(column.type)
    return pd.DataFrame({"v": pd.Series(pd.array(column.to_pylist(), dtype=dtype))})


def make_polars(values: list[Any], kind: str, folder: Path) -> object:
    pl = optional("polars")
    if kind == "decimal":
        dtype = pl.Decimal(38, 10)
    else:
        dtype = getattr(pl, POLARS_KINDS[kind])
    return pl.DataFrame({"other": [SECRET] * len(values), "v": pl.Series(values, dtype=dtype)})


def make_arrow(values: list[Any], kind: str, folder: Path) -> object:
    pa = optional("pyarrow")
    half = len(values) // 2
    chunks = [arrow_array(values[:half], kind), arrow_array(values[half:], kind)]
    other = pa.chunked_array([[SECRET] * len(values)])
    return pa.table({"other": other, "v": pa.chunked_array(chunks)})


def csv_text(values: list[Any]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(["note", "v", "other"])
    for i, value in enumerate(values):
        note = "a\nb" if i % 2 else "x, y"  # quoted line ends and separators
        text = "" if value is None else (repr(value) if isinstance(value, float) else str(value))
        text = {"True": "1", "False": "0"}.get(text, text)
        writer.writerow([note, f" {text}  ", SECRET])
    return buffer.getvalue()


def make_csv(values: list[Any], kind: str, folder: Path) -> object:
    path = folder / "t.csv"
    path.write_text(csv_text(values), encoding="utf-8-sig", newline="")
    return path


def make_csv_gz(values: list[Any], kind: str, folder: Path) -> object:
    path = folder / "t.csv.gz"
    path.write_bytes(gzip.compress(csv_text(values).encode()))
    return str(path)


def make_parquet(values: list[Any], kind: str, folder: Path) -> object:
    pq = optional("pyarrow.parquet")
    pq.write_table(make_arrow(values, kind, folder), folder / "t.parquet")
    return folder / "t.parquet"


def make_polars_lazy(values: list[Any], kind: str, folder: Path) -> object:
    frame: Any = make_polars(values, kind, folder)
    return frame.lazy()


def make_duckdb(values: list[Any], kind: str, folder: Path) -> object:
    duckdb = optional("duckdb")
    return keep_open(duckdb.connect()).from_arrow(make_arrow(values, kind, folder))


def make_spark(values: list[Any], kind: str, folder: Path) -> object:
    if kind.startswith("uint"):
        pytest.skip("Spark has no unsigned integers")
    return spark().createDataFrame(make_arrow(values, kind, folder))


FRONTS: dict[str, Callable[[list[Any], str, Path], object]] = {
    "list": make_list,
    "tuple": make_tuple,
    "dict": make_dict,
    "numpy": make_numpy,
    "pandas": make_pandas,
    "pandas nullable": make_pandas_nullable,
    "pandas arrow": make_pandas_arrow,
    "polars": make_polars,
    "arrow": make_arrow,
    "csv": make_csv,
    "csv.gz": make_csv_gz,
    "parquet by pyarrow": make_parquet,
    "parquet by polars": make_parquet,
    "parquet by duckdb": make_parquet,
    "polars lazy": make_polars_lazy,
    "duckdb": make_duckdb,
    "spark": make_spark,
}
UNTYPED = {"list", "tuple", "dict", "csv", "csv.gz"}
BARE = {"list", "tuple", "numpy"}


class Front:
    """A front end under test: `table(values, kind)` and the name to ask for."""

    def __init__(self, label: str, folder: Path) -> None:
        self.label = label
        self.typed = label not in UNTYPED
        self.name = None if label in BARE else "v"
        self._folder = folder

    def table(self, values: list[Any], kind: str) -> Table:
        return open_table(FRONTS[self.label](values, kind, self._folder))

    def column(self, values: list[Any], kind: str) -> Column:
        return self.table(values, kind).column(self.name)


def only_library(patch: pytest.MonkeyPatch, *libraries: str) -> None:
    patch.setattr(parquet_module, "find_spec", lambda name: name if name in libraries else None)


def entries(column: Column) -> list[float | int | None]:
    """The column as Python numbers, None where missing: exact integers stay exact."""
    assert column.values.ndim == 1
    assert column.values.dtype.isnative
    if column.type.integer:
        assert column.values.dtype.kind in "biu"
        missing = column.missing
        if missing is None:
            missing = np.zeros(len(column.values), dtype=bool)
        assert missing.dtype == np.bool_
        assert missing.shape == column.values.shape
        pairs = zip(column.values.tolist(), missing.tolist(), strict=True)
        return [None if gone else value for value, gone in pairs]
    assert column.values.dtype in (np.float32, np.float64)
    assert column.missing is None
    return [None if math.isnan(value) else value for value in column.values.tolist()]


def same(a: float, b: float) -> bool:
    """Equal, zeros of different sign told apart, NaN equal to itself."""
    return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
