"""docs/programs.md: our programs run, those of OpenDP too, and the lines are counted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from leastnoise.testing import simulate
from support.optional import optional

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "programs.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TOLD = re.findall(r"^\| (\w+) (\d): [^|]* \| (\d) \| (\d) \|", PAGE, re.MULTILINE)


def lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def test_the_lines_are_as_many_as_the_table_says() -> None:
    sections = re.findall(r"^## (\w+)(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    counted: list[tuple[str, ...]] = []
    for name, body in sections:
        for number, program in re.findall(
            r"^### (\d)(.*?)(?=^### |\Z)", body, re.MULTILINE | re.DOTALL
        ):
            there, here = re.findall(r"^```\w+\n(.*?)^```", program, re.MULTILINE | re.DOTALL)
            counted.append((name, number, str(lines(there)), str(lines(here))))
    assert counted == TOLD
    assert len(counted) == 25


def test_the_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    optional("sklearn")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    with simulate(1):
        for kind, text in BLOCKS:
            if kind == "python":
                exec(compile(text, "docs/programs.md", "exec"), names)
    assert len(names["found"]) == 3
    optional("opendp")
    for kind, text in BLOCKS:
        if kind == "opendp":
            exec(compile(text, "docs/programs.md", "exec"), names)
