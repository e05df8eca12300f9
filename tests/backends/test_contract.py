"""The reading contract: every type of every library is in the table or refused, and no entry has a
part in how others are read."""

from __future__ import annotations

import datetime as dt
import math
import warnings
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ColumnTypeError
from leastnoise.estimators import PrivateLinearRegression, PrivateLogisticRegression
from leastnoise.frames import open_table
from leastnoise.frames.blocks import block_maker
from leastnoise.frames.libraries import FRONTS
from leastnoise.summaries.columns import Reading
from leastnoise.testing import simulate
from support.optional import optional

WHOLE = {Reading.BOOLEAN, Reading.INTEGER, Reading.INT128, Reading.UINT128}
NUMBERS = {*WHOLE, Reading.FLOAT, Reading.DECIMAL, Reading.ENTRIES, Reading.NULL}
TEXTS = {Reading.TEXT, Reading.CATEGORIES, Reading.ENTRIES, Reading.NULL}


def accepted() -> Iterator[tuple[str, Any]]:
    for name, front in FRONTS.items():
        if name not in ("lists", "numpy"):
            optional(name)
        for dtype in front.accepted():
            yield name, dtype


TYPES = list(accepted())


def entries_of(name: str, dtype: Any) -> tuple[list[Any], list[Any]]:
    """Entries that a type holds, and what the last of them may be instead; None is missing."""
    reading = FRONTS[name].physical(dtype).reading
    match reading:
        case Reading.BOOLEAN:
            return [True, False, True], [False, None]
        case Reading.INTEGER | Reading.INT128 | Reading.UINT128:
            kind = FRONTS[name].physical(dtype).dtype
            most = int(np.iinfo(kind).max)
            return [most, most - 1, 0, 7], [most, None, int(np.iinfo(kind).min)]
        case Reading.FLOAT:
            return [0.5, -2.0, 0.25], [None, math.nan, math.inf, -0.0]
        case Reading.DECIMAL:
            big = Decimal(10_000) if "-4" in str(dtype) else Decimal("12345.0001")
            return [big, Decimal(0), big * 2], [None, Decimal(-10_000)]
        case Reading.TEXT:
            return ["a", " b ", "1", "é"], [None, "", "x" * 200_000, "\0"]
        case Reading.CATEGORIES:
            held = categories(dtype)
            return [held[0], held[1], held[0]], [None, held[1], *held[2:3]]
        case Reading.ENTRIES if dtype is range:
            return [0, 1, 2], [2]
        case Reading.ENTRIES:
            return [1, "b", 2.5, None, Decimal(3)], [None, 2**70, "x", b"1", object(), math.nan]
        case _:
            return [None, None], [None]


def categories(dtype: Any) -> list[Any]:
    """Declared categories of a type, or some that it holds."""
    held = getattr(dtype, "categories", None)
    if held is not None and str(dtype) != "Categorical":
        return list(held)
    value = str(getattr(getattr(dtype, "pyarrow_dtype", dtype), "value_type", "string"))
    if value == "bool":
        return [True, False]
    if value == "int64":
        return [2**60 + 1, 2**60, 3]
    if value == "float":
        return [0.5, 0.25]
    if value.startswith("decimal"):
        return [Decimal(1), Decimal("2.5")]
    return ["a", "b"]


def made(name: str, dtype: Any, values: list[Any]) -> Any:
    """A column of this type."""
    if name == "lists":
        return dtype(len(values)) if dtype is range else dtype(values)
    if name == "numpy":
        gone = [v is None for v in values]
        if dtype.kind == "O":
            held = np.empty(len(values), dtype)
            held[:] = values
            return held
        if dtype.kind == "f":
            return np.array([math.nan if v is None else v for v in values], dtype)
        blank = "" if dtype.kind in "UT" else 0
        held = np.array([blank if v is None else v for v in values], dtype)
        return np.ma.array(held, mask=gone) if dtype.kind in "biu" else held
    if name == "polars":
        return optional("polars").Series("x", values, dtype=dtype)
    pa = optional("pyarrow")
    if name == "pyarrow":
        return arrow(pa, dtype, values)
    pd = optional("pandas")
    if isinstance(dtype, np.dtype):
        filled = [v for v in values if v is not None] if dtype.kind in "biu" else values
        return pd.Series(made("numpy", dtype, filled), dtype=dtype)
    if isinstance(dtype, pd.ArrowDtype):
        return pd.Series(pd.arrays.ArrowExtensionArray(arrow(pa, dtype.pyarrow_dtype, values)))
    return pd.Series(values, dtype=dtype)


