"""One pair of limits for many columns of one unit, such as pixels or columns scaled before.

A search of each column costs so much that with many of them little is left for a model. A record
counts once here, whatever its number of columns: by its middle, its least and its largest entry
(``docs/proofs/regression-limits.md``). Whether one pair fits all columns is itself released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.numbers import HeldNumbers
from leastnoise.mechanisms.private_limits import (
    columns_share,
    inner_split,
    key_of,
    outer_keys,
    radius_costs,
    radius_of,
)
from leastnoise.session.search.draws import Draws

Floats = NDArray[np.float64]
Pair = tuple[Fraction, Fraction]

# From so many columns and rows times epsilon on one pair is looked for, where a search of each
# would get less than it needs.
COLUMNS, RECORDS = 20, 10_000
# What it gets, rows times epsilon, and how that is split.
PRICE = 800
_CENTRE, _WALK, _SIDE, _FITS = (Fraction(part, 80) for part in (12, 9, 11, 28))
# A column has limits of its own where all but one in 16 of its entries lie within a sixteenth of
# the pair.
CELLS = 16
# What a nat of radius costs, in nats: a record has one entry of many beyond a limit.
_TOLL = 20.0
# The part of the records that a first radius of a side leaves outside, by radii of powers of two.
_OUTSIDE, _WALKED = Fraction(1, 4), 16
_ROWS = 1 << 16
# The least radius, as a part of the centre.
_NEAR = 2.0**-20


def pays(columns: int, records: Fraction) -> bool:
    """Whether one pair is looked for, by public or released numbers."""
    short = columns_share(records, columns) >= columns_share(Fraction(1), 1)
    return columns >= COLUMNS and records >= RECORDS and short


@dataclass(frozen=True, slots=True)
class CommonSearch:
    """NOT PRIVATE. Columns that nothing is declared of, and what limits them.

    ``relation``: "add-remove", or "edit" where a record may have no entry. ``rows`` is public or
    released; ``finest`` is the least public spacing of the records.
    """

    columns: Sequence[Floats]
    declared: Pair
    relation: str
    epsilon: Fraction
    rows: int
    draws: Draws
    finest: float = 0.0
    spent: dict[str, Fraction] = field(default_factory=dict[str, Fraction])

    @property
    def cost(self) -> Fraction:
        """All that was spent."""
        return sum(self.spent.values(), Fraction(0))

    def run(self) -> Pair | None:
        """The pair; None where it does not fit all columns."""
        least, middle, most = map(HeldNumbers, self._entries())
        (low, high), price = self.declared, self._charge("centre", _CENTRE)
        found = self.draws.median(middle, price, self.relation)
        centre = Fraction(float(max(low, min(high, found))))
        first = key_of(Fraction(max(abs(float(centre)) * _NEAR, self.finest / 2)))
        end = max(first, key_of(max(centre - low, high - centre))) + 1
        keys = np.arange(first, end)
        under = self._side("lower", keys, least.beyond(float(centre), keys)[1])
        over = self._side("upper", keys, most.beyond(float(centre), keys)[0])
        pair = max(low, centre - under), min(high, centre + over)
        return pair if self._fits(centre, pair) else None

    def _charge(self, stage: str, share: Fraction) -> Fraction:
        price = share * self.epsilon
        self.spent[stage] = price
        return price

    def _entries(self) -> tuple[Floats, Floats, Floats]:
        """The least, the middle and the largest entry of every record that has one."""
        none = np.zeros(0)
        parts = [(none, none, none)]
        for start in range(0, len(self.columns[0]), _ROWS):
            rows = np.column_stack([column[start : start + _ROWS] for column in self.columns])
            rows.sort(axis=1)  # NaN last
            count = np.count_nonzero(~np.isnan(rows), axis=1)
            rows, count = rows[count > 0], count[count > 0]
            each = np.arange(len(rows))
            parts.append((rows[:, 0], rows[each, (count - 1) // 2], rows[each, count - 1]))
        least, middle, most = (np.concatenate(x) for x in zip(*parts, strict=True))
        return least, middle, most

    def _side(self, name: str, keys: NDArray[np.int64], beyond: NDArray[np.int64]) -> Fraction:
        """How far a limit is on one side, which few records have an entry beyond."""
        price, few = self._charge(f"{name} radius", _WALK), ceil(self.rows * _OUTSIDE)
        heights = [count - few for count in beyond[::_WALKED].tolist()]
        index = self.draws.first(heights, inner_split(price))
        inner = int(keys[::_WALKED][-1 if index is None else index])
        price = self._charge(f"{name} limit", _SIDE)
        places = outer_keys(int(keys[0]), inner, int(keys[-1]) + 1)
        radii = [radius_of(key) for key in places.tolist()]
        tolls = [_TOLL * log(radius / radii[0]) for radius in radii]
        counts = beyond[places - keys[0]].tolist()
        chosen = self.draws.cheapest(radius_costs(counts, tolls, price))
        return Fraction(radii[chosen])

    def _fits(self, centre: Fraction, pair: Pair) -> bool:
        """Whether the noisy number of records in the most crowded place of a column is small."""
        price = self._charge("fit", _FITS)
        crowd = max(crowded(column, float(centre), pair) for column in self.columns)
        return 4 * self.draws.rows(crowd, price / CELLS) < self.rows


def crowded(column: Floats, centre: float, pair: Pair) -> int:
    """NOT PRIVATE. The largest of CELLS #(in a place) - (CELLS - 1) #(present), over places a
    CELLS-th of the pair wide, entries that are 0 or the centre left out of the first number, and
    for the place about the centre out of both.

    A record that changes moves it by CELLS at most, one that comes or goes by one less.
    """
    low, high = map(float, pair)
    present = column[~np.isnan(column)]
    entries = present[(present != centre) & (present != 0)]
    unit = max((high - low) / (2 * CELLS), np.finfo(np.float64).tiny)
    places = np.clip((np.clip(entries, low, high) - low) / unit, 0, 2 * CELLS - 1).astype(np.int64)
    halves = np.bincount(places, minlength=2 * CELLS)
    most = int((halves[1:] + halves[:-1]).max())
    near = int(np.count_nonzero(np.abs(entries - centre) < unit))
    others = CELLS - 1
    return max(CELLS * most - others * len(present), CELLS * near - others * len(entries))
