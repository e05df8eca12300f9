"""The one place that tells kinds of answers apart."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.profiles import Profile, Scores
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.statistics.statistic import JointStatistic, KeyStatistic, VectorStatistic
from leastnoise.statistics.with_interval import WithInterval
from leastnoise.summaries.spec import MomentRequest, RankRequest

if TYPE_CHECKING:
    from leastnoise.frames import Table
    from leastnoise.mechanisms import Mechanism
    from leastnoise.profiles.vector import VectorProfile
    from leastnoise.session.kinds.kind import Kind
    from leastnoise.session.prepare import Plan


def kind_of(plan: Plan, mechanism: Mechanism, epsilon: Fraction) -> Kind:
    """The kind of an answer, rehearsed on an empty table.

    A kind is loaded where it is asked for: most processes release numbers alone.

    Raises
    ------
    ParameterError, ParameterTypeError
        If parameters do not fit together.
    """
    statistic, subset = plan.statistic, plan.subset
    if subset.searched_groups is not None:
        from leastnoise.session.kinds.found_rows import FoundGroups

        return FoundGroups(plan, subset.searched_groups, mechanism, epsilon, kind_of)
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
        case MomentRequest() as moments:
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
    return Numbers(plan, mechanism, epsilon)


def _limited(
    plan: Plan, moments: MomentRequest, mechanism: Mechanism, epsilon: Fraction
) -> Kind | None:
    """The kind of a sum or mean whose limits are searched for, if that is asked for."""
    from leastnoise.mechanisms.private_limits import PrivateLimits

    if not isinstance(mechanism, PrivateLimits):
        return None
    from leastnoise.session.kinds.limited import Limited
    from leastnoise.session.kinds.persons import PersonSums, persons_of
    from leastnoise.statistics.totals.sum import Sum

    if isinstance(plan.statistic, Sum):
        persons = persons_of(plan, plan.statistic, moments)
        if persons is not None:
            return PersonSums(plan, persons, mechanism, epsilon)
    return Limited(plan, moments, mechanism, epsilon)


def _limited_vector(
    plan: Plan, statistic: VectorStatistic, mechanism: Mechanism, epsilon: Fraction
) -> Kind | None:
    """The kind of a vector whose limits are searched for, if that is asked for."""
    from leastnoise.mechanisms.private_limits import PrivateLimits
    from leastnoise.summaries.vectors import VectorRequest

    match mechanism, plan.request:
        case PrivateLimits(), VectorRequest() as request:
            from leastnoise.session.kinds.limited_vector import LimitedVector

            return LimitedVector(plan, statistic, request, mechanism, epsilon)
        case _:
            return None


def profile_of(plan: Plan, table: Table) -> Profile | Scores | VectorProfile:
    """NOT PRIVATE. What mechanisms read of a table, for every mechanism.

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
