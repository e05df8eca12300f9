"""Sums of persons with several rows, beside the best clip of a person's total, which nobody knows.

    python benchmarks/person_sums.py [--repeats N] [--persons 1000,10000,100000] [--loose 1,1000]

Persons have 1 to 200 rows by Zipf's law, and rows are amounts (lognormal) or ones. The oracle clips
each person's total to the limit with the least exact error of Laplace noise and takes all of
epsilon. Ours is the mean of |release - truth| over simulated releases of ``Sum`` by its default, in
bounds that end at the largest row or so many times farther.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from numpy.typing import NDArray
from private_limit_rows import error, zipf
from private_limits import geometric

import leastnoise as ln
from leastnoise.testing import simulate

MOST, ASKED = 200, 1.5
Values = NDArray[np.float64]


def amounts(kind: str, rows: int) -> Values:
    """What the rows of all persons say."""
    if kind == "ones":
        return np.ones(rows)
    return np.random.default_rng(5).lognormal(3, float(kind.split()[-1]), rows)


def oracle(totals: Values, epsilon: float) -> float:
    """The least error of a clip of the totals and noise for it."""
    limits = np.unique(np.quantile(totals, np.linspace(0, 1, 400)))
    lost = [float(np.maximum(totals - limit, 0).sum()) for limit in limits]
    return min(
        error(gone, limit, epsilon) for gone, limit in zip(lost, limits.tolist(), strict=True)
    )


def main() -> None:
    """A table, and how many cells are within what is asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--persons", default="1000,10000,100000")
    parser.add_argument("--epsilons", default="0.1,0.5,1,4")
    parser.add_argument("--loose", default="1,1000")
    parser.add_argument("--relation", default="add-remove")
    parser.add_argument("--kinds", default="ones,lognormal .5,lognormal 1.5")
    parser.add_argument("--exponents", default="1.2,2")
    options = parser.parse_args()
    loose = [float(times) for times in options.loose.split(",")]
    heads = ["rows a person", "amounts", "persons", "epsilon", "oracle"]
    heads += [f"bounds x {times:g}" for times in loose]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    ratios: list[float] = []
    cases = product(options.exponents.split(","), options.kinds.split(","))
    for (exponent, kind), persons in product(cases, map(int, options.persons.split(","))):
        sizes = zipf(float(exponent), MOST, persons)
        values = amounts(kind, int(sizes.sum()))
        who = np.arange(persons).repeat(sizes)
        totals, truth = np.bincount(who, values), float(values.sum())
        table = {"who": who, "x": values}
        for epsilon in options.epsilons.split(","):
            best, cells = oracle(totals, float(epsilon)), list[str]()
            for times in loose:
                asked = ln.Sum("x", bounds=(0, float(values.max()) * times), missing="none")
                session = ln.open(table, unit="who", max_rows=MOST, relation=options.relation)
                repeats = max(10, min(options.repeats, options.repeats * 10_000 // persons))
                with simulate(f"{epsilon} {times}"), session:
                    drawn = [session.release(asked, epsilon=epsilon).value for _ in range(repeats)]
                ratio = float(np.mean(np.abs(np.array(drawn) - truth))) / best
                ratios.append(ratio)
                cells.append(f"{ratio:.3g}")
            shown = [f"Zipf {exponent}", kind, f"{persons:,}", epsilon, f"{best:.3g}", *cells]
            print("| " + " | ".join(shown) + " |", flush=True)
    held = sum(ratio <= ASKED for ratio in ratios)
    print(
        f"\nours over the oracle's: geometric mean {geometric(ratios):.2f}, "
        f"worst {max(ratios):.3g}, at most {ASKED} in {held} of {len(ratios)} cells"
    )


if __name__ == "__main__":
    main()
