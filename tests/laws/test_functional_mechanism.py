"""The functional mechanism: exact moments, balls that hold their differences, broken conditions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise import ApproxDP, audit
from leastnoise.estimators import PrivateLinearRegression, linear_moments, moments, residuals
from leastnoise.estimators.linear_noise import ball_of
from leastnoise.estimators.matrix import open_matrix
from leastnoise.estimators.moments import (
    UNIT,
    exact_sums,
    exclusive_only,
    fitted_ridge,
    from_vector,
    moment_vector,
    noise_size,
    solve,
    solve_pseudo,
)
from leastnoise.geometry import LpBall, MomentCone, MomentSpace, moment_ball
from leastnoise.laws import RoundedLaplaceLaw
from leastnoise.randomness import HashedBits
from leastnoise.testing import simulate

KINDS = ("l1", "linf", "paper", "plus", "tri", "cycles", "sdp", "blocks")
GRID = [Fraction(k, 4) for k in range(-4, 5)]


def scaled(rows: Any) -> Any:
    return np.array(rows, dtype=float)


def exact_vector(record: Any, space: MomentSpace) -> list[int]:
    return moment_vector(exact_sums(scaled([record]), np.array([True])), space)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from(GRID)] * 3), max_size=6))
def test_sums_are_those_of_the_definition(rows: list[tuple[Fraction, ...]]) -> None:
    space = MomentSpace(3, (0, 1))
    matrix = scaled(rows).reshape(-1, 3)
    found = moment_vector(exact_sums(matrix, np.ones(len(rows), dtype=bool)), space)
    expected = [Fraction(0)] * space.dimension
    for row in rows:
        expected = [a + b for a, b in zip(expected, space.vector(row), strict=True)]
    assert [value * UNIT for value in found] == expected


def test_sums_over_many_rows_are_exact() -> None:
    rng = np.random.default_rng(2)
    whole = rng.integers(-(2**20), 2**20, (30_000, 3), endpoint=True)
    found = exact_sums(whole / 2.0**20, np.ones(len(whole), dtype=bool)).gram
    expected = [[sum(int(a) * int(b) for a, b in zip(x, y, strict=True)) for y in whole.T]
                for x in whole.T]  # fmt: skip
    assert found[1:, 1:].tolist() == expected


@pytest.mark.parametrize("groups", [(), ((0, 1),), ((0, 1), (2, 3))])
def test_the_matrix_of_moments_comes_back_from_the_vector(groups: Any) -> None:
    rng = np.random.default_rng(3)
    z = np.rint(rng.uniform(-1, 1, (50, 5)) * 2**20) / 2**20
    z = exclusive_only(z, groups)
    space = MomentSpace(5, tuple(range(4)), groups)
    values = moment_vector(exact_sums(z, np.ones(50, dtype=bool)), space)
    made = from_vector([float(v * UNIT) for v in values], 50, space)
    full = np.column_stack([np.ones(50), z])
    expected = full.T @ full
    expected[-1, -1] = 0  # the response's own square is not released
    assert np.allclose(made.gram, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("groups", [(), ((0, 1),)])
def test_every_difference_of_two_records_is_in_the_ball(kind: str, groups: Any) -> None:
    space = MomentSpace(3, (0, 1), groups)
    ball = ball_of(kind, space, alone=False)
    values = (-1, Fraction(-1, 2), 0, Fraction(3, 4), 1)
    records = [
        tuple(row)
        for row in exclusive_only(scaled(list(product(values, repeat=3))), groups).tolist()
    ]
    vectors = [[v * UNIT for v in exact_vector(r, space)] for r in sorted(set(records))]
    rng = np.random.default_rng(4)
    for i, j in rng.integers(0, len(vectors), (150 if kind == "sdp" else 1500, 2)).tolist():
        difference = [a - b for a, b in zip(vectors[i], vectors[j], strict=True)]
        # the norm of "sdp" is algebraic, and its bound may lie 2^-20 above it; that the differences
        # are inside is exact in test_semidefinite
        assert ball.bound(difference) <= (1 + Fraction(1, 2**20) if kind == "sdp" else 1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_by_itself_is_in_the_ball_where_the_count_is_private(kind: str) -> None:
    space = MomentSpace(3, (0, 1))
    for alone in (True, False):
        ball = ball_of(kind, space, alone=alone)
        for record in product((-1, Fraction(-1, 2), 0, Fraction(3, 4), 1), repeat=3):
            assert ball.bound(space.vector(record)) <= 1


# What breaks when a condition is broken


def test_the_ball_of_additions_does_not_hold_replacements() -> None:
    space = MomentSpace(2, (0,))
    one, other = space.vector((1, 1)), space.vector((-1, 1))
    difference = [a - b for a, b in zip(one, other, strict=True)]
    assert ball_of("linf", space, alone=True).bound(difference) == 2
    assert ball_of("linf", space, alone=False).bound(difference) == 1


def test_an_entry_beyond_the_bounds_leaves_the_ball() -> None:
    space = MomentSpace(2, (0,))
    one, other = space.vector((Fraction(5, 4), 1)), space.vector((-1, 1))
    assert moment_ball("tri", space).bound([a - b for a, b in zip(one, other, strict=True)]) > 1


def test_indicators_that_are_not_exclusive_leave_the_ball_of_a_group() -> None:
    space = MomentSpace(4, (0, 1, 2), ((0, 1, 2),))
    ball = moment_ball("linf", space)
    both, none = space.vector((1, 1, 1, 1)), space.vector((-1, -1, -1, -1))
    held = exclusive_only(scaled([(1, 1, 1, 1)]), space.exclusive).tolist()[0]
    assert held == [1.0, -1.0, -1.0, 1.0]
    tight = moment_ball("paper", space)
    gap = [a - b for a, b in zip(both, none, strict=True)]
    assert tight.bound(gap) > 1 or ball.bound(gap) > 1
    kept = space.vector([Fraction(x) for x in held])
    assert tight.bound([a - b for a, b in zip(kept, none, strict=True)]) <= 1


def test_one_record_of_a_group_by_itself_would_leave_it() -> None:
    """Coded -1, absent indicators leave the ball of a group; coded 2 x = 0 they do not.

    The fit does not rely on it: without a public number of rows it uses groups with the cone alone.
    """
    space = MomentSpace(6, (), ((0, 1, 2, 3, 4),))
    record = (-1, -1, -1, -1, -1, 0)
    coded = space.vector(record)
    plain = [*record, *coded[6:]]
    assert moment_ball("paper", space).bound(plain) > 1
    assert moment_ball("paper", space).bound(coded) <= 1
    model = PrivateLinearRegression(
        bounds=(0, 1), target_bounds=(0, 1), exclusive=[[0, 1, 2]], relation="add-remove",
        ball="tri",
    )  # fmt: skip
    from leastnoise.estimators.private import promise

    asked = promise(1, "add-remove", None, None)
    assert model._request(open_matrix(np.zeros((0, 3)), None), asked).space.exclusive == ()


def test_sums_in_doubles_are_not_those_of_the_records() -> None:
    """Above 2^13 rows a sum in doubles forgets low bits, so that one record, at the end of the
    ball, moves it by more than the ball allows; the exact sums do not."""
    space = MomentSpace(2, (0,))
    ball = ball_of("linf", space, alone=True)
    record = [1.0, 1.0]

    def in_doubles(z: Any) -> list[Fraction]:
        full = np.column_stack([np.ones(len(z)), z])
        gram = [[int(np.add.accumulate(a * b)[-1] * 2.0**40) for a in full.T] for b in full.T]
        sums = exact_sums(z, np.ones(len(z), dtype=bool))
        sums = replace(sums, gram=np.array(gram, dtype=object))
        return [v * UNIT for v in moment_vector(sums, space)]

    def exactly(z: Any) -> list[Fraction]:
        return [v * UNIT for v in moment_vector(exact_sums(z, np.ones(len(z), dtype=bool)), space)]

    def moved(sums: Any, z: Any) -> Fraction:
        longer = np.vstack([[record], z])
        return ball.bound([a - b for a, b in zip(sums(longer), sums(z), strict=True)])

    norms: dict[str, list[Fraction]] = {"exact": [], "doubles": []}
    for seed in range(2):
        z = np.rint(np.random.default_rng(seed).uniform(0.8, 1, (24_000, 2)) * 2**20) / 2**20
        norms["exact"].append(moved(exactly, z))
        norms["doubles"].append(moved(in_doubles, z))
    assert max(norms["exact"]) == 1
    assert max(norms["doubles"]) > 1


def test_noise_in_doubles_tells_sums_apart() -> None:
    """One sum of z in [-1, 1]: noise -ln(u)/a of a uniform of eight bits, as a double and added to
    the sum, gives one data set answers that its neighbour cannot have."""
    uniforms = [(k + 0.5) / 256 for k in range(256)]
    noise = [sign * -2 * log(u) for u in uniforms for sign in (1, -1)]

    def law_of(data: tuple[float, ...]) -> audit.Probabilities:
        total = sum(map(Fraction, data))
        counts = Counter(float(total) + v for v in noise)
        return audit.Probabilities({y: Fraction(k, len(noise)) for y, k in counts.items()})

    def rounded(data: tuple[float, ...]) -> RoundedLaplaceLaw:
        total = int(sum(map(Fraction, data)) * 4)
        return RoundedLaplaceLaw(total, lambda bits: (8 << bits, 8 << bits), Fraction(1, 4))

    settings: dict[str, Any] = {"universe": (-1.0, 0.25, 1.0), "n": 2, "claim": ApproxDP(1, "1e-9")}
    assert audit.exact_law(law_of, **settings).lo > Fraction(1, 2)
    assert audit.exact_law(rounded, **settings).passed


def test_the_noise_has_the_rate_of_the_ball() -> None:
    """The K-norm of the noise is Gamma(d, epsilon): mean d / epsilon, here over 300 fits."""
    norms: list[float] = []
    original = moments.noisy

    def watched(values: Any, ball: Any, rate: Fraction, source: Any) -> Any:
        released = original(values, ball, rate, source)
        noise = [float((a - b) * UNIT) for a, b in zip(released, values, strict=True)]
        norms.append(float(ball.norms(np.array([noise]))[0]))
        return released

    model = PrivateLinearRegression(epsilon="1/2", bounds=(0, 2), target_bounds=(-1, 1), ball="tri")
    X, y = np.array([[0.0, 1.0], [2.0, 0.5]]), np.array([0.3, -0.2])
    with pytest.MonkeyPatch.context() as patch, simulate(5):
        patch.setattr(linear_moments, "noisy", watched)
        for _ in range(300):
            model.fit(X, y)
    d = 8
    assert np.mean(norms) == pytest.approx(2 * d, abs=4 * 2 * d**0.5 / 300**0.5)


def test_noise_without_its_count_is_seen_where_the_count_is_private() -> None:
    asked = PrivateLinearRegression(bounds=(0, 1), target_bounds=(0, 1), missing="drop")
    from leastnoise.estimators.private import promise

    request = asked.set_params(ball="tri")._request(
        open_matrix(np.zeros((0, 2)), None), promise(1, None, None, None)
    )
    assert request.ball.dimension == request.space.dimension + 1
    moved = [Fraction(1), *(Fraction(x) for x in request.space.vector((1, 1, 1)))]
    assert request.ball.bound(moved) <= 1
    fits = asked.fit(np.array([[0.2, np.nan], [0.5, 0.1]]), [0.3, 0.4])
    assert not fits.release_.n_public
    assert fits.release_.profile_relation == "edit"


@pytest.mark.parametrize("ball", ["cone", "l1"])
@pytest.mark.parametrize(
    ("relation", "missing"),
    [("add-remove", "none"), ("edit", "none"), ("replace-one", "drop"), ("replace-one", "none")],
)
def test_a_model_is_made_of_noisy_numbers_alone(
    ball: str, relation: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same noisy numbers for all data, all data give the same model."""
    same = [(7 * i * i % 11 + 2) * int(1 / UNIT) for i in range(50)]
    monkeypatch.setattr(linear_moments, "noisy", lambda values, *noise: same[: len(values)])
    found: list[Any] = []
    for more in (0, 4 if (relation, missing) != ("replace-one", "none") else 0):
        x = [[0.1, 0.2 - more / 10], [0.3, -1.0], [-0.5, 0.9 - more / 5], *[[0.7, 0.7]] * more]
        model = PrivateLinearRegression(
            bounds=(-1, 1), target_bounds=(-1, 1), ball=ball, relation=relation, missing=missing
        ).fit(np.array(x), np.linspace(-1, 1, len(x)))
        found.append((model.release_.value, model.moments_.tolist()))
    assert found[0] == found[1]


