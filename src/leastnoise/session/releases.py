"""The one function that publishes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from leastnoise import randomness
from leastnoise.frames.summarise import summarise
from leastnoise.guarantees import Scope
from leastnoise.laws import Law
from leastnoise.mechanisms import Laplace, Mechanism
from leastnoise.params import parse_epsilon
from leastnoise.profiles import Profile, on_grid
from leastnoise.record import Release, Scalar, SimulatedRelease
from leastnoise.session.prepare import Plan, choose_mechanism, plan
from leastnoise.summaries.spec import RowRequest


def release(
    statistic: object,
    data: object,
    *,
    epsilon: object,
    mechanism: object = None,
    relation: str = "replace-one",
    missing: object = None,
    **options: Any,
) -> Release:
    """Publish one statistic of a data set with epsilon-differential privacy.

    Parameters
    ----------
    statistic
        What to publish, such as ``Median(bounds=(0, 500_000))`` or ``Count()``.
    data
        A list, a numpy array, a pandas, Polars or Arrow column or frame, a dict of columns, or the
        path of a CSV (also .gz) or Parquet file. A frame or file needs the statistic's column.
    epsilon : int, float, Decimal, Fraction or text
        The privacy parameter, > 0; a float counts as its shortest decimal text.
    mechanism
        Default: the statistic's own, by a public rule (see its docstring).
    relation : "replace-one", "add-remove" or "edit"
        Which data sets are neighbours. "replace-one": one row is changed and the number of rows of
        the table is public. "add-remove": one row more or less. "edit": either.
    missing : "drop", "none" or a number, optional
        What happens to missing and unparsable values, row by row. Dropping them makes the number
        of remaining rows private. Default: "drop" for columns that can hold missing values.
    **options
        How a file is read: ``separator``, ``decimal``, ``thousands``, ``encoding``, ``header``.

    Returns
    -------
    Release
        ``value``, ``guarantee``, ``mechanism`` and the public record.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        For wrong parameters or a wrong schema, before a value is read and at no cost. After that
        every data set gives a finite value.

    Notes
    -----
    The guarantee holds for one release; the epsilons of several releases add up. Running time is
    not protected.
    """
    exact = parse_epsilon(epsilon)
    prepared = plan(statistic, data, relation, missing, **options)
    chosen = choose_mechanism(mechanism, statistic, prepared.profile_relation)
    return release_plan(prepared, chosen, exact)


def release_plan(prepared: Plan, mechanism: Mechanism, epsilon: Fraction) -> Release:
    """Rehearse on an empty table, read the data, draw, and write the record."""
    parts = len(prepared.rehearse(mechanism, epsilon))
    share = epsilon / parts
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
    noise = None
    if isinstance(mechanism, Laplace) and parts == 1:
        noise = float(mechanism.noise_scale(profiles[0], epsilon))
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
        sensitivity="global" if isinstance(mechanism, Laplace) else "instance",
        noise_scale=noise,
        parts={f"part {i + 1}": str(epsilon / parts) for i in range(parts)} if parts > 1 else {},
        notes=_notes(statistic, epsilon),
        secure=not randomness.simulating(),
    )


def _notes(statistic: Any, epsilon: Fraction) -> tuple[str, ...]:
    notes: list[str] = []
    if getattr(statistic, "nonnegative", False):
        notes.append("biased: negative answers were cut to 0")
    if epsilon > 10:
        notes.append("weak guarantee: epsilon is above 10")
    return tuple(notes)
