"""CSV and TSV files: headers, records, separators, encodings, damage, and nine real messy files."""

from __future__ import annotations

import csv
import gzip
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import (
    DataFileError,
    SchemaError,
)
from leastnoise.frames import open_table
from leastnoise.frames.readers.values import LONGEST
from support.fronts import SECRET, entries

# ---------------------------------------------------------------------------------------------
# Text files.


def write(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    data = content.encode() if isinstance(content, str) else content
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_case_c03_records_are_not_lines(tmp_path: Path, ending: str, newline: str) -> None:
    text = 'name,v\n"a\nb",1\nc,2\n'.replace("\n", newline)
    table = open_table(write(tmp_path, text, f"t.csv{ending}"))
    assert table.row_count() == 2
    assert table.column("v").values.tolist() == [1.0, 2.0]
    assert np.isnan(table.column("name").values).all()
    declared = table.column_type("v")
    assert (declared.kind, declared.integer, declared.nullable) == ("text", False, True)


@pytest.mark.parametrize(
    ("content", "ask", "expected"),
    [
        ("\ufeffage,inc\n30,1\n", "age", [30.0]),
        ('\ufeff"age","inc"\n30,1\n', "age", [30.0]),
        ("a,b\n1\n2,3\n4,5,6\n", "b", [None, 3.0, 5.0]),
        ("a,b\n1,2\n\n\r\n3,4\n\n", "b", [2.0, None, None, 4.0, None]),
        ("\n\na,b\n1,2\n", "b", [2.0]),
        ("a,b\n1,2", "b", [2.0]),
        ("a,b\n", "b", []),
        ("a,b", "b", []),
        ('a\n""\n1\n', "a", [None, 1.0]),
        ("a,b\n,\n", "b", [None]),
        ('a,b\n"1","2"\n', "b", [2.0]),
        ('a,b\n1,"2', "b", [2.0]),
        ('a,b\n1,"2"3\n', "b", [23.0]),
        ('a,b\n1,2"\n', "b", [None]),
        (b"a,b\n\xff\xfe,2\n\x00,\x003\n", "b", [2.0, None]),
        (b"a,b\n1,2\xff\n", "b", [None]),
        (",b\n1,2\n", "b", [2.0]),
        ("a,b,\n1,2,\n", "b", [2.0]),
        ("a,2019\n1,2\n", "2019", [2.0]),
    ],
    ids=itertools.count(),
)
def test_text_files(
    tmp_path: Path, content: str | bytes, ask: str, expected: list[float | None]
) -> None:
    for name in ("t.csv", "T.CSV.GZ".lower()):
        table = open_table(write(tmp_path, content, name))
        counted = table.row_count()
        assert entries(table.column(ask)) == expected
        assert counted == table.row_count() == len(expected)


@pytest.mark.parametrize(
    ("content", "ask", "message"),
    [
        ("x,x,y\n1,2,3\n", "x", "column x appears twice"),
        (",b\n1,2\n", "", "blank name"),
        (" ,b\n1,2\n", " ", "blank name"),
        (",b\n1,2\n", None, "'b' .*1 with a blank name"),
        ("30,1\n31,2\n", "age", "no header.*numbers, and not shown.*header=False"),
        ("30.5,,-1e3\n", "age", "no header.*numbers, and not shown"),
        ("30\n31\n", "age", "no header"),
        ("Ann,30\nBob,31\n", "age", "no column 'age'.*not shown.*header=False"),
        ("Ann,1961-03-02\nBob,1971-01-02\n", "age", "no column 'age'.*not shown.*header=False"),
        ("a;b\n1;2\n", "a", "has one column, with ';' in its name; give separator=';'"),
        ("a\tb\n1\t2\n", "a", r"separator='\\t'"),
        ("a|b\n1|2\n", "a", r"separator='\|'"),
        ("a~b\n1~2\n", "a", "',' the separator"),
        ("", "a", "empty"),
        ("\n\n\r\n", "a", "empty"),
        ("\ufeff", "a", "empty|blank"),
        ("a" * 1_100_000 + "\n1\n", "a", "the first line .* is very long.*give encoding="),
        ("a" * 1001 + "\n1\n", "a", "the first line .* is very long.*give encoding="),
        ("agee,pay\n1,2\n", "age", "did you mean 'agee'"),
        ("age,pay\n1,2\n", None, "needs the name of one.*'age', 'pay'"),
    ],
    ids=itertools.count(),
)
def test_headers_are_refused_with_the_cure(
    tmp_path: Path, content: str, ask: str | None, message: str
) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        open_table(write(tmp_path, content + (f"{SECRET}\n" if "1" in content else ""))).column(ask)
    assert str(SECRET) not in str(caught.value)
    assert "Ann" not in str(caught.value)
    assert caught.value.__cause__ is None


RECORDS = [
    '{"name": "Ann Miller", "salary": 53211}',
    "<tr><td>Ann Miller</td><td>53211</td></tr>",
    '[31, "Ann"]',
    "['Ann', 31]",
    "age: 31 name: Ann",
    "Ann 31 F32",
    'Ann,age="31"',
    '10.0.0.1 - Ann [10/Oct/2000:13:55:36 -0700] "GET /',
    "Ann at 13:55:36",
    "Ann since 2020-01-31",
    "Ann (31.01.2020)",
]


@pytest.mark.parametrize("line", RECORDS)
def test_a_first_line_that_holds_a_record_is_not_shown(line: str, tmp_path: Path) -> None:
    """However its numbers, dates and addresses stand beside other signs."""
    for ask in ("age", None):
        with pytest.raises(SchemaError) as caught:
            open_table(write(tmp_path, f"{line}\n{line}\n")).column(ask)
        said = str(caught.value)
        assert not [x for x in ("Ann", "31", "53211", "10.0", "13:55", "2020") if x in said]
    assert not open_table(write(tmp_path, f"{line}\n{line}\n")).names_are_public


@pytest.mark.parametrize(
    "line",
    ["Pay 2019,Pay 2020", "male=1,age (18-65)", "Q1: how many?,Q2: a 5-point scale", "{0},{1}",
     "PM2.5,[kg],<18", "3rd quarter,1:2 ratio", "time (hh:mm),x[0]"],
)  # fmt: skip
def test_names_that_hold_digits_are_shown(line: str, tmp_path: Path) -> None:
    table = open_table(write(tmp_path, f"{line}\n1,2\n"))
    assert table.names_are_public
    with pytest.raises(SchemaError, match=re.escape(repr(line.split(",")[0]))):
        table.column("age")


def test_a_header_with_numbers_in_it_is_used(tmp_path: Path) -> None:
    table = open_table(write(tmp_path, "region,2023,2024\nN,1,2\n"))
    assert entries(table.column("2024")) == [2.0]


def test_separators_and_encodings(tmp_path: Path) -> None:
    def read(content: bytes, name: str = "t.csv", ask: str = "größe", **options: Any) -> Any:
        return entries(open_table(write(tmp_path, content, name), **options).column(ask))

    text = "größe;b\n1,5;2\n"
    assert read(text.encode(), separator=";", decimal=",") == [1.5]
    assert read(text.encode("latin-1"), separator=";", decimal=",", encoding="latin-1") == [1.5]
    for encoding in ("utf-16", "utf-32", "utf-16-le", "utf-8-sig", "UTF8"):
        assert read(
            text.encode(encoding), separator=";", decimal=",", encoding=encoding
        ) == [1.5]  # fmt: skip
    marked = ("\ufeff" + text).encode("utf-16-le")
    assert read(marked, separator=";", decimal=",", encoding="utf-16-le") == [1.5]
    for name in ("t.tsv", "t.tab", "t.TSV", "t.tsv.gz"):
        assert read("größe\tb\n1.5\t2\n".encode(), name) == [1.5]
    assert read("größe\tb\n1.5\t2\n".encode(), separator="\\t") == [1.5]
    assert read("größe b\n1.5 2\n".encode(), "t.data", separator=" ") == [1.5]
    assert read("größe,b\n1.5,2\n".encode(), "t.txt") == [1.5]
    # A separator that was given is believed.
    assert read(b'"a;b"\n7\n', ask="a;b", separator=",") == [7.0]
    assert read(b'"a,b"\n7\n', ask="a,b") == [7.0]
    with pytest.raises(SchemaError, match="encoding"):
        open_table(write(tmp_path, "a,b\n1,2\n"), encoding="utf-16")


def test_files_without_a_header(tmp_path: Path) -> None:
    table = open_table(write(tmp_path, "\ufeff30,1\n31\n32,2,9\n"), header=False)
    assert table.column_names() == ()  # how many there are is told by rows alone
    assert table.row_count() == 3
    assert entries(table.column("column_1")) == [30.0, 31.0, 32.0]
    assert entries(table.column("column_2")) == [1.0, None, 2.0]
    with pytest.raises(SchemaError, match="'column_1', 'column_2'"):
        table.column("age")


def test_without_a_header_no_record_decides_what_is_refused(tmp_path: Path) -> None:
    """The first line is a record then: its length, its quotes and its being there are data."""
    texts = {"": [], "7\n": [], "1,2\n": [2.0], "1,2,3\n5\n": [2.0, None], '"1,2\n3,4\n': [None]}
    refusals: set[str] = set()
    for text, expected in texts.items():
        table = open_table(write(tmp_path, text), header=False)
        read = entries(table.column("column_2"))
        assert [x for x in read if x is not None] == [x for x in expected if x is not None], text
        assert all(x is None for x in entries(table.column("column_9")))
        with pytest.raises(SchemaError, match="no column 'v'") as caught:
            table.column_type("v")
        refusals.add(str(caught.value))
    assert len(refusals) == 1
    long = write(tmp_path, "9" * 200_000 + ",1\n2,3\n")
    assert entries(open_table(long, header=False).column("column_2")) == [1.0, 3.0]


def test_a_quote_left_open_in_the_header_is_refused_whatever_the_rows_are(tmp_path: Path) -> None:
    refusals: set[str] = set()
    for rows in ("", "1,2\n", '1,2\n"x",3\n', '1"\n2,3\n'):
        with pytest.raises(SchemaError, match="quote in the header is not closed") as caught:
            open_table(write(tmp_path, 'a,"b\n' + rows))
        refusals.add(str(caught.value))
    assert len(refusals) == 1


def test_unknown_formats_get_a_cure(tmp_path: Path) -> None:
    for name, cure in (
        ("t.zip", "unpack"),
        ("t.csv.xz", "unpack"),
        ("t.xlsx", "save the sheet as CSV"),
        ("t.dat", "separator="),
        ("t", "separator="),
    ):
        (tmp_path / name).write_bytes(b"v\n1\n")
        with pytest.raises(SchemaError, match=cure):
            open_table(tmp_path / name)


@pytest.mark.parametrize(
    ("begun", "cure"),
    [
        (b"PK\x03\x04", "save the sheet as CSV"),
        (b"\xd0\xcf\x11\xe0", "a spreadsheet"),
        (b"PAR1", "name it .parquet"),
        (b"BZh91AY&SY", "pack it with gzip"),
        (b"SQLite format 3\0", "a database"),
    ],
)
def test_what_is_no_text_is_told_by_its_first_bytes(
    begun: bytes, cure: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(begun + f",v\n{SECRET},1\n".encode())
    with pytest.raises(DataFileError, match=cure) as caught:
        open_table(path)
    assert str(SECRET) not in str(caught.value)
    # without a line of names these bytes are a row's: they decide nothing
    assert len(open_table(path, header=False).column("column_2").values) == 2


def test_damaged_files_show_nothing_of_their_content(tmp_path: Path) -> None:
    whole = gzip.compress(f"v,w\n{SECRET},1\n".encode() * 5000)
    rng = np.random.default_rng(1)
    noise = f"v,w\n{SECRET},1\n".encode() + rng.bytes(200_000).hex().encode()
    cut = gzip.compress(noise)[:-30_000]
    files = {"cut.csv.gz": cut, "tail.csv.gz": whole[:-4]}
    files["crc.csv.gz"] = whole[:-8] + b"\0\0\0\0" + whole[-4:]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        for ask in (lambda t: t.column("v"), lambda t: t.row_count()):
            with pytest.raises(SchemaError, match="no complete gzip file") as caught:
                ask(open_table(tmp_path / name))
            assert str(SECRET) not in str(caught.value)
            assert caught.value.__cause__ is None
            assert caught.value.__suppress_context__
    path = write(tmp_path, "v,w\n1,2\n")
    table = open_table(path)
    path.unlink()
    with pytest.raises(SchemaError, match="there is no file"):
        table.column("v")


@pytest.mark.parametrize("position", ["v", "w", "note"])
def test_fields_beyond_the_csv_limit(tmp_path: Path, position: str) -> None:
    limit = csv.field_size_limit()
    rows = [f"n,{i},{i + 0.5}" for i in range(20_000)]
    rows[9_000] = f'"{"x, y" * limit}",9000,9000.5'
    rows[9_001] = f'"{"7" * (LONGEST + 1)}",9001,"9{"0" * LONGEST}"'
    table = open_table(write(tmp_path, "note,v,w\n" + "\n".join(rows) + "\n"))
    values = table.column(position).values
    assert len(values) == table.row_count() == 20_000
    assert open_table(tmp_path / "t.csv").row_count() == 20_000
    if position == "note":
        assert np.isnan(values).all()
    else:
        expected = np.arange(20_000) + (0.5 if position == "w" else 0)
        if position == "w":
            assert np.isnan(values[9_001])
            values[9_001] = 9_001.5
        assert (values == expected).all()
    assert csv.field_size_limit() == limit


def test_a_stray_quote_takes_the_rest_and_no_more(tmp_path: Path) -> None:
    rows = [f"{i},{i}" for i in range(60_000)]
    rows[100] = '100,"100'
    table = open_table(write(tmp_path, "v,w\n" + "\n".join(rows) + "\n"))
    assert table.row_count() == 101
    assert entries(table.column("v")) == [float(i) for i in range(101)]
    assert entries(table.column("w"))[-1] is None


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=60), compressed=st.booleans())
def test_no_bytes_in_a_text_file_raise(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, compressed: bool
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    name = "t.csv.gz" if compressed else "t.csv"
    for encoding in ("utf-8", "latin-1", "cp1252", "cp037", "shift_jis", "utf-16-le", "gb18030"):
        header = "v,w\n".encode(encoding)
        table = open_table(write(folder, header + content, name), encoding=encoding)
        assert len(table.column("w").values) == table.row_count()


# ---------------------------------------------------------------------------------------------
# Real files.

MESSY: dict[str, tuple[dict[str, Any], str, int, int]] = {
    # file: options, column, rows, how many of them are numbers
    "fy09_edu_recipients_by_state.csv": ({"thousands": ","}, "TOTAL", 53, 52),
    "hospital_dirty.csv": ({}, "ZipCode", 1000, 970),
    "imf_gdp_per_capita_latin1.tsv": ({"encoding": "latin-1", "thousands": ","}, "2015", 190, 187),
    "ks_1033_military_surplus.csv": ({}, "total_cost", 1575, 1575),
    "nyc_311_sample.csv": ({}, "latitude", 1000, 977),
    "oecd_bli_2015.csv": ({}, "Value", 3292, 3292),
    "sample_superstore.csv": ({}, "Profit", 9994, 9994),
    "star_wars_survey.csv": ({"encoding": "latin-1"}, "RespondentID", 1187, 1186),
    "titanic_train.csv": ({}, "Age", 891, 714),
}


@pytest.mark.parametrize("name", list(MESSY))
def test_messy_files(shared_data: Path, name: str) -> None:
    options, column, rows, found = MESSY[name]
    table = open_table(shared_data / "messy" / name, **options)
    assert table.row_count() == rows
    assert int(np.isfinite(table.column(column).values).sum()) == found
    for other in table.column_names() or ():
        if other.strip():
            assert len(table.column(other).values) == rows
        else:
            with pytest.raises(SchemaError, match="blank"):
                table.column(other)


def test_messy_files_with_the_wrong_options(shared_data: Path) -> None:
    path = shared_data / "messy" / "imf_gdp_per_capita_latin1.tsv"
    with pytest.raises(SchemaError, match="separator"):
        open_table(path, separator=";").column("2015")
    with pytest.raises(SchemaError, match="LOCATION"):
        open_table(shared_data / "messy" / "oecd_bli_2015.csv").column("location")


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("t.parquet", b"PAR1 73914628 PAR1", {}),
        ("t.csv", b"a\n7391\x00\xd8\x00", {"encoding": "utf-16"}),
        ("t.csv.gz", b"\x1f\x8b73914628", {}),
    ],
)
def test_no_foreign_error_stands_behind_ours(
    name: str, content: bytes, options: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(SchemaError) as caught:
        open_table(file, **options).column("a")
    error: BaseException | None = caught.value
    while error is not None:
        assert isinstance(error, SchemaError)
        error = error.__cause__ or error.__context__
