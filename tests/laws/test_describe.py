"""The joint law of a small description, for rows and for persons, over all neighbouring tables.

Noisy counts are clamped, which keeps the largest ratio of probabilities, and what follows from them
is decided by the clamped ones; walks stop after their first half-lines. Shares, half-lines and the
rules that decide are those of the library.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest

from leastnoise import PureDP, audit
from leastnoise.audit.searches import at_once_law, clamped_masses, tree_law
from leastnoise.frames import open_table
from leastnoise.frames.memory.numbers import SortedNumbers
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.mechanisms.bracket import radius_split
from leastnoise.mechanisms.joint.at_once import AtOnceLaw, Base, at_once
from leastnoise.mechanisms.joint.splitting import SplittingLaw
from leastnoise.session.describing.drawing import (
    half_line_heights,
    half_lines,
    persons_beyond_used,
    rows_beyond_limits,
    side_share,
    used_law,
    used_limits,
)
from leastnoise.session.describing.forms import Form, Way, follows
from leastnoise.session.describing.outline import NUMBERS, ColumnFacts, Outline, outline
from leastnoise.session.search.unknown_bounds import graded_shares
from leastnoise.statistics import Histogram
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.subset import WHOLE, Subset, Unit

RELATIONS = ("replace-one", "add-remove", "edit")
EPSILON = Fraction(2)
ENTRIES = (0, 3, "a", None)
LATTICE = Lattice(Fraction(1), 0, 3, 0, True)
ORDERS = tuple(Fraction(i, 4) for i in (1, 2, 3))
Mass = tuple[Fraction, Fraction]
Law = dict[Any, Mass]
LABELS = ("a", "b")


def asked(subset: Subset = WHOLE, weights: dict[str, int] | None = None) -> Outline:
    """What is asked of one column of entries that may be text or numbers, with declared labels."""
    table = open_table({"x": ["a", 1], "who": ["p", "q"]})
    return outline(
        table,
        subset,
        EPSILON,
        {},
        delta=None,
        columns=["x"],
        weights={
            "distinct": 0,
            "mean": 0,
            **({} if subset.unit else {"rows": 0}),
            **(weights or {}),
        },
        column_weights=None,
        labels={"x": LABELS},
    )


def noisy(count: int, rate: Fraction, most: int = 1) -> tuple[tuple[int, Mass], ...]:
    return tuple(clamped_masses(count, rate, 0, most).items())


@cache
def quartiles_of(x: tuple[int, ...], relation: str, epsilon: Fraction) -> list[tuple[Any, Mass]]:
    if at_once(ORDERS, LATTICE, relation, epsilon):
        law = AtOnceLaw(list(x), LATTICE, ORDERS, epsilon, (Base((1, 2)),))
        table: Any = at_once_law(law).table
        return list(table.items())
    shares = graded_shares(ORDERS, relation, epsilon)
    tree = SplittingLaw(list(x), LATTICE, ORDERS, relation, shares, outward=Fraction(2, 3))
    found: Any = tree_law(tree).table
    return [(tuple(answer for _, answer in path), mass) for path, mass in found.items()]


def joined(*parts: tuple[Any, Mass]) -> tuple[Any, Mass]:
    low, high = Fraction(1), Fraction(1)
    for _, (a, b) in parts:
        low, high = low * a, high * b
    return tuple(key for key, _ in parts), (low, high)


def stops(heights: list[int], share: Fraction) -> list[tuple[int, Mass]]:
    masses = enclose_indices(heights, *radius_split(share), 96)
    return list(enumerate(masses))


def numbers_law(x: list[int], relation: str, column: ColumnFacts) -> Iterator[tuple[Any, Mass]]:
    """Quartiles, then a walk on each side of them, of one record a row."""
    inner = "edit" if relation == "replace-one" else relation
    shares = column.following(NUMBERS)
    numbers = SortedNumbers(np.array(sorted(x), dtype=np.float64))
    each = side_share(relation, shares["limits"])
    for quartiles, mass in quartiles_of(tuple(sorted(x)), inner, shares["quartiles"]):
        steps = half_lines(quartiles, whole=True)
        sides = []
        for side in (-1, 1):
            heights = half_line_heights(numbers, steps[side][:2], side, each)
            # the rank 6 / share is far from so few records; one constant more changes no price
            rank = -min(half_line_heights(SortedNumbers(np.empty(0)), [Fraction(0)], side, each))
            sides.append(stops([height + rank - 1 for height in heights], each))
        for below, above in product(*sides):
            yield joined((quartiles, mass), below, above)


def labels_law(
    data: tuple[Any, ...], relation: str, column: ColumnFacts
) -> Iterator[tuple[Any, Mass]]:
    share = column.following(("labels",))["labels"]
    rate = share / Histogram("x", categories=LABELS).touched(relation)
    cells = [noisy(sum(entry == label for entry in data), rate) for label in LABELS]
    for pair in product(*cells):
        yield joined(*pair)


Decide = Callable[[tuple[Any, ...], int, int], Way]


def released(data: tuple[Any, ...], numbers: int, others: int) -> Way:
    """Other forms have the same counts in all tables here, as if their noise were 0."""
    counts = [0] * len(Form)
    counts[Form.WHOLE], counts[Form.TEXT] = numbers, others
    return follows(counts, 0)


def by_the_data(data: tuple[Any, ...], numbers: int, others: int) -> Way:
    return released(
        data, sum(isinstance(x, int) for x in data), sum(isinstance(x, str) for x in data)
    )


def description(
    data: tuple[Any, ...], relation: str, plan: Outline, decide: Decide = released
) -> audit.Probabilities:
    """Missing entries, those that read as numbers and others, and what follows.

    Rows are counted in the law of persons below.
    """
    (column,) = plan.columns
    x = [entry for entry in data if isinstance(entry, int)]
    kinds = column.facts["reads as"] / Histogram("x", categories=LABELS).touched(relation)
    counts = [
        noisy(sum(entry is None for entry in data), column.facts["missing"]),
        noisy(len(x), kinds),
        noisy(sum(isinstance(entry, str) for entry in data), kinds),
    ]
    ways = {
        Way.WHOLE_NUMBERS: list(numbers_law(x, relation, column)),
        Way.LABELS: list(labels_law(data, relation, column)),
    }
    found: Law = {}
    for missing, numbers, others in product(*counts):
        way = decide(data, numbers[0], others[0])
        for following in ways[way]:
            outcome, mass = joined(missing, numbers, others, following)
            found[way, outcome] = mass
    return audit.Probabilities(found)


def report(
    relation: str, plan: Outline, decide: Decide = released, claim: Fraction = EPSILON
) -> audit.ExactReport:
    return audit.exact_law(
        lambda data: description(data, relation, plan, decide),
        universe=ENTRIES,
        n=2,
        relation=relation,
        claim=PureDP(claim),
    )


@pytest.mark.share(1 / 3)
@pytest.mark.parametrize("relation", RELATIONS)
def test_all_facts_together_cost_epsilon(relation: str) -> None:
    found = report(relation, asked())
    assert found.passed
    assert found.lo > EPSILON / 4


def test_what_follows_may_not_hang_on_exact_counts() -> None:
    assert not report("add-remove", asked(), by_the_data).passed


def test_what_follows_may_not_be_paid_for_one_way_alone() -> None:
    """As if labels had a share of their own beside that of numbers."""
    plan = asked(weights={"quartiles": 1, "limits": 1, "missing": 1, "labels": 100})
    (column,) = plan.columns
    twice = replace(column, facts={**column.facts, "follows": 2 * column.facts["follows"]})
    assert not report("add-remove", replace(plan, columns=(twice,))).passed


# Persons: a tuple of rows each.
PERSONS: tuple[tuple[int, ...], ...] = ((), (0,), (3, 3), (0, 3))
UNIT = Subset(unit=Unit("who", 2))


def kept(persons: tuple[tuple[int, ...], ...], most: int) -> list[tuple[list[int], Fraction]]:
    """What is left of all rows, each person's kept uniformly, and how likely."""
    if most == 2:
        return [([x for rows in persons for x in rows], Fraction(1))]
    choices = [[(x,) for x in rows] or [()] for rows in persons]
    whole = Counter(tuple(sorted(x for part in parts for x in part)) for parts in product(*choices))
    total = sum(whole.values())
    return [(list(rows), Fraction(n, total)) for rows, n in whole.items()]


