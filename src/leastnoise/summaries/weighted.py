"""What a weighted quantile asks to be summarised: values beside weights, sorted by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from leastnoise.params import Missing
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.lattice import (
    Lattice,
    MissingPolicy,
    OnLattice,
    choose_lattice,
    power_of_two_at_least,
)
from leastnoise.summaries.pairs import PairColumns
from leastnoise.summaries.requests import Reader

# Steps of a weight between 0 and the largest one; sums of 2**40 of them fit into 64 bits.
_WEIGHT_STEPS = 2**20


def reaches(order: Fraction) -> tuple[int, int]:
    """What one row of weight 1 changes of whole * (weight up to y) - top * (weight of all), for an
    order top / whole: under add-remove, and where rows are replaced.
    """
    top, whole = order.numerator, order.denominator
    return max(top, whole - top), whole


@dataclass(frozen=True, slots=True)
class WeightedRequest:
    """Values on a public lattice, weights as whole multiples of ``grain``, at most ``most``."""

    column: str | None
    names: tuple[str, ...]
    lattice: Lattice
    grain: Fraction
    most: int
    order: Fraction

    @property
    def missing(self) -> MissingPolicy:
        """What happens to rows without a value or a weight."""
        return MissingPolicy("weight 0", 0)

    def empty(self, depth: int | None) -> WeightedSummary:
        """The summary of no rows."""
        none = np.empty(0, np.int64)
        return WeightedSummary(self.lattice, self.most, none, none, 0, depth)

    def read(self, reader: Reader, depth: int | None) -> WeightedSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.weighted(self, depth)

    def sums(self, total: int, depth: int) -> list[int]:
        """Ascending: what the weight up to a value is compared with, up to a level, under every
        relation.
        """
        top, whole = self.order.numerator, self.order.denominator
        share, found = top * total - 1, {top * total // whole}
        for reach in reaches(self.order):
            step = reach * self.most
            # no weight is below 0 or above all: other levels have the limits for their bounds
            first, last = -(share // step) - 1, (whole * total - share) // step + 1
            levels = range(max(-depth, first), min(depth, last) + 1)
            found |= {(level * step + share) // whole for level in levels}
        return sorted(found)


@dataclass(frozen=True, slots=True)
class WeightedSpec:
    """A quantile of the first column, weighted by the second."""

    form: ClassVar[Literal["pair"]] = "pair"
    pair: PairColumns
    bounds: tuple[Fraction, Fraction]
    step: Fraction | None
    largest: Fraction
    order: Fraction

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> WeightedRequest:
        """The request: a row without a value or a weight has weight 0, whatever the policy."""
        kinds[0].check_reach(self.bounds, "bounds", ends=True)
        lattice = choose_lattice(
            self.bounds, purpose="order", integer_column=kinds[0].integer, step=self.step
        )
        grain = power_of_two_at_least(self.largest / _WEIGHT_STEPS)
        return WeightedRequest(
            self.pair.shown, names, lattice, grain, int(self.largest / grain), self.order
        )


@dataclass(frozen=True, slots=True, repr=False)
class WeightedSummary(OnLattice):
    """NOT PRIVATE. Values ascending, and the sums of the weights up to and with each.

    With a depth only values are sure to be there at which the weight passes one of the sums that
    the request names for it.
    """

    lattice: Lattice
    most: int
    values: NDArray[Any]
    sums: NDArray[Any]
    total: int
    depth: int | None

    def up_to(self, value: int) -> int:
        """The weight of the rows whose value is at most this."""
        at = int(np.searchsorted(self.values, value, side="right"))
        return int(self.sums[at - 1]) if at else 0
