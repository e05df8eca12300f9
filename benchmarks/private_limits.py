"""Means and variances by default in bounds from fitting to far too wide, beside plain noise.

    python benchmarks/private_limits.py [--repeats N] [--relation replace-one] [--rows 10000]
    python benchmarks/private_limits.py --statistic variance [--shapes normal,years]
    python benchmarks/private_limits.py --statistic loss --rows 300,3000 --epsilons 1
    python benchmarks/private_limits.py --rows 100,1000,10000 --relation replace-one,add-remove

Bounds that fit are the largest absolute value times 1.3, on both sides of 0 where the data are.
"own" is Laplace noise for the range of the data themselves, which no release may know; "declared"
is Laplace noise for the declared bounds; of variances "own" and "declared" are ``CentredLaplace()``
where the number of rows is public, and ``TightOrLoose()`` where it is not, or declared bounds and
fewer than 2,500 rows times epsilon; of losses a walk in either. Ours is the mean of
|release - truth| over simulated releases, so it counts what clipping costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
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
# What widening may cost, and rows times epsilon below which variances have far limits.
FORGIVEN, FEW = 2.5, 2500
ASKED = f"asked | | | 1.1 (1.35) | 1.6 | at most {FORGIVEN} | all"
# So many of the cells that miss it are listed.
LISTED = 10


@dataclass
class Cells:
    """Ratios of all cells: in bounds that fit, in wide ones, and by widening."""

    tight: list[float] = field(default_factory=list[float])
    wide: list[float] = field(default_factory=list[float])
    cliffs: dict[str, float] = field(default_factory=dict[str, float])

    def row(self, setting: str) -> str:
        """A line of the summary."""
        cliffs = [*self.cliffs.values()]
        pairs = (self.tight, self.wide, cliffs)
        shown = [f"{geometric(one):.2f} ({max(one):.3g})" for one in pairs]
        held = sum(ratio <= FORGIVEN for ratio in cliffs)
        return f"| {setting} | {' | '.join(shown)} | {held} of {len(cliffs)} |"


def bounds(x: NDArray[np.float64], loose: float) -> tuple[float, float]:
    top = float(np.abs(x).max()) * 1.3 * loose
    return (-top if x.min() < 0 else 0.0, top if x.max() > 0 else 0.0)


def geometric(values: list[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


@dataclass(frozen=True)
class Asked:
    """A statistic of some data, and how often and how it is released.

    A loss is the mean squared error of the data's median as a prediction.
    """

    statistic: str
    data: NDArray[np.float64]
    relation: str
    repeats: int

    def error(self, ends: tuple[float, float], epsilon: str, mechanism: Any = None) -> float:
        x = self.data
        data: Any = x
        if self.statistic == "loss":
            data = (x, np.full(len(x), np.median(x)))
            truth, kind = np.mean((data[0] - data[1]) ** 2), ln.MeanSquaredError
        else:
            truth, kind = (x.var(), ln.Variance) if self.square else (x.mean(), ln.Mean)
        asked = kind(bounds=ends, missing="none")
        more = {"epsilon": epsilon, "relation": self.relation, "mechanism": mechanism}
        with simulate(f"{epsilon} {ends}"):
            found = [ln.release(asked, data, **more).value for _ in range(self.repeats)]
        return float(np.mean(np.abs(np.array(found) - truth)))

    @property
    def square(self) -> bool:
        return self.statistic == "variance"

    def plain(self, ends: tuple[float, float], epsilon: str, *, kept: bool = False) -> float:
        """The error of noise for these bounds; ``kept``: as before limits were searched for."""
        if self.statistic == "loss":
            walk = ln.AsymmetricSensitivity(beta="auto", split=2)
            return self.error(ends, epsilon, walk)
        if self.square:
            few = kept and len(self.data) * float(epsilon) < FEW
            public = self.relation == "replace-one" and not few
            return self.error(ends, epsilon, ln.CentredLaplace() if public else ln.TightOrLoose())
        noise = 1 if self.relation == "replace-one" else 2
        return (ends[1] - ends[0]) * noise / (len(self.data) * float(epsilon))


def measured(
    name: str, x: NDArray[np.float64], asked: Asked, epsilon: str, several: list[Cells]
) -> None:
    """Errors in ever wider bounds, printed over those of plain noise."""
    errors = [asked.error(bounds(x, loose), epsilon) for loose in LOOSE]
    low, high = bounds(x, 1.0)
    width = max(float(x.max() - x.min()), 1e-9 * (high - low))
    middle = float(x.min())
    declared = asked.plain((low, high), epsilon, kept=True)
    own = asked.plain((middle, middle + width), epsilon)
    over = [e / own if own else nan for e in errors]
    for cells in several:
        cells.tight.append(errors[0] / declared)
        if name != "all equal":
            cells.wide += over[1:]
        # a variance of nothing but one number is known without error
        cells.cliffs[f"{name}, {len(x)} rows, epsilon {epsilon}, {asked.relation}"] = (
            max(errors) / errors[0] if errors[0] else 1.0
        )
    shown = " | ".join(f"{ratio:.3g}" for ratio in over)
    rows = f"{len(x)} | {asked.relation}"
    print(f"| {name} | {rows} | {epsilon} | {errors[0] / declared:.3g} | {shown} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--relation", default="replace-one")
    parser.add_argument("--rows", default="10000")
    parser.add_argument("--epsilons", default="0.1,0.5,1,4")
    parser.add_argument("--statistic", choices=("mean", "variance", "loss"), default="mean")
    parser.add_argument("--shapes", default="all")
    options = parser.parse_args()
    print(f"{options.statistic}: error over that of noise for the declared bounds, or own range")
    heads = ["data", "rows", "relation", "epsilon", "declared, fitting", "own, fitting"]
    heads += [f"{loose:.0e}" for loose in LOOSE[1:]]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    cells, parts = Cells(), dict[str, Cells]()
    shapes = SHAPES if options.shapes == "all" else options.shapes.split(",")
    for n, relation, name in product(
        map(int, options.rows.split(",")), options.relation.split(","), shapes
    ):
        x = SHAPES[name](np.random.default_rng(7), n)
        asked = Asked(options.statistic, x, relation, options.repeats)
        for epsilon in options.epsilons.split(","):
            part = parts.setdefault(f"{n:,} | {relation} | {epsilon}", Cells())
            measured(name, x, asked, epsilon, [cells, part])
    print(
        f"\nGeometric means and worst cells of {len(shapes)} shapes, {options.repeats} releases:\n"
    )
    heads = ["rows", "relation", "epsilon", "fitting, over declared", "too wide, over own range"]
    heads += ["widest over fitting", f"at most {FORGIVEN}"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    print("\n".join(part.row(setting) for setting, part in parts.items()))
    print(cells.row("all | |"))
    print(f"| {ASKED} |\n")
    missed = sorted((-r, cell) for cell, r in cells.cliffs.items() if r > FORGIVEN)
    listed = "; ".join(f"{cell} ({-ratio:.3g})" for ratio, cell in missed[:LISTED])
    print(f"{len(missed)} cells miss {FORGIVEN}, the worst: {listed or 'none'}")


if __name__ == "__main__":
    main()
