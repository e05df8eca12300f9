"""Laplace noise inside limits that are found privately within the declared bounds.

Public functions of the search: which radii it walks through, how epsilon is split, when declared
bounds are tight enough, and how far a limit is carried beyond the last radius. Every number they
take is public or was released before (``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError
from leastnoise.guarantees import Guarantee, PureDP, Scope
from leastnoise.laws import Law
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.params import parse_number
from leastnoise.profiles import Profile

# Radii are doubles of four binary digits after the first, by the 16 leading bits of a double.
_DIGITS, _SHIFT = 4, 48
# Exponents of the least and the largest radius.
LEAST, MOST = -40, 62
# The inner walk takes four radii a power of two; the outer one eight, and four for few records.
_INNER, _OUTER, _OUTER_FEW = 4, 2, 4
# How many powers of two the outer walk goes on with radii close together.
_REACH = 6
# Records times epsilon from which this many count as many.
_MANY = 4000
# Declared bounds are kept where they are at most so many times as wide as both inner radii.
_TIGHT = Fraction(39, 10)
# A limit is _STRETCH times the outer radius, and farther where that is far beyond the inner one.
_STRETCH, _POWER, _UNIFORM, _USUAL = 1.2, 0.45, 1.1, 4.0


@dataclass(frozen=True, slots=True)
class PrivateLimits(Mechanism):
    """Clip to limits found privately inside the declared bounds, then add Laplace noise.

    Where bounds are much wider than the data, noise for the whole range swamps the answer; where
    they fit, a search is a waste. A first part of epsilon finds the middle of the data and a radius
    on either side that leaves a tenth of the records outside. If the declared bounds are not
    much wider than that they are kept, else a second part finds limits that few records exceed.

    Parameters
    ----------
    fewest : number
        The search is made where rows times epsilon are at least this and there are 100 rows, by the
        public number of rows or a noisy one; else noise for the declared bounds is added.
        Default 1000.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``fewest`` is not positive; from a release, for a statistic that is not a sum or mean of
        one column in declared bounds. Checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP under "replace-one", "add-remove" and "edit". The parts add up: an order
    statistic by ``PiecewiseLaplace``, walks through nested half-lines by sparse vector, and Laplace
    noise on the records clipped to the released limits. Limits are released: they are in the
    record. Clipping biases the answer towards the middle of the data; ``Laplace()`` has no such
    bias in sums and means. Source: errata 4.11; ``docs/proofs/private-limits.md``.

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
            raise ParameterError(f"fewest must be greater than 0, got {self.fewest!r}")

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        least = parse_number(self.fewest, "fewest")
        return "PrivateLimits()" if least == 1000 else f"PrivateLimits(fewest={least})"

    @property
    def least(self) -> Fraction:
        """Rows times epsilon from which limits are searched for."""
        return parse_number(self.fewest, "fewest")

    def law(self, profile: Profile, epsilon: object) -> Law:
        """Refused: what is drawn later depends on what was released before."""
        raise ParameterError(
            "PrivateLimits() is for releases of sums and means, which it draws after their limits: "
            "a profile has no law under it; use Laplace()"
        )

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """epsilon-DP."""
        return PureDP(epsilon, scope)


@dataclass(frozen=True, slots=True)
class LimitShares:
    """Parts of epsilon: for the centre, and for an inner and an outer radius on each side."""

    centre: Fraction
    inner: Fraction
    outer: Fraction


def limit_shares(records: Fraction, *, sides: int, centred: bool) -> LimitShares:
    """How epsilon is split; ``records`` is rows times epsilon, public or released.

    A search of one side gets what both sides of another get.
    """
    size = float(records)
    inner = min(max(200 / size, 0.01), 0.1) * 2 / sides
    outer = min(max(8 / size**0.5, 0.02), 0.12) * 2 / sides
    centre = 0.0 if centred else min(max(120 / size, 0.005), 0.12)
    return LimitShares(*(Fraction(round(x * 10_000), 10_000) for x in (centre, inner, outer)))


def inner_split(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """(e1, e2) with e1 = e2 and e1 + e2 = epsilon: counts beyond nested half-lines move alike.

    A walk over many radii that most records are beyond must not stop early, so e2 is large.
    """
    return epsilon / 2, epsilon / 2


def outer_split(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """(e1, e2) with e1 = 3 e2 and e1 + e2 = epsilon: where to stop is what counts."""
    return epsilon * 3 / 4, epsilon / 4


def beyond_inner(rows: int) -> int:
    """How many records an inner radius leaves outside: so many that noise hardly hides them."""
    return ceil(Fraction(rows, 10))


def beyond_outer(epsilon: Fraction) -> int:
    """How many records an outer radius leaves outside, where nothing is noisy.

    None for a large epsilon, which then reproduces the plain answer.
    """
    return floor(Fraction(1, 2) / epsilon)


def key_of(distance: Fraction) -> int:
    """The place among all radii of the largest that is not above a distance."""
    inside = float(max(Fraction(2) ** LEAST, min(Fraction(2) ** MOST, distance)))
    return int(np.float64(inside).view(np.int64)) >> _SHIFT


def radius_of(key: int) -> float:
    """A radius by its place."""
    return float(np.int64(key << _SHIFT).view(np.float64))


def inner_keys(first: int, end: int) -> NDArray[np.int64]:
    """The radii of an inner walk, from a place to before another."""
    return np.arange(first, end, _INNER)


def outer_keys(inner: int, end: int, records: Fraction) -> NDArray[np.int64]:
    """The radii of an outer walk: close together first, then one a power of two to the end."""
    step = _OUTER if records >= _MANY else _OUTER_FEW
    far = inner + (_REACH << _DIGITS)
    near = np.arange(inner + step, min(end, far), step)
    return np.concatenate([near, np.arange(far, end, 1 << _DIGITS)])


def is_tight(low: Fraction, high: Fraction, radii: Fraction) -> bool:
    """Whether declared bounds are kept, by both inner radii together."""
    return high - low <= _TIGHT * radii


def carried(inner: float, outer: float) -> float:
    """Where a limit is put: as much farther as the tail between both radii suggests.

    Radii too far apart come from an inner walk that stopped early, and say nothing of the tail.
    """
    ratio = outer / inner
    if ratio > 2**_REACH:
        ratio = _USUAL
    return _STRETCH * outer * max(1.0, ratio / _UNIFORM) ** _POWER
