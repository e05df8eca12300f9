"""What all estimators do once their coefficients are released: post-processing, at no charge."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.estimators.design import Design
from leastnoise.estimators.interface import (
    BaseEstimator,
    RegressorMixin,
    check_is_fitted,
    validate_data,
)
from leastnoise.estimators.matrix import imputed
from leastnoise.estimators.private import filled
from leastnoise.params import explained
from leastnoise.session.search.columns import Columns

Floats = NDArray[np.float64]
Model = TypeVar("Model")
Given = ParamSpec("Given")
Made = TypeVar("Made")


def all_or_nothing(
    fit: Callable[Concatenate[Model, Given], Made],
) -> Callable[Concatenate[Model, Given], Made]:
    """A fit that fails leaves the estimator as it was, the names of its features too."""

    @wraps(fit)
    def whole(self: Model, *given: Given.args, **named: Given.kwargs) -> Made:
        before = dict(vars(self))
        try:
            return fit(self, *given, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return whole


class ReleasedModel(BaseEstimator):
    """Coefficients that were released, and the numbers that stand for missing features."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        made = vars(cls).get("__init__")
        if made is not None and not TYPE_CHECKING:
            cls.__init__ = explained(made, cls.__name__)

    coef_: Floats
    feature_limits_: Floats
    _fill: Floats
    _found: NDArray[np.bool_]
    _ends: Floats

    def _set_limits(
        self, wanted: Columns, design: Design, policy: str | float, reach: Floats | None = None
    ) -> None:
        """What a prediction needs besides coefficients: limits, and what a missing feature is.

        ``reach`` says how far the model is linear, in halves of the limits of every feature.
        """
        self.feature_limits_ = np.array(design.limits, dtype=np.float64)
        self._ends = self.feature_limits_
        if reach is not None:
            middle = np.array([float(x) for x in design.middles])
            far = np.array([float(x) for x in design.halves]) * reach[: len(middle)]
            wide = np.column_stack([middle - far, middle + far])
            self._ends = np.where(reach[: len(middle), None] > 1, wide, self._ends)
        self._fill = imputed(design.bounds, policy)
        searched = wanted.searched
        features = wanted.columns[: len(design.bounds)]
        self._found = np.array([column in searched for column in features])

    def _complete(self, X: ArrayLike) -> Floats:
        """The rows to predict, without missing features.

        Limits that were found leave out some of the data, which a fit has seen clipped.
        """
        check_is_fitted(self)
        rows: Floats = validate_data(
            self, X, reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        rows = filled(rows, self._fill)
        cut = np.clip(rows, self._ends[:, 0], self._ends[:, 1])
        return np.where(self._found, cut, rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = True
        return tags


class ReleasedRegressor(RegressorMixin, ReleasedModel):
    """A linear prediction from released coefficients."""

    intercept_: Any

    def predict(self, X: ArrayLike) -> Floats:
        """The prediction for every row; post-processing of the release.

        A missing feature counts as the middle of its bounds, or as the number of ``missing``.
        """
        return self._complete(X) @ self.coef_ + self.intercept_

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """NOT PRIVATE: the R2 of the predictions on the given rows, as in scikit-learn.

        On private rows use ``leastnoise.private_score``.
        """
        return super().score(X, y, sample_weight)
