"""Speed of the core as ratios from one run, and the memory beside it.

    python benchmarks/speed.py [--rows 10000000] [--repeats 7]
    python benchmarks/speed.py --page docs/speed.md [--rows 100000 1000000 10000000 100000000]

Each private release is timed in turn with the plain numpy computation of the same statistic
(clip included), A B A B ..., in processor time of all threads, and the least times are compared.
Memory is what is allocated at the peak beyond the data. Fresh processes are timed from their start
to the first answer. With ``--page`` all statistics are measured, on floats and integers, for each
number of rows, and the tables between the marks of a page are written anew; ``--only`` names some
of the statistics. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
from asv.cases import cases, column
from timing import peak

import leastnoise as ln
from leastnoise.mechanisms import Mechanism
from leastnoise.randomness import active
from leastnoise.session.prepare import plan

BOUNDS = (0, 100)
MARK = "<!-- measured speed:"
Job = Callable[[], object]


def spent() -> float:
    """Processor seconds of this process, and of those it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def paired(ours: Job, plain: Job, repeats: int) -> tuple[float, float]:
    """Least processor seconds of two jobs run in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for job, found in zip((ours, plain), times, strict=True):
            start = spent()
            job()
            found.append(spent() - start)
    return min(times[0]), min(times[1])


def measured(kind: str, rows: int, name: str, repeats: int) -> tuple[float, float, float]:
    """Milliseconds of the plain computation, how many times that a release takes, and its peak of
    memory over the size of the data."""
    x, bounds = column(kind, rows)
    statistic, plain = cases(bounds)[name]

    def ours() -> object:
        return ln.release(statistic, x, epsilon=1)

    ours()
    seconds, bare = paired(ours, lambda: plain(x), repeats)
    return 1e3 * bare, seconds / bare, peak(ours) / x.nbytes


def tables(sizes: list[int], only: list[str], repeats: int) -> Iterator[str]:
    """A Markdown table of ratios and memory for floats and one for integers, line by line."""
    for kind in ("floats", "integers"):
        yield ""
        yield (
            f"| {kind} | " + " | ".join(f"{rows:.0e}" for rows in sizes) + " | numpy, ms | memory |"
        )
        yield "|---|" + "---:|" * (len(sizes) + 2)
        for name in cases((0, 100)):
            if only and name not in only:
                continue
            found = [measured(kind, rows, name, repeats if rows <= 10**7 else 1) for rows in sizes]
            ratios = " | ".join(f"{ratio:.2f}" for _, ratio, _ in found)
            plain, _, memory = found[-1]
            yield f"| {name} | {ratios} | {plain:.3g} | {memory:.2f} |"
            print(name, ratios, flush=True)


def write_page(path: Path, sizes: list[int], only: list[str], repeats: int) -> None:
    """Put the tables between the marks of a page."""
    text = path.read_text()
    start, end = (text.index(mark) for mark in (MARK, "<!-- /speed -->"))
    start = text.index("\n", start)
    first = "\n" + "\n".join([first_answer(), *tables(sizes, only, repeats)]) + "\n"
    path.write_text(text[:start] + first + text[end:])


def releases(x: np.ndarray, repeats: int) -> None:
    """Whole releases against numpy."""
    print(f"\n{'release':<26}{'ours ms':>9}{'numpy ms':>10}{'ratio':>8}{'peak / input':>14}")
    for name in cases((0, 100)):
        plain, ratio, share = measured("floats", len(x), name, repeats)
        print(f"{name:<26}{plain * ratio:>9.1f}{plain:>10.1f}{ratio:>8.2f}{share:>13.1%}")


def after_summary(x: np.ndarray) -> None:
    """Profile, law and exact draw, once the summary is there: mean processor time."""
    variance = ln.Variance(bounds=BOUNDS)
    jobs = [
        ("median", ln.Median(bounds=BOUNDS), ln.PiecewiseLaplace()),
        ("quantile 0.9", ln.Quantile(q=0.9, bounds=BOUNDS), ln.PiecewiseLaplace()),
        ("median", ln.Median(bounds=BOUNDS), ln.InverseSensitivity()),
        ("mean", ln.Mean(bounds=BOUNDS), ln.LaplaceRatio()),
        ("variance", variance, ln.PiecewiseLaplace(base="log")),
        ("variance", variance, variance.settled_mechanism("replace-one")),
        ("variance", variance, variance.settled_mechanism("add-remove"), "add-remove"),
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
    summary = prepared.table.summarise(prepared.request, depth + 8)
    spent = 0.0
    for turn in range(-10, 200):
        start = time.process_time()
        mechanism.law(prepared.profiles(summary)[0], exponent).draw(active())
        if turn >= 0:
            spent += time.process_time() - start
    return 1e3 * spent / 200


def first_answer() -> str:
    """Fresh processes: the import alone, and up to a first release."""
    median = "import numpy as np; np.median(np.arange(1e4))"
    first = (
        "import numpy as np, leastnoise as ln; "
        "ln.release(ln.Median(bounds=(0, 1e4)), np.arange(1e4), epsilon=1)"
    )

    # compiled once, as what is installed is
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", first], check=True, env=kept)

    def run(code: str) -> Job:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True, env=kept)

    alone, numpy = paired(run("import leastnoise"), run("import numpy"), 5)
    a, b = paired(run(first), run(median), 9)
    return (
        f"A fresh process takes {a * 1e3:.0f} ms of processor time to its first median, and "
        f"{b * 1e3:.0f} ms to numpy's: {a / b:.2f} times as long. To import leastnoise takes "
        f"{alone * 1e3:.0f} ms, to import numpy {numpy * 1e3:.0f} ms."
    )


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, nargs="+", default=[1e7])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    sizes = [int(rows) for rows in options.rows]
    if options.page is not None:
        write_page(options.page, sizes, options.only, options.repeats)
        return
    x, _ = column("floats", sizes[0])
    print(first_answer())
    releases(x, options.repeats)
    after_summary(x)


if __name__ == "__main__":
    main()
