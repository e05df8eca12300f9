"""A choice between two laws by a private question that comes before a walk over candidates.

A threshold noise Z = Geo(exp(-e1)) is drawn once. The gate fires with probability
exp(-rate max(0, Z + height)); then ``tight`` is drawn afresh. Otherwise the walk of
``above_threshold.py`` goes on with the same Z.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.above_threshold import AboveThresholdLaw
from leastnoise.laws.base import Law, first_reaching
from leastnoise.laws.first_firing import Certain, enclose_indices
from leastnoise.randomness import BitSource, bernoulli_exp
from leastnoise.sampling.above_threshold import first_firing
from leastnoise.sampling.discrete import geometric


@dataclass(frozen=True, slots=True, repr=False)
class Gate:
    """NOT PRIVATE. The gate's height, which one record moves by at most 1, and its noise rate."""

    height: int
    rate: Fraction


class _Walk(AboveThresholdLaw):
    """NOT PRIVATE. The walk, given that the gate has not fired."""

    gate: Gate

    def _reached(self, z: NDArray[Any]) -> NDArray[Any]:
        return -np.expm1(-float(self.gate.rate) * np.maximum(0.0, z + self.gate.height))


class GatedLaw(Law):
    """NOT PRIVATE. ``tight`` where the gate fires, else the walk."""

    def __init__(self, gate: Gate, tight: Law, walk: AboveThresholdLaw) -> None:
        super().__init__(walk.step)
        self.gate, self.tight = gate, tight
        self.walk = _Walk(walk.stream, walk.e1, walk.e2, walk.step, walk.sign)
        self.walk.gate = gate

    def draw(self, source: BitSource) -> int:
        point = self.walked(source)
        return self.tight.draw(source) if point is None else point

    def walked(self, source: BitSource) -> int | None:
        """One exact draw of what the walk answers; None where the gate fires."""
        fired, index = self.outcome(source)
        return None if fired else self.walk.sign * self.walk.stream.answer(index)

    def outcome(self, source: BitSource) -> tuple[bool, int | None]:
        """Whether the gate fires, else which candidate of the walk does, if one does."""
        walk, rate = self.walk, self.gate.rate
        threshold = geometric(walk.e1.numerator, walk.e1.denominator, source)
        exponent = max(0, threshold + self.gate.height) * rate
        if bernoulli_exp(exponent.numerator, exponent.denominator, source):
            return True, None
        return False, first_firing(walk.height_law(), threshold, source)

    @cached_property
    def fires(self) -> float:
        """The probability that the gate fires."""
        e1, rate = float(self.walk.e1), float(self.gate.rate)
        wait = max(0, -self.gate.height)  # threshold noises at which it fires for certain
        rest = np.exp(-e1 * wait)
        first = np.exp(-rate * max(0, self.gate.height))
        return float(1 - rest + rest * first * np.expm1(-e1) / np.expm1(-e1 - rate))

    @property
    def after(self) -> tuple[object, ...]:
        """The public numbers of both laws."""
        own = self.gate.rate, self.walk.e1, self.walk.e2
        return (*own, *self.tight.after)

    def branches(
        self, fired: Callable[..., Sequence[Certain]] = enclose_indices
    ) -> Iterator[tuple[object, Certain, Law | None]]:
        """The gate with the law behind it, and every answer of the walk: small streams only.

        ``fired`` encloses probabilities as ``enclose_indices`` does.
        """
        heights = tuple(height for height, count in self.walk.heights() for _ in range(count))
        gate = self.gate.height, self.gate.rate
        first, *masses = fired(heights, self.walk.e1, self.walk.e2, gate=gate)
        yield "gate", first, self.tight
        found: dict[int, Certain] = {}
        for y, (low, high) in zip(self.walk.answers(), masses, strict=True):
            least, most = found.get(y, (Fraction(0), Fraction(0)))
            found[y] = least + low, most + high
        for y, ends in found.items():
            yield y, ends, None

    def _mixed(self, tight: float, walk: float) -> float:
        return self.fires * tight + (1 - self.fires) * walk

    def point_mass(self, point: int) -> float:
        return self._mixed(self.tight.point_mass(point), self.walk.point_mass(point))

    def point_cdf(self, point: int) -> float:
        return self._mixed(self.tight.point_cdf(point), self.walk.point_cdf(point))

    def point_quantile(self, probability: float) -> int:
        ends = [law.point_quantile(probability) for law in (self.tight, self.walk)]
        return first_reaching(self.point_cdf, probability, min(ends), max(ends))

    def mean_distance(self, centre: Fraction) -> float:
        return self._mixed(self.tight.mean_distance(centre), self.walk.mean_distance(centre))

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        fired = rng.random(size) < self.fires
        found = self.walk.sample_points(size, rng)
        found[fired] = self.tight.sample_points(int(fired.sum()), rng)
        return found
