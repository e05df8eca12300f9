"""Sources of bits whose first bits are chosen: they lead a sampler to the edge of a decision.

A sampler that draws one uniform U bit by bit must decide by the exact real threshold. Handing it
a U that lies 2**-150 to one side of the threshold makes every shortcut visible: a decision in
floating point, a fresh U where the first was undecided, a threshold that is a little off.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from leastnoise.laws import RoundedLaplaceLaw
from leastnoise.randomness import BitSource, HashedBits
from leastnoise.testing.violations import Subject

_DIGITS = 120
# How far U lies from the threshold, and how many of its bits are chosen.
CLOSE = 150
LENGTH = 192


class ScriptedBits:
    """NOT PRIVATE. Serves chosen bits first, then a hashed stream."""

    __slots__ = ("_left", "_script", "_then")

    def __init__(self, script: int, length: int, seed: bytes = b"scripted") -> None:
        self._script, self._left = script, length
        self._then: BitSource = HashedBits(seed)

    @property
    def used(self) -> bool:
        """Whether all chosen bits have been served."""
        return self._left == 0

    def bits(self, k: int) -> int:
        """The next k bits, highest first."""
        served = min(k, self._left)
        self._left -= served
        value = self._script >> self._left
        self._script &= (1 << self._left) - 1
        return value << (k - served) | self._then.bits(k - served) if k > served else value

    def below(self, n: int) -> int:
        """Uniform on [0, n) by rejection, as every source."""
        k = (n - 1).bit_length()
        while (value := self.bits(k)) >= n:
            pass
        return value


def exp_digits(exponent: Fraction) -> Fraction:
    """exp(-exponent) to 120 significant digits, by ``decimal``, which rounds correctly."""
    with localcontext() as context:
        context.prec = _DIGITS
        return Fraction((-(Decimal(exponent.numerator) / Decimal(exponent.denominator))).exp())


def uniform_beside(threshold: Fraction, side: int, close: int = CLOSE) -> int | None:
    """``LENGTH`` bits of a uniform 2**-close below (-1) or above (1) a threshold.

    None if there is no room in [0, 1).
    """
    u = int((threshold + side * Fraction(1, 1 << close)) * (1 << LENGTH))
    return u if 0 <= u < 1 << LENGTH else None


def check_rounded_laplace(subject: Subject, law: RoundedLaplaceLaw) -> None:
    """Rounded Laplace noise at the edges of its outcomes, both signs.

    |X - centre| >= m exactly when the uniform lies below exp(-(m - 1/2) / s); the scale s is known
    by its enclosure only, so U stands 2**-100 away, farther than the enclosure is wide.
    """
    bits = 400
    low, high = law.scale(bits)
    if not 0 < low <= high or (high - low) > low >> 300:
        raise subject.violation(
            "the scale is a certified real number", f"enclosure [{low}, {high}] / 2**{bits}"
        )
    scale = Fraction(low + high, 2 << bits)
    for m in _outcomes(scale):
        threshold = exp_digits(Fraction(2 * m - 1, 2) / scale)
        for side, size in ((-1, m), (1, m - 1)):
            u = uniform_beside(threshold, side, 100)
            if u is None:
                continue
            for sign, first in ((1, 0), (-1, 1)):
                source = ScriptedBits(first << LENGTH | u, 1 + LENGTH)
                drawn = law.draw(source) - law.centre
                if drawn != sign * size:
                    raise subject.violation(
                        "rounded Laplace noise is the rounding of one real draw",
                        f"a uniform 2**-100 {'below' if side < 0 else 'above'} "
                        f"exp(-({m} - 1/2)/s) gave {drawn}, not {sign * size}",
                    )


def _outcomes(scale: Fraction) -> list[int]:
    """Sizes of noise from the likely to the rare, where neighbouring edges are still far apart."""
    sizes = {1, 2, 3, 7}
    sizes |= {max(1, int(scale * part)) for part in (Fraction(1, 3), 1, 3, 10, 30)}
    return sorted(m for m in sizes if m <= 45 * scale + 1)
