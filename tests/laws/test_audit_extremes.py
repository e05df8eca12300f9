"""The exact audit from epsilon 1/1000 to 64, in every measure: no false alarm and no miss."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, log, log1p
from typing import Any

import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.mechanisms import smooth_laplace

EPSILONS = ("1/1000", "1/8", "8", "64")
MEDIAN = ln.Median(bounds=(0, 10))
PURE = [
    ln.Laplace(),
    ln.InverseSensitivity(),
    ln.PiecewiseLaplace(),
    ln.PiecewiseLaplace(rho=1),
    ln.PiecewiseLaplace(base="log"),
]
# The smallest epsilon takes some seconds where every candidate is summed over.
SUMMED = ln.AsymmetricSensitivity(beta=2, scale=2)
APPROXIMATE = [ln.SmoothLaplace(delta="1e-6"), ln.Gaussian(delta="1e-3")]


def every(*mechanisms: Any) -> list[Any]:
    """Each at all epsilons, but what would take long at the smallest."""
    found = [(m, e) for m in mechanisms for e in EPSILONS]
    found += [(SUMMED, e) for e in EPSILONS[1:]]
    return [pytest.param(m, e, id=f"{m.name}-{e}") for m, e in found]


@dataclass(frozen=True)
class AtFourTimes:
    """Promises epsilon and draws at 4 epsilon."""

    inner: Any

    @property
    def name(self) -> str:
        return f"AtFourTimes({self.inner.name})"

    def law(self, profile: Any, epsilon: Fraction) -> Any:
        return self.inner.law(profile, 4 * epsilon)

    def guarantee(self, epsilon: Fraction, scope: Any) -> Any:
        return self.inner.guarantee(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        return self.inner.depth(4 * epsilon, range_bits)


def report_of(mechanism: Any, epsilon: str, **options: Any) -> audit.ExactReport:
    settings: dict[str, Any] = {"universe": (0, 5, 10), "n": 2, "relation": "edit"}
    return audit.exact(MEDIAN, mechanism, epsilon=epsilon, **settings | options)


@pytest.mark.parametrize(("mechanism", "epsilon"), every(*PURE, *APPROXIMATE))
def test_what_is_shipped_passes_at_any_epsilon(mechanism: Any, epsilon: str) -> None:
    """At 64 probabilities are below e^-1000, and no double could hold them."""
    report = report_of(mechanism, epsilon)
    assert report.passed, report
    assert report.slack >= -Fraction(1, 2**40)


def test_the_published_decay_is_refuted_at_large_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nissim, Raskhodnikova and Smith (2007) with b = epsilon / (2 ln(2/delta)) at epsilon 48."""
    published = lambda epsilon, delta: Fraction(float(epsilon) / (2 * log(2 / float(delta))))
    smooth = ln.SmoothLaplace(delta="1e-6")
    assert report_of(smooth, "48").passed
    monkeypatch.setattr(smooth_laplace, "decay", published)
    report = report_of(smooth, "48")
    assert report.verdict == "VIOLATED"
    assert float(report.lo) == pytest.approx(1.85e-6, rel=0.01)


def test_the_decay_is_the_published_one_at_small_epsilon() -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(8)):
        b = smooth_laplace.decay(epsilon, Fraction(1, 10**6))
        assert float(b) == pytest.approx(float(epsilon) / (2 * log(2e6)), rel=1e-12)
    for epsilon in (16, 64, 1000, 10**6):
        b = float(smooth_laplace.decay(Fraction(epsilon), Fraction(1, 10**6)))
        t = (epsilon / 2 + b) / (exp(b) - 1)
        assert 0.999e-6 < exp(-t) * (1 - exp(-b)) <= 1e-6  # nearly the largest that is allowed


@pytest.mark.parametrize(("mechanism", "epsilon"), every(*PURE, *APPROXIMATE))
def test_noise_at_four_times_epsilon_is_seen_at_any_epsilon(mechanism: Any, epsilon: str) -> None:
    """Twice would not do: over a short range normalising sums hide half of a small epsilon."""
    report = report_of(AtFourTimes(mechanism), epsilon)
    assert report.verdict == "VIOLATED", report


