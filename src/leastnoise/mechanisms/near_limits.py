"""Limits of few records: one choice of a radius, and a second where the first is far inside.

Too few records for the search of ``private_limits``, which finds a centre and looks at both sides.
A choice with N nats (rows times its epsilon) can tell scales apart that differ by a factor of up to
about e^N, and among a tenth of the records e^(N / 10), so how loose bounds may be grows with the
number of records. All arguments are public or already released (``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.private_limits import LEAST, MOST, key_of, log_ratio

# Fewest rows, and rows times epsilon, for which anything is searched.
_ROWS, _RECORDS = 20, 80
# Places of radii: sixteen a power of two, of which two are counted beyond.
_POWER, _APART = 16, 8
# More powers of two than all radii span.
_NEVER = MOST - LEAST + 1
# The first choice takes this much of epsilon. Its candidates are a power of two apart, since radii
# beyond all records are drawn with a chance that falls hardly faster than they grow, and reach so
# many nats inwards of the declared end at most: no farther than so large a part of the records can
# show, with nats left over, so that it seldom takes bounds that fit for loose ones.
_LEAST_SHARE, _MOST_SHARE, _DEEP = 0.05, 0.15, 19.0
_SEEN, _MARGIN, _GENTLE = 0.8, 3.5, 1.3
# It is made again where the first radius is so many nats inside, from a few powers of two below on.
_INSIDE, BACK = 2 * log(2), 6
# The second takes this much of epsilon, enough to see a tenth of the records at the declared end
# with nats left over. Its tolls are steep up to a few powers of two beyond the first radius, where
# the records most likely end, and gentle then, where candidates are farther apart.
_LEAST_AGAIN, _MOST_AGAIN, _SEEN_AGAIN, _MARGIN_AGAIN = 0.2, 0.3, 0.1, 4.0
_STEEP, _FAR, _NEAR, _FAR_APART = 2.5, 1.1, 2, 3
# Where most records are one number it goes outwards only, a power of two at a time, and takes up to
# so much of epsilon to see all others, with tolls as steep as these allow.
_MOST, _STEEP_SPARSE, _MARGIN_SURE = 0.5, 1.5, 6.0
# Where nearly all are one number, and the declared bounds so many times wider than its size, one
# choice among radii from a quarter of it on takes this much of epsilon.
_WIDER, _ALIKE_SHARE = 500, Fraction(3, 10)
REACHES = 1.5
"""A radius nearly reaches an end that is so many times as far."""
# Rows times epsilon from which a count can tell whether most records are at the centre.
_TOLD = 40
# A limit is a little farther than its radius, which does not see the last few records; more so
# after a choice among radii that are far apart.
_CARRIED, _CARRIED_SPARSE = Fraction(5, 4), Fraction(3, 2)


@dataclass(frozen=True, slots=True)
class NearRule:
    """One choice: its share of epsilon, its tolls, its candidates, and where a limit lies.

    Candidates are ``back`` powers of two below a start at most, and ``apart`` places from each
    other. Tolls have one slope up to ``knee`` powers beyond the start, and then ``beyond``, where
    candidates are ``far`` places apart, and ``end`` is one more for radii that nearly reach the
    start. The limit is ``carried`` times the radius that is chosen.
    """

    share: Fraction
    slope: float
    back: int = 0
    apart: int = _APART
    knee: int = _NEVER
    beyond: float = 0.0
    far: int = _APART
    carried: Fraction = _CARRIED
    end: float = 0.0

    def tolls(self, radii: list[float], start: float) -> list[float]:
        """The tolls of the radii, in nats, in addition to the records beyond them."""
        least = log(radii[0])  # the ratio of doubles may be none
        ways = [log(radius) - least for radius in radii]
        knee = log(start) - least + self.knee * log(2)
        return [
            self.slope * min(way, knee)
            + self.beyond * max(0.0, way - knee)
            + (self.end if REACHES * radius >= start else 0.0)
            for way, radius in zip(ways, radii, strict=True)
        ]

    def among(self, keys: NDArray[np.int64], start: NDArray[np.int64] | int) -> NDArray[np.bool_]:
        """Which of some places are candidates, by one of them."""
        ways = keys - start
        knee = self.knee * _POWER
        near = (ways >= -self.back * _POWER) & (ways <= knee) & (ways % self.apart == 0)
        return near | ((ways > knee) & ((ways - knee) % self.far == 0))


def searched(rows: int, epsilon: Fraction) -> bool:
    """Whether near limits are searched for, by a number of rows that is public or released."""
    return rows >= _ROWS and rows * epsilon >= _RECORDS


def first_rule(records: Fraction) -> NearRule:
    """The first choice for rows times epsilon, public or released."""
    size = float(records)
    needed = (_GENTLE * _DEEP + _MARGIN) / (_SEEN * size)
    share = min(max(needed, _LEAST_SHARE), _MOST_SHARE)
    way = max(0.0, min((_SEEN * share * size - _MARGIN) / _GENTLE, _DEEP))
    return NearRule(rounded(share), _GENTLE, floor(way / log(2)), _POWER)


def off_centre_share(records: Fraction) -> Fraction:
    """The part of epsilon for the number of records off the centre; 0 where it tells nothing."""
    size = float(records)
    if size < _TOLD:
        return Fraction(0)
    return rounded(min(max(40 / size, 0.02), max(0.08, 8 / size)))


def is_sparse(scattered: Fraction, records: Fraction) -> bool:
    """Whether most records are one number, by how many are not, both times epsilon."""
    return 2 * scattered < records


def surely(scattered: Fraction, records: Fraction, noise: int = 4) -> float:
    """At least how many records are off the centre, but for noise that is seldom so large.

    ``noise``: in means of its size.
    """
    share = off_centre_share(records)
    return float(max(Fraction(1), scattered - (noise / share if share else 0)))


def second_rule(scattered: Fraction, records: Fraction, way: float) -> NearRule | None:
    """The second choice, None where it would show nothing and the declared bounds are kept.

    Either the bounds are loose or most records are one number, and the others are far from it.
    ``scattered`` are those off the centre, times epsilon: so many nats say where they are. Of more
    than half of all records it is enough to see a tenth, as bounds of most columns are loose then.
    ``way``: by how many nats the first radius is inside.
    """
    if is_sparse(scattered, records):
        seen = surely(scattered, records)
        share = min((_STEEP_SPARSE * way + _MARGIN_SURE) / seen, _MOST)
        slope = min((seen * share - _MARGIN_SURE) / way, _STEEP_SPARSE)
        rule = NearRule(rounded(share), slope, apart=_POWER, carried=_CARRIED_SPARSE)
        return rule if slope >= _FAR else None
    near, back = _NEAR * log(2), BACK * log(2)
    tolls = _STEEP * near + _FAR * max(0.0, way - near)
    share = (tolls + _MARGIN_AGAIN) / (_SEEN_AGAIN * float(records))
    share = min(max(share, _LEAST_AGAIN), _MOST_AGAIN)
    # perhaps hardly more than half are off the centre, and all of these at the declared end
    whole = _STEEP * back + tolls + _MARGIN_SURE
    share = max(share, whole / surely(scattered, records, 1))
    if share > _MOST:
        return None
    far = _FAR_APART * _POWER
    return NearRule(rounded(share), _STEEP, BACK, knee=_NEAR, beyond=_FAR, far=far)


def alike_rule(room: Fraction, size: Fraction) -> NearRule | None:
    """The only choice where nearly all records are one number of some size; None: none is made."""
    if not 0 < _WIDER * size < room:
        return None
    back = ceil(log_ratio(room, size) / log(2)) + 2
    return NearRule(_ALIKE_SHARE, _STEEP_SPARSE, back, _POWER, carried=_CARRIED_SPARSE)


def near_keys(least: int, end: int, powers: int) -> NDArray[np.int64]:
    """The places that records are counted beyond, besides the declared end."""
    return np.arange(max(least, end - powers * _POWER), end, _APART)


def is_inside(way: float) -> bool:
    """Whether a radius is so many nats inside of the declared end that it is chosen again."""
    return way > _INSIDE


def end_of(room: Fraction) -> int:
    """The place after the last radius that is inside the declared end."""
    return key_of(room) + 1


def rounded(share: float) -> Fraction:
    """A share that is written with four digits, and is not 0."""
    return Fraction(max(1, round(share * 10_000)), 10_000)
