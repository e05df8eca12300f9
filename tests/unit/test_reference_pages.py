"""The pages of the reference hold every public name, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import leastnoise

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference"


def test_the_pages_are_what_the_names_make() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "reference.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, "run python tools/reference.py: " + done.stdout + done.stderr


def test_every_public_name_has_its_place() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in FOLDER.glob("*.md"))
    told = set(re.findall(r"^::: leastnoise\.(\w+)$", text, re.MULTILINE))
    assert told == {name for name in leastnoise.__all__ if not name.startswith("__")}


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [*FOLDER.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    missing = [p.name for p in pages if not re.search(rf"\b{re.escape(p.name)}\b", navigation)]
    assert not missing
