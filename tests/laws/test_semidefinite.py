"""The ball "sdp": exact certificates, exact decisions, and the uniform law on it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import prod, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from leastnoise import geometry as g
from leastnoise.geometry.barrier import barrier
from leastnoise.geometry.relaxation import Multipliers, relaxation
from leastnoise.geometry.semidefinite import SemidefiniteBall
from leastnoise.numbers import is_definite
from leastnoise.randomness import HashedBits
from leastnoise.sampling.moment_bodies import certainly_violated, draw_moments, holds

LEAST = 1e-4
GRID = (-1, Fraction(-1, 2), 0, Fraction(3, 4), 1)


ZERO = [0, 0], [0, 0]


def determinant(rows: Sequence[Sequence[int]]) -> int:
    """By the definition."""
    size, total = len(rows), 0
    for order in permutations(range(size)):
        crossed = sum(order[i] > order[j] for i in range(size) for j in range(i + 1, size))
        total += (-1) ** crossed * prod(rows[i][order[i]] for i in range(size))
    return total


def test_definite_matrices_are_those_with_positive_minors() -> None:
    rng = np.random.default_rng(0)
    seen = {True: 0, False: 0}
    for _ in range(400):
        size = int(rng.integers(1, 5))
        root = rng.integers(-3, 4, (size, int(rng.integers(1, 5))))
        matrix = (root @ root.T + np.diag(rng.integers(-1, 3, size))).tolist()
        leading = [[row[:k] for row in matrix[:k]] for k in range(1, size + 1)]
        expected = all(determinant(part) > 0 for part in leading)
        assert is_definite(matrix) is expected
        subsets = ([i for i in range(size) if mask >> i & 1] for mask in range(1, 1 << size))
        minors = (determinant([[matrix[i][j] for j in s] for i in s]) for s in subsets)
        semi = all(minor >= 0 for minor in minors)
        assert is_definite(matrix, semi=True) is semi
        seen[expected] += 1
    assert min(seen.values()) > 50


@pytest.mark.parametrize("squares", [(0, 1, 2), (0, 1), ()])
def test_every_record_is_a_point_of_the_relaxation(squares: tuple[int, ...]) -> None:
    """A(z) = z z^T, but 1 at the columns without a square: exactly semidefinite, all conditions."""
    space, model = g.MomentSpace(3, squares), relaxation(3, squares)
    zero = [Fraction(0)] * space.dimension
    for z in product(GRID, repeat=3):
        full = (1, *z)
        entries = [Fraction(full[a] * full[b]) for a, b in model.places]
        vector = space.vector(z)
        scaled = [2 * e - 1 if a == b else e
                  for e, (a, b) in zip(entries, model.places, strict=True)]  # fmt: skip
        assert scaled == vector
        assert model.is_difference(entries, Fraction(1), zero)  # A and A - 0 lie in R
    # a column beyond its bounds, and a product that no record has
    wide = [Fraction(5, 4) if 1 in place else Fraction(0) for place in model.places]
    assert not model.is_difference(wide, Fraction(1), zero)


def differences(space: g.MomentSpace, count: int, seed: int) -> list[list[Fraction]]:
    rng = np.random.default_rng(seed)
    found: list[list[Fraction]] = []
    for _ in range(count):
        picks: list[list[int]] = rng.integers(0, len(GRID), (2, space.columns)).tolist()
        one, two = (space.vector([GRID[i] for i in pick]) for pick in picks)
        pairs = zip(one, two, strict=True)
        found.append([Fraction(a - b) for a, b in pairs])
    return found


@pytest.mark.share(1 / 3)
@pytest.mark.parametrize(
    "space", [g.MomentSpace(2), g.MomentSpace(3, (0, 1)), g.MomentSpace(3, ())]
)
def test_differences_of_records_lie_inside_and_just_reach_the_edge(space: g.MomentSpace) -> None:
    ball = g.moment_ball("sdp", space)
    norms = [ball.bound(u) for u in differences(space, 40, 1)]
    assert max(norms) == 1
    for u, norm in zip(differences(space, 5, 1), norms, strict=False):
        if norm:
            # on the edge too, where simple numbers show it
            assert norm < 1 or ball.contains(u)
            assert ball.contains([x / norm * Fraction(10**6 - 1, 10**6) for x in u])
            assert not ball.contains([x / norm * Fraction(10**5 + 1, 10**5) for x in u])
    # the mutation: a ball that is one percent smaller misses a record
    assert max(ball.scaled("0.99").bound(u) for u in differences(space, 40, 1)) > 1


def test_a_bound_is_the_norm_to_a_millionth() -> None:
    """One column: (u, w) / t is a difference if |u| <= 2 t and |w| / 2 <= t - (|u| - t)^2 / t."""
    ball = g.moment_ball("sdp", g.MomentSpace(1, (0,)))
    z = Fraction(349561, 524288)
    for u, w in ((-1 - z, 2 - 2 * z * z), (Fraction(3, 2), Fraction(1, 7)), (Fraction(1), 0)):
        size = abs(float(u))
        # where the parabola ends, |u| <= t, only w counts
        exact = max(size / 2, size**2 / (2 * size - float(w) / 2), float(w) / 2)
        assert 1 <= float(ball.bound([Fraction(u), Fraction(w)])) / exact <= 1 + 2e-6


# Two records beside whose difference doubles run out of digits
BESIDE = (1, Fraction(-629145, 1048576), 0, 1), (Fraction(1, 3), -1, 1, 1)


def test_a_bound_is_near_the_norm_where_doubles_run_out_of_digits() -> None:
    """A difference of two records has norm at most 1, and decimals say that this one's is 1."""
    space = g.MomentSpace(4, (0, 1, 2))
    first, second = (space.vector(z) for z in BESIDE)
    bound = g.moment_ball("sdp", space).bound(
        [Fraction(a - b) for a, b in zip(first, second, strict=True)]
    )
    assert 1 - Fraction(1, 10**8) <= bound <= 1 + Fraction(1, 10**6)


