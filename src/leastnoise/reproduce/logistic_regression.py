"""Awan and Slavkovic, Figure 3: logistic regression by objective perturbation, simulated.

Algorithm 3: seven coefficients, n = 10^4 (the caption's 10^5 is a misprint, errata 2), the median
distance of a private fit to the truth. Ours is the joint accountant (errata 4.6), alone and with
the correction of the ridge that a release of this library takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from leastnoise.reproduce.data import need_sklearn
from leastnoise.reproduce.errors_by_epsilon import middle
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.testing import simulate

ROWS = 10_000
TRUTH = np.array([0, -1, -0.5, -0.25, 0, 0.75, 1.5])
EPSILONS = ("1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2")
VARIANTS: dict[str, dict[str, Any]] = {
    "l1, q = .5": {"ball": "l1", "accountant": "split"},
    "l2, q = .5": {"ball": "l2", "accountant": "split"},
    "linf, q = .5": {"ball": "linf", "accountant": "split"},
    "linf, q = .85": {"ball": "linf", "accountant": "split", "q": "0.85"},
    "joint accountant (ours)": {"correct": False},
    "default (ours)": {},
}


def draw(rng: np.random.Generator, n: int = ROWS) -> tuple[Any, Any]:
    """Algorithm 3: features and labels."""
    X = rng.uniform(-1, 1, (n, len(TRUTH)))
    return X, (rng.uniform(size=n) < 1 / (1 + np.exp(-X @ TRUTH))).astype(int)


def distance(epsilon: object, data: tuple[Any, Any], run: int, chosen: dict[str, Any]) -> float:
    """Of one simulated private fit to the truth."""
    from leastnoise.estimators import PrivateLogisticRegression

    model = PrivateLogisticRegression(
        epsilon, bounds=(-1, 1), classes=[0, 1], C=np.inf, fit_intercept=False, **chosen
    )
    with simulate(run):
        return float(np.linalg.norm(model.fit(*data).coef_[0] - TRUTH))


def unperturbed(data: tuple[Any, Any]) -> float:
    """Distance of the maximum likelihood fit to the truth."""
    from sklearn.linear_model import LogisticRegression

    model: Any = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-8)
    return float(np.linalg.norm(model.fit(*data).coef_[0] - TRUTH))


def distances(settings: Settings) -> Iterator[Panel]:
    """Figure 3."""
    need_sklearn()
    runs = settings.pick(10, 100)
    epsilons = settings.pick(("1/16", "1/4"), EPSILONS)
    drawn = [draw(np.random.default_rng([1, run])) for run in range(runs)]
    series: dict[str, dict[str, float]] = {}
    errors: dict[str, dict[str, float]] = {}
    for name, chosen in VARIANTS.items():
        for epsilon in epsilons:
            found = [distance(epsilon, data, run, chosen) for run, data in enumerate(drawn)]
            series.setdefault(name, {})[epsilon], errors.setdefault(name, {})[epsilon] = middle(
                found
            )
    likeliest = middle([unperturbed(data) for data in drawn])[0]
    series["not private"] = dict.fromkeys(epsilons, likeliest)
    series["all coefficients 0"] = dict.fromkeys(epsilons, float(np.linalg.norm(TRUTH)))
    told = {
        "rows": ROWS,
        "replicates": runs,
        "truth": TRUTH.tolist(),
        "seed streams": {"data": "[1, replicate]", "fits": "simulate(replicate)"},
        "variants": {name: {k: str(v) for k, v in c.items()} for name, c in VARIANTS.items()},
    }
    yield Panel(
        "figure-3",
        "Logistic regression: distance of a private fit to the truth",
        "epsilon",
        "median l2 distance",
        series,
        told,
        log="xy",
        errors=errors,
    )
