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

from leastnoise.numbers.exact import exp_enclosure, scaled_exp_enclosure
from leastnoise.randomness import BitSource, Words
from leastnoise.sampling.discrete import discrete_laplace

Array = NDArray[Any]
Rate = tuple[int, int]

_WORD = 64
# The largest denominator whose bounds are listed, and the fewest draws.
_TABLE, _FEW = 1 << 10, 32
# Bits of the largest denominator, whose u is two words; of the largest numerator above it.
_FINEST, _LARGEST = 2 * _WORD, 31
# Words of a batch at most, and for one draw.
_BATCH, _EACH = 1 << 16, 8
# Bits of u / q, of the place of a knot, and of a chord; bits that a denominator keeps.
_PART, _KNOT, _CHORD, _KEPT = 24, 12, 63, 38


def discrete_laplaces(p: int, q: int, count: int, source: BitSource) -> list[int]:
    """Draw ``count`` numbers as ``discrete_laplace(p, q, source)`` does one after the other."""
    return in_turns([(p, q)], count, source)


def in_turns(rates: Sequence[Rate], count: int, source: BitSource) -> list[int]:
    """Draw ``count`` numbers one after the other, of each rate p/q in turn."""
    fits = all(0 < q <= 1 << _FINEST and (0 < p <= q or q < p < 1 << _LARGEST) for p, q in rates)
    if not (fits and count >= _FEW and isinstance(source, Words)):
        return [discrete_laplace(p, q, source) for p, q in islice(cycle(rates), count)]
    found: list[int] = []
    while len(found) < count:
        left = count - len(found)
        words = np.frombuffer(source.packed(min(_BATCH, _EACH * (left + _FEW))), np.dtype("<u8"))
        turn = [rates[(len(found) + i) % len(rates)] for i in range(len(rates))]
        chains = _Chains.of(words)
        drawn, used = _follow([_attempts(chains, p, q) for p, q in turn], left)
        source.unread(words[used:].tolist())
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


