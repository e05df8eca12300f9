"""A block of rows shows its own rows and the declared types, and nothing of the other rows."""

from __future__ import annotations

import datetime as dt
import enum
import pickle
import threading
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from leastnoise.errors import ParameterTypeError
from leastnoise.frames.blocks import block_maker
from leastnoise.frames.copies import cells, copied
from support.reflections import reflected

OWN = [0, 2, 3]  # rows of the block; the second of these is missing where a type can say so
Build = Callable[[Sequence[Any]], Any]


def sizes(values: Sequence[Any]) -> list[Any]:
    return list(values)


def texts(values: Sequence[Any]) -> list[Any]:
    return [None if x is None else str(x) * (x % 5 + 1) for x in values]


def times(values: Sequence[Any]) -> list[Any]:
    epoch = dt.datetime(2020, 1, 1)
    return [None if x is None else epoch + dt.timedelta(days=x) for x in values]


def lists(values: Sequence[Any]) -> list[Any]:
    return [None if x is None else [str(x)] * (x % 3) + [None] * (x % 2) for x in values]


def structs(values: Sequence[Any]) -> list[Any]:
    return [None if x is None else {"a": x if x % 2 else None, "b": str(x) * x} for x in values]


def numpy_of(kind: Any, *, order: Any = "C") -> Build:
    return lambda values: np.array([0 if x is None else x for x in values], kind, order=order)


FIELDS = np.dtype([("a", "i1"), ("b", "f8"), ("c", "M8[s]")], align=True)


def fields(values: Sequence[Any]) -> Any:
    return np.array([(x or 0, x or 0, x or 0) for x in values], FIELDS)


def window(values: Sequence[Any]) -> Any:
    """Every second row, backwards, of a wide array in the order of Fortran."""
    whole = np.asfortranarray(np.array([[x or 0] * 5 for x in np.repeat(values, 2)], float))
    return whole[::-2][::-1]


class Hooked(np.ndarray):
    """A class that keeps something of all rows, and looks at every call."""

    def __array_finalize__(self, whole: Any) -> None:
        self.note = getattr(whole, "note", None)

    def __getitem__(self, place: Any) -> Any:
        raise AssertionError("called")

    def __array_ufunc__(self, *args: Any, **options: Any) -> Any:
        raise AssertionError("called")


def hooked(values: Sequence[Any]) -> Any:
    found = np.array([x or 0 for x in values]).view(Hooked)
    found.note = list(values)
    return found


def masked(values: Sequence[Any]) -> Any:
    found = np.ma.masked_equal(np.array([-9 if x is None else x for x in values]), -9)
    found.fill_value = found.filled(0).max()
    return found


NUMPY: dict[str, Build] = {
    "bool": numpy_of(bool),
    "int8": numpy_of("i1"),
    "float": numpy_of("f8"),
    "half": numpy_of("f2"),
    "long double": numpy_of(np.longdouble),
    "complex": numpy_of("c8"),
    "other bytes": numpy_of(">i4"),
    "dates": numpy_of("M8[D]"),
    "spans": numpy_of("m8[ns]"),
    "fields": fields,
    "bare bytes": lambda values: np.array([bytes([x or 0]) for x in values], "V3"),
    "texts": lambda values: np.array([str(x) for x in texts(values)]),
    "bytes": lambda values: np.array([str(x).encode() for x in texts(values)]),
    "variable texts": lambda values: np.array(
        [str(x) for x in texts(values)], np.dtypes.StringDType()
    ),
    "objects": lambda values: np.array([*lists(values), None], object)[:-1],
    "window": window,
    "matrix": lambda values: np.array([[x or 0] for x in values]).view(np.matrix),
    "records": lambda values: np.rec.array([(x or 0, 1.5) for x in values], "i4,f8"),
    "class": hooked,
    "masked": masked,
    "masked fields": lambda values: np.ma.array(fields(values), mask=[x is None for x in values]),
    "metadata": lambda values: np.array(
        [x or 0 for x in values], np.dtype("i8", metadata={"all": str(values)})
    ),
    "read only": lambda values: np.broadcast_to(numpy_of("i8")(values)[:, None], (len(values), 3)),
}


def pandas_of(kind: Any, make: Callable[[Sequence[Any]], list[Any]] = sizes) -> Build:
    return lambda values: pd.Series(pd.array(make(values), dtype=kind))


