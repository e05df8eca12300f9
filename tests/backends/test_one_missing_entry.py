"""A missing entry changes how no other entry is read: a column's type does not hang on values.

Every statistic is looked at with and without one more row that holds nothing, where its rows
without values are dropped. Large integers, and floats of 32 bits beside declared labels, are where
reading the column as doubles would show.
"""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.engines import on_engine

import leastnoise as ln
from leastnoise.summaries import spec
from leastnoise.summaries.columns import ColumnType, Reading
from support.optional import optional

BIG = 2**60
LIMITS = (BIG, BIG + 1000)
FRONTS = ("arrow", "pandas", "polars", "polars lazy", "duckdb")
# not multiples of one another's rounding: as doubles all of them are 2^60
NUMBERS = [BIG + 7 * i for i in range(1, 18)]
HALVES = [Fraction(2 * x + 1, 2) for x in NUMBERS]

STATISTICS: dict[str, tuple[Any, str]] = {
    "median": (ln.Median("x", bounds=LIMITS, step=1), "int64"),
    "unsigned median": (ln.Median("x", bounds=LIMITS, step=1), "uint64"),
    "maximum": (ln.Maximum("x", bounds=LIMITS, step=1), "int64"),
    "interquartile range": (ln.InterquartileRange("x", bounds=LIMITS, step=1), "int64"),
    "ratio": (ln.QuantileRatio("x", bounds=LIMITS, step=1), "int64"),
    "sum": (ln.Sum("x", bounds=LIMITS), "int64"),
    "mean": (ln.Mean("x", bounds=LIMITS), "int64"),
    "variance": (ln.Variance("x", bounds=LIMITS), "int64"),
    "weighted quantile": (
        ln.WeightedQuantile("x", "y", q="0.5", bounds=LIMITS, largest=9, step=1), "int64",
    ),
    "mode": (ln.Mode("x", categories=[BIG + 7, BIG + 1400]), "int64"),
    "mode of floats": (ln.Mode("x", categories=[0.1, 0.2]), "float32"),
    "area under the curve": (ln.RocAuc("y", "x", labels=[1, 2]), "int64"),
    "mean absolute error": (ln.MeanAbsoluteError("x", "z", bounds=LIMITS, missing="drop"), "int64"),
    "mean squared error": (ln.MeanSquaredError("x", "z", bounds=LIMITS, missing="drop"), "int64"),
    "R2": (ln.R2("x", "z", bounds=LIMITS, floor=-1, missing="drop"), "int64"),
    "edges": (ln.EdgeCount("x", "z", nodes=[*NUMBERS, 0.5]), "int64"),
    "unsigned edges": (ln.EdgeCount("x", "z", nodes=NUMBERS), "uint64"),
    "edges between fractions": (ln.EdgeCount("x", "z", nodes=HALVES), "int64"),
    "stars": (ln.KStarCount("x", "z", k=2, nodes=[float(BIG), *range(9)]), "int64"),
    "triangles": (ln.TriangleCount("x", "z", nodes=NUMBERS), "int64"),
}  # fmt: skip


def table(kind: str, missing: bool) -> pa.Table:
    count = len(NUMBERS)
    if kind == "float32":
        x = [np.float32((0.1, 0.2)[i % 2]) for i in range(count)]
    else:
        x = NUMBERS
    columns = {
        "x": (x, kind),
        "y": ([1 + (i > 4) for i in range(count)], "int64"),
        "z": (NUMBERS[1:] + NUMBERS[:1], kind if kind != "float32" else "int64"),
    }
    return pa.table(
        {
            name: pa.array([*values, *[None] * missing], getattr(pa, dtype)())
            for name, (values, dtype) in columns.items()
        }
    )


def front(label: str, made: pa.Table) -> Any:
    if label == "arrow":
        return made
    if label == "pandas":
        kinds = {"int64": "Int64", "uint64": "UInt64", "float": "Float32"}
        return made.to_pandas(types_mapper=lambda dtype: _nullable(kinds[str(dtype)]))
    if label == "polars":
        return optional("polars").from_arrow(made)
    return on_engine(label, made)


def _nullable(name: str) -> Any:
    return getattr(optional("pandas"), f"{name}Dtype")()


def looked_at(profile: Any) -> list[Any]:
    """All that a profile says of small distances, or the scores of a choice."""
    parts = profile if isinstance(profile, (list, tuple)) else [profile]
    return [
        [(one.value, one.lower(l), one.upper(l)) for l in range(4)]
        if hasattr(one, "upper")
        else asdict(one)
        for one in parts
    ]


