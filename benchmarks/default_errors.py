"""Exact expected errors behind the default mechanisms (docs/decisions/0005).

    python benchmarks/default_errors.py

Deterministic data of the reference table: n = 1000, x_i = -10 ln(1 - (i - 1/2)/n) on [0, 100].
Every number is computed from the law, none is simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

import leastnoise as ln
from leastnoise.laws import AboveThresholdLaw
from leastnoise.mechanisms import Mechanism

EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
X = -10 * np.log1p(-(np.arange(1, 1001) - 0.5) / 1000)


def error(p: ln.Profile, mechanism: Mechanism, epsilon: str) -> float:
    """The exact mean absolute error about the true value."""
    return mechanism.law(p, epsilon).mean_absolute_error(centre=p.value)


def table(title: str, p: ln.Profile, mechanisms: Sequence[Mechanism]) -> None:
    """One row a mechanism, one column an epsilon."""
    print(f"\n{title:<44}" + "".join(f"{e:>10}" for e in EPSILONS))
    for mechanism in mechanisms:
        row = "".join(f"{error(p, mechanism, e):>10.4g}" for e in EPSILONS)
        print(f"{mechanism.name:<44}{row}")


def ends_and_middles() -> None:
    """What the asymmetric mechanism releases of its candidate interval, eps = 1."""
    mechanism = ln.AsymmetricSensitivity(scale=1)
    for q in ("0.5", "0.9"):
        p = ln.profile(ln.Quantile(q=q, bounds=(0, 100)), X)
        law = mechanism.law(p, 1)
        if not isinstance(law, AboveThresholdLaw):
            raise TypeError
        end = law.mean_absolute_error(centre=p.value)
        c = [float(y * law.step) for y in law.stream.candidates]
        answers = [c[0], *((a + b) / 2 for a, b in pairwise(c)), c[-1]]
        masses = np.diff([0.0, *(law.point_cdf(y) for y in law.stream.candidates)])
        middle = float(np.dot(masses, np.abs(np.array(answers[:-1]) - float(p.value))))
        print(f"quantile {q}: end {end:.4g}, middle {middle:.4g}")


def main() -> None:
    """Print all tables."""
    spread = [
        ln.Laplace(),
        ln.InverseSensitivity(),
        ln.PiecewiseLaplace(),
        ln.PiecewiseLaplace(base="log"),
        ln.AsymmetricSensitivity(),
    ]
    for statistic in (ln.Variance(bounds=(0, 100)), ln.StandardDeviation(bounds=(0, 100))):
        table(type(statistic).__name__, ln.profile(statistic, X, missing="none"), spread)
    mean = ln.profile(ln.Mean(bounds=(0, 100)), X)
    table("Mean, private row count", mean, [ln.LaplaceRatio(), ln.PiecewiseLaplace()])
    order = [ln.PiecewiseLaplace(), ln.PiecewiseLaplace(base="log", shift=0)]
    near = np.random.default_rng(0).normal(50, 10, 1000)
    for bounds in ((0, 100), (-(10**6), 10**6)):
        for q in ("0.1", "0.5", "0.9"):
            p = ln.profile(ln.Quantile(q=q, bounds=bounds), near)
            table(f"Quantile {q} of N(50, 10) in {bounds}", p, order)
    print()
    ends_and_middles()


if __name__ == "__main__":
    main()
