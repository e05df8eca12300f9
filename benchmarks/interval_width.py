"""Coverage and width of QuantileInterval against the interval without noise.

Run: python benchmarks/interval_width.py [repeats]

1,000 records a sample, epsilon = 1, confidence .95. Both widths are of the same samples; the
interval without noise is the pair of order statistics that binomial quantiles give.
"""

import sys

import numpy as np
from scipy import stats

import leastnoise as ln
from leastnoise.testing import simulate

ROWS = 1000
POPULATIONS = {
    "normal": (lambda rng: rng.normal(50, 10, ROWS), lambda q: stats.norm.ppf(q, 50, 10)),
    "exponential": (lambda rng: rng.exponential(10, ROWS), lambda q: -10 * np.log1p(-q)),
    "ages": (
        lambda rng: np.clip(np.rint(rng.normal(40, 15, ROWS)), 0, 100).astype(np.int64),
        lambda q: np.clip(np.floor(stats.norm.ppf(q, 40, 15) + 0.5), 0, 100),
    ),
}


def measure(name, bounds, q, relation, repeats):
    """(coverage, width in widths without noise) over samples of one population."""
    draw, quantile = POPULATIONS[name]
    rng = np.random.default_rng(20)
    first, last = (int(stats.binom.ppf(p, ROWS, q)) for p in (0.025, 0.975))
    covered, width, plain = 0, 0.0, 0.0
    statistic = ln.QuantileInterval(q=q, bounds=bounds, missing="none")
    with simulate(f"{name}{bounds}{q}{relation}"):
        for _ in range(repeats):
            x = draw(rng)
            low, high = ln.release(statistic, x, epsilon=1, relation=relation).value
            ordered = np.sort(x)
            covered += low <= quantile(q) <= high
            width += high - low
            plain += float(ordered[last] - ordered[first - 1])
    return covered / repeats, width / plain


def main(repeats: int = 500) -> None:
    print("| population | bounds | q | relation | coverage | width |")
    print("|---|---|---|---|---|---|")
    for name in POPULATIONS:
        for bounds in ((0, 100), (-500_000, 500_000)):
            for q in (0.5, 0.9):
                for relation in ("replace-one", "add-remove"):
                    covered, width = measure(name, bounds, q, relation, repeats)
                    span = f"{bounds[1] - bounds[0]:,}"
                    print(
                        f"| {name} | {span} | {q} | {relation} | {covered:.3f} | {width:.2f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
