"""The splitter of text into records: what it reads, and that no field decides about other rows."""

from __future__ import annotations

import csv
import math
import tracemalloc
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leastnoise.frames import open_table
from leastnoise.frames.readers import fields as records_module
from leastnoise.frames.readers.fields import PIECE, RecordRule, fields, fields_of
from leastnoise.frames.readers.values import LONGEST
from leastnoise.testing.texts import FIELDS, csv_text

SEPARATORS = ",;|^]- \\."


def read(text: str, rule: RecordRule, at: int, cuts: list[int] | None = None) -> list[str]:
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts or ())})
    pieces = [text[a:b] for a, b in pairwise(places)]
    return [field for block in fields(pieces, rule, at) for field in block]


def without_blanks(text: str, separator: str, end: str) -> str:
    """The text without blanks between the start of a field and its quote, one field at a time."""
    found, i = "", 0
    while i < len(text):
        start = i + len(text[i:]) - len(text[i:].lstrip(" "))
        if separator != " " and text[start : start + 1] == '"':
            i = start
        j = i
        if text[i] == '"':
            j = i + 1
            while j < len(text) and (text[j] != '"' or text[j : j + 2] == '""'):
                j += 1 if text[j] != '"' else 2
        while j < len(text) and text[j] not in (separator, end):
            j += 1
        found, i = found + text[i : j + 1], j + 1
    return found


def by_the_csv_module(text: str, separator: str, end: str, at: int) -> list[str]:
    """What it reads where no blanks stand before quotes, which it takes for characters."""
    *lines, rest = without_blanks(text, separator, end).split(end)
    ended = [f"{line}\n" for line in lines] + [rest] * bool(rest)  # "\n" is a line end to it
    found = [
        record[at] if at < len(record) else "" for record in csv.reader(ended, delimiter=separator)
    ]
    return [field.replace("\n", end) for field in found]


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str, str]:
    separator, end = draw(st.sampled_from(SEPARATORS)), draw(st.sampled_from("\n\r"))
    parts = st.sampled_from(['"', '"', '""', separator, separator, "a", "1", " ", end])
    return "".join(draw(st.lists(parts, max_size=24))), separator, end


cuts_strategy = st.lists(st.integers(0, 24), max_size=4)


@settings(max_examples=600, deadline=None)
@given(texts(), st.integers(0, 3), cuts_strategy)
@example(('"" a,"a"",1  ,\n1",2\n', ",", "\n"), 2, [8])
@example(('"a"",1\n2"\n', ",", "\n"), 0, [])
def test_it_reads_what_the_csv_module_reads(
    written: tuple[str, str, str], at: int, cuts: list[int]
) -> None:
    text, separator, end = written
    found = read(text, RecordRule(separator, end), at, cuts)
    assert found == by_the_csv_module(text, separator, end, at)


@settings(max_examples=300, deadline=None)
@given(texts(), st.integers(0, 3), cuts_strategy)
def test_lines_are_read_one_by_one_where_no_record_spans_them(
    written: tuple[str, str, str], at: int, cuts: list[int]
) -> None:
    text, separator, end = written
    *lines, rest = text.split(end)
    alone = [*lines, rest] if rest else lines
    expected = [(by_the_csv_module(line, separator, end, at) or [""])[0] for line in alone]
    assert read(text, RecordRule(separator, end, multiline=False), at, cuts) == expected


@settings(max_examples=300, deadline=None)
@given(texts(), st.integers(0, 3), st.booleans(), st.sampled_from([None, "a", "1 "]))
@example((',", 1 ,\r1 ,,,,', ",", "\r"), 1, True, None)
@example(('"12345\r",1\n', ",", "\n"), 0, True, None)
def test_a_record_whose_end_is_not_in_sight_is_kept_short(
    written: tuple[str, str, str], at: int, multiline: bool, comment: str | None
) -> None:
    text, separator, end = written
    rule = RecordRule(separator, end, comment if comment != f"1{separator}" else None, multiline)
    # a carriage return before a line end is no part of what is too long
    fields = [x if len(x) <= 5 else x.removesuffix("\r") for x in read(text, rule, at)]
    expected = [field if len(field) <= 5 else "" for field in fields]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records_module, "LONGEST", 5)
        patch.setattr(records_module, "_KEPT", 0)
        assert read(text, rule, at, list(range(len(text)))) == expected