def labelled(values: Sequence[Any]) -> Any:
    """Everything that a frame can carry beside its rows."""
    frame = pd.DataFrame(
        {"x": pd.array(values, "Int64"), "y": lists(values), "z": pd.Series(values, dtype=float)},
        index=[str(x) for x in values],
    )
    frame.attrs["all"] = values
    frame.columns.name = str(values)
    frame.columns.name = None
    return frame.set_flags(allows_duplicate_labels=len(set(frame.index)) < len(frame))


def regular(values: Sequence[Any]) -> Any:
    """Days in order, as pandas notes where it is so, or all but one."""
    days = pd.date_range("2020", periods=len(values))
    return pd.Series(days if values[1] else [*days[:1], None, *days[2:]])


PANDAS: dict[str, Build] = {
    **{
        kind: pandas_of(kind)
        for kind in ("Int8", "UInt64", "Float32", "Float64", "object", "float64")
    },
    "boolean": pandas_of("boolean", lambda values: [x and x % 2 == 1 for x in values]),
    "string": pandas_of("string", texts),
    "string[pyarrow]": pandas_of("string[pyarrow]", texts),
    "string[python]": pandas_of("string[python]", texts),
    "inferred texts": lambda values: pd.Series(texts(values)),  # str since pandas 3
    "datetime64[ns]": pandas_of("datetime64[ns]", times),
    "datetime64[s]": pandas_of("datetime64[s]", times),
    "zoned": pandas_of(pd.DatetimeTZDtype("us", "Europe/Berlin"), times),
    "timedelta64[ns]": pandas_of("timedelta64[ns]", lambda v: [x and dt.timedelta(x) for x in v]),
    "period": pandas_of("period[M]", times),
    "interval": lambda values: pd.Series(
        pd.arrays.IntervalArray.from_tuples(
            [None if x is None else (float(x), x + 1.0) for x in values], "left"
        )
    ),
    "category": pandas_of("category"),
    "category of texts": pandas_of("category", texts),
    "ordered category": pandas_of(pd.CategoricalDtype([9, 1, 7, 5], ordered=True)),
    "regular dates": regular,
    "Arrow int": pandas_of(pd.ArrowDtype(pa.int64())),
    "Arrow text": pandas_of(pd.ArrowDtype(pa.string()), texts),
    "Arrow list": pandas_of(pd.ArrowDtype(pa.list_(pa.string())), lists),
    "Arrow struct": pandas_of(
        pd.ArrowDtype(pa.struct({"a": pa.int64(), "b": pa.string()})), structs
    ),
    "Arrow codes": lambda values: pd.Series(
        pd.array(pa.array(texts(values)).dictionary_encode(), dtype=pd.ArrowDtype(
            pa.dictionary(pa.int32(), pa.string())))
    ),
    "frame": labelled,
}  # fmt: skip


def polars_of(kind: Any, make: Callable[[Sequence[Any]], list[Any]] = sizes) -> Build:
    return lambda values: pl.Series("v", make(values), dtype=kind)


def sorted_slice(values: Sequence[Any]) -> Any:
    """A part of a longer series that is known to be sorted where it is."""
    longer = pl.Series("v", [*values, *values, None])
    cut = longer.slice(0, len(values))
    return cut.set_sorted() if None not in values[4:] else cut


