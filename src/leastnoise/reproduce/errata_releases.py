"""Rows of the errata that are simulated: fits, black boxes, unknown bounds, intervals, groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import audit
from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    Bernstein,
    PiecewiseLaplace,
)
from leastnoise.mechanisms.k_norm import KNorm, PiecewiseKNorm
from leastnoise.params import PrivateBounds
from leastnoise.profiles import Profile
from leastnoise.reproduce import linear_regression, logistic_regression, sampled_learners
from leastnoise.reproduce.data import need_sklearn, normal
from leastnoise.reproduce.errors_by_epsilon import mean, median_error, middle
from leastnoise.reproduce.panels import Row, Settings
from leastnoise.reproduce.unbounded_data import limitless
from leastnoise.session import profile, release
from leastnoise.statistics import (
    Count,
    Mean,
    MeanAbsoluteError,
    Median,
    QuantileInterval,
    Quantiles,
    TrimmedMeanVector,
    Variance,
)
from leastnoise.summaries.predicates import col
from leastnoise.testing import simulate

Floats = NDArray[np.float64]


def joint_accountant(settings: Settings) -> Iterator[Row]:
    """4.6: the paper's best q against the joint accountant, eps = 1/4; and as released."""
    need_sklearn()
    runs = settings.pick(20, 60)
    data = [logistic_regression.draw(np.random.default_rng([1, run])) for run in range(runs)]
    best, joint, default = (
        middle(
            logistic_regression.distance("1/4", one, run, logistic_regression.VARIANTS[name])
            for run, one in enumerate(data)
        )[0]
        for name in ("linf, q = .85", "joint accountant (ours)", "default (ours)")
    )
    yield Row("4.6 logistic regression, joint accountant, eps = 1/4", best, joint)
    yield Row("4.6 logistic regression, as released, eps = 1/4", best, default)


def projection_and_ridge(settings: Settings) -> Iterator[Row]:
    """4.7: the pseudoinverse against projection and ridge, eps = 1/16, n = 10^4, p = 5."""
    need_sklearn()
    runs = settings.pick(20, 60)
    beta = np.linspace(-1.5, 1.5, linear_regression.FEATURES)
    variants: dict[str, dict[str, Any]] = {
        "plain": {"ball": "paper", "ridge": "pinv"},
        "paper": {"ball": "paper"},
        "tri": {"ball": "tri"},
        "cone": {"ball": "cone"},
    }
    gaps: dict[str, list[float]] = {name: [] for name in variants}
    for run in range(runs):
        X, y = linear_regression.simulated(10_000, run, beta)
        fit, _ = linear_regression.interval(X, y)
        for name, chosen in variants.items():
            found = linear_regression.private("1/16", linear_regression.CUT, X, y, run, chosen)
            gaps[name].append(float(np.linalg.norm(found - fit)))
    plain, *rest = (mean(gaps[name])[0] for name in variants)
    for name, value in zip(list(variants)[1:], rest, strict=True):
        yield Row(f"4.7 linear regression, ridge, ball {name}, eps = 1/16", plain, value)


def bernstein(settings: Settings) -> Iterator[Row]:
    """4.9: independent Laplace noise of the coefficients against l-infinity noise, eps = .01."""
    size = sampled_learners.whole_density()
    records = sampled_learners.curve_records(np.random.default_rng([7, 0]), sampled_learners.POINTS)
    plain, ours = (
        mean(
            sampled_learners.curve_errors(mechanism, size, "0.01", settings.pick(100, 500), records)
        )[0]
        for mechanism in (
            Bernstein(lattice=10, order=3, noise="laplace"),
            Bernstein(lattice=10, order=3),
        )
    )
    yield Row("4.9 density, largest error, eps = .01", plain, ours)


def svm_pairs(settings: Settings) -> Iterator[Row]:
    """4.10: the share of pairs of an SVM whose solution provably stays."""
    m = settings.pick(500, 1500)
    for dimension in settings.pick((8,), (8, 64)):
        changes = sampled_learners.svm_changes(dimension, m)
        name = f"4.10 refits skipped, d = {dimension}"
        yield _share(name, float((changes == 0).mean()), m)


def _share(name: str, share: float, draws: int) -> Row:
    """A share of independent draws, with its standard error."""
    return Row(name, share=share, spread=(share * (1 - share) / draws) ** 0.5)


def _unbounded_errors(kind: type[Mean] | type[Variance], epsilon: str, repeats: int) -> list[float]:
    """|release - value| over fresh samples of 1,000 records N(50, 10), no bounds given."""
    statistic = kind(bounds=PrivateBounds(), missing="none")
    plain = np.mean if kind is Mean else np.var
    rng = np.random.default_rng(11)
    found: list[float] = []
    with simulate(f"{kind.__name__}{epsilon}replace-one"):
        for _ in range(repeats):
            x = rng.normal(50, 10, 1000)
            value: Any = release(statistic, x, epsilon=epsilon).value
            found.append(abs(value - float(plain(x))))
    return found


def _direct(kind: type[Mean] | type[Variance], epsilon: str) -> float:
    """The median error of one walk without an upper limit, e1 : e2 = 2 : 1; exact."""
    data = normal()
    if kind is Mean:
        seen = profile(MeanAbsoluteError(), (data, [0.0] * len(data)))
        value = float(np.mean(data))
    else:
        seen = limitless(profile(Variance(bounds=(-1000, 1100)), data, missing="none"))
        value = float(np.var(data))
    law = AsymmetricSensitivity(scale=1, split=2).law(seen, epsilon)
    return median_error(law, value, 100 * value)