@settings(max_examples=200, deadline=None)
@given(texts(), st.integers(0, 2), cuts_strategy, st.sampled_from(["a", "1"]))
@example(('a,"2\n3"\n4\n', ",", "\n"), 0, [], "a")
def test_a_comment_is_a_whole_record(
    written: tuple[str, str, str], at: int, cuts: list[int], comment: str
) -> None:
    text, separator, end = written
    rule = RecordRule(separator, end)
    firsts, found = read(text, rule, 0), read(text, rule, at)
    quoted = f'"{comment}'
    if quoted in text:  # whether a field was quoted is not to be seen in what it says
        return
    kept = [x for first, x in zip(firsts, found, strict=True) if not first.startswith(comment)]
    assert read(text, RecordRule(separator, end, comment), at, cuts) == kept


@settings(max_examples=300, deadline=None)
@given(texts())
def test_all_fields_of_one_record(written: tuple[str, str, str]) -> None:
    text, separator, _ = written
    line = text.replace("\n", "").replace("\r", "")
    found, line = fields_of(line, separator), without_blanks(line, separator, "\n")
    expected = next(csv.reader([line], delimiter=separator, strict=False), [""])
    if found is None:  # a quote is open: the record goes on
        assert len(list(csv.reader([f"{line}\n", 'x"\n'], delimiter=separator))) == 1
    else:
        assert found == expected or (not line and found == [""])


def test_the_last_record_needs_an_end_or_a_separator_where_rows_have_several_fields() -> None:
    wide = RecordRule(",", short_last=False)
    for text, expected in (
        ("1,2\n3", ["1"]),
        ("1,2\n", ["1"]),
        ("1,2\n3,", ["1", "3"]),
        ('1,2\n"3,4"', ["1"]),
        ('1,2\n"3,4",', ["1", "3,4"]),
        ('1,2\n"3,4', ["1"]),
        ("1,2\n\r", ["1"]),
        ("1,2\n3\n", ["1", "3"]),
        ("1,2\n\n", ["1", ""]),
        ("", []),
    ):
        assert read(text, wide, 0) == expected
    assert read("1\n2", RecordRule(","), 0) == ["1", "2"]


# ---------------------------------------------------------------------------------------------
# One field is changed: nothing but its own record may be.


