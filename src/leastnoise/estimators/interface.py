"""The part of scikit-learn's public interface that the estimators stand on, with types.

scikit-learn ships no types; what is used of it is written down here once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable

    class BaseEstimator:
        """scikit-learn's ``BaseEstimator``."""

        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        """scikit-learn's ``RegressorMixin``."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin(RegressorMixin):
        """scikit-learn's ``ClassifierMixin``."""

    check_is_fitted: Callable[[object], None]
    validate_data: Callable[..., Any]
    DataConversionWarning: type[Warning]
else:
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
        from sklearn.exceptions import DataConversionWarning
        from sklearn.utils.validation import check_is_fitted, validate_data
    except ImportError:
        raise MissingDependencyError(
            "leastnoise.estimators needs scikit-learn 1.6 or newer: "
            'pip install "leastnoise[estimators]"',
            extra="estimators",
        ) from None

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "DataConversionWarning",
    "RegressorMixin",
    "check_is_fitted",
    "validate_data",
]
