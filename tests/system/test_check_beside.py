"""What a check sees by two columns together, and what it must not see in clean ones."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

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
    assert "stands for no number" not in str(found)


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
