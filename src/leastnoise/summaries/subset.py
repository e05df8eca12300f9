"""Which rows a release is about: a filter, declared groups, and persons with a limit of rows.

Frozen and in public terms only. The session decides from it what is charged, a back end which rows
go where, in this order: rows for which the filter is true; rows whose entries are declared keys;
at most ``max_groups`` groups and ``max_rows`` rows of each person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, product
from math import prod
from typing import Any, cast

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import all_integers, is_mapping
from leastnoise.params import PrivateLimit, listed, parse_column, parse_count, parse_flag
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.constants import Key, parse_key_list
from leastnoise.summaries.predicates import And, IsMissing, Predicate, as_predicate, leaves

Label = str | int | float

MOST_ROWS = 1 << 16
"""The largest limit of a person's rows that a search finds."""

MOST_GROUPS = 1_000_000
"""More cells than any table has; a mistyped product of keys ends here, before memory does."""


@dataclass(frozen=True, slots=True)
class GroupKeys:
    """Declared keys, column by column; the groups are all their combinations, the first slowest.

    ``values`` are what entries are compared with, ``labels`` what the caller wrote for them. With
    ``other`` one more group, the last, holds every row that is in none of these.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Key, ...], ...]
    labels: tuple[tuple[Label, ...], ...]
    clocks: tuple[Clock | None, ...] = ()
    other: bool = False

    @property
    def listed(self) -> int:
        """How many groups have a declared key."""
        return prod(map(len, self.values))

    @property
    def count(self) -> int:
        """How many groups there are."""
        return self.listed + self.other

    def keys(self) -> Iterator[tuple[Label | None, ...]]:
        """The key of every group in order; None in every column for the rows of no declared key."""
        rest = [(None,) * len(self.columns)] if self.other else []
        return chain(product(*self.labels), rest)


@dataclass(frozen=True, slots=True)
class Unit:
    """Persons: all rows with one entry in a column, of which ``max_rows`` are used at most.

    With groups, these rows lie in ``max_groups`` groups at most. Rows without an entry are no
    person's and are not used. Where a limit is ``searched`` for, ``max_rows`` is the largest;
    ``max_groups`` is where ``searched_groups`` says how it is found.
    """

    column: str
    max_rows: int
    max_groups: int | None = None
    searched: PrivateLimit | None = None
    searched_groups: PrivateLimit | None = None


@dataclass(frozen=True, slots=True)
class Subset:
    """The rows of a release. Without filter, groups and persons: all of them, one unit each."""

    where: Predicate | None = None
    keys: GroupKeys | None = None
    unit: Unit | None = None

    @property
    def by_content(self) -> bool:
        """Whether rows are left out by what they contain, so that their number is private."""
        return self != WHOLE

    @property
    def groups(self) -> int:
        """How many groups there are; 1 without keys."""
        return 1 if self.keys is None else self.keys.count

    @property
    def stride(self) -> int:
        """How many rows one unit of privacy has at most."""
        return 1 if self.unit is None else self.unit.max_rows

    @property
    def searched(self) -> PrivateLimit | None:
        """How the limit of a person's rows is found, where it is not declared."""
        return None if self.unit is None else self.unit.searched

    @property
    def searched_groups(self) -> PrivateLimit | None:
        """How the limit of a person's groups is found, where it is not declared."""
        return None if self.unit is None else self.unit.searched_groups

    @property
    def searches(self) -> bool:
        """Whether rows can be divided only after a limit was found."""
        return self.searched is not None or self.searched_groups is not None

    def limited(self, rows: int | None = None) -> Subset:
        """This subset with so many rows of a person, found by now; by default with the largest."""
        if self.unit is None:
            return self
        most = self.unit.max_rows if rows is None else rows
        return replace(self, unit=replace(self.unit, max_rows=most, searched=None))

    def within(self, groups: int) -> Subset:
        """This subset with so many groups of a person, found by now."""
        if self.unit is None:
            return self
        return replace(self, unit=replace(self.unit, max_groups=groups, searched_groups=None))

    def times(self, relation: str) -> int:
        """How many groups one unit of privacy can change: what all cost, in costs of one.

        An added or removed row is in one group; a replaced one leaves one and enters another. A
        person is in g groups at most, with one of m rows in each: min(g, m), twice if replaced.
        Where g is found privately, what is asked for is the cost of all of them.
        """
        if self.searched_groups is not None:
            return 1
        reached = 1
        if self.unit is not None and self.keys is not None:
            reached = min(cast("int", self.unit.max_groups), self.unit.max_rows)
        return min(self.groups, reached if relation == "add-remove" else 2 * reached)

    def clocks(self) -> Iterator[tuple[str, Clock | None]]:
        """The columns that are compared with constants, and the clocks of these.

        Persons are told apart by the whole entry: their column is read by no clock, on which two of
        them might be one.
        """
        if self.unit is not None:
            yield self.unit.column, None
        for leaf in () if self.where is None else leaves(self.where):
            if not isinstance(leaf, IsMissing):
                yield leaf.column, leaf.clock
        if self.keys is not None:
            yield from zip(self.keys.columns, self.keys.clocks, strict=True)

    def presence_columns(self) -> Iterator[str]:
        """The columns of which only the presence of an entry matters."""
        for leaf in () if self.where is None else leaves(self.where):
            if isinstance(leaf, IsMissing):
                yield leaf.column

    def filtered(self, predicate: object) -> Subset:
        """The rows of this subset for which the condition is true too."""
        added = as_predicate(predicate)
        return replace(self, where=added if self.where is None else And(self.where, added))

    def grouped(self, keys: object, max_groups: object, other: object = False) -> Subset:
        """This subset divided by declared keys.

        Raises
        ------
        ParameterError, ParameterTypeError
            For impossible keys, if there are groups already, or if ``max_groups`` is missing where
            persons are declared, or given where they are not.
        """
        if self.keys is not None:
            raise ParameterError(
                "these groups are grouped already; give all columns to one group_by, "
                "{'region': [...], 'sex': [...]}"
            )
        unit = self.unit
        if unit is None and max_groups is not None:
            raise ParameterError(
                "max_groups is for persons: open the data with unit= and max_rows=. A row is in "
                "one group"
            )
        if unit is not None:
            if max_groups is None:
                raise ParameterError(
                    f"max_groups is required with unit={unit.column!r}: in how many groups the rows"
                    " of one person may be used, from public knowledge; the table is charged "
                    "min(max_groups, max_rows) times epsilon, twice that under replace-one. "
                    "PrivateLimit() finds it privately, and all groups share epsilon"
                )
            if isinstance(max_groups, PrivateLimit):
                unit = replace(unit, max_groups=MOST_ROWS, searched_groups=max_groups)
            else:
                unit = replace(unit, max_groups=parse_count(max_groups, "max_groups"))
        return replace(self, keys=parse_keys(keys, other), unit=unit)