def table_of(folder: Path, text: str, name: str = "t.csv", **options: Any) -> Any:
    (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    return open_table(folder / name, **options)


def columns_of(table: Any, names: tuple[str, ...]) -> list[list[object]]:
    """Everything that is read of each column, row by row."""
    found: list[list[object]] = []
    for name in names:
        codes, entries = table.text_values(name)
        found.append([entries[code] if code >= 0 else None for code in codes.tolist()])
        found.append([None if math.isnan(x) else x for x in table.column(name).values.tolist()])
        found.append(table.text_codes(name, ["a", "NA", '"']).tolist())
    return found


FORMS: list[dict[str, Any]] = [
    {},
    {"ended": False},
    {"line_end": "\r\n"},
    {"line_end": "\r"},
    {"quotes": "all"},
    {"quotes": "all", "ended": False},
    {"separator": ";"},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("width", [1, 2, 3])
def test_one_field_changes_its_own_record_and_nothing_else(
    tmp_path: Path, width: int, form: dict[str, Any]
) -> None:
    random = Random(f"{width}{form}")
    names = ("a", "b", "c")[:width]
    short = [field for field in FIELDS if len(field) < 100]
    chosen = random.sample(FIELDS, 30)
    for number, hostile in enumerate(chosen):
        rows = [[random.choice(short) for _ in names] for _ in range(random.randint(1, 4))]
        at, field = random.randrange(len(rows)), random.randrange(width)
        if number % 3 == 0:
            at = len(rows) - 1  # the last row is the one that ends differ in
        changed = [list(row) for row in rows]
        changed[at][field] = hostile
        tables = [
            table_of(
                tmp_path,
                csv_text([names, *content], **form),
                f"{i}.csv",
                separator=form.get("separator", ","),
                missing_values=[],  # then every text but a blank one is read as it is
            )
            for i, content in enumerate((rows, changed))
        ]
        before, after = (columns_of(table, names) for table in tables)
        if not tables[0].hides_row_count:
            assert tables[0].row_count() == tables[1].row_count() == len(rows)
        for one, other in zip(before, after, strict=True):
            # a last row of one field that is missing leaves nothing, so it may be gone
            assert len(one) == len(rows) or (width == 1 and not form.get("ended", True))
            assert one[:at] == other[:at]
            assert one[at + 1 :] == other[at + 1 :]
        for i, name in enumerate(names):  # and what was written is read
            for row, seen in zip(changed, after[3 * i], strict=False):
                assert seen == (row[i].strip() or None if len(row[i]) <= LONGEST else None), name


def test_a_missing_entry_of_one_column_is_a_blank_line(tmp_path: Path) -> None:
    table = table_of(tmp_path, "pay\n" + "1000\n" * 6 + "\n")
    assert table.row_count() == 7
    assert table.hides_row_count
    assert sum(math.isnan(x) for x in table.column("pay").values) == 1
    for text, rows in (("pay\n\n\n", 2), ("pay\n\r\n \n", 2), ("pay\n", 0), ("pay", 0)):
        assert table_of(tmp_path, text).row_count() == rows


@pytest.mark.parametrize("line", ["", " ", "\t", "\r", "1", ",", ",,", "1,2,3,4", '"', 'a"', '""'])
def test_every_line_is_a_row(tmp_path: Path, line: str) -> None:
    for text in (f"a,b\n1,2\n{line}\n3,4\n", f"a,b\n{line}\n1,2\n3,4\n"):
        if line == '"':
            table = table_of(tmp_path, text, multiline=False)
        else:
            table = table_of(tmp_path, text)
        assert not table.hides_row_count
        assert table.row_count() == 3
        assert sorted(x for x in table.column("a").values if x in (1, 3))[-2:] == [1, 3]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.lists(st.text(st.sampled_from('",a1 #')), min_size=2, max_size=2), min_size=2),
    st.text(st.sampled_from('",a1 #\r\x0b\x1c\u2028\u0085')),
    st.booleans(),
)
def test_any_characters_on_one_line_are_one_row_where_lines_are_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], line: str, header: bool
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    lines = [",".join(row) for row in rows]
    found: list[list[list[object]]] = []
    for changed in (lines, [line, *lines[1:]], [*lines[:-1], line]):
        text = "\n".join(["a,b"] * header + changed) + "\n"
        table = table_of(folder, text, multiline=False, header=header)
        names = ("a", "b") if header else ("column_1", "column_2")
        found.append(columns_of(table, names))
    for before, first, last in zip(*found, strict=True):
        assert before[1:] == first[1:]
        assert before[:-1] == last[:-1]
        assert len(before) == len(lines)


def test_nothing_hangs_on_the_limit_of_the_csv_module(tmp_path: Path) -> None:
    lengths = (10, 99_999, LONGEST, LONGEST + 1, 131_072, 131_073, 500_000)
    rows = [["note", "v"], *([["x" * n, str(n)] for n in lengths])]
    table = table_of(tmp_path, csv_text(rows, quotes="all"))
    before, expected = csv.field_size_limit(), [float(n) for n in lengths]
    try:
        for limit in (before, 5, 10**9):
            csv.field_size_limit(limit)
            assert table.column("v").values.tolist() == expected
            codes, entries = table.text_values("note")
            # a text beyond the limit of ours is missing, whatever stands in other rows
            assert [len(entries[c]) if c >= 0 else None for c in codes.tolist()] == [
                n if n <= LONGEST else None for n in lengths
            ]
    finally:
        csv.field_size_limit(before)


def test_memory_is_bounded_whatever_a_row_holds(tmp_path: Path) -> None:
    for start, middle in (('1,"', "x" * 999 + "\n"), ("1,", "x" * 1000), ('1,"', '"",\n' * 250)):
        with (tmp_path / "t.csv").open("w", encoding="utf-8") as file:
            file.write(f"v,w\n{start}")
            for _ in range(20_000):
                file.write(middle)
        table = open_table(tmp_path / "t.csv")
        tracemalloc.start()
        assert table.column("v").values.tolist() == [1.0]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200 * PIECE < 20_000_000
