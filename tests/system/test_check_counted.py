"""What a check says of rows that stand for many and of codes near 0, and what it must not say."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leastnoise.frames.checks.look import check

ROWS = 300
COUNTS = [3, 18, 40, 77, 91, 60, 33, 12, 5]
TIMES = "may say how often it is there"


def told(**columns: list[Any]) -> str:
    return str(check(columns))


COUNTED: dict[str, dict[str, list[Any]]] = {
    "with gaps": {"grade": [2, 3, 5, 6, 9, 10, 14, 15, 20], "Häufigkeit": COUNTS},
    "falling": {"size": [*range(50, 41, -1)], "Anzahl": COUNTS},
    "fractions": {"litres": [0.5 * i for i in range(9)], "freq": COUNTS},
    "ranges": {"income": [f"{i}00-{i}99" for i in range(1, 10)], "effectif": COUNTS},
    "labels by their number": {"answer": [*"ehcadgbfi"], "count": sorted(COUNTS, reverse=True)},
    "beside a share": {"dose": [*range(9)], "n": COUNTS, "share": [x / 339 for x in COUNTS]},
    "with none": {"score": [*range(9)], "cases": [0, *COUNTS[1:]]},
}  # fmt: skip
RECORDS: dict[str, dict[str, list[Any]]] = {
    "years": {"year": [*range(2001, 2010)], "cases": COUNTS},
    "ids": {"shop_id": [*range(9)], "count": COUNTS},
    "a number of the row": {"age": [*range(20, 29)], "n": [*range(1, 10)]},
    "ones": {"age": [*range(20, 29)], "n": [1] * 9},
    "no order": {"age": [7, 3, 9, 1, 2, 8, 5, 4, 6], "visits": COUNTS},
    "towns": {"town": [*"ehcadgbfi"], "population": COUNTS},
    "places": {"latitude": [40 + i / 8 for i in range(9)], "n": COUNTS},
    "again": {"age": [20, 20, *range(21, 28)], "n": COUNTS},
    "parts": {"age": [*range(20, 29)], "n": [x / 10 for x in COUNTS]},
}


@pytest.mark.parametrize("kind", COUNTED)
def test_rows_that_stand_for_many(kind: str) -> None:
    found = told(**COUNTED[kind])
    assert TIMES in found
    assert "data.index.repeat" in found


@pytest.mark.parametrize("kind", RECORDS)
def test_rows_that_stand_for_themselves(kind: str) -> None:
    assert TIMES not in told(**RECORDS[kind])


@pytest.mark.parametrize("share", [2, 5, 40])
@pytest.mark.parametrize("name", ["n_visits", "siblings", "household_size"])
def test_minus_one_below_counts(name: str, share: int) -> None:
    random = Random(4)
    entries = [-1 if i % share == 0 else random.choice([0, 1, 1, 2, 3, 4, 7]) for i in range(ROWS)]
    assert "are -1, and no other is negative" in told(**{name: entries})
    assert "-1" not in told(**{name: [abs(x) for x in entries]})
    assert "are -1" not in told(**{name: [random.randint(-2, 6) for _ in range(ROWS)]})


@pytest.mark.parametrize("name", ["x", "rank", "points"])
def test_minus_one_of_numbers_that_become_rarer(name: str) -> None:
    random = Random(7)
    assert "are -1" not in told(**{name: [int(random.expovariate(0.4)) - 1 for _ in range(ROWS)]})


def test_minus_one_below_fractions() -> None:
    random = Random(5)
    entries = [-1 if i % 9 == 0 else round(random.uniform(0, 3), 1) for i in range(ROWS)]
    assert "are -1, and no other is negative" in told(speed=entries)
    assert "are -1, and no other is negative" not in told(change=entries)


@pytest.mark.parametrize("end", [0.99, 0.95, 99])
def test_the_highest_price_is_no_code(end: float) -> None:
    """One that is written with nines as many others are; among others it is a code."""
    random, whole = Random(6), 100 if end == 99 else 1
    prices = [whole * random.choice([1, 2, 4, 7]) + end for _ in range(ROWS)]
    highest = [9 * whole + end if i % 12 == 0 else x for i, x in enumerate(prices)]
    far = [99 * whole + end if i % 12 == 0 else x for i, x in enumerate(prices)]
    for entries in (highest, far):
        assert "code for a missing value" not in told(price=[f"{x:.12g}" for x in entries])
    sizes = [round(random.uniform(0, 5), 2) for _ in range(ROWS)]
    mixed = [99.99 if i % 12 == 0 else x for i, x in enumerate(sizes)]
    assert "code for a missing value" in told(price=mixed)


@pytest.mark.parametrize("kind", ["text", "objects"])
def test_durations_that_are_read_are_not_told(kind: str, tmp_path: Path) -> None:
    minutes = [Random(i).randint(2, 200) for i in range(ROWS)]
    ends = timedelta(0), timedelta(hours=9)
    if kind == "objects":
        data: object = {"wait": [timedelta(minutes=x) for x in minutes]}
    else:
        data = tmp_path / "waits.csv"
        data.write_text("id,wait\n" + "".join(f"{i},PT{x}M\n" for i, x in enumerate(minutes)))
    for report in (check(data, "wait"), check(data, "wait", bounds=ends)):
        assert not report.findings


def places(title: str, times: int, size: int) -> str:
    rows = [[f"Shop {i % 9}", 20 + i * 7 % 31] for i in range(90)]
    for i in range(times):
        rows[11 + 5 * i] = [title, size]
    names, sizes = zip(*rows, strict=True)
    return told(place=[*names], sold=[*sizes])


@pytest.mark.parametrize("title", ["Total Eclipse", "Total Gym & Sons", "Total Fitness"])
def test_names_that_begin_like_a_total(title: str) -> None:
    assert "totals count as rows" not in places(title, 8, 35)
    assert "totals count as rows" in places(title, 8, 500)
    assert "totals count as rows" in places("Total: Nord", 8, 35)


def test_a_trace_of_rain_is_no_total() -> None:
    rain = [("T", "M", "0.0", f"{i % 7}.5")[i % 4] for i in range(ROWS)]
    entries = rain + [f"{i % 9}.3" for i in range(4 * ROWS)]
    assert "a trace" in told(rainfall=entries)
    assert "totals" not in told(rainfall=entries)


def test_a_first_record_of_labels_is_no_line_of_names(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    rows = [f"{'east' if i % 3 else 'west'},{'thirteen' if i == 0 else i % 23}" for i in range(80)]
    path.write_text("\n".join(["side,answer", *rows, ""]), encoding="utf-8")
    for column in (None, "answer"):
        assert "skip_after_header" not in str(check(path, column))
