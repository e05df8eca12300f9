# pyright: basic, reportMissingImports=false
# the library is audited where it is installed: it is not a dependency, and has no types
"""diffprivlib: linear and logistic regression, missing values, and the last bits of noise."""

from __future__ import annotations

from math import nan

import numpy as np

from leastnoise.audit.peers.check import Check, Peer, Sampled, pure


def _regression(lower: float, upper: float):
    def release(x: list[float]) -> float:
        from diffprivlib.models import LinearRegression

        model = LinearRegression(
            epsilon=1, bounds_X=(lower, upper), bounds_y=(0, 1), fit_intercept=False
        )
        model.fit(np.asarray(x)[:, None], np.zeros(len(x)))
        return float(np.ravel(model.coef_)[0])

    return release


def _labels(y: list[int]) -> tuple[int, ...]:
    from diffprivlib.models import LogisticRegression

    model = LogisticRegression(epsilon=0.5, data_norm=2.0, max_iter=5)
    model.fit(np.linspace(0, 1, len(y))[:, None], np.asarray(y))
    return tuple(model.classes_.tolist())


def _mean(x: list[float]) -> float:
    from diffprivlib.tools import mean

    return float(mean(np.asarray(x), epsilon=1, bounds=(0, 1)))


def _laplace(x: float) -> float:
    from diffprivlib.mechanisms import Laplace

    return Laplace(epsilon=1, sensitivity=1).randomise(x)


ISSUES = "https://github.com/IBM/differential-privacy-library/issues"

PEER = Peer(
    "diffprivlib",
    [
        Check(
            "linear-regression",
            pure(1),
            call="LinearRegression(epsilon=1, bounds_X=(0, 100), bounds_y=(0, 1))",
            neighbours="three rows, one x changed from 1 to 100",
            source=f"{ISSUES}/105",
            evidence=Sampled(_regression(0, 100), ([1.0, 1.0, 1.0], [1.0, 1.0, 100.0]), 1_000),
        ),
        Check(
            "linear-regression-symmetric",
            pure(1),
            call="the same with bounds_X=(-1, 1)",
            neighbours="three rows, one x changed from 1 to 0.1",
            source=f"{ISSUES}/105",
            evidence=Sampled(_regression(-1, 1), ([0.1, 0.1, 1.0], [0.1, 0.1, 0.1]), 1_000),
        ),
        Check(
            "labels",
            pure("1/2"),
            call="LogisticRegression(epsilon=0.5, data_norm=2).classes_",
            neighbours="five rows, the only one of its label changed to another",
            source=f"{ISSUES}/106",
            evidence=Sampled(_labels, ([0, 1, 0, 1, 2], [0, 1, 0, 1, 1]), 200),
        ),
        Check(
            "missing-values",
            pure(1),
            call="tools.mean(x, epsilon=1, bounds=(0, 1))",
            neighbours="four numbers, one changed to NaN",
            source=f"{ISSUES}/80",
            evidence=Sampled(_mean, ([0.0, 0.5, 1.0, nan], [0.0, 0.5, 1.0, 1.0]), 1_000),
        ),
        Check(
            "last-bits",
            pure(1),
            call="mechanisms.Laplace(epsilon=1, sensitivity=1).randomise(x)",
            neighbours="0 and 1",
            source=f"{ISSUES}/94",
            evidence=Sampled(_laplace, (0.0, 1.0), 20_000),
        ),
    ],
)
