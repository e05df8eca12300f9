"""Releases with ``bounds=PrivateBounds()``: find the limits privately, then the statistic.

Means, sums and the interquartile range are released by their own mechanism on the data clipped to
the released bounds; variances by a noisy second moment about the released centre; medians and
quantiles need no bounds at all, only an order-preserving index of all doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf, sqrt
from typing import Any

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames.memory.numbers import UNITS, RawNumbers, raw_numbers
from leastnoise.mechanisms import AsymmetricSensitivity, Mechanism
from leastnoise.mechanisms.joint.at_once import AtOnceLaw, at_once
from leastnoise.mechanisms.joint.splitting import SplittingLaw, level_costs
from leastnoise.numbers import is_short, short_text
from leastnoise.params import SEARCHED, Missing, PrivateBounds
from leastnoise.profiles.order import order_profile
from leastnoise.session.kinds.kind import Answer
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.session.prepare import StatisticPlan
from leastnoise.session.search.bounds_search import FoundBounds, Search, private_quantile
from leastnoise.session.search.centred_moment import (
    moment_shares,
    noisy_variance,
)
from leastnoise.session.search.float_index import LEAST, FloatIndex
from leastnoise.session.search.graded import OUTWARD, GradedIndex, GradedRecords
from leastnoise.session.search.unknown_losses import LOSSES, draw_losses, rehearse_losses
from leastnoise.statistics import (
    InterquartileRange,
    Mean,
    Median,
    Quantile,
    Quantiles,
    StandardDeviation,
    Sum,
    Variance,
)
from leastnoise.summaries.lattice import power_of_two_at_least
from leastnoise.summaries.ranks import RankSummary, Run, rank_of

_CLIPPED = "clipped: records outside the released bounds count as the bounds"
_MOST_STEPS = 1 << 60
# Limits that are found are no larger.
_LARGEST_STEP = 1 << 60
_FEW = "few records: below about 60 / epsilon rows released bounds are rough"
# Cells a power of two for quantiles: fine for the piecewise Laplace law, beta = 1.0054 otherwise.
# How far the last radius is stretched: clipped tails bias a variance more than a mean.
_STRETCH, _STRETCH_SPREAD = Fraction(5, 4), Fraction(3, 2)
_FINE, _COARSE = FloatIndex(20), FloatIndex(7)
# Records times epsilon on the shorter side of a quantile from which the fine law has no far tail.
_ENOUGH = 50


def rehearse_unbounded(prepared: StatisticPlan, inner: Mechanism | None) -> None:
    """Errors of parameters, before a value is read."""
    statistic = prepared.statistic.own
    if isinstance(statistic, LOSSES):
        rehearse_losses(inner)
        return
    if not isinstance(
        statistic,
        (InterquartileRange, Mean, Median, Quantile, Quantiles, StandardDeviation, Sum, Variance),
    ):
        raise ParameterError(
            f"{type(statistic).__name__} needs declared bounds: PrivateBounds() is for {SEARCHED}"
        )
    step: Fraction | None = statistic.spec().step
    if step is not None and step > _LARGEST_STEP:
        raise ParameterError(
            f"step must be at most 2**60 where bounds are found, got {short_text(step)}"
        )
    kind = prepared.table.column_type(statistic.column)
    if statistic.searched is not None:
        kind.check_reach((inf,), "bounds, which are searched for here,")
    if isinstance(statistic, Quantiles):
        if inner is not None:
            raise ParameterError("quantiles without bounds are drawn together: omit mechanism=")
        return
    if isinstance(statistic, (Median, Quantile)):
        if inner is not None and not isinstance(inner, AsymmetricSensitivity):
            raise ParameterError(
                "a quantile without bounds is released by AsymmetricSensitivity() or by its "
                "default: omit mechanism="
            )
        return
    # any bounds show whether the final mechanism accepts the statistic
    narrowed, chosen = with_bounds(prepared, inner, (Fraction(0), Fraction(1024)))
    narrowed.rehearse(chosen, Fraction(1))


def draw_unbounded(
    prepared: StatisticPlan, asked: PrivateBounds, inner: Mechanism | None, epsilon: Fraction
) -> Answer:
    """All stages, drawn one after the other, and their prices."""
    statistic, relation = prepared.statistic.own, prepared.profile_relation
    if isinstance(statistic, LOSSES):
        return draw_losses(prepared, asked, epsilon)
    policy = prepared.request.missing
    imputed = None if policy.impute is None else float(imputed_number(policy) or 0)
    numbers = raw_numbers(prepared.table, prepared.request.column, imputed)
    search = Search(numbers, relation, epsilon, asked.parsed_share, randomness.active())
    if isinstance(statistic, (Median, Quantile)):
        return _quantile(prepared, search, inner)
    if isinstance(statistic, Quantiles):
        whole = prepared.table.column_type(statistic.column).integer
        index = GradedIndex(0 if whole else LEAST)
        drawn = draw_quantiles(statistic, numbers, index, relation, epsilon)
        return drawn if statistic.searched is not None else _inside(prepared, drawn)
    spread = isinstance(statistic, (Variance, StandardDeviation))
    wider = _STRETCH_SPREAD if spread else _STRETCH
    found = search.run(short=isinstance(statistic, InterquartileRange), wider=wider)
    if spread and inner is None:
        return _spread(prepared, search, found)
    return _clipped(prepared, inner, found)


def imputed_number(policy: Any) -> Fraction | None:
    """The declared number that stands for missing values, or None."""
    name = str(policy.name)
    return Fraction(name.removeprefix("impute ")) if name.startswith("impute ") else None


def with_bounds(
    prepared: StatisticPlan, inner: Mechanism | None, bounds: tuple[Fraction, Fraction]
) -> tuple[StatisticPlan, Mechanism]:
    """The plan of the same statistic with released bounds, widened to hold a lattice point."""
    statistic: Any = prepared.statistic
    kind = prepared.table.column_type(statistic.column)
    low, high = bounds
    step: Fraction | None = statistic.spec().step
    if step is None and kind.integer:
        step = Fraction(1)
    if step is not None:
        first, last = floor(low / step), ceil(high / step)
        if not kind.integer or step != 1:  # a fine declared step holds so many points at most
            middle = max(-_MOST_STEPS, min(_MOST_STEPS, (first + last) // 2))
            first, last = max(first, middle - _MOST_STEPS), min(last, middle + _MOST_STEPS)
            # outwards to integers that doubles hold, far from 0 some steps apart
            grain = 1 << max(0, max(abs(first), abs(last)).bit_length() - 53)
            first, last = first // grain * grain, max(first // grain + 1, -(-last // grain)) * grain
        low, high = first * step, max(first + 1, last) * step
        if not (is_short(low) and is_short(high)):  # numbers that hold the same lattice points
            unit = power_of_two_at_least(step) / 4
            low, high = floor(low / unit) * unit, ceil(high / unit) * unit
    policy: Any = prepared.request.missing
    number = imputed_number(policy)
    missing: Missing | Fraction = "drop" if policy.drops else "none"
    if number is not None:
        number = max(low, min(high, number))
        missing = number if step is None else round(number / step) * step
    narrowed: Any = replace(statistic, bounds=(low, high), missing=missing)
    request = narrowed.spec().resolve(kind, None)
    plan = replace(prepared, statistic=narrowed, request=request)
    chosen: Mechanism = inner or narrowed.settled_mechanism(prepared.profile_relation)
    return plan, chosen


def _clipped(prepared: StatisticPlan, inner: Mechanism | None, found: FoundBounds) -> Answer:
    """The statistic's own mechanism on data clipped to the released bounds."""
    plan, chosen = with_bounds(prepared, inner, found.bounds)
    answer = Numbers(plan, chosen, found.left).answer(plan.table)
    epsilon = found.left + sum(found.spent.values())
    spent = {**found.spent, f"answer, {chosen.name}": found.left}
    return replace(
        answer,
        found=True,
        mechanism=f"PrivateBounds + {chosen.name}",
        parts=_texts(spent),
        notes=_notes(found, epsilon),
    )


