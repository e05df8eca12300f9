"""Counts below and at cuts: an engine that this process is not in counts as memory does."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from leastnoise.frames import open_table
from leastnoise.frames.memory.numbers import HeldNumbers, raw_numbers
from support.engines import on_engine

# Of few binary digits and of many, at both ends of the type, and those that an engine moves.
NUMBERS = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1.0000000000000002, 0.1, 2.0**52 + 1, -(2.0**53), 1e16),
    *(5e-324, 1.5e-323, -5e-324, 2.0**-1022, 3 * 2.0**-1074, 2.0**-600, -(2.0**-599)),
    *(2.0**1000, 1.5 * 2.0**1000, -(2.0**1000), 2.0**1023, 1.7976931348623157e308),
]


@pytest.mark.parametrize("label", ["polars lazy", "duckdb"])
def test_counts_are_those_of_memory_wherever_rows_are_counted(
    label: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.array([x for x in NUMBERS for _ in range(1 + len(str(x)) % 3)])
    table = open_table(on_engine(label, pa.table({"x": values})))
    monkeypatch.setattr(type(table.engine), "in_process", False)
    numbers, held = raw_numbers(table, "x", None), HeldNumbers(values)
    draw = random.Random(1)
    some = [[x] for x in NUMBERS] + [draw.sample(NUMBERS, 2) for _ in range(20)]
    some += [draw.choices(NUMBERS, k=5) for _ in range(5)]
    for cuts in some:
        for found, wanted in zip(
            numbers.counts(np.array(cuts)), held.counts(np.array(cuts)), strict=True
        ):
            assert found.tolist() == wanted.tolist(), cuts