def arrow(pa: Any, dtype: Any, values: list[Any]) -> Any:
    """Two chunks, the second of them a slice."""
    if dtype == pa.float16():  # older releases want scalars of this type
        values = [v if v is None else np.float16(v) for v in values]
    if hasattr(dtype, "value_type"):
        first, *rest = (
            pa.array(part, dtype.value_type).dictionary_encode().cast(dtype)
            for part in (values[:1], values[1:])
        )
        return pa.chunked_array([first, *rest], dtype)
    if "view" in str(dtype) or "decimal" in str(dtype):
        return pa.chunked_array([pa.array(values, dtype)], dtype)
    padded = pa.array([None, *values[1:], None], dtype)
    return pa.chunked_array([pa.array(values[:1], dtype), padded[1:-1]], dtype)


def looked_at(data: Any) -> tuple[Any, ...]:
    """All that a column says: types, the numbers and the texts of its rows."""
    table = open_table(data)
    number = text = None
    numbers = texts = [None] * table.row_count()
    try:
        number = table.column_type(None)
        column = table.column(None)
        gone = column.missing if column.missing is not None else np.zeros(len(column.values), bool)
        numbers = [
            (column.values.dtype, None if hole or value != value else value)
            for value, hole in zip(column.values.tolist(), gone.tolist(), strict=True)
        ]
    except ColumnTypeError as error:
        number = str(error)
    try:
        text = table.text_type(None)
        codes, found = table.text_values(None)
        texts = [None if code < 0 else found[code] for code in codes.tolist()]
    except ColumnTypeError as error:
        text = str(error)
    return number, text, list(zip(numbers, texts, strict=True))


@pytest.mark.parametrize(("name", "dtype"), TYPES, ids=lambda x: str(x))
def test_no_entry_has_a_part_in_how_others_are_read(name: str, dtype: Any) -> None:
    values, others = entries_of(name, dtype)
    reading = FRONTS[name].physical(dtype).reading
    number, text, rows = looked_at(made(name, dtype, values))
    assert isinstance(number, str) is (reading not in NUMBERS)
    assert isinstance(text, str) is (reading not in TEXTS)
    for other in others:
        again = looked_at(made(name, dtype, [*values[:-1], other]))
        assert again[:2] == (number, text)
        assert again[2][: len(values) - 1] == rows[: len(values) - 1]


@pytest.mark.parametrize(("name", "dtype"), TYPES, ids=lambda x: str(x))
def test_every_accepted_type_is_read_as_what_it_holds(name: str, dtype: Any) -> None:
    values, _ = entries_of(name, dtype)
    reading = FRONTS[name].physical(dtype).reading
    _, _, rows = looked_at(made(name, dtype, values))
    if reading in WHOLE:
        assert [number for (_, number), _ in rows] == values
    elif reading in (Reading.FLOAT, Reading.DECIMAL):
        assert [number for (_, number), _ in rows] == [float(v) for v in values]
    elif reading is Reading.TEXT:
        assert [text for _, text in rows] == [v.strip() for v in values]
    elif reading is Reading.CATEGORIES:
        expected = [str(v) for v in values]
        if "decimal" in str(dtype):
            expected = ["1.0000", "2.5000", "1.0000"]
        assert [text for _, text in rows] == expected


def test_every_other_type_of_arrow_is_refused_by_its_type() -> None:
    pa = optional("pyarrow")
    refused = {
        pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us"), pa.timestamp("us"),
        pa.timestamp("us", "UTC"), pa.duration("s"), pa.month_day_nano_interval(), pa.binary(),
        pa.large_binary(), pa.binary(3), pa.list_(pa.int64()),
        pa.list_(pa.int64(), 2), pa.large_list(pa.int64()), pa.list_view(pa.int64()),
        pa.large_list_view(pa.int64()), pa.struct([("a", pa.int64())]),
        pa.map_(pa.string(), pa.int64()), pa.run_end_encoded(pa.int32(), pa.int64()),
        pa.dense_union([pa.field("a", pa.int64())]), pa.dictionary(pa.int8(), pa.date32()),
        pa.dictionary(pa.int8(), pa.list_(pa.int8())), pa.binary_view(),
    }  # fmt: skip
    refused |= {getattr(pa, x)() for x in ("uuid", "json_", "bool8") if hasattr(pa, x)}
    for dtype in refused:
        reading = FRONTS["pyarrow"].physical(dtype).reading
        assert reading not in NUMBERS | TEXTS, dtype
    ids = {dtype.id for dtype in (*refused, *FRONTS["pyarrow"].accepted())}
    names = [x for x in dir(pa.lib) if x.startswith("Type_")]
    missed = {x for x in names if getattr(pa.lib, x) not in ids}
    # a twin of the dense union, and two that Python cannot make
    assert missed <= {"Type_SPARSE_UNION", "Type_INTERVAL_MONTHS", "Type_INTERVAL_DAY_TIME"}


