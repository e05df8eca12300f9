"""Different entries of persons, each counted for as many as are found privately.

Persons are told by their sets of entries. Every neighbouring pair of a small universe is compared
for every limit that may be found and every answer after it; wrong prices and wrong counts must be
seen to fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import log
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.frames import open_table
from leastnoise.frames.memory.entries import PersonEntries
from leastnoise.guarantees import PureDP
from leastnoise.mechanisms import row_limits
from leastnoise.mechanisms.row_limits import entry_costs, entry_limits
from leastnoise.session.checking import kind_of
from leastnoise.session.kinds.found_entries import FoundEntries
from leastnoise.session.prepare import choose_mechanism, plan
from leastnoise.summaries.subset import MOST_ROWS, Subset, Unit
from leastnoise.testing import simulate

RELATIONS = ["replace-one", "add-remove", "edit"]
EPSILON = Fraction(6)
Person = tuple[int, ...]
# alone with an entry or eight, and persons who share two, four or all of theirs
PERSONS: list[Person] = [
    (),
    (0,),
    (0, 1),
    (2, 3, 4, 5),
    (2, 3),
    (0, 1, 2, 3, 4, 5, 6, 7),
    (*range(8, 16),),
]


def rows_of(persons: Sequence[Person], repeats: int = 1) -> dict[str, Any]:
    rows = [(i, x) for i, person in enumerate(persons) for x in person * repeats]
    return {
        "id": np.array([f"p{i}" for i, _ in rows], dtype=object),
        "x": np.array([x for _, x in rows], np.int64),
    }


def found(relation: str, most: int = 8, mechanism: Any = None) -> FoundEntries:
    prepared = plan(
        ln.CountDistinct("x"), rows_of([]), relation, None, subset=Subset(unit=Unit("id", most))
    )
    chosen = choose_mechanism(mechanism, prepared.statistic, relation, persons=True)
    kind = kind_of(prepared, chosen, EPSILON)
    assert isinstance(kind, FoundEntries)
    return kind


def neighbours(
    relation: str, others: int
) -> Iterator[tuple[tuple[Person, ...], tuple[Person, ...]]]:
    pairs = (
        product(PERSONS[:1], PERSONS[1:]) if relation == "add-remove" else product(PERSONS, PERSONS)
    )
    for rest, (a, b) in product(combinations_with_replacement(PERSONS, others), [*pairs]):
        yield (*rest, a), (*rest, b)


def worst(relation: str, kind: FoundEntries, others: int = 2) -> float:
    """The greatest loss of limit and noisy count together.

    Laplace noise of rate r loses r an entry by which counts differ, in its tails.
    """
    inner = [kind.inner(limit) for limit in kind.limits]
    rates = [float(one.epsilon / one.plan.stride) for one in inner]

    @cache
    def law(persons: tuple[Person, ...]) -> list[tuple[Fraction, Fraction, int]]:
        table = open_table(rows_of(persons))
        chances, held = kind.limit_law(table).enclosures(bits=96), table.person_entries("x", "id")
        return [(*chances[i], held.counted(limit)) for i, limit in enumerate(kind.limits)]

    return max(
        log(high / low2) + rate * abs(n - n2)
        for one, other in neighbours(relation, others)
        for a, b in ((one, other), (other, one))
        for (_, high, n), (low2, _, n2), rate in zip(law(a), law(b), rates, strict=True)
    )


@pytest.mark.parametrize("relation", RELATIONS)
def test_limit_and_count_cost_epsilon_together(relation: str) -> None:
    kind = found(relation)
    assert kind.limits == (1, 2, 4, 8)
    assert kind.promised == (PureDP(EPSILON, ln.Scope(relation, "id")),)
    loss = worst(relation, kind)
    assert 0.85 * EPSILON < loss <= float(EPSILON) + 1e-9


def test_a_search_for_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = FoundEntries.inner

    def unpaid(self: FoundEntries, limit: int) -> Any:
        made = inner(self, limit)
        made.epsilon = self.epsilon
        return made

    kind = found("add-remove")
    monkeypatch.setattr(FoundEntries, "inner", unpaid)
    assert worst("add-remove", kind, 1) > 1.1 * EPSILON


def test_an_answer_for_persons_of_one_entry_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kind, inner = found("add-remove"), FoundEntries.inner

    def of_one(self: FoundEntries, limit: int) -> Any:
        return inner(self, 1)

    monkeypatch.setattr(FoundEntries, "inner", of_one)
    assert worst("add-remove", kind, 1) > 2 * EPSILON


def test_costs_move_apart_by_what_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps where a person comes, three where one is exchanged: no less would do."""
    limits = entry_limits(8)

    @cache
    def counted(persons: tuple[Person, ...]) -> list[int]:
        return [held(persons).counted(most) for most in limits]

    def apart(relation: str, others: int) -> float:
        found = 0
        for pair in neighbours(relation, others):
            a, b = (entry_costs(counted(one), limits, Fraction(1), relation) for one in pair)
            moved = [y - x for x, y in zip(a, b, strict=True)]
            found = max(found, max(moved) - min(moved))
        return found * float(row_limits.COST_RATE)

    for relation in RELATIONS:
        assert 0.999 < apart(relation, 2) <= 1

    def two(relation: str) -> int:
        return 2

    monkeypatch.setattr(row_limits, "_apart", two)
    assert apart("edit", 2) > 1.4


