"""Intervals of shares: they hold for every population, by enumeration of sample and noise."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import comb, exp
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.postprocessing.sampled_shares import _Cell, _reach, _rows
from leastnoise.testing import simulate


def released(**more: Any) -> ln.Release:
    with simulate("shares"):
        return ln.release(ln.Histogram(categories=["a", "b"], **more), ["a", "b", "b"], epsilon=3)


def noise(rate: float, most: int) -> dict[int, float]:
    q = exp(-rate)
    return {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-most, most + 1)}


def binomial(n: int, p: float) -> list[float]:
    return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


@pytest.mark.parametrize("nonnegative", [False, True])
@pytest.mark.parametrize("rows", [None, 4])
def test_a_share_lies_in_its_interval_whatever_it_is(rows: int | None, nonnegative: bool) -> None:
    """Four rows in two cells, at a rate of 3 for each count."""
    record, n, missed = released(), 4, dict.fromkeys((0.0, 0.1, 0.5, 0.97), 0.0)
    law, found = noise(3, 3), dict[Any, Any]()
    record = replace(record, parts={"each cell": "3"})
    for inside, x, y in product(range(n + 1), law, law):
        counts = [inside + x, n - inside + y]
        if nonnegative:
            counts = [max(0, count) for count in counts]
        key = tuple(counts)
        if key not in found:
            at = replace(record, value=counts)
            found[key] = ln.share_intervals(at, "0.8", rows=rows)[0]
        low, high = found[key]
        for p in missed:
            if not low <= p <= high:
                missed[p] += binomial(n, p)[inside] * law[x] * law[y]
    rest = 1 - sum(law.values()) ** 2
    assert max(missed.values()) + rest <= 0.2
    assert max(missed.values()) > 0.001


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("rates", [(1.0,), (0.5, 2.0, 2.0)])
def test_sums_of_noises_seldom_reach_farther(rates: tuple[float, ...], positive: bool) -> None:
    miss = 0.03
    found = _reach(np.array(rates), miss, positive=positive)

    def beyond(most: int) -> float:
        sums = {0: 1.0}
        for rate in rates:
            more = dict[int, float]()
            for (a, p), (b, q) in product(sums.items(), noise(rate, 60).items()):
                k = a + (max(0, b) if positive else b)
                more[k] = more.get(k, 0.0) + p * q
            sums = more
        return sum(p for k, p in sums.items() if k > most)

    assert beyond(found) <= miss < beyond(found // 3)


@pytest.mark.parametrize("cut", [False, True])
def test_rows_are_as_many_as_the_counts_tell_of_them(cut: bool) -> None:
    """Fifty empty cells; cut at 0, every upward noise that is kept adds to their sum."""
    rate, miss, cells = 1.0, 0.05, 50
    law = np.array([*noise(rate, 20).values()])
    if cut:
        law = np.concatenate([np.zeros(20), [law[:21].sum()], law[21:]])
    sums, found = np.ones(1), 0.0
    for _ in range(cells):
        sums = np.convolve(sums, law)
    for total, chance in enumerate(sums, start=-20 * cells):
        if chance > 1e-6:  # one cell holds all of it
            least, most = _rows([_Cell(total, rate), *[_Cell(0, rate)] * (cells - 1)], miss / 2)
            found += chance * (least <= 0 <= most)
    assert found >= 1 - miss


def test_intervals_of_public_rows_are_those_of_the_sample_and_little_more() -> None:
    votes = ["a"] * 7_000 + ["b"] * 3_000
    with simulate("votes"):
        made = ln.release(ln.Histogram(categories=["a", "b"]), votes, epsilon=1)
    (low, high), (least, most) = ln.share_intervals(made, rows=10_000)
    assert low < 0.7 < high
    assert least < 0.3 < most
    assert high - low < 1.05 * 2 * 1.96 * (0.21 / 10_000) ** 0.5
    wide = ln.share_intervals(made, rows=10_000, simultaneous=True)
    alone = ln.share_intervals(made)
    assert all(b - a > high - low for a, b in (wide[0], alone[0]))


def test_every_shape_is_kept() -> None:
    table = {"g": ["x", "y", "y"], "h": [0, 1, 1]}
    with simulate("shape"), ln.open(table, relation="add-remove") as data:
        cross = data.release(ln.CrossTab("g", "h", rows=["x", "y"], columns=[0, 1]), epsilon=1)
        groups = data.group_by({"g": ["x", "y"]}).release(ln.Count(), epsilon=1)
    found = ln.share_intervals(cross)
    assert [len(row) for row in found] == [2, 2]
    by_group = ln.share_intervals(groups, rows=3)
    assert list(by_group) == [("x",), ("y",)]
    assert all(0 <= low <= high <= 1 for low, high in (*found[0], *by_group.values()))


def test_hardly_any_epsilon_tells_nothing() -> None:
    with simulate("tiny"):
        made = ln.release(ln.Histogram(categories=["a", "b"]), ["a"], epsilon="1e-20")
    assert ln.share_intervals(made) == [(0.0, 1.0)] * 2


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ln.share_intervals([3, 4]), ParameterTypeError, "not known"),
        (lambda: ln.share_intervals({}), ParameterTypeError, "not known"),
        (lambda: ln.share_intervals({"a": 3}), ParameterTypeError, "one released Count a group"),
        (lambda: ln.share_intervals(released(), 1), ParameterError, "between 0 and 1"),
        (lambda: ln.share_intervals(released(), rows=0), ParameterError, "rows"),
        (lambda: ln.share_intervals(released(), simultaneous=1), ParameterTypeError, "simult"),
        (
            lambda: ln.share_intervals(replace(released(), value=3)),
            ParameterError,
            "cells of one table",
        ),
        (
            lambda: ln.share_intervals(replace(released(), mechanism="PiecewiseLaplace()")),
            ParameterError,
            "whose width is public",
        ),
        (lambda: ln.share_intervals(replace(released(), max_rows=2)), ParameterError, "max_rows=1"),
    ],
)
def test_what_has_no_shares_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
