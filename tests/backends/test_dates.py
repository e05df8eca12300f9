"""Dates, times and durations: refused by their type in every front end, with the way to numbers."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.accounting import Ledger
from leastnoise.errors import ColumnTypeError, ParameterError, ParameterTypeError
from leastnoise.testing import simulate
from support.engines import ENGINES, on_engine
from support.fronts import only_library
from support.optional import optional

DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(9)]
KINDS: dict[str, tuple[list[Any], str]] = {
    "day": (DAYS, "days since a public date"),
    "moment": ([dt.datetime.combine(x, dt.time(7)) for x in DAYS], "days since a public date"),
    "zoned": (
        [dt.datetime.combine(x, dt.time(7), dt.UTC) for x in DAYS],
        "days since a public date",
    ),
    "span": ([dt.timedelta(days=i) for i in range(9)], "for example seconds"),
}
STATISTICS = (
    lambda name: ln.Median(name, bounds=(0, 20_000)),
    lambda name: ln.Mean(name, bounds=(0, 20_000)),
    lambda name: ln.Variance(name, bounds=(0, 20_000)),
    lambda name: ln.Count(name),
    lambda name: ln.Histogram(name, bins=[0, 1, 20_000]),
    lambda name: ln.MeanVector(columns=[name], bounds=[(0, 20_000)]),
)
FRONTS = (
    *("numpy", "pandas", "pandas of Arrow", "polars", "arrow", *ENGINES),
    *("parquet by pyarrow", "parquet by polars", "parquet by duckdb"),
    *("engine duckdb", "engine polars"),
)


def made(front: str, kind: str, folder: Path) -> tuple[Any, dict[str, Any]]:
    """The column in a front end, and how it is opened."""
    values = KINDS[kind][0]
    if front == "numpy":
        if kind == "zoned":
            # Reason: a type that the library lacks
            pytest.skip("numpy has no time zones")
        return {"v": np.array(values, dtype="m8[s]" if kind == "span" else "M8[s]")}, {}
    pa = optional("pyarrow")
    units = {
        "day": pa.date32(),
        "moment": pa.timestamp("us"),
        "zoned": pa.timestamp("us", "UTC"),
        "span": pa.duration("us"),
    }
    table = pa.table({"v": pa.array(values, units[kind])})
    if front == "pandas":
        pd = optional("pandas")
        return (
            pd.DataFrame({"v": pd.array(values, "M8[ns]")}) if kind == "day" else table.to_pandas()
        ), {}
    if front == "pandas of Arrow":
        pd = optional("pandas")
        return pd.DataFrame({"v": pd.array(values, dtype=pd.ArrowDtype(units[kind]))}), {}
    if front == "polars":
        return optional("polars").from_arrow(table), {}
    if front == "arrow":
        return table, {}
    if front in ENGINES:
        return on_engine(front, table), {}
    if kind == "span" and "duckdb" in front:
        # Reason: the file says the type to readers of Arrow alone, so there is nothing to refuse
        pytest.skip("a duration in a Parquet file is an integer to DuckDB")
    optional("pyarrow.parquet").write_table(table, folder / "t.parquet")
    return folder / "t.parquet", {"engine": front[7:]} if front.startswith("engine") else {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("front", FRONTS)
def test_dates_are_refused_by_their_type_in_every_front_end(
    front: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, options = made(front, kind, tmp_path)
    if front.startswith("parquet by "):
        only_library(monkeypatch, front.removeprefix("parquet by "))
    ledger = tmp_path / "t.db"
    Ledger.create(ledger, dataset="t", budget=ln.PureDP(1)).close()
    with ln.open(data, ledger=ledger, dataset="t", **options) as opened:
        for statistic in STATISTICS:
            with pytest.raises(ColumnTypeError, match=f"holds no numbers.*{KINDS[kind][1]}"):
                opened.release(statistic("v"), epsilon=1)
        with pytest.raises(ColumnTypeError, match="no numbers"):
            opened.where(ln.col("v") > 3).release(ln.Count(), epsilon=1)
        assert opened.spent.epsilon == 0


def test_periods_of_pandas_are_dates() -> None:
    pd = optional("pandas")
    data = pd.DataFrame({"v": pd.period_range("2020-01", periods=9, freq="M")})
    with pytest.raises(ColumnTypeError, match="days since a public date"):
        ln.release(ln.Median("v", bounds=(0, 9)), data, epsilon=1)


@pytest.mark.parametrize(
    "ends",
    [
        ("2020-01-01", "2024-12-31"),
        ("1/1/2020", "31/12/2024"),
        (dt.date(2020, 1, 1), dt.date(2024, 12, 31)),
        (dt.datetime(2020, 1, 1), dt.datetime(2024, 12, 31)),
        (np.datetime64("2020-01-01"), np.datetime64("2024-12-31")),
    ],
    ids=lambda ends: type(ends[0]).__name__,
)
def test_dates_as_limits_are_told_the_way(ends: tuple[Any, Any]) -> None:
    for statistic in (
        lambda: ln.Median("v", bounds=ends),
        lambda: ln.MeanVector(columns=["v"], bounds=[ends]),
        lambda: ln.Histogram("v", bins=list(ends)),
    ):
        with pytest.raises((ParameterError, ParameterTypeError), match="days since a public date"):
            statistic()
    with pytest.raises(ParameterTypeError, match=r"days since a public date|give dates as"):
        _ = ln.col("v") >= ends[0]


def test_numbers_are_no_dates() -> None:
    for value in ("1/2", "1e-3", "-3/4", "x", None, [1]):
        with pytest.raises((ParameterError, ParameterTypeError)) as caught:
            ln.Median("v", bounds=(value, 9))
        assert "date" not in str(caught.value)


@pytest.mark.parametrize("data", ["list", "text file", "pandas objects"])
def test_dates_of_an_untyped_column_are_missing(data: str, tmp_path: Path) -> None:
    """Its entries are read one by one: nothing of a value may decide what is refused."""
    table: Any = {"v": list(DAYS)}
    if data == "text file":
        table = tmp_path / "t.csv"
        table.write_text("v\n" + "\n".join(map(str, DAYS)), encoding="utf-8")
    elif data == "pandas objects":
        table = optional("pandas").DataFrame(table, dtype=object)
    with simulate(1):
        common: dict[str, Any] = {"epsilon": 10**6, "relation": "add-remove"}
        record = ln.release({"all": ln.Count(), "read": ln.Count("v")}, table, **common)
    assert (record["all"].value, record["read"].value) == (9, 0)
