"""The enclosures behind the exact minimiser, against arithmetic of 1,200 bits on hard objectives:
records far out on the loss, many alike, rows of one line, minimisers 2^-60 from the edge of a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from leastnoise.estimators import minimiser
from leastnoise.estimators.float_objective import FloatObjective, Objective, _root_up
from leastnoise.estimators.minimiser import GroupedRecords, minimise
from support.noise import Fixed

STEP = Fraction(1, 2**24)
EDGES = (35.0, 40.5, 50.0, 60.0, 75.0, 100.0, 133.25, 136.0, 140.0, 147.0, 149.0, 150.0, 300.0)


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    before, ctx.prec = ctx.prec, 1200
    yield
    ctx.prec = before


def real(value: Fraction) -> arb:
    return arb(value.numerator) / value.denominator


def plain(value: arb) -> Fraction:
    """The middle of a ball."""
    mantissa, exponent = value.mid().man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)


def along(row: Sequence[float], offset: float, point: Sequence[Fraction]) -> arb:
    z = sum((Fraction(u) * x for u, x in zip(row, point, strict=True)), Fraction(offset))
    return real(z)


def slopes(one: Objective, point: Sequence[Fraction], times: Sequence[int]) -> list[arb]:
    """The gradient of the losses, each record counted so often; targets are those of all."""
    found = [arb(0)] * one.width
    rows = zip(
        one.features.tolist(), one.offsets.tolist(), one.targets.tolist(), times, strict=True
    )
    for row, offset, target, often in rows:
        slope = one.height * often / (1 + (-along(row, offset, point)).exp()) - arb(target)
        found = [f + arb(u) * slope for f, u in zip(found, row, strict=True)]
    return found


def curved(one: Objective, point: Sequence[Fraction]) -> list[list[arb]]:
    """The Hessian."""
    m = one.width
    found = [[real(one.ridge[i]) if i == j else arb(0) for j in range(m)] for i in range(m)]
    for row, offset in zip(one.features.tolist(), one.offsets.tolist(), strict=True):
        power = (-abs(along(row, offset, point))).exp()
        bend = one.height * power / (1 + power) ** 2
        for i in range(m):
            for j in range(m):
                found[i][j] += bend * arb(row[i]) * arb(row[j])
    return found


# Gradients in integers


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("times", [1, 3, 2**31])
def test_integers_enclose_gradients_of_records_far_out(height: int, times: int) -> None:
    """|z| from 35 to 300, on both sides, each record so often."""
    rows = [(sign * u, -u) for sign in (1.0, -1.0) for u in (1.0, 2.0**-20)]
    offsets = [sign * z for z in EDGES for sign in (1.0, -1.0)]
    features = np.array([row for row in rows for _ in offsets])
    far = np.array(offsets * len(rows))
    point = [Fraction(3, 2**30), Fraction(-5, 2**33)]
    noise = Fixed(Fraction(1, 3), Fraction(-2, 7))
    ridge = (Fraction(3, 2**40), Fraction(1))
    for one in range(len(far)):  # each by itself, so that none hides behind another
        alone = slice(one, one + 1)
        target = np.array([float(times // 2)])
        asked = Objective(features[alone], far[alone], target, height, ridge, noise)
        records = GroupedRecords(
            np.rint(features[alone] * 2**20).astype(np.int64),
            far[alone],
            np.array([times]),
            target.astype(np.int64),
        )
        truth = [
            slope + real(d * x + v)
            for slope, d, x, v in zip(
                slopes(asked, point, [times]), ridge, point, noise.values, strict=True
            )
        ]
        for bits in (192, 384):
            ends = minimiser._gradient(FloatObjective(asked), records, point, bits)
            for low, high, exact in zip(*ends, truth, strict=True):
                assert arb(low) <= exact * arb(2) ** bits
                assert arb(high) >= exact * arb(2) ** bits
                assert high - low <= height * times * 2.0**-16 + 8


def test_integers_take_what_doubles_are_off_by_into_account() -> None:
    """At 2^58 a product is rounded by 16: |z| = 160 in doubles may be 145."""
    row = 1.0 - 2.0**-20
    at = Fraction(2**58 + 31 * 2**19)
    assert Fraction(row * float(at)) - Fraction(row) * at == Fraction(31, 2)
    offset = 160.0 - row * float(at)
    assert row * float(at) + offset == 160
    times, noise = 2**31, Fixed(Fraction(0))
    asked = Objective(
        np.array([[row]]), np.array([offset]), np.ones(1), 1, (Fraction(1, 2**60),), noise
    )
    records = GroupedRecords(
        np.array([[2**20 - 1]]), np.array([offset]), np.array([times]), np.array([times])
    )
    (low,), (high,) = minimiser._gradient(FloatObjective(asked), records, [at], 192)
    slope = arb(row) * times * (1 / (1 + (-along([row], offset, [at])).exp()) - 1)
    truth = (slope + real(at / 2**60)) * arb(2) ** 192
    assert arb(low) <= truth
    assert truth <= arb(high)


def test_ends_of_ridge_and_noise_are_rounded_apart() -> None:
    """No records: the gradient is d theta + V, each with a part of a unit."""
    for third in (Fraction(1, 3), Fraction(2, 3), Fraction(-1, 3), Fraction(-2, 3)):
        asked = Objective(
            np.zeros((0, 1)), np.zeros(0), np.zeros(0), 1, (abs(third),), Fixed(third)
        )
        doubles = FloatObjective(asked)
        records = minimiser._grouped(asked)
        for at in (Fraction(1), Fraction(-1), Fraction(2)):
            (low,), (high,) = minimiser._gradient(doubles, records, [at], 192)
            truth = (abs(third) * at + third) * 2**192
            assert low <= truth <= high <= low + 4


# The whole way


def near_an_edge(
    seed: int, height: int, rows: list[list[float]], size: float, ridge: Fraction, often: int
) -> tuple[Objective, Fixed, list[int]]:
    """An objective whose minimiser lies 2^-60 beside the edges of a cell, and its lattice point.

    ``size`` is about how far out on the loss the records are there.
    """
    rng = np.random.default_rng(seed)
    features = np.repeat(np.array(rows), often, axis=0)
    whole = [int(k) for k in rng.integers(-(2**20), 2**20, features.shape[1])]
    side = [int(s) for s in rng.choice([-1, 1], features.shape[1])]
    at = [k * STEP + STEP / 2 + s * Fraction(1, 2**60) for k, s in zip(whole, side, strict=True)]
    offsets = np.repeat(rng.choice([-1.0, 1.0], len(rows)) * size, often)
    n, m = features.shape
    targets = np.ones(n)
    if height == 1:
        targets[rng.random(n) < 0.5] = 0.0
    ridges = tuple(ridge * (1 + 2 * j) for j in range(m))
    asked = Objective(features, offsets, targets, height, ridges, Fixed())
    pull = slopes(asked, at, [1] * n)
    noise = Fixed(*(-plain(p) - d * x for p, d, x in zip(pull, ridges, at, strict=True)))
    made = Objective(features, offsets, targets, height, ridges, noise)
    return made, noise, [k + (s > 0) for k, s in zip(whole, side, strict=True)]


LINES = {
    "apart": [[1.0, 0.5], [-0.25, 1.0], [1.0, -1.0]],
    "one line": [[1.0, 1.0], [-0.5, -0.5], [0.25, 0.25]],
    "nearly one line": [[1.0, 1.0], [1.0, 1.0 - 2.0**-20]],
    "one": [[1.0], [-1.0]],
}


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("shape", LINES)
@pytest.mark.parametrize("size", [0.0, 38.0, 50.0, 149.0])
def test_a_minimiser_beside_an_edge_is_rounded_to_its_own_side(
    height: int, shape: str, size: float
) -> None:
    for seed, (ridge, often) in enumerate([(Fraction(1, 2**12), 300), (Fraction(3), 1)]):
        asked, _, point = near_an_edge(seed, height, LINES[shape], size, ridge, often)
        assert minimise(asked, STEP) == point


# Doubles


def test_sums_in_doubles_are_off_by_no_more_than_their_reach() -> None:
    """At each point that rounds to this one: far ones that cancel, and offsets far away."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        size, far = 10.0 ** rng.uniform(-3, 15), 10.0 ** rng.uniform(-3, 6) * rng.integers(0, 2)
        features = np.rint(rng.uniform(-1, 1, (9, 3)) * 2**20) / 2**20
        offsets = rng.normal(size=9) * far
        asked = Objective(features, offsets, np.ones(9), 1, (Fraction(1),) * 3, Fixed(*[0] * 3))
        doubles, place = FloatObjective(asked), rng.normal(size=3) * size
        reach, found = arb(doubles.reach(place)), doubles.along(place)
        halves = [Fraction(float(np.spacing(x))) * Fraction(99, 200) for x in place]
        for side in (-1, 0, 1):
            point = [Fraction(float(x)) + side * h for x, h in zip(place, halves, strict=True)]
            for row, o, z in zip(features.tolist(), offsets.tolist(), found.tolist(), strict=True):
                assert abs(along(row, o, point) - arb(z)) <= reach


