"""The demo's questions about a public sample: 442 diabetes patients (Efron et al. 2004).

The limits of every column are written here from general knowledge; none is read off the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import mechanisms, statistics
from leastnoise.errors import MissingDependencyError
from leastnoise.mechanisms import Mechanism
from leastnoise.record import Release
from leastnoise.session import profile, release
from leastnoise.session.profiles import expected_error
from leastnoise.statistics.foreign import as_statistic
from leastnoise.statistics.statistic import Described

Column = NDArray[Any]

EPSILON = 1
DELTA = Fraction(1, 10**6)

AGE = (0, 120)  # years: nobody on record became older than 122
BMI = (5, 250)  # kg/m2: wider than any ever recorded
BLOOD_PRESSURE = (20, 300)  # mmHg, average: outside it nobody lives
CHOLESTEROL = (0, 1000)  # mg/dl: a mean pays for wide limits, and more than 1000 is very rare
SUGAR = (0, 2000)  # mg/dl, fasting: glucose meters end far below


@dataclass(frozen=True, slots=True)
class Question:
    """A statistic of the sample. ``truth`` is for this public sample only."""

    label: str
    statistic: Described
    data: Any
    truth: float
    relation: str = "replace-one"

    def release(self) -> Release:
        """The private answer; no measurement of this sample is missing, so 442 is public."""
        return release(
            self.statistic, self.data, epsilon=EPSILON, relation=self.relation, missing="none"
        )

    def mechanism(self) -> Mechanism:
        """The statistic's own mechanism; 442 rows are too few for a search for limits."""
        return as_statistic(self.statistic).settled_mechanism(self.relation)

    def error(self, mechanism: Mechanism) -> float:
        """NOT PRIVATE. The exact expected error of a mechanism on this sample."""
        seen = profile(self.statistic, self.data, relation=self.relation, missing="none")
        return expected_error(mechanism, seen, EPSILON)

    def best_other(self) -> tuple[Mechanism, float]:
        """NOT PRIVATE. The best adaptive mechanism that is not the statistic's own."""
        others: list[Mechanism] = [
            mechanisms.PiecewiseLaplace(),
            mechanisms.InverseSensitivity(),
            mechanisms.AsymmetricSensitivity(),
            mechanisms.SmoothLaplace(delta=DELTA),
        ]
        own = self.mechanism()
        errors = [(other, self.error(other)) for other in others if other != own]
        return min(errors, key=lambda pair: pair[1])


def patients() -> dict[str, Column]:
    """The sample's columns, by name.

    Raises
    ------
    MissingDependencyError
        Without scikit-learn, which ships the data.
    """
    try:
        from sklearn.datasets import load_diabetes
    except ImportError:
        raise MissingDependencyError(
            "the demo needs the data of scikit-learn: pip install leastnoise[demo]", extra="demo"
        ) from None
    load: Any = load_diabetes
    sample = load(scaled=False)
    return dict(zip(sample.feature_names, sample.data.T, strict=True))


def questions() -> list[Question]:
    """The questions of the demo."""
    sample = patients()
    obese = sample["bmi"][sample["bmi"] >= 30]
    return [
        Question(
            "median age (years)",
            statistics.Median("age", bounds=AGE, step=1),
            sample,
            _quantile(sample["age"], 0.5),
        ),
        Question(
            "median blood sugar (mg/dl)",
            statistics.Median("s6", bounds=SUGAR, step=1),
            sample,
            _quantile(sample["s6"], 0.5),
        ),
        Question(
            "0.9 quantile of BMI",
            statistics.Quantile("bmi", q="0.9", bounds=BMI, step="0.1"),
            sample,
            _quantile(sample["bmi"], 0.9),
        ),
        Question(
            "blood pressure IQR (mmHg)",
            statistics.InterquartileRange("bp", bounds=BLOOD_PRESSURE),
            sample,
            _quantile(sample["bp"], 0.75) - _quantile(sample["bp"], 0.25),
        ),
        Question(
            "mean cholesterol (mg/dl)",
            statistics.Mean("s1", bounds=CHOLESTEROL),
            sample,
            float(np.mean(sample["s1"])),
        ),
        # of the rows that are left, one more or less or one changed: "edit"
        Question("patients with BMI >= 30", statistics.Count(), obese, len(obese), "edit"),
    ]


def _quantile(column: Column, q: float) -> float:
    return float(np.quantile(column, q, method="inverted_cdf"))