POLARS: dict[str, Build] = {
    **{
        str(kind): polars_of(kind)
        for kind in (pl.Int8, pl.Int64, pl.UInt16, pl.Float32, pl.Float64, pl.Int128, pl.Decimal)
    },
    "Boolean": polars_of(pl.Boolean, lambda values: [x and x % 2 == 1 for x in values]),
    "String": polars_of(pl.String, lambda v: [x and x * 9 for x in texts(v)]),
    "Binary": polars_of(pl.Binary, lambda values: [x and x.encode() * 9 for x in texts(values)]),
    "Date": polars_of(pl.Date, lambda values: [x and x.date() for x in times(values)]),
    "Datetime": polars_of(pl.Datetime("ns", "Asia/Tokyo"), times),
    "late": lambda values: pl.Series([x and 2**62 - x for x in values], dtype=pl.Int64).cast(
        pl.Datetime("us")
    ),
    "Duration": polars_of(pl.Duration("us"), lambda v: [x and dt.timedelta(x) for x in v]),
    "Time": polars_of(pl.Time, lambda v: [x and dt.time(x) for x in v]),
    "Null": polars_of(pl.Null, lambda values: [None for _ in values]),
    "Enum": polars_of(pl.Enum(list("1579")), lambda v: [x and str(x) for x in v]),
    "Categorical": polars_of(pl.Categorical, texts),
    "List": polars_of(pl.List(pl.String), lists),
    "List of List": polars_of(pl.List(pl.List(pl.String)), lambda v: [[x] for x in lists(v)]),
    "List of Datetime": polars_of(pl.List(pl.Datetime("ns")), lambda v: [[x] for x in times(v)]),
    "List of Enum": polars_of(
        pl.List(pl.Enum(list("1579"))), lambda v: [x and [str(x)] for x in v]
    ),
    "List of Decimal": polars_of(
        pl.List(pl.Decimal(9, 2)), lambda v: [x and [Decimal(x)] for x in v]
    ),
    "Array": polars_of(pl.Array(pl.Int64, 2), lambda v: [x and [x, None] for x in v]),
    "Struct": polars_of(pl.Struct({"a": pl.Int64, "b": pl.String}), structs),
    "List of Struct": polars_of(
        pl.List(pl.Struct({"a": pl.Int64, "b": pl.String})), lambda v: [[x] for x in structs(v)]
    ),
    "Object": polars_of(pl.Object, lists),
    "slice": sorted_slice,
    "chunks": lambda values: pl.concat(
        [pl.Series("v", [x], dtype=pl.Int64) for x in values], rechunk=False
    ),
    "frame": lambda values: pl.DataFrame(
        {"x": pl.Series(texts(values), dtype=pl.Categorical), "y": lists(values)}
    ),
}


def arrow_of(kind: Any, make: Callable[[Sequence[Any]], list[Any]] = sizes) -> Build:
    return lambda values: pa.array(make(values), kind)


def described(values: Sequence[Any]) -> Any:
    total = str(values)
    field = pa.field("x", pa.int64(), metadata={"all": total})
    return pa.table(
        [pa.array(values, pa.int64()), pa.array(lists(values), pa.list_(pa.string()))],
        schema=pa.schema([field, pa.field("l", pa.list_(pa.string()))], {"all": total}),
    )


ARROW: dict[str, Build] = {
    **{
        str(kind): arrow_of(kind)
        for kind in (pa.int8(), pa.int64(), pa.float32(), pa.date32(), pa.time64("us"))
    },
    "null": lambda values: pa.nulls(len(values)),
    "bool": arrow_of(pa.bool_(), lambda values: [x and x % 2 == 1 for x in values]),
    "half": arrow_of(pa.float16(), lambda values: [x and np.float16(x) for x in values]),
    "decimal": arrow_of(pa.decimal128(9, 2), lambda values: [x and Decimal(x) for x in values]),
    "timestamp": arrow_of(pa.timestamp("ns", "UTC"), times),
    "string": arrow_of(pa.string(), texts),
    "large_string": arrow_of(pa.large_string(), texts),
    "binary": arrow_of(pa.binary(), lambda values: [x and x.encode() for x in texts(values)]),
    "fixed": arrow_of(pa.binary(2), lambda values: [x and bytes([x, x]) for x in values]),
    "list": arrow_of(pa.list_(pa.string()), lists),
    "large list": arrow_of(pa.large_list(pa.string()), lists),
    "list of lists": arrow_of(pa.list_(pa.list_(pa.string())), lambda v: [[x] for x in lists(v)]),
    "fixed list": arrow_of(pa.list_(pa.int8(), 2), lambda v: [x and [x, None] for x in v]),
    "struct": arrow_of(pa.struct({"a": pa.int64(), "b": pa.string()}), structs),
    "map": arrow_of(pa.map_(pa.string(), pa.int8()), lambda v: [x and [(str(x), x)] for x in v]),
    "codes": lambda values: pa.array(texts(values)).dictionary_encode(),
    "slice": lambda values: pa.array([*texts(values), "x" * len(str(values))]).slice(
        0, len(values)
    ),
    "chunks": lambda values: pa.chunked_array([[x] for x in texts(values)], pa.string()),
    "table": described,
    "batch": lambda values: described(values).to_batches()[0],
}


class Colour(enum.Enum):
    RED = 1


class Plain:
    """An instance with something in it, of a class that is found by its name."""

    def __init__(self, held: Any) -> None:
        self.held = held


