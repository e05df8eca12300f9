"""``leastnoise check`` on one kind of trouble after the other: each is named, none is invented."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.frames.checks.look import check
from leastnoise.frames.readers.csv import open_csv
from leastnoise.frames.readers.options import TextFormat
from leastnoise.testing import simulate

ROWS = range(60)
PAYS = [1000 + 37 * i for i in ROWS]


def table(
    pay: Callable[[int], object] = str,
    town: Callable[[int], str] = lambda i: "NS"[i % 2],
    names: str = "id,pay,town",
) -> str:
    rows = [f"{i},{pay(PAYS[i])},{town(i)}" for i in ROWS]
    return "\n".join([names, *rows]) + "\n"


def towns(*labels: str) -> str:
    return table(town=lambda i: labels[i % len(labels)])


def every(number: int, entry: str, other: Callable[[int], object] = str) -> str:
    return table(lambda x: entry if x % number == 0 else other(x))


def rows(names: str, row: Callable[[int], str]) -> str:
    return names + "\n" + "".join(row(i) + "\n" for i in ROWS)


# what stands in the file, a part of what is told, and the last of each option that would fix it
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    # numbers and dates that stand for none
    "zeros": (every(4, "0"), "15 entries are exactly 0", {}),
    "zeros of places": (
        rows("id,lat", lambda i: f"{i},{0 if i % 9 == 0 else 40 + i / 100}"),
        "lat: 7 entries are exactly 0",
        {},
    ),
    "zeros below": (
        rows("id,lon", lambda i: f"{i},{0 if i % 9 == 0 else -70 - i / 100}"),
        "by data.where(ln.col('lon') != 0)",
        {},
    ),
    "99": (every(4, "99", lambda x: 20 + x % 50), "entries are 99", {"missing_values": 99}),
    "98 and 99": (
        table(lambda x: [99, 98, 20 + x % 50, 20 + x % 49][x % 4]),
        "entries are 98",
        {"missing_values": 98},
    ),
    "-1": (every(4, "-1"), "entries are -1", {"missing_values": -1}),
    "-9": (every(4, "-9"), "entries are -9", {"missing_values": -9}),
    "999": (every(4, "999", lambda x: x % 50), "entries are 999", {"missing_values": 999}),
    "one of 9999": (
        table(lambda x: "9999" if x == PAYS[7] else x % 80),
        "one entry is 9999",
        {"missing_values": 9999},
    ),
    "99.9": (every(4, "99.9", lambda x: x % 30), "entries are 99.9", {"missing_values": 99.9}),
    "2147483647": (every(4, "2147483647"), "2147483647", {"missing_values": 2147483647}),
    "99 where another column has it": (
        rows("id,pay", lambda i: f"{i + 60},{99 if i % 4 == 0 else 20 + i}"),
        "as id has it too, keep the others by data.where(ln.col('pay') != 99)",
        {},
    ),
    "9999 among larger ones": (
        every(3, "9999", lambda x: 7 * x),
        "9999, far more than any other",
        {"missing_values": 9999},
    ),
    "1900-01-01": (
        every(4, "1900-01-01", lambda x: f"2024-0{x % 9 + 1}-1{x % 9}"),
        "entries are 1900-01-01",
        {"missing_values": "1900-01-01"},
    ),
    "1970-01-01T00:00:00": (
        every(4, "1970-01-01T00:00:00", lambda x: f"2024-0{x % 9 + 1}-1{x % 9}T10:00:00"),
        "entries are 1970-01-01T00:00:00",
        {"missing_values": "1970-01-01T00:00:00"},
    ),
    "9999-12-31": (
        every(4, "9999-12-31", lambda x: f"2024-0{x % 9 + 1}-1{x % 9}"),
        "entries are 9999-12-31",
        {"missing_values": "9999-12-31"},
    ),
    "answers to a question": (
        rows("q,n", lambda i: f"{[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 8, 9][i % 12]},{i + 100}"),
        "q: 5 entries are 9, beyond the end of a scale",
        {"missing_values": 9},
    ),
    "metres among centimetres": (
        table(lambda x: (160 + x % 31) / (1 if x % 3 else 100)),
        "more than 20 times as small as all others",
        {},
    ),
    "shares among percents": (
        table(lambda x: (20 + x % 76) / (100 if x % 4 else 1)),
        "more than 20 times as large as all others",
        {},
    ),
    "a slip of digits": (
        table(lambda x: "123456789" if x == PAYS[30] else x),
        "20 times as large",
        {},
    ),
    "two units": (
        table(lambda x: x / 100 if x % 9 == 0 else x),
        "20 times as small as all others, such as 29.61",
        {},
    ),
    "one negative": (table(lambda x: -5 if x == PAYS[7] else x), "one entry is negative", {}),
    "infinite": (every(9, "inf"), "6 entries are infinite", {}),
    "no days": (
        every(4, "0000-00-00", lambda x: f"2024-01-{x % 28 + 1:02}"),
        "0000-00-00",
        {"missing_values": "0000-00-00"},
    ),
    "months": (table(lambda x: f"2024-{x % 12 + 1:02}"), "dates in another form", {}),
    # names that are digits
    "leading zeros": (table(lambda x: f"0{x}"), "some begin with a zero, such as '01000'", {}),
    "lost zeros": (
        rows("id,zip_code", lambda i: f"{i},{(1 if i % 9 else 10) * 4001 + i}"),
        "zeros may be lost",
        {},
    ),
    "ids beyond 2^53": (rows("id,x", lambda i: f"{2**53 + i},{i * 1.5}"), "beyond 2^53", {}),
    "ids of a spreadsheet": (table(lambda x: f"{x / 1000:.2f}E+12"), "digits are lost", {}),
    "dates as numbers": (table(lambda x: f"2024{x % 12 + 1:02}{x % 28 + 1:02}"), "are days", {}),
    # labels
    "case": (towns("North", "north", "NORTH", "South"), "'North', 'north', 'NORTH'", {}),
    "accents": (towns("Köln", "Koeln", "Koln", "Bonn"), "'Köln', 'Koeln', 'Koln'", {}),
    "composed letters": (towns("Köln", "Ko\u0308ln", "Bonn"), "written in several ways", {}),
    "signs": (towns("USA", "U.S.A.", "usa ", "UK"), "'USA', 'U.S.A.', 'usa'", {}),
    "inner blanks": (towns("New York", "New  York", "Rome"), "written in several ways", {}),
    "yes and Y": (towns("yes", "Y", "no", "N"), "'yes', 'Y'; 'no', 'N'", {}),
    "a misspelling": (
        table(town=lambda i: "yxs" if i == 7 else ["yes", "no"][i % 2]),
        "may be typing errors: 'yes', 'yxs'",
        {},
    ),
    "short for": (towns("Each", "EA", "Kit"), "'Each', 'EA'", {}),
    "several with commas": (
        towns('"Python, R"', '"R, SQL"', '"Python, SQL"', "SQL"),
        "entries hold several labels",
        {},
    ),
    "Namibia": (
        towns("DE", "FR", "NA", "IT", "ES", "PL", "DK"),
        "where it is a label, as Namibia's",
        {},
    ),
    "several in one": (towns("a;b", "b;c", "a;c", "b"), "entries hold several labels", {}),
    "UTF-8 read twice": (towns("KÃ¶ln", "Bonn"), "read in another encoding", {}),
    "other quotes": (towns("'N'", "'S'"), "quotes such as those of", {}),
    "backslashes": (towns('"a\\"b"', "c"), "doubled quotes", {}),
    # rows
    "too few fields": (
        table().replace("\n5,1185,S\n", "\n5,1185\n"),
        "one row has fewer fields than there are names",
        {},
    ),
    "too many fields": (table().replace("\n5,1185,S\n", "\n5,11,85,S\n"), "one row has more", {}),
    "names of rows": (rows("pay,town", lambda i: f"{i},{PAYS[i]},N"), "names of rows", {}),
    "no names": (
        "".join(f"{i},{PAYS[i]},N\n" for i in ROWS),
        "the first line may be a row",
        {"header": False},
    ),
    "names of groups above": (
        rows(
            ",2019,,2020,\nregion,men,women,men2,women2", lambda i: f"r{i},{i},{i + 7},{i},{3 * i}"
        ),
        "give skip_rows=1",
        {"skip_rows": 1},
    ),
    "several columns in one": (
        rows("freq;geo,pay", lambda i: f"A;r{i},{PAYS[i]}"),
        "several columns in one",
        {},
    ),
    "a rare separator": (
        rows("id^pay^town", lambda i: f"{i}^{PAYS[i]}^N"),
        "separated by '^'",
        {"separator": "^"},
    ),
    "comments between": (
        table().replace("\n30,", "\n# from here on\n30,"),
        "give comment='#'",
        {"comment": "#"},
    ),
    "names again": (table().replace("\n30,", "\nid,pay,town\n30,"), "stands again", {}),
    "names twice": (table(names="id,pay,pay"), "2 columns are called 'pay'", {}),
    "rows twice": (table() + table().partition("\n")[2], "exact copies", {}),
    "a total": (table() + f"Total,{sum(PAYS)},\n", "such as 'Total' (1)", {}),
    "a total without a word": (table() + f",{sum(PAYS)},\n", "the sum of all others", {}),
    "parts and totals": (towns("men", "women", "Total"), "such as 'Total' (20)", {}),
    "several ends of lines": (table().replace("\n31,", "\r31,"), "carriage returns", {}),
    "blanks between fields": (
        rows("id pay town", lambda i: f"{i} {PAYS[i]} N"),
        "separated by blanks",
        {"separator": " "},
    ),
    "columns of a width": (rows("id    pay", lambda i: f"{i:5} {PAYS[i]}"), "fixed widths", {}),
    "a page": ("<!DOCTYPE html>\n<html>Not found</html>\n", "like HTML", {}),
    "JSON": ('[{"id": 1, "pay": 2}]\n', "like HTML, XML or JSON", {}),
    "quotes that take a row each": (
        rows(
            "id,comment,pay",
            lambda i: [f"{i},fine,{i}", f'{i},"he said,{i}', f'{i},ok" then,{i}'][i % 3],
        ),
        "20 lines that look like rows are inside a quoted field, up to 1 in one",
        {"multiline": False},
    ),
    "quotes that end with an entry": (
        rows(
            "id,comment,pay",
            lambda i: [f"{i},fine,{i}", f'{i},"he said,{i}', f'{i},ok",{i}'][i % 3],
        ),
        "20 lines that look like rows",
        {"multiline": False},
    ),
    "one quote that takes a row of labels": (
        rows("town,word", lambda i: {7: 'N,"so', 8: 'S,he" said'}.get(i, f"{'NS'[i % 2]},no")),
        "1 line that looks like a row is inside",
        {"multiline": False},
    ),
    # what is no number
    "underscores": (table(lambda x: f"{x:_}"), "thousands", {"thousands": "_"}),
    "apostrophes": (table(lambda x: f"{x:,}".replace(",", "'")), "thousands", {"thousands": "'"}),
    "units": (table(lambda x: f"{x % 90} {'kg' if x % 2 else 'lb'}"), "'kg' (30)", {}),
    "long units": (table(lambda x: f"{x % 90} years old"), "a unit", {}),
    "ranges": (table(lambda x: f"{x % 5}0-{x % 5}9"), "a range is no number", {}),
    "minus behind": (every(3, "5-"), "a minus stands in front", {}),
    "other minus": (every(3, "\u22125"), "a minus stands in front", {}),
    "brackets": (every(3, "(5)"), "brackets", {}),
    "fractions": (every(3, "5 1/2"), "a fraction", {}),
    "with an error": (table(lambda x: f"{x} ± 3"), "a number with its error", {}),
    "notes": (every(3, "12*"), "a sign for a note", {}),
    "powers": (table(lambda x: f"{x / 1000}x10^3"), "powers of ten", {}),
    "text of a spreadsheet": (table(lambda x: f'="{x}"'), "a quote around a field", {}),
    "errors of a spreadsheet": (every(3, "#DIV/0!"), "#DIV/0!", {"missing_values": "#DIV/0!"}),
    "digits of another script": (
        table(lambda x: "".join(chr(0x660 + int(c)) for c in str(x))),
        "digits of another script",
        {},
    ),
    "hidden characters": (table(lambda x: f"{x}\u200b"), "characters that are not seen", {}),
    "times of day": (table(lambda x: f"{x % 24:02}:{x % 60:02}"), "a time of day", {}),
    "days first": (table(lambda x: f"{x % 28 + 1:02}.{x % 12 + 1:02}.2024"), "the day stands", {}),
    "days or months first": (table(lambda x: f"{x % 9 + 1}/{x % 7 + 1}/2024"), "author knows", {}),
    "currencies": (table(lambda x: f"{'$€'[x % 2]}{x}"), "'$' (30)", {}),
    "months as numbers": (
        table(lambda x: f"{2015 + x % 7}{x % 12 + 1:02d}"),
        "whole numbers that may be months",
        {},
    ),
    "truths among numbers": (every(4, "True"), "15 entries are true or false and count as 1", {}),
    "most at an end": (every(4, "3300"), "15 entries are 3300, at an end and far more", {}),
    "one code far away": (
        every(15, "85000"),
        "4 entries are 85000, farther from all others than these are from each other",
        {},
    ),
    "none in Portuguese": (towns("sim", "não", "não informado"), "'não informado' (20)", {}),
    "persons again": (
        rows("patient_id,x", lambda i: f"{1000 + i // 2},{i * 7}"),
        "30 of 30 have several rows, up to 2",
        {},
    ),
    "signs for none": (every(3, "[c]"), "'[c]'", {"missing_values": "[c]"}),
    "few numbers beside flags and hidden ones": (
        rows("geo,v", lambda i: f"C{i},{[':', ': c', ':', i, f'{i} e'][i % 5]}"),
        "v: 36 entries are no numbers, so they are missing: ':', ': c'",
        {"missing_values": ": c"},
    ),
    "mostly confidential": (
        rows("geo;v", lambda i: f"C{i};{['c', 'c', 'c', i, f'{i},5'][i % 5]}"),
        "v: 12 entries are missing as numbers, such as '4,5': the decimal sign",
        {"separator": ";", "decimal": ",", "missing_values": "c"},
    ),
    "brackets of offices": (
        every(3, "(2.795)"),
        "offices what is uncertain or computed, and the file's author knows which",
        {},
    ),
    # and what is as it should be
    "states": (towns(*["al"] * 48, "ak"), "", {}),
    "rare and alike": (
        "town,n\n" + "".join(f"{'al_pn-6' if i % 50 else 'ak_pn-6'},{i}\n" for i in range(600)),
        "",
        {},
    ),
    "sizes": (rows("size,n", lambda i: f"{['S', 'M', 'L', '38', '40'][i % 5]},{i}"), "", {}),
    "many numbers in one": (table(lambda x: '"' + "1," * 500 + '"'), "", {}),
    "grades": (towns("A", "A-", "B+", "B"), "", {}),
    "small numbers": (table(lambda x: f"0.{x}"), "", {}),
    "prices": (table(lambda x: round(1.1 ** (x / 100), 2)), "", {}),
    "towns and states": (
        table(town=lambda i: f'"{["Bonn", "Köln", "Trier"][i % 3]}, {"AB"[i % 2]}"'),
        "",
        {},
    ),
    "a first row without a number": (
        rows("day,rate", lambda i: f"2020-01-{i % 28 + 1:02},{'.' if i % 7 == 0 else i / 9}"),
        "'.'",
        {"missing_values": "."},
    ),
    "years as names": (rows("c,2015,2016,2017", lambda i: f"x{i},{i},{i + 1},{i * 1.5}"), "", {}),
    "a trailing separator": (rows("id,pay,", lambda i: f"{i},{PAYS[i]},"), "", {}),
    "counts with zeros": (table(lambda x: x % 7), "", {}),
    "negative and positive": (table(lambda x: x - 2000), "", {}),
    "phone numbers": (table(lambda x: f"555-{x}"), "", {}),
    "addresses": (table(town=lambda i: f"{i} {'abcdef'[i % 6] * 5} street"), "", {}),
    "regions with numbers": (towns("region 1", "region 2", "region 12"), "", {}),
    "numbers of children": (
        rows("children,n", lambda i: f"{[0, 0, 1, 1, 2, 2, 3, 8][i % 8] if i < 9 else i % 3},{i}"),
        "",
        {},
    ),
    "codes of two lengths": (table(lambda x: x % 9 + 1 if x % 2 else 101 + x % 90), "", {}),
    "years": (table(lambda x: 1950 + x % 70), "", {}),
    "a last row with one entry": (
        rows("town,pay", lambda i: f"{'NS'[i % 2] * (i < 50)},{i}"),
        "",
        {},
    ),
    "line ends inside quotes": (towns('"a\nb"', "c"), "", {}),
    "addresses of two lines": (
        rows("id,place,pay", lambda i: f'{i},"Hill 5, {i}\nYork, UK",{PAYS[i]}'),
        "",
        {},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_named_and_mended(kind: str, tmp_path: Path) -> None:
    content, words, options = KINDS[kind]
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8", newline="")
    found = check(path)
    assert words in str(found)
    assert words or not found.findings, str(found)
    last = {name: x[-1] if isinstance(x, list) else x for name, x in found.options.items()}
    assert last == options
    if options:
        assert words not in str(check(path, **found.options))


def test_no_option_decides_what_a_comma_between_semicolons_is(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows("id;pay", lambda i: f"{i};{PAYS[i]:,}"), encoding="utf-8")
    found = check(path)
    assert "where semicolons separate fields it is the decimal sign as a rule" in str(found)
    assert found.options == {"separator": ";"}


@pytest.mark.parametrize(
    ("names", "row", "options", "words"),
    [
        (
            "id;a;b",
            lambda i: f"{i};{PAYS[i]:,};{PAYS[i]:_}".replace(",", "\u202f"),
            {"thousands": "_"},
            "by several signs, '\\u202f' in 'a' and '_' in 'b'",
        ),
        (
            "place;a;b",
            lambda i: f"p{i};{i % 9},{i % 7}5;{i % 8}.61",
            {"decimal": ","},
            "decimal=',' would fix a column, but then '0.61' in 'b' is none",
        ),
        (
            "place\ta\tb",
            lambda i: f"p{i}\t{i % 9},{i % 7}5\t{PAYS[i]:,}",
            {},
            "',' may part thousands in 'b' and is the decimal sign in 'a'",
        ),
    ],
)
def test_no_option_mends_one_column_and_breaks_another(
    names: str, row: Callable[[int], str], options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows(names, row), encoding="utf-8")
    separator = names[-2]
    found = check(path, separator=separator)
    assert words in str(found)
    assert not found.options
    again = check(path, separator=separator, **options)
    assert again.findings
    assert not again.options, str(again)


def test_what_an_option_mends_is_not_told_again(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(rows("id;n", lambda i: f"{i};{PAYS[i]:,}".replace(",", ".")), encoding="utf-8")
    assert "three digits after it" in str(check(path, separator=";"))
    assert not check(path, separator=";", thousands=".", decimal=",").findings


def test_a_day_that_stands_for_none_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(KINDS["1900-01-01"][0], encoding="utf-8")
    bounds = (date(1900, 1, 1), date(2100, 1, 1))
    with simulate(1):
        earliest = ln.release(
            ln.Quantile("pay", q=0, bounds=bounds), path, epsilon=10**6, **check(path).options
        )
    assert earliest.value.year == 2024


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,"x,y"\n2,"p\nq"\n3,\n,\n\n4,5,6\n7\n',
        'a,b\n1, "x ""z"", y" w\r\n2,"open',
        "a,b\n# c\n1,2\n3,4",
        "a\nx\n\ny",
    ],
)
@pytest.mark.parametrize("options", [{}, {"multiline": False}, {"comment": "#"}])
def test_what_is_looked_at_is_what_is_read(
    text: str, options: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    opened = open_csv(path, TextFormat(**options))
    records = list(opened.records())
    assert len(records) == opened.row_count()
    for i, name in enumerate(opened.column_names()):
        codes, texts = opened.text_values(name)
        numbers: list[int] = codes.tolist()
        read = [texts[code] if code >= 0 else "" for code in numbers]
        assert [row[i].strip() if i < len(row) else "" for row in records] == read
