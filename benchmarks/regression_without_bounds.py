"""Linear regression of real data with nothing declared, bounds that fit and AdaSSP beside it.

    python benchmarks/regression_without_bounds.py real        R2, units as they come and times 100
    python benchmarks/regression_without_bounds.py coverage    intervals over random settings
    python benchmarks/regression_without_bounds.py rule        ways of a fit over designs
    python benchmarks/regression_without_bounds.py few         R2 of few rows, made and real ones
    python benchmarks/regression_without_bounds.py plain       R2 of ordinary columns by rows

R2 is that of all rows, median and worst of the runs at epsilon 1. "bounds that fit": the extremes
of the columns, given for nothing. AdaSSP (Wang 2018) is written here, at delta 1e-6, with rows and
targets scaled by the extremes too, so that it is told what we have to find. "without privacy" is
least squares. Fits are simulated releases, so nothing is charged. Data: --data, five files.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise.estimators import PrivateLinearRegression, PrivateRobustRegression
from leastnoise.estimators.intervals import slopes_behind
from leastnoise.estimators.linear_fit import REACH
from leastnoise.estimators.linear_mean import BehindMean
from leastnoise.estimators.logistic_intervals import noise_of_slopes
from leastnoise.estimators.moments import matrices_of
from leastnoise.estimators.objective_intervals import BehindObjective
from leastnoise.testing import simulate

EPSILON, DELTA = 1.0, 1e-6
ORDERS = {
    "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "color": [*"JIHGFED"],
    "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
}
SETS = {
    "diamonds": ("diamonds", "price", ()),
    "California": (
        "california_housing",
        "median_house_value",
        ("total_bedrooms", "ocean_proximity"),
    ),
    "King County": ("king_county_house_sales", "price", ()),
    "bike": (
        "bike_sharing_hour",
        "cnt",
        ("instant", "dteday", "casual", "registered"),
    ),
    "abalone": ("abalone", "rings", ("sex",)),
}


def read(folder: Path, name: str) -> tuple[Any, Any]:
    """Features and target; labels of diamonds as their ranks."""
    file, target, left_out = SETS[name]
    with gzip.open(folder / f"{file}.csv.gz", "rt", encoding="utf-8") as lines:
        names, *rows = csv.reader(lines)
    table = dict(zip(names, zip(*rows, strict=True), strict=True))
    columns = {
        key: [ORDERS[key].index(x) for x in values] if key in ORDERS else [*map(float, values)]
        for key, values in table.items()
        if key not in left_out
    }
    y = np.array(columns.pop(target), dtype=float)
    return np.column_stack([*columns.values()]).astype(float), y


def r2(y: Any, predicted: Any) -> float:
    """The share of the variance that is explained."""
    return 1 - float(((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def least_squares(X: Any, y: Any) -> float:
    """R2 without privacy."""
    spread = X.std(axis=0)
    z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    z = np.column_stack([np.ones(len(X)), z])
    return r2(y, z @ np.linalg.lstsq(z, y, rcond=None)[0])


def adassp(X: Any, y: Any, rng: np.random.Generator) -> float:
    """R2 of AdaSSP on columns scaled to [-1, 1] by their extremes; its neighbours are tables with
    one row more or less, half of what ours hide."""
    ends, (low, high) = np.array([X.min(axis=0), X.max(axis=0)]), (y.min(), y.max())
    z = 2 * (X - ends[0]) / (ends[1] - ends[0]) - 1
    z = np.column_stack([np.ones(len(z)), z])
    t = 2 * (y - low) / (high - low) - 1
    d = z.shape[1]
    norm, share, log6 = d**0.5, EPSILON / 3, np.log(6 / DELTA)
    gram = z.T @ z
    least = max(np.linalg.eigvalsh(gram)[0], 0.0)
    least += (rng.normal() * log6**0.5 - log6) * norm**2 / share
    wish = (d * log6 * np.log(2 * d**2 / 0.05)) ** 0.5 * norm**2 / share
    ridge = max(0.0, wish - max(least, 0.0))
    noise = rng.normal(size=(d, d)) * log6**0.5 * norm**2 / share
    noise = np.triu(noise) + np.triu(noise, 1).T
    both = z.T @ t + rng.normal(size=d) * log6**0.5 * norm / share
    found = np.linalg.solve(gram + noise + ridge * np.eye(d), both)
    return r2(t, z @ found)


def real(runs: int, folder: Path) -> None:
    """The first table."""
    heads = (
        "data", "units", "without privacy", "bounds that fit", "nothing declared", "worst",
        "AdaSSP, bounds given",
    )  # fmt: skip
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for name in SETS:
        X, y = read(folder, name)
        plain = least_squares(X, y)
        rng = np.random.default_rng(1)
        other = np.median([adassp(X, y, rng) for _ in range(runs)])
        for units in (1, 100):
            Z, t = X * units, y * units
            pairs = [(float(c.min()), float(c.max())) for c in Z.T]
            told: list[float] = []
            found: list[float] = []
            for seed in range(runs):
                with simulate(seed):
                    model = PrivateLinearRegression(
                        EPSILON, bounds=pairs, target_bounds=(float(t.min()), float(t.max()))
                    ).fit(Z, t)
                told.append(r2(t, model.predict(Z)))
                with simulate(seed, stream="found"):
                    model = PrivateLinearRegression(EPSILON).fit(Z, t)
                found.append(r2(t, model.predict(Z)))
            cells = (plain, np.median(told), np.median(found), min(found), other)
            shown = " | ".join(f"{cell:.3f}" for cell in cells)
            print(f"| {name}, {X.shape[1]} features, n = {len(y):,} | x {units} | {shown} |")


def few_rows() -> dict[str, tuple[Any, Any]]:
    """Tables of 100 to 2,000 rows: normal features, a flag that is mostly 0, one of five labels as
    indicators, and the patients that come with scikit-learn."""
    from sklearn.datasets import load_diabetes

    rng, made = np.random.default_rng(1), dict[str, tuple[Any, Any]]()
    for n in (100, 200, 500, 1000, 2000):
        designs = {
            "three normal features": rng.normal(size=(n, 3)) * [1, 10, 100] + [0, 50, 1000],
            "a rare flag and a normal feature": np.column_stack(
                [rng.random(n) < 0.05, rng.normal(size=n)]
            ),
            "five indicators": np.eye(5)[rng.integers(0, 5, n)],
        }
        for name, X in designs.items():
            y = X @ (np.arange(1, X.shape[1] + 1) / X.std(axis=0)) + rng.normal(size=n) + 100
            made[f"{name}, n = {n:,}"] = X.astype(float), y
    X, y = load_diabetes(return_X_y=True, scaled=False)
    made["diabetes, 10 features, n = 442"] = X, y
    made["diabetes, body mass alone"] = X[:, [2]], y
    return made


def few(runs: int) -> None:
    """R2 of all rows."""
    heads = "data", "epsilon", "without privacy", "bounds that fit", "nothing declared", "worst"
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for (name, (X, y)), epsilon in product(few_rows().items(), (1, 3)):
        pairs = [(float(c.min()), float(c.max())) for c in X.T]
        told, found = [], []
        for seed in range(runs):
            with simulate(seed):
                model = PrivateLinearRegression(
                    epsilon, bounds=pairs, target_bounds=(float(y.min()), float(y.max()))
                ).fit(X, y)
            told.append(r2(y, model.predict(X)))
            with simulate(seed, stream="found"):
                found.append(r2(y, PrivateLinearRegression(epsilon).fit(X, y).predict(X)))
        cells = least_squares(X, y), np.median(told), np.median(found), min(found)
        shown = " | ".join(f"{cell:.3g}" for cell in cells)
        print(f"| {name} | {epsilon} | {shown} |", flush=True)


def oracle_width(model: Any, X: Any, y: Any, error: float) -> Any:
    """How wide 95 % intervals of the coefficients are to one who knows the law of the noise, the
    records as they were clipped, and the spread of the errors."""
    behind, (design, target) = model._behind, model._scales
    rng = np.random.default_rng(1)
    scales = np.array([float(x) for x in design.halves]) / float(target.halves[0])
    if isinstance(behind, BehindObjective):
        z = design.reaching(X, "none", np.where(behind.clipped, REACH, 1.0))
        u = np.column_stack([np.ones(len(z)), z]) / np.maximum(1, abs(z).max(axis=1))[:, None]
        t = ((y - float(target.middles[0])) / float(target.halves[0]) - behind.start[0]
             - z @ behind.start[1:]) / np.maximum(1, abs(z).max(axis=1))  # fmt: skip
        left = np.clip(u @ behind.minimiser - t / behind.width, -300, 300)
        slopes, k = np.sinh(left) / (np.cosh(left) + 2), np.cosh(left)
        bent = (u.T * ((1 + 2 * k) / (k + 2) ** 2)) @ u
        root = np.linalg.cholesky((u.T * slopes**2) @ u + 1e-9 * len(u) * np.eye(u.shape[1]))
        missed = noise_of_slopes(behind.steps, rng) * behind.width
        missed = missed + rng.normal(size=missed.shape) @ root.T * behind.width
        inverse = np.linalg.pinv(bent, hermitian=True)
    else:
        z = np.column_stack([np.ones(len(X)), design.scaled(X, "none")[0]])
        t = target.scaled(y.reshape(-1, 1), "none")[0][:, 0]
        inverse = np.linalg.pinv(z.T @ z, hermitian=True)
        if behind.step is None:
            drawn = behind._noise(rng)
            noise = matrices_of(drawn[:, 1:], drawn[:, 0], behind.space)
            missed = noise[:, :-1, -1] - noise[:, :-1, :-1] @ (inverse @ z.T @ t)
        else:
            missed = slopes_behind(behind.step, rng) - behind.step.values * behind.step.radius
        root = np.linalg.cholesky(z.T @ z + 1e-9 * len(z) * np.eye(z.shape[1]))
        missed = missed + rng.normal(size=missed.shape) @ root.T * (error / float(target.halves[0]))
    low, high = np.quantile(missed @ inverse, [0.025, 0.975], axis=0)
    return (high - low)[1:] / scales


def coverage(runs: int, first: int) -> None:
    """Coverage of 95 % intervals where bounds hold the data, and where nothing is declared, and
    their width over that of an oracle."""
    print("| bounds | rows times epsilon | settings | coverage | median width over the oracle's |")
    print("|---|---|---|---|---|")
    kept: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for seed in range(first, first + runs):
        rng = np.random.default_rng(seed)
        n, p = int(500 * 200 ** rng.uniform()), int(rng.integers(1, 11))
        epsilon = float(2 ** rng.uniform(-2, 2))
        rho, heavy = float(rng.choice([0, 0.5, 0.9])), bool(rng.integers(2))
        mix = np.linalg.cholesky(rho * np.ones((p, p)) + (1 - rho) * np.eye(p))
        X = (rng.standard_t(4, (n, p)) if heavy else rng.normal(size=(n, p))) @ mix.T
        slopes, error = rng.normal(size=p), float(rng.choice([0.3, 1, 3]))
        y = 1 + X @ slopes + error * rng.normal(size=n)
        far, top = float(abs(X).max()), float(abs(y).max())
        for name, bounds in (
            ("hold the data", {"bounds": (-far, far), "target_bounds": (-top, top)}),
            ("found", {}),
        ):
            with simulate(seed):
                model = PrivateLinearRegression(epsilon, **bounds).fit(X, y)
            low, high = model.conf_int(0.95).T
            size = "below 5,000" if n * epsilon < 5000 else "5,000 and more"
            held = float(((low <= slopes) & (slopes <= high)).mean())
            ratio = np.inf  # where nothing is told of slopes
            if not isinstance(model._behind, BehindMean):
                ratio = float(np.median((high - low) / oracle_width(model, X, y, error)))
            kept.setdefault((name, size), []).append((held, ratio))
    for (name, size), pairs in sorted(kept.items(), reverse=True):
        held, width = np.array(pairs).T
        print(f"| {name} | {size} | {len(held)} | {held.mean():.3f} | {np.median(width):.3g} |")


def rule(runs: int) -> None:
    """Error of predictions by the way of the fit, over designs with bounds that hold 3 deviations:
    root mean square over that of the target, medians. The last is objective perturbation."""
    ways = ("moments", "residuals", "objective", "robust")
    print("| features | rows times epsilon | R2 | " + " | ".join(ways) + " |")
    print("|---" * (len(ways) + 3) + "|")
    for p, size, share in product((1, 2, 3, 4, 10), (500, 1000, 2000, 8000, 32000), (0.3, 0.9)):
        n, epsilon = (size, 1) if size < 32000 else (size // 2, 2)
        missed: dict[str, list[float]] = {way: [] for way in ways}
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            mix = np.linalg.cholesky(0.4 * np.ones((p, p)) + 0.6 * np.eye(p))
            X = rng.normal(size=(n, p)) @ mix.T
            line = X @ rng.normal(size=p)
            line *= share**0.5 / line.std()
            y = line + (1 - share) ** 0.5 * rng.normal(size=n)
            for way, found in missed.items():
                model: Any = PrivateRobustRegression(
                    epsilon, bounds=(-3, 3), fit_intercept=True, alpha=(1 - share) ** 0.5
                )
                if way != "robust":
                    model = PrivateLinearRegression(
                        epsilon, bounds=(-3, 3), target_bounds=(-3.5, 3.5), mechanism=way
                    )
                with simulate(seed):
                    model.fit(X, y)
                found.append(float(np.sqrt(((model.predict(X) - line) ** 2).mean())))
        shown = " | ".join(f"{np.median(found):.3f}" for found in missed.values())
        print(f"| {p} | {size:,} | {share} | {shown} |", flush=True)


def ordinary(n: int, p: int, seed: int) -> dict[str, tuple[Any, Any]]:
    """Ordinary features and targets, by name."""
    rng = np.random.default_rng([n, p, seed])
    normal, slopes = rng.normal(size=(n, p)), rng.normal(size=p) / p**0.5
    noise = rng.normal(size=n) / 2
    line = normal @ slopes + noise

    def of(X: Any, scale: float = 1, middle: float = 0) -> tuple[Any, Any]:
        spread = X.std(axis=0)
        z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
        return X, middle + scale * (z @ slopes + noise)

    flags, rare = rng.random((n, p)) < 0.4, rng.random((n, p)) < 0.05
    constant, equal = normal.copy(), normal.copy()
    constant[:, 0], equal[:, -1] = 7, equal[:, 0]
    heavy = rng.standard_t(2, (n, p))
    return {
        "normal": of(normal), "far from 0": of(5 + 2 * normal, 10, 100),
        "flags": of(flags.astype(int), 3, 10), "rare flags": of(rare.astype(float), 3, 10),
        "counts": of(rng.poisson(3, (n, p)), 8000, 40_000), "a constant": of(constant),
        "two equal": of(equal, 5, 20), "1e-6": of(3e-6 + 1e-6 * normal, 1e-6, 1e-5),
        "1e9": of(4e9 + 1e9 * normal, 1e9, 1e10), "heavy tails": (heavy, heavy @ slopes + noise),
        "lognormal": (np.exp(1.2 * normal), np.exp(10 + 0.6 * line)),
        "ages and pays": of(rng.integers(18, 70, (n, p)), 9000, 35_000),
        "target of flags": (normal, (line > 0).astype(float)),
        "rare target": (normal, (line >= np.sort(line)[-max(2, n // 20)]).astype(int)),
        "target of counts": (normal, rng.poisson(np.exp(0.5 + line / 2))),
        "nothing but noise": (normal, 50 + 10 * noise),
    }  # fmt: skip


def plain(runs: int) -> None:
    """What a user without bounds gets: R2 over all ordinary columns and runs."""
    heads = "model", "rows", "features", "least squares", "median", "worst", "share below -1"
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    models: dict[str, Any] = {
        "linear": PrivateLinearRegression,
        "robust": lambda: PrivateRobustRegression(fit_intercept=True),
    }
    for (name, made), p, n in product(
        models.items(), (1, 3, 10, 30), (50, 100, 200, 500, 1000, 5000)
    ):
        best: list[float] = []
        found: list[float] = []
        for seed in range(runs):
            for X, y in ordinary(n, p, seed).values():
                with simulate(seed):
                    model = made().fit(X, y)
                found.append(r2(y, model.predict(X)))
                best.append(least_squares(X + 0.0, y))
        below = np.mean(np.array(found) < -1)
        cells = f"{np.median(best):.2f} | {np.median(found):.3f} | {min(found):.3g} | {below:.3f}"
        print(f"| {name} | {n:,} | {p} | {cells} |", flush=True)


def main() -> None:
    """One table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["real", "coverage", "rule", "few", "plain"])
    parser.add_argument("--runs", type=int)
    parser.add_argument("--first", type=int, default=0, help="first seed of coverage")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    given = parser.parse_args()
    if given.part == "real":
        real(given.runs or 50, given.data)
    elif given.part == "coverage":
        coverage(given.runs or 200, given.first)
    elif given.part == "rule":
        rule(given.runs or 20)
    elif given.part == "few":
        few(given.runs or 20)
    else:
        plain(given.runs or 20)


if __name__ == "__main__":
    main()
