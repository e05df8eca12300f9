"""Limits of several columns that share a small part of epsilon: where most records are.

``limits`` spares nothing for one column whose noise follows its limits. A model has many columns,
whose limits only scale them: a centre, one radius around it, and a choice on either side are
enough, for a quarter of the price (``docs/proofs/regression-limits.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.numbers import HeldNumbers, RawNumbers
from leastnoise.mechanisms.private_limits import (
    ColumnShares,
    PrivateLimits,
    column_shares,
    column_tolls,
    columns_share,
    inner_split,
    is_tight,
    key_of,
    last_tolls,
    outer_keys,
    radius_costs,
    radius_of,
    shows_scale,
    step_costs,
)
from leastnoise.session.search.common import PRICE, CommonSearch, pays
from leastnoise.session.search.draws import Draws, Limits, Tolls
from leastnoise.session.search.intervals import crowded_interval

# With fewer records, rows times the epsilon of a column, there are no three searches but one choice
# of an interval that most records are in, and limits are twice as wide.
FEW, _WIDER = 250, 2
ROUGH = 80
"""With fewer, limits may be wide beyond all measure."""
# Limits that few records do not show are next to 0, so that what follows from them is too.
_NOTHING = Fraction(1, 1 << 40)
# What one column gets of epsilon where it is the only one that is searched: so many rows times
# epsilon, at most this part.
_ALONE, _AT_MOST = 60, Fraction(3, 5)
# Limits are so many times as far from a point as half of the records are that are not there.
_SCALES = Fraction(3)
# Where nothing is declared: beyond all radii.
ANYWHERE = (-(Fraction(2) ** 64), Fraction(2) ** 64)
# The least radius, as a part of the centre: what the centre's index tells apart.
_NEAR = 2.0**-20
# The part of the records that the radius around the centre leaves outside.
_OUTSIDE = Fraction(1, 5)
# The walk takes one radius a power of two: the fewer questions, the fewer that stop it too early.
_WALKED = 16
# A limit is put a little farther than its radius, which does not see the last few records.
_STRETCH = Fraction(107, 100)


# What the number of rows costs where it is private: it only steers the shares.
_COUNT = Fraction(1, 50)

Pair = tuple[Fraction, Fraction]
# Limits that are known: a median in the middle of nothing but 0 and 1 would tell nothing.
_INDICATOR: Pair = (Fraction(0), Fraction(1))


@dataclass(frozen=True, slots=True)
class SearchedColumn:
    """A column by its public facts: its name, what is declared, and the spacing of its records.

    ``held`` stands for limits that are not found yet; ``weight`` is its part of the price.
    ``shown``: limits that few records do not show are next to 0.
    """

    name: str
    declared: Pair | None
    finest: float = 0.0
    weight: int = 1
    shown: bool = False

    @property
    def held(self) -> Pair:
        """What is declared, or [-1, 1]."""
        return (Fraction(-1), Fraction(1)) if self.declared is None else self.declared


@dataclass(frozen=True, slots=True)
class FoundLimits:
    """Released limits of every column, and what was spent on them.

    ``moved`` says of each whether it is not what was declared; ``rows`` is their number, where it
    is public or was released, else 0. ``alone``: the last column alone was looked at.
    """

    bounds: tuple[Pair, ...]
    spent: dict[str, Fraction]
    moved: tuple[bool, ...]
    rows: int = 0
    alone: bool = False

    @property
    def cost(self) -> Fraction:
        """All that was spent."""
        return sum(self.spent.values(), Fraction(0))

    def parts(self, rest: Mapping[str, object]) -> dict[str, str]:
        """How epsilon was split, as a record shows it."""
        return {name: str(part) for name, part in {**self.spent, **rest}.items()}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a model, each of a name of its own.

    ``within``: declared bounds are searched too. ``counted``: the number of rows is wanted even
    where nothing is searched. ``few``: columns of fewer records have one
    interval alone. ``alone``: with fewer rows times epsilon the last column is searched alone.
    """

    columns: tuple[SearchedColumn, ...]
    within: PrivateLimits | None = None
    counted: bool = False
    few: int = FEW
    alone: Fraction = Fraction(0)

    @property
    def searched(self) -> tuple[SearchedColumn, ...]:
        """Those that are not declared, or all but indicators, declared within 0 and 1."""
        inside = self.within is not None
        return tuple(
            c for c in self.columns if c.declared is None or (inside and c.declared != _INDICATOR)
        )

    def search(
        self,
        values: Sequence[NDArray[np.float64]],
        rows: int,
        epsilon: Fraction,
        relation: str,
        draws: Draws,
    ) -> FoundLimits:
        """One search a column, each with its part of what limits get of epsilon."""
        spent: dict[str, Fraction] = {}
        searched = self.searched
        if relation != "replace-one":
            told = self.counted or bool(searched)
            rows = self._rows(rows, epsilon, spent, draws) if told else 0
        if self.within is not None and rows * epsilon < self.within.least:
            searched = tuple(c for c in searched if c.declared is None)
        records = rows * epsilon
        alone = records < self.alone
        if alone:
            searched = tuple(c for c in searched if c == self.columns[-1])
        # an entry may be missing, so a replaced row may add or remove one
        entries = "add-remove" if relation == "add-remove" else "edit"
        alike = [c for c in searched if c.declared is None and not c.shown]
        common: Pair | None = None
        if not alone and pays(len(alike), records):
            given = [x for c, x in zip(self.columns, values, strict=True) if c in alike]
            finest = min(c.finest for c in alike)
            price = PRICE / records * epsilon
            of_all = CommonSearch(given, ANYWHERE, entries, price, rows, draws, finest)
            common = of_all.run()
            spent["limits of all features"] = of_all.cost
        shared = () if common is None else alike
        each = tuple(c for c in searched if c not in shared)
        weights = sum(column.weight for column in each)
        share = columns_share(records, weights) * epsilon
        if alone and records:
            share = max(share, min(_AT_MOST, _ALONE / records) * epsilon)
        bounds: list[Pair] = []
        for column, numbers in zip(self.columns, values, strict=True):
            if column not in each:
                bounds.append(common if common and column in shared else column.held)
                continue
            limits = ColumnSearch(
                HeldNumbers(numbers[~np.isnan(numbers)]),
                column.declared or ANYWHERE,
                entries,
                share * column.weight / weights,
                rows,
                draws,
                column.finest,
                column_tolls,
                self.few,
                column.shown,
            ).run()
            bounds.append((limits.low, limits.high))
            spent[f"limits of {column.name}"] = limits.cost
        moved = tuple(
            c in searched and c.declared != p for c, p in zip(self.columns, bounds, strict=True)
        )
        return FoundLimits(tuple(bounds), spent, moved, rows, alone)

    @staticmethod
    def _rows(rows: int, epsilon: Fraction, spent: dict[str, Fraction], draws: Draws) -> int:
        """Their noisy number, at least 1."""
        spent["row count"] = price = _COUNT * epsilon
        return max(1, draws.rows(rows, price))


