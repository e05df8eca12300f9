"""Limits far beyond most records, for answers whose noise hardly grows with the limits.

A walk outwards to an answer forgives limits that are some dozen times too wide, so a single
question will do: how far away most records are. All arguments are public or already released
(``docs/proofs/private-limits.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.asymmetric import AsymmetricSensitivity

# Below so many rows, or rows times epsilon, the declared bounds are kept: no answer says much; and
# above so large an epsilon, which shows single records that a far limit may clip.
LEAST, _MOST_EPSILON = 20, 8
# The cost of a second number of rows where the first is private and too rough for few of them.
COUNT_SHARE, COUNTED = Fraction(1, 10), 1000
# One radius a power of two, and so many of them inwards of the farthest declared end. A walk that
# stops among the first ones found most records at one number, and no scale.
STEPS, APART, NOWHERE = 72, 16, 12
# Declared bounds at most so many times as wide as the records' middle are kept.
_TIGHT = 12
# Fewest and most candidates a factor e.
_DENSITY, _PER_RECORD, _MOST = 20, Fraction(1, 20), 200
# The walk starts to be even at the square of this part of the width, or at this part.
_NEAR = Fraction(1, 2**25)


@dataclass(frozen=True, slots=True)
class FarRule:
    """How the radius is found, by rows times epsilon.

    ``share`` of epsilon, ``outside``: the part of the records that it leaves out, ``threshold``:
    the part of the share for the threshold of the walk, ``reach``: the limit in radii.
    """

    share: Fraction
    outside: Fraction
    threshold: Fraction
    reach: int

    def beyond(self, rows: int) -> int:
        """How many records the radius leaves outside."""
        return ceil(self.outside * max(1, rows))

    def split(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """(e1, e2) with e1 + e2 = epsilon."""
        return epsilon * self.threshold, epsilon * (1 - self.threshold)


def searched(rows: int, epsilon: Fraction) -> bool:
    """Whether far limits are searched for, by a number of rows that is public or released."""
    return epsilon <= _MOST_EPSILON and rows >= least_rows(epsilon)


def least_rows(epsilon: Fraction) -> int:
    """The fewest rows that far limits are searched for."""
    return max(LEAST, ceil(LEAST / epsilon))


def far_rule(records: Fraction) -> FarRule:
    """The rule for rows times epsilon, public or released.

    Two things may go wrong: the walk stops among radii that most records are beyond, at a chance of
    about STEPS exp(-e2 rows inside), or passes ``beyond`` records by many radii, at one of about
    STEPS^(-e1/e2) exp(-e1 rows outside). The latter is worse.
    """
    share = Fraction(round(min(max(400_000 / records, 500), 4000)), 10_000)
    few = records < 50
    outside, threshold = (
        (Fraction(1, 2), Fraction(3, 4)) if few else (Fraction(1, 5), Fraction(7, 10))
    )
    return FarRule(share, outside, threshold, 32 if records < 400 else 128)


def far_keys(first: int, end: int) -> NDArray[np.int64]:
    """The places of the radii of the walk."""
    return np.arange(max(first, end - STEPS * APART), end + 1, APART)


def keeps_bounds(low: Fraction, high: Fraction, radius: Fraction) -> bool:
    """Whether declared bounds are near enough to a radius that most records are within."""
    return high - low <= 2 * _TIGHT * radius


def far_walk(records: Fraction, width: Fraction, power: int) -> AsymmetricSensitivity:
    """A walk to a variance (``power`` 2) or deviation (1) in limits that may be far too wide.

    Many more shares for the threshold than elsewhere, so that the answer seldom goes far beyond the
    records; candidates that follow the records, and begin far below the limits.
    """
    density = min(_MOST, max(_DENSITY, round(records * _PER_RECORD)))
    return AsymmetricSensitivity(
        beta=1 + Fraction(1, density), split=3, scale=(width * _NEAR) ** power
    )
