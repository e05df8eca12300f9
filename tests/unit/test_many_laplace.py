"""Many draws at once are those of one after the other, and leave the same words unread."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import pytest

from leastnoise.numbers.exp import exp_enclosure, scaled_exp_enclosure
from leastnoise.randomness import HashedBits, Words
from leastnoise.sampling import discrete_laplace
from leastnoise.sampling.many_laplace import discrete_laplaces

RATES = [(1, 1), (1, 2), (2, 1), (3, 4), (1, 3), (9, 1), (1, 20), (7, 1000), (5, 1024), (1, 1025)]


class Chosen(Words):
    """Words from a list, again and again in another order."""

    def __init__(self, words: Sequence[int], seed: int) -> None:
        super().__init__([])
        self._choice, self._rng = words, np.random.default_rng(seed)

    def _block(self) -> bytes:
        places = self._rng.integers(len(self._choice), size=512)
        return struct.pack("<512Q", *(self._choice[i] for i in places))


@pytest.mark.parametrize(("p", "q"), RATES)
@pytest.mark.parametrize("count", [1, 31, 32, 33, 2000])
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
