"""Durfee's mechanism as printed: exponential noise, candidates beta^i - 1, shares e1 = e2.

With three weaknesses already mended: exact bounds of a variance instead of Lemma 5.4, the depth
rule instead of c = 100, and the valid budget.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from leastnoise.laws import AboveThresholdLaw
from leastnoise.mechanisms import AsymmetricSensitivity
from leastnoise.profiles import Profile, exact


def printed_error(
    profile: Profile,
    epsilon: object,
    *,
    scale: object = 1,
    beta: object = "1.005",
    split: object = 1,
) -> float:
    """NOT PRIVATE. The exact error of the printed mechanism: the integral over its threshold.

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
