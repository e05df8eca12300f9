"""The summaries of predictions: counts by label, pairs ranked right, and what R2 needs."""

from __future__ import annotations

from dataclasses import dataclass

from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.requests import Counted
from leastnoise.summaries.spread import SpreadSummary


@dataclass(frozen=True, slots=True, repr=False)
class ConfusionSummary(Counted):
    """NOT PRIVATE. ``counts[i][j]``: rows with label i and prediction j; a monoid under addition.

    A row whose label or prediction is missing or not declared is in no cell.
    """

    counts: tuple[tuple[int, ...], ...]

    def merge(self, other: ConfusionSummary) -> ConfusionSummary:
        """The summary of both sets of records together."""
        return ConfusionSummary(
            tuple(
                tuple(a + b for a, b in zip(mine, theirs, strict=True))
                for mine, theirs in zip(self.counts, other.counts, strict=True)
            )
        )

    @classmethod
    def none(cls, labels: int) -> ConfusionSummary:
        """The summary of no rows."""
        return cls(((0,) * labels,) * labels)


@dataclass(frozen=True, slots=True, repr=False)
class RankingSummary(Counted):
    """NOT PRIVATE. ``twice`` is twice the number of pairs that are ranked right, ties once.

    A pair is one positive and one negative row; rows with a missing score or without a declared
    label are neither.
    """

    twice: int
    positives: int
    negatives: int

    @classmethod
    def none(cls) -> RankingSummary:
        """The summary of no rows."""
        return cls(0, 0, 0)


@dataclass(frozen=True, slots=True, repr=False)
class DeterminationSummary(Counted):
    """NOT PRIVATE. Both summaries are of the same rows and reach to the same depth."""

    losses: MomentSummary
    targets: SpreadSummary
