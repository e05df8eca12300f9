"""Laplace noise scaled to the smooth sensitivity (Nissim, Raskhodnikova and Smith 2007)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, floor

from leastnoise.guarantees import ApproxDP, Guarantee, Scope
from leastnoise.laws import ConstantLaw, Law, RoundedLaplaceLaw
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.numbers import exp_enclosure, ln2_enclosure, log_enclosure
from leastnoise.params import parse_delta, parse_epsilon
from leastnoise.profiles import Profile, on_grid

_LN2_UPPER = Fraction(ln2_enclosure(64)[1], 2**64)
# Binary digits, and at most so many more for small deltas: below 2**-4096 nothing is certain.
_BITS, _MOST_BITS = 64, 4096
_GRID = 2**40
# Levels whose float weight is this far below the best cannot be the maximum (float error 1e-12).
_SLACK = 1 - 1e-9


@lru_cache(maxsize=256)
def decay(epsilon: Fraction, delta: Fraction) -> Fraction:
    """b <= epsilon / (2 ln(2/delta)), certified to be small enough; a smaller b is also private.

    Two scales s' < s that differ by a factor of e^b at most need, with t = (epsilon/2 + b) /
    (e^b - 1), that e^-t (1 - e^-b) <= delta: the hockey-stick divergence of two centred Laplace
    laws at epsilon/2. The published b satisfies this only up to an epsilon of about 10.
    """
    two_over_delta = 2 / delta
    upper = log_enclosure(two_over_delta.numerator, two_over_delta.denominator, _BITS)[1]
    published = min(epsilon * 2**_BITS / (2 * upper), epsilon / 2)
    if _is_smooth(published, epsilon, delta):
        return published
    # the divergence grows with b, so bisection finds nearly the largest b that is allowed
    low, high = 0, floor(published * _GRID) + 1
    while high - low > 1 + (low >> 20):
        middle = (low + high) // 2
        allowed = _is_smooth(Fraction(middle, _GRID), epsilon, delta)
        low, high = (middle, high) if allowed else (low, middle)
    return Fraction(low, _GRID)


def _is_smooth(b: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether e^-t (1 - e^-b) <= delta is certain."""
    wanted = (delta.denominator // delta.numerator).bit_length()
    bits = _BITS if wanted < _BITS else _BITS + min(wanted, _MOST_BITS)
    low = exp_enclosure(b.numerator, b.denominator, bits)[0]
    if low <= 0:
        return False
    one = 1 << bits
    if low == one:
        return True
    t = (epsilon / 2 + b) * low / (one - low)  # e^b - 1 <= (one - low) / low
    high = exp_enclosure(t.numerator, t.denominator, bits)[1]
    return Fraction(high * (one - low), one * one) <= delta


@dataclass(frozen=True, slots=True)
class SmoothLaplace(Mechanism):
    """Add Laplace noise of scale 2 S / epsilon, S the smooth sensitivity of the data set.

    S = max_l exp(-b l) A(l) with A(l) the profile's local sensitivity at distance l and
    b = epsilon / (2 ln(2/delta)), or less where epsilon is above about 10. S is a certified real
    number, never rounded to the lattice; the noise is a real number, refined until value plus noise
    rounds to one lattice point.

    Parameters
    ----------
    delta : number
        Failure probability, 0 < delta < 1; far below one over the number of people.

    Raises
    ------
    ParameterError, ParameterTypeError
        If delta is invalid; from ``law`` for an invalid epsilon, for scores or a vector, and for a
        statistic without a finite range. Checked before any data is read.

    Notes
    -----
    Guarantee: (epsilon, delta)-DP if A(x', l) <= A(x, l + 1) for neighbours. The scale depends on
    the data and is private: no interval can be published with it. Source: Nissim, Raskhodnikova
    and Smith (2007), Example 2.4 (Laplace noise in one dimension), whose b is for small epsilon
    only: see ``decay`` and ``docs/proofs/rounding.md``.
    """

    delta: object

    def __post_init__(self) -> None:
        parse_delta(self.delta)

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return f"SmoothLaplace(delta={parse_delta(self.delta)})"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The law of the noisy value, before it is cut to the public range."""
        exponent, delta = parse_epsilon(epsilon), parse_delta(self.delta)
        grid = on_grid(profile)
        low, high = grid.finite_range(self.name)
        width = high - low
        if width == 0:
            return ConstantLaw(low, grid.step)
        b = decay(exponent, delta)
        depth = self.depth(exponent, width.bit_length())
        if grid.depth is not None:
            depth = min(depth, grid.depth)
        peaks = _candidates(grid.local_sensitivity, b, depth, width)
        return RoundedLaplaceLaw(grid.centre, _scale(peaks, b, exponent), grid.step)

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """(epsilon, delta)-DP."""
        return ApproxDP(epsilon, parse_delta(self.delta), scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels after which exp(-b l) times the width of the range is below one lattice step."""
        return floor(range_bits * _LN2_UPPER / decay(epsilon, parse_delta(self.delta))) + 1


def _candidates(
    local: Callable[[int], int], b: Fraction, depth: int, width: int
) -> list[tuple[int, int]]:
    """Levels l with A(l) that may attain max exp(-b l) A(l); beyond the depth A is the width.

    A is nondecreasing, so on levels first..last no weight exceeds exp(-b first) A(last): ranges
    that cannot win are dropped whole (branch and bound). The public floor S >= 1 lattice step is
    the candidate (0, 1). Floats only drop what is worse by far more than their error.
    """
    slope = float(b)
    found: list[tuple[int, int]] = [(0, 1), (depth + 1, width)]
    best = max(1.0, exp(-slope * (depth + 1)) * width)

    def size(level: int) -> int:
        return min(width, max(0, local(level)))

    stack: list[tuple[int, int, int]] = []
    first = depth + 1
    while first > 0:  # ranges that double in length, the nearest levels on top of the stack
        last, first = first - 1, first // 2
        stack.append((first, last, -1))
    while stack:
        first, last, top = stack.pop()
        if exp(-slope * first) * width < best * _SLACK:
            continue
        top = size(last) if top < 0 else top
        if exp(-slope * first) * top < best * _SLACK:
            continue
        if any(level <= first and a >= top for level, a in found):
            continue  # dominated exactly: no larger change, no nearer level
        best = max(best, exp(-slope * last) * top)
        if first == last:
            found.append((first, top))
        else:
            middle = (first + last) // 2
            stack.append((middle + 1, last, top))
            stack.append((first, middle, -1))
    return [(level, a) for level, a in found if exp(-slope * level) * a >= best * _SLACK]


def _scale(
    peaks: list[tuple[int, int]], b: Fraction, epsilon: Fraction
) -> Callable[[int], tuple[int, int]]:
    """The certified scale 2 S / epsilon: lo <= 2^bits s <= hi."""

    def enclosure(bits: int) -> tuple[int, int]:
        lows: list[int] = []
        highs: list[int] = []
        for level, size in peaks:
            factor = 2 * size / epsilon
            extra = max(0, ceil(factor).bit_length()) + 8
            low, high = exp_enclosure(b.numerator * level, b.denominator, bits + extra)
            lows.append(low * factor.numerator // factor.denominator >> extra)
            highs.append((-(-high * factor.numerator // factor.denominator) >> extra) + 1)
        return max(lows), max(highs)

    return enclosure
