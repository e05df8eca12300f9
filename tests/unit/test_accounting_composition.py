"""Composition: the conformance of every accountant, and references written from the definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from leastnoise.accounting import LaplaceNoise, basic, compose, parallel
from leastnoise.accounting.accountants import (
    Accountant,
    Basic,
    Concentrated,
    LossDistribution,
    OptimalBoundedRange,
    Unavailable,
)
from leastnoise.accounting.bounded_range import delta_upper, optimal_epsilon
from leastnoise.accounting.conversions import Loss
from leastnoise.accounting.loss_distribution import (
    bounded_range_masses,
    distribution_epsilon,
    pure_masses,
)
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, PureDP, RandomDP, Scope
from support.optional import optional

DELTA = Fraction(1, 10**6)
ADD = Scope("add-remove")


class AccountantConformance:
    """What every accountant must pass: subclass it and name the accountant and its releases.

    More releases never give a smaller epsilon, nor does a smaller delta; the answer is exact or
    above, never above the basic sum where that is valid, and never negative.
    """

    accountant: Accountant
    sequences: tuple[tuple[Loss, ...], ...]
    counts: tuple[int, ...] = (0, 1, 2, 3, 5, 10, 30, 100)

    def epsilon(self, losses: Sequence[Loss], delta: Fraction = DELTA) -> Fraction | None:
        try:
            return self.accountant.epsilon(losses, delta)
        except Unavailable:
            return None

    def test_more_releases_never_give_less(self) -> None:
        for sequence in self.sequences:
            found = [self.epsilon(sequence * count) for count in self.counts]
            known = [value for value in found if value is not None]
            assert len(known) >= len(found) - 1
            assert known == sorted(known)

    def test_one_more_of_any_kind_never_gives_less(self) -> None:
        everything = dict.fromkeys(loss for sequence in self.sequences for loss in sequence)
        for sequence, extra in product(self.sequences, everything):
            before, after = self.epsilon(sequence * 5), self.epsilon((*(sequence * 5), extra))
            if before is not None and after is not None:
                assert before <= after

    def test_never_worse_than_basic_and_never_negative(self) -> None:
        for sequence, count in product(self.sequences, self.counts):
            losses = sequence * count
            for delta in (Fraction(1, 10**8), DELTA, Fraction(1, 2), Fraction(99, 100)):
                value = self.epsilon(losses, delta)
                if value is None:
                    continue
                assert value >= 0
                try:
                    assert value <= Basic().epsilon(losses, delta)
                except Unavailable:
                    assert any(isinstance(loss, ZCDP) for loss in losses)

    def test_a_smaller_delta_never_gives_less(self) -> None:
        for sequence in self.sequences:
            deltas = [Fraction(1, 10**k) for k in (1, 2, 4, 6, 8)]
            found = [self.epsilon(sequence * 20, delta) for delta in deltas]
            known = [value for value in found if value is not None]
            assert known == sorted(known)

    def test_the_answer_is_an_exact_number(self) -> None:
        assert isinstance(self.epsilon(self.sequences[0] * 3), Fraction)


PURE, RANGE = PureDP("0.1"), BoundedRange("0.1")
MIXED = (PureDP("0.1"), ApproxDP("0.2", "1e-9"), BoundedRange("0.5"))


class TestBasic(AccountantConformance):
    accountant = Basic()
    sequences = ((PURE,), (RANGE,), MIXED, (LaplaceNoise(Fraction(1, 3)),))


class TestConcentrated(AccountantConformance):
    accountant = Concentrated()
    sequences = ((PURE,), (RANGE,), MIXED, (ZCDP("0.01"), PURE), (BoundedRange(3), PureDP("1e-6")))


class TestOptimalBoundedRange(AccountantConformance):
    accountant = OptimalBoundedRange()
    sequences = ((RANGE,), (BoundedRange("1e-4"),), (BoundedRange(2),), (BoundedRange(30),))


class TestLossDistribution(AccountantConformance):
    accountant = LossDistribution()
    sequences = ((PURE,), (RANGE,), MIXED, (LaplaceNoise(Fraction(1, 3), 2),))
    counts = (0, 1, 2, 5, 30)

    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        # Reason: dp-accounting is an extra and the core test environment may be without it.
        optional("dp_accounting")


# references


def two_point(eta: float, t: float) -> tuple[np.ndarray, np.ndarray]:
    """P and the losses of the worst release of range eta at offset t: losses t and t - eta."""
    low = math.expm1(t) / math.expm1(eta)
    return np.array([1 - low, low]), np.array([t, t - eta])


def brute_force_delta(epsilon: float, etas: Sequence[float], ts: Sequence[float]) -> float:
    """The hockey stick of independent two-point releases, by listing all outcomes."""
    pairs = [two_point(eta, t) for eta, t in zip(etas, ts, strict=True)]
    total = 0.0
    for picks in product((0, 1), repeat=len(pairs)):
        mass = math.prod(pair[0][i] for pair, i in zip(pairs, picks, strict=True))
        loss = sum(pair[1][i] for pair, i in zip(pairs, picks, strict=True))
        total += mass * max(0.0, -math.expm1(epsilon - loss))
    return total


@pytest.mark.parametrize("eta", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_optimal_bounded_range_is_the_worst_of_all_offsets(eta: float, count: int) -> None:
    rng = np.random.default_rng(5)
    for share in (0.0, 0.2, 0.5, 0.8):
        epsilon = share * count * eta
        bound = float(delta_upper(Fraction(epsilon), Fraction(eta), count))
        equal = max(
            brute_force_delta(epsilon, [eta] * count, [t] * count)
            for t in np.linspace(1e-9, eta - 1e-9, 400)
        )
        assert equal <= bound * (1 + 1e-12) + 1e-15
        assert bound <= equal * 1.001 + 1e-6  # attained by equal offsets
        for _ in range(60):  # and no unequal ones are worse
            offsets = rng.uniform(0, eta, count)
            assert brute_force_delta(epsilon, [eta] * count, list(offsets)) <= bound + 1e-12


def test_optimal_bounded_range_answers_are_certified_and_near_the_optimum() -> None:
    for eta, count, delta in ((Fraction(1, 10), 100, DELTA), (Fraction(2), 7, Fraction(1, 1000))):
        found = optimal_epsilon(eta, count, delta)
        assert found is not None
        assert delta_upper(found, eta, count) <= delta
        assert delta_upper(found * Fraction(9999, 10000), eta, count) > delta
    assert optimal_epsilon(Fraction(1), 1, DELTA) is None
    assert optimal_epsilon(Fraction(1), 10, Fraction(0)) is None
    assert optimal_epsilon(Fraction(1), 10**6, DELTA) is None


def test_the_dominating_pair_of_bounded_range_has_the_curve_of_the_class() -> None:
    for eta, step in ((0.1, 0.001), (1.0, 0.03), (4.0, 0.1)):
        masses = bounded_range_masses(eta, step)
        losses = np.array(list(masses)) * step
        mass = np.array(list(masses.values()))
        assert mass.min() >= 0
        assert mass.sum() == pytest.approx(1, abs=1e-12)
        assert (mass * np.exp(-losses)).sum() == pytest.approx(1, abs=1e-12)
        for epsilon in np.linspace(-eta, eta, 41):
            curve = (math.exp(eta / 2) - math.exp(epsilon / 2)) ** 2 / math.expm1(eta)
            worst = max(
                brute_force_delta(epsilon, [eta], [t]) for t in np.linspace(1e-9, eta - 1e-9, 400)
            )
            assert worst == pytest.approx(curve, abs=1e-5)
            found = float((mass * np.maximum(0, -np.expm1(epsilon - losses))).sum())
            assert curve - 1e-14 <= found <= curve + step * step


@pytest.mark.parametrize("delta", [0.0, 0.125])
def test_the_worst_pair_is_moved_to_the_grid_without_loss(delta: float) -> None:
    for epsilon, step in ((0.1, 0.03), (1.0, 0.3), (0.1, 0.1), (0.02, 0.1)):
        masses = pure_masses(epsilon, delta, step)
        losses = np.array(list(masses)) * step
        mass = np.array(list(masses.values()))
        assert mass.min() >= 0
        kept = 1 - delta  # the rest has an unbounded loss
        assert mass.sum() == pytest.approx(kept, abs=1e-12)
        assert (mass * np.exp(-losses)).sum() == pytest.approx(kept, abs=1e-12)
        for at in np.linspace(-epsilon, epsilon, 21):
            true = kept * max(0.0, (math.exp(epsilon) - math.exp(at)) / (1 + math.exp(epsilon)))
            found = float((mass * np.maximum(0, -np.expm1(at - losses))).sum())
            assert true - 1e-14 <= found <= true + step


def adaptive_delta(epsilon: float, eta: float) -> float:
    """Two releases; the second takes its worst offset after the first answer was seen."""
    worst = 0.0
    for t in np.linspace(0.01, 0.99, 100) * eta:
        mass, losses = two_point(eta, t)
        rest = [
            max(
                brute_force_delta(epsilon - loss, [eta], [s * eta])
                for s in np.linspace(0.005, 0.995, 100)
            )
            for loss in losses
        ]
        worst = max(worst, float(mass @ np.array(rest)))
    return worst


def test_an_adaptive_offset_voids_the_optimal_bound() -> None:
    for epsilon in (0.1, 0.2):
        fixed = float(delta_upper(Fraction(epsilon), Fraction(1), 2))
        assert adaptive_delta(epsilon, 1.0) > fixed * 1.02


def test_loss_distributions_cover_an_adaptive_offset() -> None:
    optional("dp_accounting")
    epsilon = float(distribution_epsilon([BoundedRange(1)] * 2, Fraction(1, 100)))
    assert adaptive_delta(epsilon, 1.0) <= 0.01


def test_loss_distribution_of_laplace_is_that_of_its_closed_form() -> None:
    optional("dp_accounting")
    found = distribution_epsilon([LaplaceNoise(Fraction(1))], Fraction(1, 100))
    # delta(eps) = 1 - e^((eps - 1)/2) for noise on the real line of scale 1
    assert float(found) == pytest.approx(1 + 2 * math.log(1 - 0.01), abs=2e-4)
    for loss in (ZCDP(1), RandomDP(1, 0, "0.1")):
        with pytest.raises(ParameterError, match="no dominating pair"):
            distribution_epsilon([loss], DELTA)
    with pytest.raises(ParameterError, match="delta >="):
        distribution_epsilon([PureDP(1)], Fraction(1, 10**12))
    with pytest.raises(ParameterError, match="unbounded loss"):
        distribution_epsilon([ApproxDP(1, "0.1")], DELTA)


# compose


def test_ten_tenths_and_eleven_elevenths_are_exactly_one() -> None:
    assert compose([PureDP(0.1)] * 10).smallest.epsilon == 1
    assert compose([PureDP("1/11")] * 11).smallest.epsilon == 1
    assert basic([PureDP(0.1)] * 10) == PureDP(1)


def test_only_basic_sums_unless_the_plan_was_fixed() -> None:
    releases = [RANGE] * 100
    free = compose(releases, delta=DELTA)
    assert [bound.method for bound in free.bounds] == ["basic"]
    assert free.smallest.epsilon == 10
    assert {method for method, _ in free.left_out} == {
        "optimal bounded range",
        "zCDP",
        "privacy loss distribution",
    }
    guarantees = compose(releases, delta=DELTA, fixed="guarantees")
    assert guarantees.smallest.method == "zCDP"
    assert "optimal bounded range" not in {bound.method for bound in guarantees.bounds}
    plan = compose(releases, delta=DELTA, fixed="plan")
    assert plan.smallest.method == "optimal bounded range"
    assert plan.smallest.epsilon < guarantees.smallest.epsilon < free.smallest.epsilon
    assert [bound.epsilon for bound in plan.bounds] == sorted(b.epsilon for b in plan.bounds)
    assert plan.smallest.certified
    assert "optimal bounded range" in str(plan)
    with pytest.raises(ParameterError, match="fixed must be one of"):
        compose(releases, delta=DELTA, fixed="everything")


def test_bounded_range_beats_the_same_pure_guarantees() -> None:
    optional("dp_accounting")
    ours = compose([RANGE] * 100, delta=DELTA, fixed="plan").smallest
    pure = compose([PURE] * 100, delta=DELTA, fixed="plan").smallest
    laplace = compose([LaplaceNoise(Fraction(1, 10), 1000)] * 100, delta=DELTA, fixed="plan")
    assert ours.epsilon < laplace.smallest.epsilon < pure.epsilon < 10


def test_kinds_relations_and_units_are_not_confused() -> None:
    with pytest.raises(ParameterError, match="do not add up"):
        compose([PureDP(1), PureDP(1, ADD)])
    with pytest.raises(ParameterError, match="do not add up"):
        basic([PureDP(1), PureDP(1, Scope(unit="person"))])
    with pytest.raises(ParameterError, match="convert it"):
        basic([PureDP(1), ZCDP(1)])
    with pytest.raises(ParameterError, match="no theorem composes"):
        compose([PureDP(1), ZCDP(1)])
    with pytest.raises(ParameterTypeError, match="guarantees, such as"):
        compose([1])
    with pytest.raises(ParameterError):
        basic([])
    assert compose([]).smallest.epsilon == 0


def test_random_guarantees_join_only_when_asked() -> None:
    random = RandomDP(1, "1e-9", "0.05", "0.001")
    for call in (compose, basic):
        with pytest.raises(ParameterError, match="allow_random=True"):
            call([PureDP(1), random])
    assert basic([PureDP(1), random, random], allow_random=True) == RandomDP(
        3, "2e-9", "0.1", "0.002"
    )
    whole = compose([PureDP(1), random], delta=DELTA, allow_random=True)
    assert (whole.smallest.epsilon, whole.gamma) == (2, Fraction(1, 20))
    assert "all but a share 0.05 of pairs, with probability 0.999" in str(whole)
    assert "share" not in str(compose([PureDP(1)]))


def test_random_guarantees_that_promise_nothing_together_are_refused() -> None:
    random = RandomDP(1, 0, "0.6", "0.001")
    for call in (compose, basic):
        with pytest.raises(ParameterError, match="gamma adds up to 6/5"):
            call([random, random], allow_random=True)


def test_basic_sums_keep_the_kind_where_there_is_one() -> None:
    assert basic([ZCDP("0.1"), ZCDP("0.2")]) == ZCDP("0.3")
    assert basic([RANGE, RANGE]) == BoundedRange("0.2")
    assert basic([RANGE, PURE]) == PureDP("0.2")
    assert basic([ApproxDP(1, "1e-6"), PURE]) == ApproxDP("1.1", "1e-6")
    with pytest.raises(ParameterError, match="deltas of the releases add up"):
        compose([ApproxDP(1, "1e-3")] * 2, delta=DELTA)


def test_groups_cost_two_under_replacement_and_one_under_add_remove() -> None:
    assert parallel([PureDP(1)] * 5) == PureDP(2)
    assert parallel([PureDP(1, ADD)] * 5) == PureDP(1, ADD)
    assert parallel([PureDP(1, Scope("edit"))] * 5) == PureDP(2, Scope("edit"))
    assert parallel([PureDP(1)]) == PureDP(1)
    assert parallel([PureDP(1), PureDP(3), PureDP(2)]) == PureDP(5)
    assert parallel([ZCDP(1)] * 3) == ZCDP(2)
    assert parallel([BoundedRange(1), BoundedRange(2)]) == BoundedRange(3)
    assert parallel([ApproxDP(1, "1e-3"), ApproxDP(2, "1e-6"), ApproxDP(1, 0)]) == ApproxDP(
        3, Fraction(1, 10**3) + Fraction(1, 10**6)
    )
    for wrong in ([], [PureDP(1), ZCDP(1)], [RandomDP(1, 0, "0.1")] * 2):
        with pytest.raises(ParameterError):
            parallel(wrong)


def test_a_moved_record_reaches_both_groups_losses_exactly() -> None:
    """Two groups' counts with discrete Laplace noise: a record that moves costs both epsilons."""
    a = 0.5
    k = np.arange(-60, 61)
    here, there = np.meshgrid(k, k)
    before = -a * (np.abs(here - 1) + np.abs(there))
    after = -a * (np.abs(here) + np.abs(there - 1))
    assert np.max(before - after) == pytest.approx(2 * a)
