"""Shipped summaries are commutative monoids equal to the one-shot summary; wrong ones are caught.

The fast paths of the front ends are compared with the same references.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import merge
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.testing import PrivacyViolation, check_summary

LATTICE = Lattice(Fraction(1, 2), -3, 6)
VALUES = st.integers(-3, 6)


@dataclass(frozen=True, slots=True, repr=False)
class RankWindow:
    """The records inside a fixed public-or-chosen bracket and the counts on either side.

    For a fixed bracket this is a monoid under ``merge``: the window of a concatenation is the
    merge of the windows of its parts. It looks at private data.
    """

    first: int
    last: int
    below: int
    inside: tuple[int, ...]
    above: int

    @classmethod
    def of(cls, values: Sequence[int], first: int, last: int) -> RankWindow:
        """The window of lattice integers ``values`` with the bracket [first, last]."""
        ordered = sorted(values)
        start, stop = bisect_left(ordered, first), bisect_right(ordered, last)
        return cls(first, last, start, tuple(ordered[start:stop]), len(ordered) - stop)

    @property
    def n(self) -> int:
        """The number of records, inside the bracket or not."""
        return self.below + len(self.inside) + self.above

    def merge(self, other: RankWindow) -> RankWindow:
        """The window of both sets of records together; the brackets must be equal."""
        if (self.first, self.last) != (other.first, other.last):
            raise ValueError("windows merge only over one bracket")
        return RankWindow(
            self.first,
            self.last,
            self.below + other.below,
            tuple(merge(self.inside, other.inside)),
            self.above + other.above,
        )


def window(rows: list[int]) -> RankWindow:
    return RankWindow.of(rows, -1, 3)


def moments(depth: int | None) -> Callable[[list[int]], MomentSummary]:
    return lambda rows: MomentSummary.of(rows, LATTICE, depth)


def fields(s: MomentSummary) -> object:
    return s.n, s.total, s.lattice, list(s.smallest), list(s.largest), s.depth


def test_rank_window() -> None:
    assert check_summary(window, VALUES).examples >= 200


def test_rank_windows_over_different_brackets_do_not_merge() -> None:
    with pytest.raises(ValueError, match="one bracket"):
        window([1]).merge(RankWindow.of([1], -1, 4))


@pytest.mark.parametrize("depth", [None, 0, 1, 3])
def test_moment_summary(depth: int | None) -> None:
    check_summary(moments(depth), VALUES, key=fields)


def test_moment_summaries_over_different_lattices_do_not_merge() -> None:
    with pytest.raises(ValueError, match="one lattice"):
        MomentSummary.of([1], LATTICE, 1).merge(MomentSummary.of([1], LATTICE, 2))


def test_row_summary() -> None:
    report = check_summary(lambda rows: RowSummary(len(rows)), st.integers(), max_examples=50)
    assert str(report).startswith("RowSummary: 5")
    assert str(report).endswith(" random examples; no law broken")


@dataclass
class _Wrong:
    """A float sum of squares and a maximum that an empty table sets to 0."""

    total: float
    most: int

    def merge(self, other: _Wrong) -> _Wrong:
        return _Wrong(self.total + other.total, max(self.most, other.most))


def test_float_sums_depend_on_the_order() -> None:
    values = st.sampled_from([0.1, 0.2, 0.3, 1e16, -1e16])
    with pytest.raises(PrivacyViolation, match=r"concatenation|associative|order of records"):
        check_summary(lambda rows: _Wrong(sum(rows), 0), values, max_examples=500)


def test_an_empty_table_that_is_not_neutral_is_caught() -> None:
    with pytest.raises(PrivacyViolation) as caught:
        check_summary(lambda rows: _Wrong(0, max(rows, default=0)), st.integers())
    assert caught.value.law == "the empty summary changes nothing" or "concat" in caught.value.law
    assert caught.value.facts["a"] in ([], [-1])  # shrunk


def broken_windows() -> list[Any]:
    def forgets_ties(self: RankWindow, other: RankWindow) -> RankWindow:
        return replace(
            self,
            below=self.below + other.below,
            inside=tuple(sorted({*self.inside, *other.inside})),
            above=self.above + other.above,
        )

    def keeps_left(self: RankWindow, other: RankWindow) -> RankWindow:
        return replace(
            self,
            inside=self.inside + other.inside,
            below=self.below + other.below,
            above=self.above + other.above,
        )

    return [forgets_ties, keeps_left]


@pytest.mark.parametrize("merge", broken_windows())
def test_wrong_merges_are_caught(merge: Any) -> None:
    class Broken:
        def __init__(self, inner: RankWindow) -> None:
            self.inner = inner

        def merge(self, other: Broken) -> Broken:
            return Broken(merge(self.inner, other.inner))

    with pytest.raises(PrivacyViolation) as caught:
        check_summary(lambda rows: Broken(window(rows)), VALUES, key=lambda b: b.inner)
    assert len(caught.value.facts["a"]) + len(caught.value.facts["b"]) <= 3


def test_a_merge_that_changes_its_argument_is_caught() -> None:
    class Greedy:
        def __init__(self, rows: list[int]) -> None:
            self.rows = sorted(rows)

        def merge(self, other: Greedy) -> Greedy:
            self.rows = sorted(self.rows + other.rows)
            return self

    with pytest.raises(PrivacyViolation, match="leaves its arguments alone"):
        check_summary(Greedy, VALUES, key=lambda g: tuple(g.rows))


@pytest.mark.parametrize("size", [0, 1, 2, 100])
def test_fast_paths_equal_the_reference(size: int) -> None:
    from leastnoise.frames import open_table
    from leastnoise.summaries import spec

    rng = np.random.default_rng(size)
    rows = rng.integers(-10, 10, size)
    table = open_table(rows)
    kind = table.column_type(None)
    found: Any = table.summarise(spec.moments(bounds=(-3, 6)).resolve(kind, None), 7)
    clipped = [int(x) for x in np.clip(rows, -3, 6)]
    assert fields(found) == fields(MomentSummary.of(clipped, found.lattice, 7))
