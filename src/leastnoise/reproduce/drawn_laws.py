"""Durfee (2024), Figures 5 to 7: the two scores, and the laws of the two mechanisms, drawn.

The function's bounds are made up: one changed record moves the answer by ``STEP`` upwards, and by
as much (symmetric) or a tenth of it (asymmetric) downwards, at most ``LEVELS`` times. It counts as
monotone: e1 = e2 = epsilon / 2. Candidates are as far apart as a record moves the answer up, or
every whole number is one. As in the paper's pictures an answer is drawn evenly over the interval
that ends at the candidate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws import AboveThresholdLaw, Law
from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    InverseSensitivity,
    Mechanism,
    PiecewiseLaplace,
)
from leastnoise.profiles import Profile
from leastnoise.reproduce.panels import Panel, Settings

Floats = NDArray[np.float64]
STEP = 40
LEVELS = 20
VALUE = STEP * LEVELS
# by name, with the lattice of its answers
WALK = AsymmetricSensitivity(spacing="uniform", split=1)
MECHANISMS: dict[str, tuple[Mechanism, int]] = {
    "inverse sensitivity": (InverseSensitivity(), 1),
    f"asymmetric, candidates {STEP} apart": (WALK, STEP),
    "asymmetric, candidates 1 apart": (WALK, 1),
    "asymmetric, fitted candidates (ours)": (AsymmetricSensitivity(beta="auto"), 1),
    "piecewise Laplace (ours)": (PiecewiseLaplace(), 1),
}


def bounds(down: int, lattice: int = 1) -> Profile:
    """NOT PRIVATE. A profile whose lower bounds fall by ``down`` a record."""
    return Profile(
        value=VALUE,
        lower=lambda level: VALUE - down * min(level, LEVELS),
        upper=lambda level: VALUE + STEP * min(level, LEVELS),
        support=(VALUE - down * LEVELS, VALUE + STEP * LEVELS),
        integral=lattice == 1,
        resolution=lattice,
        monotone=True,
    )


def scores(settings: Settings) -> Iterator[Panel]:
    """Figure 5: the number of records that must change, and that with a sign."""
    seen = bounds(STEP)
    length: dict[str, float] = {}
    signed: dict[str, float] = {}
    for t in range(0, 2 * VALUE + 1, STEP // (2 if settings.quick else 8)):
        level = next(k for k in range(LEVELS + 1) if _between(seen, t, k))
        length[str(t)] = -level
        signed[str(t)] = (level - 0.5) * (1 if t > VALUE else -1) if level else 0.5
    series = {"inverse sensitivity": length, "reflective inverse sensitivity": signed}
    yield Panel("figure-5", "Scores of an answer", "answer", "score", series, _inputs(STEP))


def _between(seen: Profile, t: int, level: int) -> bool:
    low, high = seen.lower(level), seen.upper(level)
    return isinstance(low, int) and isinstance(high, int) and low <= t <= high


def symmetric(settings: Settings) -> Iterator[Panel]:
    """Figure 6: records move the answer as far down as up."""
    yield from _laws("figure-6", "symmetric", STEP, settings)


def asymmetric(settings: Settings) -> Iterator[Panel]:
    """Figure 7: records move the answer ten times as far up as down."""
    yield from _laws("figure-7", "asymmetric", STEP // 10, settings)


def _laws(name: str, kind: str, down: int, settings: Settings) -> Iterator[Panel]:
    """The mean density from each point to the next, by the first, and exact errors."""
    parts = 2 if settings.quick else 4
    points = [VALUE - down * LEVELS + down * i // parts for i in range(LEVELS * parts)]
    points += [VALUE + STEP * i // parts for i in range(LEVELS * parts + 1)]
    series: dict[str, dict[str, float]] = {}
    errors: dict[str, dict[str, float]] = {}
    for title, (mechanism, lattice) in MECHANISMS.items():
        seen = bounds(down, lattice)
        law = mechanism.law(seen, 1)
        below = _spread(law, points)
        density = np.diff(below) / np.diff(points)
        series[title] = {str(a): float(d) for a, d in zip(points, density, strict=False)}
        errors[title] = {
            epsilon: mechanism.law(seen, epsilon).mean_absolute_error(centre=VALUE)
            for epsilon in ("0.5", "1", "2")
        }
    inputs = _inputs(down) | {"epsilon": "1"}
    yield Panel(name, f"Laws, {kind} bounds", "answer", "density", series, inputs, kind="steps")
    yield Panel(
        f"{name}-errors",
        f"Errors, {kind} bounds",
        "epsilon",
        "mean absolute error",
        errors,
        inputs,
    )


def _spread(law: Law, points: list[int]) -> Floats:
    """The distribution function at the points, each candidate's mass spread over its interval."""
    if not isinstance(law, AboveThresholdLaw):
        return np.array([law.cdf(x) for x in points])
    answers = [float(c * law.step) for c in law.stream.candidates]
    below = [law.cdf(x) for x in answers]
    return np.interp(points, answers, below)


def _inputs(down: int) -> dict[str, object]:
    return {
        "value": VALUE,
        "a record moves up": STEP,
        "a record moves down": down,
        "levels": LEVELS,
        "mechanisms": {name: mechanism.name for name, (mechanism, _) in MECHANISMS.items()},
    }
