"""Every guide runs: the Python blocks of a page one after the other, in one namespace.

A block of TOML is written to the file that its first line names. What a page takes for granted is
made by a block that readers do not see: an HTML comment that begins with the word setup.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for page in (ROOT / "docs").rglob("*.md")
    if "```python" in page.read_text(encoding="utf-8")
)
BLOCK = re.compile(r"^(```python|```toml|<!-- setup)\n(.*?)^(?:```|-->)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for i, (kind, block) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
        if kind == "```toml":
            name = block.splitlines()[0].removeprefix("# ")
            (tmp_path / name).write_text(block, encoding="utf-8")
        else:
            exec(compile(block, f"{page.name}, block {i + 1}", "exec"), namespace)


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_hold(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" in link or link.startswith("mailto:"):
            continue
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        assert file.exists(), link
        if anchor:
            assert anchor in anchors(file), link


def anchors(file: Path) -> set[str]:
    """The names of the headings of a page, as the site and code hosts make them."""
    headings = HEADING.findall(FENCED.sub("", file.read_text(encoding="utf-8")))
    plain = (re.sub(r"[`*]|\]\(.*?\)|\[", "", heading).lower() for heading in headings)
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip()) for heading in plain}
