"""A verdict on a vector statistic: what one record changes, and the noise it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import sqrt
from typing import Any

from leastnoise.geometry import Ball
from leastnoise.mechanisms.k_norm import KNorm
from leastnoise.params import parse_count, parse_list, parse_relation
from leastnoise.profiles.vector import VectorProfile
from leastnoise.sampling.reals import RealVector
from leastnoise.session.prepare import plan
from leastnoise.testing import goodness
from leastnoise.testing.violations import Subject, check_kind

RELATIONS = ("replace-one", "add-remove", "edit")
_EPSILON = Fraction(3, 4)
# A sound sampler fails one of a million checks, and the streams are fixed.
_DEVIATIONS = 5.0


def check_vector(
    statistic: Any,
    universe: Sequence[Sequence[Any]],
    *,
    n: int = 2,
    relations: Sequence[str] = RELATIONS,
    balls: Sequence[str | Ball] = ("linf",),
    draws: int = 300,
) -> int:
    """Enumerate every pair of neighbours of at most ``n`` rows, and measure the noise.

    Parameters
    ----------
    statistic
        With ``spec()`` and ``vector(summary, request, relation)``.
    universe : list of rows
        Every record of the small world; rows hold numbers, or None where one is missing.
    n : int
        Tables have at most this many rows.
    relations : list of text
        Which relations to try, with missing="none"; and "edit" once more with missing="drop".
    balls : list of names or balls
        Which balls to try; one that the statistic does not know under a relation is a
        ``ParameterError``.
    draws : int
        Draws of each law.

    Returns
    -------
    int
        The number of pairs that were compared.

    Raises
    ------
    ParameterError, ParameterTypeError
        For impossible parameters, and for anything but a statistic of vectors.
    SchemaError
        For rows of another length than the statistic has columns.
    PrivacyViolation
        If a difference has a norm above the stated sensitivity, if more digits of a draw are those
        of another draw, or if the norm of the noise is not that of its Gamma law.
    """
    check_kind(statistic, "statistic", "vector")
    universe, n = parse_list(universe, "universe", "rows"), parse_count(n, "n", least=0)
    relations = [parse_relation(r) for r in parse_list(relations, "relations", "names")]
    draws = parse_count(draws, "draws")
    subject = Subject(f"{statistic!r}")
    pairs = 0
    for relation in relations:
        for missing in ("none", "drop") if relation == "edit" else ("none",):
            for x, y in _neighbours(universe, n, relation):
                pairs += 1
                one, two = (_profile(statistic, rows, relation, missing) for rows in (x, y))
                for ball in balls:
                    _compare(subject, one, two, ball, f"{relation}, tables {x} and {y}")
        for ball in balls:
            _noise(subject, _profile(statistic, [], relation, "none"), ball, draws)
    return pairs


def _neighbours(universe: Sequence[Any], n: int, relation: str) -> Iterator[tuple[list[Any], ...]]:
    # sums do not see the order of rows, so common rows are multisets
    for size in range(n):
        for common in combinations_with_replacement(universe, size):
            for i, row in enumerate(universe):
                if relation != "replace-one":
                    yield list(common), [*common, row]
                if relation != "add-remove":
                    for other in universe[:i]:
                        yield [*common, row], [*common, other]


def _profile(statistic: Any, rows: Sequence[Any], relation: str, missing: str) -> VectorProfile:
    prepared = plan(statistic, list(rows), relation, missing)
    request: Any = prepared.request
    summary = prepared.table.summarise(request, 0)
    return statistic.vector(summary, request, prepared.profile_relation)


def _ball(profile: VectorProfile, ball: str | Ball) -> tuple[Ball, Fraction]:
    return profile.named(ball) if isinstance(ball, str) else (ball, profile.sensitivity(ball))


def _compare(
    subject: Subject, one: VectorProfile, two: VectorProfile, ball: str | Ball, place: str
) -> None:
    if one.units != two.units:
        raise subject.violation("the lattice is public", f"it differs under {place}")
    found, sensitivity = _ball(one, ball)
    change = [(a - b) * unit for a, b, unit in zip(one.value, two.value, one.units, strict=True)]
    norm = found.bound(change)
    if norm > sensitivity:
        raise subject.violation(
            "one record changes the vector by at most its sensitivity",
            f"the norm in {found.name} is {norm}, the sensitivity {sensitivity}, under {place}",
        )


def _noise(subject: Subject, profile: VectorProfile, ball: str | Ball, draws: int) -> None:
    found, sensitivity = _ball(profile, ball)
    law = KNorm(ball).law(profile, _EPSILON)
    source = goodness.stream(f"vectors {found.name}")
    norms: list[float] = []
    for _ in range(draws):
        vector = law.draw_real(source)
        _nested(subject, vector)
        norms.append(found.norm(vector.floats()) * float(_EPSILON / sensitivity))
    d = found.dimension
    mean = sum(norms) / draws
    if abs(mean - d) > _DEVIATIONS * sqrt(d / draws):
        raise subject.violation(
            "the norm of the noise has the Gamma law of shape d and rate epsilon / Delta",
            f"in {found.name} its mean is {mean:.3g} of {d} after scaling",
        )


def _nested(subject: Subject, vector: RealVector) -> None:
    """More digits are digits of the same draw."""
    coarse = vector.enclose(8)
    fine = vector.enclose(260)
    for (low, high), (a, b) in zip(coarse, fine, strict=True):
        if low << 252 > b or high << 252 < a:
            raise subject.violation(
                "a draw is refined, never drawn anew", "more digits gave another number"
            )
