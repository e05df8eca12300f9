"""Private scores of a fitted model by the names of scikit-learn's scorers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.frames.memory.labels import whole_codes
from leastnoise.frames.memory.table import BareTable, NamedTable
from leastnoise.frames.readers.later import Later
from leastnoise.frames.readers.pairs import open_pair
from leastnoise.params import explained, is_one_of, listed
from leastnoise.record import Release
from leastnoise.session.opening import release
from leastnoise.session.scoring.predictions import predictions
from leastnoise.statistics import (
    R2,
    ConfusionMatrix,
    CrossEntropy,
    Mean,
    MeanAbsoluteError,
    MeanSquaredError,
    RocAuc,
    RootMeanSquaredError,
)
from leastnoise.statistics.metrics.losses import PUBLIC_MODEL
from leastnoise.summaries.pairs import PairColumns, is_text, parse_labels

Array = NDArray[Any]

_ROW_BY_ROW = "the model must predict each row on its own; a row it fails on counts as missing"
_NEGATED = "negated, as in scikit-learn: greater is better"

_REGRESSION: dict[str, Callable[..., Any]] = {
    "neg_mean_squared_error": MeanSquaredError,
    "neg_root_mean_squared_error": RootMeanSquaredError,
    "neg_mean_absolute_error": MeanAbsoluteError,
    "r2": R2,
}
# Each row has one label, so these are all functions of the share of right predictions.
_ACCURACY = (
    "accuracy",
    "f1_micro",
    "jaccard_micro",
    "precision_micro",
    "recall_micro",
    "recall_weighted",
)
# name: (score of a noisy confusion matrix, the average of its labels' scores)
_CONFUSION: dict[str, tuple[str, str]] = {
    "balanced_accuracy": ("balanced_accuracy", ""),
    "matthews_corrcoef": ("matthews", ""),
    "f1": ("f1s", "binary"),
    "f1_macro": ("f1s", "macro"),
    "f1_weighted": ("f1s", "weighted"),
    "jaccard": ("jaccards", "binary"),
    "jaccard_macro": ("jaccards", "macro"),
    "jaccard_weighted": ("jaccards", "weighted"),
    "precision": ("precisions", "binary"),
    "precision_macro": ("precisions", "macro"),
    "precision_weighted": ("precisions", "weighted"),
    "recall": ("recalls", "binary"),
    "recall_macro": ("recalls", "macro"),
}
_CHANCES = ("neg_log_loss", "neg_brier_score")
METRICS = (*_REGRESSION, *_CHANCES, "roc_auc", *_ACCURACY, *_CONFUSION)


@dataclass(frozen=True, slots=True)
class _Scoring:
    """What one score needs, from public facts: the model, the name and the options."""

    model: Any
    metric: str
    labels: Sequence[Any] | None
    options: dict[str, Any]


@explained
def private_score(
    model: object,
    X: Any,
    y: Any,
    *,
    metric: str,
    epsilon: object,
    mechanism: object = None,
    relation: str | None = None,
    ledger: object = None,
    dataset: str | None = None,
    purpose: str | None = None,
    labels: Sequence[Any] | None = None,
    one_by_one: bool = False,
    **options: Any,
) -> Release:
    """Score a fitted, public model on private rows with epsilon-differential privacy.

    Parameters
    ----------
    model
        A fitted model with scikit-learn's ``predict`` (``predict_proba`` for "neg_log_loss" and
        "neg_brier_score"; ``decision_function`` or ``predict_proba`` for "roc_auc").
    X, y
        The private rows and their targets: whatever the model predicts from; a column.
    metric : str
        A scorer of scikit-learn: "neg_mean_squared_error", "neg_root_mean_squared_error",
        "neg_mean_absolute_error", "r2", "neg_log_loss", "neg_brier_score", "roc_auc", "accuracy",
        "balanced_accuracy", "matthews_corrcoef", "f1", "jaccard", "precision", "recall", or one of
        the last four with "_macro", "_micro" or "_weighted".
    epsilon, mechanism, relation, ledger, dataset, purpose
        As for ``leastnoise.release``.
    labels : list, optional
        The labels. Default: the model's own ``classes_``, which are public with the model. As in
        scikit-learn "f1", "jaccard", "precision" and "recall" are about the label 1, and about the
        last one where none is 1; "roc_auc" is about the second of ``classes_``, or of ``labels``
        where the model has none.
    one_by_one : bool
        Predict each row in a call of its own: slow, and needed where a library's arithmetic on
        one row depends on how many rows there are.
    **options
        Parameters of the statistic: ``bounds`` (for "r2" required, and as numbers; without, the
        three errors have no upper limit, and ``PrivateBounds()`` finds one), ``loss_bound``,
        ``missing``, ``floor``.

    Returns
    -------
    Release
        Greater is better, as in scikit-learn: the ``neg_`` scores are negative. The scores of a
        confusion matrix are computed from its noisy counts.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        If the metric is unknown, the model lacks the method it needs, or a parameter is invalid;
        checked before a private row is read.
    BudgetExceededError, LedgerError
        As for ``leastnoise.release``.

    Notes
    -----
    Guarantee: that of the statistic, on two conditions which the record states: the model is
    public with respect to the scored rows, and it predicts each row on its own. Where a call on
    all rows fails, each row is tried alone and those that fail count as missing predictions; a
    missing prediction of a class is a wrong one. What the model prints is dropped.

    Examples
    --------
    >>> import leastnoise as ln
    >>> class Zero:
    ...     def predict(self, X):
    ...         return [0.0 for row in X]
    >>> score = ln.private_score(
    ...     Zero(), [[1], [2]], [1, 2], metric="neg_mean_absolute_error", epsilon=9, bounds=(0, 3)
    ... )
    >>> -3 <= score.value <= 0
    True
    """
    if not is_one_of(metric, METRICS):
        near = f"neg_{metric}"
        hint = f" (did you mean {near!r}?)" if near in METRICS else ""
        raise ParameterError(
            f"metric must be one of {', '.join(METRICS)}; got {quoted(metric)}{hint}"
        )
    method = _method(model, metric)
    common: dict[str, Any] = {
        "epsilon": epsilon,
        "mechanism": mechanism,
        "relation": relation,
        "ledger": ledger,
        "dataset": dataset,
        "purpose": purpose,
    }
    if metric == "r2" and options.get("bounds") is None:
        raise ParameterError(
            'bounds are required for metric="r2", as public limits of the targets: give '
            'private_score(..., metric="r2", bounds=(lower, upper))'
        )
    if metric in _REGRESSION:
        statistic = _REGRESSION[metric](**options)
        predicted = predictions(method, X, one_by_one, width=1)
        found = _publish(statistic, (y, predicted.column(float)), common)
    else:
        declared = _labels(model, labels)
        found = _classified(
            _Scoring(model, metric, declared, options), method, X, y, one_by_one, common
        )
    notes = [note for note in found.notes if note != PUBLIC_MODEL]
    notes += [PUBLIC_MODEL, _ROW_BY_ROW]
    if metric.startswith("neg_"):
        found = _negated(found)
        notes.append(_NEGATED)
    return replace(found, statistic=metric, notes=tuple(notes))


def _negated(release: Release) -> Release:
    bounds = None if release.bounds is None else tuple(-end for end in reversed(release.bounds))
    return replace(release, value=-cast("float", release.value), bounds=bounds)


def _classified(
    scoring: _Scoring,
    method: Callable[[Any], Any],
    X: Any,
    y: Any,
    one_by_one: bool,
    common: dict[str, Any],
) -> Release:
    labels, metric = scoring.labels or (), scoring.metric
    if metric in _CHANCES:
        order = _columns(scoring.model, labels)
        if metric == "neg_log_loss":
            statistic: Any = CrossEntropy(labels=list(labels), **scoring.options)
        else:
            statistic = _brier(labels, scoring.options)
        predicted = predictions(method, X, one_by_one, width=len(order))
        chances = Later(len(predicted), lambda: predicted.array.reshape(-1, len(order))[:, order])
        if metric == "neg_log_loss":
            columns = {str(k): chances.column(float, k) for k in range(len(order))}
            return _publish(statistic, (y, NamedTable.of(columns)), common)
        uniform = scoring.options.get("missing", "none") == "none"
        return _publish(statistic, _squared_distances(labels, y, chances, uniform), common)
    if metric == "roc_auc":
        if hasattr(scoring.model, "classes_"):  # the score stands for the second of these
            _columns(scoring.model, labels)
            labels = _labels(scoring.model, None)
        statistic = RocAuc(labels=list(labels), **scoring.options)
        width = 2 if hasattr(scoring.model, "predict_proba") else 1
        if hasattr(scoring.model, "decision_function"):
            width = 1
        predicted = predictions(method, X, one_by_one, width=width)
        scores = predicted.column(float, 1 if width == 2 else None)
        return _publish(statistic, (y, scores), common)
    if metric in _ACCURACY:
        predicted = _predicted_labels(labels, method, X, one_by_one)
        found = _accuracy(labels, y, predicted, scoring.options, common)
        if metric != "jaccard_micro":
            return found
        share = cast("float", found.value)
        return _computed(found, share / (2 - share))
    score, average = _CONFUSION[metric]
    if average == "binary" and len(labels) != 2:
        raise ParameterError(f"{metric!r} is for two labels; use {metric + '_macro'!r} for more")
    statistic = ConfusionMatrix(labels=list(labels), **scoring.options)
    predicted = _predicted_labels(labels, method, X, one_by_one)
    found = _publish(statistic, (y, predicted), common)
    noisy: Any = found.value
    value: float | list[float] = getattr(noisy, score)
    if isinstance(value, list):
        if average == "binary":
            declared = parse_labels(list(labels))
            value = value[declared.index(1.0) if 1.0 in declared else -1]
        else:
            value = _averaged(value, noisy.supports, average)
    return _computed(found, value)


def _computed(release: Release, score: float) -> Release:
    """A number computed from what was released, whose noise is another than that of its parts."""
    return replace(release, value=score, axes=(), noise=None, noise_scale=None)


def _predicted_labels(
    labels: Sequence[Any], method: Callable[[Any], Any], X: Any, one_by_one: bool
) -> BareTable:
    """Predictions of these labels, as texts or as numbers."""
    declared = parse_labels(list(labels))
    if is_text(declared):
        return predictions(method, X, one_by_one, width=0).column(object)
    if len(set(map(float, declared))) < len(declared):
        raise ParameterError(
            "labels must differ as doubles, which predictions are read as; give text labels"
        )
    return predictions(method, X, one_by_one, width=1).column(float)


def _averaged(scores: list[float], supports: list[int], average: str) -> float:
    if average == "macro" or not sum(supports):
        return sum(scores) / len(scores)
    return sum(s * n for s, n in zip(scores, supports, strict=True)) / sum(supports)


def _publish(statistic: object, data: object, common: dict[str, Any]) -> Release:
    return cast("Any", release)(statistic, data, **common)


def _brier(labels: Sequence[Any], options: dict[str, Any]) -> Mean:
    """The mean of losses of at most 1 for two labels, as in scikit-learn, and 2 for more."""
    return Mean(bounds=(0, 1 if len(labels) == 2 else 2), **{"missing": "none", **options})


def _squared_distances(labels: Sequence[Any], y: Any, chances: Later, uniform: bool) -> BareTable:
    """Row by row; a missing chance or label is missing, or counts as the uniform prediction."""
    declared = parse_labels(list(labels))
    width = len(declared)
    pair = PairColumns(None, None, (1,), (is_text(declared), False))
    table, names, _ = open_pair((y, chances.column(float, 0)), pair)

    def distances() -> Array:
        codes, given = whole_codes(table, names[0], declared), chances.array
        # column by column: what is added up in a row must not depend on how many rows there are
        found = np.zeros(len(codes))
        for k in range(1 if width == 2 else 0, width):
            found += (np.clip(given[:, k], 0, 1) - (codes == k)) ** 2
        unusable = np.isnan(given).any(axis=1) | (codes < 0)
        found[unusable] = np.nan if not uniform else 0.25 if width == 2 else 1 - 1 / width
        return found

    return Later(len(chances), distances).column(float)


def _accuracy(
    labels: Sequence[Any],
    y: Any,
    predicted: BareTable,
    options: dict[str, Any],
    common: dict[str, Any],
) -> Release:
    declared = parse_labels(list(labels))
    text = is_text(declared)
    pair = PairColumns(None, None, (1,), (text, text))
    table, names, _ = open_pair((y, predicted), pair)

    def right() -> Array:
        ours, theirs = (whole_codes(table, name, declared) for name in names)
        return (ours == theirs) & (ours >= 0)

    return _publish(
        Mean(bounds=(0, 1), **options), Later(table.row_count(), right).column(bool), common
    )


def _method(model: object, metric: str) -> Callable[[Any], Any]:
    names: dict[str, tuple[str, ...]] = dict.fromkeys(_CHANCES, ("predict_proba",))
    names["roc_auc"] = ("decision_function", "predict_proba")
    wanted = names.get(metric, ("predict",))
    for name in wanted:
        method = getattr(model, name, None)
        if callable(method):
            return method
    raise ParameterTypeError(f"{metric} needs a fitted model with {' or '.join(wanted)}")


def _labels(model: object, labels: Sequence[Any] | None) -> Sequence[Any]:
    if labels is None:
        labels = getattr(model, "classes_", None)
    if labels is None:
        raise ParameterError(
            "labels are required: this model has no classes_, as one that is not fitted: fit it "
            "first, or declare labels=[...]"
        )
    found: Any = listed(labels)
    return list(found)


def _columns(model: object, labels: Sequence[Any]) -> list[int]:
    """Where the columns of predict_proba stand for the declared labels."""
    known = getattr(model, "classes_", None)
    if known is None:
        return list(range(len(labels)))
    classes, declared = parse_labels(known, "classes_"), parse_labels(list(labels))
    if set(classes) != set(declared):
        raise ParameterError(
            f"labels must be the {len(classes)} classes_ of the model, in any order"
        )
    return [classes.index(label) for label in declared]
