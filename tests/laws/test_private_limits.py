"""Privacy of limits that are found inside declared bounds, by enumeration of every path."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import leastnoise as ln
from leastnoise import PureDP, audit
from leastnoise.audit.scripted import (
    Dataset,
    Scripted,
    ScriptedNear,
    again_limits_search,
    far_limits_search,
    limits_search,
    near_limits_search,
    scripted_limits,
)
from leastnoise.errors import ParameterError
from leastnoise.estimators import PrivateLinearRegression
from leastnoise.frames.memory.numbers import HeldNumbers, SortedNumbers
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    CentredLaplace,
    far_limits,
    near_limits,
    private_limits,
    row_limits,
)
from leastnoise.mechanisms.private_limits import (
    COST_RATE,
    are_enough,
    beside,
    carried,
    centre_share,
    inner_split,
    is_long,
    key_of,
    last_tolls,
    limit_shares,
    outer_tolls,
    radius_costs,
    radius_of,
    scattered_share,
)
from leastnoise.randomness import active
from leastnoise.session.kinds import limited
from leastnoise.session.search import far, limits, near
from leastnoise.session.search.limits import Limits, LimitSearch
from leastnoise.testing import simulate
from support.engines import on_engine

EPSILON = Fraction(1)
RELATIONS = ("replace-one", "add-remove", "edit")
UNIVERSE = (0, 1, 2)


def loss(
    law_of: Callable[[Dataset], object], relation: str, claim: Fraction = EPSILON, **more: Any
) -> audit.ExactReport:
    asked = {"universe": UNIVERSE, "n": 2, **more}
    return audit.exact_law(law_of, relation=relation, claim=PureDP(claim), **asked)


@pytest.mark.parametrize("relation", RELATIONS)
def test_limits_and_sum_together(relation: str) -> None:
    found = loss(lambda data: limits_search(data, relation, EPSILON), relation)
    assert found.passed
    assert found.lo > EPSILON * 8 / 10  # nearly all of epsilon is lost somewhere


def two_sided(data: Dataset, relation: str) -> audit.Probabilities:
    """The limits alone, on both sides of 0."""
    found: dict[Hashable, tuple[Fraction, Fraction]] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        draws = Scripted(waiting.pop())
        numbers = SortedNumbers(np.array(sorted(data), dtype=np.float64))
        declared = (Fraction(-1), Fraction(1))
        search = LimitSearch(
            numbers, declared, relation, EPSILON, 2, draws, finest=2.0, centred=True
        )
        assert search.run().cost < EPSILON
        waiting += draws.others
        found[draws.script] = draws.mass
    return audit.Probabilities(found)


@pytest.mark.parametrize("relation", RELATIONS)
def test_limits_of_both_sides_cost_what_they_say(relation: str) -> None:
    shares = limit_shares(Fraction(2), EPSILON, sides=2)
    price = scattered_share(Fraction(2)) + 2 * (shares.inner + shares.outer)
    assert loss(lambda data: two_sided(data, relation), relation, price, universe=(-1, 0, 1)).passed


def test_a_walk_for_nothing_breaks_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitSearch, "_charge", lambda self, stage, share: share * self.epsilon)
    found = loss(lambda data: limits_search(data, "add-remove", EPSILON), "add-remove")
    assert not found.passed


@pytest.mark.parametrize(("far", "questions"), [(0, 8), (300, 8)])
def test_every_question_is_paid_for(
    far: int, questions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many are off 0; inner and outer; last of long tails, or how many are beyond and again."""
    asked: list[Fraction] = []
    split, costs = limits.inner_split, limits.radius_costs

    def walked(price: Fraction) -> tuple[Fraction, Fraction]:
        asked.append(price)
        assert sum(split(price)) == price
        return split(price)

    def chosen(beyond: list[int], tolls: list[float], price: Fraction) -> list[int]:
        asked.append(price)
        return costs(beyond, tolls, price)

    def counted(self: limits.Draws, rows: int, price: Fraction) -> int:
        asked.append(price)
        return rows

    monkeypatch.setattr(limits, "inner_split", walked)
    monkeypatch.setattr(limits, "radius_costs", chosen)
    monkeypatch.setattr(limits.Draws, "rows", counted)
    tail = (1 - np.random.default_rng(3).random(5000)) ** -1.0
    if far:  # a gap, and no tail
        tail = np.append(np.linspace(1, 2, 5000 - far), np.full(far, 1000.0))
    numbers = HeldNumbers(np.concatenate([tail, -tail]))
    with simulate("paid"):
        search = LimitSearch(
            numbers, (Fraction(-(10**9)), Fraction(10**9)), "add-remove", EPSILON, 10_000,
            limits.Draws(active()), centred=True,
        )  # fmt: skip
        found = search.run()
    assert len(asked) == questions
    assert ("limits again" in found.spent) == bool(far)
    assert not far or found.high > 1000
    assert sum(asked) == found.cost


@pytest.mark.parametrize("relation", RELATIONS)
def test_limits_that_are_chosen_again_cost_what_they_say(relation: str) -> None:
    """By every path, where one record beyond the limits stands for many."""
    paths = [*scripted_limits((4,), relation, EPSILON, 4, 1.0, ScriptedNear)]
    most = max(found.cost for found, _, _ in paths)
    assert most == max(found.cost for found, _, _ in paths if "limits again" in found.spent)
    found = loss(
        lambda data: again_limits_search(data, relation, EPSILON),
        relation,
        most,
        universe=(0, 4),
        n=1,
    )
    assert found.passed


class BesideZero(limits.Draws):
    """Draws that find a centre beside 0 and count exactly, at prices that are noted."""

    def __init__(self) -> None:
        super().__init__(active())
        self.asked: list[Fraction] = []

    def median(self, numbers: Any, epsilon: Fraction, relation: str) -> Fraction:
        return Fraction(1, 2**20)

    def rows(self, rows: int, epsilon: Fraction) -> int:
        self.asked.append(epsilon)
        return rows


def test_the_question_about_0_beside_the_centre_is_paid_for() -> None:
    numbers, draws = HeldNumbers(np.repeat([0.0, 1.0], [2400, 600])), BesideZero()
    search = LimitSearch(numbers, (Fraction(0), Fraction(20)), "edit", EPSILON, 3000, draws)
    found = search.run()
    assert len(draws.asked) == 2  # off the centre are all, off 0 a fifth
    assert found.spent["records off the centre"] == sum(draws.asked)
    assert found.high >= 1


def test_ranks_from_the_exact_row_count_break_the_claim() -> None:
    """With one rank for all data sets an added record moves the heights; here it does not."""

    def law_of(data: Dataset) -> audit.Probabilities:
        heights = [sum(x >= t for x in data) - 3 * len(data) for t in (1, 2)]
        masses = enclose_indices(heights, *inner_split(EPSILON))
        return audit.Probabilities(dict(enumerate(masses)))

    assert loss(law_of, "add-remove").lo > EPSILON