@dataclass(frozen=True, slots=True)
class _Around:
    """NOT PRIVATE. How many records are at least so far above and below a point."""

    middle: Fraction
    keys: NDArray[np.int64]
    above: NDArray[np.int64]
    below: NDArray[np.int64]

    @property
    def outside(self) -> NDArray[np.int64]:
        """On both sides."""
        return self.above + self.below

    @property
    def walked(self) -> tuple[list[Fraction], list[int]]:
        """Some radii, and how many records are beyond them."""
        keys = self.keys[::_WALKED].tolist()
        return [Fraction(radius_of(key)) for key in keys], self.outside[::_WALKED].tolist()


@dataclass(frozen=True, slots=True)
class ColumnSearch:
    """NOT PRIVATE. The numbers of a column, what is declared, and its part of the budget.

    ``rows`` is public or released; ``finest`` is the public spacing of the records; ``tolls``: what
    far limits cost.
    """

    numbers: RawNumbers
    declared: Pair
    relation: str
    epsilon: Fraction
    rows: int
    draws: Draws
    finest: float = 0.0
    tolls: Tolls = last_tolls
    few: int = 0
    shown: bool = False
    spent: dict[str, Fraction] = field(default_factory=dict[str, Fraction])

    def run(self) -> Limits:
        """Centre and radius, then both sides unless the declared bounds are tight.

        Where most records are one number, 0 or the centre, the scale of the others is all that is
        looked for; if they are too few for that, the declared bounds are kept, or are 1 from there.
        """
        records = max(Fraction(1), self.rows * self.epsilon)
        if records < self.few:
            return self._crowded()
        shares, zero = column_shares(records), self._around(Fraction(0))
        scattered = self._scattered("records off 0", zero, shares.scattered)
        if 2 * scattered < self.rows:
            return self._sparse(zero, scattered, shares.centre + shares.scattered + shares.radii)
        price = self._charge("centre", shares.centre)
        around = self._around(self.draws.median(self.numbers, price, self.relation))
        scattered = self._scattered("records off the centre", around, shares.scattered)
        if 2 * scattered < self.rows:
            return self._sparse(around, scattered, shares.radii)
        return self._dense(around, scattered, records, shares)

    def _around(self, point: Fraction) -> _Around:
        """The counts about a point, cut to the declared bounds."""
        low, high = self.declared
        middle = Fraction(float(max(low, min(high, point))))
        first = key_of(Fraction(max(abs(float(middle)) * _NEAR, self.finest / 2)))
        end = max(first, key_of(max(middle - low, high - middle))) + 1
        keys = np.arange(first, end)
        return _Around(middle, keys, *self.numbers.beyond(float(middle), keys))

    def _scattered(self, stage: str, around: _Around, share: Fraction) -> int:
        """About how many records are not at a point."""
        price = self._charge(stage, share)
        return max(0, min(self.rows, self.draws.rows(int(around.outside[0]), price)))

    def _sparse(self, around: _Around, scattered: int, share: Fraction) -> Limits:
        """Limits by the scale of the few records that are not at a point."""
        if shows_scale(scattered, share * self.epsilon):
            return self._within(around.middle, self._step(around, scattered, share))
        if self.declared != ANYWHERE:
            return Limits(*self.declared, True, self.spent)
        return self._within(around.middle, Fraction(1))

    def _dense(
        self, around: _Around, scattered: int, records: Fraction, shares: ColumnShares
    ) -> Limits:
        """Limits on both sides of a radius that few records are beyond."""
        (low, high), middle = self.declared, around.middle
        inner = self._inner(around, scattered, shares.inner)
        if is_tight(low, high, 2 * Fraction(radius_of(inner))):
            return Limits(low, high, True, self.spent)
        under, over = (
            self._outer(name, around.keys, beyond, inner, records, shares.outer)
            for name, beyond in (("lower limit", around.below), ("upper limit", around.above))
        )
        return Limits(max(low, middle - under), min(high, middle + over), False, self.spent)

    def _charge(self, stage: str, share: Fraction) -> Fraction:
        price = share * self.epsilon
        self.spent[stage] = price
        return price

    def _within(self, middle: Fraction, radius: Fraction) -> Limits:
        """Limits on either side, or the declared bounds where these are tight."""
        low, high = self.declared
        if is_tight(low, high, radius):
            return Limits(low, high, True, self.spent)
        return Limits(max(low, middle - radius), min(high, middle + radius), False, self.spent)

    def _crowded(self) -> Limits:
        """Limits about an interval that most records are in."""
        (low, high), price = self.declared, self._charge("interval", Fraction(1))
        sizes = self.finest, float(high - low)
        found = crowded_interval(
            self.numbers, self.rows, sizes, price, self.draws, shown=self.shown
        )
        if found is None and self.declared != ANYWHERE:
            return Limits(low, high, True, self.spent)
        if found is None:
            return self._within(Fraction(0), _NOTHING)
        return self._within(max(low, min(high, found.middle)), _WIDER * found.half)

    def _step(self, around: _Around, scattered: int, share: Fraction) -> Fraction:
        """Some radii, beyond which half of the records are that are not at the centre."""
        price = self._charge("scale", share)
        radii, beyond = around.walked
        return _SCALES * radii[self.draws.cheapest(step_costs([*beyond, 0], scattered, price))]

    def _inner(self, around: _Around, scattered: int, share: Fraction) -> int:
        """The place of a radius around the centre that few records are beyond, on both sides."""
        price = self._charge("radius", share)
        few = ceil(scattered * _OUTSIDE)
        heights = [count - few for count in around.walked[1]]
        index = self.draws.first(heights, inner_split(price))
        return int(around.keys[::_WALKED][-1 if index is None else index])

    def _outer(
        self,
        name: str,
        keys: NDArray[np.int64],
        beyond: NDArray[np.int64],
        inner: int,
        records: Fraction,
        share: Fraction,
    ) -> Fraction:
        """How far a limit is on one side: few records are beyond, and it is not farther in vain."""
        price = self._charge(name, share)
        places = outer_keys(int(keys[0]), inner, int(keys[-1]) + 1)
        radii = list(map(radius_of, places.tolist()))
        counts = beyond[places - keys[0]].tolist()
        chosen = self.draws.cheapest(radius_costs(counts, self.tolls(radii, records), price))
        return _STRETCH * Fraction(radii[chosen])
