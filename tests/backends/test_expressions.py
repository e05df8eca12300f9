"""Values worked out by row: memory and engines give what a row alone gives, to the last bit.

``support.expressions`` has the definition, one row at a time in plain Python, and the random
expressions over awkward entries that it is compared on, once more after one row has changed.
"""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from leastnoise.errors import ColumnTypeError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.engines import LazyTable
from leastnoise.summaries import expressions as ex
from leastnoise.summaries.predicates import And, Compare, IsMissing
from support.expressions import (
    check_engine,
    entries_of,
    frame,
    held,
    random_row,
    random_values,
    read,
    value_of,
)
from support.optional import optional


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("label", ["memory", "polars lazy", "duckdb"])
def test_every_engine_gives_what_a_row_alone_gives(label: str, seed: int) -> None:
    """And one changed row changes what it gives itself, and nothing else."""
    check_engine(label, seed)


@pytest.mark.parametrize("label", ["memory", "polars lazy", "duckdb"])
def test_no_setting_of_an_engine_decides(label: str) -> None:
    """Divisions by zero and overflows are missing where the engine was told to raise on them."""
    rows = [{"a": a, "b": 0, "c": 0.0, "m": None, "s": None} for a in (0.0, 1e308, -1.0)]
    a, b = ex.Entry("a"), ex.Entry("b")
    twice = ex.Arithmetic("*", ex.Number(Fraction(2**500)), ex.Number(Fraction(2**500)))
    values: dict[str, ex.Value] = {"q": ex.Arithmetic("/", a, b), "p": ex.Arithmetic("*", a, twice)}
    data = held(label, frame(rows))
    if label == "duckdb":
        duckdb = optional("duckdb")
        connection = duckdb.connect(config={"ieee_floating_point_ops": False})
        data = connection.from_arrow(frame(rows))
    assert read(data, values) == {"q": [None] * 3, "p": [None] * 3}


def _quotients(divisors: list[float]) -> dict[str, ex.Value]:
    """By a constant, and by a CASE and of a CASE of which all rows take one branch."""
    a, all_rows = ex.Entry("a"), ex.Compared("<", ex.Entry("a"), ex.Number(Fraction(2**400)))
    found: dict[str, ex.Value] = {}
    for i, divisor in enumerate(divisors):
        by = ex.Number(Fraction(divisor))
        chosen = ex.Choice(((all_rows, by),), by)
        found[f"q{i}"] = ex.Arithmetic("/", a, by)
        found[f"c{i}"] = ex.Arithmetic("/", a, chosen)
        found[f"k{i}"] = ex.Arithmetic("/", chosen, ex.Number(Fraction(49)))
    return found


@pytest.mark.parametrize("label", ["memory", "polars lazy", "duckdb"])
@pytest.mark.parametrize("kind", ["whole", "doubles", "one missing"])
def test_a_quotient_is_rounded_once(label: str, kind: str) -> None:
    """By a constant as by a column, to the last bit, whatever other rows hold."""
    _check_quotients(label, kind, [1 / 3, 0.1, 1e100, -7.3, 3.0, 7.0, 10.0, 49.0, 365.0, 499.0])


@pytest.mark.nightly
def test_every_quotient_of_small_numbers_is_rounded_once() -> None:
    for first in range(1, 501, 50):
        _check_quotients("polars lazy", "whole", [float(n) for n in range(first, first + 50)])


def _check_quotients(label: str, kind: str, divisors: list[float]) -> None:
    draw = random.Random(5)
    own = [draw.gauss(0, 1) * 10.0 ** draw.randrange(-100, 100) for _ in range(500)]
    numbers: list[float | None] = [*own] if kind == "doubles" else [float(n) for n in range(1, 501)]
    if kind == "one missing":
        numbers[7] = None
    found = read(held(label, frame([{"a": n} for n in numbers])), _quotients(divisors))
    for i, divisor in enumerate(divisors):
        expected = [None if n is None else n / divisor for n in numbers]
        assert found[f"q{i}"] == found[f"c{i}"] == expected
        assert found[f"k{i}"] == [divisor / 49] * 500


