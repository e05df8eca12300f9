"""Means of losses whose upper limit is found privately, instead of a mechanism that needs none.

A: a bracket that holds three quarters of the losses; its upper end is their scale. D: from there
upwards, a limit with few losses above it. Then Laplace noise on the losses cut at that limit. Each
stage is a release of its own (``docs/proofs/unknown-bounds.md``). Source: errata 4.11.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from typing import TYPE_CHECKING

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Laplace, LaplaceRatio
from leastnoise.mechanisms.bracket import GROWTH, bracket_heights, search_shares
from leastnoise.profiles import on_grid
from leastnoise.session.kinds.kind import Answer
from leastnoise.session.search.bounds_search import STEPS, Search
from leastnoise.statistics import (
    CrossEntropy,
    MeanAbsoluteError,
    MeanSquaredError,
    RootMeanSquaredError,
)
from leastnoise.statistics.totals.mean import mean_profile
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.pairs import LossRequest, loss_lattice

if TYPE_CHECKING:
    from leastnoise.frames.memory.losses import Losses
    from leastnoise.params import PrivateBounds
    from leastnoise.session.prepare import StatisticPlan

_CUT = "clipped: losses above the released limit count as the limit"
LOSSES = (CrossEntropy, MeanAbsoluteError, MeanSquaredError, RootMeanSquaredError)
_SQUARED = (MeanSquaredError, RootMeanSquaredError)
# How far the last limit is stretched: what is cut off biases the mean downwards.
_STRETCH, _STRETCH_ALONE = Fraction(2), Fraction(4)


@dataclass(frozen=True, slots=True)
class Limit:
    """A released upper limit of the losses, epsilon by stage, and what is left."""

    top: Fraction
    spent: dict[str, Fraction]
    left: Fraction
    records: int


def rehearse_losses(inner: object) -> None:
    """Errors of parameters, before a value is read."""
    if inner is not None:
        raise ParameterError(
            "losses with PrivateBounds() are released with Laplace noise: omit mechanism="
        )


def draw_losses(prepared: StatisticPlan, asked: PrivateBounds, epsilon: Fraction) -> Answer:
    """All stages, drawn one after the other, and their prices."""
    match prepared.request:
        case LossRequest() as request:
            losses = prepared.table.reader().all_losses(request)
        case other:
            raise TypeError(f"{type(other).__name__} asks for no losses")
    source = randomness.active()
    search = Search(losses, prepared.profile_relation, epsilon, asked.parsed_share, source)
    squared = isinstance(prepared.statistic, _SQUARED)
    limit = find_limit(search, squared=squared)
    value, name = _mean(prepared, losses, limit)
    if isinstance(prepared.statistic, RootMeanSquaredError):
        value = sqrt(value)
    spent = {**limit.spent, f"answer, {name}": limit.left}
    return Answer(
        value=value,
        mechanism=f"PrivateBounds + {name}",
        bounds=(0.0, float(limit.top)),
        found=True,
        step=str(loss_lattice(limit.top, None).step),
        sensitivity="instance",
        parts={stage: str(part) for stage, part in spent.items()},
        notes=_notes(prepared, limit, epsilon),
    )


def find_limit(search: Search, *, squared: bool) -> Limit:
    """Stages A and D, or A alone for few records; every number in it was released."""
    records, spent = search.rows()
    shares = search_shares(records * search.epsilon, None, short=False)
    shares = [shares[0], shares[-1]] if len(shares) > 1 else shares
    if search.share is not None:
        shares = [part * search.share / sum(shares) for part in shares]
    prices = [part * search.epsilon for part in shares]
    left = search.epsilon - sum(spent.values()) - sum(prices)
    bracket = search.bracket(bracket_heights(search.numbers), prices[0])
    step = bracket.width / STEPS
    # losses are not negative, so a bracket below 0 came from noise
    first = max(STEPS // 2, int((bracket.low + bracket.width) / step))
    spent |= {"A: bracket": prices[0]}
    power = 2 if squared else 1
    if len(prices) == 1:
        return Limit(first * step * _STRETCH_ALONE**power, spent, left, records)
    spent |= {"D: tail": prices[1]}
    top = search.tail(0, first, step, prices[1], GROWTH**power)
    return Limit(ceil(top * _STRETCH**power) * step, spent, left, records)


def _mean(prepared: StatisticPlan, losses: Losses, limit: Limit) -> tuple[float, str]:
    """One release of the mean of the losses cut at the limit."""
    lattice = loss_lattice(limit.top, None)
    n, total = losses.total(lattice)
    summary = MomentSummary(n, total, lattice, (), (), 0)
    profile = mean_profile(summary, prepared.profile_relation)
    mechanism = Laplace() if prepared.n_public else LaplaceRatio()
    law, grid = mechanism.law(profile, limit.left), on_grid(profile)
    low, high = grid.finite_range(mechanism.name)
    point = max(low, min(high, law.draw(randomness.active())))
    return float(point * grid.step), mechanism.name


def _notes(prepared: StatisticPlan, limit: Limit, epsilon: Fraction) -> tuple[str, ...]:
    notes = [*prepared.statistic.notes, _CUT]
    if limit.records * epsilon < 60:
        notes.append("few records: below about 60 / epsilon rows released bounds are rough")
    return tuple(notes)
