"""Noisy sums: what they cost, by enumeration, and that their ends hold what they should."""

from fractions import Fraction
from math import ceil, exp
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.searches import Together
from leastnoise.errors import ParameterError
from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.mechanisms.centred_laplace import centred_parts
from leastnoise.mechanisms.with_ends import noise_reach
from leastnoise.profiles import Moments
from leastnoise.randomness import HashedBits
from leastnoise.session.kinds import summed
from leastnoise.session.search import noisy_sums
from leastnoise.session.search.fourth import Fourth
from leastnoise.session.search.noisy_sums import (
    Of,
    centre_laws,
    fall,
    low_mean_laws,
    noisy_answer,
    quotients,
)
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.ranks import Run
from leastnoise.summaries.records import Listed
from leastnoise.summaries.spread import SpreadSummary
from leastnoise.testing import simulate

ONE, MISS = Fraction(1), Fraction(1, 10)
Data = tuple[int, ...]


def moments(data: Data, low: int = 0, high: int = 3) -> Moments:
    return Moments(len(data), sum(data), sum(x * x for x in data), low, high)


def mean_of(data: Data) -> Together:
    return Together(*low_mean_laws(sum(data), len(data), 3, ONE))


def centre_of(data: Data) -> Together:
    return Together(*centre_laws(moments(data), ONE))


def loss(law: Any, relation: str) -> audit.ExactReport:
    return audit.exact_law(law, universe=(0, 1, 2, 3), n=2, relation=relation, claim=ln.PureDP(1))


# Privacy


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("law", [mean_of, centre_of])
def test_noisy_sums_cost_epsilon(law: Any, relation: str) -> None:
    found = loss(law, relation)
    assert found.passed
    assert found.hi == pytest.approx(1)


@pytest.mark.parametrize("name", ["_SUM", "_ROWS"])
def test_neither_number_may_be_any_less_noisy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"leastnoise.session.search.noisy_sums.{name}"
    monkeypatch.setattr(
        place, Fraction(9, 8) * {"_SUM": Fraction(5, 6), "_ROWS": Fraction(3, 8)}[name]
    )
    assert loss(mean_of, "add-remove").lo > 1


def test_squares_about_the_exact_mean_break_the_claim() -> None:
    def law(data: Data) -> DiscreteLaplaceLaw:
        parts = centred_parts(moments(data), ONE, ONE, (0, 0))
        centre = round(Fraction(parts.moments.total, len(data)))
        return DiscreteLaplaceLaw(parts.squares(centre), parts.rate(centre), ONE)

    assert loss(law, "replace-one").lo > 1


def test_a_reach_that_follows_the_data_breaks_the_claim() -> None:
    def law(data: Data, *, public: bool) -> audit.Probabilities:
        """A noisy sum, cut to five values, and how far it is said to reach."""
        (total, n), q = (sum(data), len(data)), exp(-1 / 3)
        own = (0,) * n if public else data
        parts = centred_parts(moments(own), ONE, ONE, (0, 0))
        reach = fall(parts, MISS) + (0 if public else parts.squares(0))
        noisy = {(k, reach): Fraction(q ** abs(k - total)) for k in range(7)}
        found = {ends: mass / sum(noisy.values()) for ends, mass in noisy.items()}
        return audit.Probabilities({ends: (mass, mass) for ends, mass in found.items()})

    assert loss(lambda data: law(data, public=True), "replace-one").lo < 2
    assert loss(lambda data: law(data, public=False), "replace-one").lo > 100


@pytest.mark.parametrize("population", [False, True])
def test_all_that_a_private_variance_draws_is_paid_for(
    population: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid: list[Fraction] = []

    def spy(name: str) -> None:
        made = getattr(noisy_sums, name)
        monkeypatch.setattr(noisy_sums, name, lambda *a: (paid.append(a[-1]), made(*a))[1])

    spy("centre_laws")
    spy("low_mean_laws")
    sample = SpreadSummary.of((0, 1, 3), Lattice(ONE, 0, 3))
    records = Listed((0, 1, 3)) if population else None
    noisy_answer(sample, ONE, Of(MISS, False, population), HashedBits(b"paid"), records)
    assert sum(paid) == (Fraction(7, 8) if population else 1)


# Coverage, by enumeration of the noise


def masses(rate: Fraction, most: int) -> dict[int, float]:
    q = exp(-float(rate))
    return {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-most, most + 1)}


