"""The checks of a call: after them only a lack of budget can refuse it.

``kind_of`` is the only place that decides the kind of an answer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.errors import ParameterError
from leastnoise.foreign import is_mapping
from leastnoise.frames import Table, open_table
from leastnoise.params import check_rows, parse_flag, parse_total
from leastnoise.production import releasing
from leastnoise.profiles import Profile, Scores
from leastnoise.session.door import CallItem
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.session.prepare import SpecifiedStatistic, StatisticPlan, choose_mechanism, plan
from leastnoise.session.reuse import release_label
from leastnoise.session.shares import parse_several, split
from leastnoise.statistics.statistic import JointStatistic, KeyStatistic, VectorStatistic
from leastnoise.statistics.with_interval import WithInterval
from leastnoise.summaries.ranks import RankRequest
from leastnoise.summaries.spec import MomentRequest, SpreadRequest

if TYPE_CHECKING:
    from leastnoise.accounting import Ledger
    from leastnoise.mechanisms import Mechanism, PrivateLimits
    from leastnoise.profiles.vector import VectorProfile
    from leastnoise.session.kinds.kind import Kind
    from leastnoise.summaries.expressions import Value
    from leastnoise.summaries.subset import Subset


# The name of a single statistic, which the caller gave no name.
NAMELESS = ""

# An interrupt may come when everything is charged and stored, but before the caller has the answer.
_KEPT = (
    "What was released before this is charged and kept in the ledger: the same request with "
    "reuse=True (--reuse) gives it again at no charge"
)


@dataclass(slots=True, eq=False, repr=False)
class Source:
    """NOT PRIVATE. The data of a session, how it is read, and the ledger that is charged."""

    data: object
    ledger: Ledger | None
    table: str
    relation: str | None
    missing: object
    schema: list[tuple[str, str]]
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    closed: bool = False
    derived: Mapping[str, Value] = field(default_factory=dict[str, "Value"])
    """Columns that are computed from those of the data, row by row."""

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        told = getattr(error, "__notes__", ())  # such as that nothing was released
        if isinstance(error, KeyboardInterrupt) and self.ledger is not None and not told:
            error.add_note(_KEPT)
        self.close()

    def close(self) -> None:
        """Release nothing more; the ledger file is closed for this thread."""
        self.closed = True
        if self.ledger is None:
            return
        try:
            self.ledger.close()
        except BaseException as error:  # such as an interrupt, after all answers were kept
            error.add_note(_KEPT)
            raise

    def check_open(self, purpose: str | None = None, *, reuse: bool = False) -> None:
        """Refuse a closed session, and ``reuse`` or ``purpose`` without a ledger."""
        if self.closed:
            raise ParameterError("this session is closed; open the data again")
        if self.ledger is None and (parse_flag(reuse, "reuse") or purpose is not None):
            raise ParameterError("reuse=True and purpose= need a ledger; give ledger= and dataset=")

    def opened(self, statistics: Collection[SpecifiedStatistic]) -> object:
        """The data as a table with a known schema, opened once for the whole call.

        Graphs, pairs of columns, lists and arrays stay as they are: the statistic says whether they
        are one column or several, and opening them costs nothing.
        """
        if statistics and all(specified.counts_edges for specified in statistics):
            return self.data
        plain = isinstance(self.data, (tuple, list, np.ndarray))
        if plain:
            return self.data
        table = open_table(self.data, **self.options)
        return table.derive(self.derived) if self.derived else table


def check_call(
    source: Source,
    subset: Subset,
    statistic: object,
    epsilon: object,
    weights: object,
    mechanism: object,
) -> dict[str, CallItem]:
    """Refuse whatever can be refused, for all statistics of the call."""
    total = parse_total(epsilon)
    groups: dict[str, str] = {}
    if subset.keys is not None:
        times = subset.times(source.relation or "replace-one")
        groups = {"groups": str(subset.groups), "times": str(times)}
    if not is_mapping(statistic):
        if weights is not None:
            raise ParameterError("weights= needs several statistics, {'name': statistic, ...}")
        how_split = {"epsilon": str(total), "share": "1", **groups} if groups else {}
        specified = SpecifiedStatistic.of(statistic)
        data = source.opened([specified])
        return {NAMELESS: _request(source, data, subset, specified, total, mechanism, how_split)}
    named = parse_several(statistic)
    several = {name: SpecifiedStatistic.of(one) for name, one in named.items()}
    shares = split(total, list(several), weights)
    data = source.opened(several.values())
    return {
        name: _request(
            source,
            data,
            subset,
            several[name],
            share,
            _mechanism_for(name, mechanism, several),
            {"epsilon": str(total), "share": str(share / total), **groups},
        )
        for name, share in shares.items()
    }


def _request(
    source: Source,
    data: object,
    subset: Subset,
    specified: SpecifiedStatistic,
    epsilon: Fraction,
    mechanism: object,
    how_split: dict[str, str],
) -> CallItem:
    if specified.counts_edges:
        data = source.data
    named = {
        *specified.columns,
        *(name for name, _ in subset.clocks()),
        *subset.presence_columns(),
    }
    with releasing():
        # persons keep the same rows whatever is asked of them
        if isinstance(data, Table) and subset.unit is None:
            data = data.narrowed(named)
        options = source.options if data is source.data else {}
        missing = _missing(source, specified)
        prepared = plan(specified, data, source.relation, missing, subset=subset, **options)
        chosen = choose_mechanism(
            mechanism, specified.statistic, prepared.profile_relation, persons=prepared.stride > 1
        )
        check_rows(epsilon, prepared.stride)
        kind = kind_of(prepared, chosen, epsilon)
    label = None
    if source.ledger is not None:
        used = named & source.derived.keys()
        values = {name: source.derived[name] for name in sorted(used)}
        label = release_label(
            table=source.table,
            columns=source.schema,
            statistic=specified.statistic.own,
            mechanism=chosen.own,
            epsilon=epsilon,
            relation=prepared.relation,
            missing=missing,
            options=source.options,
            subset=subset,
            **({"values": values} if values else {}),
        )
    marks = source.options.get("missing_values")
    missing_note = "" if marks is None else f"entries that count as missing: {[*map(str, marks)]}"
    return CallItem(kind, label, how_split, missing_note)


def _missing(source: Source, specified: SpecifiedStatistic) -> object:
    """The policy for missing entries; those of a computed column are always left out.

    The session's policy is about the entries of the data. A computed value is missing where a
    condition leaves its row out.
    """
    computed = any(name in source.derived for name in specified.columns)
    return source.missing if source.missing is None or not computed else "drop"


def _mechanism_for(name: str, mechanism: object, names: Mapping[str, object]) -> object:
    if not is_mapping(mechanism):
        return mechanism
    unknown = [str(key) for key in mechanism if key not in names]
    if unknown:
        raise ParameterError(f"mechanism= names statistics not in this call: {', '.join(unknown)}")
    return mechanism.get(name)


def kind_of(plan: StatisticPlan, mechanism: Mechanism, epsilon: Fraction) -> Kind:
    """The kind of an answer, rehearsed on an empty table.

    A kind is loaded when it is needed: most processes release only numbers.

    Raises
    ------
    ParameterError, ParameterTypeError
        If parameters do not fit together.
    """
    statistic, subset = plan.statistic, plan.subset
    if subset.searched_groups is not None:
        from leastnoise.session.kinds.found_rows import FoundGroups

        return FoundGroups(plan, subset.searched_groups, mechanism, epsilon, kind_of)
    counted = _counted_entries(plan, mechanism, epsilon)
    if counted is not None:
        return counted
    if subset.searched is not None:
        from leastnoise.session.kinds.found_rows import FoundRows

        return FoundRows(plan, subset.searched, mechanism, epsilon, kind_of)
    if isinstance(statistic, WithInterval):
        from leastnoise.session.kinds.interval import interval_kind

        return interval_kind(plan, statistic, mechanism, epsilon)
    if isinstance(statistic, VectorStatistic):
        limited = _limited_vector(plan, statistic, mechanism, epsilon)
        if limited is not None:
            return limited
        from leastnoise.session.kinds.vector import Vector

        return Vector(plan, statistic, mechanism, epsilon)
    if isinstance(statistic, KeyStatistic):
        from leastnoise.session.kinds.keys import Keys

        return Keys(plan, statistic, mechanism, epsilon)
    if statistic.searched is not None:
        from leastnoise.mechanisms.bracket import BoundsSearch

        if isinstance(mechanism, BoundsSearch):
            from leastnoise.session.kinds.searched import Searched

            return Searched(plan, statistic.searched, mechanism, epsilon)
    match plan.request:
        case MomentRequest() | SpreadRequest() as moments:
            limited = _limited(plan, moments, mechanism, epsilon)
            if limited is not None:
                return limited
        case RankRequest() as ranks if isinstance(statistic, JointStatistic):
            from leastnoise.mechanisms.bracket import BoundsSearch
            from leastnoise.mechanisms.joint.mechanism import JointMechanism

            if isinstance(mechanism, BoundsSearch):
                from leastnoise.params import PrivateBounds
                from leastnoise.session.kinds.searched import Searched

                return Searched(plan, PrivateBounds(), mechanism, epsilon)
            if isinstance(mechanism, JointMechanism):
                from leastnoise.session.kinds.joint import Joint

                return Joint(plan, statistic, ranks, mechanism, epsilon)
        case _:
            pass
    return _limited_losses(plan, mechanism, epsilon) or Numbers(plan, mechanism, epsilon)


def _counted_entries(plan: StatisticPlan, mechanism: Mechanism, epsilon: Fraction) -> Kind | None:
    """The kind of a number of different entries of persons; None of anything else."""
    from leastnoise.mechanisms.private_limits import PrivateLimits
    from leastnoise.mechanisms.row_limits import searches_entries
    from leastnoise.summaries.distinct import DistinctRequest

    match plan.request:
        case DistinctRequest() if plan.stride > 1:
            pass
        case _:
            return None
    by_default = isinstance(mechanism, PrivateLimits)
    searched = plan.subset.searched
    if searched is None and by_default and not searches_entries(plan.stride):
        mechanism = plan.statistic.settled_mechanism(plan.profile_relation)
        return Numbers(plan, mechanism, epsilon)
    if searched is None and not by_default:
        return None
    from leastnoise.params import PrivateLimit
    from leastnoise.session.kinds.found_entries import FoundEntries

    return FoundEntries(plan, searched or PrivateLimit(), mechanism, epsilon, kind_of)


def _limited_losses(plan: StatisticPlan, mechanism: Mechanism, epsilon: Fraction) -> Kind | None:
    """The kind of a mean of distances with private limits; None if none are asked for."""
    from leastnoise.mechanisms.private_limits import PrivateLimits

    if not isinstance(mechanism, PrivateLimits):
        return None
    from leastnoise.session.kinds.limited_losses import LimitedLosses
    from leastnoise.summaries.losses import Distance
    from leastnoise.summaries.pairs import LossRequest

    match plan.request:
        case LossRequest(loss=Distance() as distance) as losses:
            return LimitedLosses(plan, losses, distance, mechanism, epsilon)
        case _:
            return None


def _limited(
    plan: StatisticPlan,
    moments: MomentRequest | SpreadRequest,
    mechanism: Mechanism,
    epsilon: Fraction,
) -> Kind | None:
    """The kind of a sum, mean or spread with private limits; None if none are asked for."""
    from leastnoise.mechanisms.private_limits import PrivateLimits

    if not isinstance(mechanism, PrivateLimits):
        return None
    from leastnoise.session.kinds.limited import Limited, is_narrow
    from leastnoise.session.kinds.person_means import PersonMeans
    from leastnoise.session.kinds.persons import PersonSums, persons_of
    from leastnoise.statistics.totals.mean import Mean
    from leastnoise.statistics.totals.sum import Sum

    match plan.statistic, moments:
        case Sum() as total, MomentRequest():
            persons = persons_of(plan, moments, total.max_rows)
            if persons is not None:
                return PersonSums(plan, persons, mechanism, epsilon)
        case one, SpreadRequest() if one.summed == 1 and plan.stride > 1:
            return _person_spread(plan, moments, mechanism, epsilon)
        case Mean(), MomentRequest() if plan.clock is None and not is_narrow(plan, moments):
            persons = persons_of(plan, moments)
            if persons is not None:
                return PersonMeans(plan, moments, persons, mechanism, epsilon)
        case _:
            pass
    return Limited(plan, moments, mechanism, epsilon)


def _person_spread(
    plan: StatisticPlan, moments: SpreadRequest, mechanism: PrivateLimits, epsilon: Fraction
) -> Kind:
    """The kind of a variance or deviation of persons with several rows."""
    from leastnoise.mechanisms.person_means import adds_up_squares
    from leastnoise.session.kinds.limited import is_narrow
    from leastnoise.session.kinds.person_spreads import PersonSpreads
    from leastnoise.session.kinds.persons import persons_of

    if plan.clock is None and adds_up_squares(plan.stride, narrow=is_narrow(plan, moments)):
        persons = persons_of(plan, moments)
        if persons is not None and persons.squares(persons.rows.lattice.low) is not None:
            return PersonSpreads(plan, persons, mechanism, epsilon)
    return Numbers(plan, plan.statistic.settled_mechanism(plan.profile_relation), epsilon)


def _limited_vector(
    plan: StatisticPlan, statistic: VectorStatistic, mechanism: Mechanism, epsilon: Fraction
) -> Kind | None:
    """The kind of a vector with private limits; None if none are asked for."""
    from leastnoise.mechanisms.private_limits import PrivateLimits
    from leastnoise.summaries.vectors import VectorRequest

    match mechanism, plan.request:
        case PrivateLimits(), VectorRequest() as request:
            from leastnoise.session.kinds.limited_vector import LimitedVector

            return LimitedVector(plan, statistic, request, mechanism, epsilon)
        case _:
            return None


def profile_of(plan: StatisticPlan, table: Table) -> Profile | Scores | VectorProfile:
    """NOT PRIVATE. The profile of a table, deep enough for every mechanism.

    Raises
    ------
    ParameterError
        If the statistic has several answers; checked before the table is read.
    """
    statistic, request = plan.statistic, plan.request
    if isinstance(statistic, VectorStatistic):
        return statistic.vector(table.summarise(request, 0), request, plan.profile_relation)
    plan.direct(request.empty(1))
    found = plan.direct(table.summarise(request, None))
    return found if isinstance(found, Scores) else found.in_users_units()
