"""The model in proofs/ speaks of functions and constants that the code has, and pages name it."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module
from typing import Any

import pytest

from support.model import PROOFS, ROOT, tool

TABLE: dict[str, dict[str, str]] = tomllib.loads(
    (PROOFS / "claims.toml").read_text(encoding="utf-8")
)
CONSTANTS = TABLE.get("constants", {})
SOURCES = {path.stem: tool().code_of(path) for path in PROOFS.glob("*.v")}


def in_code(path: str) -> Any:
    """What a module:name of the library stands for."""
    module, _, name = path.partition(":")
    found: Any = import_module(f"leastnoise.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    return found


def drifted(sources: dict[str, str], coq: str, path: str) -> bool:
    """Whether a constant of the model is another number than the code's."""
    file, _, name = coq.partition(".")
    found = re.search(rf"^Definition {name} : \w+ := (\d+)(?:%\w+)?\.$", sources[file], re.M)
    assert found, f"{coq} is no plain number"
    return int(found[1]) != in_code(path)


@pytest.mark.parametrize("coq", TABLE["claims"])
def test_claims_are_theorems_and_their_pages_name_them(coq: str) -> None:
    file, _, name = coq.partition(".")
    assert re.search(rf"^(Theorem|Corollary) {name}\b", SOURCES[file], re.M)
    page = (ROOT / f"docs/proofs/{TABLE['claims'][coq]}.md").read_text(encoding="utf-8")
    assert f"`{coq}`" in page.partition("## Machine-checked")[2].partition("## Tests")[0]


def test_pages_name_claims_only() -> None:
    for path in (ROOT / "docs/proofs").glob("*.md"):
        part = path.read_text(encoding="utf-8").partition("## Machine-checked")[2]
        named = set(re.findall(r"`([A-Z]\w+\.[a-z]\w+)`", part.partition("## Tests")[0]))
        named = {name for name in named if name.split(".")[0] in SOURCES and name[-2:] != ".v"}
        assert named == {c for c, page in TABLE["claims"].items() if page == path.stem}


@pytest.mark.parametrize("coq", TABLE["definitions"])
def test_definitions_model_what_the_code_has(coq: str) -> None:
    file, _, name = coq.partition(".")
    assert re.search(rf"^(Definition|Fixpoint|Record) {name}\b", SOURCES[file], re.M)
    assert in_code(TABLE["definitions"][coq])


@pytest.mark.parametrize("coq", CONSTANTS)
def test_constants_are_those_of_the_code(coq: str) -> None:
    assert not drifted(SOURCES, coq, CONSTANTS[coq])


def test_a_constant_that_has_drifted_is_found() -> None:
    source = {"X": "Definition bits : Z := 63."}
    assert drifted(source, "X.bits", "sampling.dyadic:LN2_BITS")
    source = {"X": "Definition bits : Z := 64."}
    assert not drifted(source, "X.bits", "sampling.dyadic:LN2_BITS")


def test_the_overview_lists_every_file() -> None:
    page = (ROOT / "docs/proofs/machine-checked.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)\.v` \|", page, re.M)) == set(SOURCES)


def test_the_overview_lists_every_page_without_a_theorem() -> None:
    folder = ROOT / "docs/proofs"
    overview = (folder / "machine-checked.md").read_text(encoding="utf-8")
    listed = overview.partition("*Pages of which Coq has proved nothing.*")[2].partition("\n")[0]
    names = re.findall(r"\[([\w-]+)\]", listed.partition(". Where")[0])
    pages = {p.stem: p.read_text(encoding="utf-8") for p in folder.glob("*.md")}
    pages = {n: text for n, text in pages.items() if n not in ("README", "machine-checked")}
    assert names == sorted(n for n, text in pages.items() if "## Machine-checked" not in text)
    for name in set(pages) - set(names):
        part = pages[name].partition("## Machine-checked")[2].partition("## Tests")[0]
        assert "not covered" in part.lower(), f"{name}: says nothing of what is not covered"
