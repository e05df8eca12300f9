"""Profiles of arbitrary functions by enumerating every data set: for small discrete problems.

A data set is given by how often each of a few declared categories occurs, each at most ``most``
times, so there are (most + 1)^categories of them. The function is asked about all of them before
any data is read; at a data set, bounds and distances are then read off exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.params import parse_count
from leastnoise.profiles.profile import Profile, exact
from leastnoise.profiles.scores import Scores

Counts = tuple[int, ...]
Function = Callable[[Counts], Any]
LARGEST = 10**6


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a function at every data set; ``places[i]`` is the answer of the i-th."""

    shape: tuple[int, ...]
    distinct: tuple[Any, ...]
    places: NDArray[np.int64]


def tabulate(function: Function, categories: int, most: int) -> Answers:
    """The answers of a function of counts at every data set, asked once.

    Raises
    ------
    ParameterError
        If there are too many data sets.
    """
    parse_count(most, "most")
    shape = (most + 1,) * categories
    number = (most + 1) ** categories
    if number > LARGEST:
        raise ParameterError(
            f"there are {number:,} data sets of {categories} categories with at most {most} of "
            f"each, more than the {LARGEST:,} that can be enumerated; lower most= or declare "
            "fewer categories"
        )
    return _tabulated(function, shape)


@lru_cache(maxsize=32)
def _tabulated(function: Function, shape: tuple[int, ...]) -> Answers:
    known: dict[Any, int] = {}
    places: list[int] = []
    for counts in product(*map(range, shape)):
        answer = function(counts)
        if not isinstance(answer, Hashable):
            raise ParameterError(
                f"the function must return labels or numbers, not {type(answer).__name__}"
            )
        places.append(known.setdefault(answer, len(known)))
    return Answers(shape, tuple(known), np.array(places, dtype=np.int64))


def distances(answers: Answers, counts: Sequence[int], relation: str) -> NDArray[np.int64]:
    """The records between this data set and every other; counts above the most are cut to it.

    Under "add-remove" the records to add and to remove, else the larger of the two numbers: a
    changed record is one removed and one added.
    """
    added = np.zeros(answers.shape, dtype=np.int64)
    removed = np.zeros(answers.shape, dtype=np.int64)
    for axis, (count, size) in enumerate(zip(counts, answers.shape, strict=True)):
        steps = np.arange(size) - min(count, size - 1)
        along = [1] * len(answers.shape)
        along[axis] = size
        added += np.maximum(steps, 0).reshape(along)
        removed += np.maximum(-steps, 0).reshape(along)
    found = added + removed if relation == "add-remove" else np.maximum(added, removed)
    return found.reshape(-1)


def enumerated_profile(
    answers: Answers, counts: Sequence[int], relation: str, *, resolution: Fraction
) -> Profile:
    """The exact profile: smallest and largest answer within every distance."""
    away = distances(answers, counts, relation)
    values = [_number(value) for value in answers.distinct]
    least, most = min(values), max(values)
    rank = {place: i for i, place in enumerate(sorted(range(len(values)), key=values.__getitem__))}
    ranks = np.array([rank[i] for i in range(len(values))], dtype=np.int64)[answers.places]
    ordered = sorted(values)
    reach = int(away.max()) + 1
    high, low = np.full(reach, -1, np.int64), np.full(reach, len(values), np.int64)
    np.maximum.at(high, away, ranks)
    np.minimum.at(low, away, ranks)
    high, low = np.maximum.accumulate(high), np.minimum.accumulate(low)
    return Profile(
        value=ordered[int(high[0])],
        lower=lambda level: ordered[int(low[min(level, reach - 1)])],
        upper=lambda level: ordered[int(high[min(level, reach - 1)])],
        support=(least, most),
        resolution=resolution,
    )


def enumerated_scores(
    answers: Answers,
    counts: Sequence[int],
    relation: str,
    candidates: Sequence[Hashable],
) -> Scores:
    """Minus the records that must change before each candidate is the answer (M.1)."""
    away = distances(answers, counts, relation)
    never = sum(size - 1 for size in answers.shape) + 1
    nearest = np.full(len(answers.distinct), never, dtype=np.int64)
    np.minimum.at(nearest, answers.places, away)
    at = {answer: int(distance) for answer, distance in zip(answers.distinct, nearest, strict=True)}
    return Scores.from_distances([at.get(c, never) for c in candidates], candidates)


@lru_cache(maxsize=32)
def declared_distances(
    distance: Callable[[Any, Counts], object],
    candidates: tuple[Hashable, ...],
    categories: int,
    most: int,
    relation: str,
) -> NDArray[np.int64]:
    """The user's distances of every candidate at every data set, checked for all neighbours.

    Raises
    ------
    ParameterError
        If there are too many data sets, if a distance is not a whole number of at least 0, if no
        candidate is at distance 0, or if one record changes a distance by more than 1.
    """
    shape = (parse_count(most, "most") + 1,) * categories
    if (most + 1) ** categories * len(candidates) > LARGEST:
        raise ParameterError("there are too many data sets to check distance=: lower most=")
    rows: list[list[int]] = []
    for candidate in candidates:
        row = [distance(candidate, counts) for counts in product(*map(range, shape))]
        whole = [int(cast("Any", d)) for d in row if isinstance(d, (int, np.integer))]
        if len(whole) < len(row) or min(whole) < 0 or max(whole) >= 2**31:
            raise ParameterError("distance must return whole numbers of at least 0 and below 2^31")
        rows.append(whole)
    table = np.array(rows, dtype=np.int64).reshape(len(candidates), *shape)
    if table.min(axis=0).max() > 0:
        raise ParameterError("distance must be 0 for at least one answer at every data set")
    if max(_steps(table, relation)) > 1:
        raise ParameterError(
            f"distance changes by more than 1 with one record under {quoted(relation)}: count the "
            "records that must change, and a replaced record once"
        )
    return table


def _steps(table: NDArray[np.int64], relation: str) -> list[int]:
    """The largest changes between neighbours: one count by 1, or one up and one down."""
    axes = range(1, table.ndim)
    found = [int(abs(np.diff(table, axis=axis)).max(initial=0)) for axis in axes]
    if relation == "add-remove":
        return found
    for one in axes:
        for other in axes:
            if one < other:
                ends = np.moveaxis(table, (one, other), (0, 1))
                found.append(int(abs(ends[1:, :-1] - ends[:-1, 1:]).max(initial=0)))
    return found


_TOO_LARGE = 10**300


def check_answers(answers: Answers, candidates: Sequence[Hashable] | None) -> None:
    """Check, before data is read, that every answer is declared, or an exact number if none are."""
    if candidates is None:
        for value in answers.distinct:
            if abs(_number(value)) >= _TOO_LARGE:
                raise ParameterError(
                    "the function returns answers of 10**300 or more, which a record cannot hold"
                )
        return
    declared = set(candidates)
    if not declared >= set(answers.distinct):
        raise ParameterError("the function returns answers that answers= does not declare")


def _number(value: object) -> int | Fraction:
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return exact(value)
    if isinstance(value, np.integer):
        return int(cast("Any", value))
    raise ParameterError(
        "the function must return exact numbers, ints or Fractions, or answers= must declare the "
        "labels that it can return"
    )
