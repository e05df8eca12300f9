"""The radius of a piecewise K-norm draw, by inverting its distribution function exactly.

The density of the noise is proportional to g(||v||_K) with g(r) = exp(-E(r)) and, between the
edges S_(l-1) and S_l = R_1 + ... + R_l,

    E(r) = (eps / 2) (l - 1 + (r - S_(l-1)) / R_l).

g falls from 1 to 0, so g(||v||) is the mean, over a threshold radius rho with the law -dg(rho),
of the indicator of rho K. Hence V = rho U with U uniform in K and rho of the density proportional
to rho^d (-g'(rho)): no cone measure and no rejection is needed. A level of width 0 makes g jump
and rho an atom. With b_l = eps / (2 R_l) and

    H_l(s) = integral over t > 0 of b_l (s + t)^d exp(-b_l t) dt = sum_k d!/(d-k)! s^(d-k) b_l^-k,

a rational number, the mass of rho beyond r inside level l is

    T(r) = exp(-E(r)) H_l(r) + sum_(j >= l) exp(-eps j / 2) (H_(j+1)(S_j) - H_j(S_j)),

and beyond the last level the slope stays what it is. rho = T^-1(T(0) W) for one uniform W: the
bracket around rho narrows as digits of W are revealed, and no double decides anything.

Source: Durfee (2025), radius bounding functions; errata 4.3. ``docs/proofs/piecewise-k-norm.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import BitSource
from leastnoise.sampling.reals import Interval, LazyUniforms, RealVector, Transformed

Bounds = tuple[Fraction, Fraction]


def reach(slope: Fraction, dimension: int, s: Fraction) -> Fraction:
    """H(s): the mean of (s + T)^d for T exponential of the rate ``slope``.

    H_0 = 1 and H_k = s^k + (k / slope) H_(k-1), by parts.
    """
    value = power = Fraction(1)
    for k in range(1, dimension + 1):
        power *= s
        value = power + value * k / slope
    return value


@dataclass(frozen=True, slots=True, repr=False)
class RadialLaw:
    """NOT PRIVATE. The law of rho for radii R_1, ..., R_L; every further level has R_L.

    Parameters
    ----------
    dimension : int
        d.
    radii : sequence of Fraction
        R_1 <= ... <= R_L >= 0, the last one > 0.
    epsilon : Fraction
        eps.
    """

    dimension: int
    radii: Sequence[Fraction]
    epsilon: Fraction

    @property
    def edges(self) -> list[Fraction]:
        """S_0 = 0, S_1, ..., S_(L-1): where the levels begin."""
        found = [Fraction(0)]
        for radius in self.radii[:-1]:
            found.append(found[-1] + radius)
        return found

    def exponent(self, r: Fraction) -> Fraction:
        """E(r), for the densities of tests: the least one at an edge where g jumps."""
        half, start = self.epsilon / 2, Fraction(0)
        for level, radius in enumerate(self.radii):
            last = level == len(self.radii) - 1
            if r <= start + radius or last:
                return half * level if radius == 0 else half * (level + (r - start) / radius)
            start += radius
        raise ValueError("radii must not be empty")

    def draw(self, source: BitSource) -> RealVector:
        """One draw of rho, refined on demand."""
        table = _Table(self)

        def function(values: Sequence[int], known: int, bits: int) -> list[Interval] | None:
            return table.invert(values[0], known, bits)

        return Transformed(1, LazyUniforms(1, source), function, guard=32)


class _Table:
    """The masses beyond the edges, at a precision that grows with the digits of the uniform."""

    def __init__(self, law: RadialLaw) -> None:
        self._d, self._half = law.dimension, law.epsilon / 2
        self._radii, self._edges = list(law.radii), law.edges
        self._slopes = [self._half / r if r else None for r in self._radii]
        # one term exp(-eps j / 2) times a whole change of H at every edge
        self._changes = [self._change(j) for j in range(len(self._radii))]
        # masses are in units of the first that is not 0, so that weights are never tiny throughout
        first = next(j for j, change in enumerate(self._changes) if change)
        self._unit, self._start = self._changes[first], self._half * first
        self._precision = 0
        self._beyond: list[tuple[Fraction, Fraction]] = []

    def _reach(self, level: int, s: Fraction) -> Fraction:
        slope = self._slopes[level]
        # a level of width 0 is an infinitely steep one: H(s) = s^d
        return s**self._d if slope is None else reach(slope, self._d, s)

    def _change(self, j: int) -> Fraction:
        """H_(j+1)(S_j) - H_j(S_j), the first without the second."""
        here = self._reach(j, self._edges[j])
        return here if j == 0 else here - self._reach(j - 1, self._edges[j])

    def _tails(self, precision: int) -> list[Bounds]:
        """For every level the sum over j >= level of its changes, enclosed."""
        if precision != self._precision:
            found: list[Bounds] = []
            low = high = Fraction(0)
            for j in range(len(self._radii) - 1, -1, -1):
                found.append((low, high))
                change = self._changes[j]
                weight = self._weight(self._half * j, change, precision)
                low += change * (weight[0] if change >= 0 else weight[1])
                high += change * (weight[1] if change >= 0 else weight[0])
            self._beyond = found[::-1]
            self._precision = precision
            self._total = (low, high)
        return self._beyond

    def mass(self, level: int, r: Fraction, precision: int) -> Bounds:
        """T(r) for r inside a level (level 0 is the first)."""
        rest = self._tails(precision)[level]
        slope = self._slopes[level]
        e = self._half * level
        if slope is not None:
            e += slope * (r - self._edges[level])
        height = self._reach(level, r)
        weight = self._weight(e, height, precision)
        return rest[0] + weight[0] * height, rest[1] + weight[1] * height

    def _weight(self, e: Fraction, mass: Fraction, precision: int) -> Bounds:
        """exp(-e) in the unit, so fine that times ``mass`` it is right to 2^-precision units."""
        bits = precision + (abs(mass) / self._unit).__ceil__().bit_length()
        past = max(Fraction(0), e - self._start)  # before the start all masses are 0
        low, high = exp_enclosure(past.numerator, past.denominator, bits)
        return Fraction(low, 1 << bits), Fraction(high, 1 << bits)

    def invert(self, u: int, known: int, bits: int) -> list[Interval] | None:
        """An enclosure of rho at ``bits`` from W in [u, u + 1) / 2**known, or None."""
        if u == 0:
            return None
        precision = known + 16
        self._tails(precision)
        total = self._total
        # T falls: a large share of the total means a small radius
        lower, upper = total[0] * u / 2**known, total[1] * (u + 1) / 2**known
        level = self._level(lower, upper, precision)
        if level is None:
            return None
        if self._slopes[level] is None:
            exact = self._edges[level] * 2**bits
            return [(exact.__floor__(), exact.__ceil__())]
        start = (self._edges[level] * 2**bits).__floor__()
        low = self._last(level, start, upper, bits, precision, above=True)
        high = self._last(level, max(start, low), lower, bits, precision, above=False)
        return [(low, high)]

    def _level(self, lower: Fraction, upper: Fraction, precision: int) -> int | None:
        """The level that certainly holds rho, or None while two are possible."""
        starts = [self.mass(j, s, precision) for j, s in enumerate(self._edges)]
        # level j holds the masses between T(S_j -) = its own start and the start of the next
        chosen = [j for j, m in enumerate(starts) if m[1] >= lower]
        level = chosen[-1]
        certain = starts[level][0] >= upper
        ended = level + 1 == len(starts) or starts[level + 1][1] < lower
        return level if certain and ended else None

    def _last(
        self, level: int, start: int, mass: Fraction, bits: int, precision: int, *, above: bool
    ) -> int:
        """The last grid point with T certainly >= mass, or the first with T certainly <= mass."""

        def holds(k: int) -> bool:
            at = self.mass(level, max(Fraction(k, 2**bits), self._edges[level]), precision)
            return at[0] >= mass if above else at[1] > mass

        # the first step is a radius, so that few doublings and then halvings are needed; the second
        # search starts beside its end
        wide = (self._radii[level] * 2**bits).__floor__() if above else 0
        low, step = start, max(1, wide)
        while holds(low + step):
            low, step = low + step, 2 * step
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            if holds(middle):
                low = middle
            else:
                high = middle
        return low if above else high
