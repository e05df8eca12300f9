"""Private logistic regression: coverage of its intervals, and accuracy on real data.

    python benchmarks/logistic.py coverage [--runs N]            intervals over random settings
    python benchmarks/logistic.py accuracy [--peer PYTHON] [--runs N] [--data FOLDER]

coverage: n of 1,000 to 100,000, 1 to 10 features (uniform, normal or heavy-tailed, correlated or
not, cut at public limits), epsilon 1/2 to 4. "told" limits are those that the features were cut at.
The oracle is told the true second derivatives of the losses, and that the noise of the objective is
all that there is besides the sample; it has all of epsilon. Coverage is that of the slopes.

accuracy: the share of rows, which no fit has seen, whose class is right, at epsilon 1; medians.
``--peer`` is the interpreter of an environment with diffprivlib, as in
``benchmarks/models_beside_diffprivlib.py``, whose sets these are, with two pairs of MNIST's digits
in 7 x 7 means of 4 x 4 pixels. Fits are simulated releases, so nothing is charged.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from models_beside_diffprivlib import cases, groups, peers  # pyright: ignore[reportMissingImports]

EPSILON = 1.0
CUTS = {"uniform": 1.0, "normal": 3.0, "heavy": 4.0}


def setting(seed: int) -> tuple[Any, ...]:
    """A random design and its truth: limits, features, labels, intercept and slopes, epsilon."""
    rng = np.random.default_rng(seed)
    n, p = int(1000 * 100 ** rng.uniform()), int(rng.integers(1, 11))
    epsilon, rho = float(2 ** rng.uniform(-1, 2)), float(rng.choice([0, 0.5, 0.9]))
    kind = str(rng.choice([*CUTS]))
    mix = np.linalg.cholesky(rho * np.ones((p, p)) + (1 - rho) * np.eye(p))
    drawn = {
        "uniform": lambda: rng.uniform(-1, 1, (n, p)),
        "normal": lambda: rng.normal(size=(n, p)) @ mix.T,
        "heavy": lambda: rng.standard_t(4, (n, p)) @ mix.T,
    }
    far = CUTS[kind]
    X = np.clip(drawn[kind](), -far, far)
    truth = np.r_[
        rng.normal() / 2, rng.normal(size=p) / p**0.5 * float(rng.choice([0.5, 1, 2])) / far * 2
    ]
    y = (rng.uniform(size=n) < 1 / (1 + np.exp(-(truth[0] + X @ truth[1:])))).astype(int)
    return far, X, y, truth, epsilon


def oracle(far: float, X: Any, truth: Any, epsilon: float) -> Any:
    """Widths of 95 % intervals of the slopes that know the law of the noise and H."""
    from leastnoise.estimators.objective import parse_ball, perturbed
    from leastnoise.estimators.perturbation import LOGISTIC

    m = len(truth)
    steps = perturbed(
        Fraction(epsilon), Fraction(19, 20), parse_ball("linf", m), [Fraction(0)] * m, LOGISTIC,
        relation="replace-one", joint=True, correct=True,
    )  # fmt: skip
    noise = (m + 1) * (m + 2) / 3 * float(steps.reach / steps.price.rate) ** 2
    u = np.column_stack([np.ones(len(X)), X / far])
    chance = 1 / (1 + np.exp(-(u @ (truth * np.r_[1, np.full(m - 1, far)]))))
    bends: Any = (u * (chance * (1 - chance))[:, None]).T @ u
    inverse = np.asarray(np.linalg.inv(bends), dtype=np.float64)
    spread = inverse + noise * inverse @ inverse
    return 2 * 1.96 * np.sqrt(spread.diagonal())[1:] / far


def coverage(runs: int) -> None:
    """Coverage of 95 % intervals with limits told and found, and widths beside the oracle's."""
    from leastnoise.estimators import PrivateLogisticRegression
    from leastnoise.testing import simulate

    kept: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for seed in range(runs):
        far, X, y, truth, epsilon = setting(seed)
        best = oracle(far, X, truth, epsilon)
        for name, bounds in (("told", (-far, far)), ("found", None)):
            with simulate(seed):
                model = PrivateLogisticRegression(
                    epsilon, bounds=bounds, classes=[0, 1], intervals=True
                ).fit(X, y)
            low, high = model.conf_int(0.95).T
            held = float(((low <= truth[1:]) & (truth[1:] <= high)).mean())
            ratio = float(np.median((high - low) / best))
            size = "below 10,000" if len(X) * epsilon < 10_000 else "10,000 and more"
            cell = (held, float(np.median(high - low)), ratio)
            for rows in (size, "all"):
                kept.setdefault((name, rows), []).append(cell)
    print(
        "| limits | rows times epsilon | settings | coverage | median width | over the oracle's |"
    )
    print("|---|---|---|---|---|---|")
    for (name, size), cells in sorted(kept.items(), reverse=True):
        held, width, ratio = np.array(cells).T
        shown = f"{held.mean():.3f} | {np.median(width):.3g} | {np.median(ratio):.2f}"
        print(f"| {name} | {size} | {len(held)} | {shown} |")


