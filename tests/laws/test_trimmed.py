"""Vectors of trimmed means: radii obey their law, noise follows the middle records."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.geometry import LpBall
from leastnoise.profiles.vector import VectorProfile
from leastnoise.session.prepare import plan
from leastnoise.testing import simulate

F = Fraction
BOUNDS = [(0, 10), (0, 4)]
UNIVERSE = tuple(product((0, 5, 10), (0, 4)))


def profile_of(statistic: Any, rows: Any) -> VectorProfile:
    data = np.array(rows, dtype=np.int64).reshape(-1, 2)
    prepared = plan(statistic, data, "replace-one", "none")
    summary = prepared.table.summarise(prepared.request, 0)
    return statistic.vector(summary, prepared.request, prepared.profile_relation)


def norm(a: VectorProfile, b: VectorProfile) -> Fraction:
    moves = zip(a.value, b.value, a.units, strict=True)
    return max(abs(x - y) * unit for x, y, unit in moves)


@pytest.mark.parametrize("trim", ["0", "1/4", "1/3"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_radii_obey_definition_5_1(trim: str, n: int):
    """R_1 bounds every change, and R_l(x') <= R_(l+1)(x), for all neighbours of small tables."""
    statistic, ball = ln.TrimmedMeanVector(bounds=BOUNDS, trim=trim), LpBall("inf", 2)
    known = {
        rows: profile_of(statistic, rows) for rows in combinations_with_replacement(UNIVERSE, n)
    }
    for rows, p in known.items():
        radii = [p.radius(ball, l) for l in range(1, 7)]
        assert max(radii) <= p.sensitivity(ball)
        for old in set(rows):
            rest = list(rows)
            rest.remove(old)
            for new in UNIVERSE:
                q = known[tuple(sorted([*rest, new]))]
                assert norm(p, q) <= radii[0]
                for l in range(1, 6):
                    assert q.radius(ball, l) <= radii[l]


def test_the_radius_of_this_table_alone_breaks_the_law():
    """R_l = R_1 at every l: the mutation of condition 2 of the piecewise K-norm mechanism."""
    statistic, ball = ln.TrimmedMeanVector(bounds=BOUNDS, trim="1/4"), LpBall("inf", 2)
    p = profile_of(statistic, [(5, 0)] * 4)
    q = profile_of(statistic, [(5, 0)] * 3 + [(10, 4)])
    assert q.radius(ball, 1) > p.radius(ball, 1)
    assert q.radius(ball, 1) <= p.radius(ball, 2)


def test_tables_of_other_sizes_are_not_within_the_radius():
    """Condition 1: one equal record less moves the sum of what stays by a whole record."""
    statistic, ball = ln.TrimmedMeanVector(bounds=BOUNDS, trim="1/4"), LpBall("inf", 2)
    p, q = (profile_of(statistic, [(10, 4)] * n) for n in (8, 7))
    assert p.radius(ball, 1) == 0
    assert norm(p, q) >= 1


def test_a_record_that_moves_a_column_by_two_ranks_breaks_the_law():
    """Condition 3: every record twice, so that one replaced record is two places in the order."""
    statistic, ball = ln.TrimmedMeanVector(bounds=BOUNDS, trim="1/4"), LpBall("inf", 2)
    tables = ([(0, 0), (5, 0), (5, 0), (10, 0)], [(0, 0), (5, 0), (10, 0), (10, 0)])
    p, q = (profile_of(statistic, rows) for rows in tables)
    assert norm(p, q) <= p.radius(ball, 1)
    p, q = (profile_of(statistic, [row for row in rows for _ in range(2)]) for rows in tables)
    assert norm(p, q) == 2 * p.radius(ball, 1)


def trimmed(column: list[float], trim: Fraction) -> float:
    cut = int(len(column) * trim)
    kept = sorted(column)[cut : len(column) - cut]
    return sum(kept) / len(kept)


@pytest.mark.parametrize("trim", [F(0), F(1, 10), F(2, 5)])
def test_values_are_the_trimmed_means(trim: Fraction):
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 1000, (200, 3))
    statistic = ln.TrimmedMeanVector(columns=3, bounds=(0, 1000), trim=trim)
    with simulate(1):
        found = ln.release(statistic, rows, epsilon=10**6).value
    assert found == pytest.approx([trimmed(rows[:, j].tolist(), trim) for j in range(3)], abs=0.01)


def test_noise_follows_the_middle_records():
    """Wide limits, records close together: the mean error is a small part of K-norm noise."""
    rng = np.random.default_rng(2)
    rows = np.clip(np.rint(rng.normal(500, 5, (2000, 3))), 0, 100_000).astype(np.int64)
    statistic = ln.TrimmedMeanVector(columns=3, bounds=(0, 100_000), trim="0.1")
    truth = np.array([trimmed(rows[:, j].tolist(), F(1, 10)) for j in range(3)])
    errors: dict[str, float] = {}
    with simulate(7):
        for mechanism in (ln.PiecewiseKNorm(), ln.KNorm()):
            drawn = [
                ln.release(statistic, rows, epsilon=1, mechanism=mechanism).value for _ in range(15)
            ]
            errors[type(mechanism).__name__] = float(np.abs(np.array(drawn) - truth).mean())
    assert errors["PiecewiseKNorm"] < errors["KNorm"] / 100


@pytest.mark.parametrize(
    "rows", [[], [[3, 1]], [[10**9, -5]], [[float("nan"), 2.0], [1.0, float("inf")]]]
)
def test_every_table_gives_means_inside_the_limits(rows: Any):
    data = np.array(rows, dtype=np.float64).reshape(-1, 2)
    record = ln.release(ln.TrimmedMeanVector(bounds=BOUNDS), data, epsilon=1, missing="none")
    assert all(lo <= v <= hi for v, (lo, hi) in zip(record.value, BOUNDS, strict=True))
    assert record.sensitivity == "instance"


def test_parameters_are_refused():
    for trim in ("1/2", -1):
        with pytest.raises(ParameterError, match="trim"):
            ln.TrimmedMeanVector(bounds=BOUNDS, trim=trim)
    with pytest.raises(ParameterError, match="public number of rows"):
        ln.release(
            ln.TrimmedMeanVector(bounds=BOUNDS), np.zeros((3, 2), int), epsilon=1, relation="edit"
        )
    with pytest.raises(ParameterError, match="public number of rows"):
        ln.release(ln.TrimmedMeanVector(bounds=BOUNDS), np.zeros((3, 2)), epsilon=1)
    with pytest.raises(ParameterError, match="ball"):
        ln.release(
            ln.TrimmedMeanVector(bounds=BOUNDS),
            np.zeros((3, 2), int),
            epsilon=1,
            mechanism=ln.PiecewiseKNorm("tri"),
        )


def test_columns_of_a_frame():
    frame = {"age": list(range(20, 80)), "pay": list(range(100, 160))}
    statistic = ln.TrimmedMeanVector(bounds={"age": (0, 120), "pay": (0, 1000)}, trim="0.2")
    record = ln.release(statistic, frame, epsilon=50, missing="none")
    assert record.value == pytest.approx([49.5, 129.5], abs=5)
    assert record.mechanism == "PiecewiseKNorm('linf')"
