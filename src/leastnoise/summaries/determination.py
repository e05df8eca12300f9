"""The summary of R2: the squared errors and the spread of the targets, of the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leastnoise.summaries.moments import MomentSummary
    from leastnoise.summaries.spread import SpreadSummary


@dataclass(frozen=True, slots=True, repr=False)
class DeterminationSummary:
    """NOT PRIVATE. Both summaries are of the same rows and reach to the same depth."""

    losses: MomentSummary
    targets: SpreadSummary

    @property
    def step(self) -> Fraction:
        """The answer has no unit."""
        return Fraction(1)
