"""Rows of the errata that are exact: errors of laws on deterministic data, and closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, log1p, sqrt
from typing import Any

import numpy as np

from leastnoise.blackbox import sample_size
from leastnoise.laws import AboveThresholdLaw, Law
from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    InverseSensitivity,
    Laplace,
    Mechanism,
    PiecewiseLaplace,
    SmoothLaplace,
)
from leastnoise.profiles import Profile, exact
from leastnoise.reproduce import sampled_learners
from leastnoise.reproduce.data import exponential, normal
from leastnoise.reproduce.panels import Panel, Row, Settings
from leastnoise.reproduce.printed import corrected_error, printed_error
from leastnoise.reproduce.unbounded_data import limitless
from leastnoise.session import profile
from leastnoise.statistics import (
    Mean,
    MeanSquaredError,
    Median,
    Quantile,
    StandardDeviation,
    Variance,
)

BOUNDS = (0, 100)
TOP = 2500  # of a variance within these bounds
FLAT = PiecewiseLaplace()


def error(mechanism: Mechanism, seen: Profile, epsilon: object) -> float:
    """The exact expected error."""
    return mechanism.law(seen, epsilon).mean_absolute_error(centre=exact(seen.value))


def variance(data: list[float]) -> Profile:
    """The profile of a variance within the bounds."""
    return profile(Variance(bounds=BOUNDS), data, missing="none")


def exact_bounds(settings: Settings) -> Iterator[Row]:
    """4.1: Lemma 5.4 adds w^2/n a record; the exact U(l) is a window of the sorted records."""
    rows = 1000
    seen = variance(normal())
    step = Fraction(BOUNDS[1] ** 2, rows)
    loose = Profile(
        value=seen.value,
        lower=seen.lower,
        upper=lambda level: min(Fraction(TOP), Fraction(exact(seen.value)) + level * step),
        support=seen.support,
        resolution=seen.resolution,
    )
    yield Row("4.1 exact bounds of a variance", error(FLAT, loose, 1), error(FLAT, seen, 1))


def depth_rule(settings: Settings) -> Iterator[Row]:
    """4.1: L = 0 and U = the range end beyond c = 100, against c = ceil((ln m + 20)/e2)."""
    for rows in settings.pick((1000, 100_000), (1000, 10_000, 100_000)):
        seen = variance(np.clip(normal(rows=rows), *BOUNDS).tolist())
        name = f"4.1 depth by rule, not 100, eps = .1, n = {rows:,}"
        yield Row(name, printed_error(seen, "0.1"), corrected_error(seen, "0.1"))


def _endless_squares() -> Profile:
    """The mean square of N(0, 5) errors without a limit, candidates up to 10^4."""
    truth = normal(5)
    seen = profile(MeanSquaredError(bounds=BOUNDS), (truth, [50.0] * len(truth)))
    return Profile(
        value=seen.value,
        lower=seen.lower,
        upper=lambda level: 10_000 if level else seen.value,
        support=(0, 10_000),
        resolution=seen.resolution,
        monotone=True,
    )


def shares(settings: Settings) -> Iterator[Row]:
    """4.1: without an upper limit e1 : e2 = 2 : 1 instead of 1 : 1."""
    seen = _endless_squares()
    one, two = (corrected_error(seen, 1, split=split) for split in (1, 2))
    yield Row("4.1 shares 2 : 1 without limits, MSE", one, two)


def public_scale(settings: Settings) -> Iterator[Row]:
    """4.1: candidates s0 (beta^i - 1), s0 public, where t_i = beta^i - 1 are too coarse."""
    small = [x / 100 for x in exponential()]
    seen = profile(Variance(bounds=(0, 1)), small, missing="none")
    value = float(exact(seen.value))
    printed, ours = (AsymmetricSensitivity(scale=s, split=1) for s in (1, None))
    yield Row("4.1 public scale s0, variance .0099", error(printed, seen, 1), error(ours, seen, 1))
    law = printed.law(seen, 1)
    if isinstance(law, AboveThresholdLaw):
        steps = [float(c * law.step) for c in law.stream.candidates]
        gap = next(b - a for a, b in pairwise(steps) if b >= value)
        yield Row("4.1 floor of t_i = beta^i - 1 over 1 + f", gap / (1 + value))


def middles(settings: Settings) -> Iterator[Row]:
    """4.1: the end of the interval of candidates, or its midpoint."""
    for word, q in (("median", "0.5"), ("0.9-quantile", "0.9")):
        seen = profile(Quantile(q=q, bounds=BOUNDS), exponential(), missing="none")
        law = AsymmetricSensitivity(scale=1).law(seen, 1)
        if not isinstance(law, AboveThresholdLaw):
            raise TypeError("the law is that of a walk over candidates")
        value = float(exact(seen.value))
        c = [float(y * law.step) for y in law.stream.candidates]
        answers = np.array([c[0], *((a + b) / 2 for a, b in pairwise(c))])
        masses = np.diff([0.0, *(law.point_cdf(y) for y in law.stream.candidates)])
        middle = float(np.dot(masses, np.abs(answers - value)))
        yield Row(f"4.1 midpoints, {word}", law.mean_absolute_error(centre=value), middle)


def log_scale(settings: Settings) -> Iterator[Row]:
    """4.2: the logarithmic base, tau = -round(2 / eps)."""
    seen = variance(normal(5))
    for epsilon in settings.pick(("0.1", "1"), ("0.1", "0.25", "0.5", "1", "2")):
        shift = -round(2 / float(epsilon))
        logarithmic = PiecewiseLaplace(base="log", shift=shift)
        flat, log = error(FLAT, seen, epsilon), error(logarithmic, seen, epsilon)
        yield Row(f"4.2 log base, variance, eps = {epsilon}", flat, log, log / flat)


def sample_sizes(settings: Settings) -> Iterator[Row]:
    """4.8: pairs that the paper's rule and order statistics need."""
    for rule in ("marginal", "two-level"):
        for gamma in ("0.01", "0.05", "0.1", "0.5"):
            paper, ours = (
                sample_size(r, gamma=Fraction(gamma), beta=Fraction(1, 1000), m=None).m
                for r in ("paper", rule)
            )
            yield Row(f"4.8 pairs, {rule}, gamma = {gamma}", paper, ours)


