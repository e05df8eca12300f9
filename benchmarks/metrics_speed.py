"""Time of a metric's summary beside the plain numpy loss, as ratios of one run.

    python benchmarks/metrics_speed.py [--rows 1000000]

The plain loss clips as ours does (squared errors), or clips probabilities away from 0 and 1.
CPU time of this process, the smallest of several runs in turn, so that other processes matter
little. ``depth`` is how many extreme losses are kept: 0 for Laplace noise, 100 for the asymmetric
mechanism at epsilon = 1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.session.prepare import plan

REPEATS = 15


def seconds(calls: list[Callable[[], Any]]) -> list[float]:
    best = [float("inf")] * len(calls)
    for _ in range(REPEATS):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            best[i] = min(best[i], time.process_time() - start)
    return best


def ours(statistic: Any, data: Any, depth: int) -> Callable[[], Any]:
    prepared = plan(statistic, data, "replace-one", None)
    return lambda: prepared.table.summarise(prepared.request, depth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    n = parser.parse_args().rows
    rng = np.random.default_rng(0)
    y = rng.normal(50, 10, n)
    p = y + rng.normal(0, 3, n)
    label = (rng.random(n) < 0.4).astype(np.float64)
    chance, logit, sign = rng.beta(2, 3, n), rng.normal(0, 2, n), 2 * label - 1
    codes, matrix = rng.integers(0, 10, n), rng.dirichlet(np.ones(10), n)
    columns = np.asfortranarray(matrix)
    tiny = 2.0**-52

    def squared() -> Any:
        return np.mean((np.clip(y, 0, 100) - np.clip(p, 0, 100)) ** 2)

    def absolute() -> Any:
        return np.mean(np.abs(np.clip(y, 0, 100) - np.clip(p, 0, 100)))

    def entropy() -> Any:
        q = np.clip(chance, tiny, 1 - tiny)
        return -np.mean(label * np.log(q) + (1 - label) * np.log(1 - q))

    def logistic() -> Any:
        return np.mean(np.logaddexp(0, -sign * logit))

    def several() -> Any:
        q = np.clip(matrix, tiny, 1)
        q = q / q.sum(axis=1, keepdims=True)
        return -np.mean(np.log(q[np.arange(n), codes]))

    bounds = (0, 100)
    rows = [
        ("mean squared error", squared, ln.MeanSquaredError(bounds=bounds), (y, p)),
        ("mean absolute error", absolute, ln.MeanAbsoluteError(bounds=bounds), (y, p)),
        ("cross-entropy of probabilities", entropy, ln.CrossEntropy(), (label, chance)),
        (
            "cross-entropy of logits",
            logistic,
            ln.CrossEntropy(logits=True, bounds=(-20, 20)),
            (label, logit),
        ),
        ("cross-entropy, 10 labels", several, ln.CrossEntropy(labels=range(10)), (codes, columns)),
    ]
    print(f"| {n} rows | plain numpy ms | depth 0 | depth 100 |")
    print("|---|---|---|---|")
    for name, plain, statistic, data in rows:
        base, *found = seconds([plain, *(ours(statistic, data, depth) for depth in (0, 100))])
        ratios = " | ".join(f"{x / base:.2f} x" for x in found)
        print(f"| {name} | {1000 * base:.1f} | {ratios} |")


if __name__ == "__main__":
    main()
