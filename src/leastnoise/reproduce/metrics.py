"""Durfee (2024), Figure 2 and section 6.2: private cross-entropy, squared and absolute errors.

Public models are fitted to rows that are never scored. The paper takes XGBoost, an MLP and a small
convolutional net; here they are scikit-learn's gradient boosting and its MLP (one layer of 128), of
which only the quality differs, not how their errors are released. Without the paper's files the
models are those of data that scikit-learn ships.
"""

from __future__ import annotations

import gzip
import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np

from leastnoise.errors import MissingDependencyError
from leastnoise.mechanisms import InverseSensitivity, Laplace, Mechanism
from leastnoise.profiles import exact
from leastnoise.reproduce.data import columns, features, need_sklearn, reading
from leastnoise.reproduce.errors_by_epsilon import EPSILONS, Error, exact_error, mean_errors
from leastnoise.reproduce.panels import Panel, Settings
from leastnoise.reproduce.printed import AS_PRINTED, CORRECTED, TOLD, corrected_error, printed_error
from leastnoise.session import profile
from leastnoise.statistics import CrossEntropy, MeanAbsoluteError, MeanSquaredError

ROWS = 1000
TARGETS = {
    "diamonds": ("diamonds.csv.gz", "price", (0, 50_000), ()),
    "abalone": ("abalone.csv.gz", "rings", (0, 50), ()),
    "bike": (
        "bike_sharing_hour.csv.gz",
        "cnt",
        (0, 5000),
        ("instant", "dteday", "casual", "registered"),
    ),
}
LABELS = {
    "adult": ("adult.csv.gz", "income", ">50K", ("split",)),
    "pima": ("pima_diabetes.csv.gz", "outcome", "1", ()),
}
PICTURES = {
    "mnist": tuple(
        f"mnist_{part}_{kind}.gz"
        for part in ("train", "test")
        for kind in ("images.idx3", "labels.idx1")
    ),
    "cifar10": ("cifar10_jpeg_subset.npz",),
}
DIGITS = (-25, 25)
Metric = CrossEntropy | MeanSquaredError | MeanAbsoluteError


@dataclass(frozen=True, slots=True)
class Scored:
    """Truth and guesses of a public model on rows that it was not fitted to."""

    name: str
    truth: Any
    guess: Any
    source: str
    bounds: tuple[int, int]
    labels: Any = None
    chances: Any = None
    model: str = ""

    def rows(self, seed: int) -> Any:
        """The rows of one sample, without replacement."""
        count = len(self.truth)
        return np.random.default_rng(seed).choice(count, min(ROWS, count), replace=False)

    def pair(self, seed: int) -> tuple[Any, Any]:
        """Truth and guesses of one sample."""
        rows = self.rows(seed)
        return self.truth[rows], self.guess[rows]


def halves(count: int, share: float = 0.5) -> tuple[Any, Any]:
    """Rows to fit to, and rows to score."""
    order = np.random.default_rng(0).permutation(count)
    cut = int(count * share)
    return order[:cut], order[cut:]


def regressions(settings: Settings) -> Iterator[Scored]:
    """Gradient-boosted trees for the paper's files, or for scikit-learn's diabetes data."""
    need_sklearn()
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import HistGradientBoostingRegressor

    trees = settings.pick(30, 100)
    found = [(name, settings.file(TARGETS[name][0])) for name in TARGETS]
    drawn: list[tuple[str, Any, Any, tuple[int, int], str]] = []
    for name, path in found:
        if path is None:
            continue
        file, target, bounds, without = TARGETS[name]
        table = columns(path)
        with reading(path):
            y = np.array(table[target], dtype=np.float64)
        drawn.append((name, features(table, (target, *without)), y, bounds, f"{file}, {target}"))
    x, y = cast("Any", load_diabetes)(return_X_y=True)
    drawn.append(("progression", x, y, (0, 400), "scikit-learn's diabetes data"))
    for name, x, y, bounds, source in drawn:
        fitted, scored = halves(len(y))
        model: Any = HistGradientBoostingRegressor(random_state=0, max_iter=trees)
        model.fit(x[fitted], y[fitted])
        guess, words = model.predict(x[scored]), _words(model, len(fitted), len(y))
        yield Scored(name, y[scored], guess, source, bounds, model=words)