LISTS: dict[str, Build] = {
    "numbers": lambda values: [Fraction(x) if x is not None else None for x in values],
    "rows": lambda values: list(zip(values, texts(values), strict=True)),
    "lists": lists,
    "arrays": lambda values: [np.arange(x or 0) for x in values],
    "instances": lambda values: [Plain([x]) for x in values],
    "windows": lambda values: list(np.array([[x or 0, 1] for x in values])),
}

BUILDS = {
    f"{library}: {name}": build
    for library, builds in [
        ("numpy", NUMPY),
        ("pandas", PANDAS),
        ("Polars", POLARS),
        ("Arrow", ARROW),
        ("list", LISTS),
    ]
    for name, build in builds.items()
}
# Rows 0 and 3 are 7 and 5 everywhere; row 2, which the first block has too, is missing.
ALL = {
    "some missing": [
        [7, 9, None, 5, 1],
        [7, None, None, 5, None],
        [7, 1, None, 5, 9, 1, None, 5, 1],
        [7, 9, None, 5],
    ],
    "none missing": [
        [7, 9, 1, 5, 1],
        [7, None, 1, 5, None],
        [7, 1, 9, 5, 9, 1, None, 5, 1],
        [7, 9, 9, 5],
    ],
}
PLACES = {"some missing": OWN, "none missing": [3, 0]}


def shown(make: Callable[[Any], Any], kind: str, own: str) -> list[list[tuple[str, object]]]:
    """What a block shows in tables that differ in other rows."""
    return [reflected(make(BUILDS[kind](rows))(PLACES[own])) for rows in ALL[own]]


@pytest.mark.parametrize("own", ALL)
@pytest.mark.parametrize("kind", BUILDS)
def test_a_block_shows_nothing_of_other_rows(kind: str, own: str) -> None:
    first, *others = shown(block_maker, kind, own)
    assert len(first) > 3
    for other in others:
        assert other == first


def taken(table: Any) -> Callable[[list[int]], Any]:
    """How the library itself takes rows."""
    if isinstance(table, (pd.Series, pd.DataFrame)):
        return lambda places: table.iloc[places].reset_index(drop=True)
    if isinstance(table, (pa.Array, pa.ChunkedArray, pa.Table, pa.RecordBatch)):
        return table.take
    if isinstance(table, list):
        return lambda places: [table[place] for place in places]
    return lambda places: table[places]


SHOWN = [
    *("numpy: texts", "numpy: masked", "numpy: metadata", "list: windows"),
    *("pandas: category", "pandas: datetime64[ns]", "pandas: Arrow codes", "pandas: frame"),
    *("Polars: String", "Polars: Struct"),
    *("Arrow: int64", "Arrow: bool", "Arrow: codes", "Arrow: table"),
]


@pytest.mark.parametrize("kind", SHOWN)
def test_what_libraries_take_over_from_other_rows_would_be_seen(kind: str) -> None:
    first, *others = shown(taken, kind, "none missing")
    assert any(other != first for other in others)


@pytest.mark.parametrize("kind", BUILDS)
def test_a_block_holds_its_rows_in_the_declared_form(kind: str) -> None:
    table = BUILDS[kind](ALL["some missing"][0])
    block = block_maker(table)(OWN)
    assert len(block) == len(OWN)
    expected, found = entries(table, OWN), entries(block, [0, 1, 2])
    assert repr(found) == repr(expected)
    coded = ("categor", "codes", "texts", "bytes", "Categorical", "frame", "class", "matrix")
    if not any(word in kind for word in coded) and hasattr(table, "dtype"):
        assert block.dtype == table.dtype
    assert len(block_maker(table)([])) == 0


def entries(table: Any, places: list[int]) -> list[Any]:
    """The rows at these places as plain values."""
    if isinstance(table, pl.DataFrame):
        return [table.rows()[place] for place in places]
    if isinstance(table, (pa.Table, pa.RecordBatch)):
        return [table.to_pylist()[place] for place in places]
    if isinstance(table, (pa.Array, pa.ChunkedArray)):
        return [table.to_pylist()[place] for place in places]
    if isinstance(table, pd.DataFrame):
        return [table.iloc[place].tolist() for place in places]
    if isinstance(table, Plain):
        return table.held
    if isinstance(table, pd.Series):
        return [table.astype(object).iloc[place] for place in places]
    if isinstance(table, pl.Series):
        physical = table if table.dtype in (pl.Object, pl.Categorical) else table.to_physical()
        return [physical.to_list()[place] for place in places]
    listed = table if isinstance(table, list) else np.asarray(table).tolist()
    found = [listed[place] for place in places]
    return [x.held if isinstance(x, Plain) else x for x in found]


