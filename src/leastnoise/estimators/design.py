"""From rows in the user's units to records in [-1, 1], and coefficients back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.matrix import Bounds, clipped, imputed

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Design:
    """The public map z = (x - middle) / half of every feature, with an intercept or not.

    Scaled values lie in [-1, 1] on the lattice 2**-``bits``; an intercept is a column of ones in
    front. ``exclusive`` are groups of indicators, kept at 0 and 1, at most one of a group at 1.
    """

    bounds: tuple[Bounds, ...]
    intercept: bool
    bits: int
    exclusive: tuple[tuple[int, ...], ...] = ()

    @property
    def width(self) -> int:
        """The number of columns of a record."""
        return len(self.bounds) + self.intercept

    @property
    def limits(self) -> tuple[tuple[float, float], ...]:
        """The declared bounds as a record shows them."""
        return tuple((float(low), float(high)) for low, high in self.bounds)

    @property
    def middles(self) -> list[Fraction]:
        """The middles of the bounds; 0 without an intercept, which could not take them up."""
        members = self._members
        return [
            (low + high) / 2 if self.intercept and j not in members else Fraction(0)
            for j, (low, high) in enumerate(self.bounds)
        ]

    @property
    def halves(self) -> list[Fraction]:
        """Half the widths of the bounds; without an intercept the larger limit in size."""
        if self.intercept:
            members = self._members
            return [
                Fraction(1) if j in members else (high - low) / 2
                for j, (low, high) in enumerate(self.bounds)
            ]
        return [max(abs(low), abs(high)) for low, high in self.bounds]

    @property
    def _members(self) -> set[int]:
        return {j for group in self.exclusive for j in group}

    def scaled(self, values: Floats, policy: str | float) -> tuple[Floats, NDArray[np.bool_]]:
        """Scaled features, rows of zeros where one is dropped, and which rows count."""
        found = clipped(values, self.bounds, policy)
        counts: NDArray[np.bool_] = np.logical_not(np.isnan(found).any(axis=1))
        middle = np.array([float(x) for x in self.middles])
        half = np.array([float(x) for x in self.halves])
        one = float(1 << self.bits)
        scaled = np.clip(np.rint((found - middle) / half * one), -one, one) / one
        self._indicate(scaled)
        scaled[~counts] = 0.0
        return scaled, counts

    def _indicate(self, scaled: Floats) -> None:
        """One of a group is 1 at most: the first that is set."""
        for group in self.exclusive:
            taken = np.zeros(len(scaled), dtype=np.bool_)
            for j in group:
                first = (scaled[:, j] > 1 / 2) & ~taken
                taken |= first
                scaled[:, j] = first

    def reaching(self, values: Floats, policy: str | float, reach: Floats) -> Floats:
        """Features scaled as ``scaled`` does, but clipped to ``reach`` times as far from the
        middles; rows of zeros where one is dropped."""
        given = values
        if policy != "drop":
            given = np.where(np.isnan(values), imputed(self.bounds, policy), values)
        middle = np.array([float(x) for x in self.middles])
        half = np.array([float(x) for x in self.halves])
        one = float(1 << self.bits)
        with np.errstate(all="ignore"):
            found = np.clip(np.rint((given - middle) / half * one), -reach * one, reach * one) / one
        self._indicate(found)
        found[np.isnan(found).any(axis=1)] = 0.0
        return found

    def records(self, values: Floats, policy: str | float) -> tuple[Floats, NDArray[np.bool_]]:
        """The same, with the intercept's column in front."""
        scaled, counts = self.scaled(values, policy)
        if self.intercept:
            scaled = np.column_stack([counts.astype(np.float64), scaled])
        return scaled, counts

    def ridge(self, penalty: Fraction) -> list[Fraction]:
        """The ridge of the scaled coefficients that is ``penalty`` / 2 times their squared length
        in the user's units; the intercept has none."""
        found = [penalty / half**2 for half in self.halves]
        return [Fraction(0), *found] if self.intercept else found

    def unscaled(self, scaled: Sequence[float]) -> list[float]:
        """Intercept, if there is one, and coefficients in the user's units.

        Without an intercept the middles are not taken off, so that the line goes through 0.
        """
        rest = list(scaled[1:]) if self.intercept else list(scaled)
        slopes = [c / float(half) for c, half in zip(rest, self.halves, strict=True)]
        if not self.intercept:
            return slopes
        shift = sum(c * float(middle) for c, middle in zip(slopes, self.middles, strict=True))
        return [scaled[0] - shift, *slopes]