def test_walks_that_are_not_nested_break_the_price() -> None:
    def law_of(data: Dataset) -> audit.Probabilities:
        heights = [sum(x == t for x in data) for t in (1, 2, 1, 2, 1, 2)]
        masses = enclose_indices(heights, *inner_split(EPSILON))
        return audit.Probabilities(dict(enumerate(masses)))

    assert loss(law_of, "replace-one").lo > EPSILON


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_count_limits_and_mean_together(relation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One record moves the count by 1 and the centred sum by a width, or the sum by two widths."""
    count, search, total = prices(relation, monkeypatch)
    assert count + search + total == EPSILON
    assert search + 2 * total <= EPSILON


def test_a_sum_with_all_of_its_half_after_the_search_breaks_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count, search, _ = prices("add-remove", monkeypatch)
    assert count + search + EPSILON / 2 > EPSILON


def prices(relation: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Fraction, Fraction, Fraction]:
    """What a mean pays for its count, the search and its sum, by the noise that is drawn."""
    rates: list[Fraction] = []
    laws: list[Any] = []
    noise, ratio_law = limited._noise, limited.Limited._ratio_law

    def drawn(rate: Fraction) -> int:
        rates.append(rate)
        return noise(rate)

    def made(self: limited.Limited, *parts: Any) -> object:
        laws.append(ratio_law(self, *parts))
        return laws[-1]

    monkeypatch.setattr(limited, "_noise", drawn)
    monkeypatch.setattr(limited.Limited, "_ratio_law", made)
    x = np.random.default_rng(6).exponential(3, 5000)
    with simulate("prices"):
        record = ln.release(
            ln.Mean(bounds=(0, 1e6), missing="none"), x, epsilon=1, relation=relation
        )
    widths = [EPSILON / 2 / law.parts.rate_total for law in laws]  # one record, in steps
    assert len(widths) == 1  # inside the limits
    search = sum(Fraction(record.parts[name]) for name in record.parts if "noisy" not in name)
    return rates[0], Fraction(search), rates[1] * widths[0]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_counts_limits_and_means_of_groups_together(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every group pays for its count and its sum, and once for the limits of all."""
    rates: list[tuple[Fraction, Fraction]] = []
    laws: list[Any] = []
    pairs, ratio_law = limited.pairs_of_noise, limited.Limited._ratio_law

    def drawn(first: Fraction, second: Fraction, *more: Any) -> Any:
        rates.append((first, second))
        return pairs(first, second, *more)

    def made(self: limited.Limited, *parts: Any) -> object:
        laws.append(ratio_law(self, *parts))
        return laws[-1]

    monkeypatch.setattr(limited, "pairs_of_noise", drawn)
    monkeypatch.setattr(limited.Limited, "_ratio_law", made)
    rng = np.random.default_rng(6)
    table = {"x": rng.exponential(3, 9000), "g": rng.integers(0, 30, 9000)}
    with simulate("prices"), ln.open(table, relation=relation) as data:
        asked = data.group_by({"g": range(30)})
        made_of = asked.release(ln.Mean("x", bounds=(0, 1e6), missing="none"), epsilon=1)
    (law,), ((count, rate),) = laws, rates
    width = EPSILON / 2 / law.parts.rate_total
    said = made_of[7].parts
    search = sum(Fraction(said[name]) for name in said if "noisy" not in name)
    assert made_of[7].bounds != (0, 1e6)
    assert count + search + rate * width == EPSILON
    assert (Fraction(said["noisy count"]), Fraction(said["noisy sum"])) == (count, rate * width)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_a_private_row_count_steers_the_search_through_noise_only(relation: str) -> None:
    x = np.random.default_rng(7).exponential(3, 20_000)
    asked = ln.Sum(bounds=(0, 1e6), missing="none")
    seen: set[str] = set()
    for seed in range(12):
        with simulate(str(seed)):
            record = ln.release(asked, x, epsilon=1, relation=relation)
        seen.add(record.parts["records off the centre"])
    assert (len(seen) == 1) == (relation == "replace-one")


def parts(record: ln.Release) -> Fraction:
    return sum(map(Fraction, record.parts.values()), Fraction(0))


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("statistic", [ln.Mean, ln.Sum])
@pytest.mark.parametrize("top", [10, 10**4, 10**9, 1e300])
@pytest.mark.parametrize("missing", ["none", "drop"])
def test_parts_add_up_to_epsilon(statistic: Any, relation: str, top: float, missing: str) -> None:
    x = np.random.default_rng(1).random(3000) * 10
    more = {"max_rows": 4000} if statistic is ln.Sum else {}
    asked = statistic(bounds=(0, top), missing=missing, **more)
    with simulate("parts"):
        record = ln.release(asked, x, epsilon="3/2", relation=relation)
    assert record.mechanism == "PrivateLimits()"
    assert parts(record) == Fraction(3, 2)
    low, high = record.bounds
    assert 0 <= low < high <= top
    assert high < 60  # whatever was declared
    assert abs(record.value - (x.mean() if statistic is ln.Mean else x.sum())) < (
        1 if statistic is ln.Mean else 500
    )


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("statistic", [ln.Mean, ln.Sum])
@pytest.mark.parametrize("bounds", [(-1e6, 1e6), (0, 1e6), (-3, 3)])
def test_every_part_is_positive_where_a_search_just_begins(
    statistic: Any, relation: str, bounds: tuple[float, float]
) -> None:
    """There a search takes the most; what it leaves has to be enough for an answer."""
    private = relation != "replace-one"  # a sum is about 0 then, a mean has half of epsilon
    searched, times = 0, (4 if statistic is ln.Sum else 2) if private else 1
    for rows in (1000, 1001, 1100, 1300, 2000, 4000):
        x = np.random.default_rng(8).normal(0, 1, rows * times)
        x = x if bounds[0] else np.abs(x)  # else half of the records are at 0
        asked = statistic(bounds=bounds, missing="none")
        for seed in range(4):
            with simulate(f"{rows} {seed}"):
                record = ln.release(asked, x, epsilon=1, relation=relation)
            spent = {name: Fraction(part) for name, part in record.parts.items()}
            assert all(part > 0 for part in spent.values())
            assert not spent or sum(spent.values()) == EPSILON
            searched += "inner limits" in spent
    assert searched > 10


def test_every_group_is_searched_on_its_own_rows() -> None:
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {
            "g": ["a", "b"] * 5000,
            "x": np.where(np.arange(10_000) % 2, 1e6, 1.0) * rng.random(10_000),
        }
    )
    with simulate("groups"):
        found = (
            ln.open(frame)
            .group_by({"g": ["a", "b"]})
            .release({"mean": ln.Mean("x", bounds=(0, 1e9), missing="none")}, epsilon=1)
        )
    tops = {group: answers["mean"].bounds[1] for (group,), answers in found.items()}
    assert tops["a"] < 10
    assert 1e5 < tops["b"] < 1e7


