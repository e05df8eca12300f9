"""Private scores of a fitted model by the names of scikit-learn's scorers."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames.labels import whole_codes
from leastnoise.frames.pairs import open_pair
from leastnoise.record import Release
from leastnoise.session.publish import release
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
from leastnoise.statistics.losses import PUBLIC_MODEL
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
# name: (score of a noisy confusion matrix, needs two labels, ...)
_CONFUSION: dict[str, tuple[str, bool]] = {
    "balanced_accuracy": ("balanced_accuracy", False),
    "f1": ("f1s", True),
    "f1_macro": ("f1s", False),
    "precision": ("precisions", True),
    "precision_macro": ("precisions", False),
    "recall": ("recalls", True),
    "recall_macro": ("recalls", False),
}
METRICS = (*_REGRESSION, "neg_log_loss", "roc_auc", "accuracy", *_CONFUSION)


@dataclass(frozen=True, slots=True)
class _Request:
    """What one score needs, from public facts: the model, the name and the options."""

    model: Any
    metric: str
    labels: Sequence[Any] | None
    options: dict[str, Any]


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
        A fitted model with scikit-learn's ``predict`` (``predict_proba`` for "neg_log_loss";
        ``decision_function`` or ``predict_proba`` for "roc_auc").
    X, y
        The private rows and their targets: whatever the model predicts from; a column.
    metric : str
        A scorer of scikit-learn: "neg_mean_squared_error", "neg_root_mean_squared_error",
        "neg_mean_absolute_error", "r2", "neg_log_loss", "roc_auc", "accuracy",
        "balanced_accuracy", "f1", "precision", "recall", or one of the last three with "_macro".
    epsilon, mechanism, relation, ledger, dataset, purpose
        As for :func:`leastnoise.release`.
    labels : list, optional
        The labels. Default: the model's own ``classes_``, which are public with the model.
    one_by_one : bool
        Predict each row in a call of its own: slow, and needed where a library's arithmetic on
        one row depends on how many rows there are.
    **options
        Parameters of the statistic: ``bounds`` (required for "r2"; without, the three errors have
        no upper limit), ``loss_bound``, ``missing``, ``floor``.

    Returns
    -------
    Release
        Greater is better, as in scikit-learn: the ``neg_`` scores are negative. The scores of a
        confusion matrix are computed from its noisy counts.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        For an unknown metric, a model without the method it needs, or wrong parameters, before a
        private row is read.

    Notes
    -----
    The guarantee is that of the statistic, on two conditions which the record states: the model is
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
    if metric not in METRICS:
        raise ParameterError(f"metric must be one of {', '.join(METRICS)}; got {metric!r}")
    method = _method(model, metric)
    common: dict[str, Any] = {
        "epsilon": epsilon,
        "mechanism": mechanism,
        "relation": relation,
        "ledger": ledger,
        "dataset": dataset,
        "purpose": purpose,
    }
    if metric in _REGRESSION:
        statistic = _REGRESSION[metric](**options)
        predicted = _predict(method, X, one_by_one, width=1)
        found = _publish(statistic, (y, predicted), common)
    else:
        declared = _labels(model, labels)
        found = _classified(
            _Request(model, metric, declared, options), method, X, y, one_by_one, common
        )
    notes = [note for note in found.notes if note != PUBLIC_MODEL]
    notes += [PUBLIC_MODEL, _ROW_BY_ROW]
    value = found.value
    if metric.startswith("neg_"):
        value, notes = -cast("float", value), [*notes, _NEGATED]
    return replace(found, value=value, statistic=metric, notes=tuple(notes))


def _classified(
    asked: _Request,
    method: Callable[[Any], Any],
    X: Any,
    y: Any,
    one_by_one: bool,
    common: dict[str, Any],
) -> Release:
    labels, metric = asked.labels or (), asked.metric
    if metric == "neg_log_loss":
        order = _columns(asked.model, labels)
        statistic: Any = CrossEntropy(labels=list(labels), **asked.options)
        chances = _predict(method, X, one_by_one, width=len(order))
        return _publish(statistic, (y, chances.reshape(-1, len(order))[:, order]), common)
    if metric == "roc_auc":
        statistic = RocAuc(labels=list(labels), **asked.options)
        width = 2 if hasattr(asked.model, "predict_proba") else 1
        if hasattr(asked.model, "decision_function"):
            width = 1
        scores = _predict(method, X, one_by_one, width=width)
        return _publish(statistic, (y, scores[:, 1] if width == 2 else scores), common)
    if metric == "accuracy":
        predicted = _predict(method, X, one_by_one, width=0)
        return _accuracy(labels, y, predicted, asked.options, common)
    score, binary = _CONFUSION[metric]
    if binary and len(labels) != 2:
        raise ParameterError(f"{metric!r} is for two labels; use {metric + '_macro'!r} for more")
    statistic = ConfusionMatrix(labels=list(labels), **asked.options)
    predicted = _predict(method, X, one_by_one, width=0)
    found = _publish(statistic, (y, predicted), common)
    noisy: Any = found.value
    scores = cast("float | list[float]", getattr(noisy, score))
    if isinstance(scores, list):
        scores = scores[1] if binary else sum(scores) / len(scores)
    return replace(found, value=scores)


def _publish(statistic: object, data: object, common: dict[str, Any]) -> Release:
    return cast("Any", release)(statistic, data, **common)


def _accuracy(
    labels: Sequence[Any], y: Any, predicted: Array, options: dict[str, Any], common: dict[str, Any]
) -> Release:
    declared = parse_labels(list(labels))
    text = is_text(declared)
    pair = PairColumns(None, None, (1,), (text, text))
    table, names, _ = open_pair((y, predicted), pair)
    ours, theirs = (whole_codes(table, name, declared) for name in names)
    right = (ours == theirs) & (ours >= 0)
    return _publish(Mean(bounds=(0, 1), **options), right, common)


def _method(model: object, metric: str) -> Callable[[Any], Any]:
    names = {"neg_log_loss": ("predict_proba",), "roc_auc": ("decision_function", "predict_proba")}
    wanted = names.get(metric, ("predict",))
    for name in wanted:
        method = getattr(model, name, None)
        if callable(method):
            return cast("Callable[[Any], Any]", method)
    raise ParameterTypeError(f"{metric} needs a fitted model with {' or '.join(wanted)}")


def _labels(model: object, labels: Sequence[Any] | None) -> Sequence[Any]:
    if labels is None:
        labels = cast("Any", getattr(model, "classes_", None))
    if labels is None:
        raise ParameterError("labels are required: this model has no classes_, so declare them")
    return cast("Any", labels).tolist() if hasattr(labels, "tolist") else list(labels)


def _columns(model: object, labels: Sequence[Any]) -> list[int]:
    """Where the columns of predict_proba stand for the declared labels."""
    known = getattr(model, "classes_", None)
    if known is None:
        return list(range(len(labels)))
    classes: list[Any] = list(known.tolist() if hasattr(known, "tolist") else known)
    if sorted(map(str, classes)) != sorted(map(str, labels)):
        raise ParameterError("labels must be the classes_ of the model, in any order")
    return [classes.index(label) for label in labels]


def _predict(method: Callable[[Any], Any], X: Any, one_by_one: bool, *, width: int) -> Array:
    """Predictions, NaN (None for labels) in rows on which the model fails; never raises.

    ``width`` columns of numbers; 1: one number a row; 0: one label a row.
    """
    rows = _count(X)
    given = X.copy() if hasattr(X, "copy") else X  # a model may write to what it is given
    with _silent():
        found = None if one_by_one else _shaped(method, given, rows, width)
        if found is not None:
            return found
        if rows == 0:
            return _missing(0, width)
        each = [_shaped(method, _row(given, i), 1, width) for i in range(rows)]
        if one_by_one:
            good = [part if part is not None else _missing(1, width) for part in each]
            return np.concatenate(good)
        fit = [i for i, part in enumerate(each) if part is not None]
        if not fit:
            return _missing(rows, width)
        # a row that fails is replaced by one that does not, so that the others are predicted by
        # the same call, in the same places, as if it had not failed
        places = [i if each[i] is not None else fit[0] for i in range(rows)]
        found = _shaped(method, _take(given, places), rows, width)
        if found is None:
            return _missing(rows, width)
        found = found.astype(object if width == 0 else np.float64)
        gone = [i for i, part in enumerate(each) if part is None]
        found[gone] = None if width == 0 else np.nan
        return found


def _missing(rows: int, width: int) -> Array:
    if width == 0:
        return np.full(rows, None, dtype=object)
    return np.full(rows if width == 1 else (rows, width), np.nan)


def _shaped(method: Callable[[Any], Any], X: Any, rows: int, width: int) -> Array | None:
    """One call, or None if it fails or gives something of another shape."""
    try:
        found = np.asarray(method(X))
        if width != 0:
            found = found.astype(np.float64)
        if width <= 1 and found.ndim == 2 and found.shape[1] == 1:
            found = found[:, 0]
    except KeyboardInterrupt:
        raise
    except BaseException:  # a model may raise anything, SystemExit too
        return None
    return found if found.shape == ((rows,) if width <= 1 else (rows, width)) else None


@contextlib.contextmanager
def _silent() -> Generator[None]:
    """Drop what a model prints or warns: it may show private rows."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


def _count(X: Any) -> int:
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if hasattr(X, "__len__"):
        return len(X)
    raise SchemaError("X must be a list of rows, a matrix or a frame")


def _row(X: Any, i: int) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[i : i + 1]
    return X[i : i + 1]


def _take(X: Any, places: list[int]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[places]
    if isinstance(X, (list, tuple)):
        return [X[i] for i in places]
    return X[places]
