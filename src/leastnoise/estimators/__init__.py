"""Private regression for people who use scikit-learn (extra: estimators).

Estimators with scikit-learn's interface: ``fit`` releases the coefficients once, with the declared
privacy, and charges a ledger before the data is read; everything after that is post-processing of
the release. They go into pipelines, ``clone`` and cross-validation, where **each fit is a release
of its own and is charged**. Folds must be made by place, not by labels (``docs/regression.md``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.estimators.linear import PrivateLinearRegression as PrivateLinearRegression
    from leastnoise.estimators.logistic import (
        PrivateLogisticRegression as PrivateLogisticRegression,
    )
    from leastnoise.estimators.losses import ConvexLoss as ConvexLoss
    from leastnoise.estimators.losses import HuberLoss as HuberLoss
    from leastnoise.estimators.losses import SmoothAbsoluteLoss as SmoothAbsoluteLoss
    from leastnoise.estimators.robust import PrivateRobustRegression as PrivateRobustRegression
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "losses": ("ConvexLoss", "HuberLoss", "SmoothAbsoluteLoss"),
            "linear": ("PrivateLinearRegression",),
            "logistic": ("PrivateLogisticRegression",),
            "robust": ("PrivateRobustRegression",),
        },
    )
