"""Lattices that are finer than doubles, or whose limits no double holds: one reading everywhere.

Sums, order statistics and power sums of a column are of the same lattice integers in every front
end, missing and infinite entries included. Where they were not, the bounds of a sum's profile were
of other records than its value.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.frames import open_table
from leastnoise.session.prepare import plan
from leastnoise.summaries.lattice import choose_lattice
from leastnoise.testing import simulate
from support.fronts import Front
from support.optional import optional

BIG = 2**53
CASES: dict[str, dict[str, Any]] = {
    "no double is imputed": {"bounds": (BIG, BIG + 8), "step": 1, "missing": BIG + 3},
    "no double is in the middle": {"bounds": (BIG, BIG + 6), "step": 1, "missing": "none"},
    "limits between doubles": {"bounds": (-62, -59.999999999998), "missing": Fraction(-61.25)},
    "limits far from 0": {"bounds": (10**6 + 0.1, 10**6 + 0.3), "missing": "none"},
    "tenths far from 0": {"bounds": (10**17, 10**17 + 10**3), "step": "1/10", "missing": "none"},
    # 10.15 / 0.7 is rounded above 14.5, and 10.15 * (1 / 0.7), as Polars computes it, is not
    "quotients that engines round": {"bounds": (0, 70), "step": "7/10", "missing": 11.55},
    "dropped": {"bounds": (BIG, BIG + 8), "step": 1, "missing": "drop"},
}
PARTS = [0, 0.04, 0.15, 0.3, 0.45, 0.5, 0.55, 0.75, 0.9, 1]


def entries(case: dict[str, Any]) -> list[Any]:
    low, high = (float(end) for end in case["bounds"])
    inside = [low + (high - low) * part for part in PARTS]
    return [*inside, np.inf, -np.inf, 1e300, -1e300, 0.0, 10.15, 11.55, None, None]


@pytest.mark.parametrize("case", CASES)
def test_all_summaries_are_of_the_same_integers(front: Front, case: str) -> None:
    values, options = entries(CASES[case]), CASES[case]
    data = front.table(values, "float")
    lattice: Any = None
    for kind in (ln.Sum, ln.Median, ln.Variance):
        prepared = plan(kind(front.name, **options), data, None, None)
        request: Any = prepared.request
        summary: Any = prepared.table.summarise(request, 100)
        lattice = request.lattice
        there = lattice.quantise(np.array([x for x in values if x is not None]))
        integers = sorted(map(int, there))
        if request.missing.impute is not None:
            integers = sorted([*integers, *[request.missing.impute] * values.count(None)])
        assert summary.n == len(integers)
        if kind is ln.Median:
            (run,) = summary.runs
            assert list(run.values) == integers
            continue
        assert (list(summary.smallest), list(summary.largest)) == (integers, integers[::-1])
        assert summary.total == sum(integers)
        if kind is ln.Variance:
            assert summary.squares == sum(z * z for z in integers)


@pytest.mark.parametrize("case", CASES)
def test_an_imputed_point_is_an_entry(case: str) -> None:
    """A column that holds the number itself is summarised like one where it is missing."""
    options = CASES[case]
    if options["missing"] == "drop":
        return
    for kind in (ln.Sum, ln.Median, ln.Variance):
        request: Any = plan(kind(**options), [0.0], None, None).request
        number = options["missing"]
        middle = request.lattice.middle * request.lattice.step
        written = float(middle if number == "none" else Fraction(number))
        one, other = (open_table([1.0, x]).summarise(request, None) for x in (None, written))
        assert parts_of(one) == parts_of(other)


def parts_of(summary: Any) -> dict[str, Any]:
    found = {n: getattr(summary, n) for n in ("n", "total", "squares") if hasattr(summary, n)}
    for name in ("smallest", "largest"):
        if hasattr(summary, name):
            found[name] = list(getattr(summary, name))
    return found | {"runs": [list(run.values) for run in getattr(summary, "runs", ())]}


@pytest.mark.parametrize("front", ["numpy", "polars", "duckdb"])
def test_losses_without_a_limit_are_exact_far_from_0(front: str) -> None:
    """Squares of budgets need three limbs; errors of 1e6 and more were answered by 1.1e12."""
    rng = np.random.default_rng(4)
    y = 10.0 ** rng.integers(-3, 8, 300) * rng.normal(0, 1, 300)
    p = 10.0 ** rng.integers(-3, 12, 300) * rng.normal(0, 1, 300)
    y[0] = 1e300
    data: Any = {"y": y, "p": p}
    if front != "numpy":
        data = optional("polars").DataFrame(data).lazy()
    if front == "duckdb":
        data = optional("duckdb").from_arrow(data.collect().to_arrow())
    for kind, step in ((ln.MeanSquaredError, None), (ln.MeanAbsoluteError, "1/3")):
        asked: Any = kind("y", "p", step=step)
        prepared = plan(asked, data, None, None)
        request: Any = prepared.request
        found: Any = prepared.table.summarise(request, 40)
        apart = (np.clip(y, -(2.0**500), 2.0**500) - p).tolist()
        losses = [x * x if kind is ln.MeanSquaredError else abs(x) for x in apart]
        points = [int(request.lattice.quantise(np.array([x]))[0]) for x in losses]
        assert found.total == sum(points)
        assert list(found.largest) == sorted(points, reverse=True)[:40]
        assert max(points) == 2**90


@pytest.mark.parametrize("scale", [1e6, 1e9])
def test_large_errors_without_a_limit_are_told(scale: float) -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(5 * scale, scale, 3000)
    for kind, truth in ((ln.MeanSquaredError, scale**2), (ln.RootMeanSquaredError, scale)):
        with simulate("far"):
            value = ln.release(kind(), (y, np.full(3000, 5 * scale)), epsilon=1).value
        assert value == pytest.approx(truth, rel=0.1)


def test_sparse_doubles_are_refused_by_the_schema() -> None:
    """Around 3.8e19 doubles lie 8,192 apart: such a lattice overflowed, and all read as its end."""
    bounds = (37908852619907572900, 37908852619907572909)
    for kind in (ln.Sum, ln.Median, ln.Variance):
        with pytest.raises(ParameterError, match="too far from 0 for their width"):
            ln.release(kind(bounds=bounds, step=Fraction(1, 2**52)), [1.0], epsilon=1)
    whole = ln.release(ln.Sum(bounds=(2**62, 2**62 + 9)), np.array([5]), epsilon=1).value
    assert isinstance(whole, int)


@pytest.mark.parametrize("step", ["3/10", "1", "1/7", str(Fraction(2) ** 1012 / 3)])
def test_doubles_around_a_window_hold_all_of_its_entries(step: str) -> None:
    """What is read as a point of the window lies between them, whatever is rounded on the way."""
    unit = Fraction(step)
    for start in (0, 10**15, 10**18, -(10**18)):
        limits = start * unit, (start + 1000) * unit
        if max(map(abs, limits)) >= 2**1023:
            continue
        lattice = choose_lattice(limits, purpose="moments", integer_column=False, step=unit)
        low, high = lattice.ends
        assert lattice.quantise(np.array([low, high])).tolist() == [lattice.low, lattice.high]
        least, most = Fraction(lattice.low + 300), Fraction(2 * lattice.low + 1201, 2)
        around = lattice.bracket(least, most)
        assert around[0] < around[1]
        near = np.array([float((lattice.low + k) * unit) for k in range(-2, 1003)])
        read = lattice.quantise(near)
        inside = (near >= around[0]) & (near <= around[1])
        assert all(inside[(read >= least) & (read <= most)])
    assert lattice.bracket(Fraction(lattice.low), Fraction(lattice.high)) == (-np.inf, np.inf)


@pytest.mark.parametrize("low", [2**60, -(2**60) - 40, 2**63 - 41])
def test_limits_that_no_double_reaches_end_a_window_of_integers(low: int) -> None:
    """2^60 + 40 is read as the double 2^60: to look for one beyond it never ended."""
    lattice = choose_lattice(
        (Fraction(low), Fraction(low + 40)), purpose="spread", integer_column=True, step=None
    )
    points = np.arange(low, low + 40)
    for first, last in ((0, 39), (0, 3), (17, 20), (36, 39)):
        least, most = lattice.bracket(Fraction(int(points[first])), Fraction(int(points[last])))
        assert (points[first : last + 1] >= least).all()
        assert (points[first : last + 1] <= most).all()


@pytest.mark.parametrize("depth", [2, 4])
def test_a_variance_between_doubles_is_that_of_the_integers(depth: int) -> None:
    entries = np.array([0, 0, 1, 7, 7, 12, 19, 20, 31, 40, 40])

    def profile(shift: int) -> ln.Profile:
        statistic = ln.Variance(bounds=(shift, shift + 40))
        prepared = plan(statistic, entries + shift, "replace-one", None)
        (found,) = prepared.profiles(prepared.table.summarise(prepared.request, depth))
        return found

    far, near = profile(2**60), profile(0)
    assert far.value == near.value
    for level in range(depth):
        assert (far.lower(level), far.upper(level)) == (near.lower(level), near.upper(level))


# Every type of whole numbers: the least and the largest.
WHOLE = {
    **{f"Int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64, 128)},
    **{f"UInt{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64, 128)},
}
IN_DUCKDB = {"8": "TINYINT", "16": "SMALLINT", "32": "INTEGER", "64": "BIGINT", "128": "HUGEINT"}


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("kind", WHOLE)
def test_engines_read_whole_numbers_of_every_type_exactly_at_its_ends(
    kind: str, engine: str
) -> None:
    """Of 128 bits those beyond 64 count as the last of these, where limits may still lie."""
    least, most = WHOLE[kind]
    corners = {
        s * 2**b + d
        for b in (7, 8, 15, 16, 31, 32, 53, 63, 64)
        for s in (1, -1)
        for d in (-1, 0, 1)
    }
    values = sorted({x for x in corners if least <= x <= most} | {least, 0, most})
    module = optional(engine)
    if engine == "polars":
        data = module.LazyFrame({"x": module.Series(values, dtype=getattr(module, kind))})
    else:
        name = kind[:1].strip("I") + IN_DUCKDB[kind.partition("t")[2]]
        rows = ", ".join(f"('{x}')" for x in values)
        data = module.connect().sql(f"SELECT x::{name} AS x FROM (VALUES {rows}) t(x)")
    first, last = max(least, -(2**63)), min(most, 2**64 - 1 if least == 0 else 2**63 - 1)
    places = [(first, first + 9), (last - 9, last), (max(first, -5), min(last, 2**53))]
    for low, high, step in [*((*place, 1) for place in places), (0, 1000, 5)]:
        points = [round(Fraction(min(max(x, low), high), step)) for x in values]
        summaries: list[Any] = []
        for statistic in (ln.Median, ln.Sum):
            asked = plan(statistic("x", bounds=(low, high), step=step), data, None, None)
            summaries.append(asked.table.summarise(asked.request, 100))
        (run,) = summaries[0].runs
        assert [int(x) for x in run.values] == points
        assert summaries[1].total == sum(points)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("places", [30])
def test_engines_read_decimals_as_the_nearest_double(places: int, engine: str) -> None:
    rng = np.random.default_rng(places)
    texts = [f"0.{''.join(map(str, rng.integers(1, 10, places)))}" for _ in range(100)]
    module = optional(engine)
    if engine == "polars":
        data = module.LazyFrame(
            {"x": module.Series([Decimal(x) for x in texts], dtype=module.Decimal(38, places))}
        )
    else:
        rows = ", ".join(f"('{x}')" for x in texts)
        name = f"DECIMAL(38, {places})"
        data = module.connect().sql(f"SELECT x::{name} AS x FROM (VALUES {rows}) t(x)")
    prepared = plan(ln.Median("x", bounds=(0, 1), step=Fraction(1, 2**57)), data, None, None)
    (run,) = prepared.table.summarise(prepared.request, 400).runs
    assert [int(x) for x in run.values] == sorted(int(float(x) * 2**57) for x in texts)
