"""Real Laplace noise of a certified real scale, rounded to the integers."""

from collections.abc import Callable

from leastnoise.numbers.exact import log_enclosure
from leastnoise.randomness import BitSource

_BITS = 64


def rounded_laplace(centre: int, scale: Callable[[int], tuple[int, int]], source: BitSource) -> int:
    """Draw ``round(centre + s L)``, L of density ``exp(-|x|) / 2``, s > 0 real.

    ``P(|X - centre| >= m) = exp(-(m - 1/2) / s)`` for m >= 1, both signs alike.

    Parameters
    ----------
    scale
        ``scale(bits) -> (lo, hi)`` with ``lo <= 2**bits * s <= hi`` and
        ``hi - lo`` bounded in ``bits``. It is asked for growing precision and is
        never rounded to the lattice.

    Notes
    -----
    ``|L| = -ln U`` for a uniform U. As U is revealed bit by bit, ``s |L| + 1/2``
    is known to lie in a shrinking interval; the draw is its floor as soon as both
    ends have the same floor. The same U is extended, never redrawn, so the result
    is the function ``round`` of one exact real draw and thereby post-processing:
    it inherits the guarantee of the real Laplace mechanism at the scale s, as
    smooth sensitivity needs it (Nissim, Raskhodnikova and Smith 2007). Undecided
    forever has probability zero.
    """
    negative = source.bits(1)
    bits = _BITS + max(0, scale(0)[1]).bit_length()  # enough for a cell width of 1
    u = source.bits(bits)
    while True:
        if u:
            # U in [u, u + 1) / 2**bits and ln(u + 1) - ln(u) < 1/u.
            low, high = log_enclosure(1 << bits, u + 1, bits)
            high += -(-(1 << bits) // u)
            s_low, s_high = scale(bits)
            half = 1 << (2 * bits - 1)
            least = (max(0, s_low) * max(0, low) + half) >> (2 * bits)
            if least == (s_high * high + half) >> (2 * bits):
                return centre - least if negative else centre + least
        u = u << _BITS | source.bits(_BITS)
        bits += _BITS
