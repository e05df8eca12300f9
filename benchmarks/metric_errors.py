"""Exact expected errors of private model metrics, for the rule of default mechanisms.

    python benchmarks/metric_errors.py [--samples 5] [--relation replace-one] [--r2]

Public models are fitted to rows that are not scored; every table entry is the mean over samples
of 1,000 scored rows of ``law.mean_absolute_error`` (no simulation), with the smallest in bold.
Needs the data folder ../shared/data, scikit-learn and pandas.
"""

from __future__ import annotations

import argparse
import gzip
import warnings
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

import leastnoise as ln

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
ROWS = 1000
TARGETS = {
    "diamonds price": ("diamonds.csv.gz", "price", (0, 50_000), ()),
    "abalone rings": ("abalone.csv.gz", "rings", (0, 50), ()),
    "bike count": (
        "bike_sharing_hour.csv.gz",
        "cnt",
        (0, 5000),
        ("instant", "dteday", "casual", "registered"),
    ),
}
LABELS = {
    "Adult income": ("adult.csv.gz", "income", ">50K", ("split",)),
    "Pima diabetes": ("pima_diabetes.csv.gz", "outcome", 1, ()),
}


def mechanisms(relation: str, limited: bool) -> dict[str, Any]:
    """The candidates; without an upper limit only one has a law."""
    asymmetric = {"asymmetric": ln.AsymmetricSensitivity()}
    if not limited:
        return asymmetric
    found = {
        "Laplace": ln.Laplace() if relation == "replace-one" else ln.LaplaceRatio(),
        "inverse": ln.InverseSensitivity(),
        "piecewise": ln.PiecewiseLaplace(),
        "log": ln.PiecewiseLaplace(base="log"),
        **asymmetric,
    }
    if relation == "replace-one":
        found["log 1:2"] = ln.PiecewiseLaplace(base="log", above="1/3")
        found["log 2:1"] = ln.PiecewiseLaplace(base="log", above="2/3")
    return found


def table(file: str, target: str, dropped: tuple[str, ...]) -> tuple[Any, Any]:
    frame = pd.read_csv(DATA / file).drop(columns=list(dropped))
    y = frame.pop(target).to_numpy()
    return pd.get_dummies(frame).to_numpy(dtype=np.float64), y


def split(x: Any, y: Any, seed: int, public: int) -> tuple[Any, Any, Any, Any]:
    order = np.random.default_rng(seed).permutation(len(y))
    return x[order[:public]], y[order[:public]], x[order[public:]], y[order[public:]]


