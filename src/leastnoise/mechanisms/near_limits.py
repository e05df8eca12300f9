"""Limits of few records: one choice of a radius, and a second where the first is far inside.

Too few records for the search of ``private_limits``, which finds a centre and looks at both sides.
A choice with N nats (rows times its epsilon) can tell scales apart that differ by a factor of up to
about e^N, and among a tenth of the records e^(N / 10), so how loose bounds may be grows with the
number of records. All arguments are public or already released (``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, log

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.private_limits import key_of

# Fewest rows, and rows times epsilon, for which anything is searched.
LEAST, _LEAST_RECORDS = 20, 250
# The first choice must not take bounds that fit for loose ones where so large a part of the records
# is not 0: the nats left over are this many, and the logarithm of what a mistake costs, rows times
# epsilon.
_SEEN, _MARGIN = 0.8, 3.5
# The second must see so small a part of the records beyond the first radius, with nats left over,
# and takes so much of epsilon at most.
_SEEN_AGAIN, _MARGIN_AGAIN, _MOST_AGAIN = 0.1, 8.0, 0.5
# Rows times epsilon from which a count can tell whether most records are at the centre.
_TOLD = 40
# Tolls, in nats for each nat of radius: above 1, so that the mean radius is finite; of the second
# choice as steep as the nats allow. Radii reach so many nats inwards of the declared end at most.
_GENTLE, _STEEP, _DEEP = 1.1, 1.5, 21.0
# It is made where the first radius is so many nats inside, and goes back a few powers of two.
_INSIDE, _BACK = 3 * log(2), 6
# Places of radii: sixteen a power of two, of which two are candidates.
_POWER, _APART = 16, 8
# A limit is a little farther than its radius, which does not see the last few records.
_CARRIED = Fraction(3, 2)


@dataclass(frozen=True, slots=True)
class NearRule:
    """One choice: its share of epsilon, the slope of its tolls, and how far inwards it goes."""

    share: Fraction
    slope: float
    powers: int = 0

    def tolls(self, radii: list[float]) -> list[float]:
        """The tolls of the radii, in nats, in addition to the records beyond them."""
        return [self.slope * log(radius / radii[0]) for radius in radii]


def searched(rows: int, epsilon: Fraction) -> bool:
    """Whether near limits are searched for, by a number of rows that is public or released."""
    return rows >= LEAST and rows * epsilon >= _LEAST_RECORDS


def least_rows(epsilon: Fraction) -> int:
    """The fewest rows that near limits are searched for."""
    return max(LEAST, -(-_LEAST_RECORDS // epsilon))


def first_rule(records: Fraction) -> NearRule:
    """The first choice for rows times epsilon, public or released.

    It goes as far inwards as the second choice can see a tenth of the records from.
    """
    size = float(records)
    seen = _SEEN_AGAIN * _MOST_AGAIN * size - _MARGIN_AGAIN
    way = max(0.0, min(seen / _GENTLE, _DEEP))
    nats = (_GENTLE * way + _MARGIN + log(size)) / _SEEN
    return NearRule(rounded(nats / size), _GENTLE, floor(way / log(2)))


def off_centre_share(records: Fraction) -> Fraction:
    """The part of epsilon for the number of records off the centre; 0 where it tells nothing."""
    size = float(records)
    if size < _TOLD:
        return Fraction(0)
    return rounded(min(max(40 / size, 0.02), max(0.08, 8 / size)))


def is_sparse(scattered: Fraction, records: Fraction) -> bool:
    """Whether most records are one number, by how many are not, both times epsilon."""
    return 2 * scattered < records


def surely(scattered: Fraction, records: Fraction) -> float:
    """At least how many records are off the centre, but for noise that is seldom so large."""
    share = off_centre_share(records)
    return float(max(Fraction(1), scattered - (2 / share if share else 0)))


def second_rule(scattered: Fraction, records: Fraction, way: float) -> NearRule | None:
    """The second choice, None where it would show nothing and the declared bounds are kept.

    Either the bounds are loose or most records are one number, and the others are far from it.
    ``scattered`` are those off the centre, times epsilon: so many nats say where they are. Of more
    than half of all records it is enough to see a tenth, as bounds of most columns are loose then.
    ``way``: by how many nats the first radius is inside.
    """
    sparse = is_sparse(scattered, records)
    seen = surely(scattered, records) if sparse else _SEEN_AGAIN * float(records)
    share = min((_STEEP * way + _MARGIN_AGAIN) / seen, _MOST_AGAIN)
    slope = (seen * share - _MARGIN_AGAIN) / way
    if sparse and slope < _GENTLE:
        return None
    return NearRule(rounded(share), min(max(slope, _GENTLE), _STEEP))


def near_keys(least: int, end: int, powers: int) -> NDArray[np.int64]:
    """The places of the first candidates, besides the declared end."""
    return np.arange(max(least, end - powers * _POWER), end, _APART)


def near_again(keys: NDArray[np.int64], radius: Fraction) -> NDArray[np.bool_]:
    """Which of them are candidates again."""
    return keys >= key_of(radius) - _BACK * _POWER


def is_inside(way: float) -> bool:
    """Whether a radius is so many nats inside of the declared end that it is chosen again."""
    return way > _INSIDE


def near_limit(radius: Fraction) -> Fraction:
    """The limit of a radius."""
    return _CARRIED * radius


def end_of(room: Fraction) -> int:
    """The place after the last radius that is inside the declared end."""
    return key_of(room) + 1


def rounded(share: float) -> Fraction:
    """A share that is written with four digits, and is not 0."""
    return Fraction(max(1, round(share * 10_000)), 10_000)
