"""The notebook of the tour runs from top to bottom, and what it says of its numbers is so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.optional import optional

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "notebooks" / "tour.py"
# What the text speaks of, as JSON.
ASK = """
import json
import sys
sys.path.insert(0, sys.argv[1])
from tour import app
_, d = app.run()
json.dump({
    "value": d["first"].value, "limits": d["limits"], "true": d["true_median"],
    "reach": d["reach"], "errors": d["errors"], "by_epsilon": d["by_epsilon"],
    "widths": d["widths"], "cost": str(d["by_region"].guarantee),
    "counts": [row.records["people"].value for row in d["by_region"].rows()],
    "stay": d["stay"].value, "left": str(d["left"]), "refused": d["refused"],
    "honest": d["honest"].passed, "broken": d["broken"].passed,
    "loss": float(d["broken"].hi), "midhinge": d["midhinge"].value,
}, sys.stderr)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict:
    for library in ("marimo", "matplotlib"):
        # Reason: the notebook is one of marimo, with pictures; the library needs neither.
        optional(library)
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(NOTEBOOK.parent)],
        cwd=tmp_path_factory.mktemp("tour"),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stderr.splitlines()[-1])


def test_the_numbers_are_as_the_text_says(told: dict) -> None:
    low, high = told["limits"]
    assert low <= told["value"] <= high
    # "ten changed rows move the median by a few hundred; to move it far takes hundreds of rows"
    true = told["true"]
    assert told["reach"]["0"] == pytest.approx([true, true])
    assert all(50 < abs(end - true) < 500 for end in told["reach"]["10"])
    assert told["reach"]["900"][1] > 2 * true
    # "Laplace noise would be larger than any pay; smooth sensitivity is better"
    ours, inverse, smooth, laplace = told["errors"].values()
    assert ours < inverse < 1.1 * ours
    assert 5 * ours < smooth < laplace / 100
    # "twice the epsilon, about half the error"
    errors = list(told["by_epsilon"].values())
    assert sorted(errors, reverse=True) == errors
    assert errors[3] == pytest.approx(errors[2] / 2, rel=0.1)
    # "a bound of a billion makes no difference"; of a mean it does
    assert told["widths"]["median"][1] == pytest.approx(told["widths"]["median"][0], rel=1e-3)
    assert told["widths"]["mean"][1] == pytest.approx(1000 * told["widths"]["mean"][0], rel=1e-3)


def test_the_table_and_the_budget_are_as_the_text_says(told: dict) -> None:
    assert told["cost"].startswith("PureDP(epsilon=1; add-remove")
    assert told["counts"] == pytest.approx([667, 667, 666, 0], abs=60)  # e^-30 beyond
    assert 0 <= told["stay"] <= 600
    assert told["left"] == "epsilon 0.5"
    assert "Nothing was spent" in told["refused"]


def test_the_audit_passes_the_honest_law_and_catches_the_broken_one(told: dict) -> None:
    assert told["honest"] is True
    assert told["broken"] is False
    assert told["loss"] > 2.72
    assert 0 <= told["midhinge"] <= 1_000_000