@pytest.mark.parametrize("label", FRONTS)
@pytest.mark.parametrize("name", STATISTICS)
def test_a_row_of_nothing_changes_nothing(name: str, label: str) -> None:
    statistic, kind = STATISTICS[name]
    graph = hasattr(statistic, "nodes")
    if graph and label in ("polars lazy", "duckdb"):
        pytest.skip("graphs are read into memory: the other front ends stand for them")
    without, beside = (front(label, table(kind, missing)) for missing in (False, True))
    relation = {} if graph else {"relation": "add-remove"}
    found = [looked_at(ln.profile(statistic, data, **relation)) for data in (without, beside)]
    assert found[0] == found[1]


def test_the_numbers_are_told_apart() -> None:
    """As doubles they would all be one: the test above can fail."""
    assert len(set(map(float, NUMBERS))) < len(NUMBERS)
    median = ln.profile(STATISTICS["median"][0], table("int64", True), relation="add-remove")
    assert median.value * median.unit == NUMBERS[8] if median.unit else median.value == NUMBERS[8]


INSIDE: dict[str, tuple[Any, int]] = {
    "sum": (ln.Sum("x", bounds=(100, 104)), 102),
    "mean": (ln.Mean("x", bounds=(100, 104)), 102),
    "minimum": (ln.Minimum("x", bounds=(100, 104), step=1), 102),
    "median": (ln.Median("x", bounds=(100, 104), step=1), 102),
    "fine median": (ln.Median("x", bounds=(100, 104), step="0.5"), 102),
    "negative maximum": (ln.Maximum("x", bounds=(-104, -100), step=1), -102),
    "variance": (ln.Variance("x", bounds=(100, 104)), 102),
    "imputed sum": (ln.Sum("x", bounds=(100, 104), missing=103), 103),
    "boolean sum": (ln.Sum("x", bounds=(5, 9)), 7),
}


def declared(x: Any, dtype: pa.DataType) -> pa.Table:
    """A column that is declared to hold no null, whatever it holds."""
    schema = pa.schema([pa.field("x", dtype, nullable=False), pa.field("z", pa.int8())])
    z = pa.array([100 + i for i in range(len(x))], pa.int8())
    found = pa.Table.from_arrays([pa.array(x, dtype), z], schema=schema)
    found.validate(full=True)
    return found


@pytest.mark.parametrize("name", INSIDE)
def test_a_null_where_none_is_declared_is_an_entry_inside_the_bounds(name: str) -> None:
    """Arrow hands on such nulls. No row is dropped then, whose number is public."""
    statistic, middle = INSIDE[name]
    dtype = pa.bool_() if name.startswith("boolean") else pa.int16()
    column = [True, False, None] if dtype == pa.bool_() else [101, 103, 104, None]
    found = [looked_at(ln.profile(statistic, declared(column, dtype), missing=policy))
             for policy in ("drop", "none", None)]  # fmt: skip
    assert found[0] == found[1] == found[2]
    if dtype != pa.bool_():
        filled = declared([*column[:-1], middle], dtype)
        assert found[0] == looked_at(ln.profile(statistic, filled, missing="drop"))


def test_an_imputed_point_lies_inside_the_limits_of_every_policy() -> None:
    for reading in (Reading.INTEGER, Reading.BOOLEAN, Reading.FLOAT, Reading.ENTRIES):
        for nullable, missing in product((True, False), (None, "drop", "none", Fraction(7, 3))):
            kind = ColumnType("x", "any", reading, nullable)
            for bounds, step in product([(2, 3), (-9, 40), (Fraction(7, 3), 5)], (None, 1, "0.3")):
                if missing == Fraction(7, 3) and not bounds[0] <= missing <= bounds[1]:
                    continue
                for asked in (
                    spec.moments("x", bounds=bounds, step=step),
                    spec.spread("x", bounds=bounds, step=step),
                    spec.ranks("x", at=["0.5"], bounds=bounds, step=step),
                ):
                    request = asked.resolve(kind, missing)
                    lattice, policy = request.lattice, request.missing
                    if policy.impute is None:
                        assert nullable
                        continue
                    assert lattice.low <= policy.impute <= lattice.high
                    (point,) = lattice.quantise(np.array([policy.raw]))
                    assert int(point) == policy.impute
