"""A user's program, run so that nothing but its answer can come out.

Whatever data it gets, an answer is a vector of a fixed length inside the declared bounds: an
exception, a wrong shape or a number that is not finite becomes one public constant, what the
program prints or warns is dropped, and it works on a copy of its input (behaviour of black boxes).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError
from leastnoise.foreign import attempted
from leastnoise.frames.copies import copied
from leastnoise.frames.libraries.on_numpy import is_array
from leastnoise.params import PrivateBounds, parse_bounds
from leastnoise.production import silent

Array = NDArray[Any]
# Drawn databases on which a program is tried before it is called broken.
_REHEARSALS = 5
# A function slower than this is not tried on stacks: it would gain nothing.
_QUICK_SECONDS = 1.0
# The share of an answer by which two ways to compute it may differ, and which is added to the
# sensitivity wherever they do.
ROUNDING = 2.0**-36


@dataclass(frozen=True, slots=True)
class Program:
    """A function of a database with the public facts about its answers.

    ``dimension`` is the length of an answer, ``batch`` says that the function takes many databases
    at once, stacked along the first axis, and gives as many answers. ``exact`` says that an answer
    is the same to the last bit in any stack.
    """

    function: Callable[[Any], Any]
    dimension: int
    bounds: tuple[Fraction, Fraction] | None
    batch: bool = False
    exact: bool = True

    @property
    def constant(self) -> float:
        """The answer that replaces a failure: in each coordinate the middle of the bounds, or 0."""
        return 0.0 if self.bounds is None else float(sum(self.bounds) / 2)

    def run(self, database: Any) -> tuple[Array, bool]:
        """The answer for one database, and whether it is the constant of a failure."""
        if self.batch:
            stack = self._stack(database)
            if stack is None:
                return np.full(self.dimension, self.constant), True
            answers, failed = self.run_many(stack)
            return answers[0], bool(failed)
        return self.run_on(lambda: copied(database))

    def run_on(self, made: Callable[[], Any]) -> tuple[Array, bool]:
        """As ``run``, on a database that is made for this call alone, or fails to be."""
        found: Array | None = tried(lambda: self._checked(self.function(made()), ()))
        if found is None:
            return np.full(self.dimension, self.constant), True
        return found, False

    def run_many(self, databases: Array) -> tuple[Array, int]:
        """Answers of shape (b, dimension) for b stacked databases, and how many failed."""
        size = len(databases)
        found: Array | None = tried(lambda: self._checked(self._answer(databases), (size,)))
        if found is not None:
            return found, 0
        if size == 1:
            return np.full((1, self.dimension), self.constant), 1
        # one of them spoils the call: each is tried alone
        alone = [self.run_many(databases[i : i + 1]) for i in range(size)]
        return np.concatenate([a for a, _ in alone]), sum(bad for _, bad in alone)

    def answers(self, databases: Array) -> Array | None:
        """Answers of one call for stacked databases; None if they have not that shape."""

        def checked() -> Array | None:
            found = self._answer(databases)
            if np.shape(found)[:1] != (len(databases),):
                return None
            return self._checked(found, (len(databases),))

        return tried(checked)

    @staticmethod
    def _stack(database: Any) -> Array | None:
        """A stack of this one database; None where its records make no array."""
        return tried(lambda: np.asarray(database)[None])

    def _answer(self, database: Any) -> Any:
        return self.function(copied(database))

    def _checked(self, answer: Any, lead: tuple[int, ...]) -> Array | None:
        """The answer as floats of shape (*lead, dimension), clipped; it may raise or be None."""
        # an array of its own: the program may still write to what it gave
        found = np.array(answer, dtype=np.float64).reshape(*lead, self.dimension)
        if not np.isfinite(found).all():
            return None
        if self.bounds is not None:
            found = np.clip(found, float(self.bounds[0]), float(self.bounds[1]))
        return found


def tried(call: Callable[[], Any]) -> Any:
    """The result of a call, made silently; None if it raises anything."""
    with silent():
        return attempted(call)


def public_bounds(bounds: object) -> tuple[Fraction, Fraction]:
    """Limits of the answers of a program, which are declared: nothing finds them privately.

    Raises
    ------
    ParameterError
        If they are not a pair of numbers; ``PrivateBounds()`` is not one either.
    """
    if isinstance(bounds, PrivateBounds):
        raise ParameterError(
            "bounds=PrivateBounds() is for statistics of a column; the answers of a program need "
            "bounds=(lower, upper) from public knowledge"
        )
    return parse_bounds(bounds)


def rehearsed(
    function: object, draw: Callable[[], Any], *, bounds: object, batch: bool | None
) -> tuple[Program, Any]:
    """Run a function on public data, and learn the length of its answers.

    ``draw`` gives a database of drawn records; some are tried, for a program may fail on a few.
    ``batch`` None: the function is called with one database, and then with a stack of two.

    Returns
    -------
    Program, and the database on which it was rehearsed.

    Raises
    ------
    ParameterError
        If it fails on all of them, gives something that is not a list of numbers, or gives two
        answers for the same data: then it has no sensitivity.
    """
    if not callable(function):
        raise ParameterError(f"function must be callable, got {type(function).__name__}")
    limits = None if bounds is None else public_bounds(bounds)
    called: Callable[[Any], Any] = function
    if batch is None:
        return _found_out(called, draw, bounds)
    for _ in range(_REHEARSALS - 1):
        database = draw()
        with contextlib.suppress(Exception):
            first, second = _twice(called, database, batch)
            break
    else:
        database = draw()
        try:
            first, second = _twice(called, database, batch)
        except Exception as error:
            raise ParameterError(
                f"function failed on a database of drawn records: {type(error).__name__}: {error}. "
                "Check that draw_record returns what it expects"
            ) from error
    if batch and (first.ndim == 0 or len(first) != 1):
        raise ParameterError(
            "function with batch=True must return one answer for each database along the first "
            f"axis, got shape {first.shape} for one database"
        )
    if first.size == 0 or not np.isfinite(first).all():
        raise ParameterError("function must return finite numbers on drawn records")
    if not np.array_equal(first, second):
        raise ParameterError(
            "function returns different answers for the same data, so it has no sensitivity: fix "
            "its random state, such as random_state=0, and its number of threads"
        )
    program = Program(called, first.size, limits, batch)
    if not batch:
        return program, database
    found = compared(program, [database, draw()])
    if found is None:
        raise ParameterError(
            "function with batch=True must return the same answer for a database in a stack as "
            "for the database alone; on drawn databases it does not"
        )
    return found, database


def _found_out(
    function: Callable[[Any], Any], draw: Callable[[], Any], bounds: object
) -> tuple[Program, Any]:
    """Single calls where they work and stacks do not give the same; stacks otherwise."""
    start = time.perf_counter()
    try:
        program, database = rehearsed(function, draw, bounds=bounds, batch=False)
    except ParameterError:
        with contextlib.suppress(Exception):
            return rehearsed(function, draw, bounds=bounds, batch=True)
        raise
    if is_array(database) and time.perf_counter() - start < _QUICK_SECONDS:
        pair: list[Any] = [database, draw()]
        found = compared(replace(program, batch=True), pair, program)
        if found is not None:
            return found, pair[0]
    return program, database


def compared(
    stacks: Program, databases: list[Any], single: Program | None = None
) -> Program | None:
    """``stacks`` if it gives for databases together what it gives for each alone, else None.

    With ``single``, what that program gives for each must be the same too.
    """
    try:
        together = stacks.answers(np.stack(databases))
    except ValueError:  # databases of two shapes
        return None
    if together is None:
        return None
    gap = 0.0
    for program in (stacks, single or stacks):
        alone = np.stack([program.run(one)[0] for one in databases])
        gap = max(gap, float(np.abs(together - alone).max()))
    if gap > ROUNDING * np.abs(together).max():
        return None
    return replace(stacks, exact=gap == 0)


def _twice(function: Callable[[Any], Any], database: Any, batch: bool) -> tuple[Array, Array]:
    asked = np.asarray(database)[None] if batch else database
    with silent():
        first, second = (np.asarray(function(copied(asked)), dtype=np.float64) for _ in range(2))
    return first, second
