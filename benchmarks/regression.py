"""What the private regressions reach: the papers' simulations, real houses, other libraries.

    python benchmarks/regression.py PART [--runs N] [--epsilons E ...] [--data FOLDER]

PART: logistic, coverage, balls, robust, draw, sgd, housing, ridge, peer, growth, speed. Prints one
table. Fits are simulated releases (a seeded stream), so nothing is charged. "housing" needs the
data folder; "peer" needs --peer, the interpreter of an environment of its own with diffprivlib,
``pip install diffprivlib==0.6.6 "scikit-learn<1.6" "numpy<2.2"``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise.estimators import (
    PrivateLinearRegression,
    PrivateLogisticRegression,
    PrivateRobustRegression,
)
from leastnoise.reproduce import (
    linear_regression,
    logistic_regression,
    private_sgd,
    robust_regression,
)
from leastnoise.reproduce.panels import Settings
from leastnoise.testing import simulate

BETA = logistic_regression.TRUTH
BALLS = ("l1", "linf", "paper", "tri", "cycles", "cone", "sdp")


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """Print a Markdown table."""
    names = list(head)
    print("| " + " | ".join(names) + " |")
    print("|---" * len(names) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def middle(values: list[float], digits: int = 4) -> str:
    """The median with its standard error (by order statistics)."""
    x = np.sort(values)
    n = len(x)
    spread = (x[min(n - 1, round(n / 2 + n**0.5 / 2))] - x[max(0, round(n / 2 - n**0.5 / 2))]) / 2
    return f"{np.median(x):.{digits}f} ± {spread:.{digits}f}"


def paired(ours: list[float], theirs: list[float]) -> str:
    """The mean paired difference over its standard error, negative where ours is better."""
    gap = np.array(ours) - np.array(theirs)
    return f"{gap.mean() / (gap.std(ddof=1) / len(gap) ** 0.5):+.1f}"


def logistic(runs: int, epsilons: list[str] | None = None) -> None:
    """Figure 3: median distance to the truth, n = 10,000, m = 7."""
    options: dict[str, dict[str, Any]] = {
        "l1, q = .5": {"ball": "l1", "accountant": "split"},
        "l2, q = .5": {"ball": "l2", "accountant": "split"},
        "linf, q = .5": {"ball": "linf", "accountant": "split"},
        "linf, q = .85": {"ball": "linf", "accountant": "split", "q": "0.85"},
        "joint, uncorrected": {"correct": False},
        "default": {},
    }
    rows = []
    for epsilon in epsilons or ["1/64", "1/16", "1/4", "1", "2"]:
        found: dict[str, list[float]] = {name: [] for name in options}
        rng = np.random.default_rng(1)
        for run in range(runs):
            X, y = logistic_regression.draw(rng)
            for name, chosen in options.items():
                model = PrivateLogisticRegression(
                    epsilon, bounds=(-1, 1), classes=[0, 1], C=np.inf, fit_intercept=False, **chosen
                )
                with simulate(run):
                    found[name].append(float(np.linalg.norm(model.fit(X, y).coef_[0] - BETA)))
        cells = [middle(values) for values in found.values()]
        rows.append([epsilon, *cells, paired(found["default"], found["linf, q = .85"])])
    table(["epsilon", *options, "default - (linf, .85), in standard errors"], rows)


def coverage(runs: int, epsilons: list[str] | None = None) -> None:
    """Figure 4: share of coefficients in the 95 % interval, p = 5, n = 10,000, |Y| cut to 6."""
    p, n = 5, 10_000
    beta = np.linspace(-1.5, 1.5, p)
    variants: dict[str, dict[str, Any]] = {
        f"{ball}, pinv": {"ball": ball, "ridge": "pinv"} for ball in BALLS if ball != "cycles"
    } | {"default": {}}
    rows = []
    for epsilon in epsilons or ["1/4", "1", "4"]:
        found: dict[str, list[float]] = {name: [] for name in variants}
        rng = np.random.default_rng(2)
        for run in range(runs):
            X = rng.uniform(-1, 1, (n, p))
            y = X @ beta + rng.normal(size=n)
            fit, deviation = linear_regression.interval(X, y)
            for name, chosen in variants.items():
                model = PrivateLinearRegression(
                    epsilon, bounds=(-1, 1), target_bounds=(-6, 6), **chosen
                )
                with simulate(run):
                    gap = np.abs(model.fit(X, y).coef_ - fit[1:])
                found[name].append(float((gap < 1.96 * deviation[1:]).mean()))
        rows.append(
            [
                epsilon,
                *(f"{np.mean(v):.3f} ± {np.std(v) / len(v) ** 0.5:.3f}" for v in found.values()),
            ]
        )
    table(["epsilon", *variants], rows)


def balls(runs: int) -> None:
    """Noise and cost of every ball by the number of features."""
    from leastnoise.geometry import MomentCone, MomentSpace, moment_ball
    from leastnoise.randomness import HashedBits

    rows = []
    few, many = ("linf", "paper", "blocks", "cone"), BALLS
    for p, kinds in ((1, many), (3, many), (5, many), (8, few), (12, few)):
        for kind in kinds:
            space = MomentSpace(p + 1, tuple(range(p)))
            ball: Any = MomentCone(space) if kind == "cone" else moment_ball(kind, space)
            source = HashedBits(b"balls")
            start = time.process_time()
            draws = np.array([ball.noise(Fraction(1), source).floats() for _ in range(runs)])
            cost = (time.process_time() - start) / runs
            cross = draws[:, p + 1 + p :]
            rows.append([p, kind, f"{np.sqrt((cross**2).mean()):.1f}", f"{cost * 1e3:.1f} ms"])
    table(["features", "ball", "RMS noise of a product at epsilon = 1", "one draw"], rows)


def robust(runs: int) -> None:
    """Exact mean error to the non-private estimate, n = 1000, coefficient in [-10, 10]."""
    import leastnoise as ln

    rows = []
    for relation in ("add-remove", "replace-one"):
        for alpha in ("0.5", "1"):
            cells = []
            for epsilon in ("0.1", "1"):
                errors = []
                rng = np.random.default_rng(3)
                for _ in range(runs):
                    x, y, _ = robust_regression.draw(rng)
                    model = PrivateRobustRegression(
                        epsilon, bounds=(-2, 2), coef_bounds=(-10, 10), alpha=alpha,
                        relation=relation,
                    )  # fmt: skip
                    profile = model.profile(x, y)
                    law = ln.PiecewiseLaplace().law(profile, epsilon)
                    errors.append(law.mean_absolute_error(centre=profile.value * profile.unit))
                cells.append(f"{np.mean(errors):.5f} ± {np.std(errors) / runs**0.5:.5f}")
            rows.append([relation, alpha, *cells])
    table(["relation", "alpha", "epsilon = .1", "epsilon = 1"], rows)


def draw(runs: int) -> None:
    """What one robust coefficient costs, n = 1000, coefficient in [-10, 10], epsilon = .1."""
    import leastnoise as ln
    from leastnoise.randomness import SystemBits

    def spent(step: Callable[[], object]) -> str:
        times: list[float] = []
        for _ in range(runs):
            start = time.process_time()
            step()
            times.append(1e3 * (time.process_time() - start))
        return f"{min(times):.2f} ({np.median(times):.2f}) ms"

    rows = []
    x, y, _ = robust_regression.draw(np.random.default_rng(4))
    source = SystemBits()
    for relation in ("add-remove", "replace-one"):
        model = PrivateRobustRegression(
            "0.1", bounds=(-2, 2), coef_bounds=(-10, 10), relation=relation
        )

        def law(model: Any = model) -> Any:
            return ln.PiecewiseLaplace().law(model.profile(x, y), "0.1")

        known = law()
        rows.append(
            [
                relation,
                spent(lambda model=model: model.fit(x, y)),
                spent(lambda law=law: law().draw(source)),
                spent(lambda known=known: known.draw(source)),
            ]
        )
    head = ["relation", "a fit, checks and record included", "its draw, with the levels read"]
    table([*head, "another draw of the same law"], rows)


def sgd(runs: int) -> None:
    """Figure 3: our error beside private SGD, its step size chosen to its advantage."""
    alpha = 1.0
    rows = []
    for epsilon in (0.1, 0.3, 1.0):
        ours = []
        data = [robust_regression.draw(np.random.default_rng(100 + run)) for run in range(runs)]
        for run, (x, y, truth) in enumerate(data):
            model = PrivateRobustRegression(epsilon, bounds=(-2, 2), coef_bounds=(-10, 10),
                                            alpha=alpha, relation="add-remove")  # fmt: skip
            with simulate(run):
                ours.append(abs(float(model.fit(x, y).coef_[0]) - truth))
        best, how = np.inf, "not possible"
        x, y = np.stack([one[0][:, 0] for one in data]), np.stack([one[1] for one in data])
        truths = np.array([one[2] for one in data])[:, None]
        for q in robust_regression.SHARES:
            count = private_sgd.most_steps(epsilon, q)
            if not count:
                continue
            found = private_sgd.descend(x, y, q, alpha, [count], [5, round(1000 * q)])[0]
            errors = np.median(np.abs(found - truths), axis=0)
            if errors.min() < best:
                best, rate = float(errors.min()), private_sgd.RATES[int(errors.argmin())]
                how = f"q = {q}, rate {rate}, {count} steps"
        theirs = f"{best:.4f}" if np.isfinite(best) else "-"
        rows.append([epsilon, f"{np.median(ours):.4f}", theirs, how])
    table(["epsilon", "ours, pure", "private SGD, delta = 1e-5", "its best setting"], rows)


FEWER = {"cycles": 2, "sdp": 2}  # balls that are dear to draw from: half of the runs
HOUSES_AT = ("1/8", "1/4", "1/2", "1", "2", "4")


class Refits:
    """Fits of one table with any noise: exact sums once, as the estimator adds and solves them.

    Noise at epsilon is the noise at 1 divided by epsilon, in law, so one set of draws serves every
    epsilon and every table.
    """

    def __init__(self, X: Any, y: Any) -> None:
        from leastnoise.estimators import moments
        from leastnoise.geometry import MomentSpace

        self.moments = moments
        self.space = MomentSpace(X.shape[1] + 1, tuple(range(X.shape[1])))
        lattice = np.rint(np.column_stack([X, y]) * 2.0**moments.BITS) / 2.0**moments.BITS
        sums = moments.exact_sums(lattice, np.ones(len(X), dtype=np.bool_))
        self.count = len(X)
        self.sums = np.array(moments.moment_vector(sums, self.space)) * moments.UNIT
        self.sums = self.sums.astype(np.float64)
        self.fit = np.linalg.lstsq(np.insert(X, 0, 1, axis=1), y, rcond=None)[0]
        self._check(X, y)

    def solved(self, noisy: Any, kind: str, epsilon: Fraction, ridge: Any) -> Any:
        """Intercept and coefficients from a noisy vector."""
        made = self.moments.from_vector(noisy, self.count, self.space)
        if ridge == "pinv":
            return self.moments.solve_pseudo(made, intercept=True)
        size = self.moments.noise_size(kind, self.space, epsilon, alone=False)
        given = None if ridge == "auto" else float(ridge) * size
        return self.moments.solve(made, given, size, intercept=True)

    def gaps(self, noise: Any, kind: str, epsilon: str, ridge: Any) -> list[float]:
        """Distances to least squares, one for each draw of the noise."""
        e = Fraction(epsilon)
        noisy = (self.sums + one / float(e) for one in noise)
        found = (self.solved(one, kind, e, ridge) for one in noisy)
        return [float(np.linalg.norm(one - self.fit)) for one in found]

    def _check(self, X: Any, y: Any) -> None:
        """Stop unless this gives what a fit of the estimator gives for the moments it released."""
        for ridge in ("auto", "pinv"):
            model = PrivateLinearRegression(
                1, bounds=[(-1, 1)] * X.shape[1], target_bounds=(-1, 1), ball="tri", ridge=ridge,
                mechanism="moments", intervals=False,
            )  # fmt: skip
            with simulate(1):
                model.fit(X, y)
            m = self.space.columns + 1
            released = model.moments_
            squares = [2 * released[j, j] - self.count for j in range(1, m - 1)]
            pairs = [released[j, k] for j in range(1, m) for k in range(j + 1, m)]
            found = self.solved([*released[0, 1:], *squares, *pairs], "tri", Fraction(1), ridge)
            same = np.allclose(found, np.append(model.intercept_, model.coef_), rtol=1e-6)
            if not same:
                raise SystemExit("the shortcut is not the estimator")


def noise_of(kind: str, features: int, runs: int) -> Any:
    """Draws of the noise of a ball or the cone at epsilon = 1."""
    from leastnoise.geometry import MomentCone, MomentSpace, moment_ball
    from leastnoise.randomness import HashedBits

    space = MomentSpace(features + 1, tuple(range(features)))
    ball: Any = MomentCone(space) if kind == "cone" else moment_ball(kind, space)
    source = HashedBits(kind.encode())
    drawn = [ball.noise(Fraction(1), source).floats() for _ in range(runs // FEWER.get(kind, 1))]
    return np.array(drawn)


def whole(X: Any, y: Any, fit: Any, epsilon: str, runs: int) -> list[float]:
    """Distances of fits by default to least squares."""
    gaps = []
    for run in range(runs):
        model = PrivateLinearRegression(epsilon, bounds=(-1, 1), target_bounds=(-1, 1))
        with simulate(run):
            model.fit(X, y)
        gaps.append(float(np.linalg.norm(np.append(model.intercept_, model.coef_) - fit)))
    return gaps


def housing(runs: int, folder: Path) -> None:
    """Figure 5: median distance to the least-squares fit, and the same as a picture."""
    noise = {kind: noise_of(kind, 5, runs) for kind in BALLS}
    drawn: dict[str, dict[str, list[float]]] = {}
    for one in linear_regression.houses(Settings(data=folder)):
        if one.name == "synthetic":
            continue
        refits = Refits(one.X, one.y)
        name = one.name.replace("-", " ").title()
        length = np.linalg.norm(refits.fit)
        print(f"\n{name}, n = {len(one.X)}, length of the fit {length:.2f}\n")
        variants = {kind: (kind, "pinv") for kind in BALLS} | {"sdp, ridge": ("sdp", "auto")}
        found = {
            variant: [refits.gaps(noise[kind], kind, e, ridge) for e in HOUSES_AT]
            for variant, (kind, ridge) in variants.items()
        }
        found["default"] = [whole(one.X, one.y, refits.fit, e, runs // 6) for e in HOUSES_AT]
        rows = [
            [epsilon, *(middle(found[v][i], 3) for v in found)]
            for i, epsilon in enumerate(HOUSES_AT)
        ]
        table(["epsilon", *found], rows)
        drawn[name] = {v: [float(np.median(g)) for g in found[v]] for v in found}
    picture(drawn, HOUSES_AT)


def designs() -> dict[str, tuple[Any, Any]]:
    """Tables of five features in [-1, 1]: clear and drowned, spread and narrow."""
    rng = np.random.default_rng(6)
    weights = np.array([0.5, -0.3, 0.2, 0.4, -0.1])
    alike = np.linalg.cholesky(0.9 ** np.abs(np.subtract.outer(range(5), range(5))))
    features = {
        "uniform": rng.uniform(-1, 1, (10_000, 5)),
        "few rows": rng.uniform(-1, 1, (500, 5)),
        "correlated .9": np.clip(rng.normal(size=(5_000, 5)) @ alike.T * 0.3, -1, 1),
        "narrow": rng.uniform(0, 0.6, (3_000, 5)),
        "no effect": rng.uniform(-1, 1, (5_000, 5)),
    }
    return {
        name: (X, np.clip(X @ (weights * (name != "no effect")) + rng.normal(size=len(X)) / 10,
                          -1, 1))
        for name, X in features.items()
    }  # fmt: skip


def ridge(runs: int) -> None:
    """How the noisy equations are solved: median distance to least squares, noise of "sdp"."""
    noise = noise_of("sdp", 5, FEWER["sdp"] * runs)
    rules = {"pseudo-inverse": "pinv", "ridge of one noise": 1.5, "fitted ridge (default)": "auto"}
    rows = []
    for name, (X, y) in designs().items():
        refits = Refits(X, y)
        for epsilon in ("1/16", "1/4", "1", "4"):
            cells = [middle(refits.gaps(noise, "sdp", epsilon, rule)) for rule in rules.values()]
            rows.append([name, len(X), epsilon, *cells])
    table(["design", "n", "epsilon", *rules], rows)


def picture(drawn: dict[str, dict[str, list[float]]], epsilons: tuple[str, ...]) -> None:
    """docs/assets/regression-housing.svg."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "leastnoise"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(drawn), figsize=(9, 3.6), layout="constrained")
    x = [float(Fraction(e)) for e in epsilons]
    for axis, (name, curves) in zip(axes, drawn.items(), strict=True):
        for ball, values in curves.items():
            axis.loglog(x, values, marker="o", markersize=3, label=ball)
        axis.set(title=name, xlabel="epsilon", ylabel="median distance to least squares")
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=8)
    path = Path(__file__).resolve().parents[1] / "docs" / "assets" / "regression-housing.svg"
    figure.savefig(path, metadata={"Date": None})