def test_the_cone_takes_its_full_rate_only_where_one_record_is_added_or_removed() -> None:
    from leastnoise.estimators.private import promise

    model = PrivateLinearRegression(
        bounds=(0, 1), target_bounds=(0, 1), ball="cone", intervals=False
    )
    for relation, rate in (("replace-one", 3), ("edit", 3), ("add-remove", 6)):
        request = model._request(
            open_matrix(np.zeros((0, 2)), None), promise(3, relation, None, None)
        )
        assert request.rate == rate
        assert request.ball.dimension == request.space.dimension + (relation != "replace-one")


# Residuals


def residuals_of(rows: Any, coefficients: Any, epsilon: int = 1) -> Any:
    z = np.array(rows, dtype=float).reshape(-1, 3)
    left = residuals.residuals_of(z[:, :2], z[:, 2], np.array(coefficients), intercept=True)
    return residuals.squares_of(left, np.ones(len(z), dtype=bool), Fraction(epsilon))


@pytest.mark.parametrize(
    "coefficients", [[0, 1, -1], [0.3, 7e300, -7e300], [-0.5, 1e-300, 9.0], [1e308, 1e308, 1e308]]
)
def test_one_record_moves_the_squares_of_residuals_by_one_at_most(coefficients: Any) -> None:
    records = list(product((-1.0, 0.25, 1.0), repeat=3))
    alone = [residuals_of([record], coefficients).centre for record in records]
    assert min(alone) >= 0
    assert max(alone) <= 2**20
    law = residuals_of(records, coefficients, 3)
    assert law.centre == sum(alone)  # each record's own number, whatever the others are
    assert law.rate == Fraction(3, 2**20)


