"""Model metrics inside an engine: losses, pairs of labels and ranks are worked out where the rows
are, and sums, extremes and counts come back.

Differences, squares and absolute values of doubles are defined to the last bit, so a distance is
the same number as in memory. Logarithms are not: cross-entropies go by ``lazy.batches``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

import narwhals as nw

from leastnoise.frames.engines.cells import summarise_cells
from leastnoise.frames.engines.engine import Engine, Lazy, Tally, check_same
from leastnoise.frames.engines.labels import label_code
from leastnoise.frames.engines.lattice import clipped, plain_number, present
from leastnoise.frames.engines.summarise import (
    Selected,
    row_count,
    summarise_moments,
    summarise_spread,
)
from leastnoise.summaries.cells import CellRequest, Labels
from leastnoise.summaries.lattice import MissingPolicy
from leastnoise.summaries.losses import FARTHEST, Distance
from leastnoise.summaries.metrics import ConfusionSummary, DeterminationSummary, RankingSummary
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.pairs import (
    ConfusionRequest,
    DeterminationRequest,
    LossRequest,
    RankingRequest,
)
from leastnoise.summaries.spec import MomentRequest, SpreadRequest

_ALL_THERE = MissingPolicy("drop", None)


def summarise_confusion(
    engine: Engine, frame: Lazy, columns: Sequence[str], request: ConfusionRequest
) -> ConfusionSummary:
    """NOT PRIVATE. Count the rows of every pair of declared labels."""
    cells = CellRequest(None, request.names, (Labels(request.labels),) * 2)
    counts = summarise_cells(engine, frame, columns, cells).counts
    size = len(request.labels)
    return ConfusionSummary(tuple(counts[i : i + size] for i in range(0, size * size, size)))


def summarise_ranking(
    engine: Engine, frame: Lazy, columns: Sequence[str], request: RankingRequest
) -> RankingSummary:
    """NOT PRIVATE. Count pairs that are ranked right: rows are grouped by score in the engine, and
    each score's positives are met with the negatives below it and level with it.
    """
    schema = frame.collect_schema()
    score = plain_number(nw.col(columns[1]), schema[columns[1]])
    if not schema[columns[1]].is_integer():
        score = score + 0.0  # the two zeros are one score
    code = label_code(nw.col(columns[0]), schema[columns[0]], request.labels)
    rows = frame.filter(present(nw.col(columns[1]), schema[columns[1]]))
    rows = rows.select(score=score, code=code)
    sides = {side: Tally("rows", nw.col("code") == i) for i, side in enumerate(("down", "up"))}
    scores = engine.tallied(rows, ["score"], sides)
    up, down = (nw.col(side).cast(nw.Int64) for side in ("up", "down"))
    until = down.cum_sum().over(order_by="score")
    ranked = scores.with_columns(up=up, down=down, until=until)
    tallies = {
        "twice": Tally("products", nw.col("up"), 2 * nw.col("until") - nw.col("down")),
        "up": Tally("sum", nw.col("up")),
        "down": Tally("sum", nw.col("down")),
    }
    row = engine.collect(engine.tallied(ranked, (), tallies)).rows(named=True)[0]
    return RankingSummary(*(int(row[name] or 0) for name in ("twice", "up", "down")))


def summarise_distances(
    engine: Engine,
    frame: Lazy,
    columns: Sequence[str],
    request: LossRequest,
    depth: int | None,
) -> MomentSummary:
    """NOT PRIVATE. Count, exact sum and extremes of the distances."""
    losses = distances(frame, columns, request)
    selected = Selected(engine, losses, losses, request.lattice, None, row_count(engine, frame))
    moments = MomentRequest(None, request.lattice, request.missing)
    return summarise_moments(selected, moments, depth)


def distances(frame: Lazy, columns: Sequence[str], request: LossRequest) -> Lazy:
    """The distances as a column x."""
    distance = cast("Distance", request.loss)
    rest, (target, prediction) = both(frame, columns, distance.fill, drops=request.missing.drops)
    low, high = (-FARTHEST, FARTHEST) if distance.bounds is None else map(float, distance.bounds)
    apart = clipped(target, low, high) - clipped(prediction, low, high)
    return rest.select(x=apart).select(
        x=nw.col("x") * nw.col("x") if distance.squared else nw.col("x").abs()
    )


def summarise_determination(
    engine: Engine,
    frame: Lazy,
    columns: Sequence[str],
    request: DeterminationRequest,
    depth: int | None,
) -> DeterminationSummary:
    """NOT PRIVATE. The squared errors, and the spread of the targets of the same rows."""
    losses = summarise_distances(engine, frame, columns, request.losses, depth)
    rest, (target, _) = both(frame, columns, request.fill, drops=request.missing.drops)
    values = rest.select(x=target)
    selected = Selected(engine, values, values, request.targets, None, row_count(engine, frame))
    spread = SpreadRequest(None, request.targets, _ALL_THERE)
    targets = summarise_spread(selected, spread, depth)
    check_same(engine, losses.n, targets.n)
    return DeterminationSummary(losses, targets)


def both(
    frame: Lazy, columns: Sequence[str], fill: Fraction, *, drops: bool
) -> tuple[Lazy, list[Any]]:
    """Rows and two numbers of each: where one is missing the row is dropped, or it is ``fill``."""
    schema, numbers = frame.collect_schema(), list[Any]()
    for name in columns:
        column = nw.col(name)
        there = present(column, schema[name])
        number = plain_number(column, schema[name]).cast(nw.Float64)
        if drops:
            frame = frame.filter(there)
        else:
            number = nw.when(there).then(number).otherwise(nw.lit(float(fill)))
        numbers.append(number)
    return frame, numbers
