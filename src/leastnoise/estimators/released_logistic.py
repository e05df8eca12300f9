"""Released logistic models: classes, probabilities and intervals, at no further cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.errors import ParameterError
from leastnoise.estimators.design import Design
from leastnoise.estimators.interface import ClassifierMixin, check_is_fitted
from leastnoise.estimators.intervals import CoefficientTable, ends_of, parse_level
from leastnoise.estimators.logistic_intervals import Behind
from leastnoise.estimators.released import ReleasedModel
from leastnoise.estimators.sigmoid import sigmoid
from leastnoise.record import Release

Floats = NDArray[np.float64]


class ReleasedLogistic(CoefficientTable, ClassifierMixin, ReleasedModel):
    """Log odds that are linear in the features, from released coefficients."""

    intercept_: Floats
    classes_: NDArray[Any]
    release_: Release
    _behind: Behind | None
    _scale: Design
    _draws: Floats | None

    def decision_function(self, X: ArrayLike) -> Floats:
        """The log odds of the second class, or of each class against the rest.

        A missing feature counts as the middle of its bounds, or as the number of ``missing``.
        """
        found = self._complete(X) @ self.coef_.T + self.intercept_
        return found[:, 0] if found.shape[1] == 1 else found

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probabilities of the classes, in the order of ``classes_``; they sum to 1."""
        odds = self.decision_function(X)
        chances = sigmoid(odds)
        if odds.ndim == 1:
            return np.column_stack([1 - chances, chances])
        total = chances.sum(axis=1, keepdims=True)
        even = np.full_like(chances, 1 / chances.shape[1])
        return np.divide(chances, total, out=even, where=total > 0)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most likely class of every row."""
        odds = self.decision_function(X)
        best = (odds > 0).astype(np.intp) if odds.ndim == 1 else odds.argmax(axis=1)
        return self.classes_[best]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """NOT PRIVATE: the accuracy of the predictions on the given rows, as in scikit-learn.

        On private rows use ``leastnoise.private_score``.
        """
        return super().score(X, y, sample_weight)

    def predict_conf_int(self, X: Any, level: object = 0.95) -> Floats:
        """Intervals of the chance of the second class for every row, as ``conf_int``; (n, 2)."""
        rows = self._with_constant(self._complete(X))
        draws, value = self._coefficients()
        ends = [ends_of(some @ rows.T, rows @ value, parse_level(level)) for some in draws]
        return np.column_stack([sigmoid(end) for end in _outermost(ends)])

    @property
    def _constant(self) -> bool:
        return self._scale.intercept

    def _interval(self, level: object) -> tuple[Floats, Floats]:
        draws, value = self._coefficients()
        return _outermost([ends_of(some, value, parse_level(level)) for some in draws])

    def _coefficients(self) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        if self._behind is None:
            raise ParameterError(
                "the model was fitted without intervals=True, so its errors are not known: fit it "
                "with intervals=True, which takes a quarter of epsilon"
            )
        if self._draws is None:
            scaled = self._behind.draws()
            units: list[list[float]] = np.eye(scaled.shape[2]).tolist()
            limit = np.finfo(np.float64).max / 4
            with np.errstate(all="ignore"):
                plain = scaled @ np.array([self._scale.unscaled(unit) for unit in units])
            self._draws = np.clip(np.nan_to_num(plain), -limit, limit)
        return self._draws, np.array(self.release_.value, dtype=np.float64)


def _outermost(ends: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    lows, highs = zip(*ends, strict=True)
    return np.minimum.reduce(lows), np.maximum.reduce(highs)
