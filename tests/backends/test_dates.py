"""Dates, times and durations: whole numbers of the clock that constants declare, everywhere."""

from __future__ import annotations

import csv
import datetime as dt
import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.accounting import Ledger
from leastnoise.errors import ColumnTypeError, ParameterError, ParameterTypeError
from leastnoise.frames import open_table
from leastnoise.frames.readers.times import GONE, of_entries
from leastnoise.summaries.columns import Clock
from leastnoise.testing import simulate
from support.engines import ENGINES, on_engine
from support.fronts import only_library
from support.optional import optional

DAYS = [dt.date(1969, 12, 28) + dt.timedelta(days=i) for i in range(9)]
LATE = dt.time(23, 59, 59, 999_999)
MOMENTS = [dt.datetime.combine(x, LATE) for x in DAYS]
# kind: entries, the clock of the type, and the whole numbers that they are on it
KINDS: dict[str, tuple[list[Any], Clock, list[int | None]]] = {
    "day": ([*DAYS, None], Clock.DAY, [*range(-4, 5), None]),
    "moment": (
        [*MOMENTS, None],
        Clock.LOCAL,
        [*(86_400 * i + 86_399 for i in range(-4, 5)), None],
    ),
    "zoned": (
        [*(x.replace(tzinfo=dt.timezone(dt.timedelta(hours=2))) for x in MOMENTS), None],
        Clock.INSTANT,
        [*(86_400 * i + 86_399 - 7200 for i in range(-4, 5)), None],
    ),
    "span": (
        [*(dt.timedelta(seconds=i, microseconds=500_000) for i in range(-4, 5)), None],
        Clock.SPAN,
        [*range(-4, 5), None],
    ),
}
CONSTANTS: dict[Clock, tuple[Any, Any]] = {
    Clock.DAY: (dt.date(1960, 1, 1), dt.date(1980, 1, 1)),
    Clock.LOCAL: (dt.datetime(1960, 1, 1), dt.datetime(1980, 1, 1)),
    Clock.INSTANT: (dt.datetime(1960, 1, 1, tzinfo=dt.UTC), dt.datetime(1980, 1, 1, tzinfo=dt.UTC)),
    Clock.SPAN: (dt.timedelta(seconds=-60), dt.timedelta(hours=1)),
}
TYPED = (
    *("numpy", "pandas", "pandas of Arrow", "polars", "arrow", *ENGINES),
    *("parquet by pyarrow", "parquet by polars", "parquet by duckdb"),
    *("engine duckdb", "engine polars"),
)
UNTYPED = ("list", "pandas objects", "text file")


