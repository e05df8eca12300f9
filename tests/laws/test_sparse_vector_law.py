"""The sparse vector as it answers: its own comparisons, with chances in place of its noise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import exp, log
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.session import sparse_vector
from leastnoise.testing import simulate

EPSILON = Fraction(2)
# The noise of the threshold up to a mass of exp(-14).
FARTHEST = 14


class Threshold:
    """The noise of the threshold, and of each question an answer that is told with its chance."""

    def __init__(self, noise: int, answers: tuple[bool, ...]) -> None:
        self.noise, self.answers, self.chance = noise, list(answers), 1.0
        self.draws: list[Fraction] = []

    def geometric(self, p: int, q: int, source: object) -> Any:
        self.draws.append(Fraction(p, q))
        if len(self.draws) == 1:
            return self.noise
        return Passing(self, Fraction(p, q), self.answers.pop(0))


class Passing:
    """Noise that reaches what it is compared with, or not."""

    def __init__(self, owner: Threshold, rate: Fraction, passes: bool) -> None:
        self.owner, self.rate, self.passes = owner, rate, passes

    def __lt__(self, needed: int) -> bool:
        reached = exp(-float(self.rate) * needed)
        self.owner.chance *= reached if self.passes else 1 - reached
        return not self.passes


def answers_of(
    values: list[Any], monkeypatch: pytest.MonkeyPatch, **options: Any
) -> dict[tuple[bool, ...], float]:
    """The chance of every sequence of answers until the vector is exhausted."""
    made = ln.SparseVector(epsilon=EPSILON, threshold=2, **options)
    rate = float(made.e1)
    found: dict[tuple[bool, ...], float] = {}
    for answers in sequences(len(values), made.answers):
        for noise in range(int(FARTHEST / rate)):
            told = Threshold(noise, answers)
            with monkeypatch.context() as patched:
                patched.setattr(sparse_vector, "geometric", told.geometric)
                vector = ln.SparseVector(epsilon=EPSILON, threshold=2, **options)
                assert tuple(vector.above(value) for value in values[: len(answers)]) == answers
            assert vector.exhausted is (sum(answers) == made.answers)
            assert len(told.draws) == 1 + len(answers)  # the threshold is drawn once
            assert told.draws[0] == made.e1
            mass = exp(-rate * noise) * (1 - exp(-rate)) * told.chance
            found[answers] = found.get(answers, 0.0) + mass
    return found


def sequences(questions: int, most: int) -> Iterator[tuple[bool, ...]]:
    """Every sequence of answers, which ends with the last question or the last positive one."""
    if not questions or not most:
        yield ()
        return
    for passes in (False, True):
        for rest in sequences(questions - 1, most - passes):
            yield (passes, *rest)


HALF = Fraction(1, 2)


@pytest.mark.parametrize("threshold", [2, -HALF, Fraction(7, 3)])
def test_without_noise_a_value_is_compared_exactly(threshold: Any) -> None:
    values = [threshold + Fraction(i, 12) for i in range(-15, 16)]
    with simulate("exact"):
        vector = ln.SparseVector(epsilon=10**9, threshold=threshold, answers=99)
        assert [vector.above(value) for value in values] == [value >= threshold for value in values]


@pytest.mark.parametrize("answers", [1, 2])
@pytest.mark.parametrize("split", [1, "1/3", 3])
@pytest.mark.parametrize("monotone", [False, True])
def test_answers_cost_epsilon(
    answers: int, split: Any, monotone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Integers, halves and thirds; neighbours move in both directions, or in one."""
    options: dict[str, Any] = {"answers": answers, "split": split, "monotone": monotone}
    # no relation makes questions monotone that are not said to be
    options["relation"] = {1: "add-remove", "1/3": "edit", 3: "replace-one"}[split]
    data = [[2, 2, 2], [0, 3, 3], [2, HALF, 5 * HALF], [Fraction(1, 3), Fraction(7, 3), 1]]
    moves = [(1, 1, 1), (1, 1, 0), (0, 0, 1)] if monotone else [(-1, -1, 1), (1, -1, 1), (1, 1, 1)]
    most = 0.0
    for values in data:
        here = answers_of(values, monkeypatch, **options)
        assert sum(here.values()) == pytest.approx(1, abs=1e-5)
        for move in moves:
            other = [value + by for value, by in zip(values, move, strict=True)]
            there = answers_of(other, monkeypatch, **options)
            assert here.keys() == there.keys()
            most = max(most, *(abs(log(here[key] / there[key])) for key in here))
    assert most <= float(EPSILON) * (1 + 1e-4)
    assert most > float(EPSILON) * 0.6
