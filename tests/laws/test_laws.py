"""Every class of law: analysis against brute-force sums, draws against analysis."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.laws import (
    ConstantLaw,
    DiscreteLaplaceLaw,
    Law,
    LevelsLaw,
    RatioLaw,
    RoundedLaplaceLaw,
    Run,
)
from leastnoise.laws.ratio import RatioParts
from leastnoise.randomness import HashedBits
from leastnoise.sampling.dyadic import LevelLaw, Side
from leastnoise.testing import PrivacyViolation, check_law
from leastnoise.testing.sums import RunSums, series

ONE = Fraction(1)
CENTRES = [Fraction(0), Fraction(5), Fraction(-7, 2), Fraction(1, 3), Fraction(40)]


def scale_of(number: Fraction) -> Callable[[int], tuple[int, int]]:
    """An enclosure of an exact scale, one unit wide on either side."""

    def enclosure(bits: int) -> tuple[int, int]:
        value = number * (1 << bits)
        return math.floor(value), math.floor(value) + 1

    return enclosure


def ratio(**changes: Any) -> RatioLaw:
    parts: dict[str, Any] = {
        "total": 12,
        "count": 9,
        "middle": 4,
        "scale": Fraction(3, 2),
        "rate_total": Fraction(1, 10),
        "rate_count": Fraction(1, 2),
        "low": -3,
        "high": 30,
    }
    return RatioLaw(RatioParts(**parts | changes), ONE)


# --- brute force -------------------------------------------------------------


def brute_discrete_laplace(law: DiscreteLaplaceLaw, reach: int) -> dict[int, float]:
    weights = {
        law.centre + d: math.exp(-abs(d) * float(law.rate)) for d in range(-reach, reach + 1)
    }
    total = math.fsum(weights.values())
    return {point: weight / total for point, weight in weights.items()}


def brute_rounded(centre: int, scale: float, reach: int) -> dict[int, float]:
    """Masses of the cells [y - 1/2, y + 1/2) of a real Laplace law."""

    def tail(x: float) -> float:
        return math.exp(-x / scale) / 2

    masses = {centre: 1 - 2 * tail(0.5)}
    for d in range(1, reach + 1):
        masses[centre + d] = masses[centre - d] = tail(d - 0.5) - tail(d + 0.5)
    return masses


def brute_ratio(law: RatioLaw, reach: int) -> dict[int, float]:
    """Every pair of a noisy sum and a noisy count."""
    p = law.parts
    totals = brute_discrete_laplace(DiscreteLaplaceLaw(p.total, p.rate_total, ONE), reach)
    counts = brute_discrete_laplace(DiscreteLaplaceLaw(p.count, p.rate_count, ONE), reach)
    masses: Counter[int] = Counter()
    for count, weight in counts.items():
        if weight < 1e-18:
            continue
        for total, other in totals.items():
            exact = p.scale * (p.middle + Fraction(total, max(1, count)))
            point = max(p.low, min(p.high, math.floor(exact + Fraction(1, 2))))
            masses[point] += weight * other
    return dict(masses)


def compare(
    law: Law, masses: dict[int, float], tolerance: float, *, rounding: float = 1e-12
) -> None:
    running = 0.0
    for point in sorted(masses):
        running += masses[point]
        assert law.point_mass(point) == pytest.approx(
            masses[point], rel=tolerance, abs=tolerance / 1000
        )
        assert law.point_cdf(point) == pytest.approx(running, abs=tolerance)
    for centre in CENTRES:
        direct = math.fsum(float(abs(y - centre)) * mass for y, mass in masses.items())
        found = law.mean_absolute_error(centre=centre)
        assert found == pytest.approx(direct, rel=10 * tolerance, abs=rounding)


@pytest.mark.parametrize("rate", [Fraction(1, 50), Fraction(1, 3), ONE, Fraction(9)])
@pytest.mark.parametrize("centre", [0, -12])
def test_discrete_laplace(centre: int, rate: Fraction) -> None:
    law = DiscreteLaplaceLaw(centre, rate, ONE)
    compare(law, brute_discrete_laplace(law, math.ceil(45 / float(rate))), 1e-9)


@pytest.mark.parametrize("scale", [Fraction(1, 20), Fraction(1, 2), ONE, Fraction(77, 10)])
@pytest.mark.parametrize("centre", [0, 31])
def test_rounded_laplace(centre: int, scale: Fraction) -> None:
    law = RoundedLaplaceLaw(centre, scale_of(scale), ONE)
    reach = math.ceil(40 * scale) + 2
    compare(law, brute_rounded(centre, float(scale), reach), 1e-9)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"count": 0, "total": 0},
        {"count": 1, "total": -40},
        {"low": 5, "high": 6},
        {"scale": Fraction(1, 7), "rate_total": Fraction(1, 3), "rate_count": Fraction(2)},
        {"middle": -9, "total": 100, "count": 40},
    ],
)
def test_ratio(changes: dict[str, Any]) -> None:
    law = ratio(**changes)
    # floats decide ties of the rounding; the mean error is that of the answer before it
    compare(law, brute_ratio(law, 200), 1e-5, rounding=0.5)
    simulated = [law.draw(HASHED) for _ in range(4000)]
    for point in (law.parts.low, law.point_quantile(0.3), law.point_quantile(0.8)):
        share = sum(y <= point for y in simulated) / 4000
        assert abs(share - law.point_cdf(point)) < 4.5 * 0.5 / math.sqrt(4000)


HASHED = HashedBits(b"tests/laws/test_laws.py")


@pytest.mark.parametrize(
    ("count", "rate"),
    [(1000, Fraction(1, 100)), (10**9, Fraction(1, 10**7)), (5, Fraction(1, 10**6))],
)
def test_a_thinned_ratio_is_close(count: int, rate: Fraction) -> None:
    """Beyond 20,001 counts the analysis takes quantiles of the noisy count."""
    law = ratio(count=count, total=3 * count, rate_count=rate, high=4000, scale=Fraction(100))
    source = HashedBits(b"thinned")
    draws = np.array([law.draw(source) for _ in range(4000)])
    for u in (0.05, 0.3, 0.5, 0.7, 0.95):
        point = law.point_quantile(u)
        assert abs((draws <= point).mean() - law.point_cdf(point)) < 4.5 * 0.5 / math.sqrt(4000)


LAWS: dict[str, Law] = {
    "constant": ConstantLaw(7, Fraction(1, 4)),
    "laplace": DiscreteLaplaceLaw(3, Fraction(1, 5), Fraction(1, 8)),
    "narrow laplace": DiscreteLaplaceLaw(3, Fraction(40), ONE),
    "wide laplace": DiscreteLaplaceLaw(-(2**70), Fraction(1, 2**45), Fraction(1, 2**52)),
    "rounded": RoundedLaplaceLaw(-4, scale_of(Fraction(31, 7)), Fraction(1, 3)),
    "narrow rounded": RoundedLaplaceLaw(0, scale_of(Fraction(1, 64)), ONE),
    "wide rounded": RoundedLaplaceLaw(5, scale_of(Fraction(2**40)), Fraction(1, 2**52)),
    "ratio": ratio(scale=Fraction(31, 20)),  # hardly any ties when rounding
    "levels": LevelsLaw(
        10,
        LevelLaw(
            Side(lambda level: level**2, 90), Side(lambda level: 3 * level, 40), ONE, True, 50
        ),
        Fraction(1, 10),
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_verdict_on_shipped_laws(name: str) -> None:
    check_law(LAWS[name], draws=4000, tolerance=1e-5 if name == "ratio" else 1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_reprs_print_no_number(name: str) -> None:
    assert repr(LAWS[name]).endswith("(NOT PRIVATE: computed from the data, numbers hidden)")


def test_values_off_the_lattice_have_no_mass() -> None:
    law = LAWS["levels"]
    assert law.pmf(1) == law.point_mass(10) > 0
    assert law.pmf(1.1) == law.point_mass(11)  # the float nearest to 11/10
    assert law.pmf(Fraction(111, 100)) == law.pmf(1.100001) == 0
    assert law.cdf(1.15) == law.cdf(1.1)
    assert law.pmf(10**9) == 0


@pytest.mark.parametrize("u", [-0.1, 1.1, float("nan")])
def test_quantiles_take_probabilities(u: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        LAWS["levels"].quantile(u)


# --- the certified sums themselves -------------------------------------------


def test_series_enclose_the_direct_sum() -> None:
    from decimal import Decimal, localcontext

    for exponent, slope, count in (
        (Fraction(0), Fraction(0), 9),
        (Fraction(3), Fraction(1, 7), 40),
        (Fraction(1, 3), Fraction(1, 10**9), 25),
        (Fraction(500), Fraction(5), 3),
    ):
        found = series(exponent, slope, count)
        with localcontext() as context:
            context.prec = 60
            total = Fraction(0)
            for i in range(count):
                e = exponent + i * slope
                total += Fraction((-(Decimal(e.numerator) / Decimal(e.denominator))).exp())
        assert found.low <= total * (1 + Fraction(1, 10**40))
        assert found.high >= total * (1 - Fraction(1, 10**40))
        assert found.high - found.low <= found.high / 2**100


def test_series_without_end() -> None:
    found = series(Fraction(0), Fraction(1), None)
    assert found.low <= Fraction(math.exp(1) / (math.exp(1) - 1)) * (1 + Fraction(1, 10**15))
    with pytest.raises(ValueError, match="no mass"):
        series(Fraction(0), Fraction(0), None)


def test_sums_of_runs_find_every_point() -> None:
    sums = RunSums(
        (
            Run(-1, -1, 3, Fraction(1), Fraction(1, 2)),
            Run(0, 1, 1, Fraction(0), Fraction(0)),
            Run(1, 1, None, Fraction(2), Fraction(2)),
        )
    )
    assert (sums.first, sums.last) == (-3, None)
    exponents = [sums.exponent(y) for y in (-4, -3, -1, 0, 1, 4)]
    assert exponents == [None, 2, 1, 0, 2, 8]
    assert float(sums.up_to(-4).high) == 0
    assert (
        1 - Fraction(1, 10**9) < sums.up_to(40).low <= sums.up_to(40).high <= 1 + Fraction(1, 2**90)
    )


# --- every check fires -------------------------------------------------------


class _Wrong(DiscreteLaplaceLaw):
    def __init__(self) -> None:
        super().__init__(0, Fraction(1, 5), ONE)


class _Mass(_Wrong):
    def point_mass(self, point: int) -> float:
        return super().point_mass(point) * (1 + 1e-6)


class _Cdf(_Wrong):
    def point_cdf(self, point: int) -> float:
        return super().point_cdf(point) - (1e-6 if point == 0 else 0)


class _Quantile(_Wrong):
    def point_quantile(self, probability: float) -> int:
        return super().point_quantile(probability) + (probability > 0.7)


class _Error(_Wrong):
    def mean_distance(self, centre: Fraction) -> float:
        return 1 / float(self.rate)


class _Scale(_Wrong):
    """Draws with half the scale."""

    def draw(self, source: Any) -> int:
        return self.centre + (super().draw(source) - self.centre) // 2


class _Simulated(_Wrong):
    def sample_points(self, size: int, rng: np.random.Generator) -> Any:
        return super().sample_points(size, rng) + 1


class _OffLattice(_Wrong):
    def pmf(self, y: Any) -> float:
        return self.point_mass(round(y))


class _FloatNoise(DiscreteLaplaceLaw):
    """The textbook: a uniform in double precision, a logarithm, a rounding."""

    def draw(self, source: Any) -> int:
        u = (source.bits(53) + 0.5) / 2**53 - 0.5
        return self.centre - int(math.copysign(math.log1p(-2 * abs(u)), u) / float(self.rate))


@pytest.mark.parametrize(
    ("law", "claim"),
    [
        (_Mass(), "pmf lies in its certified enclosure"),
        (_Cdf(), "the steps of the cdf are the masses"),
        (_Quantile(), "quantile is the inverse of cdf"),
        (_Error(), "mean_absolute_error is the direct sum"),
        (_Scale(), "draw follows the law"),
        (_Simulated(), "sample follows the law"),
        (_OffLattice(), "pmf is 0 off the lattice"),
        (
            _FloatNoise(0, Fraction(1, 2**60), ONE),
            "the lowest bits of draws follow the law",
        ),
    ],
)
def test_wrong_laws_are_caught(law: Law, claim: str) -> None:
    with pytest.raises(PrivacyViolation) as caught:
        check_law(law)
    assert caught.value.law == claim


class _Redraws(RoundedLaplaceLaw):
    """Takes a fresh uniform where the first was undecided."""

    def draw(self, source: Any) -> int:
        negative = source.bits(1)
        while True:
            u = source.bits(64)
            if u > 0:
                low, high = (float(self._s) * -math.log((u + end) / 2**64) + 0.5 for end in (1, 0))
                if math.floor(low) == math.floor(high):
                    size = math.floor(low)
                    return self.centre - size if negative else self.centre + size


def test_rounded_noise_in_floats_or_redrawn_is_caught() -> None:
    with pytest.raises(PrivacyViolation, match="the rounding of one real draw"):
        check_law(_Redraws(0, scale_of(Fraction(5)), ONE))


def test_a_scale_that_is_rounded_to_the_lattice_is_caught() -> None:
    law = RoundedLaplaceLaw(0, scale_of(Fraction(11, 2)), ONE)
    law.scale = lambda bits: (5 << bits, 6 << bits)
    with pytest.raises(PrivacyViolation, match="certified real number"):
        check_law(law, draws=0)


@pytest.mark.parametrize("u", [1e-13, 0.5, 1 - 1e-13])
@pytest.mark.parametrize("bits", [40, 80])
def test_quantiles_of_wide_laws_are_found_without_walking(u: float, bits: int) -> None:
    scale = 1 << bits
    for law in (
        DiscreteLaplaceLaw(3, Fraction(1, scale), Fraction(1)),
        RoundedLaplaceLaw(3, lambda more: (scale << more, scale << more), Fraction(1)),
    ):
        point = law.point_quantile(u)
        assert law.point_cdf(point) >= u
        assert law.point_cdf(point - 1) <= u
