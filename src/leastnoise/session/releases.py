"""The draw: from checked parameters to private values and their record."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from leastnoise import randomness
from leastnoise.frames.summarise import empty_summary, summarise
from leastnoise.guarantees import Scope
from leastnoise.laws import Law, saturated
from leastnoise.mechanisms import Gaussian, Laplace, Mechanism
from leastnoise.mechanisms.joint import JointMechanism
from leastnoise.profiles import Profile, on_grid
from leastnoise.record import Release, Scalar, SimulatedRelease
from leastnoise.session.prepare import Plan
from leastnoise.summaries.spec import RowRequest

# Below this no table on earth has enough rows for an answer.
_NOISE_ONLY = Fraction(1, 10**6)


def draw_plan(prepared: Plan, mechanism: Mechanism, epsilon: Fraction) -> Release:
    """Read the data, draw, and write the record; everything was rehearsed before."""
    if isinstance(mechanism, JointMechanism):
        from leastnoise.session.joint import draw_joint  # only for answers drawn together

        return draw_joint(prepared, mechanism, epsilon)
    parts = len(prepared.profiles(empty_summary(prepared.request, 1)))
    share = epsilon / prepared.shares(parts)
    depth = mechanism.depth(share, prepared.range_bits)
    # profiles of differences look a few ranks beyond the level they are asked for
    summary = summarise(prepared.table, prepared.request, depth + 8 if depth else 0)
    profiles = prepared.profiles(summary)
    values = [_draw(mechanism.law(profile, share), profile) for profile in profiles]
    return _record(prepared, mechanism, epsilon, profiles, values)


def _draw(law: Law, profile: Profile) -> Scalar:
    """One exact draw, cut to the public range where the statistic says so."""
    point = law.draw(randomness.active())
    if profile.clamp:
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
    guarantee = mechanism.guarantee(epsilon, Scope(prepared.relation, "row"))
    lattice = None if isinstance(request, RowRequest) else request.lattice
    grid = on_grid(profiles[0])
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
        step=str(grid.step),
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
    if epsilon < _NOISE_ONLY:
        notes.append("noise swamps the data: epsilon is below 1e-6")
    if epsilon > 10:
        notes.append("weak guarantee: epsilon is above 10")
    return tuple(notes)
