"""Many draws of one discrete Laplace law at once: draw for draw those of ``discrete_laplace``.

A draw is a chain of attempts, each of which begins with a fresh word of random bits whatever was
before. So what an attempt that began at a word would give, and where the next one begins, is worked
out for every word of a batch at once, and then only those are followed that do begin there. Words
that are not used are given back. A word that 64 bits do not decide is left to ``discrete_laplace``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers.exp import exp_enclosure, scaled_exp_enclosure
from leastnoise.randomness import BitSource, Words
from leastnoise.sampling.discrete_laplace import discrete_laplace

Array = NDArray[Any]

_WORD = 64
# The largest denominator that a table is made for, the largest numerator, and the fewest draws.
_TABLE, _LARGEST, _FEW = 1 << 10, 1 << 31, 32
# Words of a batch at most, and for one draw.
_BATCH, _EACH = 1 << 16, 8


def discrete_laplaces(p: int, q: int, count: int, source: BitSource) -> list[int]:
    """Draw ``count`` numbers as ``discrete_laplace(p, q, source)`` does one after the other."""
    found: list[int] = []
    fits = 0 < p < _LARGEST and 0 < q <= _TABLE and count >= _FEW
    if fits and isinstance(source, Words):
        chances = _chances(q)
        while len(found) < count:
            left = count - len(found)
            words = source.words(min(_BATCH, _EACH * (left + _FEW)))
            drawn, used = _attempts(np.array(words, dtype=np.uint64), p, q, chances).follow(left)
            source.unread(words[used:])
            found += drawn
            if len(drawn) < left:  # at the end of the batch, or at a word that is close
                found.append(discrete_laplace(p, q, source))
        return found
    return [discrete_laplace(p, q, source) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class _Chances:
    """Words below ``yes`` decide for a success of probability exp(-u/q), from ``no`` on against it.

    ``more`` and ``end`` are the same for exp(-1).
    """

    yes: Array
    no: Array
    more: int
    end: int


@lru_cache(maxsize=16)
def _chances(q: int) -> _Chances:
    ends = [scaled_exp_enclosure(0, u, q, _WORD) for u in range(1, q)]
    # what ``bernoulli_exp`` settles by 1 - x <= exp(-x) it settles at once
    at_once = [((q - u) << _WORD) // q for u in range(1, q)]
    yes = [0, *(max(low, sure) for (low, _), sure in zip(ends, at_once, strict=True))]
    no = [0, *(high for _, high in ends)]
    return _Chances(
        np.array(yes, dtype=np.uint64), np.array(no, dtype=np.uint64), *exp_enclosure(1, 1, _WORD)
    )


@dataclass(frozen=True, slots=True)
class _Attempts:
    """For every word: what a draw that begins there gives if it succeeds, and where to go on.

    ``after`` is negative where the words do not decide.
    """

    value: Array
    success: Array
    after: Array

    def follow(self, count: int) -> tuple[list[int], int]:
        """At most so many draws from the first word on, and the number of words they took."""
        after: list[int] = self.after.tolist()
        success: list[bool] = self.success.tolist()
        at, first, end = list[int](), 0, len(after)
        while len(at) < count and first < end and (beyond := after[first]) >= 0:
            if success[first]:
                at.append(first)
            first = beyond
        return self.value[at].tolist(), first


def _attempts(words: Array, p: int, q: int, chances: _Chances) -> _Attempts:
    count, places = len(words), np.arange(len(words))
    padded = np.append(words, np.zeros(3, dtype=np.uint64))
    k = (q - 1).bit_length()
    u = (words >> np.uint64(_WORD - k)).astype(np.int64) if k else np.zeros(count, dtype=np.int64)
    valid, coin = u < q, u > 0
    u = np.where(valid, u, 0)
    kept = ~coin | (padded[1 : count + 1] < chances.yes[u])
    dropped = ~kept & (padded[1 : count + 1] >= chances.no[u])
    # the first word that is no success of exp(-1), from each word on
    stops = padded >= np.uint64(chances.more)
    stops[count:] = True
    ends = np.minimum.accumulate(np.where(stops, np.arange(count + 3), count + 2)[::-1])[::-1]
    first = places + (1 if k else 0) + coin
    end = ends[first]
    magnitude = (u + q * (end - first)) // p
    negative = (padded[np.minimum(end + 1, count)] >> np.uint64(_WORD - 1)).astype(np.bool_)
    after = np.where(valid, np.where(dropped, places + 2, end + 2), places + 1)
    close = valid & ~dropped & (~kept | (padded[end] < np.uint64(chances.end)))
    after = np.where(close | (after > count), -1, after)
    success = valid & kept & ~(negative & (magnitude == 0))
    return _Attempts(np.where(negative, -magnitude, magnitude), success, after)


__all__ = ["discrete_laplaces"]
