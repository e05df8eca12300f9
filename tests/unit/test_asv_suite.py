"""The suite of tracked benchmarks runs, and its errors are those of the reference table."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SUITE = Path(__file__).resolve().parents[2] / "benchmarks" / "asv"


def load(name: str) -> ModuleType:
    parts = [("asv_suite", SUITE / "__init__.py"), (f"asv_suite.{name}", SUITE / f"{name}.py")]
    for full, path in parts:
        spec = importlib.util.spec_from_file_location(full, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[full] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
    return sys.modules[f"asv_suite.{name}"]


def test_every_timed_part_runs() -> None:
    speed = load("speed")
    speed.ROWS = 1000
    for kind, parts in (
        (speed.Releases, ("time_release",)),
        (speed.AfterTheSummary, ("time_draw",)),
    ):
        for statistic in kind.params:
            one = kind()
            one.setup(statistic)
            for part in parts:
                getattr(one, part)(statistic)
    for name in speed.Ratios.params[0][:5]:
        assert speed.Ratios().track_ratio(name, "integers") > 0


@pytest.mark.parametrize(("statistic", "error"), [("median", 0.0400), ("quantile", 0.200)])
def test_tracked_errors_are_the_reference(statistic: str, error: float) -> None:
    tracked = load("errors").ExpectedError().track_error(statistic, "1")
    assert tracked == pytest.approx(error, rel=0.01)
