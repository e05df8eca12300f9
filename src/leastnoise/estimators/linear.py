"""Linear regression: by its objective, by noisy moments, or by a step after them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Self

import numpy as np

from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.design import Design
from leastnoise.estimators.elastic import ElasticNet, parse_elastic
from leastnoise.estimators.indicators import check_indicators, parse_groups
from leastnoise.estimators.intervals import ReleasedLinear
from leastnoise.estimators.limits import feature_columns, indicators_known, parse_within
from leastnoise.estimators.linear_fit import DrawnFit, LinearColumns, LinearFit
from leastnoise.estimators.linear_mean import MeanFit, fewest
from leastnoise.estimators.linear_moments import moments_fit
from leastnoise.estimators.linear_noise import kind_of
from leastnoise.estimators.linear_objective import FEWEST_FEATURES, objective_fit
from leastnoise.estimators.matrix import (
    Matrix,
    feature_bounds,
    maybe_limits,
    open_features,
    open_target,
    parse_policy,
)
from leastnoise.estimators.moments import BITS
from leastnoise.estimators.private import Promise, promise, publish, refuse_weights
from leastnoise.estimators.released import all_or_nothing
from leastnoise.guarantees import PureDP
from leastnoise.params import parse_flag, parse_number
from leastnoise.record import Release
from leastnoise.session.search.columns import Columns, SearchedColumn

MECHANISMS = ("auto", "objective", "residuals", "moments")


class PrivateLinearRegression(ReleasedLinear):
    """Least squares with epsilon-differential privacy, by objective perturbation or noisy moments.

    With three features and more a random term is added to a sum of nearly squared residuals, and
    its exact minimiser is released. With one or two, sums, squares and products of the scaled
    columns are released with noise of a K-norm mechanism, and coefficients are computed from them.

    Parameters
    ----------
    epsilon : number
        The privacy parameter of one fit, > 0.
    bounds : pair, list of pairs, or dict of pairs by name, optional
        Public limits of the features: one pair for all, or one each. Values are clipped to them.
        Where they are None, alone or in the place of a pair, limits are found privately, at a tenth
        to two fifths of epsilon for all columns together.
    target_bounds : pair, optional
        The same of the target.
    limits : PrivateLimits, optional
        ``PrivateLimits()`` searches for limits inside declared bounds too, which pays where these
        are several times wider than the data; below ``fewest`` rows times epsilon they are kept.
    fit_intercept : bool
        Whether the model has an intercept.
    ball : "auto", "cone", "l1", "linf", "paper", "plus", "tri", "cycles", "sdp", "blocks"
        The norm ball of the noise, a set that holds every difference of two records' moments: the
        smaller it is, the less noise (``leastnoise.geometry.moment_ball``). "cone" is no ball
        but the noise of ``leastnoise.geometry.MomentCone``. "auto": "sdp" up to five features
        where the number of rows is public, else "cone". A ball that cannot be drawn from with so
        many features is refused. Under "add-remove" every ball but "l1" is the cube that holds one
        record, at half the noise; "cone" is smaller.
    exclusive : list of lists of columns, optional
        Groups of indicator columns of which at most one is 1 in a record, by position or name. In a
        record with several, the first counts. Their bounds must be (0, 1), and there must be an
        intercept. Less noise: their products need none. Used where the number of rows is public,
        and by "cone" always.
    ridge : "auto", "pinv" or number
        How the noisy normal equations are solved. "pinv": by the pseudo-inverse, as in the paper. A
        number: after projection on the positive semidefinite matrices this is added to the diagonal
        of X^T X of the scaled features (each in [-1, 1]). "auto": the number with the least error
        that can be estimated from the released moments and the public size of the noise.
    alpha, l1_ratio : number
        A penalty as in scikit-learn's ``ElasticNet``: half the mean of squared residuals, plus
        alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2 / 2) in the user's units, the intercept not
        penalised. ``l1_ratio=1``: the lasso. It is computed from released moments, at no cost, so
        with it "auto" finds coefficients as for two features. There are no intervals with it.
    mechanism : "auto", "objective", "residuals", "moments"
        How coefficients are found. "objective": the exact minimiser of a perturbed sum of losses
        that are squares of small residuals and linear in large ones, in units of a released scale.
        "moments": one release of moments. "residuals": moments first, with less of epsilon; then
        noisy sums of features times residuals, and coefficients move one Newton step along them.
        "auto": "objective" from three features on, where ``ball`` and ``ridge`` are "auto"; else
        "residuals" where rows times epsilon, after limits, are at least 1,250, by the public number
        of rows or a noisy one, and "moments" below that and where ``ridge`` is given
        (``docs/decisions/0025`` and ``0028``).
    intervals : bool
        Whether what ``conf_int``, ``predict_conf_int`` and ``summary`` need is released too: sums
        of squared residuals for 1/32 of epsilon, and with "objective" a matrix of second
        derivatives for a third of it.
    relation : "replace-one", "add-remove" or "edit", optional
        Default: that of the ledger, or "replace-one". Otherwise the number of rows is private and
        part of what gets noise.
    missing : "none", "drop" or number
        "none": a missing entry counts as the middle of its bounds; a number: a missing feature
        counts as it. "drop": rows with a missing entry are dropped, which makes the number of the
        others private: replace-one becomes edit.
    ledger, dataset
        The ledger that every fit is charged to, and the declared name of the data set.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
    intercept_ : float
    feature_limits_ : ndarray of shape (d, 2)
        The limits of the features: declared, or found and released. ``predict`` clips to limits
        that were found, or with "objective" and "residuals" to twice as far from their middle, as
        far as such a fit is linear.
    target_limits_ : ndarray of shape (2,)
        The same of the target.
    release_ : leastnoise.Release
        The public record; its value is the intercept (if there is one) and the coefficients.
    moments_ : ndarray or None
        The released moments X^T X, X^T y of the columns scaled to [-1, 1], a column of ones first
        and the target last (its own square is not released). None with "objective".
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
    Guarantee: epsilon-DP, with no delta. Conditions: columns in [-1, 1] after scaling and clipping;
    a ball that holds the differences, membership decided exactly; noise drawn exactly; the *exact*
    minimiser, which is enclosed with certainty before it is rounded. Proof:
    ``docs/proofs/linear-objective.md``, ``docs/proofs/functional-mechanism.md``,
    ``docs/proofs/residual-step.md``, ``docs/proofs/regression-limits.md``. Source: Awan and
    Slavkovic, sections 4 and 5, with errata 1, 2, 4.4 and 4.6; Zhang et al. (2012).

    Examples
    --------
    >>> import numpy as np
    >>> from leastnoise.estimators import PrivateLinearRegression
    >>> x = np.linspace(-1, 1, 5001).reshape(-1, 1)
    >>> y = 2 * x[:, 0] + 1
    >>> model = PrivateLinearRegression(epsilon=1, bounds=(-1, 1), target_bounds=(-3, 3)).fit(x, y)
    >>> bool(abs(model.coef_[0] - 2) < 0.2 and abs(model.intercept_ - 1) < 0.2)
    True
    """

    def __init__(
        self,
        epsilon: object = 1,
        *,
        bounds: object = None,
        target_bounds: object = None,
        limits: object = None,
        fit_intercept: bool = True,
        ball: object = "auto",
        exclusive: object = None,
        ridge: object = "auto",
        alpha: object = 0,
        l1_ratio: object = 0.5,
        mechanism: object = "auto",
        intervals: bool = True,
        relation: str | None = None,
        missing: object = "none",
        ledger: object = None,
        dataset: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.limits = limits
        self.fit_intercept = fit_intercept
        self.ball = ball
        self.exclusive = exclusive
        self.ridge = ridge
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.mechanism = mechanism
        self.intervals = intervals
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
        y : column of targets
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
        target = open_target(y, rows.rows)
        fit = self._request(rows, promised, whole=target.whole)
        guarantee = PureDP(promised.epsilon, promised.scope)
        named = {"statistic": type(self).__name__}
        details = {
            **named,
            "column": None,
            "mechanism": fit.name,
            "guarantee": guarantee.to_dict(),
        }
        schema = (*rows.schema, ("y", "target"))
        fields = {**named, "missing": str(self.missing)}
        drawn: list[DrawnFit] = []

        def draw() -> Release:
            matrix, column = rows.floats(), target.floats()
            limits, found = fit.limited(matrix, column, promised)
            chosen = MeanFit(found.columns) if limits.alone else found
            drawn.append(chosen.drawn_within(limits, matrix, column, promised, guarantee, fields))
            return drawn[0].release

        self.release_ = publish(promised, (guarantee,), details, schema, draw)
        released = np.array(self.release_.value, dtype=np.float64)
        made, columns = drawn[0], drawn[0].columns
        start = int(columns.design.intercept)
        self.coef_ = released[start:]
        self.intercept_ = float(released[0]) if start else 0.0
        self.moments_, self._behind, self._draws = made.moments, made.behind, None
        self._scales = (columns.design, columns.target)
        self._set_limits(columns.wanted, columns.design, columns.policy, made.reach)
        self.target_limits_ = np.array(columns.target.limits[0], dtype=np.float64)
        return self

    def _request(self, rows: Matrix, promised: Promise, *, whole: bool = False) -> LinearFit:
        """Everything that can be refused is refused here; ``whole``: of the target's type."""
        intercept = parse_flag(self.fit_intercept, "fit_intercept")
        width, names = rows.columns, getattr(self, "feature_names_in_", None)
        ends = feature_bounds(self.bounds, width, names)
        limits = maybe_limits(self.target_bounds, "target_bounds")
        policy = parse_policy(self.missing, ends)
        groups = parse_groups(self.exclusive, width, names)
        check_indicators(groups, ends, intercept)
        ends = indicators_known(ends, groups)
        counted = promised.relation != "replace-one" or policy == "drop"
        kind = kind_of(self.ball, width, counted)
        ridge = _ridge(self.ridge)
        elastic = parse_elastic(self.alpha, self.l1_ratio)
        mechanism = _mechanism(self.mechanism, width, self.ball == "auto", ridge == "auto", elastic)
        any_way = (self.mechanism, self.ball, ridge) == ("auto",) * 3
        response = SearchedColumn("the target", limits, float(whole), weight=2, shown=True)
        wanted = Columns(
            (*feature_columns(rows, ends), response),
            parse_within(self.limits),
            counted=mechanism in ("auto", "objective"),
            alone=fewest(ends, limits) if any_way and intercept else Fraction(0),
        )
        *held, last = (column.held for column in wanted.columns)
        objective = mechanism == "objective"
        columns = LinearColumns(
            wanted,
            Design(tuple(held), intercept, BITS, groups if objective else ()),
            policy,
            Design((last,), intercept, BITS),
            "drop" if policy == "drop" else "none",
        )
        intervals = parse_flag(self.intervals, "intervals")
        if objective:
            return objective_fit(columns, promised.relation, intervals=intervals)
        return moments_fit(
            columns,
            promised,
            kind,
            groups,
            ridge,
            elastic,
            mechanism,
            counted=counted,
            intervals=intervals and elastic is None,
        )


