"""Many draws at once are those of one after the other, and leave the same words unread."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import pytest

from leastnoise.numbers.exact import exp_enclosure, scaled_exp_enclosure
from leastnoise.randomness import HashedBits, Words
from leastnoise.sampling import discrete_laplace
from leastnoise.sampling.many_laplace import _chords, _cut, discrete_laplaces, in_turns

RATES = [(1, 1), (1, 2), (2, 1), (3, 4), (1, 3), (9, 1), (1, 20), (7, 1000), (5, 1024), (1, 1025)]
FINE = [(3, 10**9), (1, 2**30), (7, 2**38 + 1), (1, 10**12 + 39), (1, 2**52), (1, 2**53)]
LONG = [(1, 2**64), (3, 2**64 - 1), (1, 2**64 + 1), (99, 200 * 2**60), (2**70 + 3, 3**50)]
WIDE = [(1, 2**128), (1, 2**128 + 1), (2**60, 2**61 + 1), (2**31 - 1, 2), (2**31, 2)]


class Chosen(Words):
    """Words from a list, again and again in another order."""

    def __init__(self, words: Sequence[int], seed: int) -> None:
        super().__init__([])
        self._choice, self._rng = words, np.random.default_rng(seed)

    def _block(self) -> bytes:
        places = self._rng.integers(len(self._choice), size=512)
        return struct.pack("<512Q", *(self._choice[i] for i in places))


@pytest.mark.parametrize(("p", "q"), RATES + FINE + LONG + WIDE)
@pytest.mark.parametrize("count", [1, 32, 33, 2000])
def test_they_are_the_same_numbers(p: int, q: int, count: int) -> None:
    one, other = HashedBits(b"many"), HashedBits(b"many")
    expected = [discrete_laplace(p, q, other) for _ in range(count)]
    assert discrete_laplaces(p, q, count, one) == expected
    assert one.words(600) == other.words(600)


@pytest.mark.parametrize(("p", "q"), [(1, 1), (1, 2), (3, 4), (1, 20)])
def test_words_that_64_bits_hardly_decide(p: int, q: int) -> None:
    ends = [exp_enclosure(1, 1, 64), *(scaled_exp_enclosure(0, u, q, 64) for u in range(1, q))]
    sure = [((q - u) << 64) // q for u in range(1, q)]
    near = {end + i for low, high in ends for end in (low, high) for i in (-1, 0, 1)}
    near |= {one + i for one in sure for i in (-1, 0, 1)}
    words = [*sorted(near), *HashedBits(b"among").words(4 * len(near)), 0, 2**64 - 1]
    for seed in range(20):
        one, other = Chosen(words, seed), Chosen(words, seed)
        expected = [discrete_laplace(p, q, other) for _ in range(40)]
        assert discrete_laplaces(p, q, 40, one) == expected
        assert one.words(9) == other.words(9)


@pytest.mark.parametrize(
    "rates", [[(1, 2), (1, 10**10)], [(3, 10**9), (1, 1), (1, 7)], [(1, 2), (99, 2**68)]]
)
@pytest.mark.parametrize("count", [31, 32, 1001, 30_000])
def test_several_rates_take_turns(rates: list[tuple[int, int]], count: int) -> None:
    one, other = HashedBits(b"turns"), HashedBits(b"turns")
    expected = [discrete_laplace(*rates[i % len(rates)], other) for i in range(count)]
    assert in_turns(rates, count, one) == expected
    assert one.words(600) == other.words(600)


@pytest.mark.parametrize(
    "q", [1025, 10**6 + 3, 2**30, 2**38 - 1, 2**38 + 1, 3**30, 2**52, 2**64, 3**44]
)
def test_chords_enclose_what_one_draw_works_out(q: int) -> None:
    rng = np.random.default_rng(q)
    u = [
        1,
        2,
        q - 1,
        q - 2,
        q // 2,
        *(int(q * x) for x in rng.random(3000)),
        *range(1, q, q // 999),
    ]
    low, high = _chords(np.array([one >> _cut(q) for one in u], np.uint64), q)
    for one, least, most in zip(u, low.tolist(), high.tolist(), strict=True):
        exact = exp_enclosure(one, q, 64)
        assert 2 * least < exact[0]
        assert exact[1] < 2 * most
        assert most - least < 2**41


@pytest.mark.parametrize("q", [3**25, 3**40])
def test_words_that_chords_hardly_decide(q: int) -> None:
    starts = [(u << 64 - (q - 1).bit_length()) + 1 for u in (1, q // 7, q // 2, q - 1)]
    ends = [exp_enclosure(u, q, 64) for u in (1, q // 7, q // 2, q - 1)]
    words = starts + [end + i for pair in ends for end in pair for i in (-1, 0, 1, 2**30)]
    words = [min(word, 2**64 - 1) for word in words] + [0, 2**64 - 1]
    for seed in range(20):
        one, other = Chosen(words, seed), Chosen(words, seed)
        expected = [discrete_laplace(2, q, other) for _ in range(40)]
        assert discrete_laplaces(2, q, 40, one) == expected
        assert one.words(9) == other.words(9)