@cache
def fitted(settings: Settings) -> tuple[Scored, ...]:
    """The models of ``regressions``, fitted once for both errors."""
    return tuple(regressions(settings))


def classifications(settings: Settings) -> Iterator[Scored]:
    """Logits of public classifiers, within the paper's bounds."""
    need_sklearn()
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees = settings.pick(30, 100)
    drawn: list[tuple[str, Any, Any, str, float]] = []
    for name, (file, target, positive, without) in LABELS.items():
        path = settings.file(file)
        if path is not None:
            table = columns(path)
            with reading(path):
                y = np.array([text == positive for text in table[target]])
            share = 0.5 if len(y) > 2 * ROWS else 0.25
            drawn.append((name, features(table, (target, *without)), y, f"{file}, {target}", share))
    x, y = cast("Any", load_breast_cancer)(return_X_y=True)
    drawn.append(("cancer", x, y == 1, "scikit-learn's breast cancer data", 0.5))
    for name, x, y, source, share in drawn:
        fitted, scored = halves(len(y), share)
        model: Any = HistGradientBoostingClassifier(random_state=0, max_iter=trees)
        model.fit(x[fitted], y[fitted])
        logit = model.decision_function(x[scored])
        chance = model.predict_proba(x[scored])[:, 1]
        truth, words = y[scored].astype(float), _words(model, len(fitted), len(y))
        yield Scored(name, truth, logit, source, (-10, 10), chances=chance, model=words)
    yield from _pictures(settings)


def _words(model: object, fitted: int, rows: int) -> str:
    """A model and how much it was fitted to."""
    return f"{model}, fitted to {fitted} of {rows} rows"


def _pictures(settings: Settings) -> Iterator[Scored]:
    from sklearn.datasets import load_digits

    pixels, digits = cast("Any", load_digits)(return_X_y=True)
    first, rest = halves(len(digits))
    parts = pixels[first] / 16, digits[first], pixels[rest] / 16, digits[rest]
    yield _perceptron("digits", parts, "scikit-learn's digits", 20)
    paths = [path for name in PICTURES["mnist"] if (path := settings.file(name))]
    if len(paths) == len(PICTURES["mnist"]):
        train, test = mnist(*paths[:2]), mnist(*paths[2:])
        yield _perceptron("mnist", (*train, *test), "mnist_*.gz", 5)
    path = settings.file(*PICTURES["cifar10"])
    if path is not None:
        train, test = (cifar(path, part) for part in ("train", "test"))
        yield _perceptron("cifar10", (*train, *test), path.name, 10)


def _perceptron(name: str, parts: tuple[Any, Any, Any, Any], source: str, epochs: int) -> Scored:
    """One layer of 128, as the paper has for MNIST."""
    from sklearn.neural_network import MLPClassifier

    pixels, digits, more, truth = parts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it stops before it has converged, as the paper's does
        model: Any = MLPClassifier((128,), max_iter=epochs, random_state=0)
        model.fit(pixels, digits)
    hidden = np.maximum(0, more @ model.coefs_[0] + model.intercepts_[0])
    logits = hidden @ model.coefs_[1] + model.intercepts_[1]
    chances = model.predict_proba(more)
    words = _words(model, len(digits), len(digits) + len(truth))
    return Scored(name, truth, logits, source, DIGITS, range(10), chances, words)


def mnist(images: Path, labels: Path) -> tuple[Any, Any]:
    """Pixels in [0, 1] and digits."""
    with reading(images):
        raw = np.frombuffer(gzip.decompress(images.read_bytes()), np.uint8, offset=16)
        pixels = raw.reshape(-1, 784) / 255
    with reading(labels):
        raw = np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8)
        return pixels, raw[: len(pixels)].astype(int)