@pytest.mark.share(1 / 12)
@pytest.mark.parametrize("measure", ["bounded-range", "zcdp"])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("mechanism", PURE[:4], ids=lambda m: m.name)
def test_bounded_range_and_zcdp_at_any_epsilon(mechanism: Any, measure: str, epsilon: str) -> None:
    """What follows from the guarantee holds; a hundredth of it, with certainty, does not."""
    report = report_of(mechanism, epsilon, measure=measure)
    assert report.passed, report
    small = report.claimed / 100
    claim = ln.ZCDP(small) if measure == "zcdp" else ln.BoundedRange(small)
    assert report_of(mechanism, epsilon, claim=claim).verdict == "VIOLATED"


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_zcdp_of_two_answers_equals_the_definition(epsilon: str) -> None:
    """Randomised response: sup over orders of D_a / a, by a fine search in doubles."""
    e = float(Fraction(epsilon))
    law = lambda x: {bit: Fraction(epsilon) * (bit != x[0]) for bit in (0, 1)}
    report = audit.exact_law(law, universe=[0, 1], n=1, claim=ln.ZCDP(10**6))

    def renyi(a: float) -> float:
        # log(p^a q^(1-a) + q^a p^(1-a)) with p = 1/(1 + e^-e): stable for small and large e
        up, down = a * e - e, -a * e
        inner = log1p((expm1(up) + expm1(down)) / 2) if e < 1 else up + log1p(exp(down - up))
        whole = log1p(expm1(-e) / 2) if e < 1 else log1p(exp(-e))
        return (inner - whole) / (a - 1)

    true = max(renyi(1 + k / 500) / (1 + k / 500) for k in range(1, 20_000))
    assert float(report.lo) <= true * (1 + 1e-6)
    assert float(report.hi) >= true * (1 - 1e-6)
    assert float(report.hi) <= float(report.lo) * 1.1


def test_order_is_no_matter_where_laws_are_tables() -> None:
    """Equal tables are equal laws: an honest one is not accused of reading the order."""
    table = lambda data: {y: Fraction(1 + data.count(y), 2 + len(data)) for y in (0, 1)}
    settings: dict[str, Any] = {"universe": [0, 1], "n": 3, "claim": ln.PureDP(1)}
    law = lambda data: audit.Probabilities(table(data))
    assert audit.exact_law(law, permutations=True, **settings).passed
    first = lambda data: audit.Probabilities(table(data[:1] * 3))
    report = audit.exact_law(first, permutations=True, **settings | {"claim": ln.PureDP(9)})
    assert report.reason == "the order of the records matters"


def test_a_mixture_is_the_sum_of_its_parts() -> None:
    law = lambda data: audit.Mixture(
        [(Fraction(1, 4), {0: Fraction(data[0]), 1: Fraction(0)}), (Fraction(3, 4), half)]
    )
    half = audit.Probabilities({0: Fraction(1, 2), 1: Fraction(1, 2)})
    report = audit.exact_law(law, universe=[0, 1], n=1, claim=ln.PureDP(1))
    share = exp(-1) / (1 + exp(-1)) / 4 + 3 / 8
    assert float(report.hi) == pytest.approx(log(0.5 / share), rel=1e-12)
    assert report.hi - report.lo < Fraction(1, 2**200)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([(Fraction(1, 3), {0: Fraction(0)})], "must add up to 1"),
        ([(Fraction(1), "wide")], "more than 100,000 outputs"),
    ],
)
def test_mixtures_that_cannot_be_compared_are_refused(parts: Any, message: str) -> None:
    wide = ln.PiecewiseLaplace().law(ln.profile(ln.Median(bounds=(0, 1)), [0.5]), 1)
    law = audit.Mixture([(w, wide if part == "wide" else part) for w, part in parts])
    with pytest.raises(ParameterError, match=message):
        audit.exact_law(lambda _: law, universe=[0, 1], n=1, claim=ln.PureDP(1))