@pytest.mark.parametrize("where", ["memory", "polars lazy", "duckdb"])
@pytest.mark.parametrize("statistic", [ln.Mean, ln.Sum])
def test_many_groups_have_limits_in_common(
    where: str, statistic: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates: list[Fraction] = []
    noise = limited._noise

    def drawn(rate: Fraction) -> int:
        rates.append(rate)
        return noise(rate)

    monkeypatch.setattr(limited, "_noise", drawn)
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"g": np.arange(6000) % 30, "x": rng.exponential(3, 6000)})
    held = frame if where == "memory" else on_engine(where, frame.to_arrow())
    groups = ln.open(held, relation="add-remove").group_by({"g": list(range(30))})
    with simulate("many"):
        found = groups.release({"x": statistic("x", bounds=(0, 1e9), missing="none")}, epsilon=1)
    records = [answers["x"] for _, answers in found.items()]
    assert len({record.bounds for record in records}) == 1
    assert records[0].bounds[1] < 200
    budget = EPSILON / 2 if statistic is ln.Mean else EPSILON
    for record in records:
        assert parts(record) == EPSILON
        assert Fraction(record.parts["rows of all groups"]) == rates[0] == budget / 100
        assert Fraction(record.parts["inner limits"]) > 0


@pytest.mark.parametrize("relation", RELATIONS[:2])
def test_few_rows_keep_the_declared_bounds_at_no_cost(relation: str) -> None:
    record = ln.release(
        ln.Mean(bounds=(0, 10), missing="none"), [1, 2, 3], epsilon=1, relation=relation
    )
    assert record.mechanism == ("Laplace()" if relation == "replace-one" else "LaplaceRatio()")
    assert record.bounds == (0, 10)
    assert record.noise_scale == (pytest.approx(10 / 3) if relation == "replace-one" else None)


@pytest.mark.parametrize("statistic", [ln.Mean, ln.Sum])
def test_a_noisy_row_count_is_no_cliff_where_a_search_begins(statistic: Any) -> None:
    x = np.random.default_rng(4).exponential(3, 2000)
    asked = statistic(bounds=(0, 1e9), missing="none")
    with simulate("cliff"):
        records = [ln.release(asked, x, epsilon="1/2", relation="add-remove") for _ in range(40)]
    assert sum(record.limits is not None for record in records) > 35


@pytest.mark.parametrize("relation", ["replace-one", "edit"])
@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4])
@pytest.mark.parametrize("rows", [1000, 1500, 2000])
@pytest.mark.parametrize("top", [1, 20])
def test_a_column_of_zeros_and_some_ones_is_not_taken_for_zeros(
    top: int, rows: int, share: float, relation: str
) -> None:
    """The median of so many zeros may be any small number, and limits about it were nearly 0."""
    x = (np.arange(rows) < round(share * rows)).astype(float)
    asked = ln.Mean(bounds=(0, top), missing="none")
    for seed in range(4):
        with simulate(f"ones {seed}"):
            record = ln.release(asked, x, epsilon=1, relation=relation)
        assert record.bounds[1] >= 1
        assert parts(record) == (0 if (top, relation) == (1, "replace-one") else EPSILON)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind", [ln.Mean, ln.Sum])
def test_bounds_of_zeros_and_ones_are_kept(kind: Any, relation: str) -> None:
    """A search took some sixty ones among 20,000 rows for none in one of twenty releases."""
    x = [1.0] * 60 + [0.0] * 19_940
    for seed in range(8):
        with simulate(f"rare {seed}"):
            record = ln.release(
                kind(bounds=(0, 1), missing="none"), x, epsilon=1, relation=relation
            )
        assert record.limits is None
        assert abs(record.value * (len(x) if kind is ln.Mean else 1) - 60) < 30


def test_a_column_of_few_whole_numbers_keeps_its_bounds() -> None:
    record = ln.release(ln.Mean(bounds=(0, 1), missing="none"), np.array([0, 1] * 5000), epsilon=1)
    assert record.mechanism == "Laplace()"


@pytest.mark.parametrize("front", ["numpy", "list", "CSV"])
def test_a_column_of_few_steps_keeps_its_bounds_whatever_holds_it(
    front: str, tmp_path: Path
) -> None:
    ages = [20, 30, 40] * 400
    data: Any = {"x": ages}
    if front == "numpy":
        data = {"x": np.array(ages)}
    if front == "CSV":
        (tmp_path / "ages.csv").write_text("x\n" + "\n".join(map(str, ages)))
        data = tmp_path / "ages.csv"
    for bounds, step, kept in (((0, 150), 1, True), ((0, 15), "0.1", True), ((0, 151), 1, False)):
        with simulate("steps"):
            asked = ln.Sum("x", bounds=bounds, step=step, missing="none")
            record = ln.release(asked, data, epsilon=1)
        assert (record.mechanism == "Laplace()") == kept


def test_a_large_epsilon_gives_the_plain_answer() -> None:
    x = [0.0, 1.0, 2.0, 700.0]
    for relation in ("replace-one", "add-remove"):
        with simulate("plain"):
            record = ln.release(
                ln.Mean(bounds=(0, 1e6), missing="none"), x, epsilon=10**9, relation=relation
            )
        assert record.value == pytest.approx(np.mean(x), abs=1e-3)


def test_counts_beyond_radii_are_the_definition() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.standard_cauchy(3000), [0.0, -0.0, np.inf, -np.inf, 1.5, -2.5]])
    keys = np.arange(key_of(Fraction(1, 8)), key_of(Fraction(64)))
    for centre in (0.0, 0.5, -3.0):
        above, below = HeldNumbers(x).beyond(centre, keys)
        for place, key in list(enumerate(keys.tolist()))[::7]:
            assert above[place] == np.sum(x - centre >= radius_of(key))
            assert below[place] == np.sum(centre - x >= radius_of(key))


@pytest.mark.parametrize("where", ["polars lazy", "duckdb"])
def test_engines_count_beyond_radii_as_memory_does(where: str) -> None:
    rng = np.random.default_rng(4)
    ends = [0.0, 40.0, 41.5, 1e300, -1e300, np.inf, -np.inf]
    x = np.concatenate([rng.normal(40, 30, 2500), ends])
    asked = ln.Mean("x", bounds=(-1e9, 1e9), missing="none")
    seen = []
    for held in (pl.DataFrame({"x": x}), on_engine(where, pl.DataFrame({"x": x}).to_arrow())):
        with simulate("engines"):
            seen.append(ln.release(asked, held, epsilon=1).to_dict())
    assert seen[0] == seen[1]


