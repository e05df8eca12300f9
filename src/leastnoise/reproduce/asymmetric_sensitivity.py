"""Durfee (2024): errors of a private variance (Figure 1), and by beta (Figure 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from leastnoise.mechanisms import AsymmetricSensitivity, InverseSensitivity, Laplace
from leastnoise.profiles import Profile, exact
from leastnoise.reproduce import asymmetry, drawn_laws, metrics, unbounded_data
from leastnoise.reproduce.data import column, exponential
from leastnoise.reproduce.errors_by_epsilon import EPSILONS, exact_error, mean_errors
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.reproduce.printed import (
    AS_PRINTED,
    CORRECTED,
    TOLD,
    as_printed,
    corrected_error,
    printed_error,
)
from leastnoise.session import profile
from leastnoise.statistics import Variance

ROWS = 1000
SYNTHETIC = "exponential quantiles of mean 10"
# public files of the paper: column and the paper's bounds
COLUMNS = {
    "diamonds": ("diamonds.csv.gz", "price", (0, 50_000)),
    "abalone": ("abalone.csv.gz", "rings", (0, 50)),
    "bike": ("bike_sharing_hour.csv.gz", "cnt", (0, 5000)),
    "adult-hours": ("adult.csv.gz", "hours-per-week", (0, 168)),
    "adult-age": ("adult.csv.gz", "age", (0, 125)),
}
BETAS = ("1.001", "1.002", "1.005", "1.01", "1.02", "1.05")
LOOSE = "inverse sensitivity (bounds as printed)"
BY_BETA = "exact bounds, depth by rule, geometric noise, e1 = e2"
MECHANISMS = {
    "Laplace": Laplace(),
    "inverse sensitivity": InverseSensitivity(),
}
Case = tuple[str, list[Any], tuple[int, int], str]


def default() -> AsymmetricSensitivity:
    """Our asymmetric mechanism, which a release of a variance takes within loose bounds."""
    return AsymmetricSensitivity(beta="auto", split=2)


def cases(settings: Settings) -> Iterator[Case]:
    """Name, samples, bounds and source of every data set; samples without replacement."""
    yield "synthetic", [exponential(ROWS)], (0, 100), SYNTHETIC
    for name, (file, wanted, bounds) in COLUMNS.items():
        path = settings.file(file)
        if path is not None:
            values = np.array(column(path, wanted))
            samples = [sample(values, seed) for seed in range(settings.pick(2, 5))]
            yield name, samples, bounds, f"{file}, {wanted}"


def sample(values: Any, seed: int) -> Any:
    """1,000 records without replacement."""
    return values[np.random.default_rng(seed).choice(len(values), ROWS, replace=False)]


def variances(settings: Settings) -> Iterator[Panel]:
    """Figure 1: the paper's mechanism as printed and corrected, and our fitted candidates."""
    ours = default()
    errors = {name: exact_error(mechanism) for name, mechanism in MECHANISMS.items()}
    epsilons = settings.pick(("0.1", "1"), EPSILONS)
    for name, samples, bounds, source in cases(settings):
        seen = [profile(Variance(bounds=bounds), data, missing="none") for data in samples]
        record = Fraction((bounds[1] - bounds[0]) ** 2, ROWS)
        asked = errors | {
            LOOSE: partial(loose_error, record=record),
            AS_PRINTED: partial(printed_error, record=record),
            CORRECTED: corrected_error,
            "asymmetric (ours)": exact_error(ours),
        }
        means, spreads = mean_errors(seen, asked, epsilons)
        yield Panel(
            f"figure-1-{name}",
            f"Expected error of a private variance, {name}",
            "epsilon",
            "mean absolute error",
            means,
            inputs_of(samples, bounds, source) | TOLD | {"asymmetric (ours)": ours.name},
            log="xy",
            errors=spreads,
        )


def loose_error(seen: Profile, epsilon: str, *, record: Fraction) -> float:
    """Inverse sensitivity at the bounds that the paper computes."""
    law = InverseSensitivity().law(as_printed(seen, record), epsilon)
    return law.mean_absolute_error(centre=exact(seen.value))


def betas(settings: Settings) -> Iterator[Panel]:
    """Figure 4: the paper's mechanism for several beta, ours choosing its own."""
    asked = settings.pick(BETAS[1:5], BETAS)
    errors = {
        f"beta = {beta}": exact_error(AsymmetricSensitivity(beta=beta, scale=1, split=1))
        for beta in asked
    }
    errors["fitted (ours)"] = exact_error(default())
    for name, samples, bounds, source in cases(settings):
        chosen = samples[:1]
        seen = [profile(Variance(bounds=bounds), data, missing="none") for data in chosen]
        yield Panel(
            f"figure-4-{name}",
            f"Expected error of a private variance by beta (paper, corrected), {name}",
            "epsilon",
            "mean absolute error",
            mean_errors(seen, errors, settings.pick(("0.1", "1"), EPSILONS))[0],
            inputs_of(chosen, bounds, source) | {"paper": BY_BETA, "ours": default().name},
            log="xy",
        )


def inputs_of(samples: list[Any], bounds: tuple[int, int], source: str) -> dict[str, object]:
    """What the errors of a data set depend on."""
    return {
        "samples": len(samples),
        "seeds": list(range(len(samples))) if source != SYNTHETIC else [],
        "rows": len(samples[0]),
        "bounds": list(bounds),
        "relation": "replace-one",
        "data": source,
    }


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "figure-1": variances,
    "figure-2": metrics.cross_entropies,
    "mean-squared-error": metrics.squared_errors,
    "mean-absolute-error": metrics.absolute_errors,
    "figure-3": unbounded_data.variances,
    "figure-4": betas,
    "figure-5": drawn_laws.scores,
    "figure-6": drawn_laws.symmetric,
    "figure-7": drawn_laws.asymmetric,
    "figure-8": asymmetry.gains,
}
# the public files of a data set, by figure
_COLUMNS = {name: (file,) for name, (file, *_) in COLUMNS.items()}
_TARGETS = {name: (file,) for name, (file, *_) in metrics.TARGETS.items()}
_CLASSES = {name: (file,) for name, (file, *_) in metrics.LABELS.items()}
FILES: dict[str, dict[str, tuple[str, ...]]] = {
    "figure-1": _COLUMNS,
    "figure-3": _COLUMNS,
    "figure-4": _COLUMNS,
    "mean-squared-error": _TARGETS,
    "mean-absolute-error": _TARGETS,
    "figure-2": _CLASSES | metrics.PICTURES,
}