def overshoot(settings: Settings) -> Iterator[Row]:
    """2: the chance to pass the value by m steps, e1 = e2 = 1/2, no upper limit: about .78/m."""
    seen = replace(limitless(variance(normal())), monotone=True)
    law = AsymmetricSensitivity(scale=1, split=1).law(seen, 1)
    if not isinstance(law, AboveThresholdLaw):
        raise TypeError("the law is that of a walk over candidates")
    value = float(np.var(normal()))
    steps = np.array([float(c * law.step) for c in law.stream.candidates])
    first = int(np.searchsorted(steps, value))
    for m in (100, 1000):
        chance = 1 - law.cdf(float(steps[first + m]) * (1 - 1e-12))
        yield Row(f"2 overshoot by {m} steps, m times its chance", m * chance)


def binary_cross_entropy(settings: Settings) -> Iterator[Row]:
    """2: Lemma E.9 with two classes against the largest loss of one logit in [-10, 10]."""
    yield Row("2 largest binary cross-entropy", log1p(exp(20)), log1p(exp(10)))


def piecewise_against_inverse(settings: Settings) -> Iterator[Row]:
    """2: Theorem 2, for a fine output lattice and for a coarse one."""
    seen = profile(Median(bounds=BOUNDS), exponential(), missing="none")
    for epsilon in ("0.1", "1", "2"):
        old, new = error(InverseSensitivity(), seen, epsilon), error(FLAT, seen, epsilon)
        yield Row(f"2 piecewise over inverse, eps = {epsilon}", old, new, new / old)
    coarse = Profile(
        value=8,
        lower=lambda level: max(0, 8 - 4 * level),
        upper=lambda level: 8,
        support=(0, 8),
        integral=True,
    )
    old, new = error(InverseSensitivity(), coarse, 4), error(FLAT, coarse, 4)
    yield Row(
        "2 piecewise over inverse, mean of (8, 8) in whole numbers, eps = 4", old, new, new / old
    )


