"""Logistic regression by objective perturbation with any norm, at its exact minimiser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.class_weights import ClassWeights, parse_class_weights
from leastnoise.estimators.correction import heights_at
from leastnoise.estimators.design import Design
from leastnoise.estimators.indicators import check_indicators, parse_groups
from leastnoise.estimators.information import SHARE, Information, information_of
from leastnoise.estimators.limits import (
    feature_columns,
    indicators_known,
    limits_of,
    parse_within,
)
from leastnoise.estimators.logistic_intervals import Behind
from leastnoise.estimators.matrix import (
    Matrix,
    Target,
    feature_bounds,
    open_features,
    open_labels,
    parse_policy,
)
from leastnoise.estimators.minimiser import FEATURE_BITS
from leastnoise.estimators.objective import Drawn, Perturbation, grouped_ball, parse_ball, perturbed
from leastnoise.estimators.perturbation import LOGISTIC, parse_q
from leastnoise.estimators.private import Promise, promise, publish, record, refuse_weights
from leastnoise.estimators.released import all_or_nothing
from leastnoise.estimators.released_logistic import ReleasedLogistic
from leastnoise.guarantees import PureDP
from leastnoise.params import parse_flag, parse_number
from leastnoise.record import Release
from leastnoise.session.search.columns import Columns, FoundLimits
from leastnoise.summaries.pairs import parse_labels

if TYPE_CHECKING:
    from leastnoise.geometry import Ball

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Fit:
    """Checked parameters of one fit; ``perturbation`` makes ``steps`` of a design and epsilon."""

    wanted: Columns
    design: Design
    policy: str | float
    classes: NDArray[Any]
    labels: tuple[str | float, ...]
    weights: ClassWeights
    perturbation: Callable[[Design, Fraction], Perturbation]
    steps: Perturbation
    information: Information | None

    def at(self, limits: FoundLimits, epsilon: Fraction) -> _Fit:
        """The same in released limits, with the epsilon that finding them left."""
        if not limits.spent:
            return self
        design, left = replace(self.design, bounds=limits.bounds), epsilon - limits.cost
        information = self.information
        if information is not None:
            information = replace(information, epsilon=left * SHARE)
            left -= information.epsilon
        steps = self.perturbation(design, left / self.models)
        return replace(self, design=design, steps=steps, information=information)

    @property
    def models(self) -> int:
        """How many models share epsilon: one for two classes, else one a class."""
        return 1 if len(self.labels) == 2 else len(self.labels)

    def parts(self, limits: FoundLimits) -> dict[str, str]:
        """How epsilon is split over limits, models and information, and over what they draw."""
        one = self.steps.parts()
        if self.models == 1:
            rest = one or {"coefficients": str(self.steps.epsilon)}
            if self.information is not None:
                return limits.parts({**rest, "information": self.information.epsilon})
            return limits.parts(rest if one or limits.spent else {})
        if not one:
            return limits.parts({str(label): str(self.steps.epsilon) for label in self.classes})
        return limits.parts(
            {f"{what} of {label}": x for label in self.classes for what, x in one.items()}
        )


class PrivateLogisticRegression(ReleasedLogistic):
    """Logistic regression with epsilon-differential privacy, by objective perturbation.

    A random linear term and a ridge are added to the log likelihood, and the exact minimiser of the
    sum is released on a public lattice.

    Parameters
    ----------
    epsilon : number
        The privacy parameter of one fit, > 0. With more than two classes each class gets an equal
        share for its one-versus-rest model.
    bounds : pair, list of pairs, or dict of pairs by name, optional
        Public limits of the features: one pair for all, or one each. Values are clipped to them.
        Where they are None, alone or in the place of a pair, limits are found privately, at a tenth
        to two fifths of epsilon for all features together.
    limits : PrivateLimits, optional
        ``PrivateLimits()`` searches for limits inside declared bounds too, which pays where these
        are several times wider than the data; below ``fewest`` rows times epsilon they are kept.
    classes : list
        Every label that can occur, declared; rows with another label are dropped. A target whose
        type never holds one of them is refused.
    penalty : "l2" or None
        As in scikit-learn; None is ``C=numpy.inf``. "l1" and "elasticnet" are refused: the exact
        minimiser is found from second derivatives, which they have none of at 0.
    C : number or inf
        Inverse strength of the ridge penalty, as in scikit-learn: sum of losses + |w|^2 / (2 C) in
        the user's units, the intercept not penalised. ``numpy.inf``: none. Where the ridge that
        privacy needs is larger, that one is used.
    class_weight : dict of weights by class, optional
        Public weights of the losses of records by their class, in the ratio of whole numbers up to
        1,000; a class that is not named weighs 1. The largest has the noise of no weights, so what
        others say is noisier. "balanced" is refused: how many rows a class has is private.
    fit_intercept : bool
        Whether the model has an intercept.
    exclusive : list of lists of columns, optional
        Groups of indicator columns of which at most one is 1 in a record, by position or name. In a
        record with several, the first counts. Their bounds must be (0, 1), and there must be an
        intercept and ``ball="linf"``. Less noise and ridge: a record is a point of a group at most.
    ball : "linf", "l2", "l1" or a ball of ``leastnoise.geometry``
        The norm whose noise is added, in as many coordinates as there are coefficients.
    accountant : "joint" or "split"
        How ridge and noise share epsilon: jointly (errata 4.6), or added up as in the paper's
        Algorithm 2 (corrected).
    q : number, optional
        The share of epsilon for the noise, 1e-30 <= q <= 1 (below 1 for "split"). Default: 19/20
        with ``correct``, 7/8 without, 1/2 for "split"; measured in ``docs/regression.md``.
    correct : bool, optional
        Undo the shrinkage by the extra ridge, for 1/32 of epsilon. Default: with "joint". Where the
        ridge of C is what privacy needs or more, and there is no intercept (which has none), there
        is nothing to undo, and nothing is taken.
    intervals : bool
        Whether the Fisher information of the coefficients is released too, for a quarter of what
        limits leave of epsilon; ``conf_int``, ``predict_conf_int`` and ``summary`` need it. For two
        classes.
    relation : "replace-one", "add-remove" or "edit", optional
        Default: that of the ledger, or "replace-one".
    missing : "drop", "none" or number
        Rows with a missing feature are dropped, or the feature counts as the middle of its bounds
        or as this number. Rows with a missing or undeclared label are always dropped. Dropping
        costs nothing here: such a row adds nothing to the objective.
    ledger, dataset
        The ledger that every fit is charged to, and the declared name of the data set.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d) or (classes, d)
    intercept_ : ndarray of shape (1,) or (classes,)
    classes_ : ndarray
        The declared classes in ascending order.
    feature_limits_ : ndarray of shape (d, 2)
        What features were clipped to: declared, or found and released. Predictions clip to limits
        that were found.
    information_ : ndarray of shape (d + 1, d + 1), or (d, d) without an intercept, or None
        With ``intervals=True``: the released Fisher information, that is sum p (1 - p) x x^T over
        rows of p, the chance of a class, and x, a column of ones and the features scaled to
        [-1, 1].
    release_ : leastnoise.Release
        The public record; its value lists intercept (if there is one) and coefficients of every
        model.
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
    Guarantee: epsilon-DP, with no delta. Conditions: features in [-1, 1] after scaling, so that
    ||x||_K <= reach and ||x||_2^2 <= m; a loss of rank one with the slope and curvature of the
    logistic one; the *exact* minimiser, which is enclosed with certainty before it is rounded.
    Proof: ``docs/proofs/objective-perturbation.md``, ``docs/proofs/fisher-information.md``,
    ``docs/proofs/regression-limits.md``. Source: Awan and Slavkovic, section 4, with errata 1 and
    4.6.

    Examples
    --------
    >>> import numpy as np
    >>> from leastnoise.estimators import PrivateLogisticRegression
    >>> x = np.linspace(-1, 1, 4001).reshape(-1, 1)
    >>> y = (x[:, 0] > 0.1).astype(int)
    >>> model = PrivateLogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1]).fit(x, y)
    >>> bool(model.score(x, y) > 0.8)
    True
    """

    def __init__(
        self,
        epsilon: object = 1,
        *,
        bounds: object = None,
        limits: object = None,
        classes: object = None,
        penalty: object = "l2",
        C: object = 1.0,
        class_weight: object = None,
        fit_intercept: bool = True,
        exclusive: object = None,
        ball: object = "linf",
        accountant: object = "joint",
        q: object = None,
        correct: bool | None = None,
        intervals: bool = False,
        relation: str | None = None,
        missing: object = "drop",
        ledger: object = None,
        dataset: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.limits = limits
        self.classes = classes
        self.penalty = penalty
        self.C = C
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.exclusive = exclusive
        self.ball = ball
        self.accountant = accountant
        self.q = q
        self.correct = correct
        self.intervals = intervals
        self.relation = relation
        self.missing = missing
        self.ledger = ledger
        self.dataset = dataset

    @all_or_nothing
    def fit(self, X: Any, y: Any, *, classes: object = None, **unsupported: Any) -> Self:
        """Release the coefficients, charged before the data is read.

        Parameters
        ----------
        X : matrix, list of rows or frame of features
        y : column of labels
        classes : list, optional
            In the place of the declared ones, for wrappers that hand on metadata
            (``set_fit_request(classes=True)``).
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
        declared = self.classes if classes is None else classes
        request = self._request(rows, promised, declared)
        target = open_labels(y, rows.rows, request.labels)
        guarantee = PureDP(promised.epsilon, promised.scope)
        details = {
            "statistic": type(self).__name__,
            "column": None,
            "mechanism": request.steps.name,
            "guarantee": guarantee.to_dict(),
        }
        drawn: list[tuple[Release, Design, Behind | None]] = []

        def draw() -> Release:
            drawn.append(self._draw(rows, target, promised, request, guarantee))
            return drawn[0][0]

        share = PureDP(promised.epsilon / request.models, promised.scope)
        draws = (guarantee,) if request.wanted.searched else (share,) * request.models
        schema = (*rows.schema, ("y", "labels"))
        self.release_ = publish(promised, draws, details, schema, draw)
        released = np.array(self.release_.value).reshape(request.models, request.design.width)
        start = int(request.design.intercept)
        self.coef_ = released[:, start:]
        self.intercept_ = released[:, 0] if start else np.zeros(request.models)
        self.classes_ = request.classes
        _, self._scale, self._behind = drawn[0]
        self._draws, self.information_ = None, None
        if self._behind is not None:
            self.information_ = self._behind.matrix[1 - start :, 1 - start :]
        self._set_limits(request.wanted, self._scale, request.policy)
        return self

    def _request(self, rows: Matrix, promised: Promise, declared: object) -> _Fit:
        """Everything that can be refused is refused here."""
        intercept = parse_flag(self.fit_intercept, "fit_intercept")
        names = getattr(self, "feature_names_in_", None)
        ends = feature_bounds(self.bounds, rows.columns, names)
        groups = parse_groups(self.exclusive, rows.columns, names)
        check_indicators(groups, ends, intercept)
        ends = indicators_known(ends, groups)
        wanted = Columns(feature_columns(rows, ends), parse_within(self.limits))
        held = tuple(c.held for c in wanted.columns)
        design = Design(held, intercept, FEATURE_BITS, groups)
        policy = parse_policy(self.missing, ends)
        parse_labels(declared, "classes")
        given = np.asarray(declared)
        parse_labels(given, "classes")  # numpy may have rounded some to the same double
        classes = np.unique(given)
        labels = parse_labels(classes, "classes")
        if not isinstance(self.accountant, str) or self.accountant not in ("joint", "split"):
            raise ParameterError(
                f'accountant must be "joint" or "split", got {quoted(self.accountant)}'
            )
        joint = self.accountant == "joint"
        correct = joint if self.correct is None else parse_flag(self.correct, "correct")
        default = Fraction(1, 2) if not joint else Fraction(19, 20) if correct else Fraction(7, 8)
        q = default if self.q is None else parse_q(self.q, joint)
        models = 1 if len(labels) == 2 else len(labels)
        weights = parse_class_weights(self.class_weight, labels)
        ball, penalty = parse_ball(self.ball, design.width), _ridge(self.penalty, self.C)
        penalty /= weights.largest  # losses are weighed by parts of the largest weight
        records = None
        if groups:
            ball, length = self._of_groups(design)
            records = Fraction(1), length

        def perturbation(design: Design, epsilon: Fraction) -> Perturbation:
            ridge = design.ridge(penalty)
            relation = promised.relation
            return perturbed(
                epsilon, q, ball, ridge, LOGISTIC, relation=relation, joint=joint, correct=correct,
                records=records,
            )  # fmt: skip

        information = self._information(promised, rows.columns, models)
        spent = Fraction(0) if information is None else information.epsilon
        steps = perturbation(design, (promised.epsilon - spent) / models)
        return _Fit(
            wanted, design, policy, classes, labels, weights, perturbation, steps, information
        )

    def _of_groups(self, design: Design) -> tuple[Ball, int]:
        """The ball of records with groups of indicators, and their squared length."""
        if self.ball != "linf":
            raise ParameterError(f'exclusive needs ball="linf", got {quoted(self.ball)}')
        first = int(design.intercept)
        return grouped_ball(design.width, [[j + first for j in g] for g in design.exclusive])

    def _information(self, promised: Promise, columns: int, models: int) -> Information | None:
        """What releases the information, if intervals are asked for."""
        if not parse_flag(self.intervals, "intervals"):
            return None
        if self.class_weight is not None:
            raise ParameterError(
                "intervals=True is for records of one weight: the error of a weighted fit is not "
                "that of its second derivatives. Leave class_weight out, and choose a threshold "
                "for predict_proba"
            )
        if models > 1:
            raise ParameterError(
                "intervals=True is for two classes: with more, fit one model for each class, with "
                "classes=[0, 1] and a target that is 1 for this class"
            )
        return information_of(columns, promised.epsilon * SHARE, promised.relation, 0.25)

    def _draw(
        self,
        rows: Matrix,
        target: Target,
        promised: Promise,
        request: _Fit,
        guarantee: PureDP,
    ) -> tuple[Release, Design, Behind | None]:
        matrix = rows.floats()
        limits = limits_of(request.wanted, [*matrix.T], rows.rows, promised)
        request = request.at(limits, promised.epsilon)
        features, counts = request.design.records(matrix, request.policy)
        codes = target.codes()
        counts &= codes >= 0
        features[~counts] = 0.0
        offsets = np.zeros(len(codes))
        times = np.array(request.weights.times, dtype=np.float64)[np.maximum(codes, 0)]
        positives: Sequence[int] = [1] if request.models == 1 else range(request.models)
        fits: list[Drawn] = []
        for positive in positives:
            hit = (codes == positive).astype(np.float64)
            fits.append(
                request.steps.draw(
                    features, offsets, hit, height=1, times=times, most=request.weights.most
                )
            )
        found = [request.design.unscaled(fit.coefficients) for fit in fits]
        behind = None
        if request.information is not None:
            intercept, point = request.design.intercept, fits[0].coefficients
            heights = heights_at(features, offsets, point)
            matrix = request.information.draw(
                features, heights * (1 - heights), counts, randomness.active(), intercept=intercept
            )
            behind = Behind(fits[0], request.steps, request.information, matrix, intercept)
        release = record(
            promised,
            guarantee,
            value=found[0] if request.models == 1 else found,
            statistic=type(self).__name__,
            mechanism=request.steps.name,
            missing=str(self.missing),
            bounds=request.design.limits,
            limits=request.design.limits if any(limits.moved) else None,
            step=str(request.steps.step),
            sensitivity="global",
            parts=request.parts(limits),
            notes=(*request.steps.notes, "rows whose label is not one of the classes do not count"),
        )
        return release, request.design, behind


def _ridge(penalty: object, C: object) -> Fraction:
    """The ridge that is asked for, in the user's units."""
    if penalty is None:
        return Fraction(0)
    if not isinstance(penalty, str) or penalty != "l2":
        raise ParameterError(
            f'penalty must be "l2" or None, got {quoted(penalty)}: the minimiser is found from '
            "second "
            'derivatives, which an L1 penalty has none of at 0. Take penalty="l2" with a smaller C'
        )
    if isinstance(C, float) and inf == C:  # numpy's floats are floats too
        return Fraction(0)
    number = parse_number(C, "C")
    if not Fraction(1, 10**30) <= number <= 10**30:
        raise ParameterError(
            f"C must lie between 1e-30 and 1e30, or be numpy.inf for no penalty, got {quoted(C)}"
        )
    return 1 / number
