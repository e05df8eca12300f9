"""Norm balls and how they compare: the paper's numbers, corrected, and the theorems by number."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import e, factorial, inf, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from leastnoise import geometry as g
from leastnoise.errors import ParameterError
from leastnoise.randomness import HashedBits


def curve(z: Any) -> tuple[Any, Any]:
    """Example 2.10: (x, 2 x^2) of a record in [-1, 1]."""
    x = z[0] if isinstance(z, list) else z
    return x, 2 * x * x


@pytest.fixture(scope="module")
def example() -> g.SensitivitySpace:
    found: Any = optimize.minimize_scalar(
        lambda u: -(u**2 + (2 - 2 * (u - 1) ** 2) ** 2), bounds=(1, 2), method="bounded"
    )
    best = 1 - Fraction(found.x).limit_denominator(10**6)
    records = [Fraction(i, 24) for i in range(-24, 25)] + [best, -best]
    return g.SensitivitySpace.from_records(curve, records, complete=False)


def test_example_2_10_and_3_22(example: g.SensitivitySpace) -> None:
    """Sensitivities and volumes to four digits (errata 5)."""
    table = g.compare({**g.lp_balls(2), "hull": example.hull()}, example)
    rows = {row.name: row for row in table.rows}
    assert rows["l1"].sensitivity == 3.125
    assert rows["l2"].sensitivity == pytest.approx(sqrt(71 + 8 * sqrt(2)) / 4, abs=5e-7)
    assert rows["l2"].sensitivity == pytest.approx(2.26818, abs=1e-5)
    assert rows["linf"].sensitivity == 2
    assert rows["l1"].volume == pytest.approx(19.53, abs=5e-3)
    assert rows["l2"].volume == pytest.approx(16.16, abs=5e-3)
    assert rows["linf"].volume == 16
    assert rows["hull"].volume == pytest.approx(13.33, abs=5e-3)
    assert [row.name for row in table.rows] == ["hull", "linf", "l2", "l1"]
    # example 3.20: with exact sensitivities none of the three lies in another
    assert set(rows["hull"].inside) == {"l1", "l2", "linf"}
    assert all(rows[k].inside == () for k in ("l1", "l2", "linf"))
    # with the approximations of equation (2) they are nested
    # (the radius sqrt(8), rounded to either side)
    one, cube, two = g.LpBall(1, 2).scaled(4), g.LpBall(inf, 2).scaled(2), g.LpBall(2, 2)
    assert g.is_contained(cube, two.scaled("2.8284272"))
    assert g.is_contained(two.scaled("2.8284271"), one)
    assert not g.is_contained(one, two.scaled("2.8284272"))
    assert "hull" in str(table)
    assert table.to_dict()[0]["ball"] == "hull"


def test_k_2_is_the_hull_of_example_2_10(example: g.SensitivitySpace) -> None:
    ball = g.moment_ball("paper", g.MomentSpace(1))
    assert max(ball.bound(p) for p in example.points) == 1
    hull = example.hull()
    rng = np.random.default_rng(0)
    rays = rng.normal(size=(500, 2))
    assert np.allclose(ball.norms(rays), hull.norms(rays), rtol=1e-3)
    # the set as printed in section 5.1, with the missing factor 2 of example 7.1
    for a, s in (("3/2", "3/2"), (2, 0), (1, 2), ("5/4", "15/8")):
        assert ball.bound((Fraction(a), Fraction(s))) == 1
    assert ball.bound((Fraction(3, 2), Fraction(7, 4))) > 1  # inside example 7.1 as printed


def test_the_cautionary_example() -> None:
    """Section 6: K beats H by containment and loses in every expected loss."""
    k = g.Polytope(points=[(100, 1), (100, -1)])
    h = g.Polytope(points=[(110, 0), (0, 11)])
    losses = {
        name: [round(g.expected_loss(ball, norm).value, 3) for norm in ("linf", "l2", "l1")]
        for name, ball in (("K", k), ("H", h))
    }
    assert losses["K"] == [150.005, 150.031, 151.5]
    assert losses["H"] == [111, 112.377, 121]
    assert k.exact_volume == 400 < h.exact_volume == 2420
    # the same by simulation
    source = HashedBits(b"cautionary")
    draws = np.array([k.noise(1, source).floats() for _ in range(1500)])
    sizes = np.abs(draws).sum(axis=1)
    assert abs(sizes.mean() - 151.5) < 4 * sizes.std() / sqrt(len(sizes))


BALLS: list[g.Ball] = [
    g.LpBall(1, 3),
    g.LpBall(2, 4),
    g.LpBall(3, 2),
    g.LpBall("inf", 2),
    g.Polytope(points=[(1, 0), (0, 2), (1, 1)]),
    g.Ellipsoid([2, 3, "1/2"]),
    g.moment_ball("tri", g.MomentSpace(2)),
]


@pytest.mark.parametrize("ball", BALLS, ids=lambda b: b.name)
def test_proposition_3_14_and_lemma_3_4(ball: g.Ball) -> None:
    """The entropy by Monte Carlo from exact draws, and the Gamma moments of the norm."""
    epsilon, sensitivity = Fraction(1, 2), Fraction(3)
    source = HashedBits(b"entropy " + ball.name.encode())
    rate = epsilon / sensitivity
    norms = ball.norms(np.array([ball.noise(rate, source).floats() for _ in range(1200)]))
    d = ball.dimension
    assert norms.mean() == pytest.approx(
        d / float(rate), abs=4 * sqrt(d) / float(rate) / sqrt(3000)
    )
    assert norms.var() == pytest.approx(d / float(rate) ** 2, rel=0.2)
    density = -(d * log(rate) - log(factorial(d)) - log(ball.volume) - float(rate) * norms)
    assert density.mean() == pytest.approx(
        g.entropy(ball, epsilon=epsilon, sensitivity=sensitivity), abs=4 * sqrt(d / 1200)
    )
    exact = log((float(sensitivity / epsilon) * e) ** d * factorial(d) * ball.volume)
    assert g.entropy(ball, epsilon=epsilon, sensitivity=sensitivity) == pytest.approx(exact)


def test_conditional_variance_is_that_of_the_signed_projection() -> None:
    """Theorem 3.17, corrected: d (d + 1) (Delta / (eps ||e||_K))^2, by integration on the line."""
    ball = g.LpBall(1, 3)
    direction = np.array([3.0, -1, 2])
    unit = direction / np.linalg.norm(direction)
    size = float(ball.norms(unit[None, :])[0])
    t = np.linspace(0, 200, 400_001)
    # the law of V given that it lies on the line has density |t|^(d - 1) exp(-||t e||)
    weight = t**2 * np.exp(-t * size)
    variance = (t**2 * weight).sum() / weight.sum()
    assert g.conditional_variance(ball, list(direction)) == pytest.approx(variance, rel=1e-6)


def test_containment_implies_the_volume_order() -> None:
    """200 random pairs of polytopes, exact, and the conditional variances of theorem 3.17."""
    rng = np.random.default_rng(11)
    ordered = 0
    for _ in range(200):
        d = int(rng.integers(1, 4))
        points = [tuple(int(x) for x in p) for p in rng.integers(-6, 7, size=(d + 2, d))]
        outer_points = points + [
            tuple(int(x) for x in p) for p in rng.integers(-9, 10, size=(2, d))
        ]
        try:
            inner, outer = g.Polytope(points=points), g.Polytope(points=outer_points)
        except ParameterError:  # the points span less than d dimensions
            continue
        assert g.is_contained(inner, outer)
        assert inner.exact_volume <= outer.exact_volume
        if g.is_contained(outer, inner):
            assert inner.exact_volume == outer.exact_volume
        else:
            assert inner.exact_volume < outer.exact_volume
            ordered += 1
        for ray in rng.normal(size=(3, d)):
            less, most = (g.conditional_variance(b, ray) for b in (inner, outer))
            assert less <= most * (1 + 1e-9)
    assert ordered > 80


def test_theorem_3_19_the_hull_is_preferred_to_every_ball() -> None:
    """The hull of a space lies in every ball scaled to its sensitivity, with less volume."""
    rng = np.random.default_rng(3)
    for d in (1, 2, 3):
        points = [tuple(int(x) for x in p) for p in rng.integers(-5, 6, size=(3 * d, d))]
        space = g.SensitivitySpace.from_points(points)
        hull = space.hull()
        others: list[g.Ball] = list(g.lp_balls(d).values())
        others += [g.LpBall(3, d), g.Ellipsoid(list(range(1, d + 1)))]
        axes = np.eye(d, dtype=int).tolist()
        for _ in range(5):
            others.append(g.Polytope(points=axes + rng.integers(-4, 5, (2, d)).tolist()))
        assert space.sensitivity(hull) == 1
        for ball in others:
            scaled = ball.scaled(space.sensitivity(ball))
            assert g.is_contained(hull, scaled)
            assert hull.volume <= scaled.volume * (1 + 1e-12)


def test_the_paper_s_k_t_is_not_the_hull() -> None:
    """Errata 2: the witness (1, 1, 2, 2) has norm 1 in K_T and 4/3 in the hull."""
    space = g.MomentSpace(2, squares=(0,))
    witness = [1, 1, 2, 2]
    assert g.moment_ball("paper", space).bound(witness) == 1
    assert g.moment_hull(space).norms([witness])[0] == pytest.approx(4 / 3, abs=1e-3)
    # exactly, with a hull of rational records from inside
    levels = [Fraction(i, 2) for i in range(-2, 3)]
    records = product(levels, (-1, 1))
    hull = g.SensitivitySpace.from_records(space.vector, records).hull()
    assert hull.bound(witness) == Fraction(4, 3)


def hull_share(p: int, draws: int, paper_draws: int) -> tuple[float, float]:
    """volume(hull) / volume(paper's K_T) by way of ``cycles``, which lies between them."""
    space = g.MomentSpace(p + 1, squares=tuple(range(p)))
    paper, cycles = g.moment_ball("paper", space), g.moment_ball("cycles", space)
    points = paper.sample(paper_draws, np.random.default_rng(p))
    share = float((cycles.norms(points) <= 1).mean())
    ratio, error = g.volume_ratio(g.moment_hull(space), cycles, draws, seed=p)
    relative = sqrt((error / ratio) ** 2 + (1 - share) / share / paper_draws)
    return share * ratio, share * ratio * relative


def test_the_hull_is_a_fifth_smaller_with_one_feature() -> None:
    value, error = hull_share(1, 80, 6_000)
    assert abs(value - 0.8068) < 4 * error  # the volume of a fine grid's hull, in four dimensions
    assert error < 0.03


@pytest.mark.nightly
@pytest.mark.parametrize(("p", "expected"), [(1, 0.795), (2, 0.284), (3, 0.0435)])
def test_hull_volumes_of_the_errata(p: int, expected: float) -> None:
    """Within 3 %, three standard errors below 3 %: by way of ``cycles`` and ``sdp``."""
    space = g.MomentSpace(p + 1, squares=tuple(range(p)))
    paper, cycles, sdp = (g.moment_ball(kind, space) for kind in ("paper", "cycles", "sdp"))
    count = {1: 50_000, 2: 100_000, 3: 400_000}[p]
    points = paper.sample(count, np.random.default_rng(p))
    share = float((cycles.norms(points) <= 1).mean())
    one, one_error = g.volume_ratio(sdp, cycles, {1: 3000, 2: 8000, 3: 12_000}[p], seed=p)
    two, two_error = g.volume_ratio(g.moment_hull(space), sdp, 60, seed=p)
    relative = sqrt((1 - share) / share / count + (one_error / one) ** 2 + (two_error / two) ** 2)
    assert 3 * relative < 0.03
    assert share * one * two == pytest.approx(expected, rel=0.03)


# ---------------------------------------------------------------------------------------------
# the balls themselves


@pytest.mark.parametrize("p", [1, 2, 3, "inf", 1.5])
def test_volumes_of_lp_balls(p: Any) -> None:
    ball = g.LpBall(p, 3)
    estimate = g.estimate_volume(ball, 100_000)
    assert estimate.low <= ball.volume <= estimate.high
    assert g.LpBall(2, 3).volume == pytest.approx(4 / 3 * pi)


def test_polytopes_are_exact() -> None:
    cube = g.Polytope(facets=[(1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert cube.exact_volume == 8
    assert len(cube.vertices) == 8
    cross = g.Polytope(points=[(1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert cross.exact_volume == Fraction(4, 3)
    assert len(cross.facets) == 8
    third = g.Polytope(points=[("1/3", "1/7"), ("-1/3", "2/7")])
    assert third.exact_volume == 2 * abs(Fraction(1, 3) * Fraction(2, 7) + Fraction(1, 21))
    assert third.bound((Fraction(1, 3), Fraction(1, 7))) == 1
    assert third.contains((Fraction(1, 3), Fraction(1, 7)))
    assert not third.contains((Fraction(1, 3), Fraction(1, 7) + Fraction(1, 10**30)))
    for v in third.vertices:
        assert third.bound(v) == 1
    assert g.Polytope(points=[(3,), (-1,)]).exact_volume == 6
    with pytest.raises(ParameterError, match="span"):
        g.Polytope(points=[(1, 1), (2, 2)])
    with pytest.raises(ParameterError, match="points or facets"):
        g.Polytope()


def test_the_same_polytope_from_points_and_from_facets() -> None:
    rng = np.random.default_rng(8)
    for d in (2, 3, 4):
        one = g.Polytope(points=rng.integers(-5, 6, size=(2 * d, d)).tolist())
        two = g.Polytope(facets=one.facets)
        assert set(two.vertices) == set(one.vertices)
        assert two.exact_volume == one.exact_volume
        assert one.half_widths == two.half_widths


def test_derived_balls_agree_with_their_parts() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(50, 2))
    matrix = [[2, 1], [0, "1/3"]]
    image = g.Linear(matrix, g.LpBall(1, 2))
    vertices = [(2, 0), (1, "1/3")]
    assert np.allclose(image.norms(points), g.Polytope(points=vertices).norms(points))
    assert image.volume == pytest.approx(float(g.Polytope(points=vertices).exact_volume))
    both = g.Intersection(g.LpBall(1, 2), g.LpBall("inf", 2).scaled("3/4"))
    assert both.norm((1, 1)) == 2
    assert both.bound((1, 0)) == Fraction(4, 3)
    pair = g.Product([(g.LpBall(2, 2), (0, 2)), (g.LpBall("inf", 1), (1,))])
    assert pair.norm((3, 1, 4)) == 5
    assert pair.volume == pytest.approx(2 * pi)
    ellipse = g.Ellipsoid([2, 3])
    assert ellipse.volume == pytest.approx(6 * pi)
    custom = g.Custom(lambda u: abs(u[0]) + 2 * abs(u[1]), (1, "1/2"), name="kite")
    kite = g.Polytope(points=[(1, 0), (0, "1/2")])
    assert np.allclose(custom.norms(points), kite.norms(points))
    assert custom.support([1, 1]) == pytest.approx(kite.support([1, 1]), rel=1e-5)
    source = HashedBits(b"custom")
    assert all(custom.norm(custom.uniform(source).floats()) <= 1 for _ in range(100))


@pytest.mark.parametrize("kind", ["linf", "paper", "plus", "tri", "cycles", "blocks"])
def test_moment_balls_decide_like_their_norm(kind: str) -> None:
    space = g.MomentSpace(4)
    ball = g.moment_ball(kind, space)
    rng = np.random.default_rng(4)
    for point in rng.uniform(-1, 1, size=(60, ball.dimension)):
        exact = [Fraction(float(x)).limit_denominator(10**6) for x in point]
        size = ball.bound(exact)
        assert float(size) == pytest.approx(ball.norm(exact))
        assert ball.contains([x / size for x in exact])
        assert not ball.contains([x / size * (1 + Fraction(1, 10**20)) for x in exact])


def stretched() -> list[g.Ball]:
    """Balls in which corners of a box differ in length."""
    sheared = g.Linear([[2, 1], [0, "1/3"]], g.LpBall(1, 2))
    flat = g.Polytope(points=[(1, 1), (-1, "1/2")])
    return [
        sheared,
        flat,
        g.Intersection(sheared, flat),
        g.Product([(sheared, (0, 2)), (g.LpBall("inf", 1), (1,))]),
        g.Custom(lambda u: abs(u[0]) + 2 * abs(u[1]), (1, "1/2")),
        g.Ellipsoid([2, 3, "1/2"]),
        *(g.moment_ball(kind, g.MomentSpace(3)) for kind in ("plus", "tri", "cycles", "blocks")),
    ]


@pytest.mark.parametrize("ball", stretched(), ids=lambda b: b.name)
def test_a_box_reaches_as_far_as_its_farthest_corner(ball: g.Ball) -> None:
    rng = np.random.default_rng(5)
    for _ in range(8):
        widths = [Fraction(int(w), 4) for w in rng.integers(0, 9, ball.dimension)]
        farthest = ball.box_sensitivity(widths)
        signs = rng.choice([-1, 1], (64, ball.dimension)).tolist()
        corners = [[w * sign for w, sign in zip(widths, row, strict=True)] for row in signs]
        lengths = [ball.bound(corner) for corner in corners]
        assert max(lengths) <= farthest
        if ball.dimension <= 3:  # every corner is among them
            assert max(lengths) == farthest


def test_a_box_of_many_sides_is_bounded_too() -> None:
    """Corners are no longer listed: what is said instead is no less than any of them."""
    for size in (11, 12):
        for ball in (g.LpBall(1, size), g.LpBall(2, size), g.LpBall(inf, size)):
            widths = [Fraction(1 + i % 3, 2) for i in range(size)]
            turned = g.Linear(
                [[int(i == size - 1 - j) for i in range(size)] for j in range(size)], ball
            )
            for one in (ball, turned):
                assert g.Ball.box_sensitivity(one, widths) >= one.bound(widths)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_a_space_of_records_holds_all_that_a_neighbour_changes(relation: str) -> None:
    """Of every two neighbouring tables of up to two records; and nothing else."""
    records = [(1, 0), (2, 1), (-1, 3)]
    tables = [*([()]), *((a,) for a in records), *product(records, repeat=2)]
    changed: set[tuple[int, int]] = set()
    for one, other in product(tables, repeat=2):
        grown = abs(len(one) - len(other)) == 1 and not (Counter(one) - Counter(other))
        swapped = len(one) == len(other) and sum((Counter(one) - Counter(other)).values()) == 1
        if (grown and relation != "replace-one") or (swapped and relation != "add-remove"):
            changed.add(tuple(sum(x[i] for x in one) - sum(x[i] for x in other) for i in (0, 1)))
    changed |= {(-a, -b) for a, b in changed}
    space = g.SensitivitySpace.from_records(lambda z: z, records, relation)
    assert set(space.points) == changed - {(0, 0)}


@pytest.mark.parametrize("ball", [*BALLS, *stretched()], ids=lambda b: b.name)
def test_a_box_is_called_inside_or_outside_only_if_its_corners_are(ball: g.Ball) -> None:
    rng = np.random.default_rng(6)
    one = 64
    for _ in range(60):
        low = rng.integers(-one, one, ball.dimension).tolist()
        high = [a + int(d) for a, d in zip(low, rng.integers(1, one, ball.dimension), strict=True)]
        verdict = ball.decide(low, high, one)
        picks = rng.integers(0, 2, (16, ball.dimension)).tolist()
        for pick in picks if verdict is not None else ():
            corner = [Fraction((a, b)[i], one) for a, b, i in zip(low, high, pick, strict=True)]
            assert ball.contains(corner) is verdict, (low, high)


def test_the_balls_are_nested_and_blocks_are_a_product() -> None:
    space = g.MomentSpace(4)
    chain = [g.moment_ball(k, space) for k in ("linf", "paper", "plus", "tri", "cycles", "sdp")]
    rays = np.random.default_rng(0).normal(size=(100, space.dimension))
    for outer, inner in pairwise(chain):
        assert (outer.norms(rays) <= inner.norms(rays) * (1 + 1e-7)).all()
    for columns in (2, 4, 7, 13, 16):
        from leastnoise.geometry.designs import cliques

        pairs = [frozenset((a, b)) for c in cliques(columns) for a in c for b in c if a < b]
        assert len(pairs) == len(set(pairs)) == columns * (columns - 1) // 2


def test_a_clique_ball_is_the_hull_of_its_differences() -> None:
    """Four columns: cube, triangles and odd cycles are all facets, exactly."""
    from leastnoise.geometry.moments import clique_ball

    images = [
        [a * b, a * c, a * d, b * c, b * d, c * d] for a, b, c, d in product((1, -1), repeat=4)
    ]
    differences = {tuple(p - q for p, q in zip(x, y, strict=True)) for x in images for y in images}
    hull = g.Polytope(points=[d for d in differences if any(d)])
    ball = clique_ball(4)
    assert len(hull.facets) == 68
    rays = np.random.default_rng(1).normal(size=(300, 6))
    assert np.allclose(hull.norms(rays), ball.norms(rays))


def test_sensitivity_spaces() -> None:
    records = [(0, 0), (1, 1), (2, 4)]
    spaces = {
        r: g.SensitivitySpace.from_records(lambda z: z, records, r)
        for r in ("replace-one", "add-remove", "edit")
    }
    assert set(spaces["edit"].points) == set(spaces["replace-one"].points) | set(
        spaces["add-remove"].points
    )
    assert (1, 3) in spaces["replace-one"].points
    assert (1, 3) not in spaces["add-remove"].points
    sampled = g.SensitivitySpace.from_box(curve, [(-1, 1)], levels=5)
    with pytest.raises(ParameterError, match="below only"):
        sampled.sensitivity(g.LpBall(1, 2))
    assert sampled.sensitivity_from_below(g.LpBall(1, 2)) == 3.0
    counts = g.histogram_space(3, "add-remove")
    assert counts.sensitivity(g.LpBall(1, 3)) == 1
    assert counts.hull().exact_volume == Fraction(8, 6)
    hexagon = g.histogram_space(3)
    assert hexagon.hull().exact_volume == 3
    assert g.marginals_space([2, 3]).dimension == 1 + 1 + 2
    with pytest.raises(ParameterError):
        g.SensitivitySpace.from_points([])


def cube_and_slab(first: str, second: str) -> g.Polytope:
    """A square, of which a slab keeps what is near one diagonal."""
    return g.Polytope(facets=[(1, 0), (0, 1), (first, second)])


CUTS = {
    "slanted": g.Polytope(facets=[(1, -1), ("1/100", "1/100")]),
    "hexagon that holds its shadows": g.Polytope(points=[(1, 0), (0, 1), (1, 1)]),
    "hexagon that does not": g.Polytope(points=[(2, 1), (1, 2), (1, -1)]),
    "leaning along one axis": g.Polytope(points=[(0, 2), (2, 1)]),
    "leaning along the other": g.Polytope(points=[(2, 0), (1, 2)]),
    "square and slab": cube_and_slab("1/2", "-1/2"),
    "square and thin slab": cube_and_slab("3/2", "-3/2"),
    "interval": g.Polytope(points=[(3,)]),
    "l1": g.LpBall(1, 2),
    "l3": g.LpBall(3, 2),
    "stretched and exchanged": g.Linear([[0, 2], ["1/3", 0]], g.LpBall(1, 2)),
    "sheared": g.Linear([[1, 1], [0, 1]], g.LpBall("inf", 2)),
    "common part": g.Intersection(g.LpBall(1, 2), g.LpBall("inf", 2).scaled("2/3")),
    "common part with a sheared one": g.Intersection(
        g.LpBall(1, 2).scaled(9), g.Linear([[1, 1], [0, 1]], g.LpBall("inf", 2))
    ),
    "product": g.Product([(g.LpBall(2, 2), (0, 2)), (g.LpBall(1, 1), (1,))]),
    "product with a slanted one": g.Product(
        [(g.Polytope(facets=[(1, -1), ("1/9", "1/9")]), (2, 0)), (g.LpBall(1, 1), (1,))]
    ),
    "custom": g.Custom(lambda v: max(abs(v[0]) + abs(v[1]), 2 * abs(v[1])), [1, "1/2"]),
    "tri": g.moment_ball("tri", g.MomentSpace(2)),
    "clique of three": g.moment_ball("blocks", g.MomentSpace(3, squares=())),
    "clique of four": g.moment_ball("blocks", g.MomentSpace(4, squares=())),
}
SHARES = (Fraction(0), Fraction(1, 3), Fraction(1))


@pytest.mark.parametrize("name", CUTS)
def test_no_cut_moves_answers_apart_exactly_in_orthant_monotone_balls(name: str) -> None:
    """All cuts of the corners of a cube, and of the vectors of a grid up to three coordinates."""
    ball = CUTS[name]
    size = ball.dimension
    some = (-2, -1, 0, 1, 2) if size <= 3 else (-2, 2)
    vectors = list(product(some, repeat=size))[: 5**3 if size <= 3 else 64]
    shares = list(product(SHARES, repeat=size)) if size <= 3 else [
        tuple(SHARES[i != j] for i in range(size)) for j in range(size)
    ]  # fmt: skip
    longer = any(
        ball.bound([a * b for a, b in zip(share, u, strict=True)]) > ball.bound(u)
        for u in vectors
        for share in shares
    )
    assert ball.orthant_monotone != longer


@pytest.mark.parametrize("kind", ["l1", "linf", "paper", "plus", "tri", "cycles", "sdp", "blocks"])
def test_which_moment_balls_are_orthant_monotone(kind: str) -> None:
    ball = g.moment_ball(kind, g.MomentSpace(3))
    assert ball.orthant_monotone == (kind not in ("cycles", "sdp"))
    # a first-order term and three cross products on one cycle of the constant and three columns
    _, _, cross = g.MomentSpace(3).places()
    u = [0] * ball.dimension
    for i in (0, 1, cross[0, 2], cross[1, 2]):
        u[i] = 2
    if kind == "cycles":
        assert ball.bound(u) < ball.bound([0, *u[1:]])
    assert not g.moment_ball("sdp", g.MomentSpace(1)).orthant_monotone


def test_a_polytope_whose_vertices_may_be_missing_is_not_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert g.Polytope(points=[(1, 0), (0, 1)]).orthant_monotone
    from leastnoise.geometry import polytope

    hull = polytope._hull
    monkeypatch.setattr(
        polytope, "_hull", lambda points, size: replace(hull(points, size), closed=False)
    )
    assert not g.Polytope(points=[(1, 0), (0, 1)]).orthant_monotone
