"""The geometric law on 0, 1, 2, ..."""

from functools import lru_cache

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