def test_squares_of_residuals_of_rows_that_do_not_count_are_left_out() -> None:
    z = np.array([[0.5, 0.5], [0.25, 1.0]])
    kept = np.array([True, False])
    left = residuals.residuals_of(z, np.zeros(2), np.array([1.0, 0.0]), intercept=False)
    law = residuals.squares_of(left, kept, Fraction(1))
    assert law.centre == 2**18


# Post-processing


def test_the_solution_of_exact_moments_is_least_squares() -> None:
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, (200, 3))
    y = X @ [0.3, -0.2, 0.1] + 0.05
    full = np.column_stack([np.ones(200), X, y])
    made = moments.NoisyMoments(200, full.T @ full)
    for intercept in (True, False):
        design = full[:, (0 if intercept else 1) : -1]
        expected = np.linalg.lstsq(design, y, rcond=None)[0]
        for found in (
            solve(made, 0.0, 1.0, intercept=intercept),
            solve(made, None, 1e-9, intercept=intercept),
            solve_pseudo(made, intercept=intercept),
        ):
            assert np.allclose(found, expected)


def test_the_ridge_grows_where_noise_drowns_the_signal() -> None:
    """Least estimated error: nearly none for clear moments, many noises for pure noise."""
    clear = np.diag([1e4, 1e4]), np.array([5e3, -5e3])
    drowned = np.diag([3.0, 1.0]), np.array([1e-2, -1e-2])
    for intercept in (True, False):
        assert fitted_ridge(*clear, 10.0, 10.0, intercept=intercept) < 1
        assert fitted_ridge(*drowned, 10.0, 10.0, intercept=intercept) > 100
    nothing = np.zeros((2, 2)), np.zeros(2)
    assert np.isfinite(fitted_ridge(*nothing, 10.0, 10.0, intercept=True))