def persons_law(
    persons: tuple[tuple[int, ...], ...], relation: str, plan: Outline, *, honest: bool = True
) -> audit.Probabilities:
    """Persons, quartiles of rows a person, how many are used, then rows and a walk."""
    inner = "edit" if relation == "replace-one" else relation
    (column,) = plan.columns
    each = column.following(NUMBERS)["limits"] / 2
    sizes = tuple(sorted(len(rows) for rows in persons if rows))
    counted = noisy(len(sizes), plan.table["persons"])
    found: dict[Any, list[Fraction]] = {}
    spread = quartiles_of(sizes, inner, plan.table["rows a person"])
    limits = used_limits(2)
    beyond = [sum(size > limit for size in sizes) for limit in limits]
    choice = used_law(beyond, plan.table["rows used"])
    used = [(limits[i], mass) for i, mass in choice.enclosures(96).items()]
    if not honest:
        used = [(max([1, *sizes]), (Fraction(1), Fraction(1)))]
    for many, (quartiles, mass), chosen in product(counted, spread, used):
        most = chosen[0]
        for rows, chance in kept(persons, most):
            numbers = SortedNumbers(np.array(sorted(rows), dtype=np.float64))
            share = each / most
            steps = half_lines([0, 1, 2], whole=True)[1][:2]
            heights = half_line_heights(numbers, steps, 1, share)
            rank = -half_line_heights(SortedNumbers(np.empty(0)), [Fraction(0)], 1, share)[0]
            walks = stops([height + rank - 1 for height in heights], share)
            for one in product(noisy(len(rows), plan.table["rows"] / most, 2), walks):
                outcome, (low, high) = joined(many, (quartiles, mass), chosen, *one)
                both = found.setdefault((most, outcome), [Fraction(0), Fraction(0)])
                both[0] += low * chance
                both[1] += high * chance
    return audit.Probabilities({key: (a, b) for key, (a, b) in found.items()})