@pytest.mark.parametrize("data", [(), (0,) * 6, (0, 1, 1, 2), (2,) * 9])
def test_a_mean_of_private_rows_lies_between_its_ends(data: Data) -> None:
    laws = low_mean_laws(sum(data), len(data), 2, Fraction(5))
    true, missed = (4 * Fraction(sum(data), len(data)) - 2) if data else Fraction(2), 0.0
    first, second = masses(laws[0].rate, 14), masses(laws[1].rate, 5)
    for x, p in first.items():
        for y, q in second.items():
            low, high = quotients(laws[0].centre + x, len(data) + y, laws, 6, MISS)
            missed += p * q * (not low <= true <= high)
    assert missed + (1 - sum(first.values()) * sum(second.values())) <= MISS


def below(data: Data, high: int, epsilon: Fraction, *, room: bool = True) -> float:
    """The chance that the lower end of a variance is above it."""
    parts = centred_parts(moments(data, 0, high), epsilon, ONE, (0, 0))
    m, reach, found = parts.moments, fall(parts, MISS), 0.0
    for noise, p in masses(parts.centre_rate, ceil(12 / parts.centre_rate)).items():
        centre = parts.centre(parts.index(m.total + noise))
        rate = parts.rate(centre)
        off = m.rows * (Fraction(m.total, m.rows) - centre) ** 2
        far = ceil(reach / rate) + 2 if room else noise_reach(MISS, 1 / rate)
        least = (far - off).__floor__() + 1  # of the noise that carries the end too high
        q = exp(-float(rate))
        found += p * (q**least if least > 0 else 1 + q - q ** (1 - least)) / (1 + q)
    return found


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(8)])
@pytest.mark.parametrize("data", [(0, 0, 0), (0, 3, 5), (5,) * 20, (0, 5) * 10])
def test_a_variance_lies_between_its_ends(data: Data, epsilon: Fraction) -> None:
    assert below(data, 5, epsilon) <= MISS / 2


def test_a_lower_end_without_room_for_the_centre_loses_coverage() -> None:
    data = (0, 5) * 10
    assert below(data, 5, ONE, room=False) > MISS / 2 >= below(data, 5, ONE)


def test_corners_hold_what_is_told_from_several_sums() -> None:
    statistic = ln.R2(bounds=(0, 10), floor=-5)
    for corner, found in (
        ((1, 4), 0.75),
        ((9, 4), -1.25),
        ((1, 0), -5),
        ((90, 4), -5),
        ((0, 2), 1),
    ):
        assert statistic.of_sums([*map(Fraction, corner)]) == found
    assert ln.StandardDeviation(bounds=(0, 1)).of_sums([Fraction(-1)]) == 0
    wide = ln.RootMeanSquaredError(bounds=(0, 1)).of_sums([Fraction(10) ** 400])
    assert wide == pytest.approx(1e200)


# Populations


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("top", [40, 9000])
def test_a_share_of_a_population_lies_between_its_ends(public: bool, top: int) -> None:
    """Values 0 and ``top``, whose variance is the largest: ends are as far as they must be."""
    dice, missed, widths, lattice = np.random.default_rng(1), 0, [], Lattice(ONE, 0, top)
    for i in range(100):
        n = int(dice.binomial(400, 0.3))
        sample = MomentSummary(400, top * n, lattice, [], [], 0)
        found = noisy_answer(sample, ONE, Of(MISS, public, population=True), HashedBits(b"%d" % i))
        missed += not found.low <= Fraction(3, 10) * top <= found.high
        widths.append(float(found.high - found.low) / top)
    assert missed <= 15
    assert 2 * 1.64 * (0.21 / 400) ** 0.5 < np.mean(widths) < 0.12