def _spread(prepared: StatisticPlan, search: Search, found: FoundBounds) -> Answer:
    """Variance or standard deviation by a noisy second moment about the released centre."""
    shares = moment_shares(found.left, found.records, public=prepared.n_public)
    unit = found.radius * found.step / UNITS
    sums = search.numbers.centred_sums(float(found.centre * found.step), float(unit))
    value = noisy_variance(sums, len(search.numbers), shares, search.source) * float(unit) ** 2
    if isinstance(prepared.statistic, StandardDeviation):
        value = sqrt(value)
    spent = {**found.spent, "answer, second and first moment": found.left}
    low, high = found.bounds
    return Answer(
        value=value,
        mechanism="PrivateBounds + CentredMoment",
        bounds=(float(low), float(high)),
        found=True,
        step=str(found.step),
        sensitivity="instance",
        parts=_texts(spent),
        notes=_notes(found, search.epsilon),
    )


def _quantile(prepared: StatisticPlan, search: Search, inner: Mechanism | None) -> Answer:
    """An order statistic over an index of all doubles."""
    statistic: Any = prepared.statistic
    (order,) = statistic.orders()
    records, spent = (len(search.numbers), {}) if inner is not None else search.rows()
    left = search.epsilon - sum(spent.values(), Fraction(0))
    k = rank_of(order, records)
    if inner is None and left * min(k, records - k) >= _ENOUGH:
        index = _FINE
        name = "PiecewiseLaplace() on a log lattice"
        points = search.numbers.indexed(index)
        point = private_quantile(points, order, index.lattice, left, search.relation, search.source)
    else:
        index = _COARSE
        asked = AsymmetricSensitivity(spacing="uniform")
        name = f"AsymmetricSensitivity(beta=2^(1/{1 << index.bits})) on a log lattice"
        points = search.numbers.indexed(index)
        # above-threshold needs a monotone profile for its better price, which edit's is
        relation = "edit" if search.relation == "add-remove" else search.relation
        summary = RankSummary(len(points), index.lattice, (order,), (Run(1, points),), None)
        point = asked.law(order_profile(summary, 0, relation), left).draw(search.source)
    value = index.value(point)
    kind = prepared.table.column_type(statistic.column)
    answer = round(value) if kind.integer else float(value)
    return Answer(
        value=answer,
        mechanism=name,
        step=str(Fraction(1, 1 << 20)),
        sensitivity="instance",
        parts=_texts({**spent, "answer": left}),
    )


