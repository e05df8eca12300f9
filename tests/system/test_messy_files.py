"""Nine real messy files: which column releases with which options, which error has which cure.

The truth of each column is read here with the ``csv`` module and the plainest rule that fits the
file. Epsilon is so large that an answer is the answer of the data: what is tested is the reading.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError, SchemaError
from leastnoise.testing import simulate
from support.commands import in_process
from support.optional import optional

EPSILON = 10**6

FY09, HOSPITAL, IMF = (
    "fy09_edu_recipients_by_state.csv",
    "hospital_dirty.csv",
    "imf_gdp_per_capita_latin1.tsv",
)
KANSAS, NYC, OECD = "ks_1033_military_surplus.csv", "nyc_311_sample.csv", "oecd_bli_2015.csv"
STORE, WARS, TITANIC = "sample_superstore.csv", "star_wars_survey.csv", "titanic_train.csv"
FILES = (FY09, HOSPITAL, IMF, KANSAS, NYC, OECD, STORE, WARS, TITANIC)
LATIN = {"encoding": "latin-1"}
DOLLARS = {"encoding": "latin-1", "thousands": ","}

SEEN = "Have you seen any of the 6 films in the Star Wars franchise?"


def entries(path: Path, column: str, encoding: str = "utf-8-sig") -> list[str]:
    """One column as text, "" where a record is too short."""
    separator = "\t" if path.suffix == ".tsv" else ","
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        header, *rows = csv.reader(file, delimiter=separator)
    at = header.index(column)
    return [row[at].strip() if at < len(row) else "" for row in rows]


def numbers(texts: list[str], thousands: str = "") -> list[float]:
    """The entries that Python's ``float`` takes, after the thousands signs are gone."""
    found: list[float] = []
    for text in texts:
        try:
            found.append(float(text.replace(thousands, "") if thousands else text))
        except ValueError:
            continue
    return found


