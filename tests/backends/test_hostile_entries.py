"""No method of an entry, whatever it raises, gets out of any way by which a list is read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln
from leastnoise import col
from leastnoise.frames.readers.times import of_entries
from leastnoise.summaries.columns import Clock
from leastnoise.testing.locality.objects import METHODS, hostile

BASES = (object, str, float, int, list, tuple, date, datetime, timedelta)
WORDS = {"missing_values": ("", "NA", "-9")}
Reading = Callable[[list[Any]], object]


def _release(statistic: Any, **options: Any) -> Reading:
    def release(entries: list[Any]) -> None:
        ln.release(statistic, entries, epsilon=1, **options)

    return release


def _named(statistic: Any, **options: Any) -> Reading:
    def release(entries: list[Any]) -> None:
        ln.release(statistic, {"a": entries}, epsilon=1, **options)

    return release


def _grouped(entries: list[Any], max_groups: int | None = None, **options: Any) -> object:
    data = ln.open({"a": entries, "b": [*entries[1:], "u"]}, **options)
    return data.group_by({"b": ["u", "v"]}, max_groups=max_groups).release(
        ln.Median("a", bounds=(0, 10)), epsilon=1
    )


READINGS: dict[str, Reading] = {
    "one column without a name": _release(ln.MeanVector(bounds=[(0, 10)])),
    "rows": lambda entries: ln.release(
        ln.MeanVector(bounds=[(0, 10)] * 2), [*([x, 3] for x in entries), *entries], epsilon=1
    ),
    "numbers": _release(ln.Median(bounds=(0, 10))),
    "numbers beside words": _named(ln.Median("a", bounds=(0, 10)), **WORDS),
    "labels": _named(ln.Histogram("a", categories=["a", "b", "2"])),
    "labels beside words": _named(ln.Histogram("a", categories=["a", "b", "2"]), **WORDS),
    "a condition": _named(ln.Count(), where=(col("a") == "a") & ~col("a").is_missing()),
    "distinct values": _named(ln.CountDistinct("a")),
    "distinct values beside words": _named(ln.CountDistinct("a"), **WORDS),
    "weights": lambda entries: ln.release(
        ln.WeightedQuantile(q="0.5", bounds=(0, 10), largest=2), (entries, entries), epsilon=1
    ),
    "truths and scores": lambda entries: ln.release(ln.RocAuc(), (entries, entries), epsilon=1),
    "groups": _grouped,
    "groups of persons": lambda entries: _grouped(entries, max_groups=1, unit="b", max_rows=2),
    "days": _named(ln.Median("a", bounds=(date(2000, 1, 1), date(2030, 1, 1)))),
    "instants": _named(
        ln.Median("a", bounds=(datetime(2000, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC)))
    ),
    "durations": _named(ln.Median("a", bounds=(timedelta(0), timedelta(9)))),
    "private keys": _named(ln.PrivateKeys("a", delta="1e-6")),
    "edges": lambda entries: ln.release(
        ln.EdgeCount(nodes=["u", "v"]), [*(("u", x) for x in entries), *entries], epsilon=1
    ),
}


@pytest.mark.parametrize("reading", READINGS)
def test_a_number_of_a_million_digits_is_missing_and_not_written_out(reading: str) -> None:
    """That would take minutes, as an integer, inside a fraction or a list."""
    long = 10**1_000_000
    READINGS[reading]([1.0, 2.0, long, -long, Fraction(1, long), [long], 3.0])


@pytest.mark.parametrize("reading", READINGS)
def test_whatever_a_method_raises_stays_inside(reading: str) -> None:
    for names in (*((name,) for name in METHODS), METHODS):
        for error in (SystemExit, AttributeError):  # isinstance takes the second for no answer
            READINGS[reading]([1.0, *(hostile(base, names, error=error) for base in BASES), 2.0])


@pytest.mark.parametrize("reading", READINGS)
def test_what_a_method_gives_may_be_as_hostile(reading: str) -> None:
    """A text whose own methods raise, or give what no text does, is a text all the same."""
    given = [hostile(base, METHODS, error=ValueError) for base in (str, float, int, object)]
    given += [hostile(str, ("strip",), gives=odd) for odd in (5, [1], given[0])]
    for names in (("__str__",), METHODS):
        entries = [hostile(base, names, gives=one) for base in (object, str) for one in given]
        READINGS[reading]([1.0, *entries, 2.0])


class Zone(tzinfo):
    """One whose hours are of a class of its own."""

    def __init__(self, hours: object) -> None:
        self.hours = hours

    def utcoffset(self, dt: datetime | None) -> Any:
        return self.hours

    def dst(self, dt: datetime | None) -> None:
        return None

    def tzname(self, dt: datetime | None) -> str:
        return "?"


class Length:
    """What is taken for a duration."""

    def __init__(self, days: object) -> None:
        self.days, self.seconds = days, 0


@pytest.mark.parametrize("reading", READINGS)
def test_a_zone_may_give_hours_of_a_class_of_its_own(reading: str) -> None:
    kinds = ("__sub__", "__rsub__", "__floordiv__", "__lt__", "__eq__", "__hash__")
    hours = [hostile(timedelta, kinds, error=ValueError), timedelta(hours=1), "1 h"]
    hours += [hostile(timedelta, kinds, gives=Length(days)) for days in (10**30, "a", None)]
    READINGS[reading]([1.0, *(datetime(2020, 1, 2, tzinfo=Zone(each)) for each in hours), 2.0])


@pytest.mark.parametrize("micros", [0, 1, 499_999, 999_999])
@pytest.mark.parametrize("behind", [0, 1, -1, 3_600_000_001, -3_600_000_001, 86_399_999_999])
def test_offsets_of_parts_of_a_second_round_down(micros: int, behind: int) -> None:
    zone = timezone(timedelta(microseconds=behind))
    time = datetime(2020, 1, 2, 3, 4, 5, micros, tzinfo=zone)
    since = (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    values, missing = of_entries([([time], None)], Clock.INSTANT)
    assert (values.tolist(), missing.tolist()) == ([since], [False])
