"""An interval that most records are in, by one choice: what few rows can pay for.

Candidates are c - w to c + w, w a power of two and c a multiple of it. The best holds
many records while none of half its width does
(``docs/proofs/regression-limits.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, frexp

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.numbers import RawNumbers
from leastnoise.mechanisms.private_limits import UNITS
from leastnoise.session.search.draws import Draws

# The exponents of half-widths.
_FIRST, _END = -40, 64
# How many binary digits of a middle are told, in half-widths, and how many rows, times epsilon, pay
# for one of them.
_BITS, _BIT = 6, 7
# Tolls in nats of each power of two that a half-width is less than 1, and more. A middle pays the
# logarithm of its place. Where few records tell nothing, limits are of ordinary size, rather wide.
_LESS, _MORE = 0.2, 0.1
# Where limits must be shown: for each nat of how many powers of two a half-width is from a half.
_LESS_SHOWN, _MORE_SHOWN = 1.75, 1.0
# So many nats must records say more for an interval than for none.
_SHOWN = 7
# The part of all records inside that then counts beside the lesser number: of zeros and ones, none
# of which lie between, an interval about either alone would do as well.
_HELD = Fraction(1, 8)


@dataclass(frozen=True, slots=True)
class Interval:
    """A middle and half a width, both exact."""

    middle: Fraction
    half: Fraction


def crowded_interval(
    numbers: RawNumbers,
    rows: int,
    sizes: tuple[float, float],
    epsilon: Fraction,
    draws: Draws,
    *,
    shown: bool = False,
) -> Interval | None:
    """Costs epsilon. ``rows`` is public or released; ``sizes`` are a public spacing, 0 where there
    is none, and a public width that holds all records. ``shown``: None where the records hardly
    tell one interval from others."""
    least, most = (frexp(size)[1] for size in sizes)
    end = min(_END, most + 1)
    first = min(max(_FIRST, least - 2), end - 1) if sizes[0] else min(_FIRST, end - 1)
    far = int(2 ** min(_BITS, float(rows * epsilon) / _BIT))
    exponents, places = np.arange(first, end), np.arange(-far, far + 1)
    inside = _inside(numbers, exponents, places)
    held = _HELD if shown else Fraction(0)
    tolls = np.add.outer(_tolls(exponents, shown), np.log1p(np.abs(places)))
    costs = interval_costs(inside, rows, tolls, epsilon, held)
    if shown:  # one candidate more, that all records are in, whatever they are
        costs.append(-_SHOWN * UNITS - rows * floor(held * epsilon * UNITS / 2))
    chosen = draws.cheapest(costs)
    if chosen == tolls.size:
        return None
    width, place = divmod(chosen, len(places))
    half = Fraction(2) ** int(exponents[width])
    return Interval(int(places[place]) * half, half)


def _tolls(exponents: NDArray[np.int64], shown: bool) -> NDArray[np.float64]:
    """Of half-widths."""
    if not shown:
        return np.where(exponents > 0, _MORE, -_LESS) * exponents.astype(np.float64)
    powers = exponents + 1
    return np.where(powers > 0, _MORE_SHOWN, _LESS_SHOWN) * np.log1p(np.abs(powers))


def interval_costs(
    inside: NDArray[np.int64],
    rows: int,
    tolls: NDArray[np.float64],
    epsilon: Fraction,
    every: Fraction,
) -> list[int]:
    """Costs of intervals, row by row: one should hold many records, and none of half its width.

    ``inside`` has a row for each width, after one of half of the first; ``every`` is the part of
    epsilon for all that an interval holds. One record moves each
    number, so the largest of a row too, by at most one, so each cost by at most epsilon / 2, in
    whatever direction.
    """
    lesser, all_inside = (floor(part * epsilon * UNITS / 2) for part in (1 - every, every))
    held = np.minimum(inside[1:], rows - inside[:-1].max(axis=1, keepdims=True))
    units = np.rint(tolls * UNITS).astype(np.int64)
    columns = (units.ravel(), held.ravel(), inside[1:].ravel())
    return [
        toll - lesser * count - all_inside * number
        for toll, count, number in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _inside(
    numbers: RawNumbers, exponents: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many records each interval holds, its ends included."""
    ends = np.arange(int(places[0]) - 1, int(places[-1]) + 2, dtype=np.float64)
    widths = np.ldexp(1.0, np.arange(int(exponents[0]) - 1, int(exponents[-1]) + 1))
    cuts: NDArray[np.float64] = widths[:, None] * ends
    below, until = (counts.reshape(cuts.shape) for counts in numbers.counts(cuts.ravel()))
    return until[:, 2:] - below[:, :-2]
