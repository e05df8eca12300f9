"""Value and interval together: privacy by enumeration, coverage exactly from the laws."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from statistics import median
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.coverage import audit_search
from leastnoise.audit.searches import SEARCHES, SearchCase
from leastnoise.errors import ParameterError
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.laws.interval import IntervalLaw
from leastnoise.laws.nested import NestedLaw
from leastnoise.mechanisms.with_ends import (
    cuts_around,
    distances,
    either_end,
    margin,
    noise_reach,
)
from leastnoise.profiles import Profile, on_grid
from leastnoise.session.search.ends import RankEnds, nested_law
from leastnoise.statistics import InterquartileRange
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import RankSummary, rank_of
from leastnoise.summaries.records import CountedRecords, Listed, records_of
from leastnoise.testing import simulate

CASES = [case for case in SEARCHES if case.mechanism == "WithInterval"]
LawOf = Callable[[tuple[int, ...]], IntervalLaw | NestedLaw]
HALF, ONE = Fraction(1, 2), Fraction(1)
SHORT = Lattice(ONE, 0, 3, 0, True)
RELATIONS = ("replace-one", "add-remove", "edit")


@pytest.mark.parametrize(
    ("case", "relation"),
    [pytest.param(case, r, id=f"{case.name}-{r}") for case in CASES for r in case.relations],
)
def test_value_and_both_ends_together_cost_epsilon(case: SearchCase, relation: str) -> None:
    row = audit_search(case, relation, ONE)
    assert row.passed, row.report


def loss(law_of: LawOf, universe: tuple[int, ...], n: int, relation: str) -> audit.ExactReport:
    """Of ends about a value that is public, against a claim of one."""
    return audit.exact_law(
        lambda data: audit.Probabilities(law_of(data).enclosures()),
        universe=universe,
        n=n,
        relation=relation,
        claim=ln.PureDP(1),
    )


def test_candidates_that_follow_the_data_break_the_claim() -> None:
    def about(value: int, data: tuple[int, ...]) -> IntervalLaw:
        cuts = cuts_around(value, 0, 9, Fraction(2))
        return IntervalLaw(records_of(sorted(data)), cuts, (1, 1), Fraction(2, 5), Fraction(3, 5))

    points = (0, 2, 9)
    assert loss(lambda data: about(min(data), data), points, 2, "replace-one").lo > 1
    assert loss(lambda data: about(2, data), points, 2, "replace-one").passed


def test_targets_that_step_at_both_ends_break_the_claim() -> None:
    def stepped(data: tuple[int, ...]) -> IntervalLaw:
        n = len(data)
        targets = rank_of(HALF, n), n
        return IntervalLaw(
            records_of(sorted(data)), range(4), targets, Fraction(2, 5), Fraction(3, 5)
        )

    assert loss(stepped, (0, 1, 2, 3), 3, "add-remove").lo > 1


def test_the_price_of_one_direction_is_too_small() -> None:
    def walked(data: tuple[int, ...]) -> NestedLaw:
        law = nested_law(spread(data, "replace-one"), Fraction(3), ONE, HALF)
        return replace(law, margin=1, e1=HALF, e2=HALF)

    assert loss(walked, (0, 1, 4), 4, "replace-one").lo > 1


def test_a_margin_that_follows_the_data_breaks_the_claim() -> None:
    def walked(data: tuple[int, ...]) -> NestedLaw:
        profile = spread(data, "replace-one")
        law = nested_law(profile, ONE, ONE, HALF)
        return replace(law, margin=2 * int(profile.value))

    assert loss(walked, (0, 1, 4), 4, "replace-one").lo > 1


# Coverage, for every data set


def data_sets(points: tuple[int, ...], n: int) -> Iterator[tuple[int, ...]]:
    for size in range(n + 1):
        yield from (x for x in product(points, repeat=size) if list(x) == sorted(x))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("order", [Fraction(0), Fraction(1, 4), HALF, ONE])
def test_a_median_lies_in_its_interval_whatever_the_data(relation: str, order: Fraction) -> None:
    miss = Fraction(2, 5)
    ends = RankEnds(order, SHORT, relation, miss, "data", "value")
    for data, value in product(data_sets((0, 1, 3), 3), range(4)):
        true = data[rank_of(order, len(data)) - 1] if data else SHORT.middle
        law = ends.law(Listed(data), value, Fraction(4)).enclosures()
        moved = [(ends.with_value(value, pair)[1], low) for pair, (low, _) in law.items()]
        assert sum(low for (a, b), low in moved if a <= true <= b) >= 1 - miss, (data, value)


def test_a_margin_one_short_loses_coverage(monkeypatch: pytest.MonkeyPatch) -> None:
    """One candidate stands between the median and a lower end that is too high.

    The value lies above the median, so the upper end cannot miss.
    """
    miss, data = Fraction(1, 10), (0,) * 51 + (3,) * 50
    ends = RankEnds(HALF, SHORT, "replace-one", miss, "data", "value")

    def missed() -> Fraction:
        law = ends.law(Listed(data), 1, ONE).enclosures()
        moved = ((ends.with_value(1, pair)[1][0], low) for pair, (low, _) in law.items())
        return sum((low for lower, low in moved if lower > 0), Fraction(0))

    assert missed() <= miss
    least = margin(miss, Fraction(9, 20), Fraction(11, 20))
    monkeypatch.setattr("leastnoise.session.search.ends.margin", lambda *_, **__: least - 1)
    assert missed() > miss


def spread(data: tuple[int, ...], relation: str) -> Profile:
    statistic = InterquartileRange(bounds=(0, 4), step=1)
    lattice = Lattice(ONE, 0, 4, 0, True)
    return statistic.profile(RankSummary.of(data, statistic.spec().at, lattice), relation)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_spread_lies_in_its_interval_whatever_the_data(relation: str) -> None:
    miss = Fraction(2, 5)
    for data, value in product(data_sets((0, 1, 4), 4), range(5)):
        profile = spread(data, relation)
        law = nested_law(profile, Fraction(value), Fraction(2), miss).enclosures()
        held = sum(low for (a, b), (low, _) in law.items() if a <= profile.value <= b)
        assert held >= 1 - miss, (data, value)


@pytest.mark.parametrize("early", [0, 1])
@pytest.mark.parametrize(("e1", "e2"), [("1/2", "1/3"), ("3", "2"), ("1/50", "1/100")])
def test_margins_are_the_least_that_are_safe(e1: str, e2: str, early: int) -> None:
    a, b, miss = Fraction(e1), Fraction(e2), Fraction(1, 40)

    def late(m: int) -> Fraction:
        """P(T - V >= m): a question of height m is quiet where its threshold is T - V < m."""
        return enclose_indices([1 - m], a, b)[1][1]

    found = margin(miss, a, b, early=early)
    assert late(found) + late(found - early) <= 2 * miss * (1 + Fraction(1, 10**9))
    assert late(found - 1) + late(found - 1 - early) > 2 * miss


@pytest.mark.parametrize("scale", ["1/3", "2", "1000"])
def test_the_reach_of_noise_is_the_least(scale: str) -> None:
    miss, size = Fraction(1, 20), Fraction(scale)
    law = ln.laws.DiscreteLaplaceLaw(0, 1 / size, ONE)
    reach = noise_reach(miss, size)
    assert 2 * law.point_cdf(-reach - 1) <= 0.05
    assert reach == 0 or 2 * law.point_cdf(-reach) > 0.05


@pytest.mark.parametrize("scale", ["1/3", "7", "1000"])
def test_either_end_misses_as_often_as_both_may(scale: str) -> None:
    miss, size = Fraction(1, 20), Fraction(scale)
    reach, q = noise_reach(either_end(miss), size), np.exp(-float(1 / size))
    assert q ** (reach + 1) / (1 + q) <= miss < q**reach / (1 + q) or not reach
    assert either_end(Fraction(3, 5)) == Fraction(3, 5)


def test_no_interval_is_much_shorter_than_that_of_laplace_noise() -> None:
    """Statement 6: what any end must reach on average, and what ends of Laplace noise reach."""
    for epsilon, miss in product(
        (Fraction(1, 200), Fraction(1, 100)), (Fraction(1, 20), HALF / 50)
    ):
        held = [1 - float(miss) * np.exp(k * float(epsilon)) for k in range(1, 2000)]
        least = sum(chance for chance in held if chance > 0)
        own = noise_reach(miss, 1 / epsilon)
        assert least < own < 1.5 * least


# The laws


def slow_count(profile: Profile, low: int, high: int, depth: int) -> int:
    """How many records must change for the statistic to leave [low, high], or 1 - to enter."""
    grid = on_grid(profile)

    def bounds(level: int) -> tuple[int, int]:
        if level > depth:
            return grid.low or 0, grid.high or 0
        return grid.lower(level), grid.upper(level)

    if low <= grid.centre <= high:
        return next(c for c in range(1, depth + 2) if bounds(c)[0] < low or bounds(c)[1] > high)
    reaches = (c for c in range(1, depth + 2) if bounds(c)[0] <= high and bounds(c)[1] >= low)
    return 1 - next(reaches)


@pytest.mark.parametrize("depth", [2, 9])
def test_the_walk_through_nested_intervals_is_the_definition(depth: int) -> None:
    for data, value in product(((0, 0, 1, 4), (0, 4, 4, 4), (1, 1, 1, 1), ()), range(5)):
        profile = spread(data, "edit")
        grid, radii = on_grid(profile), distances(max(value, 4 - value), Fraction(11, 10))
        law = NestedLaw(grid.upper, grid.lower, (0, 4), value, radii, 1, depth, HALF, HALF)
        stream = law._stream
        intervals = [(max(0, value - r), min(4, value + r)) for r in radii]
        assert intervals[-1] == (0, 4)
        heights = [slow_count(profile, *i, depth) - 1 for i in intervals[-2::-1]]
        assert [stream.height(i) for i in range(stream.count)] == heights
        for height in range(-depth - 3, depth + 4):
            assert stream.first_below(height) == sum(h >= height for h in heights)


def test_counted_records_compare_as_the_records_do() -> None:
    records, cuts = [0, 2, 2, 5, 7, 7, 10], [0, 2, 4, 7, 10]
    counted = CountedRecords.of(Listed(records), cuts)
    assert len(counted) == len(records)
    for cut in cuts:
        assert sum(x < cut for x in counted) == sum(x < cut for x in records)
        assert sum(x > cut for x in counted) == sum(x > cut for x in records)


@pytest.mark.parametrize("value", [-5, 0, 10**17])
def test_candidates_hang_on_the_value_and_public_numbers(value: int) -> None:
    cuts = cuts_around(value, -5, 10**17, Fraction(21, 20))
    assert cuts[0] == -5
    assert cuts[-1] == 10**17
    assert value in cuts
    assert list(cuts) == sorted(set(cuts))
    assert len(cuts) < 2000


# Releases

ROWS = np.random.default_rng(27).normal(50, 10, 1000)
BOUNDS = (0, 1000)
SCALARS = [
    ln.Median(bounds=BOUNDS, missing="none"),
    ln.Quantile(q="0.9", bounds=BOUNDS),
    ln.Minimum(bounds=BOUNDS),
    ln.InterquartileRange(bounds=BOUNDS),
    ln.Variance(bounds=BOUNDS),
    ln.StandardDeviation(bounds=BOUNDS),
    ln.Mean(bounds=BOUNDS),
    ln.Mean(bounds=BOUNDS, missing="none"),
    ln.Sum(bounds=BOUNDS),
    ln.Count(),
]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("statistic", SCALARS, ids=lambda one: type(one).__name__)
def test_every_number_gets_an_interval(statistic: object, relation: str) -> None:
    with simulate("every"):
        found = ln.release(ln.WithInterval(statistic), ROWS, epsilon=1, relation=relation)
    assert found.interval is not None
    low, high = found.interval
    assert low <= found.value <= high
    assert found.coverage == {
        "level": "19/20",
        "of": "data",
        "holds": "the statistic of the records; the noise alone is random",
    }
    assert found.guarantee == ln.PureDP(1, found.guarantee.scope)
    assert found.statistic == type(statistic).__name__
    again = ln.Release.from_json(found.to_json())
    assert again.interval == found.interval
    assert again.coverage == found.coverage


def test_the_parts_of_an_interval_add_up_to_epsilon() -> None:
    asked = [ln.WithInterval(one) for one in (SCALARS[0], SCALARS[4])]
    for one in (*asked, ln.WithInterval(SCALARS[0], favour="interval")):
        with simulate("parts"):
            found = ln.release(one, ROWS, epsilon="0.7")
        assert sum(map(Fraction, found.parts.values())) == Fraction("0.7")


def test_an_interval_may_be_favoured_over_its_value() -> None:
    widths: list[float] = []
    for favour in ("value", "interval"):
        with simulate("favour"):
            found = ln.release(ln.WithInterval(SCALARS[0], favour=favour), ROWS, epsilon=1)
        low, high = found.interval
        widths.append(high - low)
    assert found.value == pytest.approx((low + high) / 2, abs=1e-9)
    assert 2 * widths[1] < widths[0]


def test_an_empty_table_has_the_middle_in_its_interval() -> None:
    with simulate("empty"):
        found = ln.release(ln.WithInterval(ln.Median(bounds=(0, 8))), [], epsilon=1)
    assert found.interval[0] <= 4 <= found.interval[1]


def test_groups_and_persons_have_intervals() -> None:
    table = {"x": list(ROWS), "g": ["a", "b"] * 500, "who": [i // 2 for i in range(1000)]}
    asked = ln.WithInterval(ln.Median("x", bounds=BOUNDS))
    with simulate("groups"), ln.open(table, relation="add-remove") as data:
        found = data.group_by({"g": ["a", "b"]}).release(asked, epsilon=1)
    assert all(release.interval is not None for release in found.values())
    with simulate("persons"), ln.open(table, unit="who", max_rows=2) as data:
        one = data.release(asked, epsilon=1)
    assert sum(map(Fraction, one.parts.values())) == HALF  # for each of two rows


def test_all_groups_together_miss_as_rarely_as_one() -> None:
    table, halves = {"g": ["a", "b", "c"] * 100}, list[int]()
    with ln.open(table, relation="add-remove") as data:
        groups = data.group_by({"g": ["a", "b", "c"]})
        for all_together in (False, True):
            asked = ln.WithInterval(ln.Count(), simultaneous=all_together)
            with simulate("together"):
                made = groups.release(asked, epsilon="0.1")
            low, high = made["a"].interval
            halves.append((high - low) // 2)
            assert ("all of 3 groups" in made["a"].coverage["holds"]) == all_together
    assert halves == [noise_reach(Fraction(1, 20) / g, Fraction(10)) for g in (1, 3)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ln.WithInterval(ln.Quantiles(q=["0.5"], bounds=BOUNDS)), "one number"),
        (lambda: ln.WithInterval(ln.WithInterval(ln.Count())), "one number"),
        (lambda: ln.WithInterval(ln.Count(), level=1), "strictly between 0 and 1"),
        (lambda: ln.WithInterval(ln.Count(), of="people"), "data"),
        (lambda: ln.WithInterval(ln.Mean(bounds=ln.PrivateBounds())), "declared bounds"),
        (lambda: ln.WithInterval(ln.Sum(bounds=BOUNDS), of="population"), "median or quantile"),
        (lambda: ln.WithInterval(ln.Count(), favour="value"), "for quantiles"),
        (lambda: ln.WithInterval(ln.Median(bounds=BOUNDS), favour="both"), "favour must be"),
        (lambda: ln.WithInterval(ln.Maximum(bounds=BOUNDS), of="population"), "extremes"),
    ],
)
def test_what_has_no_interval_is_refused(make: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("statistic", "mechanism", "message"),
    [
        (ln.Histogram(categories=["a", "b"]), None, "one number"),
        (ln.Mode(categories=["a", "b"]), None, "number"),
        (ln.Median(bounds=BOUNDS), ln.Gaussian(delta="1e-6"), "not epsilon-DP"),
        (ln.MeanSquaredError(), ln.AsymmetricSensitivity(), "finite public range"),
    ],
)
def test_what_cannot_be_searched_is_refused_before_data_is_read(
    statistic: object, mechanism: object, message: str
) -> None:
    data = ([1.0], [2.0]) if isinstance(statistic, ln.MeanSquaredError) else ["a", "b"]
    data = [1.0, 2.0] if isinstance(statistic, ln.Median) else data
    with pytest.raises(ParameterError, match=message):
        ln.release(ln.WithInterval(statistic), data, epsilon=1, mechanism=mechanism)


@pytest.mark.parametrize("rows", [0, 1, 3, 200])
@pytest.mark.parametrize("signs", list(product((-1, 0, 1), repeat=2)))
def test_a_mean_of_a_noisy_count_lies_in_its_interval_as_far_as_noise_reaches(
    rows: int, signs: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def farthest(num: int, den: int, source: object) -> int:
        sign = next(turns)
        return sign * noise_reach(Fraction(1, 40), Fraction(den, num))

    data = np.linspace(3, 4, rows)
    turns = iter(signs)
    monkeypatch.setattr("leastnoise.session.kinds.interval.discrete_laplace", farthest)
    asked = ln.WithInterval(ln.Mean(bounds=(-1, 9)), favour="interval")
    with simulate("corners"):
        found = ln.release(asked, data, epsilon=1, relation="add-remove")
    low, high = found.interval
    assert low <= (data.mean() if rows else 4) <= high
    assert low <= found.value <= high
    assert (high - low < 1) == (rows == 200)
    assert found.mechanism == "LaplaceRatio()"


class Twice(ln.Median):
    """One profile, and an answer that is a list."""

    def combine(self, values: list[float]) -> list[float]:
        return [*values, *values]


def test_an_answer_that_is_a_list_is_refused_before_data_is_read() -> None:
    asked = ln.WithInterval(Twice(bounds=BOUNDS))
    with pytest.raises(ParameterError, match="not one number"):
        ln.release(asked, ROWS, epsilon=1, mechanism=ln.InverseSensitivity())


def test_an_interval_of_the_population_needs_the_default_mechanism() -> None:
    asked = ln.WithInterval(ln.Median(bounds=BOUNDS), of="population")
    with pytest.raises(ParameterError, match="default mechanism"):
        ln.release(asked, ROWS, epsilon=1, mechanism=ln.Laplace())
    with simulate("population"):
        found = ln.release(asked, ROWS, epsilon=1)
    assert found.coverage["of"] == "population"
    assert found.interval[0] < 50 < found.interval[1]


@pytest.mark.parametrize("epsilon", ["1e-24", "1e-30", "1e-60"])
@pytest.mark.parametrize(
    "statistic",
    [ln.Count(), ln.Mean(bounds=(0, 9)), ln.Variance(bounds=(0, 9)), ln.Median(bounds=(0, 9))],
    ids=repr,
)
def test_the_least_epsilons_are_answered(statistic: Any, epsilon: str) -> None:
    found = ln.release(ln.WithInterval(statistic), [1.0, 2.0, 3.0], epsilon=epsilon)
    assert found.interval is not None
    assert found.interval[0] <= found.interval[1]


def test_the_ends_stay_inside_the_range_and_in_order() -> None:
    asked = ln.WithInterval(ln.Count(), level="0.2")
    for seed in range(40):
        with simulate(seed), ln.open([], relation="add-remove") as data:
            found = data.release(asked, epsilon="0.1").interval
        assert found is not None
        assert 0 <= found[0] <= found[1]


def test_a_noisy_count_or_sum_below_0_is_cut_to_its_interval() -> None:
    for statistic in (ln.Count(), ln.Sum(bounds=(0, 3), missing="none")):
        with simulate(3):
            asked = ln.WithInterval(statistic)
            made = [ln.release(asked, [1], epsilon=1, relation="add-remove") for _ in range(30)]
        with simulate(3):
            alone = [ln.release(statistic, [1], epsilon=1, relation="add-remove") for _ in made]
        assert min(one.value for one in alone) < 0
        assert [one.value for one in made] == [max(0, one.value) for one in alone]
        assert all(0 <= one.interval[0] <= one.value <= one.interval[1] for one in made)


def test_extremes_have_a_walk_for_a_value_and_ends_of_their_ranks() -> None:
    """The walk has no ends that are nearer than the bounds, ranks have no value so near."""
    highest, lowest = ln.Maximum(bounds=(0, 10_000)), ln.Minimum(bounds=(-9_000, 1_000))
    for statistic, side in ((highest, 0), (lowest, 1)):
        asked = ln.WithInterval(statistic)
        with simulate(1):
            made = [ln.release(asked, list(range(1000)), epsilon=1) for _ in range(5)]
        assert made[0].mechanism.startswith("AsymmetricSensitivity")
        assert median(abs(one.value - (999, 0)[side]) for one in made) < 60
        assert all(0 < one.interval[side] < 999 for one in made)
        assert all(one.interval[0] <= one.value <= one.interval[1] for one in made)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("kind", [ln.Mean, ln.Sum, ln.Variance])
def test_limits_clip_the_value_and_not_its_interval(kind: Any, relation: str) -> None:
    """One record in 5,000 lies at the bounds, far beyond the limits that are found."""
    rows = np.append(np.random.default_rng(6).lognormal(3, 0.5, 4999), 10.0**5)
    true = {ln.Mean: np.mean, ln.Sum: np.sum, ln.Variance: np.var}[kind](rows)
    asked, missed = ln.WithInterval(kind(bounds=(0, 10**5), missing="none")), 0
    for seed in range(8):
        with simulate(seed):
            found = ln.release(asked, rows, epsilon=1, relation=relation)
        assert found.limits[1] < 10**4
        assert sum(map(Fraction, found.parts.values())) == 1
        assert found.interval[0] <= found.value <= found.interval[1]
        assert found.value < true  # the record at the bound counts as the limit
        missed += not found.interval[0] <= true <= found.interval[1]
    assert missed <= 2


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("kind", [ln.Mean, ln.Sum, ln.StandardDeviation])
def test_few_rows_in_loose_bounds_have_a_near_value_and_honest_ends(
    kind: Any, relation: str
) -> None:
    """What noise for the bounds would do to the value is many times the answer."""
    rows = np.random.default_rng(6).normal(40, 10, 400)
    true = {ln.Mean: np.mean, ln.Sum: np.sum, ln.StandardDeviation: np.std}[kind](rows)
    asked, missed = ln.WithInterval(kind(bounds=(0, 10**5), missing="none")), 0
    for seed in range(8):
        with simulate(seed):
            found = ln.release(asked, rows, epsilon=1, relation=relation)
        assert sum(map(Fraction, found.parts.values())) == 1
        assert found.interval[0] <= found.value <= found.interval[1]
        assert abs(found.value - true) < true / 2
        missed += not found.interval[0] <= true <= found.interval[1]
    assert missed <= 2


def test_an_interval_far_from_0_is_as_short_as_one_about_it() -> None:
    rows, widths = np.random.default_rng(4).normal(0, 10, 1000), list[float]()
    for centre, bounds in ((10**6, (0, 2 * 10**6)), (0, (-(10**6), 10**6))):
        asked = ln.WithInterval(ln.Median(bounds=bounds, missing="none"))
        with simulate("far"):
            made = [ln.release(asked, rows + centre, epsilon=1).interval for _ in range(12)]
        widths.append(median(high - low for low, high in made))
    assert widths[0] < 1.5 * widths[1] < 15


@pytest.mark.parametrize("kind", [ln.MeanSquaredError, ln.RootMeanSquaredError])
def test_a_loss_in_loose_limits_has_a_value_of_its_size(kind: Any) -> None:
    dice = np.random.default_rng(3)
    targets = dice.normal(50, 10, 300)
    pair = targets, targets + dice.normal(0, 4, 300)
    true = np.mean((pair[0] - pair[1]) ** 2)
    true = true if kind is ln.MeanSquaredError else np.sqrt(true)
    asked = ln.WithInterval(kind(bounds=(-(10**5), 10**5)))
    with simulate(2):
        made = [ln.release(asked, pair, epsilon=1) for _ in range(9)]
    assert median(abs(one.value - true) for one in made) < true / 2
    assert sum(one.interval[0] <= true <= one.interval[1] for one in made) >= 7


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_a_spread_of_zeros_and_ones_is_told_by_sums(relation: str) -> None:
    rows = [1] * 60 + [0] * 240
    asked = ln.WithInterval(ln.Variance(bounds=(0, 1), missing="none"))
    with simulate(4):
        made = [ln.release(asked, rows, epsilon=1, relation=relation) for _ in range(12)]
    assert sum(one.interval[0] <= 0.16 <= one.interval[1] for one in made) >= 10
    assert max(one.interval[1] - one.interval[0] for one in made) < 0.1


def test_values_inside_limits_differ_crosswise() -> None:
    rows = np.random.default_rng(6).lognormal(3, 0.5, 5000)
    asked = ln.WithInterval(ln.Sum(bounds=(0, 10**5), missing="none"))
    with simulate("differ"):
        one, other = (ln.release(asked, rows, epsilon=1) for _ in range(2))
    assert one.limits
    assert one.noise == "Laplace"
    found = one.difference(other).interval
    assert found[0] == pytest.approx(one.interval[0] - other.interval[1])
    assert found[1] == pytest.approx(one.interval[1] - other.interval[0])


@pytest.mark.parametrize("more", [{"favour": "interval"}, {"of": "population"}])
def test_a_search_for_limits_is_refused_where_nothing_would_use_them(more: dict[str, Any]) -> None:
    asked = ln.WithInterval(ln.Mean(bounds=BOUNDS), **more)
    with pytest.raises(ParameterError, match="omit mechanism="):
        ln.release(asked, ROWS, epsilon=1, mechanism=ln.PrivateLimits())
