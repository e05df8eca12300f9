"""1 / (1 + e^-z) in doubles with a proved bound on the error, and in integers.

Only correctly rounded operations of IEEE 754 and a table made from certified enclosures are used,
because the exponential of a mathematics library comes without a bound.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers import exp_enclosure

Floats = NDArray[np.float64]

ERROR = 2.0**-50
"""|sigmoid(z) - 1 / (1 + e^-z)| for every double z.

With t = min(|z|, 60), j = floor(64 t) and f = t - j/64 (both exact), e^-t is T[j] P(f): the table
is within 2^-52 (relative), Taylor's polynomial of degree 7 on [0, 1/64) within 2^-63, its rounding
within 2^-52, the product within 2^-53: together below 2^-50. 1/(1 + e) and e/(1 + e) move by at
most a quarter of that, and two roundings add 2^-52. Beyond 60 both are within e^-60 < 2^-86.
"""

_END = 60
_CELLS = 64
_DEGREE = 7


@cache
def _table() -> Floats:
    entries: list[float] = []
    for j in range(_END * _CELLS + 1):
        bits = 70 + 2 * (j // _CELLS)
        low, high = exp_enclosure(j, _CELLS, bits)
        entries.append(float(Fraction(low + high, 2 << bits)))
    return np.array(entries)


_COEFFICIENTS = [(-1) ** k / factorial(k) for k in range(_DEGREE + 1)]


def _power(z: Floats) -> Floats:
    """e^-|z|, held at e^-60 beyond 60."""
    t = np.minimum(np.abs(z), float(_END))
    knot = np.floor(t * _CELLS)
    t -= knot / _CELLS
    power = np.full_like(t, _COEFFICIENTS[-1])
    for coefficient in reversed(_COEFFICIENTS[:-1]):
        power *= t
        power += coefficient
    power *= _table()[knot.astype(np.intp)]
    return power


def sigmoid(z: Floats) -> Floats:
    """1 / (1 + e^-z) of doubles other than NaN, within ``ERROR``."""
    power = _power(z)
    return np.where(z >= 0, 1.0, power) / (1.0 + power)


def tail(z: Floats) -> Floats:
    """1 / (1 + e^|z|): how far sigmoid is from 0 or 1, within a share ``ERROR`` of itself.

    Beyond 60, where it is held, within 2^-86. By ``ERROR``'s reason: the share by which e / (1 + e)
    moves is at most that of e, and two roundings add 2^-52.
    """
    power = _power(z)
    power /= 1.0 + power
    return power


def sigmoid_enclosure(p: int, q: int, bits: int) -> tuple[int, int]:
    """Integers ``low <= 2**bits / (1 + e^(-p/q)) <= high``, q > 0, a few units apart."""
    low, high = exp_enclosure(abs(p), q, bits)
    one = 1 << bits
    if p >= 0:
        return (one << bits) // (one + high), -(-(one << bits) // (one + low))
    return (low << bits) // (one + low), -(-(high << bits) // (one + high))
