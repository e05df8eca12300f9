"""The law of a vector plus real noise, rounded to a public lattice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from leastnoise.production import forbid_in_production
from leastnoise.randomness import BitSource, HashedBits
from leastnoise.sampling.reals import RealVector


class VectorLaw:
    """NOT PRIVATE. ``centre + round(V)`` on a lattice with one unit a coordinate.

    Parameters
    ----------
    centre : sequence of int
        The exact vector, in units.
    units : sequence of Fraction
        The public lattice.
    noise : callable of a BitSource
        One draw of V as a real vector, refined on demand.
    simulate : callable of (count, numpy generator), optional
        Draws of V in doubles, for studies. Shape (count, d). Default: exact draws, one by one.
    """

    __slots__ = ("_centre", "_noise", "_simulate", "units")

    def __init__(
        self,
        centre: Sequence[int],
        units: Sequence[Fraction],
        noise: Callable[[BitSource], RealVector],
        simulate: Callable[[int, np.random.Generator], NDArray[np.float64]] | None = None,
    ) -> None:
        forbid_in_production("law")
        self._centre, self.units = tuple(centre), tuple(units)
        self._noise, self._simulate = noise, simulate

    def __repr__(self) -> str:
        return "VectorLaw(NOT PRIVATE: computed from the data, numbers hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a law looks at private data and cannot be copied or pickled")

    def draw(self, source: BitSource) -> list[int]:
        """One exact draw in units: the real noise is refined until it rounds to one point."""
        noise = self._noise(source).round_to(self.units)
        return [c + v for c, v in zip(self._centre, noise, strict=True)]

    def draw_real(self, source: BitSource) -> RealVector:
        """NOT PRIVATE: one draw of the noise alone, for tests. It is not a release."""
        return self._noise(source)

    def sample(self, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """NOT PRIVATE: draws in doubles for studies, in the balls' scaling. Shape (size, d)."""
        units = np.array([float(u) for u in self.units])
        centre = np.array([float(c) for c in self._centre])
        if self._simulate is None:
            source = HashedBits(rng.bytes(32))
            noise = np.array([self._noise(source).floats() for _ in range(size)])
        else:
            noise = self._simulate(size, rng)
        return (centre + np.floor(noise / units + 0.5)) * units
