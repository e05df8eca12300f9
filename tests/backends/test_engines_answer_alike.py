"""Every engine answers draw for draw as memory does, of whatever source its rows come.

First random frames, filters, groups and persons, then every public statistic of every source. What
is refused is refused before anything is drawn, and so before a charge.

Frames are those of the kit of row-locality, with more rows: every type that an engine holds, and
entries that repeat. Limits of engines are so low that a few rows are many. Of a person with more
rows than count an engine may use others than memory does, so there the number of rows is compared.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.session import door
from leastnoise.testing import FrontEnd, simulate
from leastnoise.testing.locality import requests
from leastnoise.testing.locality.cases import Drawer, _one
from support.catalogue import STATISTICS, forms
from support.engines import keep_open, spark
from support.front_ends.every import front_end, narrow
from support.optional import optional

# Releases with every change: a second or two each.
RELEASES = {
    "polars lazy": 120,
    "duckdb relation": 16,
    "duckdb table": 5,
    "duckdb of odd settings": 5,
    "duckdb, parquet of pyarrow": 3,
    "duckdb, several files": 3,
    "polars, parquet of polars": 20,
    "spark": 1,
}
NIGHT = 40
# DuckDB's own infinite times, and what Arrow knows as none; in memory they are far away.
INFINITE = (2**63 - 1, 1 - 2**63, -(2**63))
SIZES = (1, 2, 3, 5, 8, 13, 40, 120)


class Question:
    """One release of random rows, and what is public about it."""

    def __init__(self, front: FrontEnd, drawer: Drawer, dice: Random) -> None:
        kinds = [drawer._kind(dice) for _ in range(3)]
        pools = [[kind.draw(dice) for _ in range(dice.randint(1, 5))] for kind in kinds]
        self.columns = {
            name: [
                dice.choice(pool) if dice.random() < 0.7 else kind.draw(dice) for _ in range(size)
            ]
            for size in [dice.choice(SIZES)]
            for name, kind, pool in zip(front.names, kinds, pools, strict=False)
        }
        for name, kind in zip(front.names, kinds, strict=False):
            if "duckdb" in front.name and drawer._clocks.get(kind.name) is not None:
                self.columns[name] = [None if x in INFINITE else x for x in self.columns[name]]
        self.front, self.kinds = front, kinds
        names = list(front.names[:3])
        numbers, texts = drawer._apart(kinds, names)
        known: list[Any] = [*texts, *numbers]
        self.statistic = _near(dice, numbers, self.columns) or _statistic(
            dice, names, kinds, numbers, texts, drawer
        )
        vector = isinstance(self.statistic, (ln.MeanVector, ln.Covariance))
        self.mechanism = None if vector else dice.choice(requests.MECHANISMS)()
        self.opening: dict[str, Any] = {
            "relation": dice.choice(("replace-one", "add-remove", "edit"))
        }
        self.where = (
            requests.condition(dice, texts, numbers) if known and dice.random() < 0.4 else None
        )
        self.keys: dict[str, list[Any]] = {}
        if known and dice.random() < 0.4:
            name = dice.choice(known)
            self.keys[name] = (
                dice.sample(requests.TEXTS, 2)
                if name in texts
                else list(dice.choice(requests.NUMBERS))
            )

        self.sure, self.max_groups = False, None
        if known and dice.random() < 0.3:
            self.opening |= {
                "unit": dice.choice(known),
                "max_rows": dice.choice((1, 2, max(SIZES))),
            }
            # Where rows are left out, an engine may leave out others: how many is the same.
            self.sure = self.opening["max_rows"] < max(SIZES)
            self.max_groups = 1
        if self.sure:
            self.statistic, self.mechanism, self.keys = ln.Count(), None, {}

    def __str__(self) -> str:
        asked = self.statistic, self.mechanism, self.opening, str(self.where), self.keys
        return f"{[kind.name for kind in self.kinds]} {asked} {self.columns}"

    def native(self, hand: Any) -> object:
        """The rows as the front end or its reference hands them over."""
        made = (kind.column(xs) for kind, xs in zip(self.kinds, self.columns.values(), strict=True))
        return hand(dict(zip(self.columns, made, strict=True)))

    def answer(self, native: object, **options: Any) -> tuple[str, str]:
        """The whole record, or the kind of refusal."""
        try:
            with simulate(1), ln.open(native, **self.opening, **options) as data:
                view = data if self.where is None else data.where(self.where)
                if self.keys:
                    view = view.group_by(self.keys, max_groups=self.max_groups)
                epsilon = 10**6 if self.sure else 1
                made = view.release(self.statistic, epsilon=epsilon, mechanism=self.mechanism)
        except LeastNoiseError as error:
            return "refused", f"{type(error).__name__}: {error}"
        return "answered", str(made.value) if self.sure else json.dumps(made.to_dict())


def _near(dice: Random, numbers: Sequence[Any], columns: dict[str, list[Any]]) -> Any:
    """Half of the time a statistic of numbers whose limits stand among the column's own."""
    if not numbers or dice.random() < 0.5:
        return None
    name = dice.choice(numbers)
    held = [x for x in columns[name] if isinstance(x, (int, float, Decimal, np.number))]
    finite = [Fraction(x) for x in map(plain, held) if -(10**12) < x < 10**12]
    low = dice.choice(finite or [Fraction(0)]) - dice.choice((0, 0, 1, Fraction(1, 2)))
    high = max(low, dice.choice(finite or [low])) + dice.choice((0, 1, Fraction(1, 4), 5))
    limits: dict[str, Any] = {"bounds": (low, high)}
    limits |= {"step": dice.choice((None, None, 1, 2, "0.5", "1/3"))}
    limits |= {"missing": dice.choice((None, None, "none", "drop", low, high, (low + high) / 2))}
    kind: Any = dice.choice((ln.Sum, ln.Sum, ln.Mean, ln.Variance, ln.Median, ln.Quantiles))
    more = {"q": ["0.2", "0.5", "0.9"]} if kind is ln.Quantiles else {}
    try:
        return kind(name, **limits, **more)
    except LeastNoiseError:  # limits without a value between them
        return None


