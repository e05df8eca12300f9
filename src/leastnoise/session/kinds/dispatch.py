"""The one place that tells kinds of answers apart."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.frames.memory.summarise import summarise
from leastnoise.mechanisms.bracket import BoundsSearch
from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.profiles import Profile, Scores
from leastnoise.session.kinds.numbers import Numbers
from leastnoise.statistics.statistic import JointStatistic, KeyStatistic, VectorStatistic
from leastnoise.statistics.totals.sum import Sum
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
    match plan.statistic, mechanism, plan.request:
        case WithInterval() as asked, _, _:
            from leastnoise.session.kinds.interval import interval_kind

            return interval_kind(plan, asked, mechanism, epsilon)
        case VectorStatistic() as statistic, _, _:
            from leastnoise.session.kinds.vector import Vector

            return Vector(plan, statistic, mechanism, epsilon)
        case KeyStatistic() as statistic, _, _:
            from leastnoise.session.kinds.keys import Keys

            return Keys(plan, statistic, mechanism, epsilon)
        case statistic, BoundsSearch(), _ if statistic.searched is not None:
            from leastnoise.session.kinds.searched import Searched

            return Searched(plan, statistic.searched, mechanism, epsilon)
        case statistic, PrivateLimits() as limits, MomentRequest() as moments:
            from leastnoise.session.kinds.limited import Limited
            from leastnoise.session.kinds.persons import PersonSums, persons_of

            if isinstance(statistic, Sum):
                persons = persons_of(plan, statistic, moments)
                if persons is not None:
                    return PersonSums(plan, persons, limits, epsilon)
            return Limited(plan, moments, limits, epsilon)
        case JointStatistic() as statistic, JointMechanism(), RankRequest() as ranks:
            from leastnoise.session.kinds.joint import Joint

            return Joint(plan, statistic, ranks, mechanism, epsilon)
        case _:
            return Numbers(plan, mechanism, epsilon)


def profile_of(plan: Plan, table: Table) -> Profile | Scores | VectorProfile:
    """NOT PRIVATE. What mechanisms read of a table, for every mechanism.

    Raises
    ------
    ParameterError
        If the statistic has several answers; checked before the table is read.
    """
    statistic, request = plan.statistic, plan.request
    if isinstance(statistic, VectorStatistic):
        return statistic.vector(summarise(table, request, 0), request, plan.profile_relation)
    plan.direct(request.empty(1))
    found = plan.direct(summarise(table, request, None))
    return found if isinstance(found, Scores) else found.in_users_units()