WRITTEN: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "object array": lambda values: np.array([*values, None], object)[:-1],
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas frame": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "Polars objects": lambda values: pl.Series(values, dtype=pl.Object),
    "Polars frame": lambda values: pl.DataFrame({"x": pl.Series(values, dtype=pl.Object)}),
}


@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize(
    "make", [lambda t: block_maker(t)([0, 1, 1]), copied], ids=["block", "copy"]
)
def test_what_is_written_to_a_cell_stays_in_the_block(kind: str, make: Any) -> None:
    shared: list[Any] = [1, [2]]
    table = WRITTEN[kind]([shared, shared, Plain(shared)])
    block = make(table)
    cell = (block if not hasattr(block, "columns") else block["x"])[0]
    assert cell == [1, [2]]
    cell[1].append(3)
    cell.append(4)
    assert shared == [1, [2]]
    again = (block if not hasattr(block, "columns") else block["x"])[1]
    assert again == [1, [2]]
    assert make(table)[0 if not hasattr(block, "columns") else "x"] is not cell


def test_cells_that_cannot_be_copied_are_missing() -> None:
    class Local:
        def __init__(self) -> None:
            self.held = [1]

    class Same:
        def __deepcopy__(self, memo: Any) -> Any:
            return self

    class Stops:
        def __reduce__(self) -> Any:
            raise SystemExit("secret")

        def __deepcopy__(self, memo: Any) -> Any:
            raise KeyboardInterrupt("secret")

    local = Local()
    found = cells([1, local, Same(), Stops(), threading.Lock(), lambda: 1, Colour.RED, 2.5])
    assert found[0] == 1
    assert found[1].held == [1]
    assert found[1] is not local
    assert found[1].held is not local.held
    assert found[2:] == [None, None, None, None, Colour.RED, 2.5]


def test_names_of_fields_and_columns_are_of_the_block_alone() -> None:
    table = np.array([(1, 2.0)] * 4, np.dtype([("a", "i8"), ("b", "f8")]))
    block_maker(table)([0]).dtype.names = ("x", "y")
    assert table.dtype.names == ("a", "b")
    frame = pd.DataFrame({"a": [1, 2]})
    make = block_maker(frame)
    make([0]).columns.name = "secret"
    assert make([1]).columns.name is None
    assert frame.columns.name is None
    whole = copied(frame)
    whole.columns.name = whole.index.name = "secret"
    assert (frame.columns.name, frame.index.name) == (None, None)


def test_invalid_texts_of_another_row_are_no_matter() -> None:
    bad = pa.array([b"a", b"\xff\xfe", b"c"]).view(pa.string())
    for table in (bad, pa.table({"x": bad}), pd.Series(bad.take([0, 2]), dtype="string")):
        block = block_maker(table)([0])
        assert pickle.dumps(block)
        assert "a" in str(block)


class Mine(pd.DataFrame):
    pass


class MyMasked(np.ma.MaskedArray):
    pass


REFUSED: dict[str, Callable[[], Any]] = {
    "texts in fields": lambda: np.array([("a", 1)], [("a", "U9"), ("b", "i8")]),
    "objects in fields": lambda: np.array([("a", 1)], [("a", object), ("b", "i8")]),
    "metadata of fields": lambda: np.zeros(
        2, [("a", np.dtype("i8", metadata={"n": 2})), ("b", "i8")]
    ),
    "a masked class": lambda: MyMasked([1, 2]),
    "a pandas class": lambda: Mine({"x": [1, 2]}),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray([1.0, 0.0])),
    "Arrow views": lambda: pd.Series(pd.array(["a"], pd.ArrowDtype(pa.string_view()))),
    "codes in lists": lambda: pl.Series([["a"]], dtype=pl.List(pl.Categorical)),
    "codes in structs": lambda: pl.DataFrame(
        {"x": pl.Series([{"a": "b"}], dtype=pl.Struct({"a": pl.Categorical}))}
    ),
    "list views": lambda: pa.array([[1]], pa.list_view(pa.int8())),
    "runs": lambda: pa.RunEndEncodedArray.from_arrays([2], [1]),
    "extension": lambda: pa.array([b"x" * 16], pa.uuid()),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_other_types_are_refused_by_their_type(kind: str) -> None:
    with pytest.raises(ParameterTypeError, match=r"^data (has|is)"):
        block_maker(REFUSED[kind]())