def test_radii_and_places() -> None:
    for key in range(key_of(Fraction(1, 1000)), key_of(Fraction(1000))):
        radius = Fraction(radius_of(key))
        assert key_of(radius) == key
        assert key_of(radius * Fraction(1001, 1000)) == key
        assert radius < Fraction(radius_of(key + 1)) <= radius * Fraction(17, 16)
    assert key_of(Fraction(0)) == key_of(Fraction(2) ** private_limits.LEAST)
    assert key_of(Fraction(10) ** 400) == key_of(Fraction(2) ** private_limits.MOST)


@pytest.mark.parametrize("records", [1000, 10**5])
def test_a_heavy_tail_is_carried_farther(records: int) -> None:
    size = Fraction(records)
    uniform, normal, power = (carried(1.0, r, size, long=False) / r for r in (1.1, 1.6, 4.0))
    assert uniform < normal < power < 2.5
    assert 1 < carried(1.0, 50.0, size, long=True) / 50 < 2


def test_a_side_of_few_records_is_judged_beside_the_other() -> None:
    assert beside(key_of(Fraction(3)), 3.0) == beside(key_of(Fraction(3)), 8.0)
    near = radius_of(beside(key_of(Fraction(1, 2**30)), 8.0))
    assert near == 1 / 8
    # up to the other side's radius there is little to pay, and no tail
    short, size = 8 - near, Fraction(6000)
    for tolls in (outer_tolls, last_tolls):
        assert tolls([short + near, short + 4], size)[1] < 3 < tolls([near, 4.0], size)[1]
        assert tolls([short + near, short + 64], size)[1] > 8
    assert not is_long(near, Fraction(8), Fraction(1000), short)
    assert is_long(near, Fraction(8), Fraction(1000))
    assert carried(near, 4.0, size, long=False, short=short) < 5


@pytest.mark.parametrize("share", ["1/30", "1/12", "1/5"])
@pytest.mark.parametrize("kind", [ln.Sum, ln.Mean])
def test_the_side_that_few_records_are_on_is_not_cut_off(kind: Any, share: str) -> None:
    """Profits and a few losses, counted from 0, which most records of the mean are."""
    rng, rows = np.random.default_rng(11), 6000
    losses = np.arange(rows) < rows * Fraction(share)
    values = rng.lognormal(4, 0.5, rows) * np.where(losses, -1, 1)
    if kind is ln.Mean:
        values = np.concatenate([values, np.zeros(8000)])
    size = 1 if kind is ln.Sum else len(values)
    truth, profits = float(values.sum() / size), float(np.maximum(values, 0).sum() / size)
    errors: list[float] = []
    for seed in range(9):
        with simulate(seed):
            found = ln.release(kind("x", bounds=(-2000, 2000)), {"x": values.tolist()}, epsilon=1)
        errors.append(abs(float(found.value) - truth))
    assert sorted(errors)[4] < (profits - truth) / 4


def test_tolls_keep_the_mean_radius_finite() -> None:
    """Each power of two has to cost more than ln 2, however far away it is."""
    for records in (Fraction(1000), Fraction(10**6)):
        for tolls in (outer_tolls, last_tolls):
            paid = tolls([2.0**i for i in range(60)], records)
            assert all(b - a > log(2) for a, b in pairwise(paid))


def test_costs_of_a_choice_move_by_one_record() -> None:
    """In units of ``COST_RATE``, by at most epsilon, whatever the tolls are."""
    tolls = [0.0, 0.7, 3.3]
    for epsilon in (Fraction(1, 3), Fraction(10**9), Fraction(1, 10**9)):
        costs, more = (radius_costs([k + 2, k + 1, 0], tolls, epsilon) for k in (5, 6))
        moves = [b - a for a, b in zip(costs, more, strict=True)]
        assert moves[0] == moves[1] >= 0 == moves[2]
        assert epsilon * (1 - Fraction(1, 100)) < moves[0] * COST_RATE <= epsilon


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("share", [0.01, 0.05, 0.1, 0.13, 0.2, 0.4, 0.87, 0.9, 0.99])
@pytest.mark.parametrize("statistic", [ln.Mean, ln.Sum, ln.Variance])
def test_records_off_one_number_are_not_clipped_to_it(
    statistic: Any, share: float, relation: str
) -> None:
    """A tenth of all records may lie beyond a radius, which are all that are not one number."""
    rng = np.random.default_rng(21)
    x = 7.0 * (rng.random(5000) < share)
    truth = {ln.Mean: x.mean(), ln.Sum: x.sum(), ln.Variance: x.var()}[statistic]
    for top in (7, 20):
        with simulate(f"{share}"):
            record = ln.release(
                statistic(bounds=(0, top), missing="none"), x, epsilon=2, relation=relation
            )
        rough = statistic is ln.Variance or share in (0.01, 0.99)
        assert record.value == pytest.approx(truth, rel=0.5 if rough else 0.1)


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("statistic", [ln.Sum, ln.Mean, ln.Variance])
def test_a_noisy_number_of_no_rows_keeps_the_declared_bounds(statistic: Any, relation: str) -> None:
    """It may be 0 or negative, where fewer rows than by default are searched."""
    asked = statistic(bounds=(0, 10**6), missing="drop")
    for seed in range(60):
        with simulate(f"none {seed}"):
            record = ln.release(
                asked, np.zeros(seed % 3), epsilon=3, relation=relation,
                mechanism=ln.PrivateLimits(fewest=100),
            )  # fmt: skip
        assert abs(float(record.value)) < float("inf")


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("bounds", [(5, 10**6), (-(10**6), -5), (0.1, 10**9), (1e30, 1.5e30)])
@pytest.mark.parametrize("missing", ["drop", 7])
def test_sums_in_bounds_without_0_are_answered(
    bounds: tuple[float, float], missing: Any, relation: str
) -> None:
    """Also where all records are beyond the declared end that is next to 0."""
    x = np.random.default_rng(0).exponential(0.5, 5000) * np.sign(bounds[1])
    number = missing if missing == "drop" or bounds[0] < 7 < bounds[1] else bounds[1]
    asked = ln.Sum(bounds=bounds, missing=number)
    for seed in range(12):
        with simulate(f"beyond {seed}"):
            record = ln.release(asked, x, epsilon=1, relation=relation)
        low, high = record.bounds
        assert bounds[0] <= low < high <= bounds[1]


def test_few_records_off_one_number_keep_the_declared_bounds() -> None:
    many = Fraction(10**4)
    for sides in (1, 2):
        assert not are_enough(100, 10**4, EPSILON, sides=sides)
        assert are_enough(2000, 10**4, EPSILON, sides=sides)
        assert are_enough(50, 100, EPSILON, sides=sides)  # whatever is asked for fewer rows
    assert scattered_share(many) * 400 == 6  # noise that hides no more than a sixth of the least
    x = np.append(np.zeros(9900), np.full(100, 3.0))
    with simulate("few"):
        record = ln.release(ln.Mean(bounds=(0, 1000), missing="none"), x, epsilon=1)
    assert record.limits is None
    assert set(record.parts) == {"centre", "records off the centre", "answer, Laplace()"}