def made(
    front: str, kind: str, folder: Path, values: list[Any] | None = None
) -> tuple[Any, dict[str, Any]]:
    """The column in a front end, and how it is opened."""
    values = KINDS[kind][0] if values is None else values
    if front == "list":
        return {"v": list(values)}, {}
    if front == "pandas objects":
        return optional("pandas").DataFrame({"v": list(values)}, dtype=object), {}
    if front == "text file":
        return written(values, folder), {}
    if front == "numpy":
        if kind == "zoned":
            # Reason: a type that the library lacks
            pytest.skip("numpy has no time zones")
        return {"v": np.array(values, dtype="m8[us]" if kind == "span" else "M8[us]")}, {}
    pa = optional("pyarrow")
    units = {
        "day": pa.date32(),
        "moment": pa.timestamp("us"),
        "zoned": pa.timestamp("us", "Asia/Tokyo"),
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
        held = on_engine(front, table)
        if front == "spark" and kind == "moment":  # Arrow's are of a zone to Spark
            held = held.selectExpr("CAST(v AS TIMESTAMP_NTZ) AS v")
        return held, {}
    if kind == "span" and "duckdb" in front:
        # Reason: the file says the type to readers of Arrow alone, so there is nothing to read
        pytest.skip("a duration in a Parquet file is an integer to DuckDB")
    optional("pyarrow.parquet").write_table(table, folder / "t.parquet")
    return folder / "t.parquet", {"engine": front[7:]} if front.startswith("engine") else {}


def written(values: list[Any], folder: Path) -> Path:
    """A text file with the entries in ISO form, and one beside them that is none."""

    def iso(value: Any) -> str:
        if value is None:
            return "soon"
        if isinstance(value, dt.timedelta):
            micros = value // dt.timedelta(microseconds=1)
            sign, micros = ("-", -micros) if micros < 0 else ("", micros)
            return f"{sign}PT{micros // 10**6}.{micros % 10**6:06}S"
        return value.isoformat()

    out = io.StringIO()
    csv.writer(out).writerows([["v", "w"], *([iso(value), ""] for value in values)])
    path = folder / "t.csv"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def on_clock(data: Any, clock: Clock, **options: Any) -> list[int | None]:
    """The entries of a column as whole numbers, in order where there is one."""
    column = open_table(data, **options).clocked({"v": clock}).column("v")
    gone = [False] * len(column.values) if column.missing is None else column.missing.tolist()
    found = [None if lost else x for x, lost in zip(column.values.tolist(), gone, strict=True)]
    return sorted(found, key=lambda x: (x is None, x or 0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("front", [*TYPED, *UNTYPED])
def test_times_are_the_same_whole_numbers_everywhere(
    front: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, options = made(front, kind, tmp_path)
    if front.startswith("parquet by "):
        only_library(monkeypatch, front.removeprefix("parquet by "))
    _, clock, numbers = KINDS[kind]
    clock = Clock.LOCAL if kind == "day" and front in ("numpy", "pandas") else clock
    if kind == "day" and clock is Clock.LOCAL:
        numbers = [None if x is None else 86_400 * x for x in numbers]
    low, high = CONSTANTS[clock]
    with simulate(1), ln.open(data, relation="add-remove", **options) as opened:
        middle = clock.time(sorted(x for x in numbers if x is not None)[4])
        asked: dict[str, object] = {
            "median": ln.Median("v", bounds=(low, high)),
            "n": ln.Count("v"),
        }
        found = opened.release(asked, epsilon=10**6)
        mode = opened.release(ln.Mode("v", categories=[low, middle]), epsilon=10**6)
        counts = opened.release(ln.Histogram("v", categories=[low, middle]), epsilon=10**6)
        assert (mode.value, counts.value) == (str(middle), [0, 1])
        present = 0 if front in UNTYPED else 9  # without a clock they are no numbers
        assert (found["median"].value, found["n"].value) == (middle, present)
        assert found["median"].bounds == (low, high)
        assert ln.Release.from_json(found["median"].to_json()) == found["median"]
        later = opened.where(ln.col("v") >= middle)
        assert later.release(ln.Count(), epsilon=10**6).value == 5
        gone = opened.where(ln.col("v").is_missing()).release(ln.Count(), epsilon=10**6)
        assert gone.value == (0 if front == "text file" else 1)  # "soon" is an entry
    assert on_clock(data, clock, **options) == numbers
    if kind in ("day", "moment"):
        per_day = [None if x is None else x // (86_400 // clock.seconds) for x in numbers]
        assert on_clock(data, Clock.DAY, **options) == per_day


@pytest.mark.share(1 / 4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("front", [*TYPED, *UNTYPED])
def test_every_statistic_of_times_is_the_same_everywhere(
    front: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, options = made(front, kind, tmp_path)
    if front.startswith("parquet by "):
        only_library(monkeypatch, front.removeprefix("parquet by "))
    _, clock, counts = KINDS[kind]
    unit = 1
    if kind == "day" and front in ("numpy", "pandas"):  # which hold midnights
        clock, unit = Clock.LOCAL, 86_400
    numbers = sorted(unit * x for x in counts if x is not None)
    low, high = CONSTANTS[clock]
    ends: dict[str, Any] = {"bounds": (low, high)}
    times: dict[str, Any] = {
        "median": (ln.Median("v", **ends), numbers[4]),
        "quantile": (ln.Quantile("v", q="1/4", **ends), numbers[2]),
        "quantiles": (ln.Quantiles("v", q=["1/4", "3/4"], **ends), [numbers[2], numbers[6]]),
        "minimum": (ln.Minimum("v", **ends), numbers[0]),
        "maximum": (ln.Maximum("v", **ends), numbers[-1]),
        "mean": (ln.Mean("v", **ends), numbers[4]),
    }
    lengths: dict[str, Any] = {
        "iqr": (ln.InterquartileRange("v", **ends), numbers[6] - numbers[2]),
        "sd": (ln.StandardDeviation("v", **ends), float(np.std(numbers))),
    }
    if clock is Clock.SPAN:
        lengths["sum"] = (ln.Sum("v", **ends), sum(numbers))
    middle = clock.time(numbers[4])
    cells = ln.Histogram("v", bins=[low, middle, high])
    with simulate(1), ln.open(data, relation="add-remove", **options) as opened:
        asked = {name: one for name, (one, _) in (times | lengths).items()}
        found = opened.release({**asked, "cells": cells}, epsilon=10**9)
    assert found["cells"].value == [4, 5]
    near = 0 if clock.seconds > 1 or clock is Clock.SPAN else 600  # of seconds in twenty years
    for name, (_, exact) in times.items():
        told = np.atleast_1d(np.array(found[name].value, dtype=object)).tolist()
        assert [type(one) for one in told] == [type(low)] * len(told), name
        on = [clock.number(one, name) for one in told]
        assert on == pytest.approx([exact] if len(told) == 1 else exact, abs=near), name
    for name, (_, exact) in lengths.items():
        told = found[name].value
        assert isinstance(told, dt.timedelta), name
        most = clock.seconds + near
        assert told.total_seconds() == pytest.approx(exact * clock.seconds, abs=most), name


FAR = [
    dt.datetime(*ymd, 23, 59, 59)
    for ymd in [
        (1, 1, 2),
        (1901, 12, 13),
        (1970, 1, 1),
        (2038, 1, 19),
        (2038, 1, 20),
        (9999, 12, 30),
    ]
]
SPANS = [dt.timedelta(days=i) for i in (-(10**6), -24_856, -1, 0, 24_855, 24_856, 10**6)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("front", [x for x in TYPED if x != "pandas"])
def test_far_times_are_the_same_whole_numbers_everywhere(
    front: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """32 bits hold the seconds of 68 years, and nanoseconds no more than 292 years."""
    since = dt.datetime(1970, 1, 1)
    second = dt.timedelta(seconds=1)
    values, numbers = {
        "day": ([x.date() for x in FAR], [(x - since) // second - 86_399 for x in FAR]),
        "moment": (FAR, [(x - since) // second for x in FAR]),
        "zoned": ([x.replace(tzinfo=dt.UTC) for x in FAR], [(x - since) // second for x in FAR]),
        "span": (SPANS, [x // second for x in SPANS]),
    }[kind]
    data, options = made(front, kind, tmp_path, values)
    if front.startswith("parquet by "):
        only_library(monkeypatch, front.removeprefix("parquet by "))
    clock = {"zoned": Clock.INSTANT, "span": Clock.SPAN}.get(kind, Clock.LOCAL)
    assert on_clock(data, clock, **options) == numbers
    if clock is Clock.LOCAL:
        assert on_clock(data, Clock.DAY, **options) == [x // 86_400 for x in numbers]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("front", TYPED)
def test_numbers_and_other_times_are_refused_by_the_type(
    front: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, options = made(front, kind, tmp_path)
    if front.startswith("parquet by "):
        only_library(monkeypatch, front.removeprefix("parquet by "))
    ledger = tmp_path / "t.db"
    Ledger.create(ledger, dataset="t", budget=ln.PureDP(Fraction(1))).close()
    cure = "for example seconds" if kind == "span" else "days since a public date"
    with ln.open(data, ledger=ledger, dataset="t", **options) as opened:
        for statistic in (
            ln.Median("v", bounds=(0, 20_000)),
            ln.Histogram("v", bins=[0, 1, 20_000]),
            ln.MeanVector(columns=["v"], bounds=[(0, 20_000)]),
        ):
            with pytest.raises(ColumnTypeError, match=f"holds no numbers.*{cure}"):
                opened.release(statistic, epsilon=1)
        with pytest.raises(ColumnTypeError, match="no numbers"):
            opened.where(ln.col("v") > 3).release(ln.Count(), epsilon=1)
        fits = {"zoned": (Clock.INSTANT,), "span": (Clock.SPAN,)}.get(
            kind, (Clock.DAY, Clock.LOCAL)
        )
        for other in set(Clock) - set(fits):
            with pytest.raises(ColumnTypeError, match=r"is not compared with .*; use "):
                opened.release(ln.Median("v", bounds=CONSTANTS[other]), epsilon=1)
        assert opened.spent.epsilon == 0


def test_a_date_is_compared_with_whole_days() -> None:
    moments = {"v": np.array(["2024-01-31T23:59:59", "2024-02-01T00:00:00"], "M8[s]")}
    last = dt.date(2024, 1, 31)
    with simulate(1):
        for condition, rows in (
            (ln.col("v") <= last, 1),
            (ln.col("v") == last, 1),
            (ln.col("v") > last, 1),
            (ln.col("v").between(last, dt.date(2024, 2, 1)), 2),
            (ln.col("v").is_in([dt.date(2024, 2, 1)]), 1),
            (ln.col("v") >= dt.datetime(2024, 1, 31, 23, 59, 59), 2),
            (ln.col("v") >= np.datetime64("2024-02"), 1),
        ):
            record = ln.release(ln.Count(), moments, epsilon=10**6, where=condition)
            assert record.value == rows, str(condition)
    assert str(ln.col("v") <= last) == "col('v') <= date('2024-01-31')"


def test_groups_by_dates_are_called_by_their_text() -> None:
    data = {"day": DAYS, "x": list(range(9))}
    with simulate(1), ln.open(data, relation="add-remove") as opened:
        by_day = opened.group_by({"day": DAYS[:2]})
        table = by_day.release({"n": ln.Count()}, epsilon=10**6)
    assert [row.key for row in table.rows()] == [("1969-12-28",), ("1969-12-29",)]
    assert [row.records["n"].value for row in table.rows()] == [1, 1]


def test_what_an_answer_about_dates_is() -> None:
    year = (dt.date(2024, 1, 1), dt.date(2025, 1, 1))
    days = [dt.date(2024, 3, 1) + dt.timedelta(days=i) for i in range(101)]
    spans = [dt.timedelta(minutes=i) for i in range(101)]
    hours = (dt.timedelta(0), dt.timedelta(hours=10))
    with simulate(1):

        def asked(statistic: Any, data: Any) -> Any:
            return ln.release({"x": statistic}, data, epsilon=10**6)["x"].value

        assert asked(ln.Median(bounds=year), days) == dt.date(2024, 4, 20)
        assert asked(ln.Mean(bounds=year), days) == dt.date(2024, 4, 20)
        assert asked(ln.Quantiles(bounds=year, q=[0, 1]), days) == [days[0], days[-1]]
        assert asked(ln.InterquartileRange(bounds=year), days) == dt.timedelta(days=50)
        assert asked(ln.StandardDeviation(bounds=year), days).days == 29
        assert asked(ln.Sum(bounds=hours), spans) == dt.timedelta(minutes=5050)
        assert asked(ln.Mean(bounds=hours), spans) == dt.timedelta(minutes=50)
        record = ln.release(ln.Histogram(bins=[*year]), days, epsilon=10**6)
        assert (record.value, record.axes) == ([101], (("[2024-01-01, 2025-01-01]",),))
        step = ln.Median(bounds=year, step=dt.timedelta(weeks=1))
        assert (asked(step, days) - dt.date(1970, 1, 1)).days % 7 == 0
    for refused, told in (
        (lambda: ln.Sum(bounds=year), "dates have no sum"),
        (lambda: ln.Variance(bounds=year), "StandardDeviation"),
        (lambda: ln.QuantileRatio(bounds=year), "datetime.date"),
        (lambda: ln.Median(bounds=(year[0], hours[1])), "finite number"),
        (lambda: ln.Median(bounds=(year[0], 20_000)), "an int is mixed with dates"),
        (lambda: ln.Histogram(bins=[*year, "x"]), "a str is mixed with dates"),
        (lambda: ln.col("v").is_in([year[0], 19_800]), "an int is mixed with dates"),
        (lambda: ln.Median(bounds=(dt.datetime(2024, 1, 1, 0, 0, 0, 5), year[1])), "to the second"),
    ):
        with pytest.raises((ParameterError, ParameterTypeError), match=told):
            refused()


def test_one_column_has_one_clock_in_a_release() -> None:
    data = {"v": DAYS, "x": list(range(9))}
    median = ln.Median("v", bounds=(dt.datetime(1960, 1, 1), dt.datetime(1980, 1, 1)))
    for condition in (ln.col("v") > dt.date(1969, 1, 1), ln.col("v") == "1969-12-31"):
        with pytest.raises(ParameterError, match="in one release"):
            ln.release(median, data, epsilon=1, where=condition)
    # on a clock two persons might be one
    with pytest.raises(ParameterError, match="in one release"):
        ln.release(ln.Count(), data, epsilon=1, unit="v", max_rows=1, where=ln.col("v") > DAYS[0])


class Odd(dt.date):
    """A date whose own methods fail."""

    def toordinal(self) -> int:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("entry", "clock", "number"),
    [
        ("2024-02-30", Clock.DAY, None),
        ("2024-02-29", Clock.DAY, 19_782),
        (" 2024-02-29T23:59:60", Clock.DAY, None),
        ("2024-02-29 23:59", Clock.DAY, 19_782),
        ("2024-02-29T00:00:00Z", Clock.DAY, None),
        ("2024-02-29T00:30+0100", Clock.INSTANT, 19_782 * 86_400 - 1800),
        ("2024-02-29", Clock.INSTANT, None),
        ("29.02.2024", Clock.DAY, None),
        ("20240229", Clock.DAY, None),
        ("٢٠٢٤-02-29", Clock.DAY, None),
        ("P1W2DT3H4M5.9S", Clock.SPAN, 788_645),
        ("-PT0.5S", Clock.SPAN, -1),
        ("PT", Clock.SPAN, None),
        (19_782, Clock.DAY, None),
        (np.datetime64("2024-02-29T05", "h"), Clock.DAY, 19_782),
        (np.datetime64("NaT"), Clock.DAY, None),
        (np.datetime64(2**62, "W"), Clock.DAY, None),
        (np.timedelta64(90, "m"), Clock.SPAN, 5400),
        (Odd(2024, 2, 29), Clock.DAY, 19_782),
        (dt.time(1), Clock.LOCAL, None),
        ([1], Clock.DAY, None),
    ],
)
def test_an_entry_of_no_declared_type(entry: object, clock: Clock, number: int | None) -> None:
    values, gone = of_entries([([entry, dt.date(1970, 1, 2)], None)], clock)
    assert (None if gone[0] else int(values[0])) == number
    assert bool(values[0] == GONE) is bool(gone[0])
    assert values[1:].tolist() in ([1], [86_400], [GONE])


def test_counts_that_no_clock_holds_are_missing() -> None:
    most = 2**63 - 1
    far = {"v": np.array([most, -most, 5], "i8").astype("M8[D]")}
    assert on_clock(far, Clock.DAY) == [-most, 5, most]
    assert on_clock(far, Clock.LOCAL) == [5 * 86_400, None, None]
    pd = optional("pandas")
    assert on_clock(pd.DataFrame({"v": [pd.NaT, pd.Timestamp(0)]}, dtype=object), Clock.DAY) == [
        0,
        None,
    ]


@pytest.mark.parametrize("unit", ["fs", "as", "7as", "2147483647as", "7ms"])
def test_units_of_any_size_are_scaled_exactly(unit: str) -> None:
    counts = [-(2**63) + 1, -1, 0, 1, 2**62, 2**63 - 1]
    size, name = int("0" + unit[:-2]) or 1, unit[-2:]
    per = {"ms": 10**3, "fs": 10**15, "as": 10**18}[name]
    data = {"v": np.array(counts, f"M8[{unit}]")}
    for clock in (Clock.DAY, Clock.LOCAL):
        exact = [x * size // (per * clock.seconds) for x in counts]
        assert on_clock(data, clock) == exact
        assert on_clock({"v": list(data["v"])}, clock) == exact


def test_times_of_pandas_beyond_those_of_python() -> None:
    pd = optional("pandas")
    far = pd.Series(np.array(["12000-06-01", "-0500-01-01", "2020-01-01"], "M8[s]"))
    wanted = np.sort(far.to_numpy().astype("i8")).tolist()
    assert on_clock(pd.DataFrame({"v": far.astype(object)}), Clock.LOCAL) == wanted
    zoned = far.dt.tz_localize("UTC").dt.tz_convert("Etc/GMT+5").astype(object)
    assert on_clock(pd.DataFrame({"v": zoned}), Clock.INSTANT) == wanted
    spans = pd.Series(np.array([10**14, -(10**14)], "m8[s]")).astype(object)
    assert on_clock(pd.DataFrame({"v": spans}), Clock.SPAN) == [-(10**14), 10**14]


@pytest.mark.parametrize("kind", ["TIMESTAMP_S", "TIMESTAMP_MS"])
def test_coarse_times_of_duckdb_are_of_any_year(kind: str) -> None:
    duckdb = optional("duckdb")
    rows = f"('1600-01-01'::{kind}), ('2300-01-01'::{kind}), ('infinity'::{kind})"
    with duckdb.connect() as connection:
        table = connection.sql(f"SELECT * FROM (VALUES {rows}) t(v)")
        assert on_clock(table, Clock.LOCAL) == [-11_676_096_000, 10_413_792_000, None]


def test_a_date_may_stand_for_a_missing_entry() -> None:
    days = {"v": [*DAYS, dt.date(1900, 1, 1)]}
    for data in (days, {"v": np.array(days["v"], "M8[D]")}):
        found = on_clock(data, Clock.DAY, missing_values=["1900-01-01"])
        assert found == [*range(-4, 5), None]


def test_what_stands_for_none_is_missing_beside_what_is_no_time(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    entries = ["v,w", "1970-01-02,1", "no day,2", "1900-01-01,3", ",4"]
    path.write_text("\n".join([*entries, ""]), encoding="utf-8")
    lists = {"v": ["1970-01-02", "no day", "1900-01-01", None]}
    for data in (path, lists):
        found = on_clock(data, Clock.DAY, missing_values=["1900-01-01"])
        assert found == [1, None, None, None]


def test_infinite_dates_and_months_are_missing_in_duckdb() -> None:
    duckdb = optional("duckdb")
    rows = "(DATE 'infinity', INTERVAL 1 MONTH), (DATE '1970-01-02', INTERVAL 90 MINUTE)"
    with duckdb.connect() as connection:
        table = connection.sql(f"SELECT * FROM (VALUES {rows}) t(v, w)")
        assert on_clock(table, Clock.DAY) == [1, None]
        table = connection.sql(f"SELECT w AS v FROM (VALUES {rows}) t(v, w)")
        assert on_clock(table, Clock.SPAN) == [5400, None]


def test_answers_beyond_all_dates_are_the_last_one() -> None:
    assert Clock.DAY.time(10**9) == dt.date.max
    assert Clock.LOCAL.time(-(10**12)) == dt.datetime(1, 1, 1)
    assert Clock.INSTANT.time(Fraction(1, 2)) == dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    assert Clock.SPAN.time(10**20) == dt.timedelta(days=999_999_999, seconds=86_399)


def test_periods_of_pandas_are_told_the_way() -> None:
    pd = optional("pandas")
    data = pd.DataFrame({"v": pd.period_range("2020-01", periods=9, freq="M")})
    with pytest.raises(ColumnTypeError, match="to_timestamp"):
        ln.release(ln.Median("v", bounds=(0, 9)), data, epsilon=1)


@pytest.mark.parametrize("ends", [("2020-01-01", "2024-12-31"), ("1/1/2020", "31/12/2024")])
def test_texts_as_limits_are_told_the_way(ends: tuple[Any, Any]) -> None:
    for statistic in (
        lambda: ln.Median("v", bounds=ends),
        lambda: ln.MeanVector(columns=["v"], bounds=[ends]),
        lambda: ln.Histogram("v", bins=list(ends)),
    ):
        with pytest.raises((ParameterError, ParameterTypeError), match=r"datetime\.date"):
            statistic()
    with pytest.raises(ParameterTypeError, match=r"datetime\.date"):
        _ = ln.col("v") >= ends[0]


def test_numbers_are_no_dates() -> None:
    for value in ("1/2", "1e-3", "-3/4", "x", None, [1]):
        with pytest.raises((ParameterError, ParameterTypeError)) as caught:
            ln.Median("v", bounds=(value, 9))
        assert "date" not in str(caught.value)


@pytest.mark.parametrize("front", UNTYPED)
def test_dates_of_an_untyped_column_are_no_numbers(front: str, tmp_path: Path) -> None:
    """Its entries are read one by one: nothing of a value may decide what is refused."""
    data, _ = made(front, "day", tmp_path)
    with simulate(1):
        common: dict[str, Any] = {"epsilon": 10**6, "relation": "add-remove"}
        record = ln.release({"all": ln.Count(), "read": ln.Count("v")}, data, **common)
    assert (record["all"].value, record["read"].value) == (10, 0)


@pytest.mark.parametrize("statistic", [ln.Mean, ln.Median, ln.InterquartileRange])
def test_intervals_of_dates_round_outwards(statistic: Any) -> None:
    """The ends in days are those of the numbers, and hold them."""
    first, days = dt.date(2024, 1, 1), [10 + i % 7 for i in range(500)]
    dates = [first + dt.timedelta(days=i) for i in days]
    origin = (first - dt.date(1970, 1, 1)).days
    for seed in range(5):
        with simulate(seed):
            limits: Any = {"bounds": (first, first + dt.timedelta(days=90)), "missing": "none"}
            asked = ln.WithInterval(statistic(**limits))
            found = ln.release(asked, dates, epsilon=1).interval
        with simulate(seed):
            limits = {"bounds": (origin, origin + 90), "missing": "none"}
            asked = ln.WithInterval(statistic(**limits))
            plain = ln.release(asked, np.array(days) + origin, epsilon=1).interval
        assert found is not None
        assert plain is not None
        spread = isinstance(found[0], dt.timedelta)
        low, high = (
            x / dt.timedelta(1) if spread else (x - dt.date(1970, 1, 1)).days for x in found
        )
        assert low <= plain[0] < low + 1
        assert high - 1 < plain[1] <= high


@pytest.mark.parametrize("reader", ["engine", "duckdb alone"])
@pytest.mark.parametrize(
    ("unit", "options"), [("ms", {}), ("s", {}), ("ms", {"use_deprecated_int96_timestamps": True})]
)
def test_times_that_could_end_a_query_of_duckdb_are_refused_by_their_type(
    unit: str,
    options: dict[str, bool],
    reader: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A far one does so wherever the query names its column: its file's statistics do, too."""
    arrow, parquet = optional("pyarrow"), optional("pyarrow.parquet")
    said: list[tuple[str, int | float]] = []
    for far in (5, 10**13 if unit == "s" else 10**16):
        times = arrow.array([1, 2, far], arrow.int64()).cast(arrow.timestamp(unit))
        path = tmp_path / "far.parquet"
        table = arrow.table({"x": [1.0, 2.0, 3.0], 'a "t"': times})
        parquet.write_table(table, path, **options)
        with monkeypatch.context() as alone, simulate(3):
            engine = {"engine": "duckdb"} if reader == "engine" else {}
            if not engine:
                only_library(alone, "duckdb")
            with ln.open(path, relation="add-remove", **engine) as data:
                with pytest.raises(ColumnTypeError, match="DuckDB counts the times") as caught:
                    data.release(ln.Median('a "t"', bounds=CONSTANTS[Clock.LOCAL]), epsilon=1)
                rows = data.release(ln.Count(), epsilon=1).value
                found = data.release(ln.Median("x", bounds=(0, 9)), epsilon=1).value
        said += [(str(caught.value), rows), ("", found)]
    assert said[:2] == said[2:]


@pytest.mark.parametrize("unit", [{}, {"unit": "p", "max_rows": 1}], ids=["rows", "persons"])
def test_text_that_duckdb_checks_is_refused_by_its_type(
    unit: dict[str, Any], tmp_path: Path
) -> None:
    """A text that is no JSON ends a query that names the column; so does one inside a struct."""
    arrow, parquet = optional("pyarrow"), optional("pyarrow.parquet")
    found: list[object] = []
    for text in ("{}", "{not json"):
        entries = arrow.ExtensionArray.from_storage(arrow.json_(), arrow.array(["{}", "[]", text]))
        nested = arrow.StructArray.from_arrays([entries], names=["inside"])
        path = tmp_path / "json.parquet"
        parquet.write_table(arrow.table({"p": [1, 2, 3], "t": entries, "s": nested}), path)
        with simulate(5), ln.open(path, engine="duckdb", relation="add-remove", **unit) as data:
            for name in ("t", "s"):
                with pytest.raises(ColumnTypeError, match="holds no text"):
                    data.release(ln.Mode(name, categories=["{}", "x"]), epsilon=1)
            found.append(data.release(ln.Median("p", bounds=(0, 9)), epsilon=1).value)
    assert found[0] == found[1]