def piecewise_against_laplace(settings: Settings) -> Iterator[Row]:
    """2: where local and global sensitivity agree, Laplace noise has half the error."""
    seen = Profile(
        value=0,
        lower=lambda level: -min(level, 5000) * 1000,
        upper=lambda level: min(level, 5000) * 1000,
        support=(-5_000_000, 5_000_000),
        sensitivity=1000,
        integral=True,
    )
    flat, plain = error(FLAT, seen, "0.1"), error(Laplace(), seen, "0.1")
    yield Row("2 piecewise over Laplace, local = global", flat, plain)
    mean = profile(Mean(bounds=BOUNDS), exponential(), missing="none")
    flat, plain = error(FLAT, mean, 1), error(Laplace(), mean, 1)
    yield Row("2 piecewise over Laplace, a mean", flat, plain)


def second_derivative(settings: Settings) -> Iterator[Row]:
    """2: Example 1 of Asi and Duchi, h'' = 2 p (1 - p)/alpha, by differences of the slope."""
    t, h = 0.3, 1e-5
    slope = [np.tanh((t + s) / 2) for s in (-h, h)]
    p = 1 / (1 + exp(-t))
    measured = float(slope[1] - slope[0]) / (2 * h)
    yield Row("2 second derivative over p (1 - p)/alpha", measured, p * (1 - p))


def svm_bound(settings: Settings) -> Iterator[Row]:
    """1: Proposition 19 as printed and corrected, C = 3, d = 64, n = 1000."""
    yield Row(
        "1 bound of Proposition 19, C = 3, d = 64",
        sampled_learners.printed_bound(64),
        sampled_learners.svm_bound(64),
    )


def private_count(settings: Settings) -> Iterator[Row]:
    """3: exact add-remove profiles of order statistics against those of edit."""
    for word, q in (("median", "0.5"), ("0.9-quantile", "0.9")):
        edit, add = (
            profile(Quantile(q=q, bounds=BOUNDS), exponential(), missing="none", relation=r)
            for r in ("edit", "add-remove")
        )
        yield Row(f"3 add-remove, {word}, piecewise", error(FLAT, edit, 1), error(FLAT, add, 1))
        yield Row(
            f"3 add-remove, {word}, asymmetric", corrected_error(edit, 1), corrected_error(add, 1)
        )


def root_error(law: Law, value: float, top: float) -> float:
    """The mean of |sqrt(M) - value|, as the integral of the tails of M."""
    t = np.linspace(0, top, 3001)
    below = np.array([law.cdf(float(x) ** 2) for x in t])
    return float(np.trapezoid(np.where(t < value, below, 1 - below), t))


def direct_deviation(settings: Settings) -> Iterator[Row]:
    """3: a standard deviation released directly, and as the root of a released variance."""
    cases = {"N(50, 10)": normal(), "exponential": exponential(), "N(50, 1)": normal(1)}
    for word, data in cases.items():
        for epsilon in settings.pick(("1",), ("0.1", "0.5", "1", "2")):
            seen = profile(StandardDeviation(bounds=BOUNDS), data, missing="none")
            value = float(np.std(data))
            rooted = root_error(FLAT.law(variance(data), epsilon), value, sqrt(TOP))
            name = f"3 standard deviation, {word}, eps = {epsilon}"
            yield Row(name, rooted, error(FLAT, seen, epsilon))


def reference(settings: Settings) -> Iterator[Panel]:
    """Section 5: the table of exact expected errors."""
    data = exponential()
    statistics: dict[str, Any] = {
        "median": Median(bounds=BOUNDS),
        "0.9-quantile": Quantile(q="0.9", bounds=BOUNDS),
        "variance": Variance(bounds=BOUNDS),
    }
    series: dict[str, dict[str, float]] = {}
    for word, statistic in statistics.items():
        seen = profile(statistic, data, missing="none")
        errors = {
            "Laplace": error(Laplace(), seen, 1),
            "ISM": error(InverseSensitivity(), seen, 1),
            "PLM": error(FLAT, seen, 1),
            "ASM": corrected_error(seen, 1),
        }
        if word != "variance":
            errors["smooth Laplace"] = error(SmoothLaplace(delta=len(data) ** -1.1), seen, 1)
        errors["default"] = error(statistic.settled_mechanism("replace-one"), seen, 1)
        for name, number in errors.items():
            series.setdefault(name, {})[word] = number
    told = {"rows": len(data), "bounds": list(BOUNDS), "epsilon": "1", "relation": "replace-one"}
    yield Panel(
        "reference", "Exact expected errors, epsilon = 1", "statistic", "error", series, told,
        log="y",
    )  # fmt: skip
