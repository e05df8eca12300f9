"""Releases of private keys: which entries of a column enough rows or persons have."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from leastnoise import randomness
from leastnoise.errors import ParameterTypeError
from leastnoise.frames.keys import check_keys
from leastnoise.frames.summarise import summarise
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.key_selection import KeySelection
from leastnoise.params import parse_delta
from leastnoise.record import Release, SimulatedRelease
from leastnoise.sampling.keep import KeepChances
from leastnoise.session.prepare import Plan
from leastnoise.summaries.keys import KeySummary


def rehearse_keys(prepared: Plan, mechanism: Mechanism) -> None:
    """Errors of parameters come now."""
    if not isinstance(mechanism, KeySelection):
        raise ParameterTypeError(
            f"PrivateKeys has a mechanism of its own, and {mechanism.name} is for numbers: leave "
            "out mechanism="
        )
    check_keys(prepared.table)


def key_shares(
    prepared: Plan, mechanism: Mechanism, epsilon: Fraction
) -> tuple[Fraction, Fraction]:
    """Epsilon and delta of one key: the whole over all keys that one row or person can change."""
    reached = prepared.statistic.reached(prepared.profile_relation, prepared.stride)
    return epsilon / reached, parse_delta(cast("KeySelection", mechanism).delta) / reached


def counts_of_keys(prepared: Plan) -> list[tuple[Any, int]]:
    """NOT PRIVATE. The count of every key that occurs, in the order of the keys."""
    summary = cast("KeySummary", summarise(prepared.table, prepared.request, 0))
    return sorted(cast("Any", summary.counts).items())  # all text, or all numbers


def draw_keys(prepared: Plan, mechanism: Mechanism, epsilon: Fraction) -> Release:
    """Count once, draw for every key that occurs, write the record."""
    share, delta = key_shares(prepared, mechanism, epsilon)
    chances, source = KeepChances(share, delta), randomness.active()
    kept = [key for key, count in counts_of_keys(prepared) if chances.draw(count, source)]
    kind = SimulatedRelease if randomness.simulating() else Release
    return kind(
        value=kept,
        statistic="PrivateKeys",
        column=prepared.request.column,
        guarantee=mechanism.guarantee(epsilon, prepared.scope),
        mechanism=mechanism.name,
        relation=prepared.relation,
        profile_relation=prepared.profile_relation,
        n_public=prepared.n_public,
        missing=prepared.request.missing.name,
        step="1",
        sensitivity="global",
        parts={"each key": str(share), "delta of each key": str(delta)},
        notes=("keys that few have are seldom shown",),
        secure=not randomness.simulating(),
    )
