"""Rubinstein and Alda (2017): sizes of samples (Table 1, Figures 1 to 3, 8), a mean (Figure 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, log, sqrt
from typing import Any

import numpy as np

from leastnoise.blackbox import sample_size
from leastnoise.errors import ParameterError
from leastnoise.reproduce import sampled_learners
from leastnoise.reproduce.panels import Panel, Settings

RULES = ("paper", "marginal", "two-level")
BETA = Fraction(1, 1000)
GAMMAS = ("0.01", "0.05", "0.1", "0.5")
MORE_GAMMAS = ("0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5")
RECORDS = 100
BUDGETS = (200, 2000, 20_000)


def _gammas(settings: Settings) -> tuple[str, ...]:
    return settings.pick(GAMMAS, MORE_GAMMAS)


def operating_points(settings: Settings) -> Iterator[Panel]:
    """Table 1: what each rule takes when gamma, or m, or both are given."""
    told = {"beta of two-level": str(BETA)}
    for name, given in (
        ("gamma", [(g, None) for g in ("0.01", "0.1", "0.5")]),
        ("m-and-gamma", [(g, m) for m in (1500, 50_000) for g in ("0.05", "0.1")]),
        ("m", [(None, m) for m in (100, 1500, 10_000)]),
    ):
        series: dict[str, dict[str, float]] = {}
        for gamma, m in given:
            row = ", ".join(f"{w} = {v}" for w, v in (("gamma", gamma), ("m", m)) if v)
            share = None if gamma is None else Fraction(gamma)
            for rule in RULES:
                point = sample_size(rule, gamma=share, beta=BETA, m=m)
                found = {"m": point.m, "k": point.k, "gamma": float(point.gamma)}
                found |= {} if point.rho is None else {"rho": float(point.rho)}
                for word, value in found.items():
                    series.setdefault(f"{rule}: {word}", {})[row] = float(value)
        yield Panel(
            f"table-1-{name}",
            f"Operating points, given {name.replace('-', ' ')} (marginal and two-level are ours)",
            "budget",
            "m, k, gamma, rho",
            series,
            told,
            kind="table",
        )


def inversion(settings: Settings) -> Iterator[Panel]:
    """Figure 1: the law of the changes, that of a sample, and the points where it is inverted.

    The mean of 100 exponential records: a change is an exponential variable of mean 1/100.
    """
    point = sample_size("paper", gamma=Fraction(1, 5), beta=BETA, m=200)
    rng = np.random.default_rng([1, 0])
    changes = np.sort(rng.exponential(size=point.m)) / RECORDS
    places = np.linspace(0, float(changes[-1]) * 1.02, settings.pick(40, 400))
    rows = [f"{x:.6f}" for x in places]
    steps = np.searchsorted(changes, places, "right") / point.m
    taken = float(changes[point.k - 1])
    rho = float(point.rho or 0)
    band = sqrt(log(1 / rho) / (2 * point.m))  # the rho' of Theorem 15
    series: dict[str, dict[str, float]] = {
        "law of the change": {
            r: -np.expm1(-x * RECORDS) for r, x in zip(rows, places, strict=True)
        },
        "sampled": dict(zip(rows, steps.tolist(), strict=True)),
        "sampled, less rho'": dict(zip(rows, np.maximum(0, steps - band).tolist(), strict=True)),
        "inverted at k / m": {rows[0]: point.k / point.m, f"{taken:.6f}": 0.0},
    }
    told = {
        "records": RECORDS,
        "pairs": point.m,
        "k": point.k,
        "gamma": "1/5",
        "rho": rho,
        "rho'": band,
        "sampled sensitivity": taken,
        "exact sensitivity": log(5) / RECORDS,
        "seed stream": "[1, 0]",
    }
    title = f"The sampled sensitivity {taken:.4f}; exact for this gamma {log(5) / RECORDS:.4f}"
    yield Panel("figure-1", title, "change", "share of pairs", series, told, kind="steps")
    law = -np.expm1(-changes * RECORDS)
    bounds = {
        "rho'": (band, band),
        "largest gap of the sampled law above the law": (
            float((np.arange(1, point.m + 1) / point.m - law).max()),
            band,
        ),
        "sampled sensitivity": (taken, log(5) / RECORDS),
    }
    columns = {
        "drawn": {name: pair[0] for name, pair in bounds.items()},
        "bound, or exact": {name: pair[1] for name, pair in bounds.items()},
    }
    title = "What Theorem 15 asks of the sampled law, and what it gives"
    yield Panel("figure-1-bounds", title, "what", "number", columns, told, kind="names")


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
    yield Panel(
        "figure-2",
        "Fewest sampled pairs; marginal and two-level are ours",
        "gamma",
        "pairs m",
        series,
        told,
        log="xy",
    )


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
    yield Panel(
        "figure-3",
        "Order statistic taken; marginal and two-level are ours",
        "gamma",
        "k / m",
        series,
        told,
    )


def sampled_mean(settings: Settings) -> Iterator[Panel]:
    """Figure 4: the sensitivity of a mean of exponential records, exact and as sampled.

    The change by one replaced record is |X - X'| / n, an exponential variable of mean 1/n, so the
    expected k-th smallest of m changes is the sum of 1/i over i = m-k+1 .. m, over n.
    """
    series = {"exact": {g: log(1 / float(g)) / RECORDS for g in _gammas(settings)}}
    for rule in RULES:
        for budget in (None, *BUDGETS) if rule != "marginal" else (None,):
            words = "fewest pairs" if budget is None else f"m = {budget}"
            column = series.setdefault(f"{rule}, {words}", {})
            for g in _gammas(settings):
                try:
                    at = sample_size(rule, gamma=Fraction(g), beta=BETA, m=budget)
                except ParameterError:
                    continue  # too few pairs for this share
                column[g] = sum(1 / i for i in range(at.m - at.k + 1, at.m + 1)) / RECORDS
    told = {"records": RECORDS, "beta of two-level": str(BETA), "law": "exponential of mean 1"}
    yield Panel(
        "figure-4",
        "Sensitivity of a mean; marginal and two-level are ours",
        "gamma",
        "expected sensitivity",
        series,
        told,
        log="xy",
    )


def lambert(settings: Settings) -> Iterator[Panel]:
    """Figure 8: the branches of w exp(w) = z, and the rule for rho that they solve.

    rho = exp(W(-gamma / (2 sqrt e)) + 1/2) of the lower branch is the root of
    gamma + 2 rho log rho - rho = 0 in (0, 1/2], where the smallest m is reached.
    """
    from scipy.special import lambertw

    count = settings.pick(20, 200)
    below = np.linspace(-1 / exp(1) + 1e-6, -1e-3, count)
    above = np.linspace(0, 3, count)
    branches: Any = lambertw
    primary = {f"{z:.6f}": float(branches(z).real) for z in (*below, *above)}
    lower = {f"{z:.6f}": float(branches(z, -1).real) for z in below}
    series = {"W0": primary, "W-1": lower}
    yield Panel("figure-8", "Branches of the Lambert W function", "z", "W(z)", series)
    rho: dict[str, float] = {}
    rest: dict[str, float] = {}
    for g in _gammas(settings):
        gamma = float(g)
        branch = branches(-gamma / (2 * sqrt(exp(1))), -1)
        rho[g] = exp(float(branch.real) + 0.5)
        rest[g] = gamma + 2 * rho[g] * log(rho[g]) - rho[g]
    series = {"rho": rho, "derivative at rho": rest}
    yield Panel("figure-8-rho", "The rho of Table 1, row 1", "gamma", "rho", series, log="x")


FIGURES: dict[str, Callable[[Settings], Iterator[Panel]]] = {
    "table-1": operating_points,
    "figure-1": inversion,
    "figure-2": smallest_samples,
    "figure-3": order_statistics,
    "figure-4": sampled_mean,
    "figure-5": sampled_learners.svm_sensitivities,
    "figure-6": sampled_learners.svm_errors,
    "figure-7": sampled_learners.densities,
    "figure-8": lambert,
    "figure-9": sampled_learners.bounded_means,
}
