"""Uniform points of Awan and Slavkovic's K_T, by an envelope that is accepted every other time.

Columns j have |u_j| <= 2; (u_j, u_jj) in K_2 where there is a square; |u_j| + |u_k| + |u_jk| <= 4.
Given the first order all other coordinates are independent and uniform on intervals. Call a column
*high* with x_j = |u_j| - 1 if |u_j| > 1, else *low*. The lengths of the intervals, over 4, are

    1 - x_j^2 for a square, 1 - (x_j + x_k) / 2 for two high columns,
    1 - max(0, x_j + |u_k| - 1) / 2 for a high and a low one, and 1 for two low ones.

For two high columns 1 - (x + y) / 2 <= (1 - x / 2)(1 - y / 2). So draw the set of m high columns
with a weight proportional to the product of

    c_m = integral over (0, 1) of (1 - x^2) (1 - x / 2)^(m - 1)    (without 1 - x^2: no square),

an exact rational, every x_j from that density by rejection of its own, every low column uniformly,
and accept with the remaining factors. Other coordinates are drawn when they are first needed. All
comparisons are of integers, and an undecided one refines the draw.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, combinations
from math import comb, lcm

from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict
from leastnoise.sampling.reals import Interval, LazyUniforms, RealVector, Transformed, narrowed

_WORD = 64
# How a uniform U becomes a coordinate: 2 U - 1, 4 U - 2, 1 + U, -(1 + U).
_LOW, _FREE, _UP, _DOWN = range(4)


@lru_cache(maxsize=64)
def _weights(with_square: int, without: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Cumulated whole weights of (high with a square, high without)."""
    found: dict[tuple[int, int], Fraction] = {}
    for one in range(with_square + 1):
        for two in range(without + 1):
            c, plain = _masses(one + two)
            ways = comb(with_square, one) * comb(without, two)
            found[one, two] = ways * c**one * plain**two
    scale = lcm(*(w.denominator for w in found.values()))
    return list(accumulate(int(w * scale) for w in found.values())), list(found)


def _masses(m: int) -> tuple[Fraction, Fraction]:
    """The integrals over (0, 1) of (1 - x^2)(1 - x/2)^(m-1) and of (1 - x/2)^(m-1)."""
    if m == 0:
        return Fraction(1), Fraction(1)
    terms = [comb(m - 1, i) * Fraction(-1, 2) ** i for i in range(m)]
    plain = sum((t / (i + 1) for i, t in enumerate(terms)), Fraction(0))
    return plain - sum((t / (i + 3) for i, t in enumerate(terms)), Fraction(0)), plain


class _Draw:
    """One attempt at a point: its uniforms, and the coordinate that each of them gives."""

    __slots__ = ("kinds", "uniforms")

    def __init__(self, source: BitSource) -> None:
        self.uniforms = LazyUniforms(0, source)
        self.kinds: dict[int, tuple[int, int]] = {}

    def push(self) -> int:
        """A new uniform; its index."""
        self.uniforms.push()
        return len(self.uniforms.values) - 1

    def decided(self, test: Callable[[list[int], int], Verdict]) -> bool:
        """The verdict of a test of the values, refined until there is one."""
        while (verdict := test(self.uniforms.values, 1 << self.uniforms.bits)) is None:
            self.uniforms.extend(self.uniforms.bits + _WORD)
        return verdict

    def below(self, i: int, x: int) -> bool:
        """Whether U_i <= 1 - X / 2 for the uniform X."""

        def test(v: list[int], one: int) -> Verdict:
            least = 2 * v[i] + v[x]
            return False if least > 2 * one else True if least + 3 <= 2 * one else None

        return self.decided(test)

    def free(self, coordinate: int) -> int:
        """The uniform of a coordinate on [-2, 2], drawn if it is not there yet."""
        if coordinate not in self.kinds:
            self.kinds[coordinate] = self.push(), _FREE
        return self.kinds[coordinate][0]

    def redraw(self, coordinate: int) -> int:
        """Another uniform for a coordinate that was rejected on its own."""
        self.kinds[coordinate] = self.push(), _FREE
        return self.kinds[coordinate][0]


