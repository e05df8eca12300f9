"""Everything that happens before a data value is read: schema, policy, relation, rehearsal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.frames import Table, open_table
from leastnoise.frames.conditions import entry_type
from leastnoise.frames.labels import label_type
from leastnoise.frames.matrix import open_matrix
from leastnoise.frames.pairs import open_pair
from leastnoise.frames.subsets import check_subset
from leastnoise.frames.summarise import AnyRequest, empty_summary
from leastnoise.guarantees import Scope
from leastnoise.mechanisms import Laplace, Mechanism, PiecewiseLaplace
from leastnoise.mechanisms.bracket import BoundsSearch
from leastnoise.params import Missing, PrivateBounds, parse_missing, parse_relation
from leastnoise.profiles import Profile, Scores, strided
from leastnoise.summaries.distinct import DistinctRequest, DistinctSpec
from leastnoise.summaries.keys import KeyRequest, KeySpec
from leastnoise.summaries.spec import Request, RowRequest, RowSpec, Spec
from leastnoise.summaries.subset import WHOLE, Subset
from leastnoise.summaries.vectors import VectorSpec

if TYPE_CHECKING:
    from leastnoise.summaries.graphs import GraphSpec

# Depth of the empty summary of a rehearsal: more than any profile looks beyond its level.
_REHEARSED = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """A statistic on a table whose schema has been read, and no value.

    ``profile_relation`` is "edit" where "replace-one" was declared and rows are removed by their
    content (a missing value, a filter, a group, rows beyond a person's limit): the number of
    remaining rows is then private. ``stride`` is how many rows one unit of privacy has at most.
    """

    statistic: Any
    table: Table
    request: AnyRequest
    relation: str
    profile_relation: str
    subset: Subset = WHOLE
    stride: int = 1

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
    def range_bits(self) -> int:
        """A generous public bound on the size of the output range, in bits."""
        if isinstance(self.request, RowRequest) or self.request.lattice is None:
            return 64
        return self.request.lattice.width.bit_length() + 64

    def shares(self, parts: int) -> int:
        """Into how many shares epsilon is divided over the parts of an answer.

        One a part, unless the statistic says with ``touched(relation)`` how many of its parts one
        changed record can move at most; the others are released at no further cost. The rows of a
        person may move as many parts each.
        """
        touched = getattr(self.statistic, "touched", None)
        return parts if touched is None else touched(self.profile_relation) * self.stride

    @property
    def counts_moves(self) -> bool:
        """Whether the rows of a person are paid for one by one, as moves between few parts.

        All parts together then lose at most epsilon, however the moves fall on them: each move of
        one part costs one share (``docs/proofs/persons.md``).
        """
        return self.stride > 1 and hasattr(self.statistic, "touched")

    def levels(self, mechanism: Mechanism, share: Fraction) -> int:
        """How many rows of change the summary must know, from public parameters only."""
        depth = mechanism.depth(share, self.range_bits)
        # a person's next level is ``stride`` rows away; differences look a few ranks beyond
        return (depth + 1) * self.stride + 8 if depth else 0

    def by_rows(self) -> Plan:
        """The same with single rows protected, at a smaller epsilon for each of them."""
        return replace(self, stride=1)

    def profiles(self, summary: object, *, direct: bool = False) -> list[Profile]:
        """The profiles of a summary, with their units filled in.

        ``direct`` asks for the one profile of the answer, where a release is made of several.
        """
        if hasattr(self.statistic, "profiles") and not (
            direct and hasattr(self.statistic, "profile")
        ):
            found = self.statistic.profiles(summary, self.profile_relation)
        else:
            found = [self.statistic.profile(summary, self.profile_relation)]
        unit: Fraction = cast("Any", summary).step
        rows = 1 if self.counts_moves else self.stride
        return [_ready(p, unit, rows) for p in found]

    def rehearse(self, mechanism: Mechanism, epsilon: Fraction) -> list[Profile]:
        """The profiles of an empty table, each turned into a law: errors of parameters come now.

        An empty table is public, so nothing here depends on data.
        """
        profiles = self.profiles(empty_summary(self.request, _REHEARSED))
        for profile in profiles:
            mechanism.law(profile, epsilon)
        return profiles


def _ready(profile: Profile | Scores, unit: Fraction, rows: int) -> Profile:
    """A profile in its units for persons of some rows; scores pass as one and are told apart."""
    if isinstance(profile, Scores):
        return cast("Profile", profile.strided(rows))
    return strided(profile if profile.unit is not None else replace(profile, unit=unit), rows)


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
    spec = _spec_of(statistic)
    if hasattr(spec, "nodes"):
        if subset not in (None, WHOLE):
            raise ParameterError(
                f"{type(statistic).__name__} counts in the whole graph: it knows no filters, no "
                "groups and no persons"
            )
        return _plan_graph(statistic, cast("Any", spec), data, relation, options)
    parsed = parse_relation("replace-one" if relation is None else relation)
    if parsed == "edge":
        raise ParameterError(
            f"relation 'edge' is for graphs, and {type(statistic).__name__} is a statistic of "
            "rows; use 'replace-one', 'add-remove' or 'edit'"
        )
    if isinstance(spec, VectorSpec):
        table, names, kinds = open_matrix(data, spec, **options)
        return _plan(statistic, table, spec.resolve(names, kinds, session), parsed, rows)
    pair = getattr(spec, "pair", None)
    if pair is not None:
        table, names, kinds = open_pair(data, pair, **options)
        request = cast("Any", spec).resolve(names, kinds, session)
        return _plan(statistic, table, request, parsed, rows)
    table = open_table(data, **options)
    bare = table.column_names() is None
    if isinstance(spec, RowSpec) and spec.column is None and not bare:
        kind = None
    elif isinstance(spec, (DistinctSpec, KeySpec)):
        kind = entry_type(table, spec.column)
    else:
        labels = getattr(spec, "labels", None)
        kind = label_type(table, spec.column, labels) if labels else table.column_type(spec.column)
    return _plan(statistic, table, _resolve(spec, kind, session), parsed, rows)


def _plan(
    statistic: object, table: Table, request: AnyRequest, relation: str, subset: Subset
) -> Plan:
    check_subset(table, subset)
    private = request.missing.drops or subset.by_content
    private = private or getattr(table, "hides_row_count", False)  # of some text files
    profile_relation = "edit" if relation == "replace-one" and private else relation
    stride = subset.stride
    if isinstance(request, KeyRequest) and subset.unit is not None:
        request = replace(request, person=subset.unit.column)
    if isinstance(request, DistinctRequest) and subset.unit is not None:
        # a person is one entry of their own column, however many rows they have
        stride = 1 if request.column == subset.unit.column else stride
    return Plan(statistic, table, request, relation, profile_relation, subset, stride)


def _plan_graph(
    statistic: object, spec: GraphSpec, data: object, relation: object, options: dict[str, Any]
) -> Plan:
    from leastnoise.frames.graphs import open_graph  # only for graphs

    if relation is not None and parse_relation(relation) != "edge":
        raise ParameterError(
            f"{type(statistic).__name__} protects single edges of a graph: its only relation is "
            f"'edge', got {relation!r}; leave relation= out, and charge it to a ledger of its own, "
            "made with relation='edge'"
        )
    table = cast("Table", open_graph(data, spec, **options))  # only the summary looks at it
    return Plan(statistic, table, spec.resolve(), "edge", "edge")


def _resolve(spec: Spec, kind: Any, session: Missing | Fraction | None) -> Request:
    if isinstance(spec, RowSpec) and isinstance(session, Fraction):
        session = "none"  # an imputed value is present, so its row counts
    return cast("Any", spec).resolve(kind, session)


def _spec_of(statistic: object) -> Spec | VectorSpec:
    maker = getattr(statistic, "spec", None)
    if isinstance(statistic, type) or not callable(maker):
        name = statistic.__name__ if isinstance(statistic, type) else repr(statistic)
        raise ParameterTypeError(
            f"statistic must be an object such as Median(bounds=(0, 100)), got {name}"
        )
    return cast("Spec", maker())


def counts_edges(statistic: object) -> bool:
    """Whether the statistic is one of graphs, which opens its data itself."""
    return hasattr(_spec_of(statistic), "nodes")


def choose_mechanism(mechanism: object, statistic: object, relation: str) -> Mechanism:
    """The mechanism asked for, or the statistic's default by its public rule."""
    limits = (getattr(statistic, name, None) for name in ("bounds", "loss_bound"))
    if any(isinstance(limit, PrivateBounds) for limit in limits):
        return BoundsSearch("PrivateBounds", mechanism)
    if mechanism is None:
        default = getattr(statistic, "default_mechanism", None)
        return default(relation) if default is not None else PiecewiseLaplace()
    if isinstance(mechanism, type) or not hasattr(mechanism, "law"):
        raise ParameterTypeError(
            f"mechanism must be an object such as {Laplace().name}, got {mechanism!r}"
        )
    return cast("Mechanism", mechanism)
