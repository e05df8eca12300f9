"""The expected error of a plan on a public stand-in, and the epsilon that a target error needs.

NOT PRIVATE: the stand-in is looked at without noise. Give a public or synthetic file of the same
columns, never the private one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

from leastnoise.frames.table import split
from leastnoise.plans.plan import Plan
from leastnoise.plans.run import prepare
from leastnoise.production import forbid_in_production
from leastnoise.randomness import active
from leastnoise.session.batch import Progress
from leastnoise.session.door import CallItem
from leastnoise.session.kinds.kind import Errors

# The range of epsilons of one group's answer that is searched for a target.
_LEAST, _MOST = Fraction(1, 10_000), Fraction(1_000)
_STEPS = 24
# Draws of a joint law, which has no formula, over all groups: for the table, and for the search.
_SHOWN, _SEARCHED = 240, 80


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


def forecast(
    plan: Plan,
    stand_in: Path,
    target: Fraction | None = None,
    progress: Progress | None = None,
) -> list[Expected]:
    """NOT PRIVATE. The errors to expect of a plan, from a public stand-in for its data.

    Parameters
    ----------
    plan
        The plan; its ledger is not touched.
    stand_in
        A public or synthetic file with the columns of the data.
    target
        An expected error that every statistic shall have, in its own unit; a statistic's own
        ``target_error`` goes before.
    progress
        Called with the number of statistics done and of all, after each.

    Raises
    ------
    LeastNoiseError
        If the stand-in lacks a column; the message names the place in the plan.
    """
    forbid_in_production("forecast")
    nothing: dict[str, Any] = dict.fromkeys(("ledger", "dataset", "table", "purpose"))
    alone = replace(plan, file=stand_in, reuse=False, **nothing)
    found: list[Expected] = []
    with prepare(alone) as prepared:
        for table in plan.tables:
            requests = prepared.batch.requests(table.name)
            for asked in table.statistics:
                one = requests[asked.name]
                wanted = asked.target_error if asked.target_error is not None else target
                found.append(_expected(table.name, asked.name, one, wanted))
                if progress is not None:
                    progress(len(found), sum(len(each.statistics) for each in plan.tables))
    return found


def _expected(table: str, name: str, one: CallItem, target: Fraction | None) -> Expected:
    error = _errors_of(one)
    if error is None:
        reason = f"{one.kind.mechanism.name} has no expected error for this statistic"
        return Expected(table, name, one.epsilon, None, None, 0, target, None, reason)
    errors = error(one.epsilon, _SHOWN)
    typical, worst = (median(errors), max(errors)) if errors else (None, None)
    needed = None if target is None or not errors else _needed(error, target)
    return Expected(table, name, one.epsilon, typical, worst, len(errors), target, needed)


def _errors_of(one: CallItem) -> Errors | None:
    """From an epsilon to the expected error in every group that has rows."""
    tables = split(one.plan.table, one.plan.subset, active())
    return one.kind.errors([table for table in tables if table.row_count()])


def _needed(error: Errors, target: Fraction) -> Fraction | None:
    """The smallest epsilon, to two digits, whose typical error meets the target."""

    def meets(epsilon: Fraction) -> bool:
        errors = error(epsilon, _SEARCHED)
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
