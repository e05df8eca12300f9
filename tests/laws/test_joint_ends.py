"""Losses and R2 with their intervals: the joint law of all that is drawn, on every path."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from support.enumerated import Paths, lost, pairs, paths, whole
from support.paths import Recorder, recorder

# A target and a prediction.
UNIVERSE = ((0, 0), (0, 2), (2, 0))
LIMITS: dict[str, Any] = {"bounds": (0, 2)}
ASKED: dict[str, Any] = {
    "error": ln.WithInterval(ln.MeanAbsoluteError(**LIMITS)),
    "squared error alone": ln.WithInterval(ln.MeanSquaredError(**LIMITS), favour="interval"),
    "error of a population": ln.WithInterval(ln.MeanAbsoluteError(**LIMITS), of="population"),
    "R2": ln.WithInterval(ln.R2(**LIMITS, floor=-2), favour="interval"),
    "variance of a population": ln.WithInterval(ln.Variance(**LIMITS), of="population"),
}


@pytest.fixture(scope="module")
def drawn() -> Iterator[Recorder]:
    with recorder() as found:
        yield found


def law_of(drawn: Recorder, name: str, relation: str, data: tuple[Any, ...]) -> Paths:
    rows = np.array(data, dtype=np.int64).reshape(len(data), 2)
    columns = rows[:, 0] if "variance" in name else (rows[:, 0], rows[:, 1])
    return paths(drawn, lambda: ln.release(ASKED[name], columns, epsilon=1, relation=relation))


def costs(drawn: Recorder, name: str, relation: str) -> float:
    """The largest loss between neighbours of up to one record."""
    laws = cache(lambda data: law_of(drawn, name, relation, data))
    both = [(laws(a), laws(b)) for a, b in pairs(UNIVERSE, 1, relation)]
    assert all(whole(law) == pytest.approx(1) for pair in both for law in pair)
    return max(lost(*pair) for pair in both)


RELATIONS = ("replace-one", "add-remove", "edit")
LONG = {("R2", "add-remove"), ("R2", "edit")} | {
    ("variance of a population", "add-remove"),
    ("variance of a population", "edit"),
}
SHORT = [pair for pair in product(ASKED, RELATIONS) if pair not in LONG]


@pytest.mark.parametrize(("name", "relation"), SHORT)
def test_value_and_ends_cost_epsilon_on_every_path(
    drawn: Recorder, name: str, relation: str
) -> None:
    found = costs(drawn, name, relation)
    assert found <= 1 + 1e-6
    if name != "error":  # a walk that is told by blocks loses less
        assert found == pytest.approx(1)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "relation"), sorted(LONG))
def test_all_numbers_of_private_rows_cost_epsilon(
    drawn: Recorder, name: str, relation: str
) -> None:
    assert costs(drawn, name, relation) == pytest.approx(1)
