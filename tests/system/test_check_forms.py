"""``leastnoise check`` on the forms in which offices and programs publish: each kind is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import polars
import pytest

from leastnoise.frames.checks.look import check

ROWS = range(36)
SUMMED = (2, 3, 7, 8, 20)  # the last is the sum of the others

# What the check says, and entries of that kind: each stands in every third row among numbers.
AMONG_NUMBERS: dict[str, tuple[str, ...]] = {
    "a sign for a note": (
        *("1 234 (p)", "12.5*", "12.5 (est.)", "7?", "7 [b]", "7\u00b9", "7 (1)", "1,234\u2020"),
        *("12**", "3.5 (r)(p)"),
    ),
    "a word or letter after it": ("1234e", "12.5 p", "7 r", "10th", "10k", "2.5 bn", "80 kg"),
    "declare words for a missing entry": (
        *(":", "..", "...", "c", "x", "z", "\u2026", "\u2022", "\u2020"),
        *("*", "**", "/", "(X)", "(D)", "[c]", "n.p.", "np", "nd", "confidential", "Conf.", "low"),
        *("<LOD", "not published", "1.#QNAN", "-1.#IND", "#REF!", "redacted", "geheim", "k. A."),
    ),
    "many write so what is exactly 0": ("-", "\u2013", "\u2014", "none", "Nil", "never", "keine"),
    "a limit is no number": (
        *("<5", "< 5", "&lt;5", "less than 5", "under 5", "~7", "ca. 7", "approx. 7", "c. 1900"),
        *("mehr als 7", "moins de 5", "\u2265 90", "at least 7"),
    ),
    "a range is no number": (
        *(
            "10-19",
            "10 to 19",
            "10\u201319",
            "85+",
            "85 and over",
            "5 or fewer",
            "10..19",
            "[10,20)",
        ),
        *("(10, 20]", "$10k-$20k", "10 - < 20", "from 10 to 19", "between 10 and 19"),
        *("10-19 years", "10 bis 19", "85 years and over", "$10,000 to $14,999"),
    ),
    "a percent sign": ("12.5%", "12.5 %", "12pct", "12 percent", "12\u2030"),
    "a fraction": ("5 1/2", "1/2", "5\u00bd", "120/80", "3 out of 5"),
    "a currency": (
        *(
            "$1,234",
            "-$1,234",
            "$ (1,234.50)",
            "Fr. 1'234",
            "1'234.\u2013",
            "1234,- kr",
            "\u20b91,23,456",
        ),
        *("$1.2 million", "CHF 1'234.50", "12\u00a2", "1 234,50 \u20ac"),
    ),
    "accountants write so what is negative, offices what is uncertain": (
        "(1,234)",
        "(1 234)",
        "1,234 CR",
    ),
    "a minus stands in front": ("1,234-", "\u22125", "\u2212 5", "\u20131,234"),
    "degrees, minutes": (
        *("40\u00b026'46\"N", "40\u00b026\u2032N", "70.5\u00b0 W", "70.5W", "N40.5", "40 26 46 N"),
        "W 70\u00b030'",
    ),
    "feet and inches": ("5'11\"", "5 ft 11 in", "6'"),
    "a number with its error": (
        "12.5 \u00b1 0.3",
        "12.5 +/- 0.3",
        "12.5 (11.0-13.2)",
        "12.5 (0.3)",
    ),
    "several numbers in one": ("3x4", "1;2;3", "(40.1, -70.2)", "POINT (40.1 -70.2)", "[1, 2, 3]"),
    "a time of day": ("10:45", "10:45 pm", "1h 40m", "2 days 03:00:00", "3 min 20 s"),
    "powers of ten": ("1.5x10^3", "1.5\u00d710^3", "1.5D+03"),
    "characters that are not seen": ("12\0", "12\u200b", "\uff11\uff12", "\ufeff12"),
}
# The same, in every row.
ALONE: dict[str, tuple[str, ...]] = {
    "dates in another form": (
        *("31.12.2024", "31/12/2024", "12/31/24 3:45 PM", "2024.12.31", "2024/12/31", "31-Dec-24"),
        *("Dec 31, 2024", "31 d\u00e9c. 2024", "31. Dezember 2024"),
        *("24-Dec", "31 de enero de 2024", "2024-Dec", "H1 2024"),
        *("FY2024", "2024\u201325", "2024-25"),
        *("2024\u5e7412\u670831\u65e5",),
        *("Mon Jan 21 10:00:00 2024", "Mon, 21 Jan 2024 10:00:00 GMT"),
        *("2024-12-31 10:00:00 UTC", "Dec-24", "Dec 2024", "2024M01", "2024Q1"),
        *("2024-Q1", "2024-W05", "2024-01", "2024/25", "Q1 2024"),
    ),
    "thousands": (
        "1'234'567", "1\u2019234", "1\u2009234", "1\u202f234.5", "1_234", "1,20,234", "12,34,567.8"
    ),
    "the decimal sign is a comma": ("0,5", "1,5E+03", "1.234,5"),
    "as HTML writes them": ("N&amp;S", "<b>N</b>", "N&nbsp;", "caf&#233;"),
    "are JSON": ('{"a": 1, "b": "x"}', "{'a': 1}", '["x", "y"]'),
    "bytes as Python prints them": ("b'N'", 'b"N"'),
    "hold characters that are not seen": ("N\0", "N\u200bS", "N\u00adS"),
    "quotes such as those of": ('"N"', "'N'", "\u201eN\u201c"),
}  # fmt: skip


def written(path: Path, *rows: str) -> str:
    path.write_text("\n".join(rows) + "\n", encoding="utf-8", newline="")
    return str(check(path))


def quoted(entry: str) -> str:
    return '"' + entry.replace('"', '""') + '"'


@pytest.mark.parametrize("kind", AMONG_NUMBERS)
def test_what_stands_among_numbers_is_named(kind: str, tmp_path: Path) -> None:
    for entry in AMONG_NUMBERS[kind]:
        rows = (f"{i},{quoted(entry) if i % 3 == 0 else 1000 + 37 * i}" for i in ROWS)
        told = written(tmp_path / "t.csv", "id,pay", *rows)
        assert kind in told, (entry, told)


@pytest.mark.parametrize("kind", ALONE)
def test_what_fills_a_column_is_named(kind: str, tmp_path: Path) -> None:
    for entry in ALONE[kind]:
        told = written(tmp_path / "t.csv", "id,x", *(f"{i},{quoted(entry)}" for i in ROWS))
        assert kind in told, (entry, told)


def long_table(names: str, *kinds: str) -> list[str]:
    return [names, *(f"r{i // 3},{kinds[i % len(kinds)]},{i * 7.5}" for i in ROWS)]


# What the whole table looks like.
TABLES: dict[str, tuple[list[str], str]] = {
    "units": (
        long_table("geo,Unit Code,OBS_VALUE", "PC", "USD"),
        "OBS_VALUE: its numbers are of several",
    ),
    "indicators": (
        long_table("geo,INDICATOR,Value", "emp", "pay", "age"),
        "ln.col('INDICATOR') == 'emp'",
    ),
    "indicators of a unit": (
        [
            "unit,INDICATOR,Value",
            *(f"{'PC' if i % 4 else 'USD'},{'abcd'[i % 4]},{i * 7.5}" for i in ROWS),
        ],
        "ask for each by group_by=, or choose one by data.where(ln.col('INDICATOR') == 'a')",
    ),
    "dates as text": (
        ["id,day", *(f"{i},2024-01-{i % 28 + 1:02}" for i in ROWS)],
        "and so are dates that are written as text",
    ),
    "wages of several units": (
        [
            "id,wage,unit",
            *(f"{i},{[20, 40000][i % 2] + i},{['hour', 'year'][i % 2]}" for i in ROWS),
        ],
        "wage: its numbers are of several kinds, which 'unit' tells",
    ),
    "codes of a spreadsheet": (
        ["id,code", *(f'{i},"=""000{10 + i}"""' for i in ROWS)],
        "without the signs around it, and count them as labels",
    ),
    "days before months": (
        ["id,day", *(f"{i},2023-{i % 28 + 1:02}-{i % 12 + 1:02}" for i in ROWS)],
        "the day stands before the month: all that are read have them exchanged",
    ),
    "means below": (
        ["id,pay", *(f"{i},{i * 91 + 1}" for i in ROWS), "Mean,2500", "Median,2400", "N,36"],
        "id: 3 rows hold words such as 'Mean'",
    ),
    "currencies": (long_table("id,currency,amount", "EUR", "USD"), "amount: its numbers are of"),
    "another name": (
        long_table("geo,measure,total pop", "emp", "pay"),
        "total pop: its numbers are",
    ),
    "no person": (
        ["patient_id,pay", *(f"{'' if i % 9 == 0 else i // 2},{1000 + 37 * i}" for i in ROWS)],
        "patient_id: 4 rows have no entry; with unit='patient_id' they are nobody's",
    ),
    "days of a spreadsheet": (
        ["id,hireDate", *(f"{i},{43831 + 9 * i}" for i in ROWS)],
        "this one is of 2020-01-01 as a spreadsheet counts",
    ),
    "seconds": (
        ["id,created_at", *(f"{i},{1_700_000_000 + 98_765 * i}" for i in ROWS)],
        "seconds since 1970: this one is of 2023-11-14",
    ),
    "milliseconds": (
        ["id,timestamp", *(f"{i},{1_700_000_000_000 + 98_765_432 * i}" for i in ROWS)],
        "milliseconds since 1970",
    ),
    "merged cells": (
        ["region,town,pop", *(f"{'' if i % 9 else f'R{i}'},t{i},{1000 + 37 * i}" for i in ROWS)],
        "region: labels such as 'R0' are written once and the rows below are blank",
    ),
    "titles of groups": (
        [
            "town,men,women",
            *(
                f"{f'District {i},,' if i % 9 == 0 else f't{i},{i * 91},{i * 97}'}"
                for i in range(60)
            ),
        ],
        "hold a name and nothing else, such as 'District 0'",
    ),
    "a sex of all": (
        ["sex,pop", *(f"{'MFT'[i % 3]},{i * 91}" for i in ROWS)],
        "ln.col('sex') != 'T'",
    ),
    "totals in two columns": (
        [
            "sex,age,pop",
            *(
                f"{['M', 'F', 'Both sexes'][i % 3]},{['0-19', '20+', 'All ages'][i % 9 // 3]},{i}"
                for i in ROWS
            ),
        ],
        "ln.col('age') != 'All ages'",
    ),
    "totals of groups": (
        [
            "county,town,pop",
            *(f"C{i // 5} total,,7" if i % 5 == 4 else f"C{i // 5},t{i},{i}" for i in ROWS),
        ],
        "county: 7 rows hold words such as 'C0 total' (1)",
    ),
    "totals before a name": (
        ["town,pop", *(f"Summe für T{i // 5}" if i % 5 == 4 else f"t{i}" for i in ROWS)],
        "such as 'Summe für T0'",
    ),
    "a subtotal below blanks": (
        ["region,pop", *(f"{'' if i % 30 else f'R{i}'},{i}" for i in ROWS), "R0 subtotal,9"],
        "data.where((ln.col('region') != 'R0 subtotal') | (ln.col('region').is_missing()))",
    ),
    "names again below blanks": (
        ["region,pop", *(f"{'' if i % 30 else f'R{i}'},{i}" for i in ROWS), "region,pop"],
        "data.where((ln.col('region') != 'region') | (ln.col('region').is_missing()))",
    ),
    "sums between without a word": (
        ["town,pop", *(f"{'' if i % 5 == 4 else f't{i}'},{SUMMED[i % 5] * 91}" for i in ROWS)],
        "pop: 7 entries such as 1820 are each the sum",
    ),
    "sums above without a word": (
        ["town,pop", "X,12740", *(f"t{i},{SUMMED[4 - i % 5] * 91}" for i in range(35))],
        "pop: 7 entries such as 1820 are each the sum",
    ),
    "a blank row below labels that are written once": (
        ["region,pop", *(f"{'' if i % 30 else f'R{i}'},{i * 91}" for i in ROWS), ","],
        "one row is blank in all columns: each counts as a row; delete them, or keep the others "
        "by data.where(~(ln.col('pop').is_missing()))",
    ),
    "a sum of countries": (
        ["geo,pop", *(f"{['DE', 'FR', 'EU27_2020'][i % 3]},{i}" for i in ROWS)],
        "totals count",
    ),
    "blank lines below": (
        ["id,pay", *(f"{i},{i * 91}" for i in ROWS), ",", ","],
        "2 rows are blank",
    ),
    "names of two lines": (
        [
            "Region,Men,,Women,",
            ",Number,Share,Number,Share",
            *(f"r{i},{i},{i},{i},{i}" for i in ROWS),
        ],
        "header=False and skip_rows=2",
    ),
    "names of groups above": (
        [
            ",2019,2019,2020,2020",
            "region,men,women,men,women",
            *(f"r{i},{i},{i},{i},{i}" for i in ROWS),
        ],
        "header=False and skip_rows=2",
    ),
    "padded titles above": (
        [
            "Pay by town,,",
            '"As of July 1, 2013",,',
            "id,pay,town",
            *(f"{i},{i * 91},N" for i in ROWS),
        ],
        "2 lines stand above the names, such as 'Pay by town,,'; give skip_rows=2",
    ),
    "a second line with years": (
        [
            "Area,Base,Estimate,",
            ",Census,2012,2013",
            *(f'x{i},"{i * 91 + 7000:,}","{i * 92 + 7000:,}","{i * 93 + 7000:,}"' for i in ROWS),
        ],
        "give skip_after_header=1",
    ),
    "numbers of columns": (
        ["id,pay,rent", "unit,EUR,EUR", "(1),(2),(3)", *(f"{i},{i * 91},{i * 7}" for i in ROWS)],
        "2 lines stand below the names",
    ),
    "a name of two lines": (
        ['"Pay', '(EUR)",town', *(f"{i * 91},t{i}" for i in ROWS)],
        "a quote in the line of names is not closed on it, '\"Pay'; write all names on one line",
    ),
    "single quotes": (["a,b,c", *(f"'x, {i}',{i},{i}" for i in ROWS)], "' is no quote"),
    "no rows": (["id,pay"], "no row stands below the names"),
    "a total above": (
        ["town,pop", "Land,6000", *(f"p{i},2000" for i in range(3)), *(f"t{i},{i}" for i in ROWS)],
        "pop: the first entry is the sum of the 3 below it",
    ),
    "notes and thousands": (
        [
            "town,pop,men",
            *(f't{i},"{i * 91 + 7000:,}","{i * 41 + 7000:,}"' for i in ROWS),
            "Note: from the census,,",
        ],
        "notes stand below the rows",
    ),
    "copies of wide rows": (
        ["a,b,c,d,e,f", *(f"{i % 4},x,y,{i % 3},z,w" for i in ROWS), "9,x,y,9,z,w"],
        "24 rows are exact copies of others in all 6 columns",
    ),
    "whole lines in quotes": (
        ['"id,pay"', *(f'"{i},{i * 91}"' for i in ROWS)],
        "several columns in one",
    ),
}


