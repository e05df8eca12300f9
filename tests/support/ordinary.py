"""Columns such as people have, with public bounds, and what a statistic of them is by numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import leastnoise as ln

Bounds = tuple[float, float]
Maker = Callable[[np.random.Generator, int], Any]


@dataclass(frozen=True)
class Column:
    """Entries, None where missing, and bounds that fit them."""

    entries: list[Any]
    bounds: Bounds

    def loose(self, times: int) -> Bounds:
        """Bounds so many times wider."""
        low, high = self.bounds
        return (min(0, low * times), max(0, high * times)) if times > 1 else self.bounds

    def clipped(self, bounds: Bounds) -> Any:
        """The entries that are there, inside bounds."""
        return np.clip(np.array([v for v in self.entries if v is not None], float), *bounds)


def _flags(share: float) -> Maker:
    return lambda dice, n: dice.permutation(np.arange(n) < round(share * n)).astype(int)


def _ages(dice: np.random.Generator, n: int) -> Any:
    return dice.normal(42, 18, n).clip(0, 100).round().astype(int)


def _outlier(dice: np.random.Generator, n: int) -> Any:
    return np.append(_ages(dice, n - 1), 100_000)


def _half_missing(dice: np.random.Generator, n: int) -> Any:
    return np.where(dice.random(n) < 0.5, None, _ages(dice, n))


_SHAPES: Mapping[str, tuple[Maker, Bounds]] = {
    "few ones": (_flags(0.02), (0, 1)),
    "a fifth ones": (_flags(0.2), (0, 1)),
    "half ones": (_flags(0.5), (0, 1)),
    "nearly all ones": (_flags(0.98), (0, 1)),
    "counts": (lambda dice, n: dice.poisson(2, n), (0, 20)),
    "mostly zeros": (lambda dice, n: dice.poisson(4, n) * (dice.random(n) < 0.1), (0, 20)),
    "all equal": (lambda dice, n: np.full(n, 5), (0, 10)),
    "all zero": (lambda dice, n: np.zeros(n), (0, 10)),
    "all above": (lambda dice, n: np.full(n, 150), (0, 100)),
    "two values": (lambda dice, n: np.where(dice.random(n) < 0.5, 10, 20), (0, 30)),
    "ages": (_ages, (0, 100)),
    "sorted ages": (lambda dice, n: np.sort(_ages(dice, n)), (0, 100)),
    "half missing": (_half_missing, (0, 100)),
    "an outlier": (_outlier, (0, 100_000)),
    "pays": (lambda dice, n: dice.lognormal(10.5, 0.6, n).round(2), (0, 500_000)),
    "prices": (lambda dice, n: (dice.exponential(12, n) + 0.99).round(2), (0, 200)),
    "percents": (lambda dice, n: (100 * dice.beta(2, 3, n)).round(1), (0, 100)),
    "small shares": (lambda dice, n: dice.exponential(0.01, n).round(5), (0, 1)),
    "ratings": (lambda dice, n: dice.integers(1, 6, n), (1, 5)),
    "temperatures": (lambda dice, n: dice.normal(-12, 6, n).round(1), (-40, 10)),
    "latitudes": (lambda dice, n: dice.normal(52.5, 0.08, n).round(6), (52, 53)),
    "longitudes": (lambda dice, n: dice.normal(-122.4, 0.05, n).round(6), (-180, 180)),
    "seconds of a clock": (lambda dice, n: 1_700_000_000 + dice.integers(0, 10**6, n), (0, 2**31)),
    "years": (lambda dice, n: dice.integers(1950, 2011, n), (1900, 2030)),
    "ids": (lambda dice, n: dice.integers(10**14, 10**15, n), (10**14, 10**15)),
}
SHAPES = tuple(_SHAPES)


def column(shape: str, rows: int, seed: int = 0) -> Column:
    """A column of this shape, the same for each seed."""
    make, bounds = _SHAPES[shape]
    dice = np.random.default_rng([seed, rows, *shape.encode()])
    return Column(make(dice, rows).tolist(), bounds)


@dataclass(frozen=True)
class Plain:
    """A statistic, what it is by numpy, and what a record can add to it, of width and rows.

    ``truth`` gives the least and the largest answer that is right: ranks may be off by one.
    """

    make: Callable[[Bounds], Any]
    truth: Callable[[Any], tuple[float, float]]
    reach: Callable[[float, int], float]


def _ranked(order: float) -> Callable[[Any], tuple[float, float]]:
    def truth(numbers: Any) -> tuple[float, float]:
        last = len(numbers) - 1
        found, at = np.sort(numbers), order * last
        return found[max(0, math.floor(at) - 1)], found[min(last, math.ceil(at) + 1)]

    return truth


def _difference(numbers: Any) -> tuple[float, float]:
    (a, b), (c, d) = _ranked(0.25)(numbers), _ranked(0.75)(numbers)
    return max(0.0, c - b), d - a


def _exactly(function: Callable[[Any], Any]) -> Callable[[Any], tuple[float, float]]:
    return lambda numbers: (float(function(numbers)),) * 2


def _of_width(width: float, rows: int) -> float:
    return width


PLAIN: Mapping[str, Plain] = {
    "Mean": Plain(
        *(lambda b: ln.Mean("v", bounds=b), _exactly(np.mean), lambda width, n: width / n)
    ),
    "Sum": Plain(lambda b: ln.Sum("v", bounds=b), _exactly(np.sum), _of_width),
    "Count": Plain(lambda b: ln.Count("v"), _exactly(len), lambda width, n: 1),
    "Median": Plain(lambda b: ln.Median("v", bounds=b), _ranked(0.5), _of_width),
    "Quantile": Plain(lambda b: ln.Quantile("v", q="0.9", bounds=b), _ranked(0.9), _of_width),
    "Minimum": Plain(lambda b: ln.Minimum("v", bounds=b), _ranked(0), _of_width),
    "Maximum": Plain(lambda b: ln.Maximum("v", bounds=b), _ranked(1), _of_width),
    "InterquartileRange": Plain(
        *(lambda b: ln.InterquartileRange("v", bounds=b), _difference, _of_width)
    ),
    "Variance": Plain(
        *(lambda b: ln.Variance("v", bounds=b), _exactly(np.var), lambda width, n: width**2 / n)
    ),
    "StandardDeviation": Plain(
        lambda b: ln.StandardDeviation("v", bounds=b),
        *(_exactly(np.std), lambda width, n: width / math.sqrt(n)),
    ),
}
