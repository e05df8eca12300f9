"""One test body over every front end: the same column is the same numbers, whatever it came in."""

from __future__ import annotations

import csv
import math
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from leastnoise.errors import (
    ParameterTypeError,
    SchemaError,
)
from leastnoise.frames import open_table
from support.fronts import SECRET, Front, entries, only_library
from support.optional import optional

# ---------------------------------------------------------------------------------------------
# The same numbers from every front end.

COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "C03 nullable integers": ("int", [1, None, 3]),
    "C03 decimals": ("decimal", [Decimal("0.1")] * 3),
    "C03 booleans": ("bool", [True, False, True]),
    "C03 float32": ("float32", [16777216.0, 1.0, 1.0, 1.0]),
    "C09 int8": ("int8", [100, 100, 100]),
    "C09 uint8": ("uint8", [16, 20]),
    "C09 int64": ("int", [4611686018427387904, 4611686018427387904]),
    "beyond 2^53": ("int", [2**53 + 1, None, -(2**63), 2**63 - 1]),
    "beyond 2^63": ("uint64", [2**64 - 1, None, 2**63 + 1]),
    "nullable booleans": ("bool", [True, None, False]),
    "missing floats": ("float", [1.5, None, -0.0]),
    "NaN is missing": ("float", [1.5, math.nan, 2.0]),
    "infinite is not": ("float", [math.inf, None, -math.inf, 1e308]),
    "all missing": ("int", [None, None]),
    "all missing floats": ("float", [None, None, None]),
    "no rows": ("int", []),
    "no decimals": ("decimal", []),
    "one row": ("float", [0.1]),
    "hard decimals": (
        "decimal",
        [Decimal("1234567890123456789.1234567891"), None, Decimal("-9007199254740993.5")],
    ),
}


@pytest.mark.parametrize("case", list(COLUMNS))
def test_every_front_end_reads_the_same_numbers(front: Front, case: str) -> None:
    kind, values = COLUMNS[case]
    table = front.table(values, kind)
    declared = table.column_type(front.name)
    column = table.column(front.name)
    assert column.type == declared
    assert declared.name == front.name
    assert table.row_count() == len(values) == len(column.values)

    integer = front.typed and kind not in ("float", "float32", "decimal")
    assert declared.integer is integer
    expected = [
        None if v is None or (v != v) else (int(v) if integer else float(v)) for v in values
    ]
    assert entries(column) == expected


@pytest.mark.parametrize("case", list(COLUMNS))
def test_the_type_is_the_same_for_other_values(front: Front, case: str) -> None:
    kind, values = COLUMNS[case]
    other: list[Any] = [None] if None in values else []  # numpy and pandas have a type for each
    other += [] if values and None not in values else [True if kind == "bool" else Decimal(1)]
    if kind not in ("decimal", "bool"):
        other = [v and int(v) for v in other]
    declared = front.table(values, kind).column_type(front.name)
    assert declared == front.table(other, kind).column_type(front.name)


def test_case_c03_sums(front: Front) -> None:
    def total(values: list[Any], kind: str) -> float:
        return math.fsum(v for v in entries(front.column(values, kind)) if v is not None)

    assert total([1, None, 3], "int") == 4
    assert total([Decimal("0.1")] * 3, "decimal") == pytest.approx(0.3, abs=1e-12)
    assert total([True, False, True], "bool") / 3 == pytest.approx(2 / 3)
    assert total([16777216, 1, 1, 1], "float32") == 16777219


def test_which_types_can_hold_missing_values(front: Front) -> None:
    nullable = front.table([1, 2], "int").column_type(front.name).nullable
    assert nullable is (front.label not in ("numpy", "pandas"))
    assert front.table([1.0], "float").column_type(front.name).nullable
    if front.label == "numpy":
        assert front.table([1, None], "int").column_type(None).nullable


