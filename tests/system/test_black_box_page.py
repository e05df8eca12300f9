"""The guide to black boxes tells the truth: its code runs, its sizes come out again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from leastnoise.blackbox import sample_size

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "black-box.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_it_has_code():
    assert len(PYTHON) == 3


@pytest.mark.parametrize("code", PYTHON, ids=["aggregate", "sampler", "curve"])
def test_the_code_runs(code: str, tmp_path: Path):
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("rule", ["two-level", "marginal", "paper"])
def test_the_sizes_come_out_again(rule: str):
    row = re.search(rf'^\| `"{rule}"` \|.*\| ([\d /]+) \|$', PAGE, re.MULTILINE)
    assert row
    shares = (Fraction(g) for g in ("0.01", "0.05", "0.1", "0.5"))
    found = [sample_size(rule, gamma=g, beta=Fraction(1, 1000), m=None).m for g in shares]
    assert [int(x) for x in row[1].split("/")] == found
