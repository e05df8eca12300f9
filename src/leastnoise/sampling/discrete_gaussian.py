"""The discrete Gaussian law on the integers."""

from fractions import Fraction
from math import isqrt

from leastnoise.randomness import BitSource, bernoulli_exp
from leastnoise.sampling.discrete_laplace import discrete_laplace


def discrete_gaussian(variance: Fraction, source: BitSource) -> int:
    """Draw X with ``P(X = k)`` proportional to ``exp(-k**2 / (2 variance))``.

    Domain: ``variance > 0``, the exact parameter sigma**2 of the law (its true
    variance is slightly smaller). Source: Canonne, Kamath and Steinke (2020),
    Algorithm 3: with ``t = floor(sigma) + 1``, a discrete Laplace Y of scale t
    is kept with probability ``exp(-(|Y| - variance/t)**2 / (2 variance))``.

    Raises
    ------
    ValueError
        If ``variance`` is not positive, before any bit is drawn.
    """
    a, b = variance.numerator, variance.denominator
    if a <= 0:
        raise ValueError("variance must be > 0")
    t = isqrt(a // b) + 1
    bt = b * t
    denominator = 2 * a * bt * t
    while True:
        y = discrete_laplace(1, t, source)
        # (|y| - a/(b t))**2 b / (2 a), cleared of fractions.
        if bernoulli_exp((abs(y) * bt - a) ** 2, denominator, source):
            return y
