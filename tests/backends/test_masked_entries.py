"""What a mask hides is no entry: whatever stands beneath it decides nothing."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.testing import simulate
from support.catalogue import STATISTICS, forms
from support.optional import optional

ROWS = 24
DRAW = np.random.default_rng(5)
VALUES = {name: DRAW.integers(0, 12, ROWS) for name in ("x", "y", "z")}
VALUES |= {"g": DRAW.integers(0, 2, ROWS), "b": DRAW.integers(0, 4, ROWS)}
GONE = {name: DRAW.random(ROWS) < 0.3 for name in VALUES}
HIDDEN = {"zeros": 0, "inside": 7, "outside": 99}


def pandas(column: np.ndarray[Any, Any], gone: np.ndarray[Any, Any]) -> Any:
    return optional("pandas").arrays.IntegerArray(column, gone)


def pandas_floats(column: np.ndarray[Any, Any], gone: np.ndarray[Any, Any]) -> Any:
    return optional("pandas").arrays.FloatingArray(column.astype(float), gone)


def arrow(column: np.ndarray[Any, Any], gone: np.ndarray[Any, Any]) -> Any:
    pa = optional("pyarrow")
    bits = pa.py_buffer(np.packbits(~gone, bitorder="little").tobytes())
    return pa.Array.from_buffers(pa.int64(), ROWS, [bits, pa.py_buffer(column.tobytes())])


FRONTS: dict[str, Any] = {
    "pandas": lambda columns: optional("pandas").DataFrame(
        {name: pandas(*column) for name, column in columns.items()}
    ),
    "pandas floats": lambda columns: optional("pandas").DataFrame(
        {name: pandas_floats(*column) for name, column in columns.items()}
    ),
    "arrow": lambda columns: optional("pyarrow").table(
        {name: arrow(*column) for name, column in columns.items()}
    ),
    "polars": lambda columns: optional("polars").DataFrame(
        {name: arrow(*column) for name, column in columns.items()}
    ),
}


def table(front: str, hidden: int) -> Any:
    return FRONTS[front](
        {name: (np.where(GONE[name], hidden, VALUES[name]), GONE[name]) for name in VALUES}
    )


def answer(statistic: Any, data: Any) -> Any:
    with simulate(3):
        try:
            return ln.release(statistic, data, epsilon=2, relation="add-remove").value
        except LeastNoiseError as error:
            return str(error)


@pytest.mark.parametrize(
    "statistic", [name for name, kind in STATISTICS.items() if not hasattr(kind, "nodes")]
)
def test_what_is_beneath_a_mask_decides_nothing(statistic: str) -> None:
    made = sorted(forms(STATISTICS[statistic]), key=lambda one: crc32(repr(one).encode()))
    for i, one in enumerate(made[:4]):
        front = [*FRONTS][(i + crc32(statistic.encode())) % len(FRONTS)]
        first, *others = (answer(one, table(front, hidden)) for hidden in HIDDEN.values())
        assert all(repr(other) == repr(first) for other in others), (one, front)


@pytest.mark.parametrize("front", FRONTS)
def test_where_groups_and_persons_do_not_see_it_either(front: str) -> None:
    def all_of(data: Any) -> list[Any]:
        found: list[Any] = []
        with ln.open(data, relation="add-remove") as opened, simulate(2):
            view = opened.where(ln.col("x") > 4).group_by({"g": [0, 1]})
            found += [one.value for one in view.release(ln.Count("y"), epsilon=99).values()]
            view = opened.where(ln.col("x").is_in([0, 7]))
            found.append(view.release(ln.Sum("y", bounds=(0, 99)), epsilon=99).value)
        with ln.open(data, relation="add-remove", unit="b", max_rows=9) as opened, simulate(2):
            found.append(opened.release(ln.Sum("y", bounds=(0, 99)), epsilon=99).value)
        return found

    first, *others = (all_of(table(front, hidden)) for hidden in HIDDEN.values())
    assert all(other == first for other in others)
