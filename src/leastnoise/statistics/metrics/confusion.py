"""The confusion matrix of a classifier, and the scores that follow from its noisy counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass

from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Laplace, Mechanism
from leastnoise.params import parse_flag, parse_list
from leastnoise.profiles import Profile
from leastnoise.statistics.metrics.losses import PUBLIC_MODEL
from leastnoise.statistics.statistic import Statistic, cut_notes
from leastnoise.statistics.tables.cells import cell_profile, cells_touched
from leastnoise.summaries.cells import Labels
from leastnoise.summaries.metrics import ConfusionSummary
from leastnoise.summaries.pairs import (
    ConfusionSpec,
    Label,
    PairColumns,
    is_text,
    parse_labels,
    parse_predictions,
)


class NoisyConfusion(list[list[int]]):
    """A list of lists of noisy counts, rows by label and columns by prediction, with its scores.

    Scores are post-processing of the noisy counts and cost nothing: a negative count counts as 0,
    a ratio with denominator 0 is 0, so every score is finite and inside [0, 1] (``matthews`` inside
    [-1, 1]). With two labels
    ``precision``, ``recall`` and ``f1`` are those of the second, otherwise the plain mean over
    the labels.

    Parameters
    ----------
    counts : sequence of sequences of int
        A square matrix, such as the value of a release of ``leastnoise.ConfusionMatrix``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``counts`` is not a square list of lists.

    Notes
    -----
    Guarantee: that of the release that the counts come from, ``docs/proofs/losses.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> noisy = ln.NoisyConfusion([[50, -2], [10, 40]])
    >>> noisy.accuracy, noisy.recall
    (0.9, 0.8)
    """

    def __init__(self, counts: Iterable[Iterable[int]]) -> None:
        rows = [parse_list(row, "counts", "lists") for row in parse_list(counts, "counts", "lists")]
        if any(len(row) != len(rows) for row in rows):
            raise ParameterError(
                "counts must be square: one list per label, with one count per prediction"
            )
        super().__init__(rows)

    def rebuilt(self, counts: Sequence[Sequence[int]]) -> NoisyConfusion:
        """A confusion matrix of other counts."""
        return NoisyConfusion(counts)

    @property
    def accuracy(self) -> float:
        """The share of rows whose prediction is their label."""
        right = sum(max(0, row[i]) for i, row in enumerate(self))
        return _ratio(right, sum(max(0, count) for row in self for count in row))

    @property
    def precisions(self) -> list[float]:
        """For each label, the share of its predictions that are right."""
        columns = [sum(max(0, row[j]) for row in self) for j in range(len(self))]
        return [_ratio(max(0, self[j][j]), total) for j, total in enumerate(columns)]

    @property
    def recalls(self) -> list[float]:
        """For each label, the share of its rows that are predicted correctly."""
        return [
            _ratio(max(0, row[i]), sum(max(0, count) for count in row))
            for i, row in enumerate(self)
        ]

    @property
    def f1s(self) -> list[float]:
        """For each label, the harmonic mean of precision and recall."""
        both = zip(self.precisions, self.recalls, strict=True)
        return [2 * p * r / (p + r) if p + r else 0.0 for p, r in both]

    @property
    def jaccards(self) -> list[float]:
        """For each label, rows that have it and are predicted it, over rows with either."""
        both = zip(self.precisions, self.recalls, strict=True)
        return [p * r / (p + r - p * r) if p + r else 0.0 for p, r in both]

    @property
    def supports(self) -> list[int]:
        """For each label, the noisy number of its rows, at least 0."""
        return [sum(max(0, count) for count in row) for row in self]

    @property
    def matthews(self) -> float:
        """The correlation of labels and predictions (Matthews, Gorodkin), 0 if one is constant."""
        true = self.supports
        predicted = [sum(max(0, row[j]) for row in self) for j in range(len(self))]
        total, right = sum(true), sum(max(0, row[i]) for i, row in enumerate(self))
        joint = right * total - sum(t * p for t, p in zip(true, predicted, strict=True))
        spreads = [total**2 - sum(c * c for c in counts) for counts in (true, predicted)]
        if not all(spreads):
            return 0.0
        return max(-1.0, min(1.0, joint / (spreads[0] * spreads[1]) ** 0.5))

    @property
    def precision(self) -> float:
        """The precision of the second of two labels, or the mean over the labels."""
        return _summary(self.precisions)

    @property
    def recall(self) -> float:
        """The recall of the second of two labels, or the mean over the labels."""
        return _summary(self.recalls)

    @property
    def f1(self) -> float:
        """The F1 score of the second of two labels, or the mean over the labels."""
        return _summary(self.f1s)

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall over the labels whose noisy number of rows is positive; 0 if none is."""
        present = [any(count > 0 for count in row) for row in self]
        kept = [r for r, there in zip(self.recalls, present, strict=True) if there]
        return sum(kept) / len(kept) if kept else 0.0


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _summary(scores: list[float]) -> float:
    return scores[1] if len(scores) == 2 else sum(scores) / len(scores)


