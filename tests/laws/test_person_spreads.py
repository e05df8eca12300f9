"""Variances of persons: the centre, the number of rows and both sums about the centre, jointly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import leastnoise as ln
from leastnoise import PureDP, audit
from leastnoise.audit.scripted import Dataset, ScriptedColumns, clamped_masses
from leastnoise.frames import open_table
from leastnoise.frames.table import split
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.randomness import active
from leastnoise.session.kinds import person_spreads
from leastnoise.session.kinds.kind import Answer
from leastnoise.session.kinds.person_spreads import PersonSpreads
from leastnoise.session.kinds.persons import Persons, persons_of
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset, Unit
from leastnoise.testing import simulate
from support.engines import on_engine

EPSILON = Fraction(1)
# persons of no, one and two rows
PERSONS: list[tuple[int, ...]] = [(), (0,), (2,), (0, 2), (2, 2)]


class Many(ScriptedColumns):
    """One or two persons stand for enough of them for sums of squares, which is post-processing."""

    def rows(self, rows: int, epsilon: Fraction) -> int:
        """Noise that is cut at one and two persons, later at none and one, for all of them."""
        if not self.taken:
            return 900 * super().rows(rows, epsilon)
        return 1800 * self._choice([*clamped_masses(rows, epsilon, 0, 1).values()])

    def sum(self, total: int, rate: Fraction) -> int:
        """A noisy sum that is cut at 0 and 1."""
        return self._choice([*clamped_masses(total, rate, 0, 1).values()])


class Sum:
    """A sum of persons by its noise alone, in place of one inside limits that are searched for."""

    def __init__(self, persons: Persons, epsilon: Fraction, relation: str, draws: Many) -> None:
        bounds: Any = persons.total.bounds
        low, high = map(int, bounds)
        width = max(high, -low) if relation == "add-remove" else high - low
        self.rate, self.draws = epsilon / width, draws

    def answer(self, table: Any) -> Answer:
        drawn = self.draws.sum(int(table.column("total").values.sum()), self.rate)
        return Answer(
            value=drawn, step="1", sensitivity="global", bounds=(0, 1), found=drawn == 0,
            noise_scale=1e-9,
        )  # fmt: skip


class Levels:
    """The answer without sums, which costs what is left."""

    promised = (PureDP(EPSILON),)

    def answer(self, table: Any) -> Answer:
        return Answer(value=-1, step="1", sensitivity="instance")


def table(data: Dataset) -> Any:
    who = [i for i, person in enumerate(data) for _ in person]
    x = [value for person in data for value in person]
    return open_table({"who": np.array(who, np.int64), "x": np.array(x, np.int64)})


def kind_of(
    data: Any, relation: str, top: float, rows: int, kind: Any = ln.Variance, missing: Any = "none"
) -> Any:
    """The kind of a variance of persons, for tests."""
    statistic = kind("x", bounds=(0, top), missing=missing)
    prepared = plan(statistic, data, relation, None, subset=Subset(unit=Unit("who", rows)))
    request: Any = prepared.request
    persons = persons_of(prepared, request)
    assert persons is not None
    return PersonSpreads(prepared, persons, PrivateLimits(), EPSILON)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_the_centre_the_rows_and_both_sums_cost_epsilon(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = kind_of(table(()), relation, 2, 2)
    now: list[Many] = []

    def scripted(source: Any) -> Many:
        return now[-1]

    def sums(plan: Any, persons: Persons, limits: Any, epsilon: Fraction) -> Sum:
        return Sum(persons, epsilon, relation, now[-1])

    def levels(self: Any, epsilon: Fraction) -> Levels:
        return Levels()

    monkeypatch.setattr(person_spreads, "Draws", scripted)
    monkeypatch.setattr(person_spreads, "limited_total", sums)
    monkeypatch.setattr(PersonSpreads, "_by_levels", levels)

    def law(data: Dataset) -> audit.Probabilities:
        found: dict[tuple[int, ...], tuple[Fraction, Fraction]] = {}
        waiting, held = list[tuple[int, ...]]([()]), table(data)
        while waiting:
            now.append(Many(waiting.pop()))
            answer = kind.answer(held)
            assert sum(map(Fraction, answer.parts.values())) == EPSILON
            waiting += now[-1].others
            found[now[-1].script] = now[-1].mass
        # with and without a median, the question after a sum, and squares
        assert {len(script) for script in found} == {5, 6, 7}
        return audit.Probabilities({**found})

    made = audit.exact_law(law, relation=relation, claim=PureDP(EPSILON), universe=PERSONS, n=2)
    assert made.passed
    assert made.lo > EPSILON * 6 / 10  # most of epsilon is lost somewhere


def persons(count: int, top: float) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(count), rng.integers(1, 6, count))
    x = np.where(rng.random(len(who)) < 0.1, rng.lognormal(5, 1, len(who)), 0)
    return pl.DataFrame({"who": who, "x": np.minimum(x, top)})


@pytest.mark.parametrize("where", ["memory", "polars lazy", "duckdb"])
def test_amounts_among_zeros_have_a_deviation(where: str) -> None:
    frame = persons(3000, 1e3)
    held = frame if where == "memory" else on_engine(where, frame.to_arrow())
    session = ln.open(held, unit="who", max_rows=5)
    truth = float(np.std(frame["x"].to_numpy()))
    for seed in range(2):
        with simulate(f"few {seed}"):
            record: Any = session.release(ln.StandardDeviation("x", bounds=(0, 1e5)), epsilon=1)
        assert sum(map(Fraction, record.parts.values())) == 1
        assert abs(record.value - truth) < truth / 3
        assert record.bounds == (0, 1e5)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("count", [60, 1000, 3000])
def test_parts_add_up_to_epsilon(count: int, relation: str) -> None:
    """In bounds that fit and in loose ones, for any number of persons."""
    frame = persons(count, 1e3)
    session = ln.open(frame, unit="who", max_rows=5, relation=relation)
    for top in (1e3, 1e12):
        with simulate("parts"):
            record: Any = session.release(ln.Variance("x", bounds=(0, top)), epsilon="3/2")
        spent = [*map(Fraction, record.parts.values())]
        assert sum(spent) == Fraction(3, 2)
        assert all(part > 0 for part in spent)
        assert 0 <= record.value <= top**2 / 4


def test_squares_are_added_up_exactly() -> None:
    """Each by its own row, cut far away, in any order and everywhere."""
    frame = pl.DataFrame({"who": [1, 2, 1, 3, 2, None], "x": [0.5, 7.0, 2.25, None, -3.0, 1.0]})
    kind = kind_of(open_table(frame.drop_nulls()), "replace-one", 5, 2, missing="drop")
    subset = kind.plan.subset
    whole = kind._persons
    step = whole.rows.lattice.step
    engines = ("polars lazy", "duckdb")
    for centre, within in ((0, None), (round(2 / step), None), (round(2 / step), Fraction(1))):
        squares = whole.squares(centre, within)
        far = Fraction(25) if within is None else within**2
        away = [min(max(0, min(5, x)) - float(centre * step), 5) for x in (0.5, 2.25, 7.0, -3.0)]
        ways = [min(a * a, float(far)) for a in away]
        expected = sorted([ways[0] + ways[1], ways[2] + ways[3]])
        found: list[list[float]] = []
        for rows in (frame, frame[::-1]):
            for held in (rows, *(on_engine(one, rows.to_arrow()) for one in engines)):
                (part,) = split(open_table(held), subset, active())
                made = squares.totals(part).about().column("total").values
                found.append(sorted(made.tolist()))
        assert all(one == found[0] for one in found)
        assert found[0] == pytest.approx(expected, rel=1e-9)
        assert float(squares.total.bounds[1]) >= found[0][1]


def test_errors_and_biases_of_variances_of_persons_are_told() -> None:
    frame = persons(1000, 1e3)
    kind = kind_of(open_table(frame), "replace-one", 1e3, 5, ln.StandardDeviation)
    (error,), (bias,) = (
        told([kind.plan.table])(EPSILON, 40) for told in (kind.errors, kind.biases)
    )
    assert abs(bias) <= error < np.std(frame["x"].to_numpy())
