"""Mean rank error of many quantiles: recursive splitting against an even split of epsilon.

Run: python benchmarks/quantiles_error.py [repeats]
"""

import sys
from fractions import Fraction

import numpy as np

import leastnoise as ln
from leastnoise.statistics.quantiles import Quantiles
from leastnoise.testing import simulate

DATA = {
    "normal": lambda rng, n: rng.normal(50, 10, n),
    "exponential": lambda rng, n: rng.exponential(10, n),
    "uniform": lambda rng, n: rng.uniform(0, 100, n),
    "ages": lambda rng, n: np.clip(np.rint(rng.normal(40, 15, n)), 0, 100).astype(np.int64),
}


def rank_errors(x, orders, values):
    """How many ranks an answer is away from its order statistic; ties count as reached."""
    ordered = np.sort(x)
    ranks = np.array([max(1, -(-q.numerator * len(x) // q.denominator)) for q in orders])
    first = np.searchsorted(ordered, values, "left") + 1
    last = np.searchsorted(ordered, values, "right")
    return np.maximum(0, np.maximum(first - ranks, ranks - last)).mean()


def compare(name, orders, bounds, *, relation="add-remove", n=1000, epsilon=1, repeats=40):
    """Mean rank errors of (splitting, even split)."""
    rng = np.random.default_rng(2)
    statistic = Quantiles(q=orders, bounds=bounds, missing="none")
    found = []
    with simulate(f"{name}{len(orders)}{bounds}{relation}{n}{epsilon}"):
        for _ in range(repeats):
            x = DATA[name](rng, n)
            found.append(
                [
                    rank_errors(x, orders, released.value)
                    for released in (
                        ln.release(statistic, x, epsilon=epsilon, relation=relation),
                        ln.release(
                            statistic,
                            x,
                            epsilon=epsilon,
                            relation=relation,
                            mechanism=ln.PiecewiseLaplace(),
                        ),
                    )
                ]
            )
    return np.mean(found, axis=0)


def known(levels, count=99, n=1000, repeats=200):
    """Mean rank error on uniform data where 2^levels - 1 of the orders are known without noise and
    all others are read off a straight line between them."""
    rng = np.random.default_rng(3)
    orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
    places = np.linspace(0, count + 1, 2**levels + 1).round().astype(int)
    found = []
    for _ in range(repeats):
        x = DATA["uniform"](rng, n)
        ends = np.concatenate([[0], np.sort(x)[places[1:-1] * n // (count + 1) - 1], [100]])
        values = np.interp(range(1, count + 1), places, ends)
        found.append(rank_errors(x, orders, values))
    return np.mean(found)


def alone(n=1000, repeats=2000):
    """Mean rank error of one median of uniform data with all of epsilon = 1."""
    x = DATA["uniform"](np.random.default_rng(3), n)
    law = ln.PiecewiseLaplace().law(
        ln.profile(ln.Median(bounds=(0, 100), missing="none"), x, relation="add-remove"), 1
    )
    drawn = law.sample(repeats, np.random.default_rng(4))
    return np.mean([rank_errors(x, [Fraction(1, 2)], [value]) for value in drawn])


def main(repeats: int = 40) -> None:
    print(f"uniform, 1,000 records: one median with all of epsilon = 1: {alone():.2f} ranks")
    for levels in range(6):
        print(
            f"  {2**levels - 1} of 99 known exactly, the rest on lines: {known(levels):.2f} ranks"
        )
    print("data         bounds    orders  relation     splitting    even   ratio")
    for name in DATA:
        for bounds in ((0, 100), (0, 1_000_000)):
            for count in (3, 9, 19, 99):
                orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
                few = max(4, repeats // 4) if count > 50 else repeats
                for relation in ("add-remove", "replace-one"):
                    split, even = compare(name, orders, bounds, relation=relation, repeats=few)
                    print(
                        f"{name:12} {bounds[1]:<9} {count:<7} {relation:12} "
                        f"{split:9.2f} {even:7.2f}  {split / even:6.3f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
