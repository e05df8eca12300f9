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
from leastnoise.frames.summarise import summarise
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
    """Profile, law and exact draw, once the summary is there."""
    jobs = [
        ("median", ln.Median(bounds=BOUNDS), ln.PiecewiseLaplace()),
        ("quantile 0.9", ln.Quantile(q=0.9, bounds=BOUNDS), ln.PiecewiseLaplace()),
        ("median", ln.Median(bounds=BOUNDS), ln.InverseSensitivity()),
        ("mean", ln.Mean(bounds=BOUNDS), ln.LaplaceRatio()),
        ("variance", ln.Variance(bounds=BOUNDS), ln.PiecewiseLaplace(base="log")),
        (
            "variance",
            ln.Variance(bounds=BOUNDS),
            ln.Variance(bounds=BOUNDS).default_mechanism("replace-one"),
        ),
        ("median, 50,000", ln.Median(bounds=BOUNDS), ln.AsymmetricSensitivity(beta="1.00028")),
    ]
    print(f"\n{'after the summary':<18}{'mechanism':<38}{'rows':>10}{'ms':>8}")
    for name, statistic, mechanism in jobs:
        for n in (100, 10_000, len(x)):
            prepared = plan(statistic, x[:n], "replace-one", None)
            depth = mechanism.depth(Fraction(1), prepared.range_bits)
            summary = summarise(prepared.table, prepared.request, depth + 8)

            def draw(
                prepared: object = prepared, summary: object = summary, by: object = mechanism
            ) -> int:
                return by.law(prepared.profiles(summary)[0], 1).draw(active())

            draw()
            times: list[float] = []
            for _ in range(101):
                start = time.perf_counter()
                draw()
                times.append(time.perf_counter() - start)
            ms = statistics.median(times) * 1e3
            print(f"{name:<18}{mechanism.name:<38}{n:>10}{ms:>8.3f}")


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
