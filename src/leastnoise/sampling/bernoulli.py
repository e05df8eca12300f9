"""Bernoulli draws whose probability is a certified real number.

One uniform U on [0, 1) is revealed bit by bit: after B bits it is known to lie
in ``[u, u + 1) / 2**B``. With ``lo <= 2**B x <= hi``, ``u + 1 <= lo`` proves
``U < x`` and ``u >= hi`` proves ``U >= x``; otherwise *the same* U is extended.
A fresh U would be biased towards the decided region.
"""

from collections.abc import Callable

from leastnoise.numbers.exp import scaled_exp_enclosure
from leastnoise.randomness import BitSource

_BITS = 64


def bernoulli_real(enclosure: Callable[[int], tuple[int, int]], source: BitSource) -> bool:
    """Return True with probability x, given by ``enclosure(bits) -> (lo, hi)``.

    Requires ``lo <= 2**bits * x <= hi``, ``0 <= x <= 1``, and ``hi - lo`` bounded in bits.
    """
    return extended(enclosure, source.bits(_BITS), source)


def bernoulli_between(
    near: tuple[int, int], enclosure: Callable[[int], tuple[int, int]], source: BitSource
) -> bool:
    """The same where rougher bounds of ``2**64 x`` are known already."""
    u = source.bits(_BITS)
    if u < near[0]:
        return True
    if u >= near[1]:
        return False
    return extended(enclosure, u, source)


def extended(enclosure: Callable[[int], tuple[int, int]], u: int, source: BitSource) -> bool:
    """Whether the U whose first 64 bits are u, and the rest to be drawn, lies below x."""
    bits = _BITS
    while True:
        lo, hi = enclosure(bits)
        if u < lo:
            return True
        if u >= hi:
            return False
        u = u << _BITS | source.bits(_BITS)
        bits += _BITS


def bernoulli_exp(p: int, q: int, source: BitSource) -> bool:
    """Return True with probability ``exp(-p/q)``, for ``p >= 0`` and ``q > 0``.

    Raises
    ------
    ValueError
        Outside the domain, before any bit is drawn.
    """
    if p < 0 or q <= 0:
        raise ValueError("p must be >= 0 and q must be > 0")
    if p == 0:
        return True
    u = source.bits(_BITS)
    # 1 - x <= exp(-x) settles most draws of small x without the enclosure.
    if (u + 1) * q <= (q - p) << _BITS:
        return True
    return extended(lambda bits: scaled_exp_enclosure(0, p, q, bits), u, source)


def bernoulli_scaled(shift: int, p: int, q: int, source: BitSource) -> bool:
    """Return True with probability ``min(1, 2**shift * exp(-p/q))``, ``p >= 0``, ``q > 0``.

    Raises
    ------
    ValueError
        Outside the domain, before any bit is drawn.
    """
    if p < 0 or q <= 0:
        raise ValueError("p must be >= 0 and q must be > 0")
    if p == 0 and shift >= 0:
        return True
    u = source.bits(_BITS)
    return extended(lambda bits: scaled_exp_enclosure(shift, p, q, bits), u, source)
