"""Models of leastnoise beside those of diffprivlib: accuracy, or R2, on rows that no fit has seen.

    python benchmarks/models_beside_diffprivlib.py --peer /path/to/python   both libraries
    python benchmarks/models_beside_diffprivlib.py                          ours alone
    python benchmarks/models_beside_diffprivlib.py --splits 5               fewer fits

``--peer`` is the interpreter of an environment of diffprivlib's own, which cannot be imported
beside a newer scikit-learn: ``pip install diffprivlib==0.6.6 "scikit-learn<1.6" "numpy<2.2"``.

Both get the same rows: the first 70 per cent of a random order, features scaled to [0, 1] by
public limits, "replace-one", epsilon 1, everything else by default. diffprivlib is given the norm
that such features can have: of a label in columns of 0 and 1 only one is 1. The number is the
median over the splits. Data: two sets that scikit-learn ships, and three of the data folder
(--data) where it is there.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

EPSILON = 1.0
ADULT_WIDTH = 21
Case = tuple[str, bool, Any, Any, "tuple[float, float] | None"]
ADULT_NORM = 8**0.5  # five numbers, sex, and one of each kind of label
ADULT_GROUPS = [[*range(6, 13)], [*range(13, 21)]]  # marital status, and work


def scaled(columns: list[Any], limits: list[tuple[float, float]]) -> Any:
    """Features cut to public limits and scaled to [0, 1]."""
    low, high = np.array(limits, float).T
    found = np.column_stack(columns).astype(float)
    return (np.clip(found, low, high) - low) / (high - low)


def rounded_limits(x: Any) -> list[tuple[float, float]]:
    """Limits as a person knows them: the extremes to one digit, outwards. The sets are public."""

    def outwards(value: float, up: Callable[[float], float]) -> float:
        unit = 10.0 ** np.floor(np.log10(abs(value))) if value else 1.0
        return float(up(value / unit) * unit)

    return [(outwards(c.min(), np.floor), outwards(c.max(), np.ceil)) for c in x.T]


def cases(folder: Path) -> Iterator[Case]:
    """Name, whether it is classes, features in [0, 1], target, limits of a number."""
    x, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer, 30 features", True, scaled([*x.T], rounded_limits(x)), y, None
    if (folder / "pima_diabetes.csv.gz").exists():
        names, table = read(folder / "pima_diabetes.csv.gz")
        x, y = table[:, :-1].astype(float), table[:, -1].astype(int)
        yield f"Pima, {len(names) - 1} features", True, scaled([*x.T], rounded_limits(x)), y, None
    if (folder / "adult.csv.gz").exists():
        yield adult(*read(folder / "adult.csv.gz"))
    x, y = load_diabetes(return_X_y=True, scaled=False)
    yield "diabetes, 10 features", False, scaled([*x.T], rounded_limits(x)), y, (0.0, 400.0)
    if (folder / "california_housing.csv.gz").exists():
        names, table = read(folder / "california_housing.csv.gz")
        kept = [n for n in names if n not in ("total_bedrooms", "ocean_proximity")]
        x = np.column_stack([table[:, names.index(n)] for n in kept]).astype(float)
        at = kept.index("median_house_value")
        y, x = x[:, at] / 1e5, np.delete(x, at, axis=1)
        yield (
            f"California, {x.shape[1]} features",
            False,
            scaled([*x.T], rounded_limits(x)),
            y,
            (0, 5),
        )


def adult(names: list[str], table: Any) -> Case:
    """Five numbers, sex, seven kinds of marital status and eight of work: 21 features."""
    column = {n.replace("-", "_"): table[:, i] for i, n in enumerate(names)}
    numbers = {
        "age": (17, 90), "education_num": (1, 16), "capital_gain": (0, 1e5),
        "capital_loss": (0, 5000), "hours_per_week": (1, 99),
    }  # fmt: skip
    found = [scaled([column[n].astype(float)], [limits])[:, 0] for n, limits in numbers.items()]
    found.append((column["sex"] == "Male").astype(float))
    for name in ("marital_status", "workclass"):
        labels = [x for x in sorted(set(column[name])) if x != "?"]
        found += [(column[name] == label).astype(float) for label in labels]
    target = next(c for c in column.values() if set(c) <= {"<=50K", ">50K"})
    x = np.column_stack(found)
    return f"Adult, {x.shape[1]} features", True, x, (target == ">50K").astype(int), None


def read(path: Path) -> tuple[list[str], Any]:
    """Names and entries of a gzipped CSV file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return names, np.array(rows, dtype=object)


def groups(width: int) -> list[list[int]] | None:
    """Columns of which at most one is 1, where there are any."""
    return ADULT_GROUPS if width == ADULT_WIDTH else None


def ours(classes: bool, width: int, limits: Any, seed: int) -> Any:
    """Our model."""
    from leastnoise.estimators import PrivateLinearRegression, PrivateLogisticRegression

    if classes:
        return PrivateLogisticRegression(
            epsilon=EPSILON, bounds=(0, 1), classes=[0, 1], exclusive=groups(width)
        )
    return PrivateLinearRegression(epsilon=EPSILON, bounds=(0, 1), target_bounds=limits)


def peers(classes: bool, width: int, limits: Any, seed: int) -> Any:
    """diffprivlib's model."""
    from diffprivlib.models import LinearRegression, LogisticRegression

    if classes:
        norm = ADULT_NORM if width == ADULT_WIDTH else float(np.sqrt(width))
        return LogisticRegression(epsilon=EPSILON, data_norm=norm, random_state=seed)
    ends = (np.zeros(width), np.ones(width))
    return LinearRegression(epsilon=EPSILON, bounds_X=ends, bounds_y=limits, random_state=seed)


def scores(make: Callable[..., Any], folder: Path, splits: int) -> dict[str, float]:
    """The median score of each case."""
    warnings.simplefilter("ignore")
    found: dict[str, float] = {}
    for name, classes, x, y, limits in cases(folder):
        made: list[float] = []
        for seed in range(splits):
            order = np.random.default_rng(seed).permutation(len(y))
            fit, rest = np.split(order, [7 * len(y) // 10])
            model = make(classes, x.shape[1], limits, seed).fit(x[fit], y[fit])
            made.append(float(model.score(x[rest], y[rest])))
        found[name] = median(made)
    return found


def main() -> None:
    """Print the table, or the scores of one library as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    root = Path(__file__).resolve().parents[1]
    parser.add_argument("--data", type=Path, default=root.parent / "shared" / "data")
    parser.add_argument("--splits", type=int, default=21)
    parser.add_argument("--peer", help="the interpreter that has diffprivlib")
    parser.add_argument("--as-peer", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.as_peer:
        print(json.dumps(scores(peers, given.data, given.splits)))
        return
    found = scores(ours, given.data, given.splits)
    other: dict[str, float] = {}
    if given.peer:
        command = [given.peer, __file__, "--as-peer", "--data", str(given.data)]
        ran = subprocess.run(
            [*command, "--splits", str(given.splits)], capture_output=True, text=True, check=True
        )
        other = json.loads(ran.stdout)
    print("| data | leastnoise | diffprivlib |\n|---|---|---|")
    for name, score in found.items():
        print(
            f"| {name} | {score:.3f} | {other[name]:.3g} |"
            if other
            else f"| {name} | {score:.3f} |"
        )


if __name__ == "__main__":
    sys.exit(main())
