"""Answers that are not numbers: the most frequent category, any function of a few counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.mechanisms import Exponential, Mechanism, PermuteAndFlip, PiecewiseLaplace
from leastnoise.params import is_one_of, parse_count, parse_number
from leastnoise.profiles import Profile, Scores
from leastnoise.profiles.enumeration import (
    Answers,
    check_answers,
    declared_distances,
    enumerated_profile,
    enumerated_scores,
    tabulate,
)
from leastnoise.statistics.statistic import Statistic
from leastnoise.statistics.totals.count import MOST_ROWS
from leastnoise.summaries import spec
from leastnoise.summaries.cells import CellSpec, CellSummary
from leastnoise.summaries.pairs import Label


@dataclass(frozen=True, slots=True)
class Mode(Statistic):
    """The most frequent of the declared categories; the first declared if several tie.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    categories : list
        Every category that can be the answer, all text, all numbers or all dates, times or
        durations, which are answered by their text; an undeclared entry counts for none. Their
        order settles ties.
    score : "count" or "distance"
        "count": the score of a category is its count. "distance": minus the number of records that
        must change before it is the mode, as in the inverse sensitivity mechanism; it is never more
        than the gap to the largest count, so the choice is less sharp, except for two categories,
        where ``Exponential()`` then needs half of the noise.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the categories are missing or invalid; checked before any data is read.

    Notes
    -----
    Default mechanism: ``PermuteAndFlip()``; ``Exponential()`` for the distances of two categories.
    Guarantee: epsilon-DP (``docs/proofs/discrete-inverse-sensitivity.md``). An added record raises
    one count and lowers none, so under "add-remove" counts are monotone and half of the noise is
    enough. Source: Asi and Duchi (2020), (M.1); McKenna and Sheldon (2020).

    Examples
    --------
    >>> import leastnoise as ln
    >>> votes = ["tea"] * 60 + ["coffee"] * 5
    >>> ln.release(ln.Mode(categories=["coffee", "tea"]), votes, epsilon=1).value
    'tea'
    """

    column: str | None = None
    _: KW_ONLY
    categories: object = None
    score: Literal["count", "distance"] = "count"

    def __post_init__(self) -> None:
        if not is_one_of(self.score, ("count", "distance")):
            raise ParameterError(f'score must be "count" or "distance", got {quoted(self.score)}')
        self.spec()

    @property
    def answers(self) -> tuple[Label, ...]:
        """What can be released."""
        return self.spec().axis.names()

    def spec(self) -> CellSpec:
        """The count of every category."""
        return spec.categories(self.column, labels=self.categories)

    def profile(self, summary: CellSummary, relation: str) -> Scores:
        """The score of every category."""
        counts = [min(count, MOST_ROWS) for count in summary.counts]
        if self.score == "distance":
            far = [_distance(counts, i, relation) for i in range(len(counts))]
            return Scores.from_distances(far, self.answers)
        return Scores(values=counts, candidates=self.answers, monotone=relation == "add-remove")

    def default_mechanism(self, relation: str) -> Mechanism:
        """The sharper of the two choices."""
        two = self.score == "distance" and len(self.answers) == 2
        return Exponential() if two else PermuteAndFlip()


def _distance(counts: Sequence[int], place: int, relation: str) -> int:
    """The records that must change before this category is the mode.

    With l changed records it can gain l while the others lose l in all, so it must hold that the
    gaps beyond l add up to at most l; a record that is only added or removed does one of the two,
    and adding is never worse.
    """
    gaps = [
        gap
        for other, count in enumerate(counts)
        if (gap := count - counts[place] + (1 if other < place else 0)) > 0
    ]
    if not gaps:
        return 0
    if relation == "add-remove":
        return max(gaps)
    low, high = 0, max(gaps)
    while low < high:
        middle = (low + high) // 2
        if sum(max(0, gap - middle) for gap in gaps) <= middle:
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, slots=True)
class SmallFunction(Statistic):
    """Any function of how often a few declared categories occur, by enumerating every data set.

    Either the function is given, and every distance is searched for, or a distance is, and is
    checked.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    function : callable of a tuple of ints
        Maps the counts of the categories, in their order, to an exact number (int or Fraction), or
        to one of ``answers``. It is called for every data set before any data is read.
    distance : callable of an answer and a tuple of ints
        Instead of the function: how many records must change before this is the answer, 0 for the
        answer itself. It may be less than that, if one record changes it by at most 1, which is
        checked for all data sets before any data is read.
    categories : list
        As for ``Mode``.
    most : int
        Public: no category is counted more often than this.
    answers : list of text or numbers, optional
        The labels that the function can return; omitted for numbers.
    resolution : number
        Spacing of numeric answers, public. Default: 1.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid, there are more than a million data sets, (most + 1)^categories of
        them, or an answer is neither declared nor an exact number; checked before any data is read.

    Notes
    -----
    Bounds and distances are exact for the counts: under "add-remove" the records to add and to
    remove, else the larger of the two. Default mechanism: ``PiecewiseLaplace()`` for numbers;
    ``PermuteAndFlip()`` for labels, ``Exponential()`` for two of them. Guarantee: epsilon-DP
    (``docs/proofs/discrete-inverse-sensitivity.md``). Source: Asi and Duchi (2020), (M.1).

    Examples
    --------
    >>> import leastnoise as ln
    >>> passed = ln.SmallFunction(
    ...     function=lambda counts: "yes" if counts[1] >= 2 * counts[0] else "no",
    ...     categories=["fail", "pass"], most=20, answers=["yes", "no"],
    ... )
    >>> ln.release(passed, ["pass"] * 18 + ["fail"], epsilon=2).value
    'yes'
    """

    column: str | None = None
    _: KW_ONLY
    function: Callable[[tuple[int, ...]], Any] | None = None
    distance: Callable[[Any, tuple[int, ...]], int] | None = None
    categories: object = None
    most: int = 10
    answers: Sequence[Any] | None = None
    resolution: object = 1

    def __post_init__(self) -> None:
        if callable(self.function) == callable(self.distance):
            raise ParameterTypeError(
                "give either function=, which maps a tuple of counts to an answer, or distance=, "
                "which maps an answer and counts to a number of records"
            )
        if self.distance is not None and not callable(self.distance):
            raise ParameterTypeError(f"distance must be callable, got {quoted(self.distance)}")
        if self.distance is not None and self.answers is None:
            raise ParameterError(
                "answers are required with distance=: the labels that can be released"
            )
        if not parse_number(self.resolution, "resolution") > 0:
            raise ParameterError(
                f"resolution must be greater than 0, got {quoted(self.resolution)}"
            )
        object.__setattr__(self, "most", parse_count(self.most, "most"))
        labels: Any = self.answers
        if labels is not None:
            if isinstance(labels, str) or not hasattr(labels, "__iter__"):
                raise ParameterTypeError(f"answers must be a list of labels, got {quoted(labels)}")
            listed = list(labels)
            if not all(isinstance(label, (str, int, float)) for label in listed):
                raise ParameterTypeError("answers must be text or numbers")
            if any(label != label for label in listed):
                raise ParameterError("answers must not contain NaN, which equals nothing")
            if len(listed) < 2 or len(set(listed)) < len(listed):
                raise ParameterError("answers must be at least two labels, all different")
        if self.distance is None:
            check_answers(self._tabulated(), labels)
        else:
            self._distances("add-remove")

    def _tabulated(self) -> Answers:
        function = cast("Callable[[tuple[int, ...]], Any]", self.function)
        return tabulate(function, self.spec().axis.size, self.most)

    def _distances(self, relation: str) -> NDArray[np.int64]:
        distance = cast("Callable[[Any, tuple[int, ...]], int]", self.distance)
        answers = tuple(self.answers or ())
        return declared_distances(distance, answers, self.spec().axis.size, self.most, relation)

    def spec(self) -> CellSpec:
        """The count of every category."""
        return spec.categories(self.column, labels=self.categories)

    def profile(self, summary: CellSummary, relation: str) -> Profile | Scores:
        """Exact bounds, or distances of the declared answers."""
        if self.distance is not None:
            at = tuple(min(count, self.most) for count in summary.counts)
            far = self._distances(relation)[(slice(None), *at)]
            return Scores.from_distances(far.tolist(), list(self.answers or ()))
        table, counts = self._tabulated(), summary.counts
        if self.answers is not None:
            return enumerated_scores(table, counts, relation, list(self.answers))
        step = parse_number(self.resolution, "resolution")
        return enumerated_profile(table, counts, relation, resolution=Fraction(step))

    def default_mechanism(self, relation: str) -> Mechanism:
        """By the kind of the answers."""
        if self.answers is None:
            return PiecewiseLaplace()
        return Exponential() if len(self.answers) == 2 else PermuteAndFlip()
