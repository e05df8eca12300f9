"""Standard deviations of persons by default, beside the asymmetric walk of every row.

    python benchmarks/person_spreads.py [--releases 20]

Errors are medians over releases of |answer - deviation of all rows| at epsilon 1, in deviations, in
bounds so many times as wide as the data; ``max_rows`` is the most rows of a person. "rows" is
``TightOrLoose()``, which reads a profile of rows.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

import numpy as np
from person_means import error, frame_of

import leastnoise as ln


def main() -> None:
    """Print a table, then geometric means of the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=20)
    releases: int = parser.parse_args().releases
    print("| persons | rows of one | column | times too wide | ours | rows |")
    print("|---:|---|---|---:|---:|---:|")
    found: dict[float, list[float]] = {}
    for persons, kind in product((1000, 3000), ("1 to 5", "Zipf, 200")):
        frame, most = frame_of(kind, persons)
        session = ln.open(frame, unit="who", max_rows=most)
        for name, times in product(frame.columns[1:], (1.3, 1e3, 1e6)):
            x = frame[name].to_numpy()
            low, high = float(x.min()), float(x.max())
            bounds = (0 if low >= 0 else times * low, times * high)
            truth = float(np.std(x))
            asked: Any = ln.StandardDeviation(name, bounds=bounds, missing="none")
            ours = error(session, asked, truth, releases) / truth
            rows = error(session, asked, truth, releases, mechanism=ln.TightOrLoose()) / truth
            found.setdefault(times, []).append(ours / rows)
            print(f"| {persons} | {kind} | {name} | {times:g} | {ours:.4f} | {rows:.4f} |")
    for times, ratios in found.items():
        mean, worst = np.exp(np.mean(np.log(ratios))), max(ratios)
        print(f"{times:g} times too wide: ours / rows {mean:.2f}, worst {worst:.2f}")


if __name__ == "__main__":
    main()