@pytest.mark.parametrize("kind", TABLES)
def test_what_a_table_looks_like_is_named(kind: str, tmp_path: Path) -> None:
    rows, words = TABLES[kind]
    told = written(tmp_path / "t.csv", *rows)
    assert words in told, told


# And what is as it should be.
RIGHT: dict[str, list[str]] = {
    "a series of codes": ["gemeinde,n", *(f"G{i},{i * 7 % 59}" for i in ROWS)],
    "labels that end like totals": [
        "song,n",
        *(f"{['You are my all', 'All of me', 'Once'][i % 3]},{i}" for i in ROWS),
    ],
    "small sums by chance": ["id,n", *(f"{i},{(1, 2, 3, 6)[i % 4]}" for i in ROWS)],
    "states of two letters": ["state,n", *(f"{'KA' if i % 2 else 'TN'},{i}" for i in ROWS)],
    "one unit": long_table("geo,unit,value", "EUR"),
    "groups of people": long_table("id,group,value", "a", "b"),
    "goods and prices": long_table("id,item,price", "pen", "book"),
    "pays like days": ["id,pay", *(f"{i},{43831 + 9 * i}" for i in ROWS)],
    "codes like limits": ["c,pop", *(f"c{i % 9},{i * 91}" for i in ROWS)],
    "words like hidden numbers": [
        "town,n",
        *(f"{'Zürich' if i % 2 else 'Genève'},{i}" for i in ROWS),
    ],
    "agencies": ["agency,n", *(f"{'HPD' if i else 'DPR'},{i}" for i in ROWS)],
    "remarks": ["id,remark", *(f"{i},{'seen' if i % 7 == 3 else ''}" for i in ROWS)],
    "labels in a few rows": ["id,floor,x", *(f"{i},{'B' if i == 0 else ''},{i}" for i in ROWS)],
    "a column with the name of a day": ["day,n", *(f"{i % 31 + 1},{i * 3}" for i in ROWS)],
    "years in the first row": ["year,n", *(f"{1990 + i},{i * 91 + 2000}" for i in ROWS)],
    "truths": ["id,yes", *(f"{i},{[1, 0, 1, 0][i % 4]}" for i in ROWS)],
    "sums by chance": ["id,n", *(f"{i + 50},{[9, 2, 3, 5][i % 4]}" for i in ROWS)],
    "numbers of goods": ["nsn,n", *(f"1005-00-{i + 10}-{i * 91 + 1000},{i}" for i in ROWS)],
    "letters beside M and F": ["grade,n", *(f"{'ASTB'[i % 4]},{i}" for i in ROWS)],
}


