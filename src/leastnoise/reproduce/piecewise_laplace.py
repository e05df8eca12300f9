"""Durfee (2025): piecewise Laplace against inverse sensitivity and Laplace noise.

The paper states the comparison as theorems and draws no figure of it; this is the one that it
lacks, with the logarithmic base of this library beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from leastnoise.mechanisms import InverseSensitivity, Laplace, PiecewiseLaplace
from leastnoise.reproduce.errors_by_epsilon import exact_error, exponential, mean_errors
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.session import profile
from leastnoise.statistics import Median, Quantile, Variance


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
    epsilons = ("0.1", "1", "2") if settings.quick else ("0.1", "0.25", "0.5", "1", "2", "4")
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
            mean_errors([seen], errors, epsilons),
            told,
            log=True,
        )


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {"comparison": comparison}
