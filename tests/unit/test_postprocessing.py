"""Consistent counts are the exact optimum in whole numbers; shares add up to 1."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.record import Releases
from leastnoise.testing import simulate


def squares(x: Any, c: Any) -> int:
    return sum((a - b) ** 2 for a, b in zip(x, c, strict=True))


@given(st.lists(st.integers(-4, 5), min_size=1, max_size=3), st.integers(-2, 7))
def test_no_other_whole_numbers_are_nearer(counts: list[int], total: int) -> None:
    found = ln.consistent_counts(counts, total)
    wanted = max(0, total)
    assert sum(found) == wanted
    assert min(found) >= 0
    others = (x for x in product(range(wanted + 1), repeat=len(counts)) if sum(x) == wanted)
    assert squares(found, counts) == min(squares(x, counts) for x in others)


@given(st.lists(st.integers(-(10**30), 10**30), min_size=1, max_size=30), st.integers(0, 10**30))
def test_large_counts_stay_exact(counts: list[int], total: int) -> None:
    found = ln.consistent_counts(counts, total)
    assert sum(found) == total
    assert all(type(x) is int and x >= 0 for x in found)
    order = sorted(range(len(counts)), key=counts.__getitem__)
    ranked = [found[i] for i in order]
    assert all(a <= b + 1 for a, b in pairwise(ranked))


def test_consistent_counts_change_nothing_that_fits() -> None:
    assert ln.consistent_counts([3, 0, 7], 10) == [3, 0, 7]
    assert ln.consistent_counts([3, 0, 7]) == [3, 0, 7]
    assert ln.consistent_counts([5, -2]) == [3, 0]
    assert ln.consistent_counts([-5, -2]) == [0, 0]


def test_every_shape_is_kept() -> None:
    with simulate(1):
        ages = ln.release(ln.Histogram(bins=[0, 1, 2]), [0, 1, 1], epsilon=500)
        table = ln.release(
            ln.CrossTab(rows=["a", "b"], columns=[0, 1]), (["a", "b", "b"], [0, 0, 1]), epsilon=500
        )
        total = ln.release(ln.Count(), [0, 1, 1], epsilon=500)
    assert ln.consistent_counts(ages, total) == [1, 2]
    assert ln.consistent_counts(table, 5) in ([[2, 0], [1, 2]], [[2, 1], [1, 1]], [[2, 0], [2, 1]])
    grouped = Releases({("N",): total, ("S",): total}, by=["s"], names=["value"])
    assert ln.consistent_counts(grouped, 7) == {("N",): 4, ("S",): 3}
    assert ln.shares(grouped, {("N",): 1, ("S",): "1/2"}) == {("N",): 2 / 3, ("S",): 1 / 3}
    assert ln.shares(table) == [[1 / 3, 0], [1 / 3, 1 / 3]]
    assert ln.shares({"N": total, "S": 0}) == {"N": 1.0, "S": 0.0}


@given(st.lists(st.integers(-5, 100), min_size=1, max_size=6), st.data())
def test_shares_are_a_distribution(counts: list[int], data: st.DataObject) -> None:
    weights = data.draw(
        st.none() | st.lists(st.integers(0, 9), min_size=len(counts), max_size=len(counts))
    )
    if weights is not None and not any(weights):
        weights = None
    found = ln.shares(counts, weights)
    assert sum(found) == pytest.approx(1)
    assert all(0 <= x <= 1 for x in found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ln.consistent_counts([]), "must not be empty"),
        (lambda: ln.consistent_counts([1.5]), "counts must be whole numbers"),
        (lambda: ln.consistent_counts([1], "many"), "total must be a finite number"),
        (lambda: ln.consistent_counts("12"), "list or mapping"),
        (lambda: ln.consistent_counts({"N": {"a": 1}}), "several statistics per group"),
        (lambda: ln.shares([1, 2], [1]), "got 1 for 2 counts"),
        (lambda: ln.shares([1, 2], [-1, 2]), "at least 0"),
        (lambda: ln.shares([1, 2], [0, 0]), "not all 0"),
        (lambda: ln.shares({"N": 1}, {"S": 1}), "same keys as counts"),
        (lambda: ln.shares({"N": 1}, [1]), "a mapping with the same keys"),
    ],
)
def test_wrong_parameters_are_named(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()
