"""Everything that happens before a data value is read: schema, policy, relation, rehearsal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from leastnoise.errors import ParameterTypeError
from leastnoise.frames import Table, open_table
from leastnoise.frames.labels import label_type
from leastnoise.frames.pairs import open_pair
from leastnoise.frames.summarise import empty_summary
from leastnoise.mechanisms import Laplace, Mechanism, PiecewiseLaplace
from leastnoise.mechanisms.bracket import BoundsSearch
from leastnoise.params import Missing, PrivateBounds, parse_missing, parse_relation
from leastnoise.profiles import Profile
from leastnoise.summaries.cells import CellRequest
from leastnoise.summaries.pairs import PairRequest
from leastnoise.summaries.spec import Request, RowRequest, RowSpec, Spec

# Depth of the empty summary of a rehearsal: more than any profile looks beyond its level.
_REHEARSED = 16


@dataclass(frozen=True, slots=True)
class Plan:
    """A statistic on a table whose schema has been read, and no value.

    ``profile_relation`` is "edit" where "replace-one" was declared and rows are removed by their
    content: the number of remaining rows is then private.
    """

    statistic: Any
    table: Table
    request: Request | PairRequest | CellRequest
    relation: str
    profile_relation: str

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
        changed record can move at most; the others are released at no further cost.
        """
        touched = getattr(self.statistic, "touched", None)
        return parts if touched is None else touched(self.profile_relation)

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
        return [p if p.unit is not None else replace(p, unit=unit) for p in found]

    def rehearse(self, mechanism: Mechanism, epsilon: Fraction) -> list[Profile]:
        """The profiles of an empty table, each turned into a law: errors of parameters come now.

        An empty table is public, so nothing here depends on data.
        """
        profiles = self.profiles(empty_summary(self.request, _REHEARSED))
        for profile in profiles:
            mechanism.law(profile, epsilon)
        return profiles


def plan(
    statistic: object, data: object, relation: object, missing: object, **options: Any
) -> Plan:
    """Check the statistic, open the data's schema and settle the relation of the profile."""
    parsed, session = parse_relation(relation), parse_missing(missing)
    spec = _spec_of(statistic)
    pair = getattr(spec, "pair", None)
    if pair is not None:
        table, names, kinds = open_pair(data, pair, **options)
        return _plan(statistic, table, cast("Any", spec).resolve(names, kinds, session), parsed)
    table = open_table(data, **options)
    bare = table.column_names() is None
    if isinstance(spec, RowSpec) and spec.column is None and not bare:
        kind = None
    else:
        labels = getattr(spec, "labels", None)
        kind = label_type(table, spec.column, labels) if labels else table.column_type(spec.column)
    return _plan(statistic, table, _resolve(spec, kind, session), parsed)


def _plan(
    statistic: object, table: Table, request: Request | PairRequest | CellRequest, relation: str
) -> Plan:
    drops = request.missing.drops
    profile_relation = "edit" if relation == "replace-one" and drops else relation
    return Plan(statistic, table, request, relation, profile_relation)


def _resolve(spec: Spec, kind: Any, session: Missing | Fraction | None) -> Request:
    if isinstance(spec, RowSpec) and isinstance(session, Fraction):
        session = "none"  # an imputed value is present, so its row counts
    return cast("Any", spec).resolve(kind, session)


def _spec_of(statistic: object) -> Spec:
    maker = getattr(statistic, "spec", None)
    if isinstance(statistic, type) or not callable(maker):
        name = statistic.__name__ if isinstance(statistic, type) else repr(statistic)
        raise ParameterTypeError(
            f"statistic must be an object such as Median(bounds=(0, 100)), got {name}"
        )
    return cast("Spec", maker())


def choose_mechanism(mechanism: object, statistic: object, relation: str) -> Mechanism:
    """The mechanism asked for, or the statistic's default by its public rule."""
    if isinstance(getattr(statistic, "bounds", None), PrivateBounds):
        return BoundsSearch("PrivateBounds", mechanism)
    if mechanism is None:
        default = getattr(statistic, "default_mechanism", None)
        return default(relation) if default is not None else PiecewiseLaplace()
    if isinstance(mechanism, type) or not hasattr(mechanism, "law"):
        raise ParameterTypeError(
            f"mechanism must be an object such as {Laplace().name}, got {mechanism!r}"
        )
    return cast("Mechanism", mechanism)
