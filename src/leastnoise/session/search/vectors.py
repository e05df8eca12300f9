"""Limits of the columns of a vector, each with an even part of epsilon.

Means lose what is clipped, so their columns are searched as that of one mean is. Second moments
have noise for the square of a limit, in many more coordinates: where records are fewer, the shorter
search of the columns of a model, which leaves more of them outside, costs less and errs less
(``docs/decisions/0020-limits-of-a-vector.md``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.frames.memory.numbers import RawNumbers
from leastnoise.mechanisms.near_limits import searched
from leastnoise.mechanisms.private_limits import (
    COUNT_SHARE,
    MANY,
    PrivateLimits,
    columns_share,
    slack,
)
from leastnoise.session.search.columns import ColumnSearch, FoundLimits, Pair, SearchedColumn
from leastnoise.session.search.draws import Draws, Limits
from leastnoise.session.search.limits import LimitSearch
from leastnoise.session.search.near import NearSearch

# The short search needs so many times fewer rows.
_FEWER = Fraction(5, 2)


@dataclass(frozen=True, slots=True)
class VectorSearch:
    """The public facts of a search: columns by name with what is declared, and what is asked.

    Columns of ``kept`` keep their bounds, and have no part of epsilon.
    """

    columns: tuple[SearchedColumn, ...]
    kept: frozenset[int]
    degree: int
    relation: str
    asked: PrivateLimits

    def run(
        self,
        numbers: Callable[[str], RawNumbers],
        rows: int | None,
        epsilon: Fraction,
        draws: Draws,
    ) -> FoundLimits:
        """Limits of all columns; ``rows`` is their public number, or None where it is private."""
        parts = len(self.columns) - len(self.kept)
        bounds: list[Pair] = []
        spent: dict[str, Fraction] = {}
        for j, column in enumerate(self.columns):
            if j in self.kept:
                bounds.append(column.held)
                continue
            found = self._column(column, numbers(column.name), rows, epsilon / parts, draws)
            bounds.append((found.low, found.high))
            if found.spent:
                spent[f"limits of column {column.name}"] = found.cost
        moved = tuple(c.declared != p for c, p in zip(self.columns, bounds, strict=True))
        return FoundLimits(tuple(bounds), spent, moved)

    def _column(
        self,
        column: SearchedColumn,
        numbers: RawNumbers,
        rows: int | None,
        epsilon: Fraction,
        draws: Draws,
    ) -> Limits:
        """Those of one column: the declared ones where its entries are few."""
        spent: dict[str, Fraction] = {}
        least = rows or 0
        if rows is None:
            spent["row count"] = price = COUNT_SHARE * epsilon
            rows = draws.rows(len(numbers), price)
            least = rows + slack(price)
        left = epsilon - sum(spent.values(), Fraction(0))
        # an entry may be missing, so a replaced row may add or remove one
        entries = "add-remove" if self.relation == "add-remove" else "edit"
        given = numbers, column.held, entries
        if self.degree == 1 and self.asked.few(rows, epsilon):
            if not searched(rows, left):
                return Limits(*column.held, True, spent)
            found = NearSearch(numbers, column.held, left, rows, draws, column.finest).run()
        elif self.degree > 1 and self.asked.few(least, _FEWER * epsilon):
            return Limits(*column.held, True, spent)
        elif self.degree == 1 or rows * left >= MANY:
            found = LimitSearch(*given, left, rows, draws, column.finest).run()
        else:
            share = columns_share(rows * left, 1) * left
            found = ColumnSearch(*given, share, rows, draws, column.finest).run()
        return Limits(found.low, found.high, found.tight, {**spent, **found.spent})