def draw_paper(
    first: Sequence[int],
    second: dict[int, int],
    cross: dict[tuple[int, int], int],
    source: BitSource,
) -> RealVector:
    """A uniform point of K_T; the places of the coordinates are those of a moment space."""
    m = len(first)
    squared = [j for j in range(m) if j in second]
    plain = [j for j in range(m) if j not in second]
    heights, cases = _weights(len(squared), len(plain))
    while True:
        one, two = cases[bisect_right(heights, source.below(heights[-1]))]
        high = sorted(_some(squared, one, source) + _some(plain, two, source))
        draw = _attempt(high, first, second, cross, source)
        if draw is not None:
            break
    size = m + len(second) + m * (m - 1) // 2
    for coordinate in range(size):
        draw.free(coordinate)
    places = [draw.kinds[i] for i in range(size)]

    def function(values: Sequence[int], known: int, bits: int) -> list[Interval]:
        one = 1 << known
        down = known - bits
        found: list[Interval] = []
        for i, kind in places:
            k = values[i]
            if kind == _FREE:
                found.append(narrowed(4 * k - 2 * one, 4 * k + 4 - 2 * one, down))
            elif kind == _LOW:
                found.append(narrowed(2 * k - one, 2 * k + 2 - one, down))
            elif kind == _UP:
                found.append(narrowed(one + k, one + k + 1, down))
            else:
                found.append(narrowed(-one - k - 1, -one - k, down))
        return found

    return Transformed(size, draw.uniforms, function, guard=3)


def _some(columns: list[int], count: int, source: BitSource) -> list[int]:
    """A uniform subset of this size."""
    rest, found = list(columns), list[int]()
    for _ in range(count):
        found.append(rest.pop(source.below(len(rest))))
    return found


def _attempt(
    high: list[int],
    first: Sequence[int],
    second: dict[int, int],
    cross: dict[tuple[int, int], int],
    source: BitSource,
) -> _Draw | None:
    draw = _Draw(source)
    xs = {j: _high_column(draw, first[j], second.get(j), len(high), source) for j in high}
    for j, k in combinations(high, 2):
        if not _both_high(draw, xs[j], xs[k]):
            return None
    for k in range(len(first)):
        if k in xs:
            continue
        low = draw.push()
        draw.kinds[first[k]] = low, _LOW
        for j in high:
            if not _high_and_low(draw, xs[j], low, cross[j, k]):
                return None
    for j, k in combinations(high, 2):
        u = draw.free(cross[j, k])
        while not _inside(draw, u, xs[j], xs[k]):
            u = draw.redraw(cross[j, k])
    return draw


def _high_column(draw: _Draw, place: int, square: int | None, high: int, source: BitSource) -> int:
    """x of the density (1 - x^2)(1 - x/2)^(high - 1), with the square it was accepted by."""
    kind = _UP if source.bits(1) else _DOWN
    while True:
        x = draw.push()
        if not all(draw.below(draw.push(), x) for _ in range(high - 1)):
            continue
        if square is None:
            break
        u = draw.redraw(square)

        def fits(v: list[int], one: int, u: int = u, x: int = x) -> Verdict:
            # |2 U - 1| <= 1 - X^2
            near = abs(2 * v[u] + 1 - one) - 1
            limit = one * one
            if near * one > limit - v[x] ** 2:
                return False
            return True if (near + 2) * one <= limit - (v[x] + 1) ** 2 else None

        if draw.decided(fits):
            break
    draw.kinds[place] = x, kind
    return x


def _both_high(draw: _Draw, x: int, y: int) -> bool:
    """With probability (1 - (X + Y) / 2) / ((1 - X / 2)(1 - Y / 2))."""
    t = draw.push()

    def test(v: list[int], one: int) -> Verdict:
        # T (2 - X)(2 - Y) <= 2 (2 - X - Y), all over one^3
        a, b, c = v[t], v[x], v[y]
        square = 2 * one * one
        least = a * (2 * one - b - 1) * (2 * one - c - 1)
        if least > square * (2 * one - b - c):
            return False
        most = (a + 1) * (2 * one - b) * (2 * one - c)
        return True if most <= square * (2 * one - b - c - 2) else None

    return draw.decided(test)


def _high_and_low(draw: _Draw, x: int, low: int, coordinate: int) -> bool:
    """Whether |u_jk| <= 3 - X - |u_k|; no draw is needed where X + |u_k| <= 1."""
    v, one = draw.uniforms.values, 1 << draw.uniforms.bits
    if v[x] + abs(2 * v[low] + 1 - one) + 3 <= one:
        return True
    u = draw.free(coordinate)

    def test(v: list[int], one: int) -> Verdict:
        least = 2 * (abs(2 * v[u] + 1 - one) - 1) + v[x] + abs(2 * v[low] + 1 - one) - 1
        return False if least > 3 * one else True if least + 7 <= 3 * one else None

    return draw.decided(test)


def _inside(draw: _Draw, u: int, x: int, y: int) -> bool:
    """Whether |u_jk| <= 2 - X - Y."""

    def test(v: list[int], one: int) -> Verdict:
        least = 2 * (abs(2 * v[u] + 1 - one) - 1) + v[x] + v[y]
        return False if least > 2 * one else True if least + 6 <= 2 * one else None

    return draw.decided(test)
