"""Rows that repeat the numbers of others: what a check names, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from leastnoise.frames.checks.look import check


def told(folder: Path, names: str, rows: Sequence[object]) -> str:
    path = folder / "rows.csv"
    path.write_text("\n".join([names, *map(str, rows), ""]), encoding="utf-8")
    return str(check(path))


WIDER = "groups that are made of others"
GROUPS = {
    "ten years": [*(f"{a} to {a + 9}" for a in range(0, 60, 10)), "60 and over", "0 to 19"],
    "Eurostat": ["Y_LT15", "Y15-24", "Y25-54", "Y55-64", "Y_GE65", "Y15-64"],
    "open": ["18-39 years", "40-59 years", "60-79 years", "80+ years", "60+ years"],
    "German": ["unter 18", "18 bis 39", "40 bis 64", "18 bis 64", "ab 65"],
}


@pytest.mark.parametrize("kind", GROUPS)
def test_groups_beside_wider_ones(tmp_path: Path, kind: str) -> None:
    random, groups = Random(3), GROUPS[kind]
    rows = [f"D{i},{g},{random.randint(200, 5000)}" for i in range(15) for g in groups]
    assert f"15 rows hold labels such as {_wide(groups)!r}" in told(tmp_path, "area,age,n", rows)
    rows = [x for x in rows if _wide(groups) not in x]
    assert WIDER not in told(tmp_path, "area,age,n", rows)


def _wide(groups: Sequence[str]) -> str:
    wide = ("0 to 19", "Y15-64", "60+ years", "18 bis 64")
    return next(x for x in groups if x in wide)


@pytest.mark.parametrize(
    "labels",
    [
        ["9-12", "12-17", "9-17"],  # shifts
        ["0-1", "2-3", "0-3", "2-1", "1-1"],  # results
        ["1-10", "11-20", "21-30", "31+"],
        ["under 20", "20-39", "40 and over"],
    ],
)
def test_groups_that_are_apart(tmp_path: Path, labels: list[str]) -> None:
    rows = [f"{i},{labels[i * 7 % len(labels)]},{i * 31 % 97}" for i in range(100)]
    assert WIDER not in told(tmp_path, "id,group,x", rows)


def codes(levels: Sequence[str], years: int = 1) -> list[str]:
    """A table of codes, each with the sum of the longer ones."""
    random, rows = Random(7), list[str]()
    for year in range(2010, 2010 + years):
        for section in levels[0]:
            first = list[tuple[str, int]]()
            for i in range(3):
                last = [random.randint(30, 999) for _ in range(2)]
                code = levels[1].format(section, i + 1)
                first += [(code, sum(last))]
                first += [(levels[2].format(code, j + 1), x) for j, x in enumerate(last)]
            whole = sum(first[i][1] for i in range(0, 9, 3))
            both = [(levels[3].format(section), whole), *first]
            random.shuffle(both)
            rows += [f"{year},{code},{x}" for code, x in both]
    return rows


CODES = {
    "NACE": ["ABC", "{}0{}", "{}.{}", "{}"],
    "NAICS": ["456", "{}{}", "{}{}", "{}"],
    "dotted": ["12", "{}.{}", "{}.{}", "{}"],
    "NUTS": ["FG", "{}R{}", "{}{}", "{}R"],
}


@pytest.mark.parametrize("years", [1, 3])
@pytest.mark.parametrize("kind", CODES)
def test_codes_of_several_lengths(tmp_path: Path, kind: str, years: int) -> None:
    rows = codes(CODES[kind], years)
    assert "is the sum of the longer ones" in told(tmp_path, "year,code,staff", rows)
    random = Random(1)
    other = [f"{x.rsplit(',', 1)[0]},{random.randint(30, 999)}" for x in rows]
    assert "the longer ones" not in told(tmp_path, "year,code,staff", other)


def test_numbered_ids_are_no_codes(tmp_path: Path) -> None:
    rows = [f"{i},P{i},{i * 37 % 91},inf" for i in range(1, 300)]
    assert "longer ones" not in told(tmp_path, "id,part,x,y", rows)


RELEASES = ["preliminary,final", "Forecast,Actual", "budget,actual", "vorläufig,endgültig"]


@pytest.mark.parametrize("words", RELEASES)
def test_two_releases_of_each_figure(tmp_path: Path, words: str) -> None:
    random, pair = Random(4), words.split(",")
    rows = [f"K{i},{x},{random.uniform(5, 90):.2f}" for i in range(40) for x in pair]
    assert "in several releases" in told(tmp_path, "firm,status,sales", rows)
    once = [f"K{i},{random.choice(pair)},{random.uniform(5, 90):.2f}" for i in range(80)]
    assert "in several releases" not in told(tmp_path, "firm,status,sales", once)
    visits = [
        f"K{i},{x},{random.uniform(5, 90):.2f}" for i in range(40) for x in ("first", "final")
    ]
    assert "in several releases" not in told(tmp_path, "patient,visit,weight", visits)


@pytest.mark.parametrize(
    "words",
    ["Solde initial,Solde final", "Anfangsbestand,Endbestand", "Balance b/f:,Balance c/f:",
     "Saldo anterior,Saldo final al 31.12.2023", "Beginsaldo,Eindsaldo"],
)  # fmt: skip
def test_balances_beside_payments(tmp_path: Path, words: str) -> None:
    random, (first, last) = Random(6), words.split(",")
    paid = [f"shop {i},{random.uniform(-50, 20):.2f}" for i in range(60)]
    assert "2 rows hold words" in told(tmp_path, "text,x", [f"{first},900", *paid, f"{last},410"])
    beside = ["New Balance,80.00", "Balance bikes,120.00", "Soldes,13.20"]
    assert "a balance counts" not in told(tmp_path, "text,x", [*beside, *paid])


def test_copies_beside_a_number_of_the_row(tmp_path: Path) -> None:
    random = Random(8)
    people = [f"M{i},{random.randint(18, 80)},{random.choice('abc')}" for i in range(60)]
    near = [x for i, x in enumerate(people) for _ in range(2 if i % 5 == 0 else 1)]
    for rows, again in ((near, 12), (people + people, 60)):
        numbered = [f"{i},{x}" for i, x in enumerate(rows)]
        assert f"{again} rows are copies of others in all but 'n'" in told(
            tmp_path, "n,member,age,kind", numbered
        )
    answers = [f"{i},{random.choice('mf')},{random.choice('abc')},{i % 7}" for i in range(200)]
    assert "in all but" not in told(tmp_path, "n,sex,kind,day", answers)
    sold = [f"{i},{x % 9},{x % 9 * 5}" for i, x in enumerate(random.choices(range(40), k=200))]
    assert "in all but" not in told(tmp_path, "n,product,price", sold)


@pytest.mark.parametrize(
    "names", ["nr,pay,,nr2,pay2", "nr,pay,,nr.1,pay.1", "nr,pay,Unnamed: 2,nr.1,pay.1"]
)
def test_a_second_block_beside_the_first(tmp_path: Path, names: str) -> None:
    rows = [f"{i},{i * 7 % 83},,{i + 50},{i * 11 % 83}" for i in range(50)]
    assert "they hold records too, of which 'pay' has none" in told(tmp_path, names, rows)


@pytest.mark.parametrize("names", ["nr,pay,,age,kids", "q1,q2,q3,q4,q5", "nr,pay,,nr2,age"])
def test_columns_that_are_no_second_block(tmp_path: Path, names: str) -> None:
    rows = [f"{i},{i * 7 % 83},,{i + 50},{i * 11 % 83}" for i in range(50)]
    assert "they hold records too" not in told(tmp_path, names, rows)
    couple = [f"{i},{i * 7 % 83},{i + 50},{i * 11 % 83}" for i in range(50)]
    assert "they hold records too" not in told(tmp_path, "nr,pay,nr2,pay2", couple)
