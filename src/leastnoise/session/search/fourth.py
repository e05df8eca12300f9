"""How large squares about a centre are in the squared mean: a noisy sum of fourth powers.

A record at a distance d from the centre C, at most D, weighs (d / D)^4, rounded up: d to one of
some radii, a fiftieth apart, and the weight to a whole number of units. So records need only be
counted within radii, in whatever holds them; and one record moves the sum by all units at most.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.mechanisms.with_ends import noise_reach
from leastnoise.randomness import BitSource
from leastnoise.summaries.records import Records

# A weight of 1, and the radii from D down.
_UNITS = 1 << 30
_NUM, _DEN, _RADII = 49, 50, 300


@lru_cache(maxsize=1)
def _radii() -> list[tuple[int, int]]:
    """All radii over the largest, as numerators and denominators."""
    return [(_NUM**i, _DEN**i) for i in range(_RADII)]


@lru_cache(maxsize=1)
def _weights() -> list[int]:
    """Their fourth powers in units, rounded up."""
    return [-(-_UNITS * num**4 // den**4) for num, den in _radii()]


class Fourth(NamedTuple):
    """Records in a lattice whose ``finer``-th parts centres are points of, and what they cost."""

    records: Records
    finer: Fraction
    epsilon: Fraction

    def above(self, centre: int, far: int, miss: Fraction, source: BitSource) -> Fraction:
        """At least the sum of (d / ``far``)^4, but for ``miss``."""
        law = self.law(centre, far)
        return Fraction(law.draw(source) + noise_reach(2 * miss, 1 / law.rate), _UNITS)

    def law(self, centre: int, far: int) -> DiscreteLaplaceLaw:
        """NOT PRIVATE. The law of the noisy sum, in units."""
        counts = [*self._within(centre, far), 0]
        total = sum(
            w * (more - less)
            for w, more, less in zip(_weights(), counts[:-1], counts[1:], strict=True)
        )
        return DiscreteLaplaceLaw(total, self.epsilon / _UNITS, Fraction(1))

    def _within(self, centre: int, far: int) -> list[int]:
        """How many lie within each radius: whole numbers, which need no common divisors."""
        whole, parts = self.finer.as_integer_ratio()
        ends = [
            (
                -((far * num - centre * den) * parts // (den * whole)),
                (far * num + centre * den) * parts // (den * whole),
            )
            for num, den in _radii()
        ]
        points = sorted({point for pair in ends for point in pair})
        found = dict(zip(points, self.records.counts(points), strict=True))
        return [max(0, found[b][1] - found[a][0]) for a, b in ends]