def test_every_other_type_of_polars_is_refused_by_its_type() -> None:
    pl = optional("polars")
    kinds = {type(dtype) for dtype in FRONTS["polars"].accepted()}
    leaves = [x for x in vars(pl.datatypes).values() if isinstance(x, type(pl.Int8))]
    rest = [x for x in set(leaves) - kinds if x.__name__[0].isupper()]
    assert len(rest) > 8
    for kind in rest:
        assert FRONTS["polars"].physical(kind).reading not in NUMBERS | TEXTS, kind


def test_every_other_type_of_pandas_is_refused_by_its_type() -> None:
    pd, pa = optional("pandas"), optional("pyarrow")
    for dtype in (
        pd.SparseDtype("int64"), pd.SparseDtype("float64"), pd.PeriodDtype("M"),
        pd.DatetimeTZDtype(tz="UTC"), pd.IntervalDtype("int64"), np.dtype("M8[ns]"),
        np.dtype("m8[s]"), np.dtype("c16"), np.dtype("S3"), np.dtype("V8"),
        np.dtype([("a", "i8")]), pd.ArrowDtype(pa.date32()), pd.ArrowDtype(pa.binary()),
    ):  # fmt: skip
        assert FRONTS["pandas"].physical(dtype).reading not in NUMBERS | TEXTS, dtype


# --- what a library would have decided by the values ---------------------------------------------


@pytest.mark.parametrize("last", [1, None])
def test_categories_are_told_apart_by_what_was_declared(last: int | None) -> None:
    pd = optional("pandas")
    ids = [2**60 + 1, 2**60 + 2]
    codes = [0] * 4 + [1] * 5 + [-1 if last is None else 0]
    frame = pd.DataFrame({"v": pd.Categorical.from_codes(codes, ids), "w": 1})
    histogram = ln.Histogram("v", categories=[str(x) for x in ids])
    cut = pd.cut(pd.Series([0.5] * 4 + [1.5] * 5 + [last and 0.5]), [0, 1, 2])
    common: dict[str, Any] = {"epsilon": 10**6, "relation": "add-remove"}
    with simulate(1):
        assert ln.release(histogram, frame, **common).value == [4 + bool(last), 5]
        intervals = ln.Histogram(categories=["(0, 1]", "(1, 2]"])
        assert ln.release(intervals, cut, **common).value == [4 + bool(last), 5]
        with ln.open(frame, relation="add-remove") as data:
            kept = data.where(ln.col("v") == str(ids[1]))
            assert kept.release(ln.Count(), epsilon=10**6).value == 5
            groups = data.group_by({"v": [str(x) for x in ids]})
            table = groups.release(ln.Count(), epsilon=10**6)
            assert table[str(ids[0])].value == 4 + bool(last)


@pytest.mark.parametrize("last", [2**60 + 3, None])
def test_one_column_of_a_frame_keeps_its_type(last: int | None) -> None:
    pa, pd, pl = (optional(x) for x in ("pyarrow", "pandas", "polars"))
    big = [2**60 + k for k in range(1, 40)]
    values = [*big, last]
    bounds = (2**60, 2**60 + 100)
    median = ln.WeightedQuantile(q="0.5", bounds=bounds, largest=2)
    area = ln.RocAuc(labels=[0, 1])
    truth = [0] * 20 + [1] * 20
    for frame in (
        pd.DataFrame({"pay": pd.array(values, "Int64")}),
        pl.DataFrame({"pay": values}),
        pa.table({"pay": values}),
    ):
        profile = ln.profile(median, (frame, [1.0] * 40), relation="add-remove")
        assert profile.value == 2**60 + (20 if last is None else 19)
        with simulate(1):
            found = ln.release(area, (truth, frame), epsilon=10**6, relation="add-remove")
        assert found.value == pytest.approx(1 if last is None else 0.95625, abs=1e-3)


