"""Integer noise shaped by the largest coordinate: P(v) proportional to exp(-rate max_i |v_i|)."""

from fractions import Fraction

from leastnoise.randomness import BitSource
from leastnoise.sampling.geometric import geometric


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