@dataclass(frozen=True, slots=True)
class ConfusionMatrix(Statistic):
    """Noisy counts of rows by declared label and declared prediction: signed and unbiased ints.

    Parameters
    ----------
    target, prediction : str, optional
        Two columns of a frame or file; omitted for data that is a pair (y_true, y_pred).
    labels : list
        Every label that can occur, all numbers or all text. A row whose label or prediction is
        missing or not declared is in no cell.
    nonnegative : bool
        Clip negative counts to 0 after the draw; they are then biased upwards.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the labels are missing or invalid; checked before any data is read.

    Notes
    -----
    The cells are disjoint. A replaced record leaves one cell and enters another, so at most two
    counts change, by 1 each, and every cell is released with epsilon / 2; under add-remove one
    count changes, and every cell is released with epsilon. Guarantee: jointly epsilon-DP
    (``docs/proofs/losses.md``) for predictions of a model that is public with respect to these
    rows. The value is a ``leastnoise.NoisyConfusion``: a list of
    lists with ``accuracy``, ``precision``, ``recall``, ``f1``, ``matthews`` and more. Default
    mechanism: ``Laplace()``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> pairs = [1, 1, 0, 0], [1, 0, 0, 0]  # labels and predictions
    >>> r = ln.release(ln.ConfusionMatrix(labels=[0, 1]), pairs, epsilon=1)
    >>> len(r.value), 0 <= r.value.accuracy <= 1
    (2, True)
    """

    target: str | None = None
    prediction: str | None = None
    _: KW_ONLY
    labels: object = None
    nonnegative: bool = False

    def __post_init__(self) -> None:
        parse_flag(self.nonnegative, "nonnegative")
        self.spec()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return (PUBLIC_MODEL, *cut_notes(self.nonnegative))

    @property
    def axes(self) -> tuple[tuple[Label, ...], ...]:
        """What the positions of the value stand for: label, then prediction."""
        names = Labels(parse_labels(self.labels)).names()
        return (names, names)

    def spec(self) -> ConfusionSpec:
        """The count of every cell."""
        labels: tuple[Label, ...] = parse_labels(self.labels)
        text = is_text(labels)
        pair = PairColumns(
            self.target, parse_predictions(self.prediction, self.target), (1,), (text, text)
        )
        return ConfusionSpec(pair, labels)

    def touched(self, relation: str) -> int:
        """How many cells one changed record can move."""
        return cells_touched(relation)

    def profiles(self, summary: ConfusionSummary, relation: str) -> list[Profile]:
        """One count per cell, row by row."""
        return [
            cell_profile(count, nonnegative=self.nonnegative)
            for row in summary.counts
            for count in row
        ]

    def combine(self, values: Sequence[int | float]) -> NoisyConfusion:
        """The matrix of the cells' noisy counts."""
        size = len(parse_labels(self.labels))
        counts = [int(value) for value in values]
        return NoisyConfusion(counts[i : i + size] for i in range(0, len(counts), size))

    def default_mechanism(self, relation: str) -> Mechanism:
        """Laplace: local and global sensitivity are equal."""
        return Laplace()
