"""The law of the asymmetric sensitivity mechanism: the first candidate to pass a noisy threshold.

Candidates c_0 < c_1 < ... are public lattice points. With len(t) the number of records
that must change before the profile's bounds reach t, candidate t has the integer height

    g(t) = len(t) for t < value,        g(t) = 1 - len(t) for t >= value (len >= 1),

the ceiling of minus the reflective inverse sensitivity sgn(t - value) (len(t) - 1/2); a
tie t = value scores +1/2. Index i fires as in ``sampling/above_threshold.py``; the answer
is c_i.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.laws.base import Law
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.randomness import BitSource
from leastnoise.sampling.above_threshold import HeightLaw, draw_index

_CELLS = 1 << 22  # entries of one analysis table
_GROUPS = 1 << 12  # values of the threshold noise in an analysis, or groups of values


@dataclass(frozen=True, slots=True, repr=False)
class Stream:
    """NOT PRIVATE. Sorted public candidates seen from a profile.

    ``upper(l)`` and ``lower(l)`` bound the value after l changes, on the candidates' lattice; both
    are read up to ``depth`` and are the range ends beyond it.
    """

    candidates: Sequence[int]
    centre: int
    upper: Callable[[int], int]
    lower: Callable[[int], int]
    depth: int

    def first_below(self, height: int) -> int:
        """The number of candidates with height >= ``height``; they come first."""
        if height >= 1:
            level = height - 1
            return 0 if level > self.depth else bisect_left(self.candidates, self.lower(level))
        level = 1 - height
        if level > self.depth:
            return len(self.candidates)
        return bisect_right(self.candidates, self.upper(level))

    def height(self, index: int) -> int:
        """The height of one candidate, by binary search over the levels."""
        t = self.candidates[index]
        above = t >= self.centre
        low, high = 1, self.depth + 1
        while low < high:
            level = (low + high) // 2
            if self.upper(level) >= t if above else self.lower(level) <= t:
                high = level
            else:
                low = level + 1
        return 1 - low if above else low

    def answer(self, index: int | None) -> int:
        """The lattice point released for the index that fired."""
        return self.candidates[-1 if index is None else index]


class AboveThresholdLaw(Law):
    """NOT PRIVATE. The law of the answer; ``sign`` -1 mirrors a stream that runs downwards."""

    def __init__(
        self, stream: Stream, e1: Fraction, e2: Fraction, step: Fraction, sign: int = 1
    ) -> None:
        super().__init__(step)
        self.stream, self.e1, self.e2, self.sign = stream, e1, e2, sign

    def height_law(self) -> HeightLaw:
        """The stream as the sampler reads it."""
        s = self.stream
        return HeightLaw(len(s.candidates), s.first_below, s.height, self.e1, self.e2)

    def draw(self, source: BitSource) -> int:
        return self.sign * self.stream.answer(draw_index(self.height_law(), source))

    def heights(self) -> list[tuple[int, int]]:
        """(height, number of candidates) in the order of the stream."""
        s = self.stream
        found: list[tuple[int, int]] = []
        index, total = 0, len(s.candidates)
        while index < total:
            height = s.height(index)
            # the end of the run: candidates with at least this height
            end = s.first_below(height)
            found.append((height, end - index))
            index = end
        return found

    def answers(self) -> list[int]:
        """The lattice point released for every index in order, and for no index last."""
        indices = (*range(len(self.stream.candidates)), None)
        return [self.sign * self.stream.answer(i) for i in indices]

    def _reached(self, z: NDArray[Any]) -> NDArray[Any]:
        """The probability that the walk begins, for every threshold noise."""
        return np.ones(len(z))

    @cached_property
    def _masses(self) -> NDArray[Any]:
        """Probability of every index in order, and of no index last, where the walk begins."""
        runs = self.heights()
        heights = np.repeat([float(h) for h, _ in runs], [n for _, n in runs])
        e1, e2 = float(self.e1), float(self.e2)
        reach = int(42 / e1) + 2
        # the noise of a small epsilon is taken in groups, over which no exponent moves by 1/90
        group = max(1, int(reach / (_GROUPS * max(1.0, e2 / e1))))
        block = group * max(1, _CELLS // len(heights))
        masses = np.zeros(len(heights) + 1)
        for start in range(0, reach, block):
            first = np.arange(start, min(reach, start + block), group, dtype=np.float64)
            z = first + (group - 1) / 2
            weight = -np.expm1(-e1 * group) * np.exp(-e1 * first) * self._reached(z)
            fire = np.exp(-e2 * np.maximum(0.0, z[:, None] + heights[None, :]))
            with np.errstate(divide="ignore"):
                log_quiet = np.cumsum(np.log1p(-fire), axis=1)
            quiet = np.exp(log_quiet)
            before = np.concatenate([np.ones((len(z), 1)), quiet[:, :-1]], axis=1)
            masses[:-1] += weight @ (before * fire)
            masses[-1] += weight @ quiet[:, -1]
        total = masses.sum()
        return masses / total if total else masses  # a walk that never begins has no law

    def enclosures(self, bits: int = 128) -> dict[int, tuple[Fraction, Fraction]]:
        """Certified bounds on the probability of every answer (small streams only).

        ``bits`` beyond those of the smallest probability that a height can cost.
        """
        runs = [height for height, count in self.heights() for _ in range(count)]
        far = max(map(abs, runs)) + 2
        bits += ceil(far * (self.e1 + self.e2) * Fraction(3, 2))
        masses = enclose_indices(runs, self.e1, self.e2, bits)
        found: dict[int, tuple[Fraction, Fraction]] = {}
        for y, (low, high) in zip(self.answers(), masses, strict=True):
            least, most = found.get(y, (Fraction(0), Fraction(0)))
            found[y] = least + low, most + high
        return found

    @cached_property
    def _answers(self) -> list[int]:
        s = self.stream
        return [s.answer(i) for i in range(len(s.candidates))] + [s.answer(None)]

    @cached_property
    def _cumulative(self) -> NDArray[Any]:
        return np.cumsum(self._masses)

    def point_mass(self, point: int) -> float:
        start = bisect_left(self._answers, self.sign * point)
        stop = bisect_right(self._answers, self.sign * point)
        return float(self._masses[start:stop].sum())

    def point_cdf(self, point: int) -> float:
        if self.sign > 0:
            count = bisect_right(self._answers, point)
            return float(self._cumulative[count - 1]) if count else 0.0
        count = bisect_left(self._answers, -point)
        return 1 - (float(self._cumulative[count - 1]) if count else 0.0)

    def point_quantile(self, probability: float) -> int:
        if self.sign > 0:
            index = int(np.searchsorted(self._cumulative, probability).item())
            return self._answers[min(index, len(self._answers) - 1)]
        index = int(np.searchsorted(self._cumulative, 1 - probability, side="right"))
        return -self._answers[min(index, len(self._answers) - 1)]

    def mean_distance(self, centre: Fraction) -> float:
        distances = [abs(float(self.sign * y - centre)) for y in self._answers]
        return float(np.dot(self._masses, distances))

    def sample_points(self, size: int, rng: np.random.Generator) -> NDArray[Any]:
        where = rng.random(size) * float(self._cumulative[-1])
        index: NDArray[Any] = np.searchsorted(self._cumulative, where, side="right")
        answers = np.array([float(y) for y in self._answers])
        return self.sign * answers[np.minimum(index, len(answers) - 1)]