def test_a_text_file_is_read_once_for_an_expression(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it names a column."""
    from leastnoise.frames.readers.csv import CsvTable

    (tmp_path / "t.csv").write_text("a,s\n1,N\n,S\nx,N\n", encoding="utf-8")
    reads: list[int] = []
    blocks = CsvTable._blocks
    monkeypatch.setattr(CsvTable, "_blocks", lambda *x: reads.append(1) or blocks(*x))
    a, north = ex.Entry("a"), ex.Holds(Compare("s", "==", "N"))
    chosen = ex.Choice(((north, ex.Arithmetic("+", a, a)), (ex.Negation(north), a)), a)
    table = open_table(tmp_path / "t.csv").derive({"v": chosen})
    assert entries_of(table, "v", chosen) == [2.0, None, None]
    assert len(reads) == 2


def test_what_the_schema_refuses() -> None:
    table = open_table(frame([random_row(random.Random(1))]))
    for value, error in [
        (ex.Entry("s"), ColumnTypeError),
        (ex.TextEntry("a"), ColumnTypeError),
        (ex.Entry("z"), SchemaError),
        (
            ex.Choice(
                ((ex.Holds(Compare("s", "<", Fraction(1))), ex.Number(None)),), ex.Entry("a")
            ),
            ColumnTypeError,
        ),
    ]:
        with pytest.raises(error):
            table.derive({"v": value})
    with pytest.raises(SchemaError, match="rename it"):
        table.derive({"a": ex.Entry("b")})
    with pytest.raises(SchemaError, match="column without a name"):
        open_table([1, 2]).derive({"v": ex.Entry("b")})


def test_computed_columns_group_and_filter() -> None:
    """A computed column is a column: of groups, filters and persons."""
    from leastnoise.frames.memory.groups import check_subset
    from leastnoise.frames.table import split
    from leastnoise.randomness import active
    from leastnoise.summaries.subset import parse_subset

    draw = random.Random(3)
    rows = [random_row(draw) for _ in range(60)]
    values = random_values(11, 8)
    named = {"t": ex.TextChoice(((ex.Holds(IsMissing("b")), ex.Text("none")),), ex.Text("some"))}
    subset = parse_subset(
        And(Compare("v1", ">=", Fraction(-5)), IsMissing("m")), {"t": ["none", "some"]}
    )
    counts: list[list[int]] = []
    for label in ("memory", "polars lazy", "duckdb"):
        table = open_table(held(label, frame(rows))).derive({**values, **named})
        check_subset(table, subset)
        counts.append([part.row_count() for part in split(table, subset, active())])
    kept = [
        row
        for row in rows
        if row["m"] is None
        and (value_of(values["v1"], row) or 0) >= -5
        and value_of(values["v1"], row) is not None
    ]
    expected = [sum(row["b"] is None for row in kept), sum(row["b"] is not None for row in kept)]
    assert counts == [expected] * 3


@pytest.mark.parametrize("label", ["polars lazy", "duckdb"])
def test_a_query_works_out_only_what_it_reads(label: str) -> None:
    """What a table without the others gives is the same, and each such table is made once."""
    rows = [{"a": a, "b": b, "c": 0.0, "m": None, "s": None} for a, b in ((1.5, 2), (None, 3))]
    a, b = ex.Entry("a"), ex.Entry("b")
    values = {f"v{i}": ex.Arithmetic("+", a, ex.Arithmetic("*", b, b)) for i in range(3)}
    whole = open_table(held(label, frame(rows)))
    table = whole.derive(values)
    assert isinstance(table, LazyTable)
    some = table.narrowed({"v1", "a"})
    assert some is table.narrowed({"v1"})
    assert table.narrowed({"b"}) is whole
    plain = len(frame(rows).column_names)
    assert [len(t.frame.columns) for t in (some, table)] == [plain + 1, plain + 3]
    assert repr(some.column("v1").values) == repr(table.column("v1").values)