def _mechanism(
    mechanism: object, columns: int, any_ball: bool, any_ridge: bool, elastic: ElasticNet | None
) -> str:
    """How coefficients are found, by public facts; "auto" that is left is decided by the number of
    rows, once limits are known."""
    if not isinstance(mechanism, str) or mechanism not in MECHANISMS:
        names = ", ".join(f'"{name}"' for name in MECHANISMS)
        raise ParameterError(f"mechanism must be one of {names}, got {quoted(mechanism)}")
    if not any_ridge and mechanism in ("residuals", "objective"):
        raise ParameterError(
            "ridge says how one release of moments is solved: with "
            f'mechanism="{mechanism}" leave ridge="auto"'
        )
    if not any_ball and mechanism == "objective":
        raise ParameterError(
            'ball is the noise of moments: with mechanism="objective" leave ball="auto"'
        )
    if elastic is not None and mechanism == "objective":
        raise ParameterError(
            'alpha needs released moments: with mechanism="objective" leave alpha=0, or leave '
            'mechanism="auto"'
        )
    if not any_ridge:
        return "moments"
    if mechanism == "auto" and elastic is None and any_ball and columns >= FEWEST_FEATURES:
        return "objective"
    return mechanism


def _ridge(ridge: object) -> float | str:
    """What is added to the diagonal of X^T X of the scaled features; or "auto" or "pinv"."""
    if isinstance(ridge, str) and ridge in ("auto", "pinv"):
        return ridge
    number = parse_number(ridge, "ridge")
    if not 0 <= number <= 10**300:
        raise ParameterError(
            f'ridge must lie between 0 and 1e300, or be "auto" or "pinv", got {quoted(ridge)}'
        )
    return float(number)
