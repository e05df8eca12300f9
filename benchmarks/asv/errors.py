"""Exact expected error of the defaults on fixed public data: a change of these is news."""

from __future__ import annotations

from math import log
from typing import Any

import leastnoise as ln

ROWS = 1000
DATA = [-10 * log(1 - (i - 0.5) / ROWS) for i in range(1, ROWS + 1)]
STATISTICS: dict[str, Any] = {
    "median": ln.Median(bounds=(0, 100), missing="none"),
    "quantile": ln.Quantile(q="0.9", bounds=(0, 100), missing="none"),
    "mean": ln.Mean(bounds=(0, 100), missing="none"),
    "variance": ln.Variance(bounds=(0, 100), missing="none"),
}


class ExpectedError:
    """Mean distance of the answer from the truth, from the law: nothing is drawn."""

    params = (tuple(STATISTICS), ("0.1", "1"))
    param_names = ("statistic", "epsilon")
    unit = "user's units"

    def track_error(self, statistic: str, epsilon: str) -> float:
        asked = STATISTICS[statistic]
        profile = ln.profile(asked, DATA)
        law = asked.settled_mechanism("replace-one").law(profile, epsilon)
        return float(law.mean_absolute_error(centre=profile.value))
