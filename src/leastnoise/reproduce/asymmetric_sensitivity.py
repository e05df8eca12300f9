"""Durfee (2024): errors of a private variance (Figure 1), and by beta (Figure 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leastnoise.mechanisms import AsymmetricSensitivity, InverseSensitivity, Laplace
from leastnoise.reproduce import drawn_laws
from leastnoise.reproduce.errors_by_epsilon import (
    EPSILONS,
    column,
    exact_error,
    exponential,
    mean_errors,
)
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.reproduce.printed import printed_error
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
MECHANISMS = {
    "Laplace": Laplace(),
    "inverse sensitivity": InverseSensitivity(),
}
OURS = Variance(bounds=(0, 1)).default_mechanism("replace-one")  # the same for all bounds


def cases(settings: Settings) -> Iterator[tuple[str, list[list[float]], tuple[int, int], str]]:
    """Name, samples, bounds and source of every data set; samples without replacement."""
    yield "synthetic", [exponential(ROWS)], (0, 100), SYNTHETIC
    if settings.data is None:
        return
    for name, (file, wanted, bounds) in COLUMNS.items():
        path = settings.file(file)
        if path is not None:
            values = column(path, wanted)
            samples = [_sample(values, seed) for seed in range(2 if settings.quick else 20)]
            yield name, samples, bounds, f"{file}, {wanted}"


def _sample(values: list[float], seed: int) -> list[float]:
    picked = np.random.default_rng(seed).choice(len(values), ROWS, replace=False)
    return [values[i] for i in picked]


def variances(settings: Settings) -> Iterator[Panel]:
    """Figure 1, with the default of this library beside the paper's mechanism."""
    errors = {name: exact_error(mechanism) for name, mechanism in MECHANISMS.items()}
    errors |= {"asymmetric (paper)": printed_error, "asymmetric (ours)": exact_error(OURS)}
    epsilons = ("0.1", "1", "2") if settings.quick else EPSILONS
    for name, samples, bounds, source in cases(settings):
        seen = [profile(Variance(bounds=bounds), data, missing="none") for data in samples]
        yield Panel(
            f"figure-1-{name}",
            f"Expected error of a private variance, {name}",
            "epsilon",
            "mean absolute error",
            mean_errors(seen, errors, epsilons),
            _told(samples, bounds, source) | {"ours": OURS.name, "paper": "beta = 1.005, e1 = e2"},
            log=True,
        )


def betas(settings: Settings) -> Iterator[Panel]:
    """Figure 4: the paper's mechanism for several beta, ours choosing its own."""
    asked = BETAS[1:5] if settings.quick else BETAS
    data = exponential(ROWS)
    bounds = (0, 100)
    seen = profile(Variance(bounds=bounds), data, missing="none")
    errors = {
        f"beta = {beta}": exact_error(AsymmetricSensitivity(beta=beta, scale=1, split=1))
        for beta in asked
    }
    errors["fitted (ours)"] = exact_error(OURS)
    yield Panel(
        "figure-4",
        "Expected error of a private variance by beta",
        "epsilon",
        "mean absolute error",
        mean_errors([seen], errors, ("0.1", "1", "2") if settings.quick else EPSILONS),
        _told([data], bounds, SYNTHETIC) | {"noise": "geometric"},
        log=True,
    )


def _told(samples: list[list[float]], bounds: tuple[int, int], source: str) -> dict[str, object]:
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
    "figure-4": betas,
    "figure-5": drawn_laws.scores,
    "figure-6": drawn_laws.symmetric,
    "figure-7": drawn_laws.asymmetric,
}
