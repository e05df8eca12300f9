"""Declared numbers of 16 and 32 bits are the list of the same numbers, whoever holds them."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.estimators.matrix import feature_bounds
from leastnoise.geometry import Polytope
from leastnoise.params import listed
from support.optional import optional

MADE: dict[str, Callable[[list[Any]], Any]] = {
    "array of 32 bits": lambda x: np.array(x, "f4"),
    "array of 16 bits": lambda x: np.array(x, "f2"),
    "scalars in a list": lambda x: [np.float32(v) for v in x],
    "array of Python": lambda x: array.array("f", x),
    "array of objects": lambda x: np.array([np.float32(v) for v in x], object),
    "pandas": lambda x: optional("pandas").Series(x, dtype="float32"),
    "pandas beside a mask": lambda x: optional("pandas").Series(x, dtype="Float32"),
    "pandas of Arrow": lambda x: optional("pandas").Series(x, dtype="float[pyarrow]"),
    "index of pandas": lambda x: optional("pandas").Index(x, dtype="float32"),
    "polars": lambda x: optional("polars").Series(x, dtype=optional("polars").Float32),
    "arrow": lambda x: optional("pyarrow").array(x, optional("pyarrow").float32()),
    "arrow chunks": lambda x: optional("pyarrow").chunked_array([x], optional("pyarrow").float32()),
}
USED: dict[str, Callable[[Any], Any]] = {
    "bins": lambda x: ln.Histogram("v", bins=x),
    "categories": lambda x: ln.Histogram("v", categories=x),
    "mode": lambda x: ln.Mode("v", categories=x),
    "rows": lambda x: ln.CrossTab("v", "w", rows=x, columns=["a", "b"]),
    "labels": lambda x: ln.ConfusionMatrix(labels=x),
    "constants": lambda x: ln.col("v").is_in(x),
    "orders": lambda x: ln.Quantiles("v", q=x, bounds=(0, 1)),
    "nodes": lambda x: ln.EdgeCount("v", "w", nodes=x),
}


@pytest.mark.parametrize("use", USED)
@pytest.mark.parametrize("form", MADE)
def test_declared_numbers_are_their_shortest_text(form: str, use: str) -> None:
    numbers = [0.1, 0.2, 0.7]
    data = {"v": [0.1, 0.2, 0.7, 0.1], "w": ["a", "b", "a", "a"]}

    def shown(entries: Any) -> Any:
        made = USED[use](entries)
        if isinstance(made, (ln.Histogram, ln.Mode, ln.CrossTab, ln.Quantiles, ln.EdgeCount)):
            return made.spec()
        return repr(made) if use == "constants" else (made.spec() if use == "labels" else made)

    assert shown(MADE[form](numbers)) == shown(numbers)
    if use != "constants":
        return
    with ln.open(data, relation="add-remove") as opened:
        groups = opened.group_by({"v": MADE[form](numbers)})
        assert list(groups.release(ln.Count(), epsilon=1)) == [(x,) for x in numbers]


@pytest.mark.parametrize("form", MADE)
def test_limits_and_corners_are_their_shortest_text(form: str) -> None:
    make = MADE[form]
    assert (
        ln.Median("v", bounds=make([0.1, 0.7])).spec() == ln.Median("v", bounds=(0.1, 0.7)).spec()
    )
    vectors = [
        ln.MeanVector(columns=["v", "w"], bounds=[pair, pair]).spec()
        for pair in (make([0.1, 0.7]), (0.1, 0.7))
    ]
    assert vectors[0] == vectors[1]
    facets = [[1.0, 0.1], [0.1, 1.0]]
    assert Polytope(facets=list(map(make, facets))).facets == Polytope(facets=facets).facets


def test_matrices_of_limits_are_their_shortest_text() -> None:
    pairs = [(0.1, 0.7), (0.2, 0.3)]
    for made in (np.array(pairs, "f4"), np.array(pairs, "f2"), np.array(pairs)):
        assert feature_bounds(made, 2, None) == feature_bounds(pairs, 2, None)
        assert ln.MeanVector(bounds=made).spec() == ln.MeanVector(bounds=pairs).spec()
    assert listed(np.float32(0.1)) == np.float32(0.1)
    assert listed("0.1") == "0.1"
