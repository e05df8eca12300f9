"""The discrete Laplace (two-sided geometric) law on the integers."""

from leastnoise.randomness import BitSource
from leastnoise.sampling.geometric import geometric


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
