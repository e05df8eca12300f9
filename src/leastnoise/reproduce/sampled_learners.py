"""Rubinstein and Alda (2017), Figures 5, 6, 7 and 9: sampled against global sensitivities.

Sampled sensitivities are simulated, each figure from its own stream; what follows from them is
exact where the law is known: the error of an SVM is averaged over the noise in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from math import pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.blackbox import SensitivitySampler, sample_size
from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Bernstein
from leastnoise.mechanisms.vector_noise import vector_noise
from leastnoise.randomness import HashedBits
from leastnoise.reproduce import svm_pair
from leastnoise.reproduce.errors_by_epsilon import mean
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.testing import simulate

Floats = NDArray[np.float64]
BETA = Fraction(1, 1000)
C = 3.0
ROWS = 1000
EPSILONS = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30", "100", "300", "1000")
BANDWIDTH = 0.1
POINTS = 5000
CLASSES = "normal laws about 0.2 and 0.8 in every feature, standard deviation 0.1, equal chances"


def order_statistic(rule: str, gamma: str, m: int) -> int:
    """Which of m sampled changes a rule takes."""
    return sample_size(rule, gamma=Fraction(gamma), beta=BETA, m=m).k


def _records(rng: np.random.Generator, count: int, *, dimension: int) -> Floats:
    return svm_pair.draw_records(rng, count, dimension)


def svm_sampler(dimension: int, n: int = ROWS, **options: Any) -> SensitivitySampler:
    """The (w, b) of a linear SVM, with the accelerated pair."""
    return SensitivitySampler(
        partial(svm_pair.fit, C=C),
        draw_record=partial(_records, dimension=dimension),
        n=n,
        pair=partial(svm_pair.pair, C=C),
        **options,
    )


def svm_bound(dimension: int, n: int = ROWS) -> float:
    """Proposition 19, as errata 1 corrects it."""
    return 2 + 2 * sqrt(2 * C * dimension) + 4 * C * dimension / n


def printed_bound(dimension: int, n: int = ROWS) -> float:
    """Proposition 19 as printed; it holds for C >= 2."""
    return 2 + 2 * C * sqrt(dimension) + 4 * C * dimension / n


@cache
def svm_changes(dimension: int, m: int) -> Floats:
    """Sampled changes of an SVM, sorted."""
    with simulate(f"figure-5, d = {dimension}"):
        sampler = svm_sampler(dimension, gamma="0.05", m=m, workers=1)
        sampler.estimate(show_progress=False)
    return sampler.changes


def svm_sensitivities(settings: Settings) -> Iterator[Panel]:
    """Figure 5, and the share of pairs that keep their solution (errata 4.10)."""
    m = settings.pick(140, 1500)
    gammas = settings.pick(("0.05", "0.2"), ("0.01", "0.05", "0.1", "0.2"))
    series: dict[str, dict[str, float]] = {"global (corrected)": {}, "global (printed)": {}}
    still: dict[str, dict[str, float]] = {"share without change": {}}
    for dimension in settings.pick((8, 16), (8, 16, 32, 64)):
        row = str(dimension)
        changes = svm_changes(dimension, m)
        series["global (corrected)"][row] = svm_bound(dimension)
        series["global (printed)"][row] = printed_bound(dimension)
        for gamma in gammas:
            for rule in ("paper", "marginal", "two-level"):
                try:
                    k = order_statistic(rule, gamma, m)
                except ParameterError:
                    continue  # too few pairs for this share
                column = series.setdefault(f"{rule}, gamma = {gamma}", {})
                column[row] = float(changes[k - 1])
        still["share without change"][row] = float((changes == 0).mean())
    told = {
        "rows": ROWS,
        "classes": CLASSES,
        "C": C,
        "pairs": m,
        "beta of two-level": str(BETA),
        "seed streams": 'simulate("figure-5, d = DIMENSION")',
    }
    yield Panel(
        "figure-5",
        "Sensitivity of a linear SVM; marginal and two-level are ours",
        "dimension",
        "l1 norm",
        series,
        told,
        log="xy",
    )
    sampled = series[f"two-level, gamma = {gammas[0]}"]
    ratio = {d: series["global (corrected)"][d] / sampled[d] for d in sampled}
    yield Panel(
        "figure-5-ratio",
        f"Global over sampled sensitivity, gamma = {gammas[0]}",
        "dimension",
        "ratio",
        {"ratio": ratio},
        told,
        log="xy",
    )
    yield Panel(
        "figure-5-unchanged",
        "Pairs whose solution optimality conditions show to be the same",
        "dimension",
        "share",
        still,
        told,
    )


def chance_below_zero(scores: Floats, weights: Floats) -> Floats:
    """Pr(score + sum of weights times independent Laplace variables <= 0), exact.

    For distinct weights a_j the tail of the sum beyond t >= 0 is the mean of exp(-t/|a_j|)/2 with
    the coefficients prod_(i != j) a_j^2 / (a_j^2 - a_i^2). Weights that nearly agree are moved
    apart by a millionth.

    Parameters
    ----------
    scores
        Of shape (k,).
    weights
        Of shape (k, d).
    """
    d = int(weights.shape[1])
    spaced = np.abs(weights) * np.array([1 + 3e-6 * i for i in range(d)]) + 1e-12
    squares = spaced**2
    tail = np.zeros(len(scores))
    for j in range(d):
        others = [i for i in range(d) if i != j]
        share = np.prod(squares[:, [j]] / (squares[:, [j]] - squares[:, others]), axis=1)
        tail += share * np.exp(-np.abs(scores) / spaced[:, j]) / 2
    return np.where(scores > 0, tail, 1 - tail)


def svm_errors(settings: Settings) -> Iterator[Panel]:
    """Figure 6: misclassification by epsilon, d = 2, gamma = 0.05; exact over the noise."""
    dimension, m, fits = 2, settings.pick(140, 1500), settings.pick(10, 500)
    changes = svm_changes(dimension, m)
    sizes = {
        f"sampled ({rule})": float(changes[order_statistic(rule, "0.05", m) - 1])
        for rule in ("two-level", "marginal", "paper")
        if rule != "paper" or m >= 1305
    }
    sizes["global"] = svm_bound(dimension)
    rng = np.random.default_rng([6, 0])
    test = svm_pair.draw_records(rng, settings.pick(500, 2000), dimension)
    signed = svm_pair.signed(test)
    solutions = [svm_pair.fit(svm_pair.draw_records(rng, ROWS, dimension), C) for _ in range(fits)]
    epsilons = settings.pick(EPSILONS[::2], EPSILONS)
    series: dict[str, dict[str, float]] = {
        name: {
            e: float(
                np.mean([chance_below_zero(signed @ s, signed * size / float(e)).mean()
                         for s in solutions])
            )
            for e in epsilons
        }
        for name, size in sizes.items()
    }  # fmt: skip
    plain = float(np.mean([(signed @ s <= 0).mean() for s in solutions]))
    series["not private"] = dict.fromkeys(epsilons, plain)
    told = {
        "rows": ROWS,
        "classes": CLASSES,
        "C": C,
        "pairs": m,
        "gamma": "0.05",
        "fits": fits,
        "test rows": len(test),
        "sensitivities": sizes,
        "seed streams": {"pairs": 'simulate("figure-5, d = 2")', "data": "[6, 0]"},
    }
    yield Panel(
        "figure-6", "Errors of a private SVM", "epsilon", "misclassification", series, told, log="x"
    )


def curve_records(rng: np.random.Generator, count: int) -> Floats:
    """The paper's mixture of two normal laws, cut to [0, 1]."""
    first = rng.random(count) < 0.4
    centre = np.where(first, 0.5, 0.75)
    spread = np.sqrt(np.where(first, 0.02, 0.005))
    return np.clip(centre + spread * rng.normal(size=count), 0, 1)


