"""The table of docs/accounting.md holds what the accounting says today."""

from __future__ import annotations

from pathlib import Path

import pytest

from leastnoise.accounting import compose
from leastnoise.guarantees import BoundedRange

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accounting.md"


def test_the_table_is_that_of_the_benchmark() -> None:
    _, rest = PAGE.read_text(encoding="utf-8").split(
        "<!-- composition: python benchmarks/composition_table.py -->\n"
    )
    table, _ = rest.split("<!-- /composition -->")
    lines = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in table.split("\n")]
    at = lines[0].index("k = 100")
    shown = {(line[0], line[1]): float(line[at]) for line in lines[2:] if len(line) > at}
    for fixed in ("guarantees", "plan"):
        found = compose([BoundedRange("0.1")] * 100, delta=1e-6, fixed=fixed).smallest.epsilon
        assert shown["piecewise Laplace", fixed] == pytest.approx(float(found), abs=1.1e-3)
    ours = shown.pop(("piecewise Laplace", "plan"))
    assert len(shown) == 5
    assert ours < min(shown.values())
