"""Quartiles of few pupils and counts in found limits: benchmarks of persons, asserted."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def benchmark(name: str) -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / f"{name}.py"))


@pytest.mark.nightly
def test_quartiles_of_pupils_are_within_two_grades() -> None:
    alone = benchmark("describe")["pupils"](200)
    assert len(alone) == 4
    assert min(alone) >= 0.95


@pytest.mark.nightly
def test_counts_in_found_limits_beside_the_oracle() -> None:
    ratios = np.array(benchmark("private_limit_rows")["table"]())
    assert np.exp(np.log(ratios).mean()) < 1.95
    assert ratios.max() < 3.5
