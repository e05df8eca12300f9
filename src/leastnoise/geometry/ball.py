"""What every norm ball offers: an exact norm, an exact decision, an exact sampler, and analysis.

A norm ball K is a convex, bounded, absorbing set with K = -K; ``||v||_K`` is the least t >= 0 with
v in t K. Two halves that never mix:

* **exact**, for releases: ``bound``, ``contains``, ``decide`` work on integers and rationals, and
  ``uniform`` and ``noise`` draw real vectors that are refined on demand (``RealVector``);
* **analysis** in doubles: ``norms``, ``support``, ``volume``. They decide nothing about privacy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import product
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.numbers import as_fraction
from leastnoise.params import parse_list
from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict, rejected
from leastnoise.sampling.reals import RealVector, Scaled, gamma

_CORNERS = 10

Floats = NDArray[np.float64]
Exact = int | Fraction


def exact_vector(point: Iterable[object], dimension: int, name: str = "point") -> list[Fraction]:
    """Exact coordinates of a vector of this length.

    Raises
    ------
    ParameterError
        If the length differs or an entry is not a finite number.
    """
    try:
        found = [as_fraction(x) for x in point]
    except (TypeError, ValueError):  # not a list, or an entry that is not a number
        raise ParameterError(f"{name} must contain finite numbers") from None
    if len(found) != dimension:
        raise ParameterError(f"{name} must have {dimension} coordinates, got {len(found)}")
    return found


def exact_rows(rows: object, name: str) -> list[list[Any]]:
    """A list of lists, such as points or the rows of a matrix.

    Raises
    ------
    ParameterTypeError
        If it is none.
    """
    return [parse_list(row, name, "lists of numbers") for row in parse_list(rows, name, "lists")]


def as_ball(value: object, name: str = "ball") -> Ball:
    """The ball that a parameter must be.

    Raises
    ------
    ParameterTypeError
        If it is none.
    """
    if not isinstance(value, Ball):
        raise ParameterTypeError(
            f"{name} must be a ball of leastnoise.geometry, not {type(value).__name__}"
        )
    return value


class Ball(ABC):
    """A norm ball in ``dimension`` coordinates: what every ball of this room offers.

    Notes
    -----
    ``bound``, ``contains``, ``decide``, ``sensitivity``, ``uniform`` and ``noise`` are exact, for
    releases; ``norm``, ``norms``, ``support``, ``volume``, ``sample`` and ``sample_noise`` are in
    doubles, for analysis. A ball of your own is a ``Custom``, or a subclass that gives the
    abstract members, and ``orthant_monotone`` where it can be proved. Source: Awan and Slavkovic,
    section 2; ``docs/proofs/k-norm.md``.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The ball with its public parameters, as a record shows it."""

    @property
    def key(self) -> str | None:
        """A short text that no two different balls share; None where contents cannot be compared.

        It is of everything that decides the norm and the draws, exactly. Names are for readers and
        may repeat. A ball of the user's own, and one that is made from one, has no key.
        """
        if not type(self).__module__.startswith("leastnoise.geometry."):
            return None
        content = self.content()
        if content is None:
            return None
        whole = repr((type(self).__qualname__, content))
        return sha256(whole.encode()).hexdigest()[:32]

    def content(self) -> tuple[object, ...] | None:
        """All that tells this ball from others of its class, as exact plain values."""
        return None

    # exact

    @abstractmethod
    def bound(self, point: Sequence[Exact]) -> Fraction:
        """A certified upper bound of ``||point||_K``; the norm itself where it is rational."""

    @abstractmethod
    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """Whether all points with coordinates in [low/one, high/one] lie in K.

        True: all do. False: none does. None: undecided, ask again with narrower intervals.
        """

    @property
    @abstractmethod
    def half_widths(self) -> tuple[Fraction, ...]:
        """Half the sides of a box around 0 that contains K."""

    def contains(self, point: Iterable[object]) -> bool:
        """Whether ``||point||_K <= 1``, decided exactly; ``point`` holds d exact numbers."""
        exact = exact_vector(point, self.dimension)
        one = lcm(*(x.denominator for x in exact))
        whole = [int(x * one) for x in exact]
        verdict = self.decide(whole, whole, one)
        if verdict is None:
            return self.bound(exact) <= 1
        return verdict

    @property
    def orthant_monotone(self) -> bool:
        """Whether it is proved that no vector gets longer where a coordinate is set to 0.

        Exactly then no two vectors move apart where each coordinate is cut to an interval
        (``docs/proofs/k-norm.md``). Balls that are their own mirror image in every axis have this
        property. Default: False, not proved.
        """
        return False

    def sensitivity(self, points: Iterable[Iterable[object]]) -> Fraction:
        """The K-norm sensitivity of finitely many differences: their largest certified norm."""
        found = [self.bound(exact_vector(p, self.dimension)) for p in points]
        return max(found, default=Fraction(0))

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """A certified bound of the norm on the box of these half widths.

        Default: its corners up to 10 coordinates, else the triangle inequality over the axes.
        """
        size = self.dimension
        if size <= _CORNERS:
            signs = product((1, -1), repeat=size - 1)
            corners = ([w * s for w, s in zip(widths, (1, *sign), strict=True)] for sign in signs)
            return max(self.bound(corner) for corner in corners)
        axes = ([w if i == j else 0 for j in range(size)] for i, w in enumerate(widths))
        return sum((self.bound(axis) for axis in axes), Fraction(0))

    def uniform(self, source: BitSource) -> RealVector:
        """A uniform point of K, refined on demand. Default: exact rejection from the box."""
        return rejected(self.half_widths, self.decide, source)

    def check_sampler(self) -> None:
        """Refuse a ball whose exact sampler would take too long; public, before any data is read.

        Default: for rejection from the box, whether one of 20,000 points of a fixed stream lies in
        the ball.

        Raises
        ------
        ParameterError
            If not.
        """
        from leastnoise.geometry.measure import check_rejection

        check_rejection(self)

    def noise(self, rate: object, source: BitSource) -> RealVector:
        """One draw of the density proportional to exp(-rate ||v||_K), refined on demand.

        ``rate`` is epsilon / Delta_K, an exact number > 0. The draw is R U with R of the Gamma law
        of shape d + 1 and U uniform in K (Hardt and Talwar 2010, remark 4.2).
        """
        exact = as_fraction(rate)
        if exact <= 0:
            raise ParameterError("rate must be greater than 0")
        widest = max(self.half_widths)
        size = max(0, int(widest).bit_length())
        return Scaled(gamma(self.dimension + 1, exact, source), self.uniform(source), size)

    # analysis

    @abstractmethod
    def norms(self, points: ArrayLike) -> Floats:
        """The norms of the rows of ``points`` (shape (..., d)) in doubles."""

    def norm(self, point: Iterable[object]) -> float:
        """``||point||_K`` as a double."""
        entries = [float(as_fraction(x)) for x in point]
        return float(self.norms(np.asarray([entries]))[0])

    def support(self, direction: Sequence[Any]) -> float:
        """max <direction, v> over v in K, in doubles.

        Default: by convex optimisation over the norm, to about six digits.
        """
        from leastnoise.geometry.measure import support_by_search

        return support_by_search(self, np.asarray(direction, dtype=float))

    @property
    def volume(self) -> float:
        """The volume of K; a closed form where there is one, else a sampled estimate."""
        from leastnoise.geometry.measure import estimate_volume

        return estimate_volume(self).value

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: ``count`` uniform points of K in doubles, for studies. Shape (count, d)."""
        widths = np.array([float(w) for w in self.half_widths])
        kept: list[Floats] = []
        missing, tried = count, 0
        while missing > 0:
            points = (2 * rng.random((max(1000, 2 * missing), self.dimension)) - 1) * widths
            inside = points[self.norms(points) <= 1][:missing]
            tried += len(points)
            kept.append(inside)
            missing -= len(inside)
            if tried > 10**7 and missing == count:
                raise ParameterError(f"{self.name} fills too small a part of its box to be sampled")
        return np.concatenate(kept)

    def sample_noise(self, count: int, rate: float, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: ``count`` draws of the K-norm noise in doubles, for studies."""
        radius = rng.gamma(self.dimension + 1, 1 / rate, size=(count, 1))
        return radius * self.sample(count, rng)

    def scaled(self, factor: object) -> Ball:
        """The ball factor K."""
        from leastnoise.geometry.combined import Linear

        number = as_fraction(factor)
        axes = range(self.dimension)
        return Linear([[number if i == j else 0 for j in axes] for i in axes], self)
