"""Twelve files in the ways of offices, hospitals, banks and devices, whose truth is known.

Whoever follows the documentation, looks with ``check`` and gives the options that it prints, has
the right median, or was told what is wrong with that column.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.frames.checks.look import check
from leastnoise.testing import simulate

R = random.Random(7)
File = tuple[bytes, list[float]]
GERMAN = str.maketrans(",.", ".,")


def german(x: float, digits: int = 2) -> str:
    return f"{x:,.{digits}f}".translate(GERMAN)


def genesis() -> File:
    """A statistical office: cp1252, titles, a line of units, signs for none, footers."""
    rows: list[str] = []
    for i in range(400):
        number = german(R.randint(800, 250_000), 0)
        shown = "/" if i % 29 == 0 else f"({number})" if i % 17 == 0 else number
        rows.append(f"{1_001_000 + i * 13:08d};Gemeinde {i};{shown}")
    head = "GENESIS-Tabelle: 12411\nBev\u00f6lkerung;;\n;;\nAGS;Gemeinde;Einwohner\n;;Anzahl\n"
    text = head + "\n".join(rows) + "\n__________\n\u00a9 Amt, 2024\nStand: 03.05.2024\n"
    return text.encode("cp1252"), []


def laboratory() -> File:
    """A hospital: limits of detection, 9999, copies, patients with several rows."""
    rows: list[str] = []
    numbers: list[float] = []
    for i in range(500):
        number = round(R.uniform(3.5, 9.9), 1)
        shown = "<3.5" if i % 11 == 0 else "9999" if i % 41 == 0 else str(number)
        numbers += [number] if shown == str(number) else []
        rows.append(
            f'"{100_000 + i // 2}","{i % 28 + 1:02d}/0{i % 9 + 1}/2023","GLU","{shown}","U"'
        )
    rows += rows[11:21]
    numbers += [float(x.split('"')[7]) for x in rows[-10:] if "<" not in x]
    return ("MRN,Collected,Test,x,Units\r\n" + "\r\n".join(rows) + "\r\n").encode(), numbers


def french() -> File:
    """A spreadsheet: a currency, narrow blanks in numbers."""
    rows = [f"{i};{1000 + 37 * i:,},79 \u20ac".replace(",", "\u202f", 1) for i in range(300)]
    return ("\ufeffmatricule;x\n" + "\n".join(rows) + "\n").encode(), []


def survey() -> File:
    """A survey tool: three lines of names, -99, line ends and quotes in fields."""
    rows: list[str] = []
    numbers: list[float] = []
    for i in range(350):
        number = R.randint(18, 80)
        numbers += [number] if i % 13 else []
        rows.append(
            f'2024-03-{i % 28 + 1:02d},{number if i % 13 else -99},"said ""hello"",\nagain"'
        )
    asked = '"Start Date","How old?","Anything\nelse?"'
    head = f'Day,x,Q3\n{asked}\n"{{""Id"":""d""}}","{{""Id"":""q""}}","{{}}"'
    return ("\n".join([head, *rows]) + "\n").encode(), numbers


def ledger() -> File:
    """Accounting software: bars, a minus behind, sums between the rows, blanks in names."""
    rows: list[str] = []
    for i in range(240):
        rows.append(
            f"|{4711 + i}|Stelle {i % 6}|{german(10 + 37.5 * i)}{'-' if i % 12 == 0 else ''}|EUR|"
        )
        if i % 60 == 59:
            rows.append("|*|Summe|99.000,00|EUR|")
    line = "-" * 40
    text = f"05.04.2024   Liste   1\n{line}\n|Beleg|Stelle|x|EUR|\n{line}\n" + "\n".join(rows)
    return (text + f"\n{line}\n").encode(), []


def bank() -> File:
    """A bank statement: UTF-16, tabs, two columns of amounts, a last line."""
    numbers = [round(R.uniform(5, 3000), 2) for _ in range(260)]
    rows = [f"{i % 28 + 1:02d}/01/2024\t{german(x)}\t" for i, x in enumerate(numbers)]
    text = "Data\tx\tAvere\n" + "\n".join(rows) + "\nSaldo finale\t\t12.345,67\n"
    return text.encode("utf-16"), numbers


def sensor() -> File:
    """A device: comments above the names, gzip by another name, -9999, a code of its own."""
    rows: list[str] = []
    for i in range(600):
        number = round(15 + 8 * R.random(), 2)
        shown = "-9999.0" if i % 20 == 0 else "85.0" if i % 50 == 3 else str(number)
        rows.append(f"{1_700_000_000_000 + i * 60_000},{shown}")
    return gzip.compress(("# station\n# v1\nts,x\n" + "\n".join(rows) + "\n").encode()), []


def requests() -> File:
    """A web log: no names, blanks between fields, quotes."""
    rows: list[str] = []
    numbers: list[float] = []
    for i in range(500):
        number = R.randint(200, 90_000)
        numbers += [number] if i % 15 else []
        when = f"[12/Mar/2024:10:{i % 60:02d}:00 +0100]"
        size = number if i % 15 else "-"
        rows.append(f'10.0.0.{i % 255} - - {when} "GET /a/{i} HTTP/1.1" 200 {size} "-" "Agent"')
    return ("\n".join(rows) + "\n").encode(), numbers


def census() -> File:
    """A government portal: dollars, a suppressed and a coded entry, postcodes without zeros."""
    amounts = [f'"${20_000 + 91 * i:,}"' if i % 19 else "(D)" for i in range(320)]
    rows = [f"{1_500 + 290 * i},County {i},{amount}" for i, amount in enumerate(amounts)]
    return ("ZIP,NAME,x\n" + "\n".join(rows) + "\n").encode(), []


def rates() -> File:
    """A spreadsheet: sep=, blank rows, labels written once, percent signs, a total."""
    rows = [
        f"{f'd{i}' if i % 40 == 0 else ''};{i % 90},5%" if i % 70 != 69 else ";" for i in range(280)
    ]
    return ("sep=;\r\ndistrito;x\r\n" + "\r\n".join(rows) + "\r\nTotal;50,2%\r\n").encode(), []


def wrapped() -> File:
    """A spreadsheet: a line end in a name, no-break blanks in numbers."""
    numbers = [round(R.uniform(1000, 20_000), 2) for _ in range(250)]
    rows = [f'"{i}";"{f"{x:,.2f}".translate({44: 160, 46: 44})}"' for i, x in enumerate(numbers)]
    return ('"Lp";"Wynagrodzenie\nbrutto"\n' + "\n".join(rows) + "\n").encode("utf-8-sig"), numbers


def two_signs() -> File:
    """Put together from two offices: 7'397.72 and 14.683,25."""
    numbers = [round(R.uniform(1000, 20_000), 2) for _ in range(250)]
    shown = [f"{x:,.2f}".replace(",", "'") if i % 2 else german(x) for i, x in enumerate(numbers)]
    return ("nr;x\n" + "".join(f"{i};{x}\n" for i, x in enumerate(shown))).encode(), []


