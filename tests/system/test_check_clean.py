"""``leastnoise check`` on data that is in order: it says what is true of it, and no more."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from sklearn import datasets

from leastnoise.frames.checks.look import check

# all that is told of a data set: each part stands in one finding, and there is no other
OF_SCIKIT_LEARN = {
    "iris": ["one row is an exact copy of another"],  # 102 and 143 are the same
    "wine": [],
    "diabetes": [],
    "linnerud": [],
    "breast_cancer": ["13 entries are exactly 0"] * 4,  # concavities of none
}
SHARED = {
    "abalone": [],
    "bike_sharing_hour": ["22 entries are exactly 0"],  # humidity of a day without readings
    "diamonds": ["146 rows are exact copies", *["entries are exactly 0"] * 3, "such as 31.8"],
    "pima_diabetes": ["entries are exactly 0"] * 5,
    "california_housing": ["965 entries are 500001", "'INLAND', 'ISLAND'"],
}


def assert_told(data: object, known: list[str]) -> None:
    found = check(data).findings
    assert len(found) == len(known), [*map(str, found)]
    assert all(words in str(finding) for words, finding in zip(known, found, strict=True))


@pytest.mark.parametrize("name", OF_SCIKIT_LEARN)
def test_data_of_scikit_learn(name: str, tmp_path: Path) -> None:
    frame = getattr(datasets, f"load_{name}")(as_frame=True).frame
    path = tmp_path / f"{name}.csv"
    frame.to_csv(path, index=False)
    assert_told(path, OF_SCIKIT_LEARN[name])
    if name != "breast_cancer":  # 30 columns
        assert_told(frame, OF_SCIKIT_LEARN[name])


@pytest.mark.nightly
@pytest.mark.parametrize("name", SHARED)
def test_shared_data(name: str, shared_data: Path) -> None:
    assert_told(shared_data / f"{name}.csv.gz", SHARED[name])


@pytest.mark.parametrize("first", ["eleven", "about 7 eur", "not asked"])
@pytest.mark.parametrize("key", ["{}", "K-{:04d}", "2023-{:02d}-05"])
def test_a_first_record_with_a_word_is_no_line_of_names(
    tmp_path: Path, first: str, key: str
) -> None:
    rows = [f"{key.format(i % 12 + 1)},{first if i == 0 else 3 * i % 41}" for i in range(90)]
    path = tmp_path / "records.csv"
    path.write_text("\n".join(["key,answer", *rows, ""]), encoding="utf-8")
    for column in (None, "answer"):
        assert "skip_after_header" not in str(check(path, column))


def test_answers_that_name_all_are_no_totals(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    for words in (("All", "Most", "None"), ("1 - all", "2 - half", "3 - few", "1", "3")):
        rows = [f"{i},{words[i % len(words)]},{i % 37}" for i in range(120)]
        path.write_text("\n".join(["id,use,hours", *rows, ""]), encoding="utf-8")
        assert "totals" not in str(check(path))


def test_two_groups_of_negative_numbers_are_no_units() -> None:
    random = Random(4)
    west = [round(random.gauss(*random.choice(((-122, 0.9), (-118, 0.7)))), 2) for _ in range(900)]
    cold = [round(random.gauss(random.choice((-60, -20)), 4), 1) for _ in range(900)]
    assert not check({"longitude": west}).findings
    assert "kelvin" not in str(check({"temp": cold}))


def test_prices_of_few_kinds_are_no_sums() -> None:
    prices = [499, 499, 199, 998] * 4  # two cost as much as one
    assert "totals" not in str(check({"id": [*range(16)], "price": prices}))
