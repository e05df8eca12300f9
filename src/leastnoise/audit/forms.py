"""Laws in the forms that the audit can compare: exact exponents, or certified probabilities.

A form is cut into *pieces*, runs of consecutive lattice points on which log p is linear. Between
two forms log p - log p' is then linear on every piece of the common refinement, so its extremes
lie at the ends of pieces and its sign turns at most once inside.

Coordinates are relative to ``origin`` and equal shapes are one object, so a pair of laws is
compared once for all the places where it occurs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd, inf, lcm

from leastnoise.audit import enclosure
from leastnoise.audit.enclosure import ZERO, Enclosure, geometric_sum
from leastnoise.laws import Run
from leastnoise.numbers.normal import discrete_gaussian_mass, discrete_gaussian_tail

# Ends of pieces: integers, or -inf and inf.
End = int | float
# Runs of at most this many points are compared point by point when normalising sums are.
_SPELLED_OUT = 64


@dataclass(frozen=True, slots=True)
class Piece:
    """Points first..last (either end may be infinite) with E(y) = (top + slope y) / bottom."""

    first: End
    last: End
    top: int
    slope: int
    bottom: int

    def exponent(self, point: int) -> Fraction:
        """E of one point of the piece."""
        return Fraction(self.top + self.slope * point, self.bottom)

    @property
    def count(self) -> int | None:
        """The number of points, None without end."""
        span = self.last - self.first
        return None if span == inf else int(span) + 1

    @property
    def near(self) -> int:
        """A finite end: the lower one where there is a choice."""
        return int(self.last if self.first == -inf else self.first)


class Shape:
    """Exact exponents, not normalised: p(y) = exp(-E(y)) / Z."""

    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        self.pieces = pieces

    @cached_property
    def least(self) -> Fraction:
        """The smallest exponent."""
        ends = [p.exponent(int(y)) for p in self.pieces for y in (p.first, p.last) if abs(y) < inf]
        return min(ends)

    @cached_property
    def weights(self) -> Enclosure:
        """Z exp(least), at least 1."""
        total = ZERO
        for piece in self.pieces:
            total += piece_sum(piece, self.least)
        return total

    @cached_property
    def log_weight(self) -> Enclosure:
        """log Z."""
        return enclosure.log(self.weights) - Enclosure.of(self.least)

    @cached_property
    def multiset(self) -> frozenset[tuple[object, int]]:
        """The exponents with their multiplicities: where two are equal, log(Z'/Z) is exactly 0."""
        found: Counter[object] = Counter()
        for piece in self.pieces:
            top, slope, bottom, count = piece.top, piece.slope, piece.bottom, piece.count
            if count is not None and not slope:
                common = gcd(top, bottom)
                found[top // common, bottom // common] += count
            elif count is not None and count <= _SPELLED_OUT:
                # integers in lowest terms: a Fraction costs ten times as much to make and to hash
                start = top + slope * piece.near
                for value in range(start, start + slope * count, slope):
                    common = gcd(value, bottom)
                    found[value // common, bottom // common] += 1
            else:
                ends = (piece.exponent(int(y)) for y in (piece.first, piece.last) if abs(y) < inf)
                found[min(ends), abs(Fraction(slope, bottom)), count] += 1
        return frozenset(found.items())

    def log_mass(self, piece: Piece, point: int) -> Enclosure:
        """log p of one point of one of the pieces."""
        return -(Enclosure.of(piece.exponent(point)) + self.log_weight)

    def mass(self, piece: Piece, first: End, last: End) -> Enclosure:
        """The probability of the points first..last of one of the pieces."""
        part = Piece(first, last, piece.top, piece.slope, piece.bottom)
        return piece_sum(part, self.least).over(self.weights)


def piece_sum(piece: Piece, least: Fraction) -> Enclosure:
    """The sum of exp(least - E) over a piece."""
    direction = -1 if piece.first == -inf else 1
    slope = Fraction(direction * piece.slope, piece.bottom)
    return geometric_sum(piece.exponent(piece.near) - least, slope, piece.count)


class LaplaceShape:
    """Real Laplace noise of scale 1/u rounded to the integers, about 0; u by its enclosure.

    p(0) = 1 - e^(-u/2) and p(m) = e^(-u (|m| - 1/2)) (1 - e^-u) / 2 for m != 0.
    """

    def __init__(self, rate: Enclosure) -> None:
        self.rate = rate
        self.pieces = (
            Piece(-inf, -1, 0, -1, 1),
            Piece(0, 0, 0, 0, 1),
            Piece(1, inf, 0, 1, 1),
        )

    @cached_property
    def log_half(self) -> Enclosure:
        """log((1 - e^-u) / 2)."""
        half = Enclosure.of(1) - enclosure.exp(-self.rate)
        return enclosure.log(half.times(Fraction(1, 2)))

    @cached_property
    def log_centre(self) -> Enclosure:
        """log(1 - e^(-u/2))."""
        return enclosure.log(self.mass(self.pieces[1], 0, 0))

    def log_mass(self, piece: Piece, point: int) -> Enclosure:
        """log p of one point."""
        if point == 0:
            return self.log_centre
        return self.log_half - self.rate.times(Fraction(2 * abs(point) - 1, 2))

    def mass(self, piece: Piece, first: End, last: End) -> Enclosure:
        """The probability of the points first..last of one of the three pieces."""
        if piece.slope == 0:
            return Enclosure.of(1) - self._tail(1).times(2)
        near, far = (first, last) if piece.slope > 0 else (-last, -first)
        return self._tail(near) - self._tail(far + 1)

    def _tail(self, first: End) -> Enclosure:
        """The probability of the points from ``first`` >= 1 on."""
        if first == inf:
            return ZERO
        return enclosure.exp(-self.rate.times(Fraction(2 * int(first) - 1, 2))).times(
            Fraction(1, 2)
        )


class GaussianShape:
    """Discrete Gaussian noise about 0, p(k) proportional to exp(-k^2 / (2 variance)).

    Its exponent is not linear, but the difference of two such exponents with *one* variance is, and
    only such pairs are compared.
    """

    def __init__(self, variance: Fraction) -> None:
        self.variance = variance
        self.tails: dict[int, Enclosure] = {}
        self.pieces = (Piece(-inf, -1, 0, 0, 1), Piece(0, inf, 0, 0, 1))

    @cached_property
    def log_centre(self) -> Enclosure:
        """log p(0)."""
        return enclosure.log(Enclosure(*discrete_gaussian_mass(self.variance, enclosure.BITS)))

    def log_mass(self, piece: Piece, point: int) -> Enclosure:
        """log p of one point."""
        return self.log_centre - Enclosure.of(point * point / (2 * self.variance))

    def mass(self, piece: Piece, first: End, last: End) -> Enclosure:
        """The probability of the points first..last."""
        if first == -inf:
            first, last = -last, inf
        tail = self._tail(int(first))
        return tail if last == inf else tail - self._tail(int(last) + 1)

    def _tail(self, first: int) -> Enclosure:
        if first not in self.tails:
            ends = discrete_gaussian_tail(self.variance, first, enclosure.BITS)
            self.tails[first] = Enclosure(*ends)
        return self.tails[first]


@dataclass(frozen=True, slots=True)
class Placed:
    """A shape at its place on the lattice; ``step`` is the spacing in the user's units."""

    origin: int
    shape: Shape | LaplaceShape | GaussianShape
    step: Fraction


class Masses:
    """Certified probabilities of finitely many outputs; ``rest`` bounds the mass of all others."""

    def __init__(self, table: dict[object, Enclosure], rest: Enclosure = ZERO) -> None:
        self.table, self.rest = table, rest

    def at(self, output: object) -> Enclosure:
        """The probability of an output, listed or not."""
        return self.table.get(output, Enclosure(0, self.rest.hi))

    @cached_property
    def logs(self) -> dict[object, Enclosure]:
        """Logarithms of the probabilities that are certainly above 0."""
        return {y: enclosure.log(p) for y, p in self.table.items() if p.lo > 0}


@dataclass(frozen=True, slots=True)
class Product:
    """Independent parts; what is released is one fixed function of the joint outcome."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Branches:
    """A public outcome first, by certified probabilities, then an answer with a law of its own.

    What is compared is the pair of both, which loses at least as much as the answer alone.
    """

    first: Masses
    then: tuple[tuple[object, Form], ...]


Form = Placed | Masses | Product | Branches


def shape_of_runs(runs: Sequence[Run]) -> tuple[int, tuple[Piece, ...]]:
    """Origin and relative pieces, ascending, of a law's exact log-linear runs."""
    if not runs:
        raise ValueError("a law needs at least one run of points")
    origin = min(run.first for run in runs)
    pieces = sorted((_piece(run, origin) for run in runs), key=lambda piece: piece.first)
    for before, after in pairwise(pieces):
        if before.last >= after.first:
            raise ValueError("the runs of a law overlap")
    return origin, tuple(pieces)


def _piece(run: Run, origin: int) -> Piece:
    start = run.first - origin
    end: End = inf if run.count is None else run.count - 1
    first, last = (start, start + end) if run.direction > 0 else (start - end, start)
    bottom = lcm(run.exponent.denominator, run.slope.denominator)
    slope = run.direction * run.slope.numerator * (bottom // run.slope.denominator)
    if first == last:
        slope = 0
    at_start = run.exponent.numerator * (bottom // run.exponent.denominator)
    top = at_start - slope * start
    common = gcd(top, slope, bottom)
    return Piece(first, last, top // common, slope // common, bottom // common)


def refine(
    a: Sequence[Piece], b: Sequence[Piece], shift: int
) -> Iterator[tuple[End, End, Piece | None, Piece | None]]:
    """The common refinement as (first, last, piece of a, piece of b) in a's coordinates.

    ``b`` lies ``shift`` points further up. None marks points outside a support.
    """
    cuts: set[End] = set()
    for piece in a:
        cuts.add(piece.first)
        cuts.add(piece.last + 1)
    for piece in b:
        cuts.add(piece.first + shift)
        cuts.add(piece.last + shift + 1)
    ordered = sorted(cuts)
    i = j = 0
    for first, after in pairwise(ordered):
        while i < len(a) and a[i].last < first:
            i += 1
        while j < len(b) and b[j].last + shift < first:
            j += 1
        left = a[i] if i < len(a) and a[i].first <= first else None
        right = b[j] if j < len(b) and b[j].first + shift <= first else None
        if left is not None or right is not None:
            yield first, after - 1, left, right