@pytest.mark.parametrize("kind", RIGHT)
def test_nothing_is_invented(kind: str, tmp_path: Path) -> None:
    assert "Nothing was found" in written(tmp_path / "t.csv", *RIGHT[kind])


def test_no_option_reads_numbers_that_are_written_in_two_ways(tmp_path: Path) -> None:
    german = [f"{1000 + 37 * i:,}.50".translate(str.maketrans(",.", ".,")) for i in range(40)]
    english = [f"{1000 + 37 * i:,}.50" for i in range(20)]
    found = check({"pay": [*german, *english]})
    told = str(found)
    assert "no option reads all of them: with thousands='.' and decimal=',' 20 of 60" in told
    assert "with thousands=',' 40 of 60 are missing, such as '1.000,50'" in told
    assert not found.options
    plain = check({"pay": [*german[:30], *(x.replace(",", "") for x in english)]})
    assert "as it is read 30 of 50" in str(plain)
    assert not plain.options
    few = check({"pay": [*german, english[3]]})  # a typing error
    assert "1 of 41 are missing, such as '1,111.50'" in str(few)
    assert few.options == {"thousands": ".", "decimal": ","}
    path = tmp_path / "t.csv"
    path.write_text("id;pay\n" + "".join(f"{i};{x}\n" for i, x in enumerate([*german, *english])))
    assert check(path).options == {"separator": ";"}


