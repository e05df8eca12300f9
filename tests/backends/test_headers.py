"""What is shown of a first line: names, and nothing where it may be more than names."""

from __future__ import annotations

import codecs
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.accounting import Ledger
from leastnoise.errors import DataFileError, ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.readers.describe import describe
from leastnoise.frames.readers.header import LONGEST_LINE
from leastnoise.testing import simulate

ROWS = ["name,pay,note", *(f"Ann{i},{73914628 + i},sick" for i in range(40))]
SECRETS = ("Ann", "739146", "sick", "慰", "湁", "Á")
ENDS = {"unix": "\n", "windows": "\r\n", "mac": "\r"}


def told(path: Path, ledger: Path, **options: Any) -> list[str]:
    """Everything that is said about a file: errors, reprs and what a ledger keeps."""
    found: list[str] = []
    asked: list[Any] = [
        ln.Median("pay", bounds=(0, 1)),
        ln.Median("pya", bounds=(0, 1)),
        ln.Mean(" ", bounds=(0, 1)),
        ln.Histogram("pay", categories=["a", "b"]),
        ln.MeanVector(columns=["pay"], bounds=[(0, 1)]),
        ln.MeanSquaredError("pay", "note", bounds=(0, 1)),
        ln.TriangleCount("pay", "note", nodes=5),
    ]
    for statistic in asked:
        try:
            ln.release(statistic, path, epsilon=1, **options)
        except SchemaError as error:
            found.append(str(error))
    try:
        table = open_table(path, **options)
        found += [repr(table), repr(table.column_names())]
        found.append(repr(describe(table)))
    except SchemaError as error:
        found.append(str(error))
    Ledger.create(ledger, dataset="pay", budget=ln.PureDP(1)).close()
    try:
        ln.open(path, ledger=ledger, dataset="pay", **options).close()
    except SchemaError as error:
        found.append(str(error))
    with sqlite3.connect(ledger) as kept:
        found.append("\n".join(kept.iterdump()))
    return found


WRONG = [
    ("utf-8", "utf-16-le"),
    ("utf-8", "utf-16-be"),
    ("utf-8", "utf-32-le"),
    ("utf-8", "cp037"),
    ("utf-8", "cp500"),
    ("utf-8", "utf-16"),
    ("utf-16", "utf-8"),
    ("utf-16-le", "latin-1"),
    ("utf-16-be", "cp1252"),
    ("utf-16-le", "utf-16-be"),
    ("utf-32", "utf-8"),
    ("utf-32-le", "latin-1"),
    ("cp037", "utf-8"),
    ("cp037", "latin-1"),
    ("cp037", "cp1252"),
    ("cp500", "cp850"),
    ("cp500", "mac-roman"),
]


