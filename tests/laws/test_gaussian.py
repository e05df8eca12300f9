"""Gaussian noise: its own exact delta, privacy by enumeration, the classical formula."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.accounting.conversions import to_approx
from leastnoise.errors import ParameterError
from leastnoise.laws import DiscreteGaussianLaw
from leastnoise.mechanisms.gaussian_calibration import (
    concentrated_variance,
    discrete_delta,
    discrete_variance,
    normal_delta,
    normal_ratio,
)
from leastnoise.mechanisms.vector_noise import concentration
from leastnoise.record import Release
from leastnoise.testing import check_law, check_mechanism, simulate

F = Fraction
BITS = 200


def delta_by_summing(variance: float, shift: int, epsilon: float) -> float:
    """The hockey-stick divergence of the discrete law and its shift, term by term."""
    k = np.arange(-int(60 * sqrt(variance)) - shift - 9, int(60 * sqrt(variance)) + shift + 9)
    p = np.exp(-(k**2) / (2 * variance))
    q = np.exp(-((k - shift) ** 2) / (2 * variance))
    return float(np.maximum(0, q / p.sum() - exp(epsilon) * p / p.sum()).sum())


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(5), F(10)])
@pytest.mark.parametrize("delta", [F(1, 1000), F(1, 10**6)])
@pytest.mark.parametrize("sensitivity", [1, 3, 40, 2000])
def test_variance_keeps_its_delta_and_is_the_smallest(epsilon, delta, sensitivity):
    variance = discrete_variance(epsilon, delta, sensitivity)
    if variance < 10**8:
        found = delta_by_summing(float(variance), sensitivity, float(epsilon))
        assert found <= float(delta) * (1 + 1e-9)
        assert found >= float(delta) * 0.999
    less = discrete_delta(variance * F(999, 1000), sensitivity, epsilon, BITS)
    assert F(less, 2**BITS) > delta


@pytest.mark.parametrize("shift", range(1, 8))
def test_delta_does_not_fall_with_the_shift(shift):
    for variance in (F(1, 4), F(3), F(50)):
        one = discrete_delta(variance, shift, F(2), BITS)
        assert one <= discrete_delta(variance, shift + 1, F(2), BITS)


def test_classical_formula_is_refuted_at_epsilon_10():
    """sigma = sqrt(2 ln(1.25/delta)) / epsilon claims 1e-5 and has 2.3e-5 (errata 1)."""
    sigma = F(sqrt(2 * log(1.25e5)) / 10)
    certified = F(normal_delta(sigma, F(10), BITS), 2**BITS)
    assert float(certified) == pytest.approx(2.3e-5, rel=0.02)
    assert normal_ratio(F(10), F(1, 10**5)) > sigma
    # on the integers the same noise at sensitivity 40 fails the audit, ours passes
    claim = ln.ApproxDP(10, "1e-5")

    def noisy(variance):
        return lambda data: DiscreteGaussianLaw(40 * sum(data), variance, F(1))

    for variance, passes in (
        (sigma**2 * 1600, False),
        (discrete_variance(F(10), F(1, 10**5), 40), True),
    ):
        report = audit.exact_law(
            noisy(variance), universe=[0, 1], n=2, relation="replace-one", claim=claim
        )
        assert report.passed is passes


def test_classical_formula_holds_at_epsilon_1_but_costs():
    sigma = sqrt(2 * log(1.25e5))
    assert F(normal_delta(F(sigma), F(1), BITS), 2**BITS) < F(1, 10**5)
    assert float(normal_ratio(F(1), F(1, 10**5))) == pytest.approx(3.7306, rel=1e-4)
    assert sigma / float(normal_ratio(F(1), F(1, 10**5))) > 1.29


def test_the_normal_calibration_is_wrong_for_the_discrete_law():
    """exact_sampling 5: at epsilon = 5, delta = 1e-3 the discrete law has 1.98e-3."""
    ratio = normal_ratio(F(5), F(1, 1000))
    assert float(F(discrete_delta(ratio**2, 1, F(5), BITS), 2**BITS)) == pytest.approx(
        1.98e-3, rel=0.01
    )
    assert discrete_variance(F(5), F(1, 1000), 1) > ratio**2


# --- the mechanism ------------------------------------------------------------------------------


def test_mechanism_survives_the_kit():
    check_mechanism(ln.Gaussian(delta="1e-3"), draws=100)


@pytest.mark.parametrize("variance", [F(1, 50), F(2), F(300), F(4097), F(10**7), F(10**25)])
def test_law_survives_the_kit(variance):
    check_law(DiscreteGaussianLaw(3, variance, F(1, 4)), draws=1500)


def test_delta_is_checked_at_once():
    for bad in (0, 1, -1, None, "x", float("nan"), True):
        with pytest.raises((ParameterError, TypeError)):
            ln.Gaussian(delta=bad)


def test_a_sensitivity_that_is_too_small_is_seen():
    def half(data):
        profile = ln.profile(ln.Sum(bounds=(0, 4), max_rows=3), list(data))
        return ln.Gaussian(delta="1e-3").law(
            profile.__class__(
                value=profile.value,
                lower=profile.lower,
                upper=profile.upper,
                support=profile.support,
                sensitivity=2,
                integral=True,
            ),
            1,
        )

    claim = ln.ApproxDP(1, "1e-3")
    report = audit.exact_law(half, universe=[0, 2, 4], n=2, relation="replace-one", claim=claim)
    assert not report.passed


def test_a_scale_from_the_data_is_not_certified():
    def local(data):
        return DiscreteGaussianLaw(sum(data), F(4 + sum(data)), F(1))

    claim = ln.ApproxDP(1, "0.4")
    assert not audit.exact_law(local, universe=[0, 1], n=1, claim=claim).passed


def test_record_has_a_public_interval():
    with simulate(4):
        r = ln.release(
            ln.Sum(bounds=(0, 1), max_rows=99),
            np.array([0, 1, 1]),
            epsilon=1,
            mechanism=ln.Gaussian(delta="1e-6"),
        )
    assert r.guarantee == ln.ApproxDP(1, "1e-6")
    assert r.noise == "Gaussian"
    assert r.sensitivity == "global"
    assert r.noise_scale == pytest.approx(sqrt(discrete_variance(F(1), F(1, 10**6), 1)), rel=1e-9)
    assert Release.from_json(r.to_json()) == r
    law = DiscreteGaussianLaw(0, discrete_variance(F(1), F(1, 10**6), 1), F(1))
    for confidence in (0.5, 0.9, 0.95, 0.999):
        low, high = r.noise_interval(confidence)
        half = (high - low) / 2
        assert law.cdf(half) - law.cdf(-half - 1) >= confidence
        assert law.cdf(half - 2) - law.cdf(-half + 1) < confidence


@pytest.mark.parametrize("epsilon", ["1e-9", 1000, 10**9])
def test_extreme_epsilons_end_in_range(epsilon):
    with simulate(1):
        r = ln.release(
            ln.Mean(bounds=(0, 10), missing="none"),
            [1.0, 2.0],
            epsilon=epsilon,
            mechanism=ln.Gaussian(delta="1e-6"),
        )
    assert 0 <= r.value <= 10


# --- vectors --------------------------------------------------------------------------------------


def test_vector_statistics_take_normal_noise():
    rows = np.random.default_rng(1).uniform(-1, 1, (400, 3))
    mechanism = ln.Gaussian(delta="1e-6")
    statistic = ln.MeanVector(3, bounds=(-1, 1))

    def released():
        return ln.release(statistic, rows, epsilon=1, mechanism=mechanism, missing="none")

    with simulate(3):
        errors = np.array([np.asarray(released().value) - rows.mean(axis=0) for _ in range(300)])
    # the scaled sums move by at most 2 in each of 3 coordinates
    sigma = float(normal_ratio(F(1), F(1, 10**6))) * 2 * sqrt(3) / 400
    assert errors.std() == pytest.approx(sigma, rel=0.08)
    assert abs(errors.mean()) < 5 * sigma / sqrt(900)
    assert released().guarantee == ln.ApproxDP(1, "1e-6")


def test_normal_vectors_are_nested_enclosures():
    from leastnoise.randomness import HashedBits
    from leastnoise.sampling.rounded_gaussian import NormalVector

    vector = NormalVector(5, F(7, 3), HashedBits(b"nested"))
    coarse, fine = vector.enclose(20), vector.enclose(150)
    for (low, high), (less, more) in zip(coarse, fine, strict=True):
        assert high - low <= 4
        assert more - less <= 4
        assert low << 130 <= more
        assert less <= high << 130
    assert vector.round_to([F(1)] * 5) == [
        ((low + high) // 2 + 2**149) >> 150 for low, high in vector.enclose(150)
    ]


@pytest.mark.parametrize(
    "mechanism", [ln.Gaussian(delta="1e-6"), ln.KNorm(), ln.PiecewiseKNorm()], ids=lambda m: m.name
)
def test_rows_of_a_person_stretch_the_sensitivity(mechanism):
    """By their number, with Gaussian noise; with K-norm noise each row has its share of epsilon."""
    import pandas as pd

    frame = pd.DataFrame({"who": np.arange(600) % 200, "x": np.linspace(-1, 1, 600)})

    def spread(**options):
        with simulate(5), ln.open(frame, missing="none", **options) as data:
            found = [
                data.release(
                    ln.MeanVector(["x"], bounds=(-1, 1)), epsilon=1, mechanism=mechanism
                ).value[0]
                for _ in range(200)
            ]
        return np.std(found)

    one = spread(relation="edit")
    three = spread(relation="edit", unit="who", max_rows=3)
    assert three / one == pytest.approx(3, rel=0.25)


# ---------------------------------------------------------------------------------------------
# zero-concentrated privacy: what a draw costs in a ledger of rho


def renyi(variance: float, shift: int, order: float) -> float:
    """The Renyi divergence of the discrete law and its shift, term by term."""
    k = np.arange(-int(60 * sqrt(variance)) - 9, int(60 * sqrt(variance)) + 9 + 20 * shift)
    p, q = -(k**2) / (2 * variance), -((k - shift) ** 2) / (2 * variance)
    whole = np.exp(p).sum()
    terms = order * q + (1 - order) * p
    top = terms.max()
    return (top + log(np.exp(terms - top).sum() / whole)) / (order - 1)


@pytest.mark.parametrize("sensitivity", [F(1), F(3), F(7, 2)])
@pytest.mark.parametrize("epsilon", [F(1, 2), F(4)])
def test_rho_bounds_every_order_and_no_smaller_one_does(sensitivity, epsilon):
    for kind in (ln.Gaussian, ln.DiscreteGaussian):
        mechanism = kind(delta="1e-5")
        rho = concentration(mechanism, 1, sensitivity, epsilon)
        shift = int(sensitivity)
        variance = discrete_variance(epsilon, F(1, 10**5), shift)
        assert rho == shift**2 / (2 * variance)
        losses = [renyi(float(variance), shift, a) / a for a in (1.01, 1.5, 2, 4, 9)]
        assert max(losses) <= float(rho) * (1 + 1e-9)
        # the mutation: a tenth less is exceeded
        assert max(losses) > 0.9 * float(rho)


def test_rho_of_vectors_is_that_of_their_sigma():
    epsilon, delta, sensitivity = F(1), F(1, 10**6), F(5, 3)
    normal = concentration(ln.Gaussian(delta=delta), 4, sensitivity, epsilon)
    sigma = normal_ratio(epsilon, delta) * sensitivity
    assert normal == sensitivity**2 / (2 * sigma**2)
    whole = concentration(ln.DiscreteGaussian(delta=delta), 4, sensitivity, epsilon)
    variance = concentrated_variance(epsilon, delta, sensitivity)
    assert whole == sensitivity**2 / (2 * variance)
    # by its rho the discrete vector keeps its (epsilon, delta); the normal one has less noise
    assert to_approx(ln.ZCDP(whole), delta).epsilon <= epsilon * (1 + F(1, 10**6))
    assert normal > whole
    assert concentration(ln.Laplace(), 4, sensitivity, epsilon) is None


def test_a_ledger_of_rho_takes_gaussian_vectors_and_black_boxes(tmp_path):
    from leastnoise.errors import LedgerError

    data, delta = {"a": [0.5] * 20, "b": [0.5] * 20}, "1e-6"
    box = ln.BlackBox(lambda x: x.sum(axis=0), sensitivity=2, norm="l2", dimension=2)
    with ln.Ledger.create(tmp_path / "a.db", dataset="d", budget=ln.ZCDP(1)) as ledger:
        session = ln.open(data, dataset="d", ledger=ledger, missing="none")
        means = ln.MeanVector(["a", "b"], bounds=(0, 1))
        found = session.release(means, epsilon=1, mechanism=ln.Gaussian(delta=delta))
        assert isinstance(found.guarantee, ln.ApproxDP)
        rho = 1 / (2 * normal_ratio(F(1), F(1, 10**6)) ** 2)
        assert ledger.spent == rho
        for kind in (ln.Gaussian, ln.DiscreteGaussian):
            before = ledger.spent
            box.respond(
                np.full((20, 2), 0.5),
                epsilon=1,
                mechanism=kind(delta=delta),
                ledger=ledger,
                dataset="d",
            )
            assert 0 < float(ledger.spent) - float(before) <= float(rho) * (1 + 1e-9)
        # the rho of one number depends on its lattice, and is not promised
        with pytest.raises(LedgerError, match="ZCDP"):
            session.release(
                ln.Sum("a", bounds=(0, 1), max_rows=40),
                epsilon=1,
                mechanism=ln.Gaussian(delta=delta),
            )
    with ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.ApproxDP(2, "1e-5")) as ledger:
        session = ln.open(data, dataset="d", ledger=ledger, missing="none")
        session.release(means, epsilon=1, mechanism=ln.Gaussian(delta=delta))
        assert ledger.spent.numbers == {"epsilon": 1, "delta": F(1, 10**6)}
