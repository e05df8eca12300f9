"""The design's reference table: exact expected errors at eps = 1 within one per cent."""

from __future__ import annotations

import numpy as np
import pytest

import leastnoise as ln

N = 1000
X = -10 * np.log1p(-(np.arange(1, N + 1) - 0.5) / N)
MECHANISMS = {
    "Laplace": ln.Laplace(),
    "smooth Laplace": ln.SmoothLaplace(delta=N**-1.1),
    "inverse sensitivity": ln.InverseSensitivity(),
    "piecewise Laplace": ln.PiecewiseLaplace(),
}
TABLE = {
    "0.5": (100, 0.263, 0.0408, 0.0400),
    "0.9": (100, 1.416, 0.204, 0.200),
}


@pytest.mark.parametrize("q", TABLE)
def test_quantiles_of_exponential_data(q: str) -> None:
    p = ln.profile(ln.Quantile(q=q, bounds=(0, 100), missing="none"), X)
    for (name, mechanism), expected in zip(MECHANISMS.items(), TABLE[q], strict=True):
        found = mechanism.law(p, 1).mean_absolute_error(centre=p.value)
        assert found == pytest.approx(expected, rel=0.01), name


def test_exact_add_remove_bounds_halve_the_error_of_a_median() -> None:
    """Errata 3: .0208 with the exact bounds, .0400 with those of edit."""
    found = {
        relation: ln.PiecewiseLaplace().law(p, 1).mean_absolute_error(centre=p.value)
        for relation in ("add-remove", "edit")
        for p in [ln.profile(ln.Median(bounds=(0, 100)), X, relation=relation)]
    }
    assert found["add-remove"] == pytest.approx(0.0208, rel=0.01)
    assert found["edit"] == pytest.approx(0.0400, rel=0.01)