def test_text_in_memory_is_looked_at_as_text_in_files_is() -> None:
    for library in (pandas, polars):
        told = str(
            check(
                library.DataFrame(
                    {
                        "sex": ["M", "F", "Both sexes"] * 12,
                        "town": ["K\u00f6ln", "Koeln", "Bonn"] * 12,
                        "day": ["31.12.2024", "30.11.2024", "1.1.2024"] * 12,
                        "pay": [1.5, 2.5, 4.0] * 12,
                    }
                )
            )
        )
        assert "sex: 12 rows hold words such as 'Both sexes'" in told
        assert "town: labels are written in several ways" in told
        assert "of which the day stands first" in told


def test_columns_in_memory_are_looked_at_together() -> None:
    told = str(
        check({"unit": ["PC", "USD"] * 9, "value": [1.5, 2.5] * 9, "person": [1.0, None] * 9})
    )
    assert "which 'unit' tells" in told
    assert "9 rows have no entry" in told


# rows as they stand in a file, and what is told of them, in memory too
SHEETS: dict[str, tuple[list[str], str]] = {
    "copies": (["id,n", *(f"{i},{i % 7}" for i in (*ROWS, 3, 4))], "2 rows are exact copies"),
    "lost zeros": (["plz,n", *(f"{7_500 + 97 * i},{i}" for i in ROWS)], "plz: codes of 5 digits"),
    "lost zeros of other codes": (
        ["school_code,n", *(f"{750 + 9 * i},{i}" for i in ROWS)],
        "school_code: codes of 4 digits and of 3, such as '750': zeros may be lost",
    ),
    "blank rows": (
        ["id,n", *(("," if i in (7, 9) else f"{i},{i * 3}") for i in ROWS)],
        "2 rows are blank in all columns",
    ),
    "titles of groups": (
        [
            "id,n,x",
            *(("North,,", "South,,")[i // 20] if i in (0, 20) else f"{i},{i},2" for i in ROWS),
        ],
        "2 rows hold a name and nothing else, such as 'North'",
    ),
    "totals": (
        ["town,n", *(f"t{i},{i + 100}" for i in ROWS), f"Total,{sum(i + 100 for i in ROWS)}"],
        "town: one row holds words such as 'Total' (1)",
    ),
    "sums at the end": (
        ["town,n", *(f"t{i},{i * 7 + 1}" for i in ROWS), f"x,{sum(i * 7 + 1 for i in ROWS)}"],
        "which is the sum of all others: a total",
    ),
    "notes": (["id,n", *(f"{i},{i * 3}" for i in ROWS), "Source: registry,"], "notes stand below"),
    "units": (["id,n", "(no.),(kg)", *(f"{i},{i * 3}" for i in ROWS)], "such as units"),
    "names again": (
        ["id,n", *("id,n" if i == 30 else f"{i},{i * 3}" for i in ROWS)],
        "the line of names stands again among the rows (1)",
    ),
    "labels once": (
        ["town,n", *(f"{f't{i}' if i % 10 == 0 else ''},{i * 3 + 1}" for i in ROWS)],
        "town: labels such as 't0' are written once",
    ),
    "several in one": (
        ["id;n", *(f"{i};{i * 3}" for i in ROWS)],
        "they are several columns in one",
    ),
}


@pytest.mark.parametrize("kind", SHEETS)
def test_rows_in_memory_are_looked_at_as_those_of_files(kind: str, tmp_path: Path) -> None:
    lines, told = SHEETS[kind]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    frame = polars.read_csv(path, infer_schema_length=None)
    frame.write_parquet(tmp_path / "t.parquet")
    frames: list[Any] = [
        *(path, tmp_path / "t.parquet", pandas.read_csv(path, skip_blank_lines=False)),
        *(frame, frame.to_arrow(), frame.to_dict(as_series=False), frame.lazy()),
    ]
    if kind == "several in one":  # in a file it is told as another separator
        frames = frames[1:]
    for data in frames:
        assert told in str(check(data)), type(data)


@pytest.mark.parametrize("kind", ["totals", "notes", "blank rows", "titles of groups"])
def test_rows_are_told_whatever_column_is_asked_for(kind: str, tmp_path: Path) -> None:
    lines, told = SHEETS[kind]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for data in (path, pandas.read_csv(path, skip_blank_lines=False)):
        found = check(data, "n")
        assert told in str(found), (kind, type(data))
        assert [column.name for column in found.columns] == ["n"]


def test_names_of_frames_that_cannot_be_asked_for_are_told() -> None:
    frame = pandas.DataFrame([[1, 2, 3, 4]] * 3, columns=["a", "a", " ", 7])
    told = str(check(frame))
    assert "2 columns are called 'a'" in told
    assert "one column has a blank name" in told
    assert "one column has a label that is not text" in told
