"""docs/auditing-other-libraries.md says what the audit of pinned versions finds."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from leastnoise.audit.peers import NAMES, peer

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks" / "audit_peers.py"
PAGE = ROOT / "docs" / "auditing-other-libraries.md"
AUDITED = runpy.run_path(str(SCRIPT))["AUDITED"]

Row = tuple[str, str, str]


def rows_of_the_page() -> dict[Row, str]:
    """The verdict by library, version and check."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(r"<!-- measured audited: .*? -->\n(.*?)\n<!-- /audited -->", text, re.DOTALL)
    assert found
    cells = [line.strip("| ").split(" | ") for line in found[1].splitlines()[2:]]
    return {(c[0], c[1], c[2]): c[6].strip("*") for c in cells}


def test_the_page_has_only_audited_versions_and_all_of_their_checks():
    rows = rows_of_the_page()
    expected: dict[tuple[str, str], set[str]] = {}
    for name, packages in AUDITED:
        one = peer(name)
        version = packages[0].split("==")[1] if packages else str(one.installed())
        expected[one.distribution, version] = {check.name for check in one.checks}
    shown = {(library, version) for library, version, _ in rows}
    assert set(rows) == {(*key, check) for key in shown for check in expected[key]}
    assert {name for name, _ in AUDITED} == set(NAMES)


@pytest.mark.parametrize(
    ("library", "before", "after"),
    [
        ("DataSynthesizer", "0.1.4", "0.1.13"),
        ("opendp", "0.4.0", "0.16.0"),
        ("smartnoise-sql", "1.0.1", "1.0.10"),
        ("smartnoise-synth", "1.0.5", "1.0.6"),
        ("smartnoise-synth", "1.0.5", "1.0.8"),
    ],
)
def test_no_alarm_on_versions_that_mended_theirs(library: str, before: str, after: str):
    verdicts: dict[str, set[str]] = {before: set(), after: set()}
    for (name, version, _), verdict in rows_of_the_page().items():
        if name == library and version in verdicts:
            verdicts[version].add(verdict)
    assert "violated" in verdicts[before]
    assert verdicts[after] == {"held"}


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audited")


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted({name for name, _ in AUDITED}))
def test_the_page_is_what_is_found_today(name: str, environments: Path):
    command = [sys.executable, SCRIPT, "--json", "--folder", environments, "--only", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    found = {
        (row["library"], row["version"], row["check"]): row["verdict"].casefold()
        for row in json.loads(done.stdout)
    }
    page = rows_of_the_page()
    assert found
    # a row that the page does not show yet must at least be a verdict
    assert set(found.values()) <= {"held", "violated", "not in this version"}
    assert {row: found[row] for row in found if row in page} == {
        row: page[row] for row in found if row in page
    }
    if name == "leastnoise":
        assert set(found.values()) == {"held"}
