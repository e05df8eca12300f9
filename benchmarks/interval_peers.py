"""Intervals of means and variances beside those of others: coverage and median width.

Run: python benchmarks/interval_peers.py [data] [population] [--repeats 200] [--folder FOLDER]

All get the same samples, bounds and epsilon, by replace-one, and ask for 95 %. What they do:

- OpenDP (run, in an environment of its own): Laplace noise for the whole range of the statistic in
  the bounds, and its own accuracy of that noise. It has no intervals of a population.
- dp-econometrics (MaxGhenis/dp-econometrics, not on the index, so its formulas are written here):
  least squares on a constant. Normal noise for sums, which needs a delta (1e-5: a weaker promise
  than that of all others), a standard error by the delta method, Student's quantile.
- DPrivStats (R, CRAN 0.1.0; its formulas): half of epsilon each for a mean and a variance, and
  "analytical" normal intervals. It takes half of the variance that its Laplace noise has.
- noisy variance (Du et al. 2020): the same halves, and the law of normal and Laplace numbers.
- bootstrap (Ferrando et al. 2022, ceciliaferrando/dp-ci; its formulas): noisy sums of x and x^2,
  then 400 samples of the normal law that has these, with fresh noise; 2.5 % and 97.5 % of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from peers import HERE, PEERS, interpreter
from population_mean import noisy_variance
from scipy.special import ndtri, stdtrit

import leastnoise as ln
from leastnoise.testing import simulate

MISS, DELTA, RESAMPLED = 0.05, 1e-5, 400
LAWS: dict[str, Callable] = {
    "normal": lambda rng, n: rng.normal(50, 10, n),
    "lognormal": lambda rng, n: rng.lognormal(2, 1, n),
}
SIZES = ((1000, 1.0), (10_000, 0.1), (10_000, 1.0))
BOUNDS = ((0.0, 100.0), (-450.0, 550.0))
STATISTICS = {"mean": (np.mean, ln.Mean), "variance": (np.var, ln.Variance)}
Ends = tuple[float, float]


def ours(x: np.ndarray, statistic: str, bounds: Ends, epsilon: float, **asked: str) -> tuple:
    """Ends and the value."""
    inner = STATISTICS[statistic][1](bounds=bounds, missing="none")
    made = ln.release(ln.WithInterval(inner, **asked), x, epsilon=str(epsilon))
    return *made.interval, made.value


# Others' formulas, written anew


def dp_econometrics(x: np.ndarray, bounds: Ends, epsilon: float, rng: np.random.Generator) -> Ends:
    """Its residual sum of squares is not private: it reads the data once more."""
    n, largest = len(x), max(map(abs, bounds))
    y = np.clip(x, *bounds)
    scale = np.sqrt(2 * np.log(1.25 / (DELTA / 2))) / (epsilon / 2)
    rows, total = n + rng.normal(0, scale), y.sum() + rng.normal(0, scale * largest)
    mean = total / rows
    residual = max(np.sum((y - y.mean()) ** 2) - (mean**2 * rows - n * y.mean() ** 2), 1e-10)
    sampling = residual / (n - 1) / rows
    half = stdtrit(n - 1, 1 - MISS / 2) * np.sqrt(
        sampling + ((scale * largest) ** 2 + mean**2 * scale**2) / rows**2
    )
    return mean - half, mean + half


def dprivstats(x: np.ndarray, bounds: Ends, epsilon: float, rng: np.random.Generator) -> Ends:
    n, half, width = len(x), epsilon / 2, bounds[1] - bounds[0]
    y = np.clip(x, *bounds)
    scale = width / n / half
    mean = y.mean() + rng.laplace(scale=scale)
    # its variance: a mean and a mean of squares, each with half of what a variance gets
    first = y.mean() + rng.laplace(scale=2 * scale)
    second = np.mean(y**2) + rng.laplace(scale=2 * width**2 / n / half)
    variance = max(second - first**2, 0)
    reach = -ndtri(MISS / 2) * np.sqrt(variance / n + scale**2)
    return mean - reach, mean + reach


def bootstrap(
    x: np.ndarray, bounds: Ends, epsilon: float, rng: np.random.Generator, *, of: str
) -> Ends:
    n, largest = len(x), max(map(abs, bounds))
    y = np.clip(x, *bounds)
    scales = [(bounds[1] - bounds[0]) / (n * epsilon / 2), largest**2 / (n * epsilon / 2)]

    def told(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean = first + rng.laplace(scale=scales[0], size=np.shape(first))
        square = second + rng.laplace(scale=scales[1], size=np.shape(second))
        return mean, np.maximum(square - mean**2, 1e-9)

    mean, variance = told(np.mean(y), np.mean(y**2))
    means = rng.normal(mean, np.sqrt(variance / n), RESAMPLED)
    squares = variance * rng.chisquare(n - 1, RESAMPLED) / n + means**2
    found = told(means, squares)[("mean", "variance").index(of)]
    low, high = np.quantile(found, [MISS / 2, 1 - MISS / 2])
    return float(low), float(high)


POPULATION = {
    "mean": {
        "dp-econometrics (delta 1e-5)": dp_econometrics,
        "DPrivStats": dprivstats,
        "noisy variance": lambda x, bounds, e, rng: noisy_variance(x, e, rng, bounds),
        "bootstrap": partial(bootstrap, of="mean"),
    },
    "variance": {"bootstrap": partial(bootstrap, of="variance")},
}


class OpenDP:
    """The library in its own environment."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [interpreter("OpenDP", PEERS["OpenDP"], folder), HERE / "intervals_opendp.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )

    def intervals(self, samples: np.ndarray, statistic: str, bounds: Ends, epsilon: float) -> list:
        file = self._folder / "samples.npy"
        np.save(file, samples)
        job = {"file": str(file), "statistic": statistic, "bounds": bounds}
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("OpenDP's process has no pipes")
        stdin.write(json.dumps({**job, "epsilon": epsilon, "miss": MISS}) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())


