"""Linear regression by the functional mechanism: noisy second moments, then least squares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.design import Design
from leastnoise.estimators.indicators import check_indicators, parse_groups
from leastnoise.estimators.intervals import Behind, ReleasedLinear, unscaled
from leastnoise.estimators.limits import (
    feature_columns,
    indicators_known,
    limits_of,
    parse_within,
)
from leastnoise.estimators.linear_noise import kind_of, noise_of
from leastnoise.estimators.matrix import (
    Matrix,
    Target,
    feature_bounds,
    maybe_limits,
    open_features,
    open_target,
    parse_policy,
)
from leastnoise.estimators.moments import (
    BITS,
    UNIT,
    NoisyMoments,
    exact_sums,
    exclusive_only,
    from_vector,
    moment_vector,
    noise_size,
    noisy,
    solve,
    solve_pseudo,
)
from leastnoise.estimators.private import Promise, promise, publish, record, refuse_weights
from leastnoise.estimators.released import all_or_nothing
from leastnoise.estimators.residuals import (
    ENOUGH,
    SHARE,
    STEP,
    Shares,
    Slopes,
    residuals_of,
    slopes_of,
    squares_of,
)
from leastnoise.guarantees import PureDP
from leastnoise.params import parse_flag, parse_number
from leastnoise.record import Release
from leastnoise.session.search.columns import Columns, FoundLimits, SearchedColumn

if TYPE_CHECKING:
    from leastnoise.geometry import Ball, MomentCone, MomentSpace

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Fit:
    """Checked parameters of one fit."""

    wanted: Columns
    design: Design
    policy: str | float
    target: Design
    target_policy: str | float
    space: MomentSpace
    ball: Ball | MomentCone
    rate: Fraction
    counted: bool
    ridge: float | None
    pseudo: bool
    noise: float
    kind: str
    epsilon: Fraction
    residuals: Fraction
    mechanism: str
    step: Shares | None = None

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return f"FunctionalMechanism(ball={self.ball.name!r})"

    def parts(self, found: FoundLimits) -> dict[str, str]:
        """How epsilon is split, where it is."""
        rest = {"moments": self.epsilon}
        if self.step is not None:
            rest |= {"radius": self.step.radius, "slopes": self.step.slopes}
        if self.residuals:
            rest["residuals"] = self.residuals
        return found.parts(rest) if found.spent or len(rest) > 1 else {}

    def behind(
        self,
        moments: NoisyMoments,
        squares: float,
        relation: str,
        step: Slopes | None,
        found: FoundLimits,
    ) -> Behind:
        """The numbers that intervals are made of."""
        unit = 1.0 if step is None else step.radius**2
        return Behind(
            moments,
            self.space,
            self.kind,
            self.epsilon,
            self.counted,
            relation == "add-remove",
            self.design.intercept,
            squares * unit,
            unit / float(self.residuals),
            step,
            np.array(found.moved, dtype=np.bool_),
        )

    def reach(self, found: FoundLimits) -> Floats:
        """How far a fit is linear, in halves of the limits: declared bounds are ends, limits that
        were found are not, and the last, the target's, not at all."""
        far = [_REACH] * (len(found.moved) - 1) + [_FARTHEST]
        return np.where(found.moved if self.step is not None else False, far, 1.0)

    def wide(self, matrix: Floats, column: Floats, reach: Floats) -> Floats:
        """Scaled features and target, clipped as far as the model is linear."""
        features = self.design.reaching(matrix, self.policy, reach[:-1])
        target = self.target.reaching(column.reshape(-1, 1), self.target_policy, reach[-1:])
        return exclusive_only(np.column_stack([features, target]), self.space.exclusive)

    def at(self, found: FoundLimits, epsilon: Fraction) -> _Fit:
        """The same in released limits, with the epsilon that finding them left."""
        *features, target = found.bounds
        left = (epsilon - found.cost) / epsilon
        records = found.rows * (epsilon - found.cost)
        steps = self.mechanism == "residuals" or (self.mechanism == "auto" and records >= ENOUGH)
        step = STEP.times(self.epsilon * left, float(records)) if steps else None
        if steps:
            left *= 1 - STEP.total
        return replace(
            self,
            design=replace(self.design, bounds=tuple(features)),
            target=replace(self.target, bounds=(target,)),
            rate=self.rate * left,
            noise=self.noise / float(left),
            epsilon=self.epsilon * left,
            residuals=self.residuals * (epsilon - found.cost) / epsilon,
            step=step,
        )


