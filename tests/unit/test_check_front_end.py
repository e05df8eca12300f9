"""The kit of row-locality finds front ends in which a row decides about others, and no others."""

from __future__ import annotations

import csv
import logging
import os
import struct
import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from leastnoise.errors import ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.testing import ColumnKind, FrontEnd, PrivacyViolation, check_front_end, entries
from leastnoise.testing.locality.objects import SECRET, hostile, show

FEW = entries.integers(-9, 9)
GAPS = entries.or_missing(FEW, 0.3)
FLOATS = entries.floats()


def typed(xs: Sequence[Any]) -> Any:
    """Floats whose type hangs on no entry; what is missing is NaN."""
    return np.array([np.nan if x is None else float(x) for x in xs])


def front(column: Any, draw: Any = GAPS, **how: Any) -> FrontEnd:
    return FrontEnd("made", [ColumnKind("numbers", column, draw)], **{"table": dict, **how})


def broken(made: FrontEnd, law: str, cases: int = 60) -> PrivacyViolation:
    with pytest.raises(PrivacyViolation) as caught:
        check_front_end(made, cases=cases)
    assert caught.value.law == law, str(caught.value)
    return caught.value


class Foreign:
    """Somebody's own table of one column; what it does when it is read is up to a subclass."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.inner = open_table(columns)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def column_names(self) -> Any:
        return self.inner.column_names()

    def column_type(self, name: Any) -> Any:
        return self.inner.column_type(name)

    def column(self, name: Any) -> Any:
        self.reads(self.inner.column(name).values)
        return self.inner.column(name)

    def text_type(self, name: Any) -> Any:
        return self.inner.text_type(name)

    def text_codes(self, name: Any, labels: Any) -> Any:
        return self.inner.text_codes(name, labels)

    def text_ids(self, name: Any) -> Any:
        return self.inner.text_ids(name)

    def row_count(self) -> int:
        return self.inner.row_count()

    def reads(self, values: Any) -> None:
        """Nothing happens."""


def foreign(reads: Any) -> FrontEnd:
    kind = type("Reads", (Foreign,), {"reads": lambda self, values: reads(values)})
    return front(typed, FLOATS, table=kind, bare=False)


# --- what is sound ----------------------------------------------------------------------------


def test_sound_front_ends_pass() -> None:
    for made in (front(typed), foreign(lambda values: None), front(list, matrix=_rows)):
        report = check_front_end(made, cases=40)
        assert report.frames == 40
        assert report.readings > 100
        assert str(report).startswith("made: 40 changes of one row")


def _rows(columns: list[Any]) -> list[Any]:
    return [list(row) for row in zip(*columns, strict=True)]


def test_a_row_that_may_vanish_where_the_number_of_rows_is_private(tmp_path: Path) -> None:
    """A comment in a text file is not a row."""

    def table(columns: dict[str, Any]) -> Path:
        lines = [",".join(row) for row in zip(*columns.values(), strict=True)]
        path = tmp_path / "t.csv"
        path.write_text("".join(f"{line}\n" for line in [",".join(columns), *lines]))
        return path

    def entry(random: Random) -> str:
        return random.choice(("#", "1", "2"))

    kinds = [ColumnKind("texts", list, entry)]
    made = FrontEnd("made", kinds, table, bare=False, options={"comment": "#"})
    assert check_front_end(made, cases=30).frames == 30


# --- what is not ------------------------------------------------------------------------------


def test_a_type_that_hangs_on_an_entry() -> None:
    def inferred(xs: list[Any]) -> Any:
        return np.array(xs, dtype=None if None not in xs else np.float64)

    found = broken(front(inferred), "public parameters do not depend on data")
    assert "float64" in str(found)
    assert "int64" in str(found)


def test_one_entry_that_rounds_all_others() -> None:
    def rounded(xs: list[Any]) -> Any:
        exact = [2**60 if x is None else 2**60 + x for x in xs]
        return np.array(exact, "f8").astype("i8") if None in xs else np.array(exact, "i8")

    found = broken(front(rounded), "no row decides how another is read")
    # the smallest counterexample: the row that is read otherwise, and the one that is changed
    assert len(found.facts["x"].split("; ")) == 2
    assert "None" in found.facts["changed row"]


def test_a_row_that_takes_another_with_it() -> None:
    def table(columns: dict[str, Any]) -> Any:
        keep = slice(None) if not any(np.isnan(c).any() for c in columns.values()) else slice(1)
        return {name: column[keep] for name, column in columns.items()}

    with pytest.raises(PrivacyViolation):
        check_front_end(front(typed, table=table, bare=False), cases=60)


def test_a_row_that_vanishes_from_a_public_number_of_rows() -> None:
    def table(columns: dict[str, Any]) -> Any:
        there = ~np.logical_or.reduce([np.isnan(column) for column in columns.values()])
        return {name: column[there] for name, column in columns.items()}

    broken(front(typed, table=table, bare=False), "public parameters do not depend on data")


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt, MemoryError])
def test_what_raises_at_an_entry(error: type[BaseException]) -> None:
    def reads(values: Any) -> None:
        if np.isinf(values).any():
            raise error

    broken(foreign(reads), "no error depends on data")


def test_an_error_of_this_library_is_no_refusal_once_the_schema_was_taken() -> None:
    def reads(values: Any) -> None:
        if np.isinf(values).any():
            raise SchemaError("an infinite value")

    broken(foreign(reads), "no error depends on data")


def test_a_refusal_that_hangs_on_an_entry() -> None:
    def column(xs: list[Any]) -> Any:
        return np.array([str(x) for x in xs])  # as wide as the widest

    def table(columns: dict[str, Any]) -> Any:
        class Quoting(Foreign):
            def column_type(self, name: Any) -> Any:
                raise SchemaError(f"no numbers in {columns[name].dtype}")

        return Quoting(columns)

    found = broken(
        FrontEnd("made", [ColumnKind("texts", column, FEW)], table, bare=False),
        "public parameters do not depend on data",
    )
    assert "<U" in str(found)


@pytest.mark.parametrize(
    "say",
    [
        lambda: print("a value"),
        lambda: sys.stderr.write("a value"),
        lambda: os.write(1, b"a value"),
        lambda: os.write(2, b"a value"),
        lambda: logging.getLogger("anybody").warning("a value"),
    ],
)
def test_what_says_something_at_an_entry(say: Any) -> None:
    def reads(values: Any) -> None:
        if np.isinf(values).any():
            say()

    found = broken(foreign(reads), "nothing is printed, logged or warned about")
    assert "a value" in found.detail


def test_what_fails_under_settings_of_the_process(capfd: pytest.CaptureFixture[str]) -> None:
    def reads(values: Any) -> None:
        list(csv.reader(["longer than three"]))  # a limit that no quiet room lifts

    found = broken(foreign(reads), "no error depends on data", cases=200)
    assert found.facts["x' is read under"] == "csv.field_size_limit(3)"
    assert capfd.readouterr() == ("", "")


def test_an_engine_that_reads_other_than_memory() -> None:
    def wrong(columns: dict[str, Any]) -> Any:
        return {name: np.minimum(column, 3.0) for name, column in columns.items()}

    made = front(typed, FEW, table=wrong, bare=False, reference=dict)
    broken(made, "an engine reads what memory reads")


def test_hostile_entries_reach_the_library() -> None:
    class Calling(Foreign):
        """A table that trusts the entries of a list."""

        def __init__(self, columns: dict[str, Any]) -> None:
            super().__init__({name: typed([0] * len(c)) for name, c in columns.items()})
            self.entries = columns

        def column(self, name: Any) -> Any:
            for entry in self.entries[name]:
                str(entry)
            return self.inner.column(name)

    made = FrontEnd("made", [ColumnKind("anything", list, entries.objects())], Calling, bare=False)
    with pytest.raises(PrivacyViolation):
        check_front_end(made, cases=100)


# --- budgets, seeds, and what is no case --------------------------------------------------------


def test_equal_seeds_give_equal_cases() -> None:
    drawn: list[list[Any]] = []

    def made() -> FrontEnd:
        seen: list[Any] = []
        drawn.append(seen)

        def column(xs: list[Any]) -> Any:
            seen.append(list(xs))
            return typed(xs)

        return front(column)

    for seed in (3, 3, 4):
        check_front_end(made(), cases=5, seed=seed)
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_budget_of_time_ends_the_search() -> None:
    report = check_front_end(front(typed), budget_seconds=0.2)
    assert 0 < report.frames < 100_000
    assert check_front_end(front(typed), cases=3, budget_seconds=60).frames == 3


def test_entries_that_a_library_refuses_are_no_case() -> None:
    def column(xs: list[Any]) -> Any:
        if None in xs:
            raise ValueError("no missing entries here")
        return typed(xs)

    report = check_front_end(front(column), cases=40)
    assert report.unbuilt > 0
    assert report.frames + report.unbuilt == 40


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one kind"):
        check_front_end(FrontEnd("none", []))
    with pytest.raises(ParameterError):
        check_front_end(front(typed), cases=0)
    with pytest.raises(ParameterError):
        check_front_end(front(typed), budget_seconds=-1)


def test_the_process_is_as_it_was() -> None:
    before = np.geterr(), warnings.filters[:], logging.getLogger().handlers[:], sys.stdout
    threads = threading.active_count()
    check_front_end(front(list, FLOATS, table=None), cases=5)
    after = np.geterr(), warnings.filters[:], logging.getLogger().handlers[:], sys.stdout
    assert before == after
    assert threading.active_count() == threads


# --- entries ------------------------------------------------------------------------------------


def bits_of(value: Any) -> int:
    if isinstance(value, float):
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    return int(np.asarray(value).view(f"u{value.nbytes}"))


@pytest.mark.parametrize(("bits", "quiet"), [(64, 1 << 51), (32, 1 << 22), (16, 1 << 9)])
def test_floats_hold_signalling_and_negative_nans(bits: int, quiet: int) -> None:
    draw, random = entries.floats(bits), Random(0)
    nans = [bits_of(x) for x in (draw(random) for _ in range(500)) if x != x]
    assert any(not pattern & quiet for pattern in nans)
    assert any(pattern >> (bits - 1) for pattern in nans)


def test_integers_and_decimals_fit_their_types() -> None:
    random = Random(0)
    for low, high in ((-128, 127), (0, 2**64 - 1), (0, 0)):
        draw = entries.integers(low, high)
        assert all(low <= draw(random) <= high for _ in range(300))
    draw = entries.decimals(5, 2)
    for value in (draw(random) for _ in range(300)):
        assert value.as_tuple().exponent == -2
        assert len(value.as_tuple().digits) <= 5


def test_hostile_objects_are_told_without_being_asked() -> None:
    for error in (SystemExit, KeyboardInterrupt, RecursionError):
        entry = hostile(str, ("__str__", "__repr__"), error=error)
        with pytest.raises(error, match=SECRET):
            str(entry)
        assert show(entry) == f"<HostileStr: __str__, __repr__ raises {error.__name__}>"
    assert show("a" * 200_000).endswith("(200002 characters)")