def test_a_gap_is_crossed_and_a_long_tail_is_looked_at_again() -> None:
    rng = np.random.default_rng(9)
    gap = np.concatenate([rng.normal(0, 1, 9000), rng.normal(1e4, 1, 1000)])
    power = (1 - rng.random(10_000)) ** (-1 / 1.2)
    for x in (gap, power):
        asked = ln.Mean(bounds=(-1e9, 1e9), missing="none")
        with simulate("gap"):
            records = [ln.release(asked, x, epsilon=4) for _ in range(20)]
        assert sum("last limits" in record.parts for record in records) > 15
        errors = [abs(record.value - x.mean()) for record in records]
        assert np.mean(errors) < 4 * np.ptp(x) / len(x) / 4


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("centred", [False, True])
def test_the_search_leaves_most_of_epsilon(sides: int, centred: bool) -> None:
    for records in (1, 1000, 10**4, 10**6, 10**9):
        size = Fraction(records)
        shares = limit_shares(size, EPSILON, sides=sides)
        spent = scattered_share(size) + sides * (shares.inner + shares.outer)
        spent += 0 if centred else centre_share(size)
        assert 0 < spent < Fraction(31, 50)
        assert 0 < shares.last < 1 - spent - Fraction(1, 10)
        if records >= 10**6:
            assert spent < Fraction(1, 10)


def test_bounds_may_be_as_wide_as_all_doubles() -> None:
    x = np.random.default_rng(5).normal(1e6, 10, 20_000)
    top = float(np.finfo(np.float64).max) / 4
    with simulate("wide"):
        record = ln.release(ln.Mean(bounds=(-top, top), missing="none"), x, epsilon=1)
    assert record.value == pytest.approx(x.mean(), abs=1)
    alike, few = np.full(5000, 1e-6), np.full(300, 1e-6)
    for data, centre in ((alike, 1e-6), (few, 0.0)):
        with simulate("wide"):
            record = ln.release(ln.Mean(bounds=(-top, top), missing="none"), data, epsilon=1)
        assert record.limits is None or record.limits[0] <= centre <= record.limits[1]


@pytest.mark.parametrize(
    "asked", [ln.Median(bounds=(0, 1)), ln.InterquartileRange(bounds=(0, 1)), ln.Count()]
)
def test_other_statistics_are_refused(asked: Any) -> None:
    with pytest.raises(ParameterError, match="PrivateLimits"):
        ln.release(asked, [1, 2], epsilon=1, mechanism=ln.PrivateLimits())


@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
def test_a_spread_gets_what_its_limits_leave(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By noise for the range of the limits, and the record says so."""
    rates: list[Fraction] = []
    law = CentredLaplace.law

    def asked(self: CentredLaplace, profile: Any, epsilon: Any) -> Any:
        rates.append(Fraction(epsilon))
        return law(self, profile, epsilon)

    monkeypatch.setattr(CentredLaplace, "law", asked)
    x = np.random.default_rng(1).normal(30, 4, 5000)
    for top in (10**3, 10**5, 10**9):
        with simulate("spread"):
            record = ln.release(kind(bounds=(-top, top), missing="none"), x, epsilon="3/2")
        low, high = record.bounds or (0, 0)
        assert -30 < low < 25 < 35 < high < 90
        assert parts(record) == Fraction(3, 2)
        assert rates[-1] == Fraction(record.parts["answer, CentredLaplace()"])
        truth = x.var() if kind is ln.Variance else x.std()
        assert record.value == pytest.approx(truth, rel=0.15)


FAR = ("far limits", "far limits, again", "records off the centre")


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [200, 400])
def test_the_spread_of_zeros_and_as_many_ones_is_not_0(rows: int, relation: str) -> None:
    """Every second release was, inside limits of nearly nothing."""
    x = np.arange(rows) % 2.0
    for seed in range(8):
        with simulate(f"halves {seed}"):
            record = ln.release(
                ln.Variance(bounds=(0, 1), missing="none"), x, epsilon=1, relation=relation
            )
        assert record.bounds[1] == 1
        assert parts(record) == EPSILON


@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("whole", [False, True])
def test_the_spread_of_few_zeros_and_ones_is_told(kind: Any, relation: str, whole: bool) -> None:
    """Bounds of (0, 1) fit, so nothing is searched: a walk from 0 would stop at once."""
    for share in (0.1, 0.5, 0.9):
        x = np.arange(200) < 200 * share
        truth = x.var() if kind is ln.Variance else x.std()
        values: list[float] = []
        for seed in range(12):
            with simulate(f"indicator {seed}"):
                record = ln.release(
                    kind(bounds=(0, 1), missing="none"), x.astype(int if whole else float),
                    epsilon=1, relation=relation,
                )  # fmt: skip
            values.append(record.value)
            assert whole or sum(map(Fraction, record.parts.values())) == EPSILON
        assert np.median(np.abs(np.array(values) - truth)) < truth / 4


def test_how_a_spread_of_zeros_and_ones_is_answered_follows_from_the_noisy_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[list[str]] = []
    for rows in (40, 390, 5000):
        monkeypatch.setattr(limited, "_noise", lambda rate, rows=rows: 300 - rows)
        with simulate("indicator"):
            record = ln.release(
                ln.Variance(bounds=(0, 1)), np.arange(rows) % 2.0, epsilon=1, relation="add-remove"
            )
        found.append([*record.parts])
    assert found[0] == found[1] == found[2]
    assert found[0][-1].startswith("answer, PiecewiseLaplace(base='log'")


@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows", [60, 600])
def test_a_spread_of_few_rows_is_answered_inside_far_limits(
    kind: Any, relation: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a walk with what the limits leave, and bounds a billion times too wide do not matter."""
    rates: list[Fraction] = []
    law = AsymmetricSensitivity.law

    def asked(self: AsymmetricSensitivity, profile: Any, epsilon: Any) -> Any:
        rates.append(Fraction(epsilon))
        return law(self, profile, epsilon)

    monkeypatch.setattr(AsymmetricSensitivity, "law", asked)
    x = np.random.default_rng(1).normal(30, 4, rows)
    for top in (10**6, 10**8, 10**10):
        with simulate("far away"):
            statistic = kind(bounds=(-top, top), missing="none")
            record = ln.release(statistic, x, epsilon=3, relation=relation)
        counts = set() if relation == "replace-one" else {"row count", "row count, again"}
        if relation != "replace-one" and rows == 600:
            counts.discard("row count, again")
        (answer,) = record.parts.keys() - {*FAR, *counts}
        assert record.parts.keys() - {*FAR[1:]} == {FAR[0], *counts, answer}
        assert answer.startswith("answer, AsymmetricSensitivity(beta=")
        assert parts(record) == 3
        assert rates[-1] == Fraction(record.parts[answer])
        low, high = record.limits or (0, 0)
        # some dozen radii, so that few records of a long tail are beyond
        assert -100_000 < low < 30 - 100 * 4 < 30 + 100 * 4 < high < 100_000
        truth = x.var() if kind is ln.Variance else x.std()
        assert record.value < 30 * truth


def test_a_spread_of_few_rows_keeps_bounds_that_fit() -> None:
    x = np.random.default_rng(1).normal(30, 4, 900)
    with simulate("near"):
        record = ln.release(ln.Variance(bounds=(0, 80), missing="none"), x, epsilon=1)
    assert (record.limits, record.bounds) == (None, (0, 80))
    assert record.parts.keys() == {"far limits", "answer, TightOrLoose()"}
    assert parts(record) == 1
    with simulate("near"):
        nearer = ln.release(ln.Variance(bounds=(0, 45), missing="none"), x, epsilon=1)
    assert nearer.parts.keys() == {"far limits", "answer, CentredLaplace()"}
    few = ln.release(ln.Variance(bounds=(0, 80), missing="none"), x[:19], epsilon=1)
    assert (few.mechanism, few.limits) == ("TightOrLoose()", None)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_spreads_of_groups_share_far_limits(relation: str) -> None:
    rng = np.random.default_rng(6)
    table = {"x": rng.exponential(3, 1500), "g": rng.integers(0, 30, 1500)}
    with simulate("groups"), ln.open(table, relation=relation) as data:
        asked = data.group_by({"g": range(30)})
        made = asked.release(ln.Variance("x", bounds=(0, 1e9), missing="none"), epsilon=1)
    assert len({record.limits for record in made.values()}) == 1
    for record in made.values():
        assert parts(record) == 1
        assert record.parts.keys() >= {"rows of all groups", "far limits"}
        assert record.value < 1e5
        # candidates are as dense as the records of a group, not those of all, pay for
        assert next(reversed(record.parts)).startswith("answer, AsymmetricSensitivity(beta=21/20,")


@pytest.mark.parametrize("where", ["polars lazy", "duckdb"])
def test_far_limits_in_engines_are_those_in_memory(where: str) -> None:
    x = np.append(np.random.default_rng(4).normal(40, 30, 400), [np.inf, -np.inf, 1e300])
    asked = ln.Variance("x", bounds=(-1e9, 1e9), missing="none")
    seen = []
    for held in (pl.DataFrame({"x": x}), on_engine(where, pl.DataFrame({"x": x}).to_arrow())):
        with simulate("engines"):
            seen.append(ln.release(asked, held, epsilon=1).to_dict())
    assert seen[0] == seen[1]
    assert "far limits" in seen[0]["parts"]


def check_relations(law_of: Callable[[Dataset], audit.Probabilities], **more: Any) -> None:
    """Most of epsilon is lost somewhere; the law of a data set is one under every relation."""
    known = cache(law_of)
    for relation in RELATIONS:
        found = loss(known, relation, **more)
        assert found.passed
        assert found.lo > EPSILON * 7 / 10


@pytest.mark.parametrize("losses", [False, True])
def test_far_limits_and_a_sum_together(losses: bool) -> None:
    """By every path of the walk."""
    check_relations(lambda data: far_limits_search(data, EPSILON, losses=losses))


def test_far_limits_for_nothing_break_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "cost", Fraction(0))
    found = loss(lambda data: far_limits_search(data, EPSILON), "add-remove", n=1)
    assert not found.passed


