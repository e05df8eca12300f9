"""Time and memory of releases of one million rows, and of what follows a summary."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.randomness import active
from leastnoise.session.prepare import plan

from .cases import cases
from .cases import column as values
from .grouped import WHAT, columns, jobs, release

ROWS = 1_000_000
BOUNDS = (0, 100)
STATISTICS: dict[str, Any] = {
    "median": ln.Median(bounds=BOUNDS),
    "quantile": ln.Quantile(q="0.9", bounds=BOUNDS),
    "mean": ln.Mean(bounds=BOUNDS),
    "variance": ln.Variance(bounds=BOUNDS),
}


def column() -> np.ndarray:
    return np.random.default_rng(0).normal(50, 10, ROWS)


class Releases:
    """Whole releases, by statistic."""

    params = tuple(STATISTICS)
    param_names = ("statistic",)

    def setup(self, statistic: str) -> None:
        self.x = column()

    def time_release(self, statistic: str) -> None:
        ln.release(STATISTICS[statistic], self.x, epsilon=1)

    def peakmem_release(self, statistic: str) -> None:
        ln.release(STATISTICS[statistic], self.x, epsilon=1)


class Small:
    """A release of few rows, where what does not depend on rows is all."""

    def setup(self) -> None:
        self.x = column()[:2000]

    def time_median(self) -> None:
        ln.release(STATISTICS["median"], self.x, epsilon=1)


class Ratios:
    """Processor time of a release over that of the plain numpy computation, in one run."""

    params = (tuple(cases(BOUNDS)), ("floats", "integers"))
    param_names = ("statistic", "kind")

    def track_ratio(self, statistic: str, kind: str) -> float:
        x, bounds = values(kind, ROWS)
        asked, plain = cases(bounds)[statistic]
        ln.release(asked, x, epsilon=1)
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(3):
            for job, found in zip(
                (lambda: ln.release(asked, x, epsilon=1), lambda: plain(x)), times, strict=True
            ):
                start = time.process_time()
                job()
                found.append(time.process_time() - start)
        return min(times[0]) / min(times[1])


class Grouped:
    """Processor time of many groups, or persons, over that of the front end's GROUP BY."""

    params = (WHAT, ("numpy", "pandas", "Polars", "Polars lazy", "DuckDB"))
    param_names = ("what", "front end")

    def track_ratio(self, what: str, front_end: str) -> float:
        data, plain = jobs(front_end, columns(100_000, 1000, 50_000), 1000)
        spent: list[float] = []
        for job in (release(what, data, 1000), plain[what]):
            job()
            start = time.process_time()
            job()
            spent.append(time.process_time() - start)
        return spent[0] / spent[1]


class AfterTheSummary:
    """From a summary to an answer: the part that does not depend on the number of rows."""

    params = tuple(STATISTICS)
    param_names = ("statistic",)

    def setup(self, statistic: str) -> None:
        asked = STATISTICS[statistic]
        prepared = plan(asked, column(), "replace-one", None)
        self.mechanism = asked.settled_mechanism(prepared.profile_relation)
        depth = self.mechanism.depth(1, prepared.range_bits)
        summary = prepared.table.summarise(prepared.request, depth + 8 if depth else 0)
        self.profile = prepared.profiles(summary)[0]

    def time_draw(self, statistic: str) -> None:
        self.mechanism.law(self.profile, 1).draw(active())
