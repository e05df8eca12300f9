"""From a resolved request of a model metric to its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise.frames.losses import summarise_losses

if TYPE_CHECKING:
    from leastnoise.frames.table import Table
    from leastnoise.summaries.pairs import PairRequest, PairSummary


def summarise_pair(table: Table, request: PairRequest, depth: int | None) -> PairSummary:
    """NOT PRIVATE. Read targets and predictions and keep what the request asks for."""
    return summarise_losses(table, request, depth)