def unknown_bounds(settings: Settings) -> Iterator[Row]:
    """4.11: no bounds at all, in two stages against one walk.

    Only medians of the walk: its mean error has a heavy tail and is far larger.
    """
    repeats = settings.pick(300, 5000)
    for kind in (Mean, Variance):
        for epsilon in ("1", "0.1"):
            direct = _direct(kind, epsilon)
            found = _unbounded_errors(kind, epsilon, repeats)
            name = f"4.11 no bounds, {kind.__name__.lower()}, eps = {epsilon}"
            yield Row(f"{name}, mean error", improved=mean(found)[0])
            yield Row(f"{name}, median error", direct, middle(found)[0])


def quantile_intervals(settings: Settings) -> Iterator[Row]:
    """4.12: widths and coverage at n = 1000, eps = 1, against the interval without noise."""
    from scipy.stats import binom

    repeats = settings.pick(400, 2000)
    rng = np.random.default_rng(20)
    first, last = (int(binom.ppf(p, 1000, 0.5)) for p in (0.025, 0.975))
    statistic = QuantileInterval(q=0.5, bounds=(0, 100), missing="none")
    covered, wide, plain = 0, 0.0, 0.0
    with simulate("4.12"):
        for _ in range(repeats):
            x = np.sort(rng.normal(50, 10, 1000))
            released: Any = release(statistic, x, epsilon=1).value
            covered += released[0] <= 50 <= released[1]
            wide += released[1] - released[0]
            plain += float(x[last] - x[first - 1])
    yield Row("4.12 width of an interval over that without noise", share=wide / plain)
    yield _share("4.12 coverage of a 95 % interval", covered / repeats, repeats)


def rank_errors(x: Floats, orders: list[Fraction], values: Any) -> float:
    """How many ranks an answer is away from its order statistic, a mean; ties count as reached."""
    ordered = np.sort(x)
    ranks = np.array([max(1, -(-q.numerator * len(x) // q.denominator)) for q in orders])
    search: Any = np.searchsorted
    first = search(ordered, values, "left") + 1
    last = search(ordered, values, "right")
    return float(np.maximum(0, np.maximum(first - ranks, ranks - last)).mean())


def splitting(settings: Settings) -> Iterator[Row]:
    """4.13: rank errors of 19 and 99 quantiles, an even split of epsilon against splitting."""
    repeats = settings.pick(4, 20)
    for count in (19, 99):
        orders = [Fraction(i, count + 1) for i in range(1, count + 1)]
        statistic = Quantiles(q=orders, bounds=(0, 100), missing="none")
        rng = np.random.default_rng(2)
        found: list[tuple[float, float]] = []
        with simulate(f"4.13 {count}"):
            for _ in range(repeats):
                x = rng.normal(50, 10, 1000)
                even, split = (
                    release(statistic, x, epsilon=1, relation="add-remove", mechanism=m).value
                    for m in (PiecewiseLaplace(), None)
                )
                found.append((rank_errors(x, orders, even), rank_errors(x, orders, split)))
        even, split = np.mean(found, axis=0).tolist()
        yield Row(f"4.13 rank error of {count} quantiles, add-remove", even, split)


def piecewise_vectors(settings: Settings) -> Iterator[Row]:
    """4.3: two trimmed means, bounds (0, 1000), 1,000 records N(50, 10), eps = 1; l-infinity."""
    repeats = settings.pick(30, 200)
    statistic = TrimmedMeanVector(2, bounds=(0, 1000), missing="none")
    rows = np.random.default_rng([4, 3]).normal(50, 10, (1000, 2))
    kept = np.sort(rows, axis=0)[100:900].mean(axis=0)
    errors: list[float] = []
    for mechanism in (KNorm(), PiecewiseKNorm()):
        with simulate(f"4.3 {mechanism.name}"):
            drawn: Any = [
                release(statistic, rows, epsilon=1, mechanism=mechanism).value
                for _ in range(repeats)
            ]
        errors.append(middle(np.abs(np.array(drawn) - kept).max(axis=1))[0])
    yield Row("4.3 two trimmed means, piecewise K-norm", *errors)


@dataclass(frozen=True, slots=True)
class AddRemoveInside:
    """NOT PRIVATE under a filter: a statistic with its exact add-remove profile."""

    right: Any

    def spec(self) -> Any:
        """That of the statistic."""
        return self.right.spec()

    def profile(self, summary: Any, relation: str) -> Profile:
        """The profile of another relation."""
        return self.right.profile(summary, "add-remove")


def _table(data: tuple[Any, ...]) -> dict[str, Any]:
    return {"g": [g for g, _ in data], "x": np.array([x for _, x in data], dtype=np.int64)}


def groups(settings: Settings) -> Iterator[Row]:
    """4.14: the largest losses at eps = 1 where records move, by enumeration of small tables."""
    records = [("a", 0), ("a", 25), ("a", 26), ("a", 50), ("b", 0), ("b", 50), ("c", 26)]
    median = Median("x", bounds=(0, 50))
    both: dict[str, Any] = {"group_by": {"g": ["a", "b"]}, "n": 3}
    inside: dict[str, Any] = {"where": col("g") == "a", "n": 4}
    for word, statistic, subset in (
        ("a moved record, count by group", Count(), both),
        ("a moved record, median by group", median, both),
        ("a change inside a group, edit profile", median, inside),
        ("a change inside a group, add-remove profile", AddRemoveInside(median), inside),
    ):
        found = audit.exact(
            statistic,
            None if word.endswith("count by group") else PiecewiseLaplace(),
            universe=records,
            epsilon=1,
            build=_table,
            relation="replace-one",
            **subset,
        )
        yield Row(f"4.14 loss of {word}", share=float(found.lo))
