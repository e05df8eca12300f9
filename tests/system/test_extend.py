"""The worked examples of docs/extend.md, made in a copy of the library and run there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(py|diff) title="(.*?)"\n(.*?)^```', re.DOTALL | re.MULTILINE)
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
# How many files of the library an example may touch, and how many in all; a kind has a page of
# proof, a line in the reference and one in the change log besides.
MOST = {
    "A statistic": (2, 3),
    "A mechanism for numbers": (3, 4),
    "A kind of answer": (4, 8),
}


def run(*arguments: object, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def changed(text: str, difference: str) -> str:
    """A text with one difference made, whose old lines must stand in it once."""
    lines = difference.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if not line.startswith("+"))
    new = "".join(line[1:] for line in lines if not line.startswith("-"))
    assert ("\n" + text).count("\n" + old) == 1, old
    return ("\n" + text).replace("\n" + old, "\n" + new)[1:]


def test_the_page_has_the_three_examples() -> None:
    assert SECTIONS.keys() == MOST.keys()


@pytest.mark.parametrize("section", MOST)
def test_an_example_touches_few_files(section: str) -> None:
    names = {name for _, name, _ in BLOCK.findall(SECTIONS[section])}
    sources = {name for name in names if name.startswith("src/")}
    most, most_in_all = MOST[section]
    assert 0 < len(sources) <= most
    assert sources < names
    assert len(names) + 3 * (section == "A kind of answer") <= most_in_all


def test_the_examples_pass_their_checks(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    tests: list[Path] = []
    for language, name, block in BLOCK.findall(PAGE):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if language == "diff":
            file.write_text(changed(file.read_text("utf-8"), block), "utf-8")
        else:
            assert not file.exists(), name
            file.write_text(block, "utf-8")
            tests += [file] * name.startswith("tests/")
    run(ROOT / "tools" / "check_modules.py", tmp_path / "src" / "leastnoise")
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, PYTHONPATH=str(tmp_path / "src"))
