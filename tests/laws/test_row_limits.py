"""A limit of a person's rows that is found privately: the joint law of limit and answer.

Persons are told by how many rows they have, and their rows are alike, so which of them are used is
no matter. Every neighbouring pair of a small universe is compared for every limit that may be found
and every answer after it; wrong prices and wrong counts must be seen to fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import exp, log
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.frames import open_table
from leastnoise.frames.table import split
from leastnoise.guarantees import PureDP
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.mechanisms import row_limits
from leastnoise.mechanisms.row_limits import COST_RATE, LIMITS, limit_costs
from leastnoise.randomness import active
from leastnoise.session.checking import kind_of
from leastnoise.session.kinds import found_rows
from leastnoise.session.kinds.found_rows import FoundGroups, FoundRows
from leastnoise.session.prepare import choose_mechanism, plan
from leastnoise.summaries.subset import MOST_ROWS, Subset, Unit, parse_unit
from leastnoise.testing import simulate

RELATIONS = ["replace-one", "add-remove", "edit"]
EPSILON = Fraction(2)
# rows of a person, on both sides of the first limits and far away
SIZES = [0, 1, 3, 40]
Sizes = tuple[int, ...]


def rows_of(sizes: Sequence[int], first: str = "p") -> dict[str, Any]:
    names = [f"{first}{i}" for i, size in enumerate(sizes) for _ in range(size)]
    return {"id": np.array(names, dtype=object), "x": np.zeros(len(names), np.int64)}


def found(statistic: Any, relation: str, sizes: Sequence[int] = (), **options: Any) -> FoundRows:
    subset = Subset(unit=parse_unit("id", ln.PrivateLimit(**options)))
    prepared = plan(statistic, rows_of(sizes), relation, None, subset=subset)
    chosen = choose_mechanism(None, prepared.statistic, prepared.profile_relation)
    kind = kind_of(prepared, chosen, EPSILON)
    assert isinstance(kind, FoundRows)
    return kind


def laws_of(kind: FoundRows, sizes: Sequence[int]) -> list[tuple[Fraction, Fraction, int]]:
    """For every limit bounds of its chance, and how many rows are counted inside it."""
    table = open_table(rows_of(sizes))
    chances = kind.limit_law(table).enclosures(bits=96)
    return [
        (*chances[i], sum(min(size, limit) for size in sizes)) for i, limit in enumerate(LIMITS)
    ]


def neighbours(relation: str, most: int) -> Iterator[tuple[Sizes, Sizes]]:
    """Persons of some sizes, and one more; or one of another size. A person of none is nobody."""
    for n in range(most):
        for others in combinations_with_replacement(SIZES[1:], n):
            if relation == "add-remove":
                yield from (((*others,), (*others, size)) for size in SIZES[1:])
            else:
                yield from (((*others, a), (*others, b)) for a in SIZES for b in SIZES if a < b)


def worst(relation: str, kind: FoundRows, most: int = 3, *, answered: bool = True) -> float:
    """The greatest loss of limit and noisy count together, or of the limit alone.

    Of every other person there are two alike.

    Laplace noise of rate r loses r a row by which counts differ, in its tails.
    """
    inner = [kind.inner(limit) for limit in LIMITS]
    rates = [float(one.epsilon / one.plan.stride) * answered for one in inner]
    known: dict[Sizes, list[tuple[Fraction, Fraction, int]]] = {}
    losses = [0.0]
    for pair in neighbours(relation, most):
        same = min(map(len, pair)) - (relation != "add-remove")
        one, other = ((*sizes[:same], *sizes) for sizes in pair)
        for sizes in (one, other):
            if sizes not in known:
                known[sizes] = laws_of(kind, sizes)
        for (low, high, n), (low2, high2, n2), rate in zip(
            known[one], known[other], rates, strict=True
        ):
            losses += [
                log(high / low2) + rate * abs(n - n2), log(high2 / low) + rate * abs(n - n2)
            ]  # fmt: skip
    return max(losses)


@pytest.mark.parametrize("relation", RELATIONS)
def test_limit_and_count_cost_epsilon_together(relation: str) -> None:
    kind = found(ln.Count(), relation)
    assert kind.promised == (PureDP(EPSILON, ln.Scope(relation, "id")),)
    loss = worst(relation, kind)
    assert 0.95 * EPSILON < loss <= float(EPSILON) + 1e-9


def test_a_search_for_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = found(ln.Count(), "add-remove")
    inner = FoundRows.inner

    def unpaid(self: FoundRows, limit: int) -> Any:
        made = inner(self, limit)
        made.epsilon = self.epsilon
        return made

    monkeypatch.setattr(FoundRows, "inner", unpaid)
    assert worst("add-remove", kind) > 1.1 * EPSILON


def test_an_answer_for_persons_of_one_row_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = found(ln.Count(), "add-remove")
    inner = FoundRows.inner
    monkeypatch.setattr(FoundRows, "inner", lambda self, limit: inner(self, 1))
    assert worst("add-remove", kind, 2) > 2 * EPSILON


def test_rows_in_place_of_persons_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting the rows beyond a limit, a person of many moves its cost by all of them."""

    def by_rows(self: FoundRows, table: Any) -> PermuteAndFlipLaw:
        sizes = np.unique(table.text_ids("id"), return_counts=True)[1]
        beyond = [int(np.maximum(sizes - limit, 0).sum()) for limit in LIMITS]
        return PermuteAndFlipLaw(limit_costs(beyond, self.price), COST_RATE)

    kind = found(ln.Count(), "replace-one")
    monkeypatch.setattr(FoundRows, "limit_law", by_rows)
    assert worst("replace-one", kind, 2) > 1.5 * EPSILON


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind_of", [ln.Median, ln.Mean, ln.Variance])
def test_limits_of_quantiles_and_averages_cost_their_share(
    kind_of: Any, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = found(kind_of("x", bounds=(0, 9)), relation, share="1/2")

    assert 0.4 < worst(relation, kind, answered=False) <= 1
    twice = row_limits.quantile_costs
    monkeypatch.setattr(found_rows, "quantile_costs", lambda a, b, e: twice(a, b, 4 * e))
    assert worst(relation, kind, answered=False) > 1


@pytest.mark.parametrize("relation", RELATIONS)
def test_limit_and_mode_cost_epsilon_together(relation: str) -> None:
    """Through the audit: the limit and a choice among labels, as one table of outcomes."""
    kind = found(ln.Mode("x", categories=[0, 1]), relation)

    def law(data: tuple[Any, ...]) -> audit.Probabilities:
        sizes = [size for size, _ in data]
        names = rows_of(sizes)["id"]
        table = open_table({"id": names, "x": [x for size, x in data for _ in range(size)]})
        joint: dict[Any, tuple[Fraction, Fraction]] = {}
        for i, (low, high) in kind.limit_law(table).enclosures().items():
            inner = kind.inner(LIMITS[i])
            (one,) = inner.laws(split(table, inner.plan.subset, active()))
            for label, (a, b) in one.law.enclosures().items():
                joint[LIMITS[i], label] = (low * Fraction(a), high * Fraction(b))
        return audit.Probabilities(joint)

    report = audit.exact_law(
        law, universe=[(1, 0), (3, 0), (3, 1)], n=2, relation=relation,
        claim=PureDP(EPSILON, ln.Scope(relation)),
    )  # fmt: skip
    assert report.passed, report


GROUPS = (0, 1, 2)
# the groups of a person's rows
MEMBERSHIPS = [(), (2, 2, 2), (0, 0, 0, 1, 1, 1), (0, 1, 2)]
OF_TABLE = Fraction(8)


def table_of(persons: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    pairs = [(f"p{i}", group) for i, groups in enumerate(persons) for group in groups]
    names = np.array([name for name, _ in pairs], dtype=object)
    return {"id": names, "g": np.array([group for _, group in pairs], np.int64)}


def found_groups(relation: str) -> FoundGroups:
    rows = Subset(unit=Unit("id", 3)).grouped({"g": [*GROUPS]}, ln.PrivateLimit())
    prepared = plan(ln.Count(), table_of([]), relation, None, subset=rows)
    chosen = choose_mechanism(None, prepared.statistic, prepared.profile_relation)
    kind = kind_of(prepared, chosen, OF_TABLE)
    assert isinstance(kind, FoundGroups)
    return kind


def tail(groups: tuple[int, ...], most: int, signs: tuple[int, ...], rate: float) -> float:
    """What a person adds to the log density of noisy counts, far out in the direction of signs."""
    own = set(groups)
    kept = list(combinations(own, min(most, len(own))))
    within = [[g for g in groups if g in one] for one in kept]
    used = [list(combinations(rows, min(3, len(rows)))) for rows in within]
    moved = [sum(exp(rate * sum(signs[g] for g in one)) for one in of) / len(of) for of in used]
    return log(sum(moved) / len(moved))


def worst_of_groups(relation: str, kind: FoundGroups) -> float:
    """The greatest loss of a limit of groups and the counts of all groups together."""
    inner = [kind.inner(limit) for limit in kind.limits]
    rates = [float(one.epsilon / one.plan.stride) for one in inner]
    pairs = [((), b) for b in MEMBERSHIPS[1:]]
    if relation != "add-remove":
        pairs += list(combinations(MEMBERSHIPS, 2))
    losses = [0.0]
    for others, (a, b) in product(combinations_with_replacement(MEMBERSHIPS, 2), pairs):
        tables = [open_table(table_of([*others, one])) for one in (a, b)]
        first, second = (kind.limit_law(table).enclosures(bits=96) for table in tables)
        for i, (limit, rate) in enumerate(zip(kind.limits, rates, strict=True)):
            for signs in product((-1, 1), repeat=len(GROUPS)):
                moved = tail(a, limit, signs, rate) - tail(b, limit, signs, rate)
                losses += [
                    log(first[i][1] / second[i][0]) + moved,
                    log(second[i][1] / first[i][0]) - moved,
                ]
    return max(losses)


@pytest.mark.parametrize("relation", RELATIONS)
def test_limit_of_groups_and_all_counts_cost_epsilon_together(relation: str) -> None:
    kind = found_groups(relation)
    assert kind.limits == (1, 2, 3)
    assert kind.promised == (PureDP(OF_TABLE, ln.Scope(relation, "id")),)
    assert 0.95 * OF_TABLE < worst_of_groups(relation, kind) <= float(OF_TABLE) + 1e-9


@pytest.mark.parametrize("wrong", ["unshared", "unpaid"])
def test_groups_that_do_not_share_and_a_search_for_nothing_are_seen(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    relation = "edit" if wrong == "unshared" else "add-remove"
    kind, inner = found_groups(relation), FoundGroups.inner

    def cheap(self: FoundGroups, limit: int) -> Any:
        made = inner(self, limit)
        reached = made.plan.subset.times(relation)
        left = self.epsilon - self.price
        made.epsilon = left if wrong == "unshared" else self.epsilon / reached
        return made

    monkeypatch.setattr(FoundGroups, "inner", cheap)
    assert worst_of_groups(relation, kind) > 1.1 * OF_TABLE


@pytest.mark.parametrize("relation", RELATIONS)
def test_what_groups_share_is_what_a_search_leaves(relation: str) -> None:
    kind = found_groups(relation)
    for limit in kind.limits:
        one = kind.inner(limit)
        reached = one.plan.subset.times(relation)
        assert reached == min(3, limit if relation == "add-remove" else 2 * limit)
        assert kind.price + reached * one.epsilon == OF_TABLE
    assert kind.price == OF_TABLE * Fraction(3, 10)


def test_a_table_finds_how_many_groups_of_a_person_are_used() -> None:
    persons = [(0,)] * 300 + [(0, 1, 2)] * 300
    limit = ln.PrivateLimit()
    with (
        simulate(seed=5),
        ln.open(table_of(persons), unit="id", max_rows=limit, relation="add-remove") as opened,
    ):
        view = opened.group_by({"g": [*GROUPS]}, max_groups=limit)
        made = view.release(ln.Count(), epsilon=4000)
    assert made.guarantee == PureDP(4000, ln.Scope("add-remove", "id"))
    assert [abs(made[g].value - n) <= 1 for g, n in enumerate((600, 300, 300))] == [True] * 3
    parts = made[0].parts
    assert [*parts] == ["limit of groups", "limit of rows", "answer, Laplace()"]
    assert sum(map(Fraction, [*parts.values()][1:])) * 3 == 4000 - Fraction(
        parts["limit of groups"]
    )
    assert any("in 3 groups at most" in note for note in made[0].notes)


def test_counts_are_of_persons_in_the_subset() -> None:
    table = {
        "id": ["a", "a", "a", "b", "b", None, None, "c", " c"],
        "g": [1, 1, 2, 1, 3, 1, 1, 2, 2],
        "y": [0, 1, 1, 1, 1, 1, 1, 1, 1],
    }
    opened = open_table(table)
    whole = Subset(unit=parse_unit("id", ln.PrivateLimit()))
    assert opened.persons_beyond(whole, [0, 1, 2, 3]) == [3, 3, 1, 0]
    assert opened.persons_beyond(whole.filtered(ln.col("y") == 1), [0, 1, 2]) == [3, 3, 0]
    grouped = whole.grouped({"g": [1, 2]}, 1)
    assert opened.persons_beyond(grouped, [0, 1, 2, 3]) == [3, 2, 1, 0]
    other = whole.grouped({"g": [1, 2]}, 1, True)
    assert opened.persons_beyond(other, [1, 2]) == [3, 1]
    assert opened.persons_beyond(grouped, [0, 1, 2], in_groups=True) == [3, 1, 0]
    assert opened.persons_beyond(other, [0, 1, 2], in_groups=True) == [3, 2, 0]


def test_a_release_uses_what_it_found() -> None:
    sizes = [3] * 400 + [60] * 5
    data = {**rows_of(sizes), "x": np.ones(sum(sizes), np.int64)}
    for relation in RELATIONS:
        with (
            simulate(seed=3),
            ln.open(
                data, unit="id", max_rows=ln.PrivateLimit(share="1/2"), relation=relation
            ) as opened,
        ):
            count = opened.release(ln.Count(), epsilon=4000)
            groups = opened.group_by({"x": [1, 2]}, max_groups=1).release(ln.Count(), epsilon=4000)
        assert count.max_rows is not None
        assert count.max_rows >= 60
        assert abs(count.value - sum(sizes)) <= 1
        assert count.guarantee == PureDP(4000, ln.Scope(relation, "id"))
        assert count.parts == {"limit of rows": "2000", "answer, Laplace()": "2000"}
        times = 1 if relation == "add-remove" else 2
        assert groups.guarantee == PureDP(Fraction(4000 * times), ln.Scope(relation, "id"))
        assert groups[1].max_rows == groups[2].max_rows
    with simulate(seed=3), ln.open(data, unit="id", max_rows=ln.PrivateLimit()) as opened:
        few = [opened.release(ln.Count(), epsilon="1/4") for _ in range(20)]
        persons = opened.release(ln.CountDistinct("id"), epsilon=4000)
    cheap = ln.PrivateLimit(share="1/1000")
    with simulate(3), ln.open(data, unit="id", max_rows=cheap, relation="add-remove") as opened:
        cut = opened.release(ln.Count(), epsilon=400)
    assert cut.max_rows is not None
    assert 3 <= cut.max_rows < 60
    assert abs(cut.value - sum(min(size, cut.max_rows) for size in sizes)) <= 2
    # the five with sixty rows cannot be told from noise
    assert sum(one.max_rows is not None and one.max_rows < 60 for one in few) > 10
    assert (persons.value, persons.max_rows, persons.parts) == (405, MOST_ROWS, {})


def test_what_does_not_fit_is_refused_before_a_row_is_read() -> None:
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: ln.PrivateLimit(share=1), "share must lie"),
        (lambda: ln.open(rows_of([1]), max_rows=ln.PrivateLimit()), "give unit="),
        (
            lambda: ln.open(rows_of([1]), unit="id", max_rows=3)
            .group_by({"x": [0, 1]}, max_groups=ln.PrivateLimit())
            .release(
                ln.Count(),
                epsilon=1,
                mechanism=ln.Gaussian(delta="1e-6"),
            ),
            "declare max_groups",
        ),
        (
            lambda: ln.profile(
                ln.Count(), rows_of([1]), unit="id",
                max_rows=ln.PrivateLimit(),  # pyright: ignore[reportArgumentType]
            ),
            "declare it",
        ),
        (lambda: audit.exact(
            ln.Count(), universe=[(1,)], n=1, epsilon=1, relation="edit", unit="id",
            build=lambda data: rows_of([1]), max_rows=ln.PrivateLimit()), "no law that can be"),
    ]  # fmt: skip
    for make, text in wrong:
        with pytest.raises(ParameterError, match=text):
            make()


def test_limits_are_public() -> None:
    assert LIMITS[:8] == (1, 2, 3, 4, 6, 8, 11, 16)
    assert LIMITS[-1] == MOST_ROWS
    assert list(LIMITS) == sorted(set(LIMITS))
    assert found_rows.LIMITS is LIMITS


def test_a_description_has_a_search_of_its_own() -> None:
    data = {"id": [i % 50 for i in range(500)], "x": list(range(500))}
    with simulate(seed=2), ln.open(data, unit="id", max_rows=ln.PrivateLimit()) as opened:
        made = opened.describe(epsilon=100)
    with simulate(seed=2), ln.open(data, unit="id", max_rows=MOST_ROWS) as opened:
        assert str(opened.describe(epsilon=100)) == str(made)
