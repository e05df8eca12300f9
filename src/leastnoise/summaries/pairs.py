"""The requests of model metrics: targets and predictions, in public terms only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import ClassVar, Literal, cast

from leastnoise.errors import ParameterError, ParameterTypeError, kind_of, quoted
from leastnoise.foreign import is_list_or_tuple
from leastnoise.numbers import short_text
from leastnoise.params import Missing, listed, parse_entry
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.constants import Constant
from leastnoise.summaries.lattice import Lattice, MissingPolicy, choose_lattice
from leastnoise.summaries.losses import Distance, Entropy, Loss
from leastnoise.summaries.metrics import ConfusionSummary, DeterminationSummary, RankingSummary
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.requests import Reader
from leastnoise.summaries.spread import SpreadSummary

# Without an upper limit the lattice of a loss ends after this many steps.
LIMITLESS_STEPS = 2**90
LIMITLESS_STEP = Fraction(1, 2**20)
# Steps of which so many, and the reciprocal, are doubles.
_FINEST, _COARSEST = Fraction(1, 2**1000), Fraction(2**930)

Label = str | int | float

_LARGEST = 10**300  # of labels that are numbers: doubles hold them


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Where targets and predictions are found.

    Parameters
    ----------
    target, predictions
        Column names; both None where the data is a pair (y_true, y_pred).
    widths : tuple of int
        How many prediction columns there may be; the first is what a plain list of predictions
        is read as: numbers if it is 1, else rows of this many.
    texts : pair of bool
        Whether targets and predictions are text.
    called : pair of str
        The names of the two in errors, where the data is a pair.
    """

    target: str | None
    predictions: tuple[str, ...] | None
    widths: tuple[int, ...] = (1,)
    texts: tuple[bool, bool] = (False, False)
    called: tuple[str, str] = ("y_true", "y_pred")

    @property
    def shown(self) -> str | None:
        """The columns as a record shows them."""
        if self.target is None or self.predictions is None:
            return None
        return ", ".join((self.target, *self.predictions))


@dataclass(frozen=True, slots=True)
class LossRequest:
    """The row count, exact sum and extremes of the losses, on a public lattice.

    ``names`` are the columns of the opened table: the target and the predictions.
    """

    column: str | None
    names: tuple[str, ...]
    lattice: Lattice
    missing: MissingPolicy
    loss: Loss

    def empty(self, depth: int | None) -> MomentSummary:
        """The summary of no rows."""
        return MomentSummary(0, 0, self.lattice, (), (), depth)

    def read(self, reader: Reader, depth: int | None) -> MomentSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.losses(self, depth)


@dataclass(frozen=True, slots=True)
class ConfusionRequest:
    """The count of every pair of declared labels."""

    column: str | None
    names: tuple[str, ...]
    labels: tuple[Label, ...]
    missing: MissingPolicy
    lattice: None = None

    def empty(self, depth: int | None) -> ConfusionSummary:
        """The summary of no rows."""
        return ConfusionSummary.none(len(self.labels))

    def read(self, reader: Reader, depth: int | None) -> ConfusionSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.confusion(self)


@dataclass(frozen=True, slots=True)
class RankingRequest:
    """Pairs of a positive and a negative row that are ranked right."""

    column: str | None
    names: tuple[str, ...]
    labels: tuple[Label, ...]
    missing: MissingPolicy
    lattice: None = None

    def empty(self, depth: int | None) -> RankingSummary:
        """The summary of no rows."""
        return RankingSummary.none()

    def read(self, reader: Reader, depth: int | None) -> RankingSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.ranking(self)


