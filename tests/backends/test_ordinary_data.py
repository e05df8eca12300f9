"""Ordinary columns are answered as numpy answers them, where epsilon hides nothing.

Of flags, ages, pays, coordinates and their like: each statistic by its default, in bounds that fit
and in loose ones, and the same of every front end. Noise is drawn by a seed.
"""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.testing import simulate
from support.fronts import BARE, FRONTS
from support.ordinary import PLAIN, SHAPES, Bounds, Column, column

RELATIONS = ("replace-one", "add-remove", "edit")
LOOSE = 1000
HUGE = 10**6
CASES = tuple(product(PLAIN, (1, LOOSE)))


def allowed(name: str, numbers: Any, bounds: Bounds, epsilon: float, step: str) -> float:
    """How far an answer may lie from the plain number.

    A step of its lattice, a hundredth of the spread of the numbers, and a dozen scales of the noise
    for the bounds, twice over where the number of rows has noise of its own.
    """
    rows, spread, width = len(numbers), float(np.ptp(numbers)), bounds[1] - bounds[0]
    size = float(np.abs(numbers).max())
    above, _, below = step.partition("/")
    lattice = 1.01 * int(above) / int(below or 1)
    noise = 24 * PLAIN[name].reach(width, rows) / epsilon
    match name:
        case "Count":
            return lattice + noise
        case "Sum":
            return lattice + noise + rows * (0.01 * spread + 1e-12 * size)
        case "Variance":
            return lattice + noise + 0.01 * spread**2
        case "StandardDeviation":  # the root of a variance
            return lattice + 0.01 * spread + 5 * width / math.sqrt(rows * epsilon)
        case "Minimum" | "Maximum":  # as far as candidates are apart
            return lattice + noise + 0.01 * spread + min(width / 2**14, size / 700)
        case _:
            return lattice + noise + 0.01 * spread + 1e-12 * size


def check(name: str, data: Column, table: Any, times: int, **options: Any) -> None:
    """A release is the plain number."""
    bounds, plain = data.loose(times), PLAIN[name]
    numbers = data.clipped(bounds)
    release = ln.release(plain.make(bounds), table, **options)
    low, high = plain.truth(numbers)
    off = allowed(name, numbers, bounds, float(options["epsilon"]), release.step)
    assert low - off <= release.value <= high + off, (release.to_json(), low, high, off)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_huge_epsilon_gives_the_plain_number(shape: str) -> None:
    data, turn = column(shape, 200), SHAPES.index(shape)
    for place, (name, times) in enumerate(CASES):
        if (place + place // 2 + turn) % 2:  # each statistic with each width on every other shape
            continue
        relation = RELATIONS[(place + turn) % 3]
        with simulate(place):
            check(name, data, {"v": data.entries}, times, epsilon=HUGE, relation=relation)


@pytest.mark.nightly
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", PLAIN)
def test_large_epsilons_give_the_plain_number(name: str, shape: str) -> None:
    for place, cell in enumerate(product((1, 30, LOOSE), RELATIONS, (100, 1000, 10_000))):
        times, relation, rows = cell
        data = column(shape, rows, seed=1)
        for epsilon in (10**4, HUGE):
            with simulate(place):
                check(name, data, {"v": data.entries}, times, epsilon=epsilon, relation=relation)


def front_end(front: str, data: Column, folder: Path) -> Any:
    """A column called v, as a front end has it."""
    whole = all(v is None or type(v) is int for v in data.entries)
    table = FRONTS[front](data.entries, "int" if whole else "float", folder)
    return {"v": table} if front in BARE else table


@pytest.mark.parametrize("front", FRONTS)
def test_every_front_end_gives_the_plain_number(front: str, tmp_path: Path) -> None:
    turn = list(FRONTS).index(front)
    for place in range(turn % 5, len(SHAPES), 5):
        data, name = column(SHAPES[place], 200), tuple(PLAIN)[(place + turn) % len(PLAIN)]
        with simulate(place):
            check(name, data, front_end(front, data, tmp_path), 1, epsilon=HUGE)


@pytest.mark.nightly
@pytest.mark.parametrize("front", FRONTS)
def test_every_front_end_gives_every_plain_number(front: str, tmp_path: Path) -> None:
    for shape in SHAPES:
        data = column(shape, 200)
        table = front_end(front, data, tmp_path)
        for name, times in CASES:
            with simulate(shape):
                check(name, data, table, times, epsilon=HUGE)


@pytest.mark.parametrize("epsilon", [9, HUGE])
@pytest.mark.parametrize("shape", ["small shares", "pays", "latitudes", "ratings", "years"])
def test_losses_in_loose_bounds_are_right_at_large_epsilons(shape: str, epsilon: float) -> None:
    """They were of the size of the bounds above epsilon 8, where no nearer limits are found."""
    data = column(shape, 300)
    bounds = data.loose(LOOSE)
    target = data.clipped(bounds)
    errors = np.random.default_rng(0).normal(0, target.std() / 3, len(target))
    predicted = np.clip(target - errors, *bounds)
    squared = float(np.mean((target - predicted) ** 2))
    table = {"y": target, "p": predicted}
    near = 0.2 if epsilon < HUGE else 0.01
    with simulate(0):
        found = ln.release(ln.MeanSquaredError("y", "p", bounds=bounds), table, epsilon=epsilon)
    assert found.value == pytest.approx(squared, rel=near)
    with simulate(0):
        found = ln.release(ln.Variance("y", bounds=bounds), table, epsilon=epsilon)
    assert found.value == pytest.approx(target.var(), rel=near)
    if epsilon == HUGE:
        with simulate(0):
            found = ln.release(ln.R2("y", "p", bounds=bounds), table, epsilon=epsilon)
        assert found.value == pytest.approx(1 - squared / target.var(), abs=0.01)
