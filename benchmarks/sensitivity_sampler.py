"""Tables and figures of the sensitivity sampler, corrected: sizes, sensitivities, errors, speed.

    python benchmarks/sensitivity_sampler.py [PART ...] [--full] [--out FOLDER]

Parts: sizes (Table 1, Figures 2 and 3), literal, mean (Figure 4), svm (Figure 5), error (Figure 6),
curve (Figure 7), bounded (Figure 9), speed. Default: all but the slowest repeats, which ``--full``
adds. Tables are Markdown, as in docs/black-box.md. With ``--out`` numbers go to a JSON file and
figures to SVG files (extra: plots). svm, error and speed need scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.blackbox import sample_size
from leastnoise.mechanisms.vector_noise import vector_noise
from leastnoise.randomness import HashedBits
from leastnoise.reproduce import svm_pair
from leastnoise.reproduce.sampled_learners import (
    curve_records,
    density,
    density_pair,
    svm_bound,
    svm_sampler,
    uniform_records,
    whole_density,
)

Table = dict[str, dict[Any, float]]
RULES = ("two-level", "marginal", "paper")
BETA = Fraction(1, 1000)


def size(rule: str, gamma: Any = None, m: int | None = None) -> Any:
    """The operating point of a rule."""
    share = None if gamma is None else Fraction(str(gamma))
    return sample_size(rule, gamma=share, beta=BETA, m=m)


def show(title: str, table: Table, column: str, errors: Table | None = None) -> None:
    """A table in Markdown with one row an x and one column a name; ± is one standard error."""
    names = list(table)
    print(f"\n{title}:\n\n| {column} | {' | '.join(names)} |\n|---|" + "---|" * len(names))
    for x in dict.fromkeys(x for values in table.values() for x in values):
        cells: list[str] = []
        for name in names:
            value = table[name].get(x)
            cell = "-" if value is None else f"{value:.4g}"
            if errors is not None and name in errors:
                cell += f" ± {errors[name][x]:.1g}"
            cells.append(cell)
        print(
            f"| {x if isinstance(x, str) else format(x, 'g')} | {' | '.join(cells)} |", flush=True
        )


# --- sizes ----------------------------------------------------------------------------------------


def sizes(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Smallest m by gamma (Figure 2), and the order statistic by gamma at fixed m (Figure 3)."""
    gammas = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    smallest: Table = {rule: {g: size(rule, g).m for g in gammas} for rule in RULES}
    show("Figure 2 and Table 1, row 1: smallest m", smallest, "gamma")
    index: Table = {}
    for m in (100, 1000, 10_000):
        for rule in ("two-level", "paper"):
            row: dict[float, float] = {}
            for g in gammas:
                try:
                    row[g] = size(rule, g, m).k / m
                except ValueError:
                    continue  # too few pairs for this share
            index[f"{rule}, m={m}"] = row
    show("Figure 3 and Table 1, row 2: k/m", index, "gamma")
    least: Table = {
        rule: {m: float(size(rule, m=m).gamma) for m in (100, 1500, 10_000)} for rule in RULES
    }
    show("Table 1, row 3: smallest gamma at k = m", least, "m")
    return {
        "figure2": (smallest, "gamma", "smallest m"),
        "figure3": (index, "gamma", "k / m"),
    }