def person_report(relation: str, *, honest: bool = True) -> audit.ExactReport:
    weights = {"missing": 0, "quartiles": 1, "limits": 8, "labels": 0, "rows used": 2}
    plan = asked(UNIT, weights)
    return audit.exact_law(
        lambda data: persons_law(data, relation, plan, honest=honest),
        universe=PERSONS,
        n=2,
        relation=relation,
        claim=PureDP(EPSILON),
    )


@pytest.mark.share(1 / 3)
@pytest.mark.parametrize("relation", RELATIONS)
def test_persons_cost_epsilon_however_many_rows_are_used(relation: str) -> None:
    found = person_report(relation)
    assert found.passed
    assert found.lo > EPSILON / 4


def test_the_number_of_used_rows_may_not_be_read_off_the_data() -> None:
    assert not person_report("add-remove", honest=False).passed


def test_the_choice_of_used_rows_attains_its_share_and_no_more() -> None:
    """A person with the most rows comes to twenty."""
    share = Fraction(1, 2)
    for rows in (20, 21):
        beyond = [[rows] * 3, [rows + 1] * 3]
        laws = [used_law([*some, 0], share).enclosures(256) for some in beyond]
        for i in range(4):
            (low, high), (less, more) = laws[0][i], laws[1][i]
            assert max(high / less, more / low) <= exp(share) + 1e-9
        assert laws[0][0][0] / laws[1][0][1] > exp(share * 9 / 10)


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1)])
def test_what_is_said_of_limits_and_used_rows_holds(share: Fraction) -> None:
    """The exact chance of what is called rarer than one in twenty, on data of several shapes."""
    rng = np.random.default_rng(28)
    limits = used_limits(1000)
    for sizes in (np.full(300, 10), rng.zipf(1.5, 1000), rng.zipf(3, 30), np.ones(5, int)):
        beyond = [int((sizes > limit).sum()) for limit in limits]
        law = used_law(beyond, share)
        wrong = sum(
            law.point_mass(i)
            for i, limit in enumerate(limits)
            if beyond[i] - beyond[-1] > persons_beyond_used(limit, limits, share)
        )
        assert wrong < 0.05
    for values in (np.arange(3000.0), rng.lognormal(3, 2, 3000), np.ones(3000)):
        steps = half_lines(list(np.quantile(values, [0.25, 0.5, 0.75])), whole=False)
        numbers, most = SortedNumbers(np.sort(values)), rows_beyond_limits(steps, share)
        constant = -half_line_heights(SortedNumbers(np.empty(0)), [Fraction(0)], 1, share)[0]
        for side in (-1, 1):
            heights = half_line_heights(numbers, steps[side], side, share)
            masses = enclose_indices(heights, *radius_split(share), 128)
            pairs = zip(masses, heights, strict=False)
            assert sum(high for (_, high), h in pairs if h + constant > most) < 0.025
