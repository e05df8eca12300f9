"""Persons with several rows: the law of what is released, for every pair of neighbouring tables.

A record of a universe is a person, a tuple of rows of any length. Wrong variants must be seen to
fail: a stride without the edit profile, a monotone budget that is kept, no stride, and rows that
are kept by their place in the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.enclosure import ONE
from leastnoise.audit.forms import Shape, shape_of_runs
from leastnoise.audit.report import ExactReport
from leastnoise.errors import ParameterError
from leastnoise.frames.memory.persons import chosen, kept_of_persons
from leastnoise.profiles import Profile, strided
from leastnoise.randomness import HashedBits, active
from leastnoise.session.prepare import plan
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import RankSummary
from leastnoise.summaries.subset import Subset, Unit

WIDE: dict[str, Any] = {"bounds": (0, 50)}
# persons of no, one and two rows; two of them pull both ways
PERSONS: list[tuple[int, ...]] = [(), (0,), (50, 50), (0, 50), (25, 26), (26, 26)]
RELATIONS = ["replace-one", "add-remove", "edit"]
STATISTICS = [
    ln.Median("x", **WIDE),
    ln.Quantile("x", q="0.9", **WIDE),
    ln.Count(),
    ln.Sum("x", **WIDE),
    ln.Mean("x", **WIDE),
    ln.InterquartileRange("x", **WIDE),
    ln.Mode("x", categories=[0, 26, 50]),
    ln.Mode("x", categories=[0, 26, 50], score="distance"),
    ln.CountDistinct("x"),
    ln.CountDistinct("id"),
]


def table(data: tuple[Any, ...]) -> object:
    rows = [(i, x) for i, person in enumerate(data) for x in person]
    ids, values = ([row[i] for row in rows] for i in (0, 1))
    return {"id": np.array(ids, dtype=np.int64), "x": np.array(values, dtype=np.int64)}


def audited(statistic: Any, mechanism: Any = None, **options: Any) -> ExactReport:
    defaults: dict[str, Any] = {"universe": PERSONS, "n": 3, "epsilon": 1, "build": table}
    defaults |= {"unit": "id", "max_rows": 2}
    return audit.exact(statistic, mechanism, **defaults | options)


def name(statistic: Any) -> str:
    return type(statistic).__name__


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("statistic", STATISTICS, ids=name)
def test_persons_cost_epsilon(statistic: Any, relation: str) -> None:
    report = audited(statistic, relation=relation)
    assert report.claim == ln.PureDP(1, ln.Scope(relation, "id"))
    assert report.passed, report


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "mechanism",
    [
        ln.InverseSensitivity(),
        ln.AsymmetricSensitivity(beta=2, scale=2),
        ln.SmoothLaplace(delta="1e-6"),
        ln.Laplace(),
    ],
    ids=name,
)
def test_every_mechanism_serves_persons(mechanism: Any, relation: str) -> None:
    for statistic in (ln.Median("x", **WIDE), ln.Sum("x", **WIDE, max_rows=6)):
        report = audited(statistic, mechanism, relation=relation, n=3)
        assert report.passed, report


def test_noise_is_scaled_to_all_rows_of_a_person() -> None:
    for statistic in (ln.Count(), ln.Sum("x", **WIDE)):
        assert audited(statistic, relation="add-remove").lo == 1
    # a mean's noisy count and sum, and the answers drawn together, use all of epsilon too
    assert audited(ln.Mean("x", **WIDE), relation="add-remove").lo == 1


@pytest.mark.parametrize("relation", RELATIONS)
def test_answers_drawn_together_serve_persons(relation: str) -> None:
    """They have no levels to stride over: each row gets a share of epsilon."""
    few: list[tuple[int, ...]] = [(), (0, 3), (1,)]
    report = audited(ln.QuantileInterval("x", bounds=(0, 3)), relation=relation, universe=few, n=2)
    assert report.claim == ln.PureDP(1, ln.Scope(relation, "id"))
    assert report.passed, report


def test_each_row_of_a_person_gets_a_share_where_answers_are_drawn_together() -> None:
    many = ln.Quantiles("x", q=[f"{i}/10" for i in range(1, 10)], **WIDE)
    with ln.open(table(tuple(PERSONS)), unit="id", max_rows=4) as data:
        made = data.release(many, epsilon=2)
    assert sum(map(Fraction, made.parts.values())) == Fraction(1, 2)
    assert made.guarantee == ln.PureDP(2, ln.Scope("replace-one", "id"))
    assert "each of the 4 rows of a person has epsilon 1/2, which the parts share" in made.notes


def test_a_weak_guarantee_of_a_person_is_told_though_each_row_has_little() -> None:
    interval = ln.QuantileInterval("x", **WIDE)
    with ln.open(table(tuple(PERSONS)), unit="id", max_rows=4) as data:
        made = data.release(interval, epsilon=12)
    assert "weak guarantee: epsilon is above 10" in made.notes


@pytest.mark.parametrize("relation", RELATIONS)
def test_cells_are_paid_for_row_by_row(relation: str) -> None:
    statistic = ln.Histogram("x", bins=[0, 10, 26, 50])
    persons: list[tuple[int, ...]] = [(), (0, 0), (50, 50), (0, 30), (10,)]
    report = audited(statistic, relation=relation, universe=persons)
    assert report.claim == ln.PureDP(1, ln.Scope(relation, "id"))
    assert report.passed, report
    assert report.lo == 1
    with pytest.raises(ParameterError, match="rows of one person"):
        audited(statistic, ln.SmoothLaplace(delta="1e-6"), relation=relation)


GROUPED: list[tuple[tuple[str, int], ...]] = [
    (),
    (("a", 0),),
    (("b", 50),),
    (("a", 0), ("b", 0)),
    (("a", 50), ("b", 50)),
    (("a", 0), ("a", 50)),
    (("b", 26), ("b", 0)),
]


def grouped(data: tuple[Any, ...]) -> object:
    plain: Any = table(tuple(tuple(x for _, x in person) for person in data))
    return {**plain, "g": [g for person in data for g, _ in person]}


@pytest.mark.parametrize("statistic", STATISTICS[:5], ids=name)
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_groups_of_persons_cost_what_they_are_charged(
    statistic: Any, relation: str, most: int
) -> None:
    persons = [p for p in GROUPED if len({g for g, _ in p}) <= most]
    options: dict[str, Any] = {"universe": persons, "build": grouped, "max_groups": most, "n": 2}
    report = audited(statistic, relation=relation, group_by={"g": ["a", "b"]}, **options)
    times = {"add-remove": most}.get(relation, 2)
    assert report.claim == ln.PureDP(times, ln.Scope(relation, "id"))
    assert report.passed, report


def test_a_person_in_two_groups_costs_more_than_one() -> None:
    """One row in each of two groups moves the scores of both by a whole level."""
    persons = [(), (("a", 0), ("b", 0)), (("a", 50), ("b", 50))]
    options: dict[str, Any] = {"universe": persons, "build": grouped, "max_groups": 2, "n": 2}
    options |= {"group_by": {"g": ["a", "b"]}, "relation": "add-remove"}
    report = audited(ln.Count(max_rows=6), ln.InverseSensitivity(), **options)
    assert report.claim == ln.PureDP(2, ln.Scope("add-remove", "id"))
    assert report.passed
    assert report.lo > Fraction(6, 5)


def test_prices_of_groups() -> None:
    def times(relation: str, keys: int, rows: int, groups: int) -> int:
        unit = Unit("id", rows)
        return Subset(unit=unit).grouped({"g": range(keys)}, groups).times(relation)

    for keys, rows, groups in product(range(1, 6), range(1, 5), range(1, 5)):
        assert times("add-remove", keys, rows, groups) == min(groups, rows, keys)
        for relation in ("replace-one", "edit"):
            assert times(relation, keys, rows, groups) == min(keys, 2 * min(groups, rows))
    assert [Subset().grouped({"g": range(k)}, None).times("replace-one") for k in (1, 2, 9)] == [
        1, 2, 2,
    ]  # fmt: skip
    assert Subset().grouped({"g": range(9)}, None).times("add-remove") == 1


# ------------------------------------------------------------------------------------------------
# Wrong variants


@dataclass(frozen=True)
class Wrong:
    """A statistic that treats the profile of persons wrongly: the release strides it afterwards."""

    right: Any
    relation: str | None = None
    rows: Fraction = Fraction(1)

    def spec(self) -> Any:
        return self.right.spec()

    def profile(self, summary: Any, relation: str) -> Profile:
        found = self.right.profile(summary, self.relation or relation)
        if self.rows == 1:
            return found
        upper, lower, part = found.upper, found.lower, self.rows  # a stride taken back
        return replace(
            found,
            upper=lambda level: upper(int(level * part)),
            lower=lambda level: lower(int(level * part)),
            sensitivity=None,
        )

    def default_mechanism(self, relation: str) -> Any:
        return ln.PiecewiseLaplace()


def test_a_stride_without_edit_is_refuted_where_persons_are_replaced() -> None:
    options: dict[str, Any] = {"relation": "replace-one", "n": 3}
    assert audited(ln.Median("x", **WIDE), **options).passed
    assert audited(Wrong(ln.Median("x", **WIDE), "add-remove"), **options).lo > Fraction(11, 10)
    # and the row profile of replace-one knows nothing of persons with fewer rows
    signed: list[tuple[int, ...]] = [(), (-20,), (-20, -20), (30,), (30, 30), (0, 0)]
    total = ln.Sum("x", bounds=(-20, 30), max_rows=6)
    options |= {"universe": signed}
    assert audited(total, ln.PiecewiseLaplace(), **options).passed
    assert not audited(Wrong(total, "replace-one"), **options).passed


def test_rows_without_a_stride_are_refuted() -> None:
    for relation in RELATIONS:
        wrong = audited(Wrong(ln.Median("x", **WIDE), rows=Fraction(1, 2)), relation=relation)
        assert wrong.lo > Fraction(5, 4)


def order_profile(rows: Sequence[int]) -> Profile:
    lattice = Lattice(Fraction(1), 0, 8)
    summary = RankSummary.of(list(rows), [Fraction(1, 2)], lattice)
    return ln.Median(bounds=(0, 8)).profile(summary, "edit")


def test_a_monotone_budget_does_not_survive_persons() -> None:
    """Rows (0, 4) become (3, 3) beside (0, 3), here in halves: errata 3 and 4.14."""
    mechanism = ln.AsymmetricSensitivity(spacing="uniform", split="1/10")

    def law(kept: bool) -> Callable[[tuple[Any, ...]], Any]:
        def of(data: tuple[Any, ...]) -> Any:
            profile = strided(order_profile([x for person in data for x in person]), 2)
            shown = replace(profile, monotone=kept)
            # e1 = .1 and e2 = 1 in both: e1 + e2 where the flag is kept, else e1 + 2 e2
            return mechanism.law(shown, Fraction(11, 10) if kept else Fraction(21, 10))

        return of

    persons: list[tuple[int, ...]] = [(0, 8), (6, 6), (0, 6)]
    wrong = audit.exact_law(law(True), universe=persons, n=2, claim=ln.PureDP("1.1"))
    assert wrong.lo > Fraction(17, 10)
    assert wrong.pair == (((0, 8), (0, 6)), ((6, 6), (0, 6)))
    right = audit.exact_law(law(False), universe=persons, n=2, claim=ln.PureDP("2.1"))
    assert right.passed
    assert not strided(order_profile([0, 4]), 2).monotone
    assert strided(order_profile([0, 4]), 1).monotone


# ------------------------------------------------------------------------------------------------
# The profile of persons, and the rows that are kept


def test_the_neighbour_law_of_persons() -> None:
    for relation in RELATIONS:
        check_neighbour_law(relation)


def check_neighbour_law(relation: str) -> None:
    def profile(data: tuple[Any, ...]) -> Profile:
        prepared = plan(
            ln.Median("x", **WIDE), table(data), relation, None, subset=Subset(unit=Unit("id", 2))
        )

        (found,) = prepared.profiles(prepared.table.summarise(prepared.request, None))
        return found

    sizes = (2,) if relation == "replace-one" else (0, 1, 2)
    every = [data for size in sizes for data in product(PERSONS, repeat=size)]
    for one, other in product(every, repeat=2):
        if not person_neighbours(one, other, relation):
            continue
        a, b = profile(one), profile(other)
        local_a, local_b = a.local_sensitivity, b.local_sensitivity
        assert local_a is not None and local_b is not None  # noqa: PT018  # one fact
        for level in range(5):
            assert b.upper(level) <= a.upper(level + 1)
            assert b.lower(level) >= a.lower(level + 1)
            assert local_b(level) <= local_a(level + 1)
        assert abs(a.value - b.value) <= local_a(0)


def person_neighbours(one: tuple[Any, ...], other: tuple[Any, ...], relation: str) -> bool:
    common = sum((Counter(one) & Counter(other)).values())
    moves = (len(one) - common, len(other) - common)
    allowed = {
        "replace-one": {(1, 1)},
        "add-remove": {(0, 1), (1, 0)},
        "edit": {(1, 1), (0, 1), (1, 0)},
    }
    return moves in allowed[relation]


def test_global_sensitivity_is_that_of_all_rows() -> None:
    data = {"id": [1, 2], "x": np.array([0, 5])}
    for relation, factor in (("add-remove", 1), ("replace-one", 1)):
        for statistic, one in ((ln.Count(), 1), (ln.Sum("x", bounds=(0, 10)), 10)):
            prepared = plan(statistic, data, relation, None, subset=Subset(unit=Unit("id", 3)))
            (profile,) = prepared.rehearse(ln.Laplace(), Fraction(1))
            assert profile.global_sensitivity == 3 * one * factor


def masses(law: Any) -> dict[int, tuple[Fraction, Fraction]]:
    origin, pieces = shape_of_runs(law.runs())
    shape, found = Shape(pieces), {}
    for piece in pieces:
        for point in range(int(piece.first), int(piece.last) + 1):
            mass = shape.mass(piece, point, point)
            found[origin + point] = (Fraction(mass.lo, ONE), Fraction(mass.hi, ONE))
    return found


def mixture(laws: Sequence[Any]) -> audit.Probabilities:
    """The law of a release that draws one of several tables with equal probability."""
    tables = [masses(law) for law in laws]
    share = Fraction(1, len(tables))
    return audit.Probabilities(
        {y: tuple(sum(t[y][i] for t in tables) * share for i in (0, 1)) for y in tables[0]}
    )


LONG: list[tuple[int, ...]] = [(), (0,), (0, 4, 4), (4, 4, 0), (1, 1, 1)]


def kept_law(
    choices: Callable[[tuple[Any, ...]], list[list[int]]], relation: str
) -> Callable[[tuple[Any, ...]], Any]:
    def law(data: tuple[Any, ...]) -> Any:
        found = []
        for rows in choices(data):
            summary = RankSummary.of(rows, [Fraction(1, 2)], Lattice(Fraction(1), 0, 4))
            inner = "add-remove" if relation == "add-remove" else "edit"
            profile = strided(ln.Median(bounds=(0, 4)).profile(summary, inner), 2)
            found.append(ln.PiecewiseLaplace().law(profile, 1))
        return mixture(found)

    return law


def at_random(data: tuple[Any, ...]) -> list[list[int]]:
    """All equally likely choices of two rows of each person."""
    options = [list(combinations(person, min(2, len(person)))) for person in data]
    return [[x for rows in choice for x in rows] for choice in product(*options)]


def by_place(data: tuple[Any, ...]) -> list[list[int]]:
    """Of each person two rows, those at even places of the file first."""
    rows = [(i, x) for i, person in enumerate(data) for x in person]
    kept: list[int] = []
    for i in range(len(data)):
        own = [(place % 2, place, x) for place, (j, x) in enumerate(rows) if j == i]
        kept += [x for _, _, x in sorted(own)[:2]]
    return [kept]


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_random_choice_of_rows_keeps_the_guarantee(relation: str) -> None:
    options: dict[str, Any] = {"universe": LONG, "n": 3, "relation": relation}
    options["claim"] = ln.PureDP(1, ln.Scope(relation, "id"))
    assert audit.exact_law(kept_law(at_random, relation), **options).passed


def test_a_choice_by_place_in_the_file_is_refuted() -> None:
    options: dict[str, Any] = {"universe": [(1,), (0, 4, 0, 4)], "n": 4}
    options["claim"] = ln.PureDP(1, ln.Scope("add-remove", "id"))
    wrong = audit.exact_law(kept_law(by_place, "add-remove"), relation="add-remove", **options)
    assert not wrong.passed


def test_the_audit_refuses_a_law_that_needs_a_choice() -> None:
    with pytest.raises(ParameterError, match="max_rows"):
        audited(ln.Count(), universe=LONG)


def test_every_choice_of_rows_is_equally_likely() -> None:
    owners = np.array([5, 2, 5, 5, 2, 5, 9])
    source = HashedBits(b"which rows")
    draws = 6000
    seen = Counter(tuple(np.flatnonzero(chosen(owners, 2, source)).tolist()) for _ in range(draws))
    assert len(seen) == 6  # two of four rows; the rows of 2 and of 9 stay
    assert all({1, 4, 6} <= set(rows) for rows in seen)
    expected = draws / 6
    assert sum((n - expected) ** 2 / expected for n in seen.values()) < 20.5  # chi2(5), p = .001


def test_what_is_kept_of_one_says_nothing_of_another() -> None:
    source = HashedBits(b"independent")
    owners = np.array([0, 1, 0, 1])
    draws = 4000
    seen = Counter(tuple(np.flatnonzero(chosen(owners, 1, source)).tolist()) for _ in range(draws))
    assert set(seen) == {(0, 1), (0, 3), (1, 2), (2, 3)}
    assert sum((n - draws / 4) ** 2 / (draws / 4) for n in seen.values()) < 16.3  # chi2(3)


def test_groups_and_rows_of_a_person_are_limited() -> None:
    rng = np.random.default_rng(0)
    persons, groups = rng.integers(-1, 20, 500), rng.integers(0, 6, 500)
    kept = kept_of_persons(persons, groups, Unit("id", 3, 2), active())
    for person in range(20):
        mine = kept & (persons == person)
        assert mine.sum() <= 3
        assert len(set(groups[mine].tolist())) <= 2
        within = [np.sum((persons == person) & (groups == g)) for g in set(groups[mine].tolist())]
        assert mine.sum() == min(3, sum(within))
    assert not kept[persons < 0].any()


def test_case_of_a_user_with_many_rows() -> None:
    """Case C26: A has 100 rows of 10, B to E one row of 0; at most two rows each."""
    data = {"user": ["A"] * 100 + ["B", "C", "D", "E"], "x": np.array([10] * 100 + [0] * 4)}
    options: dict[str, Any] = {"unit": "user", "max_rows": 2, "relation": "add-remove"}
    with ln.open(data, **options) as opened:
        total = opened.release(ln.Sum("x", bounds=(0, 10)), epsilon=1000)
        count = opened.release(ln.Count(), epsilon=1000)
    assert (round(total.value), count.value) == (20, 6)
    assert total.noise_scale == 20 / 1000
    assert (count.guarantee.scope, count.max_rows) == (ln.Scope("add-remove", "user"), 2)
    assert count.protects.startswith("protects one user")


@pytest.mark.parametrize("missing", [None, float("nan"), "", "  "])
def test_rows_of_nobody_are_not_used(missing: Any) -> None:
    data = {"user": ["A", missing, "B", missing], "x": [1.0, 50.0, 1.0, 50.0]}
    with ln.open(data, unit="user", max_rows=5) as opened:
        assert opened.release(ln.Count(), epsilon=10**6).value == 2
