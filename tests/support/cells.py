"""Exact cell masses of K-norm and piecewise K-norm noise in two dimensions, rounded to integers.

The density exp(-E(||v||_K)) is a mixture of indicators of r K with the weights -d exp(-E(r)), so
the mass of a cell is the integral of area(cell and r K) E'(r) exp(-E(r)), up to a constant that is
the same for all cells. The area is a quadratic polynomial between rational breakpoints, so this is
a sum of rationals times exponentials, enclosed here in integers.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from leastnoise.numbers import exp_enclosure

Point = tuple[Fraction, Fraction]
BITS = 200


def clipped(polygon: list[Point], a: Fraction, b: Fraction, c: Fraction) -> list[Point]:
    """The part of a convex polygon with a x + b y <= c."""
    found: list[Point] = []
    for i, p in enumerate(polygon):
        q = polygon[(i + 1) % len(polygon)]
        fp, fq = a * p[0] + b * p[1] - c, a * q[0] + b * q[1] - c
        if fp <= 0:
            found.append(p)
        if (fp < 0 < fq) or (fq < 0 < fp):
            t = fp / (fp - fq)
            found.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return found


def area(polygon: list[Point]) -> Fraction:
    total = Fraction(0)
    for i, p in enumerate(polygon):
        q = polygon[(i + 1) % len(polygon)]
        total += p[0] * q[1] - p[1] * q[0]
    return abs(total) / 2


def segments(radii: list[Fraction], epsilon: Fraction) -> list[tuple[Fraction, Fraction, Fraction]]:
    """(start, slope, E at the start) of every level of a piecewise law; slope 0 is a jump."""
    found: list[tuple[Fraction, Fraction, Fraction]] = []
    start = Fraction(0)
    for level, radius in enumerate(radii):
        found.append((start, epsilon / 2 / radius if radius else Fraction(0), epsilon / 2 * level))
        start += radius
    return found


def cell_mass(
    facets: list[Point],
    vertices: list[Point],
    levels: list[tuple[Fraction, Fraction, Fraction]],
    jump: Fraction,
    k: tuple[int, int],
) -> tuple[Fraction, Fraction]:
    """Lower and upper bound of the integral of exp(-E(||v||_K)) over the cell of k.

    ``levels`` as `segments` gives them; ``jump`` is the fall of E over a level of width 0.
    """
    half = Fraction(1, 2)
    x0, x1, y0, y1 = k[0] - half, k[0] + half, k[1] - half, k[1] + half
    cell = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]

    def shared(r: Fraction) -> Fraction:
        polygon = cell
        for a, b in facets:
            polygon = clipped(polygon, a, b, r)
        return area(polygon)

    # an edge of r K meets a corner of the cell at one of the corner's facet values
    breaks = {a * x + b * y for a, b in facets for x, y in cell} | {s for s, _, _ in levels}
    for v in vertices:
        breaks |= {c / v[0] for c in (x0, x1) if v[0]} | {c / v[1] for c in (y0, y1) if v[1]}
    grid = sorted(r for r in breaks if r >= 0)
    total = _Sum()
    for number, (start, slope, e) in enumerate(levels):
        end = levels[number + 1][0] if number + 1 < len(levels) else None
        if not slope:
            total.add(shared(start), e)
            total.add(-shared(start), e + jump)
            continue
        inside = [r for r in grid if r >= start and (end is None or r <= end)]
        for left, right in pairwise(inside):
            middle = (left + right) / 2
            p, m, q = shared(left), shared(middle), shared(right)
            h = (right - left) / 2
            c2 = (p - 2 * m + q) / (2 * h * h)
            c1 = (q - p) / (2 * h) - 2 * c2 * middle
            c = (m - c1 * middle - c2 * middle * middle, c1, c2)
            total.integral(left, c, slope, e + slope * (left - start), 1)
            total.integral(right, c, slope, e + slope * (right - start), -1)
        if end is None:
            last = inside[-1]
            c = (shared(last + 1), Fraction(0), Fraction(0))
            total.integral(last, c, slope, e + slope * (last - start), 1)
    return total.low, total.high


class _Sum:
    """A sum of rationals times exponentials, enclosed."""

    def __init__(self) -> None:
        self.low = self.high = Fraction(0)

    def add(self, weight: Fraction, e: Fraction) -> None:
        down, up = exp_enclosure(e.numerator, e.denominator, BITS)
        if weight < 0:
            down, up = up, down
        self.low += weight * down / 2**BITS
        self.high += weight * up / 2**BITS

    def integral(
        self,
        r: Fraction,
        c: tuple[Fraction, Fraction, Fraction],
        b: Fraction,
        e: Fraction,
        sign: int,
    ) -> None:
        """b times the integral from r on of (c0 + c1 t + c2 t^2) exp(-e - b (t - r))."""
        value = c[0] + c[1] * r + c[2] * r * r
        slope = c[1] + 2 * c[2] * r
        self.add(sign * (value + slope / b + 2 * c[2] / b**2), e)
