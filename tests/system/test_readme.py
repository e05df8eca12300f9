"""The README tells the truth: its code runs, its commands are CI's, its numbers come out again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import fresh
from support.optional import optional

ROOT = Path(__file__).resolve().parents[2]
SOURCE = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PYTHON = [code for language, code in BLOCKS if language == "python"]
SHELL = [line for language, code in BLOCKS if not language for line in code.splitlines()]


def python(*arguments: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_has_code():
    assert len(PYTHON) == 3


@pytest.mark.parametrize("code", PYTHON, ids=["example", "ledger", "own statistic"])
def test_the_code_runs(code, tmp_path):
    assert python("-W", "error", "-c", code, folder=tmp_path).strip()


def test_the_example_has_ten_lines():
    assert len([line for line in PYTHON[0].splitlines() if line]) <= 10


def test_it_opens_with_the_two_commands_that_ci_uses():
    first_two = BLOCKS[0][1].splitlines()
    assert first_two == ["python3 tools/dev.py demo", "python3 tools/dev.py test"]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    used = {line.strip() for line in re.sub(r' --venv "[^"]*"', "", ci).splitlines()}
    assert set(first_two) <= used


EXACT = [
    (page, name, command, table)
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    for name, command, table in re.findall(
        r"<!-- ([a-z-]+): python ([^\n]+?) -->\n(.*?)\n<!-- /\1 -->",
        page.read_text(encoding="utf-8"),
        re.DOTALL,
    )
]


@pytest.mark.parametrize(
    ("page", "command", "table"),
    [pytest.param(page, command, table, id=name) for page, name, command, table in EXACT],
)
def test_the_tables_are_the_output_of_their_commands(page: Path, command: str, table: str):
    if "composition" in command:
        # Reason: this table shows dp-accounting beside ours; the library needs it nowhere else.
        optional("dp_accounting")
    assert python(*command.split()).strip() == table.strip(), page


def test_the_command_that_writes_them_knows_the_same_tables():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import readme
    finally:
        sys.path.pop(0)
    found = [
        (page, name, command, table)
        for page in readme.pages()
        for _, costly, name, command, table, _ in readme.BLOCK.findall(
            page.read_text(encoding="utf-8")
        )
        if not costly
    ]
    assert found == EXACT
    assert {"gain", "composition"} <= {name for _, name, _, _ in found}
    text = "<!-- x: python -c 'print(7)' -->\nold\n<!-- /x -->\n"
    assert readme.renewed(text, measured=False) == text.replace("old", "7")
    costly = text.replace("x: python", "measured x: python")
    assert readme.renewed(costly, measured=False) == costly
    assert readme.renewed(costly, measured=True) == costly.replace("old", "7")


def test_the_median_quoted_is_that_of_the_data():
    (quoted,) = re.findall(r"true median (\S+),", README)
    look = "import sys; sys.path.insert(0, 'benchmarks'); import gain"
    assert f"{float(python('-c', look + '; print(float(gain.profile().value))')):.2f}" == quoted


def test_the_shell_command_is_accepted(tmp_path):
    (command,) = [line for line in SHELL if line.startswith("leastnoise release")]
    name, arguments = command.split()[2], command.split()[3:]
    file = tmp_path / name
    file.write_text("pay,age\n100,3\n200,4\n", encoding="utf-8")
    assert fresh("release", str(file), *arguments).code == 0


def test_every_file_it_names_exists():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert "://" in target or (ROOT / target).exists(), target


def test_the_picture_is_of_this_table():
    """Text stays text in the picture, so every mechanism of the table is named in it."""
    picture = (ROOT / "docs" / "assets" / "gain.svg").read_text(encoding="utf-8")
    header = next(line for line in README.splitlines() if line.startswith("| epsilon"))
    for mechanism in header.strip("| ").split(" | ")[1:]:
        assert mechanism in picture