def lower_median(values: list[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


Truth = Callable[[list[float]], float]

# file, options, statistic, how its column is written, the same statistic of a list
NUMBERS: list[tuple[str, dict[str, Any], Any, str, Truth]] = [
    (FY09, {"thousands": ","}, ln.Median("TOTAL", bounds=(0, 10**6)), ",", lower_median),
    (FY09, {"thousands": ","}, ln.Sum("TOTAL", bounds=(0, 10**6)), ",", sum),
    (FY09, {}, ln.Maximum("Code", bounds=(0, 100)), "", max),  # "01" is the number 1
    (HOSPITAL, {}, ln.Count("ZipCode"), "", len),  # typos are missing
    (HOSPITAL, {}, ln.Median("ProviderNumber", bounds=(0, 10**6)), "", lower_median),
    (IMF, DOLLARS, ln.Median("2015", bounds=(0, 10**6)), ",", lower_median),
    (IMF, DOLLARS, ln.Count("2015"), ",", len),  # "n/a" and the footer are missing
    (KANSAS, {}, ln.Mean("total_cost", bounds=(0, 10**6)), "", mean),
    (KANSAS, {}, ln.Median("quantity", bounds=(0, 10**4)), "", lower_median),
    (NYC, {}, ln.Quantile("longitude", q=0, bounds=(-180, 180)), "", min),
    (NYC, {}, ln.Count("latitude"), "", len),
    (NYC, {}, ln.Count("landmark"), "", len),  # text: all of it is missing as a number
    (OECD, {}, ln.Median("Value", bounds=(0, 10**6)), "", lower_median),
    (OECD, {}, ln.Count("LOCATION"), "", len),  # the first name, behind a byte order mark
    (STORE, {}, ln.Quantile("Profit", q=0, bounds=(-(10**5), 10**5)), "", min),
    (STORE, {}, ln.Mean("Sales", bounds=(0, 10**5)), "", mean),
    (WARS, LATIN, ln.Count("RespondentID"), "", len),  # the second header line is missing
    (TITANIC, {}, ln.Median("Age", bounds=(0, 120)), "", lower_median),
    (TITANIC, {}, ln.Mean("Fare", bounds=(0, 1000)), "", mean),
]


@pytest.mark.parametrize(
    ("name", "options", "statistic", "thousands", "truth"),
    NUMBERS,
    ids=[f"{case[0].split('.')[0]}-{case[2].column}-{type(case[2]).__name__}" for case in NUMBERS],
)
def test_columns_of_numbers(
    shared_data: Path,
    name: str,
    options: dict[str, Any],
    statistic: Any,
    thousands: str,
    truth: Truth,
) -> None:
    path = shared_data / "messy" / name
    with simulate(1):
        record = ln.release(statistic, path, epsilon=EPSILON, **options)
    column = entries(path, statistic.column, options.get("encoding", "utf-8-sig"))
    expected = truth(numbers(column, thousands))
    assert record.value == pytest.approx(expected, rel=1e-4, abs=1e-3)
    assert record.missing == "drop"
    assert not record.n_public


LABELS: list[tuple[str, dict[str, Any], str, list[str]]] = [
    (FY09, {}, "Code", ["01", "02", "99"]),  # leading zeros are part of a label
    (HOSPITAL, {}, "Score", ["97%", "100%", "97"]),
    (IMF, LATIN, "Scale", ["Units", "Billions"]),
    (KANSAS, {}, "county", ["ALLEN", "WYANDOTTE", "NOWHERE"]),
    (NYC, {}, "borough", ["BRONX", "BROOKLYN", "MANHATTAN", "QUEENS", "STATEN ISLAND"]),
    (OECD, {}, "INEQUALITY", ["TOT", "MN", "WMN", "HGH", "LW"]),
    (STORE, {}, "Region", ["South", "West", "Central", "East"]),
    (STORE, {}, "Postal Code", ["42420", "90036"]),  # numbers that are labels
    (WARS, LATIN, SEEN, ["Yes", "No"]),
    (WARS, LATIN, "Household Income", ["$0 - $24,999", "$150,000+"]),
    (TITANIC, {}, "Embarked", ["C", "Q", "S"]),
]


@pytest.mark.parametrize(
    ("name", "options", "column", "labels"),
    LABELS,
    ids=[f"{case[0].split('.')[0]}-{case[2][:20]}" for case in LABELS],
)
def test_columns_of_labels(
    shared_data: Path, name: str, options: dict[str, Any], column: str, labels: list[str]
) -> None:
    path = shared_data / "messy" / name
    with simulate(1):
        statistic = ln.Histogram(column, categories=labels)
        record = ln.release(statistic, path, epsilon=EPSILON, **options)
    truth = Counter(entries(path, column, options.get("encoding", "utf-8-sig")))
    assert record.value == [truth[label] for label in labels]
    assert sum(record.value) > 0


def median(column: str) -> Callable[[], Any]:
    return lambda: ln.Median(column, bounds=(0, 1))


# file, options, how the statistic is made, the cure
REFUSED: list[tuple[str, dict[str, Any], Callable[[], Any], str]] = [
    (FY09, {}, median("Total"), r"no column 'Total' \(did you mean 'TOTAL'\?\)"),
    (FY09, {}, median(" "), "blank name cannot be asked for; give the column a name"),
    (FY09, {"thousands": ",", "decimal": ","}, median("TOTAL"), "decimal and thousands.*differ"),
    (HOSPITAL, {"separator": ";"}, median("Score"), "is ';' the separator.*give separator="),
    (HOSPITAL, {"header": False}, median("Score"), "no column 'Score'.*'column_1', 'column_2'"),
    (IMF, {"separator": ","}, median("2015"), "is ',' the separator.*give separator="),
    (IMF, {"encoding": "utf-16"}, median("2015"), "not in the encoding 'utf-16'; give encoding="),
    (IMF, {"encoding": "latin1.5"}, median("2015"), "not a text encoding.*'latin-1'"),
    (KANSAS, {}, median("cost"), "no column 'cost'.*'acquisition_cost', 'total_cost'"),
    (NYC, {"separator": "\\t"}, median("latitude"), "give separator="),
    (OECD, {}, median("location"), "did you mean 'LOCATION'"),
    (OECD, {}, median("value"), "did you mean 'Value'"),
    (STORE, {}, lambda: ln.Histogram("Region"), "bins=.*or categories="),
    (STORE, {}, lambda: ln.Median("Sales"), "bounds are required"),
    (WARS, {}, median("RespondentID"), "give encoding='cp1252' or 'latin-1'"),
    (WARS, LATIN, median(""), "column must not be blank"),
    (TITANIC, {}, median("age"), "did you mean 'Age'"),
    (TITANIC, {}, lambda: ln.Histogram("Age", bins=[0, 18, 10]), "increasing"),
]


@pytest.mark.parametrize(("name", "options", "make", "cure"), REFUSED)
def test_wrong_guesses_are_errors_with_the_cure(
    shared_data: Path, name: str, options: dict[str, Any], make: Callable[[], Any], cure: str
) -> None:
    path = shared_data / "messy" / name
    with pytest.raises(LeastNoiseError, match=cure) as caught:
        ln.release(make(), path, epsilon=1, **options)
    assert caught.value.__cause__ is None


def test_every_file_has_an_outcome_of_each_kind(shared_data: Path) -> None:
    assert {path.name for path in (shared_data / "messy").iterdir()} == set(FILES)
    for cases in (NUMBERS, LABELS, REFUSED):
        assert {case[0] for case in cases} == set(FILES)


def test_a_separator_in_a_name_is_hinted_at(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("last, first;age;pay\nLee, Ann;30;1\n")
    with pytest.raises(SchemaError, match=r"is ',' the separator.*separator="):
        ln.release(ln.Median("age", bounds=(0, 1)), tmp_path / "t.csv", epsilon=1)


@pytest.mark.parametrize(
    ("content", "cure"),
    [
        (b"\xff\xfea\x00,\x00b\x00\n\x00", "zero bytes.*encoding='utf-16'"),
        (b"a\x00,\x00b\x00\n\x00", "'utf-16-le'"),
        ("größe,b\n1,2\n".encode("latin-1"), "encoding='cp1252' or 'latin-1'"),
        (b'a,"b\n73914628,2\n3,4\n', "quote in the header is not closed"),
        # a later row may close the quote: whether it does must not decide what is refused
        (b'a,"b\n73914628,"2\n3,4\n', "quote in the header is not closed"),
        (b'"x\n73914628","x\n73914628"\n1,2\n', "quote in the header is not closed"),
    ],
)
def test_damaged_headers_have_a_cure_and_quote_one_line(
    tmp_path: Path, content: bytes, cure: str
) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(SchemaError, match=cure) as caught:
        ln.release(ln.Median("v", bounds=(0, 1)), tmp_path / "t.csv", epsilon=1)
    assert "73914628" not in str(caught.value)


def test_a_quote_inside_a_name_is_a_character(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('5" pipe,v\n1,2\n')
    with simulate(1):
        record = ln.release(
            ln.Median('5" pipe', bounds=(0, 9)), tmp_path / "t.csv", epsilon=EPSILON
        )
    assert record.value == pytest.approx(1, abs=1e-3)


def test_inspect_shows_names_and_types_and_no_value(
    shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared_data / "messy"
    for name in FILES:
        options = ["--encoding", "latin-1"] if name in (WARS, IMF) else []
        done = in_process(capsys, "inspect", str(folder / name), "--json", *options)
        assert done.code == 0, done.err
        separator = "\t" if name.endswith("tsv") else ","
        encoding = "latin-1" if options else "utf-8-sig"
        with (folder / name).open(encoding=encoding, errors="replace", newline="") as file:
            header, first, *_ = csv.reader(file, delimiter=separator)
        found = json.loads(done.out)
        assert [column["name"] for column in found] == header
        for column in found:
            assert (column["type"] == "") == (not column["name"].strip())
        for value in first:
            assert value in header or len(value) < 4 or value not in done.out
    refused = in_process(capsys, "inspect", str(folder / WARS))
    assert (refused.code, refused.out) == (2, "")
    assert "--encoding 'cp1252'" in refused.err
    shown = in_process(capsys, "inspect", str(folder / FY09))
    assert "blank name" in " ".join(shown.out.split())
    assert "numbers or labels" in " ".join(shown.out.split())


def test_inspect_shows_declared_types(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pa = optional("pyarrow")
    pq = optional("pyarrow.parquet")
    fields = [
        pa.field("age", pa.int8(), nullable=False),
        pa.field("pay", pa.float64()),
        pa.field("day", pa.date32()),
        pa.field("who", pa.string()),
        pa.field("who", pa.string()),
    ]
    rows = [[73914628 % 100], [73914628.5], [None], ["secret"], ["secret"]]
    pq.write_table(pa.table([pa.array(r, f.type) for r, f in zip(rows, fields, strict=True)],
                            schema=pa.schema(fields)), tmp_path / "t.parquet")  # fmt: skip
    done = in_process(capsys, "inspect", str(tmp_path / "t.parquet"), "--json")
    found = json.loads(done.out)
    assert [(c["name"], c["reads"], c["nullable"]) for c in found[:2]] == [
        ("age", ["whole numbers"], False),
        ("pay", ["numbers"], True),
    ]
    assert "convert it to a number" in found[2]["trouble"]
    assert "appears twice" in found[3]["trouble"]
    assert "secret" not in done.out
    assert "73914628" not in done.out
