"""From a resolved request to a summary, for columns that are arrays in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.frames.memory.columns import filled, integers, present
from leastnoise.frames.memory.persons import distinct_count
from leastnoise.frames.memory.selection import ranked_runs
from leastnoise.frames.memory.spread import spread_summary
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.frames.table import Table
from leastnoise.summaries.cells import CellRequest, CellSummary
from leastnoise.summaries.columns import Column
from leastnoise.summaries.distinct import DistinctRequest, DistinctSummary
from leastnoise.summaries.graphs import GraphRequest, GraphSummary
from leastnoise.summaries.keys import KeyRequest, KeySummary
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.ordered import OrderedRequest, OrderedSummary
from leastnoise.summaries.pairs import PairRequest, PairSummary
from leastnoise.summaries.ranks import RankSummary, Run, window_ranks
from leastnoise.summaries.records import Listed
from leastnoise.summaries.spec import (
    MomentRequest,
    RankRequest,
    Request,
    RowRequest,
    SpreadRequest,
)
from leastnoise.summaries.spread import SpreadSummary
from leastnoise.summaries.vectors import VectorRequest, VectorSummary
from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leastnoise.frames.readers.graphs import EdgeTable

Summary = (
    RankSummary
    | MomentSummary
    | SpreadSummary
    | RowSummary
    | PairSummary
    | CellSummary
    | DistinctSummary
    | GraphSummary
    | KeySummary
    | VectorSummary
    | OrderedSummary
    | WeightedSummary
)
AnyRequest = (
    Request
    | PairRequest
    | CellRequest
    | DistinctRequest
    | GraphRequest
    | KeyRequest
    | VectorRequest
    | WeightedRequest
)
Array = NDArray[Any]


def summarise(table: Table, request: AnyRequest, depth: int | None) -> Summary:
    """NOT PRIVATE. Read one column and keep what the request asks for.

    ``depth`` is how far profiles will look: a function of public parameters, None for all the way.
    Never raises on values: missing ones follow the request's policy, the rest are clipped.
    """
    if isinstance(request, GraphRequest):
        from leastnoise.frames.memory.common_neighbours import summarise_graph  # only for graphs

        return summarise_graph(cast("EdgeTable", table), request)
    if hasattr(table, "summarise"):  # an engine holds the table
        found = cast("Any", table).summarise(request, depth)
        if found is not None:
            return found
    if isinstance(request, OrderedRequest):
        from leastnoise.frames.memory.ordered import summarise_ordered  # only for trimmed means

        return summarise_ordered(table, request)
    if isinstance(request, CellRequest):
        from leastnoise.frames.memory.cells import summarise_cells  # only for declared categories

        return summarise_cells(table, request)
    if isinstance(request, DistinctRequest):
        return DistinctSummary(distinct_count(table, request.column))
    if isinstance(request, KeyRequest):
        from leastnoise.frames.memory.keys import key_counts  # only where keys are private

        return key_counts(table, request)
    if isinstance(request, PairRequest):
        from leastnoise.frames.memory.metrics import summarise_pair  # only for model metrics

        return summarise_pair(table, request, depth)
    if isinstance(request, WeightedRequest):
        from leastnoise.frames.memory.weighted import summarise_weighted  # only for weights

        return summarise_weighted(table, request, depth)
    if isinstance(request, VectorRequest):
        from leastnoise.frames.memory.vectors import summarise_vectors  # only for vectors

        return summarise_vectors(table, request)
    if isinstance(request, RowRequest):
        return _rows(table, request)
    column = table.column(request.column)
    if isinstance(request, RankRequest):
        return _ranks(column, request, depth)
    if isinstance(request, SpreadRequest):
        return spread_summary(column, request, depth)
    return _moments(column, request, depth)


def summarise_between(table: Table, request: RankRequest, cuts: Sequence[int]) -> RankSummary:
    """NOT PRIVATE. All records, as far as comparisons with ascending public cuts tell them apart.

    An engine counts them between the cuts; the first and the last cut are the limits.
    """
    if hasattr(table, "between"):
        return cast("Any", table).between(request, cuts)
    return cast("RankSummary", summarise(table, request, None))


def summarise_records(table: Table, request: RankRequest) -> RankSummary:
    """NOT PRIVATE. All records, to be asked for by rank and counted by value.

    An engine answers each question by a query.
    """
    found = cast("Any", table).records(request) if hasattr(table, "records") else None
    if found is None:
        values = filled(table.column(request.column), request.lattice, request.missing)
        found = Listed(np.sort(request.lattice.quantise(values)))
    run = Run(1, found)
    return RankSummary(len(found), request.lattice, request.at, (run,) * len(request.at), None)


def _rows(table: Table, request: RowRequest) -> RowSummary:
    if not request.missing.drops:
        return RowSummary(table.row_count())
    return RowSummary(len(present(table.column(request.column))))


def _ranks(column: Column, request: RankRequest, depth: int | None) -> RankSummary:
    lattice = request.lattice
    values = filled(column, lattice, request.missing)
    n = len(values)
    if n == 0:
        return request.empty(depth)
    windows = [window_ranks(order, n, depth) for order in request.at]
    # rounding is monotone, so the selection works on raw values and only the runs are rounded
    runs = tuple(
        Run(first, integers(run, lattice))
        for (first, _), run in zip(windows, ranked_runs(values, windows), strict=True)
    )
    return RankSummary(n, lattice, request.at, runs, depth)


def _moments(column: Column, request: MomentRequest, depth: int | None) -> MomentSummary:
    lattice, policy = request.lattice, request.missing
    values = column.values if column.missing is None else column.values[~column.missing]
    n, total = exact_sum(values, lattice, policy.impute)
    if column.missing is not None and policy.impute is not None:
        gone = len(column.values) - len(values)
        n, total = n + gone, total + gone * policy.impute
    smallest: list[int] = []
    largest: list[int] = []
    reach = n if depth is None else min(depth, n)
    if reach:
        ends = [(1, reach), (n - reach + 1, n)]
        low, high = ranked_runs(filled(column, lattice, policy), ends)
        smallest, largest = integers(low, lattice), integers(high, lattice)[::-1]
    return MomentSummary(n, total, lattice, smallest, largest, depth)
