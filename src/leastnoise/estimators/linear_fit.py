"""What both ways of a linear fit share: columns, how far the model is linear, what is drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leastnoise.estimators.design import Design
from leastnoise.estimators.limits import limits_of
from leastnoise.estimators.private import Promise
from leastnoise.guarantees import PureDP
from leastnoise.record import Release
from leastnoise.session.search.columns import Columns, FoundLimits

Floats = NDArray[np.float64]

# Beyond limits that were found a fit stays linear up to so many halves of them. The target of such
# a fit has no ends.
REACH, FARTHEST = 2.0, 2.0**60


class Behind(Protocol):
    """What was released of a fit in scaled columns, and the public laws of its noise."""

    def draws(self) -> Floats:
        """Coefficients that may be behind the release, one row a draw, the intercept first."""
        ...


@dataclass(frozen=True, slots=True)
class DrawnFit:
    """A release, and what follows from it: columns in released limits, how far the model is linear,
    what intervals are made of, and the released moments, if there are any."""

    release: Release
    columns: LinearColumns
    reach: Floats
    behind: Behind | None
    moments: Floats | None = None


@dataclass(frozen=True, slots=True)
class LinearColumns:
    """The checked columns of one fit."""

    wanted: Columns
    design: Design
    policy: str | float
    target: Design
    target_policy: str | float

    def within(self, limits: FoundLimits) -> LinearColumns:
        """The same in released limits."""
        *features, target = limits.bounds
        return replace(
            self,
            design=replace(self.design, bounds=tuple(features)),
            target=replace(self.target, bounds=(target,)),
        )

    def reach(self, limits: FoundLimits) -> Floats:
        """How far a fit is linear, in halves of the limits: declared bounds are ends, limits that
        were found are not, and the last, the target's, not at all."""
        far = [REACH] * (len(limits.moved) - 1) + [FARTHEST]
        return np.where(limits.moved, far, 1.0)

    def wide(self, matrix: Floats, column: Floats, reach: Floats) -> tuple[Floats, Floats]:
        """Scaled features and target, clipped as far as the model is linear."""
        features = self.design.reaching(matrix, self.policy, reach[:-1])
        target = self.target.reaching(column.reshape(-1, 1), self.target_policy, reach[-1:])
        return features, target[:, 0]


@dataclass(frozen=True, slots=True)
class LinearFit(ABC):
    """Checked parameters of one fit, that can be drawn."""

    columns: LinearColumns

    @property
    @abstractmethod
    def name(self) -> str:
        """The mechanism as shown in a record."""

    def limited(
        self, matrix: Floats, column: Floats, promised: Promise
    ) -> tuple[FoundLimits, LinearFit]:
        """Released limits, and the fit in them."""
        limits = limits_of(self.columns.wanted, [*matrix.T, column], len(column), promised)
        return limits, replace(self, columns=self.columns.within(limits))

    @abstractmethod
    def drawn_within(
        self,
        limits: FoundLimits,
        matrix: Floats,
        column: Floats,
        promised: Promise,
        guarantee: PureDP,
        fields: Mapping[str, Any],
    ) -> DrawnFit:
        """NOT PRIVATE until released: the fit in released limits."""
