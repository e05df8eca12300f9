"""Quantiles of persons by default, beside the flat law, in bounds that fit and in loose ones.

    python benchmarks/person_quantiles.py [--releases 30]

Errors are means over releases of |answer - quantile of all rows|, in distances between the quarter
and the twentieth from above of all rows; ``max_rows`` is found privately, or is the most rows of a
person. "flat" is ``PiecewiseLaplace()``.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

import numpy as np
from person_means import frame_of

import leastnoise as ln
from leastnoise.testing import simulate


def error(
    session: ln.Session, asked: Any, truth: float, epsilon: str, releases: int, **more: Any
) -> float:
    """The mean error of some releases."""
    values: list[float] = []
    for seed in range(releases):
        with simulate(str(seed)):
            record: Any = session.release(asked, epsilon=epsilon, **more)
        values.append(record.value)
    return float(np.mean(np.abs(np.array(values) - truth)))


def main() -> None:
    """Print a table, then geometric means of the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=30)
    releases: int = parser.parse_args().releases
    print("| persons | rows of one | column | q | epsilon | max_rows | too wide | ours | flat |")
    print("|---:|---|---|---:|---:|---|---:|---:|---:|")
    found: dict[float, list[float]] = {}
    for persons, kind in product((300, 1000, 3000), ("1 to 5", "Zipf, 200")):
        frame, most = frame_of(kind, persons)
        for limit in ("private", most):
            rows: Any = ln.PrivateLimit() if limit == "private" else limit
            session = ln.open(frame, unit="who", max_rows=rows)
            cells = product(frame.columns[1:], ("0.5", "0.9"), ("0.5", "2"), (1.3, 100.0))
            for name, q, epsilon, times in cells:
                x = frame[name].to_numpy()
                low, high = float(x.min()), float(x.max())
                bounds = (0 if low >= 0 else times * low, times * high)
                size = float(np.quantile(x, 0.95) - np.quantile(x, 0.25))
                truth = float(np.quantile(x, float(q), method="inverted_cdf"))
                asked: Any = ln.Quantile(name, bounds=bounds, q=q, missing="none")
                ours = error(session, asked, truth, epsilon, releases) / size
                flat = ln.PiecewiseLaplace()
                other = error(session, asked, truth, epsilon, releases, mechanism=flat) / size
                found.setdefault(times, []).append((ours + 0.001) / (other + 0.001))
                shown = f"{limit} | {times:g} | {ours:.4f} | {other:.4f}"
                print(f"| {persons} | {kind} | {name} | {q} | {epsilon} | {shown} |", flush=True)
    for times, ratios in found.items():
        share, mean = np.mean(np.array(ratios) > 1.1), np.exp(np.mean(np.log(ratios)))
        print(f"{times:g} times too wide: ours / flat {mean:.2f}, above 1.1 in {share:.0%}")


if __name__ == "__main__":
    main()
