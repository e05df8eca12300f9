"""Consistent counts, and shares of groups, from released counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar, overload

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_list_or_tuple, is_mapping
from leastnoise.params import listed, parse_entry
from leastnoise.record import Release

K = TypeVar("K")

Counts = Sequence[Any]


@overload
def consistent_counts(counts: Mapping[K, Any], total: object = None) -> dict[K, int]: ...


@overload
def consistent_counts(counts: Release | Counts, total: object = None) -> list[Any]: ...


def consistent_counts(counts: object, total: object = None) -> object:
    """The nonnegative whole numbers nearest to noisy counts that add up to a total.

    Parameters
    ----------
    counts
        Released counts: a list of ints (of a ``Histogram``), a list of lists (of a ``CrossTab``), a
        mapping of key to count, the ``Release`` itself, or a table of counts by group.
    total : int or Release, optional
        What they should add up to: another released count, or a public number. A negative one
        counts as 0. Default: the sum of the noisy counts, which is unbiased.

    Returns
    -------
    list or dict
        Python ints in the shape of ``counts``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If there are no entries, or one is not a whole number.

    Notes
    -----
    The least squares solution in whole numbers: among all x >= 0 with sum x = total, one that makes
    sum (x_i - c_i)^2 smallest; where the last units fit several cells equally well, the first of
    them get them. Post-processing: it costs nothing and needs no data, but single counts are no
    longer unbiased.

    Examples
    --------
    >>> consistent_counts([12, -3, 5], total=13)
    [10, 0, 3]
    >>> consistent_counts({"N": 4, "S": 4}, total=9)
    {'N': 5, 'S': 4}
    """
    given = _values(counts)
    flat = [_whole(count, "counts") for count in leaves(given)]
    if not flat:
        raise ParameterError("counts must not be empty")
    if total is None:
        total = sum(flat)
    if isinstance(total, Release):
        total = total.value
    fitted = iter(_fitted(flat, max(0, _whole(total, "total"))))
    return shaped(given, fitted)


def _fitted(counts: list[int], total: int) -> list[int]:
    """Lower all counts by one level t, cut at 0; the units left over go to the first above it."""
    ordered = sorted(counts, reverse=True)
    level, above = 0, 0
    # with the m largest kept, sum(c - t) = total at t = (their sum - total) / m
    for m, count in enumerate(ordered, start=1):
        above += count
        level = -((total - above) // m)  # the smallest whole t with sum <= total
        if m == len(ordered) or ordered[m] <= level:
            break
    found = [max(0, count - level) for count in counts]
    left = total - sum(found)
    for i, count in enumerate(counts):
        if left == 0:
            break
        if count >= level:  # at one level less this cell holds one unit more
            found[i] += 1
            left -= 1
    return found


@overload
def shares(counts: Mapping[K, Any], weights: object = None) -> dict[K, float]: ...


@overload
def shares(counts: Release | Counts, weights: object = None) -> list[Any]: ...


def shares(counts: object, weights: object = None) -> object:
    """The share of each cell or group in the whole, optionally weighted by public numbers.

    Parameters
    ----------
    counts
        As for ``consistent_counts``; a negative count counts as 0.
    weights : mapping or list of numbers >= 0, optional
        In the shape of ``counts``: how much one row of each cell stands for, for example the
        expansion factors of a survey. Public knowledge, never from the data.

    Returns
    -------
    list or dict
        Floats in [0, 1] in the shape of ``counts``, adding up to 1; all equal if no count is
        positive.

    Raises
    ------
    ParameterError, ParameterTypeError
        If an entry is not a whole number, or the weights are negative, all 0 or of another shape.

    Notes
    -----
    w_i max(0, c_i) / sum_j w_j max(0, c_j). Post-processing: costs nothing.

    Examples
    --------
    >>> shares([30, 10, -2])
    [0.75, 0.25, 0.0]
    >>> shares({"N": 10, "S": 10}, weights={"N": 3, "S": 1})
    {'N': 0.75, 'S': 0.25}
    """
    given = _values(counts)
    flat = [max(0, _whole(count, "counts")) for count in leaves(given)]
    if not flat:
        raise ParameterError("counts must not be empty")
    factors = [Fraction(1)] * len(flat)
    if weights is not None:
        factors = [parse_entry(w, "weights") for w in leaves(_aligned(given, weights))]
        if len(factors) != len(flat):
            raise ParameterError(
                f"weights: got {len(factors)} for {len(flat)} counts; give one each"
            )
        if min(factors) < 0 or not any(factors):
            raise ParameterError("weights must be at least 0, and not all 0")
    parts = [factor * count for factor, count in zip(factors, flat, strict=True)]
    whole = sum(parts)
    if not whole:
        parts, whole = [Fraction(1)] * len(flat), Fraction(len(flat))
    return shaped(given, iter([float(part / whole) for part in parts]))


def _values(counts: object) -> Any:
    """The plain values: a list, a list of lists or a dict."""
    if isinstance(counts, Release):
        return counts.value
    if is_mapping(counts):
        return {key: _one(entry) for key, entry in counts.items()}
    counts = listed(counts)
    if is_list_or_tuple(counts):
        return [_one(entry) for entry in counts]
    raise ParameterTypeError(
        f"counts must be a list or mapping of released counts, not {type(counts).__name__}"
    )


def _one(entry: Any) -> Any:
    if isinstance(entry, Release):
        return entry.value
    if isinstance(entry, Mapping):
        raise ParameterTypeError(
            "counts has several statistics per group: pick one, for example "
            "{key: group['n'] for key, group in table.items()}"
        )
    return entry


def _aligned(given: Any, weights: object) -> Any:
    """The weights in the order of the counts."""
    if not is_mapping(given):
        return _values(weights)
    if not is_mapping(weights):
        raise ParameterTypeError("weights must be a mapping with the same keys as counts")
    if set(weights) != set(given):
        raise ParameterError("weights must have the same keys as counts")
    return [weights[key] for key in given]


def leaves(given: Any) -> list[Any]:
    """All entries, in order."""
    if is_mapping(given):
        given = list(given.values())
    if not is_list_or_tuple(given):
        return [given]
    return [leaf for entry in given for leaf in leaves(entry)]


def shaped(given: Any, numbers: Any) -> Any:
    """The next of ``numbers`` in the place of each entry."""
    if is_mapping(given):
        return {key: shaped(v, numbers) for key, v in given.items()}
    if is_list_or_tuple(given):
        return [shaped(entry, numbers) for entry in given]
    return next(numbers)


def _whole(value: object, name: str) -> int:
    number = parse_entry(value, name)
    if number.denominator != 1:
        raise ParameterError(f"{name} must be whole numbers")
    return int(number)
