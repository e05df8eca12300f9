"""Errors of releases without bounds: a reduced run of benchmarks/unknown_bounds.py."""

from collections.abc import Callable

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.testing import simulate

PRIVATE = ln.PrivateBounds()
MEAN = ln.Mean(bounds=PRIVATE, missing="none")
VARIANCE = ln.Variance(bounds=PRIVATE, missing="none")


def errors(
    make: Callable[[np.random.Generator], np.ndarray], statistic: object, epsilon: object, n: int
) -> np.ndarray:
    rng = np.random.default_rng(3)
    plain = np.mean if isinstance(statistic, ln.Mean) else np.var
    with simulate(f"{type(statistic).__name__}{epsilon}"):
        found = []
        for _ in range(n):
            x = make(rng)
            found.append(abs(ln.release(statistic, x, epsilon=epsilon).value - plain(x)))
    return np.array(found)


def normal(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(50, 10, 1000)


@pytest.mark.parametrize(
    ("kind", "limit"), [(ln.MeanSquaredError, 0.05), (ln.MeanAbsoluteError, 0.012)]
)
def test_losses_without_bounds(kind: type, limit: float) -> None:
    """Normal errors of size 1: smaller errors than a mechanism that needs no limit (.041, .017)."""
    rng = np.random.default_rng(4)
    found = []
    with simulate(kind.__name__):
        for _ in range(100):
            data = rng.normal(0, 1, 1000), np.zeros(1000)
            true = float(ln.profile(kind(), data).value)
            released = ln.release(kind(bounds=PRIVATE), data, epsilon=1).value
            found.append(abs(released - true))
    assert np.mean(found) <= limit


# limits of the full run, plus four standard errors of this short one
def test_errors_at_epsilon_1() -> None:
    mean, variance = errors(normal, MEAN, 1, 250), errors(normal, VARIANCE, 1, 250)
    assert mean.mean() <= 0.11 + 4 * mean.std() / 250**0.5
    assert variance.mean() <= 4 + 4 * variance.std() / 250**0.5


def test_errors_at_epsilon_a_tenth() -> None:
    mean, variance = errors(normal, MEAN, "0.1", 250), errors(normal, VARIANCE, "0.1", 250)
    assert mean.mean() <= 1.5 + 4 * mean.std() / 250**0.5
    assert np.median(variance) <= 25


def test_any_scale_and_place() -> None:
    rng = np.random.default_rng(8)
    means, variances = [], []
    for sigma in np.geomspace(1e-3, 1e4, 30):
        mu = rng.uniform(-10, 10) * sigma

        def make(stream: np.random.Generator, mu: float = mu, sigma: float = sigma) -> np.ndarray:
            return stream.normal(mu, sigma, 1000)

        means.append(errors(make, MEAN, 1, 4).mean() / sigma)
        variances.append(errors(make, VARIANCE, 1, 4).mean() / sigma**2)
    assert np.mean(means) <= 0.015
    assert np.mean(variances) <= 0.15


@pytest.mark.parametrize(
    ("make", "mean", "variance"),
    [
        (lambda rng: rng.exponential(10, 1000), 0.5, 30),
        (lambda rng: np.where(rng.random(1000) < 0.2, 50.0, normal(rng)), 0.2, 6),
        (lambda rng: np.where(rng.random(1000) < 0.2, 0.0, normal(rng)), 0.5, 30),
        (lambda rng: np.full(1000, 50.0), 0.3, 10),
        (lambda rng: np.zeros(1000), 1e-9, 1e-9),
    ],
    ids=["exponential", "ties", "zeros", "all equal", "all zero"],
)
def test_other_data(
    make: Callable[[np.random.Generator], np.ndarray], mean: float, variance: float
) -> None:
    assert errors(make, MEAN, 1, 30).mean() <= mean
    assert errors(make, VARIANCE, 1, 30).mean() <= variance