def _kernel(gaps: Floats) -> Floats:
    return np.exp(-((gaps / BANDWIDTH) ** 2) / 2) / (BANDWIDTH * sqrt(2 * pi))


def density(records: Floats, points: Floats) -> Floats:
    """A kernel density estimate with normal kernels."""
    return _kernel(points[:, None] - records[None, :]).mean(axis=1)


def density_pair(records: Floats, points: Floats) -> Floats:
    """The estimate at the points for the first n records, and for the first n - 1 with the last.

    Up to what the n - 1 common records add to both, which no norm of the difference sees.
    """
    last = _kernel(points[:, None] - records[None, -2:]) / (len(records) - 1)
    return last.T.ravel()


def density_sensitivity(gamma: str, m: int, points: Floats) -> Fraction:
    """Sampled sensitivity in l-infinity, two-level."""
    with simulate(f"figure-7, gamma = {gamma}"):
        sampler = SensitivitySampler(
            partial(density, points=points),
            draw_record=curve_records,
            n=POINTS,
            norm="linf",
            gamma=gamma,
            m=m,
            pair=partial(density_pair, points=points),
            workers=1,
        )
        return sampler.estimate(show_progress=False).sensitivity


def curve_errors(
    mechanism: Bernstein, sensitivity: Fraction, epsilon: str, repeats: int, records: Floats
) -> list[float]:
    """Largest error of a released density on 201 points, simulated."""
    grid = mechanism.grid[:, 0]
    y = np.linspace(0, 1, 201)
    values, truth, step = density(records, grid), density(records, y), Fraction(1, 2**40)
    stream = HashedBits(f"figure-7 {mechanism.name} {sensitivity} {epsilon}".encode())
    # rounding an output to the lattice adds one step to its sensitivity
    noise = vector_noise(mechanism, len(grid), sensitivity / step + 1, Fraction(epsilon))
    found: list[float] = []
    for _ in range(repeats):
        noisy = values + np.array(noise(stream)) * float(step)
        found.append(float(np.abs(mechanism.polynomial(noisy)(y) - truth).max()))
    return found