@dataclass(frozen=True, slots=True)
class DeterminationRequest:
    """Squared errors and the spread of the targets, on two public lattices."""

    losses: LossRequest
    targets: Lattice
    fill: Fraction

    @property
    def column(self) -> str | None:
        """The columns as a record shows them."""
        return self.losses.column

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the opened table."""
        return self.losses.names

    @property
    def missing(self) -> MissingPolicy:
        """The policy for missing entries, the same in both parts."""
        return self.losses.missing

    @property
    def lattice(self) -> Lattice:
        """The lattice of the targets."""
        return self.targets

    def empty(self, depth: int | None) -> DeterminationSummary:
        """The summary of no rows."""
        targets = SpreadSummary.of((), self.targets, depth)
        return DeterminationSummary(self.losses.empty(depth), targets)

    def read(self, reader: Reader, depth: int | None) -> DeterminationSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.determination(self, depth)


@dataclass(frozen=True, slots=True)
class LossSpec:
    """A mean of losses."""

    form: ClassVar[Literal["pair"]] = "pair"
    pair: PairColumns
    loss: Distance | Entropy
    step: Fraction | None
    missing: Missing | Fraction | None

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> LossRequest:
        """The request for columns of these public types."""
        policy, loss = _loss_policy(self.loss, self.missing, session, kinds)
        if isinstance(loss, Distance):
            limits = (-inf, inf) if loss.bounds is None else loss.bounds
            for kind in kinds:
                kind.check_reach(limits, "bounds", ends=True)
        if isinstance(loss, Entropy):
            loss = replace(loss, binary=len(names) == 2)
        return LossRequest(self.pair.shown, names, loss_lattice(loss.top, self.step), policy, loss)


@dataclass(frozen=True, slots=True)
class ConfusionSpec:
    """The count of every pair of declared labels."""

    form: ClassVar[Literal["pair"]] = "pair"
    pair: PairColumns
    labels: tuple[Label, ...]

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> ConfusionRequest:
        """The request: rows without declared labels are in no cell, whatever the policy."""
        return ConfusionRequest(self.pair.shown, names, self.labels, MissingPolicy("in no cell", 0))


@dataclass(frozen=True, slots=True)
class RankingSpec:
    """Pairs of a positive and a negative row that are ranked right."""

    form: ClassVar[Literal["pair"]] = "pair"
    pair: PairColumns
    labels: tuple[Label, ...]

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> RankingRequest:
        """The request: rows without a declared label or a score are in no pair."""
        return RankingRequest(self.pair.shown, names, self.labels, MissingPolicy("in no pair", 0))


@dataclass(frozen=True, slots=True)
class DeterminationSpec:
    """Squared errors beside the spread of the targets."""

    form: ClassVar[Literal["pair"]] = "pair"
    pair: PairColumns
    losses: LossSpec
    bounds: tuple[Fraction, Fraction]
    missing: Missing | Fraction | None

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> DeterminationRequest:
        """The request for columns of these public types."""
        losses = self.losses.resolve(names, kinds, session)
        lattice = choose_lattice(self.bounds, purpose="spread", integer_column=False, step=None)
        return DeterminationRequest(losses, lattice, cast("Distance", losses.loss).fill)


def loss_lattice(top: Fraction | None, step: Fraction | None) -> Lattice:
    """The lattice of losses in [0, top]: from public facts only."""
    if top is None:
        if step is not None and not _FINEST <= step <= _COARSEST:
            raise ParameterError(
                "step must lie between 2**-1000 and 2**930 for a loss without limits, got "
                f"{short_text(step)}"
            )
        return Lattice(LIMITLESS_STEP if step is None else step, 0, LIMITLESS_STEPS)
    return choose_lattice(
        (Fraction(0), top),
        purpose="moments",
        integer_column=False,
        step=step,
        name="the limits of a loss",
    )


def _loss_policy(
    loss: Distance | Entropy,
    declared: Missing | Fraction | None,
    session: Missing | Fraction | None,
    kinds: Sequence[ColumnType],
) -> tuple[MissingPolicy, Distance | Entropy]:
    choice = declared if declared is not None else session
    if isinstance(loss, Entropy):
        if isinstance(choice, Fraction):
            raise ParameterError(
                'missing must be "none" or "drop" for a cross-entropy; a missing label or '
                "prediction then counts as the uniform prediction, or its row is dropped"
            )
        # labels can be undeclared whatever the type of their column
        return MissingPolicy("drop", None) if choice == "drop" else MissingPolicy("none", 0), loss
    if choice == "drop" and any(kind.nullable for kind in kinds):
        return MissingPolicy("drop", None), loss
    if not isinstance(choice, Fraction):
        return MissingPolicy("none", 0), loss
    if loss.bounds is not None and not loss.bounds[0] <= choice <= loss.bounds[1]:
        raise ParameterError("missing must be a number inside the bounds, or 'drop' or 'none'")
    return MissingPolicy(f"impute {choice}", 0), replace(loss, fill=choice)


def parse_labels(labels: object, name: str = "labels") -> tuple[Label, ...]:
    """Declared labels: at least two, different, all text without blanks around it or all numbers.

    Whole numbers stay exact, whatever their size; others are doubles.

    Raises
    ------
    ParameterError, ParameterTypeError
        If they are missing, repeated, mixed, fewer than two, or blank or padded text.
    """
    if labels is None:
        raise ParameterError(
            f"{name} are required: declare every label that can occur, for example {name}=[0, 1]; "
            "they are never taken from the data"
        )
    labels = listed(labels)
    if not (is_list_or_tuple(labels) or isinstance(labels, range)):
        raise ParameterTypeError(f"{name} must be a list of labels, not {type(labels).__name__}")
    entries = list(labels)
    found: Sequence[Label]
    if all(isinstance(entry, str) for entry in entries):
        found = texts = [str(entry) for entry in entries]
        for label in texts:
            if not label or label != label.strip():
                raise ParameterError(
                    f"{name} must be text without blanks around it, and not blank: "
                    "entries are compared without theirs, and a blank one is missing"
                )
    elif any(isinstance(entry, str) for entry in entries):
        raise ParameterTypeError(f"{name} must be all text or all numbers")
    else:
        numbers = [parse_entry(int(e) if isinstance(e, bool) else e, name) for e in entries]
        if any(abs(number) > _LARGEST for number in numbers):
            raise ParameterError(f"{name} must be at most 1e300 in size")
        found = [n.numerator if n.denominator == 1 else float(n) for n in numbers]
    if len(found) < 2:
        raise ParameterError(f"{name} must name at least two labels")
    if len(set(found)) < len(found):
        raise ParameterError(f"{name} must be different from one another")
    return tuple(found)


def exact(labels: Sequence[Label]) -> list[Constant]:
    """The labels as constants of conditions, which columns are compared with."""
    return [label if isinstance(label, str) else Fraction(label) for label in labels]


def is_text(labels: tuple[Label, ...]) -> bool:
    """Whether the labels are text."""
    return isinstance(labels[0], str)


def parse_predictions(value: object, target: object) -> tuple[str, ...] | None:
    """The names of the prediction columns: both target and predictions are named, or neither."""
    if (value is None) != (target is None):
        raise ParameterTypeError(
            "name both columns, the target and the prediction, or leave both out for a pair "
            "(y_true, y_pred)"
        )
    if value is None:
        return None
    names = [value] if isinstance(value, str) else value
    if not is_list_or_tuple(names) or not names:
        raise ParameterTypeError(f"the prediction must be a column name, got {quoted(value)}")
    found: list[str] = []
    for entry in names:
        if not isinstance(entry, str) or not entry:
            raise ParameterTypeError(f"the prediction must be a column name, got {kind_of(entry)}")
        found.append(entry)
    return tuple(found)