def test_what_is_made_of_balls_decides_what_lies_in_them() -> None:
    """2^-24 from the edge of a part more digits are needed than the point has."""
    space = g.MomentSpace(4, (0, 1, 2))
    ball = g.moment_ball("sdp", space)
    size = space.dimension
    beside = g.Product([(g.LpBall("inf", 1), [1]), (ball.scaled(3), [0, *range(2, size + 1)])])
    made = g.Intersection(g.LpBall("inf", size + 1).scaled(6), beside)
    first, second = (space.vector(z) for z in BESIDE)
    for share in (Fraction(-1, 2**24), Fraction(1, 2**10)):
        point = [3 * (1 + share) * (a - b) for a, b in zip(first, second, strict=True)]
        assert made.contains([point[0], 1, *point[1:]]) == (share < 0)
        assert not made.contains([point[0], Fraction(9, 8), *point[1:]])


def test_it_lies_between_cycles_and_the_hull() -> None:
    space = g.MomentSpace(3, (0, 1))
    rays = np.random.default_rng(2).normal(size=(40, space.dimension))
    cycles, ours = (g.moment_ball(k, space).norms(rays) for k in ("cycles", "sdp"))
    hull = g.moment_hull(space).norms(rays)
    assert (cycles <= ours * (1 + 1e-6)).all()
    assert (ours <= hull * (1 + 1e-3)).all()
    assert (ours > 1.01 * cycles).any()


def points(space: g.MomentSpace, count: int, seed: int) -> list[list[Fraction]]:
    """Points of ``cycles``, inside and outside of "sdp"."""
    source = HashedBits(f"points {seed}".encode())
    outer = g.moment_ball("cycles", space)
    drawn = [outer.uniform(source).enclose(60) for _ in range(count)]
    return [[Fraction(low, 1 << 60) for low, _ in point] for point in drawn]


def test_no_certificate_of_one_point_convinces_of_a_wrong_answer() -> None:
    """Every proposal against every point: what is certified is never the opposite of the truth."""
    space = g.MomentSpace(3)
    model, path = relaxation(3, (0, 1, 2)), barrier(3, (0, 1, 2), decimals=False)
    some = points(space, 40, 3)
    ball = g.moment_ball("sdp", space)
    inside = [float(ball.bound(u)) < 1 for u in some]
    assert 5 < sum(inside) < 35
    proposals = [path.bounds(u, None) for u in some]
    agreed = 0
    for u, truth in zip(some, inside, strict=True):
        whole = [int(x * 2**60) for x in u]
        for found in proposals:
            assert found is not None
            multipliers = path.multipliers(found, 48)
            if multipliers is None:
                entries = path.entries(found, 48)
                verdict = model.certainly_inside(entries, 48, whole, whole, 1 << 60)
                assert truth or not verdict
            else:
                verdict = model.certainly_outside(multipliers, whole, whole, 1 << 60)
                assert not truth or not verdict
            agreed += verdict
    assert agreed >= len(some)  # each point's own certificate convinces


