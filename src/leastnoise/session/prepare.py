"""Everything that happens before a data value is read: schema, policy, relation, rehearsal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, cast

from leastnoise.errors import ParameterError
from leastnoise.frames import Table, open_table
from leastnoise.guarantees import Scope
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.params import Missing, parse_missing, parse_relation
from leastnoise.profiles.alike import AlikeProfiles
from leastnoise.profiles.scores import Scores
from leastnoise.statistics.statistic import Statistic
from leastnoise.summaries.columns import Clock, agreed
from leastnoise.summaries.subset import WHOLE, Subset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from leastnoise.profiles.orders import OrderProfiles
    from leastnoise.profiles.profile import Profile
    from leastnoise.summaries.cells import CellSpec, CrossSpec
    from leastnoise.summaries.distinct import DistinctSpec
    from leastnoise.summaries.graphs import GraphSpec
    from leastnoise.summaries.keys import KeySpec
    from leastnoise.summaries.pairs import ConfusionSpec, DeterminationSpec, LossSpec, RankingSpec
    from leastnoise.summaries.ranks import RankSpec
    from leastnoise.summaries.requests import Request, Summary
    from leastnoise.summaries.spec import MomentSpec, RowSpec, SpreadSpec
    from leastnoise.summaries.vectors import VectorSpec
    from leastnoise.summaries.weighted import WeightedSpec

    PairSpec = LossSpec | ConfusionSpec | RankingSpec | DeterminationSpec | CrossSpec | WeightedSpec
    ColumnSpec = RankSpec | MomentSpec | SpreadSpec
    RowsSpec = ColumnSpec | RowSpec | CellSpec | DistinctSpec | KeySpec | PairSpec | VectorSpec
    # What statistics ask for, distinguished by ``form``: most are never loaded.
    AnySpec = RowsSpec | GraphSpec

# Depth of the empty summary of a rehearsal: more than any profile reads beyond its level.
_REHEARSED = 16


@dataclass(frozen=True, slots=True)
class StatisticPlan:
    """A statistic on a table of which only the schema has been read.

    ``profile_relation`` is "edit" where "replace-one" was declared but rows are removed by their
    content (a missing value, a filter, a group, rows beyond a person's limit), because the number
    of remaining rows is then private. ``stride`` is the most rows that one unit of privacy has.
    """

    statistic: Statistic
    table: Table
    request: Request[Summary]
    relation: str
    profile_relation: str
    subset: Subset = WHOLE
    stride: int = 1
    clock: Clock | None = None

    def shown(self, value: Any) -> Any:
        """An answer as it is shown: a time, where the entries are times."""
        return value if self.clock is None else self.clock.shown(value, self.statistic.shown)

    def shown_ends(self, ends: tuple[float, float] | None) -> Any:
        """The ends of an interval as they are shown; times are whole units, rounded outwards."""
        if ends is None or self.clock is None or self.statistic.shown == "number":
            return ends
        return self.shown((floor(ends[0]), ceil(ends[1])))

    @property
    def scope(self) -> Scope:
        """Whom the release protects."""
        unit = self.subset.unit
        one = "edge" if self.relation == "edge" else "row"
        return Scope(self.relation, one if unit is None else unit.column)

    @property
    def n_public(self) -> bool:
        """Whether the number of rows is treated as public."""
        return self.profile_relation == "replace-one"

    @property
    def bounds(self) -> tuple[int | float, int | float] | None:
        """The bounds that values are clipped to, in the user's units."""
        lattice = self.request.lattice
        return (
            None if lattice is None else (lattice.number(lattice.low), lattice.number(lattice.high))
        )

    @property
    def range_bits(self) -> int:
        """A generous public bound on the size of the output range, in bits."""
        lattice = self.request.lattice
        return 64 if lattice is None else lattice.width.bit_length() + 64

    def shares(self, parts: int) -> int:
        """The number of shares that epsilon is divided into over the parts of an answer.

        One for each part, unless ``touched(relation)`` of the statistic gives the most parts that
        one changed record can move; the others then cost nothing more. Each row of a person may
        move that many parts.
        """
        touched = self.statistic.touched(self.profile_relation)
        return parts if touched is None else touched * self.stride

    @property
    def counts_moves(self) -> bool:
        """Whether each row of a person is paid for by itself, as a move between few parts.

        All parts together then lose at most epsilon, whichever parts the rows move: each move of
        one part costs one share (``docs/proofs/persons.md``).
        """
        return self.stride > 1 and self.statistic.touched(self.profile_relation) is not None

    def levels(self, mechanism: Mechanism, share: Fraction) -> int:
        """How many changed rows the summary must allow for, from public parameters only."""
        depth = mechanism.depth(share, self.range_bits)
        # the next level of a person is ``stride`` rows away; differences read a few ranks beyond
        return (depth + 1) * self.stride + 8 if depth else 0

    def by_rows(self) -> StatisticPlan:
        """The same plan with single rows protected, for a smaller epsilon each."""
        return replace(self, stride=1)

    def profiles(self, summary: Summary) -> Sequence[Profile]:
        """The profiles of a summary with their units filled in; scores are returned as they are."""
        found = self.statistic.profiles(summary, self.profile_relation)
        if isinstance(found, AlikeProfiles):
            if self._rows_of_each == 1:
                return found
            found = list(found)  # each access makes a new one
        ready = {id(one): self._ready(one, summary.step) for one in different(found)}
        return [ready[id(profile)] for profile in found]

    def order_profiles(self, summaries: Sequence[Summary]) -> OrderProfiles | None:
        """The profiles of several summaries together, if they are of order statistics."""
        found = self.statistic.order_profiles(summaries, self.profile_relation)
        return None if found is None else found.strided(self._rows_of_each)

    def direct(self, summary: Summary) -> Profile | Scores:
        """The single profile of the answer, even where a release draws from several."""
        return self._ready(self.statistic.profile(summary, self.profile_relation), summary.step)

    @property
    def _rows_of_each(self) -> int:
        """How many rows of a person one level of a profile stands for."""
        return 1 if self.counts_moves else self.stride

    def _ready(self, profile: Profile | Scores, unit: Fraction) -> Profile:
        """A profile with its unit, for persons with several rows."""
        rows = self._rows_of_each
        if isinstance(profile, Scores):
            return cast("Profile", profile.strided(rows))  # callers check where it matters
        known = profile if profile.unit is not None else replace(profile, unit=unit)
        if rows == 1:
            return known
        from leastnoise.profiles.maps import strided  # only for persons

        return strided(known, rows)

    def rehearse(self, mechanism: Mechanism, epsilon: Fraction) -> Sequence[Profile]:
        """Turn the profiles of an empty table into laws, so that wrong parameters fail now.

        An empty table is public, so nothing here depends on data.
        """
        profiles = self.profiles(self.request.empty(_REHEARSED))
        for profile in different(profiles):
            mechanism.law(profile, epsilon)
        return profiles


def different(profiles: Sequence[Profile | Scores]) -> Iterable[Any]:
    """Each distinct profile once; the first stands for all that are alike."""
    if isinstance(profiles, AlikeProfiles):
        return profiles[:1]
    return {id(profile): profile for profile in profiles}.values()


@dataclass(frozen=True, slots=True)
class SpecifiedStatistic:
    """A statistic and its spec, which it is asked for only once."""

    statistic: Statistic
    spec: AnySpec

    @classmethod
    def of(cls, statistic: object) -> SpecifiedStatistic:
        """From a statistic of the library, or a user's own object."""
        found = statistic if isinstance(statistic, Statistic) else _users_own(statistic)
        return cls(found, found.spec())

    @property
    def counts_edges(self) -> bool:
        """Whether it is a statistic of graphs, which opens its data itself."""
        return self.spec.form == "graph"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read, where they have names."""
        spec = self.spec
        if spec.form == "graph":
            return ()
        if spec.form == "matrix":
            return spec.columns or ()
        if spec.form == "pair":
            names = spec.pair.target, *(spec.pair.predictions or ())
        else:
            names = (spec.column,)
        return tuple(name for name in names if name is not None)


def _users_own(statistic: object) -> Statistic:
    from leastnoise.statistics.foreign import as_statistic

    return as_statistic(statistic)


def plan(
    statistic: object,
    data: object,
    relation: object,
    missing: object,
    *,
    subset: Subset | None = None,
    **options: Any,
) -> StatisticPlan:
    """Check the statistic, open the data's schema and settle the relation of the profile."""
    rows = WHOLE if subset is None else subset
    session = parse_missing(missing)
    given = (
        statistic if isinstance(statistic, SpecifiedStatistic) else SpecifiedStatistic.of(statistic)
    )
    statistic, spec = given.statistic, given.spec
    if spec.form == "graph":
        if subset not in (None, WHOLE):
            raise ParameterError(
                f"{statistic.name} counts in the whole graph: it takes no filters, groups or unit="
            )
        return _plan_graph(statistic, spec, data, relation, options)
    parsed = parse_relation("replace-one" if relation is None else relation)
    if parsed == "edge":
        raise ParameterError(
            f"relation 'edge' is for graphs, and {statistic.name} is a statistic of rows; use "
            "'replace-one', 'add-remove' or 'edit'"
        )
    table, request = _opened(spec, data, session, rows, options)
    return _plan(given, table, request, parsed, rows)


def _opened(
    spec: RowsSpec,
    data: object,
    session: Missing | Fraction | None,
    rows: Subset,
    options: dict[str, Any],
) -> tuple[Table, Request[Summary]]:
    """The table that a statistic reads, and its request for the declared types of the columns.

    The only place that distinguishes the forms of specs.
    """
    if spec.form == "matrix":
        from leastnoise.frames.readers.matrix import open_matrix

        table, names, kinds = open_matrix(data, spec, **options)
        return _timed(table, rows, names), spec.resolve(names, kinds, session)
    if spec.form == "pair":
        from leastnoise.frames.readers.pairs import open_pair

        table, names, kinds = open_pair(data, spec.pair, **options)
        return _timed(table, rows, names), spec.resolve(names, kinds, session)
    table = open_table(data, **options)
    if spec.form == "rows":
        table = _timed(table, rows, whether=(spec.column,))
        whole = spec.column is None and table.column_names() is not None
        # an imputed value is present, so its row counts
        policy = "none" if isinstance(session, Fraction) else session
        if whole:
            return table, spec.resolve(None, policy)
        from leastnoise.frames.memory.conditions import counted_type

        kind, labels = counted_type(table, spec.column, labels=spec.labels)
        return table, spec.resolve(kind, policy, labels=labels)
    if spec.form == "entries" or spec.form == "keys":
        from leastnoise.frames.memory.conditions import entry_type

        table = _timed(table, rows)
        kind = entry_type(table, spec.column)
        if spec.form == "entries":
            return table, spec.resolve(kind, session)
        return table, spec.resolve(kind, session, None if rows.unit is None else rows.unit.column)
    table = _timed(table, rows, (spec.column,), spec.clock)
    if spec.form == "cells" and spec.labels is not None:
        from leastnoise.frames.memory.labels import key_type

        return table, spec.resolve(key_type(table, spec.column, spec.labels), session)
    return table, spec.resolve(table.column_type(spec.column), session)


def _timed(
    table: Table,
    rows: Subset,
    names: Sequence[str | None] = (),
    clock: Clock | None = None,
    whether: Sequence[str | None] = (),
) -> Table:
    """The table with its columns read as the kind of times that they are compared with.

    A column only checked for missing entries (``whether``) is read by the clock of its type.
    """
    declared = [*rows.clocks(), *((name, clock) for name in names)]
    clocks = agreed(declared)
    compared = {name for name, _ in declared}
    named = table.column_names() is not None
    for name in (*rows.presence_columns(), *whether):
        unknown = name not in compared and (name is not None or not named)
        own = table.own_clock(name) if unknown else None
        if own is not None:
            clocks[name] = own
    return table.clocked(clocks) if clocks else table


def _plan(
    specified: SpecifiedStatistic,
    table: Table,
    request: Request[Summary],
    relation: str,
    subset: Subset,
) -> StatisticPlan:
    if subset.by_content:
        from leastnoise.frames.memory.groups import check_subset  # only for some of the rows

        check_subset(table, subset)
    private = request.missing.drops or subset.by_content
    private = private or table.hides_row_count
    profile_relation = "edit" if relation == "replace-one" and private else relation
    stride = subset.stride
    spec, unit = specified.spec, subset.unit
    if unit is not None and spec.form == "entries" and spec.column == unit.column:
        stride = 1  # however many rows a person has, their id is one entry
    clock = spec.clock if spec.form == "column" else None
    return StatisticPlan(
        specified.statistic, table, request, relation, profile_relation, subset, stride, clock
    )


def _plan_graph(
    statistic: Statistic, spec: GraphSpec, data: object, relation: object, options: dict[str, Any]
) -> StatisticPlan:
    from leastnoise.frames.readers.graphs import open_graph  # only for graphs

    if relation is not None and parse_relation(relation) != "edge":
        raise ParameterError(
            f"{statistic.name} protects single edges of a graph: its only relation is 'edge', got "
            f"{relation!r}; omit relation=, and charge it to a ledger of its own, made with "
            "relation='edge'"
        )
    table = open_graph(data, spec, **options)
    return StatisticPlan(statistic, table, spec.resolve(), "edge", "edge")


def choose_mechanism(
    mechanism: object, statistic: Statistic, relation: str, *, persons: bool = False
) -> Mechanism:
    """The given mechanism, or the statistic's default by its public rule.

    ``persons``: whether persons have several rows.
    """
    if statistic.searched is not None:
        from leastnoise.mechanisms.bracket import BoundsSearch

        return BoundsSearch(
            "PrivateBounds", None if mechanism is None else _as_mechanism(mechanism)
        )
    if mechanism is not None:
        return _as_mechanism(mechanism)
    return (statistic.default_of_persons if persons else statistic.default_mechanism)(relation)


def _as_mechanism(mechanism: object) -> Mechanism:
    if isinstance(mechanism, Mechanism):
        return mechanism
    from leastnoise.mechanisms.foreign import as_mechanism  # only for users' own

    return as_mechanism(mechanism)
