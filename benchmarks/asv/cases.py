"""Statistics beside the plain numpy computation of the same, for the speed page and for asv."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln

Array = NDArray[Any]
Plain = Callable[[Array], object]


def column(kind: str, rows: int) -> tuple[Array, tuple[int, int]]:
    """Floats or integers, and bounds that hold nearly all of them."""
    rng = np.random.default_rng(0)
    if kind == "floats":
        return rng.normal(50, 10, rows), (0, 100)
    return rng.integers(0, 1000, rows), (0, 1000)


def cases(bounds: tuple[int, int]) -> dict[str, tuple[Any, Plain]]:
    """By name: the statistic, and the plain computation, clip included where numpy needs one."""

    def clipped(plain: Plain) -> Plain:
        return lambda x: plain(np.clip(x, *bounds))

    def orders(many: int) -> list[float]:
        return [i / (many + 1) for i in range(1, many + 1)]

    found: dict[str, tuple[Any, Plain]] = {
        "mean": (ln.Mean(bounds=bounds), clipped(np.mean)),
        "mean, loose bounds": (ln.Mean(bounds=(-(10**6), 10**6)), clipped(np.mean)),
        "mean, PrivateBounds()": (ln.Mean(bounds=ln.PrivateBounds()), clipped(np.mean)),
        "sum": (ln.Sum(bounds=bounds), clipped(np.sum)),
        "variance": (ln.Variance(bounds=bounds), clipped(np.var)),
        "minimum": (ln.Minimum(bounds=bounds), clipped(np.min)),
        "median": (ln.Median(bounds=bounds), clipped(lambda c: np.quantile(c, 0.5))),
        "median, PrivateBounds()": (
            ln.Median(bounds=ln.PrivateBounds()),
            lambda x: np.quantile(x, 0.5),
        ),
        "interquartile range": (
            ln.InterquartileRange(bounds=bounds),
            clipped(lambda c: np.quantile(c, [0.25, 0.75])),
        ),
        "interval of the median": (
            ln.QuantileInterval(bounds=bounds),
            lambda x: np.quantile(x, 0.5),
        ),
    }
    for many in (9, 99, 999):
        asked = orders(many)
        found[f"{many} quantiles"] = (
            ln.Quantiles(q=asked, bounds=bounds),
            lambda x, q=asked: np.quantile(x, q),
        )
    for bins in (20, 10_000):
        edges = np.linspace(*bounds, bins + 1)
        found[f"histogram of {bins:,} bins"] = (
            ln.Histogram(bins=edges.tolist()),
            lambda x, e=edges: np.histogram(x, e),
        )
    found["distinct values"] = (ln.CountDistinct(), lambda x: len(np.unique(x)))
    return found
