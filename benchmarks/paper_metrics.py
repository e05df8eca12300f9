"""Exact expected errors on the data of Durfee (2024): variance, regression and classification.

    python benchmarks/paper_metrics.py [--samples 100] [--relation replace-one] [--markdown]

Figures 1 and 2 of the paper: samples of 1,000 records, epsilon from 0.1 to 2. Every number is the
mean over the samples of the exact mean absolute error of a law; nothing is simulated. "paper" is
the paper's mechanism, computed from its definition by quadrature: beta = 1.005, t_i = beta^i - 1,
exponential noise, shares e1 = e2, with three of its printed weaknesses already mended (the exact
upper bound of a variance instead of Lemma 5.4, the depth rule instead of c = 100, the valid
budget). Models are fitted to rows that are never scored. Needs the data folder ../shared/data,
scikit-learn and pandas.
"""

from __future__ import annotations

import argparse
import gzip
import json
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.neural_network import MLPClassifier

import leastnoise as ln
from leastnoise.reproduce.printed import printed_error

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
ROWS = 1000
COLUMNS = {
    "diamonds price": ("diamonds.csv.gz", "price", (0, 50_000)),
    "abalone rings": ("abalone.csv.gz", "rings", (0, 50)),
    "bike count": ("bike_sharing_hour.csv.gz", "cnt", (0, 5000)),
    "Adult hours": ("adult.csv.gz", "hours-per-week", (0, 168)),
    "Adult age": ("adult.csv.gz", "age", (0, 125)),
}
DROPPED = {"bike count": ["instant", "dteday", "casual", "registered"]}
LABELS = {
    "Adult income": ("adult.csv.gz", "income", ">50K", ["split"]),
    "Pima diabetes": ("pima_diabetes.csv.gz", "outcome", 1, []),
}
Case = tuple[str, Any, Callable[[int], Any]]


def mechanisms(relation: str) -> dict[str, Any]:
    """What is compared with the default."""
    laplace = ln.Laplace() if relation == "replace-one" else ln.LaplaceRatio()
    return {
        "Laplace": laplace,
        "inverse": ln.InverseSensitivity(),
    }


def picked(count: int, seed: int) -> Any:
    """One sample's rows."""
    return np.random.default_rng(seed).choice(count, min(ROWS, count), replace=False)


def spreads() -> Iterator[Case]:
    """Variances of five columns."""
    for name, (file, column, bounds) in COLUMNS.items():
        values = pd.read_csv(DATA / file)[column].to_numpy()
        yield (
            f"variance, {name}",
            ln.Variance(bounds=bounds),
            lambda i, v=values: v[picked(len(v), i)],
        )