class PrivateLinearRegression(ReleasedLinear):
    """Least squares with epsilon-differential privacy, from noisy second moments.

    Sums, squares and products of the scaled columns are released once with noise of a K-norm
    mechanism; the coefficients are computed from them.

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
    mechanism : "auto", "moments", "residuals"
        "moments": coefficients are solved from noisy moments alone. "residuals": two fifths of what
        limits leave buy noisy sums of features times residuals, and coefficients move one Newton
        step along them; nearer by a factor of 2 to 4 where rows are many. "auto": "residuals" where
        rows times epsilon, after limits, are at least 1,250, by the public number of rows or a
        noisy one; "moments" where ``ridge`` is given (``docs/decisions/0025``).
    intervals : bool
        Whether the sum of squared residuals is released too, for 1/32 of epsilon; ``conf_int``,
        ``predict_conf_int`` and ``summary`` need it.
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
        that were found, or with "residuals" to twice as far from their middle, as far as such a fit
        is linear.
    target_limits_ : ndarray of shape (2,)
        The same of the target.
    release_ : leastnoise.Release
        The public record; its value is the intercept (if there is one) and the coefficients.
    moments_ : ndarray
        The released moments X^T X, X^T y of the columns scaled to [-1, 1], a column of ones first
        and the target last (its own square is not released).
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
    a ball that holds the differences, membership decided exactly; noise drawn exactly. Proof:
    ``docs/proofs/functional-mechanism.md``, ``docs/proofs/residual-step.md``,
    ``docs/proofs/regression-limits.md``. Source: Awan and
    Slavkovic, section 5, with errata 2 and 4.4; Zhang et al. (2012).

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
        self.mechanism = mechanism
        self.intervals = intervals
        self.relation = relation
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset

    @all_or_nothing
    def fit(self, X: Any, y: Any, **unsupported: Any) -> Self:
        """Release the moments, charged before the data is read, and solve for the coefficients.

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
        asked = promise(self.epsilon, self.relation, self.ledger, self.dataset)
        rows = open_features(self, X, y, self.bounds)
        target = open_target(y, rows.rows)
        request = self._request(rows, asked)
        guarantee = PureDP(asked.epsilon, asked.scope)
        details = {
            "statistic": type(self).__name__,
            "column": None,
            "mechanism": request.name,
            "guarantee": guarantee.to_dict(),
        }
        schema = (*rows.schema, ("y", "target"))
        drawn: list[tuple[Release, Floats, _Fit, Floats, Behind | None]] = []

        def draw() -> Release:
            drawn.append(self._draw(rows, target, asked, request, guarantee))
            return drawn[0][0]

        self.release_ = publish(asked, (guarantee,), details, schema, draw)
        released = np.array(self.release_.value, dtype=np.float64)
        start = int(request.design.intercept)
        self.coef_ = released[start:]
        self.intercept_ = float(released[0]) if start else 0.0
        _, self.moments_, made, reach, self._behind = drawn[0]
        self._scales, self._draws = (made.design, made.target), None
        self._keep(request.wanted, made.design, request.policy, reach)
        self.target_limits_ = np.array(made.target.limits[0], dtype=np.float64)
        return self

    def _request(self, rows: Matrix, asked: Promise) -> _Fit:
        """Everything that can be refused is refused here."""
        from leastnoise.geometry import MomentSpace

        intercept = parse_flag(self.fit_intercept, "fit_intercept")
        columns, names = rows.columns, getattr(self, "feature_names_in_", None)
        ends = feature_bounds(self.bounds, columns, names)
        limits = maybe_limits(self.target_bounds, "target_bounds")
        policy = parse_policy(self.missing, ends)
        counted = asked.relation != "replace-one" or policy == "drop"
        kind = kind_of(self.ball, columns, counted)
        groups = parse_groups(self.exclusive, columns, names)
        check_indicators(groups, ends, intercept)
        # the small balls of groups hold differences of two records, not one record by itself
        kept = groups if kind == "cone" or not counted else ()
        space = MomentSpace(columns + 1, tuple(range(columns)), kept)
        alone = asked.relation == "add-remove"
        ball = noise_of(kind, space, counted=counted, alone=alone)
        # the cone's rate is stated for replacement; one record by itself changes half as much
        residuals = (
            asked.epsilon * SHARE if parse_flag(self.intervals, "intervals") else Fraction(0)
        )
        epsilon = asked.epsilon - residuals
        rate = epsilon * (2 if alone and kind == "cone" else 1)
        pseudo = isinstance(self.ridge, str) and self.ridge == "pinv"
        ridge = None if pseudo else _ridge(self.ridge)
        ends = indicators_known(ends, groups)
        response = SearchedColumn("the target", limits, weight=2)
        mechanism = _mechanism(self.mechanism, solved_by_rule=ridge is None and not pseudo)
        wanted = Columns(
            (*feature_columns(rows, ends), response),
            parse_within(self.limits),
            counted=mechanism == "auto",
        )
        *held, last = (column.held for column in wanted.columns)
        return _Fit(
            wanted,
            Design(tuple(held), intercept, BITS),
            policy,
            Design((last,), intercept, BITS),
            "drop" if policy == "drop" else "none",
            space,
            ball,
            rate,
            counted,
            ridge,
            pseudo,
            noise_size(kind, space, epsilon, alone=alone),
            kind,
            epsilon,
            residuals,
            mechanism,
        )

    def _draw(
        self,
        rows: Matrix,
        target: Target,
        asked: Promise,
        request: _Fit,
        guarantee: PureDP,
    ) -> tuple[Release, Floats, _Fit, Floats, Behind | None]:
        matrix, column = rows.floats(), target.floats()
        found = limits_of(request.wanted, [*matrix.T, column], rows.rows, asked)
        request = request.at(found, asked.epsilon)
        features, counts = request.design.scaled(matrix, request.policy)
        response, present = request.target.scaled(column.reshape(-1, 1), request.target_policy)
        joined = exclusive_only(np.column_stack([features, response]), request.space.exclusive)
        sums = exact_sums(joined, counts & present)
        values = moment_vector(sums, request.space)
        if request.counted:
            values.insert(0, sums.count * int(1 / UNIT))
        released = noisy(values, request.ball, request.rate, randomness.active())
        seen = [float(value * UNIT) for value in released]
        count = seen.pop(0) if request.counted else float(sums.count)
        moments = from_vector(seen, count, request.space)
        intercept = request.design.intercept
        if request.pseudo:
            solved = solve_pseudo(moments, intercept=intercept)
        else:
            solved = solve(moments, request.ridge, request.noise, intercept=intercept)
        reach, kept, step = request.reach(found), counts & present, None
        if request.step is None:
            left = residuals_of(features, response[:, 0], solved, intercept=intercept)
        else:
            wide = request.wide(matrix, column, reach)
            left = residuals_of(wide[:, :-1], wide[:, -1], solved, intercept=intercept)
            inside = (np.abs(wide[:, :-1]) < _REACH).all(axis=1)
            step, left = slopes_of(
                joined[:, :-1],
                left,
                kept & inside,
                request.step,
                solved,
                alone=asked.relation == "add-remove",
                intercept=intercept,
            )
            solved = step.step(moments, request.noise, intercept=intercept)
        value = unscaled(solved, request.design, request.target)
        behind = None
        if request.residuals:
            law = squares_of(left, kept, request.residuals)
            squares = float(law.value_of(law.draw(randomness.active())))
            behind = request.behind(moments, squares, asked.relation, step, found)
        edited = request.counted and asked.relation == "replace-one"
        release = record(
            asked,
            guarantee,
            value=value,
            statistic=type(self).__name__,
            mechanism=request.name,
            missing=str(self.missing),
            bounds=request.design.limits,
            limits=request.design.limits if any(found.moved[:-1]) else None,
            step=str(UNIT),
            sensitivity="global",
            profile_relation="edit" if edited else asked.relation,
            parts=request.parts(found),
            notes=("computed from noisy moments; step is the lattice of these",),
        )
        return release, moments.gram, request, reach, behind


