"""Counts of rows by declared label and declared prediction."""

from __future__ import annotations

from dataclasses import dataclass

from leastnoise.summaries.requests import Counted


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
