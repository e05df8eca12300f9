"""Releases of several numbers that are drawn together, from one joint law.

A joint statistic gives ``joint_law(summary, relation, epsilon)``, whose ``draw`` returns lattice
points, and ``parts(relation, epsilon)``, how epsilon is spent, for the record. Its default
mechanism is a ``JointMechanism``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from leastnoise import randomness
from leastnoise.frames.summarise import (
    empty_summary,
    summarise_between,
    summarise_records,
)
from leastnoise.mechanisms.bracket import BoundsSearch
from leastnoise.mechanisms.joint import JointMechanism
from leastnoise.randomness import BitSource
from leastnoise.record import Release, SimulatedRelease
from leastnoise.record.notes import of_epsilon
from leastnoise.session.prepare import Plan
from leastnoise.session.unknown_bounds import draw_unbounded, rehearse_unbounded
from leastnoise.summaries.spec import RankRequest


class JointLaw(Protocol):
    """NOT PRIVATE. The law of several lattice points."""

    def draw(self, source: BitSource) -> Sequence[int]:
        """One exact draw."""
        ...


def rehearse_joint(prepared: Plan, mechanism: JointMechanism, epsilon: Fraction) -> None:
    """The law of an empty table: errors of parameters come now."""
    if isinstance(mechanism, BoundsSearch):
        rehearse_unbounded(prepared, mechanism)
        return
    summary = empty_summary(_request(prepared), None)
    prepared.statistic.joint_law(summary, prepared.profile_relation, epsilon)


def _request(prepared: Plan) -> RankRequest:
    request = prepared.request
    if not isinstance(request, RankRequest):
        raise TypeError("a joint statistic asks for ranks")
    return replace(request, at=request.at[:1])  # one sorted array serves every order


def draw_joint(prepared: Plan, mechanism: JointMechanism, epsilon: Fraction) -> Release:
    """Draw all numbers, write the record."""
    if isinstance(mechanism, BoundsSearch):
        return draw_unbounded(prepared, mechanism, epsilon)
    statistic, relation = prepared.statistic, prepared.profile_relation
    name, request = type(statistic).__name__, _request(prepared)
    if hasattr(statistic, "candidates"):  # answers come from public candidates
        cuts = statistic.candidates(request.lattice)
        summary = summarise_between(prepared.table, request, cuts)
    else:
        summary = summarise_records(prepared.table, request)
    law: JointLaw = statistic.joint_law(summary, relation, epsilon)
    points = law.draw(randomness.active())
    lattice = request.lattice
    values = [lattice.number(point) for point in points]
    kind = SimulatedRelease if randomness.simulating() else Release
    return kind(
        value=statistic.combine(values) if hasattr(statistic, "combine") else values,
        statistic=name,
        column=request.column,
        guarantee=mechanism.guarantee(epsilon, prepared.scope),
        mechanism=mechanism.name,
        relation=prepared.relation,
        profile_relation=relation,
        n_public=prepared.n_public,
        missing=request.missing.name,
        bounds=(lattice.number(lattice.low), lattice.number(lattice.high)),
        step=str(lattice.step),
        sensitivity="instance",
        parts=statistic.parts(relation, epsilon),
        axes=getattr(statistic, "axes", ()),
        notes=of_epsilon(epsilon),
        secure=not randomness.simulating(),
    )
