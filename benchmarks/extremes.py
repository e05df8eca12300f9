"""Minimum and maximum: the median error of each mechanism, over data, bounds, rows and epsilon.

python benchmarks/extremes.py              the table of docs/accuracy.md
python benchmarks/extremes.py --runs 20    fewer releases of each cell
"""

from __future__ import annotations

import argparse

import numpy as np

import leastnoise as ln

RUNS = 101
MECHANISMS = {
    "default": lambda side: None,
    "evenly spaced candidates": lambda side: ln.AsymmetricSensitivity(side=side, spacing="uniform"),
    "piecewise Laplace": lambda side: ln.PiecewiseLaplace(),
}


def data(rows: int) -> dict[str, tuple[np.ndarray, tuple[float, float]]]:
    """Data and declared bounds by name."""
    stream = np.random.default_rng(7)
    pay = np.exp(10.5 + 0.7 * stream.standard_normal(rows))
    return {
        "ages 18 to 90, bounds 0 to 125": (stream.integers(18, 91, rows).astype(float), (0, 125)),
        "uniform, bounds 100 times as wide": (stream.uniform(50, 60, rows), (-500, 500)),
        "normal, bounds fit": (np.clip(stream.standard_normal(rows), -5, 5), (-5, 5)),
        "pay, bounds 0 to 1e9": (pay, (0, 1e9)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    print("| data | rows | epsilon | of | " + " | ".join(MECHANISMS) + " |")
    print("|---|---|---|---|" + "---|" * len(MECHANISMS))
    for rows in (100, 10_000):
        for name, (x, bounds) in data(rows).items():
            for epsilon in ("0.1", "1"):
                for of, side in ((ln.Minimum, "down"), (ln.Maximum, "up")):
                    exact = float(x.min() if of is ln.Minimum else x.max())
                    cells = []
                    for make in MECHANISMS.values():
                        found = ln.release(
                            {str(i): of(bounds=bounds) for i in range(runs)},
                            x,
                            epsilon=runs * float(epsilon),
                            mechanism=make(side),
                        )
                        errors = [abs(record.value - exact) for record in found.values()]
                        cells.append(format(float(np.median(errors)), ".3g"))
                    print(
                        f"| {name} | {rows:,} | {epsilon} | {of.__name__} | {' | '.join(cells)} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
