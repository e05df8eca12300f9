"""What is summarised of many runs at once is what each run has by itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.frames import open_table
from leastnoise.frames.memory import together
from leastnoise.frames.memory.parts import Parts
from leastnoise.summaries import spec
from leastnoise.summaries.ranks import RankSummaries, RankSummary

RNG = np.random.default_rng(4)
N = 3000
WILD = np.array([np.nan, np.inf, -np.inf, 1e308, -0.0, 5e-324, 2.5, 1e18, -(2.0**70)])
SMALL = RNG.normal(0, 40, N)
COLUMNS: dict[str, Any] = {
    "wild": np.where(RNG.random(N) < 0.2, RNG.choice(WILD, N), SMALL),
    "single": SMALL.astype(np.float32),
    "long": RNG.integers(-(2**63), 2**63, N, dtype=np.int64),
    "unsigned": RNG.integers(0, 2**64, N, dtype=np.uint64),
    "short": RNG.integers(-128, 128, N).astype(np.int8),
    "yes": RNG.random(N) < 0.5,
}
BOUNDS = [(-100, 100), (0, 1), (-(10**18), 10**18), (10**15, 10**15 + 1), (1e-300, 1e300)]


def divided(table: Any, rows: Any, ends: Any) -> Parts:
    """Rows whose groups are runs of them, in any order."""
    groups = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    shuffled = RNG.permutation(len(rows))
    return Parts(table, rows[shuffled], groups[shuffled], len(ends) - 1)


@pytest.mark.parametrize("block", [1, 700, 1 << 18])
@pytest.mark.parametrize("missing", ["drop", "none", 0.5])
@pytest.mark.parametrize("name", COLUMNS)
def test_runs_have_the_sums_of_each(
    name: str, missing: Any, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "_BLOCK", block)
    table = open_table(COLUMNS)
    rows = RNG.permutation(N)[:2500]
    ends = np.sort(np.concatenate([[0, 0, 2500, 2500], RNG.integers(0, 2500, 40)]))
    parts = divided(table, rows, ends)
    kind = table.column_type(name)
    asked: list[Any] = [spec.rows(name, missing=None if missing == 0.5 else missing)]
    for low, high in BOUNDS:
        imputed = Fraction(low) if missing == 0.5 else missing
        if not kind.integer or high < 1e300:
            asked.append(spec.moments(name, bounds=(low, high), missing=imputed))
    for one in asked:
        request = one.resolve(kind, None)
        alone = [part.summarise(request, 0) for part in parts]
        for found, own in zip(parts.summaries(request, 0), alone, strict=True):
            assert found.n == own.n
            assert getattr(found, "total", None) == getattr(own, "total", None)


@pytest.mark.parametrize("most", [0, 1 << 24])
@pytest.mark.parametrize("name", COLUMNS)
def test_runs_have_the_cells_of_each(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_CELLS", most)
    table, kind = open_table(COLUMNS), open_table(COLUMNS).column_type(name)
    ends = np.sort(np.concatenate([[0, 0, 2500, 2500], RNG.integers(0, 2500, 40)]))
    parts = divided(table, RNG.permutation(N)[:2500], ends)
    edges = [-(2.0**70), -1, 0, 1, 2.5, 40, np.inf] if not kind.integer else [-7, 0, 1, 2, 30]
    for one in (spec.bins(name, edges=edges), spec.categories(name, labels=[0, 1, 2, 40])):
        request = one.resolve(kind, None)
        assert [*parts.summaries(request, 0)] == [part.summarise(request, 0) for part in parts]


def said(summary: RankSummary) -> tuple[int, list[tuple[int, list[int]]]]:
    return summary.n, [(run.first, list(run.values)) for run in summary.runs]


@pytest.mark.parametrize("missing", ["drop", "none", 0.5])
@pytest.mark.parametrize("name", COLUMNS)
def test_runs_have_the_order_statistics_of_each(name: str, missing: Any) -> None:
    table = open_table(COLUMNS)
    ends = np.sort(np.concatenate([[0, 0, 2500, 2500], RNG.integers(0, 2500, 40)]))
    parts = divided(table, RNG.permutation(N)[:2500], ends)
    orders = Fraction(0), Fraction(1, 3), Fraction(1)
    for low, high in BOUNDS:
        imputed = Fraction(low) if missing == 0.5 else missing
        if table.column_type(name).integer and high == 1e300:
            continue
        one = spec.ranks(name, at=orders, bounds=(low, high), missing=imputed)
        request = one.resolve(table.column_type(name), None)
        for depth in (0, 3, 5000):
            alone = [part.summarise(request, depth) for part in parts]
            found = parts.summaries(request, depth)
            assert [*map(said, found)] == [*map(said, alone)]
            if isinstance(found, RankSummaries):
                assert [*map(said, RankSummaries.of(alone))] == [*map(said, alone)]
