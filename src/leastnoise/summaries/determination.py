"""The summary of R2: the squared errors and the spread of the targets, of the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from leastnoise.summaries.requests import Counted

if TYPE_CHECKING:
    from leastnoise.summaries.moments import MomentSummary
    from leastnoise.summaries.spread import SpreadSummary


@dataclass(frozen=True, slots=True, repr=False)
class DeterminationSummary(Counted):
    """NOT PRIVATE. Both summaries are of the same rows and reach to the same depth."""

    losses: MomentSummary
    targets: SpreadSummary
