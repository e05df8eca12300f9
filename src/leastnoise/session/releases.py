"""The draw: from checked parameters to private values and their records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from leastnoise import randomness
from leastnoise.frames.summarise import empty_summary, summarise
from leastnoise.frames.table import Table
from leastnoise.laws import Law, saturated
from leastnoise.mechanisms import Gaussian, Laplace, Mechanism
from leastnoise.mechanisms.joint import JointMechanism
from leastnoise.profiles import Profile, Scores, on_grid
from leastnoise.record import Release, Scalar, SimulatedRelease
from leastnoise.record.notes import of_epsilon
from leastnoise.session.prepare import Plan
from leastnoise.summaries.keys import KeyRequest
from leastnoise.summaries.spec import RowRequest
from leastnoise.summaries.vectors import VectorRequest


def draw_plan(prepared: Plan, mechanism: Mechanism, epsilon: Fraction) -> Release:
    """Read the data, draw, and write the record; everything was rehearsed before."""
    return draw_parts(prepared, mechanism, epsilon, [prepared.table])[0]


def draw_parts(
    prepared: Plan, mechanism: Mechanism, epsilon: Fraction, tables: Sequence[Table]
) -> list[Release]:
    """The same for each of several tables, such as the groups of one."""
    if isinstance(prepared.request, VectorRequest):
        from leastnoise.session.vectors import draw_vector  # only for vectors

        return [draw_vector(replace(prepared, table=t), mechanism, epsilon) for t in tables]
    if isinstance(prepared.request, KeyRequest):
        from leastnoise.session.keys import draw_keys  # only where keys are private

        return [draw_keys(replace(prepared, table=t), mechanism, epsilon) for t in tables]
    if isinstance(mechanism, JointMechanism):
        return [_draw_joint(replace(prepared, table=t), mechanism, epsilon) for t in tables]
    parts = len(prepared.profiles(empty_summary(prepared.request, 1)))
    share = epsilon / prepared.shares(parts)
    levels = prepared.levels(mechanism, share)
    records: list[Release] = []
    for table in tables:
        profiles = prepared.profiles(summarise(table, prepared.request, levels))
        values = [_draw(mechanism.law(profile, share), profile) for profile in profiles]
        records.append(_record(prepared, mechanism, epsilon, profiles, values))
    return records


def _draw_joint(prepared: Plan, mechanism: JointMechanism, epsilon: Fraction) -> Release:
    from leastnoise.session.joint import draw_joint  # only for answers drawn together

    if prepared.stride == 1:
        return draw_joint(prepared, mechanism, epsilon)
    share = epsilon / prepared.stride
    record = draw_joint(prepared.by_rows(), mechanism, share)
    note = f"each of the {prepared.stride} rows of a person has epsilon {share}"
    note += ", which the parts share" if record.parts else ""
    return replace(record, notes=(*of_epsilon(epsilon), note))


def _draw(law: Law, profile: Profile) -> Scalar:
    """One exact draw, cut to the public range where the statistic says so."""
    point = law.draw(randomness.active())
    if not isinstance(cast("object", profile), Scores) and profile.clamp:
        grid = on_grid(profile)
        if grid.low is not None:
            point = max(point, grid.low)
        if grid.high is not None:
            point = min(point, grid.high)
    return law.value_of(point)


def _record(
    prepared: Plan,
    mechanism: Mechanism,
    epsilon: Fraction,
    profiles: list[Profile],
    values: list[Scalar],
) -> Release:
    statistic, request = prepared.statistic, prepared.request
    parts = len(profiles)
    guarantee = mechanism.guarantee(epsilon, prepared.scope)
    lattice = None if isinstance(request, RowRequest) else request.lattice
    step = Fraction(1)  # of places among declared answers
    if not isinstance(cast("object", profiles[0]), Scores):
        step = on_grid(profiles[0]).step
    public_noise = isinstance(mechanism, (Laplace, Gaussian))
    noise = None
    if public_noise and parts == 1:
        noise = saturated(mechanism.noise_scale(profiles[0], epsilon))
    kind = SimulatedRelease if randomness.simulating() else Release
    return kind(
        value=statistic.combine(values) if hasattr(statistic, "combine") else values[0],
        statistic=type(statistic).__name__,
        column=request.column,
        guarantee=guarantee,
        mechanism=mechanism.name,
        relation=prepared.relation,
        profile_relation=prepared.profile_relation,
        n_public=prepared.n_public,
        missing=request.missing.name,
        bounds=None
        if lattice is None
        else (lattice.number(lattice.low), lattice.number(lattice.high)),
        step=str(step),
        sensitivity="global" if public_noise else "instance",
        noise_scale=noise,
        noise=None if noise is None else type(mechanism).__name__,
        parts=_parts(prepared, mechanism, epsilon, parts),
        axes=getattr(statistic, "axes", ()),
        notes=_notes(statistic, epsilon),
        secure=not randomness.simulating(),
    )


def _parts(prepared: Plan, mechanism: Mechanism, epsilon: Fraction, parts: int) -> dict[str, str]:
    """How epsilon was split: over the parts of the answer, or inside the mechanism."""
    share = epsilon / prepared.shares(parts)
    if parts > 1 and hasattr(prepared.statistic, "touched"):
        return {"each cell": str(share)}
    if parts > 1:
        return {f"part {i + 1}": str(share) for i in range(parts)}
    inner = getattr(mechanism, "parts", None)
    return {} if inner is None else {name: str(part) for name, part in inner(share).items()}


def _notes(statistic: Any, epsilon: Fraction) -> tuple[str, ...]:
    notes: list[str] = list(getattr(statistic, "notes", ()))
    if getattr(statistic, "nonnegative", False):
        notes.append("biased: negative answers were cut to 0")
    return (*notes, *of_epsilon(epsilon))