@pytest.mark.parametrize("end", list(ENDS))
@pytest.mark.parametrize(("true", "declared"), WRONG)
def test_a_wrong_encoding_shows_nothing_and_names_the_cure(
    tmp_path: Path, true: str, declared: str, end: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(ENDS[end].join([*ROWS, ""]).encode(true))
    shown = told(path, tmp_path / "t.db", encoding=declared)
    for text in shown:
        for secret in SECRETS:
            assert secret not in text
        assert len(text) < 600 or text.startswith("BEGIN TRANSACTION")
    assert any("encoding=" in text for text in shown)
    kept = shown[-1]
    readable = path.read_bytes()[30:].decode(declared, "replace")
    assert not any(readable[i : i + 8] in kept for i in range(len(readable) - 8))


@pytest.mark.parametrize("declared", ["utf-16-le", "utf-16-be", "cp037"])
def test_what_a_wrong_encoding_makes_of_rows_decides_no_refusal(
    tmp_path: Path, declared: str
) -> None:
    """The first line is the whole file then: its length, its letters and its signs are data."""
    texts = ["pay\n1\n", "pay\n12\n", "pay\n\n", 'pay\n"\n', "pay\n\ud800\n", "pay\n;|\t,\n", "7\n"]
    refusals: set[str] = set()
    path = tmp_path / "t.csv"
    for text in texts:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(SchemaError, match="encoding=") as caught:
            ln.release(ln.Count("pay"), path, epsilon=1, encoding=declared)
        refusals.add(str(caught.value))
    assert len(refusals) == 1


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1e", "\x85", "\u2028", "\u2029"])
def test_other_line_ends_show_nothing(tmp_path: Path, end: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(end.join([*ROWS, ""]).encode())
    for text in told(path, tmp_path / "t.db"):
        assert not any(secret in text for secret in SECRETS)


@pytest.mark.parametrize("end", list(ENDS.values()))
def test_line_ends_are_those_of_the_first_line(tmp_path: Path, end: str) -> None:
    path = tmp_path / "t.csv"
    others = {"\n": "\r", "\r\n": "\r", "\r": "\n"}
    path.write_bytes(end.join(["a,b", f"1,{others[end]}2", "3,4", ""]).encode())
    table = open_table(path)
    assert table.column("a").values.tolist() == [1, 3]
    assert table.column("b").values.tolist() == [2, 4]  # a carriage return is a blank
    path.write_bytes(end.join(["Title", "a,b", "1,2", ""]).encode())
    assert open_table(path, skip_rows=1).column("b").values.tolist() == [2]
    assert open_table(path, skip_rows=2, header=False).row_count() == 1


def test_without_a_header_no_row_decides_how_lines_end(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for first in ("1,2", "1\r,2", "\r", "1,2\r", '"1\r",2'):
        path.write_bytes(f"{first}\n3,4\n5,6\n".encode())
        table = open_table(path, header=False)
        assert table.row_count() == 3
        assert table.column("column_1").values.tolist()[1:] == [3, 5]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "UTF16", "U32"])
def test_no_row_is_taken_for_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    """The first character of a row may be the mark of the other order."""
    path, name = tmp_path / "t.csv", codecs.lookup(encoding).name
    path.write_bytes("\ufffe7,1\n8,2\n".encode(f"{name}-le"))
    with pytest.raises(ParameterError, match=f"{name}-le"):
        open_table(path, encoding=encoding, header=False)
    for order in ("le", "be"):
        for first in ("7", "\ufffe7", "\ufeff7", "\ufffe"):
            path.write_bytes(f"{first},1\n8,2\n".encode(f"{name}-{order}"))
            table = open_table(path, encoding=f"{name}-{order}", header=False)
            assert table.row_count() == 2
            assert table.column("column_1").values.tolist()[1] == 8
            assert table.column("column_2").values.tolist() == [1, 2]
        # a line above the rows may begin with a mark, and must
        path.write_bytes("\ufeffTitle\n\ufffe7,1\n8,2\n".encode(f"{name}-{order}"))
        table = open_table(path, encoding=encoding, header=False, skip_rows=1)
        assert table.column("column_2").values.tolist() == [1, 2]
        path.write_bytes("Title\n7,1\n".encode(f"{name}-{order}"))
        with pytest.raises(SchemaError, match="byte order mark"):
            open_table(path, encoding=encoding, header=False, skip_rows=1)


def test_names_are_found_in_a_file_of_one_line_without_an_end(tmp_path: Path) -> None:
    """All rows may be gone: a table without rows is as good as another."""
    path = tmp_path / "t.csv"
    values: list[Any] = []
    for text in ("name,pay", "name,pay\n", "name,pay\nAnn,1"):
        path.write_text(text, encoding="utf-8")
        with simulate(1):
            record = ln.release(ln.Count("pay"), path, epsilon=10**6, relation="add-remove")
        values.append(record.value)
    assert values == [0, 0, 1]


@pytest.mark.parametrize("names", ["pay,note", "pay", '"pay","note (%)"', "pay,größe", "pay,7391"])
def test_a_file_without_rows_is_told_as_one_with_rows(tmp_path: Path, names: str) -> None:
    """Its last line has no end where lines are joined; whether rows stand below is private."""
    shown: list[list[str]] = []
    path = tmp_path / "t.csv"
    for i, text in enumerate([names, f"{names}\n", f"{names}\n1,2", f"{names}\n1,2\n"]):
        path.write_text(text, encoding="utf-8")
        *errors, kept = told(path, tmp_path / f"{i}.db")
        tables = [line for line in kept.splitlines() if '"columns"' in line]
        found = [line[line.index('"columns"') :].split("]]")[0] for line in tables]
        assert found
        shown.append([*errors, *found])
    assert shown[0] == shown[1] == shown[2] == shown[3]


@pytest.mark.parametrize("sign", [";", "|", "~", "^", "\\n", "<br>", "}{", "@", "=", ":"])
def test_a_line_without_an_end_that_may_be_all_rows_is_not_shown(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(sign.join(["name,note", "Ann,ill", "Ann,ill"]), encoding="utf-8")
    for text in told(path, tmp_path / "t.db"):
        assert not any(secret in text for secret in SECRETS)


def test_names_are_shown_short_and_few_of_them(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    names = [f"question {i} {'x' * 500}" for i in range(1500)]
    path.write_text(",".join(names) + "\n", encoding="utf-8")
    table = open_table(path)
    assert len(table.column_names() or ()) == 1500
    assert len(repr(table)) < 10_000
    with pytest.raises(SchemaError) as caught:
        table.column_type("question 1")
    assert len(str(caught.value)) < 10_000
    Ledger.create(tmp_path / "t.db", dataset="pay", budget=ln.PureDP(1)).close()
    ln.open(path, ledger=tmp_path / "t.db", dataset="pay").close()
    assert (tmp_path / "t.db").stat().st_size < 500_000
    path.write_text("x" * LONGEST_LINE + "y,pay\n1,2\n", encoding="utf-8")
    with pytest.raises(SchemaError, match="is very long") as caught:
        open_table(path).column_type("pay")
    assert "xy" not in str(caught.value)


@pytest.mark.parametrize(
    "encoding", ["utf-7", "hz", "iso2022_jp", "iso-2022-kr", "ISO-2022-JP-2", "csISO2022JP"]
)
def test_encodings_with_shifts_are_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("v\n1\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="write the file in UTF-8 first"):
        ln.release(ln.Count("v"), path, epsilon=1, encoding=encoding)


def test_codecs_of_somebody_s_own_are_refused(tmp_path: Path) -> None:
    def search(name: str) -> codecs.CodecInfo | None:
        found = codecs.lookup("latin-1")
        return found if name == "of_my_own" else None

    path = tmp_path / "t.csv"
    path.write_text("v\n1\n", encoding="utf-8")
    codecs.register(search)
    try:
        for encoding in ("of-my-own", "of.my.own"):
            own = codecs.CodecInfo(codecs.latin_1_encode, codecs.latin_1_decode, name="of.my.own")
            codecs.register(lambda name, own=own: own if name in ("of.my.own", "mine") else None)
            with pytest.raises(ParameterError, match="is not a text encoding"):
                open_table(path, encoding="mine" if "." in encoding else "unknown")
    finally:
        codecs.unregister(search)


def test_every_encoding_that_is_taken_reads_each_row_by_itself() -> None:
    """Whatever bytes stand in one field, those behind the next sign of CSV read as ever."""
    from encodings.aliases import aliases
    from random import Random

    from leastnoise.frames.readers.options import TextFormat

    random, taken = Random(1), 0
    for name in sorted(set(aliases.values())):
        try:
            encoding = TextFormat(encoding=name).encoding
        except ParameterError:
            continue
        taken += 1
        unit = 4 if "32" in name else 2 if "utf_16" in name else 1
        if name in ("utf_16", "utf_32"):
            encoding += "-le"
        rest = ",1\n2,x\n"
        for _ in range(500):
            field = bytes(random.choices(range(256), k=unit * random.randint(1, 6)))
            read = (field + rest.encode(encoding)).decode(encoding, "replace")
            assert read.endswith(rest), (name, field)
    assert taken > 80


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    table = open_table(path)
    table.column("a")
    path.write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(SchemaError, match="changed while it was being read"):
        table.column("b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are of Unix")
def test_pipes_and_devices_are_refused_with_the_cure(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.csv")
    for path in (tmp_path / "t.csv", Path("/dev/null")):
        with pytest.raises(DataFileError, match="is a pipe or a device"):
            ln.open(path)


def test_a_link_is_the_file_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "t.csv").symlink_to(tmp_path / "one")
    assert open_table(tmp_path / "t.csv").column("a").values.tolist() == [1]


@pytest.mark.parametrize("name", [None, "", " ", "q"])
@pytest.mark.parametrize("line", ["2020,,secret", "secret,,2020", ",2020,secret", "secret,x,7"])
def test_no_entry_of_a_first_line_that_may_be_data_is_told(
    tmp_path: Path, line: str, name: str | None
) -> None:
    """Whatever column is asked for, blank names among them."""
    path = tmp_path / "t.csv"
    path.write_text(f"{line}\n4,5,6\n", encoding="utf-8")
    with pytest.raises(SchemaError) as refused:
        open_table(path).column_type(name)
    assert "secret" not in str(refused.value)
