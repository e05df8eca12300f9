"""Awan and Slavkovic, Figures 4 and 5: linear regression from noisy second moments, simulated.

Figure 4: how many coefficients of a private fit lie in the 95 % interval of the fit without noise.
Figure 5: the distance to that fit on houses. The sales of the paper (San Francisco Bay area) are
not public: California and King County of the data folder take their place, and houses made by a
formula stand beside them. Ours are tighter balls (errata 4.4), the cone, and a ridge instead of the
pseudoinverse (errata 4.7).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from leastnoise.reproduce.data import columns, need_sklearn, reading
from leastnoise.reproduce.errors_by_epsilon import mean, middle
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.testing import simulate

FEATURES = 5
COVERED = ("1/16", "1/8", "1/4", "1/2", "1", "2", "4")
DISTANCES = ("1/4", "1/2", "1", "2")
CUT = 6  # |Y| is cut to a public limit: the paper divides by the largest, which reads the data
VARIANTS: dict[str, dict[str, Any]] = {
    "l1": {"ball": "l1", "ridge": "pinv"},
    "linf": {"ball": "linf", "ridge": "pinv"},
    "K of the paper": {"ball": "paper", "ridge": "pinv"},
    "tri (ours)": {"ball": "tri", "ridge": "pinv"},
    "cone (ours)": {"ball": "cone", "ridge": "pinv"},
    "default (ours)": {},
}
# limits that are known without the data: where houses can be, how large, what columns declare
HOUSES: dict[str, tuple[str, str, dict[str, tuple[float, float]], tuple[float, float]]] = {
    "california": (
        "california_housing.csv.gz",
        "median_house_value",
        {
            "longitude": (-125, -114),
            "latitude": (32, 42),
            "housing_median_age": (0, 52),
            "median_income": (0, 15),
            "log total_rooms": (0, 11),
        },
        (0, 500_001),
    ),
    "king-county": (
        "king_county_house_sales.csv.gz",
        "log price",
        {
            "log sqft_living": (5, 10),
            "log sqft_lot": (5, 15),
            "grade": (1, 13),
            "bathrooms": (0, 8),
            "lat": (47, 48),
        },
        (11, 16),
    ),
}


@dataclass(frozen=True, slots=True)
class Houses:
    """Features and target in [-1, 1]."""

    name: str
    X: Any
    y: Any
    source: str
    limits: dict[str, tuple[float, float]]

    def fit(self) -> Any:
        """Intercept and coefficients of least squares."""
        full = np.column_stack([np.ones(len(self.X)), self.X])
        solve: Any = np.linalg.lstsq
        return solve(full, self.y, rcond=None)[0]


def _scaled(texts: dict[str, list[str]], name: str, ends: tuple[float, float]) -> Any:
    values: Any = np.array(texts[name.removeprefix("log ")], dtype=np.float64)
    if name.startswith("log "):
        values = np.log(values)
    low, high = ends
    cut = np.clip(values, low, high)
    return (cut - (low + high) / 2) / ((high - low) / 2)


def houses(settings: Settings) -> Iterator[Houses]:
    """Synthetic houses, and public ones of the data folder."""
    rng = np.random.default_rng([5, 0])
    X = rng.uniform(-1, 1, (20_000, FEATURES))
    noise = rng.normal(size=len(X)) / 5
    y = np.clip(0.1 + X @ np.array([0.4, -0.3, 0.2, 0.1, 0.05]) + noise, -1, 1)
    yield Houses("synthetic", X, y, "made by a formula; seed stream [5, 0]", {})
    for name, (file, target, limits, ends) in HOUSES.items():
        path = settings.file(file)
        if path is not None:
            table = columns(path)
            with reading(path):
                parts = [_scaled(table, c, pair) for c, pair in limits.items()]
                y = _scaled(table, target, ends)
            yield Houses(name, np.column_stack(parts), y, file, {**limits, target: ends})


def private(epsilon: object, limit: float, X: Any, y: Any, run: int, chosen: dict[str, Any]) -> Any:
    """Intercept and coefficients of a simulated private fit."""
    from leastnoise.estimators import PrivateLinearRegression

    model = PrivateLinearRegression(
        epsilon, bounds=[(-1, 1)] * X.shape[1], target_bounds=(-limit, limit), **chosen
    )
    with simulate(run):
        model.fit(X, y)
    return np.append(model.intercept_, model.coef_)


def interval(X: Any, y: Any) -> tuple[Any, Any]:
    """Least squares and its standard deviations."""
    n, p = X.shape
    full = np.column_stack([np.ones(n), X])
    inverse = np.linalg.inv(full.T @ full)
    fit = inverse @ (full.T @ y)
    return fit, np.sqrt(((y - full @ fit) ** 2).sum() / (n - p - 1) * np.diag(inverse))


def simulated(n: int, run: int, beta: Any) -> tuple[Any, Any]:
    """Algorithm 4: features and targets of one replicate."""
    rng = np.random.default_rng([4, n, run])
    X = rng.uniform(-1, 1, (n, len(beta)))
    return X, X @ beta + rng.normal(size=n)


def coverage(settings: Settings) -> Iterator[Panel]:
    """Figure 4, one panel a number of records."""
    need_sklearn()
    beta = np.linspace(-1.5, 1.5, FEATURES)
    for n, runs in settings.pick(((10_000, 12),), ((10_000, 200), (1_000_000, 50))):
        epsilons = settings.pick(("1",), COVERED)
        shares: dict[str, dict[str, list[float]]] = {}
        for run in range(runs):
            X, y = simulated(n, run, beta)
            fit, deviation = interval(X, y)
            truth = np.abs(beta - fit[1:]) < 1.96 * deviation[1:]
            for epsilon in epsilons:
                shares.setdefault("truth", {}).setdefault(epsilon, []).append(truth.mean())
                for name, chosen in VARIANTS.items():
                    gap = np.abs(private(epsilon, CUT, X, y, run, chosen) - fit)
                    share = float((gap < 1.96 * deviation)[1:].mean())
                    shares.setdefault(name, {}).setdefault(epsilon, []).append(share)
        found = {k: {e: mean(v) for e, v in column.items()} for k, column in shares.items()}
        yield Panel(
            f"figure-4-n-{n}",
            f"Coefficients inside the 95 % interval of the fit without noise, n = {n:,}",
            "epsilon",
            "share",
            {k: {e: v[0] for e, v in column.items()} for k, column in found.items()},
            {
                "rows": n,
                "features": FEATURES,
                "coefficients": beta.tolist(),
                "replicates": runs,
                "target cut to": CUT,
                "seed streams": {"data": "[4, rows, replicate]", "fits": "simulate(replicate)"},
                "variants": VARIANTS,
            },
            log="x",
            errors={k: {e: v[1] for e, v in column.items()} for k, column in found.items()},
        )


def house_prices(settings: Settings) -> Iterator[Panel]:
    """Figure 5, one panel a set of houses."""
    need_sklearn()
    runs = settings.pick(6, 300)
    epsilons = settings.pick(("1/2", "1", "2"), DISTANCES)
    for one in houses(settings):
        fit = one.fit()
        series: dict[str, dict[str, float]] = {}
        errors: dict[str, dict[str, float]] = {}
        for name, chosen in VARIANTS.items():
            for e in epsilons:
                gaps = [
                    float(np.linalg.norm(private(e, 1, one.X, one.y, run, chosen) - fit))
                    for run in range(runs)
                ]
                series.setdefault(name, {})[e], errors.setdefault(name, {})[e] = middle(gaps)
        series["all coefficients 0"] = dict.fromkeys(epsilons, float(np.linalg.norm(fit)))
        yield Panel(
            f"figure-5-{one.name}",
            f"Linear regression: distance to least squares, houses, {one.name}",
            "epsilon",
            "median l2 distance",
            series,
            {
                "rows": len(one.X),
                "features": one.X.shape[1],
                "replicates": runs,
                "data": one.source,
                "columns and their limits, the target last": one.limits,
                "seed streams": {"fits": "simulate(replicate)"},
                "variants": VARIANTS,
            },
            log="xy",
            errors=errors,
        )
