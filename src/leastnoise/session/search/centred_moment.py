"""A variance from a noisy second moment about a released centre.

With u = (x - centre) / unit, clipped to [-U, U], A = sum u^2 and B = sum u get integer noise of
rates e_a / U^2 and e_b / (2 U) a unit (row count public) or e_b / U (private), and the variance is
A/n - (B/n)^2, less the bias that the noise of B adds. One record moves A and B together, so the
pair costs less than e_a + e_b:

    public n:    e_a + e_b/2 + e_b^2 / (16 e_a), for e_b <= 4 e_a;
    private n:   e_a + e_b + e_c with a noisy count of rate e_c >= e_b^2 / (4 e_a), e_b <= 2 e_a.

Reason and conditions: ``docs/proofs/unknown-bounds.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1

from leastnoise.frames.memory.numbers import UNITS
from leastnoise.randomness import BitSource
from leastnoise.sampling import discrete_laplace

_RATIOS = tuple(Fraction(r) for r in ("1/4", "1/2", "1", "2", "3", "4"))


@dataclass(frozen=True, slots=True)
class MomentShares:
    """e_a, e_b and (for a private row count) e_c; ``cost`` is what they lose together."""

    second: Fraction
    first: Fraction
    count: Fraction | None

    @property
    def cost(self) -> Fraction:
        """The joint privacy loss of the noisy numbers."""
        a, b = self.second, self.first
        if self.count is not None:
            return max(a + b + self.count, a + b + b * b / (4 * a))
        return a + b / 2 + b * b / (16 * a)


def moment_shares(epsilon: Fraction, records: int, *, public: bool) -> MomentShares:
    """Shares that cost epsilon; for a public count the ratio that suits records times epsilon."""
    if not public:
        # ratio 1, so that the count's rate of a quarter is free under edit
        a = epsilon * 4 / 9
        return MomentShares(a, a, a / 4)
    found = [_with_ratio(epsilon, ratio) for ratio in _RATIOS]
    return min(found, key=lambda shares: _error(shares, max(1, records)))


def _with_ratio(epsilon: Fraction, ratio: Fraction) -> MomentShares:
    a = epsilon / (1 + ratio / 2 + ratio * ratio / 16)
    return MomentShares(a, ratio * a, None)


def _error(shares: MomentShares, records: int) -> float:
    """Mean square error in units of U^2: 2 s^2 for the second moment, 20 s^4 for the square."""
    second = 1 / (records * float(shares.second))
    first = 2 / (records * float(shares.first))
    return 2 * second**2 + 20 * first**4


def moment_rates(shares: MomentShares) -> tuple[Fraction, ...]:
    """Noise rates of sum u^2, sum u and, where it is private, the row count."""
    second = shares.second / UNITS**2
    if shares.count is None:
        return second, shares.first / (2 * UNITS)
    return second, shares.first / UNITS, shares.count


def noisy_variance(
    sums: tuple[int, int], rows: int, shares: MomentShares, source: BitSource
) -> float:
    """One release of the variance, in units of u^2, inside [0, UNITS^2]."""
    rates = moment_rates(shares)
    second, first = (x + _noise(rate, source) for x, rate in zip(sums, rates, strict=False))
    n = rows if shares.count is None else rows + _noise(shares.count, source)
    n = max(1, n)
    bias = _noise_variance(float(rates[1])) / n**2
    value = float(Fraction(second, n) - Fraction(first, n) ** 2) + bias
    return min(max(value, 0.0), float(UNITS**2))


def _noise(rate: Fraction, source: BitSource) -> int:
    return discrete_laplace(rate.numerator, rate.denominator, source)


def _noise_variance(rate: float) -> float:
    """Variance of discrete Laplace noise: 2 q / (1 - q)^2."""
    if rate < 1e-6:
        return 2 / rate**2
    return 2 * exp(-rate) / expm1(-rate) ** 2
