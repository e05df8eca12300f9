"""K-norm releases: sensitivities by enumeration, exact privacy of the rounded noise, mutations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest
from scipy import stats

import leastnoise as ln
from leastnoise import audit, geometry
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.frames.memory.vectors import summarise_vectors
from leastnoise.numbers import exp_enclosure
from leastnoise.profiles.vector import VectorProfile
from leastnoise.randomness import HashedBits
from leastnoise.session.prepare import plan
from leastnoise.testing import check_vector
from support.cells import cell_mass

KINDS = ("l1", "linf", "paper", "plus", "tri", "cycles", "sdp", "blocks")
RELATIONS = ("replace-one", "add-remove", "edit")


def profile(statistic: Any, rows: Sequence[Any], relation: str) -> VectorProfile:
    prepared = plan(statistic, list(rows), relation, "none")
    summary = summarise_vectors(prepared.table, prepared.request)
    return statistic.vector(summary, prepared.request, prepared.profile_relation)


def neighbours(
    universe: Sequence[Any], size: int, relation: str
) -> Iterator[tuple[list[Any], list[Any]]]:
    """Every pair of neighbours of at most ``size`` rows; the common rows come first."""
    commons = range(size) if relation != "replace-one" else (size - 1,)
    for n in commons:
        for common in product(universe, repeat=n):
            if relation != "replace-one":
                for row in universe:
                    yield list(common), [*common, row]
            if relation != "add-remove":
                for a, b in combinations(universe, 2):
                    yield [*common, a], [*common, b]


def scaled(p: VectorProfile) -> list[Fraction]:
    return [v * u for v, u in zip(p.value, p.units, strict=True)]


def largest_norms(statistic: Any, universe: Sequence[Any], relation: str) -> dict[str, Fraction]:
    """For every ball the largest norm over all neighbours, over the stated sensitivity."""
    kinds = KINDS if relation != "add-remove" else ("l1", "linf")
    worst = dict.fromkeys(kinds, Fraction(0))
    differences: set[tuple[Fraction, ...]] = set()
    some: VectorProfile | None = None
    for x, y in neighbours(universe, 2, relation):
        some = profile(statistic, x, relation)
        a, b = scaled(some), scaled(profile(statistic, y, relation))
        differences.add(tuple(p - q for p, q in zip(a, b, strict=True)))
    assert some is not None
    for kind in kinds:
        ball, sensitivity = some.named(kind)
        worst[kind] = max(ball.bound(u) for u in differences) / sensitivity
    return worst


GRID = [[x, y] for x in (0, 1, 2) for y in (0, 1)]


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_neighbours_differ_by_more_than_the_sensitivity(relation: str) -> None:
    """All pairs of tables with two columns; and the sensitivity is attained where it can be."""
    worst = largest_norms(ln.MomentVector(bounds=[(0, 2), (0, 1)]), GRID, relation)
    assert max(worst.values()) <= 1
    assert {k for k, v in worst.items() if v == 1} >= set(worst) - {"l1"}
    means = ln.MeanVector(bounds=[(0, 2), (0, 1)])
    assert max(largest_norms(means, GRID, relation).values()) <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_difference_lies_in_every_ball(kind: str) -> None:
    """Four columns on a grid, with and without a square of the last, and T(z) itself."""
    values = (-1, Fraction(-1, 3), Fraction(2, 3), 1)
    for squares in (None, (0, 1)):
        space = geometry.MomentSpace(3, squares)
        ball = geometry.moment_ball(kind, space)
        images = [space.vector(z) for z in product(values, repeat=3)]
        assert max(ball.bound(t) for t in images) <= 1
        some = images[::3]
        assert max(ball.bound([p - q for p, q in zip(a, b, strict=True)])
                   for a in some for b in some) <= 1  # fmt: skip


@pytest.mark.parametrize("kind", ["paper", "cycles", "blocks"])
def test_exclusive_indicators_shrink_the_space(kind: str) -> None:
    space = geometry.MomentSpace(5, exclusive=((0, 1, 2), (3,)))
    assert space.dimension == 5 + 1 + 3 * 1 + 3 * 1 + 1 < geometry.MomentSpace(5).dimension
    ball = geometry.moment_ball(kind, space)
    groups = [(-1, -1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
    records = [(*g, h, z) for g in groups for h in (-1, 1) for z in (-1, Fraction(1, 3), 1)]
    images = [space.vector(z) for z in records]
    norms = [ball.bound([p - q for p, q in zip(a, b, strict=True)]) for a in images for b in images]
    assert max(norms) == 1
    assert max(ball.bound(t) for t in images) <= 1
    # without exclusion the same coordinates would not fit
    broken = [space.vector(z) for z in ((1, 1, 1, 1, 1), (-1, -1, -1, -1, -1))]
    assert ball.bound([p - q for p, q in zip(*broken, strict=True)]) > 1


@pytest.mark.parametrize("relation", RELATIONS)
def test_large_groups_of_indicators_under_every_relation(relation: str) -> None:
    """Two groups, one of six columns: all neighbours, all balls; T(z) itself must fit as well."""
    groups = [[0, 1, 2, 3, 4, 5], [6, 7]]
    statistic = ln.MomentVector(bounds=[(0, 1)] * 8 + [(-1, 1)], exclusive=groups)
    rows = [
        [*(int(i == a) for i in range(6)), *(int(i == b) for i in range(2)), z]
        for a, b, z in [(0, 0, 1), (5, 1, -1), (6, 2, 0), (6, 0, 1), (2, 2, -1)]
    ]
    kinds = ("linf", "l1") if relation == "add-remove" else ("linf", "paper", "blocks")
    size = 10 + 8 + 12 + (relation != "replace-one")
    own = geometry.LpBall(1, size)
    assert check_vector(statistic, rows, relations=[relation], balls=(*kinds, own), draws=40) > 20


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "l1"])
def test_a_ball_that_is_one_percent_smaller_misses_a_record(kind: str) -> None:
    """The mutation: the enumeration above would see a ball that does not hold the space."""
    space = geometry.MomentSpace(2)
    ball = geometry.moment_ball(kind, space).scaled("0.99")
    images = [space.vector(z) for z in product((-1, 0, 1), repeat=2)]
    worst = max(
        ball.bound([p - q for p, q in zip(a, b, strict=True)]) for a in images for b in images
    )
    assert worst > 1


# ---------------------------------------------------------------------------------------------
# exact privacy of the released lattice points, in two dimensions

PLANE: dict[str, geometry.Polytope] = {
    "linf": geometry.Polytope(points=[(1, 1), (1, -1)]),
    "l1": geometry.Polytope(points=[(1, 0), (0, 1)]),
    "hexagon": geometry.Polytope(points=[(1, 0), (0, 1), (1, 1)]),
    "hull of counts": geometry.Polytope(points=[(2, 1), (1, 2), (1, -1)]),
}
WINDOW = [(i, j) for i in range(-3, 4) for j in range(-3, 4)]
FEW = WINDOW[::4]


@cache
def mass(name: str, rate: Fraction, k: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """P(round(V) = k): the integral over the cell, over that of the plane, 2 area / rate^2."""
    ball = PLANE[name]
    facets = [(f[0], f[1]) for f in ball.facets]
    vertices = [(v[0], v[1]) for v in ball.vertices]
    low, high = cell_mass(facets, vertices, [(Fraction(0), rate, Fraction(0))], Fraction(0), k)
    scale = rate**2 / (2 * ball.exact_volume)
    return scale * low, scale * high


def worst_ratio(name: str, rate: Fraction, differences: set[tuple[int, int]]) -> Fraction:
    """The largest certified-from-below ratio of probabilities over a window of answers."""
    worst = Fraction(0)
    for dx, dy in differences:
        for i, j in FEW:
            here, there = mass(name, rate, (i, j)), mass(name, rate, (i - dx, j - dy))
            worst = max(worst, here[0] / there[1])
    return worst


def integer_differences(relation: str) -> set[tuple[int, int]]:
    """All changes of (sum x, sum x^2) of x in {0, 1, 2}, as two whole columns of a table."""
    images = [(x, x * x) for x in (0, 1, 2)]
    pairs = {(a[0] - b[0], a[1] - b[1]) for a in images for b in images}
    alone = {(s * a, s * b) for a, b in images for s in (1, -1)}
    return {"replace-one": pairs, "add-remove": alone, "edit": pairs | alone}[relation]


@pytest.mark.parametrize("name", PLANE)
@pytest.mark.parametrize("relation", RELATIONS)
def test_rounded_noise_is_private_exactly(name: str, relation: str) -> None:
    differences = {(a, b) for a, b in integer_differences(relation) if (a, b) != (0, 0)}
    epsilon = Fraction(1)
    sensitivity = PLANE[name].sensitivity(differences)
    limit = Fraction(2**128, exp_enclosure(1, 1, 128)[0])  # e, rounded up at 2**-126
    ratio = worst_ratio(name, epsilon / sensitivity, differences)
    assert ratio <= limit
    assert float(ratio) > 1.6  # the loss is really there: at least 0.47 of 1


@pytest.mark.parametrize("name", PLANE)
def test_half_the_sensitivity_is_seen_to_break_privacy(name: str) -> None:
    differences = {d for d in integer_differences("edit") if d != (0, 0)}
    sensitivity = PLANE[name].sensitivity(differences) / 2
    upper = Fraction(2**128, exp_enclosure(1, 1, 128)[0])
    assert worst_ratio(name, 1 / sensitivity, differences) > upper


def gauge_of_a_cross(v: tuple[Fraction, Fraction]) -> Fraction:
    """K is the union of two thin boxes: symmetric, and not convex."""
    x, y = abs(v[0]), abs(v[1])
    return min(max(x, 4 * y), max(4 * x, y))


def gauge_of_one_side(v: tuple[Fraction, Fraction]) -> Fraction:
    """K is a box, twice as wide to the left: convex, and not symmetric."""
    return max(v[0], -v[0] / 2, abs(v[1]))


def test_a_body_that_is_not_convex_or_not_symmetric_is_seen() -> None:
    """The density exp(-a g(y - T)) then loses more than a times the largest gauge of S."""
    answers = [(Fraction(i, 2), Fraction(j, 2)) for i in range(-6, 7) for j in range(-6, 7)]

    def exceeds(gauge: Any, space: list[tuple[int, int]]) -> bool:
        stated = max(gauge((Fraction(a), Fraction(b))) for a, b in space)
        lost = max(
            abs(gauge(y) - gauge((y[0] - u[0], y[1] - u[1]))) for y in answers for u in space
        )
        return lost > stated

    both_ways = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    assert exceeds(gauge_of_a_cross, both_ways)
    # the gauge of the differences one way says half of what they cost the other way
    assert exceeds(gauge_of_one_side, [(-1, 0)])
    for ball in PLANE.values():
        assert not exceeds(ball.bound, both_ways)


def test_raw_records_are_told_apart_by_their_lattice() -> None:
    """Sums of records that are not quantised first: their differences lie in the ball, but noise
    that is rounded by itself leaves T(x) modulo the unit in the answer."""
    raw = {0: Fraction(0), 1: Fraction(2, 5), 2: Fraction(8, 5)}

    def law_of(records: dict[int, Fraction]) -> Any:
        def law(data: tuple[int, ...]) -> audit.Probabilities:
            x = records[data[0]]
            around = [(i, j) for i in range(-2, 3) for j in range(-2, 3)]
            shown = {(x + i, x * x + j): mass("linf", Fraction(1, 4), (i, j)) for i, j in around}
            return audit.Probabilities(shown, rest=1)

        return law

    claim, settings = ln.ApproxDP(1, "1/10"), {"universe": (0, 1), "n": 1}
    report = audit.exact_law(law_of(raw), claim=claim, **settings)
    assert not report.passed
    shown = [set(law_of(raw)((k,)).table) for k in raw]
    assert not any(a & b for a, b in combinations(shown, 2))
    rounded = {k: Fraction(round(x)) for k, x in raw.items()}
    shown = [set(law_of(rounded)((k,)).table) for k in raw]
    assert all(a & b for a, b in combinations(shown, 2))


def test_sensitivity_of_add_remove_does_not_cover_edit() -> None:
    """The union matters: (0, 0) -> (2, 4) is no more than (2, 4), but the hexagon sees (1, -3)."""
    ball = geometry.Polytope(points=[(2, 4), (1, 1)])
    one = ball.sensitivity(integer_differences("add-remove"))
    both = ball.sensitivity(integer_differences("edit"))
    assert one < both


def test_uniform_instead_of_gamma_times_uniform_is_no_release() -> None:
    """Algorithm 8 as printed, T + U, has bounded support: an infinite loss (errata 1)."""
    ball = PLANE["linf"]
    assert not ball.contains((Fraction(3, 2), 0))
    # the same answer is possible for the neighbour that lies within U, and impossible for x
    assert ball.contains((Fraction(1, 2), 0))


# The balls that are drawn in ways of their own, beside the general polytopes of the same names.
DRAWN = [*PLANE.items(), ("linf", geometry.LpBall("inf", 2)), ("l1", geometry.LpBall(1, 2))]


@pytest.mark.parametrize(("name", "ball"), DRAWN, ids=lambda x: getattr(x, "name", x))
def test_draws_follow_the_exact_masses(name: str, ball: geometry.Ball) -> None:
    rate = Fraction(3, 4)
    source = HashedBits(b"cells " + name.encode())
    units = [Fraction(1), Fraction(1)]
    draws = 3000
    counts = Counter(tuple(ball.noise(rate, source).round_to(units)) for _ in range(draws))
    expected = {k: float(mass(name, rate, k)[0]) * draws for k in WINDOW}
    cells = [k for k in WINDOW if expected[k] >= 8]
    rest = draws - sum(expected[k] for k in cells)
    observed = [counts[k] for k in cells] + [draws - sum(counts[k] for k in cells)]
    assert stats.chisquare(observed, [*(expected[k] for k in cells), rest]).pvalue > 1e-4
    assert 0.4 < sum(mass(name, rate, k)[0] for k in WINDOW) < 1


# ---------------------------------------------------------------------------------------------
# parameters


def test_parameters_are_refused_by_name_before_data_is_read() -> None:
    rows = [[1, 2], [3, 4]]
    means = ln.MeanVector(bounds=[(0, 9), (0, 9)])
    with pytest.raises(ParameterTypeError, match="a single number"):
        ln.release(means, rows, epsilon=1, mechanism=ln.Laplace())
    with pytest.raises(ParameterTypeError, match="is for vectors"):
        ln.release(ln.Mean(bounds=(0, 9)), [1, 2], epsilon=1, mechanism=ln.KNorm())
    with pytest.raises(ParameterError, match="coordinates"):
        ln.release(means, rows, epsilon=1, mechanism=ln.KNorm(geometry.LpBall(1, 5)))
    with pytest.raises(ParameterError, match="ball must be one of"):
        ln.release(means, rows, epsilon=1, missing="none", mechanism=ln.KNorm("round"))
    with pytest.raises(ParameterError, match="add-remove"):
        ln.release(means, rows, epsilon=1, relation="add-remove", mechanism=ln.KNorm("paper"))
    with pytest.raises(ParameterTypeError, match="ball"):
        ln.KNorm(3)
    with pytest.raises(ParameterError, match="one pair"):
        ln.MomentVector(bounds=(0, 1))
    with pytest.raises(ParameterError, match="exclusive"):
        ln.MomentVector(bounds=[(0, 1), (0, 2)], exclusive=[[0, 1]])
    with pytest.raises(ParameterError, match="degree"):
        ln.MomentVector(bounds=[(0, 1)], degree=3)


def test_a_ball_of_ones_own_is_scaled_by_the_box_that_holds_the_space() -> None:
    statistic = ln.MomentVector(bounds=[(0, 2), (0, 1)])
    for relation, size in (("replace-one", 5), ("edit", 6), ("add-remove", 6)):
        p = profile(statistic, [], relation)
        for ball in (geometry.LpBall(2, size), geometry.LpBall(1, size)):
            worst = Fraction(0)
            for x, y in neighbours(GRID, 1, relation):
                a, b = (scaled(profile(statistic, rows, relation)) for rows in (x, y))
                worst = max(worst, ball.bound([s - t for s, t in zip(a, b, strict=True)]))
            assert worst <= p.sensitivity(ball)


def test_balls_that_cannot_be_drawn_from_are_refused_before_data_is_read() -> None:
    wide = {"data": [[1.0] * 13], "epsilon": 1, "missing": "none"}
    statistic: Any = ln.MomentVector(bounds=[(0, 2)] * 13)
    for kind in ("plus", "tri", "cycles", "sdp"):
        with pytest.raises(ParameterError, match="reasonable time"):
            ln.release(statistic, mechanism=ln.KNorm(kind), **wide)
    means = ln.MeanVector(bounds=[(0, 2)] * 3)
    with pytest.raises(ParameterError, match="must be an integer"):
        ln.release(means, [[1, 1, 1]], epsilon=1, missing="none",
                   mechanism=ln.KNorm(geometry.LpBall(1.5, 3)))  # fmt: skip
    thin = geometry.Intersection(
        geometry.LpBall("inf", 3), geometry.LpBall(1, 3).scaled("1/100"), geometry.LpBall(2, 3)
    )
    with pytest.raises(ParameterError, match="too small a part"):
        ln.release(means, [[1, 1, 1]], epsilon=1, missing="none", mechanism=ln.KNorm(thin))
    for kind in ("paper", "blocks", "linf"):
        geometry.moment_ball(kind, geometry.MomentSpace(13)).check_sampler()
    for kind, columns in (("plus", 8), ("tri", 7), ("cycles", 6), ("sdp", 5)):
        geometry.moment_ball(kind, geometry.MomentSpace(columns)).check_sampler()