@pytest.mark.parametrize("size", [61.0, 75.0])
def test_slopes_that_are_held_are_in_the_bounds(size: float) -> None:
    """Beyond 60 a slope is as far from its end as at 60: 2^-86, for each of many records."""
    n = 1000
    asked = Objective(
        np.ones((n, 1)), np.full(n, -size), np.zeros(n), 1, (Fraction(1),), Fixed(Fraction(0))
    )
    here = FloatObjective(asked).at(np.zeros(1))
    truth = n / (1 + arb(size).exp())
    assert abs(truth - arb(float(here.gradient[0]))) <= arb(float(here.error[0]))


def test_noise_of_any_size_is_in_the_bounds() -> None:
    for exponent in (0, 20, 40, 60, 78, 90):
        for third in (Fraction(1, 3), Fraction(-5, 7)):
            value = third / 2**exponent
            asked = Objective(
                np.zeros((0, 1)), np.zeros(0), np.zeros(0), 1, (Fraction(1),), Fixed(value)
            )
            here = FloatObjective(asked).at(np.zeros(1))
            assert abs(Fraction(float(here.gradient[0])) - value) <= Fraction(float(here.error[0]))


def test_roots_are_rounded_up() -> None:
    for exponent in (-400, -63, 0, 1, 64, 333):
        for share in (Fraction(1), Fraction(2), Fraction(10, 7), 1 + Fraction(1, 2**80)):
            square = share * Fraction(2) ** exponent
            assert square <= _root_up(square) ** 2 <= square * (1 + Fraction(1, 2**40))