# the file, how the column is asked for, and what is told where options alone do not fix it
FILES: list[tuple[Callable[[], File], str, tuple[str, ...]]] = [
    (genesis, "Einwohner", ("three digits after it", "brackets", "notes stand below", "'/'")),
    (laboratory, "x", ("a limit is no number", "10 rows are exact copies", "'MRN', and max_rows=")),
    (french, "x", ("a currency is no part of a number",)),
    (survey, "x", ()),
    (ledger, "x", ("a minus stands in front", "words such as 'Summe' (4)")),
    (bank, "x", ("of which the day stands first",)),
    (sensor, "x", ("12 entries are 85.0, farther from all others", "milliseconds since 1970")),
    (requests, "column_8", ()),
    (census, "x", ("a currency is no part", "'(D)'", "ZIP: codes of 5 digits and of 4")),
    (rates, "x", ("a percent sign", "'Total'", "4 rows are blank", "written once")),
    (wrapped, "column_2", ("a quote in the line of names is not closed",)),
    (two_signs, "x", ("no option reads all of them",)),
]


@pytest.mark.parametrize(("made", "column", "told"), FILES, ids=[x[0].__name__ for x in FILES])
def test_a_wrong_number_is_told_or_mended(
    made: Callable[[], File], column: str, told: tuple[str, ...], tmp_path: Path
) -> None:
    content, numbers = made()
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    given = {"separator": " "} if made is requests else {}
    found = check(path, **given)
    for words in told:
        assert words in str(found), str(found)
    if numbers:
        with simulate(1):
            asked = ln.Median(column, bounds=(-(10**6), 10**6))
            answer = ln.release(asked, path, epsilon=10**6, **{**given, **found.options})
        assert answer.value == pytest.approx(sorted(numbers)[(len(numbers) - 1) // 2], abs=0.01)
