"""Real random vectors, refined on demand: any number of digits of one and the same draw.

A real draw is known by integers ``low <= 2**bits * v <= high``; asking for more bits appends fresh
random bits to the uniforms behind it and never draws them anew. Rounding such a vector to a public
lattice refines it until both ends of every coordinate round to one point, so the result is the
function ``round`` of one exact real draw: post-processing, and no float takes part. A draw that
stays undecided for ever has probability zero.

Source: exact_sampling 2 and 5. Claims: ``docs/proofs/k-norm.md``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm

from leastnoise.numbers import log_enclosure
from leastnoise.randomness import BitSource

_WORD = 64
# Enclosures that are handed on are at most this wide, in units of 2**-bits.
WIDTH = 4

Interval = tuple[int, int]


class LazyUniforms:
    """``count`` independent uniforms on [0, 1), each known to lie in [k, k + 1) / 2**bits."""

    __slots__ = ("_source", "bits", "values")

    def __init__(self, count: int, source: BitSource, bits: int = _WORD) -> None:
        self._source = source
        self.bits = bits
        self.values = [source.bits(bits) for _ in range(count)]

    def extend(self, bits: int) -> None:
        """Append random bits until at least ``bits`` are known; known bits never change."""
        extra = bits - self.bits
        if extra > 0:
            extra = -(-extra // _WORD) * _WORD
            self.values = [k << extra | self._source.bits(extra) for k in self.values]
            self.bits += extra

    def push(self) -> None:
        """One more uniform, known to as many bits as the others."""
        self.values.append(self._source.bits(self.bits))


class RealVector(ABC):
    """One draw of a random vector of reals."""

    __slots__ = ()

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates."""

    @abstractmethod
    def enclose(self, bits: int) -> list[Interval]:
        """For every coordinate v integers ``low <= 2**bits * v <= high``, high - low <= WIDTH."""

    def round_to(self, units: Sequence[Fraction]) -> list[int]:
        """For every coordinate floor(v / unit + 1/2), of this one draw."""
        start = _WORD // 2
        bits = [
            start + max(0, u.denominator.bit_length() - u.numerator.bit_length()) for u in units
        ]
        need = max(bits)
        while True:
            rounded = [
                _round_interval(low, high, need, unit)
                for (low, high), unit in zip(self.enclose(need), units, strict=True)
            ]
            if all(point is not None for point in rounded):
                return [point for point in rounded if point is not None]
            need += _WORD

    def floats(self) -> list[float]:
        """Doubles near the draw, for analysis: they decide nothing."""
        return [float(Fraction(low + high, 1 << 65)) for low, high in self.enclose(64)]


def _round_interval(low: int, high: int, bits: int, unit: Fraction) -> int | None:
    p, q = unit.numerator, unit.denominator
    bottom = p << (bits + 1)
    half = p << bits
    first = (2 * low * q + half) // bottom
    return first if first == (2 * high * q + half) // bottom else None


class Transformed(RealVector):
    """The vector ``function(uniforms)``: intervals out of intervals, refined until narrow.

    ``function(values, known, bits)`` gets integers k with uniform i in [k, k + 1) / 2**known and
    returns enclosures at ``bits``, or None where it needs more digits.
    """

    __slots__ = ("_dimension", "_function", "_guard", "_uniforms")

    def __init__(
        self,
        dimension: int,
        uniforms: LazyUniforms,
        function: Callable[[Sequence[int], int, int], list[Interval] | None],
        guard: int = 16,
    ) -> None:
        self._dimension, self._uniforms = dimension, uniforms
        self._function, self._guard = function, guard

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._dimension

    def enclose(self, bits: int) -> list[Interval]:
        """Enclosures of the coordinates; more random bits are drawn as needed."""
        need = bits + self._guard
        while True:
            self._uniforms.extend(need)
            found = self._function(self._uniforms.values, self._uniforms.bits, bits)
            if found is not None and all(high - low <= WIDTH for low, high in found):
                return found
            need = self._uniforms.bits + _WORD


def narrowed(low: int, high: int, down: int) -> Interval:
    """An interval in units 2**down times as coarse, rounded outwards."""
    if down <= 0:
        return low << -down, high << -down
    return low >> down, -(-high >> down)


