"""Sums of persons: each person's rows are added up exactly, and the sum is one record."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.session.kinds.persons import Persons, persons_of
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset, Unit
from leastnoise.testing import simulate
from support.engines import on_engine

SUBSET = Subset(unit=Unit("who", 3))
WHO = ["a", "b", "a", None, "c", "b", "a", "d"]
NUMBERS = [0.1, 2.5, -0.7, 9.0, float("nan"), 1e300, 0.2, -1e300]
WHOLE = [1, 70, 2, 5, None, -9, 3, -80]


def asked(data: Any, **options: Any) -> tuple[Persons, Any]:
    settled = {"bounds": (-2, 5), "missing": "drop", **options}
    statistic = ln.Sum("x", **settled)
    prepared = plan(statistic, open_table(data), "replace-one", None, subset=SUBSET)
    found = persons_of(prepared, request_of(prepared))
    assert found is not None
    return found, prepared.table


def request_of(prepared: Any) -> Any:
    return prepared.request


def totals(data: Any, **options: Any) -> list[float]:
    found, table = asked(data, **options)
    (part,) = split(table, SUBSET, active())
    made = part.person_totals(found.rows, "who", whole=found.whole).about()
    assert made.column_type("total").integer == found.whole
    return sorted(made.column("total").values.tolist())


@pytest.mark.parametrize("x", [NUMBERS, WHOLE])
@pytest.mark.parametrize("missing", ["drop", 1])
def test_rows_are_clipped_and_added_up_exactly(x: list[Any], missing: Any) -> None:
    frame = pl.DataFrame({"who": WHO, "x": x}, strict=False)
    found, _ = asked(frame, missing=missing)
    step = found.rows.lattice.step
    clip = [1.0 if v is None or v != v else min(5, max(-2, v)) for v in x]
    a, b, c, d = (sum(round(Fraction(clip[i]) / step) for i in rows) * step for rows in OWN)
    expected = sorted(map(float, [a, b, d] if missing == "drop" else [a, b, c, d]))
    for order in ([*range(8)], [7, 2, 5, 0, 6, 1, 3, 4]):
        assert totals(frame[order], missing=missing) == expected
    for where in ("polars lazy", "duckdb"):
        assert totals(on_engine(where, frame.to_arrow()), missing=missing) == expected


OWN = ((0, 2, 6), (1, 5), (4,), (7,))


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("bounds", [(-2, 5), (3, 5), (-5, -2)])
def test_few_persons_get_noise_for_all_their_rows(relation: str, bounds: tuple[int, int]) -> None:
    frame = pl.DataFrame({"who": WHO, "x": WHOLE})
    session = ln.open(frame, unit="who", max_rows=3, relation=relation)
    record = session.release(ln.Sum("x", bounds=bounds, missing="drop"), epsilon=2)
    high, low = max(0, bounds[1]), min(0, bounds[0])
    width = high - low if relation == "replace-one" else max(high, -low)
    assert record.noise_scale == pytest.approx(3 * width / 2)
    assert record.column == "x"
    assert isinstance(record.value, int)


@pytest.mark.parametrize("bounds", [(-2, 5), (0, 5), (3, 5), (-5, -2), (-5, 0)])
def test_limits_hold_the_sums_of_persons_with_few_rows_and_no_more(bounds: tuple[int, int]) -> None:
    found, _ = asked(pl.DataFrame({"who": WHO, "x": WHOLE}), bounds=bounds)
    reached = {rows * end for rows in (1, 2, 3) for end in bounds}
    assert found.total.bounds == (min(reached), max(reached))


def persons(count: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    rows = np.minimum(50, rng.zipf(1.7, count))
    who = np.repeat(np.arange(count), rows)
    return pl.DataFrame({"who": who, "x": rng.lognormal(3, 0.7, len(who))})


@pytest.mark.parametrize("where", ["memory", "polars lazy", "duckdb"])
def test_the_sum_of_a_person_is_what_is_clipped(where: str) -> None:
    frame = persons(5000)
    held = frame if where == "memory" else on_engine(where, frame.to_arrow())
    session = ln.open(held, unit="who", max_rows=50)
    with simulate("persons"):
        record = session.release(ln.Sum("x", bounds=(0, 1e6), missing="none"), epsilon=2)
    own = frame.group_by("who").agg(pl.col("x").sum())["x"]
    assert record.bounds[1] < 4 * own.max()
    assert sum(map(Fraction, record.parts.values())) == 2  # not divided over rows
    assert abs(record.value - frame["x"].sum()) < 10 * own.max()


def test_sums_that_doubles_do_not_hold_share_epsilon_among_rows() -> None:
    statistic = ln.Sum("x", bounds=(0, 2**60), missing="none")
    frame = pl.DataFrame({"who": [1, 2], "x": [3, 4]})
    prepared = plan(statistic, open_table(frame), "replace-one", None, subset=SUBSET)
    assert persons_of(prepared, request_of(prepared)) is None
    session = ln.open(frame, unit="who", max_rows=3)
    record = session.release(statistic, epsilon=1)
    share = Fraction(record.parts["answer, Laplace()"])
    assert Fraction(89, 300) <= share < Fraction(1, 3)
    assert record.noise_scale == pytest.approx(2**60 / share)
