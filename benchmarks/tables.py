"""A private table of groups beside a plain one, and what protecting persons costs in time.

    python benchmarks/tables.py                        5 million rows in 200 groups
    python benchmarks/tables.py --rows 50000 --adult adult.csv.gz
    python benchmarks/tables.py --profiles             errors of the two profiles for groups

Every figure is the least CPU time of five runs in one process, all threads counted. Ours is the
whole release of median, quartiles and count of every group; plain is pandas' groupby of the same
statistics (``interpolation="lower"``), which promises nothing. Memory is the peak of what numpy and
Python hold beside the input.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd

import leastnoise as ln

RUNS = 5
BOUNDS = (0, 100)


def statistics(column: str) -> dict[str, object]:
    """Three quantiles and the count."""
    return {
        "q25": ln.Quantile(column, q="0.25", bounds=BOUNDS),
        "median": ln.Median(column, bounds=BOUNDS),
        "q75": ln.Quantile(column, q="0.75", bounds=BOUNDS),
        "rows": ln.Count(),
    }


def private(data: object, keys: dict[str, list[object]], column: str, **options: object) -> object:
    """Everything that an analyst waits for."""
    groups = {"max_groups": 3} if options else {}
    with ln.open(data, **options) as opened:
        view = opened.group_by(keys, **groups)
        return view.release(statistics(column), epsilon=1)


def plain(frame: pd.DataFrame, keys: dict[str, list[object]], column: str) -> object:
    """The same numbers without noise."""
    groups = frame.groupby(list(keys), observed=True)[column]
    return groups.quantile([0.25, 0.5, 0.75], interpolation="lower"), groups.size()


def seconds(run: Callable[[], object]) -> float:
    """The least CPU time of some runs."""
    found: list[float] = []
    for _ in range(RUNS):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def megabytes(run: Callable[[], object]) -> float:
    """The peak of memory beside what was there before."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def show(name: str, run: Callable[[], object], reference: float) -> float:
    """One line of the table."""
    took = seconds(run)
    ratio = f"{took / reference:7.2f}" if reference else "       "
    print(f"{name:42} {took:8.3f} s {ratio} {megabytes(run):9.1f} MB", flush=True)
    return took


def synthetic(rows: int) -> None:
    """Ten regions of text and twenty classes of numbers."""
    rng = np.random.default_rng(1)
    regions = [f"region {i}" for i in range(10)]
    frame = pd.DataFrame(
        {
            "region": pd.Categorical.from_codes(rng.integers(0, 10, rows), regions),
            "class": rng.integers(0, 20, rows),
            "hours": rng.gamma(4, 10, rows),
            "user": rng.integers(0, rows // 5, rows),
        }
    )
    keys: dict[str, list[object]] = {"region": [*regions], "class": list(range(20))}
    print(f"{rows} rows, 200 groups, 800 answers{'':12}      CPU   ratio     beside")
    reference = show("pandas groupby", lambda: plain(frame, keys, "hours"), 0)
    show("leastnoise, pandas frame", lambda: private(frame, keys, "hours"), reference)
    arrays = {name: frame[name].to_numpy() for name in ("class", "hours")}
    one = {"class": list(range(20))}
    show("leastnoise, numpy arrays, 20 groups", lambda: private(arrays, one, "hours"), reference)
    show(
        "leastnoise, 3 rows of each of the persons",
        lambda: private(frame, keys, "hours", unit="user", max_rows=3),
        reference,
    )


def adult(path: str) -> None:
    """Hours by education, sex and income, from the file itself."""
    frame = pd.read_csv(path)
    names = ("education", "sex", "income")
    keys: dict[str, list[object]] = {n: sorted(frame[n].dropna().unique()) for n in names}
    column = "hours-per-week"
    groups = int(np.prod([len(k) for k in keys.values()]))
    print(f"\nadult: {len(frame)} rows, {groups} groups, {4 * groups} answers")

    def read() -> object:
        return plain(pd.read_csv(path), keys, column)

    reference = show("pandas read_csv and groupby", read, 0)
    show("leastnoise, the file", lambda: private(path, keys, column), reference)
    reference = show("pandas groupby", lambda: plain(frame, keys, column), 0)
    show("leastnoise, pandas frame", lambda: private(frame, keys, column), reference)


def profiles() -> None:
    """Exact expected errors inside a group of n rows, -10 ln(1 - u) at even u, by both profiles."""
    asked = {
        "median": ln.Median(bounds=BOUNDS),
        "0.9-quantile": ln.Quantile(q="0.9", bounds=BOUNDS),
        "interquartile range": ln.InterquartileRange(bounds=BOUNDS),
        "mean": ln.Mean(bounds=BOUNDS),
    }
    print(f"{'rows':>6} {'epsilon':>8} {'statistic':22}{'edit':>10}{'add-remove':>12}")
    for rows in (100, 1000):
        data = -10 * np.log1p(-(np.arange(rows) + 0.5) / rows)
        for epsilon in ("1/4", "1"):
            for name, statistic in asked.items():
                errors: list[float] = []
                for relation in ("edit", "add-remove"):
                    profile = ln.profile(statistic, data, relation=relation)
                    mechanism = statistic.settled_mechanism(relation)
                    law = mechanism.law(profile, epsilon)
                    errors.append(law.mean_absolute_error(centre=profile.value))
                print(f"{rows:6} {epsilon:>8} {name:22}{errors[0]:10.4g}{errors[1]:12.4g}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--adult", help="the Adult file, .csv or .csv.gz")
    parser.add_argument("--profiles", action="store_true", help="errors instead of times")
    options = parser.parse_args()
    if options.profiles:
        profiles()
        return
    synthetic(options.rows)
    if options.adult:
        adult(options.adult)


if __name__ == "__main__":
    main()