def plain(x: Any) -> int | float | Decimal:
    return x.item() if isinstance(x, np.generic) else x


def _statistic(
    dice: Random,
    names: Sequence[str],
    kinds: Sequence[Any],
    numbers: Sequence[Any],
    texts: Sequence[Any],
    drawer: Drawer,
) -> Any:
    at = dice.randrange(len(names))
    clock = drawer._clock(dice, kinds[at])
    made = None
    if clock is not None:
        made = requests.of_times(dice, names[at], clock)
    elif dice.random() < 0.3:
        a, b = dice.sample(list(names), 2)
        made = requests.of_pairs(dice, (a, b), (a not in numbers, b not in numbers))
    elif len(numbers) > 1 and dice.random() < 0.2:
        made = requests.of_vectors(dice, numbers, len(numbers))
    return made or _one(dice, numbers, texts) or ln.Count()


def compare(name: str, releases: int, seed: int) -> None:
    outcomes: Counter[tuple[str, str]] = Counter()
    with front_end(name) as front, narrow():
        drawer = Drawer(front)
        assert front.table is not None
        assert front.reference is not None
        for number in range(releases):
            question = Question(front, drawer, Random(f"{name} {seed} {number}"))
            try:
                theirs, ours = (question.native(h) for h in (front.reference, front.table))
            except Exception:  # the library does not take these entries
                continue
            here, there = question.answer(theirs), question.answer(ours, **front.options)
            outcomes[here[0], there[0]] += 1
            told = f"{name} {seed} {number}: {question}\nin memory: {here}\nengine: {there}"
            assert here[0] == there[0], told
            assert here[0] == "refused" or here == there, told
    assert outcomes["answered", "answered"] >= max(1, releases // 5), outcomes


night = pytest.mark.nightly  # Spark takes seconds for each
fronts = pytest.mark.parametrize("name", RELEASES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=night if name == "spark" else []) for name in RELEASES]
)
def test_an_engine_answers_draw_for_draw_as_memory_does(name: str) -> None:
    compare(name, RELEASES[name], 0)


@pytest.mark.nightly
@fronts
def test_an_engine_answers_as_memory_does_in_many_tries(name: str) -> None:
    compare(name, RELEASES[name] * NIGHT, 1)


# --- every statistic, of every source ----------------------------------------------------------

PERSONS = 12
PERSON: dict[str, Any] = {"unit": "who", "max_rows": 3}
# How the rows are opened, and what is asked of the session; no row of a person is left out.
WAYS: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "persons": (PERSON, lambda data: data),
    "some rows of persons": (PERSON, lambda data: data.where(ln.col("g") == 1)),
    "groups of persons": (PERSON, lambda data: data.group_by({"g": [1, 0]}, max_groups=2)),
    "rows": ({}, lambda data: data),
    "some rows": ({}, lambda data: data.where(ln.col("y") >= 0)),
    "groups": ({}, lambda data: data.group_by({"g": [0, 1, 7]})),
}


