"""The laws of a private choice among declared candidates, by their scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law, Run
from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import BitSource
from leastnoise.sampling.finite import (
    FiniteWeights,
    draw_permute_and_flip,
    draw_proportional,
    finite_weights,
)

# Nodes of one piece of a quadrature, and pieces that shrink by half towards success.
_NODES, _PIECES = 24, 40


class SelectionLaw(Law):
    """NOT PRIVATE. Candidate i with probability proportional to exp(-rate cost_i).

    Points of the lattice are the places 0, 1, 2, ... of the candidates; ``pmf`` takes the
    candidates themselves where there are any.
    """

    def __init__(
        self, costs: Any, rate: Fraction, candidates: Sequence[Hashable] | None = None
    ) -> None:
        super().__init__(Fraction(1))
        self.rate = rate
        self.candidates = candidates
        self._costs = costs

    @cached_property
    def weights(self) -> FiniteWeights:
        """The sorted costs, cut for the exact sampler."""
        return finite_weights(self._costs, self.rate)

    def draw(self, source: BitSource) -> int:
        return draw_proportional(self.weights, source)

    @cached_property
    def _exponents(self) -> NDArray[Any]:
        """Exponents of the candidates in floats, in their own order."""
        found = np.empty(len(self.weights.order))
        rate = float(self.rate)
        found[np.asarray(self.weights.order)] = [float(c) * rate for c in self.weights.costs]
        return found

    @cached_property
    def _masses(self) -> NDArray[Any]:
        weights = np.exp(-self._exponents)
        return weights / weights.sum()

    @cached_property
    def _cumulative(self) -> NDArray[Any]:
        return np.minimum(1.0, np.cumsum(self._masses))

    def point(self, y: Any) -> int | None:
        if self.candidates is None:
            return super().point(y)
        return self._places.get(y)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {c: i for i, c in enumerate(self.candidates or ())}

    def pmf(self, y: Any) -> float:
        """The probability of a candidate; 0 for anything else."""
        point = self.point(y)
        return 0.0 if point is None else self.point_mass(point)

    def value_of(self, point: int) -> Any:
        """The candidate at a place."""
        return point if self.candidates is None else self.candidates[point]

    def point_mass(self, point: int) -> float:
        return float(self._masses[point]) if 0 <= point < len(self._masses) else 0.0

    def point_cdf(self, point: int) -> float:
        if point < 0:
            return 0.0
        return 1.0 if point >= len(self._masses) - 1 else float(self._cumulative[point])

    def point_quantile(self, probability: float) -> int:
        found = int(np.searchsorted(self._cumulative, probability))
        return min(found, len(self._masses) - 1)

    def mean_distance(self, centre: Fraction) -> float:
        """The mean of |place - centre|."""
        places = np.arange(len(self._masses))
        return float(np.dot(self._masses, np.abs(places - float(centre))))

    @property
    def mean_regret(self) -> float:
        """How far the chosen cost lies above the least one on average, in steps of the costs."""
        return float(np.dot(self._masses, self._exponents)) / float(self.rate)

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        return rng.choice(len(self._masses), size=size, p=self._masses / self._masses.sum())

    def runs(self) -> tuple[Run, ...] | None:
        order, costs = self.weights.order, self.weights.costs
        by_place = sorted((int(place), int(cost)) for place, cost in zip(order, costs, strict=True))
        return tuple(Run(place, 1, 1, self.rate * cost, Fraction(0)) for place, cost in by_place)


class PermuteAndFlipLaw(SelectionLaw):
    """NOT PRIVATE. The first success of coins of probability exp(-rate cost_i) in random order.

    P(i) = p_i E[1/(1 + N)], N the number of other successes: the answer is uniform among the
    successes.
    """

    def draw(self, source: BitSource) -> int:
        return draw_permute_and_flip(self.weights, source)

    @cached_property
    def _masses(self) -> NDArray[Any]:
        """p_i times the integral over t in [0, 1] of the product of 1 - p_j t over the others."""
        coins = np.exp(-self._exponents)
        unique, inverse, counts = np.unique(coins, return_inverse=True, return_counts=True)
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        total = np.zeros(len(unique))
        ends = [0.0, *(2.0**-k for k in range(_PIECES, -1, -1))]
        for low, high in pairwise(ends):
            t = (low + high) / 2 + (high - low) / 2 * nodes
            with np.errstate(divide="ignore"):
                logs = np.log1p(-np.outer(t, unique))
            product = np.exp(logs @ counts)
            total += (high - low) / 2 * (weights * product) @ np.exp(-logs)
        masses = (unique * total)[inverse]
        return masses / masses.sum()

    def runs(self) -> tuple[Run, ...] | None:
        return None

    def enclosures(self, bits: int = 256) -> dict[int, tuple[Fraction, Fraction]]:
        """Certified bounds on the probability of every candidate (few candidates only)."""
        order, costs = self.weights.order, self.weights.costs
        num, den = self.rate.numerator, self.rate.denominator
        coins = [exp_enclosure(num * int(cost), den, bits) for cost in costs]
        found: dict[int, tuple[Fraction, Fraction]] = {}
        for i, place in enumerate(order):
            others = coins[:i] + coins[i + 1 :]
            found[int(place)] = _alone_or_shared(coins[i], others, bits)
        return found


def _alone_or_shared(
    coin: tuple[int, int], others: list[tuple[int, int]], bits: int
) -> tuple[Fraction, Fraction]:
    """p E[1/(1 + N)] from the law of N, the number of successes among the others."""
    one = 1 << bits
    low, high = [one], [one]  # 2^bits P(N = k), k = 0, 1, ...
    for least, most in others:
        low = [
            (a * (one - most) + b * least) >> bits
            for a, b in zip([*low, 0], [0, *low], strict=True)
        ]
        high = [
            -(-(a * (one - least) + b * most) >> bits)
            for a, b in zip([*high, 0], [0, *high], strict=True)
        ]
    under = sum((Fraction(mass, k + 1) for k, mass in enumerate(low)), Fraction(0))
    over = sum((Fraction(mass, k + 1) for k, mass in enumerate(high)), Fraction(0))
    return under * coin[0] / one**2, min(Fraction(1), over * coin[1] / one**2)
