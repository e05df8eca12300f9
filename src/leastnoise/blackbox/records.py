"""Synthetic databases: n + 1 independent records each, so that two neighbours can be made.

Why numpy's generator is here: ``draw_record`` is public and wants one. It spreads the pairs over
which the sensitivity is measured, before private data is opened, and the estimate is public too, so
nothing has to be secret; it is seeded with 128 bits of ``leastnoise.randomness``, because the
confidence in an estimate is over independent draws. Noise and blocks come from
``leastnoise.randomness`` itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.blackbox.program import Program, silent, stacked
from leastnoise.errors import ParameterError

Array = NDArray[Any]
Norms = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Records:
    """How records are drawn: ``draw_record()``, ``(rng)`` or, the fast way, ``(rng, size)``."""

    draw: Callable[..., Any]
    arity: int

    def many(self, rng: np.random.Generator, count: int) -> Any:
        """``count`` records along the first axis, or a list of them."""
        if self.arity >= 2:
            return as_many(self.draw(rng, count), count)
        arguments = (rng,) if self.arity else ()
        return stacked([self.draw(*arguments) for _ in range(count)])


def as_many(records: Any, count: int) -> Any:
    """Check that ``draw_record(rng, size)`` gave ``size`` records."""
    whole = isinstance(records, np.ndarray) or hasattr(records, "iloc")
    found = cast("Any", records if whole else stacked(list(cast("Any", records))))
    if len(found) != count:
        raise ParameterError(
            f"draw_record(rng, size) must give size records, gave {len(found)} for {count}"
        )
    return found


def parse_draw(draw_record: object) -> Records:
    """The way in which records are drawn, from the positional parameters without a default."""
    if not callable(draw_record):
        raise ParameterError("draw_record must be callable: draw_record(rng) gives one record")
    try:
        parameters = inspect.signature(draw_record).parameters.values()
    except (TypeError, ValueError):  # a builtin without a signature
        return Records(draw_record, 1)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p for p in parameters if p.kind in positional and p.default is p.empty]
    if len(needed) > 2:
        raise ParameterError(
            "draw_record takes (), (rng) for one record, or (rng, size) for many at once"
        )
    return Records(draw_record, len(needed))


@dataclass(frozen=True, slots=True)
class Changes:
    """A task that other processes can run: the changes of one chunk of pairs.

    ``pair`` may replace the two calls of the program: it takes n + 1 records and gives the answers
    for the first n, and for the first n - 1 with the last.
    """

    program: Program
    records: Records
    norms: Norms
    n: int
    entropy: int
    sizes: tuple[int, ...]
    pair: Callable[[Any], Any] | None = None

    def __call__(self, chunk: int) -> tuple[int, list[float], int]:
        """The chunk's number, its changes, and how many answers were the failure constant."""
        # numpy's generator, for made-up records alone: see the head of this module
        seed = np.random.SeedSequence(self.entropy, spawn_key=(chunk,))
        rng = np.random.default_rng(seed)
        size = self.sizes[chunk]
        measure = self._together if self.program.batch else self._one_by_one
        with silent():
            first, second, failed = measure(rng, size)
            changes = self.norms(first - second)
        # a difference that no double can hold is larger than any that can
        return chunk, np.where(np.isnan(changes), np.inf, changes).tolist(), failed

    def _together(self, rng: np.random.Generator, size: int) -> tuple[Array, Array, int]:
        n = self.n
        drawn: Array = np.asarray(self.records.many(rng, size * (n + 1)))
        drawn = drawn.reshape(size, n + 1, *drawn.shape[1:])
        first, failed = self.program.run_many(drawn[:, :n])
        drawn[:, n - 1] = drawn[:, n]
        second, more = self.program.run_many(drawn[:, :n])
        return first, second, failed + more

    def _one_by_one(self, rng: np.random.Generator, size: int) -> tuple[Array, Array, int]:
        first, second = (np.empty((size, self.program.dimension)) for _ in range(2))
        failed = 0
        for i in range(size):
            drawn = self.records.many(rng, self.n + 1)
            first[i], second[i], bad = self._pair(drawn)
            failed += bad
        return first, second, failed

    def _pair(self, drawn: Any) -> tuple[Array, Array, int]:
        n = self.n
        if self.pair is not None:
            whole = Program(self.pair, 2 * self.program.dimension, self.program.bounds)
            answers, bad = whole.run(drawn)
            return answers[: len(answers) // 2], answers[len(answers) // 2 :], 2 * int(bad)
        first, bad = self.program.run(drawn[:n])
        if hasattr(drawn, "iloc"):
            other: Any = drawn.iloc[[*range(n - 1), n]].reset_index(drop=True)
        elif isinstance(drawn, list):
            records = cast("list[Any]", drawn)
            other = [*records[: n - 1], records[n]]
        else:
            other = drawn[:n].copy()
            other[n - 1] = drawn[n]
        second, worse = self.program.run(other)
        return first, second, int(bad) + int(worse)
