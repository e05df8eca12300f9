"""Noise inside limits that are found privately within the declared bounds.

Public functions of the search: which radii it walks through, how epsilon is split, when declared
bounds are tight enough, and how far a limit lies beyond the last radius. All their arguments are
public or already released (``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.laws import Law
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.params import parse_number
from leastnoise.profiles import Profile

# Radii are doubles of four binary digits after the first, by the 16 leading bits of a double.
_DIGITS, _SHIFT = 4, 48
# Exponents of the least and the largest radius.
LEAST, MOST = -40, 62
# The inner walk takes four radii a power of two; a choice among radii takes eight, from half a
# power of two below the inner radius.
_INNER, _OUTER, _BELOW = 4, 2, 8
# With fewer rows, the limits would be records themselves.
_ROWS = 100
# The cost of the number of rows where it is private: it only guides the search.
COUNT_SHARE = Fraction(1, 100)
# A column of so few whole numbers is not searched: its bounds cannot be loose by much.
FEW_VALUES = 150
# How many records off a point, times epsilon, show how far away they are.
_SEEN = 28
# How many records off a centre, times epsilon, on each side are enough to search both sides.
_ENOUGH = Fraction(1000)
# Rows times epsilon from which there are many records.
MANY = 4000
# Declared bounds are kept where they are at most so many times as wide as both inner radii.
_TIGHT = Fraction(39, 10)
# A radius so many times the inner one has a long tail, and is chosen again.
_LONG = 4.0
UNITS = 1 << 40
"""Units of cost in one nat."""
# The rate at which a radius is chosen, a unit of its cost.
COST_RATE = Fraction(1, UNITS)


@dataclass(frozen=True, slots=True)
class _Tail:
    """How radii are chosen, by tolls in nats for each nat of radius, and how far limits lie beyond.

    ``back`` is how far below the outer radius a long tail is looked at again.
    """

    outer: float
    last: float
    power: float
    back: int


_FEW_RECORDS, _MANY_RECORDS = _Tail(3.3, 3.0, 0.2, 32), _Tail(6.0, 5.0, 0.5, 80)
# Beyond so many powers of two an outer radius pays the least toll that keeps its mean finite.
_KNEE, _FAR = 3.5, 1.1
# There candidates are so many places apart, of which a power of two has sixteen: each is another
# one that may lie beyond all records.
_POWER, APART = 16, 32
# The least part of epsilon for the outer radius of a side that a tenth of the records is not on.
SPARSE_SHARE = Fraction(1, 10)
# What a limit adds to the noise is negligible so far below the inner radius of the other side.
_NEGLIGIBLE = 64
# The records beyond the limits are counted by this much of epsilon, the more the fewer rows, and a
# fourteenth of what is left at most.
_LEAST_COUNT, _MOST_COUNT, _COUNTED, _COUNT_LEFT = 0.02, 0.04, 2.0, 0.07
# Limits are chosen again where these are so many times the noise of their number. The choice takes
# so many nats, and a third of what is left at most. A farther radius pays a toll for leaving the
# limit and two nats for one by which the noise grows, up to 7, then the least that keeps its mean
# finite.
_SURE, _NATS, _MOST_AGAIN = Fraction(5, 2), 20, Fraction(1, 3)
_LEAVE, _SLOPE_AGAIN, _KNEE_AGAIN = 2.0, 2.0, 7.0
# A limit is a little farther than its radius, and more where that is far beyond the inner one.
STRETCH, _STRETCH_LONG, _UNIFORM = Fraction(107, 100), 1.5, 1.1


@dataclass(frozen=True, slots=True)
class PrivateLimits(PureMechanism):
    """Clip to limits found privately inside the declared bounds, then add noise for them.

    Where bounds are much wider than the data, noise for the whole range swamps the answer; where
    they fit, a search is wasted. A first part of epsilon finds the middle of the data and a radius
    on either side that leaves a tenth of the records outside. If the declared bounds are not
    much wider than that they are kept, else a second part finds limits that few records exceed,
    and a third looks again where the tail is long.

    Parameters
    ----------
    fewest : number
        The search is made where rows times epsilon are at least this and there are 100 rows, by the
        public number of rows or a noisy one. Sums and means of fewer rows, if rows times epsilon
        are at least 80, are clipped at a radius that is chosen by 15 % of epsilon or less, and
        again by up to a half where it is far inside the bounds; so are sums of a private number of
        rows up to four times ``fewest``, and means up to twice. Variances and standard deviations
        of fewer rows, if rows times epsilon are at least 20, are clipped far beyond most records by
        such choices, which their own mechanism forgives; so are squared and absolute errors of
        models, whatever the number of rows. Else noise for the declared bounds is added.
        Default 1000. Of a vector that is for each column, with its part of epsilon, and two fifths
        of it do for second moments.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``fewest`` is not positive; from a release, for a statistic that is not a sum, mean or
        variance of one column, a mean of errors, or a vector of means or moments, in declared
        bounds. Checked before any data is
        read.

    Notes
    -----
    Guarantee: epsilon-DP under "replace-one", "add-remove" and "edit". The parts add up: an order
    statistic by ``PiecewiseLaplace``, walks through nested half-lines by sparse vector, choices
    among them by permute and flip, and Laplace noise on the records clipped to the released
    limits. Limits are released: ``limits`` of the record. Clipping biases the answer towards the
    middle of the data; ``Laplace()`` has no such bias in sums and means. The columns of a vector
    have limits of their own, and then its noise, ``KNorm()`` or ``ConeLaplace()``. Of
    ``CountDistinct`` of persons it is a choice of how many entries each is counted for. Source:
    errata 4.11; ``docs/proofs/private-limits.md``, ``docs/proofs/vector-limits.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> pays = [1000 + 7 * i % 4000 for i in range(5000)]
    >>> r = ln.release(ln.Mean(bounds=(0, 10**9), missing="none"), pays, epsilon=1)
    >>> r.noise_scale < 10
    True
    """

    public_noise: ClassVar[bool] = False
    fewest: object = 1000

    def __post_init__(self) -> None:
        if not parse_number(self.fewest, "fewest") > 0:
            raise ParameterError(f"fewest must be greater than 0, got {quoted(self.fewest)}")

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        least = parse_number(self.fewest, "fewest")
        return "PrivateLimits()" if least == 1000 else f"PrivateLimits(fewest={least})"

    @property
    def least(self) -> Fraction:
        """Rows times epsilon from which limits are searched for."""
        return parse_number(self.fewest, "fewest")

    def few(self, rows: int, epsilon: Fraction) -> bool:
        """Whether the declared bounds are kept for this many rows, public or released."""
        return rows < _ROWS or rows * epsilon < self.least

    def law(self, profile: Profile, epsilon: object) -> Law:
        """Refused: later draws depend on earlier releases."""
        raise ParameterError(
            "PrivateLimits() is for releases of sums and means, which it draws after their limits: "
            "a profile has no law under it; use Laplace()"
        )


@dataclass(frozen=True, slots=True)
class LimitShares:
    """Parts of epsilon for an inner and an outer radius on each side.

    ``last`` is for the radii of all long tails together.
    """

    inner: Fraction
    outer: Fraction
    last: Fraction


def centre_share(records: Fraction) -> Fraction:
    """The part of epsilon for the centre; ``records`` is rows times epsilon."""
    return Fraction(round(min(max(120 / float(records), 0.004), 0.12) * 10_000), 10_000)


def limit_shares(records: Fraction, epsilon: Fraction, *, sides: int) -> LimitShares:
    """How epsilon is split; ``records``, times epsilon, are those that are not at the centre.

    A search of one side gets what both sides of another get. A large epsilon shows single records,
    which are most of the noise where the tail is long.
    """
    size, root = float(records), float(records) ** 0.5
    inner = min(max(200 / size, 0.005), 0.1) * 2 / sides
    outer = min(max(4 / root, 0.03), 0.12) * 2 / sides
    single = 0.3 / (1 + 1.5 / float(epsilon))
    last = max(min(max(4 / root, 0.06), 0.13), single)
    return LimitShares(*(Fraction(round(x * 10_000), 10_000) for x in (inner, outer, last)))


def scattered_share(records: Fraction) -> Fraction:
    """The part of epsilon for the number of records that are not at the centre."""
    return Fraction(round(min(max(150 / float(records), 0.002), 0.03) * 10_000), 10_000)


def are_enough(scattered: int, rows: int, epsilon: Fraction, *, sides: int) -> bool:
    """Whether limits are searched for among so many records that are not at the centre.

    Fewer could hardly be told from none, and limits at the centre would leave out all of them.
    """
    rows = max(1, rows)  # a noisy number of few
    fewest = max(_ENOUGH * sides, 6 / scattered_share(rows * epsilon))
    return 2 * scattered >= rows or scattered * epsilon >= fewest


def surely_scattered(scattered: int, rows: int, epsilon: Fraction) -> int:
    """At least how many records are not at the centre, but for noise that is seldom so large."""
    return max(
        0, scattered - ceil(2 / (scattered_share(max(Fraction(1), rows * epsilon)) * epsilon))
    )


@dataclass(frozen=True, slots=True)
class ColumnShares:
    """Parts of epsilon of one column of several.

    They add up to 1, with ``outer`` on both sides, and ``scattered`` about 0 and about the centre.
    """

    centre: Fraction
    scattered: Fraction
    inner: Fraction
    outer: Fraction

    @property
    def radii(self) -> Fraction:
        """What is left where both points are known."""
        return self.inner + 2 * self.outer


def column_shares(records: Fraction) -> ColumnShares:
    """The split for a column of a model; ``records`` is rows times the epsilon of the column."""
    size = float(records)
    scattered = Fraction(round(min(max(12 / size, 0.02), 0.08) * 10_000), 10_000)
    left = 1 - 2 * scattered
    centre = left * Fraction(round(min(max(110 / size, 0.15), 0.45) * 10_000), 10_000)
    inner = left * Fraction(round(min(max(60 / size, 0.10), 0.25) * 10_000), 10_000)
    return ColumnShares(centre, scattered, inner, (left - centre - inner) / 2)


def shows_scale(scattered: int, price: Fraction) -> bool:
    """Whether a choice at this price finds the scale of so many records, most others at one number.

    A choice among a hundred powers of two: the right one gains a quarter of their number at least.
    """
    return scattered * price >= _SEEN


def columns_share(records: Fraction, columns: int) -> Fraction:
    """The share of epsilon of all columns of a model; ``records`` is rows times epsilon."""
    needed = 256 * columns / max(1.0, float(records))
    return Fraction(round(min(max(needed, 0.1), 0.4) * 10_000), 10_000)


def column_tolls(radii: list[float], records: Fraction) -> list[float]:
    """The tolls of the radii of a column, in nats, in addition to the records beyond them.

    The noise of all products follows each limit, so it is not far out for the sake of a few
    records; where these weigh little, as with few rows, it may be.
    """
    slope = min(max(float(records) / 30, 3.0), 8.0)
    return [slope * log(radius / radii[0]) for radius in radii]


def half_costs(
    beyond: list[int], inside: list[int], epsilon: Fraction, times: int = 1
) -> list[int]:
    """Costs of radii that ``times`` as many records should be inside of as beyond, else half.

    One record moves the difference of both numbers by at most 1 + times, so each cost by at most
    epsilon / 2, in whatever direction.
    """
    record = floor(epsilon * UNITS / (2 * (1 + times)))
    return [record * abs(times * a - b) for a, b in zip(beyond, inside, strict=True)]


def step_costs(beyond: list[int], records: int, epsilon: Fraction) -> list[int]:
    """Costs of all radii but the last, of which many records should be beyond, and few the next.

    ``records`` is how many there are, public or released. One record moves each number, so each
    cost, by at most epsilon / 2, in whatever direction. Also right where all are equally far away.
    """
    record = floor(epsilon * UNITS / 2)
    return [record * -min(a, records - b) for a, b in pairwise(beyond)]


def log_ratio(distance: Fraction, unit: Fraction) -> float:
    """How many nats a distance is, in units that may be far from it."""
    ratio = distance / unit
    return log(ratio.numerator) - log(ratio.denominator)


def slack(rate: Fraction) -> int:
    """A margin that a noisy number of rows rarely falls short by, lest loose bounds are kept."""
    return ceil(3 / rate)


def inner_split(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """(e1, e2) with e1 + e2 = epsilon: counts beyond nested half-lines move alike.

    A small e2 stops early among many radii that most records are beyond; a small e1 passes the
    last record by far, at a chance of about exp(-e1 rows / 10) over the radii passed.
    """
    return epsilon * 3 / 5, epsilon * 2 / 5


def beyond_inner(scattered: int, price: Fraction) -> int:
    """How many records an inner radius leaves outside: enough to stand out from the noise."""
    seen = 5 / inner_split(price)[0]
    return ceil(max(Fraction(scattered, 10), min(Fraction(scattered, 4), seen)))


def key_of(distance: Fraction) -> int:
    """The position of the largest radius that does not exceed a distance."""
    inside = float(max(Fraction(2) ** LEAST, min(Fraction(2) ** MOST, distance)))
    return int(np.float64(inside).view(np.int64)) >> _SHIFT


def radius_of(key: int) -> float:
    """The radius at a position."""
    return float(np.int64(key << _SHIFT).view(np.float64))


def inner_keys(first: int, end: int) -> NDArray[np.int64]:
    """The radii of an inner walk, from one position to before another."""
    return np.arange(first, end, _INNER)


def outer_keys(first: int, inner: int, end: int, apart: int = _OUTER) -> NDArray[np.int64]:
    """The candidates for an outer radius, besides the declared end; far ones are farther apart."""
    least = max(first, inner - _BELOW)
    knee = min(end, least + round(_KNEE * _POWER))
    return np.append(np.arange(least, knee, _OUTER), np.arange(knee, end, apart))


def last_keys(first: int, inner: int, outer: int, end: int, records: Fraction) -> NDArray[np.int64]:
    """The candidates for the last radius of a long tail, besides the declared end."""
    return outer_keys(first, max(inner, outer + _BELOW - _tail(records).back), end)


def beside(inner: int, largest: float) -> int:
    """The place of a side's inner radius, which is not negligible beside the largest one.

    A side that hardly a record is on has a tiny one, and nothing is gained by a limit as near.
    """
    return max(inner, key_of(Fraction(largest) / _NEGLIGIBLE))


def outer_tolls(radii: list[float], records: Fraction) -> list[float]:
    """The tolls of candidates for an outer radius, in nats, in addition to the records beyond.

    A radius beyond all records is drawn with a chance that falls faster than the radius grows,
    else its mean is infinite; far away it falls hardly faster, for the sake of data with gaps.
    """
    knee, slope = _KNEE * log(2), _tail(records).outer
    ways = [log(radius / radii[0]) for radius in radii]
    return [slope * min(way, knee) + _FAR * max(0.0, way - knee) for way in ways]


def last_tolls(radii: list[float], records: Fraction) -> list[float]:
    """The same for the last radius."""
    slope = _tail(records).last
    return [slope * log(radius / radii[0]) for radius in radii]


def clipped_share(records: Fraction, left: Fraction) -> Fraction:
    """The part of epsilon for the number of records beyond the limits; ``left`` is not spent."""
    share = min(max(_COUNTED / float(records) ** 0.5, _LEAST_COUNT), _MOST_COUNT)
    return Fraction(floor(10_000 * min(share, _COUNT_LEFT * float(left))) + 1, 10_000)


def again_share(clipped: Fraction, share: Fraction, left: Fraction, *, sides: int) -> Fraction:
    """The part of epsilon for another choice on each side, 0 for none.

    ``clipped`` is a noisy number of the records beyond the limits, times epsilon, which took
    ``share``; ``left`` is what it left.
    """
    noise = 1 / share
    if clipped < _SURE * noise:
        return Fraction(0)
    needed = _NATS * sides / (clipped - noise)  # on each side may be its part of them
    return Fraction(floor(10_000 * min(needed, _MOST_AGAIN * left / sides)), 10_000)


def again_keys(limit: Fraction, end: int) -> NDArray[np.int64]:
    """The candidates beyond a limit, and it, besides the declared end."""
    return np.arange(key_of(limit), end, _INNER)


def again_tolls(widths: list[float]) -> list[float]:
    """The tolls of candidates that widen the limits, in nats, in addition to the records beyond."""
    knee = _KNEE_AGAIN
    ways = [log(width / widths[0]) for width in widths[1:]]
    tolls = [_SLOPE_AGAIN * min(way, knee) + _FAR * max(0.0, way - knee) for way in ways]
    return [0.0, *(_LEAVE + toll for toll in tolls)]


def radius_costs(beyond: list[int], tolls: list[float], epsilon: Fraction) -> list[int]:
    """Costs of radii, of which one record moves some by at most epsilon, all in one direction."""
    record = floor(epsilon * UNITS)
    return [record * count + round(toll * UNITS) for count, toll in zip(beyond, tolls, strict=True)]


def is_tight(low: Fraction, high: Fraction, radii: Fraction) -> bool:
    """Whether declared bounds are kept, by both inner radii together."""
    return high - low <= _TIGHT * radii


def is_long(inner: float, outer: Fraction, room: Fraction, short: float = 0.0) -> bool:
    """Whether the tail between two radii is long, and the declared end much farther."""
    return short + outer > _LONG * (short + inner) and Fraction(_STRETCH_LONG) * outer < room


def carried(
    inner: float, radius: float, records: Fraction, *, long: bool, short: float = 0.0
) -> float:
    """The limit: beyond the outer radius as far as the tail between both radii suggests."""
    if long:  # perhaps a gap, which says nothing about the tail
        return _STRETCH_LONG * radius
    tail = max(1.0, (short + radius) / (short + inner) / _UNIFORM)
    return float(STRETCH) * radius * tail ** _tail(records).power


def _tail(records: Fraction) -> _Tail:
    return _MANY_RECORDS if records >= MANY else _FEW_RECORDS
