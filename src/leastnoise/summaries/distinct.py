"""How many different entries a column has."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from leastnoise.params import Missing
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.lattice import MissingPolicy
from leastnoise.summaries.requests import Counted, OneColumn, Reader

NOT_COUNTED = MissingPolicy("not counted", 0)


@dataclass(frozen=True, slots=True, repr=False)
class DistinctSummary(Counted):
    """NOT PRIVATE. The number of different entries of one table.

    Not a monoid: the numbers of two tables do not tell which entries they share.
    """

    distinct: int


@dataclass(frozen=True, slots=True)
class DistinctRequest(OneColumn):
    """The number of different entries of a column; missing ones do not count."""

    column: str | None
    missing: MissingPolicy = NOT_COUNTED
    lattice: None = None

    def empty(self, depth: int | None) -> DistinctSummary:
        """The summary of no rows."""
        return DistinctSummary(0)

    def read(self, reader: Reader, depth: int | None) -> DistinctSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.distinct(self)


@dataclass(frozen=True, slots=True)
class DistinctSpec:
    """Made by ``leastnoise.spec.distinct``. The column may hold text or numbers."""

    form: ClassVar[Literal["entries"]] = "entries"
    column: str | None

    def resolve(self, kind: ColumnType, session: Missing | Fraction | None) -> DistinctRequest:
        """The request: missing entries are not counted, whatever the policy for missing values."""
        return DistinctRequest(self.column)
