"""The ends of every type of numbers, and what lies beyond doubles, in engines as in memory.

Of a table that holds them all each engine gives what memory gives, draw for draw: so no entry ends
a query or changes how another one is read, whether Spark raises at an overflow (ANSI) or wraps.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.testing import simulate
from support.engines import on_engine, spark
from support.optional import optional

pa = optional("pyarrow")
col = ln.col

_ENDS = Decimal("9" * 38), Decimal("-" + "9" * 38)
_BITS = [
    *(0x0, 0x8000000000000000, 0x1, 0x8000000000000001, 0x10000000000000, 0x7FEFFFFFFFFFFFFF),
    *(0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x3FB999999999999A),
    # quiet and signalling NaN of several payloads
    *(0x7FF8000000000000, 0xFFF8000000000001, 0x7FF00000000007A2, 0xFFFFFFFFFFFFFFFF),
]
_NARROW = [
    *(0x0, 0x80000000, 0x1, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000),
    *(0x7FC00000, 0xFFC00001, 0x7F800001, 0x3DCCCCCD),
]
ROWS = 18


def whole(bits: int) -> list[int | None]:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    return [None, low, low + 1, high, high - 1, high // 2 + 1, 0, 1, -1]


def padded(entries: list[Any], kind: Any) -> Any:
    return pa.array([*entries, *[3] * (ROWS - len(entries))], kind)


def scaled(places: int) -> list[Decimal]:
    """The ends of 38 digits, so many of them behind the point, and what is near 0."""
    wide = Context(prec=38)
    return [*(wide.scaleb(end, -places) for end in (*_ENDS, Decimal(1))), Decimal("0.1")]


def floats(bits: list[int], whole_type: Any, kind: Any) -> Any:
    """With the bits that are given, which no conversion of a library keeps."""
    padding = [int(np.array([3], kind).view(whole_type)[0])] * (ROWS - len(bits))
    return pa.array(np.array([*bits, *padding], whole_type).view(kind))


NUMBERS: dict[str, Any] = {
    **{f"i{bits}": padded(whole(bits), getattr(pa, f"int{bits}")()) for bits in (8, 16, 32, 64)},
    "f64": floats(_BITS, np.uint64, np.float64),
    "f32": floats(_NARROW, np.uint32, np.float32),
    "d0": padded(
        [None, *_ENDS, *map(Decimal, (0, 1, -1, 2**63, -(2**63) - 1, 2**64, 2**53 + 1))],
        pa.decimal128(38, 0),
    ),
    "d37": padded(
        [None, *scaled(37)],
        pa.decimal128(38, 37),
    ),
    "d18": padded(
        [None, *scaled(18)],
        pa.decimal128(38, 18),
    ),
}
# Seconds that 64 bits of microseconds hold, but for their very ends.
_FAR = [None, 0, -1, 1, 999_999, -999_999, 2**62, -(2**62), 2**63 - 10**12, 10**12 - 2**63]
TIMES: dict[str, tuple[Any, Any, Any]] = {
    "day": (
        pa.array(
            [None, 0, -1, 2_932_896, 2_932_897, -719_162, -719_163, 2**31 - 2, 2 - 2**31],
            pa.int32(),
        ).view(pa.date32()),
        *(date(1, 1, 1), date(9999, 12, 31)),
    ),
    "at": (
        pa.array(_FAR, pa.int64()).view(pa.timestamp("us", tz="UTC")),
        *(datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)),
    ),
    "span": (
        pa.array(_FAR, pa.int64()).view(pa.duration("us")),
        *(timedelta(-999_999_999), timedelta(999_999_999)),
    ),
}


def questions(name: str) -> dict[str, Any]:
    """Statistics of one column of numbers, in bounds of every size."""
    found: dict[str, Any] = {"count": ln.Count(name), "distinct": ln.CountDistinct(name)}
    for low, high in ((0, 10), (-(2**63), 2**63 - 1), (-4e307, 4e307), (0, 1e-280)):
        found[f"sum to {high}"] = ln.Sum(name, bounds=(low, high), max_rows=2)
        found[f"median to {high}"] = ln.Median(name, bounds=(low, high))
    wide = (-(2**63), 2**63 - 1)
    return found | {
        "variance": ln.Variance(name, bounds=wide),
        "vector": ln.MeanVector([name, "one"], bounds=[wide, (0, 1)]),
        "loss": ln.MeanSquaredError(name, "one", bounds=wide),
        "mean": ln.Mean(name, bounds=ln.PrivateBounds()),
        "quartiles": ln.Quantiles(name, q=["1/4", "1/2"], bounds=ln.PrivateBounds()),
        "bins": ln.Histogram(name, bins=[-float("inf"), -1, 0, 1, 2.5, 1e300]),
        "labels": ln.Histogram(name, categories=[0, 1, 3, 2**53 + 1, 2**63 - 1, 0.1, 1e300]),
        "largest": ln.Maximum(name, bounds=(-1e300, 1e300)),
    }


def conditions(name: str) -> list[Any]:
    one = col(name)
    return [
        *(one > 0, one == 0, one != 0.1, one <= 2**63 - 1, one >= 2**64, one == -(2**63)),
        *(one > 1e300, one <= -1e300, one.is_in([1, 3, 2**53 + 1, 1e300]), one.is_missing()),
    ]


def answers(data: Any, name: str) -> dict[str, Any]:
    """All that is asked of a column, as numbers with next to no noise."""
    with ln.open(data, relation="add-remove") as table, simulate(1):
        found = {
            key: table.release(one, epsilon=10**7).value for key, one in questions(name).items()
        }
        for where in conditions(name):
            found[str(where)] = table.where(where).release(ln.Count(), epsilon=10**7).value
        groups = table.group_by({name: [0, 1, 3, 127, -128, 2**63 - 1, 0.1, 1e300]})
        found["groups"] = [one.value for one in groups.release(ln.Count(), epsilon=10**7).values()]
    with ln.open(data, relation="add-remove", unit=name, max_rows=9) as table, simulate(1):
        found["persons"] = table.release(ln.Sum("one", bounds=(0, 1)), epsilon=10**7).value
    return found


def answers_of_times(data: Any, name: str, low: Any, high: Any) -> dict[str, Any]:
    one = col(name)
    with ln.open(data, relation="add-remove") as table, simulate(1):
        asked = (
            ln.Count(name),
            ln.Median(name, bounds=(low, high)),
            ln.Mean(name, bounds=(low, high)),
        )
        found = {
            statistic.name: table.release(statistic, epsilon=10**7).value for statistic in asked
        }
        for where in (one >= low, one < high, one == low, one <= high, one.is_missing()):
            found[str(where)] = table.where(where).release(ln.Count(), epsilon=10**7).value
    return found


def numbers_table(name: str) -> Any:
    return pa.table({name: NUMBERS[name], "one": pa.array([1] * ROWS, pa.int64())})


@pytest.mark.share(1 / 8)
@pytest.mark.parametrize("label", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_at_the_ends_of_their_type(label: str, name: str) -> None:
    table = numbers_table(name)
    assert answers(on_engine(label, table), name) == answers(table, name)


@pytest.mark.share(1 / 3)
@pytest.mark.parametrize("label", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("name", TIMES)
def test_times_far_off(label: str, name: str) -> None:
    column, *ends = TIMES[name]
    table = pa.table({name: column})
    assert answers_of_times(on_engine(label, table), name, *ends) == answers_of_times(
        table, name, *ends
    )


@pytest.mark.parametrize("label", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("constant", [1e300, -3.5e38, 3.4028236e38])
def test_constants_beyond_a_narrow_type_equal_no_entry(label: str, constant: float) -> None:
    """They are not rounded to infinity, which some entries are."""
    table = pa.table({"x": NUMBERS["f32"]})
    data, sign = on_engine(label, table), 1 if constant > 0 else -1
    with ln.open(data, relation="add-remove") as opened, simulate(1):
        one = col("x")
        found = [
            opened.where(where).release(ln.Count(), epsilon=10**7).value
            for where in (one == constant, one > constant, one <= constant, one.is_in([constant]))
        ]
        labels = opened.release(ln.Histogram("x", categories=[constant, 3]), epsilon=10**7)
        groups = opened.group_by({"x": [constant, 3]}).release(ln.Count(), epsilon=10**7)
    # of 18 entries three are NaN, one is infinite on either side
    assert found == ([0, 1, 14, 0] if sign > 0 else [0, 14, 1, 0])
    assert labels.value == [one.value for one in groups.values()] == [0, 6]


@pytest.mark.nightly
@pytest.mark.parametrize("ansi", ["true", "false"])
@pytest.mark.parametrize("name", [*NUMBERS, *TIMES])
@pytest.mark.parametrize("label", ["spark"])
def test_spark_raises_and_wraps_nowhere(label: str, name: str, ansi: str) -> None:
    session = spark()
    before = session.conf.get("spark.sql.ansi.enabled")
    session.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        if name in NUMBERS:
            table = numbers_table(name)
            assert answers(on_engine(label, table), name) == answers(table, name)
        else:
            column, *ends = TIMES[name]
            table = pa.table({name: column})
            found = answers_of_times(on_engine(label, table), name, *ends)
            assert found == answers_of_times(table, name, *ends)
    finally:
        session.conf.set("spark.sql.ansi.enabled", before)
