"""Means and variances by default in bounds from fitting to far too wide, beside plain noise.

    python benchmarks/private_limits.py [--repeats N] [--relation replace-one] [--rows 10000]
    python benchmarks/private_limits.py --statistic variance [--shapes normal,years]

Bounds that fit are the largest absolute value times 1.3, on both sides of 0 where the data are.
"own" is Laplace noise for the range of the data themselves, which no release may know; "declared"
is Laplace noise for the declared bounds; of variances "own" and "declared" are ``CentredLaplace()``
where the number of rows is public, and ``TightOrLoose()`` where it is not. Ours is the mean of
|release - mean| over simulated releases, so it counts what clipping costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.testing import simulate

Make = Callable[[np.random.Generator, int], NDArray[np.float64]]


def outlier(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    x = rng.normal(0, 1, n)
    x[0] = 1000
    return x


SHAPES: dict[str, Make] = {
    "uniform": lambda rng, n: rng.random(n),
    "uniform, 50 to 100": lambda rng, n: 50 + 50 * rng.random(n),
    "uniform, -1 to 1": lambda rng, n: 2 * rng.random(n) - 1,
    "normal": lambda rng, n: rng.normal(0, 1, n),
    "normal, 50 and 10": lambda rng, n: rng.normal(50, 10, n),
    "normal, 1e6 and 10": lambda rng, n: rng.normal(1e6, 10, n),
    "lognormal .6": lambda rng, n: rng.lognormal(0, 0.6, n),
    "lognormal 1": lambda rng, n: rng.lognormal(0, 1, n),
    "lognormal pay": lambda rng, n: np.round(rng.lognormal(10.5, 0.5, n)),
    "Pareto 2": lambda rng, n: (1 - rng.random(n)) ** (-1 / 2),
    "Pareto 1.2": lambda rng, n: (1 - rng.random(n)) ** (-1 / 1.2),
    "exponential": lambda rng, n: rng.exponential(10, n),
    "negative": lambda rng, n: -rng.exponential(10, n),
    "both signs": lambda rng, n: rng.laplace(0, 3, n),
    "two clusters": lambda rng, n: rng.normal(np.where(rng.random(n) < 0.5, -5, 5), 1),
    "two far clusters": lambda rng, n: rng.normal(np.where(rng.random(n) < 0.1, 100, 0), 1),
    "a fifth not 0": lambda rng, n: np.where(rng.random(n) < 0.8, 0, rng.lognormal(0, 1, n)),
    "counts": lambda rng, n: rng.poisson(3, n).astype(float),
    "counts, many ties": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "one outlier": outlier,
    "all equal": lambda rng, n: np.full(n, 7.0),
    "years": lambda rng, n: np.floor(1940 + 70 * rng.random(n)),
    "tiny": lambda rng, n: rng.normal(3e-6, 1e-6, n),
    "Student 3": lambda rng, n: rng.standard_t(3, n),
}
LOOSE = (1.0, 1e3, 1e6, 1e9)


def bounds(x: NDArray[np.float64], loose: float) -> tuple[float, float]:
    top = float(np.abs(x).max()) * 1.3 * loose
    return (-top if x.min() < 0 else 0.0, top if x.max() > 0 else 0.0)


def geometric(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


@dataclass(frozen=True)
class Asked:
    """A mean or variance of some data, and how often and how it is released."""

    square: bool
    data: NDArray[np.float64]
    relation: str
    repeats: int

    def error(self, ends: tuple[float, float], epsilon: str, mechanism: Any = None) -> float:
        x = self.data
        truth = x.var() if self.square else x.mean()
        asked = (ln.Variance if self.square else ln.Mean)(bounds=ends, missing="none")
        more = {"epsilon": epsilon, "relation": self.relation, "mechanism": mechanism}
        with simulate(f"{epsilon} {ends}"):
            found = [ln.release(asked, x, **more).value for _ in range(self.repeats)]
        return float(np.mean(np.abs(np.array(found) - truth)))

    def plain(self, ends: tuple[float, float], epsilon: str) -> float:
        """The error of noise for these bounds."""
        if self.square:
            public = self.relation == "replace-one"
            return self.error(ends, epsilon, ln.CentredLaplace() if public else ln.TightOrLoose())
        noise = 1 if self.relation == "replace-one" else 2
        return (ends[1] - ends[0]) * noise / (len(self.data) * float(epsilon))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--relation", default="replace-one")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--epsilons", default="0.1,0.5,1,4")
    parser.add_argument("--statistic", choices=("mean", "variance"), default="mean")
    parser.add_argument("--shapes", default="all")
    options = parser.parse_args()
    n = options.rows
    print(
        f"{options.statistic} of {n} rows, {options.relation}: error over that of Laplace noise for"
    )
    print(f"{'':20}{'epsilon':>8}{'declared':>10}" + f"{'own range':>11}" * len(LOOSE))
    print(f"{'':20}{'':>8}{'fitting':>10}" + "".join(f"{loose:>11.0e}" for loose in LOOSE))
    tight: list[float] = []
    wide: list[float] = []
    cliffs: list[float] = []
    square = options.statistic == "variance"
    for name in SHAPES if options.shapes == "all" else options.shapes.split(","):
        x = SHAPES[name](np.random.default_rng(7), n)
        asked = Asked(square, x, options.relation, options.repeats)
        for epsilon in options.epsilons.split(","):
            errors = [asked.error(bounds(x, loose), epsilon) for loose in LOOSE]
            low, high = bounds(x, 1.0)
            width = max(float(x.max() - x.min()), 1e-9 * (high - low))
            middle = float(x.min())
            declared = asked.plain((low, high), epsilon)
            own = asked.plain((middle, middle + width), epsilon)
            tight.append(errors[0] / declared)
            over = [e / own if own else nan for e in errors]
            if name != "all equal":
                wide += over[1:]
            cliffs.append(max(errors) / errors[0])
            shown = "".join(f"{ratio:11.3g}" for ratio in over)
            print(f"{name:20}{epsilon:>8}{errors[0] / declared:10.3g}{shown}", flush=True)
    print(f"fitting, over declared: geometric mean {geometric(tight):.3f}, worst {max(tight):.3f}")
    print(f"wide, over own range: geometric mean {geometric(wide):.3f}, worst {max(wide):.3f}")
    print(f"widest over fitting: geometric mean {geometric(cliffs):.3f}, worst {max(cliffs):.3f}")


if __name__ == "__main__":
    main()