def held(persons: Sequence[Person], repeats: int = 1) -> PersonEntries:
    return open_table(rows_of(persons, repeats)).person_entries("x", "id")


def by_hand(persons: Sequence[Person], most: int) -> int:
    """The size of a largest set of entries that persons can stand for, by trying one by one."""
    owners: dict[int, int] = {}
    slots = [person for person in persons for _ in range(min(most, len(person)))]

    def place(slot: int, seen: set[int]) -> bool:
        for entry in slots[slot]:
            if entry not in seen:
                seen.add(entry)
                if entry not in owners or place(owners[entry], seen):
                    owners[entry] = slot
                    return True
        return False

    return sum(place(slot, set()) for slot in range(len(slots)))


def test_counts_are_those_of_a_largest_matching() -> None:
    numbers = np.random.default_rng(7)
    for _ in range(60):
        persons = [
            tuple(numbers.choice(12, numbers.integers(0, 7), replace=False).tolist())
            for _ in range(numbers.integers(0, 8))
        ]
        for most in (1, 2, 3, 8):
            assert held(persons, 2).counted(most) == by_hand(persons, most)
            assert held(persons[::-1]).counted(most) == by_hand(persons, most)


def test_missing_entries_and_rows_of_nobody_are_not_counted() -> None:
    table = {"id": ["a", "a", None, "b", " b"], "x": ["u", None, "v", "w", "w "]}
    found = open_table(table).person_entries("x", "id")
    assert [found.counted(most) for most in (1, 2)] == [2, 2]
    assert open_table(rows_of([])).person_entries("x", "id").counted(1) == 0


def test_a_release_counts_within_its_limit() -> None:
    few = [(*range(7),)] * 40
    many = [tuple(range(10 * i, 10 * i + 10)) for i in range(40)]
    for relation in RELATIONS:
        for persons, most, number in ((few, 1, 7), (many, 16, 400)):
            for rows in (ln.PrivateLimit(), 16):
                with (
                    simulate(3),
                    ln.open(
                        rows_of(persons, 3), unit="id", max_rows=rows, relation=relation
                    ) as data,
                ):
                    made: Any = data.release(ln.CountDistinct("x"), epsilon=900)
                limit = (made.noise_scale or 0) * float(Fraction([*made.parts.values()][1]))
                if rows != 16:
                    assert abs(made.value - number) <= 1
                    assert limit == pytest.approx(most)
                assert made.max_rows == (MOST_ROWS if rows != 16 else 16)
                assert made.guarantee == PureDP(Fraction(900), ln.Scope(relation, "id"))
                assert sum(map(Fraction, made.parts.values())) == 900
    cheap = ln.PrivateLimit(share="1/2000")
    with simulate(3), ln.open(rows_of(many[:8]), unit="id", max_rows=cheap) as data:
        drawn: Any = [data.release(ln.CountDistinct("x"), epsilon=400) for _ in range(5)]
    limits = [round(one.noise_scale * (400 - 0.2)) for one in drawn]
    assert min(limits) < 8
    for one, limit in zip(drawn, limits, strict=True):
        assert abs(one.value - 8 * min(limit, 10)) <= 1
    with simulate(3), ln.open(rows_of(many), unit="id", max_rows=10, relation="edit") as data:
        cut = [data.release(ln.CountDistinct("x"), epsilon="1/10") for _ in range(9)]
        plain = data.release(ln.CountDistinct("x"), epsilon=900, mechanism=ln.Laplace())
    # forty persons of ten entries cannot be told from none
    assert min(one.noise_scale or 0 for one in cut) < 100
    assert plain.noise_scale == pytest.approx(1 / 90)
    with simulate(3), ln.open(rows_of(many), unit="id", max_rows=7, relation="edit") as data:
        small = data.release(ln.CountDistinct("x"), epsilon=7)
    assert (small.noise_scale, small.mechanism, small.parts) == (1.0, "Laplace()", {})


def test_each_group_finds_a_limit_of_its_own() -> None:
    persons: list[Person] = [(0, 1)] * 30 + [tuple(range(10 * i, 10 * i + 10)) for i in range(30)]
    data = rows_of(persons, 2)
    data["g"] = np.where(np.arange(len(data["x"])) < 120, "a", "b").astype(object)
    with (
        simulate(2),
        ln.open(data, unit="id", max_rows=ln.PrivateLimit(), relation="add-remove") as opened,
    ):
        made: Any = opened.group_by({"g": ["a", "b", "c"]}, max_groups=1).release(
            ln.CountDistinct("x"), epsilon=900
        )
    assert [round(made[g].value / 10) * 10 for g in "bc"] == [300, 0]
    assert made["a"].value in (1, 2, 3)
    assert made["a"].noise_scale < made["b"].noise_scale


def test_there_is_no_law_of_the_answer_alone() -> None:
    with pytest.raises(ParameterError, match="no law that can be"):
        found("edit").laws([open_table(rows_of([]))])
