"""Numbers of two units in one column, marks, ties, clocks and names of one thing, in a check."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from leastnoise.frames.checks.look import check

ROWS = 600
Draw = Callable[[random.Random], object]


def column(name: str, *draws: Draw) -> str:
    """A file whose entries are drawn from each of these in turn."""
    source = random.Random(3)
    entries: Iterable[object] = (draws[i % len(draws)](source) for i in range(ROWS))
    return f"id,{name}\n" + "".join(f"{i},{x}\n" for i, x in enumerate(entries))


def normal(mean: float, sd: float, turn: Callable[[float], float] = float, digits: int = 1) -> Draw:
    return lambda source: round(turn(source.gauss(mean, sd)), digits)


def one_of(*labels: str) -> Draw:
    return lambda source: source.choice(labels)


def whole(low: int, high: int, written: str = "{}") -> Draw:
    return lambda source: written.format(source.randint(low, high))


def clock(source: random.Random) -> int:
    return source.randint(5, 23) * 100 + source.randint(0, 59)


def moment(source: random.Random) -> str:
    return f"2024{source.randint(1, 12):02d}{source.randint(1, 28):02d}{clock(source):04d}00"


def strokes(source: random.Random) -> object:
    return source.randint(-6, 8) or "E"


KG = normal(75, 12)
# the file, a part of what is told ("" for nothing), and the options of the cure
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "pounds and kilograms": (
        column("weight", KG, KG, normal(75, 12, lambda x: x * 2.2046)),
        "perhaps pounds beside kilograms",
        {},
    ),
    "kilograms": (column("weight", KG), "", {}),
    "two groups of one unit": (column("length", normal(20, 3), normal(40, 3)), "", {}),
    "Fahrenheit": (
        column("temp", normal(18, 5), normal(18, 5, lambda x: 1.8 * x + 32)),
        "perhaps degrees Fahrenheit beside Celsius",
        {},
    ),
    "fever": (
        column("temp", normal(37, 0.6), normal(37, 0.6, lambda x: 1.8 * x + 32)),
        "perhaps degrees Fahrenheit beside Celsius",
        {},
    ),
    "inches": (
        column("height", normal(172, 9, digits=0), normal(172, 9, lambda x: x / 2.54)),
        "perhaps centimetres beside inches",
        {},
    ),
    "countries": (
        column("land", one_of("UK", "GB", "DE", "FR")), "in several ways: 'GB', 'UK'", {}
    ),
    "countries in two languages": (
        column("land", one_of("Germany", "Deutschland", "France")),
        "labels are written in several ways",
        {},
    ),
    "stages": (column("stage", one_of("I", "II", "III", "IIIA", "IV")), "", {}),
    "grades": (
        column("mark", one_of("1", "2", "2-", "3+", "3", "4", "1-", "5")),
        "a plus or minus behind a mark is part of the grade",
        {},
    ),
    "overpunch": (
        column("amount", whole(1, 99999, "{:06d}}}"), whole(1, 99999, "{:06d}C")),
        "as COBOL writes them",
        {},
    ),
    "base 16": (column("key", whole(0, 65535, "{:04x}")), "digits of base 16", {}),
    "ties": (column("rank", whole(1, 40), whole(1, 40, "={}")), "a sign for a tie", {}),
    "codes with a T": (column("arm", one_of("T1", "T2", "T3")), "", {}),
    "prices": (
        column("price", whole(100, 999), whole(100, 999), whole(100, 999, "{}\u2013999")),
        "a range is no number",
        {},
    ),
    "limits": (
        column("p", lambda s: f"{s.random():.4f}", one_of("<2e-16", "0.5")),
        "a limit is no number",
        {},
    ),
    "stars in words": (column("stars", whole(1, 5, "{} out of 5 stars")), "all are out of 5", {}),
    "stars": (column("stars", lambda s: "★" * s.randint(1, 5)), "words or signs are not read", {}),
    "hours and minutes": (column("dep", clock), "they may be hours and minutes", {}),
    "times in digits": (column("at", moment), "whole numbers that are times", {}),
    "coordinates": (
        column("latitudeE7", whole(500_000_000, 550_000_000)), "are no degrees", {}
    ),
    "strokes beside par": (column("score", strokes), "are 'E', and none is 0", {}),
    "traces": (
        column("rain", lambda s: round(s.random() * 3, 1), one_of("T", "0.0")), "a trace", {}
    ),
    "words of programs": (
        column("v", normal(5, 1), normal(5, 1), one_of("NaT", "-nan(ind)")),
        "entries are no numbers",
        {"missing_values": {"NaT", "-nan(ind)"}},
    ),
    "kelvins": (
        column("temp", normal(15, 6), normal(15, 6, lambda x: x + 273.15)),
        "perhaps kelvins beside degrees Celsius",
        {},
    ),
    "feet and inches with a point": (
        column("height", lambda s: f"{s.randint(5, 6)}.{s.randint(0, 11)}"),
        "they may be feet and inches, or years and months",
        {},
    ),
    "reais": (column("pib", whole(1, 9, "R$ {}.000")), "a currency is no part of a number", {}),
    "lakhs": (column("rev", whole(1, 99, "₹ {} Lakh")), "a currency is no part of a number", {}),
    "labels with their number": (
        column("smoker", one_of("1=yes", "2=no")), "", {}
    ),
    "answers of which the ends have words": (
        column("mood", one_of("1 very bad", "2", "3", "4", "5 very good", "-99 no answer")),
        "a number stands before its label",
        {},
    ),
    "missing values of Stata": (
        column("years", normal(13, 3), normal(13, 3), one_of(".a", ".b")),
        "entries are no numbers",
        {"missing_values": {".a", ".b"}},
    ),
    "records of persons": (
        "record_id,bmi\n" + "".join(f"{i // 3},{20 + i % 17}\n" for i in range(300)),
        "record_id: 100 of 100 have several rows",
        {},
    ),
    "a title of fewer fields": (
        "Glucose,made,30 November,for,Ann\nkind,serial,hour,type,scan,level\n" + "".join(
            f"Libre,A{i % 3},{i},{i % 4},{100 + i % 31},{90 + i % 37}\n" for i in range(60)
        ),
        "one line stands above the names",
        {"skip_rows": 1},
    ),
    "a total in a column without a name": (
        ",men,women\n" + "".join(f"town {i},{50 + i},{60 - i % 7}\n" for i in range(50))
        + "Total,4000,4100\n,,\nSource: the office\n",
        "words such as 'Total'",
        {},
    ),
    "a pyramid": (
        "sex,age,n\n" + "".join(
            f"{sex},{age},{sign * (4000 + age % 7)}\n"
            for age in range(90) for sex, sign in (("M", -1), ("F", 1))
        ),
        "all numbers beside 'M' of 'sex' are negative",
        {},
    ),
    "a unit in a comment above the names": (
        "# station 5, TMAX in tenths of a degree\n" + column("tmax", whole(-50, 320)),
        "stands beside numbers: they may be tenths",
        {"skip_rows": 1},
    ),
    "a unit in a title": (
        "Population (in thousands),\n" + column("pop", normal(60, 9)),
        "stands beside numbers: they may be tenths, thousands",
        {"skip_rows": 1},
    ),
    "units below the names": (
        "id,tmax,sales\n,0.1 °C,Tsd. EUR\n" + "".join(
            f"{i},{50 + i % 37},{20 + i % 41}\n" for i in range(90)
        ),
        "no row, such as units or a second line of names: '0.1 °C', 'Tsd. EUR'",
        {"skip_after_header": 1},
    ),
    "a unit in a note": (
        column("pop", normal(60, 9)) + "Note: figures in millions of euro,\n",
        "stands beside numbers: they may be tenths, thousands",
        {},
    ),
    "a total marked by a star": (
        "doc,unit,sum\n" + "".join(f"{4900 + i},1000,{50 + i % 31}.5\n" for i in range(90))
        + "*,,5850.5\n",
        "words such as '*' (1): totals count as rows",
        {"missing_values": {"*"}},
    ),
    "a unit in a name": (
        column("budget (EUR 000)", normal(60, 9)), "stands beside numbers: they may be tenths", {}
    ),
    "years of another calendar": (
        column("year", whole(2550, 2566)), "are of the Buddhist calendar", {}
    ),
    "9 behind a scale of seven": (
        column("answer", whole(1, 7), whole(1, 7), whole(1, 7), one_of("4", "9")),
        "are 9, and none is 8: it may be a code for a missing value",
        {},
    ),
    "numbers with a fraction": (
        column("inches", one_of("1 1/4", "2 3/4", "0 1/4")), "a fraction, or two numbers", {}
    ),
    "years of an emperor": (
        column("day", one_of("R6.1.28", "R5.12.3", "H30.2.11")), "look like dates", {}
    ),
    "evens": (
        column("odds", one_of("5/2", "7/1", "Evens", "9/4")), "600 entries are missing", {}
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "encoding", "told"),
    [
        ("[zł]", "cp1250", "give encoding='cp1250'"),
        ("[m³]", "cp1252", "give encoding='cp1252'"),
        ("人口【人】", "cp932", "give encoding='shift_jis'"),
    ],
)
def test_letters_tell_the_encoding(name: str, encoding: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"{i},{i % 37}\n" for i in range(60))
    path.write_bytes(f"id,{name}\n{rows}".encode(encoding))
    assert told in str(check(path))


@pytest.mark.parametrize(
    ("entries", "bounds", "told"),
    [(range(-50, 350), (-30, 50), True), (range(45), (-30, 50), False),
     (range(100, 900), (0, 50), False)],
)  # fmt: skip
def test_tenths_are_asked_for(entries: range, bounds: object, told: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("t\n" + "".join(f"{x}\n" for x in entries), encoding="utf-8")
    found = str(check(path, "t", bounds=bounds))
    assert ("they may be tenths" in found) == told, found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_told(kind: str, tmp_path: Path) -> None:
    content, words, options = KINDS[kind]
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    found = check(path)
    assert words in str(found)
    assert words or not found.findings, str(found)
    told = {name: set(x) if isinstance(x, list) else x for name, x in found.options.items()}
    assert told == options, str(found)
