"""The verdict on an output law: its analysis against certified sums, its draws against both."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.laws import Law, LevelsLaw, RoundedLaplaceLaw, Run, ShiftedLevelsLaw
from leastnoise.params import parse_count, parse_number
from leastnoise.testing import goodness
from leastnoise.testing.law_levels import check_levels
from leastnoise.testing.scripted import check_rounded_laplace
from leastnoise.testing.sums import Enclosure, RunSums, end_of, start_of
from leastnoise.testing.violations import PrivacyViolation, Subject

# Supports up to this size are summed point by point.
_SMALL = 20_000
_LEVELS = (1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99, 0.999)
# Floats cannot tell wide laws' points apart so close to 1.
_EXTREME = (1 - 1e-6, 1 - 1e-9)
_WIDE = 2**30
_MOST_RUNS = 60
_MANY_RUNS = 500


@dataclass(frozen=True, slots=True)
class LawReport:
    """What was checked, and that nothing was found."""

    law: str
    points: int
    draws: int

    def __str__(self) -> str:
        return f"{self.law}: {self.points} points and {self.draws} exact draws; nothing broken"


def check_law(law: Law, *, draws: int = 2000, tolerance: float = 1e-9) -> LawReport:
    """Try to refute everything that an output law says about itself.

    Where the law has exact form (``runs`` or ``enclosures``), the float ``pmf`` and ``cdf`` are
    measured against certified enclosures, else against each other: masses sum to 1, ``cdf`` does
    not fall and its steps are the masses, ``quantile`` is its inverse, the mass off the lattice is
    0, ``mean_absolute_error`` is the direct sum. Exact draws from a fixed stream follow the law,
    down to their lowest bits. The draws of laws by levels and of rounded Laplace noise are checked
    by structure too: every step of the exactness proof.

    Parameters
    ----------
    law : Law
        From ``mechanism.law(profile, epsilon)``.
    draws : int
        Exact draws for the chi-square; 0 for none.
    tolerance : float
        Largest error of the floating-point analysis: relative for a mass, absolute for a
        cumulative probability.

    Returns
    -------
    LawReport
        How much was checked.

    Raises
    ------
    ParameterError, ParameterTypeError
        For anything but a law, and for draws or a tolerance below 0.
    PrivacyViolation
        Naming the claim that failed and the numbers. Not every failure costs privacy: a wrong
        ``quantile`` does not. A failure of draws or structure does.
    """
    if not isinstance(law, Law):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
        raise ParameterTypeError(f"law must be a Law, not {type(law).__name__}")
    draws = parse_count(draws, "draws", least=0)
    tolerance = float(parse_number(tolerance, "tolerance"))
    if tolerance < 0:
        raise ParameterError(f"tolerance must be at least 0, got {tolerance!r}")
    check = _Check(Subject(type(law).__name__), law, tolerance)
    check.masses()
    check.cumulative()
    check.quantiles()
    check.off_lattice()
    check.mean_error()
    if isinstance(law, (LevelsLaw, ShiftedLevelsLaw)):
        check_levels(check.subject, law, law.blocks)
    if isinstance(law, RoundedLaplaceLaw):
        check_rounded_laplace(check.subject, law)
    if draws:
        check.draws(draws)
    for part in law.joint() or ():
        check_law(part, draws=draws, tolerance=tolerance)
    return LawReport(type(law).__name__, len(check.probes), draws)


class _Check:
    """One law with its exact form, its range of interest and the points that are looked at."""

    def __init__(self, subject: Subject, law: Law, tolerance: float) -> None:
        self.subject, self.law, self.tolerance = subject, law, tolerance
        self.runs: tuple[Run, ...] | None = law.runs()
        self.sums = RunSums(self.runs) if self.runs is not None else None
        self.table = law.enclosures()

    @cached_property
    def window(self) -> tuple[int, int]:
        """First and last point of the support, or where all but about 2e-13 of it lies."""
        first = self.sums.first if self.sums else None
        last = self.sums.last if self.sums else None
        if self.table is not None:
            first, last = min(self.table), max(self.table)
        return (
            self._reach(-1, lambda y: self.law.point_cdf(y) < 1e-13) if first is None else first,
            self._reach(1, lambda y: self.law.point_cdf(y) > 1 - 1e-13) if last is None else last,
        )

    def _reach(self, direction: int, beyond: Callable[[int], bool]) -> int:
        """The first point from the median outwards that lies beyond, up to a factor of 2."""
        middle, distance = self.law.point_quantile(0.5), 1
        while not beyond(middle + direction * distance):
            distance *= 2
        return middle + direction * distance

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """Probabilities at which quantiles are asked for."""
        wide = self.window[1] - self.window[0] > _WIDE
        return _LEVELS if wide else (*_LEVELS, *_EXTREME)

    @property
    def small(self) -> bool:
        """Whether the law is summed point by point."""
        size = self.window[1] - self.window[0] if self.table is None else len(self.table)
        return size < _SMALL

    @cached_property
    def probes(self) -> list[int]:
        """Points at which masses and cumulative probabilities are compared, ascending."""
        first, last = self.window
        found = {first - 1, first, first + 1, last - 1, last, last + 1}
        found |= {self.law.point_quantile(u) for u in self.levels}
        runs = self.runs or ()
        for run in runs[:: max(1, len(runs) // _MOST_RUNS)]:
            for end in (start_of(run), end_of(run)):
                if end is not None:
                    found |= {end - 1, end, end + 1}
        if self.table is not None:
            keys = sorted(self.table)
            found |= set(keys[:: max(1, len(keys) // 200)])
        if last - first < 200:
            found |= set(range(first, last + 1))
        return sorted(found)

    def fail(self, law: str, detail: str, **facts: object) -> PrivacyViolation:
        return self.subject.violation(law, detail, **facts)

    def enclosed(self, point: int) -> Enclosure | None:
        """The certified probability of a point, where the law has an exact form."""
        if self.sums is not None:
            return self.sums.mass(point)
        if self.table is not None:
            low, high = self.table.get(point, (Fraction(0), Fraction(0)))
            return Enclosure(Fraction(low), Fraction(high))
        return None

    def masses(self) -> None:
        """The pmf against its enclosure; its sum against 1."""
        for point in self.probes:
            mass = self.law.point_mass(point)
            if not 0 <= mass <= 1 + self.tolerance:
                raise self.fail("masses are probabilities", f"pmf = {mass!r}", point=point)
            exact = self.enclosed(point)
            if exact is not None and not exact.agrees(
                mass, relative=self.tolerance, absolute=1e-15
            ):
                raise self.fail(
                    "pmf lies in its certified enclosure", f"{mass!r} not in {exact}", point=point
                )
        if self.table is not None:
            low = sum(Fraction(ends[0]) for ends in self.table.values())
            high = sum(Fraction(ends[1]) for ends in self.table.values())
            if not low <= 1 <= high + Fraction(self.tolerance):
                raise self.fail(
                    "the certified sum of the pmf contains 1", f"[{float(low)}, {float(high)}]"
                )
        if self.small:
            total = sum(self.law.point_mass(point) for point in self._points())
            if abs(total - 1) > self.tolerance + 1e-12:
                raise self.fail("masses sum to 1", f"the sum is {total!r}")

    def cumulative(self) -> None:
        """The cdf: between 0 and 1, not falling, its steps the masses, its values enclosed."""
        values = [self.law.point_cdf(point) for point in self.probes]
        for (point, value), (after, more) in pairwise(zip(self.probes, values, strict=True)):
            if not 0 <= value <= more + 1e-15 <= 1 + 2e-15:
                raise self.fail(
                    "cdf does not fall", f"cdf {value!r} at {point}, {more!r} at {after}"
                )
            if after == point + 1 and abs(more - value - self.law.point_mass(after)) > max(
                self.tolerance, 1e-12
            ):
                raise self.fail(
                    "the steps of the cdf are the masses",
                    f"step {more - value!r}, pmf {self.law.point_mass(after)!r}",
                    point=after,
                )
        if self.sums is None:
            return
        for point, value in zip(self.probes, values, strict=True):
            exact = self.sums.up_to(point)
            if not exact.agrees(value, relative=0, absolute=self.tolerance):
                raise self.fail(
                    "cdf lies in its certified enclosure", f"{value!r} not in {exact}", point=point
                )

    def quantiles(self) -> None:
        """The smallest point whose cumulative probability reaches u."""
        values = [self.law.point_cdf(point) for point in self.probes]
        for u in (*self.levels, *(v for v in values if 1e-9 < v < self.levels[-1])):
            point = self.law.point_quantile(u)
            reached, before = self.law.point_cdf(point), self.law.point_cdf(point - 1)
            # one rounding of the cdf either way
            if reached < u * (1 - 1e-13) or before > u * (1 + 1e-13) + 1e-15:
                raise self.fail(
                    "quantile is the inverse of cdf",
                    f"quantile({u!r}) = {point}, where the cdf goes from {before!r} to {reached!r}",
                )

    def off_lattice(self) -> None:
        """In the user's units: no mass between lattice points, and exact values are found."""
        step = self.law.step
        for point in self.probes[:: max(1, len(self.probes) // 40)]:
            exact = point * step
            if self.law.pmf(exact) != self.law.point_mass(point):
                raise self.fail("pmf is the mass of the point", "in the user's units", point=point)
            for part in (Fraction(1, 2), Fraction(1, 3)):
                if self.law.pmf(exact + part * step) != 0:
                    raise self.fail("pmf is 0 off the lattice", f"{part} step on", point=point)
                if self.law.cdf(exact + part * step) != self.law.point_cdf(point):
                    raise self.fail("cdf is flat off the lattice", f"{part} step on", point=point)

    def mean_error(self) -> None:
        """mean_absolute_error against the direct sum, about several centres."""
        middle, step = self.law.point_quantile(0.5), self.law.step
        first, last = self.window
        centres = [
            Fraction(middle),
            Fraction(first + 3 * middle, 4),
            Fraction(3 * middle + last, 4),
        ]
        joint = self.law.joint() is not None
        if not joint:  # those are asked about their public range only
            centres += [Fraction(first) - Fraction(1, 3), Fraction(last + 2)]
        if self.runs is not None and len(self.runs) > _MANY_RUNS:
            centres = centres[:1]
        relative = max(100 * self.tolerance, 1e-7)
        # post-processed pairs of draws are analysed before the last rounding
        rounding = 0.5 if joint else 0.0
        for centre in centres:
            expected = self._mean_distance(centre)
            if expected is None:
                return
            found = self.law.mean_absolute_error(centre=centre * step) / float(step)
            if abs(found - expected) > relative * max(expected, 1e-3) + rounding:
                raise self.fail(
                    "mean_absolute_error is the direct sum",
                    f"{found!r}, but the sum gives {expected!r} (in lattice steps)",
                    centre=centre,
                )

    def _mean_distance(self, centre: Fraction) -> float | None:
        if self.sums is not None:
            return float(self.sums.mean_distance(centre))
        if not self.small:
            return None
        mass = self.law.point_mass
        return sum(float(abs(point - centre)) * mass(point) for point in self._points())

    def _points(self) -> Sequence[int]:
        """The points of the table, or all of the window."""
        first, last = self.window
        return range(first, last + 1) if self.table is None else sorted(self.table)

    def draws(self, draws: int) -> None:
        """Exact draws and simulated ones against the cdf, exact ones in their lowest bits too."""
        source = goodness.stream(type(self.law).__name__)
        points = [self.law.draw(source) for _ in range(draws)]
        edges = sorted({self.law.point_quantile(i / 24) for i in range(1, 24)})
        heights = [0.0, *(self.law.point_cdf(edge) for edge in edges), 1.0]
        cells: dict[Hashable, float] = {i: b - a for i, (a, b) in enumerate(pairwise(heights))}
        self._compare("draw follows the law", points, edges, cells)
        if _floats_tell_apart(edges):
            simulated = self.law.sample_points(draws, np.random.default_rng(20_240_607)).tolist()
            self._compare("sample follows the law", simulated, edges, cells)
        expected = self._residues()
        if expected is not None:
            chance = goodness.p_value(goodness.residues(points), expected)
            if chance < goodness.LEAST:
                raise self.fail(
                    "the lowest bits of draws follow the law",
                    f"chi-square of the points modulo {goodness.RESIDUES} has p = {chance:.1e}",
                )

    def _compare(
        self, law: str, points: Iterable[Any], edges: list[int], cells: Mapping[Hashable, float]
    ) -> None:
        counts = Counter[Hashable](bisect_left(edges, point) for point in points)
        chance = goodness.p_value(counts, cells)
        if chance < goodness.LEAST:
            raise self.fail(
                law,
                f"chi-square over {len(cells)} cells has p = {chance:.1e}",
                draws=sum(counts.values()),
            )

    def _residues(self) -> dict[Hashable, float] | None:
        """The law of the four lowest bits, where it can be summed."""
        first, last = self.window
        if self.table is None and last - first < _SMALL:
            found: dict[Hashable, float] = dict.fromkeys(range(goodness.RESIDUES), 0.0)
            for point in range(first, last + 1):
                found[point % goodness.RESIDUES] += self.law.point_mass(point)
            return found
        # where no point is likely and masses vary slowly, the lowest bits are almost uniform
        widest = max(self.law.point_mass(point) for point in self.probes)
        if self.table is None and widest * goodness.RESIDUES < 1e-4:
            return dict.fromkeys(range(goodness.RESIDUES), 1 / goodness.RESIDUES)
        return None


def _floats_tell_apart(edges: list[int]) -> bool:
    """Whether the cells are wide beside the spacing of doubles, in which ``sample`` answers."""
    spacing = 2.0 ** (max(map(abs, edges)).bit_length() - 53)
    return spacing < 1 or all(b - a > 64 * spacing for a, b in pairwise(edges))
