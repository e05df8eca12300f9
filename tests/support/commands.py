"""Running the command line: in this process for speed, in a fresh one for the real thing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from leastnoise.cli import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def words(text: str) -> list[str]:
    """The arguments that a shell makes of a line without quotes."""
    return text.split()


Run = Callable[..., Outcome]


def fresh(*arguments: str, prelude: str = "", **environment: str) -> Outcome:
    """Run ``leastnoise`` in a new process, after a line of Python if there is one."""
    start = ["-m", "leastnoise"]
    if prelude:
        start = ["-c", f"import sys; {prelude}; from leastnoise.cli import main; sys.exit(main())"]
    done = subprocess.run(
        [sys.executable, *start, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", **environment},
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def in_process(capsys, *arguments: str) -> Outcome:
    """Run ``leastnoise`` here; pytest's capsys reads what it prints."""
    code = main(arguments)
    out, err = capsys.readouterr()
    return Outcome(code, out, err)
