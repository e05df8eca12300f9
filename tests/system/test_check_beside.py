"""What a check sees by two columns together, and what it must not see in clean ones."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from leastnoise.frames.checks.look import check

ROWS = 400


def told(**columns: list[Any]) -> str:
    return str(check(columns))


def amounts(seed: int = 1, spread: float = 0.8) -> list[float]:
    random = Random(seed)
    return [round(100 * random.lognormvariate(0, spread), 2) for _ in range(ROWS)]


def labels(*names: str) -> list[str]:
    return [names[(i * 7 + i // 5) % len(names)] for i in range(ROWS)]


WAYS = {
    "type": ("debit", "credit"),
    "D/C": ("D", "C"),
    "Umsatz": ("S", "H"),
    "movement": ("IN", "OUT"),
    "Buchung": ("Zugang", "Abgang"),
    "kind": ("Einnahme", "Ausgabe"),
    "sign": ("+", "-"),
    "transaction": ("buy", "sell"),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_sign_that_another_column_tells(name: str) -> None:
    way = labels(*WAYS[name])
    assert "which way each counts" in told(**{"amount": amounts(), name: way})
    signed = [x if w == way[0] else -x for x, w in zip(amounts(), way, strict=True)]
    assert "which way each counts" not in told(**{"amount": signed, name: way})


def test_a_hemisphere_that_another_column_tells() -> None:
    places = [round(Random(i).uniform(1, 89), 4) for i in range(ROWS)]
    assert "which way each counts" in told(lat=places, lat_dir=labels("N", "S"))
    assert "which way each counts" not in told(pay=amounts(), region_dir=labels("N", "S"))
    assert "which way each counts" not in told(pay=amounts(), grade=labels("C", "D"))
    assert "which way each counts" not in told(pay=amounts(), sex=labels("m", "f"))


UNITS = ("ccy", "iso_ccy", "devise", "moneda", "valuta", "W\u00e4hrung", "uom", "UoM",
         "result_unit", "unit_of_wait", "enhet", "eenheid", "jednostka")  # fmt: skip


@pytest.mark.parametrize("name", UNITS)
def test_columns_that_tell_a_unit_by_usual_names(name: str) -> None:
    assert "its numbers are of several kinds" in told(**{"x": amounts(), name: labels("a", "b")})


@pytest.mark.parametrize("spread", [0.5, 0.8, 1.2])
@pytest.mark.parametrize("unit", ["g", "1000"])
def test_a_unit_of_any_name_is_told_by_sizes(unit: str, spread: float) -> None:
    """Labels may be numbers too, as a multiplier is."""
    kinds = labels("kg" if unit == "g" else "1", unit)
    sizes = [
        round(x * (1000 if k == unit else 1), 2)
        for x, k in zip(amounts(spread=spread), kinds, strict=True)
    ]
    assert "they may be of several units" in told(x=sizes, xx=kinds)
    assert "they may be of several units" not in told(x=amounts(spread=spread), xx=kinds)


CLEAN = {
    "answers from -2 to 2": lambda r: r.randint(-2, 2),
    "goals": lambda r: r.randint(-5, 5),
    "floors": lambda r: r.choice([-1, 0, 0, 1, 1, 2, 3, 4, 5, 6]),
    "delays": lambda r: r.randint(-5, 60),
    "degrees": lambda r: r.randint(-3, 3),
    "golf": lambda r: r.randint(-6, 8),
}


@pytest.mark.parametrize("kind", CLEAN)
def test_negative_numbers_that_join_on_to_0_are_no_codes(kind: str) -> None:
    random = Random(3)
    found = check({"x": [CLEAN[kind](random) for _ in range(2000)]})
    assert not found.options
    assert "a code for a missing value" not in str(found)


def test_negative_codes_are_still_told() -> None:
    random = Random(4)
    hours = [random.choice([-8, -1]) if random.random() < 0.1 else random.randint(1, 60)
             for _ in range(900)]  # fmt: skip
    assert check({"hours": hours}).options == {"missing_values": [-8, -1]}


@pytest.mark.parametrize("word", ["-", "\u2013", "none", "nil", "never", "Keine", "free"])
def test_words_that_may_be_0_are_no_option(word: str) -> None:
    some = [word if i % 3 == 0 else 1 + i % 7 for i in range(ROWS)]
    assert "many write so what is exactly 0" in told(children=some)
    assert not check({"children": some}).options
    assert "many write so what is exactly 0" not in told(children=[*some, 0])


def days(first: str, count: int = ROWS) -> list[str]:
    start = date.fromisoformat(first)
    return [str(start + timedelta(days=i * 7 % 2000)) for i in range(count)]


FORMS: dict[str, tuple[list[Any], str]] = {
    "a default date": ([*days("1950-03-01"), *["1980-01-01"] * 90], "90 entries are 1980-01-01"),
    "years that lost digits": ([*days("2018-01-01"), *["0024-11-28"] * 9], "digits of the year"),
    "Buddhist years": (days("2561-01-01"), "the Buddhist calendar"),
    "Persian years": (days("1397-01-01"), "the Persian or the Islamic calendar"),
    "a year and its day": ([2024001 + i % 366 for i in range(ROWS)], "a year and a day of it"),
    "hours and minutes": ([f"{i % 9}.{(0, 15, 30, 45)[i % 4]:02}" for i in range(ROWS)],
                          "no number has more than 45 behind its point"),
    "cents": ([f"{x:.2f}" if i % 2 else str(round(100 * x)) for i, x in enumerate(amounts())],
              "the point may be lost"),
    "percents beside parts": ([f"{i % 90}%" if i % 2 else f"{i % 90 / 100:.2f}"
                               for i in range(ROWS)], "so 58 % beside 0.54 is 0.58"),
    "minutes and seconds": ([f"{50 + i % 9}.{i % 97:02}" if i % 3 else f"1:{i % 60:02}.{i % 97:02}"
                             for i in range(ROWS)], "a length of time, is no number"),
    "two codes": ([*(15 + i % 100 / 10 for i in range(ROWS)), *[-127] * 9, *[85] * 9],
                  "9 entries are 85"),
    "the largest float": ([*amounts(), *[3.4028235e38] * 9],
                          "give missing_values= with 3.4028235e+38"),
    "days of other programs": ([23376 + i for i in range(ROWS)],
                               "2024-01-01 as SAS and Stata count"),
    "dates of SAS": ([f"{1 + i % 28:02}APR2024" for i in range(ROWS)],
                     "in another form than ISO's"),
    "a triangle for a minus": ([f"\u25b3{i}" if i % 3 else i for i in range(ROWS)],
                               "with '-' in front"),
    "a letter for a note": ([f"{i % 40}.5E" if i % 4 == 0 else f"{i}.5" for i in range(ROWS)],
                            "the sign of a note"),
    "two units": ([70 + i % 110 if i % 3 else round(3.9 + i % 61 / 10, 1) for i in range(ROWS)],
                  "mg/dL beside mmol/L of glucose"),
    "two scales of degrees": ([15 + i % 100 / 10 if i % 3 else 59 + i % 180 / 10
                               for i in range(ROWS)], "Fahrenheit beside Celsius"),
    "infinite": ([*amounts(), "inf", "inf"], "2 entries are infinite and count as beyond"),
    "a letter that was lost": (["Z\ufffdrich" if i % 9 else "Z\u00fcrich" for i in range(ROWS)],
                               "the sign of a letter that was lost"),
    "names that became dates": (["BRCA1", "TP53", "2-Sep", "MARCH3"] * 100,
                                "100 entries are dates such as '2-Sep'"),
    "scores that became dates": (["0-0", "1-0", "0-3", "3-Jan", "13-2"] * 80,
                                 "80 entries are dates such as '3-Jan'"),
    "feet and inches": (["5-11", "6-0", "5-3", "6-2"] * 100, "are no range and none"),
    "marks out of 20": ([f"{i % 20}.5/20" if i % 3 else i % 20 for i in range(ROWS)],
                        "all are out of 20"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMS)
def test_numbers_and_dates_of_another_form(kind: str) -> None:
    entries, words = FORMS[kind]
    said = told(date=entries) if kind.startswith("days of") else told(x=entries)
    assert words in said
    assert "totals count" not in said


def test_clean_numbers_and_dates_are_none_of_these() -> None:
    for clean in (days("1950-03-01"), [f"{x:.2f}" for x in amounts()],
                  [f"{i % 40}.{i % 4 * 25:02}" for i in range(ROWS)],
                  [i % 90 / 100 for i in range(ROWS)]):  # fmt: skip
        assert "Nothing was found" in told(x=clean)


@pytest.mark.parametrize("places", [(0, 1), (1, 2)])
def test_totals_that_leave_a_row_out(places: tuple[int, int]) -> None:
    """As an election counts votes, of which some are no part of the sum."""
    random, votes = Random(5), list[int]()
    for _ in range(40):
        block = [random.randint(50, 9000) for _ in range(3)]
        votes += [*block, sum(block[i] for i in places)]
    said = told(votes=votes)
    assert "40 entries such as" in said
    assert "but for one of them" in said
    random.shuffle(votes)
    assert "totals count" not in told(votes=votes)


# Labels that are the same, then those that are not.
WRITTEN: dict[str, list[list[str]]] = {
    "are written in several ways": [
        ["1", "1.0", "2", "3"],
        ["1", "01", "2"],
        ["\u0410\u0441\u043c\u0435", "Acme", "Bolt"],  # Cyrillic letters, then Latin ones
        ["UK", "United Kingdom", "France"],
        ["California", "CA", "Calif.", "Nevada"],
        ["01 - Sales", "1 - Sales", "2 - Tax"],
        ["Administration of Health and Sa", "Administration of Health and Safety", "Other"],
        ["Nurse", "Nurses", "Doctor"],
        ["Z\u00fcrich", "Z?rich", "Bern"],
    ],
    "": [
        ["1", "2", "3"],
        ["Class", "Classes", "Old"],
        ["Software Engineer", "Software Engineering", "Other"],
        ["\u041c\u043e\u0441\u043a\u0432\u0430", "Tver", "\u0422\u0443\u043b\u0430"],
        ["US", "United Kingdom", "France"],
        ["Who?", "Whom", "What?"],
        ["01234", "1235", "1236"],
    ],
}


@pytest.mark.parametrize("written", WRITTEN)
def test_labels_in_several_ways(written: str) -> None:
    for names in WRITTEN[written]:
        said = told(x=labels(*names))
        assert ("are written in several ways" in said) == bool(written), names


PERSONS = ("email", "E-Mail", "SUBJID", "ResponseId", "cust_id", "iban", "uid", "EMPNO", "hh_id",
           "driver_id", "Full Name")  # fmt: skip


@pytest.mark.parametrize("name", PERSONS)
def test_persons_by_many_names(name: str) -> None:
    several = [f"P{i // 3}" for i in range(ROWS)]
    assert f"give unit={name!r}" in told(**{name: several, "x": amounts()})


def test_persons_of_any_name_are_told_by_the_numbers_of_their_rows() -> None:
    several, visit = [f"P{i // 3}" for i in range(399)], [1 + i % 3 for i in range(399)]
    assert "give unit='xx'" in told(xx=several, visit=visit)
    assert "give unit='xx'" not in told(xx=several, visit=[7] * 399)


def test_cyrillic_names_are_no_western_letters(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("\u0420\u0435\u0433\u0438\u043e\u043d,x\n1,2\n".encode("cp1251"))
    assert check(path).options.get("encoding") != "cp1252"
    path.write_text("town,x\n" + "Z\ufffdrich,1\nZ\u00fcrich,2\n" * 40, encoding="utf-8")
    assert "encoding" not in check(path).options


def test_files_and_lists_of_other_forms_of_graphs(tmp_path: Path) -> None:
    rows = [[int(abs(i - j) == 1) for j in range(9)] for i in range(9)]
    for sign, head in ((" ", ""), (",", ",".join(map(str, range(9))) + "\n")):
        path = tmp_path / ("m.csv" if head else "m.txt")
        path.write_text(head + "".join(sign.join(map(str, row)) + "\n" for row in rows))
        assert "as the rows of a matrix do" in str(check(path, nodes=9))
    assert "list(zip(*data))" in str(check([[0, 1, 2], [1, 2, 0]], nodes=3))


def test_nodes_that_a_graph_has_more_of(tmp_path: Path) -> None:
    square = sparse.csr_array(np.ones((9, 9)))
    assert "give nodes=9" in str(check(square, nodes=5))
    assert "Nothing was found" in str(check(square, nodes=9))
    path = tmp_path / "g.txt"
    path.write_text("p edge 3 2\ne 1 2\ne 2 3\n")
    assert "in the form of DIMACS" in str(check(path, nodes=4))
    path.write_text("U1 U2\nu1 U3\n")
    assert "'u1' is one of them in capital" in str(check(path, nodes=["U1", "U2", "U3"]))


def test_quotes_around_decimals_are_no_codes() -> None:
    for quoted in ("'{}'", '="{}"'):
        said = told(pay=[quoted.format(f"{x:.2f}") for x in amounts()])
        assert "a quote around a field" in said
        assert "tell codes" not in said
        assert "tell codes" in told(code=[quoted.format(f"0{i:03}") for i in range(ROWS)])


def test_a_table_of_frequencies_is_told() -> None:
    ages, often = [*range(90)], [1 + i * i % 97 for i in range(90)]
    assert "rows are no records" in told(age=ages, n=often)
    assert "rows are no records" not in told(id=ages, n=often)
    assert "rows are no records" not in told(age=ages, pay=often)


def test_lines_of_blanks_with_names_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("age weight\n" + "".join(f'"{i}" {20 + i % 60} {50 + i}\n' for i in range(90)))
    assert check(path).options["separator"] == " "


def test_a_control_sign_parts_fields(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id\x01pay\n" + "".join(f"{i}\x01{1000 + 7 * i}\n" for i in range(90)))
    assert check(path).options == {"separator": "\x01"}
    for sign in ("\x01", "\\x01"):  # as Python and as a shell have it
        assert "Nothing was found" in str(check(path, separator=sign))