WHOLE = Subset()
"""All rows, one unit of privacy each."""


def parse_unit(unit: object, max_rows: object) -> Unit | None:
    """Persons by the name of a column and the limit of rows; None where rows are protected.

    Raises
    ------
    ParameterError, ParameterTypeError
        If one is given without the other, or is impossible.
    """
    column = parse_column(unit)
    if column is None:
        if max_rows is not None:
            raise ParameterError("max_rows is for persons: give unit= as well, their column")
        return None
    if column == "row":
        raise ParameterError(
            "unit='row' means single rows, which are protected without unit=; if a column of this "
            "name holds persons, rename it"
        )
    if max_rows is None:
        raise ParameterError(
            f"max_rows is required with unit={column!r}: how many rows of one person are used at "
            "most, from public knowledge, never from the data. More rows mean more noise; of a "
            "person with more, this many are drawn at random. PrivateLimit() finds it privately"
        )
    if isinstance(max_rows, PrivateLimit):
        return Unit(column, MOST_ROWS, searched=max_rows)
    return Unit(column, parse_count(max_rows, "max_rows"))


def parse_keys(keys: object, other: object = False) -> GroupKeys:
    """Declared keys by column, and whether the rows of none of them are a group.

    Raises
    ------
    ParameterError, ParameterTypeError
        For no mapping or column, no key, NaN or None, repeated keys, keys of mixed kinds, or too
        many groups.
    """
    if not is_mapping(keys):
        raise ParameterTypeError(
            "group_by takes declared keys by column, {'region': ['N', 'S']}, from public knowledge,"
            f" never from the data; not {type(keys).__name__}"
        )
    if not keys:
        raise ParameterError("group_by needs at least one column, {'region': ['N', 'S']}")
    columns: list[str] = []
    values: list[tuple[Key, ...]] = []
    labels: list[tuple[Label, ...]] = []
    clocks: list[Clock | None] = []
    for name, keys_of in keys.items():
        column = parse_column(name)
        if column is None:
            raise ParameterTypeError("a column to group by must be named")
        entries: Any = listed(keys_of)
        clock, found = parse_key_list(entries, f"the keys of {column!r}")
        columns.append(column)
        values.append(found)
        clocks.append(clock)
        labels.append(_labels(entries, found, clock))
        if len(set(labels[-1])) < len(found):
            raise ParameterError(
                f"the keys of {column!r} must differ as floating-point numbers, and two of them "
                "do not"
            )
    rest = parse_flag(other, "other")
    made = GroupKeys(tuple(columns), tuple(values), tuple(labels), tuple(clocks), rest)
    if made.count > MOST_GROUPS:
        raise ParameterError(
            f"the keys make {made.count} groups and {MOST_GROUPS} is the most; every combination "
            "is one, whether or not a row has it"
        )
    return made


def _labels(entries: Any, keys: tuple[Key, ...], clock: Clock | None) -> tuple[Label, ...]:
    """What the caller wrote for each key."""
    if all_integers(keys):
        return (*keys,)
    return tuple(_label(entry, value, clock) for entry, value in zip(entries, keys, strict=True))


def _label(entry: object, value: Key, clock: Clock | None) -> Label:
    """What the caller wrote, as a plain Python value; of times as ISO text."""
    if isinstance(value, (str, int)):
        return value
    if clock is not None:
        return str(clock.time(value))
    if isinstance(entry, bool) or type(entry).__name__ in ("bool_", "bool"):
        return bool(entry)
    return value.numerator if value.denominator == 1 else float(value)


def parse_subset(
    where: object = None,
    group_by: object = None,
    unit: object = None,
    max_rows: object = None,
    max_groups: object = None,
    other: object = False,
) -> Subset:
    """A filter, declared groups and persons, each of which may be left out."""
    subset = Subset(unit=parse_unit(unit, max_rows))
    if where is not None:
        subset = subset.filtered(where)
    if group_by is None and max_groups is not None:
        raise ParameterError("max_groups is for groups: give their keys as well")
    if group_by is None and parse_flag(other, "other"):
        raise ParameterError("other is for groups: give their keys as well")
    return subset if group_by is None else subset.grouped(group_by, max_groups, other)
