"""The catalogue of deliberate bugs, and the process that runs checks on a changed library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

MUTATIONS = Path(__file__).resolve().parents[1] / "mutations"
SOURCE = MUTATIONS.parents[1] / "src"
# A check that runs for longer has failed.
SECONDS = 240


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


CATALOGUE = [read(path) for path in sorted((MUTATIONS / "catalogue").glob("*.toml"))]


def dotted(target: str) -> str:
    """The name by which a module of the library is imported."""
    inside = target.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"leastnoise.{inside}"


class Server:
    """A process that runs checks, one after the other."""

    def __init__(self, *options: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        self.process = subprocess.Popen(
            [sys.executable, str(MUTATIONS / "server.py"), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=SOURCE.parent,
        )

    def ask(
        self, check: str, target: str = "", text: str = "", *, seconds: int = SECONDS
    ) -> tuple[int, str]:
        """Exit code and output of a check, with this text as the source of the target."""
        module = dotted(target) if target else ""
        request = {"check": check, "module": module, "text": text, "seconds": seconds}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["code"], answer["output"]

    def close(self) -> None:
        self.process.communicate(timeout=10)
