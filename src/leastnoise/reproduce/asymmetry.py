"""Durfee (2024), Figure 8: the gain over inverse sensitivity by the asymmetry of the bounds.

The bounds are random, as in the paper: sorted independent distances, uniform above and below the
value, the range above being stretched step by step; and heavy-tailed above, epsilon going from
small to large. Errors are exact. Definition C.1 has no sign; the walk upwards gains where the far
side is above the value, so the correlation is also given for the signed probability.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms import AsymmetricSensitivity, InverseSensitivity, Mechanism
from leastnoise.profiles import Profile, exact
from leastnoise.reproduce.errors_by_epsilon import EPSILONS
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.theory import asymmetry

Floats = NDArray[np.float64]
LEVELS = 60
MOST = 1_000_000
VALUE = 1000
STRETCHES = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0)
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
    """The lower side uniform, the upper one of a law whose tail beyond x falls like 1/x."""
    rng = np.random.default_rng([9, seed])
    down = np.sort(rng.uniform(0, VALUE, LEVELS))
    up = np.minimum(np.sort(VALUE * (1 / (1 - rng.uniform(size=LEVELS)) - 1)), MOST)
    return bounds(down.tolist(), up.tolist())


def direction(seen: Profile, epsilon: str) -> int:
    """1 where inverse sensitivity answers above the value more often than below, -1 otherwise."""
    law = InverseSensitivity().law(seen, epsilon)
    value = exact(seen.value)
    return 1 if 1 - law.cdf(value) >= law.cdf(value - 1) else -1


def _error(mechanism: Mechanism, seen: Profile, epsilon: str) -> float:
    return mechanism.law(seen, epsilon).mean_absolute_error(centre=exact(seen.value))


def gains(settings: Settings) -> Iterator[Panel]:
    """Ratios of exact errors against Definition C.1, and their correlation."""
    seeds = range(settings.pick(6, 24))
    drawn = [("uniform", uniform(seed, stretch), "1") for seed in seeds for stretch in STRETCHES]
    drawn += [("heavy-tailed", heavy(seed), e) for seed in seeds for e in EPSILONS]
    series: dict[str, dict[str, float]] = {}
    points: dict[str, list[tuple[float, float, float]]] = {}
    for kind, seen, epsilon in drawn:
        lean = asymmetry(seen, epsilon)
        row, side = f"{lean:.6f}", direction(seen, epsilon)
        base = _error(InverseSensitivity(), seen, epsilon)
        for name, mechanism in (("paper, corrected", PAPER), ("ours", OURS)):
            gain = base / _error(mechanism, seen, epsilon)
            series.setdefault(f"{kind} ({name})", {})[row] = gain
            for word in (kind, "all"):
                points.setdefault(f"{word} ({name})", []).append((lean, side * lean, gain))
    told = {
        "levels": LEVELS,
        "value": VALUE,
        "seed streams": {"uniform": "[8, seed]", "heavy-tailed": "[9, seed]"},
        "seeds": list(seeds),
        "mechanisms": {"paper, corrected": PAPER.name, "ours": OURS.name},
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
    summary: dict[str, dict[str, float]] = {}
    for name, found in points.items():
        lean, way, gain = (np.array(column) for column in zip(*found, strict=True))
        for word, number in (
            ("rank correlation", _correlation(lean, gain)),
            ("with its sign", _correlation(way, gain)),
            ("smallest gain", gain.min()),
            ("largest gain", gain.max()),
        ):
            summary.setdefault(word, {})[name] = float(number)
    yield Panel(
        "figure-8-summary", "Gain and asymmetry", "bounds", "summary", summary, told, kind="table"
    )


def _correlation(x: Floats, y: Floats) -> float:
    """Spearman's."""
    first, second = (np.argsort(np.argsort(v)).astype(float) for v in (x, y))
    return float(np.corrcoef(first, second)[0, 1])
