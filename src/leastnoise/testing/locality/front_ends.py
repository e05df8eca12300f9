"""The verdict on a front end: no row decides how another is read."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.params import parse_count, parse_flag, parse_list, parse_number
from leastnoise.testing.locality.cases import WIDEST, Drawer
from leastnoise.testing.locality.changes import Case, Unbuilt, known, shrunk, violations
from leastnoise.testing.locality.surroundings import Setting, Watch
from leastnoise.testing.violations import PrivacyViolation


def _check(value: object, name: str, kind: Any, expected: str) -> None:
    if not isinstance(value, kind):
        raise ParameterTypeError(f"{name} must be {expected}, got {value!r}")


@dataclass(frozen=True, slots=True)
class ColumnKind:
    """One declared type of columns: how entries become a column, and which entries it may hold.

    Parameters
    ----------
    name : str
        What the type is called in a counterexample.
    column : callable
        From a list of entries to a column of the library, of this type whatever the entries are.
        An entry that the library refuses may raise any ``Exception``: the case does not count.
    draw : callable
        From a ``random.Random`` to one entry: see ``leastnoise.testing.entries``.

    Raises
    ------
    ParameterTypeError
        For what is not text or cannot be called.
    """

    name: str
    column: Callable[[list[Any]], Any]
    draw: Callable[[Random], Any]

    def __post_init__(self) -> None:
        """Check what will be called."""
        _check(self.name, "name", str, "text")
        _check(self.column, "column", Callable, "callable")
        _check(self.draw, "draw", Callable, "callable")


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """How a library, a file format or an engine hands data over.

    Parameters
    ----------
    name : str
        What a counterexample calls it.
    kinds : sequence of ColumnKind
        The types of columns; those that are refused too, because a refusal may tell nothing either.
    table : callable, optional
        From a dict of columns by name to data with named columns: a frame, a query, or the path of
        a file, which is the same whatever the data.
    matrix : callable, optional
        From a list of columns to data with several columns without names: a matrix or rows.
    bare : bool
        Whether a column alone is data.
    options : mapping
        How the data is opened: keywords of ``leastnoise.release`` such as ``engine``.
    reference : callable, optional
        As ``table``: the same columns for an engine in memory, with whose readings its own are
        compared.
    ordered : bool
        Whether a column is read in the order of the rows; of an engine that promises none, columns
        are compared as collections.
    names : sequence of str
        Three names of columns, where not any will do.
    settings : mapping of str to callable
        What a caller may have set of the library: context managers by how they are told.

    Raises
    ------
    ParameterError, ParameterTypeError
        For no kinds, for what cannot be called, and for names that are not three texts.
    """

    name: str
    kinds: Sequence[ColumnKind]
    table: Callable[[dict[str, Any]], object] | None = None
    matrix: Callable[[list[Any]], object] | None = None
    bare: bool = True
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    reference: Callable[[dict[str, Any]], object] | None = None
    ordered: bool = True
    names: Sequence[str] = ("a", "b", "c")
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])

    def __post_init__(self) -> None:
        """Check what will be called, and that there is data at all."""
        _check(self.name, "name", str, "text")
        kinds = parse_list(self.kinds, "kinds", "kinds of columns")
        if not kinds:
            raise ParameterError("a front end needs at least one kind of column")
        for kind in kinds:
            _check(kind, "an entry of kinds", ColumnKind, "a ColumnKind")
        for name in ("table", "matrix", "reference"):
            if getattr(self, name) is not None:
                _check(getattr(self, name), name, Callable, "callable")
        parse_flag(self.ordered, "ordered")
        if not parse_flag(self.bare, "bare") and self.table is None and self.matrix is None:
            raise ParameterError("a front end needs table=, matrix= or bare=True: a form of data")
        _check(self.options, "options", Mapping, "a mapping")
        _check(self.settings, "settings", Mapping, "a mapping")
        names = parse_list(self.names, "names", "names")
        for name in names:
            _check(name, "an entry of names", str, "text")
        if len(names) < WIDEST:
            raise ParameterError(f"names must be {WIDEST} texts, got {names!r}")


@dataclass(frozen=True, slots=True)
class FrontEndReport:
    """What was checked, and that nothing was found."""

    front: str
    frames: int
    readings: int
    refused: int
    unbuilt: int
    seconds: float

    def counts(self) -> str:
        """How much was tried."""
        return (
            f"{self.front}: {self.frames} changes of one row and {self.readings} readings of both "
            f"({self.refused} of them refused by the schema) in {self.seconds:.0f} s"
        )

    def __str__(self) -> str:
        return f"{self.counts()}; no row decides how another is read"


def check_front_end(
    front: FrontEnd,
    *,
    seed: int = 0,
    cases: int | None = None,
    readings: int | None = None,
    budget_seconds: float | None = None,
) -> FrontEndReport:
    """Search for a row that decides how another row is read, or anything public.

    Random rows of every declared type are handed over, one row is changed or left out, and both are
    read in every way: as numbers, labels, texts and persons; filtered and divided; as pairs,
    matrices and edges; by statistics, whose profiles must obey the laws of neighbours; and by
    releases. What is read of other rows must be the same, and all that is public: types, refusals,
    lattices, records. Nothing may raise, print, warn or log, whatever a row holds and whatever the
    process has set: numpy's errors, warnings, decimals, a locale, limits of Python.

    Parameters
    ----------
    front : FrontEnd
        What hands data over.
    seed : int
        Equal seeds give equal cases.
    cases : int, optional
        How many changes are tried. Default: 200, or as many as the budget allows.
    readings : int, optional
        In how many ways each is read at most, drawn from all of them: for engines, whose queries
        take long. Default: in every way.
    budget_seconds : float, optional
        No case begins after so many seconds.

    Returns
    -------
    FrontEndReport
        How much was tried. A pass is evidence, not a proof.

    Raises
    ------
    ParameterError, ParameterTypeError
        For impossible parameters.
    PrivacyViolation
        With the smallest rows that were found, the changed one, and what differs.

    Notes
    -----
    The process is watched as a whole while data is read: nothing else may print then.

    Examples
    --------
    >>> import numpy as np
    >>> from leastnoise.testing import ColumnKind, FrontEnd, check_front_end, entries
    >>> whole = ColumnKind("int64", lambda xs: np.array(xs, "i8"), entries.integers(-9, 9))
    >>> check_front_end(FrontEnd("numpy", [whole], table=dict), cases=5).frames
    5
    """
    _check(front, "front", FrontEnd, "a FrontEnd")
    _check(seed, "seed", int, "a whole number")
    if cases is None and budget_seconds is None:
        cases = 200
    if cases is not None:
        cases = parse_count(cases, "cases")
    if readings is not None:
        readings = parse_count(readings, "readings")
    if budget_seconds is not None and parse_number(budget_seconds, "budget_seconds") <= 0:
        raise ParameterError(f"budget_seconds must be more than 0, got {budget_seconds!r}")
    search = Search(front, seed, cases, budget_seconds, readings)
    for violation in search:
        raise violation
    return search.report()


class Search:
    """All violations that are met, one after the other; ``report`` tells how much was tried."""

    def __init__(
        self,
        front: FrontEnd,
        seed: int,
        cases: int | None,
        budget_seconds: float | None,
        readings: int | None = None,
    ) -> None:
        self.front, self.seed, self.cases, self.budget = front, seed, cases, budget_seconds
        self.most = readings
        self.frames = self.readings = self.refused = self.unbuilt = 0
        self.start = time.monotonic()

    def report(self) -> FrontEndReport:
        """How much was tried until now."""
        seconds = time.monotonic() - self.start
        return FrontEndReport(
            self.front.name, self.frames, self.readings, self.refused, self.unbuilt, seconds
        )

    def __iter__(self) -> Iterator[PrivacyViolation]:
        """Try case by case, until the last or until time is up."""
        drawer, number = Drawer(self.front, self.most), 0
        with tempfile.TemporaryFile() as file:
            watch = Watch(file)
            while (left := self._left()) > 0:
                number += 1
                cases = drawer.draw(Random(f"{self.seed} {number}"))[:left]
                yield from self._cases(cases, number, watch)

    def _left(self) -> int:
        """How many changes may still be tried."""
        if self.budget is not None and time.monotonic() - self.start > self.budget:
            return 0
        return sys.maxsize if self.cases is None else self.cases - self.frames - self.unbuilt

    def _cases(
        self, cases: Sequence[Case], number: int, watch: Watch
    ) -> Iterator[PrivacyViolation]:
        try:
            sides = known(cases[0], watch)
        except Unbuilt:
            self.unbuilt += len(cases)
            return
        for case in cases:
            try:
                found, refused = violations(case, sides, watch)
            except Unbuilt:
                self.unbuilt += 1
                continue
            self.frames += 1
            self.readings += len(case.reads)
            self.refused += refused
            where = f"{self.front.name} (seed {self.seed}, rows {number})"
            for read, violation in found:
                least = shrunk(case, read, violation, watch)
                yield PrivacyViolation(where, least.law, least.detail, **least.facts)
