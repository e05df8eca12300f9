"""Means and covariances of several columns in bounds from fitting to far too wide.

    python benchmarks/vector_limits.py [--repeats N] [--rows 10000] [--columns 3]

Bounds that fit are the largest absolute value of a column times 1.3, on both sides of 0 where the
data are. "declared" is the noise of the same release without a search (``KNorm``,
``ConeLaplace``) in bounds that fit; "own" is that with the ranges of the data themselves for
bounds, which no release may know. Errors are means of |release - truth| over all numbers, in
standard deviations of their columns, so they count what clipping costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.testing import simulate

Floats = NDArray[np.float64]
Make = Callable[[np.random.Generator, int, int], Floats]


def mixed(rng: np.random.Generator, n: int, m: int) -> Floats:
    columns = [
        rng.normal(40, 12, n),
        np.exp(rng.normal(10, 0.6, n)),
        rng.poisson(3, n).astype(float),
        rng.random(n) * 1000,
        rng.exponential(3, n),
    ]
    return np.column_stack([columns[j % 5] for j in range(m)])


def joined(rng: np.random.Generator, n: int, m: int) -> Floats:
    return rng.normal(0, 1, (n, m)) @ (np.eye(m) + 0.3)


SHAPES: dict[str, Make] = {
    "normal, correlated": joined,
    "lognormal .7": lambda rng, n, m: np.exp(0.7 * joined(rng, n, m)),
    "Pareto 2": lambda rng, n, m: (1 - rng.random((n, m))) ** -0.5,
    "uniform, 50 to 150": lambda rng, n, m: 50 + 100 * rng.random((n, m)),
    "exponential": lambda rng, n, m: rng.exponential(10, (n, m)),
    "age, pay, counts": mixed,
}
LOOSE = (1.0, 1e3, 1e6, 1e9)


def bounds(x: Floats, loose: float) -> list[tuple[float, float]]:
    tops = np.abs(x).max(axis=0) * 1.3 * loose
    return [
        (-float(top) if column.min() < 0 else 0.0, float(top))
        for column, top in zip(x.T, tops, strict=True)
    ]


def geometric(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


@dataclass(frozen=True)
class Asked:
    """A statistic of some data, and how often and how it is released."""

    kind: Any
    data: Floats
    repeats: int
    relation: str

    def error(self, ends: Any, epsilon: str, mechanism: Any = None) -> float:
        x, square = self.data, self.kind is ln.Covariance
        spread = x.std(axis=0)
        truth = np.cov(x.T, bias=True) if square else x.mean(axis=0)
        unit = np.outer(spread, spread) if square else spread
        asked = self.kind(x.shape[1], bounds=ends, missing="none")
        more = {"epsilon": epsilon, "relation": self.relation, "mechanism": mechanism}
        with simulate(f"{self.kind.__name__} {epsilon}"):
            found = [ln.release(asked, x, **more).value for _ in range(self.repeats)]
        return float(np.mean(np.abs(np.array(found) - truth) / unit))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=3)
    parser.add_argument("--relation", default="replace-one")
    parser.add_argument("--epsilons", default="0.5,1,4")
    options = parser.parse_args()
    n, m = options.rows, options.columns
    print(f"{n} rows of {m} columns, {options.relation}; error over that of noise for")
    print("| statistic | data | epsilon | declared, fitting | own, fitting | 1e3 | 1e6 | 1e9 |")
    print("|---|---|---|---|---|---|---|---|")
    ratios: dict[str, list[float]] = {"fitting": [], "wide": [], "widest over fitting": []}
    for kind in (ln.MeanVector, ln.Covariance):
        for name, make in SHAPES.items():
            x = make(np.random.default_rng(3), n, m)
            asked = Asked(kind, x, options.repeats, options.relation)
            plain = kind(m, bounds=(0, 1)).settled_mechanism(options.relation)
            ranges = list(zip(x.min(axis=0).tolist(), x.max(axis=0).tolist(), strict=True))
            for epsilon in options.epsilons.split(","):
                own, fit = (asked.error(ends, epsilon, plain) for ends in (ranges, bounds(x, 1.0)))
                errors = [asked.error(bounds(x, loose), epsilon) for loose in LOOSE]
                ratios["fitting"].append(errors[0] / fit)
                ratios["wide"] += [e / own for e in errors[1:]]
                ratios["widest over fitting"].append(max(errors) / errors[0])
                shown = " | ".join(f"{e / own:.3g}" for e in errors)
                print(f"| {kind.__name__} | {name} | {epsilon} | {errors[0] / fit:.3g} | {shown} |",
                      flush=True)  # fmt: skip
    for name, values in ratios.items():
        print(f"{name}: geometric mean {geometric(values):.3g}, worst {max(values):.3g}")


if __name__ == "__main__":
    main()
