"""Means of persons: the centre, the number of rows and the sum about the centre, jointly."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import leastnoise as ln
from leastnoise import PureDP, audit
from leastnoise.audit.scripted import (
    Dataset,
    Scripted,
    ScriptedColumns,
    clamped_masses,
    sorted_numbers,
)
from leastnoise.frames import open_table
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.session.kinds.person_means import PersonMeans
from leastnoise.session.kinds.persons import persons_of
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset, Unit
from leastnoise.testing import simulate
from support.engines import on_engine

EPSILON = Fraction(1)
# persons of no, one and two rows
PERSONS: list[tuple[int, ...]] = [(), (0,), (2,), (0, 2), (2, 2)]


class Many(ScriptedColumns):
    """One or two persons stand for enough of them for a centre, which is post-processing."""

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """Noise that is cut at one and two."""
        return 600 * super().rows(rows, epsilon)


class Some(ScriptedColumns):
    """They stand for enough of them to ask whether bounds fit."""

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """Noise that is cut at none and two."""
        return 160 * Scripted.rows(self, rows, epsilon)


def table(data: Dataset) -> Any:
    who = [i for i, person in enumerate(data) for _ in person]
    x = [value for person in data for value in person]
    return open_table({"who": np.array(who, np.int64), "x": np.array(x, np.int64)})


def kind_of(data: Any, relation: str, top: float, rows: int) -> Any:
    """The kind of a mean of persons with private parts, for tests."""
    asked: dict[str, Any] = {"bounds": (0, top), "missing": "none"}
    subset = Subset(unit=Unit("who", rows))
    prepared = plan(ln.Mean("x", **asked), data, relation, None, subset=subset)
    request: Any = prepared.request
    persons = persons_of(prepared, request)
    assert persons is not None
    return PersonMeans(prepared, request, persons, PrivateLimits(), EPSILON)


def law(data: Dataset, relation: str, draws_of: type[ScriptedColumns]) -> audit.Probabilities:
    """Every path of the private choices, and a noisy sum that is cut, or the declared bounds."""
    kind = kind_of(table(()), relation, 2, 2)
    first = sorted_numbers(tuple(person[0] for person in data if person))
    found: dict[Hashable, tuple[Fraction, Fraction]] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws, spent = draws_of(waiting.pop()), dict[str, Fraction]()
        known, centre = kind._centre(first, draws, spent)
        if centre is None:
            waiting += draws.others
            found[draws.script] = draws.mass
            continue
        totals = kind._persons.totals(table(data))
        kind._rows(totals.count(), known, draws, spent)
        waiting += draws.others
        persons = kind._persons.about(centre)
        low, high = map(int, persons.total.bounds)
        width = max(high, -low) if relation == "add-remove" else high - low
        total = int(totals.about(centre).column("total").values.sum())
        rate = (EPSILON - sum(spent.values())) / width
        for answer, (a, b) in clamped_masses(total, rate, -1, 1).items():
            found[draws.script, answer] = draws.mass[0] * a, draws.mass[1] * b
    return audit.Probabilities(found)


@pytest.mark.parametrize("draws", [Many, Some])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_the_centre_the_rows_and_the_sum_cost_epsilon(
    relation: str, draws: type[ScriptedColumns]
) -> None:
    found = audit.exact_law(
        lambda data: law(data, relation, draws),
        relation=relation,
        claim=PureDP(EPSILON),
        universe=PERSONS,
        n=2,
    )
    assert found.passed
    assert found.lo > EPSILON * 6 / 10  # most of epsilon is lost somewhere


def persons(count: int, top: float) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(count), rng.integers(1, 6, count))
    x = np.where(rng.random(len(who)) < 0.1, rng.lognormal(5, 1, len(who)), 0)
    return pl.DataFrame({"who": who, "x": np.minimum(x, top)})


@pytest.mark.parametrize("where", ["memory", "polars lazy", "duckdb"])
def test_few_amounts_among_zeros_of_persons_are_told(where: str) -> None:
    frame = persons(3000, 1e5)
    held = frame if where == "memory" else on_engine(where, frame.to_arrow())
    session = ln.open(held, unit="who", max_rows=5)
    truth = float(np.mean(frame["x"].to_numpy()))
    for seed in range(2):
        with simulate(f"few {seed}"):
            record: Any = session.release(ln.Mean("x", bounds=(0, 1e5)), epsilon=1)
        assert sum(map(Fraction, record.parts.values())) == 1
        assert abs(record.value - truth) < truth / 3
        assert record.bounds == (0, 1e5)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("count", "rest"), [(60, 1), (300, 2), (3000, 2)])
def test_parts_add_up_to_epsilon(count: int, rest: int, relation: str) -> None:
    """In bounds that fit and in loose ones, for any number of persons."""
    frame = persons(count, 40.0)
    session = ln.open(frame, unit="who", max_rows=5, relation=relation)
    for top in (50, 1e6):
        with simulate("parts"):
            record = session.release(ln.Mean("x", bounds=(0, top)), epsilon="3/2")
        spent = [*map(Fraction, record.parts.values())]
        assert sum(spent) == Fraction(3, 2)
        assert all(part > 0 for part in spent)
        assert len(spent) >= rest
        assert record.mechanism == "PrivateLimits()"


def test_errors_and_biases_of_means_of_persons_are_told() -> None:
    frame = persons(1000, 1e5)
    kind = kind_of(open_table(frame), "replace-one", 1e5, 5)
    (error,), (bias,) = (
        told([kind.plan.table])(EPSILON, 40) for told in (kind.errors, kind.biases)
    )
    assert abs(bias) <= error < np.mean(frame["x"].to_numpy())


@pytest.mark.parametrize("kind", [ln.Mean, ln.Sum])
@pytest.mark.parametrize(
    ("bounds", "filler"), [((0.1, 0.7), 0.7), ((0.1, 0.7), 0.1), ((0, 0.1), 0.1)]
)
def test_a_declared_end_may_stand_for_what_is_missing(
    kind: Any, bounds: tuple[float, float], filler: float
) -> None:
    """Lattices have their ends inside those that doubles do not hold."""
    frame = pl.DataFrame({"who": [1, 1, 2, 3], "x": [0.3, None, 0.2, None]})
    session = ln.open(frame, unit="who", max_rows=2)
    record: Any = session.release(kind("x", bounds=bounds, missing=filler), epsilon=10**9)
    cut = [min(max(x, bounds[0]), bounds[1]) for x in (0.3, filler, 0.2, filler)]
    assert record.value == pytest.approx(sum(cut) / (4 if kind is ln.Mean else 1), abs=1e-5)
