"""Speed of the core as ratios from one run, and the memory beside it.

    python benchmarks/speed.py [--rows 10000000] [--repeats 7]

Each private release is timed in turn with the plain numpy computation of the same statistic
(clip included), A B A B ..., and the medians are compared. Import times are those of fresh
processes. The targets are those of the design; nothing here is a test.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from timing import peak

import leastnoise as ln
from leastnoise.frames.memory.summarise import summarise
from leastnoise.mechanisms import Mechanism
from leastnoise.randomness import active
from leastnoise.session.prepare import plan

BOUNDS = (0, 100)
Job = Callable[[], object]


def paired(ours: Job, plain: Job, repeats: int) -> tuple[float, float]:
    """Median seconds of two jobs run in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for job, found in zip((ours, plain), times, strict=True):
            start = time.perf_counter()
            job()
            found.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def releases(x: np.ndarray, repeats: int) -> None:
    """Whole releases against numpy."""

    def clipped(plain: Callable[[np.ndarray], object]) -> Job:
        return lambda: plain(np.clip(x, *BOUNDS))

    rows: list[tuple[str, object, Job]] = [
        ("median", ln.Median(bounds=BOUNDS), clipped(lambda c: np.quantile(c, 0.5))),
        ("quantile 0.9", ln.Quantile(q=0.9, bounds=BOUNDS), clipped(lambda c: np.quantile(c, 0.9))),
        ("mean", ln.Mean(bounds=BOUNDS), clipped(np.mean)),
        ("variance", ln.Variance(bounds=BOUNDS), clipped(np.var)),
    ]
    print(f"\n{'release':<14}{'ours ms':>9}{'numpy ms':>10}{'ratio':>8}{'peak / input':>14}")
    for name, statistic, plain in rows:

        def ours(asked: object = statistic) -> object:
            return ln.release(asked, x, epsilon=1)

        ours()
        a, b = paired(ours, plain, repeats)
        share = peak(ours) / x.nbytes
        print(f"{name:<14}{a * 1e3:>9.1f}{b * 1e3:>10.1f}{a / b:>8.2f}{share:>13.1%}")


def after_summary(x: np.ndarray) -> None:
    """Profile, law and exact draw, once the summary is there: mean processor time."""
    variance = ln.Variance(bounds=BOUNDS)
    jobs = [
        ("median", ln.Median(bounds=BOUNDS), ln.PiecewiseLaplace()),
        ("quantile 0.9", ln.Quantile(q=0.9, bounds=BOUNDS), ln.PiecewiseLaplace()),
        ("median", ln.Median(bounds=BOUNDS), ln.InverseSensitivity()),
        ("mean", ln.Mean(bounds=BOUNDS), ln.LaplaceRatio()),
        ("variance", variance, ln.PiecewiseLaplace(base="log")),
        ("variance", variance, variance.default_mechanism("replace-one")),
        ("variance", variance, variance.default_mechanism("add-remove"), "add-remove"),
        ("median, 50,000", ln.Median(bounds=BOUNDS), ln.AsymmetricSensitivity(beta="1.00028")),
    ]
    row = "{:<18}{:<38}{:>10}{:>12}{:>12}"
    print("\n" + row.format("after the summary", "mechanism", "rows", "ms, eps 1", "ms, eps 0.1"))
    for name, statistic, mechanism, *other in jobs:
        relation = other[0] if other else "replace-one"
        shown = ", ".join([mechanism.name, *other])
        for n in (100, 10_000, len(x)):
            means = [drawn(statistic, mechanism, relation, x[:n], e) for e in ("1", "0.1")]
            print(row.format(name, shown, n, *(f"{ms:.3f}" for ms in means)))


def drawn(
    statistic: object, mechanism: Mechanism, relation: str, x: np.ndarray, epsilon: str
) -> float:
    """Mean milliseconds from a summary to a draw."""
    prepared = plan(statistic, x, relation, None)
    exponent = Fraction(epsilon)
    depth = mechanism.depth(exponent, prepared.range_bits)
    summary = summarise(prepared.table, prepared.request, depth + 8)
    spent = 0.0
    for turn in range(-10, 200):
        start = time.process_time()
        mechanism.law(prepared.profiles(summary)[0], exponent).draw(active())
        if turn >= 0:
            spent += time.process_time() - start
    return 1e3 * spent / 200


def imports() -> None:
    """Fresh processes: the import alone, and up to a first release."""
    median = "import numpy as np; np.median(np.arange(1e4))"
    first = (
        "import numpy as np, leastnoise as ln; "
        "ln.release(ln.Median(bounds=(0, 1e4)), np.arange(1e4), epsilon=1)"
    )

    def run(code: str) -> Job:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    empty = statistics.median(paired(run("pass"), run("pass"), 7))
    for name, ours, plain in (
        ("import leastnoise / import numpy", "import leastnoise", "import numpy"),
        ("first release / import numpy and median", first, median),
    ):
        a, b = paired(run(ours), run(plain), 9)
        ratio = (a - empty) / (b - empty)
        print(f"{name}: {a * 1e3:.0f} ms, {b * 1e3:.0f} ms, ratio less start-up {ratio:.2f}")


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    x = np.random.default_rng(0).normal(50, 10, options.rows)
    imports()
    releases(x, options.repeats)
    after_summary(x)


if __name__ == "__main__":
    main()
