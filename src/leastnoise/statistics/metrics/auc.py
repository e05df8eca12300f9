"""The area under the ROC curve of a score."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction

from leastnoise.errors import ParameterError, quoted
from leastnoise.profiles import Profile, Rational
from leastnoise.statistics.metrics.losses import PUBLIC_MODEL
from leastnoise.statistics.statistic import Statistic
from leastnoise.summaries.metrics import RankingSummary
from leastnoise.summaries.pairs import (
    PairColumns,
    RankingSpec,
    is_text,
    parse_labels,
    parse_predictions,
)

# The output lattice has this many steps from 0 to 1.
_STEPS = 2**40


@dataclass(frozen=True, slots=True)
class RocAuc(Statistic):
    """The probability that a positive row scores above a negative one; ties count half.

    Parameters
    ----------
    target, prediction : str, optional
        The columns of labels and of scores of a frame or file; omitted for data that is a pair
        (y_true, y_score).
    labels : pair
        The negative and the positive label. Default (0, 1).

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    Scores are only compared, so they need no bounds. A row with a missing score or without a
    declared label is neither positive nor negative. Without rows of both kinds the area is 1/2.
    One record moves the area by at most 1 / (m - 1) and m, the size of the smaller class, by at
    most 1, so after l changes the area is within 1/(m-1) + ... + 1/(m-l) of where it was: a
    profile by radius bounds under every relation (``docs/proofs/auc.md``; Durfee 2025, Definition
    5.1). Never monotone. Default mechanism: ``PiecewiseLaplace()``. Guarantee: epsilon-DP for
    scores of a model that is public with respect to these rows; the expected error is about
    2 / (m epsilon).

    Examples
    --------
    >>> import leastnoise as ln
    >>> float(ln.profile(ln.RocAuc(), ([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).value)
    0.75
    """

    target: str | None = None
    prediction: str | None = None
    _: KW_ONLY
    labels: object = (0, 1)

    def __post_init__(self) -> None:
        self.spec()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return (PUBLIC_MODEL,)

    def spec(self) -> RankingSpec:
        """The number of pairs ranked right, and the sizes of both classes."""
        labels = parse_labels(self.labels)
        if len(labels) != 2:
            raise ParameterError(
                "labels must be a pair, the negative and the positive label, got "
                f"{quoted(self.labels)}"
            )
        pair = PairColumns(
            self.target,
            parse_predictions(self.prediction, self.target),
            texts=(is_text(labels), False),
        )
        return RankingSpec(pair, labels)

    def profile(self, summary: RankingSummary, relation: str) -> Profile:
        """The area with the radius that l changes can add, under every relation alike."""
        smaller = min(summary.positives, summary.negatives)
        top, bottom = summary.twice * _STEPS, 2 * summary.positives * summary.negatives
        if not bottom:
            top, bottom = _STEPS, 2
        radii = [0]

        def radius(level: int) -> int:
            """The sum of the steps 1..level, each rounded up; it reaches the whole range."""
            while len(radii) <= level and radii[-1] < _STEPS:
                radii.append(radii[-1] - (-_STEPS // max(1, smaller - len(radii))))
            return radii[min(level, len(radii) - 1)]

        def upper(level: int) -> Rational:
            reached = top + radius(level) * bottom
            return (reached, bottom) if reached < _STEPS * bottom else _STEPS

        def lower(level: int) -> Rational:
            reached = top - radius(level) * bottom
            return (reached, bottom) if reached > 0 else 0

        return Profile(
            value=(top, bottom),
            lower=lower,
            upper=upper,
            support=(0, _STEPS),
            unit=Fraction(1, _STEPS),
        )
