"""Finding private bounds where none are known: public candidates, scores and shares.

Stage A walks through dyadic intervals, the shortest first, and stops at one that holds about three
quarters of the records: centre and scale in one search. Stage D walks outwards through radii about
a released centre and stops where few records are left outside. Candidates are a function of public
parameters and of earlier released answers, and every stage is a release of its own
(``docs/proofs/unknown-bounds.md``). Source: errata 4.11.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.mechanisms.mechanism import Mechanism

# Widths of the intervals: 2^-40 to 2^60. Smaller spreads count as none, larger values are clipped.
LEAST_POWER, MOST_POWER = -40, 60
# Radii of stage D: growth and number of steps, 1.15^23 = 24.9; beyond, each is twice the last.
GROWTH, _RADII = Fraction(115, 100), 24
# How many records are left outside, times epsilon: more far away, where it costs to go too far.
_OUTSIDE, _FAR_OUTSIDE = 4, 16


@dataclass(frozen=True, slots=True)
class BoundsSearch(JointMechanism):
    """A search for bounds, then the statistic; ``inner`` is the given mechanism, if any."""

    inner: Mechanism | None = None


@dataclass(frozen=True, slots=True)
class Bracket:
    """A released interval [low, low + width], both dyadic."""

    low: Fraction
    width: Fraction

    @property
    def wide(self) -> tuple[Fraction, Fraction]:
        """The interval, with two more half-widths on either side."""
        return self.low - self.width, self.low + 2 * self.width


@lru_cache(maxsize=1)
def brackets() -> tuple[Bracket, ...]:
    """[o 2^j, (o + 1) 2^j] for o = -4, -3.5, ..., 3.5: shortest first, then from 0 outwards."""
    offsets = sorted((Fraction(i, 2) for i in range(-8, 8)), key=lambda o: (abs(2 * o + 1), o))
    return tuple(
        Bracket(o * Fraction(2) ** j, Fraction(2) ** j)
        for j in range(LEAST_POWER, MOST_POWER + 1)
        for o in offsets
    )


@lru_cache(maxsize=1)
def _ends() -> tuple[NDArray[Any], NDArray[Any]]:
    low = np.array([float(b.low) for b in brackets()])  # dyadic: exact
    return low, np.array([float(b.low + b.width) for b in brackets()])


class Counted(Protocol):
    """NOT PRIVATE. Numbers that are counted on either side of cuts."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def counts(self, cuts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """For each cut, how many numbers lie below it, and how many below or at it."""
        ...


def bracket_heights(numbers: Counted) -> list[int]:
    """ceil(3 n / 4) - #inside for every bracket; one record moves a count by at most one."""
    low, high = _ends()
    below, until = numbers.counts(np.concatenate([low, high]))
    inside = until[len(low) :] - below[: len(low)]
    wanted = -(-3 * len(numbers) // 4)
    return (wanted - inside).tolist()


def bracket_split(epsilon: Fraction, relation: str) -> tuple[Fraction, Fraction]:
    """(e1, e2) with e1 = 1.5 e2 and e1 + 2 e2 = epsilon; e1 + e2 = epsilon under add-remove."""
    e2 = epsilon / (Fraction(5, 2) if relation == "add-remove" else Fraction(7, 2))
    return Fraction(3, 2) * e2, e2


def radii(first: int, step: Fraction, growth: Fraction = GROWTH) -> list[int]:
    """Ascending radii from a released one, on its lattice, up to the widest bracket.

    Records may be far away: where most of them are one number, the first radius is tiny.
    """
    found, radius = [first], Fraction(first)
    for _ in range(_RADII - 1):
        radius *= growth
        found.append(max(found[-1] + 1, ceil(radius)))
    while found[-1] * step < 2**MOST_POWER:
        found.append(2 * found[-1])
    return found


def radius_heights(
    numbers: Counted, centre: int, step: Fraction, steps: list[int], epsilon: Fraction
) -> list[int]:
    """#outside less a constant for nested intervals; a record moves all of them one way."""
    low = np.array([float((centre - r) * step) for r in steps])
    high = np.array([float((centre + r) * step) for r in steps])
    below, until = numbers.counts(np.concatenate([low, high]))
    outside = below[: len(low)] + len(numbers) - until[len(low) :]
    near, far = ceil(_OUTSIDE / epsilon), ceil(_FAR_OUTSIDE / epsilon)  # may not fit 64 bits
    return [n - (near if i < _RADII else far) for i, n in enumerate(outside.tolist())]


def radius_split(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """(e1, e2) with e1 = 2 e2 and e1 + e2 = epsilon: the counts are monotone."""
    return epsilon * 2 / 3, epsilon / 3


def _clip(value: Fraction, low: str, high: str) -> Fraction:
    return max(Fraction(low), min(Fraction(high), value))


def search_shares(records: Fraction, share: Fraction | None, *, short: bool) -> list[Fraction]:
    """Parts of epsilon for the stages A to D, or for A alone.

    ``records`` is rows times epsilon, public or released; ``short`` means stage A alone.
    """
    records = max(Fraction(1), records)
    if records >= 400:
        middle = _clip(60 / records, "0.02", "0.08")
        found = [_clip(100 / records, "0.03", "0.2"), middle, middle, Fraction(14, 100)]
        found = found[:1] if short else found
    else:
        found = [_clip(80 / records, "0.2", "0.6")]
    if share is None:
        return found
    return [part * share / sum(found) for part in found]