@pytest.mark.parametrize("public", [True, False])
def test_a_variance_of_a_population_lies_between_its_ends(public: bool) -> None:
    dice, lattice = np.random.default_rng(2), Lattice(ONE, 0, 1000)
    for i in range(20):
        x = dice.integers(0, 1001, 500).astype(float)
        sample = SpreadSummary(500, int(x.sum()), int(x @ x), lattice, [], [], Run(1, []), 0)
        found = noisy_answer(
            sample, ONE * 2, Of(MISS, public, population=True), HashedBits(b"%d" % i)
        )
        assert found.low <= 1001**2 / 12 <= found.high
        assert found.high - found.low < 80_000


def fourth_powers(data: Data, finer: int = 1) -> DiscreteLaplaceLaw:
    return Fourth(Listed(sorted(data)), Fraction(finer), ONE).law(1 * finer, 2 * finer)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_a_noisy_sum_of_fourth_powers_costs_epsilon(relation: str) -> None:
    found = loss(fourth_powers, relation)
    assert found.passed
    assert found.hi == pytest.approx(1)


@pytest.mark.parametrize("finer", [1, 7])
def test_fourth_powers_are_rounded_up_a_little(finer: int) -> None:
    data = (0, 0, 1, 2, 3, 3, 3)
    law = fourth_powers(data, finer)
    found = law.centre * float(law.rate)
    true = sum((abs(x - 1) / 2) ** 4 for x in data)
    assert true <= found <= 1.09 * true + len(data) * 1e-9


def test_a_population_of_known_fourth_powers_has_a_narrower_interval() -> None:
    x = np.rint(np.random.default_rng(3).normal(500, 50, 20_000)).astype(int)
    lattice, widths = Lattice(ONE, 0, 1000), []
    sums = len(x), int(x.sum()), int(x @ x)
    sample = SpreadSummary(*sums, lattice, [], [], Run(1, []), 0)
    for records in (None, Listed(sorted(x.tolist()))):
        of = Of(MISS, public=True, population=True)
        found = noisy_answer(sample, ONE * 4, of, HashedBits(b"fourth"), records)
        assert found.low <= 2500 <= found.high
        widths.append(found.high - found.low)
    assert 2 * widths[1] < widths[0]
    assert widths[1] > 2 * 1.64 * 2500 * (2 / len(x)) ** 0.5


