"""Laws on the integers: geometric, discrete Laplace, discrete Gaussian, and noise of a cube."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from leastnoise.numbers.exact import exp_enclosure
from leastnoise.randomness import BitSource, bernoulli_exp, bernoulli_real


@lru_cache(maxsize=8)
def _exp_minus_one(bits: int) -> tuple[int, int]:
    return exp_enclosure(1, 1, bits)


def geometric(p: int, q: int, source: BitSource) -> int:
    """Draw X with ``P(X = k) = (1 - exp(-p/q)) exp(-k p/q)``, k = 0, 1, 2, ...

    Domain: ``p > 0``, ``q > 0``. Source: Canonne, Kamath and Steinke (2020),
    Algorithm 2: ``Y = U + q V`` has ``P(Y = y)`` proportional to ``exp(-y/q)``
    when U on [0, q) is kept with probability ``exp(-U/q)`` and
    ``P(V >= v) = exp(-v)``; then ``X = floor(Y / p)``.

    Raises
    ------
    ValueError
        Outside the domain, before any bit is drawn.
    """
    if p <= 0 or q <= 0:
        raise ValueError("p and q must be > 0")
    u = source.below(q)
    while not bernoulli_exp(u, q, source):
        u = source.below(q)
    v = 0
    while bernoulli_real(_exp_minus_one, source):
        v += 1
    return (u + q * v) // p


def discrete_laplace(p: int, q: int, source: BitSource) -> int:
    """Draw X with ``P(X = k)`` proportional to ``exp(-|k| p/q)``, k an integer.

    Domain: ``p > 0``, ``q > 0``. Noise of this law on a statistic of integer
    sensitivity D is ``(D p/q)``-differentially private. Source: Canonne, Kamath
    and Steinke (2020), Algorithm 2: a geometric magnitude with a fair sign,
    minus zero discarded so that zero is not counted twice.

    Raises
    ------
    ValueError
        Outside the domain, before any bit is drawn.
    """
    while True:
        magnitude = geometric(p, q, source)
        if not source.bits(1):
            return magnitude
        if magnitude:
            return -magnitude


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


def sup_norm_noise(dimension: int, rate: Fraction, source: BitSource) -> list[int]:
    """Draw an integer vector; ``dimension >= 1``, ``rate > 0``.

    The law is a mixture of uniform laws on the cubes [-r, r]^d with weights (2r + 1)^d exp(-rate r)
    (exact_sampling 5). A sum of d + 1 geometric numbers has weights C(r + d, d) exp(-rate r), and
    is kept with probability prod_i (2r + 1)/(2r + 2i), i = 1..d: the quotient of the weights times
    d!/2^d.

    Raises
    ------
    ValueError
        Outside the domain, before any bit is drawn.
    """
    if dimension < 1 or rate <= 0:
        raise ValueError("dimension must be >= 1 and rate must be > 0")
    p, q = rate.numerator, rate.denominator
    while True:
        r = sum(geometric(p, q, source) for _ in range(dimension + 1))
        if all(source.below(2 * r + 2 * i) < 2 * r + 1 for i in range(1, dimension + 1)):
            return [source.below(2 * r + 1) - r for _ in range(dimension)]
