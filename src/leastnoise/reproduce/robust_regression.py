"""Asi and Duchi (2020), Figure 3: robust regression with one coefficient against private SGD.

The paper draws the mechanism of its equation (17) by 500 Metropolis-Hastings steps. Here its law is
exact (errata 3), and so is the median of the error: nothing of ours is simulated but the data.
Equation (17) lacks a factor: as printed it loses n times the privacy (errata 1), so the corrected
one is drawn. The paper does not say how many records a data set has; 1,000 are taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from leastnoise.mechanisms import InverseSensitivity, PiecewiseLaplace
from leastnoise.reproduce import private_sgd
from leastnoise.reproduce.data import need_sklearn
from leastnoise.reproduce.errors_by_epsilon import median_error, middle
from leastnoise.reproduce.panels import Panel, Settings

ROWS = 1000
EPSILONS = ("0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1")
SHARES = (0.004, 0.016, 0.064)
LIMITS = (-10, 10)
LAWS: dict[str, tuple[Any, str]] = {
    "inverse sensitivity": (InverseSensitivity(), "replace-one"),
    "piecewise Laplace (ours)": (PiecewiseLaplace(), "replace-one"),
    "piecewise Laplace, add-remove (ours)": (PiecewiseLaplace(), "add-remove"),
}
SGD = "private SGD, delta = 1e-5"


def draw(rng: np.random.Generator, n: int = ROWS) -> tuple[Any, Any, float]:
    """Section 6.2: features, targets and the true coefficient."""
    truth = float(rng.uniform(-5, 5))
    x = rng.uniform(-2, 2, (n, 1))
    return x, x[:, 0] * truth + rng.uniform(-0.05, 0.05, n), truth


def losses(settings: Settings) -> Iterator[Panel]:
    """Median |answer - truth| by epsilon, one panel a width of the loss."""
    need_sklearn()
    sets = settings.pick(4, 15)
    for alpha in settings.pick(("1",), ("0.5", "1", "4")):
        data = [draw(np.random.default_rng([3, i])) for i in range(sets)]
        epsilons = settings.pick(("0.01", "0.1", "0.3", "1"), EPSILONS)
        series, errors = _ours(data, alpha, epsilons)
        shares = settings.pick(SHARES[1:], SHARES)
        series |= _theirs(data, float(alpha), epsilons, shares)
        told = {
            "data sets": sets,
            "rows": ROWS,
            "alpha": alpha,
            "coefficient within": list(LIMITS),
            "q of private SGD": list(shares),
            "sigma of private SGD": private_sgd.SIGMA,
            "step sizes of private SGD, the best being shown": list(private_sgd.RATES),
            "seed streams": {"data": "[3, data set]", "private SGD": "[5, 1000 q]"},
        }
        yield Panel(
            f"figure-3-alpha-{alpha}",
            f"Robust regression, alpha = {alpha}",
            "epsilon",
            "median |coefficient - truth|",
            series,
            told,
            log="xy",
            errors=errors,
        )


def _ours(data: list[Any], alpha: str, epsilons: tuple[str, ...]) -> tuple[Any, Any]:
    from leastnoise.estimators import PrivateRobustRegression

    series: dict[str, dict[str, float]] = {name: {} for name in LAWS}
    errors: dict[str, dict[str, float]] = {name: {} for name in LAWS}
    profiles = {
        relation: [
            PrivateRobustRegression(
                1, bounds=(-2, 2), coef_bounds=LIMITS, alpha=alpha, relation=relation
            ).profile(x, y)
            for x, y, _ in data
        ]
        for relation in ("replace-one", "add-remove")
    }
    for name, (mechanism, relation) in LAWS.items():
        for epsilon in epsilons:
            found = [
                median_error(mechanism.law(seen, epsilon), truth, 2.0 * LIMITS[1])
                for seen, (_, _, truth) in zip(profiles[relation], data, strict=True)
            ]
            series[name][epsilon], errors[name][epsilon] = middle(found)
    return series, errors


def _theirs(
    data: list[Any], alpha: float, epsilons: tuple[str, ...], shares: tuple[float, ...]
) -> dict[str, dict[str, float]]:
    """For each q the best step size, chosen with knowledge of the truth, to its advantage."""
    x, y = (np.stack(column) for column in zip(*((a[:, 0], b) for a, b, _ in data), strict=True))
    truth = np.array([t for _, _, t in data])[:, None]
    series: dict[str, dict[str, float]] = {}
    for q in shares:
        steps = {e: private_sgd.most_steps(float(e), q) for e in epsilons}
        stops = sorted({s for s in steps.values() if s})
        column = series.setdefault(f"{SGD}, q = {q}", {})
        if not stops:
            continue
        found = private_sgd.descend(x, y, q, alpha, stops, [5, round(1000 * q)])
        for epsilon, count in steps.items():
            if count:
                gaps = np.median(np.abs(found[stops.index(count)] - truth), axis=0)
                column[epsilon] = float(gaps.min())
    return series
