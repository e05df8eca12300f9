"""The joint law of all that a release draws, path by path, through the code that releases.

What a release draws goes through the functions of ``support.paths``. Here each of them gives every
answer in turn, with its probability. A noisy number is told as beyond one of two far ends or
between them, which is post-processing and keeps the largest ratio of probabilities; a walk is told
by blocks of candidates, and enumerated by itself elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement as multisets
from math import ceil, exp, log, log1p
from typing import Any
from unittest import mock

import numpy as np

from leastnoise.randomness import HashedBits, simulation
from leastnoise.session.kinds.summed import SummedInterval
from support.paths import SHUT, Asked, Hidden, Masses, Recorder, Tape, Walk

# How far ends are, in scales of the noise: beyond all numbers of a small universe. And how many
# blocks of a walk are told apart.
_FAR, _BLOCKS = 9, 5
# A path is a tuple of answers; its probability is told by its logarithm.
Paths = dict[tuple[Any, ...], float]


def _outcomes(law: Asked) -> list[tuple[Any, float]]:
    """The answers to a question, each with the logarithm of its probability."""
    match law:
        case Hidden(rate, number):
            far = ceil(_FAR / rate)
            spread = log1p(exp(-float(rate)))
            low, high = (-float(rate * (far - s * Fraction(number))) - spread for s in (-1, 1))
            return [(-far, low), (0, log1p(-exp(low) - exp(high))), (far, high)]
        case Walk(runs):
            return [*_blocks(tuple(runs), law.e1, law.e2)]
        case Masses(masses) if len(masses) == 1:
            return [(None, 0.0)]
        case _:
            raise TypeError(f"{type(law).__name__} is not enumerated")


@lru_cache(maxsize=64)
def _blocks(
    runs: tuple[tuple[int, int], ...], e1: float, e2: float
) -> tuple[tuple[int | None, float], ...]:
    """A walk that stops in one of some blocks of candidates, or not at all."""
    count = sum(n for _, n in runs)
    masses = Walk([*runs], e1, e2).masses(np.arange(1, count + 1))
    edges = sorted({count * i // _BLOCKS for i in range(_BLOCKS)})
    weights = [*np.add.reduceat(masses[:count], edges), masses[-2]]
    total = sum(weights)
    return tuple((at, log(w / total)) for at, w in zip((*edges, None), weights, strict=True))


class Script(Tape):
    """Answers that a script chooses; where it ends, the first ones, and the others are left."""

    def __init__(self, script: tuple[int, ...]) -> None:
        super().__init__()
        self.script, self.taken, self.mass = script, 0, 0.0
        self.others: list[tuple[int, ...]] = []

    def tell(self, place: int, law: Asked, draw: Callable[[], Any]) -> Any:
        """The next answer of the script."""
        options = _outcomes(law)
        if self.taken == len(self.script):
            self.others += [(*self.script, i) for i in range(1, len(options))]
            self.script = (*self.script, 0)
        answer, mass = options[self.script[self.taken]]
        self.taken, self.mass = self.taken + 1, self.mass + mass
        self.answers[place] = answer
        return answer


def paths(recorder: Recorder, release: Callable[[], Any]) -> Paths:
    """Every path of a release, with what is released at its end; rehearsals see no data."""
    rehearse = SummedInterval._rehearse

    def untold(kind: SummedInterval) -> Any:
        with recorder.taped(None), simulation(HashedBits(b"rehearsal")):
            return rehearse(kind)

    found, waiting = Paths(), [()]
    with mock.patch.object(SummedInterval, "_rehearse", untold):
        while waiting:
            tape = Script(waiting.pop())
            with simulation(SHUT), recorder.taped(tape):
                made = release()
            waiting += tape.others
            found[(*tape.questions, *tape.answers, made.value, made.interval)] = tape.mass
    return found


def lost(here: Paths, there: Paths) -> float:
    """The largest loss between two data sets; infinite where a path is on one of them alone."""
    if here.keys() != there.keys():
        return float("inf")
    return max(abs(mass - there[path]) for path, mass in here.items())


def whole(found: Paths) -> float:
    """What all probabilities add up to."""
    return sum(map(exp, found.values()))


def pairs(universe: tuple[Any, ...], n: int, relation: str) -> Iterator[tuple[Any, Any]]:
    """Neighbouring data sets of up to ``n`` records, the first n - 1 of which are the same."""
    for size in range(n):
        for rest in multisets(universe, size):
            if relation in ("replace-one", "edit"):
                yield from (((*rest, a), (*rest, b)) for a in universe for b in universe if a < b)
            if relation in ("add-remove", "edit"):
                yield from ((rest, (*rest, a)) for a in universe)
