"""Coverage of sampled sensitivities over 10,000 runs, and what Definition 4 says read literally."""

from math import log

import numpy as np
import pytest
from scipy.stats import binom

import leastnoise as ln
from leastnoise.blackbox import sample_size
from leastnoise.numbers import as_fraction
from leastnoise.testing import simulate

RUNS = 10_000
BETA = 1e-3

# (draws of G, its distribution function)
LAWS = {
    "uniform": (lambda rng, size: rng.random(size), lambda g: np.clip(g, 0, 1)),
    "exponential": (lambda rng, size: rng.exponential(size=size), lambda g: 1 - np.exp(-g)),
    "Pareto 1": (lambda rng, size: 1 / (1 - rng.random(size)), lambda g: 1 - 1 / g),
    "Pareto 1/2": (lambda rng, size: (1 - rng.random(size)) ** -2.0, lambda g: 1 - g**-0.5),
    "tied": (
        lambda rng, size: np.searchsorted([0.5, 0.9, 0.96, 0.99], rng.random(size)) * 1.0,
        lambda g: np.array([0.5, 0.9, 0.96, 0.99, 1.0])[g.astype(int)],
    ),
    "two values": (
        lambda rng, size: (rng.random(size) < 0.04) * 1.0,
        lambda g: np.where(g < 1, 0.96, 1.0),
    ),
}


def shares(name: str, m: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """The share of pairs that each of many sampled sensitivities covers."""
    draw, cdf = LAWS[name]
    found = [np.partition(draw(rng, (500, m)), k - 1, axis=1)[:, k - 1] for _ in range(RUNS // 500)]
    return cdf(np.concatenate(found))


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("gamma", "m"), [("0.05", None), ("0.1", 300)])
def test_two_level_coverage(name: str, gamma: str, m: int | None):
    size = sample_size("two-level", gamma=as_fraction(gamma), beta=as_fraction("1e-3"), m=m)
    rng = np.random.default_rng(sum(map(ord, name)))
    missed = int((shares(name, size.m, size.k, rng) < 1 - float(size.gamma) - 1e-12).sum())
    # at most BETA of the runs, up to the luck of 10,000 of them
    assert missed <= binom.ppf(1 - 1e-4, RUNS, BETA)


@pytest.mark.parametrize("m", [None, 150])
def test_two_level_coverage_of_the_sampler_itself(m: int | None):
    """Pairs, order statistic and estimate as shipped: the change of one uniform record."""
    missed = short = 0
    with simulate(11):
        for _ in range(400):
            sampler = ln.SensitivitySampler(
                lambda stack: stack[:, 0],
                draw_record=lambda rng, size: rng.random(size),
                n=1,
                gamma="0.1",
                m=m,
                batch=True,
            )
            estimate = float(sampler.estimate())
            missed += (1 - estimate) ** 2 > 0.1  # |x - x'| > g has the probability (1 - g)^2
            short += (1 - sampler.changes[sampler.size.k - 12]) ** 2 > 0.1
    assert missed <= binom.ppf(1 - 1e-4, 400, BETA)
    assert short > 0.05 * 400  # eleven pairs fewer would be seen


@pytest.mark.parametrize("name", ["uniform", "exponential", "Pareto 1", "Pareto 1/2"])
def test_the_other_rules_cover_on_average_only(name: str):
    rng = np.random.default_rng(7)
    for rule in ("marginal", "paper"):
        size = sample_size(rule, gamma=as_fraction("0.1"), beta=as_fraction("1e-3"), m=None)
        found = shares(name, size.m, size.k, rng)
        assert found.mean() >= 0.9 - 3 * found.std() / RUNS**0.5
        if rule == "marginal":
            assert (found < 0.9).mean() > 0.3


def test_pairs_that_share_records_cover_less():
    """Condition 1: one record in all pairs; the mean's change is then drawn from one end only."""
    rng = np.random.default_rng(3)
    size = sample_size("two-level", gamma=as_fraction("0.05"), beta=as_fraction("1e-3"), m=None)
    fixed, other = rng.exponential(size=(RUNS, 1)), rng.exponential(size=(RUNS, size.m))
    changes = np.abs(fixed - other).max(axis=1)
    independent = np.abs(
        rng.exponential(size=(RUNS, size.m)) - rng.exponential(size=(RUNS, size.m))
    ).max(axis=1)
    enough = log(20)  # |x - x'| of exponential records is exponential: its 0.95-quantile
    assert (independent < enough).mean() <= binom.ppf(1 - 1e-4, RUNS, BETA) / RUNS
    assert (changes < enough).mean() > 10 * BETA


def test_a_sampler_of_more_records_than_there_are_covers_less():
    """Condition 4: drawn for 40 records, asked of 10, the mean's change is four times as large."""
    rng = np.random.default_rng(4)
    changes = {
        n: np.abs(rng.exponential(size=20_000) - rng.exponential(size=20_000)) / n for n in (10, 40)
    }
    sampler = ln.SensitivitySampler(
        lambda stack: stack.mean(axis=1),
        draw_record=lambda rng, size: rng.exponential(size=size),
        n=40,
        gamma="0.1",
        m=2000,
        batch=True,
    )
    estimate = float(sampler.estimate())
    assert (changes[40] <= estimate).mean() >= 0.9
    assert (changes[10] <= estimate).mean() < 0.6


def test_sampled_sensitivity_of_an_exponential_mean():
    """Example 6: the change of the mean of n exponential records is exponential, rate n."""
    n, gamma = 40, 0.1
    sampler = ln.SensitivitySampler(
        lambda stack: stack.mean(axis=1),
        draw_record=lambda rng, size: rng.exponential(size=size),
        n=n,
        gamma=str(gamma),
        m=5000,
        batch=True,
    )
    estimate = float(sampler.estimate())
    exact = log(1 / gamma) / n
    # k / m lies above 1 - gamma, and the order statistic has a deviation of its own
    level = estimate.__class__(sampler.size.k / sampler.size.m)
    target = log(1 / (1 - level)) / n
    deviation = (level / (1 - level) / 5000) ** 0.5 / n
    assert abs(estimate - target) < 4 * deviation
    assert estimate > exact * 0.9