def scored(samples: int) -> Iterator[tuple[str, Any, Any, bool]]:
    """(name, statistic, data, has an upper limit) for every metric, data set and sample."""
    for name, (file, target, bounds, dropped) in TARGETS.items():
        x, y = table(file, target, dropped)
        px, py, sx, sy = split(x, y, 0, len(y) // 2)
        model = HistGradientBoostingRegressor(random_state=0).fit(px, py)
        predicted = model.predict(sx)
        for i in range(samples):
            rows = np.random.default_rng(i).choice(len(sy), ROWS, replace=False)
            data = sy[rows].astype(np.float64), predicted[rows]
            for kind in (ln.MeanSquaredError, ln.RootMeanSquaredError, ln.MeanAbsoluteError):
                yield f"{name}: {kind.__name__}", kind(bounds=bounds), data, True
                yield f"{name}: {kind.__name__}, no bounds", kind(), data, False
    for name, (file, target, positive, dropped) in LABELS.items():
        x, y = table(file, target, dropped)
        public = min(len(y) // 2, 5000) if len(y) > 2 * ROWS else len(y) // 4
        px, py, sx, sy = split(x, y == positive, 0, public)
        model = HistGradientBoostingClassifier(random_state=0, max_iter=50).fit(px, py)
        chance = model.predict_proba(sx)[:, 1]
        for i in range(samples):
            size = min(ROWS, len(sy))
            rows = np.random.default_rng(i).choice(len(sy), size, replace=False)
            yield from entropies(name, (sy[rows], chance[rows]), {})
    x, y = mnist("train")
    model = LogisticRegression(max_iter=40).fit(x[:3000] / 255, y[:3000])
    x, y = mnist("test")
    matrix = model.predict_proba(x / 255)
    for i in range(samples):
        rows = np.random.default_rng(i).choice(len(y), ROWS, replace=False)
        yield from entropies("MNIST", (y[rows], matrix[rows]), {"labels": range(10)})


def entropies(
    name: str, data: Any, options: dict[str, Any]
) -> Iterator[tuple[str, Any, Any, bool]]:
    yield f"{name}: CrossEntropy", ln.CrossEntropy(**options), data, True
    bounded = ln.CrossEntropy(loss_bound=10, **options)
    yield f"{name}: CrossEntropy, loss_bound=10", bounded, data, True


def mnist(part: str) -> tuple[Any, Any]:
    images = gzip.decompress((DATA / f"mnist_{part}_images.idx3.gz").read_bytes())
    labels = gzip.decompress((DATA / f"mnist_{part}_labels.idx1.gz").read_bytes())
    pixels = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)
    return pixels.astype(np.float64), np.frombuffer(labels, np.uint8, offset=8).astype(int)


def errors(samples: int, relation: str) -> dict[str, dict[tuple[str, str], list[float]]]:
    found: dict[str, dict[tuple[str, str], list[float]]] = {}
    for name, statistic, data, limited in scored(samples):
        profile = ln.profile(statistic, data, relation=relation)
        here = found.setdefault(name, {})
        here.setdefault(("value", ""), []).append(float(profile.value))
        for label, mechanism in mechanisms(relation, limited).items():
            if label == "Laplace" and profile.ratio is None and relation != "replace-one":
                mechanism = ln.Laplace()  # the root of a mean is no ratio of a sum and a count
            for epsilon in EPSILONS:
                law = mechanism.law(profile, epsilon)
                if limited:
                    error = law.mean_absolute_error(centre=profile.value)
                else:  # the mean has no limit either: the median error
                    error = median_error(law, float(profile.value))
                here.setdefault((label, epsilon), []).append(error)
    return found


def r2_errors() -> None:
    """R2 of 1,000 normal targets: two releases (simulated) beside the direct profile (exact)."""
    rng = np.random.default_rng(0)
    target = rng.normal(50, 10, ROWS)
    data = target, target + rng.normal(0, 3, ROWS)
    direct = ln.profile(ln.R2(bounds=(0, 100)), data)
    error = ln.profile(ln.MeanSquaredError(bounds=(0, 100)), data)
    spread = ln.profile(ln.Variance(bounds=(0, 100)), target)
    chosen = {"asymmetric": ln.AsymmetricSensitivity(), "log": ln.PiecewiseLaplace(base="log")}
    print("\nR2, bounds (0, 100), value", round(float(direct.value), 4), "\n")
    print("| mechanism |" + "".join(f" {e} |" for e in EPSILONS))
    print("|---|" + "---|" * len(EPSILONS))
    for name, mechanism in chosen.items():
        cells = ""
        for epsilon in EPSILONS:
            half = Fraction(epsilon) / 2
            a, b = (mechanism.law(p, half).sample(20_000, rng) for p in (error, spread))
            with np.errstate(all="ignore"):
                answers = np.where(b > 0, np.clip(1 - a / b, 0, 1), 0)
            cells += f" {np.mean(np.abs(answers - float(direct.value))):.3g} |"
        print(f"| two releases, {name} |{cells}", flush=True)
    chosen["piecewise"] = ln.PiecewiseLaplace()
    for name, mechanism in chosen.items():
        laws = [mechanism.law(direct, epsilon) for epsilon in EPSILONS]
        cells = "".join(f" {law.mean_absolute_error(centre=direct.value):.3g} |" for law in laws)
        print(f"| direct, {name} |{cells}", flush=True)


def median_error(law: Any, centre: float) -> float:
    low, high = 0.0, max(1.0, centre) * 1e6
    for _ in range(60):
        middle = (low + high) / 2
        if law.cdf(centre + middle) - law.cdf(centre - middle) >= 0.5:
            high = middle
        else:
            low = middle
    return high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--relation", default="replace-one")
    parser.add_argument("--r2", action="store_true", help="only the table of R2")
    options = parser.parse_args()
    if options.r2:
        r2_errors()
        return
    warnings.simplefilter("ignore")
    for name, here in errors(options.samples, options.relation).items():
        value = np.mean(here.pop(("value", "")))
        print(f"\n{name} (value {value:.4g}, {options.relation})\n")
        print("| mechanism |" + "".join(f" {e} |" for e in EPSILONS))
        print("|---|" + "---|" * len(EPSILONS))
        labels = list(dict.fromkeys(label for label, _ in here))
        means = {key: float(np.mean(errors)) for key, errors in here.items()}
        best = {e: min(means[label, e] for label in labels) for e in EPSILONS}
        for label in labels:
            cells = [
                f" **{means[label, e]:.3g}** |" if means[label, e] == best[e] and len(labels) > 1
                else f" {means[label, e]:.3g} |"
                for e in EPSILONS
            ]  # fmt: skip
            print(f"| {label} |{''.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
