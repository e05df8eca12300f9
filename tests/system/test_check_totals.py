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
