"""Exact expected errors on the data of Durfee (2024): variance, regression and classification.

    python benchmarks/paper_metrics.py [--samples 100] [--relation replace-one]

Figures 1 and 2 of the paper: samples of 1,000 records, epsilon from 0.1 to 2. Every number is the
mean over the samples of the exact mean absolute error of a law; nothing is simulated. "paper" is
the paper's mechanism, computed from its definition by quadrature: beta = 1.005, t_i = beta^i - 1,
exponential noise, shares e1 = e2, with three of its printed weaknesses already corrected (the exact
upper bound of a variance instead of Lemma 5.4, the depth rule instead of c = 100, the valid
budget). Models are fitted to rows that are never scored. The models are those of
``leastnoise.reproduce.metrics``. Needs the data folder ../shared/data and scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.reproduce import metrics
from leastnoise.reproduce.asymmetric_sensitivity import COLUMNS, sample
from leastnoise.reproduce.data import column
from leastnoise.reproduce.errors_by_epsilon import median_error
from leastnoise.reproduce.panels import Settings
from leastnoise.reproduce.printed import corrected_error

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
EPSILONS = ("0.1", "0.25", "0.5", "1", "2")
SETTINGS = Settings(data=DATA)
ROWS = metrics.ROWS
Case = tuple[str, Any, Callable[[int], Any]]


def mechanisms(relation: str) -> dict[str, Any]:
    """What is compared with the default."""
    laplace = ln.Laplace() if relation == "replace-one" else ln.LaplaceRatio()
    return {
        "Laplace": laplace,
        "inverse": ln.InverseSensitivity(),
    }


def spreads() -> Iterator[Case]:
    """Variances of five columns."""
    for name, (file, wanted, bounds) in COLUMNS.items():
        values = np.array(column(DATA / file, wanted))
        statistic = ln.Variance(bounds=bounds, missing="none")
        yield f"variance, {name}", statistic, partial(sample, values)


def of_the_paper(models: Iterator[metrics.Scored]) -> Iterator[metrics.Scored]:
    """Those of the paper's files."""
    return (one for one in models if not one.source.startswith("scikit-learn"))


def regressions() -> Iterator[Case]:
    """Squared and absolute errors of gradient-boosted trees."""
    for one in of_the_paper(metrics.regressions(SETTINGS)):
        yield f"MSE, {one.name}", ln.MeanSquaredError(bounds=one.bounds), one.pair
        yield f"MAE, {one.name}", ln.MeanAbsoluteError(bounds=one.bounds), one.pair


def classifications() -> Iterator[Case]:
    """Cross-entropies, from probabilities and from logits within the paper's bounds."""
    for one in of_the_paper(metrics.classifications(SETTINGS)):
        options = {} if one.labels is None else {"labels": one.labels}
        chances = replace(one, guess=one.chances)
        yield (
            f"cross-entropy, {one.name}, probabilities",
            ln.CrossEntropy(**options),
            chances.pair,
        )
        statistic = ln.CrossEntropy(logits=True, bounds=one.bounds, **options)
        yield f"cross-entropy, {one.name}, logits in {list(one.bounds)}", statistic, one.pair


def errors(profile: Any, statistic: Any, relation: str, rows: int) -> dict[str, list[float]]:
    """Mechanism by mechanism, one error an epsilon; "default" is what a release takes."""
    # the paper prints a cross-entropy as a sum, so its candidates are those of the sum
    scale = Fraction(1, rows) if isinstance(statistic, ln.CrossEntropy) else Fraction(1)
    found = {"paper": [corrected_error(profile, e, scale=scale) for e in EPSILONS]}
    chosen = {**mechanisms(relation), "default": None}
    for name, mechanism in chosen.items():
        if name == "Laplace" and profile.ratio is None:
            mechanism = ln.Laplace()
        row: list[float] = []
        for epsilon in EPSILONS:
            by = mechanism or statistic.settled_mechanism(relation)
            law = by.law(profile, epsilon)
            row.append(law.mean_absolute_error(centre=profile.value))
        found[name] = row
    return found


def job(task: tuple[str, Any, Any, str]) -> tuple[str, float, dict[str, list[float]]]:
    """One sample of one case."""
    name, statistic, data, relation = task
    profile = ln.profile(statistic, data, relation=relation)
    rows = len(data[0]) if isinstance(data, tuple) else len(data)
    return name, float(profile.value), errors(profile, statistic, relation, rows)


def collect(samples: int, relation: str, workers: int, wanted: list[str]) -> dict[str, Any]:
    """Errors of every case, mechanism and epsilon, one list entry a sample."""
    found: dict[str, Any] = {}
    groups = {"variance": spreads, "MSE, MAE": regressions, "cross-entropy": classifications}
    named = [g for g in groups if any(k in text for k in g.split(", ") for text in wanted)]
    with Pool(workers) as pool:
        for cases in (groups[g] for g in named or groups):  # models take time to fit
            for name, statistic, draw in cases():
                if not name.startswith(tuple(wanted)):
                    continue
                # a table of no more rows is its only sample
                several = samples if cases is spreads or len(draw(0)[0]) == ROWS else 1
                tasks = [(name, statistic, draw(i), relation) for i in range(several)]
                here = found.setdefault(name, {"value": [], "errors": {}})
                for _, value, rows in pool.imap(job, tasks):
                    here["value"].append(value)
                    for label, row in rows.items():
                        here["errors"].setdefault(label, []).append(row)
                show(name, here)
    return found


def unbounded(samples: int) -> None:
    """Median errors without bounds over those with the paper's bounds, each a mean of samples."""
    print("| median error without bounds / with bounds |" + "".join(f" {e} |" for e in EPSILONS))
    print("|---|" + "---|" * len(EPSILONS))
    for name, statistic, draw in regressions():
        found: list[Any] = []
        for i in range(samples):
            profiles = [ln.profile(s, draw(i)) for s in (type(statistic)(), statistic)]
            by = statistic.settled_mechanism("replace-one")
            laws = [[by.law(p, e) for e in EPSILONS] for p in profiles]
            found.append(
                [
                    [median_error(law, float(p.value), 10 * float(p.value)) for law in row]
                    for row, p in zip(laws, profiles, strict=True)
                ]
            )
        free, bounded = np.mean(found, axis=0)
        cells = " | ".join(f"{x:.2f}" for x in free / bounded)
        print(f"| {name} | {cells} |", flush=True)


def show(name: str, here: Any) -> None:
    """One table: the mean over samples, the smallest of each column in bold."""
    means = {label: np.mean(rows, axis=0) for label, rows in here["errors"].items()}
    best = np.min(list(means.values()), axis=0)
    print(f"\n## {name} (value {np.mean(here['value']):.4g})\n")
    print("| mechanism |" + "".join(f" {e} |" for e in EPSILONS))
    print("|---|" + "---|" * len(EPSILONS))
    for label, row in means.items():
        cells = (f"**{x:.3g}**" if x <= b else f"{x:.3g}" for x, b in zip(row, best, strict=True))
        print(f"| {label} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--relation", default="replace-one")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--only", nargs="*", default=[""], help="cases whose name begins with one of these"
    )
    parser.add_argument("--json", help="also write every sample's errors here")
    parser.add_argument("--unbounded", action="store_true", help="only data without bounds")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.unbounded:
        unbounded(options.samples)
        return
    found = collect(options.samples, options.relation, options.workers, options.only)
    if options.json:
        Path(options.json).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
