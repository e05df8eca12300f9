"""Pictures of ledgers and groups draw what the records say, and no width that is private."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise import plots
from leastnoise.errors import ParameterError
from support.optional import optional

optional("matplotlib")

ROWS = {"r": ["a", "b"] * 50, "v": [float(i) for i in range(100)]}


def released() -> ln.Releases[Any, Any]:
    with ln.open(ROWS) as data:
        return data.group_by({"r": ["a", "b", "none"]}).release(
            {"rows": ln.Count(), "median": ln.Median("v", bounds=(0, 100))}, epsilon=1
        )


def test_groups_have_lines_only_where_the_noise_is_public() -> None:
    made = released()
    counts = plots.groups(made, "rows").get_lines()
    lines = [line.get_ydata() for line in counts if len(line.get_ydata()) == 2]
    assert [tuple(line) for line in lines] == [
        made[key]["rows"].noise_interval(0.95) for key in made
    ]
    dots = plots.groups(made, "median").get_lines()
    assert [line.get_ydata()[0] for line in dots] == [row["median"].value for row in made.values()]
    assert all(len(line.get_ydata()) == 1 for line in dots)


def test_groups_are_refused_with_the_cure() -> None:
    with pytest.raises(ParameterError, match="group_by"), ln.open(ROWS) as data:
        plots.groups(data.release({"n": ln.Count()}, epsilon=1))
    for name in (None, "mean"):
        with pytest.raises(ParameterError, match="rows, median"):
            plots.groups(released(), name)


def test_the_budget_over_time(tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "a.db", dataset="d", budget=ln.PureDP(2))
    with ln.open(ROWS, ledger=ledger, dataset="d") as data:
        for epsilon in ("1/2", "1/4"):
            data.release(ln.Count(), epsilon=epsilon)
    limit, spent, _ = plots.budget(ledger).get_lines()
    assert set(limit.get_ydata()) == {2.0}
    assert spent.get_ydata()[-1] == 0.75
    plots.save(plots.budget(ledger), tmp_path / "a.svg")
    assert "Budget of d" in (tmp_path / "a.svg").read_text(encoding="utf-8")