def test_broken_certificates_are_refused() -> None:
    """Each condition by itself: signs, Z, Y, the linear conditions, the fixed entries."""
    space = g.MomentSpace(2)
    model, path = relaxation(2, (0, 1)), barrier(2, (0, 1), decimals=False)
    far = [Fraction(2), Fraction(2), Fraction(0), Fraction(0), Fraction(2)]
    found = path.bounds(far, None)
    assert found is not None
    assert g.moment_ball("cycles", space).bound(far) > 1
    whole = [int(x) for x in far]
    good = path.multipliers(found, 48)
    assert good is not None
    assert model.certainly_outside(good, whole, whole, 1)
    zero = [0] * 5
    assert not model.certainly_outside(good, zero, zero, 1)
    size = len(good.mu)

    def refused(**changed: Any) -> bool:
        parts: Any = {"z": good.z, "fixed": good.fixed, "mu": good.mu, "nu": good.nu, **changed}
        return not model.certainly_outside(Multipliers(**parts), whole, whole, 1)

    assert refused(mu=[-1, *good.mu[1:]])
    assert refused(nu=[*good.nu[:-1], -1])
    assert refused(z=[[0] * 3 for _ in range(3)])
    assert refused(fixed=[0])  # Y is then not definite
    assert refused(mu=[10**18] * size)
    near = [Fraction(1, 2), 0, 0, Fraction(1, 2), 0]
    inside = path.bounds([Fraction(x) for x in near], None)
    assert inside is not None
    entries, at = path.entries(inside, 48), [int(4 * x) for x in near]
    assert model.certainly_inside(entries, 48, at, at, 4)
    assert not model.certainly_inside(entries, 48, [8 * x for x in at], [8 * x for x in at], 4)
    assert not model.certainly_inside(entries, 48, [x - 2 for x in at], [x + 2 for x in at], 4)
    for i, (a, b) in enumerate(model.places):
        for moved in (1 << 48, -(1 << 48)):
            other = [x + moved * (i == k) for k, x in enumerate(entries)]
            assert not model.certainly_inside(other, 48, at, at, 4), (a, b)


def test_an_indefinite_z_proves_nothing() -> None:
    """0 is a difference, whatever a Z with an eigenvalue below 0 seems to show."""
    model = relaxation(1, (0,))
    assert not model.certainly_outside(Multipliers([[-100, 0], [0, -8]], [1], [0], [0]), *ZERO, 1)


def test_without_linear_conditions_a_certificate_is_still_checked() -> None:
    model = relaxation(1, ())
    assert not model.conditions
    assert not model.certainly_outside(Multipliers([[1, 0], [0, 1]], [1, 1], [], []), [1], [1], 1)
    for norm in (Fraction(0), Fraction(3, 2), Fraction(5, 2)):
        assert g.moment_ball("sdp", g.MomentSpace(1, ())).contains([norm]) == (norm <= 2)