def shown(found: list, true: list, *, error: bool = False) -> str:
    """Coverage, the median width to three digits, and the mean error of the value."""
    low, high, *value = np.array(found, dtype=float).T
    held = np.mean((low <= np.array(true)) & (np.array(true) <= high))
    off = np.abs((value[0] if value else (low + high) / 2) - true)
    return f"{held:.3f} | {np.median(high - low):.3g}" + (f" | {np.mean(off):.2g}" if error else "")


def cells(repeats: int) -> Iterator[tuple]:
    """(statistic, law, rows, epsilon, bounds) and the samples of each."""
    for turn, (law, (n, epsilon), bounds) in enumerate(product(LAWS, SIZES, BOUNDS)):
        rng = np.random.default_rng(turn)
        samples = np.stack([LAWS[law](rng, n) for _ in range(repeats)])
        for statistic in STATISTICS:
            yield (statistic, law, n, epsilon, bounds), samples, rng


def asked(samples: np.ndarray, rest: tuple, **more: str) -> list:
    with simulate(repr((rest, more))):
        return [ours(x, *rest, **more) for x in samples]


def table(title: str, names: list[str], *more: str) -> None:
    print(f"\n{title}\n")
    each = " | ".join(" | ".join((f"{name}: coverage", "width", *more)) for name in names)
    print(f"| statistic | law | rows | epsilon | bounds | {each} |")
    print("|---|---|---|---|---|" + "---|" * (2 + len(more)) * len(names))


def row(cell: tuple, found: list[str]) -> None:
    statistic, law, n, epsilon, (low, high) = cell
    print(f"| {statistic} | {law} | {n:,} | {epsilon:g} | {low:g} to {high:g} | "
          f"{' | '.join(found)} |", flush=True)  # fmt: skip


def data(repeats: int, folder: Path) -> None:
    peer = OpenDP(folder)
    table("Of the data", ["OpenDP", "WithInterval", 'favour="interval"'], "error")
    for cell, samples, _ in cells(repeats):
        statistic, _, _, epsilon, bounds = cell
        true = [STATISTICS[statistic][0](np.clip(x, *bounds)) for x in samples]
        rest = statistic, bounds, epsilon
        found = [peer.intervals(samples, statistic, bounds, epsilon), asked(samples, rest),
                 asked(samples, rest, favour="interval")]  # fmt: skip
        row(cell, [shown(ends, true, error=True) for ends in found])


def population(repeats: int, folder: Path) -> None:
    names = list(POPULATION["mean"])
    table("Of the population", ["WithInterval", *names])
    for cell, samples, rng in cells(repeats):
        statistic, law, _, epsilon, bounds = cell
        many = np.clip(LAWS[law](np.random.default_rng(99), 4_000_000), *bounds)
        true = [STATISTICS[statistic][0](many)] * repeats
        found = [shown(asked(samples, (statistic, bounds, epsilon), of="population"), true)]
        for name in names:
            method = POPULATION[statistic].get(name)
            ends = method and [method(x, bounds, epsilon, rng) for x in samples]
            found.append(shown(ends, true) if ends else "- | -")
        row(cell, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=("data", "population", []))
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "leastnoise-peers"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for part in options.parts or ("data", "population"):
        {"data": data, "population": population}[part](options.repeats, options.folder)


if __name__ == "__main__":
    main()
