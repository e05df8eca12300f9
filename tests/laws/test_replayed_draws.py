"""What was drawn on one data set is told again on its neighbour: then nothing else differs.

Every public statistic by every public mechanism, relation, kind of subset and front end, in turns:
with each change a part of them, at night all. A new statistic or mechanism, and a new query of the
corpus, is among them by itself.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import estimators
from leastnoise.errors import SchemaError
from support.catalogue import MECHANISMS, STATISTICS, forms
from support.optional import optional
from support.replay import Ask, Replay, Table, neighbours, replaying
from support.sql_corpus import CASES, ROWS, SCHEMA

RELATIONS = ("replace-one", "add-remove", "edit", "edge")
EPSILONS = (1, 40)
PERSON: dict[str, Any] = {"unit": "id", "max_rows": 2}
# How the table is opened, and what is asked of the session.
WAYS: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "rows": ({}, lambda data: data),
    "some rows": ({}, lambda data: data.where(ln.col("g") == 1)),
    "groups": ({}, lambda data: data.group_by({"g": [0, 1, 7]})),
    "persons": (PERSON, lambda data: data),
    "groups of persons": (PERSON, lambda data: data.group_by({"g": [1, 0]}, max_groups=1)),
    "rows found": ({**PERSON, "max_rows": ln.PrivateLimit()}, lambda data: data),
}


def csv(table: Table, folder: Path) -> Path:
    path = folder / "table.csv"
    rows = zip(*(column.tolist() for column in table.values()), strict=True)
    lines = [",".join("" if x != x else str(x) for x in row) for row in rows]
    path.write_text("\n".join([",".join(table), *lines, ""]), encoding="utf-8")
    return path


def duckdb(table: Table, folder: Path) -> Any:
    return optional("duckdb").connect().from_arrow(optional("pyarrow").table(table))


FRONTS: dict[str, Callable[[Table, Path], Any]] = {
    "dict": lambda table, folder: dict(table),
    "csv": csv,
    "pandas": lambda table, folder: optional("pandas").DataFrame(table),
    "polars": lambda table, folder: optional("polars").DataFrame(table),
    "polars_lazy": lambda table, folder: optional("polars").LazyFrame(table),
    "arrow": lambda table, folder: optional("pyarrow").table(dict(table)),
    "duckdb": duckdb,
}


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replay]:
    said = tmp_path_factory.mktemp("said") / "said"
    with said.open("w+b") as file, replaying(file) as found:
        yield found


def turn(*names: object) -> int:
    """A number that is the same in every run, and as if at random."""
    return crc32(repr(names).encode())


def some(among: Sequence[Any], most: int, *names: object) -> list[Any]:
    """So many of them, one after the other."""
    first = turn(*names)
    return [among[(first + i) % len(among)] for i in range(min(most, len(among)))]


GRAPHS = {name for name, kind in STATISTICS.items() if hasattr(kind, "nodes")}


def relations(statistic: str) -> Sequence[str]:
    """Those under which a statistic is released."""
    return RELATIONS[-1:] if statistic in GRAPHS else RELATIONS[:-1]


def ways(statistic: str) -> Sequence[str]:
    """The kinds of subset that a statistic is released of."""
    return ["rows"] if statistic in GRAPHS else [*WAYS]


def alike(
    replay: Replay, folder: Path, cell: tuple[str, str | None, str, str, str], *, priced: bool
) -> bool:
    """Whether one of some forms of a request is answered; either way all is alike on neighbours."""
    statistic, mechanism, relation, way, front = cell
    opening, view = WAYS[way]
    names = cell[:-1]
    (epsilon,) = some(EPSILONS, 1, *names)
    (by,) = some(forms(MECHANISMS[mechanism]), 1, *names) if mechanism else (None,)
    pair = neighbours(turn(*names) % 12, relation, rows_of_one=3 if "unit" in opening else 1)

    def ask(form: Any) -> Ask:
        def made(table: Table) -> Any:
            with ln.open(FRONTS[front](table, folder), relation=relation, **opening) as data:
                return view(data).release(form, epsilon=epsilon, mechanism=by)

        return made

    asked = some(forms(STATISTICS[statistic]), 4, *names)
    return any(not replay.compare(ask(form), *pair, priced=priced).refused for form in asked)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_statistics(replay: Replay, tmp_path: Path, statistic: str) -> None:
    """By the default under every relation, and by some mechanism."""
    asked: list[tuple[str | None, str]] = [(None, relation) for relation in relations(statistic)]
    asked += zip(some([*MECHANISMS], 1, statistic), relations(statistic), strict=False)
    answered = 0
    for mechanism, relation in asked:
        (way,) = some(ways(statistic), 1, statistic, mechanism, relation)
        cell = statistic, mechanism, relation, way, "dict"
        answered += alike(replay, tmp_path, cell, priced=False)
    assert answered


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mechanisms(replay: Replay, tmp_path: Path, mechanism: str) -> None:
    """With the first statistic that takes it, and the refusals of those before."""
    relation = "replace-one"
    for statistic in some([*STATISTICS], len(STATISTICS), mechanism):
        if alike(replay, tmp_path, (statistic, mechanism, relation, "rows", "dict"), priced=False):
            return
    assert mechanism == "Bernstein"  # for black boxes alone


@pytest.mark.parametrize("front", FRONTS)
def test_front_ends(replay: Replay, tmp_path: Path, front: str) -> None:
    """The same by another reader, of a few statistics and ways."""
    for statistic, way in zip(some([*STATISTICS], 3, front), some([*WAYS], 3, front), strict=True):
        relation = relations(statistic)[0]
        alike(replay, tmp_path, (statistic, None, relation, way, front), priced=False)


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", [None, *MECHANISMS])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_all(replay: Replay, tmp_path: Path, statistic: str, mechanism: str | None) -> None:
    for relation, way in product(relations(statistic), ways(statistic)):
        (front,) = some([*FRONTS], 1, statistic, mechanism, relation, way)
        alike(replay, tmp_path, (statistic, mechanism, relation, way, front), priced=True)


# --- what is no statistic of one call -------------------------------------------------------------


def columns_of(table: Table) -> tuple[Any, Any]:
    return np.column_stack([table["x"], table["z"]]), table["g"]


FITTED = [name for name in estimators.__all__ if hasattr(getattr(estimators, name), "fit")]
# What an estimator is told beside epsilon and the relation, and nothing of it.
TOLD: tuple[dict[str, Any], ...] = (
    {"bounds": (-5, 50), "target_bounds": (0, 1), "classes": [0, 1], "missing": "drop"},
    {"bounds": (-5, 50), "target_bounds": (0, 1), "classes": [0, 1]},
    {"classes": [0, 1]},
)


@pytest.mark.parametrize("told", TOLD, ids=["limits, dropped", "limits", "limits are found"])
@pytest.mark.parametrize("relation", RELATIONS[:-1])
@pytest.mark.parametrize("estimator", FITTED)
def test_estimators(replay: Replay, estimator: str, relation: str, told: dict[str, Any]) -> None:
    kind = getattr(estimators, estimator)
    known = kind(epsilon=1).get_params()
    given = {name: value for name, value in told.items() if name in known}

    def ask(table: Table) -> Any:
        model = kind(epsilon=4, relation=relation, **given)
        return model.fit(*columns_of(table)).release_

    seed = turn(estimator, relation, *told) % 12
    assert not replay.compare(ask, *neighbours(seed, relation), priced=False).refused


@pytest.mark.parametrize("persons", [False, True], ids=["rows", "persons"])
@pytest.mark.parametrize("relation", RELATIONS[:-1])
def test_descriptions(replay: Replay, relation: str, persons: bool) -> None:
    opening = PERSON if persons else {}

    def ask(table: Table) -> Any:
        with ln.open(dict(table), relation=relation, **opening) as data:
            return data.describe(epsilon=9)

    seed = turn("describe", relation, persons) % 12
    pair = neighbours(seed, relation, rows_of_one=2 if persons else 1)
    assert not replay.compare(ask, *pair, priced=False).refused


@pytest.mark.share(1 / 12)
@pytest.mark.parametrize("sql", sorted({case.sql for case in CASES}))
def test_queries(replay: Replay, sql: str) -> None:
    optional("sqlglot")
    relation = RELATIONS[turn(sql) % 3]
    other = {name: column[:-1] for name, column in ROWS.items()}
    if relation == "replace-one":
        place = turn(sql, "row") % len(ROWS["age"])
        other = {name: [*other[name], ROWS[name][place]] for name in ROWS}

    def ask(table: Any) -> Any:
        with ln.open(table, relation=relation) as data:
            answer = data.sql(sql, schema=SCHEMA, epsilon=2)
            return {"rows": answer.rows, "columns": answer.columns, "records": answer.records}

    assert not replay.compare(ask, ROWS, other, priced=False).refused


def votes(records: Any) -> list[float]:
    """Three numbers, one of which a record changes by 1."""
    found = np.nan_to_num(np.asarray(records, float), nan=-5.0)
    return [float(np.sum(found < 0)), float(np.sum(found == 9)), float(np.sum(found > 10))]


def total(records: Any) -> list[float]:
    return votes(records)[2:]


# By name, and what it answers with.
BOXES: dict[str, tuple[Any, Sequence[str]]] = {
    "number": (
        lambda relation: ln.BlackBox(total, sensitivity=1, relation=relation),
        ("Laplace", "Gaussian", "DiscreteGaussian"),
    ),
    "numbers": (
        lambda relation: ln.BlackBox(
            votes, sensitivity=2, norm="l2", dimension=3, relation=relation
        ),
        ("Gaussian", "DiscreteGaussian"),
    ),
    "scores": (
        lambda relation: ln.BlackBox(
            votes, sensitivity=1, norm="linf", dimension=3, relation=relation
        ),
        ("Exponential", "PermuteAndFlip", "Bernstein"),
    ),
    "blocks": (
        lambda relation: ln.SampleAndAggregate(total, bounds=(0, 9), blocks=5),
        ("PiecewiseLaplace", "InverseSensitivity", "TightOrLoose"),
    ),
}
ANSWERS = [(box, mechanism) for box, (_, those) in BOXES.items() for mechanism in those]


@pytest.mark.parametrize("relation", RELATIONS[:-1])
@pytest.mark.parametrize(("box", "mechanism"), ANSWERS)
def test_black_boxes(replay: Replay, box: str, mechanism: str, relation: str) -> None:
    make, _ = BOXES[box]
    (by,) = some(forms(MECHANISMS[mechanism]), 1, box, relation)
    options = {"relation": relation} if box == "blocks" else {}

    def ask(table: Table) -> Any:
        return make(relation).respond(table["y"], epsilon=2, mechanism=by, **options)

    seed = turn(box, mechanism, relation) % 12
    assert not replay.compare(ask, *neighbours(seed, relation), priced=True).refused


def drawn_records(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.integers(-5, 20, size)


@pytest.mark.parametrize("mechanism", ["Laplace", "Gaussian", "DiscreteGaussian"])
def test_sampled_sensitivity(replay: Replay, mechanism: str) -> None:
    """What it is measured on is public, and drawn before."""
    here, there = neighbours(turn(mechanism) % 12, "replace-one")
    sampler = ln.SensitivitySampler(
        total,
        draw_record=drawn_records,
        n=len(here["x"]),
        norm="l1" if mechanism == "Laplace" else "l2",
        gamma="0.05",
        workers=1,
    )
    sampler.estimate()
    (by,) = some(forms(MECHANISMS[mechanism]), 1, "sampled")

    def ask(table: Table) -> Any:
        return sampler.respond(table["x"], epsilon=2, mechanism=by)

    assert not replay.compare(ask, here, there, priced=False).refused


@pytest.mark.parametrize("answers", [1, 3])
@pytest.mark.parametrize("relation", RELATIONS[:-1])
def test_sparse_vectors(replay: Replay, relation: str, answers: int) -> None:
    """Given which questions pass, when it ends and all that it shows are alike."""

    def ask(table: Table) -> Any:
        vector = ln.SparseVector(epsilon=2, threshold=4, answers=answers, relation=relation)
        found: list[Any] = []
        for least in range(60, -60, -1):  # of no rows, then of all
            if vector.exhausted:
                break
            found.append(vector.above(int(np.sum(table["x"] > least))))
        return {"answers": found, "vector": [vector, vector.guarantee, vector.tracked]}

    pair = neighbours(turn("sparse", relation, answers) % 12, relation)
    seen = replay.compare(ask, *pair, priced=False)
    assert any(question[0] == "passes" for question in seen.tape.questions)


# --- what the comparison sees ---------------------------------------------------------------------


def hidden(table: Table) -> Any:
    """A number that a record differs in."""
    return int(np.sum(table["x"] == 50))


def leaks(table: Table, kind: str) -> Any:
    """An answer by the rules, and beside it what hangs on a row."""
    if kind == "refusal" and hidden(table):
        raise SchemaError("one row is odd")
    if kind == "warning" and hidden(table):
        warnings.warn("one row is odd", stacklevel=2)
    if kind == "print" and hidden(table):
        os.write(1, b"odd")
    if kind == "draw" and hidden(table):
        ln.release(ln.Count(), [1], epsilon=1, relation="add-remove")
    bounds = (-5, 50 + hidden(table)) if kind == "field" else (-5, 50)
    column = table["x"] * (3 if kind == "sensitivity" else 1)
    statistic = ln.Count() if kind == "sensitivity" else ln.Median("x", bounds=bounds)
    shown = {"x": np.repeat(column, 1 + 2 * (kind == "sensitivity"))}
    return ln.release(statistic, shown, epsilon=1, relation="add-remove")


@pytest.mark.parametrize("kind", ["refusal", "warning", "print", "draw", "field", "sensitivity"])
def test_what_hangs_on_a_row_is_seen(replay: Replay, kind: str) -> None:
    here, there = neighbours(4, "add-remove")
    assert hidden(here) != hidden(there)
    replay.compare(lambda table: leaks(table, "none"), here, there, priced=True)
    with pytest.raises(AssertionError):
        replay.compare(lambda table: leaks(table, kind), here, there, priced=True)