def test_reprs_print_no_numbers(front: Front) -> None:
    table = front.table([SECRET, None, SECRET], "int")
    column = table.column(front.name)
    for shown in (repr(table), str(table), repr(column), str(column), f"{column}"):
        assert str(SECRET) not in shown
        assert "3" not in shown
        assert "NOT PRIVATE" in shown


# ---------------------------------------------------------------------------------------------
# Names.


def test_a_table_needs_a_name_and_a_bare_column_has_none(front: Front) -> None:
    table = front.table([SECRET], "int")
    if front.name is None:
        assert table.column_names() is None
        with pytest.raises(SchemaError, match=r"'pay'.*leave the name out") as caught:
            table.column("pay")
    else:
        names = table.column_names()
        assert names is not None
        assert "v" in names
        with pytest.raises(SchemaError, match=r"needs the name of one.*'v'") as caught:
            table.column(None)
        with pytest.raises(SchemaError, match=r"no column 'V'.*did you mean 'v'\?.*'v'"):
            table.column_type("V")
        with pytest.raises(SchemaError, match="blank"):
            table.column_type(" ")
        with pytest.raises(ParameterTypeError, match="must be text, not int"):
            table.column_type(1)
    assert str(SECRET) not in str(caught.value)


ODD_NAMES = ["capital-gain", "my col", "größe", 'a"b', "a.b", "^x.*$", "select", "%s", "{0}", "x'"]


def test_case_c31_names_are_used_as_given(tmp_path: Path) -> None:
    pa, pd, pl = (optional(x) for x in ("pyarrow", "pandas", "polars"))
    pq = optional("pyarrow.parquet")
    data = {name: [i, i + 100] for i, name in enumerate(ODD_NAMES)}
    pq.write_table(pa.table({"a": [{"b": 1}, {"b": 2}], **data}), tmp_path / "o[1]*.parquet")
    with (tmp_path / "odd.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([ODD_NAMES, *zip(*data.values(), strict=True)])
    sources = [data, pd.DataFrame(data), pl.DataFrame(data), pa.table(data), tmp_path / "odd.csv"]
    tables = [open_table(source) for source in sources]
    for library in ("pyarrow", "polars", "duckdb"):
        with pytest.MonkeyPatch.context() as patch:
            only_library(patch, library)
            tables.append(open_table(tmp_path / "o[1]*.parquet"))
            assert tables[-1].row_count() == 2
    for table in tables:
        for i, name in enumerate(ODD_NAMES):
            assert table.column(name).values.tolist() == [i, i + 100]


def test_repeated_names_are_refused_where_they_are_asked_for(tmp_path: Path) -> None:
    pa, pd = (
        optional("pyarrow"),
        optional("pandas"),
    )
    (tmp_path / "t.csv").write_text("x,x,y,x.1\n1,2,3,4\n")
    columns = [pa.array([i]) for i in (1, 2, 3, 4)]
    for source in (
        tmp_path / "t.csv",
        pd.DataFrame([[1, 2, 3, 4]], columns=["x", "x", "y", "x.1"]),
        pa.Table.from_arrays(columns, names=["x", "x", "y", "x.1"]),
    ):
        table = open_table(source)
        with pytest.raises(SchemaError, match="column x appears twice"):
            table.column("x")
        assert table.column("y").values.tolist() == [3]
        assert table.column("x.1").values.tolist() == [4]
    (tmp_path / "t.csv").write_text("x,x,x\n1,2,3\n")
    with pytest.raises(SchemaError, match="column x appears 3 times"):
        open_table(tmp_path / "t.csv").column_type("x")


def test_importing_the_room_imports_numpy_only() -> None:
    code = (
        "import sys, leastnoise.frames\n"
        "print([m for m in ('narwhals', 'pandas', 'polars', 'pyarrow', 'duckdb', 'scipy')"
        " if m in sys.modules])"
    )
    path = str(Path(__file__).resolve().parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
