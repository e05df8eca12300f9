"""docs/tables.md tells the truth: its blocks run, in its order, in one folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import in_process
from support.optional import optional

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands run in this process and Python in one other, so that names are shared."""
    optional("pandas")
    monkeypatch.chdir(tmp_path)
    kinds = [kind for kind, _ in BLOCKS]
    assert kinds.count("python") == 6
    assert kinds.count("toml") == 1
    source = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    (plan,) = [text for kind, text in BLOCKS if kind == "toml"]
    Path("survey.toml").write_text(plan, encoding="utf-8")
    code = "\n".join(text for kind, text in BLOCKS if kind == "python")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONPATH": source, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    assert "PureDP with epsilon = 1;" in done.stdout
    assert "epsilon 2" in done.stdout
    for written in ("table.csv", "report.html"):
        assert Path(written).stat().st_size > 100
    commands = [line for kind, text in BLOCKS if not kind for line in text.splitlines()]
    assert len(commands) == 8
    shown: list[str] = []
    for line in commands:
        name, *arguments = shlex.split(line)
        assert name == "leastnoise"
        outcome = in_process(capsys, *arguments)
        assert outcome.code == 0, (line, outcome.err)
        shown.append(outcome.out)
    inspected, checked, dry, expected, _, one, crossed, mode = shown
    assert "hours" in inspected
    assert "pay: 100 % numbers" in checked
    assert "nothing was spent" in dry
    assert "epsilon 1.5" in dry
    assert "NOT PRIVATE" in expected
    assert "epsilon = 1: " in one
    assert all(region in crossed for region in ("North", "South", "East"))
    assert any(region in mode for region in ("North", "South", "East"))
    assert Path("survey.html").exists()
    records = json.loads(Path("survey.json").read_text(encoding="utf-8"))
    assert records["charge"] == "epsilon 2"


def test_every_link_exists() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert "://" in target or (ROOT / "docs" / target).exists(), target


def test_the_keys_of_a_plan_are_those_of_the_page() -> None:
    from leastnoise.plans import plan

    table = PAGE[PAGE.index("| table of the file") : PAGE.index("Either the plan")]
    named = set(re.findall(r"`(\w+)`", table))
    known = {*plan._READING, *plan._PRIVACY, *plan._TABLE, *plan._ASKED}
    assert named - {"statistic"} == (known - {"statistics"}) | {"file", "missing", "total"}
