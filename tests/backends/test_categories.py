"""Declared labels and bins over all front ends: the same exact counts, and refusals by schema."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import ColumnTypeError, ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.memory.cells import bin_codes
from leastnoise.frames.memory.labels import BLANKS, whole_codes
from leastnoise.session.prepare import plan
from leastnoise.testing import check_summary, simulate
from support.engines import keep_open, on_engine
from support.fronts import FRONTS, SECRET, Front, only_library
from support.optional import optional

WORDS = ["N", " S ", None, "n", "N", "", "S\t", str(SECRET), "None", "nan", "\u3000S", "N"]
LABELS = ["S", "N", "W"]
EXPECTED = (3, 3, 0)


def summed(statistic: Any, data: Any) -> Any:
    prepared = plan(statistic, data, "replace-one", None)
    return prepared.table.summarise(prepared.request, None)


def counts(statistic: Any, data: Any) -> tuple[int, ...]:
    prepared = plan(statistic, data, "replace-one", None)
    summary: Any = prepared.table.summarise(prepared.request, None)
    assert sum(summary.counts) <= prepared.table.row_count()
    return summary.counts


def text_fronts(folder: Path) -> dict[str, Any]:
    """The words as a column "v" of every back end that can hold text."""
    pd, pl, pa = (optional(name) for name in ("pandas", "polars", "pyarrow"))
    pq = optional("pyarrow.parquet")
    lines = ["w,v", *(f'1,"{word or ""}"' for word in WORDS)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arrow = pa.table({"v": pa.array(WORDS)})
    pq.write_table(arrow, folder / "t.parquet")
    enum = pl.Enum(sorted({word for word in WORDS if word is not None}))
    chunks = pa.chunked_array([WORDS[:3], WORDS[3:]], pa.large_string())
    return {
        "dict": {"v": WORDS},
        "numpy object": {"v": np.array(WORDS, dtype=object)},
        "numpy text": {"v": np.array([word or "" for word in WORDS])},
        "numpy masked": {
            "v": np.ma.array([word or "S" for word in WORDS], mask=[not word for word in WORDS])
        },
        "pandas": pd.DataFrame({"v": WORDS}),
        "pandas object": pd.DataFrame({"v": pd.Series(WORDS, dtype=object)}),
        "pandas NA": pd.DataFrame({"v": pd.Series([w or pd.NA for w in WORDS], dtype=object)}),
        "pandas string": pd.DataFrame({"v": pd.Series(WORDS, dtype="string")}),
        "pandas arrow": pd.DataFrame({"v": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string()))}),
        "pandas category": pd.DataFrame({"v": pd.Categorical(WORDS)}),
        "polars": pl.DataFrame({"v": WORDS}),
        "polars category": pl.DataFrame({"v": pl.Series(WORDS, dtype=pl.Categorical)}),
        "polars enum": pl.DataFrame({"v": pl.Series(WORDS, dtype=enum)}),
        "polars object": pl.DataFrame({"v": pl.Series(WORDS, dtype=pl.Object)}),
        "arrow": arrow,
        "arrow chunks": pa.table({"v": chunks}),
        "arrow dictionary": pa.table({"v": pa.array(WORDS).dictionary_encode()}),
        "csv": folder / "t.csv",
    }  # fmt: skip


def test_text_labels_are_the_same_in_every_front_end(tmp_path: Path) -> None:
    statistic = ln.Histogram("v", categories=LABELS)
    for name, data in text_fronts(tmp_path).items():
        assert counts(statistic, data) == EXPECTED, name
    for library in ("pyarrow", "polars", "duckdb"):
        optional(library)
        with pytest.MonkeyPatch.context() as patch:
            only_library(patch, library)
            assert counts(statistic, tmp_path / "t.parquet") == EXPECTED, library


@pytest.mark.parametrize("size", [100, 200, 40_000])
def test_categories_are_told_apart_however_many_there_are(size: int) -> None:
    """Codes have more bytes where there are more of them."""
    pd, pl, pa = (optional(name) for name in ("pandas", "polars", "pyarrow"))
    words = [f"w{i}" for i in range(size)]
    rows = [*words, words[-1], words[0]]
    kept = [0, 1, size // 2, size - 1]
    statistic = ln.Histogram("t", categories=[words[i] for i in kept])
    wanted = tuple(1 + (i in (0, size - 1)) for i in kept)
    fronts = {
        "pandas": pd.DataFrame({"t": pd.Categorical(rows, categories=words)}),
        "polars": pl.DataFrame({"t": pl.Series(rows, dtype=pl.Enum(words))}),
        "arrow": pa.table({"t": pa.array(rows).dictionary_encode()}),
    }
    assert {name: counts(statistic, data) for name, data in fronts.items()} == dict.fromkeys(
        fronts, wanted
    )


def test_a_missing_entry_is_no_label_called_none_or_nan() -> None:
    entries = [None, float("nan"), np.datetime64("NaT"), "None", "nan", "NaT"]
    assert counts(ln.Histogram(categories=["None", "nan", "NaT"]), entries) == (1, 1, 1)


@pytest.mark.parametrize("label", list(FRONTS))
def test_number_labels_and_bins_are_the_same_in_every_front_end(label: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if label.startswith("parquet by "):
            optional(label.removeprefix("parquet by "))
            only_library(patch, label.removeprefix("parquet by "))
        front = Front(label, tmp_path)

        def of(statistic: Any, values: list[Any], kind: str) -> tuple[int, ...]:
            return counts(statistic, FRONTS[label](values, kind, tmp_path))

        whole = [0, 1, None, 7, 5, 5, -3]
        assert of(ln.Histogram(front.name, categories=[5, 1, 9]), whole, "int") == (2, 1, 0)
        assert of(ln.Histogram(front.name, categories=[0, 1]), whole, "int") == (1, 1)
        assert of(ln.Histogram(front.name, bins=[0, 5, 7]), whole, "int") == (2, 3)
        truth = [True, False, True, None]
        assert of(ln.Histogram(front.name, categories=[False, True]), truth, "bool") == (1, 2)
        floats = [0.0, 0.1, 0.25, None, 1.0, 2.5, math.inf, -math.inf]
        assert of(ln.Histogram(front.name, bins=["0.1", "1/4", 1]), floats, "float") == (1, 2)
        open_ends = ln.Histogram(front.name, bins=[-math.inf, 0, math.inf])
        assert of(open_ends, floats, "float") == (1, 6)
        assert of(ln.Histogram(front.name, categories=[0.1, 2.5]), floats, "float") == (1, 1)


@pytest.mark.parametrize(
    ("column", "labels", "cure"),
    [
        (np.array([1, 2]), ["1", "2"], r"int64.*labels as numbers"),
        (np.array([True]), ["True", "False"], r"bool.*\[0, 1\] for booleans"),
        (np.array([1.5]), ["1.5", "2"], "float64.*as numbers"),
        (np.array(["2026-01-01"], "M8[D]"), ["a", "b"], "no text; .*keys and bins take datetimes"),
        (np.array(["1", "2"]), [1, 2], "holds text.*write labels as text"),
    ],
)
def test_labels_of_the_wrong_kind_are_refused_with_the_cure(
    column: Any, labels: list[Any], cure: str
) -> None:
    with pytest.raises(ColumnTypeError, match=cure):
        ln.release(ln.Histogram(categories=labels), column, epsilon=1)
    with pytest.raises(ColumnTypeError, match="column 'v'.*" + cure):
        ln.release(ln.Histogram("v", categories=labels), {"v": column}, epsilon=1)


def test_typed_frames_refuse_labels_of_the_wrong_kind(tmp_path: Path) -> None:
    pl = optional("polars")
    pq = optional("pyarrow.parquet")
    frame = pl.DataFrame({"v": [1, 2], "s": ["a", "b"], "d": [None, None], "b": [True, None]})
    frame = frame.with_columns(pl.col("d").cast(pl.Date))
    pq.write_table(frame.to_arrow(), tmp_path / "t.parquet")
    typed = frame.to_pandas().astype({"s": "string"})  # older Polars makes it a column of objects
    for data in (frame, typed, frame.to_arrow(), tmp_path / "t.parquet"):
        for library in ("pyarrow", "polars", "duckdb") if data is not frame else ("pyarrow",):
            with pytest.MonkeyPatch.context() as patch:
                only_library(patch, library)
                for column, labels in (("v", ["1", "2"]), ("s", [1, 2]), ("d", ["a", "b"])):
                    with pytest.raises(ColumnTypeError, match=f"'{column}'"):
                        ln.release(ln.Histogram(column, categories=labels), data, epsilon=1)
                with pytest.raises(ColumnTypeError, match="'s'"):
                    ln.release(ln.Histogram("s", bins=[0, 1]), data, epsilon=1)
                with pytest.raises(SchemaError, match="no column"):
                    ln.release(ln.Histogram("x", categories=["a", "b"]), data, epsilon=1)


def test_two_columns_are_counted_together(tmp_path: Path) -> None:
    rows = [("a", 0), ("a", 1), ("b", 1), ("b", None), (None, 1), ("c", 0), ("a", 7), ("b", 1)]
    words, flags = [r[0] for r in rows], [r[1] for r in rows]
    lines = [f"{word or ''},{'' if flag is None else flag}" for word, flag in rows]
    (tmp_path / "t.csv").write_text("\n".join(["w,f", *lines]), encoding="utf-8")
    pl = optional("polars")
    expected = (1, 1, 0, 2)
    table = ln.CrossTab("w", "f", rows=["a", "b"], columns=[0, 1])
    for data in (
        {"w": words, "f": flags},
        tmp_path / "t.csv",
        pl.DataFrame({"w": words, "f": flags}),
    ):
        assert counts(table, data) == expected  # fmt: skip
    assert counts(ln.CrossTab(rows=["a", "b"], columns=[0, 1]), (words, flags)) == expected


@given(
    st.lists(st.floats(width=32), max_size=20),
    st.lists(st.integers(-9, 9), min_size=2, unique=True),
)
def test_bins_equal_numpy(values: list[float], edges: list[int]) -> None:
    ends = tuple(float(e) for e in sorted(edges))
    codes = bin_codes(np.array(values), ends)
    kept = [v for v in values if ends[0] <= v <= ends[-1]]
    reference = np.histogram(kept, bins=ends)[0]
    assert np.bincount(codes[codes >= 0], minlength=len(ends) - 1).tolist() == reference.tolist()
    assert len(codes) == len(values)


@settings(max_examples=300)
@given(st.lists(st.text(st.sampled_from("ab" + BLANKS), max_size=4), max_size=30))
def test_blanks_are_stripped_alike(words: list[str]) -> None:
    pl = optional("polars")
    reference = [{"a": 0, "b": 1}.get(word.strip(), -1) for word in words]
    frame = pl.DataFrame({"v": pl.Series(words, dtype=pl.String)})
    for data in (words, frame, frame.to_arrow()):
        name = None if data is words else "v"
        assert whole_codes(open_table(data), name, ("a", "b")).tolist() == reference


def test_counts_form_a_monoid() -> None:
    def of(rows: list[Any]) -> Any:
        prepared = plan(ln.Histogram(categories=["a", "b"]), rows, "edit", None)
        return prepared.table.summarise(prepared.request, None)

    check_summary(of, st.sampled_from(["a", " b", None, "c"]), key=lambda s: s.counts)


class Hostile:
    def __str__(self) -> str:
        raise KeyError(SECRET)

    def __eq__(self, other: object) -> bool:
        raise KeyError(SECRET)

    __hash__ = None


def test_no_entry_raises() -> None:
    entries = [Hostile(), [1], {"a": 1}, b"a", 1 + 2j, object(), np.array([1, 2]), "a", "x" * 10**6]
    assert counts(ln.Histogram(categories=["a", "b"]), entries) == (1, 0)


LONG = 2**53
WHOLE = [LONG, LONG + 1, LONG + 1, 0]


def whole_fronts() -> dict[str, Any]:
    """Whole numbers that doubles merge, as columns "v" and "w" that declare 64 bits or more."""
    pd, pl, pa = (optional(name) for name in ("pandas", "polars", "pyarrow"))
    columns = {"v": WHOLE, "w": [LONG, LONG, LONG + 1, 0]}
    table = pa.table({name: pa.array(x, pa.int64()) for name, x in columns.items()})
    duckdb = keep_open(optional("duckdb").connect())
    wide = duckdb.from_arrow(table).project("v::HUGEINT AS v, w::HUGEINT AS w")
    return {
        "numpy": {name: np.array(x, np.uint64) for name, x in columns.items()},
        "pandas": pd.DataFrame(columns),
        "pandas nullable": pd.DataFrame(columns, dtype="Int64"),
        "polars": pl.DataFrame(columns),
        "arrow": table,
        "HUGEINT": wide,
        **{label: on_engine(label, table) for label in ("polars lazy", "duckdb")},
    }


def check_whole_labels(data: Any) -> None:
    """Labels are told apart, in any order and beside ones that no integer equals."""
    assert counts(ln.Histogram("v", categories=[LONG + 1, 5]), data) == (2, 0)
    assert counts(ln.Histogram("v", categories=[0.5, LONG, LONG + 1]), data) == (0, 1, 2)
    assert counts(ln.Histogram("v", categories=[2**63 - 2, LONG + 2]), data) == (0, 0)
    cross = ln.CrossTab("v", "w", rows=[LONG, LONG + 1], columns=[LONG, LONG + 1])
    assert counts(cross, data) == (1, 0, 1, 1)
    assert summed(ln.ConfusionMatrix("v", "w", labels=[LONG + 1, LONG]), data).counts == (
        (1, 1),
        (0, 1),
    )
    summary = summed(ln.RocAuc("v", "w", labels=(0, LONG)), data)
    assert (summary.positives, summary.negatives) == (1, 1)


def test_whole_labels_that_doubles_merge_are_exact_in_every_typed_column() -> None:
    for data in whole_fronts().values():
        check_whole_labels(data)


@pytest.mark.nightly  # the expressions of the engines above
def test_spark_tells_whole_labels_apart() -> None:
    table = on_engine("spark", optional("pyarrow").table({"v": WHOLE}))
    assert counts(ln.Histogram("v", categories=[LONG + 1, LONG]), table) == (2, 1)


def test_the_mode_and_records_say_the_label_that_was_declared() -> None:
    data = np.array([LONG + 1] * 100 + [LONG] * 7 + [2**63 - 1] * 30)
    with simulate(1):
        mode = ln.release(ln.Mode(categories=[LONG + 1, 5]), data, epsilon=50)
        keys = ln.release(ln.PrivateKeys(delta="1e-3"), data, epsilon=100).value
        found = ln.release(ln.Histogram(categories=keys), data, epsilon=10**6)
    assert mode.value == LONG + 1
    assert ln.Release.from_json(mode.to_json()).value == LONG + 1
    again = ln.Release.from_json(found.to_json())
    assert dict(zip(again.axes[0], again.value, strict=True)) == {
        LONG: 7,
        LONG + 1: 100,
        2**63 - 1: 30,
    }


def test_labels_that_are_one_another_are_refused_whatever_their_type() -> None:
    for labels in ([LONG, float(LONG)], [1, True], [0.1, 0.1]):
        with pytest.raises(ParameterError, match="different from one another"):
            ln.Histogram(categories=labels)
