"""Robust regression: one coefficient by its exact inverse sensitivity, several by perturbation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.errors import ParameterError, SchemaError, quoted
from leastnoise.estimators.design import Design
from leastnoise.estimators.level_sets import Gradients, LevelSets
from leastnoise.estimators.limits import (
    EXTREMES,
    LEFT,
    feature_columns,
    limits_of,
    parse_within,
)
from leastnoise.estimators.linear_mean import fewest
from leastnoise.estimators.losses import SlopeTable, parse_loss
from leastnoise.estimators.matrix import (
    Bounds,
    Target,
    clipped,
    feature_bounds,
    open_features,
    open_matrix,
    open_target,
    parse_limits,
    parse_policy,
)
from leastnoise.estimators.private import (
    Promise,
    promise,
    publish,
    record,
    refuse_weights,
    table_relation,
)
from leastnoise.estimators.released import ReleasedRegressor, all_or_nothing
from leastnoise.estimators.robust_coefficients import many_coefficients, target_column
from leastnoise.guarantees import Guarantee, PureDP
from leastnoise.mechanisms import InverseSensitivity, PiecewiseLaplace
from leastnoise.params import parse_flag, parse_step
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile
from leastnoise.record import Release
from leastnoise.session.search.columns import Columns, FoundLimits

_LATTICE_BITS = 30


@dataclass(frozen=True, slots=True)
class _Fit:
    """A checked fit: what it promises, and how it is drawn in limits that may be found first."""

    name: str
    guarantee: Guarantee
    draws: Guarantee
    draw: Callable[[NDArray[np.float64], FoundLimits], Release]


class PrivateRobustRegression(ReleasedRegressor):
    """Least absolute deviations, smoothed: robust against wild targets, which need no bounds.

    The coefficients minimise the sum of h(coefficients * x_i - y_i), h a convex loss of bounded
    slope. **One coefficient** (one feature, no intercept) is drawn by the piecewise Laplace or the
    inverse sensitivity mechanism from the exact sensitivity profile of the estimate: the least
    noise that the data allows. **Several** are released by objective perturbation, whose noise is
    scaled to the worst case.

    Parameters
    ----------
    epsilon : number
        The privacy parameter of one fit, > 0.
    bounds : pair, list of pairs, or dict of pairs by name, optional
        Public limits of the features, in their units; values are clipped to them. Where they are
        None, alone or in the place of a pair, limits are found privately, at a tenth to two fifths
        of epsilon for all features together.
    limits : PrivateLimits, optional
        ``PrivateLimits()`` searches for limits inside declared bounds too, which pays where these
        are several times wider than the data; below ``fewest`` rows times epsilon they are kept.
    coef_bounds : pair
        Public limits of the coefficient, required for one coefficient. Wide ones cost almost
        nothing. With several the released coefficients are cut to them, where they are given.
    fit_intercept : bool
        Whether there is an intercept (one coefficient more).
    loss : "smooth-absolute", "huber", SmoothAbsoluteLoss, HuberLoss or ConvexLoss
        The loss of a residual (prediction - target); "smooth-absolute" for several coefficients.
    alpha : number, optional
        The width of a loss given by name, in the units of the target, > 0. Where it is None, it is
        1 for one coefficient. With several it is found privately: an eighth of the width of limits
        of the target, whose middle an intercept starts from.
    mechanism : PiecewiseLaplace or InverseSensitivity, optional
        For one coefficient. Default: ``PiecewiseLaplace()``.
    step : number, optional
        Lattice spacing of one coefficient. Default: the power of two just below the width of
        ``coef_bounds`` / 2**30.
    ball : "linf", "l2", "l1" or a ball of ``leastnoise.geometry``
        The norm of the noise for several coefficients.
    relation : "replace-one", "add-remove" or "edit", optional
        Which data sets are neighbours; default: that of the ledger, or "replace-one".
    missing : "drop", "none" or number
        Rows with a missing feature are dropped, or the feature counts as the midpoint of its bounds
        or as this number. Rows with a missing target are always dropped. Dropping costs nothing
        here: such a row adds the slope 0.
    ledger, dataset
        The ledger that every fit is charged to, and the declared name of the data set.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        The released coefficients.
    intercept_ : float
        The released intercept, 0.0 without one.
    feature_limits_ : ndarray of shape (d, 2)
        What features were clipped to: declared, or found and released. ``predict`` clips to limits
        that were found.
    release_ : leastnoise.Release
        The public record of the fit; its value is the coefficient, or intercept (if there is one)
        and coefficients.
    n_features_in_ : int
    feature_names_in_ : ndarray

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        From ``fit``, if a parameter is invalid, or features or target are not columns of numbers;
        before a value is read and at no cost. Beyond that no data set raises.
    BudgetExceededError, LedgerError
        From ``fit``, before a value is read and at no cost.

    Notes
    -----
    Guarantee: epsilon-DP under each relation, with no delta. One coefficient: the level sets of the
    gradient are intervals, so the law is drawn from exactly and no Markov chain is needed
    (``docs/proofs/robust-regression.md``). Several: ``docs/proofs/objective-perturbation.md``.
    Conditions: the slope of the loss is bounded by its Lipschitz constant and the features by their
    limits; both are enforced. Source: Asi and Duchi (2020), section 5.2, with the corrections of
    errata 1 (eq. 17) and 3; Awan and Slavkovic, section 4.

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
        limits: object = None,
        coef_bounds: object = None,
        fit_intercept: bool = False,
        loss: object = "smooth-absolute",
        alpha: object = None,
        mechanism: object = None,
        step: object = None,
        ball: object = "linf",
        relation: str | None = None,
        missing: object = "drop",
        ledger: object = None,
        dataset: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.limits = limits
        self.coef_bounds = coef_bounds
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.alpha = alpha
        self.mechanism = mechanism
        self.step = step
        self.ball = ball
        self.relation = relation
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset

    @all_or_nothing
    def fit(self, X: Any, y: Any, **unsupported: Any) -> Self:
        """Release the coefficients, charged before the data is read.

        Parameters
        ----------
        X : matrix, list of rows or frame of features
        y : column of targets, any numbers
        **unsupported
            ``sample_weight`` is refused: a weight multiplies what one row can change, so the noise
            would have to grow with the largest weight that any row could have.

        Raises
        ------
        ParameterError, ParameterTypeError, SchemaError
            If parameters, shapes or types are wrong; before a value is read and at no cost.
        BudgetExceededError, LedgerError
            If the ledger cannot be charged.
        """
        refuse_weights(unsupported)
        promised = promise(self.epsilon, self.relation, self.ledger, self.dataset)
        rows = open_features(self, X, y, self.bounds)
        given = feature_bounds(self.bounds, rows.columns, getattr(self, "feature_names_in_", None))
        policy = parse_policy(self.missing, given)
        features = feature_columns(rows, given)
        ends = [column.held for column in features]
        target = open_target(y, rows.rows)
        intercept = parse_flag(self.fit_intercept, "fit_intercept")
        one = rows.columns == 1 and not intercept
        width = () if one or self.alpha is not None else target_column(target, self.loss)
        alone = fewest(given, None) if width and intercept else Fraction(0)
        wanted = Columns((*features, *width), parse_within(self.limits), alone=alone)
        if one:
            plan = self._one(target, promised, ends, policy, searched=bool(wanted.searched))
        else:
            plan = self._many(target, promised, ends, policy)
        details = {
            "statistic": type(self).__name__,
            "column": None,
            "mechanism": plan.name,
            "guarantee": plan.guarantee.to_dict(),
        }
        schema = (*rows.schema, ("y", "target"))
        limits: list[FoundLimits] = []

        def draw() -> Release:
            matrix = rows.floats()
            read = [*matrix.T, *(target.floats() for _ in width)]
            limits.append(limits_of(wanted, read, rows.rows, promised))
            return plan.draw(matrix, limits[0])

        draws = plan.guarantee if wanted.searched else plan.draws
        self.release_ = publish(promised, (draws,), details, schema, draw)
        bounds = limits[0].bounds[: rows.columns]
        self._set_limits(wanted, Design(bounds, intercept, 0), policy)
        released = np.atleast_1d(np.array(self.release_.value, dtype=np.float64))
        self.coef_ = released[int(intercept) :]
        self.intercept_ = float(released[0]) if intercept else 0.0
        return self

    def _one(
        self,
        target: Target,
        promised: Promise,
        ends: list[Bounds],
        policy: str | float,
        *,
        searched: bool,
    ) -> _Fit:
        """The profile of one coefficient."""
        mechanism = self._mechanism()
        # what can be refused is refused here, at whatever limits and share of epsilon will be left
        for within in (ends, *EXTREMES) if searched else (ends,):
            none = self._profile(np.zeros((0, 1)), np.zeros(0), within, policy, promised.relation)
            for part in (1, LEFT) if searched else (1,):
                mechanism.law(none, promised.epsilon * part)
        guarantee = mechanism.guarantee(promised.epsilon, promised.scope)

        def draw(matrix: NDArray[np.float64], released: FoundLimits) -> Release:
            within = list(released.bounds)
            profile = self._profile(matrix, target.floats(), within, policy, promised.relation)
            left = promised.epsilon - released.cost
            law = mechanism.law(profile, left)
            low, high = within[0]
            return record(
                promised,
                guarantee,
                value=law.value_of(law.draw(randomness.active())),
                statistic=type(self).__name__,
                mechanism=mechanism.name,
                missing=str(self.missing),
                bounds=(float(low), float(high)),
                limits=(float(low), float(high)) if any(released.moved) else None,
                step=str(law.step),
                sensitivity="instance",
                parts=released.parts({"coefficient": left}) if released.spent else {},
            )

        strongest = mechanism.strongest(promised.epsilon, promised.scope)
        return _Fit(mechanism.name, guarantee, strongest, draw)

    def _many(
        self,
        target: Target,
        promised: Promise,
        ends: list[Bounds],
        policy: str | float,
    ) -> _Fit:
        """Objective perturbation of several coefficients."""
        if self.mechanism is not None or self.step is not None:
            raise ParameterError("mechanism and step are only for one feature without an intercept")
        limits = None if self.coef_bounds is None else self._limits()
        fit = many_coefficients(
            promised.epsilon,
            Design(tuple(ends), self.fit_intercept, 0),
            policy,
            loss=self.loss,
            alpha=self.alpha,
            ball=self.ball,
            relation=promised.relation,
        )
        guarantee = PureDP(promised.epsilon, promised.scope)

        def draw(matrix: NDArray[np.float64], released: FoundLimits) -> Release:
            made = fit.at(released, promised.epsilon, promised.relation)
            value = made.draw(matrix, target)
            if limits is not None:
                start = int(self.fit_intercept)
                cut = np.clip(value[start:], float(limits[0]), float(limits[1]))
                value = [*value[:start], *cut.tolist()]
            return record(
                promised,
                guarantee,
                value=value,
                statistic=type(self).__name__,
                mechanism=made.steps.name,
                missing=str(self.missing),
                bounds=made.design.limits,
                limits=made.design.limits if any(released.moved[: len(ends)]) else None,
                step=str(made.step),
                sensitivity="global",
                parts=released.parts(made.steps.parts()),
                notes=made.steps.notes,
            )

        return _Fit(fit.steps.name, guarantee, guarantee, draw)

    def profile(self, X: Any, y: Any) -> Profile:
        """NOT PRIVATE. The sensitivity profile of the coefficient, for accuracy studies and audits.

        ``mechanism.law(profile, epsilon)`` is the law that ``fit`` draws from. Refused where
        LEASTNOISE_PRODUCTION is set.
        """
        forbid_in_production("profile")
        rows = open_matrix(X, self.bounds)
        if rows.columns != 1:
            raise SchemaError(
                f"a profile needs a single coefficient, but X has {rows.columns} features"
            )
        ends = [parse_limits(pair, "bounds") for pair in feature_bounds(self.bounds, 1, None)]
        relation = table_relation(self.relation)
        target = open_target(y, rows.rows).floats()
        policy = parse_policy(self.missing, ends)
        return self._profile(rows.floats(), target, ends, policy, relation)

    def _mechanism(self) -> PiecewiseLaplace | InverseSensitivity:
        chosen = PiecewiseLaplace() if self.mechanism is None else self.mechanism
        if not isinstance(chosen, (PiecewiseLaplace, InverseSensitivity)):
            raise ParameterError(
                "mechanism must be PiecewiseLaplace(...) or InverseSensitivity(...), got "
                f"{quoted(chosen)}"
            )
        return chosen

    def _limits(self) -> Bounds:
        return parse_limits(self.coef_bounds, "coef_bounds")

    def _loss_table(self) -> SlopeTable:
        return parse_loss(self.loss, 1 if self.alpha is None else self.alpha).table

    def _profile(
        self,
        X: NDArray[np.float64],
        y: NDArray[np.float64],
        ends: list[Bounds],
        policy: str | float,
        relation: str,
    ) -> Profile:
        """NOT PRIVATE. The sensitivity profile of the coefficient."""
        first, last = self._limits()
        step = parse_step(self.step) or _power_of_two((last - first) / 2**_LATTICE_BITS)
        low, high = ceil(first / step), floor(last / step)
        if not (low < high and max(abs(low), abs(high)) < 2**52):
            raise ParameterError("the width of coef_bounds must be between 1 and 2**52 steps")
        table = self._loss_table()
        reach = max(abs(float(end)) for end in ends[0])
        largest = reach * float(step) * table.per_unit * max(abs(low), abs(high))
        if not 2.0**-500 < reach * float(step) * table.per_unit <= largest < 2.0**500:
            raise ParameterError(
                "bounds, coef_bounds and the width of the loss differ too much in magnitude"
            )
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def _power_of_two(size: Fraction) -> Fraction:
    """The largest power of two that is at most ``size``."""
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    power = Fraction(2) ** exponent
    return power if power <= size else power / 2
