"""Sources of noise that tests know: fixed vectors, and bits that count what is asked of them."""

from __future__ import annotations

from fractions import Fraction

from leastnoise.randomness import HashedBits
from leastnoise.sampling.reals import RealVector


class Fixed(RealVector):
    """A vector of known numbers in place of noise."""

    def __init__(self, *values: Fraction) -> None:
        self.values = values

    @property
    def dimension(self) -> int:
        return len(self.values)

    def enclose(self, bits: int) -> list[tuple[int, int]]:
        return [((v * 2**bits).__floor__(), (v * 2**bits).__ceil__()) for v in self.values]


class CountingBits(HashedBits):
    """Counts how many blocks or cells are proposed."""

    def __init__(self) -> None:
        super().__init__(b"trials")
        self.tickets = 0

    def below(self, n: int) -> int:
        self.tickets += 1
        return super().below(n)
