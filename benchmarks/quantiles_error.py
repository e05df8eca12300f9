"""Mean rank error of many quantiles: the default against a tree of splits and an even split.

Run: python benchmarks/quantiles_error.py [repeats]            the first tables
     python benchmarks/quantiles_error.py --laws [repeats]     the default against a tree of splits
     python benchmarks/quantiles_error.py --rows               the same for many rows
     python benchmarks/quantiles_error.py --speed              CPU time and memory beside numpy
     python benchmarks/quantiles_error.py --epsilons           the same by epsilon, for few rows
"""

import sys
import tracemalloc
from fractions import Fraction
from functools import partial
from time import process_time

import numpy as np

import leastnoise as ln
from leastnoise.mechanisms.joint.binned import Bins
from leastnoise.statistics.quantiles.quantiles import Quantiles
from leastnoise.testing import simulate

DATA = {
    "normal": lambda rng, n: rng.normal(50, 10, n),
    "exponential": lambda rng, n: rng.exponential(10, n),
    "uniform": lambda rng, n: rng.uniform(0, 100, n),
    "ages": lambda rng, n: np.clip(np.rint(rng.normal(40, 15, n)), 0, 100).astype(np.int64),
}


def clusters(rng, n):
    return rng.choice([10, 200, 900], n, p=[0.3, 0.33, 0.37]) + rng.normal(0, 2, n)


def heaped(rng, n):
    x = 1000 * rng.lognormal(3.5, 0.6, n)
    return np.where(rng.random(n) < 0.7, np.rint(x / 1000) * 1000, np.rint(x)).astype(np.int64)


# Data and bounds of the second table.
LAWS = {
    "uniform": (DATA["uniform"], 100),
    "normal": (DATA["normal"], 100),
    "normal, wide": (DATA["normal"], 10**6),
    "exponential": (DATA["exponential"], 100),
    "lognormal, wide": (lambda rng, n: rng.lognormal(10, 1, n), 10**6),
    "two humps": (
        lambda rng, n: np.where(rng.random(n) < 0.4, rng.normal(20, 2, n), rng.normal(80, 4, n)),
        100,
    ),
    "three far clusters": (clusters, 1000),
    "Cauchy": (lambda rng, n: 500 + 10 * rng.standard_cauchy(n), 1000),
    "Pareto 1.5": (lambda rng, n: rng.pareto(1.5, n), 10**4),
    "ages": (DATA["ages"], 100),
    "small counts": (lambda rng, n: rng.poisson(3, n), 50),
    "heaped pay": (heaped, 500_000),
    "45 % zeros": (
        lambda rng, n: np.where(rng.random(n) < 0.45, 0, np.rint(rng.lognormal(5, 1.5, n))).astype(
            np.int64
        ),
        10**5,
    ),
}
SETTINGS = [(1000, 1), (300, 1), (10_000, 1), (1000, "0.1"), (1000, 4)]


class Tree(Quantiles):
    """A tree of splits, however many orders there are."""

    @property
    def counts(self):
        return False


