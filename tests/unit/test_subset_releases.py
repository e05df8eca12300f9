"""Filters, groups and persons raise nothing, and tell nothing but values, whatever the data."""

from __future__ import annotations

import json
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from math import isclose, isfinite
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.record import Release

SECRET = 73914628
NAN, INF = float("nan"), float("inf")


class Odd:
    """An object that refuses everything."""

    def __str__(self) -> str:
        raise RuntimeError(f"{SECRET}")

    __eq__ = __float__ = __str__
    __hash__ = None


def lists(*columns: list[Any]) -> dict[str, list[Any]]:
    return dict(zip(("x", "g", "id"), columns, strict=True))


UNTYPED: list[dict[str, list[Any]]] = [
    lists([], [], []),
    lists([SECRET], ["a"], [SECRET]),
    lists([None, NAN, "", "one"], [None, NAN, "", " "], [None, NAN, "", " "]),
    lists([INF, -INF, 1e308, 10**400], ["a", "b", "c", f"{SECRET}"], [1, 1, 1, 1]),
    lists([Odd(), [1], {}, b"5"], [Odd(), ["a"], b"a", ("a",)], [Odd(), Odd(), [1], {2: 3}]),
    lists([1.5] * 50, ["a", "b"] * 25, [7] * 50),
    lists(list(range(60)), ["a"] * 60, [i // 7 for i in range(60)]),
]
TYPED: list[dict[str, Any]] = [
    {"x": np.array(x, np.float64), "g": np.array(g, np.int64), "id": np.array(i, np.float64)}
    for x, g, i in (
        ([], [], []),
        ([NAN, NAN], [1, 2], [NAN, NAN]),
        ([INF, -INF, -0.0], [1, -(2**63), 2**63 - 1], [INF, -0.0, 0.0]),
        ([5e-324] * 40, [1] * 40, [3.0] * 40),
        (list(range(40)), [1, 2] * 20, [i % 3 for i in range(40)]),
    )
]
STATISTICS: dict[str, Any] = {
    "median": ln.Median("x", bounds=(0, 10)),
    "many": ln.Quantiles("x", q=["0.1", "0.3", "0.5", "0.7", "0.8", "0.9"], bounds=(0, 10)),
    "mean": ln.Mean("x", bounds=(0, 10)),
    "variance": ln.Variance("x", bounds=(0, 10)),
    "sum": ln.Sum("x", bounds=(0, 10), missing=5),
    "rows": ln.Count(),
    "bins": ln.Histogram("x", bins=[0, 5, 10]),
    "interval": ln.QuantileInterval("x", bounds=(0, 10)),
    "unbounded": ln.Mean("x", bounds=ln.PrivateBounds()),
}


def shown(
    data: Any, keys: list[Any], relation: str, persons: bool, fits: dict[Any, Any]
) -> list[dict[str, Any]]:
    """The records without their values, of a filter and of groups; fits has each limit's range."""
    options: dict[str, Any] = {"unit": "id", "max_rows": 3} if persons else {}
    limit: dict[str, Any] = {"max_groups": 2} if persons else {}
    inside = (ln.col("x") >= 0) | ~ln.col("g").is_in(keys) | ln.col("id").is_missing()
    out, records = StringIO(), list[Release]()
    with warnings.catch_warnings(), redirect_stdout(out), redirect_stderr(out):
        warnings.simplefilter("error")
        with ln.open(data, relation=relation, **options) as opened:
            view = opened.where(inside)
            records += view.release(STATISTICS, epsilon=20).values()
            table = view.group_by({"g": keys}, **limit).release(STATISTICS, epsilon=20)
            records += [record for row in table.rows() for record in row.records.values()]
    assert out.getvalue() == ""
    numbers: list[Any] = [record.value for record in records]
    while numbers:
        one = numbers.pop()
        numbers += one if isinstance(one, list) else []
        assert isinstance(one, list) or isfinite(one)
    plain = [replace(record, value=0).to_dict() for record in records]
    for at, record in enumerate(plain):
        # released bounds and limits, and what is computed of them and of a released count, are
        # answers too: only where the limits are alike must the sensitivity be
        if record["mechanism"].startswith(("PrivateBounds", "PrivateLimits")):
            sensitivity = record["sensitivity_used"]
            first = fits.setdefault((at, *record["bounds"]), sensitivity)
            # limits are shown as doubles: two points of the lattice may be one of them
            assert first == sensitivity or isclose(first, sensitivity, rel_tol=1e-12)
            for name in (
                *("bounds", "limits", "step", "parts", "notes"),
                *("sensitivity_used", "noise_scale"),
            ):
                record.pop(name)
    assert str(SECRET) not in json.dumps(plain)
    return plain


@pytest.mark.parametrize("persons", [False, True], ids=["rows", "persons"])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("family", ["untyped", "typed"])
def test_nothing_but_values_depends_on_data(family: str, relation: str, persons: bool) -> None:
    keys: list[Any] = ["a", "b", "nowhere"] if family == "untyped" else [1, 2, 3]
    data = UNTYPED if family == "untyped" else TYPED
    fits: dict[Any, Any] = {}
    first = shown(data[0], keys, relation, persons, fits)
    for other in data[1:]:
        assert shown(other, keys, relation, persons, fits) == first
