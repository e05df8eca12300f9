"""Profiles of arbitrary functions: every law, on every pair of neighbours of small random graphs.

The laws say nothing of records: data sets are points, neighbours are joined, and the distance of
two is the number of changes. So a function is a list of numbers, the best bounds of it are found by
looking at all points, and what is built from numbers that are exactly right, no more, has no room
in which a bound one level short, a part left out or a constant too small could hide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from leastnoise.profiles import (
    GridProfile,
    Profile,
    clip,
    exact,
    from_equation,
    from_lipschitz,
    from_local_sensitivity,
    from_radius,
    from_steady_sensitivity,
    maximum,
    minimum,
    monotone_map,
    on_grid,
    quotient,
    scale,
    tightest,
    total,
)
from leastnoise.profiles.maps import square_root, strided

F = Fraction
POINTS, LEVELS, LARGEST = 6, 4, 12
Build = Callable[["Graph", int, list[list[int]]], Profile]


@dataclass(frozen=True)
class Graph:
    """Points, of which some are neighbours: connected."""

    edges: frozenset[tuple[int, int]]

    @cached_property
    def away(self) -> list[list[int]]:
        """The distance of every two points."""
        found = [[0 if i == j else POINTS for j in range(POINTS)] for i in range(POINTS)]
        for i, j in self.edges:
            found[i][j] = found[j][i] = 1
        for k in range(POINTS):
            for i in range(POINTS):
                for j in range(POINTS):
                    found[i][j] = min(found[i][j], found[i][k] + found[k][j])
        return found

    def pairs(self, most: int = 1) -> Iterator[tuple[int, int]]:
        """Every ordered pair of points that are so near."""
        for i, j in combinations(range(POINTS), 2):
            if self.away[i][j] <= most:
                yield i, j
                yield j, i

    def within(self, x: int, level: int) -> list[int]:
        return [y for y in range(POINTS) if self.away[x][y] <= level]

    def steps(self, f: list[int]) -> list[int]:
        """The most that f changes by one step from each point."""
        return [max(abs(f[x] - f[y]) for y in self.within(x, 1)) for x in range(POINTS)]

    def local(self, f: list[int], x: int, level: int) -> int:
        """The most that f changes by one step from a point within some distance of x."""
        steps = self.steps(f)
        return max(steps[y] for y in self.within(x, level))

    def whole(self, f: list[int]) -> int:
        """The most that f changes by one step anywhere."""
        return max(self.steps(f))

    def exactly(self, f: list[int], x: int, **options: Any) -> Profile:
        """The best bounds of f at x."""
        near = [[f[y] for y in self.within(x, level)] for level in range(POINTS)]
        upper, lower = [*map(max, near)], [*map(min, near)]
        local = [self.local(f, x, level) for level in range(POINTS)]
        known: dict[str, Any] = {
            "local_sensitivity": lambda level: local[min(level, POINTS - 1)],
            "sensitivity": self.whole(f),
            "integral": True,
        }
        return Profile(
            value=f[x],
            upper=lambda level: upper[min(level, POINTS - 1)],
            lower=lambda level: lower[min(level, POINTS - 1)],
            support=(min(f), max(f)),
            **(known | options),
        )


def random_graph(rng: np.random.Generator) -> Graph:
    """A random tree, mostly a long one, and a few edges more."""
    edges = {(max(0, i - 1 - int(rng.integers(0, 2))), i) for i in range(1, POINTS)}
    for _ in range(int(rng.integers(0, 3))):
        i, j = sorted(rng.choice(POINTS, 2, replace=False).tolist())
        edges.add((i, j))
    return Graph(frozenset(edges))


def plain(graph: Graph, f: list[int], x: int) -> Profile:
    """Bounds alone: what they change by is left to whoever reads them."""
    return graph.exactly(f, x, local_sensitivity=None, sensitivity=None)


def ends(f: list[int]) -> tuple[int, int]:
    return min(f), max(f)


def radius(graph: Graph, x: int, functions: list[list[int]]) -> Profile:
    f, *_ = functions
    sizes = {"support": ends(f), "sensitivity": graph.whole(f)}
    return from_radius(f[x], lambda level: graph.local(f, x, level - 1), **sizes)


def local(distance: int | None) -> Build:
    def build(graph: Graph, x: int, functions: list[list[int]]) -> Profile:
        f, *_ = functions
        sizes: dict[str, Any] = {"support": ends(f), "sensitivity": graph.whole(f)}
        change = lambda level: graph.local(f, x, level)
        return from_local_sensitivity(f[x], change, distance=distance, **sizes)

    return build


def steady(graph: Graph, x: int, functions: list[list[int]]) -> Profile:
    f, *_ = functions
    here = [graph.local(f, y, 0) for y in range(POINTS)]
    sizes: dict[str, Any] = {"support": ends(f), "sensitivity": graph.whole(f)}
    return from_steady_sensitivity(f[x], here[x], graph.whole(here), **sizes)


def lipschitz(part: Callable[[Graph, list[int], int], Profile]) -> Build:
    """|f - 2 g|, which moves by as much as both together."""

    def build(graph: Graph, x: int, functions: list[list[int]]) -> Profile:
        f, g, *_ = functions
        parts = [(part(graph, f, x), 1), (part(graph, g, x), 2)]
        return from_lipschitz(abs(f[x] - 2 * g[x]), parts, support=(0, 3 * LARGEST))

    return build


def equation(graph: Graph, x: int, functions: list[list[int]]) -> Profile:
    """Three functions as the pulls at three answers, each above the one before."""
    pulls = np.add(functions, [[-LARGEST], [1], [1]]).cumsum(axis=0).tolist()
    change = max(graph.whole(pull) for pull in pulls)
    return from_equation(lambda y: pulls[y][x], max(1, change), low=0, high=2)


def quotient_of(graph: Graph, x: int, functions: list[list[int]]) -> Profile:
    f, g = functions[0], [value + 1 for value in functions[1]]
    return quotient(plain(graph, f, x), plain(graph, g, x), resolution=F(1, 8))


def joined(join: Callable[[list[Profile]], Profile]) -> Build:
    return lambda graph, x, functions: join([graph.exactly(f, x) for f in functions])


def mapped(change: Callable[[Profile], Profile]) -> Build:
    return lambda graph, x, functions: change(graph.exactly(functions[0], x))


def both_bounds(graph: Graph, x: int, functions: list[list[int]]) -> Profile:
    exactly = graph.exactly(functions[0], x)
    return tightest([radius(graph, x, functions), replace(exactly, integral=False)])


BUILT: dict[str, Build] = {
    "exact": lambda graph, x, functions: graph.exactly(functions[0], x),
    "radius": radius,
    "local": local(None),
    "local, near": local(2),
    "steady": steady,
    "lipschitz": lipschitz(lambda graph, f, x: graph.exactly(f, x)),
    "lipschitz of bounds": lipschitz(plain),
    "lipschitz to a depth": lipschitz(lambda graph, f, x: graph.exactly(f, x, depth=2)),
    "equation": equation,
    "total": joined(total),
    "maximum": joined(maximum),
    "minimum": joined(minimum),
    "quotient": quotient_of,
    "tightest": both_bounds,
    "scaled": mapped(lambda p: scale(p, F(-3, 2))),
    "clipped": mapped(lambda p: clip(p, 0, 5)),
    "cubed": mapped(lambda p: monotone_map(p, lambda v: v**3, resolution=1)),
    "falling": mapped(lambda p: monotone_map(p, lambda v: -v, falling=True, resolution=1)),
    "root": mapped(lambda p: square_root(p, resolution=F(1, 3), unit=F(1))),
    "to a depth": mapped(lambda p: replace(p, depth=2)),
}


def check(profiles: list[Profile], pairs: list[tuple[int, int]]) -> None:
    """Every law of a profile, and of what mechanisms read of it, on pairs of neighbours."""
    for x, y in pairs:
        check_bounds(profiles[x], profiles[y])
    for resolution in (F(1, 2), F(5, 2)):
        read = [on_lattice(p, resolution) for p in profiles]
        for x, y in pairs:
            one, other = read[x], read[y]
            for level in range(LEVELS):
                assert other.upper(level) <= one.upper(level + 1)
                assert other.lower(level) >= one.lower(level + 1)
                assert reach(other, level) <= reach(one, level + 1)
            change = abs(one.centre - other.centre)
            assert change <= reach(one, 0)
            assert one.sensitivity is None or change <= one.sensitivity
            assert one.lower(1) <= other.centre <= one.upper(1)


def on_lattice(p: Profile, resolution: Fraction) -> GridProfile:
    whole = (F(exact(p.resolution)) / resolution).denominator == 1
    return on_grid(replace(p, resolution=resolution, integral=p.integral and whole))


def reach(p: GridProfile, level: int) -> int:
    """The local sensitivity as mechanisms read it: nothing changes by more than the range."""
    low, high = p.finite_range("the check")
    return min(high - low, p.local_sensitivity(level))


def check_bounds(one: Profile, other: Profile) -> None:
    known = exact(one.value), exact(other.value)
    for level in range(LEVELS):
        for depth in {one.depth, other.depth}:
            if depth is not None and level + 1 > depth:
                return
        assert exact(other.upper(level) or 0) <= exact(one.upper(level + 1) or 0)
        assert exact(other.lower(level) or 0) >= exact(one.lower(level + 1) or 0)
        if one.local_sensitivity is not None and other.local_sensitivity is not None:
            assert exact(other.local_sensitivity(level)) <= exact(one.local_sensitivity(level + 1))
    assert exact(one.upper(0) or 0) == exact(one.lower(0) or 0) == known[0]
    if one.local_sensitivity is not None:
        assert abs(known[0] - known[1]) <= exact(one.local_sensitivity(0))
    whole = one.global_sensitivity
    assert whole is None or abs(known[0] - known[1]) <= whole


def instances(name: str, count: int) -> Iterator[tuple[Graph, list[list[int]]]]:
    rng = np.random.default_rng([*name.encode()])
    for _ in range(count):
        graph = random_graph(rng)
        functions = rng.integers(0, LARGEST + 1, (3, POINTS))
        if rng.integers(0, 2):  # mostly flat, with one cliff
            functions = np.where(rng.random((3, POINTS)) < 0.7, functions[:, :1], functions)
        # 0 is a multiple of every resolution
        yield graph, (functions - functions.min(axis=1, keepdims=True)).tolist()


@pytest.mark.parametrize("name", BUILT)
def test_every_law_holds_between_all_neighbours(name: str) -> None:
    for graph, functions in instances(name, 20):
        profiles = [BUILT[name](graph, x, functions) for x in range(POINTS)]
        check(profiles, list(graph.pairs()))


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("depth", [None, 1, 5])
def test_persons_are_neighbours_whose_rows_are_some_steps_apart(rows: int, depth: Any) -> None:
    for graph, functions in instances(f"{rows} {depth}", 20):
        rows_of = [graph.exactly(functions[0], x, depth=depth) for x in range(POINTS)]
        check([strided(p, rows) for p in rows_of], list(graph.pairs(rows)))


@pytest.mark.parametrize("name", ["steady", "lipschitz", "lipschitz of bounds", "local", "total"])
def test_bounds_one_level_short_break_a_law(name: str) -> None:
    """What is checked has no room for it."""

    def short(p: Profile) -> Profile:
        return replace(
            p,
            upper=lambda level: p.upper(max(min(level, 1), level - 1)),
            lower=lambda level: p.lower(max(min(level, 1), level - 1)),
        )

    broken = 0
    for graph, functions in instances(name, 20):
        profiles = [short(BUILT[name](graph, x, functions)) for x in range(POINTS)]
        try:
            check(profiles, list(graph.pairs()))
        except AssertionError:
            broken += 1
    assert broken > 5, broken
