"""Time of worked statistics against the same statistic in plain numpy, in one run.

    python benchmarks/worked_speed.py [--rows 1000000]

Process CPU time of a whole release and of the plain computation from the same arrays, the least of
five runs in turn, and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable

import numpy as np
from timing import least

import leastnoise as ln


def weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(sums, sums[-1] / 2)])


def trimmed(rows: np.ndarray) -> np.ndarray:
    cut = len(rows) // 10
    return np.sort(np.clip(rows, 0, 1000), axis=0)[cut : len(rows) - cut].mean(axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    rng = np.random.default_rng(0)
    values, weights = rng.gamma(2, 100, rows), rng.random(rows)
    table = rng.normal(500, 20, (rows, 3))
    codes = rng.integers(0, 10, rows)
    bounds = (1, 100_000)
    cases: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        (
            "ratio of quantiles",
            lambda: np.divide(*np.quantile(np.clip(values, *bounds), [0.9, 0.1])),
            lambda: ln.release(ln.QuantileRatio(bounds=bounds), values, epsilon=1, missing="none"),
        ),
        (
            "weighted median",
            lambda: weighted_median(values, weights),
            lambda: ln.release(
                ln.WeightedQuantile(q="1/2", bounds=bounds, largest=1), (values, weights), epsilon=1
            ),
        ),
        (
            "three trimmed means",
            lambda: trimmed(table),
            lambda: ln.release(
                ln.TrimmedMeanVector(columns=3, bounds=(0, 1000)), table, epsilon=1, missing="none"
            ),
        ),
        (
            "mode of ten categories",
            lambda: int(np.bincount(codes, minlength=10).argmax()),
            lambda: ln.release(ln.Mode(categories=list(range(10))), codes, epsilon=1),
        ),
    ]
    print(f"| {rows:,} rows | plain, ms | release, ms | ratio |\n|---|---:|---:|---:|")
    for name, plain, release in cases:
        base, ours = least(plain), least(release)
        print(f"| {name} | {1e3 * base:.1f} | {1e3 * ours:.1f} | {ours / base:.2f} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory of this process: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
