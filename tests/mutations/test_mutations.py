"""Deliberate privacy bugs, each of which the kit must catch.

Every file of the catalogue is a patch of at most five lines: ``old`` is replaced by ``new`` in
``target``; then the named check (``checks.py``) runs on a library with this change, in a process of
its own (``server.py``), and must find a violation. A patch that no longer applies is an error: take
the new text of the line that it breaks. README.md says more.
"""

from __future__ import annotations

import difflib
import os
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from support.mutations import CATALOGUE, SOURCE, Mutation, Server

# The server forks.
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

CAUGHT = 3
LARGEST_PATCH = 5
LEAST_PER_CLASS = 4
# So many of each class run with every change, each by another check, the others at night.
EVERY_CHANGE = 2
# Checks that take many seconds to see a bug.
LONG = frozenset({"blocks", "comments", "intervals", "scores", "searches"})


def cases() -> list[object]:
    """The first ones of each class, and the rest marked for the night."""
    seen: defaultdict[str, set[str]] = defaultdict(set)
    found: list[object] = []
    for mutation in CATALOGUE:
        # files of tests run with every change anyway
        now = not mutation.check.startswith("tests/") and mutation.check not in LONG
        checks = seen[mutation.kind]
        now = now and mutation.check not in checks and len(checks) < EVERY_CHANGE
        if now:
            checks.add(mutation.check)
        marks = [] if now else [pytest.mark.nightly]
        found.append(pytest.param(mutation, id=mutation.name, marks=marks))
    return found


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


@pytest.fixture(scope="module")
def unchanged() -> Iterator[Server]:
    found = Server("loaded")
    yield found
    found.close()


@pytest.mark.parametrize("mutation", cases())
def test_the_kit_catches(mutation: Mutation, server: Server) -> None:
    target = SOURCE / "leastnoise" / mutation.target
    text = mutation.apply(target.read_text(encoding="utf-8"))
    code, output = server.ask(mutation.check, mutation.target, text)
    assert code != 0, f"{mutation.check} does not see that {mutation.why}"
    assert code == CAUGHT, f"the check itself failed\n{output}"
    assert "breaks" in output


KIT = sorted({m.check for m in CATALOGUE if not m.check.startswith("tests/")})


@pytest.mark.share(1 / 12)  # what they look at is tested elsewhere with every change
@pytest.mark.parametrize("check", KIT)
def test_the_unchanged_library_passes(check: str, unchanged: Server) -> None:
    code, output = unchanged.ask(check)
    assert code == 0, output


def test_every_class_has_its_mutations() -> None:
    kinds = Counter(mutation.kind for mutation in CATALOGUE)
    assert len(CATALOGUE) >= 25
    assert len(kinds) == 13
    assert min(kinds.values()) >= LEAST_PER_CLASS, kinds


@pytest.mark.parametrize("mutation", CATALOGUE, ids=lambda m: m.name)
def test_patches_are_small_and_apply(mutation: Mutation) -> None:
    lines = list(difflib.ndiff(mutation.old.splitlines(), mutation.new.splitlines()))
    added = sum(line.startswith("+ ") for line in lines)
    removed = sum(line.startswith("- ") for line in lines)
    assert 0 < max(added, removed) <= LARGEST_PATCH
    target = SOURCE / "leastnoise" / mutation.target
    changed = mutation.apply(target.read_text(encoding="utf-8"))
    compile(changed, mutation.target, "exec")
    assert mutation.why


def test_a_patch_that_does_not_apply_is_an_error() -> None:
    stale = Mutation("stale", "kind", "params.py", "order", "why", "no such line", "new")
    with pytest.raises(LookupError, match="occurs 0 times"):
        stale.apply("some text")
    with pytest.raises(LookupError, match="occurs 2 times"):
        stale.apply("no such line, no such line")
