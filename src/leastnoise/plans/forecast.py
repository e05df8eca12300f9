"""The expected error of a plan on a public stand-in, and the epsilon that a target error needs.

NOT PRIVATE: the stand-in is looked at without noise. Give a public or synthetic file of the same
columns, never the private one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, cast

from leastnoise.frames.subsets import split
from leastnoise.frames.summarise import empty_summary, summarise
from leastnoise.laws import Law
from leastnoise.mechanisms.joint import JointMechanism
from leastnoise.plans.plan import Plan
from leastnoise.plans.run import prepare
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile
from leastnoise.randomness import active
from leastnoise.session.accuracy import expected_error
from leastnoise.session.checking import Request

if TYPE_CHECKING:
    from leastnoise.frames.table import Table

# Epsilons of one group's answer between which a target is looked for.
_LEAST, _MOST = Fraction(1, 10_000), Fraction(1_000)
_STEPS = 24


@dataclass(frozen=True, slots=True)
class Expected:
    """The error to expect of one statistic in the groups of a table.

    ``typical`` is the median over the groups that the stand-in has rows of, ``worst`` the largest
    among them; None where there is no formula (``reason``). ``needed`` is the epsilon of one
    group's answer at which ``typical`` meets the target.
    """

    table: str
    statistic: str
    epsilon: Fraction
    typical: float | None
    worst: float | None
    groups: int
    target: Fraction | None = None
    needed: Fraction | None = None
    reason: str = ""


def forecast(plan: Plan, stand_in: Path, target: Fraction | None = None) -> list[Expected]:
    """NOT PRIVATE. What to expect of a plan, from a public stand-in for its data.

    Parameters
    ----------
    plan
        The plan; its ledger is not touched.
    stand_in
        A public or synthetic file with the columns of the data.
    target
        An expected error that every statistic shall have, in its own unit; a statistic's own
        ``target_error`` goes before.

    Raises
    ------
    LeastNoiseError
        If the stand-in lacks a column, with the place in the plan.
    """
    forbid_in_production("forecast")
    alone = replace(plan, file=stand_in, ledger=None, dataset=None, table=None, purpose=None, reuse=False)
    found: list[Expected] = []
    with prepare(alone) as prepared:
        for table in plan.tables:
            requests = prepared.batch.requests(table.name)
            for asked in table.statistics:
                one = requests[asked.name]
                wanted = asked.target_error if asked.target_error is not None else target
                found.append(_expected(table.name, asked.name, one, wanted))
    return found


def _expected(table: str, name: str, one: Request, target: Fraction | None) -> Expected:
    if isinstance(one.mechanism, JointMechanism):
        reason = f"{one.mechanism.name} draws all numbers together, and has no formula"
        return Expected(table, name, one.epsilon, None, None, 0, target, None, reason)
    error, groups = _errors_of(one)
    errors = error(one.epsilon)
    typical, worst = (median(errors), max(errors)) if errors else (None, None)
    needed = None if target is None or not errors else _needed(error, target)
    return Expected(table, name, one.epsilon, typical, worst, groups, target, needed)


def _errors_of(one: Request) -> tuple[Callable[[Fraction], list[float]], int]:
    """From an epsilon to the expected error in every group that has rows."""
    prepared = one.prepared
    tables: list[Table] = split(prepared.table, prepared.subset, active())
    filled = [table for table in tables if table.row_count()]
    # every level, because a smaller epsilon looks further
    profiles = [prepared.profiles(summarise(table, prepared.request, None)) for table in filled]
    shares = prepared.shares(len(prepared.profiles(empty_summary(prepared.request, 1))))
    mechanism: Any = one.mechanism

    def error(epsilon: Fraction) -> list[float]:
        found: list[float] = []
        for parts in profiles:
            parted = [_part(mechanism, part, epsilon / shares) for part in parts]
            found.append(fmean(parted))
        return [x for x in found if isfinite(x)]

    return error, len(filled)


def _part(mechanism: Any, part: Profile, share: Fraction) -> float:
    law = cast("Law", mechanism.law(part, share))
    del law
    return expected_error(mechanism, part.in_users_units(), share)


def _needed(error: Callable[[Fraction], list[float]], target: Fraction) -> Fraction | None:
    """The smallest epsilon, to two digits, whose typical error meets the target."""

    def meets(epsilon: Fraction) -> bool:
        errors = error(epsilon)
        return bool(errors) and median(errors) <= float(target)

    if not meets(_MOST):
        return None
    low, high = _LEAST, _MOST
    if meets(low):
        return low
    for _ in range(_STEPS):
        middle = _two_digits((float(low) * float(high)) ** 0.5)
        if not low < middle < high:
            break
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _two_digits(value: float) -> Fraction:
    return Fraction(f"{value:.1e}")