LOSSES = {ln.MeanSquaredError: 16.0, ln.MeanAbsoluteError: 3.2, ln.RootMeanSquaredError: 4.0}


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_losses_get_what_their_limit_leaves(
    kind: Any, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And bounds a billion times too wide do not matter."""
    rates: list[Fraction] = []
    law = AsymmetricSensitivity.law

    def asked(self: AsymmetricSensitivity, profile: Any, epsilon: Any) -> Any:
        rates.append(Fraction(epsilon))
        return law(self, profile, epsilon)

    monkeypatch.setattr(AsymmetricSensitivity, "law", asked)
    x = np.random.default_rng(1).normal(0, 4, 2000)
    for top in (10**4, 10**7, 10**10):
        with simulate("losses"):
            record = ln.release(
                kind(bounds=(-top, top)), (x, np.zeros(2000)), epsilon="3/2", relation=relation
            )
        counts = set() if relation == "replace-one" else {"row count"}
        (answer,) = record.parts.keys() - {*FAR, *counts}
        assert record.parts.keys() - {*FAR[1:]} == {FAR[0], *counts, answer}
        assert record.mechanism == "PrivateLimits()"
        assert parts(record) == Fraction(3, 2)
        assert rates[-1] == Fraction(record.parts[answer])
        low, high = record.limits or (1, 0)
        assert low == 0 < high < 10**9
        assert record.value == pytest.approx(LOSSES[kind], rel=0.4)


@pytest.mark.parametrize("kind", LOSSES)
def test_losses_of_few_rows_or_in_bounds_that_fit_keep_their_limit(kind: Any) -> None:
    x = np.random.default_rng(1).normal(0, 4, 500)
    with simulate("fit"):
        record = ln.release(kind(bounds=(-20, 20)), (x, np.zeros(500)), epsilon=1)
        few = ln.release(kind(bounds=(-20, 20)), (x[:19], np.zeros(19)), epsilon=1)
        noisy = ln.release(kind(bounds=(-20, 20), missing="drop"), (x, np.zeros(500)), epsilon=1)
    assert (record.limits, few.limits, noisy.limits) == (None, None, None)
    assert (few.parts, few.mechanism) == ({}, AUTO)
    assert record.parts.keys() == {"far limits", f"answer, {AUTO}"}
    assert noisy.parts.keys() == {*record.parts, "row count", "row count, again"}
    assert parts(record) == parts(noisy) == 1


AUTO = "AsymmetricSensitivity(beta='auto', split=2)"


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_errors_of_labels_are_told(kind: Any, relation: str) -> None:
    """A walk from 0 stops at once where nine tenths of the losses are 0."""
    for as_list in (False, True):
        y = np.zeros(400)
        y[:40] = 1
        data: Any = (y.tolist(), [0.0] * 400) if as_list else (y, np.zeros(400))
        asked = kind(bounds=(0, 1), missing="drop" if as_list else "none")
        with simulate("labels"):
            records = [ln.release(asked, data, epsilon="1/2", relation=relation) for _ in range(9)]
        truth = 0.1 if kind is not ln.RootMeanSquaredError else 0.1**0.5
        assert np.median([record.value for record in records]) == pytest.approx(truth, rel=0.4)
        assert min(record.value for record in records) > truth / 4
        assert {record.limits for record in records} == {None}
        assert all(parts(record) in (0, Fraction(1, 2)) for record in records)


def test_how_the_root_of_errors_of_labels_is_answered_follows_from_the_noisy_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[dict[str, str]] = []
    monkeypatch.setattr(limits.Draws, "rows", lambda *_: 300)
    for rows in (40, 5000):
        y, asked = np.arange(rows) % 2.0, ln.RootMeanSquaredError(bounds=(0, 1))
        with simulate("root"):
            record = ln.release(asked, (y, np.zeros(rows)), epsilon=1, relation="add-remove")
        found.append(dict(record.parts))
    assert found[0] == found[1]
    assert list(found[0])[-1] == "answer, PiecewiseLaplace()"


@pytest.mark.parametrize("where", ["polars lazy", "duckdb"])
def test_limits_of_losses_in_engines_are_those_in_memory(where: str) -> None:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"y": np.append(rng.normal(40, 30, 399), 1e300), "p": rng.random(400)})
    asked = ln.MeanSquaredError("y", "p", bounds=(-1e9, 1e9))
    seen = []
    for held in (frame, on_engine(where, frame.to_arrow())):
        with simulate("engines"):
            seen.append(ln.release(asked, held, epsilon=1).to_dict())
    assert seen[0] == seen[1]
    assert "far limits" in seen[0]["parts"]


def test_losses_of_persons_and_of_unlimited_bounds() -> None:
    x = np.random.default_rng(1).normal(0, 4, 400)
    table = {"y": x, "p": np.zeros(400), "who": np.arange(400) // 2}
    asked = ln.MeanSquaredError("y", "p", bounds=(-1e6, 1e6))
    more = {"epsilon": 2, "unit": "who", "max_rows": 2}
    with simulate("persons"):
        usual = ln.release(asked, table, **more)
        found = ln.release(asked, table, mechanism=ln.PrivateLimits(), **more)
    assert usual.limits is None
    assert found.limits is not None
    assert parts(found) == 1  # for each of two rows
    with pytest.raises(ParameterError, match="give bounds="):
        ln.release(ln.MeanSquaredError(), (x, x), epsilon=1, mechanism=ln.PrivateLimits())


@pytest.mark.parametrize("records", [1, 20, 49, 50, 100, 399, 400, 1000, 4000, 10**6])
def test_far_limits_leave_a_part_for_the_answer(records: int) -> None:
    first = far_limits.far_rule(Fraction(records))
    assert Fraction(1, 20) <= first.share <= Fraction(2, 5)
    for way in (1.0, 2.0, 20.0, 1500.0):
        for scattered in (0, records // 4, records):
            again = far_limits.far_again(Fraction(scattered), Fraction(records), way)
            assert again is None or again.share <= Fraction(7, 20)
            assert scattered or again is None


@pytest.mark.parametrize("kind", [ln.Variance, ln.StandardDeviation])
@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_a_spread_of_a_private_number_of_rows_pays_for_its_count(kind: Any, relation: str) -> None:
    x = np.random.default_rng(1).normal(30, 4, 9000)
    truth = x.var() if kind is ln.Variance else x.std()
    for top in (10**3, 10**6, 10**9):
        with simulate("private"):
            record = ln.release(kind(bounds=(0, top)), x, epsilon=1, relation=relation)
        assert record.parts.keys() >= {"row count", "centre"}
        assert [*record.parts][-1].startswith("answer, PiecewiseLaplace(base='log'")
        assert parts(record) == 1
        assert record.value == pytest.approx(truth, rel=0.2)


def test_a_record_says_which_limits_were_found() -> None:
    x = np.random.default_rng(1).normal(30, 4, 5000)

    def of(**more: Any) -> ln.Release:
        asked = {"bounds": (0, 10**6), "missing": "none", **more}
        with simulate("limits"):
            return ln.release(ln.Mean(**asked), x, epsilon=1)

    found, kept, free = of(), of(bounds=(10, 50)), of(bounds=ln.PrivateBounds())
    assert found.limits == found.bounds != (0, 10**6)
    assert free.limits == free.bounds
    assert (kept.limits, kept.bounds, kept.mechanism) == (None, (10, 50), "PrivateLimits()")
    model = PrivateLinearRegression(1, target_bounds=(0, 9), limits=None)
    assert model.fit(x[:, None], x).release_.limits == tuple(map(tuple, model.feature_limits_))
    for record in (found, kept, free):
        assert ln.Release.from_json(record.to_json()) == record
    told = found.to_dict()
    before = {name: value for name, value in told.items() if name != "limits"}
    assert ln.Release.from_dict(before).limits is None
    with pytest.raises(ParameterError, match="not a release"):
        ln.Release.from_dict({**told, "limits": [0, 1]})


def test_pairs_of_walks_share_no_state() -> None:
    """Two searches of one object's parameters start from nothing spent."""
    x = HeldNumbers(np.linspace(0, 50, 5000))
    found = []
    for _, _ in product(range(2), range(1)):
        with simulate("twice"):
            search = LimitSearch(
                x, (Fraction(0), Fraction(10**6)), "replace-one", EPSILON, 5000,
                limits.Draws(active()),
            )  # fmt: skip
            found.append(search.run())
    assert found[0] == found[1]


@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(2, 7), Fraction(10**6, 3)])
def test_no_record_or_person_costs_more_than_epsilon_by_rounding(epsilon: Fraction) -> None:
    before, after = (radius_costs([n, 4], [0.0, 1.0], epsilon) for n in (4, 5))
    moves = [(after[0] - before[0]) * COST_RATE]
    before, after = (row_limits.limit_costs([n] * len(row_limits.LIMITS), epsilon) for n in (4, 5))
    moves += [(b - a) * row_limits.COST_RATE for a, b in zip(before, after, strict=True)]
    # one person more beyond a limit, in place of another or not, or one more among all
    costs = [
        row_limits.quantile_costs([n] * len(row_limits.LIMITS), persons, epsilon)
        for n, persons in ((0, 100), (1, 100), (1, 101), (0, 101))
    ]
    moves += [2 * abs(b - costs[0][0]) * row_limits.COST_RATE for (b, *_) in costs[1:]]
    assert epsilon * Fraction(99, 100) < max(moves) <= epsilon


