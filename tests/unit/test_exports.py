"""Tables of releases as frames, CSV, Markdown and HTML: plain and grouped."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import leastnoise as ln
from leastnoise.errors import MissingDependencyError, ParameterError
from leastnoise.record import Release, Releases, flat
from support.optional import optional

BOUNDS = {"bounds": (0, 100)}


def one(statistic: Any, value: Any) -> Release:
    made = ln.release(statistic, [1.0, 2.0], epsilon="1/2")
    return Release.from_dict({**made.to_dict(), "value": value})


def plain() -> Releases[Any, Any]:
    return Releases(
        {
            "median": one(ln.Median(**BOUNDS), 12.345678901),
            "n": one(ln.Count(), -3),
            "ages": one(ln.Histogram(bins=[0, 18, 65]), [4, 2**70]),
        }
    )


def grouped() -> Releases[Any, Any]:
    entries = {
        (s, k): Releases({"m": one(ln.Median(**BOUNDS), v), "n": one(ln.Count(), 7)})
        for s, k, v in (("N|S", 1, 3), ("N|S", 2, 4.5), ('"<b>\n', 1, 0.0), ('"<b>\n', 2, 1e6))
    }
    return Releases(entries, by=["s", "m"], names=["m", "n"], guarantee=ln.PureDP("1/3"))


def single() -> Releases[Any, Any]:
    entries = {(x,): one(ln.Count(), 5) for x in (True, False)}
    return Releases(entries, by=["b"], names=["value"])


def test_wide_and_long_columns() -> None:
    assert flat.flat(plain()).columns == {
        "median": [12.345678901], "n": [-3], "ages [0, 18)": [4], "ages [18, 65]": [2**70],
    }  # fmt: skip
    found = flat.flat(plain(), "long")
    assert list(found.rows()) == [
        ("median", None, 12.345678901),
        ("n", None, -3),
        ("ages", "[0, 18)", 4),
        ("ages", "[18, 65]", 2**70),
    ]
    wide = flat.flat(grouped())
    assert list(wide.columns) == ["s", "m", "m (released)", "n"]  # a statistic called as a column
    assert wide.columns["m (released)"] == [3, 4.5, 0.0, 1e6]
    assert (wide.keys, len(list(wide.rows()))) == (2, 4)
    long = flat.flat(grouped(), "long")
    assert list(long.columns) == ["s", "m", "statistic", "cell", "value"]
    assert len(long.columns["value"]) == 8
    assert flat.flat(single()).columns == {"b": [True, False], "value": [5, 5]}


def test_cross_tables_have_two_labels_and_unlabelled_lists_a_position() -> None:
    table = ln.CrossTab(rows=["a", "b"], columns=[0, 1])
    record = ln.release(table, (["a"], [1]), epsilon=1)
    assert [label for label, _ in flat.cells(record)] == ["a 0", "a 1", "b 0", "b 1"]
    several = ln.release(ln.Quantiles(q=["0.25", "0.5"], **BOUNDS), [1.0, 2.0], epsilon=1)
    assert len(list(flat.cells(several))) == 2


@pytest.mark.parametrize("make", [plain, grouped, single])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_every_form_has_the_same_values(make: Any, layout: str, tmp_path: Path) -> None:
    optional("pandas")
    optional("polars")
    table = make()
    found = flat.flat(table, layout)
    names = list(found.columns)
    text = table.to_csv(tmp_path / "t.csv", layout=layout)
    assert (tmp_path / "t.csv").read_bytes().decode() == text
    lines = list(csv.reader(io.StringIO(text)))
    assert lines[0] == names
    assert lines[1:] == [["" if x is None else str(x) for x in row] for row in found.rows()]
    pandas, polars = table.to_pandas(layout=layout), table.to_polars(layout=layout)
    assert list(pandas.columns) == names == polars.columns
    for name, column in found.columns.items():
        for theirs in (pandas[name].tolist(), polars[name].to_list()):
            assert [None if x is None or x != x else x for x in theirs] == column
    marked = table.to_markdown(layout=layout).splitlines()
    assert len([line for line in marked if line.startswith("|")]) == len(lines) + 1


def test_markdown_and_html_are_escaped_and_say_what_is_promised() -> None:
    text = grouped().to_markdown()
    assert "| N\\|S | 1 | 3 | 7 |" in text
    assert "| 1000000 |" in text
    assert text.endswith("PureDP with epsilon = 1/3; protects one row: whatever one row contains, "
                         "the answer is about as likely\n")  # fmt: skip
    assert "PureDP with epsilon = 3/2" in plain().to_markdown()  # three halves
    tree = ElementTree.fromstring(grouped()._repr_html_())
    assert tree.find("caption").text.startswith("PureDP with epsilon = 1/3")
    assert [cell.text for cell in tree.iter("th") if cell.get("scope") == "row"][4] == '"<b>\n'
    assert len(list(tree.iter("tr"))) == 5


@pytest.mark.parametrize(
    ("label", "cell", "marked"),
    [
        ("=1+1", "'=1+1", "=1+1"),
        ("\uff1d1+1", "'\uff1d1+1", "\uff1d1+1"),  # wide signs, which some programs read as plain
        ("\ufe6211", "'\ufe6211", "\ufe6211"),
        (" =1+1", "' =1+1", " =1+1"),
        ("\u00a0@SUM", "'\u00a0@SUM", "\u00a0@SUM"),
        ("-1.5", "-1.5", "-1.5"),
        ("a=b", "a=b", "a=b"),
        ("<img src=x>", "<img src=x>", "\\<img src=x>"),
        ("</td>", "</td>", "\\</td>"),
        ("[a](javascript:b)", "[a](javascript:b)", "[a]\\(javascript:b)"),
        ("a\u2028|", "a\u2028|", "a \\|"),
        ("[0, 5) < 7", "[0, 5) < 7", "[0, 5) < 7"),
    ],
)
def test_labels_are_no_formulas_and_no_markup(label: str, cell: str, marked: str) -> None:
    found = flat.Flat({"label": [label]}, 1)
    assert next(csv.reader(io.StringIO(flat.csv_of(found).split("\n", 1)[1]))) == [cell]
    assert flat.markdown_of(found, "").splitlines()[2] == f"| {marked} |"


def test_named_numbers_and_words_are_cells() -> None:
    made = one(ln.Count(), {"slope": [1.5, 2.5], "level": 3})
    assert list(flat.cells(made)) == [("slope 1", 1.5), ("slope 2", 2.5), ("level", 3)]
    assert list(flat.cells(one(ln.Count(), "yes"))) == [(None, "yes")]


def test_whole_numbers_stay_integers() -> None:
    pandas = single().to_pandas()
    assert str(pandas["value"].dtype).lower() == "int64"
    assert str(plain().to_polars()["n"].dtype) == "Int64"


def test_wrong_layouts_are_named() -> None:
    with pytest.raises(ParameterError, match="layout must be 'wide' or 'long'"):
        plain().to_csv(layout="tall")
    table = Releases({("x",): one(ln.Count(), 1)}, by=["cell"], names=["value"])
    with pytest.raises(ParameterError, match="layout='wide'"):
        table.to_csv(layout="long")
    assert table.to_csv() == "cell,value\nx,1\n"


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("+1-800", "'+1-800"),
        ("-", "'-"),
        ("@sum", "'@sum"),
        ("\t=1", "'\t=1"),
        ("-5", "-5"),
        ("+1.5e3", "+1.5e3"),
        ("a=b", "a=b"),
    ],
)
def test_no_label_is_a_formula_in_a_spreadsheet(label: str, written: str) -> None:
    table = Releases({(label,): Releases({label: one(ln.Count(), -1)})}, by=["key"], names=[label])
    head, row = csv.reader(io.StringIO(table.to_csv()))
    assert head == ["key", written]
    assert row == [written, "-1"]


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="polars is not installed"):
        plain().to_polars()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_numbers_of_both_kinds_and_none_stand_in_one_column(library: str) -> None:
    optional(library)
    with ln.open({"k": [1, 0] * 9}, relation="add-remove") as data:
        table = data.group_by({"k": [0, 0.5]}, other=True).release(ln.Count(), epsilon=10)
    frame = table.to_pandas() if library == "pandas" else table.to_polars()
    first = [None if value != value else value for value in frame["k"].to_list()]
    assert first == [0, 0.5, None]