def affine(uniforms: LazyUniforms, widths: Sequence[Fraction] | None = None) -> RealVector:
    """The uniforms moved to [-w, w): w (2 U - 1); every w is 1 by default."""
    sides = [Fraction(1)] * len(uniforms.values) if widths is None else list(widths)

    def function(values: Sequence[int], known: int, bits: int) -> list[Interval]:
        whole = 1 << known
        return [
            narrowed(
                (2 * k - whole) * w.numerator // w.denominator,
                -(-(2 * k + 2 - whole) * w.numerator // w.denominator),
                known - bits,
            )
            for k, w in zip(values, sides, strict=True)
        ]

    guard = max((int(w).bit_length() for w in sides), default=0) + 2
    return Transformed(len(sides), uniforms, function, guard=guard)


def gamma(shape: int, rate: Fraction, source: BitSource) -> RealVector:
    """One draw of the Gamma law of whole shape k: density proportional to x^(k-1) exp(-rate x).

    ``-ln(U_1 ... U_k) / rate`` for independent uniforms, with one logarithm of their product.
    Domain: ``shape >= 1``, ``rate > 0``. The vector has one coordinate.
    """
    p, q = rate.numerator, rate.denominator
    uniforms = LazyUniforms(shape, source)

    def function(values: Sequence[int], known: int, bits: int) -> list[Interval] | None:
        if not all(values):
            return None
        least, most, power = 1, 1, 0  # the product lies in [least, most] / 2**power
        for k in values:
            least, most, power = least * k, most * (k + 1), power + known
            cut = least.bit_length() - 2 * known
            if cut > 0:
                least, most = least >> cut, -(-most >> cut)
                power -= cut
        work = known
        low = log_enclosure(1 << power, most, work)[0]
        high = log_enclosure(1 << power, least, work)[1]
        return [narrowed(low * q // p, -(-high * q // p), work - bits)]

    extra = max(0, q.bit_length() - p.bit_length()) + shape.bit_length() + 16
    return Transformed(1, uniforms, function, guard=extra)


class Scaled(RealVector):
    """``radius * vector``, radius >= 0 of one coordinate, every |coordinate| <= 2**``size``."""

    __slots__ = ("_radius", "_size", "_vector")

    def __init__(self, radius: RealVector, vector: RealVector, size: int = 0) -> None:
        self._radius, self._vector, self._size = radius, vector, size

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._vector.dimension

    def enclose(self, bits: int) -> list[Interval]:
        """Enclosures of the products, rounded outwards."""
        reach = self._radius.enclose(0)[0][1].bit_length()
        fine = bits + self._size + 4
        # r and v are known within WIDTH units of 2**-fine / (size of the other): the product
        # within 2 WIDTH / 16 units of 2**-bits, and rounding outwards adds less than two
        r_low, r_high = self._radius.enclose(fine)[0]
        r_low = max(0, r_low)
        deep = bits + reach + 4
        found: list[Interval] = []
        for low, high in self._vector.enclose(deep):
            bottom = low * (r_low if low >= 0 else r_high)
            top = high * (r_high if high >= 0 else r_low)
            found.append(narrowed(bottom, top, fine + deep - bits))
        return found


class LinearMap:
    """A rational matrix made ready for enclosures: whole coefficients over one denominator."""

    __slots__ = ("guard", "rows", "scale")

    def __init__(self, matrix: Sequence[Sequence[Fraction]]) -> None:
        self.scale = lcm(*(c.denominator for row in matrix for c in row))
        self.rows = [[(i, int(c * self.scale)) for i, c in enumerate(row) if c] for row in matrix]
        widest = max(sum(abs(c) for _, c in row) for row in self.rows)
        self.guard = (widest // self.scale + 1).bit_length() + 3


class Mapped(RealVector):
    """``matrix @ vector`` for a rational matrix; zeros cost nothing."""

    __slots__ = ("_map", "_vector")

    def __init__(
        self, matrix: LinearMap | Sequence[Sequence[Fraction]], vector: RealVector
    ) -> None:
        self._vector = vector
        self._map = matrix if isinstance(matrix, LinearMap) else LinearMap(matrix)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self._map.rows)

    def enclose(self, bits: int) -> list[Interval]:
        """Enclosures of the sums, rounded outwards."""
        guard, scale = self._map.guard, self._map.scale
        parts = self._vector.enclose(bits + guard)
        found: list[Interval] = []
        for row in self._map.rows:
            low = sum(c * parts[i][c < 0] for i, c in row)
            high = sum(c * parts[i][c > 0] for i, c in row)
            found.append(narrowed(low // scale, -(-high // scale), guard))
        return found


class Joined(RealVector):
    """Coordinates of several vectors: coordinate i of part k goes to ``places[k][i]``."""

    __slots__ = ("_parts", "_places", "_size")

    def __init__(self, parts: Sequence[RealVector], places: Sequence[Sequence[int]]) -> None:
        self._parts, self._places = parts, places
        self._size = sum(len(place) for place in places)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._size

    def enclose(self, bits: int) -> list[Interval]:
        """Enclosures of all parts."""
        found: list[Interval] = [(0, 0)] * self._size
        for part, place in zip(self._parts, self._places, strict=True):
            for index, interval in zip(place, part.enclose(bits), strict=True):
                found[index] = interval
        return found
