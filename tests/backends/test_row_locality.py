"""No row decides how another is read: every front end, for a minute in all, and longer at night."""

from __future__ import annotations

import pytest

from leastnoise.testing import check_front_end
from support.front_ends.every import FRONTS, front_end

# Changes of one row: together a minute of one core. A change costs some ten milliseconds in memory,
# a tenth of a second in a text file, a third of one in DuckDB and more in Spark.
USUAL = 15
CASES = {
    "list": 60,
    "tuple": 60,
    "array.array": 45,
    "numpy": 120,
    "arrow": 75,
    "arrow, nothing missing by its schema": 30,
    "arrow record batch": 45,
    "pandas": 60,
    "pandas parts": 24,
    "polars": 60,
    "networkx": 60,
    "rustworkx": 60,
    "sparse matrix": 60,
    "list of edges": 90,
    "file of edges": 90,
    "file of edges.gz": 60,
    **{name: 6 for name in FRONTS if "duckdb" in name},
    "spark": 1,
}
# Ways in which an engine reads each change, of all that are drawn.
READINGS = {**{name: 4 for name in FRONTS if "duckdb" in name}, "spark": 1}
# So many times as many at night.
NIGHT = 20


def spelled(name: str) -> str:
    """A name that -k takes."""
    return name.replace(",", "").replace(" ", "_")


fronts = pytest.mark.parametrize("name", list(FRONTS), ids=spelled)


def look(name: str, times: int, seed: int) -> None:
    with front_end(name) as front:
        cases = times * CASES.get(name, USUAL)
        check_front_end(front, seed=seed, cases=cases, readings=READINGS.get(name))


@fronts
def test_no_row_decides_how_another_is_read(name: str) -> None:
    look(name, 1, seed=0)


@pytest.mark.nightly
@fronts
def test_no_row_decides_in_many_tries(name: str) -> None:
    look(name, NIGHT, seed=1)


def test_every_number_of_cases_is_of_a_front_end() -> None:
    assert {*CASES, *READINGS} <= {*FRONTS}
