"""Make the pictures and tables of README.md and docs anew, from the scripts named beside them.

python tools/readme.py               write the exact ones: a minute
python tools/readme.py --measured    write those that measure this machine too: some hours
python tools/readme.py --check       say which exact tables are not what their script prints, exit 1

A table stands between ``<!-- NAME: python SCRIPT -->`` and ``<!-- /NAME -->``; one that holds times
or needs other libraries is marked ``<!-- measured NAME: ... -->``.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"(<!-- (measured )?([a-z-]+): python ([^\n]+?) -->\n)(.*?)(\n<!-- /\3 -->)", re.DOTALL
)
PICTURES = (
    "benchmarks/gain.py --svg docs/assets/gain.svg",
    "benchmarks/pictures.py",
)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def python(command: str) -> str:
    """What a script of the repository prints."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *shlex.split(command)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
    )
    return done.stdout.strip("\n")


def renewed(text: str, measured: bool) -> str:
    """The page with its tables made anew."""

    def block(match: re.Match[str]) -> str:
        head, costly, _, command, _, tail = match.groups()
        if costly and not measured:
            return match[0]
        print(f"python {command}", flush=True)
        return f"{head}{python(command)}{tail}"

    return BLOCK.sub(block, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--measured", action="store_true", help="also what measures this machine")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args()
    stale: list[str] = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        found = renewed(text, options.measured)
        if found != text:
            stale.append(str(page.relative_to(ROOT)))
            if not options.check:
                page.write_text(found, encoding="utf-8")
    if options.check:
        print(
            "\n".join(f"not what its script prints: {page}" for page in stale) or "all as printed"
        )
        return 1 if stale else 0
    for command in PICTURES:
        print(f"python {command}", flush=True)
        python(command)
    print("\n".join(f"written: {page}" for page in stale) or "no table has changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