def literal(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Share of pairs with loss <= 1 at epsilon = 1 when the sampler's luck is in the mechanism.

    Definition 4 read literally: the release is a mixture of Laplace noises of random scale. Its
    largest loss on a pair with change G is at the answer itself.
    """
    from scipy.optimize import brentq

    # the change at u with v = 1 - u, and the share of changes below a number
    laws: dict[str, tuple[Callable[[Any, Any], Any], Callable[[float], float]]] = {
        "uniform": (lambda u, _: u, lambda g: min(g, 1.0)),
        "exponential": (
            lambda u, v: -np.where(u < 0.5, np.log1p(-np.minimum(u, 0.5)), np.log(v)),
            lambda g: 1 - exp(-g),
        ),
        "Pareto, tail index 1": (lambda _, v: 1 / v, lambda g: 1 - 1 / g),
        "Pareto, tail index 1/2": (lambda _, v: v**-2.0, lambda g: 1 - g**-0.5),
        "Pareto, tail index 1/10": (lambda _, v: v**-10.0, lambda g: 1 - g**-0.1),
    }
    # u on a grid of log-odds, which sees both ends; U_(k) has the density u^(k-1) v^(m-k)
    odds = np.linspace(-60, 60, 200_001)
    u, v = 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(odds))
    table: Table = {}
    for rule in RULES:
        for g in (0.05, 0.5):
            point = size(rule, g)
            weight = np.exp(point.k * np.log(u) + (point.m - point.k + 1) * np.log(v))
            table[f"{rule} {g}"] = {
                law: cdf(_change_of_loss_one(inverse(u, v), weight / weight.sum(), brentq))
                # the mean of 1 / G_(1) is infinite where changes may be as small as one likes
                if point.k > 1 or inverse(0.0, 1.0) > 0
                else 0.0
                for law, (inverse, cdf) in laws.items()
            }
    show(
        "Share of pairs with a loss of at most epsilon = 1, Laplace noise; wanted is 1 - gamma",
        table,
        "law of the change",
    )
    return {}


def _change_of_loss_one(scales: Any, weight: Any, root: Callable[..., float]) -> float:
    inverse = weight / scales

    def excess(log_change: float) -> float:
        with np.errstate(all="ignore"):
            far = np.sum(np.exp(-exp(log_change) / scales) * inverse)
        return log(np.sum(inverse)) - (log(far) if far > 0 else -np.inf) - 1

    low, high = -10.0, 60.0
    return exp(root(lambda x: min(excess(x), 1e6), low, high))


# --- sensitivities --------------------------------------------------------------------------------


def exponential(rng: np.random.Generator, count: int) -> np.ndarray:
    """Loan default times of Example 6."""
    return rng.exponential(size=count)


def stack_mean(stack: np.ndarray) -> np.ndarray:
    """The mean of every database of a stack."""
    return stack.mean(axis=1)


def mean(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Figure 4: the mean of exponential records, n = 100, sampled against the closed form."""
    n, repeats = 100, 50
    gammas = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    table: Table = {"exact quantile": {g: log(1 / g) / n for g in gammas}}
    for rule, m in (("two-level", None), ("two-level", 2000), ("paper", None)):
        simulated: dict[float, float] = {}
        expected: dict[float, float] = {}
        for g in gammas:
            point = size(rule, g, m)
            if point.m * repeats * n > (4e8 if full else 6e7):
                continue
            found = [_mean_sensitivity(n, rule, g, m) for _ in range(repeats)]
            simulated[g] = float(np.mean(found))
            # E G_(k) = sum of 1/i over i = m-k+1 .. m, over n
            expected[g] = sum(1 / i for i in range(point.m - point.k + 1, point.m + 1)) / n
        name = f"{rule}, " + ("least m" if m is None else f"m={m}")
        table[f"{name}, simulated"] = simulated
        table[f"{name}, expected"] = expected
    show(
        f"Sensitivity of the mean of {n} exponential records (Figure 4), mean of {repeats} runs "
        "and the expectation of the order statistic in closed form; the exact quantile of the "
        "change is log(1/gamma)/n",
        table,
        "gamma",
    )
    return {"figure4": (table, "gamma", "sensitivity")}


def _mean_sensitivity(n: int, rule: str, gamma: float, m: int | None) -> float:
    sampler = ln.SensitivitySampler(
        stack_mean,
        draw_record=exponential,
        n=n,
        gamma=str(gamma),
        m=m,
        guarantee=rule,
        batch=True,
    )
    return float(sampler.estimate())


def svm(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Figure 5: n = 1000, C = 3, m = 1500, l1 norm of (w, b), with bootstrap standard errors."""
    n, m = 1000, 1500
    gammas = (0.01, 0.05, 0.1, 0.2)
    table: Table = {"global bound": {}}
    skipped: dict[Any, float] = {}
    errors: Table = {}
    for dimension in (8, 16, 32, 64):
        sampler = svm_sampler(dimension, n, gamma="0.05", m=m)
        sampler.estimate()
        table["global bound"][dimension] = svm_bound(dimension, n)
        for g in gammas:
            for rule in ("two-level", "marginal"):
                name = f"{rule} {g}"
                k = size(rule, g, m).k
                table.setdefault(name, {})[dimension] = float(sampler.changes[k - 1])
                errors.setdefault(name, {})[dimension] = _bootstrap(sampler.changes, k)
        zero = float((sampler.changes == 0).mean())
        skipped[dimension] = zero
    shown = {name: row for name, row in table.items() if not name.startswith("marginal")}
    show(
        f"Sensitivity of (w, b) of a linear SVM in the l1 norm (Figure 5), n = {n}, C = 3, "
        f"m = {m} pairs; ± is one standard error, by drawing the pairs again",
        {**shown, "share of pairs without change": skipped},
        "d",
        errors,
    )
    return {"figure5": (table, "dimension", "sensitivity in l1")}


def _bootstrap(changes: np.ndarray, k: int) -> float:
    """The standard error of the k-th smallest change, by drawing the pairs again."""
    rng = np.random.default_rng(0)
    drawn = np.sort(rng.choice(changes, (2000, len(changes))), axis=1)
    return float(drawn[:, k - 1].std(ddof=1))


def bounded(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Figure 9: the mean of 500 uniform records on [0, 1]^d, sampled against global, l1."""
    n = 500
    table: Table = {"global": {}}
    for dimension in (1, 4, 16, 64):
        table["global"][dimension] = dimension / n
        for g in (0.01, 0.05, 0.2):
            sampler = ln.SensitivitySampler(
                stack_mean,
                draw_record=partial(uniform_records, dimension=dimension),
                n=n,
                gamma=str(g),
                batch=True,
            )
            table.setdefault(f"two-level {g}", {})[dimension] = float(sampler.estimate())
    show(
        f"Sensitivity of the mean of {n} uniform records in [0, 1]^d, l1 (Figure 9), one run each",
        table,
        "d",
    )
    return {"figure9": (table, "dimension", "sensitivity in l1")}


# --- errors ---------------------------------------------------------------------------------------

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


def error(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Figure 6: misclassification of a private SVM by epsilon, d = 2, gamma = 0.05."""
    n, C, dimension, repeats = 1000, 3.0, 2, 500 if full else 100
    sampler = svm_sampler(dimension, n, gamma="0.05", m=1500)
    sampled, bound = float(sampler.estimate()), svm_bound(dimension, n)
    rng = np.random.default_rng(5)
    test = svm_pair.draw_records(rng, 2000, dimension)
    table: Table = {"sampled sensitivity": {}, "global sensitivity": {}, "not private": {}}
    fits = [svm_pair.fit(svm_pair.draw_records(rng, n, dimension), C) for _ in range(repeats)]

    def wrong(solutions: np.ndarray) -> float:
        scores = test[:, :-1] @ solutions[:, :-1].T + solutions[:, -1]
        return float((scores * test[:, -1:] <= 0).mean())

    exact = np.array(fits)
    for epsilon in EPSILONS:
        for name, delta in (("sampled sensitivity", sampled), ("global sensitivity", bound)):
            noise = rng.laplace(scale=delta / epsilon, size=exact.shape)
            table[name][epsilon] = wrong(exact + noise)
        table["not private"][epsilon] = wrong(exact)
    show(
        f"Misclassification of a private SVM (Figure 6), d = 2, gamma = .05, {repeats} fits, "
        f"sampled sensitivity {sampled:.3g} against a global {bound:.3g}",
        table,
        "epsilon",
    )
    return {"figure6": (table, "epsilon", "misclassification")}


def curve(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Figure 7: a density by the Bernstein mechanism, k = 10, h = 3, 5,000 records."""
    n, repeats = 5000, 1000 if full else 200
    bernstein = ln.Bernstein(lattice=10, order=3)
    paper = ln.Bernstein(lattice=10, order=3, noise="laplace")
    grid = bernstein.grid[:, 0]
    m = 50_000 if full else 2000
    sampled: dict[float, Fraction] = {}
    for g in (0.01, 0.1):
        sampler = ln.SensitivitySampler(
            partial(density, points=grid),
            draw_record=curve_records,
            n=n,
            pair=partial(density_pair, points=grid),
            norm="linf",
            gamma=str(g),
            m=m,
        )
        sampled[g] = sampler.estimate().sensitivity
    whole = whole_density()
    records = curve_records(np.random.default_rng(9), n)
    values, y = density(records, grid), np.linspace(0, 1, 201)
    truth = density(records, y)
    table: Table = {"operator alone": {}}
    source = HashedBits(b"curve")
    step = Fraction(1, 2**40)
    settings = [("global", whole)] + [(f"sampled {g}", s) for g, s in sampled.items()]
    for epsilon in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0):
        table["operator alone"][epsilon] = _gap(bernstein.polynomial(values)(y), truth)
        for name, sensitivity in settings:
            for kind, mechanism in (("linf", bernstein), ("laplace", paper)):
                draw = vector_noise(mechanism, 11, sensitivity / step + 1, Fraction(str(epsilon)))
                gaps = []
                for _ in range(repeats):
                    noisy = values + np.array(draw(source)) * float(step)
                    gaps.append(_gap(mechanism.polynomial(noisy)(y), truth))
                table.setdefault(f"{name}, {kind}", {})[epsilon] = float(np.mean(gaps))
    show(
        f"Largest error of a density of {n} records by the Bernstein mechanism (Figure 7), "
        f"k = 10, h = 3, m = {m}, mean of {repeats}",
        table,
        "epsilon",
    )
    return {"figure7": (table, "epsilon", "sup error")}


def _gap(found: np.ndarray, truth: np.ndarray) -> float:
    return float(np.abs(found - truth).max())


# --- speed ----------------------------------------------------------------------------------------


def speed(full: bool) -> dict[str, tuple[Table, str, str]]:
    """Ratios in one run: the SVM against a plain joblib loop, a mean against bare numpy."""
    _speed_of_means()
    _speed_of_svms(1500 if full else 300)
    return {}


def _speed_of_means() -> None:
    n, m = 1000, 50_000
    best: dict[str, float] = {}
    for _ in range(3):
        sampler = ln.SensitivitySampler(
            stack_mean, draw_record=exponential, n=n, gamma="0.05", m=m, batch=True
        )
        start = time.process_time()
        sampler.estimate(show_progress=False)
        best["ours"] = min(best.get("ours", 1e9), time.process_time() - start)
        rng = np.random.default_rng()
        start = time.process_time()
        for begin in range(0, m, 1000):  # bare numpy: the same draws and the same means
            stack = rng.exponential(size=(min(1000, m - begin), n + 1))
            first = stack[:, :n].mean(axis=1)
            second = np.concatenate([stack[:, : n - 1], stack[:, n:]], axis=1).mean(axis=1)
            np.abs(first - second)
        best["numpy"] = min(best.get("numpy", 1e9), time.process_time() - start)
    ratio = best["ours"] / best["numpy"]
    tracemalloc.start()
    ln.SensitivitySampler(
        stack_mean, draw_record=exponential, n=n, gamma="0.05", m=m, batch=True
    ).estimate(show_progress=False)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(
        f"\nmean of n = {n}, m = {m}: {best['ours']:.2f} s CPU, bare numpy {best['numpy']:.2f} s, "
        f"ratio {ratio:.2f}; peak memory {peak:.0f} MiB, all pairs at once would take "
        f"{2 * 8 * n * m / 2**20:.0f} MiB"
    )


def plain_pair(seed: int, n: int, dimension: int, C: float) -> float:
    """One pair with scikit-learn, as one would write it."""
    from sklearn.svm import SVC

    rng = np.random.default_rng(seed)
    drawn = svm_pair.draw_records(rng, n + 1, dimension)
    found = []
    for rows in (drawn[:n], np.concatenate([drawn[: n - 1], drawn[n:]])):
        model = SVC(kernel="linear", C=C / n).fit(rows[:, :-1], rows[:, -1])
        found.append(np.append(model.coef_[0], model.intercept_))
    return float(np.abs(found[0] - found[1]).sum())


def _speed_of_svms(m: int) -> None:
    """In time on the clock with two workers, and in CPU time with one: the latter is steadier."""
    import joblib

    n, C, dimension, workers = 1000, 3.0, 8, 2
    loop = joblib.Parallel(n_jobs=workers)
    loop(joblib.delayed(plain_pair)(i, n, dimension, C) for i in range(8))  # start the workers

    def plain() -> None:
        loop(joblib.delayed(plain_pair)(i, n, dimension, C) for i in range(m))

    def alone() -> None:
        for i in range(m):
            plain_pair(i, n, dimension, C)

    def ours(workers: int) -> None:
        sampler = svm_sampler(dimension, n, gamma="0.05", m=m, workers=workers)
        sampler.estimate(show_progress=False)

    for name, clock, theirs, count in (
        ("on the clock, 2 workers", time.perf_counter, plain, workers),
        ("CPU, 1 worker", time.process_time, alone, 1),
    ):
        best = [float("inf")] * 2
        for _ in range(2):
            for k, run in enumerate((partial(ours, count), theirs)):
                start = clock()
                run()
                best[k] = min(best[k], clock() - start)
        print(
            f"SVM, d = 8, m = {m}, {name}: {best[0]:.2f} s, plain joblib loop over scikit-learn "
            f"fits {best[1]:.2f} s: {best[1] / best[0]:.2f} times as fast"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process {peak:.0f} MiB")


# --- output ---------------------------------------------------------------------------------------

PARTS = {
    "sizes": sizes,
    "literal": literal,
    "mean": mean,
    "svm": svm,
    "error": error,
    "curve": curve,
    "bounded": bounded,
    "speed": speed,
}


def draw(folder: Path, name: str, table: Table, x: str, y: str) -> None:
    """One figure, in the style of ``leastnoise.plots``."""
    from leastnoise import plots

    axes = plots.error_against_epsilon(table, title=f"Sensitivity sampler: {name}")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.figure.savefig(folder / f"{name}.svg", bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    kept: dict[str, Table] = {}
    for name in asked.parts or PARTS:
        for figure, (table, x, y) in PARTS[name](asked.full).items():
            kept[figure] = table
            if asked.out is not None:
                asked.out.mkdir(parents=True, exist_ok=True)
                draw(asked.out, figure, table, x, y)
    if asked.out is not None:
        (asked.out / "numbers.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
