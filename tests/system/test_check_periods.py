"""Periods of several lengths, and lines below the names that only the whole line tells."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from leastnoise.frames.checks.look import check

YEARS = range(2004, 2016)
TOLD = "periods are of several lengths"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
SEVERAL = {
    "years and months": ("time", ["{}", *(f"{{}}-{m:02d}" for m in range(1, 13))]),
    "years and quarters": ("x", ["{}", *(f"{{}} Q{q}" for q in range(1, 5))]),
    "quarters and months": ("when", ["{}Q1", "{} JAN", "{} FEB", "{} MAR"]),
    "a year among months": ("Monat", [*MONTHS, "Jahr"]),
    "the thirteenth month": ("period", [*(f"M{m:02d}" for m in range(1, 14))]),
    "the fifth quarter": ("period", [*(f"Q0{q}" for q in range(1, 6))]),
    "halves": ("period", ["Q1", "Q2", "H1", "Q3", "Q4", "H2"]),
    "so far": ("quarter", ["3M", "6M", "9M", "12M"]),
    "fiscal": ("period", ["Q1-{}", "Q2-{}", "Q3-{}", "Q4-{}", "FY{}"]),
}
ONE = {
    "months": ("time", [f"{{}}-{m:02d}" for m in range(1, 13)]),
    "names of months": ("month", [*MONTHS]),
    "quarters": ("period", ["{}Q1", "{}Q2", "{}Q3", "{}Q4"]),
    "years": ("year", ["{}"]),
    "machines": ("machine", [*(f"M{m:02d}" for m in range(1, 14))]),
    "months of a plan": ("month", [*(f"M{m:02d}" for m in range(1, 16))]),
    "days": ("date", ["{}-03-01", "{}-03-02"]),
    "classes": ("class", ["A", "H1", "H2"]),
    "questions": ("item", ["Q1", "Q2", "Q3", "Q4", "Q5"]),
}


def rows(path: Path, name: str, forms: list[str]) -> Path:
    periods = [form.format(year) for year in YEARS for form in forms]
    lines = (f"{x},{100 + i * 37 % 91}" for i, x in enumerate(periods))
    path.write_text("\n".join([f"{name},sold", *lines, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", SEVERAL)
def test_periods_of_several_lengths(kind: str, tmp_path: Path) -> None:
    path = rows(tmp_path / "sold.csv", *SEVERAL[kind])
    assert TOLD in str(check(path))
    assert TOLD in str(check(path, "sold"))


@pytest.mark.parametrize("kind", ONE)
def test_periods_of_one_length(kind: str, tmp_path: Path) -> None:
    assert TOLD not in str(check(rows(tmp_path / "sold.csv", *ONE[kind])))


def test_the_filter_keeps_the_shortest(tmp_path: Path) -> None:
    told = str(check(rows(tmp_path / "sold.csv", *SEVERAL["the thirteenth month"])))
    assert "ln.col('period') != 'M13'" in told


ABOVE = [
    ["Code,K4F2", "Prior unit,", "Unit,GBP", "Next,3 May 2021", "Notes,", "Source,Survey"],
    ["Series,abc", "Index,"],
    ["Kind,series", *chain.from_iterable([f"More {x}," for x in "abcdef"] for _ in "ab")],
]


@pytest.mark.parametrize("above", ABOVE)
def test_all_lines_below_the_names_are_counted(above: list[str], tmp_path: Path) -> None:
    """Of which the value's column may hold none, and a record without a number is none of them."""
    records = [
        "1999 Q4,",
        *(f"{1990 + i // 4} Q{i % 4 + 1},{100 + i * 37 % 91}" for i in range(99)),
    ]
    path = tmp_path / "series.csv"
    path.write_text("\n".join(["Title,Output", *above, *records, ""]), encoding="utf-8")
    for column in (None, "Output"):
        assert check(path, column).options["skip_after_header"] == len(above)


def test_a_second_line_of_names_is_told_of_a_column_that_is_blank_there(tmp_path: Path) -> None:
    answers = [f"{900 + i},{'Yes' if i % 3 else 'No'},{i % 4 + 1},{i % 5}" for i in range(90)]
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(["who,seen,rank,", ",Response,First,Second", *answers, ""]))
    for column in ("who", "seen", "rank"):
        assert check(path, column).options == {"skip_after_header": 1}
    path.write_text("\n".join(["who,seen,rank,", ",Yes,3,2", *answers, ""]))  # a record
    for column in ("who", "seen", "rank"):
        assert "skip_after_header" not in check(path, column).options


def test_the_second_line_of_a_survey(shared_data: Path) -> None:
    path = shared_data / "messy" / "star_wars_survey.csv"
    found = check(path, "RespondentID", encoding="cp1252")
    assert found.options["skip_after_header"] == 1
    found = check(path, "RespondentID", encoding="cp1252", skip_after_header=1)
    assert found.options.get("skip_after_header", 1) == 1
