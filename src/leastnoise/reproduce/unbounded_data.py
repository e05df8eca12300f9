"""Durfee (2024), Figure 3: a variance of data within bounds, and of data without any.

Without bounds one record moves a variance arbitrarily far up: U(l) is infinite from l = 1 on, and
L(l) is what it is with bounds. The walk goes on to the end of the list of candidates. The median
of the error is drawn, for which the paper's claim holds, and beside it the chance to pass the value
by a half of it or more, which makes the mean error large (errata 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leastnoise.laws import Law
from leastnoise.mechanisms import AsymmetricSensitivity
from leastnoise.profiles import Profile, exact
from leastnoise.reproduce.errors_by_epsilon import EPSILONS, median_error
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.session import profile
from leastnoise.statistics import Variance

# shares e1 : e2 of the paper, and of this library where there is no upper limit
SHARES = {"1 : 1 (paper, mended)": 1, "2 : 1 (ours)": 2}


def limitless(seen: Profile) -> Profile:
    """The same statistic where the records have no limit."""
    return Profile(
        value=seen.value,
        lower=seen.lower,
        upper=lambda level: None if level else seen.value,
        support=(0, None),
        resolution=seen.resolution,
        monotone=seen.monotone,
    )


def laws(seen: Profile, epsilon: str) -> Iterator[tuple[str, Law]]:
    """The laws with and without bounds, by name."""
    free = limitless(seen)
    for name, share in SHARES.items():
        mechanism = AsymmetricSensitivity(scale=1, split=share)
        yield f"bounded, {name}", mechanism.law(seen, epsilon)
        yield f"unbounded, {name}", mechanism.law(free, epsilon)


def variances(settings: Settings) -> Iterator[Panel]:
    """Median errors, and chances of a large error, by epsilon."""
    from leastnoise.reproduce.asymmetric_sensitivity import cases, told

    epsilons = settings.pick(("0.5", "1"), EPSILONS)
    for name, samples, bounds, source in cases(settings):
        chosen = samples[:2]
        seen = [profile(Variance(bounds=bounds), data, missing="none") for data in chosen]
        medians: dict[str, dict[str, float]] = {}
        chances: dict[str, dict[str, float]] = {}
        for epsilon in epsilons:
            found: dict[str, list[tuple[float, float]]] = {}
            for one in seen:
                value = float(exact(one.value))
                for key, law in laws(one, epsilon):
                    near = median_error(law, value, 100 * value)
                    far = 1 - law.cdf(1.5 * value)
                    found.setdefault(key, []).append((near, far))
            for key, pairs in found.items():
                near, far = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
                medians.setdefault(key, {})[epsilon] = near
                chances.setdefault(key, {})[epsilon] = far
        parameters: dict[str, Any] = told(chosen, bounds, source) | {
            "beta": "1.005",
            "noise": "geometric",
            "e1 : e2": SHARES,
        }
        yield Panel(
            f"figure-3-{name}",
            f"Median error of a private variance, {name}",
            "epsilon",
            "median absolute error",
            medians,
            parameters,
            log="xy",
        )
        yield Panel(
            f"figure-3-{name}-overshoot",
            f"Chance to answer 1.5 times the variance or more, {name}",
            "epsilon",
            "probability",
            chances,
            parameters,
            log="xy",
        )
