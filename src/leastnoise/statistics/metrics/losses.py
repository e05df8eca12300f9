"""Model metrics that are means of losses: squared and absolute errors, cross-entropy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from math import floor, isqrt

from leastnoise.errors import ParameterError, quoted
from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    Laplace,
    LaplaceRatio,
    Mechanism,
    PrivateLimits,
)
from leastnoise.mechanisms.far_limits import far_walk
from leastnoise.numbers import short_text
from leastnoise.params import (
    PrivateBounds,
    parse_bounds,
    parse_flag,
    parse_missing,
    parse_number,
    parse_step,
)
from leastnoise.profiles import Profile, Rational, square_root
from leastnoise.profiles.maps import root_of
from leastnoise.statistics.statistic import BoundedStatistic
from leastnoise.statistics.totals.mean import mean_profile
from leastnoise.summaries.lattice import power_of_two_at_least
from leastnoise.summaries.losses import Distance, Entropy
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.pairs import (
    LossSpec,
    PairColumns,
    is_text,
    loss_lattice,
    parse_labels,
    parse_predictions,
)

# A note in the record of every metric.
PUBLIC_MODEL = "the model must be public with respect to the scored rows: it is not protected"
# Nats: a cross-entropy whose losses are cut at this or less is released with Laplace noise.
_SHORT = 14
# Below this cross-entropies need no finer relative spacing.
_NATS = "1/32"
# Their limits are never far away (36 nats for probabilities), so their candidates can lie closer.
_CLOSE = "1/3"
_LARGEST_LOSS = Fraction(2**1000)
# The lattice of a root is that of as many steps of losses, where these have no end.
_STEPS = 2**60


class _MeanLoss(BoundedStatistic):
    """The methods that all means of losses share."""

    __slots__ = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return (PUBLIC_MODEL,)

    @property
    def limited(self) -> bool:
        """Whether a loss has an upper limit: from public parameters only."""
        return self.spec().loss.top is not None

    @property
    def summed(self) -> int:
        """One sum, if losses have an upper limit; none for subclasses, whose answer may differ."""
        return int(self.limited and type(self).__base__ is _MeanLoss)

    def sums(self, summary: MomentSummary) -> Sequence[MomentSummary]:
        """The summary of the losses."""
        return (summary,)

    def default_mechanism(self, relation: str) -> Mechanism:
        """By the public rule for losses, inside private limits where bounds are declared."""
        searched = self._power and self.limited and not self._fits
        return PrivateLimits() if searched else self.settled_mechanism(relation)

    def settled_mechanism(self, relation: str) -> Mechanism:
        """By the public rule for losses."""
        return default_for_losses(relation, top=Fraction(1) if self._fits else None)

    def default_of_persons(self, relation: str) -> Mechanism:
        """By the public rule for losses."""
        return self.settled_mechanism(relation)

    @property
    def _power(self) -> int:
        """The power of a distance that the answer is; 0 for other losses."""
        return 0

    @property
    def _fits(self) -> bool:
        """Whether distances are those of zeros and ones, or of shares, by their bounds.

        A walk from 0 stops at once where nearly all losses are 0 and the others 1.
        """
        loss = self.spec().loss
        return isinstance(loss, Distance) and loss.bounds == (0, 1)

    def far_mechanism(self, records: Fraction, width: Fraction) -> Mechanism | None:
        """A walk outwards, for distances."""
        return far_walk(records, width, self._power) if self._power else None


@dataclass(frozen=True, slots=True)
class MeanSquaredError(_MeanLoss):
    """The mean of (target - prediction)^2, targets and predictions clipped to the bounds.

    Parameters
    ----------
    target, prediction : str, optional
        Two columns of a frame or file; omitted for data that is a pair (y_true, y_pred).
    bounds : pair of numbers, optional
        Public limits of targets and predictions, in their unit; what lies outside is clipped. A
        loss is then at most (upper - lower)^2. Without bounds losses have no upper limit (they are
        clipped at 2**90 steps, so errors at 3e10), and only mechanisms that need none can be used.
        With ``PrivateBounds()`` an upper limit of the losses is found privately; they are clipped
        there and released with Laplace noise.
    step : number, optional
        Spacing of the lattice of losses. Default: the smallest power of two
        >= (upper - lower)^2 / 2**60; without bounds 2**-20, so for errors far below .001 give one.
    missing : "none", "drop" or a number, optional
        Default "none": the number of rows is public, and a missing or unparsable target or
        prediction counts as the middle of the bounds (0 without bounds). "drop" removes such rows,
        which makes the number of rows private; a number replaces what is missing.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    The predictions must come from a model that is public with respect to these rows. One record
    moves one loss, so the sensitivity profile is that of a mean (errata 3,
    ``docs/proofs/losses.md``); without an upper limit its upper bounds have no limit. An empty
    table has the public value in the middle of the range of losses, 0 without bounds. Default
    mechanism by a public rule: ``docs/decisions``; with declared bounds ``PrivateLimits()``, which
    clips losses far beyond most of them where bounds are loose, and releases the limit; in bounds
    of (0, 1), as of labels, chances and shares, ``Laplace()``, or ``LaplaceRatio()`` where the
    number of rows is private; omit bounds where errors of shares are some hundredths. Guarantee:
    epsilon-DP under "replace-one", "add-remove" and "edit", for every mechanism. Source: Durfee
    (2024), E.5.

    Examples
    --------
    >>> import leastnoise as ln
    >>> data = ([3.0, 5.0, 2.5], [2.5, 5.0, 4.0])
    >>> float(ln.profile(ln.MeanSquaredError(bounds=(0, 10)), data).value)
    0.8333333333333334
    """

    target: str | None = None
    prediction: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        self.spec()

    @property
    def _power(self) -> int:
        return 2

    def spec(self) -> LossSpec:
        """The exact sum and the extremes of the squared errors."""
        return _distance(self, squared=True)

    def profile(self, summary: MomentSummary, relation: str) -> Profile:
        """Bounds on the mean loss after l changes."""
        return loss_profile(summary, relation, limited=self.limited)


@dataclass(frozen=True, slots=True)
class MeanAbsoluteError(_MeanLoss):
    """The mean of |target - prediction|, targets and predictions clipped to the bounds.

    Parameters
    ----------
    target, prediction, bounds, step, missing
        As for ``leastnoise.MeanSquaredError``; a loss is at most upper - lower.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    Guarantee, conditions and default: as for ``leastnoise.MeanSquaredError``
    (``docs/proofs/losses.md``). Source: Durfee (2024), E.6.
    """

    target: str | None = None
    prediction: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        self.spec()

    @property
    def _power(self) -> int:
        return 1

    def spec(self) -> LossSpec:
        """The exact sum and the extremes of the absolute errors."""
        return _distance(self, squared=False)

    def profile(self, summary: MomentSummary, relation: str) -> Profile:
        """Bounds on the mean loss after l changes."""
        return loss_profile(summary, relation, limited=self.limited)


@dataclass(frozen=True, slots=True)
class RootMeanSquaredError(_MeanLoss):
    """The square root of the mean squared error, in the unit of the targets.

    Parameters
    ----------
    target, prediction, bounds, step, missing
        As for ``leastnoise.MeanSquaredError``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    The profile is the square root of that of the mean squared error, rounded down to a public
    lattice by an exact integer root. One monotone map serves the value and both bounds, so the
    neighbour law and the direction of every bound stay (``docs/proofs/losses.md``). Guarantee: as
    for ``leastnoise.MeanSquaredError``.
    """

    target: str | None = None
    prediction: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        self.spec()

    @property
    def _power(self) -> int:
        return 1

    @property
    def _fits(self) -> bool:
        """No: the root of a mean near 0 moves too far for noise of one size."""
        return False

    def spec(self) -> LossSpec:
        """The exact sum and the extremes of the squared errors."""
        return _distance(self, squared=True)

    def profile(self, summary: MomentSummary, relation: str) -> Profile:
        """The root of the bounds on the mean squared error."""
        squared = loss_profile(summary, relation, limited=self.limited)
        top = min(summary.lattice.high, _STEPS) * summary.step  # a lattice without end is as fine
        return root_profile(squared, summary.step, top)

    def of_sums(self, values: Sequence[Fraction]) -> float:
        """The root of the mean squared error."""
        (value,) = values
        return root_of(value)


@dataclass(frozen=True, slots=True)
class CrossEntropy(_MeanLoss):
    """The mean of -log(probability of the true label): log loss, in nats.

    Parameters
    ----------
    target, prediction : str, optional
        The column of labels, and one column of predictions or a list with one per label; omitted
        for data that is a pair (y_true, y_pred), where y_pred may have two dimensions.
    labels : list
        Every label that can occur, all numbers or all text, in the order of the prediction
        columns. Default [0, 1]. With two labels one prediction column is that of the second.
    logits : bool
        Predictions are logits (log-odds of the second label, or one per label before the softmax),
        not probabilities.
    bounds : pair of numbers, optional
        Public limits of the logits, which are clipped to [a, b]: a loss is then at most
        max(log(1 + e^-a), log(1 + e^b)) for one logit, log(1 + (labels - 1) e^(b - a)) for more.
    loss_bound : number or PrivateBounds, optional
        Losses are clipped here; with ``PrivateBounds()`` at a limit that is found privately.
    step : number, optional
        Spacing of the lattice of losses. Default: the smallest power of two >= largest / 2**60;
        without a limit 2**-20.
    missing : "none" or "drop", optional
        Default "none": the number of rows is public, and a row with a missing or undeclared label
        or a missing prediction counts as the uniform prediction, ln(labels). "drop" removes such
        rows, which makes the number of rows private.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    Probabilities are clipped to [0, 1] and, with one column per label, divided by their sum
    (uniform if all are 0); that of the true label is then at least 2**-52, so a loss from
    probabilities is at most 52 ln 2 = 36.05. Ours is a mean; Durfee (2024), E.7 and E.9, prints
    sums, and twice the supremum for one logit (errata 2). Guarantee, conditions, profile and
    default: as for ``leastnoise.MeanSquaredError`` (``docs/proofs/losses.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> round(float(ln.profile(ln.CrossEntropy(labels=[0, 1]), ([1, 1], [0.9, 0.8])).value), 6)
    0.164252
    """

    target: str | None = None
    prediction: str | list[str] | None = None
    _: KW_ONLY
    labels: object = (0, 1)
    logits: bool = False
    bounds: object = None
    loss_bound: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        logits = parse_flag(self.logits, "logits")
        if self.bounds is not None and not logits:
            raise ParameterError(
                "bounds are limits of logits: give logits=True, or omit bounds for "
                "probabilities, which lie in [0, 1]"
            )
        missing = parse_missing(self.missing)
        if isinstance(missing, Fraction):
            raise ParameterError('missing must be "none" or "drop" for a cross-entropy')
        self.spec()

    def spec(self) -> LossSpec:
        """The exact sum and the extremes of the losses."""
        labels = parse_labels(self.labels)
        bound = None
        if self.loss_bound is not None and not isinstance(self.loss_bound, PrivateBounds):
            bound = parse_number(self.loss_bound, "loss_bound")
            if not 0 < bound < _LARGEST_LOSS:
                raise ParameterError(
                    "loss_bound must be greater than 0 and below 2**1000, got "
                    f"{quoted(self.loss_bound)}"
                )
        bounds = None if self.bounds is None else parse_bounds(self.bounds)
        loss = Entropy(labels, bool(self.logits), bounds, bound, len(labels) == 2)
        several = len(labels)
        pair = PairColumns(
            self.target,
            parse_predictions(self.prediction, self.target),
            (1, 2) if several == 2 else (several,),
            (is_text(labels), False),
        )
        return LossSpec(pair, loss, parse_step(self.step), parse_missing(self.missing))

    def profile(self, summary: MomentSummary, relation: str) -> Profile:
        """Bounds on the mean loss after l changes."""
        return loss_profile(summary, relation, limited=self.limited)

    @property
    def searched(self) -> PrivateBounds | None:
        """Asked for by the limit of the losses."""
        return self.loss_bound if isinstance(self.loss_bound, PrivateBounds) else None

    def settled_mechanism(self, relation: str) -> Mechanism:
        """By the public rule for losses."""
        return default_for_losses(relation, top=self.spec().loss.top, scale=_NATS)


def _distance(
    metric: MeanSquaredError | MeanAbsoluteError | RootMeanSquaredError, *, squared: bool
) -> LossSpec:
    searched = metric.bounds is None or isinstance(metric.bounds, PrivateBounds)
    bounds = None if searched else parse_bounds(metric.bounds)
    predictions = parse_predictions(metric.prediction, metric.target)
    pair = PairColumns(metric.target, predictions)
    middle = Fraction(0) if bounds is None else (bounds[0] + bounds[1]) / 2
    loss = Distance(bounds, squared, middle)
    if bounds is not None and loss.top is not None and loss.top >= _LARGEST_LOSS:
        raise ParameterError(
            f"bounds [{short_text(bounds[0])}, {short_text(bounds[1])}] are too wide for a finite "
            "loss: the largest must be below 2**1000, about 1e301"
        )
    step = parse_step(metric.step)
    loss_lattice(loss.top, step)
    return LossSpec(pair, loss, step, parse_missing(metric.missing))


def loss_profile(summary: MomentSummary, relation: str, *, limited: bool) -> Profile:
    """The profile of a mean of losses >= 0, with or without an upper limit (errata 3)."""
    bounded = mean_profile(summary, relation)
    if limited:
        return bounded
    # one record can carry any loss, so nothing limits the mean after one change; the lower
    # bounds are those of a mean, whose lower limit is 0
    value: Rational = bounded.value if summary.n else 0
    # all records changed or gone: the empty table's value 0 is within reach
    n = summary.n

    def upper(level: int) -> Rational | None:
        return None if level else value

    def lower(level: int) -> Rational | None:
        if not level:
            return value
        return 0 if level >= n else bounded.lower(level)

    return replace(
        bounded,
        value=value,
        upper=upper,
        lower=lower,
        support=(0, None),
        sensitivity=None,
        local_sensitivity=None,
        ratio=None,
    )


def root_profile(squared: Profile, step: Fraction, top: Fraction) -> Profile:
    """The square root of a profile of values >= 0, on a public lattice.

    Parameters
    ----------
    squared : Profile
        Values and bounds in units of ``step``.
    step, top : Fraction
        The unit, and the public largest value: the lattice has at least 2**40 points below its
        root.
    """
    # the square of the resolution: a power of 4, at least top / 2**80
    grain = power_of_two_at_least(top / 2**80) if top else Fraction(1)
    exponent = grain.numerator.bit_length() - grain.denominator.bit_length()
    resolution = Fraction(2) ** (-(-exponent // 2))
    change = squared.global_sensitivity
    if change is not None:
        # |sqrt(a) - sqrt(b)| <= sqrt(|a - b|), and rounding down adds less than one step
        change = (isqrt(floor(change * step / resolution**2)) + 1) * resolution
    root = square_root(
        replace(squared, unit=step).in_users_units(), resolution=resolution, unit=Fraction(1)
    )
    return replace(root, sensitivity=change)


def default_for_losses(
    relation: str, *, top: Fraction | None = None, scale: object = None
) -> Mechanism:
    """The default mechanism of a mean of losses, from public facts only (``docs/decisions``).

    ``top`` is the largest loss where a public limit of a few times the usual loss is likely: up to
    ``_SHORT`` the noise of the whole range is smaller than what adapting costs. ``scale`` is that
    of the candidates.
    """
    if top is not None and top <= _SHORT:
        return Laplace() if relation == "replace-one" else LaplaceRatio()
    apart = 1 if scale is None else _CLOSE
    return AsymmetricSensitivity(beta="auto", split=2, scale=scale, apart=apart)