def _chords(part: Array, q: int) -> tuple[Array, Array]:
    """Bounds of 2**63 exp(-u/q), wider by 4 than those that ``bernoulli_exp`` works out.

    ``part`` is u without the bits that ``_cut`` tells. Integers alone: exp(-x) lies below its chord
    between two knots, and above it less 2**-27, an eighth of the squared distance of the knots.
    """
    rough, whole = _cut(q) > 0, q >> _cut(q)
    # u/q lies between these, in units of 2**-24
    least = (part << np.uint64(_PART)) // np.uint64(whole + rough)
    most = -(-((part.astype(np.int64) + rough) << _PART) // whole)
    rest = _PART - _KNOT
    low, high = _knots()

    def chord(knots: Array, at: Array, up: int) -> Array:
        place, beyond = at >> rest, (at & ((1 << rest) - 1)).astype(np.uint64)
        drop = (knots[place] - knots[place + 1]) * beyond + np.uint64(up)
        return knots[place] - (drop >> np.uint64(rest))

    error = (1 << (_CHORD - 2 * _KNOT - 3)) + 4
    below = chord(low, most, (1 << rest) - 1) - np.uint64(error)
    return below, chord(high, least.astype(np.int64), 0) + np.uint64(4)


def _cut(q: int) -> int:
    """How many bits of a denominator, and of u below it, no chord looks at."""
    return max(0, q.bit_length() - _KEPT)


def _coins(words: Array, u: Array, q: int) -> tuple[Array, Array]:
    """Where words decide for a success of probability exp(-u/q), and where against it.

    ``u`` is without the bits that ``_cut`` tells.
    """
    if q <= _TABLE:
        yes, no = _listed(q)
        return words < yes[u], words >= no[u]
    low, high = _chords(u, q)
    halves = words >> np.uint64(_WORD - _CHORD)
    return halves < low, halves >= high


@dataclass(frozen=True, slots=True)
class _Uniform:
    """The integers below 2**bits that begin at every word; ``low`` are their bits behind the first
    64, if they are longer."""

    high: Array
    low: Array | None
    bits: int

    @classmethod
    def of(cls, padded: Array, count: int, bits: int) -> _Uniform:
        if bits <= _WORD:
            high = padded[:count] >> np.uint64(_WORD - bits) if bits else np.zeros(count, np.uint64)
            return cls(high, None, bits)
        return cls(padded[:count], padded[1 : count + 1] >> np.uint64(_FINEST - bits), bits)

    @property
    def words(self) -> int:
        """How many words each takes."""
        return -(-self.bits // _WORD)

    def up_to(self, most: int) -> Array:
        """Where they are at most a number of as many bits."""
        if self.low is None:
            return self.high <= np.uint64(most)
        beyond = self.bits - _WORD
        high, low = np.uint64(most >> beyond), np.uint64(most & ((1 << beyond) - 1))
        return (self.high < high) | ((self.high == high) & (self.low <= low))

    def top(self, cut: int) -> Array:
        """All but the last bits of each: of a long one at least half of its bits are left out."""
        return self.high >> np.uint64(cut if self.low is None else cut - (self.bits - _WORD))

    def at(self, places: list[int]) -> list[int]:
        """Some of them."""
        high: list[int] = self.high[places].tolist()
        if self.low is None:
            return high
        beyond, low = self.bits - _WORD, self.low[places].tolist()
        return [first << beyond | then for first, then in zip(high, low, strict=True)]


@dataclass(frozen=True, slots=True)
class _Chains:
    """Words, some zeros after them, and for each place the first from there on that is no success
    of probability exp(-1).
    """

    count: int
    padded: Array
    ends: Array

    @classmethod
    def of(cls, words: Array) -> _Chains:
        count = len(words)
        padded = np.append(words, np.zeros(4, dtype=np.uint64))
        stops = padded >= np.uint64(exp_enclosure(1, 1, _WORD)[0])
        stops[count:] = True
        last = np.where(stops, np.arange(count + 4), count + 3)
        return cls(count, padded, np.minimum.accumulate(last[::-1])[::-1])


@dataclass(frozen=True, slots=True)
class _Attempts:
    """For every word: where to go on after an attempt that begins there, and whether it succeeds.

    ``steps`` are twice the place, plus 1 for a success, and negative where the words do not decide.
    A success is (u + q times) // p, of either sign.
    """

    p: int
    q: int
    u: _Uniform
    times: Array
    negative: Array
    steps: memoryview[int]

    def values(self, places: list[int]) -> list[int]:
        """What draws that begin at these words give."""
        times, negative = self.times[places], self.negative[places]
        if self.q * len(self.steps) < 1 << (_WORD - 2):
            sizes = (self.u.high[places].astype(np.int64) + self.q * times) // self.p
            return np.where(negative, -sizes, sizes).tolist()
        return [
            -((u + self.q * v) // self.p) if below else (u + self.q * v) // self.p
            for u, v, below in zip(
                self.u.at(places), times.tolist(), negative.tolist(), strict=True
            )
        ]


def _follow(turns: Sequence[_Attempts], count: int) -> tuple[list[int], int]:
    """At most this many draws in turn, from the first word on, and the number of words used."""
    every = cycle([turn.steps for turn in turns])
    begun: list[int] = []
    first, left, steps = 0, count, next(every)
    end = len(steps)
    while left and first < end and (step := steps[first]) >= 0:
        if step & 1:
            begun.append(first)
            left -= 1
            steps = next(every)
        first = step >> 1
    found = [0] * len(begun)
    for i, turn in enumerate(turns):
        found[i :: len(turns)] = turn.values(begun[i :: len(turns)])
    return found, first


def _attempts(chains: _Chains, p: int, q: int) -> _Attempts:
    count, padded, ends = chains.count, chains.padded, chains.ends
    places, end_of_more = np.arange(count), exp_enclosure(1, 1, _WORD)[1]
    u = _Uniform.of(padded, count, (q - 1).bit_length())
    valid, coin = u.up_to(q - 1), ~u.up_to(0)
    part = np.where(valid, u.top(_cut(q)), np.uint64(0))
    yes, no = _coins(padded[u.words : count + u.words], part, q)
    kept = ~coin | yes
    dropped = ~kept & no
    first = places + u.words + coin
    end = ends[first]
    times = end - first
    # u + q times < p
    zero = (times == 0) & u.up_to(p - 1) if p <= q else u.high.astype(np.int64) + q * times < p
    negative = (padded[np.minimum(end + 1, count)] >> np.uint64(_WORD - 1)).astype(np.bool_)
    after = np.where(valid, np.where(dropped, places + u.words + 1, end + 2), places + u.words)
    close = valid & ~dropped & (~kept | (padded[end] < np.uint64(end_of_more)))
    after = np.where(close | (after > count), -1, after)
    success = valid & kept & ~(negative & zero)
    return _Attempts(p, q, u, times, negative, (2 * after + success).data)
