"""No method of an entry, whatever it raises, gets out of any way by which a list is read."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln
from leastnoise import col
from leastnoise.testing.locality.objects import METHODS, hostile

BASES = (object, str, float, int, list, tuple)
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
