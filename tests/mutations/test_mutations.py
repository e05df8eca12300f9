"""Deliberate privacy bugs, each of which the kit must catch.

Every file of the catalogue is a patch of at most five lines: ``old`` is replaced by ``new`` in
``target``; then the named check (``checks.py``) runs on a library with this change, in a process of
its own (``server.py``), and must find a violation. A patch that no longer applies is an error: take
the new text of the line that it breaks. README.md says more.
"""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

# The server forks.
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
CAUGHT = 3
LARGEST_PATCH = 5
LEAST_PER_CLASS = 4
# So many of each class run with every change, the others at night.
EVERY_CHANGE = 3


@dataclass(frozen=True)
class Mutation:
    """One deliberate bug."""

    name: str
    kind: str
    target: str
    check: str
    why: str
    old: str
    new: str

    def apply(self, text: str) -> str:
        """The text of the target with the bug in it."""
        found = text.count(self.old)
        if found != 1:
            raise LookupError(
                f"{self.name} does not apply: its old text occurs {found} times in {self.target}; "
                "give it the new text of the line that it breaks"
            )
        return text.replace(self.old, self.new)


def read(path: Path) -> Mutation:
    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    old, new = (fields[key].removesuffix("\n") for key in ("old", "new"))
    return Mutation(
        path.stem, fields["class"], fields["target"], fields["check"], fields["why"], old, new
    )


CATALOGUE = [read(path) for path in sorted((HERE / "catalogue").glob("*.toml"))]


def cases() -> list[object]:
    """The first ones of each class, and the rest marked for the night."""
    seen: Counter[str] = Counter()
    found: list[object] = []
    for mutation in CATALOGUE:
        kit = not mutation.check.startswith("tests/")  # those tests run with every change anyway
        seen[mutation.kind] += kit
        now = kit and seen[mutation.kind] <= EVERY_CHANGE
        marks = [] if now else [pytest.mark.nightly]
        found.append(pytest.param(mutation, id=mutation.name, marks=marks))
    return found


class Server:
    """A process that runs checks, one after the other."""

    def __init__(self, *options: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py"), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=SOURCE.parent,
        )

    def ask(self, check: str, target: str = "", text: str = "") -> tuple[int, str]:
        """Exit code and output of a check, with this text as the source of the target."""
        module = target.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        module = f"leastnoise.{module}" if module else ""
        request = {"check": check, "module": module, "text": text}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["code"], answer["output"]

    def close(self) -> None:
        self.process.communicate(timeout=10)


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
