"""Coverage and width of the interval for a quantile on simulated samples."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import leastnoise as ln
from leastnoise.testing import simulate

Generator = Callable[[np.random.Generator], np.ndarray]
REPEATS = 250


def ages(rng: np.random.Generator) -> np.ndarray:
    return np.clip(np.rint(rng.normal(40, 15, 1000)), 0, 100).astype(np.int64)


POPULATIONS: dict[str, tuple[Generator, dict[float, float]]] = {
    "normal": (lambda rng: rng.normal(50, 10, 1000), {0.5: 50.0, 0.9: 50 + 10 * 1.2815515655}),
    "exponential": (
        lambda rng: rng.exponential(10, 1000),
        {0.5: 10 * np.log(2), 0.9: 10 * np.log(10)},
    ),
    "ages": (ages, {0.5: 40, 0.9: 59}),
}


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("bounds", [(0, 100), (-500_000, 500_000)], ids=["1e2", "1e6"])
@pytest.mark.parametrize("q", [0.5, 0.9])
def test_coverage_and_width(name: str, bounds: tuple[int, int], q: float, relation: str) -> None:
    make, truths = POPULATIONS[name]
    rng = np.random.default_rng(20)
    first = int(stats.binom.ppf(0.025, 1000, q))
    last = int(stats.binom.ppf(0.975, 1000, q)) + 1
    covered, width, plain = 0, 0.0, 0.0
    statistic = ln.QuantileInterval(q=q, bounds=bounds, missing="none")
    with simulate(f"{name}{bounds}{q}{relation}"):
        for _ in range(REPEATS):
            x = make(rng)
            low, high = ln.release(statistic, x, epsilon=1, relation=relation).value
            ordered = np.sort(x)
            covered += low <= truths[q] <= high
            width += high - low
            plain += float(ordered[last - 1] - ordered[first - 1])
    # four standard errors below the nominal .95
    assert covered >= REPEATS * 0.95 - 4 * np.sqrt(REPEATS * 0.95 * 0.05)
    assert width <= 1.2 * plain
