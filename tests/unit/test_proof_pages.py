"""Every condition of every proof names a test that breaks it, and every name exists."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2]
PAGES = sorted(p for p in (HERE / "docs/proofs").glob("*.md") if p.stem != "README")
MUTATIONS = {p.stem: p for p in (HERE / "tests/mutations/catalogue").glob("*.toml")}
# What they break is no step of a proof: promises of accounting.md and privacy-guarantee.md.
PROMISES = {"less charged than spent", "errors that quote data values or raise on data"}


def section(page: Path, title: str) -> str:
    found = re.search(
        rf"^## {title}\n(.*?)(?=^## |\Z)", page.read_text(encoding="utf-8"), re.M | re.S
    )
    assert found, f"{page.name} has no section {title!r}"
    return found[1]


def rows(page: Path) -> list[list[str]]:
    lines = [line for line in section(page, "Tests").splitlines() if line.startswith("|")]
    head = [cell.strip() for cell in lines[0].strip("|").split("|")]
    assert head[0] == "condition"
    assert head[2:] == ["mutation"], page.name
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@lru_cache
def functions(path: Path) -> set[str]:
    return set(re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.M))


def named_in(page: Path, cell: str, path: str) -> tuple[list[tuple[str, str]], str]:
    """The (file, function) pairs that a cell names; a name without a file is of the file before."""
    found: list[tuple[str, str]] = []
    for code in re.findall(r"`([^`]+)`", cell):
        file, _, function = code.partition("::")
        if file.endswith(".py"):
            path = file
        elif file.startswith("test_"):
            function = file
        elif file:
            continue  # a name of something else
        if path:
            found.append((path, function.partition("[")[0]))
    return found, path


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_condition_has_a_test_that_breaks_it(page: Path) -> None:
    conditions = set(re.findall(r"^(\d+)\. ", section(page, "Conditions"), re.M))
    assert conditions
    covered: set[str] = set()
    whole = re.search(r"All in `(tests/[\w/]+\.py)`", section(page, "Tests"))
    path = whole[1] if whole else ""
    for row in rows(page):
        assert len(row) == 3, row
        named, path = named_in(page, row[1], path)
        assert named, f"{page.name}: {row[0]} names no test"
        for file, function in named:
            assert (HERE / file).is_file(), f"{page.name}: {file}"
            if function:
                assert function in functions(HERE / file), f"{page.name}: {file}::{function}"
        numbers = re.match(r"(\d+(?:, \d+)*)", row[0])
        covered |= set(numbers[1].split(", ")) if numbers else set()
    assert conditions - covered == set(), f"{page.name}: conditions without a row"
    assert covered - conditions == set(), f"{page.name}: rows without a condition"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_mutations_that_are_named_exist(page: Path) -> None:
    for row in rows(page):
        named = re.findall(r"`([^`]+)`", row[2])
        assert set(named) <= set(MUTATIONS), row
        assert named or not row[2], row


def test_every_mutation_of_a_proof_is_named_by_its_page() -> None:
    named = {
        name for page in PAGES for row in rows(page) for name in re.findall(r"`(\w+)`", row[2])
    }
    kinds = {n: tomllib.loads(p.read_text(encoding="utf-8"))["class"] for n, p in MUTATIONS.items()}
    assert {n for n, kind in kinds.items() if kind not in PROMISES} - named == set()
    assert set(kinds.values()) > PROMISES


def test_the_index_lists_every_page() -> None:
    text = (HERE / "docs/proofs/README.md").read_text(encoding="utf-8")
    assert {p.name for p in PAGES} == set(re.findall(r"\]\(([\w-]+\.md)\)", text))