def draw_quantiles(
    statistic: Quantiles, numbers: RawNumbers, index: GradedIndex, relation: str, epsilon: Fraction
) -> Answer:
    """All quantiles over an index of all doubles: at once, or by splitting."""
    orders, source = statistic.orders(), randomness.active()
    records = GradedRecords(numbers.indexed(index), index, source)
    if at_once(orders, index.lattice, relation, epsilon):
        law = AtOnceLaw(records, index.lattice, orders, epsilon, index.bases)
        points, name = law.draw(source), "InverseSensitivity() of all at once"
        parts = {"all at once": str(epsilon)}
    else:
        costs = level_costs(len(orders), relation)
        shares = graded_shares(orders, relation, epsilon)
        tree = SplittingLaw(records, index.lattice, orders, relation, shares, OUTWARD)
        points, name = tree.draw(source), "RecursiveSplitting(PiecewiseLaplace())"
        parts = {
            f"level {i + 1}": str(share * cost)
            for i, (share, cost) in enumerate(zip(shares, costs, strict=True))
        }
    values = [index.value(point) for point in points]
    return Answer(
        value=statistic.combine([round(v) if index.least == 0 else float(v) for v in values]),
        mechanism=f"{name} on a log lattice",
        step=str(Fraction(1, 1 << index.bits)),
        sensitivity="instance",
        parts=parts,
    )


def _inside(prepared: StatisticPlan, drawn: Answer) -> Answer:
    """Answers moved into declared bounds, as the entries count."""
    lattice: Any = prepared.request.lattice
    low, high = lattice.number(lattice.low), lattice.number(lattice.high)
    return replace(drawn, value=[max(low, min(high, v)) for v in drawn.value], bounds=(low, high))


def graded_shares(
    orders: Sequence[Fraction], relation: str, epsilon: Fraction
) -> tuple[Fraction, ...]:
    """The epsilon of one answer at each level.

    An answer that leaves all records behind is a change of as many as there are in its node, half
    as many for a child as for the root, or of half of them by replacement. The root does not lean,
    so more answers lie beyond its records: where few have little epsilon it needs the larger share.
    """
    costs = level_costs(len(orders), relation)
    below = Fraction(3, 2) if relation == "add-remove" else Fraction(3, 5)
    weights = [Fraction(1), *[below] * (len(costs) - 1)]
    whole = sum(weight * cost for weight, cost in zip(weights, costs, strict=True))
    return tuple(epsilon * weight / whole for weight in weights)


def _texts(spent: dict[str, Fraction]) -> dict[str, str]:
    return {name: str(part) for name, part in spent.items()}


def _notes(found: FoundBounds, epsilon: Fraction) -> tuple[str, ...]:
    notes = [_CLIPPED]
    if found.records * epsilon < 60:
        notes.append(_FEW)
    return tuple(notes)