FAR_APART = (0, 1, 16)


def test_near_limits_and_a_sum_together() -> None:
    """By every path of both choices."""
    check_relations(lambda data: near_limits_search(data, EPSILON), universe=FAR_APART)


@pytest.mark.parametrize("number", [Fraction(0), Fraction(1, 64)])
def test_limits_about_a_number_that_most_records_are(number: Fraction) -> None:
    """By both choices of the others, or by one where the number has a size."""
    check_relations(lambda data: near_limits_search(data, EPSILON, number), universe=FAR_APART)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("top", [10**4, 10**8])
@pytest.mark.parametrize("share", [0.0, 0.01])
def test_a_column_of_one_number_forgives_loose_bounds(
    share: float, top: int, relation: str
) -> None:
    """About its size, whatever the others are; a number without a size keeps its bounds."""
    x = np.where(np.arange(5000) < 5000 * share, 11.0, 7.0)
    asked = ln.Mean(bounds=(0, top), missing="none")
    with simulate("alike"):
        drawn = [ln.release(asked, x, epsilon=1, relation=relation) for _ in range(8)]
        kept = ln.release(asked, x - 7.0 * (x == 7.0), epsilon=1, relation=relation)
    assert np.median([abs(record.value - x.mean()) for record in drawn]) < 0.05
    assert all(record.limits and parts(record) == 1 for record in drawn)
    assert kept.limits is None


