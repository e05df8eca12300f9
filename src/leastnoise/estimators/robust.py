"""Robust regression through the origin, by the exact inverse sensitivity of its one coefficient."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise import randomness
from leastnoise.errors import ParameterError, SchemaError
from leastnoise.estimators.interface import (
    BaseEstimator,
    RegressorMixin,
    check_is_fitted,
    validate_data,
)
from leastnoise.estimators.level_sets import Gradients, LevelSets
from leastnoise.estimators.losses import SlopeTable, parse_loss
from leastnoise.estimators.matrix import (
    Matrix,
    Target,
    clipped,
    feature_bounds,
    open_matrix,
    open_target,
    parse_policy,
)
from leastnoise.estimators.private import Promise, promise, publish, record
from leastnoise.mechanisms import InverseSensitivity, PiecewiseLaplace
from leastnoise.params import parse_bounds, parse_relation, parse_step
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile
from leastnoise.record import Release

_LATTICE_BITS = 30


class PrivateRobustRegression(RegressorMixin, BaseEstimator):
    """y = coefficient * x with the least noise the data allows, robust against wild targets.

    The coefficient minimises the sum of h(coefficient * x_i - y_i) over the declared range, h a
    convex loss of bounded slope. What is released is drawn by the piecewise Laplace or the inverse
    sensitivity mechanism from the estimate's exact sensitivity profile.

    Parameters
    ----------
    epsilon : number
        The privacy parameter of one fit, > 0.
    bounds : pair
        Public limits of the feature, in its units; values are clipped to them. Targets need none.
    coef_bounds : pair
        Public limits of the coefficient. Wide ones cost almost nothing.
    loss : "smooth-absolute", "huber", SmoothAbsoluteLoss, HuberLoss or ConvexLoss
        The loss of a residual (prediction - target).
    alpha : number
        The width of a loss given by name, in the units of the target, > 0.
    mechanism : PiecewiseLaplace or InverseSensitivity, optional
        Default: ``PiecewiseLaplace()``.
    step : number, optional
        Lattice spacing of the coefficient. Default: the power of two just below the width of
        ``coef_bounds`` / 2**30.
    relation : "replace-one", "add-remove" or "edit", optional
        Which data sets are neighbours; default: that of the ledger, or "replace-one".
    missing : "drop", "none" or number
        Rows with a missing feature are dropped, or the feature counts as the midpoint of the bounds
        or as this number. Rows with a missing target are always dropped. Dropping costs nothing
        here: such a row adds the slope 0.
    ledger, dataset
        The ledger that every fit is charged to, and the declared name of the data set.

    Attributes
    ----------
    coef_ : ndarray of shape (1,)
        The released coefficient.
    intercept_ : float
        0.0: the line goes through the origin.
    release_ : leastnoise.Release
        The public record of the fit.
    n_features_in_ : int
    feature_names_in_ : ndarray

    Notes
    -----
    Guarantee: epsilon-DP under each relation, with no delta: in one dimension the level sets of the
    gradient are intervals, so the law is drawn from exactly and no Markov chain is needed.
    Conditions: the slope of the loss is bounded by its Lipschitz constant and the feature by the
    larger of its limits; both are enforced. Proof: ``docs/proofs/robust-regression.md``. Source:
    Asi and Duchi (2020), section 5.2, with the corrections of errata 1 (eq. 17) and 3.
    More than one feature is refused: no exact sampler is known to us there.

    Examples
    --------
    >>> import numpy as np
    >>> from leastnoise.estimators import PrivateRobustRegression
    >>> x = np.linspace(-2, 2, 1001).reshape(-1, 1)
    >>> y = 3 * x[:, 0]
    >>> y[::50] = 1e9                                        # wild targets
    >>> model = PrivateRobustRegression(epsilon=1, bounds=(-2, 2), coef_bounds=(-10, 10))
    >>> bool(abs(model.fit(x, y).coef_[0] - 3) < 0.2)
    True
    """

    def __init__(
        self,
        epsilon: object = 1,
        *,
        bounds: object = None,
        coef_bounds: object = None,
        loss: object = "smooth-absolute",
        alpha: object = 1,
        mechanism: object = None,
        step: object = None,
        relation: str | None = None,
        missing: object = "drop",
        ledger: object = None,
        dataset: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.coef_bounds = coef_bounds
        self.loss = loss
        self.alpha = alpha
        self.mechanism = mechanism
        self.step = step
        self.relation = relation
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset

    def fit(self, X: Any, y: Any) -> Self:
        """Release the coefficient: one draw, charged before the data is read.

        Parameters
        ----------
        X : matrix, list of rows or frame with one column
        y : column of targets, any numbers

        Raises
        ------
        ParameterError, ParameterTypeError, SchemaError
            For wrong parameters, shapes or types, before a value is read and at no cost.
        BudgetExceededError, LedgerError
            If the ledger cannot be charged.
        """
        validate_data(self, X, y, skip_check_array=True)
        rows = open_matrix(X)
        if rows.columns != 1:
            raise SchemaError(
                f"PrivateRobustRegression is for 1 feature, got {rows.columns}: in more dimensions "
                "no exact sampler is known. Use PrivateLinearRegression, or a single feature"
            )
        names = getattr(self, "feature_names_in_", None)
        ends = feature_bounds(self.bounds, 1, names)
        policy = parse_policy(self.missing, ends)
        target = open_target(y, rows.rows)
        asked = promise(self.epsilon, self.relation, self.ledger, self.dataset)
        rehearsal = self._profile(np.zeros((0, 1)), np.zeros(0), ends, policy, asked.relation)
        mechanism = self._mechanism()
        mechanism.law(rehearsal, asked.epsilon)  # what can be refused is refused here
        draws = (mechanism.strongest(asked.epsilon, asked.scope),)
        details = {
            "statistic": type(self).__name__,
            "column": None,
            "mechanism": mechanism.name,
            "guarantee": mechanism.guarantee(asked.epsilon, asked.scope).to_dict(),
        }
        self.release_ = publish(
            asked,
            draws,
            details,
            (*rows.schema, ("y", "target")),
            lambda: self._draw(rows, target, asked, mechanism),
        )
        self.coef_ = np.array([float(self.release_)])
        self.intercept_ = 0.0
        return self

    def profile(self, X: Any, y: Any) -> Profile:
        """NOT PRIVATE. The sensitivity profile of the coefficient, for accuracy studies and audits.

        ``mechanism.law(profile, epsilon)`` is the law that ``fit`` draws from. Refused where
        LEASTNOISE_PRODUCTION is 1.
        """
        forbid_in_production("profile")
        rows = open_matrix(X)
        ends = feature_bounds(self.bounds, 1, None)
        relation = parse_relation("replace-one" if self.relation is None else self.relation)
        target = open_target(y, rows.rows).floats()
        policy = parse_policy(self.missing, ends)
        return self._profile(rows.floats(), target, ends, policy, relation)

    def _mechanism(self) -> PiecewiseLaplace | InverseSensitivity:
        chosen = PiecewiseLaplace() if self.mechanism is None else self.mechanism
        if not isinstance(chosen, (PiecewiseLaplace, InverseSensitivity)):
            raise ParameterError(
                "mechanism must be PiecewiseLaplace(...) or InverseSensitivity(...), got "
                f"{chosen!r}"
            )
        return chosen

    def _loss_table(self) -> SlopeTable:
        return parse_loss(self.loss, self.alpha).table

    def _profile(
        self,
        X: NDArray[np.float64],
        y: NDArray[np.float64],
        ends: list[tuple[Fraction, Fraction]],
        policy: str | float,
        relation: str,
    ) -> Profile:
        """NOT PRIVATE. The sensitivity profile of the coefficient."""
        first, last = parse_bounds(self.coef_bounds, "coef_bounds")
        step = parse_step(self.step) or _power_of_two((last - first) / 2**_LATTICE_BITS)
        low, high = ceil(first / step), floor(last / step)
        if not (low < high and max(abs(low), abs(high)) < 2**52):
            raise ParameterError("step must fit at least once and at most 2**52 times coef_bounds")
        table = self._loss_table()
        reach = max(abs(float(end)) for end in ends[0])
        largest = reach * float(step) * table.per_unit * max(abs(low), abs(high))
        if not 2.0**-500 < reach * float(step) * table.per_unit <= largest < 2.0**500:
            raise ParameterError("bounds, coef_bounds and the width of the loss are too far apart")
        kept = clipped(X, ends, policy)
        gradients = Gradients(kept[:, 0], y, reach, table, float(step))
        sets = LevelSets(gradients.at, relation, low, high)
        return Profile(
            value=sets.upper(0),
            lower=sets.lower,
            upper=sets.upper,
            support=(low, high),
            integral=True,
            unit=step,
        )

    def _draw(
        self,
        rows: Matrix,
        target: Target,
        asked: Promise,
        mechanism: PiecewiseLaplace | InverseSensitivity,
    ) -> Release:
        ends = feature_bounds(self.bounds, 1, getattr(self, "feature_names_in_", None))
        policy = parse_policy(self.missing, ends)
        profile = self._profile(rows.floats(), target.floats(), ends, policy, asked.relation)
        law = mechanism.law(profile, asked.epsilon)
        low, high = ends[0]
        return record(
            asked,
            mechanism.guarantee(asked.epsilon, asked.scope),
            value=law.value_of(law.draw(randomness.active())),
            statistic=type(self).__name__,
            mechanism=mechanism.name,
            missing=str(self.missing),
            bounds=(float(low), float(high)),
            step=str(law.step),
            sensitivity="instance",
        )

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """coefficient * x for every row; post-processing of the release."""
        check_is_fitted(self)
        rows: NDArray[np.float64] = validate_data(self, X, reset=False, dtype=np.float64)
        return rows[:, 0] * self.coef_[0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """NOT PRIVATE: the R2 of the predictions on the given rows, as in scikit-learn.

        On private rows use ``leastnoise.private_score``.
        """
        return super().score(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.regressor_tags.poor_score = True
        return tags


def _power_of_two(size: Fraction) -> Fraction:
    """The largest power of two that is at most ``size``."""
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    power = Fraction(2) ** exponent
    return power if power <= size else power / 2
