"""Rows that add up others or repeat them: what a check names, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from leastnoise.frames.checks.look import check


def told(folder: Path, names: str, rows: Sequence[str]) -> str:
    path = folder / "rows.csv"
    path.write_text("\n".join([names, *rows, ""]), encoding="utf-8")
    return str(check(path))


def towns(count: int = 90) -> list[str]:
    random = Random(5)
    return [f"Town {i},{random.randint(20, 900)}" for i in range(count)]


WORDS = ["Suma", "Ensemble", "Alle", "State total", "\u2211", "Samlet", "Totalt", "Skupaj",
         "National average", "Nationwide", "Keskiarvo", "Gemiddelde", "Euro area", "OECD countries",
         "Upper middle income", "IBRD only", "Europe & Central Asia (excluding high income)",
         "Heavily indebted poor countries (HIPC)", "Emerging market economies"]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_of_totals_and_of_groups_of_countries(tmp_path: Path, word: str) -> None:
    assert "totals" in told(tmp_path, "place,births", [*towns(), f"{word},4417"])
    assert "totals" in told(tmp_path, "place,births", [*towns(), f"{word},441", f"{word},449"])


LABELS = {
    "income groups": ["Low income", "High income", "Upper middle income", "Lower middle income"],
    "regions": ["Europe & Central Asia", "South Asia", "North America", "East Asia & Pacific"],
    "blocs": ["ASEAN", "BRICS", "Euro area", "none"],
    "answers": ["Alle", "Einige", "Keine"],
    "ratings": ["poor", "average", "good"],
    "levels": ["Alta", "Media", "Baja"],
    "names": ["Max", "Anna", "Ming", "Alleen", "Sumatra", "Ensembles"],
    "sectors": ["National", "Regional", "Private"],
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_that_are_no_totals(tmp_path: Path, kind: str) -> None:
    words = LABELS[kind]
    rows = [f"{i},{words[i * 7 % len(words)]},{i * 37 % 53}" for i in range(120)]
    assert "totals" not in told(tmp_path, "id,label,x", rows)
    assert "totals" not in told(tmp_path, "label,x", [*towns(), f"{words[0]}y,31"])


@pytest.mark.parametrize("word", ["Max", "Min", "Count"])
def test_a_name_below_that_may_be_a_summary(tmp_path: Path, word: str) -> None:
    assert "totals" not in told(tmp_path, "name,x", [*towns(), f"{word},441"])
    below = [f"{word},441", "Mean,308"]
    assert "2 rows hold words" in told(tmp_path, "name,x", [*towns(), *below])


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(("word", "of"), [("Moyenne", sum), ("Max", max)])
def test_a_mean_between_is_told_by_its_number(
    tmp_path: Path, word: str, of: object, first: bool
) -> None:
    random, rows = Random(2), list[str]()
    for ward in range(8):
        ages = [random.randint(18, 80) for _ in range(15)]
        number = f"{sum(ages) / 15:.1f}" if of is sum else str(max(ages))
        part = [f"ward {ward},{x}" for x in ages]
        rows += [f"{word},{number}", *part] if first else [*part, f"{word},{number}"]
    assert f"8 rows hold words such as {word!r}" in told(tmp_path, "ward,age", rows)
    others = [x if not x.startswith(word) else f"{word},{random.randint(30, 60)}" for x in rows]
    assert "totals" not in told(tmp_path, "ward,age", others)


def provinces(count: int, seed: int) -> list[list[int]]:
    """Births, deaths and weddings of each."""
    random = Random(seed)
    return [[random.randint(400, 9000), random.randint(60, 900), random.randint(9, 250)]
            for _ in range(count)]  # fmt: skip


@pytest.mark.parametrize("count", [6, 16, 90])
@pytest.mark.parametrize("of", ["all", "those above", "those below"])
def test_a_row_of_any_label_that_is_the_sum_of_others(tmp_path: Path, of: str, count: int) -> None:
    numbers = provinces(count, count)
    parts = {"all": numbers, "those above": numbers[:5], "those below": numbers[1:6]}[of]
    at = {"all": count // 2, "those above": 5, "those below": 1}[of]
    whole = [sum(x) for x in zip(*parts, strict=True)]
    names = "province,births,deaths,weddings,share"
    rows = [f"P{i}q,{a},{b},{c},{a / b:.2f}" for i, (a, b, c) in enumerate(numbers)]
    row = f"Oberland,{whole[0]},{whole[1]},{whole[2]},{whole[0] / whole[1]:.2f}"
    assert " a total" in told(tmp_path, names, [*rows[:at], row, *rows[at:]])
    assert " a total" not in told(tmp_path, names, rows)
    other = f"Oberland,{whole[0] + 95},{whole[1] - 40},{whole[2] + 7},{whole[0] / whole[1]:.2f}"
    assert " a total" not in told(tmp_path, names, [*rows[:at], other, *rows[at:]])


def test_a_sum_is_told_beside_a_total_by_its_word(tmp_path: Path) -> None:
    rows = [f"P{i}q,{a},{b},{c}" for i, (a, b, c) in enumerate(provinces(20, 3))]
    whole = [sum(x) for x in zip(*provinces(20, 3), strict=True)]
    both = [f"{label},{','.join(map(str, whole))}" for label in ("Oberland", "Total")]
    found = told(tmp_path, "province,births,deaths,weddings", [both[0], *rows, both[1]])
    assert "words such as 'Total'" in found
    assert "the sum of all others" in found


@pytest.mark.parametrize("seed", range(8))
def test_numbers_of_clean_rows_are_no_sums(tmp_path: Path, seed: int) -> None:
    random, count = Random(seed), 40 * (1 + 5 * (seed % 3))
    columns = {
        "id": [*range(1, count + 1)],
        "kids": [random.randint(0, 4) for _ in range(count)],
        "pay": [random.randint(0, 9) * 500 for _ in range(count)],
        "pay2": [random.randint(0, 9) * 500 for _ in range(count)],
        "rain": [random.choice((0, 0, 0, 12.4, 3.2)) for _ in range(count)],
        "paid": [round(random.lognormvariate(3, 1), 2) for _ in range(count)],
        "size": [2 ** random.randint(0, 14) for _ in range(count)],
    }
    columns["both"] = [x + y for x, y in zip(columns["pay"], columns["pay2"], strict=True)]
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    assert " a total" not in told(tmp_path, ",".join(columns), rows)
    running = [f"{i},{i * (i + 1) // 2},{i**2},{i**3}" for i in range(count)]
    assert " a total" not in told(tmp_path, "i,triangle,square,cube", running)