def test_an_interval_of_a_population_says_so() -> None:
    asked = ln.WithInterval(ln.Variance(bounds=(0, 100)), of="population")
    with simulate("population"):
        found = ln.release(asked, ROWS, epsilon=1)
    assert found.interval[0] <= 100 <= found.interval[1]
    assert found.coverage["holds"].startswith("the value of the population")
    assert "central limit" in found.coverage["method"]
    table = {"x": list(ROWS), "who": [i // 2 for i in range(len(ROWS))]}
    with ln.open(table, unit="who", max_rows=2) as data, pytest.raises(ParameterError, match="one"):
        data.release(ln.WithInterval(ln.Variance("x", bounds=(0, 9)), of="population"), epsilon=1)
    with pytest.raises(ParameterError, match="loss with limits"):
        ln.WithInterval(ln.R2(bounds=(0, 1)), of="population")


# Releases

ROWS = np.random.default_rng(5).normal(50, 10, 2000)
MODEL = np.rint(ROWS) % 2, np.full(len(ROWS), 0.25)
ASKED = {
    "variance": (ln.Variance(bounds=(0, 100)), ROWS),
    "loose": (ln.StandardDeviation(bounds=(0, 10**5)), ROWS),
    "loss": (ln.RootMeanSquaredError(bounds=(0, 100)), (ROWS, ROWS + 5)),
    "entropy": (ln.CrossEntropy(loss_bound=30), MODEL),
    "r2": (ln.R2(bounds=(0, 100)), (ROWS, ROWS + 5)),
}


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("name", ASKED)
def test_all_that_is_spent_adds_up_to_epsilon(name: str, relation: str) -> None:
    statistic, data = ASKED[name]
    for favour in (None, "interval"):
        with simulate("sums"):
            found = ln.release(
                ln.WithInterval(statistic, favour=favour), data, epsilon="0.9", relation=relation
            )
        assert sum(map(Fraction, found.parts.values())) == Fraction("0.9")
        assert found.interval[0] <= found.value <= found.interval[1]
        assert found.guarantee == ln.PureDP("0.9", found.guarantee.scope)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize(
    ("name", "favour"),
    [(name, of) for name in ASKED for of in (None, "interval") if (name, of) != ("r2", None)],
)
def test_what_the_sums_miss_and_cost_adds_up(
    name: str, favour: Any, relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ends beside a value miss on one side alone, where either does as often as the other."""
    shares: list[tuple[Fraction, Fraction]] = []

    def seen(summary: Any, epsilon: Fraction, of: Of, *more: Any) -> Any:
        shares.append((of.miss, epsilon))
        return noisy_answer(summary, epsilon, of, *more)

    monkeypatch.setattr(summed, "noisy_answer", seen)
    statistic, data = ASKED[name]
    asked = ln.WithInterval(statistic, level="0.9", favour=favour)
    usual = statistic.settled_mechanism(relation)
    with simulate("shares"):
        found = ln.release(asked, data, epsilon=1, relation=relation, mechanism=usual)
    drawn = shares[-2:] if name == "r2" else shares[-1:]
    beside = "both ends" in found.parts and found.n_public
    assert sum(miss for miss, _ in drawn) == MISS * (2 if beside else 1)
    assert sum(epsilon for _, epsilon in drawn) == Fraction([*found.parts.values()][-1])


def test_tight_bounds_need_no_walk() -> None:
    asked = ln.WithInterval(ln.Variance(bounds=(0, 100), missing="none"))
    with simulate("tight"):
        found = ln.release(asked, np.repeat(ROWS, 10), epsilon=1, mechanism=ln.TightOrLoose())
        plain = ln.release(asked, np.repeat(ROWS, 10), epsilon=1, mechanism=ln.Laplace())
    assert set(found.parts) == {"whether bounds are tight", "sums"}
    assert sum(map(Fraction, found.parts.values())) == 1
    low, high = found.interval
    assert low <= ROWS.var() <= high
    assert 3 * (high - low) < plain.interval[1] - plain.interval[0]


def test_persons_of_several_rows_have_nested_intervals() -> None:
    table = {"x": list(ROWS), "who": [i // 2 for i in range(len(ROWS))]}
    with simulate("persons"), ln.open(table, unit="who", max_rows=2) as data:
        found = data.release(ln.WithInterval(ln.Variance("x", bounds=(0, 100))), epsilon=1)
    assert "AboveThreshold(ends)" in found.mechanism


def test_what_derives_from_a_variance_is_told_by_its_own_bounds() -> None:
    class Rooted(ln.Variance):
        pass

    class Capped(ln.MeanSquaredError):
        pass

    class Floored(ln.R2):
        pass

    for own in (Rooted, Capped, Floored):
        assert own(bounds=(0, 1)).summed == 0
        with pytest.raises(ParameterError, match="favour= is for"):
            ln.WithInterval(own(bounds=(0, 1)), favour="interval")


def test_sums_alone_have_no_other_mechanism() -> None:
    asked = ln.WithInterval(ln.Variance(bounds=(0, 100), missing="none"), favour="interval")
    with pytest.raises(ParameterError, match="omit mechanism="):
        ln.release(asked, ROWS, epsilon=1, mechanism=ln.PiecewiseLaplace())
    found = ln.release(asked, ROWS, epsilon=1, mechanism=ln.CentredLaplace())
    assert found.mechanism == "noisy sums"


def test_a_loss_without_limits_has_no_sums() -> None:
    with pytest.raises(ParameterError, match="favour= is for"):
        ln.WithInterval(ln.MeanSquaredError(), favour="interval")
