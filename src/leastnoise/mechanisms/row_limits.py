"""How many rows, groups or entries of a person are used: the candidate limits and their costs.

The persons with more rows (or groups) than a limit move by at most one, and all in one direction,
where a person is added, removed or exchanged. So a choice by permute and flip among costs of
``epsilon`` a person loses epsilon (``docs/proofs/row-limits.md``). Tolls are public: they
grow with the limit, as noise does, so that of two limits that few persons exceed the lower one is
taken.

Sums and counts lose what is left out, so few persons may exceed their limit. Quantiles and averages
(means, variances, losses) are of the rows that are used and lose little by it, and of one in twenty
persons some rows are left out: costs are distances from that number, which move in either
direction, so one person moves them by half of epsilon.

For the number of different entries of a column a person is counted with some of their entries. A
limit costs what the next one would add for each entry that it allows a person more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor, log

from leastnoise.summaries.subset import MOST_ROWS

# Limits per power of two.
_PACE = 2
# The toll of a limit, in nats for each nat.
_TOLL = 3
# One in so many persons has more rows than are used for quantiles.
_ONE_IN = 20

TOTAL_SHARE = Fraction(3, 10)
"""The search's default share of epsilon, for counts and sums."""

QUANTILE_SHARE = Fraction(1, 10)
"""The share for quantiles and averages, whose limit need not be exact."""
# Units of cost in one nat.
_UNITS = 1 << 40
# The toll of a limit of entries, and the part of the share for each step that costs move apart.
_ENTRY_TOLL, _ENTRY_SHARE = 2, Fraction(2, 15)
# Fewer entries of a person have noise for all of them.
_MANY_ENTRIES = 8

COST_RATE = Fraction(1, _UNITS)
"""The rate of the choice for each unit of cost."""

LIMITS = (
    1,
    *(round(2 ** (i / _PACE)) for i in range(_PACE, _PACE * (MOST_ROWS.bit_length() - 1) + 1)),
)
"""1, 2, 3, 4, 6, 8, 11, ...: the candidates, public."""

_TOLLS = tuple(round(_TOLL * log(limit) * _UNITS) for limit in LIMITS)


def groups_share(groups: int) -> Fraction:
    """The default share of epsilon of a search for a number of groups.

    Noise is paid in every cell of a table, losses only where the persons beyond have rows: so many
    more persons may be beyond, and fewer are found by less.
    """
    return min(TOTAL_SHARE, Fraction(_TOLL, groups))


def group_limits(most: int) -> tuple[int, ...]:
    """The candidates for a number of groups: up to the first that leaves out none of ``most``."""
    return tuple(limit for i, limit in enumerate(LIMITS) if i == 0 or LIMITS[i - 1] < most)


def limit_costs(beyond: Sequence[int], epsilon: Fraction) -> list[int]:
    """Costs of limits by how many persons have more rows; one person moves each by epsilon."""
    person = floor(epsilon * _UNITS)
    return [person * count + toll for count, toll in zip(beyond, _TOLLS, strict=False)]


def quantile_costs(beyond: Sequence[int], persons: int, epsilon: Fraction) -> list[int]:
    """The costs for quantiles, by the distance from one in twenty of all persons."""
    part = floor(epsilon * _UNITS / (2 * _ONE_IN))
    return [
        part * abs(_ONE_IN * count - persons) + toll
        for count, toll in zip(beyond, _TOLLS, strict=True)
    ]


def searches_entries(most: int) -> bool:
    """Whether a limit of entries is searched for where a person has so many rows at most."""
    return most >= _MANY_ENTRIES


def entry_limits(most: int) -> tuple[int, ...]:
    """The candidates for the entries that a person is counted with: powers of two, then all."""
    return (*(1 << i for i in range((most - 1).bit_length())), most)


def entry_share(relation: str) -> Fraction:
    """The default share of epsilon of a search for a limit of entries."""
    return _ENTRY_SHARE * _apart(relation)


def entry_costs(
    counted: Sequence[int], limits: Sequence[int], epsilon: Fraction, relation: str
) -> list[int]:
    """Costs of limits by how many entries are counted within each; the choice loses epsilon.

    One person moves what the next limit adds, for each entry that a limit allows, by at most 1 in
    either direction, and that of two limits apart by no more than `_apart` says.
    """
    largest = max(1, *limits[:-1])  # which all but the last divide
    step = floor(epsilon * _UNITS / (_apart(relation) * largest))
    added = [b - a for a, b in pairwise(counted)]
    costs = [step * n * (largest // limit) for n, limit in zip(added, limits, strict=False)]
    return [
        cost + round(_ENTRY_TOLL * log(limit) * _UNITS)
        for cost, limit in zip([*costs, 0], limits, strict=True)
    ]


def _apart(relation: str) -> int:
    """How far one person moves two costs apart, in steps: one who comes or goes, or another."""
    return 2 if relation == "add-remove" else 3