@pytest.mark.parametrize("kind", ["linf", "paper", "tri", "cone", "l1"])
def test_the_public_size_of_the_noise_is_about_two_thirds_of_what_is_drawn(kind: str) -> None:
    space = MomentSpace(4, (0, 1, 2))
    ball: Any = MomentCone(space) if kind == "cone" else moment_ball(kind, space)
    source = HashedBits(b"size")
    drawn = np.array([ball.noise(Fraction(1), source).floats()[7:] for _ in range(200)])
    size = noise_size(kind, space, Fraction(1), alone=False)
    assert 0.5 < size / np.sqrt(np.square(drawn).mean()) < 0.8


def test_a_ball_by_another_name_is_refused() -> None:
    model = PrivateLinearRegression(bounds=(0, 1), target_bounds=(0, 1), ball="l3")
    with pytest.raises(ValueError, match="ball"):
        model.fit(np.ones((1, 1)), [1])
    assert LpBall("inf", 2).dimension == 2


@pytest.mark.parametrize("p", [1, 2, 5])
def test_how_much_of_the_l1_ball_two_records_are_seen_to_reach(p: int) -> None:
    space = MomentSpace(p + 1, tuple(range(p)))
    pair = space.vector([1] * (p + 1)), space.vector([0] * p + [-1])
    reached = sum(abs(a - b) for a, b in zip(*pair, strict=True))
    assert reached == 4 * p + Fraction(p * (p - 1), 2) + 2
    share = {1: Fraction(3, 4), 2: Fraction(11, 16), 5: Fraction(8, 13)}[p]
    assert Fraction(reached) / (2 * space.dimension) == share


@pytest.mark.parametrize("p", [1, 2, 3])
def test_no_pair_of_a_grid_is_farther_apart_in_l1(p: int) -> None:
    steps = {1: 9, 2: 9, 3: 5}[p]
    records = np.array(list(product(np.linspace(-1, 1, steps), repeat=p + 1)))
    space = MomentSpace(p + 1, tuple(range(p)))
    vectors = np.array([space.vector(record) for record in records.tolist()], dtype=np.float64)
    most = max(float(np.abs(vectors - one).sum(axis=1).max()) for one in vectors)
    assert most == 4 * p + p * (p - 1) / 2 + 2
