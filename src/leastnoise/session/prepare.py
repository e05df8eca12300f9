"""Everything that happens before a data value is read: schema, policy, relation, rehearsal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from leastnoise.errors import ParameterError
from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.conditions import entry_type
from leastnoise.frames.memory.groups import check_subset
from leastnoise.frames.memory.labels import label_type
from leastnoise.frames.readers.matrix import open_matrix
from leastnoise.frames.readers.pairs import open_pair
from leastnoise.guarantees import Scope
from leastnoise.mechanisms import Laplace, LaplaceRatio, Mechanism, PrivateLimits
from leastnoise.mechanisms.bracket import BoundsSearch
from leastnoise.mechanisms.foreign import as_mechanism
from leastnoise.params import Missing, parse_missing, parse_relation
from leastnoise.profiles import Profile, Scores, strided
from leastnoise.statistics.foreign import as_statistic
from leastnoise.statistics.statistic import Statistic
from leastnoise.statistics.totals.mean import Mean
from leastnoise.summaries.cells import CellSpec, CrossSpec
from leastnoise.summaries.clock import Clock, agreed
from leastnoise.summaries.distinct import DistinctSpec
from leastnoise.summaries.graphs import GraphSpec
from leastnoise.summaries.keys import KeySpec
from leastnoise.summaries.pairs import ConfusionSpec, DeterminationSpec, LossSpec, RankingSpec
from leastnoise.summaries.requests import Request
from leastnoise.summaries.spec import MomentSpec, RankSpec, RowSpec, SpreadSpec
from leastnoise.summaries.subset import WHOLE, Subset
from leastnoise.summaries.vectors import VectorSpec
from leastnoise.summaries.weighted import WeightedSpec

RowsSpec = (
    RankSpec
    | MomentSpec
    | SpreadSpec
    | RowSpec
    | CellSpec
    | CrossSpec
    | ConfusionSpec
    | DeterminationSpec
    | DistinctSpec
    | KeySpec
    | LossSpec
    | RankingSpec
    | VectorSpec
    | WeightedSpec
)
"""What statistics of rows ask for."""
AnySpec = RowsSpec | GraphSpec

# Depth of the empty summary of a rehearsal: more than any profile looks beyond its level.
_REHEARSED = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """A statistic on a table whose schema has been read, and no value.

    ``profile_relation`` is "edit" where "replace-one" was declared and rows are removed by their
    content (a missing value, a filter, a group, rows beyond a person's limit): the number of
    remaining rows is then private. ``stride`` is how many rows one unit of privacy has at most.
    """

    statistic: Statistic
    table: Table
    request: Request[Any]
    relation: str
    profile_relation: str
    subset: Subset = WHOLE
    stride: int = 1
    clock: Clock | None = None

    def shown(self, value: Any) -> Any:
        """An answer as its reader means it: a time, where the entries are times."""
        return value if self.clock is None else self.clock.shown(value, self.statistic.shown)

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
        """What records are clipped to, in the user's units."""
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
        """Into how many shares epsilon is divided over the parts of an answer.

        One a part, unless the statistic says with ``touched(relation)`` how many of its parts one
        changed record can move at most; the others are released at no further cost. The rows of a
        person may move as many parts each.
        """
        touched = self.statistic.touched(self.profile_relation)
        return parts if touched is None else touched * self.stride

    @property
    def counts_moves(self) -> bool:
        """Whether the rows of a person are paid for one by one, as moves between few parts.

        All parts together then lose at most epsilon, however the moves fall on them: each move of
        one part costs one share (``docs/proofs/persons.md``).
        """
        return self.stride > 1 and self.statistic.touched(self.profile_relation) is not None

    def levels(self, mechanism: Mechanism, share: Fraction) -> int:
        """How many rows of change the summary must know, from public parameters only."""
        depth = mechanism.depth(share, self.range_bits)
        # a person's next level is ``stride`` rows away; differences look a few ranks beyond
        return (depth + 1) * self.stride + 8 if depth else 0

    def by_rows(self) -> Plan:
        """The same with single rows protected, at a smaller epsilon for each of them."""
        return replace(self, stride=1)

    def profiles(self, summary: Any) -> list[Profile]:
        """The profiles of a summary, with their units filled in; scores pass as such."""
        found = self.statistic.profiles(summary, self.profile_relation)
        return [self._ready(profile, summary.step) for profile in found]

    def direct(self, summary: Any) -> Profile | Scores:
        """The one profile of the answer, even where a release is made of several."""
        return self._ready(self.statistic.profile(summary, self.profile_relation), summary.step)

    def _ready(self, profile: Profile | Scores, unit: Fraction) -> Profile:
        """A profile in its units, for persons of some rows."""
        rows = 1 if self.counts_moves else self.stride
        if isinstance(profile, Scores):
            return cast("Profile", profile.strided(rows))  # told apart where it matters
        known = profile if profile.unit is not None else replace(profile, unit=unit)
        return known if rows == 1 else strided(known, rows)

    def rehearse(self, mechanism: Mechanism, epsilon: Fraction) -> list[Profile]:
        """The profiles of an empty table, each turned into a law: errors of parameters come now.

        An empty table is public, so nothing here depends on data.
        """
        profiles = self.profiles(self.request.empty(_REHEARSED))
        for profile in profiles:
            mechanism.law(profile, epsilon)
        return profiles


@dataclass(frozen=True, slots=True)
class Asked:
    """A statistic and what it needs summarised, which it is asked for once."""

    statistic: Statistic
    spec: AnySpec

    @classmethod
    def of(cls, statistic: object) -> Asked:
        """From what a caller gives."""
        found = statistic if isinstance(statistic, Statistic) else as_statistic(statistic)
        return cls(found, found.spec())

    @property
    def counts_edges(self) -> bool:
        """Whether the statistic is one of graphs, which opens its data itself."""
        return isinstance(self.spec, GraphSpec)


def plan(
    statistic: object,
    data: object,
    relation: object,
    missing: object,
    *,
    subset: Subset | None = None,
    **options: Any,
) -> Plan:
    """Check the statistic, open the data's schema and settle the relation of the profile."""
    rows = WHOLE if subset is None else subset
    session = parse_missing(missing)
    given = statistic if isinstance(statistic, Asked) else Asked.of(statistic)
    asked, spec = given.statistic, given.spec
    if isinstance(spec, GraphSpec):
        if subset not in (None, WHOLE):
            raise ParameterError(
                f"{asked.name} counts in the whole graph: it takes no filters, groups or unit="
            )
        return _plan_graph(asked, spec, data, relation, options)
    parsed = parse_relation("replace-one" if relation is None else relation)
    if parsed == "edge":
        raise ParameterError(
            f"relation 'edge' is for graphs, and {asked.name} is a statistic of rows; use "
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
) -> tuple[Table, Request[Any]]:
    """The table that a statistic looks at, and its request for the declared types of its columns.

    The one place that tells apart what statistics ask for.
    """
    match spec:
        case VectorSpec():
            table, names, kinds = open_matrix(data, spec, **options)
            return _timed(table, rows, names), spec.resolve(names, kinds, session)
        case (
            LossSpec()
            | ConfusionSpec()
            | RankingSpec()
            | DeterminationSpec()
            | CrossSpec()
            | WeightedSpec()
        ):
            table, names, kinds = open_pair(data, spec.pair, **options)
            return _timed(table, rows, names), spec.resolve(names, kinds, session)
        case _:
            table = open_table(data, **options)
    match spec:
        case RankSpec() | MomentSpec() | SpreadSpec() | CellSpec():
            table = _timed(table, rows, (spec.column,), spec.clock)
        case RowSpec():
            table = _timed(table, rows, whether=(spec.column,))
        case _:
            table = _timed(table, rows)
    match spec:
        case RowSpec():
            whole = spec.column is None and table.column_names() is not None
            # an imputed value is present, so its row counts
            policy = "none" if isinstance(session, Fraction) else session
            return table, spec.resolve(None if whole else table.column_type(spec.column), policy)
        case DistinctSpec():
            return table, spec.resolve(entry_type(table, spec.column), session)
        case KeySpec():
            person = None if rows.unit is None else rows.unit.column
            return table, spec.resolve(entry_type(table, spec.column), session, person)
        case CellSpec() if spec.labels is not None:
            return table, spec.resolve(label_type(table, spec.column, spec.labels), session)
        case _:
            return table, spec.resolve(table.column_type(spec.column), session)


def _timed(
    table: Table,
    rows: Subset,
    names: Sequence[str | None] = (),
    clock: Clock | None = None,
    whether: Sequence[str | None] = (),
) -> Table:
    """The table whose columns are read as the times that they are compared with.

    A column that is only asked ``whether`` there is an entry is read by the clock of its own type.
    """
    asked = [*rows.clocks(), *((name, clock) for name in names)]
    clocks = agreed(asked)
    compared = {name for name, _ in asked}
    named = table.column_names() is not None
    for name in (*rows.asked(), *whether):
        unknown = name not in compared and (name is not None or not named)
        own = table.own_clock(name) if unknown else None
        if own is not None:
            clocks[name] = own
    return table.clocked(clocks) if clocks else table


def _plan(asked: Asked, table: Table, request: Request[Any], relation: str, subset: Subset) -> Plan:
    check_subset(table, subset)
    private = request.missing.drops or subset.by_content
    private = private or table.hides_row_count
    profile_relation = "edit" if relation == "replace-one" and private else relation
    stride = subset.stride
    if subset.unit is not None and asked.spec == DistinctSpec(subset.unit.column):
        stride = 1  # a person is one entry of their own column, however many rows they have
    clock = asked.spec.clock if isinstance(asked.spec, (RankSpec, MomentSpec, SpreadSpec)) else None
    return Plan(asked.statistic, table, request, relation, profile_relation, subset, stride, clock)


def _plan_graph(
    statistic: Statistic, spec: GraphSpec, data: object, relation: object, options: dict[str, Any]
) -> Plan:
    from leastnoise.frames.readers.graphs import open_graph  # only for graphs

    if relation is not None and parse_relation(relation) != "edge":
        raise ParameterError(
            f"{statistic.name} protects single edges of a graph: its only relation is 'edge', got "
            f"{relation!r}; omit relation=, and charge it to a ledger of its own, made with "
            "relation='edge'"
        )
    table = open_graph(data, spec, **options)
    return Plan(statistic, table, spec.resolve(), "edge", "edge")


def settled_mechanism(statistic: Statistic, relation: str) -> Mechanism:
    """The default of a statistic inside limits that are settled: without a search for others."""
    chosen = statistic.default_mechanism(relation)
    if not isinstance(chosen, PrivateLimits):
        return chosen
    ratio = isinstance(statistic, Mean) and relation != "replace-one"
    return LaplaceRatio() if ratio else Laplace()


def choose_mechanism(mechanism: object, statistic: Statistic, relation: str) -> Mechanism:
    """The mechanism asked for, or the statistic's default by its public rule."""
    if statistic.searched is not None:
        return BoundsSearch("PrivateBounds", None if mechanism is None else as_mechanism(mechanism))
    if mechanism is None:
        return statistic.default_mechanism(relation)
    return as_mechanism(mechanism)
