"""What the area under the ROC curve needs: three numbers."""

from __future__ import annotations

from dataclasses import dataclass

from leastnoise.summaries.requests import Counted


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
