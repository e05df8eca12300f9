"""Durfee's mechanism as printed, and corrected: exponential noise, candidates beta^i - 1, e1 = e2.

As printed (Algorithm 2 and appendix E) the lower bounds are 0 beyond c = 100 changes, and the upper
bounds of a variance are those of Lemma 5.4. Corrected, both are exact to the depth of errata 4.1,
so that at small epsilon the walk does not stop at the many candidates below L(100). The budget is
the valid one in both: e1 + 2 e2, and e1 + e2 where the statistic is proved monotone.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from leastnoise.laws import AboveThresholdLaw
from leastnoise.mechanisms import AsymmetricSensitivity
from leastnoise.profiles import Profile, exact

LEVELS = 100
AS_PRINTED, CORRECTED = "asymmetric (as printed)", "asymmetric (paper, corrected)"
TOLD = {
    AS_PRINTED: f"beta = 1.005, e1 = e2, c = {LEVELS}, a variance with Lemma 5.4",
    CORRECTED: "beta = 1.005, e1 = e2, exact bounds to the depth ceil((ln m + 20)/e2)",
}


def as_printed(profile: Profile, record: Fraction | None = None) -> Profile:
    """NOT PRIVATE. The bounds as printed, for a statistic that is never below 0.

    ``record``: (b - a)^2/n of Lemma 5.4, by which one change moves U of a variance. Without it U is
    exact to c and the end of the range beyond, as appendix E has it for losses.
    """
    top = profile.support[1]
    if top is None:
        raise ValueError("the mechanism as printed is compared within bounds")
    value, most = Fraction(exact(profile.value)), Fraction(exact(top))

    def upper(level: int) -> Any:
        if record is not None:
            return min(most, value + level * record)
        return profile.upper(level) if level <= LEVELS else most

    def lower(level: int) -> Any:
        return profile.lower(level) if level <= LEVELS else 0

    return replace(profile, upper=upper, lower=lower)


def printed_error(
    profile: Profile, epsilon: object, *, scale: object = 1, record: Fraction | None = None
) -> float:
    """NOT PRIVATE. The exact error of the mechanism as printed."""
    return corrected_error(as_printed(profile, record), epsilon, scale=scale)


def corrected_error(
    profile: Profile,
    epsilon: object,
    *,
    scale: object = 1,
    beta: object = "1.005",
    split: object = 1,
) -> float:
    """NOT PRIVATE. The exact error at these bounds: the integral over the threshold's noise.

    Scores are half-integers, so between them the probability of every index is smooth in z, and
    Gauss-Legendre nodes on unit intervals leave an error far below what is printed.
    """
    law = AsymmetricSensitivity(beta=beta, scale=scale, split=split).law(profile, epsilon)
    if not isinstance(law, AboveThresholdLaw):
        return 0.0
    runs = law.heights()
    heights = np.repeat([float(h) for h, _ in runs], [n for _, n in runs])
    # height = ceil(-score), the score a half-integer
    score = 0.5 - heights
    answers = np.array([float(c) for c in law.stream.candidates]) * float(law.step)
    value = float(Fraction(exact(profile.value)))
    distance = np.abs(np.append(answers, answers[-1]) - value)
    e1, e2 = float(law.e1), float(law.e2)
    edges = np.concatenate([[0.0], np.arange(0.5, 20 / e1)])
    rule: Any = np.polynomial.legendre.leggauss(4 if e1 > 0.5 else 2 if e1 > 0.15 else 1)
    nodes, weights = rule
    total = mass = 0.0
    size = max(1, (1 << 21) // len(score))
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    z = (middle[:, None] + half[:, None] * nodes).ravel()
    w = (half[:, None] * weights).ravel() * e1 * np.exp(-e1 * z)
    for start in range(0, len(z), size):
        part = z[start : start + size]
        fire: Any = np.exp(-e2 * np.maximum(0.0, part[:, None] - score))
        quiet: Any = (1 - fire).cumprod(axis=1)
        mean: Any = fire[:, 0] * distance[0] + quiet[:, -1] * distance[-1]
        mean += ((quiet[:, :-1] * fire[:, 1:]) * distance[1:-1]).sum(axis=1)
        total += float(np.dot(w[start : start + size], mean))
        mass += float(w[start : start + size].sum())
    return total / mass
