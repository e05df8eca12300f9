"""Exact cell masses of K-norm noise in two dimensions, rounded to the integers.

With V = R U, R of the Gamma law of shape 3 and rate a, U uniform in a polygon K,

    P(round(V) = k) = a^3 / (2 area K)  integral over r > 0 of  area(cell_k and r K) e^(-a r) dr,

and the area is a quadratic polynomial between rational breakpoints. So the mass is a sum of
rationals times exp(-a r), enclosed here in integers.
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


def cell_mass(
    facets: list[Point], vertices: list[Point], volume: Fraction, rate: Fraction, k: tuple[int, int]
) -> tuple[Fraction, Fraction]:
    """Lower and upper bound of P(round(V) = k), about 2**-190 apart."""
    half = Fraction(1, 2)
    x0, x1, y0, y1 = k[0] - half, k[0] + half, k[1] - half, k[1] + half
    cell = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]

    def shared(r: Fraction) -> Fraction:
        polygon = cell
        for a, b in facets:
            polygon = clipped(polygon, a, b, r)
        return area(polygon)

    breaks = {max(a * x + b * y for a, b in facets) for x, y in cell} | {Fraction(0)}
    for v in vertices:
        breaks |= {c / v[0] for c in (x0, x1) if v[0]} | {c / v[1] for c in (y0, y1) if v[1]}
    # an edge of r K through a corner of the cell is among the corner's facet values
    breaks |= {a * x + b * y for a, b in facets for x, y in cell}
    grid = sorted(r for r in breaks if r >= 0)
    low = high = Fraction(0)

    def add(weight: Fraction, r: Fraction) -> None:
        nonlocal low, high
        e = rate * r
        down, up = exp_enclosure(e.numerator, e.denominator, BITS)
        if weight < 0:
            down, up = up, down
        low += weight * down / 2**BITS
        high += weight * up / 2**BITS

    def integral_from(r: Fraction, c: tuple[Fraction, Fraction, Fraction], sign: int) -> None:
        # integral from r to infinity of (c0 + c1 t + c2 t^2) e^(-rate t)
        value = c[0] + c[1] * r + c[2] * r * r
        slope = c[1] + 2 * c[2] * r
        add(sign * (value / rate + slope / rate**2 + 2 * c[2] / rate**3), r)

    for left, right in pairwise(grid):
        middle = (left + right) / 2
        p, m, q = shared(left), shared(middle), shared(right)
        h = (right - left) / 2
        c2 = (p - 2 * m + q) / (2 * h * h)
        c1 = (q - p) / (2 * h) - 2 * c2 * middle
        c0 = m - c1 * middle - c2 * middle * middle
        integral_from(left, (c0, c1, c2), 1)
        integral_from(right, (c0, c1, c2), -1)
    integral_from(grid[-1], (shared(grid[-1] + 1), Fraction(0), Fraction(0)), 1)
    scale = rate**3 / (2 * volume)
    return scale * low, scale * high
