"""Limits far beyond most records, for answers whose noise hardly grows with the limits.

A walk outwards to an answer forgives limits that are some dozen times too wide, so a radius that
few records are beyond need not be near: it is chosen as those of ``near_limits``, and is chosen
again only where that can tell most records at one number from bounds that are loose. All arguments
are public or already released (``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, log

from leastnoise.mechanisms.asymmetric import AsymmetricSensitivity
from leastnoise.mechanisms.centred_laplace import CentredLaplace
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.mechanisms.near_limits import (
    BACK,
    REACHES,
    NearRule,
    is_sparse,
    off_centre_share,
    rounded,
    surely,
)
from leastnoise.mechanisms.piecewise_laplace import PiecewiseLaplace
from leastnoise.numbers import is_short

# Below so many rows, or rows times epsilon, the declared bounds are kept: no answer says much; and
# above so large an epsilon, which shows single records that a far limit may clip.
LEAST, _MOST_EPSILON = 20, 8
# The cost of a second number of rows where the first is private and too rough for few of them.
COUNT_SHARE, COUNTED = Fraction(1, 10), 1000
# The first choice: the nats that are wanted, and the least and most of epsilon that they may take,
# more of it for less than so many.
_NATS, _LEAST_SHARE, _MOST_SHARE, _FEW_NATS, _FEW_SHARE = 60, 0.05, 0.25, 25, 0.4
# The part of the records that keeps bounds that fit from being taken for loose ones, nats left
# over, and rows times epsilon from which a mistake costs more than the answer does.
_SEEN, _MARGIN, _SURE = 0.8, 3.5, 100
# Tolls, in nats for each nat of radius, and how many nats inwards of the declared end radii reach.
_GENTLE, _STEEP, _DEEP = 1.1, 1.5, 21.0
# The second choice, where the first radius is so many nats inside and the price is not above this.
_INSIDE, _SEEN_AGAIN, _MARGIN_AGAIN, _MOST_AGAIN = 6 * log(2), 0.2, 4.0, 0.35
# Declared bounds are kept where they are at most so many times as wide as the records; else limits
# are so many radii away.
_TIGHT, _REACH = 3, 64
# They are known to fit where the first radius nearly reaches the farther end, which costs this part
# of its nats, and rows times epsilon are at least so many: the choice seldom ends there by chance.
_END, _SHOWN = 0.15, 30
# Rows times epsilon from which noise for the whole range about a noisy mean is the better in bounds
# that fit, and for each power of two by which the even part of other noise is below the range.
_CENTRED, _PER_POWER, _LEAST_POWER, _MOST_POWER = 200, 16, 3, 20
# Rows times epsilon from which a walk through all candidates of loose bounds seldom stops at once.
_WALKS = 150
# The exponents of the least and the largest scale that is rounded.
_SCALES = 1900
# Fewest and most candidates a factor e.
_DENSITY, _PER_RECORD, _MOST = 20, Fraction(1, 20), 200
# The walk starts to be even at the square of this part of the width, or at this part.
_NEAR = Fraction(1, 2**25)


def searched(rows: int, epsilon: Fraction) -> bool:
    """Whether far limits are searched for, by a number of rows that is public or released."""
    return epsilon <= _MOST_EPSILON and rows >= least_rows(epsilon)


def least_rows(epsilon: Fraction) -> int:
    """The fewest rows that far limits are searched for."""
    return max(LEAST, ceil(LEAST / epsilon))


def far_rule(records: Fraction) -> NearRule:
    """The first choice for rows times epsilon, public or released."""
    size = float(records)
    most = min(max(_FEW_NATS / size, _MOST_SHARE), _FEW_SHARE)
    share = min(max(_NATS / size, _LEAST_SHARE), most)
    room = max(0.0, _SEEN * share * size - _MARGIN - log(max(1.0, size / _SURE)))
    slope = min(max(room / _DEEP, _GENTLE), _STEEP)
    back = floor(min(room / slope, _DEEP) / log(2))
    return NearRule(rounded(share), slope, back, end=_END * share * size)


def is_inside(way: float) -> bool:
    """Whether a radius is so many nats inside of the declared end that it may be chosen again."""
    return way > _INSIDE


def far_again(scattered: Fraction, records: Fraction, way: float) -> NearRule | None:
    """The second choice, None where it would show nothing; ``way``: how far inside the first is.

    Either the bounds are loose, which the walk to the answer forgives, or most records are one
    number, and the others, wherever they are, outweigh the tolls.
    """
    sparse = is_sparse(scattered, records)
    seen = surely(scattered, records) if sparse else _SEEN_AGAIN * float(records)
    share = (_GENTLE * way + _MARGIN_AGAIN) / seen
    return NearRule(rounded(share), _GENTLE, BACK) if share <= _MOST_AGAIN else None


def walks_in_bounds(records: Fraction) -> bool:
    """Whether a walk that begins far below the declared bounds seldom stops at once."""
    return records >= _WALKS


def shows_first(scattered: Fraction, records: Fraction) -> bool:
    """Whether the first choice shows where the records are, by how many are off the centre.

    It does where nearly all are, but for the noise of that number.
    """
    price = off_centre_share(records)
    noise = 1 / price if price else records
    return scattered + noise >= Fraction(_SEEN) * records


def far_limit(radius: Fraction) -> Fraction:
    """The limit of a radius."""
    return _REACH * radius


def keeps_bounds(low: Fraction, high: Fraction, radius: Fraction) -> bool:
    """Whether declared bounds are near enough to a radius that few records are beyond."""
    return high - low <= 2 * _TIGHT * radius


def fits(room: Fraction, radius: Fraction, records: Fraction) -> bool:
    """Whether bounds are known to fit by the first radius; ``room``: how far their end is."""
    return records >= _SHOWN and room <= Fraction(REACHES) * radius


def fitting(records: Fraction, width: Fraction, power: int, *, public: bool) -> Mechanism:
    """The answer to a variance (``power`` 2) or deviation (1) in bounds of a width that fit.

    ``public``: whether the number of rows is. Noise that is even on a logarithmic scale tells
    columns of nearly one number, and seldom goes far beyond the value; the fewer records there
    are, the sooner it would end at 0, so the farther from there its scale turns flat.
    """
    if public and records >= _CENTRED:
        return CentredLaplace()
    powers = min(max(floor(records / _PER_POWER), _LEAST_POWER), _MOST_POWER)
    return PiecewiseLaplace(
        base="log", shift=0, scale=_scale(width, Fraction(1, 2 ** (powers + 1)), power)
    )


def far_walk(records: Fraction, width: Fraction, power: int) -> AsymmetricSensitivity:
    """A walk to a variance (``power`` 2) or deviation (1) in limits that may be far too wide.

    Many more shares for the threshold than elsewhere, so that the answer seldom goes far beyond the
    records; candidates that follow the records, and begin far below the limits.
    """
    density = min(_MOST, max(_DENSITY, round(records * _PER_RECORD)))
    return AsymmetricSensitivity(
        beta=1 + Fraction(1, density), split=3, scale=_scale(width, _NEAR, power)
    )


def _scale(width: Fraction, part: Fraction, power: int) -> Fraction:
    """A part of a width, to a power, or a power of two near it where that has too many digits."""
    scale = (width * part) ** power
    if is_short(scale):
        return scale
    exponent = scale.numerator.bit_length() - scale.denominator.bit_length()
    return Fraction(2) ** max(-_SCALES, min(_SCALES, exponent))
