"""Several classes: one model a class, as the library fits them, beside one softmax model.

    python benchmarks/softmax.py [--runs N] [--data FOLDER]

A study in doubles: the softmax model is objective perturbation with the noise and the ridge that
``docs/decisions/0012-private-regression.md`` states, but its minimiser is a solver's, so it is not
private and no part of the library. Accuracy at epsilon 1, "replace-one", on three tenths of the
rows; medians. The parts of the limits that both are told are public here.
"""

from __future__ import annotations

import argparse
import gzip
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from leastnoise.estimators import PrivateLogisticRegression
from leastnoise.testing import simulate

EPSILON, Q = 1.0, 0.875


def ridge(classes: int, columns: int) -> float:
    """The least ridge that keeps rate (1 + c) + log det within epsilon, c = 1 - p of the label."""
    c = np.linspace(0, 1, 2001)
    left = EPSILON - Q * EPSILON / 2 * (1 + c)
    trace = 1 - (1 - c) ** 2 - c**2 / (classes - 1)  # the most that 1 - sum p^2 can be
    return float((trace * columns / (classes - 1) / np.expm1(left / (classes - 1))).max())


def softmax(u: Any, y: Any, classes: int, rng: np.random.Generator) -> Any:
    """Coefficients, a row a class; K-norm noise, an l1 ball of radius 2 for every column."""
    n, m = u.shape
    bend, one = ridge(classes, m), np.eye(classes)[y]
    parts = rng.dirichlet(np.ones(classes), m) * rng.uniform(size=(m, 1)) ** (1 / classes)
    signs = rng.choice([-1, 1], size=(m, classes))
    noise = rng.gamma(m * classes + 1, 2 / Q / EPSILON) * 2 * (parts * signs).T

    def objective(flat: Any) -> tuple[float, Any]:
        theta = flat.reshape(classes, m)
        z = u @ theta.T
        z -= z.max(axis=1, keepdims=True)
        heights = np.exp(z)
        total = heights.sum(axis=1)
        value = (np.log(total) - z[np.arange(n), y]).sum()
        value += bend * (flat @ flat) / 2 + (noise * theta).sum()
        slope = (heights / total[:, None] - one).T @ u + bend * theta + noise
        return value, slope.ravel()

    start = np.zeros(classes * m)
    found: Any = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return found.x.reshape(classes, m)


def call(load: Any) -> Any:
    """Features and labels of a set that scikit-learn ships."""
    return load(return_X_y=True)


def sets(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    """Name, features in [-1, 1], labels 0, 1, ..."""
    for name, load in (("iris", load_iris), ("wine", load_wine), ("digits", load_digits)):
        x, y = call(load)
        low, high = x.min(axis=0), np.maximum(x.max(axis=0), x.min(axis=0) + 1)
        yield name, 2 * (x - low) / (high - low) - 1, y
    with gzip.open(folder / "mnist_train_images.idx3.gz") as images:
        x = np.frombuffer(images.read(), np.uint8, offset=16).reshape(-1, 7, 4, 7, 4)
    with gzip.open(folder / "mnist_train_labels.idx1.gz") as labels:
        y = np.frombuffer(labels.read(), np.uint8, offset=8).astype(int)
    yield (
        "MNIST, means of pixels",
        x.mean(axis=(2, 4)).reshape(-1, 49)[:20000] / 127.5 - 1,
        y[:20000],
    )
    for classes in (3, 5, 10):
        rng = np.random.default_rng(classes)
        x = rng.uniform(-1, 1, (20_000, 5))
        z = x @ rng.normal(size=(5, classes)) * 2 + rng.gumbel(size=(20_000, classes))
        yield "simulated", x, z.argmax(axis=1)


def main() -> None:
    """One line a set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| data | rows | classes | without privacy | one model a class | softmax |")
    print("|---|---|---|---|---|---|")
    for name, x, y in sets(given.data):
        labels = sorted(set(y.tolist()))
        made: dict[str, list[float]] = {"plain": [], "ours": [], "softmax": []}
        for seed in range(given.runs):
            rng = np.random.default_rng(seed)
            some, rest = np.split(rng.permutation(len(y)), [7 * len(y) // 10])
            plain: Any = LogisticRegression(max_iter=300).fit(x[some], y[some])
            with simulate(seed):
                ours: Any = PrivateLogisticRegression(EPSILON, bounds=(-1, 1), classes=labels)
                ours.fit(x[some], y[some])
            u = np.column_stack([np.ones(len(x)), x])
            theta = softmax(u[some], y[some], len(labels), rng)
            made["plain"].append(plain.score(x[rest], y[rest]))
            made["ours"].append(ours.score(x[rest], y[rest]))
            made["softmax"].append(float(((u[rest] @ theta.T).argmax(axis=1) == y[rest]).mean()))
        shown = " | ".join(f"{np.median(values):.3f}" for values in made.values())
        print(f"| {name} | {7 * len(y) // 10:,} | {len(labels)} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