def regressions() -> Iterator[Case]:
    """Squared and absolute errors of gradient-boosted trees."""
    for name in list(COLUMNS)[:3]:
        file, target, bounds = COLUMNS[name]
        frame = pd.read_csv(DATA / file).drop(columns=DROPPED.get(name, []))
        y = frame.pop(target).to_numpy(dtype=np.float64)
        x = pd.get_dummies(frame).to_numpy(dtype=np.float64)
        order = np.random.default_rng(0).permutation(len(y))
        fitted, scored = order[: len(y) // 2], order[len(y) // 2 :]
        model = HistGradientBoostingRegressor(random_state=0).fit(x[fitted], y[fitted])
        truth, guess = y[scored], model.predict(x[scored])

        def pair(i: int, truth: Any = truth, guess: Any = guess) -> Any:
            rows = picked(len(truth), i)
            return truth[rows], guess[rows]

        yield f"MSE, {name}", ln.MeanSquaredError(bounds=bounds), pair
        yield f"MAE, {name}", ln.MeanAbsoluteError(bounds=bounds), pair


def classifications() -> Iterator[Case]:
    """Cross-entropies, from probabilities and from logits within the paper's bounds."""
    for name, (file, target, positive, dropped) in LABELS.items():
        frame = pd.read_csv(DATA / file).drop(columns=dropped)
        y = frame.pop(target).to_numpy() == positive
        x = pd.get_dummies(frame).to_numpy(dtype=np.float64)
        order = np.random.default_rng(0).permutation(len(y))
        cut = len(y) // 2 if len(y) > 2 * ROWS else len(y) // 4
        fitted, scored = order[:cut], order[cut:]
        model = HistGradientBoostingClassifier(random_state=0).fit(x[fitted], y[fitted])
        chance, logit = model.predict_proba(x[scored])[:, 1], model.decision_function(x[scored])
        yield from _both(name, y[scored].astype(float), chance, logit, (-10, 10), {})
    pixels, digits = mnist("train")
    model = MLPClassifier((128,), max_iter=5, random_state=0).fit(pixels / 255, digits)
    pixels, digits = mnist("test")
    hidden = np.maximum(0, pixels / 255 @ model.coefs_[0] + model.intercepts_[0])
    logits = hidden @ model.coefs_[1] + model.intercepts_[1]
    chances = model.predict_proba(pixels / 255)
    yield from _both("MNIST", digits, chances, logits, (-25, 25), {"labels": range(10)})


def _both(
    name: str, truth: Any, chance: Any, logit: Any, bounds: Any, options: Any
) -> Iterator[Case]:
    def rows_of(guess: Any) -> Callable[[int], Any]:
        return lambda i: (truth[rows := picked(len(truth), i)], guess[rows])

    yield f"cross-entropy, {name}, probabilities", ln.CrossEntropy(**options), rows_of(chance)
    statistic = ln.CrossEntropy(logits=True, bounds=bounds, **options)
    yield f"cross-entropy, {name}, logits in {list(bounds)}", statistic, rows_of(logit)


def mnist(part: str) -> tuple[Any, Any]:
    """Pixels and digits."""
    images = gzip.decompress((DATA / f"mnist_{part}_images.idx3.gz").read_bytes())
    labels = gzip.decompress((DATA / f"mnist_{part}_labels.idx1.gz").read_bytes())
    pixels = np.frombuffer(images, np.uint8, offset=16).reshape(-1, 784)
    return pixels.astype(np.float64), np.frombuffer(labels, np.uint8, offset=8).astype(int)


def errors(profile: Any, statistic: Any, relation: str, rows: int) -> dict[str, list[float]]:
    """Mechanism by mechanism, one error an epsilon; "default" is what a release takes."""
    # the paper prints a cross-entropy as a sum, so its candidates are those of the sum
    scale = Fraction(1, rows) if isinstance(statistic, ln.CrossEntropy) else Fraction(1)
    found = {"paper": [printed_error(profile, e, scale=scale) for e in EPSILONS]}
    chosen = {**mechanisms(relation), "default": None}
    for name, mechanism in chosen.items():
        if name == "Laplace" and profile.ratio is None:
            mechanism = ln.Laplace()
        row: list[float] = []
        for epsilon in EPSILONS:
            by = mechanism or statistic.default_mechanism(relation)
            law = by.law(profile, epsilon)
            row.append(law.mean_absolute_error(centre=profile.value))
        found[name] = row
    return found


def job(task: tuple[str, Any, Any, str]) -> tuple[str, float, dict[str, list[float]]]:
    """One sample of one case."""
    name, statistic, data, relation = task
    profile = ln.profile(statistic, data, relation=relation)
    rows = len(data[0]) if isinstance(data, tuple) else len(data)
    return name, float(profile.value), errors(profile, statistic, relation, rows)


def collect(samples: int, relation: str, workers: int, wanted: str) -> dict[str, Any]:
    """Errors of every case, mechanism and epsilon, one list entry a sample."""
    found: dict[str, Any] = {}
    with Pool(workers) as pool:
        for cases in (spreads, regressions, classifications):
            for name, statistic, draw in cases():
                if wanted not in name:
                    continue
                tasks = [(name, statistic, draw(i), relation) for i in range(samples)]
                here = found.setdefault(name, {"value": [], "errors": {}})
                for _, value, rows in pool.imap(job, tasks):
                    here["value"].append(value)
                    for label, row in rows.items():
                        here["errors"].setdefault(label, []).append(row)
                show(name, here)
    return found


def unbounded(samples: int) -> None:
    """Median errors without bounds over those with the paper's bounds, each a mean of samples."""
    print("| median error without bounds / with bounds |" + "".join(f" {e} |" for e in EPSILONS))
    print("|---|" + "---|" * len(EPSILONS))
    for name, statistic, draw in regressions():
        found: list[Any] = []
        for i in range(samples):
            profiles = [ln.profile(s, draw(i)) for s in (type(statistic)(), statistic)]
            by = statistic.default_mechanism("replace-one")
            laws = [[by.law(p, e) for e in EPSILONS] for p in profiles]
            found.append(
                [
                    [median_error(law, p.value) for law in row]
                    for row, p in zip(laws, profiles, strict=True)
                ]
            )
        free, bounded = np.mean(found, axis=0)
        cells = " | ".join(f"{x:.2f}" for x in free / bounded)
        print(f"| {name} | {cells} |", flush=True)


def median_error(law: Any, value: Any) -> float:
    """The median of |answer - value|, by bisection of the exact distribution function."""
    centre, low, high = float(value), 0.0, 10 * float(value)
    for _ in range(40):
        middle = (low + high) / 2
        if law.cdf(centre + middle) - law.cdf(centre - middle) >= 0.5:
            high = middle
        else:
            low = middle
    return high


def show(name: str, here: Any) -> None:
    """One table: the mean over samples, the smallest of each column in bold."""
    means = {label: np.mean(rows, axis=0) for label, rows in here["errors"].items()}
    best = np.min(list(means.values()), axis=0)
    print(f"\n{name} (value {np.mean(here['value']):.4g})\n")
    print("| mechanism |" + "".join(f" {e} |" for e in EPSILONS))
    print("|---|" + "---|" * len(EPSILONS))
    for label, row in means.items():
        cells = (f"**{x:.3g}**" if x <= b else f"{x:.3g}" for x, b in zip(row, best, strict=True))
        print(f"| {label} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--relation", default="replace-one")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--json", help="also write every sample's errors here")
    parser.add_argument("--unbounded", action="store_true", help="only data without bounds")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.unbounded:
        unbounded(options.samples)
        return
    found = collect(options.samples, options.relation, options.workers, options.only)
    if options.json:
        Path(options.json).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
