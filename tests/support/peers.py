"""Other libraries, each in a virtual environment of its own: they pin what we use."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# The versions that the benchmarks compare with.
_VERSIONS = Path(__file__).resolve().parents[2] / "benchmarks" / "peers.py"


def python_of(library: str, folder: Path) -> Path:
    """The interpreter of a new environment with this library in it; needs a package index."""
    home = folder / library
    venv.create(home, with_pip=True)
    python = home.joinpath(*(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
    wanted = runpy.run_path(str(_VERSIONS))["PEERS"][library]
    subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True)
    return python


class Program:
    """A program in another environment that answers a line of JSON for each line of JSON."""

    def __init__(self, python: Path, text: str) -> None:
        # no PYTHONPATH: the library under test is its own only
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [python, "-c", text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, *question: object) -> Sequence[Any]:
        """The answer to one question; floats arrive bit by bit as they were."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self._process.communicate(timeout=30)
