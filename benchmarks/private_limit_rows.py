"""The error of a count whose max_rows is found privately, against that of the best limit.

    python benchmarks/private_limit_rows.py
    python benchmarks/private_limit_rows.py --quick
    python benchmarks/private_limit_rows.py --floor
    python benchmarks/private_limit_rows.py --engine [--persons 1000000]

Persons' rows by Zipf's law (exponent, and the most rows of one) or lognormal. Errors are exact
means over limit and noise of |answer - number of rows|, rows that are left out included; the oracle
takes the limit with the least error and all of epsilon. "known" is the same limit search without
its share: what is lost by the limit itself. Medians are of values that have nothing to do with the
number of rows, errors means over some draws of the rows that are used; sums and means of such
values, by their defaults, are releases beside those with declared limits. "floor" says how near to
the oracle any epsilon-DP count whatever can come on the worst of a sample and of the same without
its one to twenty largest persons, by a linear program; ``--floor`` is the same of longer tails, and
``--quick`` leaves out what is measured by releases. ``--engine`` times a release in DuckDB beside
the plain query for rows a person.
"""

from __future__ import annotations

import argparse
from math import exp
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.frames.table import split
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.mechanisms.row_limits import (
    COST_RATE,
    LIMITS,
    QUANTILE_SHARE,
    TOTAL_SHARE,
    limit_costs,
    quantile_costs,
)
from leastnoise.params import parse_epsilon
from leastnoise.randomness import active
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset, Unit
from leastnoise.testing import simulate

RNG_SEED = 11
# Of the rows that are used for a median.
DRAWS = 8

Sizes = NDArray[np.int64]


def zipf(exponent: float, most: int, persons: int, seed: int = RNG_SEED) -> Sizes:
    """Rows a person by Zipf's law up to a number."""
    ranks = np.arange(1, most + 1)
    chances = 1 / ranks**exponent
    rng = np.random.default_rng(seed)
    return rng.choice(ranks, persons, p=chances / chances.sum())


def lognormal(sigma: float, persons: int) -> Sizes:
    """Rounded lognormal rows a person, one at least."""
    rng = np.random.default_rng(RNG_SEED)
    return np.maximum(1, np.rint(rng.lognormal(1, sigma, persons))).astype(np.int64)


SHAPES = {
    "Zipf 1.2 to 1000": lambda n: zipf(1.2, 1000, n),
    "Zipf 1.5 to 200": lambda n: zipf(1.5, 200, n),
    "Zipf 2 to 1000": lambda n: zipf(2, 1000, n),
    "Zipf 2.5 to 1000": lambda n: zipf(2.5, 1000, n),
    "Zipf 3 to 1000": lambda n: zipf(3, 1000, n),
    "lognormal .5": lambda n: lognormal(0.5, n),
    "lognormal 1": lambda n: lognormal(1, n),
    "lognormal 1.5": lambda n: lognormal(1.5, n),
}


def error(lost: float, limit: int, epsilon: float) -> float:
    """The mean of |noise - lost| for Laplace noise."""
    scale = limit / epsilon
    return lost + scale * exp(-lost / scale)


def errors(sizes: Sizes, epsilon: str) -> tuple[float, float, float]:
    """The oracle's error, that of the limit alone, and that of a release."""
    lost = [float(np.maximum(sizes - limit, 0).sum()) for limit in LIMITS]
    beyond = [int((sizes > limit).sum()) for limit in LIMITS]
    whole = parse_epsilon(epsilon)
    law = PermuteAndFlipLaw(limit_costs(beyond, TOTAL_SHARE * whole), COST_RATE)
    masses = [law.point_mass(i) for i in range(len(LIMITS))]

    def mean(left: float) -> float:
        pairs = zip(masses, lost, LIMITS, strict=True)
        return sum(mass * error(gone, limit, left) for mass, gone, limit in pairs)

    best = min(error(gone, m, float(whole)) for gone, m in zip(lost, LIMITS, strict=True))
    return best, mean(float(whole)), mean(float(whole * (1 - TOTAL_SHARE)))


