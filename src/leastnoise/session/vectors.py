"""Releases of vectors: several numbers that get their noise together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from leastnoise import randomness
from leastnoise.errors import ParameterTypeError
from leastnoise.frames.summarise import empty_summary, summarise
from leastnoise.geometry import Ball
from leastnoise.laws.vector import VectorLaw
from leastnoise.mechanisms import Gaussian
from leastnoise.profiles.vector import VectorProfile
from leastnoise.record import Release, SimulatedRelease
from leastnoise.record.notes import of_epsilon
from leastnoise.session.prepare import Plan
from leastnoise.summaries.vectors import VectorRequest


def vector_profile(prepared: Plan, *, empty: bool) -> VectorProfile:
    """NOT PRIVATE unless ``empty``. The profile of the data, or of a table without rows."""
    request = cast("Any", prepared.request)
    summary = empty_summary(request, 0) if empty else summarise(prepared.table, request, 0)
    return prepared.statistic.vector(summary, request, prepared.profile_relation)


def rehearse_vector(prepared: Plan, mechanism: Any, epsilon: Fraction) -> None:
    """The law of an empty table: errors of parameters come now."""
    profile = vector_profile(prepared, empty=True)
    if not getattr(mechanism, "for_vectors", False) and type(mechanism) is not Gaussian:
        raise ParameterTypeError(
            f"{type(prepared.statistic).__name__} is a vector, and {mechanism.name} is for one "
            "number; use KNorm() or Gaussian(delta=)"
        )
    _law(mechanism, profile, epsilon, prepared.stride)


def _law(mechanism: Any, profile: VectorProfile, epsilon: Fraction, stride: int) -> VectorLaw:
    """The law where a person has at most ``stride`` rows.

    The rows are changed one after the other, each within its share of epsilon; with Gaussian noise
    they move the vector by at most ``stride`` sensitivities, and its one delta is for all of them.
    """
    if isinstance(mechanism, Gaussian):
        each = profile.sensitivity

        def several(ball: Ball) -> Fraction:
            return stride * each(ball)

        return mechanism.law(replace(profile, sensitivity=several), epsilon)
    return mechanism.law(profile, epsilon / stride)


def draw_vector(prepared: Plan, mechanism: Any, epsilon: Fraction) -> Release:
    """Read the data once, draw the vector, write the record."""
    statistic, relation = prepared.statistic, prepared.profile_relation
    request = cast("VectorRequest", prepared.request)
    profile = vector_profile(prepared, empty=False)
    points = _law(mechanism, profile, epsilon, prepared.stride).draw(randomness.active())
    exact = [point * unit for point, unit in zip(points, profile.units, strict=True)]
    kind = SimulatedRelease if randomness.simulating() else Release
    # under replace-one the number of rows is public and no coordinate
    rows = cast("Any", prepared.table).row_count() if prepared.n_public else None
    named = mechanism.name
    if getattr(mechanism, "ball", named) is None:
        named = f"{type(mechanism).__name__}({profile.default_ball!r})"
    return kind(
        value=statistic.combine(exact, rows, request),
        statistic=type(statistic).__name__,
        column=request.column,
        guarantee=mechanism.guarantee(epsilon, prepared.scope),
        mechanism=named,
        relation=prepared.relation,
        profile_relation=relation,
        n_public=prepared.n_public,
        missing=request.missing.name,
        bounds=None,
        step=", ".join(sorted({str(unit) for unit in profile.units})),
        sensitivity="global" if profile.radius is None else "instance",
        notes=of_epsilon(epsilon),
        secure=not randomness.simulating(),
    )