def test_arrow_text_that_is_no_utf8_is_text_with_signs_in_its_place() -> None:
    pa, pd, pl = (optional(x) for x in ("pyarrow", "pandas", "polars"))
    offsets = pa.py_buffer(np.array([0, 1, 3, 4], "i4").tobytes())
    bad = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"a\xff\xfeb")])
    for data in (bad, pd.Series(pd.arrays.ArrowExtensionArray(bad)), pl.from_arrow(bad)):
        table = open_table(data)
        assert table.text_codes(None, ["a", "b", "\ufffd\ufffd"]).tolist() == [0, 2, 1]
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), bad)
    assert open_table(coded).text_codes(None, ["a", "b"]).tolist() == [0, -1, 1, -1]
    beyond = pa.DictionaryArray.from_arrays(pa.array([0, 9, -4]), pa.array(["a"]), safe=False)
    assert open_table(beyond).text_codes(None, ["a"]).tolist() == [0, -2, -2]


def test_memory_that_is_no_text_is_missing() -> None:
    words = np.array([97, 0x110000, 98], "u4").view("U1")
    assert open_table(words).text_codes(None, ["a", "b"]).tolist() == [0, -2, 1]


def damaged(words: Any, *places: Any, order: str = "<") -> Any:
    """An array of text in which the memory at these places is none."""
    found = np.array(words, f"{order}U3")
    units = found.view(f"{order}u4").reshape(*found.shape, 3)
    for place in places:
        units[place][0] = 0x7FFFFFFF
    return found


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("place", [1, 3])
def test_no_text_in_one_row_unmasks_no_other(order: str, place: int) -> None:
    """Masked entries stay missing, whatever the memory beside them or below them is."""
    mask = np.array([True, False] * 3)
    words = damaged(["a", "b", "c", "b", "e", "b"], place, 4, order=order)
    read = open_table({"k": np.ma.array(words, mask=mask)})
    there = [-2 if gone or i == place else 0 for i, gone in enumerate(mask)]
    assert read.text_codes("k", ["b", "--"]).tolist() == there
    assert open_table({"k": words[::-1]}).text_codes("k", ["b"]).tolist()[0] == 0
    assert read.text_values("k")[1][-1] == "b"


@pytest.mark.parametrize("labels", [["a", "b", "c"], 3, [0, 1, 2]])
@pytest.mark.parametrize("masked", [False, True])
def test_no_text_at_one_end_of_a_graph_takes_its_edge_alone(labels: Any, masked: bool) -> None:
    names = ["a", "b", "c"] if labels == ["a", "b", "c"] else ["0", "1", "2"]
    pairs = [(0, 1), (1, 2), (0, 2)]
    edges: Any = damaged([[names[i], names[j]] for i, j in pairs], (0, 0))
    if masked:
        edges = np.ma.array(edges, mask=[[0, 0], [0, 0], [1, 0]])
    with simulate(1):
        count = ln.release(ln.EdgeCount(nodes=labels), edges, epsilon=10**6, relation="edge")
    assert count.value == (1 if masked else 2)


def test_no_text_in_one_label_takes_its_row_alone() -> None:
    x = np.linspace(-1, 1, 60).reshape(-1, 1)
    words = ["1", "0", "0"] * 20
    blank, broken = np.array(words, object), damaged(words, 1)
    blank[1] = None
    for y in (broken, broken.reshape(-1, 1)[:, 0], np.ma.array(broken, mask=False)):
        model: Any = PrivateLogisticRegression(epsilon=9, bounds=(-1, 1), classes=["0", "1"])
        with simulate(5):
            found = model.fit(x, y).coef_
        with simulate(5):
            assert np.array_equal(found, model.fit(x, blank).coef_)
        linear: Any = PrivateLinearRegression(epsilon=9, bounds=(-1, 1), target_bounds=(0, 1))
        with pytest.raises(ColumnTypeError, match="type str, which holds no numbers"):
            linear.fit(x, y)  # by its type, whatever is damaged


def test_no_text_in_one_record_stays_in_its_block() -> None:
    words = damaged(["a", "b", "c", "d"], 2)
    make = block_maker(words)
    assert make([0, 1]).tolist() == ["a", "b"]
    assert make([3, 2]).tolist() == ["d", None]


