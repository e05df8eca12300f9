"""Do draws follow a law? Chi-square over cells, and over the lowest bits of the outcome.

Streams are fixed, so a verdict is the same each time: a sound sampler passes today and always.
The lowest bits are looked at by themselves because floating-point noise leaves patterns there
(Mironov 2012; Haney et al. 2022).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from leastnoise.randomness import HashedBits

# A sound sampler fails one of a million checks; the streams are fixed, so none of ours does.
LEAST = 1e-6
_EXPECTED = 8.0
RESIDUES = 16


def p_value(counts: Mapping[Hashable, int], probabilities: Mapping[Hashable, float]) -> float:
    """The chance of a chi-square at least this large; rare cells are joined into one.

    An outcome that the law excludes gives 0.
    """
    from scipy.special import gammaincc

    draws = sum(counts.values())
    if any(count and not probabilities.get(cell) for cell, count in counts.items()):
        return 0.0
    statistic, cells = 0.0, 0
    rare = 0.0
    rare_count = 0
    for cell, probability in probabilities.items():
        expected = draws * probability
        if expected < _EXPECTED:
            rare += expected
            rare_count += counts.get(cell, 0)
        else:
            statistic += (counts.get(cell, 0) - expected) ** 2 / expected
            cells += 1
    if rare_count or rare >= _EXPECTED:
        # at least one expected, so that a single rare outcome does not condemn
        rare = max(rare, 1.0)
        statistic += (rare_count - rare) ** 2 / rare
        cells += 1
    return float(gammaincc((cells - 1) / 2, statistic / 2)) if cells > 1 else 1.0


def residues(points: Sequence[int]) -> Counter[Hashable]:
    """How often each value of the four lowest bits occurs."""
    return Counter[Hashable](point % RESIDUES for point in points)


def stream(name: str) -> HashedBits:
    """A fixed stream of bits for one check."""
    return HashedBits(b"leastnoise.testing:" + name.encode())
