"""Exact expected errors of mechanisms against epsilon, on data that everyone can make."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterable, Mapping
from math import log1p
from pathlib import Path

from leastnoise.mechanisms import Mechanism
from leastnoise.profiles import Profile, exact

EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
Error = Callable[[Profile, str], float]


def exponential(rows: int = 1000) -> list[float]:
    """The quantiles of an exponential law of mean 10: x_i = -10 ln(1 - (i - 1/2)/n)."""
    return [-10 * log1p(-(i - 0.5) / rows) for i in range(1, rows + 1)]


def column(path: Path, name: str) -> list[float]:
    """A column of numbers of a public .csv.gz file."""
    with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def exact_error(mechanism: Mechanism) -> Error:
    """The mean of |M - f| by profile and epsilon, from the law, before any cut to the range."""
    return lambda p, epsilon: mechanism.law(p, epsilon).mean_absolute_error(centre=exact(p.value))


def mean_errors(
    profiles: Iterable[Profile], errors: Mapping[str, Error], epsilons: Iterable[str] = EPSILONS
) -> dict[str, dict[str, float]]:
    """For each name and epsilon the mean over the profiles of the exact error."""
    asked, seen = list(epsilons), list(profiles)
    return {
        name: {e: sum(error(p, e) for p in seen) / len(seen) for e in asked}
        for name, error in errors.items()
    }
