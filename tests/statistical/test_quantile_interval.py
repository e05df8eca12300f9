"""Coverage and width of the interval for a quantile: benchmarks/interval_width.py, asserted."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "interval_width.py"
BENCHMARK: dict[str, Any] = runpy.run_path(str(SCRIPT))
MEASURE: Callable[..., tuple[float, float]] = BENCHMARK["measure"]
REPEATS = 250


@pytest.mark.share(1 / 4)
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("name", BENCHMARK["POPULATIONS"])
@pytest.mark.parametrize("bounds", [(0, 100), (-500_000, 500_000)], ids=["1e2", "1e6"])
@pytest.mark.parametrize("q", [0.5, 0.9])
def test_coverage_and_width(name: str, bounds: tuple[int, int], q: float, relation: str) -> None:
    covered, width = MEASURE(name, bounds, q, relation, REPEATS)
    # four standard errors below the nominal .95
    assert covered >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / REPEATS)
    assert width <= 1.2