def sets(folder: Path) -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, features in [0, 1], classes 0 and 1, and rows that are kept for the score, if any."""
    for name, classes, x, y, _ in cases(folder):
        if classes:
            yield name, x, y, None
    for one, other in ((4, 9), (3, 8)):
        (x, y), rest = (digits(folder, part, one, other) for part in ("train", "test"))
        yield f"MNIST {one} and {other}, 49 features", x, y, rest


def digits(folder: Path, part: str, one: int, other: int) -> tuple[Any, Any]:
    """Two digits of MNIST in means of 4 x 4 pixels, and whether it is the second."""
    with gzip.open(folder / f"mnist_{part}_images.idx3.gz") as images:
        x = np.frombuffer(images.read(), np.uint8, offset=16).reshape(-1, 7, 4, 7, 4)
    with gzip.open(folder / f"mnist_{part}_labels.idx1.gz") as labels:
        y = np.frombuffer(labels.read(), np.uint8, offset=8)
    chosen = (y == one) | (y == other)
    return x.mean(axis=(2, 4))[chosen].reshape(-1, 49) / 255, (y[chosen] == other).astype(int)


def fits(private: bool, width: int, seed: int) -> dict[str, Any]:
    """Models by name: diffprivlib's in its own environment, else ours and one without privacy."""
    if not private:
        return {"diffprivlib": peers(True, width, None, seed)}
    from sklearn.linear_model import LogisticRegression

    from leastnoise.estimators import PrivateLogisticRegression

    return {
        "without privacy": LogisticRegression(max_iter=1000),
        "limits told": PrivateLogisticRegression(
            EPSILON, bounds=(0, 1), classes=[0, 1], exclusive=groups(width)
        ),
        "limits found": PrivateLogisticRegression(EPSILON, classes=[0, 1], exclusive=groups(width)),
    }


def drawn(seed: int, label: str) -> AbstractContextManager[object]:
    """Seeded noise for our models; diffprivlib's has its seed itself."""
    if not label.startswith("limits"):
        return nullcontext()
    from leastnoise.testing import simulate

    return simulate(seed, stream=label)


def scores(private: bool, folder: Path, runs: int) -> dict[str, dict[str, float]]:
    """Median scores of every set and model, on three tenths of the rows."""
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, float]] = {}
    for name, x, y, rest in sets(folder):
        made: dict[str, list[float]] = {}
        rows = 7 * len(y) // 10 if rest is None else len(y)
        for seed in range(runs):
            order = np.random.default_rng(seed).permutation(len(y))
            some, others = np.split(order, [rows])
            tried = (x[others], y[others]) if rest is None else rest
            for label, model in fits(private, x.shape[1], seed).items():
                with drawn(seed, label):
                    model.fit(x[some], y[some])
                score = model.score(*tried)
                made.setdefault(label, []).append(float(score))
        found[f"{name}, n = {rows:,}"] = {k: median(v) for k, v in made.items()}
    return found


def accuracy(runs: int, folder: Path, peer: str | None) -> None:
    """One line a set."""
    found = scores(True, folder, runs)
    if peer:
        options = ["--as-peer", "--runs", str(runs), "--data", str(folder)]
        asked = [peer, __file__, "accuracy", *options]
        ran = subprocess.run(asked, capture_output=True, text=True, check=True)
        for name, more in json.loads(ran.stdout).items():
            found[name] |= more
    names = list(dict.fromkeys(label for row in found.values() for label in row))
    print("| " + " | ".join(["data", *names]) + " |\n" + "|---" * (len(names) + 1) + "|")
    for name, row in found.items():
        print(f"| {name} | " + " | ".join(f"{row[label]:.3f}" for label in names) + " |")


def main() -> None:
    """One table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["coverage", "accuracy"])
    parser.add_argument("--runs", type=int)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--peer", help="the interpreter that has diffprivlib")
    parser.add_argument("--as-peer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part == "coverage":
        coverage(given.runs or 200)
    elif given.as_peer:
        print(json.dumps(scores(False, given.data, given.runs)))
    else:
        accuracy(given.runs or 11, given.data, given.peer)


if __name__ == "__main__":
    main()
