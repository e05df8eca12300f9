"""What a linear fit of very few rows is: the noisy mean of its target, and no slopes.

Where rows times epsilon do not pay for limits of every column, coefficients would be noise, and
predictions worse than none. The mean of the target needs the limits of one column alone
(``docs/proofs/regression-limits.md``, decision 0033).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.estimators.intervals import unscaled
from leastnoise.estimators.linear_fit import DrawnFit, LinearFit
from leastnoise.estimators.logistic_intervals import DRAWS
from leastnoise.estimators.matrix import Bounds
from leastnoise.estimators.moments import BITS
from leastnoise.estimators.private import Promise, record
from leastnoise.guarantees import PureDP
from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.session.search.columns import FoundLimits

Floats = NDArray[np.float64]

# Rows times epsilon that slopes need: for each column whose limits are found, the target's
# counted twice, and for each column.
_FOUND, _EACH = 45, 25
# Of what limits leave, for the number of rows that count, where it is private.
_COUNT = Fraction(1, 3)
# Slopes that nobody knows lie within so much, in scaled columns.
_ANY = 2.0**200


def fewest(features: Sequence[Bounds | None], target: Bounds | None) -> Fraction:
    """Rows times epsilon from which slopes are looked for, by what is declared: a public rule."""
    columns = [*features, target, target]
    return Fraction(_EACH * len(columns) + _FOUND * sum(pair is None for pair in columns))


@dataclass(frozen=True, slots=True)
class BehindMean:
    """Nothing was released of the slopes of ``width`` coefficients."""

    width: int

    def draws(self) -> Floats:
        """Anything, one row a draw: cosines that have nothing to do with each other."""
        return _ANY * np.cos(np.outer(np.arange(DRAWS), 1 + np.arange(self.width)))


def law_of_sum(scaled: Floats, epsilon: Fraction, relation: str) -> DiscreteLaplaceLaw:
    """NOT PRIVATE until drawn: the sum of entries in [-1, 1], whole multiples of 2**-20.

    A replaced row moves it by at most 2, one that comes or goes by 1.
    """
    moves = 1 if relation == "add-remove" else 2
    total = int(np.rint(scaled * 2.0**BITS).astype(np.int64).sum())
    return DiscreteLaplaceLaw(total, epsilon / (moves << BITS), Fraction(1, 1 << BITS))


@dataclass(frozen=True, slots=True)
class MeanFit(LinearFit):
    """A fit of a constant."""

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return "Laplace()"

    def drawn_within(
        self,
        limits: FoundLimits,
        matrix: Floats,
        column: Floats,
        promised: Promise,
        guarantee: PureDP,
        fields: Mapping[str, Any],
    ) -> DrawnFit:
        """The noisy mean of the target, with what limits left of epsilon."""
        columns = self.columns
        source, left = randomness.active(), promised.epsilon - limits.cost
        scaled, counts = columns.target.scaled(column.reshape(-1, 1), columns.target_policy)
        if columns.policy == "drop":
            counts &= ~np.isnan(matrix).any(axis=1)
        rows, price, parts = float(limits.rows), left, dict[str, object]()
        private = promised.relation != "replace-one" or columns.policy == "drop"
        if private:
            parts["rows that count"] = part = _COUNT * left
            law = DiscreteLaplaceLaw(int(counts.sum()), part, Fraction(1))
            rows, price = float(law.value_of(law.draw(source))), left - part
        parts["mean"] = price
        law = law_of_sum(scaled[counts, 0], price, promised.relation)
        mean = float(law.value_of(law.draw(source))) / max(1.0, rows)
        value = np.zeros(columns.design.width)
        value[0] = min(1.0, max(-1.0, mean))
        edited = private and promised.relation == "replace-one"
        release = record(
            promised,
            guarantee,
            value=unscaled(value, columns.design, columns.target),
            mechanism=self.name,
            bounds=columns.design.limits,
            limits=None,
            step=str(law.step),
            sensitivity="global",
            profile_relation="edit" if edited else promised.relation,
            parts=limits.parts(parts),
            notes=(
                "rows times epsilon are too few for coefficients: the value is the mean of the "
                "target; step is the lattice of its sum",
            ),
            **fields,
        )
        behind = BehindMean(columns.design.width)
        return DrawnFit(release, columns, np.ones(len(limits.moved)), behind)
