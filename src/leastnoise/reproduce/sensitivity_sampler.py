"""Rubinstein and Alda (2017): sizes of samples (Figures 2, 3) and a sampled mean (Figure 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import log

from leastnoise.blackbox import sample_size
from leastnoise.errors import ParameterError
from leastnoise.reproduce.panels import Panel, Settings

RULES = ("paper", "marginal", "two-level")
BETA = Fraction(1, 1000)
GAMMAS = ("0.01", "0.05", "0.1", "0.5")
MORE_GAMMAS = ("0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5")
RECORDS = 100


def _gammas(settings: Settings) -> tuple[str, ...]:
    return GAMMAS if settings.quick else MORE_GAMMAS


def smallest_samples(settings: Settings) -> Iterator[Panel]:
    """Figure 2 and the first row of Table 1: the fewest pairs for a share gamma of misses."""
    series = {
        rule: {
            gamma: float(sample_size(rule, gamma=Fraction(gamma), beta=BETA, m=None).m)
            for gamma in _gammas(settings)
        }
        for rule in RULES
    }
    told = {"beta of two-level": str(BETA)}
    yield Panel("figure-2", "Fewest sampled pairs", "gamma", "pairs m", series, told, log=True)


def order_statistics(settings: Settings) -> Iterator[Panel]:
    """Figure 3 and the second row of Table 1: which of m sampled changes is taken."""
    series: dict[str, dict[str, float]] = {}
    for m in (100, 1000, 10_000):
        for rule in RULES:
            column = series.setdefault(f"{rule}, m = {m}", {})
            for gamma in _gammas(settings):
                try:
                    point = sample_size(rule, gamma=Fraction(gamma), beta=BETA, m=m)
                except ParameterError:
                    continue  # too few pairs for this share
                column[gamma] = point.k / m
    told = {"beta of two-level": str(BETA)}
    yield Panel("figure-3", "Order statistic taken", "gamma", "k / m", series, told)


def sampled_mean(settings: Settings) -> Iterator[Panel]:
    """Figure 4: the sensitivity of a mean of exponential records, exact and as sampled.

    The change by one replaced record is |X - X'| / n, an exponential variable of mean 1/n, so the
    expected k-th smallest of m changes is the sum of 1/i over i = m-k+1 .. m, over n.
    """
    series = {"exact": {g: log(1 / float(g)) / RECORDS for g in _gammas(settings)}}
    for rule in RULES:
        column = series.setdefault(f"{rule}, fewest pairs", {})
        for g in _gammas(settings):
            at = sample_size(rule, gamma=Fraction(g), beta=BETA, m=None)
            column[g] = sum(1 / i for i in range(at.m - at.k + 1, at.m + 1)) / RECORDS
    told = {"records": RECORDS, "beta of two-level": str(BETA), "law": "exponential of mean 1"}
    yield Panel(
        "figure-4", "Sensitivity of a mean", "gamma", "expected sensitivity", series, told, log=True
    )


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "figure-2": smallest_samples,
    "figure-3": order_statistics,
    "figure-4": sampled_mean,
}
