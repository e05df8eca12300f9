"""The strategies give what they say: neighbours at distance one, limits in order."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from leastnoise.errors import ParameterError
from leastnoise.testing import strategies
from support.balls import distance

QUICK = settings(max_examples=60, database=None, deadline=None, derandomize=True)
RELATIONS = ("replace-one", "add-remove", "edit")


@QUICK
@given(st.data())
@pytest.mark.parametrize("relation", RELATIONS)
def test_neighbours_are_at_most_one_change_apart(relation: str, data: st.DataObject) -> None:
    x, other = data.draw(strategies.neighbours(relation, st.integers(0, 3), max_size=5))
    assert distance(tuple(x), tuple(other), relation) in (0, 1)
    assert max(len(x), len(other)) <= 5


@pytest.mark.parametrize("relation", RELATIONS)
def test_both_directions_and_the_empty_table_occur(relation: str) -> None:
    pairs = strategies.neighbours(relation, st.integers(0, 3), max_size=5)
    if relation != "replace-one":
        assert find(pairs, lambda p: len(p[0]) > len(p[1]), settings=QUICK) == ([0], [])
        assert find(pairs, lambda p: len(p[0]) < len(p[1]), settings=QUICK) == ([], [0])
    if relation != "add-remove":
        found = find(pairs, lambda p: len(p[0]) == len(p[1]) and p[0] != p[1], settings=QUICK)
        assert sorted(found) == [[0], [1]]


@QUICK
@given(st.data(), strategies.bounds())
def test_records_reach_both_ends_and_beyond(
    data: st.DataObject, limits: tuple[float, float]
) -> None:
    low, high = limits
    assert low < high
    inside = data.draw(strategies.records(limits, beyond=False))
    assert low <= inside <= high
    anything = data.draw(strategies.records(limits, missing=True))
    assert math.isnan(anything) or math.isinf(anything) or abs(anything) < 1e17


@QUICK
@given(st.data(), strategies.bounds(integers=True))
def test_whole_records(data: st.DataObject, limits: tuple[int, int]) -> None:
    record = data.draw(strategies.records(limits, integers=True, beyond=False))
    assert isinstance(record, int)
    assert limits[0] <= record <= limits[1]


def test_infinite_and_missing_records_occur() -> None:
    hostile = strategies.records((0, 1), missing=True)
    find(hostile, math.isinf, settings=settings(QUICK, max_examples=500))
    find(hostile, math.isnan, settings=settings(QUICK, max_examples=500))
    with pytest.raises(ParameterError, match="integer column"):
        strategies.records((0, 1), integers=True, missing=True)


@QUICK
@given(strategies.epsilons(), strategies.data_sets(st.integers(), max_size=3))
def test_epsilons_and_data_sets(epsilon: Fraction, rows: list[int]) -> None:
    assert Fraction(1, 1000) <= epsilon <= 64
    assert len(rows) <= 3


def test_a_pair_needs_a_row() -> None:
    with pytest.raises(ParameterError, match="max_size"):
        strategies.neighbours("edit", st.integers(), max_size=0)
    with pytest.raises(ParameterError, match="relation"):
        strategies.neighbours("swap", st.integers())


def test_hypothesis_is_imported_only_where_it_is_needed() -> None:
    code = (
        "import sys, leastnoise as ln\n"
        "from leastnoise import testing\n"
        "testing.check_statistic(ln.Median(bounds=(0, 3)), n=2, max_examples=0)\n"
        "testing.check_samplers(draws=50)\n"
        "assert 'hypothesis' not in sys.modules\n"
        "testing.strategies\n"
        "assert 'hypothesis' in sys.modules\n"
        "sys.modules['hypothesis'] = None\n"
        "del sys.modules['leastnoise.testing.strategies'], testing.strategies\n"
        "try:\n"
        "    testing.strategies\n"
        "except ImportError as error:\n"
        "    assert 'leastnoise[testing]' in str(error)\n"
        "else:\n"
        "    raise SystemExit('no error')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_limits_without_a_double_between_them_still_give_both() -> None:
    near = (107453397823084.33, 107453397823084.34)
    for end in near:
        assert find(strategies.records(near, beyond=False), end.__eq__) == end
