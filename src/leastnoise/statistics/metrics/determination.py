"""The coefficient of determination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction

from leastnoise.errors import ParameterError, quoted
from leastnoise.mechanisms import Mechanism, TightOrLoose
from leastnoise.params import PrivateBounds, parse_bounds, parse_missing, parse_number
from leastnoise.profiles import Profile, Rational, exact
from leastnoise.statistics.metrics.losses import PUBLIC_MODEL, MeanSquaredError, loss_profile
from leastnoise.statistics.spread.variance import variance_profile
from leastnoise.statistics.statistic import Statistic
from leastnoise.summaries.metrics import DeterminationSummary
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.pairs import DeterminationSpec
from leastnoise.summaries.spread import SpreadSummary

# The output lattice has at least this many steps between 0 and 1.
_STEPS = 2**40
NO_SEARCH = (
    "bounds of an R2 must be declared, as (lower, upper) of the targets: it is computed from two "
    "noisy answers, an error and a variance, with the same limits, and PrivateBounds() finds "
    "limits for one statistic only. Or release MeanSquaredError(bounds=PrivateBounds()) and "
    "Variance(bounds=PrivateBounds()) of the targets, and take 1 - error / variance: it costs "
    "the sum of their epsilons"
)


@dataclass(frozen=True, slots=True)
class R2(Statistic):
    """1 - mean squared error / variance of the targets, clipped at a public floor.

    Parameters
    ----------
    target, prediction : str, optional
        Two columns of a frame or file; omitted for data that is a pair (y_true, y_pred).
    bounds : pair of numbers
        Public limits of targets and predictions, in their unit; what lies outside is clipped. They
        must be declared: both noisy numbers use the same limits, and ``PrivateBounds()`` would find
        different ones for errors and for targets.
    floor : number, below 1
        The smallest answer, public. Default 0: a model no better than the mean of the targets.
    missing : "none", "drop" or a number, optional
        As for ``leastnoise.MeanSquaredError``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is missing or invalid; checked before any data is read.

    Notes
    -----
    Two releases, half of epsilon each, as the record says: the mean squared error and the variance
    of the targets; the answer is 1 - error / variance of the two noisy numbers, the floor where
    the noisy variance is 0. Always finite, between the floor and 1. Default mechanism:
    ``TightOrLoose()`` for both. Guarantee: epsilon-DP for predictions of a model that is public
    with respect to these rows. ``leastnoise.profile`` gives the direct profile, upper = 1 - lower
    MSE / upper variance and lower = 1 - upper MSE / lower variance, both cut at the floor (errata
    3, ``docs/proofs/losses.md``). It is valid for every mechanism, but measured less accurate
    (``docs/decisions``): near 1 a single record can do much more harm than good.
    """

    target: str | None = None
    prediction: str | None = None
    _: KW_ONLY
    bounds: object = None
    floor: object = 0
    missing: object = None

    def __post_init__(self) -> None:
        if isinstance(self.bounds, PrivateBounds):
            raise ParameterError(NO_SEARCH)
        parse_bounds(self.bounds)
        floor = parse_number(self.floor, "floor")
        if not -(2**40) <= floor < 1:
            raise ParameterError(
                f"floor must be below 1 and at least -2**40, got {quoted(self.floor)}"
            )
        self.spec()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return (PUBLIC_MODEL,)

    def spec(self) -> DeterminationSpec:
        """The squared errors and the spread of the targets."""
        losses = MeanSquaredError(
            self.target, self.prediction, bounds=self.bounds, missing=self.missing
        ).spec()
        return DeterminationSpec(
            losses.pair, losses, parse_bounds(self.bounds), parse_missing(self.missing)
        )

    def profiles(self, summary: DeterminationSummary, relation: str) -> list[Profile]:
        """The mean squared error and the variance of the targets, in the user's units."""
        error = loss_profile(summary.losses, relation, limited=True)
        return [
            replace(error, unit=summary.losses.step),
            variance_profile(summary.targets, relation),
        ]

    def combine(self, values: Sequence[int | float]) -> float:
        """The answer, from the two noisy numbers only."""
        error, variance = map(float, values)
        floor = float(parse_number(self.floor, "floor"))
        if variance <= 0:
            return floor
        return min(1.0, max(floor, 1 - error / variance))

    @property
    def summed(self) -> int:
        """Two sums, an error and a variance; none for subclasses, whose answer may differ."""
        return 2 if type(self) is R2 else 0

    def sums(self, summary: DeterminationSummary) -> Sequence[MomentSummary | SpreadSummary]:
        """The summaries of the losses and of the targets."""
        return summary.losses, summary.targets

    def of_sums(self, values: Sequence[Fraction]) -> float:
        """The answer from a mean squared error and a variance."""
        error, variance = values
        floor = Fraction(parse_number(self.floor, "floor"))
        return float(max(floor, 1 - error / variance) if variance > 0 else floor)

    def profile(self, summary: DeterminationSummary, relation: str) -> Profile:
        """The direct profile: one minus the ratio of the bounds on both parts."""
        error = loss_profile(summary.losses, relation, limited=True)
        spread = variance_profile(summary.targets, relation)
        scale = summary.losses.step / summary.targets.step**2
        floor = Fraction(parse_number(self.floor, "floor"))
        depth = summary.losses.depth

        def score(mse: Rational | None, variance: Rational | None) -> Fraction:
            """Falls with the error, rises with the variance; the floor where that is 0."""
            base = Fraction(exact(variance or 0))
            if base <= 0:
                return floor
            return max(floor, 1 - exact(mse or 0) * scale / base)

        value = score(error.value, spread.value)

        def upper(level: int) -> Fraction:
            return score(error.lower(level), spread.upper(level)) if level else value

        def lower(level: int) -> Fraction:
            return score(error.upper(level), spread.lower(level)) if level else value

        return Profile(
            value=value,
            lower=lower,
            upper=upper,
            support=(floor, 1),
            depth=depth,
            resolution=Fraction(1, _STEPS),
            unit=Fraction(1),
        )

    def default_mechanism(self, relation: str) -> Mechanism:
        """As for a variance, for both parts."""
        return TightOrLoose()