def rank_errors(x, orders, values):
    """How many ranks an answer is away from its order statistic; ties count as reached."""
    ordered = np.sort(x)
    ranks = np.array([max(1, -(-q.numerator * len(x) // q.denominator)) for q in orders])
    first = np.searchsorted(ordered, values, "left") + 1
    last = np.searchsorted(ordered, values, "right")
    return np.maximum(0, np.maximum(first - ranks, ranks - last)).mean()


def compare(name, orders, bounds, *, relation="add-remove", n=1000, epsilon=1, repeats=40):
    """Mean rank errors of (default, tree of splits, even split, its answers before sorting)."""
    rng = np.random.default_rng(2)
    default, tree = (kind(q=orders, bounds=bounds, missing="none") for kind in (Quantiles, Tree))
    asked = {"epsilon": epsilon, "relation": relation}
    found = []
    with simulate(f"{name}{len(orders)}{bounds}{relation}{n}{epsilon}"):
        for _ in range(repeats):
            x = DATA[name](rng, n)
            released = (
                ln.release(default, x, **asked),
                ln.release(tree, x, **asked),
                ln.release(default, x, mechanism=ln.PiecewiseLaplace(), **asked),
            )
            apart = [
                ln.release(
                    ln.Quantile(q=q, bounds=bounds, missing="none"),
                    x, epsilon=Fraction(epsilon) / len(orders), relation=relation,
                ).value
                for q in orders
            ]  # fmt: skip
            answers = [*(r.value for r in released), apart]
            found.append([rank_errors(x, orders, values) for values in answers])
    return np.mean(found, axis=0)


def over_laws(count, n, epsilon, relation, repeats, names=tuple(LAWS)):
    """Mean rank errors of (default, tree of splits) for each law."""
    orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
    found = {}
    for name in names:
        draw, high = LAWS[name]
        rng = np.random.default_rng(2)
        statistics = [
            kind(q=orders, bounds=(0, high), missing="none") for kind in (Quantiles, Tree)
        ]
        errors = []
        with simulate(f"{name}{count}{n}{epsilon}{relation}"):
            for _ in range(repeats):
                x = draw(rng, n)
                released = [
                    ln.release(s, x, epsilon=epsilon, relation=relation) for s in statistics
                ]
                errors.append([rank_errors(x, orders, r.value) for r in released])
        found[name] = np.mean(errors, axis=0)
    return found


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


def counted(bins, count=99, n=1000, epsilon=1, repeats=400):
    """Mean rank error on uniform data of equal bins over the whole range, which is the best place
    for them, counted with all of epsilon: nothing is spent to find it."""
    rng = np.random.default_rng(3)
    orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
    edges, found = tuple(range(0, (bins + 1) << 20, 1 << 20)), []
    for _ in range(repeats):
        x = np.floor(rng.uniform(0, edges[-1], n))
        noise = np.subtract(*rng.geometric(1 - np.exp(-epsilon), (2, bins)))
        noisy = Bins(edges, tuple((np.histogram(x, edges)[0] + noise).tolist()))
        found.append(rank_errors(x, orders, [noisy.point(q) for q in orders]))
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
    for bins in (12, 16, 20, 24, 28, 32, 40):
        print(f"  99 from {bins} equal bins counted with all of epsilon: {counted(bins):.2f} ranks")
    print("data         bounds    orders  relation      default    tree    even   ratio   apart")
    for name in DATA:
        for bounds in ((0, 100), (0, 1_000_000)):
            for count in (3, 9, 19, 49, 99):
                orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
                many = repeats if count > 9 else 5 * repeats  # few answers, few errors to average
                for relation in ("add-remove", "replace-one"):
                    errors = compare(name, orders, bounds, relation=relation, repeats=many)
                    print(
                        f"{name:12} {bounds[1]:<9} {count:<7} {relation:12} "
                        f"{errors[0]:8.2f} {errors[1]:7.2f} {errors[2]:7.2f}  "
                        f"{errors[0] / errors[2]:6.3f} {errors[3]:7.2f}",
                        flush=True,
                    )


def laws(repeats: int = 8) -> None:
    for relation in ("add-remove", "replace-one"):
        for count in (19, 99):
            print(f"{count} orders, {relation}: ranks of the default, and of a tree of splits\n")
            print("| data |" + "".join(f" {n} rows, epsilon {e} |" for n, e in SETTINGS))
            print("|---|" + "---|" * len(SETTINGS))
            rows = [over_laws(count, n, e, relation, repeats) for n, e in SETTINGS]
            for name in LAWS:
                cells = [f" {row[name][0]:.1f}, {row[name][1]:.1f} |" for row in rows]
                print(f"| {name} |{''.join(cells)}", flush=True)
            print()


def many_rows() -> None:
    names = ("normal", "normal, wide", "three far clusters", "Pareto 1.5")
    print("| orders | rows |" + "".join(f" {name} |" for name in names))
    print("|---|---|" + "---|" * len(names))
    for count in (19, 99):
        for n, repeats in ((30_000, 6), (100_000, 5), (1_000_000, 3)):
            found = over_laws(count, n, 1, "add-remove", repeats, names)
            cells = "".join(f" {found[name][0]:.1f}, {found[name][1]:.1f} |" for name in names)
            print(f"| {count} | {n} |{cells}", flush=True)


def least_time(work, repeats=5):
    """Process CPU time in ms, the least of some runs, and the peak of new memory in MB."""
    times = []
    for _ in range(repeats):
        start = process_time()
        work()
        times.append(process_time() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1000 * min(times), peak / 1e6


def plain(x, orders):
    return np.quantile(np.clip(x, 0, 100), orders)


def speed() -> None:
    print("rows     orders    numpy            default          tree of splits")
    for n in (1000, 1_000_000):
        x = DATA["normal"](np.random.default_rng(2), n)
        for count in (19, 99):
            orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
            asked = {"q": orders, "bounds": (0, 100), "missing": "none"}
            release = partial(ln.release, data=x, epsilon=1, relation="add-remove")
            works = [
                partial(plain, x, [float(q) for q in orders]),
                *(partial(release, kind(**asked)) for kind in (Quantiles, Tree)),
            ]
            with simulate("speed"):
                cells = [least_time(work) for work in works]
            shown = "  ".join(f"{t:6.1f} ms {m:5.1f} MB" for t, m in cells)
            print(f"{n:<9}{count:<7} {shown}", flush=True)


def epsilons() -> None:
    """99 orders: no epsilon may cost much more than another, however few the rows."""
    orders = [Fraction(i, 100) for i in range(1, 100)]
    statistic = Quantiles(q=orders, bounds=(0, 100), missing="none")
    columns = (1, 10, 100, 10**3, 10**4, 10**6)
    print("rows      numpy" + "".join(f"{f'epsilon {e:g}':>16}" for e in columns))
    for n in (1, 15, 50, 1000):
        x = DATA["uniform"](np.random.default_rng(3), n)
        works = [
            partial(plain, x, [float(q) for q in orders]),
            *(partial(ln.release, statistic, x, epsilon=epsilon) for epsilon in columns),
        ]
        with simulate("epsilons"):
            cells = [least_time(work, 3)[0] for work in works]
        print(f"{n:<9}{cells[0]:.2f} ms" + "".join(f"{t:13.0f} ms" for t in cells[1:]), flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--speed"]:
        speed()
    elif arguments == ["--epsilons"]:
        epsilons()
    elif arguments == ["--rows"]:
        many_rows()
    elif arguments[:1] == ["--laws"]:
        laws(*(int(a) for a in arguments[1:]))
    else:
        main(*(int(a) for a in arguments))
