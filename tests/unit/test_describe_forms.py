"""Columns of no declared type are described as what their entries are: found by noisy counts."""

from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.record.description_sure import FORMS
from leastnoise.session.describing.forms import (
    Form,
    Way,
    follows,
    forms,
    forms_of_texts,
    whole_numbers,
)
from leastnoise.testing import simulate

START = datetime(2020, 1, 1, 8, 30)
HOURS = [START + timedelta(hours=i) for i in range(3000)]
COLUMNS: dict[str, tuple[Form, list[str]]] = {
    "whole": (Form.WHOLE, [str(i % 9) for i in range(3000)]),
    "decimal": (Form.DECIMAL, [f"{i % 90}.25" for i in range(3000)]),
    "date": (Form.DATE, [str(x.date()) for x in HOURS]),
    "time": (Form.TIME, [x.isoformat(" ") for x in HOURS]),
    "zoned": (Form.ZONED, [f"{x.isoformat()}+02:00" for x in HOURS]),
    "comma": (Form.COMMA, [f"{i % 90},25" for i in range(3000)]),
    "thousands": (Form.THOUSANDS, [f"{1000 + i:,}" for i in range(3000)]),
    "money": (Form.UNIT, [f"${i}" for i in range(3000)]),
    "percent": (Form.UNIT, [f"{i % 100} %" for i in range(3000)]),
    "american": (Form.OTHER_DATE, [x.strftime("%m/%d/%Y") for x in HOURS]),
    "town": (Form.TEXT, [("Aach", "Ulm")[i % 2] for i in range(3000)]),
    "code": (Form.TEXT, [f"A{i % 7}-{i}x" for i in range(3000)]),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("forms") / "forms.csv"
    rows = zip(*(texts for _, texts in COLUMNS.values()), strict=True)
    lines = ("\t".join(row) for row in rows)
    path.write_text("\t".join(COLUMNS) + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_text_file_is_described_as_what_it_holds(file: Path) -> None:
    with simulate(3), ln.open(file, separator="\t") as data:
        found = data.describe(epsilon=300, delta="1e-6")
    for name, (form, _) in COLUMNS.items():
        counts: Any = found[name]["reads as"].value
        assert abs(counts[form] - 3000) < 60, name
        assert sum(counts) - counts[form] < 60, name
        assert ("quartiles" in found[name]) == (form <= Form.ZONED), name
    assert found["whole"]["quartiles"].value == [2, 4, 6]
    assert found["whole"]["limits"].value == [0, 8]
    assert [type(x) for x in found["date"]["quartiles"].value] == [date] * 3
    middle: Any = found["time"]["quartiles"].value[1]
    assert abs(middle - HOURS[1500]) < timedelta(days=3)
    zoned: Any = found["zoned"]["quartiles"].value[1]
    assert zoned.tzinfo is not None
    assert "mean" not in found["date"]
    told = " ".join(found.to_text().split())
    for cure in ("--decimal ,", "--thousands ,", "without currencies", "like 2024-01-31"):
        assert cure in told
    assert told.count("whole numbers (") == 1


def test_a_long_entry_is_text_whatever_it_is_like() -> None:
    """So that none takes long; blanks around it do not make it longer."""
    money, thousands = "$" + "1" * 60, "1" + ",111" * 20
    found = forms_of_texts([money, thousands, "$1" + " " * 60, "1,111"])
    assert found.tolist() == [Form.TEXT, Form.TEXT, Form.UNIT, Form.THOUSANDS]


def test_whole_numbers_are_those_that_doubles_tell_apart() -> None:
    entries: list[object] = [2**53, -(2**53), 2**53 + 2, 2**80, "9007199254740994", "7", "7.5"]
    found = forms(open_table({"x": entries}), "x", texts=True).tolist()
    assert found == [Form.WHOLE] * 2 + [Form.DECIMAL] * 3 + [Form.WHOLE, Form.DECIMAL]


def test_every_entry_of_a_way_is_read_wherever_it_stands() -> None:
    days = [str(START.date() + timedelta(i)) for i in range(4)]
    moments = [f"{day} 01:02:03" for day in days]
    wanted = {
        Way.DAYS: (days, [np.datetime64(day, "D").astype(int) for day in days]),
        Way.TIMES: (moments, [np.datetime64(at, "s").astype(int) for at in moments]),
        Way.INSTANTS: (
            [f"{at}+00:00" for at in moments],
            [np.datetime64(at, "s").astype(int) for at in moments],
        ),
        Way.WHOLE_NUMBERS: ([*"7031"], [7, 0, 3, 1]),
    }
    for way, (entries, numbers) in wanted.items():
        for i in range(len(entries)):
            turned, told = ([*x[i:], *x[:i]] for x in (entries, numbers))
            for column in (turned, ["none", *turned], [*turned, "none", *turned[:1]]):
                more = told[:1] if len(column) > len(told) + 1 else []
                table = open_table({"x": column})
                assert whole_numbers(table, "x", way, texts=True).tolist() == [*told, *more]


def test_the_form_of_an_entry_is_its_own() -> None:
    """Beside whatever others, in any order."""
    odd = [
        "",
        " 7",
        "1,5",
        "1.234,5",
        "-",
        "x" * 9000,
        "\ud800",
        "2024-02-30",
        "2024-02-29",
        "٣",
        "1st",
    ]
    texts = [text for _, column in COLUMNS.values() for text in column[:40:8]] + odd
    alone = [int(forms_of_texts([text])[0]) for text in texts]
    order = np.random.default_rng(1).permutation(len(texts))
    assert forms_of_texts([texts[i] for i in order]).tolist() == [alone[i] for i in order]
    entries: list[object] = [*texts, 3, 2.5, 10**30, float("inf"), START, b"x", True]
    each = [forms(open_table({"x": [1, entry]}), "x", texts=True)[1] for entry in entries]
    table = open_table({"x": entries})
    assert forms(table, "x", texts=True).tolist() == each
    assert set(forms(table, "x", texts=False).tolist()) <= {Form.WHOLE, Form.DECIMAL, Form.TEXT}


@pytest.mark.parametrize(
    ("counts", "way"),
    [
        ({Form.WHOLE: 100}, Way.WHOLE_NUMBERS),
        ({Form.WHOLE: 20}, Way.NUMBERS),  # too few to be sure
        ({Form.WHOLE: 100, Form.DECIMAL: 20}, Way.NUMBERS),
        ({Form.WHOLE: 60, Form.DECIMAL: 60, Form.TEXT: 100}, Way.NUMBERS),
        ({Form.WHOLE: 60, Form.DECIMAL: 9, Form.TEXT: 65}, Way.LABELS),
        ({Form.DATE: 100}, Way.DAYS),
        ({Form.DATE: 100, Form.TIME: 50}, Way.TIMES),
        ({Form.DATE: 100, Form.ZONED: 150}, Way.INSTANTS),
        ({Form.DATE: 9}, Way.LABELS),
        ({Form.DATE: 100, Form.TEXT: 95}, Way.LABELS),
        ({Form.COMMA: 100, Form.WHOLE: 30}, Way.LABELS),
        ({Form.UNIT: 8}, Way.LABELS),
        ({}, Way.LABELS),
    ],
)
def test_what_follows_is_decided_by_counts_and_the_reach_of_noise(
    counts: dict[Form, int], way: Way
) -> None:
    assert follows([counts.get(form, 0) for form in Form], 10) is way
    assert len(FORMS) == len(Form)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_persons_pay_for_all_their_rows_in_columns_of_text(relation: Any) -> None:
    """The noise of one row follows from how many are used, as in columns of a declared type."""
    rows = np.arange(3000)
    texts = {"text": [str(i % 9) for i in rows], "day": [str(x.date()) for x in HOURS]}
    table = {"who": rows // 10, "number": rows % 9, **texts}
    weights = {"rows used": 0, "mean": 0}
    with simulate(1), ln.open(table, unit="who", max_rows=10, relation=relation) as data:
        found = data.describe(epsilon=5000, weights=weights)
    assert isinstance(found["day"]["quartiles"].value[0], date)
    assert found["text"]["quartiles"].value == [2, 4, 6]
    for fact in ("quartiles", "limits"):
        parts = [
            [
                Fraction(part) / record.guarantee.numbers()["epsilon"]
                for part in record.parts.values()
            ]
            for record in (found[name][fact] for name in ("number", "text", "day"))
        ]
        assert parts[0] == parts[1] == parts[2], fact
    read = found["text"]["reads as"]
    cells = 2 if relation == "replace-one" else 1
    assert 10 * cells * Fraction(read.parts["each cell"]) == read.guarantee.numbers()["epsilon"]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize(
    "texts", [["5"], ["2020-01-01"], ["a"], ["2020-01-01 10:00Z", "1,5", None]]
)
def test_few_entries_of_every_form_are_described(texts: list[Any], relation: Any) -> None:
    """Whatever noise makes of them: nothing is refused after the charge."""
    for seed in range(6):
        with simulate(seed), ln.open({"x": texts * 3}, relation=relation) as data:
            found = data.describe(epsilon="1/50", delta="0.1", weights={"intervals": 1})
        assert found.to_html()
        assert found.guarantee.numbers()["epsilon"] == Fraction(1, 50)