def test_an_error_does_not_tell_the_widest_text_nor_a_scale() -> None:
    pa, pl = optional("pyarrow"), optional("polars")
    for data in (
        np.array(["a", "b" * 77]),
        np.array([b"a", b"b" * 77]),
        np.array(["2020-01-01", "2020-01-01T00:00:00.123"], "M8"),
        pa.array([dt.datetime(2020, 1, 1)]),
        pl.Series([dt.datetime(2020, 1, 1)]),
    ):
        with pytest.raises(ColumnTypeError) as caught:
            open_table(data).column(None)
        assert not any(x in str(caught.value) for x in ("77", "308", "616", "2464", "[ms]", "us"))
    for cents in (pa.array([Decimal("1.23")]), pl.Series([Decimal("1.23")])):
        assert open_table(cents).column_type(None).kind in ("decimal128", "Decimal")


SIGNALLING = {
    "f4": np.array([0x7F800001, 0x3F800000], "u4").view("f4"),
    "f8": np.array([0x7FF0000000000001, 0x3FF0000000000000], "u8").view("f8"),
    ">f8": np.array([0x7FF0000000000001, 0x3FF0000000000000], ">u8").view(">f8"),
}


@pytest.mark.parametrize("kind", SIGNALLING)
def test_a_signalling_nan_is_a_missing_value_and_no_warning(kind: str) -> None:
    pa, pd, pl = (optional(x) for x in ("pyarrow", "pandas", "polars"))
    values = SIGNALLING[kind]
    fronts: list[Any] = [values, {"v": values}, [*values], pd.Series(values)]
    if kind != ">f8":
        fronts += [
            pa.array(values),
            pl.Series(values),
            pd.Series(values, dtype=f"Float{8 * values.itemsize}"),
        ]
    statistics: dict[str, Any] = {
        "median": lambda n: ln.Median(n, bounds=(0, 2)),
        "mean": lambda n: ln.Mean(n, bounds=(0, 2), missing=1),
        "variance": lambda n: ln.Variance(n, bounds=(0, 2)),
        "bins": lambda n: ln.Histogram(n, bins=[0, 1, 2]),
        "labels": lambda n: ln.Histogram(n, categories=[1, 3]),
        "vector": lambda n: ln.MeanVector(columns=n and [n], bounds=[(0, 2)]),
        "searched": lambda n: ln.Mean(n, bounds=ln.PrivateBounds()),
    }
    with warnings.catch_warnings(), np.errstate(all="raise"), simulate(1):
        warnings.simplefilter("error")
        for data in fronts:
            name = "v" if isinstance(data, dict) else None
            for make in statistics.values():
                ln.release(make(name), data, epsilon=1, relation="add-remove")
            assert open_table(data).column(name).values.tolist()[1] == 1.0
        pair = (SIGNALLING["f8"], values)
        ln.release(ln.MeanAbsoluteError(bounds=(0, 2)), pair, epsilon=1)
        ln.release(ln.RocAuc(labels=[0, 1]), ([0, 1], values), epsilon=1)
        trimmed = ln.TrimmedMeanVector(bounds=[(0, 2)], trim="0.1")
        ln.release(trimmed, values, epsilon=1, missing="none")
        with ln.open({"v": values}, relation="add-remove") as opened:
            opened.where(ln.col("v") > 0.5).release(ln.Count(), epsilon=1)
            opened.where(ln.col("v") == 1).release(ln.Count(), epsilon=1)


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_a_label_beyond_a_type_of_floats_is_never_met(dtype: str) -> None:
    values = np.array([1.0, np.inf, -np.inf, np.nan], dtype)
    many = [1e300, *(float(k) for k in range(30))]
    with warnings.catch_warnings(), np.errstate(all="raise"), simulate(1):
        warnings.simplefilter("error")
        for labels in ([1e300, 1], [1, -1e300], many):
            found = ln.release(ln.Histogram(categories=labels), values, epsilon=10**6)
            assert [n for n in found.value if n] == [1]
        with ln.open({"v": values}, relation="add-remove") as data:
            for condition, count in (
                (ln.col("v") < 1e300, 2),
                (ln.col("v") <= 1e300, 2),
                (ln.col("v") > 1e300, 1),
                (ln.col("v") >= -1e300, 2),
                (ln.col("v") == 1e300, 0),
                (ln.col("v") != -1e300, 3),
            ):
                found = data.where(condition).release(ln.Count(), epsilon=10**6)
                assert found.value == count, condition
