"""Many draws of discrete Laplace laws at once: draw for draw those of ``discrete_laplace``.

A draw is a chain of attempts, each of which begins with a fresh word of random bits whatever was
before. So what an attempt that began at a word would give, and where the next one begins, is worked
out for every word of a batch at once, and then only those are followed that do begin there. Words
that are not used are given back. A word that 64 bits do not decide, or that the bounds used here do
not, is left to ``discrete_laplace``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers.exp import exp_enclosure, scaled_exp_enclosure
from leastnoise.randomness import BitSource, Words
from leastnoise.sampling.discrete_laplace import discrete_laplace

Array = NDArray[Any]
Rate = tuple[int, int]

_WORD = 64
# The largest denominator whose bounds are listed, the largest at all, the largest numerator, and
# the fewest draws.
_TABLE, _FINEST, _LARGEST, _FEW = 1 << 10, 1 << 52, 1 << 31, 32
# Words of a batch at most, and for one draw.
_BATCH, _EACH = 1 << 16, 8
# A magnitude of more than so many denominators is left to one draw: its product might not fit.
_LONG = 1 << 10
# Bits of u / q, of the place of a knot, and of a chord; bits that a denominator keeps.
_PART, _KNOT, _CHORD, _KEPT = 24, 12, 63, 38


def discrete_laplaces(p: int, q: int, count: int, source: BitSource) -> list[int]:
    """Draw ``count`` numbers as ``discrete_laplace(p, q, source)`` does one after the other."""
    return in_turns([(p, q)], count, source)


def in_turns(rates: Sequence[Rate], count: int, source: BitSource) -> list[int]:
    """Draw ``count`` numbers one after the other, of each rate p/q in turn."""
    fits = all(0 < p < _LARGEST and 0 < q <= _FINEST for p, q in rates) and count >= _FEW
    if not (fits and isinstance(source, Words)):
        return [discrete_laplace(p, q, source) for p, q in islice(cycle(rates), count)]
    found: list[int] = []
    while len(found) < count:
        left = count - len(found)
        words = source.words(min(_BATCH, _EACH * (left + _FEW)))
        here = np.array(words, dtype=np.uint64)
        turn = [rates[(len(found) + i) % len(rates)] for i in range(len(rates))]
        drawn, used = _follow([_attempts(here, p, q) for p, q in turn], left)
        source.unread(words[used:])
        found += drawn
        if len(drawn) < left:  # at the end of the batch, or at a word that is close
            found.append(discrete_laplace(*rates[len(found) % len(rates)], source))
    return found


@lru_cache(maxsize=16)
def _listed(q: int) -> tuple[Array, Array]:
    """For each u < q: words below the first decide for a success of probability exp(-u/q), from
    the second on against it."""
    ends = [scaled_exp_enclosure(0, u, q, _WORD) for u in range(1, q)]
    # what ``bernoulli_exp`` settles by 1 - x <= exp(-x) it settles at once
    at_once = [((q - u) << _WORD) // q for u in range(1, q)]
    yes = [0, *(max(low, sure) for (low, _), sure in zip(ends, at_once, strict=True))]
    no = [0, *(high for _, high in ends)]
    return np.array(yes, dtype=np.uint64), np.array(no, dtype=np.uint64)


@lru_cache(maxsize=1)
def _knots() -> tuple[Array, Array]:
    """Bounds of 2**63 exp(-i/4096), i from 0 to 4097."""
    ends = [exp_enclosure(i, 1 << _KNOT, _CHORD) for i in range((1 << _KNOT) + 2)]
    low, high = zip(*ends, strict=True)
    return np.array(low, np.uint64), np.array(high, np.uint64)


def _chords(u: Array, q: int) -> tuple[Array, Array]:
    """Bounds of 2**63 exp(-u/q), wider by 4 than those that ``bernoulli_exp`` works out.

    Integers alone. exp(-x) lies below its chord between two knots, and above it less 2**-27, an
    eighth of the squared distance of the knots.
    """
    cut = max(0, q.bit_length() - _KEPT)
    part, whole = (u >> cut).astype(np.uint64), q >> cut
    # u/q lies between these, in units of 2**-24
    least = (part << np.uint64(_PART)) // np.uint64(whole + (cut > 0))
    most = -(-((part.astype(np.int64) + (cut > 0)) << _PART) // whole)
    rest = _PART - _KNOT
    low, high = _knots()

    def chord(knots: Array, at: Array, up: int) -> Array:
        place, beyond = at >> rest, (at & ((1 << rest) - 1)).astype(np.uint64)
        drop = (knots[place] - knots[place + 1]) * beyond + np.uint64(up)
        return knots[place] - (drop >> np.uint64(rest))

    error = (1 << (_CHORD - 2 * _KNOT - 3)) + 4
    below = chord(low, most, (1 << rest) - 1) - np.uint64(error)
    return below, chord(high, least.astype(np.int64), 0) + np.uint64(4)


def _coins(words: Array, u: Array, q: int) -> tuple[Array, Array]:
    """Where words decide for a success of probability exp(-u/q), and where against it."""
    if q <= _TABLE:
        yes, no = _listed(q)
        return words < yes[u], words >= no[u]
    low, high = _chords(u, q)
    halves = words >> np.uint64(_WORD - _CHORD)
    return halves < low, halves >= high


@dataclass(frozen=True, slots=True)
class _Attempts:
    """For every word: what a draw that begins there gives if it succeeds, and where to go on.

    ``after`` is negative where the words do not decide.
    """

    value: Array
    success: list[bool]
    after: list[int]


def _follow(turns: Sequence[_Attempts], count: int) -> tuple[list[int], int]:
    """At most so many draws from the first word on, in turns, and the number of words they took."""
    at: list[list[int]] = [[] for _ in turns]
    places = cycle(zip(turns, at, strict=True))
    first, drawn, end = 0, 0, len(turns[0].after)
    turn, begun = next(places)
    while drawn < count and first < end:
        beyond = turn.after[first]
        if beyond < 0:
            break
        if turn.success[first]:
            begun.append(first)
            drawn += 1
            turn, begun = next(places)
        first = beyond
    values = np.empty(drawn, np.int64)
    for i, (one, begun) in enumerate(zip(turns, at, strict=True)):
        values[i :: len(turns)] = one.value[begun]
    return values.tolist(), first


def _attempts(words: Array, p: int, q: int) -> _Attempts:
    count, places = len(words), np.arange(len(words))
    padded = np.append(words, np.zeros(3, dtype=np.uint64))
    more, end_of_more = exp_enclosure(1, 1, _WORD)
    k = (q - 1).bit_length()
    u = (words >> np.uint64(_WORD - k)).astype(np.int64) if k else np.zeros(count, dtype=np.int64)
    valid, coin = u < q, u > 0
    u = np.where(valid, u, 0)
    yes, no = _coins(padded[1 : count + 1], u, q)
    kept = ~coin | yes
    dropped = ~kept & no
    # the first word that is no success of exp(-1), from each word on
    stops = padded >= np.uint64(more)
    stops[count:] = True
    ends = np.minimum.accumulate(np.where(stops, np.arange(count + 3), count + 2)[::-1])[::-1]
    first = places + (1 if k else 0) + coin
    end = ends[first]
    times = end - first
    magnitude = (u + q * np.minimum(times, _LONG)) // p
    negative = (padded[np.minimum(end + 1, count)] >> np.uint64(_WORD - 1)).astype(np.bool_)
    after = np.where(valid, np.where(dropped, places + 2, end + 2), places + 1)
    unclear = ~kept | (padded[end] < np.uint64(end_of_more)) | (times > _LONG)
    close = valid & ~dropped & unclear
    after = np.where(close | (after > count), -1, after)
    success = valid & kept & ~(negative & (magnitude == 0))
    signed = np.where(negative, -magnitude, magnitude)
    return _Attempts(signed, success.tolist(), after.tolist())


__all__ = ["discrete_laplaces", "in_turns"]