def test_no_box_is_inside_that_reaches_outside() -> None:
    """One column: v is a difference if |u| <= 2 and |w| / 2 <= 1 - max(|u| - 1, 0)^2."""
    model, whole, found = relaxation(1, (0,)), 1 << 12, 0
    rng = np.random.default_rng(2)

    def is_difference(u: Fraction, w: Fraction) -> bool:
        return abs(u) <= 2 and abs(w) / 2 <= 1 - max(abs(u) - 1, 0) ** 2

    for _ in range(4000):
        a, c = (int(x) for x in rng.integers(-whole, whole, 2))
        b, d = (int(rng.integers(x * x // whole, whole + 1)) for x in (a, c))
        u, w, radius = a - c, 2 * (b - d), int(rng.integers(1, 200))
        low, high = [u - radius, w - 2 * radius], [u + radius, w + 2 * radius]
        if model.certainly_inside([a, b], 12, low, high, whole):
            found += 1
            corners = product((low[0], high[0]), (low[1], high[1]))
            assert all(is_difference(Fraction(x, whole), Fraction(y, whole)) for x, y in corners)
    assert found > 500


def test_decimals_decide_beside_the_edge() -> None:
    """At 1e-20 from the boundary doubles prove nothing; with enough bits decimals do, rightly."""
    space = g.MomentSpace(2, (0,))
    ball = g.moment_ball("sdp", space)
    assert isinstance(ball, SemidefiniteBall)
    path = barrier(2, (0,), decimals=True)
    for u in points(space, 3, 4):
        found = path.bounds(u, Decimal("1e-30"), 60)
        assert found is not None
        norm = Fraction((found.low + found.high) / 2)
        for side in (1, -1):
            edge = [x / norm * (1 + Fraction(side, 10**20)) for x in u]
            low = [int(x * 2**64) for x in edge]
            assert ball.decide(low, [x + 1 for x in low], 1 << 64) is None
            low = [int(x * 2**192) for x in edge]
            assert ball.decide(low, [x + 1 for x in low], 1 << 192) is (side < 0)


def test_a_box_is_decided_only_if_all_of_it_is() -> None:
    space = g.MomentSpace(2)
    ball = g.moment_ball("sdp", space)
    rng = np.random.default_rng(6)
    seen: list[object] = []
    for u in points(space, 25, 6):
        size = ball.norm(u)
        middle = [x / Fraction(size) * Fraction(float(rng.uniform(0.9, 1.1))) for x in u]
        low = [int((x - Fraction(1, 50)) * 2**30) for x in middle]
        high = [int((x + Fraction(1, 50)) * 2**30) for x in middle]
        verdict = ball.decide(low, high, 1 << 30)
        seen.append(verdict)
        for pick in rng.integers(0, 2, (6, 5)).tolist() if verdict is not None else ():
            corner: list[int] = [(a, b)[i] for a, b, i in zip(low, high, pick, strict=True)]
            assert (float(ball.norms([[x / 2**30 for x in corner]])[0]) <= 1) is verdict
    assert {True, False, None} == set(seen)


def test_points_that_are_left_out_at_once_are_those_that_violate_for_certain() -> None:
    rng = np.random.default_rng(7)
    one = 1 << 27
    for size in (2, 3, 4):
        low = (2 * rng.integers(0, 1 << 28, (size, 3000)) - 2 * one).astype(np.int32)
        # and beside the boundary
        low[-1, :1500] = 4 * one - np.abs(low[:-1, :1500]).sum(axis=0) % (4 * one) - 2 * one
        low[-1, 1000:1500] += rng.integers(-4, 5, 500)
        found = certainly_violated(low)
        for column, violated in zip(low.T.tolist(), found.tolist(), strict=True):
            assert violated is (holds([(x, x + 2) for x in column], one) is False)


def test_an_undecided_point_is_refined_and_never_redrawn() -> None:
    ball: Any = g.moment_ball("cycles", g.MomentSpace(2))
    looks: list[list[Fraction]] = []

    def late(low: Sequence[int], high: Sequence[int], one: int) -> bool | None:
        looks.append([Fraction(x, one) for x in low])
        return None if len(looks) % 4 else True

    draws = [draw_moments(ball._body, HashedBits(bytes([i])), late).floats() for i in range(30)]
    for i, drawn in enumerate(draws):
        for first, then in pairwise(looks[4 * i : 4 * i + 4]):
            # the same point, known to 64 more bits
            assert all(0 <= b - a < Fraction(1, 2**80) for a, b in zip(first, then, strict=True))
        assert np.allclose(drawn, [float(x) for x in looks[4 * i + 3]], atol=1e-15)
    assert len(looks) == 120


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("columns", [2, 3])
def test_draws_are_uniform_and_noise_follows_its_law(columns: int) -> None:
    """Against rejection from ``cycles`` with norms in doubles, and the Gamma law of the norm."""
    space = g.MomentSpace(columns)
    ball, outer = g.moment_ball("sdp", space), g.moment_ball("cycles", space)
    source = HashedBits(f"uniform {columns}".encode())
    ours = np.array([ball.uniform(source).floats() for _ in range(400)])
    plain = np.array([outer.uniform(source).floats() for _ in range(1000)])
    plain = plain[ball.norms(plain) <= 1]
    assert len(plain) > 300
    assert ball.norms(ours).max() <= 1 + 1e-6
    for j in range(ball.dimension):
        assert stats.ks_2samp(ours[:, j], plain[:, j]).pvalue > LEAST
    for i, j in pairwise(range(ball.dimension)):
        one, two = (np.abs(x[:, i]) * np.abs(x[:, j]) for x in (ours, plain))
        assert stats.ks_2samp(one, two).pvalue > LEAST
    draws = np.array([ball.noise(1, source).floats() for _ in range(150)])
    assert stats.kstest(ball.norms(draws), stats.gamma(ball.dimension).cdf).pvalue > LEAST


@pytest.mark.nightly
def test_the_noise_of_a_product_is_that_of_the_errata() -> None:
    """p = 5: 17.95 within 3 % (errata 4.4), of 500 exact draws."""
    space = g.MomentSpace(6, tuple(range(5)))
    ball, source, d = g.moment_ball("sdp", space), HashedBits(b"errata"), space.dimension
    draws = np.array([ball.uniform(source).floats() for _ in range(500)])
    cross = (draws[:, 11:] ** 2).mean(axis=1)
    found = sqrt((d + 1) * (d + 2) * cross.mean())
    error = found * cross.std(ddof=1) / cross.mean() / 2 / sqrt(len(draws))
    assert error < 0.01 * 17.95
    assert found == pytest.approx(17.95, rel=0.03)
