"""Private linear regressions of the literature on the data sets of regression_without_bounds.py.

    python benchmarks/regression_peers.py [--runs 50] [--data FOLDER] [--peer PYTHON]

Written from the papers, at epsilon 1 and delta 1e-6 for one row more or less (half of what ours
hide). R2 on all rows, median and worst of the runs. Columns are scaled to [-1, 1] by their extremes
for the methods that need bounds, so these are told what we have to find; TukeyEM needs none.
Boosted AdaSSP: Tang et al. 2023, 100 rounds, residuals cut at 1, a third each for eigenvalue, X^T X
and all slopes, in Gaussian privacy. TukeyEM: Amin et al. 2022, 1,000 models, depth 250; 0 where its
test says no. Kendall: features chosen by arXiv 2306.00920 with a twentieth of epsilon, at most ten,
then TukeyEM. ISSP: a bound in favour of insufficient statistics perturbation (arXiv 2404.15409),
whose constants we do not have: rows beyond a leverage and a residual are left out, its tests pass
for free, and noise along the inverse of the moments hides one of the rows that are left, no more;
the thresholds are the best of sixteen, given for nothing.

``--peer`` adds diffprivlib's LinearRegression, told the extremes as well (pure epsilon): the
interpreter of an environment of its own, ``pip install diffprivlib==0.6.6 "scikit-learn<1.6"
"numpy<2.2"``. The units of a column change nothing in any of these methods.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from regression_without_bounds import DELTA, EPSILON, SETS, adassp, r2, read
from scipy.optimize import brentq
from scipy.stats import norm

MODELS, DEPTH = 1000, 250


def gaussian_privacy() -> float:
    """mu of Gaussian differential privacy at epsilon and delta."""

    def miss(mu: float) -> float:
        near, far = -EPSILON / mu + mu / 2, -EPSILON / mu - mu / 2
        return float(norm.cdf(near) - np.exp(EPSILON) * norm.cdf(far)) - DELTA

    return float(brentq(miss, 1e-3, 10))


def unit(X: Any, y: Any) -> tuple[Any, Any]:
    """Rows of length 1 at most, with a constant, and targets in [-1, 1], by the extremes."""
    low, high = X.min(axis=0), X.max(axis=0)
    z = np.column_stack([np.ones(len(X)), 2 * (X - low) / (high - low) - 1])
    return z / z.shape[1] ** 0.5, 2 * (y - y.min()) / (y.max() - y.min()) - 1


def boosted(X: Any, y: Any, rng: np.random.Generator, rounds: int = 100) -> float:
    """R2 of boosted AdaSSP."""
    z, t = unit(X, y)
    d, spread = z.shape[1], 3**0.5 / gaussian_privacy()
    gram = z.T @ z
    noise = rng.normal(size=(d, d)) * spread
    noise = np.triu(noise) + np.triu(noise, 1).T
    least = float(np.linalg.eigvalsh(gram)[0]) + (rng.normal() - 2) * spread
    ridge = max(0.0, (d * np.log(2 * d**2 / 0.05)) ** 0.5 * spread - max(0.0, least))
    inverse = np.linalg.pinv(gram + noise + ridge * np.eye(d), hermitian=True)
    found = np.zeros(d)
    for _ in range(rounds):
        slopes = z.T @ np.clip(t - z @ found, -1, 1)
        found = found + inverse @ (slopes + rng.normal(size=d) * spread * rounds**0.5)
    return r2(t, z @ found)


def tukey(X: Any, y: Any, rng: np.random.Generator, epsilon: float = EPSILON) -> float:
    """R2 of TukeyEM."""
    z = np.column_stack([np.ones(len(X)), X])
    parts = np.array_split(rng.permutation(len(z)), MODELS)
    fits = np.array([np.linalg.lstsq(z[k], y[k], rcond=None)[0] for k in parts])
    ordered = np.sort(fits + 1e-10 * rng.random(fits.shape), axis=0)
    half = MODELS // 2
    sides = ordered[::-1][:half] - ordered[:half]  # of the boxes of depth 1, 2, ...
    volumes = np.log(np.maximum(sides, 1e-300)).sum(axis=1)
    part = epsilon / 2
    far = distance(volumes, part)
    if far + rng.laplace(0, 1 / part) <= np.log(1 / (2 * DELTA)) / part:
        return r2(y, np.zeros(len(y)))
    depths = np.arange(DEPTH, half)
    inner = np.append(volumes[1:], -np.inf)
    shells = volumes + np.log1p(-np.exp(np.minimum(inner - volumes, -1e-12)))
    chosen = int(depths[np.argmax(shells[depths] + part * depths + rng.gumbel(size=len(depths)))])
    return r2(y, z @ in_shell(ordered, chosen, rng))


def distance(volumes: Any, epsilon: float) -> int:
    """How many records must change before the exponential mechanism would be unsafe, at least."""
    half, limit = len(volumes), np.log(DELTA / (8 * np.exp(epsilon)))
    for k in range(DEPTH - 1, -1, -1):
        gaps = np.arange(1, half - DEPTH - k - 1)
        if not len(gaps):
            continue
        ratios = volumes[DEPTH - k - 1] - volumes[DEPTH + k + gaps] - epsilon * gaps / 2
        if (ratios <= limit).any():
            return k
    return -1


def in_shell(ordered: Any, depth: int, rng: np.random.Generator) -> Any:
    """A point of the box of a depth outside the next, evenly."""
    low, high = ordered[depth], ordered[::-1][depth]
    inner = (ordered[depth + 1], ordered[::-1][depth + 1]) if 2 * depth + 3 < len(ordered) else None
    for _ in range(100_000):
        point = rng.uniform(low, high)
        if inner is None or not ((inner[0] < point) & (point < inner[1])).all():
            return point
    return rng.uniform(low, high)


def kendall(X: Any, y: Any, rng: np.random.Generator) -> float:
    """R2 of features chosen by Kendall correlations of disjoint pairs, then TukeyEM."""
    count, share = min(10, X.shape[1]), EPSILON / 20
    order = rng.permutation(len(X))[: len(X) // 2 * 2]
    first, second = X[order[::2]] - X[order[1::2]], y[order[::2]] - y[order[1::2]]
    signs, labels = np.sign(first), np.sign(second)
    chosen: list[int] = []
    while len(chosen) < count:
        score = np.abs(labels @ signs)
        if chosen:
            score = score - np.abs(signs[:, chosen].T @ signs).mean(axis=0)
        score = score + rng.gumbel(size=len(score)) * 2 * 3 * count / share
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
    return tukey(X[:, chosen], y, rng, EPSILON - share)


def issp(X: Any, y: Any, rng: np.random.Generator) -> float:
    """R2 of a bound in favour of insufficient statistics perturbation."""
    found = []
    for far, wide in product((1, 0.999, 0.99, 0.95), repeat=2):
        z, scale = np.column_stack([np.ones(len(X)), X]), y.std()
        basis, sizes, _ = np.linalg.svd(z / np.abs(z).max(axis=0), full_matrices=False)
        basis = basis[:, sizes > 1e-9 * sizes[0]]
        lengths = (basis**2).sum(axis=1)
        kept = lengths <= np.quantile(lengths, far)
        missed = np.abs(y - basis @ np.linalg.lstsq(basis[kept], y[kept], rcond=None)[0])
        kept &= missed <= np.quantile(missed[kept], wide)
        gram = basis[kept].T @ basis[kept]
        if np.linalg.eigvalsh(gram)[0] < 1e-9:  # a rare column was left out
            continue
        root = np.linalg.cholesky(gram)
        fit = np.linalg.lstsq(basis[kept], y[kept], rcond=None)[0]
        longest = np.square(np.linalg.solve(root, basis[kept].T)).sum(axis=0).max() ** 0.5
        noise = longest * np.abs(y - basis @ fit)[kept].max() / gaussian_privacy()
        drawn = np.linalg.solve(root.T, rng.normal(size=len(fit))) * noise
        found.append(r2(y / scale, basis @ (fit + drawn) / scale))
    return max(found)


def diffprivlib(python: str, X: Any, y: Any, runs: int) -> list[float]:
    """R2 of the fits of diffprivlib, in a process of its environment."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.npz"
        np.savez(table, X=X, y=y)
        script = Path(__file__).parent / "peers" / "diffprivlib_linear.py"
        command = [python, str(script), str(table), str(runs), str(EPSILON)]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def cell(found: list[float]) -> str:
    """Median and worst."""
    middle = float(np.median(found))
    return f"{middle:{'.3f' if abs(middle) < 100 else '.3g'}} ({min(found):.3g})"


def main() -> None:
    """One table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--peer", help="the interpreter that has diffprivlib")
    given = parser.parse_args()
    methods = {
        "AdaSSP": adassp, "boosted AdaSSP": boosted, "TukeyEM": tukey, "Kendall, TukeyEM": kendall,
        "ISSP, a bound": issp,
    }  # fmt: skip
    names = [*methods, *(["diffprivlib"] if given.peer else [])]
    print("| data | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for name in SETS:
        X, y = read(given.data, name)
        rng = np.random.default_rng(1)
        cells = [cell([way(X, y, rng) for _ in range(given.runs)]) for way in methods.values()]
        if given.peer:
            cells.append(cell(diffprivlib(given.peer, X, y, given.runs)))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
