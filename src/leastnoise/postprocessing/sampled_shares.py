"""Shares of a population, each with an interval, from released counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from math import ceil, inf, log
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_mapping
from leastnoise.laws.share import least_share
from leastnoise.params import parse_count, parse_flag, parse_number
from leastnoise.postprocessing.counts import leaves, shaped
from leastnoise.record import Release

K = TypeVar("K")
Ends = tuple[float, float]

# What the number of rows gets of the miss, where it is told from the counts.
_ROWS = Fraction(1, 8)
# Doubles serve no smaller rates and misses; and what they may be off by, relatively.
_TINY, _SPARE = 1e-12, 1e-6
_LAPLACE = "Laplace()"


class _Cell(NamedTuple):
    """A released count, and the rate of its noise."""

    noisy: int
    rate: float


@overload
def share_intervals(
    counts: Mapping[K, Release],
    level: object = "0.95",
    *,
    rows: object = None,
    simultaneous: bool = False,
) -> dict[K, Ends]: ...


@overload
def share_intervals(
    counts: Release, level: object = "0.95", *, rows: object = None, simultaneous: bool = False
) -> list[Any]: ...


def share_intervals(
    counts: object, level: object = "0.95", *, rows: object = None, simultaneous: bool = False
) -> object:
    """Where the share of each cell in the *population* lies, over sampling and noise.

    Parameters
    ----------
    counts : Release or mapping
        A released ``Histogram`` or ``CrossTab``, or a table of ``Count`` by group: the disjoint
        cells of one random sample.
    level : number
        The probability that an interval covers, 0 < level < 1.
    rows : int, optional
        The number of records in the table, where it is public: shares are then those of all
        records, also of those in no cell. Default: shares are those among the records in some
        cell, whose number is told from the counts.
    simultaneous : bool
        Whether *all* intervals hold together with probability at least ``level``. Default: each
        by itself.

    Returns
    -------
    list or dict
        Pairs of floats in [0, 1], in the shape of ``counts``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``counts`` are not such releases, or their noise is not that of ``Laplace()``, or a
        person has several rows; if a parameter is invalid.

    Notes
    -----
    Holds for every population, number of rows and epsilon, if records were drawn one by one:
    binomial tails with the noise's own law, no normal approximation. Post-processing of released
    numbers: it costs nothing (``docs/proofs/with-interval.md``, statement 7). An interval of one
    share alone is ``WithInterval(Mean(bounds=(0, 1), step=1), of="population")``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> votes = ["yes"] * 700 + ["no"] * 300
    >>> r = ln.release(ln.Histogram(categories=["yes", "no"]), votes, epsilon=1)
    >>> (low, high), _ = ln.share_intervals(r, rows=1000)
    >>> low < 0.7 < high
    True
    """
    miss = 1 - parse_number(level, "level")
    if not 0 < miss < 1:
        raise ParameterError(f"level must lie strictly between 0 and 1, such as 0.95, got {level}")
    parse_flag(simultaneous, "simultaneous")
    known = None if rows is None else parse_count(rows, "rows")
    given, cells = _cells(counts)
    if min(cell.rate for cell in cells) < _TINY or miss < _TINY:
        return shaped(given, repeat((0.0, 1.0)))
    if known is None:
        part, miss = _ROWS * miss, (1 - _ROWS) * miss
        least, most = _rows(cells, float(part) / 3)
    else:
        least = most = known
    rare = float(miss / 2 / (len(cells) if simultaneous else 1)) * (1 - _SPARE)
    found = {cell: _ends(cell, least, most, rare) for cell in set(cells)}  # many are alike
    return shaped(given, iter([found[cell] for cell in cells]))


def _ends(cell: _Cell, least: int, most: int, rare: float) -> Ends:
    """Shares outside of which so high a count, or so low a one, is rare for all numbers of rows."""
    low = least_share(2 * cell.noisy - most, (most, most), cell.rate, rare) if most > 0 else 0.0
    others = least - cell.noisy
    high = least_share(2 * others - least, (least, least), cell.rate, rare) if least > 0 else 0.0
    return low, 1 - high


def _rows(cells: Sequence[_Cell], miss: float) -> tuple[int, int]:
    """Between which numbers that of the records in all cells lies, but for three misses.

    A count that was cut at 0 exceeds the true one by no more than the positive part of its noise,
    and falls short of it by no more than the noise: a 0 may be such a count.
    """
    total, rates = sum(cell.noisy for cell in cells), np.array([cell.rate for cell in cells])
    noise = above = _reach(rates, miss, positive=False)
    if any(cell.noisy == 0 for cell in cells):
        above = max(noise, _reach(rates, miss, positive=True))
    return total - above, total + noise


def _reach(rates: NDArray[np.float64], miss: float, *, positive: bool) -> int:
    """A number that the sum of independent noises, or of their positive parts, seldom exceeds.

    By Markov's inequality for exp(s sum), at the best of some s.
    """
    t, number = np.unique(rates, return_counts=True)
    q, best = np.exp(-t), inf
    for s in float(t[0]) * np.linspace(0.005, 0.995, 199):
        up, down = np.exp(s - t), np.exp(-s - t)
        if positive:
            each = (1 + (1 - q) * up / (1 - up)) / (1 + q)
        else:
            each = (1 - q) ** 2 / ((1 - up) * (1 - down))
        best = min(best, (float(number @ np.log(each)) - log(miss)) / float(s))
    return ceil(best * (1 + _SPARE))


def _cells(counts: object) -> tuple[Any, list[_Cell]]:
    """The values in their shape, and all cells in order."""
    if isinstance(counts, Release):
        if not isinstance(counts.value, list):
            raise ParameterError(
                "counts must be the cells of one table, such as a released Histogram or a table of "
                "counts by group; the share of one group alone is "
                'WithInterval(Mean(bounds=(0, 1), step=1), of="population")'
            )
        rate = _rate(counts, counts.parts.get("each cell"))
        return counts.value, [_Cell(count, rate) for count in leaves(counts.value)]
    if not is_mapping(counts) or not counts:
        raise ParameterTypeError(
            "counts must be a released Histogram or CrossTab, or a table of Count by group: the "
            "noise of plain numbers is not known"
        )
    found: list[_Cell] = []
    for record in counts.values():
        if not isinstance(record, Release) or not isinstance(record.value, int):
            raise ParameterTypeError(
                "counts must hold one released Count a group; of several statistics pick one, "
                "for example {key: group['n'] for key, group in table.items()}"
            )
        scale = record.noise_scale
        found.append(_Cell(record.value, _rate(record, None if scale is None else 1 / scale)))
    return dict(counts), found


def _rate(record: Release, rate: object) -> float:
    """That of the noise of each count."""
    whole = record.step == "1" and record.statistic in ("Histogram", "CrossTab", "Count")
    if not whole or record.mechanism != _LAPLACE or rate is None:
        raise ParameterError(
            f"share intervals need counts with the noise of {_LAPLACE}, whose width is public, not "
            f"{record.statistic} by {record.mechanism}"
        )
    if record.max_rows is not None and record.max_rows > 1:
        raise ParameterError(
            "shares of a population need records that are drawn one by one, and the rows of one "
            "person are not: take max_rows=1"
        )
    return float(Fraction(str(rate))) * (1 - _SPARE**2)