def whole_density() -> Fraction:
    """The global sensitivity: the height of one kernel over the number of records."""
    return Fraction(1 / (BANDWIDTH * sqrt(2 * pi)) / POINTS)


def densities(settings: Settings) -> Iterator[Panel]:
    """Figure 7: a density by the Bernstein mechanism, k = 10, h = 3, 5,000 records."""
    repeats, m = settings.pick(60, 1000), settings.pick(1000, 50_000)
    kinds = {
        "independent Laplace (paper)": Bernstein(lattice=10, order=3, noise="laplace"),
        "linf (ours)": Bernstein(lattice=10, order=3),
    }
    grid = kinds["linf (ours)"].grid[:, 0]
    sizes = {"global": whole_density()}
    for gamma in settings.pick(("0.1",), ("0.01", "0.1")):
        sizes[f"gamma = {gamma}"] = density_sensitivity(gamma, m, grid)
    records = curve_records(np.random.default_rng([7, 0]), POINTS)
    y = np.linspace(0, 1, 201)
    plain = kinds["linf (ours)"].polynomial(density(records, grid))(y)
    least = float(np.abs(plain - density(records, y)).max())
    series: dict[str, dict[str, float]] = {}
    errors: dict[str, dict[str, float]] = {}
    epsilons = settings.pick(("0.01", "1"), ("0.01", "0.03", "0.1", "0.3", "1", "3"))
    for word, size in sizes.items():
        for kind, mechanism in kinds.items():
            name = f"{word}, {kind}"
            for e in epsilons:
                found = mean(curve_errors(mechanism, size, e, repeats, records))
                series.setdefault(name, {})[e], errors.setdefault(name, {})[e] = found
    series["polynomial alone"] = dict.fromkeys(epsilons, least)
    told = {
        "records": POINTS,
        "lattice": 10,
        "order": 3,
        "bandwidth": BANDWIDTH,
        "law": "0.4 N(0.5, 0.02) + 0.6 N(0.75, 0.005), cut to [0, 1]",
        "pairs": m,
        "repeats": repeats,
        "rule": "two-level, beta = 1/1000",
        "sensitivities": {k: float(v) for k, v in sizes.items()},
        "seed streams": {"pairs": 'simulate("figure-7, gamma = G")', "data": "[7, 0]"},
    }
    yield Panel(
        "figure-7", "Error of a private density", "epsilon", "largest error", series, told,
        log="xy", errors=errors,
    )  # fmt: skip


def _mean_of_stack(stack: Floats) -> Floats:
    return stack.mean(axis=1)


def uniform_records(rng: np.random.Generator, count: int, *, dimension: int) -> Floats:
    """Records of the unit cube."""
    return rng.random((count, dimension))


def bounded_means(settings: Settings) -> Iterator[Panel]:
    """Figure 9: the mean of 500 uniform records on [0, 1]^d in l1, sampled against global."""
    n = 500
    series: dict[str, dict[str, float]] = {"global": {}}
    gammas = settings.pick(("0.05", "0.2"), ("0.01", "0.05", "0.2"))
    for dimension in settings.pick((1, 4, 16), (1, 4, 16, 64)):
        row = str(dimension)
        series["global"][row] = dimension / n
        for gamma in gammas:
            for rule in ("paper", "two-level"):
                with simulate(f"figure-9, {rule}, d = {dimension}, gamma = {gamma}"):
                    sampler = SensitivitySampler(
                        _mean_of_stack,
                        draw_record=partial(uniform_records, dimension=dimension),
                        n=n,
                        gamma=gamma,
                        guarantee=rule,
                        batch=True,
                    )
                    found = float(sampler.estimate(show_progress=False))
                series.setdefault(f"{rule}, gamma = {gamma}", {})[row] = found
    told = {
        "rows": n,
        "law": "uniform on the cube",
        "beta of two-level": str(BETA),
        "pairs": "the fewest",
        "seed streams": 'simulate("figure-9, RULE, d = D, gamma = G")',
    }
    yield Panel(
        "figure-9",
        "Sensitivity of a bounded mean; two-level is ours",
        "dimension",
        "l1 norm",
        series,
        told,
        log="xy",
    )