def median_ratio(sizes: Sizes, epsilon: str) -> float:
    """The same for a median of values that have nothing to do with how many rows a person has."""
    rng = np.random.default_rng(RNG_SEED)
    data = {"id": np.arange(len(sizes)).repeat(sizes), "x": rng.exponential(10, sizes.sum())}
    truth = float(np.sort(data["x"])[(len(data["x"]) - 1) // 2])
    beyond = [int((sizes > limit).sum()) for limit in LIMITS]
    whole, statistic = parse_epsilon(epsilon), ln.Median("x", bounds=(0, 200))
    costs = quantile_costs(beyond, len(sizes), QUANTILE_SHARE * whole)
    law = PermuteAndFlipLaw(costs, COST_RATE)
    last = next(i for i, count in enumerate(beyond) if not count) + 4
    best, made = float("inf"), 0.0
    for i, limit in enumerate(LIMITS[:last]):
        rows = Subset(unit=Unit("id", limit))
        prepared = plan(statistic, data, "add-remove", None, subset=rows)
        mechanism = ln.PiecewiseLaplace()
        found = [0.0, 0.0]
        for _ in range(DRAWS):
            (used,) = split(prepared.table, rows, active())
            for place, left in enumerate((whole, whole * (1 - QUANTILE_SHARE))):
                levels = prepared.levels(mechanism, left)
                (profile,) = prepared.profiles(used.summarise(prepared.request, levels))
                error = mechanism.law(profile, left).mean_absolute_error(centre=truth)
                found[place] += error / DRAWS
        best = min(best, found[0])
        made += law.point_mass(i) * found[1]
    return made / best


def released(statistic: Any, sizes: Sizes, epsilon: str, runs: int = 12) -> float:
    """The error of releases with a private limit over that with the best of the declared ones."""
    rng = np.random.default_rng(RNG_SEED)
    data = {"id": np.arange(len(sizes)).repeat(sizes), "x": rng.uniform(0, 10, sizes.sum())}
    truth = data["x"].sum() if isinstance(statistic, ln.Sum) else data["x"].mean()

    def off(limit: Any) -> float:
        found: list[float] = []
        for run in range(runs):
            options: Any = {"unit": "id", "max_rows": limit, "relation": "add-remove"}
            with simulate(run), ln.open(data, **options) as session:
                value: Any = session.release(statistic, epsilon=epsilon).value
            found.append(abs(value - truth))
        return float(np.mean(found))

    limits = [m for m in LIMITS if m < 2 * sizes.max()][::2]
    return off(ln.PrivateLimit()) / min(map(off, limits))


def by_releases(persons: int = 1_000) -> None:
    """Sums, means and medians of some shapes."""
    print("\n| rows a person | epsilon | sum | mean | median |\n|---|---:|---:|---:|---:|")
    asked = ln.Sum("x", bounds=(0, 10)), ln.Mean("x", bounds=(0, 10))
    for name, make in SHAPES.items():
        for epsilon in ("1", "4"):
            sizes = make(persons)
            told = [released(statistic, sizes, epsilon) for statistic in asked]
            told.append(median_ratio(sizes, epsilon))
            cells = " | ".join(f"{ratio:.2f}" for ratio in told)
            print(f"| {name} | {epsilon} | {cells} |", flush=True)


def table() -> list[float]:
    """Every shape, number of persons and epsilon: errors over the oracle's."""
    print("| rows a person | persons | epsilon | oracle | floor | known | release / oracle |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    ratios: list[float] = []
    floors: list[float] = []
    for name, make in SHAPES.items():
        for persons in (1_000, 10_000, 100_000):
            sizes = make(persons)
            for epsilon in ("0.5", "1", "4"):
                best, known, made = errors(sizes, epsilon)
                ratios.append(made / best)
                floors.append(floor_of(sizes, float(epsilon), 20))
                print(
                    f"| {name} | {persons} | {epsilon} | {best:.4g} | {floors[-1]:.2f} | "
                    f"{known / best:.2f} | {ratios[-1]:.2f} |",
                    flush=True,
                )
    means = [float(np.exp(np.mean(np.log(some)))) for some in (floors, ratios)]
    out = sum(floor > 1.3 for floor in floors)
    print(f"\nGeometric means {means[0]:.2f} and {means[1]:.2f}, worst {max(ratios):.2f}; 1.3 is")
    print(f"out of reach of any release in {out} of {len(floors)} cells")
    return ratios


def floor_of(sizes: Sizes, epsilon: float, without: int) -> float:
    """The least C such that some epsilon-DP count is within C times the oracle's mean error on all.

    On the sample and on those without its j largest persons, j = 1, ..., ``without``: neighbours in
    a chain. An answer between two of their counts may be rounded to either at random without a
    change of any mean error, so answers are these counts: unknown chances, linear conditions.
    """
    from scipy.optimize import linprog
    from scipy.sparse import lil_array

    chain = [np.sort(sizes)[: len(sizes) - j] for j in range(without + 1)]
    counts = np.array([float(some.sum()) for some in chain])
    oracle = [
        min(error(float(np.maximum(some - m, 0).sum()), m, epsilon) for m in np.unique(some))
        for some in chain
    ]
    n = len(chain)
    chances = np.arange(n * n).reshape(n, n)  # of each answer, for each of the chain
    within = lil_array((n + 2 * n * (n - 1), n * n + 1))
    for j in range(n):
        within[j, chances[j]] = abs(counts - counts[j]) / oracle[j]
        within[j, n * n] = -1
    row = n
    for j in range(n - 1):
        for one, other in ((j, j + 1), (j + 1, j)):
            within[np.arange(row, row + n), chances[one]] = 1
            within[np.arange(row, row + n), chances[other]] = -exp(epsilon)
            row += n
    whole = lil_array((n, n * n + 1))
    for j in range(n):
        whole[j, chances[j]] = 1
    found = linprog(
        np.eye(n * n + 1)[-1],
        A_ub=within.tocsr(),
        b_ub=np.zeros(row),
        A_eq=whole.tocsr(),
        b_eq=np.ones(n),
    )
    return float(found.fun)


def floors(samples: int = 8) -> dict[tuple[float, str], list[float]]:
    """For Zipf samples of 1,000 persons, up to a million rows each."""
    print("| Zipf exponent | epsilon | least C, sample by sample | mean |\n|---|---:|---|---:|")
    found: dict[tuple[float, str], list[float]] = {}
    for exponent in (1.5, 1.7, 2.0):
        for epsilon in ("0.5", "1"):
            made = [
                floor_of(zipf(exponent, 10**6, 1000, seed), float(epsilon), 20)
                for seed in range(samples)
            ]
            found[exponent, epsilon] = made
            told = ", ".join(f"{c:.2f}" for c in made)
            print(f"| {exponent} | {epsilon} | {told} | {np.mean(made):.2f} |", flush=True)
    return found


def engine(persons: int) -> float:
    """How many times as long a count takes in DuckDB as rows a person."""
    import duckdb

    connection: Any = duckdb.connect()
    connection.execute("SET threads = 1")
    sizes = zipf(2, 100, persons)
    connection.register("sizes", {"p": np.arange(persons), "r": sizes})
    connection.execute(
        "CREATE TABLE visits AS SELECT p FROM sizes, range(r) ORDER BY hash(p, range)"
    )
    relation = connection.table("visits")

    def plain() -> None:
        asked = "SELECT max(n) FROM (SELECT p, count(*) AS n FROM visits GROUP BY p)"
        connection.execute(asked).fetchall()

    def private() -> None:
        limit = ln.PrivateLimit()
        with ln.open(relation, unit="p", max_rows=limit, relation="add-remove") as data:
            data.release(ln.Count(), epsilon=1)

    times: dict[str, float] = {}
    for name, run in (("rows a person", plain), ("release", private)):
        run()
        taken: list[float] = []
        for _ in range(3):
            start = perf_counter()
            run()
            taken.append(perf_counter() - start)
        times[name] = min(taken)
    plainly, privately = times.values()
    print(f"{persons} persons, {int(sizes.sum())} rows: {plainly:.2f} s and {privately:.2f} s, ")
    print(f"{privately / plainly:.2f} times the plain query")
    return privately / plainly


def main() -> None:
    """A table of errors, or times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--floor", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--persons", type=int, default=10_000_000)
    asked = parser.parse_args()
    if asked.engine:
        engine(asked.persons)
    elif asked.floor:
        floors()
    else:
        table()
        if not asked.quick:
            by_releases()


if __name__ == "__main__":
    main()