def cifar(path: Path, part: str) -> tuple[Any, Any]:
    """Pixels in [0, 1] and classes of the pictures that are kept as JPEG."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingDependencyError(
            "these pictures are JPEG files: pip install pillow", extra="reproduce"
        ) from None
    with reading(path), np.load(path) as kept:
        raw, offsets = kept[f"{part}_jpeg"].tobytes(), kept[f"{part}_offset"]
        labels = kept[f"{part}_label"].astype(int)
    pictures = [np.asarray(Image.open(io.BytesIO(raw[a:b]))).ravel() for a, b in pairwise(offsets)]
    return np.array(pictures) / 255, labels


# what a metric is compared with, in the order of the legend
RIVALS: dict[str, Mechanism] = {"Laplace": Laplace(), "inverse sensitivity": InverseSensitivity()}


def metric_errors(statistic: Metric, rows: int) -> dict[str, Error]:
    """The mechanisms of a figure. The paper prints a cross-entropy as a sum: so its candidates."""
    scale = Fraction(1, rows) if isinstance(statistic, CrossEntropy) else Fraction(1)

    found = {name: exact_error(mechanism) for name, mechanism in RIVALS.items()}
    found[AS_PRINTED] = partial(printed_error, scale=scale)
    found[CORRECTED] = partial(corrected_error, scale=scale)
    found["default (ours)"] = exact_error(statistic.settled_mechanism("replace-one"))
    return found


def metric_panel(
    name: str, title: str, statistic: Metric, scored: Scored, settings: Settings
) -> Panel:
    """The exact errors of a metric, by mechanism and epsilon; a mean over samples."""
    whole = len(scored.truth) <= ROWS
    seeds = range(1 if whole else settings.pick(2, 5))
    pairs = [scored.pair(seed) for seed in seeds]
    seen = [profile(statistic, pair) for pair in pairs]
    rows = len(pairs[0][0])
    told: dict[str, Any] = {
        "data": scored.source,
        "model": scored.model,
        "rows": rows,
        "samples": len(pairs),
        "seeds": list(seeds),
        "relation": "replace-one",
        "bounds": list(scored.bounds),
        "ours": statistic.settled_mechanism("replace-one").name,
        **TOLD,
        "mean value": sum(float(exact(p.in_users_units().value)) for p in seen) / len(seen),
    }
    errors = metric_errors(statistic, rows)
    epsilons = settings.pick(("0.1", "1"), EPSILONS)
    series, spreads = mean_errors(seen, errors, epsilons)
    return Panel(
        name, title, "epsilon", "mean absolute error", series, told, log="xy", errors=spreads
    )


def cross_entropies(settings: Settings) -> Iterator[Panel]:
    """Figure 2: logits within the paper's bounds."""
    for scored in classifications(settings):
        options = {} if scored.labels is None else {"labels": scored.labels}
        statistic = CrossEntropy(logits=True, bounds=scored.bounds, **options)
        title = f"Expected error of a private cross-entropy, {scored.name}"
        yield metric_panel(f"figure-2-{scored.name}", title, statistic, scored, settings)


def _losses(settings: Settings, kind: Callable[..., Metric], word: str) -> Iterator[Panel]:
    for scored in fitted(settings):
        title = f"Expected error of a private mean {word} error, {scored.name}"
        statistic = kind(bounds=scored.bounds)
        yield metric_panel(f"mean-{word}-error-{scored.name}", title, statistic, scored, settings)


def squared_errors(settings: Settings) -> Iterator[Panel]:
    """Section 6.2: mean squared error."""
    yield from _losses(settings, MeanSquaredError, "squared")


def absolute_errors(settings: Settings) -> Iterator[Panel]:
    """Section 6.2: mean absolute error."""
    yield from _losses(settings, MeanAbsoluteError, "absolute")
