"""Durfee (2024), Figure 3: a variance of data within bounds, and of data without any.

Without bounds one record moves a variance arbitrarily far up: U(l) is infinite from l = 1 on, and
L(l) is what it is with bounds. The walk goes on to the end of the list of candidates. The paper
draws absolute errors without saying how they are averaged; its section 5 takes means. The median
cannot see what lies above the value, so the mean is drawn too, with the candidates cut at the
largest variance within the bounds, and with the paper's cut after 50,000 of them, which leaves
beta^50000; and the chance to pass the value by a half of it or more (errata 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from leastnoise.laws import Law
from leastnoise.mechanisms import AsymmetricSensitivity
from leastnoise.profiles import Profile, Rational, exact
from leastnoise.reproduce.errors_by_epsilon import EPSILONS, median_error
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.session import profile
from leastnoise.statistics import Variance

# shares e1 : e2 of the paper, and of this library where there is no upper limit
BOUNDED, FREE, CUT = "bounded", "unbounded", "no bounds but for answers"
SHARES = {"1 : 1 (paper, corrected)": 1, "2 : 1 (ours)": 2}


def limitless(seen: Profile, end: Rational | None = None) -> Profile:
    """The same statistic where the records have no limit; answers go up to ``end``."""
    return Profile(
        value=seen.value,
        lower=seen.lower,
        upper=lambda level: end if level else seen.value,
        support=(0, end),
        resolution=seen.resolution,
        monotone=seen.monotone,
    )


def laws(seen: Profile, epsilon: str) -> Iterator[tuple[str, Law]]:
    """The laws with bounds, without, and without but cut at the largest variance, by name."""
    profiles = {BOUNDED: seen, FREE: limitless(seen), CUT: limitless(seen, seen.support[1])}
    for name, share in SHARES.items():
        mechanism = AsymmetricSensitivity(scale=1, split=share)
        for word, one in profiles.items():
            yield f"{word}, {name}", mechanism.law(one, epsilon)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A panel: its title, its axis, and the number that a law has in it at a value."""

    title: str
    y: str
    number: Callable[[Law, float], float]
    words: tuple[str, ...] = (BOUNDED, FREE)


def _mean(law: Law, value: float) -> float:
    return law.mean_absolute_error(centre=value)


# by the end of the panel's name
DRAWN = {
    "": Drawn(
        "Median error of a private variance",
        "median absolute error",
        lambda law, value: median_error(law, value, 100 * value),
    ),
    "-overshoot": Drawn(
        "Chance to answer 1.5 times the variance or more",
        "probability",
        lambda law, value: 1 - law.cdf(1.5 * value),
    ),
    "-mean": Drawn(
        "Mean error of a private variance", "mean absolute error", _mean, (BOUNDED, CUT)
    ),
    "-mean-50000": Drawn(
        "Mean error, cut after 50,000 candidates", "mean absolute error", _mean, (BOUNDED, FREE)
    ),
}


def variances(settings: Settings) -> Iterator[Panel]:
    """Median and mean errors, and chances of a large error, by epsilon."""
    from leastnoise.reproduce.asymmetric_sensitivity import cases, inputs_of

    epsilons = settings.pick(("0.5", "1"), EPSILONS)
    for name, samples, bounds, source in cases(settings):
        chosen = samples[:2]
        seen = [profile(Variance(bounds=bounds), data, missing="none") for data in chosen]
        found: dict[str, dict[str, dict[str, float]]] = {end: {} for end in DRAWN}
        for epsilon in epsilons:
            for one in seen:
                value = float(exact(one.value))
                for key, law in laws(one, epsilon):
                    for end, drawn in DRAWN.items():
                        if key.startswith(drawn.words):
                            column = found[end].setdefault(key, {})
                            number = drawn.number(law, value) / len(seen)
                            column[epsilon] = column.get(epsilon, 0.0) + number
        parameters: dict[str, Any] = inputs_of(chosen, bounds, source) | {
            "beta": "1.005",
            "noise": "geometric",
            "e1 : e2": SHARES,
        }
        for end, drawn in DRAWN.items():
            yield Panel(
                f"figure-3-{name}{end}",
                f"{drawn.title}, {name}",
                "epsilon",
                drawn.y,
                found[end],
                parameters,
                log="xy",
            )