def test_near_limits_for_nothing_break_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Limits, "cost", Fraction(0))
    found = loss(lambda data: near_limits_search(data, EPSILON), "add-remove", universe=FAR_APART)
    assert not found.passed


@pytest.mark.parametrize("off", [200, 600])
@pytest.mark.parametrize("search", [near.NearSearch, far.FarSearch])
def test_every_choice_of_near_limits_is_paid_for(
    off: int, search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Fraction] = []
    costs, rows = near.radius_costs, limits.Draws.rows

    def chosen(beyond: list[int], tolls: list[float], price: Fraction) -> list[int]:
        asked.append(price)
        return costs(beyond, tolls, price)

    def counted(self: limits.Draws, number: int, price: Fraction) -> int:
        asked.append(price)
        return rows(self, number, price)

    monkeypatch.setattr(near, "radius_costs", chosen)
    monkeypatch.setattr(limits.Draws, "rows", counted)
    numbers = HeldNumbers(np.append(np.zeros(600 - off), np.ones(off)))
    with simulate("paid"):
        draws = limits.Draws(active())
        found = search(numbers, (Fraction(0), Fraction(10**4)), EPSILON, 600, draws).run()
    assert len(asked) == 3 > 0 < found.cost < EPSILON
    assert sum(asked) == found.cost


@pytest.mark.parametrize("kind", [ln.Mean, ln.Sum])
@pytest.mark.parametrize("relation", RELATIONS)
def test_sums_of_few_rows_find_near_limits(kind: Any, relation: str) -> None:
    """Bounds far too wide do not matter, and the parts add up."""
    x = np.random.default_rng(1).exponential(30, 800)
    truth = x.mean() * (1 if kind is ln.Mean else 800)
    half = kind is ln.Mean and relation != "replace-one"
    for top in (10**3, 10**5, 10**7):
        with simulate("near"):
            asked = kind(bounds=(0, top), missing="none")
            record = ln.release(asked, x, epsilon="4/5", relation=relation)
        low, high = record.limits or (1, 0)
        # half of epsilon, which a mean with a private count has left, forgives less at 10**7
        assert low == 0 < 60 < high < (max(20_000, top / 10) if half else 20_000)
        assert parts(record) == Fraction(4, 5)
        assert record.mechanism == "PrivateLimits()"
        assert record.value == pytest.approx(truth, rel=0.5)
        expected = {"near limits", "near limits, again"} if top > 10**3 else {"near limits"}
        assert record.parts.keys() >= expected


@pytest.mark.parametrize("top", [10**5, 10**8])
def test_records_far_beyond_the_others_are_not_cut_off(top: int) -> None:
    """Three in a hundred, a thousand times as large."""
    x = np.random.default_rng(11).lognormal(2.5, 0.5, 6000)
    x[:180] *= 1000
    asked = ln.Mean(bounds=(0, top), missing="none")
    with simulate("far"):
        drawn = [ln.release(asked, x, epsilon=1).value for _ in range(15)]
    assert np.median(np.abs(np.array(drawn) - x.mean())) < 5 * x.max() / 6000


def test_sums_of_few_rows_keep_bounds_that_fit() -> None:
    x = np.random.default_rng(1).uniform(0, 10, 500)
    asked = ln.Mean(bounds=(0, 12), missing="none")
    with simulate("fit"):
        record = ln.release(asked, x, epsilon=1)
        few = ln.release(asked, x[:79], epsilon=1)
        shares = ln.release(ln.Mean(bounds=(0, 1), missing="none"), x / 10, epsilon=1)
    assert (record.limits, few.limits, shares.parts) == (None, None, {})
    assert record.parts.keys() == {"near limits", "answer, Laplace()"}
    assert (few.parts, few.mechanism) == ({}, "Laplace()")


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_few_rows_of_which_most_are_one_number(relation: str) -> None:
    """A second choice sees a tenth of them, however far away they are."""
    x = np.append(np.zeros(540), np.random.default_rng(1).uniform(50, 100, 60))
    for top in (130, 10**5):
        with simulate("most"):
            asked = ln.Sum(bounds=(0, top), missing="none")
            drawn = [ln.release(asked, x, epsilon="3/2", relation=relation) for _ in range(5)]
        assert all((record.limits or (0, top))[1] > 50 for record in drawn)


@pytest.mark.parametrize("share", [0.03, 0.05, 0.1, 0.2, 0.4])
@pytest.mark.parametrize("rows", [400, 900])
def test_few_rows_that_are_seldom_off_one_number_are_not_clipped_to_it(
    share: float, rows: int
) -> None:
    """Where noise for the declared bounds tells the mean, so does a search for nearer limits."""
    x = 3.0 * (np.arange(rows) < share * rows)
    asked = ln.Mean(bounds=(0, 5), missing="none")
    with simulate("seldom"):
        drawn = [ln.release(asked, x, epsilon=2).value for _ in range(20)]
        spread = ln.Variance(bounds=(0, 5), missing="none")
        spreads = [ln.release(spread, x, epsilon=2).value for _ in range(20)]
    assert sum(value < x.mean() / 10 for value in drawn) <= 1
    assert share * rows < 40 or sum(value < x.var() / 10 for value in spreads) <= 3


@pytest.mark.parametrize("where", ["polars lazy", "duckdb"])
def test_near_limits_in_engines_are_those_in_memory(where: str) -> None:
    x = np.append(np.random.default_rng(4).normal(40, 30, 400), [np.inf, -np.inf, 1e300])
    asked = ln.Mean("x", bounds=(-1e9, 1e9), missing="none")
    seen = []
    for held in (pl.DataFrame({"x": x}), on_engine(where, pl.DataFrame({"x": x}).to_arrow())):
        with simulate("engines"):
            seen.append(ln.release(asked, held, epsilon=1).to_dict())
    assert seen[0] == seen[1]
    assert "near limits, again" in seen[0]["parts"]


@pytest.mark.parametrize("records", [80, 150, 250, 400, 1000, 4000])
def test_near_limits_leave_a_part_for_the_answer(records: int) -> None:
    first = near_limits.first_rule(Fraction(records))
    for way in (2.0, 20.0, 1500.0):
        for scattered in (0, 10, records // 4, records):
            again = near_limits.second_rule(Fraction(scattered), Fraction(records), way)
            spent = first.share + near_limits.off_centre_share(Fraction(records))
            assert 0 < spent < Fraction(3, 4) - (again.share if again else 0)
            assert again is None or again.slope > 1 < first.slope
            assert scattered > 10 or again is None
