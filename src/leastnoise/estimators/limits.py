"""Which columns of a fit are searched for limits, by public facts alone.

A fit whose limits are not declared spends a public part of epsilon on them and is then the fit
with the released limits and the rest of epsilon (``docs/proofs/regression-limits.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.matrix import Bounds, Matrix
from leastnoise.estimators.private import Promise
from leastnoise.mechanisms import PrivateLimits
from leastnoise.session.search.columns import Columns, FoundLimits, SearchedColumn
from leastnoise.session.search.draws import Draws

EXTREMES: tuple[list[Bounds], ...] = (
    [(Fraction(-1, 1 << 40), Fraction(1, 1 << 40))],
    [(-Fraction(1 << 66), Fraction(1 << 66))],
)
"""Limits as near to 0, and as far from it, as any that are found where nothing is declared."""

LEFT = Fraction(1, 2)
"""Of epsilon no more than this is spent on limits."""


def feature_columns(rows: Matrix, declared: Sequence[Bounds | None]) -> tuple[SearchedColumn, ...]:
    """The features by their public facts."""
    named = zip(rows.schema, declared, rows.whole, strict=True)
    return tuple(
        SearchedColumn(f"feature {name}", pair, float(whole)) for (name, _), pair, whole in named
    )


def indicators_known(
    ends: Sequence[Bounds | None], groups: Sequence[Sequence[int]]
) -> list[Bounds | None]:
    """Limits of indicators are known, whether they are declared or not."""
    members = {j for group in groups for j in group}
    one = (Fraction(0), Fraction(1))
    return [one if j in members else pair for j, pair in enumerate(ends)]


def limits_of(
    wanted: Columns, values: Sequence[NDArray[np.float64]], rows: int, promised: Promise
) -> FoundLimits:
    """Released limits of the columns of a fit."""
    draws = Draws(randomness.active())
    return wanted.search(values, rows, promised.epsilon, promised.relation, draws)


def parse_within(limits: object) -> PrivateLimits | None:
    """Whether declared bounds are searched too."""
    if limits is None or isinstance(limits, PrivateLimits):
        return limits
    raise ParameterError(
        "limits must be None, or PrivateLimits(...) to search for limits inside declared bounds, "
        f"got {quoted(limits)}"
    )
