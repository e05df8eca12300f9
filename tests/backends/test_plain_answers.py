"""At an epsilon that hides nothing every statistic is what its page says, worked out by itself.

Random small tables with missing entries, filters, groups and persons, of every kind of source: the
answers beside exact fractions (``support/plain.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.testing import simulate
from support.engines import keep_open
from support.front_ends.every import narrow
from support.optional import optional
from support.plain import MOVED, Asked, Row, Rows, condition, statistics, stripped

EPSILON = 10**18
# Tables of a source with every change; two of the others.
TABLES = {"lists": 24, "arrow": 36, "polars lazy": 24}
NIGHT = 600
RELATIONS = ("replace-one", "add-remove", "edit")
# How rows are asked for.
WAYS = ("rows", "filter", "groups", "filter and groups", "persons", "groups of persons")
NO_INTERVAL = "no interval"
TYPES = {
    "who": "int64", "x": "int64", "y": "float64", "z": "int32", "w": "int8", "g": "uint8",
    "b": "int64", "p": "float32", "t": "string",
}  # fmt: skip
# Mechanisms that answer as the default does, for what they take.
MECHANISMS = (
    *(None, None, None, ln.Laplace(), ln.PiecewiseLaplace(), ln.InverseSensitivity()),
    *(ln.LaplaceRatio(), ln.PrivateLimits(), ln.KNorm(), ln.Exponential()),
)


def arrow(rows: Rows) -> Any:
    pa = optional("pyarrow")
    made = {n: pa.array([row[n] for row in rows], kind) for n, kind in TYPES.items()}
    return pa.table(made)


def parquet(rows: Rows, folder: Path) -> str:
    optional("pyarrow.parquet").write_table(arrow(rows), folder / "t.parquet")
    return str(folder / "t.parquet")


def text(rows: Rows, folder: Path) -> str:
    optional("pyarrow.csv").write_csv(arrow(rows), folder / "t.csv")
    return str(folder / "t.csv")


def relation_of(rows: Rows, folder: Path) -> Any:
    connection = keep_open(optional("duckdb").connect())
    connection.register("rows", arrow(rows))
    return connection.sql("FROM rows")


# How rows are handed over, and what is said of them.
SOURCES: dict[str, tuple[Callable[[Rows, Path], Any], dict[str, Any]]] = {
    "lists": (lambda rows, folder: {n: [row[n] for row in rows] for n in TYPES}, {}),
    "arrow": (lambda rows, folder: arrow(rows), {}),
    "pandas": (lambda rows, folder: arrow(rows).to_pandas(), {}),
    "polars": (lambda rows, folder: optional("polars").from_arrow(arrow(rows)), {}),
    "polars lazy": (lambda rows, folder: optional("polars").from_arrow(arrow(rows)).lazy(), {}),
    "duckdb": (relation_of, {}),
    "parquet": (parquet, {}),
    "parquet by polars": (parquet, {"engine": "polars"}),
    "parquet by duckdb": (parquet, {"engine": "duckdb"}),
    "csv": (text, {}),
}
ENGINES = "polars lazy", "duckdb", "parquet by polars", "parquet by duckdb"


def table(dice: Random, at: int, *, persons: bool) -> list[Row]:
    """Rows with gaps; those of a person are alike, so that it is no matter which of them count."""

    def some(entries: Any, gap: float = 0.2) -> Any:
        return None if dice.random() < gap else dice.choice(entries)

    found = list[Row]()
    for who in range(dice.choice((1, 3, 9, 20))):
        row = {
            "who": some([who - 100], 0.1),
            "x": some(range(at - 7, at + 26)),
            "y": some([at + q / 4 for q in range(-9, 40)]),
            "z": some(range(at - 3, at + 9)),
            "w": some(range(-1, 6)),
            "g": some(range(4)),
            "b": some((0, 1, 0, 1, 2)),
            "p": some([0.0, 0.1, 0.3, 0.5, 1.0]),
            "t": some(["a", " a", "b", "c", "", "d"]),
        }
        found += [row] * (dice.choice((1, 1, 2, 4)) if persons else 1)
    dice.shuffle(found)
    return found


def near(asked: Asked, released: Any, truth: Any) -> bool:
    if asked.several:
        return released in truth
    if isinstance(truth, dict):
        named = cast("dict[str, Any]", truth)
        return all(near(asked, released[name], one) for name, one in named.items())
    if isinstance(truth, list):
        listed = cast("list[Any]", truth)
        pairs = zip(released, listed, strict=True)
        return all(near(asked, one, other) for one, other in pairs)
    size = abs(float(truth))
    return (
        abs(float(released) - float(truth)) <= asked.off * max(1.0, min(size, 1000)) + 1e-12 * size
    )


def kept(rows: Rows, most: int) -> list[Row]:
    """So many rows of each person."""
    seen, found = Counter[Any](), list[Row]()
    for row in rows:
        seen[row["who"]] += 1
        if row["who"] is not None and seen[row["who"]] <= most:
            found.append(row)
    return found


class Question:
    """A random table of one source, and how its rows are asked for."""

    def __init__(self, source: str, seed: int, folder: Path) -> None:
        self.dice = dice = Random(f"{source} {seed}")
        self.way, self.relation = WAYS[seed % len(WAYS)], RELATIONS[(seed + seed // 6) % 3]
        self.at, self.most = dice.choice(MOVED), dice.choice((1, 2, 3))
        if self.way == "groups":  # read together, far from 0 by another way
            self.at = dice.choice((MOVED[0], MOVED[-1]))
        self.persons = "persons" in self.way
        self.rows = table(dice, self.at, persons=self.persons)
        self.predicate, self.holds = condition(dice, self.at)
        self.keys: dict[str, Any] = dice.choice(
            (
                *({"g": [3, 0, 7]}, {"t": ["b", "a"]}, {"g": [1, 2], "t": ["a", "c"]}),
                *({"p": [0.1, 1, 0.3]}, {"w": [-1, 3], "b": [1, 0]}),
            )
        )
        hand, self.how = SOURCES[source]
        self.native = hand(self.rows, folder)
        self.opening: dict[str, Any] = {"relation": self.relation}
        if self.persons:
            self.opening |= {"unit": "who", "max_rows": self.most}

    def __str__(self) -> str:
        asked = self.way, self.relation, str(self.predicate), self.keys, self.most
        return f"{asked} {self.rows}"

    def view(self, data: Any) -> Any:
        """What is asked, of an open table."""
        view = data.where(self.predicate) if "filter" in self.way else data
        if "groups" not in self.way:
            return view
        return view.group_by(self.keys, max_groups=1 if self.persons else None)

    def parts(self) -> dict[Any, list[Row]]:
        """The rows of each group by its key, or all of them."""
        rows = [row for row in self.rows if "filter" not in self.way or self.holds(row)]
        rows = kept(rows, self.most) if self.persons else rows
        if "groups" not in self.way:
            return {(): rows}
        names = [*self.keys]
        return {
            key: [row for row in rows if tuple(stripped(row[name]) for name in names) == key]
            for key in product(*self.keys.values())
        }

    def check(self, view: Any, asked: Asked) -> bool:
        """Whether a release was answered, and each answer is right and says what it is."""
        mechanism = self.dice.choice(MECHANISMS)
        try:
            try:
                made = view.release(asked.statistic, epsilon=EPSILON, mechanism=mechanism)
            except LeastNoiseError:  # this mechanism is for others
                made = view.release(asked.statistic, epsilon=EPSILON)
        except LeastNoiseError as error:
            if not (asked.rows or "max_rows" in str(error) or NO_INTERVAL in str(error)):
                raise AssertionError(f"{asked.statistic} {self}") from error
            return False
        grouped = "groups" in self.way
        for key, rows in self.parts().items():
            record = made[key if len(key) > 1 else key[0]] if grouped else made
            truth, fields = asked.truth(rows), record.to_dict()
            told = f"{asked.statistic} {mechanism} {self}\n{fields}\n{truth} of {rows}"
            assert truth is None or near(asked, record.value, truth), told
            if record.interval is not None and truth is not None:
                low, high = record.interval
                assert low - asked.off <= truth <= high + asked.off, told
            assert (fields["epsilon"], fields["relation"]) == (str(EPSILON), self.relation), told
            assert fields["unit"] == self.opening.get("unit", "row"), told
            assert fields["max_rows"] == self.opening.get("max_rows"), told
            assert (fields["where"] is None) == ("filter" not in self.way), told
            assert fields["group"] == dict(zip(self.keys if key else (), key, strict=True)), told
        return True


def compare(source: str, tables: int, folder: Path) -> None:
    answered = 0
    for seed in range(tables):
        question = Question(source, seed, folder)
        with (
            narrow(),
            simulate(seed),
            ln.open(question.native, **question.opening, **question.how) as data,
        ):
            view = question.view(data)
            asked = [*statistics(question.dice, question.at).values()]
            if source in ENGINES:  # whose queries take long
                asked = question.dice.sample(asked, len(asked) // 4)
            answered += sum(question.check(view, one) for one in asked)
    assert answered > 3 * tables


@pytest.mark.parametrize("source", SOURCES)
def test_every_statistic_is_what_its_page_says(source: str, tmp_path: Path) -> None:
    compare(source, TABLES.get(source, 2), tmp_path)


@pytest.mark.parametrize("source", ["arrow", "polars lazy", "duckdb"])
def test_a_filter_keeps_the_rows_that_it_says(source: str, tmp_path: Path) -> None:
    dice = Random(source)
    hand, how = SOURCES[source]
    rows = [row for _ in range(3) for row in table(dice, 0, persons=False)]
    with simulate(0), ln.open(hand(rows, tmp_path), relation="edit", **how) as data:
        for _ in range(12 if source == "duckdb" else 60):
            predicate, holds = condition(dice, 0, 3)
            found = data.where(predicate).release(ln.Count(), epsilon=EPSILON).value
            assert found == sum(holds(row) is True for row in rows), f"{predicate} {rows}"


@pytest.mark.nightly
@pytest.mark.parametrize("source", SOURCES)
def test_every_statistic_is_what_its_page_says_in_many_tables(source: str, tmp_path: Path) -> None:
    compare(source, NIGHT, tmp_path)