# The box


def beside(height: int, offset: float, shift: float) -> Objective:
    """One record and hardly any ridge: the minimiser is at ``shift``."""
    ridge = (Fraction(1, 2**30),)
    asked = Objective(
        np.ones((1, 1)), np.array([offset]), np.ones(1), height, ridge, Fixed(Fraction(0))
    )
    at = [Fraction(shift)]
    noise = Fixed(-plain(slopes(asked, at, [1])[0]) - ridge[0] * at[0])
    return Objective(asked.features, asked.offsets, asked.targets, height, ridge, noise)


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("offset", [0.0, 3.0, -3.0, 20.0])
def test_the_box_holds_the_minimiser_where_the_bend_falls(height: int, offset: float) -> None:
    """The Hessian falls on the way there: by e^-shift, far out on the loss."""
    for shift in (0.0, 2.0**-30, 0.22, -0.22, 0.3, 0.45, 0.6, -0.6, 1.0, 2.0, 5.0, -5.0):
        doubles = FloatObjective(beside(height, offset, shift))
        here = doubles.at(np.zeros(1))
        sizes = [Fraction(float(x)) for x in np.abs(here.gradient) + here.error]
        (radius,) = doubles.bend(here).radii(sizes)
        assert abs(Fraction(shift)) <= radius
        if shift * offset == 0.66:  # and it says something
            assert radius < 2.3 * abs(shift)


@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("shape", LINES)
@pytest.mark.parametrize("size", [0.0, 2.0, 38.0])
def test_the_least_bend_is_below_the_eigenvalues(height: int, shape: str, size: float) -> None:
    """H - least is definite, by a factorisation in 1,200 bits; and the slopes are as bounded."""
    for seed, (ridge, often) in enumerate([(Fraction(1, 2**30), 50), (Fraction(1, 8), 1)]):
        asked, noise, _ = near_an_edge(seed, height, LINES[shape], size, ridge, often)
        doubles = FloatObjective(asked)
        for place in (
            np.zeros(asked.width),
            np.full(asked.width, 1 / 3),
            np.full(asked.width, 1e4),
        ):
            here = doubles.at(place)
            point = [Fraction(x) for x in place.tolist()]
            exact = slopes(asked, point, [1] * asked.rows)
            for j, slope in enumerate(exact):
                truth = slope + real(asked.ridge[j] * point[j] + noise.values[j])
                assert abs(truth - arb(float(here.gradient[j]))) <= arb(float(here.error[j]))
            bend = doubles.bend(here)
            rest = curved(asked, point)
            for i in range(asked.width):
                for j in range(asked.width):
                    rest[i][j] /= real(bend.scales[i] * bend.scales[j])
                rest[i][i] -= arb(bend.least)
            for k in range(asked.width):
                assert rest[k][k] > 0
                for i in range(k + 1, asked.width):
                    part = rest[i][k] / rest[k][k]
                    rest[i] = [a - part * b for a, b in zip(rest[i], rest[k], strict=True)]
