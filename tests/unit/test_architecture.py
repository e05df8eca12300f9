"""ARCHITECTURE.md says what is: rooms, files, and the way of a release."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ROOT / "src" / "leastnoise"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text under a heading."""
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def rooms_of_the_contract() -> list[set[str]]:
    """The layers of the import contract, without private modules."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = tomllib.loads(text)["tool"]["importlinter"]["contracts"][0]["layers"]
    return [
        {room for room in re.findall(r"\((\w+)\)", layer) if room[0] != "_"} for layer in layers
    ]


def first_cells(text: str) -> list[set[str]]:
    """What is in backticks in the first cell of each line of a table."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [set(re.findall(r"`([\w/]+)`", line.split("|")[1])) for line in lines]


def test_the_rooms_stand_as_in_the_import_contract() -> None:
    told = first_cells(section("Rooms, from top to bottom").split("Rooms inside rooms")[0])
    assert told == rooms_of_the_contract()


def test_rooms_inside_rooms_are_folders() -> None:
    told = first_cells(PAGE.split("Rooms inside rooms:")[1].split("\n## ")[0])
    assert all((HOUSE / room / "__init__.py").exists() for rooms in told for room in rooms)


def test_every_file_that_is_named_is_there() -> None:
    named = {name for name in re.findall(r"`([\w/]+\.py)`", PAGE) if not name.startswith("tests/")}
    assert named
    assert [name for name in sorted(named) if not (HOUSE / name).exists()] == []


def test_a_release_passes_the_files_that_are_named() -> None:
    script = ROOT / "tools" / "measure_release.py"
    ran = subprocess.run(
        [sys.executable, script, "--files"], capture_output=True, text=True, check=True
    )
    passed = {line for line in ran.stdout.splitlines() if line.endswith(".py")}
    named = set(re.findall(r"`([\w/]+\.py)`", section("The way of a release")))
    assert named <= passed, named - passed
    assert len(passed) <= 34, "a release passes more files than it did: does one belong to another?"
    deep = re.search(r"(\d+) frames deep", ran.stdout)
    assert deep is not None
    assert int(deep[1]) <= 15, "a release is made deeper in calls than it was"
