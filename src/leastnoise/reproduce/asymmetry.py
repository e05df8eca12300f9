"""Durfee (2024), Figure 8: the gain over inverse sensitivity by the asymmetry of the bounds.

The bounds are random, as in the paper: uniform above and below the value, the range above being
stretched step by step; and heavy-tailed above, epsilon going from small to large. Errors are exact.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from leastnoise.mechanisms import AsymmetricSensitivity, InverseSensitivity, Mechanism
from leastnoise.profiles import Profile, exact
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.theory import asymmetry

LEVELS = 60
VALUE = 1000
STRETCHES = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0)
EPSILONS = ("0.25", "0.5", "1", "2", "4")
PAPER = AsymmetricSensitivity(scale=1, split=1)
OURS = AsymmetricSensitivity(beta="auto")


def bounds(down: list[float], up: list[float]) -> Profile:
    """NOT PRIVATE. A profile with these distances of L(l) and U(l) from the value, l = 1, 2, ..."""
    below = [VALUE, *(VALUE - round(d) for d in down)]
    above = [VALUE, *(VALUE + round(u) for u in up)]
    return Profile(
        value=VALUE,
        lower=lambda level: below[min(level, LEVELS)],
        upper=lambda level: above[min(level, LEVELS)],
        support=(below[-1], above[-1]),
        integral=True,
        monotone=True,
    )


def uniform(seed: int, stretch: float) -> Profile:
    """Both sides uniform, the upper ``stretch`` times as far."""
    rng = np.random.default_rng([8, seed])
    down = np.sort(rng.uniform(0, VALUE, LEVELS))
    up = np.sort(rng.uniform(0, VALUE * stretch, LEVELS))
    return bounds(down.tolist(), up.tolist())


def heavy(seed: int) -> Profile:
    """The upper side moves by Pareto steps, the small ones first, at most 100,000 in all.

    Near the value both sides move alike; far from it the upper one moves much faster, which counts
    the more the smaller epsilon is.
    """
    rng = np.random.default_rng([9, seed])
    down = np.sort(rng.uniform(0, VALUE, LEVELS))
    up = np.minimum(np.sort(17 / (1 - rng.uniform(size=LEVELS)) ** 1.5).cumsum(), 100_000)
    return bounds(down.tolist(), up.tolist())


def _error(mechanism: Mechanism, seen: Profile, epsilon: str) -> float:
    return mechanism.law(seen, epsilon).mean_absolute_error(centre=exact(seen.value))


def gains(settings: Settings) -> Iterator[Panel]:
    """Ratios of exact errors against Definition C.1, and their correlation."""
    seeds = range(settings.pick(2, 12))
    drawn = [
        ("uniform", uniform(seed, stretch), "1")
        for seed in seeds
        for stretch in settings.pick(STRETCHES[::3], STRETCHES)
    ]
    epsilons = settings.pick(EPSILONS[::2], EPSILONS)
    drawn += [("heavy-tailed", heavy(seed), e) for seed in seeds for e in epsilons]
    series: dict[str, dict[str, float]] = {}
    for kind, seen, epsilon in drawn:
        lean = f"{asymmetry(seen, epsilon):.6f}"
        base = _error(InverseSensitivity(), seen, epsilon)
        for name, mechanism in (("paper", PAPER), ("ours", OURS)):
            column = series.setdefault(f"{kind} ({name})", {})
            column[lean] = base / _error(mechanism, seen, epsilon)
    told = {
        "levels": LEVELS,
        "value": VALUE,
        "seed streams": {"uniform": "[8, seed]", "heavy-tailed": "[9, seed]"},
        "seeds": list(seeds),
        "mechanisms": {"paper": PAPER.name, "ours": OURS.name},
    }
    yield Panel(
        "figure-8",
        "Error of inverse sensitivity over that of the asymmetric mechanism",
        "asymmetry |P(M > f) - 1/2|",
        "ratio of expected errors",
        series,
        told,
        log="y",
        kind="points",
    )
    ranks = {
        name: float(_correlation([float(x) for x in column], list(column.values())))
        for name, column in series.items()
    }
    least = {name: min(column.values()) for name, column in series.items()}
    most = {name: max(column.values()) for name, column in series.items()}
    summary = {"rank correlation": ranks, "smallest gain": least, "largest gain": most}
    yield Panel(
        "figure-8-summary", "Gain and asymmetry", "bounds", "number", summary, told, kind="names"
    )


def _correlation(x: list[float], y: list[float]) -> float:
    """Spearman's."""
    first, second = (np.argsort(np.argsort(v)).astype(float) for v in (x, y))
    return float(np.corrcoef(first, second)[0, 1])