PEER = """
import json, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
from diffprivlib.models import LinearRegression, LogisticRegression
asked = json.load(open(sys.argv[1]))
found = []
for one in asked:
    data = np.load(one["file"])
    X, y, scale, eps = data["X"], data["y"], float(data["scale"]), one["epsilon"]
    if one["kind"] == "linear":
        model = LinearRegression(epsilon=eps, bounds_X=(-1, 1), bounds_y=(-scale, scale))
    else:
        model = LogisticRegression(epsilon=eps, data_norm=X.shape[1] ** 0.5, C=1.0, max_iter=1000)
    model.fit(X, y)
    found.append([float(v) for v in np.r_[np.ravel(model.intercept_), np.ravel(model.coef_)]])
json.dump(found, open(sys.argv[2], "w"))
"""


def peer(runs: int, python: str) -> None:
    """The same data, limits and epsilon in diffprivlib, distance to the non-private fit."""
    from sklearn.linear_model import LinearRegression, LogisticRegression

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked: list[dict[str, Any]] = []
        ours: list[float] = []
        fits: list[Any] = []
        cells: list[tuple[str, int, int, float]] = []
        for kind in ("linear", "logistic"):
            for n, d in ((1000, 2), (5000, 4)):
                for run in range(runs):
                    rng = np.random.default_rng([n, d, run])
                    X = rng.uniform(-1, 1, (n, d))
                    odds = X @ np.linspace(-1, 1.5, d) + 0.3
                    if kind == "linear":
                        y = np.clip(odds + rng.normal(size=n) / 2, -4, 4)
                        plain: Any = LinearRegression().fit(X, y)
                    else:
                        y = (rng.uniform(size=n) < 1 / (1 + np.exp(-odds))).astype(int)
                        plain = LogisticRegression(max_iter=1000).fit(X, y)
                    fit = np.r_[np.ravel(plain.intercept_), np.ravel(plain.coef_)]
                    file = folder / f"{kind}-{n}-{d}-{run}.npz"
                    np.savez(file, X=X, y=y, scale=4.0)
                    for epsilon in (0.1, 1.0, 10.0):
                        model: Any = (
                            PrivateLinearRegression(epsilon, bounds=(-1, 1), target_bounds=(-4, 4))
                            if kind == "linear"
                            else PrivateLogisticRegression(epsilon, bounds=(-1, 1), classes=[0, 1])
                        )
                        with simulate(run):
                            model.fit(X, y)
                        got = np.r_[np.ravel(model.intercept_), np.ravel(model.coef_)]
                        ours.append(float(np.linalg.norm(got - fit)))
                        fits.append(fit)
                        cells.append((kind, n, d, epsilon))
                        asked.append({"kind": kind, "file": str(file), "epsilon": epsilon})
        (folder / "asked.json").write_text(json.dumps(asked))
        (folder / "peer.py").write_text(PEER)
        arguments = [folder / "peer.py", folder / "asked.json", folder / "found.json"]
        subprocess.run([python, *arguments], check=True)
        released = json.loads((folder / "found.json").read_text())
    theirs = [
        float(np.linalg.norm(np.array(r) - fit)) for r, fit in zip(released, fits, strict=True)
    ]
    rows = []
    for cell in dict.fromkeys(cells):
        places = [i for i, other in enumerate(cells) if other == cell]
        mine, other = [ours[i] for i in places], [theirs[i] for i in places]
        ratio = np.median(mine) / np.median(other)
        rows.append([*cell, middle(mine), middle(other), f"{ratio:.2f}", paired(mine, other)])
    head = ["model", "n", "features", "epsilon", "ours", "diffprivlib", "ratio"]
    table([*head, "paired difference in standard errors"], rows)


