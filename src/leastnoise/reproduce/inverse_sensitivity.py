"""Asi and Duchi (2020): the step function (Figure 1) and the median of pay (Figure 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leastnoise.mechanisms import (
    InverseSensitivity,
    Laplace,
    PiecewiseLaplace,
    SmoothLaplace,
)
from leastnoise.profiles import exact
from leastnoise.reproduce import robust_regression
from leastnoise.reproduce.data import column, exponential
from leastnoise.reproduce.errors_by_epsilon import (
    EPSILONS,
    exact_error,
    mean_errors,
    median_error,
)
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.reproduce.printed import corrected_error
from leastnoise.session import profile
from leastnoise.statistics import Median
from leastnoise.theory import StepCount, likely_set

WIDTH = 100
STEP_ROWS = 1000
PAY = "uc_pay_2019.csv.gz"


def step_function(settings: Settings) -> Iterator[Panel]:
    """Figure 1: where 90 % of each mechanism's answers fall as the sum grows past two steps."""
    mechanisms = {
        "Laplace": Laplace(),
        "smooth Laplace": SmoothLaplace(delta="1e-4"),
        "inverse sensitivity": InverseSensitivity(),
        "piecewise Laplace (ours)": PiecewiseLaplace(),
    }
    sets: dict[str, dict[str, float]] = {"f": {}}
    chances: dict[str, dict[str, float]] = {"P(f)": {}, "P(f - 1)": {}}
    for ones in range(5 * WIDTH // 2, 9 * WIDTH // 2, 25 if settings.quick else 1):
        data = np.array([1] * ones + [0] * (STEP_ROWS - ones), dtype=np.int64)
        seen = profile(StepCount(width=WIDTH, max_rows=STEP_ROWS), data)
        value, x = ones // WIDTH, str(ones)
        sets["f"][x] = value
        for name, mechanism in mechanisms.items():
            law = mechanism.law(seen, 1)
            low, high = likely_set(law)
            sets.setdefault(f"{name}, low", {})[x] = low
            sets.setdefault(f"{name}, high", {})[x] = high
            if name == "inverse sensitivity":
                chances["P(f)"][x] = law.pmf(value)
                chances["P(f - 1)"][x] = law.pmf(value - 1)
    told = {"width": WIDTH, "rows": STEP_ROWS, "epsilon": "1", "delta": "1e-4", "mass": 0.9}
    title = "f_step: the least interval that holds 90 % of the answers"
    yield Panel("figure-1-sets", title, "sum of the records", "answer", sets, told, kind="steps")
    yield Panel(
        "figure-1-chances",
        "Inverse sensitivity: chances of f and f - 1",
        "sum of the records",
        "probability",
        chances,
        told,
    )


def median(settings: Settings) -> Iterator[Panel]:
    """Figure 2: errors of a private median, for synthetic records and, if given, pay.

    The paper draws the median error of 50 runs; here it is exact, and so is the mean.
    """
    cases: dict[str, tuple[list[float], tuple[int, int]]] = {
        "synthetic": (exponential(), (0, 100)),
    }
    file = settings.file(PAY)
    if file is not None:
        cases["pay"] = (column(file, "gross_pay"), (0, 3_000_000))
    for name, (data, bounds) in cases.items():
        delta = format(len(data) ** -1.1, ".4g")
        mechanisms = {
            "Laplace": Laplace(),
            "smooth Laplace": SmoothLaplace(delta=delta),
            "inverse sensitivity": InverseSensitivity(),
            "piecewise Laplace (ours)": PiecewiseLaplace(),
        }
        errors = {key: exact_error(m) for key, m in mechanisms.items()}
        errors["asymmetric (Durfee 2024, corrected)"] = corrected_error
        seen = profile(Median(bounds=bounds), data, missing="none")
        told = {
            "rows": len(data),
            "bounds": list(bounds),
            "relation": "replace-one",
            "delta of smooth Laplace": delta,
            "data": PAY if name == "pay" else "exponential quantiles of mean 10",
            "mechanisms": {key: m.name for key, m in mechanisms.items()},
        }
        yield Panel(
            f"figure-2-{name}",
            f"Expected error of a private median, {name}",
            "epsilon",
            "mean absolute error",
            mean_errors([seen], errors)[0],
            told,
            log="xy",
        )
        value, most = float(exact(seen.value)), 100.0 * (bounds[1] - bounds[0])
        yield Panel(
            f"figure-2-{name}-median",
            f"Median error of a private median, {name}",
            "epsilon",
            "median absolute error",
            {
                key: {e: median_error(m.law(seen, e), value, most) for e in EPSILONS}
                for key, m in mechanisms.items()
            },
            told,
            log="xy",
        )


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "figure-1": step_function,
    "figure-2": median,
    "figure-3": robust_regression.losses,
}
# the public files of a data set, by figure
FILES = {"figure-2": {"pay": (PAY,)}}
