"""Durfee (2025): how a draw is made (Figure 1), and errors against inverse sensitivity and Laplace.

The paper states the comparison as theorems and draws no figure of errors; ``comparison`` is the one
that it lacks, with the logarithmic base of this library beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, expm1

from leastnoise.mechanisms import InverseSensitivity, Laplace, PiecewiseLaplace
from leastnoise.profiles import Profile
from leastnoise.reproduce.data import exponential
from leastnoise.reproduce.errors_by_epsilon import exact_error, mean_errors
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.session import profile
from leastnoise.statistics import Median, Quantile, Variance

# U(l) - U(l - 1) and L(l - 1) - L(l) of the drawn example, in thousandths
UP = (1000, 3000, 500, 2000, 6000)
DOWN = (2000, 1000, 4000, 1500, 4000)
DRAWN_EPSILON = 2


def _edge(steps: tuple[int, ...], level: int) -> int:
    return sum(steps[:level])


def two_steps(settings: Settings) -> Iterator[Panel]:
    """Figure 1: draw an interval, then a point of it; against the law of the mechanism itself.

    An interval at level l has the chance proportional to its length times exp(-l eps/2), times the
    mean of exp(x eps/2) over x in [0, 1], the way back to its inner end; inside it the density
    falls by exp(-eps/2). Inverse sensitivity draws the same intervals and is flat inside.
    """
    half = DRAWN_EPSILON / 2
    seen = Profile(
        value=0,
        lower=lambda level: -_edge(DOWN, level),
        upper=lambda level: _edge(UP, level),
        support=(-sum(DOWN), sum(UP)),
        integral=True,
    )
    law = PiecewiseLaplace().law(seen, DRAWN_EPSILON)
    weights: dict[str, float] = {}
    ends: dict[str, tuple[int, int]] = {}
    for side, steps, sign in (("above", UP, 1), ("below", DOWN, -1)):
        for level, width in enumerate(steps, 1):
            name = f"level {level} {side}"
            weights[name] = width * exp(-level * half) * expm1(half) / half
            inner, outer = sign * _edge(steps, level - 1), sign * _edge(steps, level)
            ends[name] = (inner, outer) if sign > 0 else (outer - 1, inner - 1)
    whole = sum(weights.values())
    first = {name: weight / whole for name, weight in weights.items()}
    exact = {name: law.cdf(b) - law.cdf(a) for name, (a, b) in ends.items()}
    told = {"steps up": UP, "steps down": DOWN, "epsilon": DRAWN_EPSILON, "value": 0}
    yield Panel(
        "figure-1-intervals",
        "First step: the interval",
        "interval",
        "probability",
        {"by the two steps": first, "law of the mechanism": exact},
        told,
        kind="names",
    )
    parts = settings.pick(4, 20)
    series: dict[str, dict[str, float]] = {"piecewise Laplace": {}, "inverse sensitivity": {}}
    flat = {n: weights[n] * half / expm1(half) for n in weights}
    for side, steps, sign in (("below", DOWN, -1), ("above", UP, 1)):
        places: list[tuple[str, float, float]] = []
        for level, width in enumerate(steps, 1):
            name = f"level {level} {side}"
            for i in range(parts):
                x = (i + 0.5) / parts  # of the way out
                place = f"{sign * (_edge(steps, level - 1) + x * width):g}"
                density = first[name] * half / -expm1(-half) * exp(-half * x) / width
                places.append((place, density, flat[name] / sum(flat.values()) / width))
        for place, piecewise, inverse in places[::sign]:
            series["piecewise Laplace"][place] = piecewise
            series["inverse sensitivity"][place] = inverse
    yield Panel(
        "figure-1-density",
        "Second step: the point, by a truncated exponential law",
        "answer",
        "density",
        series,
        told,
    )


def comparison(settings: Settings) -> Iterator[Panel]:
    """Exact expected errors of three statistics."""
    bounds = (0, 100)
    statistics = {
        "median": Median(bounds=bounds),
        "0.9-quantile": Quantile(q="0.9", bounds=bounds),
        "variance": Variance(bounds=bounds),
    }
    mechanisms = {
        "Laplace": Laplace(),
        "inverse sensitivity": InverseSensitivity(),
        "piecewise Laplace": PiecewiseLaplace(),
        "piecewise Laplace, log base (ours)": PiecewiseLaplace(base="log"),
    }
    errors = {name: exact_error(mechanism) for name, mechanism in mechanisms.items()}
    epsilons = settings.pick(("0.1", "1"), ("0.1", "0.25", "0.5", "1", "2", "4"))
    for name, statistic in statistics.items():
        seen = profile(statistic, exponential(), missing="none")
        told = {
            "rows": 1000,
            "bounds": list(bounds),
            "relation": "replace-one",
            "data": "exponential quantiles of mean 10",
            "mechanisms": {key: m.name for key, m in mechanisms.items()},
        }
        yield Panel(
            f"comparison-{name}",
            f"Expected error of a private {name}",
            "epsilon",
            "mean absolute error",
            mean_errors([seen], errors, epsilons)[0],
            told,
            log="xy",
        )


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "figure-1": two_steps,
    "comparison": comparison,
}