def _rows() -> Any:
    """Up to three rows of each person, with one in each group at least."""
    dice, rows = Random(5), list[dict[str, Any]]()
    for person in range(PERSONS):
        for g in (0, 1, *[dice.randrange(2)] * (person % 2)):
            x, y = dice.randrange(-9, 60), dice.choice((None, 2.5, -0.75, 31.0))
            nodes = {"a": len(rows) % 6, "b": (len(rows) + 1 + len(rows) // 6) % 6}
            rows.append(
                {"who": person, "g": g, "x": x, "y": y, "z": dice.randrange(-2, 5), **nodes}
            )
    return optional("pyarrow").Table.from_pylist(rows)


def _parquet(table: Any, folder: Path) -> str:
    optional("pyarrow.parquet").write_table(table, folder / "t.parquet")
    return str(folder / "t.parquet")


def _parts(table: Any, folder: Path) -> str:
    for i, part in enumerate((table.slice(0, 5), table.slice(5))):
        optional("pyarrow.parquet").write_table(part, folder / f"part-{i}.parquet")
    return str(folder / "part-*.parquet")


def _csv(table: Any, folder: Path) -> str:
    optional("pyarrow.csv").write_csv(table, folder / "t.csv")
    return str(folder / "t.csv")


def _database(table: Any, folder: Path) -> str:
    with optional("duckdb").connect(folder / "t.duckdb") as connection:
        connection.register("rows", table)
        connection.execute("CREATE TABLE t AS FROM rows")
        connection.execute("CREATE VIEW v AS SELECT 1 AS one, * FROM t")
    return str(folder / "t.duckdb")


def _duck(query: str) -> Callable[[Any, Path], Any]:
    def made(table: Any, folder: Path) -> Any:
        connection = keep_open(optional("duckdb").connect())
        connection.register("rows", table)
        folders = f"'{folder}/h' (FORMAT parquet, PARTITION_BY (g), OVERWRITE)"
        connection.execute(f"COPY (SELECT *, g AS h FROM rows) TO {folders}")
        return connection.sql(query.format(folder=folder, parts=_parts(table, folder)))

    return made


def _scan(name: str, write: Callable[[Any, Path], str]) -> Callable[[Any, Path], Any]:
    return lambda table, folder: getattr(optional("polars"), name)(write(table, folder))


SOURCES: dict[str, tuple[Callable[[Any, Path], Any], dict[str, Any]]] = {
    "duckdb, file": (_parquet, {"engine": "duckdb"}),
    "duckdb, files": (_parts, {"engine": "duckdb"}),
    "duckdb, table": (_database, {"engine": "duckdb", "source": "t"}),
    "duckdb, view": (_database, {"engine": "duckdb", "source": "v"}),
    "duckdb, relation": (_duck("FROM rows"), {}),
    "duckdb, read_parquet": (_duck("FROM read_parquet('{parts}')"), {}),
    "duckdb, folders": (_duck("FROM read_parquet('{folder}/h/*/*', hive_partitioning=true)"), {}),
    "polars, file": (_parquet, {"engine": "polars"}),
    "polars, files": (_parts, {"engine": "polars"}),
    "polars, frame": (lambda table, folder: optional("polars").from_arrow(table).lazy(), {}),
    "polars, scan_parquet": (_scan("scan_parquet", _parts), {}),
    "polars, scan_csv": (_scan("scan_csv", _csv), {}),
    "spark, frame": (lambda table, folder: spark().createDataFrame(table), {}),
    "spark, file": (lambda table, folder: spark().read.parquet(_parquet(table, folder)), {}),
}
TABLE = _rows()
RELATIONS = "add-remove", "replace-one"
GRAPHS = {name for name, kind in STATISTICS.items() if hasattr(kind, "nodes")}


def answered(
    native: object, how: dict[str, Any], way: str, statistic: Any, relation: str
) -> tuple[str, str]:
    """The whole record, or a refusal, before which nothing was drawn."""
    opening, view = WAYS[way]
    with pytest.MonkeyPatch.context() as patch, simulate(1):
        charged: list[object] = []
        pay = door.pay

        def paid(*given: Any, **named: Any) -> Any:
            charged.append(given)
            return pay(*given, **named)

        patch.setattr(door, "pay", paid)
        try:
            with ln.open(native, relation=relation, **opening, **how) as data:
                made = view(data).release(statistic, epsilon=2)
        except LeastNoiseError as error:
            told = f"{type(error).__name__}: {error}"
            assert not charged, f"{statistic} of {way}: {told} after the charge"
            return "refused", told
    records = made.values() if way.startswith("groups") else [made]
    return "answered", json.dumps([record.to_dict() for record in records])


def compare_forms(
    native: object, how: dict[str, Any], name: str, ways: Sequence[str], asked: Sequence[Any]
) -> None:
    for way, i in product(["rows"] if name in GRAPHS else ways, range(len(asked))):
        form, relation = asked[i], "edge" if name in GRAPHS else RELATIONS[i % 2]
        here = answered(TABLE, {}, way, form, relation)
        there = answered(native, how, way, form, relation)
        assert here[0] == there[0], f"{form} of {way}\n{here}\n{there}"
        assert here[0] == "refused" or here == there, f"{form} of {way}"


def test_every_statistic_of_persons_in_files(tmp_path: Path) -> None:
    make, how = SOURCES["duckdb, files"]
    native = make(TABLE, tmp_path)
    for name in STATISTICS.keys() - GRAPHS:
        compare_forms(native, how, name, ["persons"], forms(STATISTICS[name])[:1])


@pytest.mark.nightly
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_of_every_source(source: str, name: str, tmp_path: Path) -> None:
    make, how = SOURCES[source]
    native, known = make(TABLE, tmp_path), forms(STATISTICS[name])
    few = 1 if source.startswith("spark") else 3
    compare_forms(native, how, name, list(WAYS), known[:: max(1, len(known) // few)])
