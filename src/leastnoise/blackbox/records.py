"""Synthetic databases: n + 1 independent records each, so that two neighbours can be made.

Why numpy's generator is here: ``draw_record`` is public and wants one. It spreads the pairs over
which the sensitivity is measured, before private data is opened, and the estimate is public too, so
nothing has to be secret; it is seeded with 128 bits of ``leastnoise.randomness``, because the
confidence in an estimate is over independent draws. Noise and blocks come from
``leastnoise.randomness`` itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.blackbox.forms import stacked, unnumbered
from leastnoise.blackbox.program import ROUNDING, Program
from leastnoise.errors import ParameterError
from leastnoise.foreign import guarded
from leastnoise.frames.copies import library_of
from leastnoise.frames.libraries.on_numpy import is_array
from leastnoise.production import silent

Array = NDArray[Any]
Norms = Callable[[Array, Array], Array]
# Drawn databases on which a pair that changes the answer is compared with two calls, of so many.
_COMPARED, _TRIED = 3, 12
# The share of a change by which an accelerated pair may be off; it is added to the sensitivity.
PAIR_SHARE = 2.0**-10


@dataclass(frozen=True, slots=True)
class DrawnRecords:
    """How records are drawn: ``draw_record()``, ``(rng)`` or, the fast way, ``(rng, size)``."""

    draw: Callable[..., Any]
    arity: int

    def many(self, rng: np.random.Generator, count: int) -> Any:
        """``count`` records along the first axis, or a list of them."""
        if self.arity >= 2:
            return as_many(self._drawn(rng, count), count)
        arguments = (rng,) if self.arity else ()
        return stacked([self._drawn(*arguments) for _ in range(count)])

    def _drawn(self, *arguments: Any) -> Any:
        try:
            return self.draw(*arguments)
        except Exception as error:  # records are public, and so is what is wrong with them
            called = ("()", "(rng)", "(rng, size)")[self.arity]
            raise ParameterError(
                f"draw_record failed, called as draw_record{called}: {type(error).__name__}: "
                f"{error}"
            ) from error

    def seeded(self, entropy: int, count: int) -> Callable[[int], Any]:
        """Databases of ``count`` records by the number of their seed."""

        def drawn(number: int) -> Any:
            # numpy's generator, for made-up records alone: see the head of this module
            seed = np.random.SeedSequence(entropy, spawn_key=(number,))
            return self.many(np.random.default_rng(seed), count)

        return drawn


def as_many(records: Any, count: int) -> Any:
    """Check that ``draw_record(rng, size)`` gave ``size`` records."""
    whole = isinstance(records, np.ndarray) or library_of(records) is not None
    if not whole and (isinstance(records, str) or not isinstance(records, Iterable)):
        raise ParameterError(
            "draw_record(rng, size) must return size records, as an array, a frame or a list; it "
            f"returned {type(records).__name__}"
        )
    found: Any = unnumbered(records) if whole else stacked(list(cast("Any", records)))
    if len(found) != count:
        raise ParameterError(
            f"draw_record(rng, size) must return size records; it returned {len(found)} for {count}"
        )
    return found


def parse_draw(draw_record: object) -> DrawnRecords:
    """How records are drawn, by the parameters without a default and a second one named size."""
    if not callable(draw_record):
        raise ParameterError("draw_record must be callable: draw_record(rng) returns one record")
    try:
        parameters = inspect.signature(draw_record).parameters.values()
    except (TypeError, ValueError):  # a builtin without a signature
        return DrawnRecords(draw_record, 1)
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = [p for p in parameters if p.kind in positional]
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if named or [p.name for p in taken][:1] == ["size"]:
        raise ParameterError(
            "draw_record takes the generator first and without a name: draw_record(rng) for one "
            "record, or draw_record(rng, size) for many at once"
        )
    needed = [p for i, p in enumerate(taken) if p.default is p.empty or (i, p.name) == (1, "size")]
    if len(needed) > 2:
        raise ParameterError(
            "draw_record takes (), (rng) for one record, or (rng, size) for many at once"
        )
    return DrawnRecords(draw_record, len(needed))


@dataclass(frozen=True, slots=True)
class Chunk:
    """The measurements of one chunk of pairs.

    ``failures`` counts the answers that were the failure constant; ``largest`` is the largest
    absolute coordinate of any answer.
    """

    number: int
    changes: list[float]
    failures: int
    largest: float


@dataclass(frozen=True, slots=True)
class Changes:
    """A task that other processes can run: the changes of one chunk of pairs.

    ``pair`` may replace the two calls of the program: it takes n + 1 records and gives the answers
    for the first n, and for the first n - 1 with the last.
    """

    program: Program
    records: DrawnRecords
    norms: Norms
    n: int
    entropy: int
    sizes: tuple[int, ...]
    pair: Callable[[Any], Any] | None = None

    def __call__(self, chunk: int) -> Chunk:
        """Draw the pairs of a chunk and measure them."""
        # numpy's generator, for made-up records alone: see the head of this module
        seed = np.random.SeedSequence(self.entropy, spawn_key=(chunk,))
        rng = np.random.default_rng(seed)
        # the record at any place may be exchanged: a program may look at their order. Places are
        # public too, and of a stream of their own, so that records do not depend on them
        public = np.random.SeedSequence(self.entropy, spawn_key=(chunk, 1))
        places = np.random.default_rng(public).integers(self.n, size=self.sizes[chunk])
        measure = self._together if self.program.batch else self._one_by_one
        with guarded(), silent():
            first, second, failed = measure(rng, places)
            changes = self.norms(first, second)
        # a difference that no double can hold is larger than any that can
        changes = np.where(np.isnan(changes), np.inf, changes)
        largest = max(float(np.abs(first).max()), float(np.abs(second).max()))
        return Chunk(chunk, changes.tolist(), failed, largest)

    def _together(self, rng: np.random.Generator, places: Array) -> tuple[Array, Array, int]:
        n, size = self.n, len(places)
        drawn: Array = np.asarray(self.records.many(rng, size * (n + 1)))
        drawn = drawn.reshape(size, n + 1, *drawn.shape[1:])
        first, failed = self.program.run_many(drawn[:, :n])
        drawn[np.arange(size), places] = drawn[:, n]
        second, more = self.program.run_many(drawn[:, :n])
        return first, second, failed + more

    def _one_by_one(self, rng: np.random.Generator, places: Array) -> tuple[Array, Array, int]:
        first, second = (np.empty((len(places), self.program.dimension)) for _ in range(2))
        failed = 0
        for i, place in enumerate(places.tolist()):
            drawn = self.records.many(rng, self.n + 1)
            first[i], second[i], bad = self._pair(drawn, place)
            failed += bad
        return first, second, failed

    def _pair(self, drawn: Any, place: int) -> tuple[Array, Array, int]:
        if self.pair is not None:
            answers, failed = self._accelerated(drawn)
            if not failed:
                return answers[: len(answers) // 2], answers[len(answers) // 2 :], 0
        first, bad = self.program.run(drawn[: self.n])
        second, worse = self.program.run(chosen(drawn, exchanged(self.n, place)))
        return first, second, int(bad) + int(worse)

    def _accelerated(self, drawn: Any) -> tuple[Array, bool]:
        """Both answers by the user's pair, and whether it failed."""
        whole = Program(cast("Any", self.pair), 2 * self.program.dimension, self.program.bounds)
        return whole.run(drawn)

    def check_pair(self, rng: np.random.Generator, box: float) -> float:
        """Compare the user's pair with two calls, and the order of records, on drawn ones.

        ``box`` is the largest norm of a vector with coordinates of at most 1. Returns the largest
        absolute coordinate of the function's answers: those of a pair need to differ rightly only.

        Raises
        ------
        ParameterError
            If the changes differ by more than is added to the sensitivity, or the pair fails on
            all of them.
        """
        n, compared, moved, largest = self.n, 0, 0, 0.0
        for _ in range(_TRIED):
            drawn = self.records.many(rng, n + 1)
            answers, failed = self._accelerated(drawn)
            if failed:
                continue
            compared += 1
            first = self.program.run(drawn[:n])[0]
            second = self.program.run(chosen(drawn, exchanged(n, n - 1)))[0]
            mixed = self.program.run(chosen(drawn, rng.permutation(n).tolist()))[0]
            d = len(first)
            rows = np.stack([answers[:d] - answers[d:], first - second, mixed - first])
            gap, change, order = self.norms(rows, np.zeros_like(rows)).tolist()
            off = float(self.norms(rows[:1], rows[1:2])[0])
            size = float(max(np.abs(first).max(), np.abs(second).max()))
            largest, rounded = max(largest, size), ROUNDING * size * box
            if not off <= PAIR_SHARE * gap + rounded:
                raise ParameterError(
                    "pair does not change as two calls of function do on drawn records: it must "
                    "return the answers for the first n records, then for the first n - 1 with "
                    "the last"
                )
            if not order <= rounded:
                raise ParameterError(
                    "function depends on the order of records, but pair exchanges the last one "
                    "only: omit pair"
                )
            moved += change > 0
            if moved == _COMPARED:
                break
        if not compared:
            raise ParameterError("pair failed on drawn records; it is given n + 1 records")
        return largest


def exchanged(n: int, place: int) -> list[int]:
    """The places of the neighbour's records among n + 1: the last one stands at ``place``."""
    return [*range(place), n, *range(place + 1, n)]


def chosen(drawn: Any, places: list[int]) -> Any:
    """The drawn records at these positions, in this order, renumbered."""
    match library_of(drawn):
        case "pandas":
            return drawn.iloc[places].reset_index(drop=True)
        case "pyarrow":
            return drawn.take(places)
        case "polars":
            return drawn[places]
        case _ if is_array(drawn):
            return drawn[places]
        case _:
            return [drawn[place] for place in places]
