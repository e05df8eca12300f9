"""How many rows or persons each entry of a column has, and how many other entries these have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import ClassVar, Literal

from leastnoise.params import Missing
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.lattice import MissingPolicy
from leastnoise.summaries.requests import Counted, OneColumn, Reader

NO_KEY = MissingPolicy("no key", 0)


@dataclass(frozen=True, slots=True, repr=False)
class KeySummary(Counted):
    """NOT PRIVATE. The counts of all entries that occur."""

    counts: Mapping[str | int | float, int]


@dataclass(frozen=True, slots=True)
class KeyRequest(OneColumn):
    """The counts of all entries of a column; of different persons where their column is named."""

    column: str | None
    person: str | None = None
    missing: MissingPolicy = NO_KEY
    lattice: None = None

    def empty(self, depth: int | None) -> KeySummary:
        """The summary of no rows."""
        return KeySummary({})

    def read(self, reader: Reader, depth: int | None) -> KeySummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.keys(self)


@dataclass(frozen=True, slots=True, repr=False)
class HolderSummary(Counted):
    """NOT PRIVATE. For every entry, how many persons have it, by how many entries they have.

    ``holders["a"][3]`` persons have "a" and two more entries; only requested entries count.
    """

    holders: Mapping[str | int | float, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class HolderRequest(OneColumn):
    """The persons of all entries of a column except those that were shown before."""

    column: str | None
    person: str
    shown: tuple[str | int | float, ...] = ()
    missing: MissingPolicy = NO_KEY
    lattice: None = None

    def empty(self, depth: int | None) -> HolderSummary:
        """The summary of no rows."""
        return HolderSummary({})

    def read(self, reader: Reader, depth: int | None) -> HolderSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.holders(self)


@dataclass(frozen=True, slots=True)
class KeySpec:
    """The entries of a column of text or numbers."""

    form: ClassVar[Literal["keys"]] = "keys"
    column: str | None

    def resolve(
        self,
        kind: ColumnType,
        session: Missing | Fraction | None,
        person: str | None = None,
    ) -> KeyRequest:
        """The request: missing entries are not keys, whatever the policy for missing values."""
        kind.check_reach((inf,), "the keys that are told apart")
        return KeyRequest(self.column, person)
