"""Exact expected errors of mechanisms against epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from leastnoise.laws import Law
from leastnoise.mechanisms import Mechanism
from leastnoise.profiles import Profile, exact

EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
Error = Callable[[Profile, str], float]


def exact_error(mechanism: Mechanism) -> Error:
    """The mean of |M - f| by profile and epsilon, from the law, before any cut to the range."""
    return lambda p, epsilon: mechanism.law(p, epsilon).mean_absolute_error(centre=exact(p.value))


Numbers = dict[str, dict[str, float]]


def mean_errors(
    profiles: Iterable[Profile], errors: Mapping[str, Error], epsilons: Iterable[str] = EPSILONS
) -> tuple[Numbers, Numbers]:
    """For each name and epsilon the mean over the profiles of the exact error; standard errors.

    The latter only where there are several profiles: the errors themselves are exact.
    """
    asked, seen = list(epsilons), list(profiles)
    found = {
        name: {e: mean(error(p, e) for p in seen) for e in asked} for name, error in errors.items()
    }
    means, spreads = (
        {name: {e: pair[i] for e, pair in column.items()} for name, column in found.items()}
        for i in (0, 1)
    )
    return means, spreads if len(seen) > 1 else {}


def median_error(law: Law, centre: float, most: float) -> float:
    """The median of |answer - centre|, at most ``most``, by bisection of the exact law."""
    low, high = 0.0, most
    for _ in range(50):
        middle = (low + high) / 2
        if law.cdf(centre + middle) - law.cdf(centre - middle) >= 0.5:
            high = middle
        else:
            low = middle
    return high


def middle(values: Iterable[float]) -> tuple[float, float]:
    """The median, and its standard error by order statistics."""
    x = np.sort(np.fromiter(values, dtype=np.float64))
    n = len(x)
    near = round(n / 2 - n**0.5 / 2), round(n / 2 + n**0.5 / 2)
    spread = x[min(n - 1, near[1])] - x[max(0, near[0])]
    return float(np.median(x)), float(spread / 2)


def mean(values: Iterable[float]) -> tuple[float, float]:
    """The mean, and its standard error."""
    x = np.fromiter(values, dtype=np.float64)
    return float(x.mean()), float(x.std(ddof=1) / len(x) ** 0.5) if len(x) > 1 else 0.0