def growth(runs: int) -> None:
    """Errors fall in epsilon and in n."""
    makers: dict[str, Callable[[Any], Any]] = {
        "linear": lambda e: PrivateLinearRegression(e, bounds=(-1, 1), target_bounds=(-4, 4)),
        "logistic": lambda e: PrivateLogisticRegression(e, bounds=(-1, 1), classes=[0, 1]),
        "robust": lambda e: PrivateRobustRegression(e, bounds=(-1, 1), coef_bounds=(-9, 9)),
    }
    rows = []
    for name, maker in makers.items():
        for n in (500, 2000, 8000):
            cells = []
            for epsilon in ("0.1", "1", "10"):
                errors = []
                for run in range(runs):
                    rng = np.random.default_rng(run)
                    X = rng.uniform(-1, 1, (n, 1 if name == "robust" else 2))
                    odds = X @ np.array([1.0, -1.0])[: X.shape[1]]
                    y: Any = odds + rng.normal(size=n) / 2
                    if name == "logistic":
                        y = (rng.uniform(size=n) < 1 / (1 + np.exp(-odds))).astype(int)
                    with simulate(run):
                        found = maker(epsilon).fit(X, y)
                    truth = np.array([1.0, -1.0])[: X.shape[1]]
                    errors.append(float(np.linalg.norm(np.ravel(found.coef_) - truth)))
                cells.append(middle(errors))
            rows.append([name, n, *cells])
    table(["model", "n", "epsilon = .1", "epsilon = 1", "epsilon = 10"], rows)