# Beyond limits that were found a fit stays linear up to so many halves of them, where a step takes
# up what the moments, of columns clipped to the limits, leave out. Records with a feature farther
# out have no part in the slopes: which records take part is up to their features alone, and that
# biases no slope of a linear model. The target of such a fit has no ends.
_REACH, _FARTHEST = 2.0, 2.0**60


def _mechanism(mechanism: object, *, solved_by_rule: bool) -> str:
    """How coefficients are found; "auto" is decided by a public rule once limits are known."""
    if not isinstance(mechanism, str) or mechanism not in ("auto", "moments", "residuals"):
        raise ParameterError(
            f'mechanism must be "auto", "moments" or "residuals", got {quoted(mechanism)}'
        )
    if not solved_by_rule and mechanism == "residuals":
        raise ParameterError(
            'ridge says how one release of moments is solved: with mechanism="residuals" leave '
            'ridge="auto"'
        )
    return mechanism if solved_by_rule else "moments"


def _ridge(ridge: object) -> float | None:
    """What is added to the diagonal of X^T X of the scaled features; None: found by a rule."""
    if isinstance(ridge, str) and ridge == "auto":
        return None
    number = parse_number(ridge, "ridge")
    if not 0 <= number <= 10**300:
        raise ParameterError(
            f'ridge must lie between 0 and 1e300, or be "auto" or "pinv", got {quoted(ridge)}'
        )
    return float(number)