def speed(runs: int) -> None:
    """CPU time of a fit over scikit-learn's own, on one thread, and the memory beside it."""
    import tracemalloc

    from sklearn.linear_model import HuberRegressor, LinearRegression, LogisticRegression
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)  # the time of threads that wait would count
    rows = []
    for n in (10_000, 1_000_000):
        rng = np.random.default_rng(0)
        X = rng.uniform(-1, 1, (n, 5))
        y = X @ np.linspace(-1, 1, 5) + rng.normal(size=n)
        label = (y > 0).astype(int)
        linear = PrivateLinearRegression(bounds=(-1, 1), target_bounds=(-5, 5), ball="tri")
        chosen = PrivateLogisticRegression(bounds=(-1, 1), classes=[0, 1])
        one = PrivateRobustRegression(bounds=(-1, 1), coef_bounds=(-9, 9))
        pairs: list[tuple[str, Any, Any, Any, Any]] = [
            ("linear, tri", linear, LinearRegression(), X, y),
            ("logistic", chosen, LogisticRegression(), X, label),
            ("robust, one coefficient", one, HuberRegressor(fit_intercept=False), X[:, :1], y),
        ]
        for name, ours, theirs, features, target in pairs:
            times: list[float] = []
            for model in (ours, theirs):
                best = np.inf
                for _ in range(max(1, runs)):
                    start = time.process_time()
                    model.fit(features, target)
                    best = min(best, time.process_time() - start)
                times.append(best)
            tracemalloc.start()
            ours.fit(features, target)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            spent = [f"{t * 1e3:.1f} ms" for t in times]
            share = f"{peak / features.nbytes:.1f}"
            rows.append([name, n, *spent, f"{times[0] / times[1]:.1f}", share])
    table(["model", "n", "ours", "scikit-learn", "ratio", "peak memory over that of X"], rows)


def main() -> None:
    """Run one part."""
    parts: dict[str, tuple[Callable[..., None], int]] = {
        "logistic": (logistic, 200), "coverage": (coverage, 200), "balls": (balls, 40),
        "robust": (robust, 100), "draw": (draw, 300), "sgd": (sgd, 30),
        "growth": (growth, 100), "speed": (speed, 3), "ridge": (ridge, 300),
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*parts, "housing", "peer"])
    parser.add_argument("--runs", type=int)
    parser.add_argument("--epsilons", nargs="+", help="for logistic and coverage")
    parser.add_argument("--peer", help="the interpreter that has diffprivlib")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    given = parser.parse_args()
    if given.part == "housing":
        housing(given.runs or 1000, given.data)
    elif given.part == "peer":
        if given.peer is None:
            parser.error("peer needs --peer PYTHON, an interpreter that has diffprivlib")
        peer(given.runs or 200, given.peer)
    else:
        function, runs = parts[given.part]
        options = {} if given.epsilons is None else {"epsilons": given.epsilons}
        function(given.runs or runs, **options)


if __name__ == "__main__":
    main()
