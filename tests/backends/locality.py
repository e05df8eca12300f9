"""Look for a row that decides how another is read, for as long as there is time.

    python3 tools/dev.py locality --minutes 60 --front pandas

Prints every kind of violation once in each turn, with its smallest counterexample, and at the end a
table of how much was tried in each front end. With `--record` turns are added to those of a file,
with new seeds, and the front end that had the least time comes first: a run may end at any time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

if __name__ == "__main__":  # as pytest has it
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import leastnoise
from leastnoise.testing import PrivacyViolation
from leastnoise.testing.locality.front_ends import Search
from support.front_ends.every import FRONTS, front_end, narrow

_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|0x[0-9a-fp.+-]+|[0-9]+")


def kind_of(violation: PrivacyViolation) -> tuple[str, str]:
    """What violations of one cause most likely share: law and detail without particulars."""
    return violation.law, _PARTICULARS.sub("#", violation.detail)[:80]


@dataclass
class Turn:
    """How much was tried of one front end with one seed; seconds are those of the processor."""

    front: str
    seed: int
    seconds: float
    changes: int
    readings: int
    refused: int
    findings: int


def look(name: str, seconds: float, seed: int) -> Turn:
    """Search one front end for so long."""
    found: Counter[tuple[str, str]] = Counter()
    before = time.process_time()
    with front_end(name) as front:
        search = Search(front, seed, None, seconds)
        for violation in search:
            kind = kind_of(violation)
            found[kind] += 1
            if found[kind] == 1:
                print(violation, end="\n\n", flush=True)
        report = search.report()
    print(f"seed {seed}: {report if not found else report.counts()}", flush=True)
    for (law, detail), times in found.most_common():
        print(f"  {times} x {law!r}: {detail}", flush=True)
    return Turn(
        name,
        seed,
        round(time.process_time() - before, 1),
        report.frames,
        report.readings,
        report.refused,
        found.total(),
    )


def table(turns: Sequence[Turn]) -> str:
    """What was tried, in Markdown."""
    head = "front end", "seconds", "changes of one row", "readings of both", "refused", "findings"
    lines = [head, ("---",) * len(head)]
    for name in [*dict.fromkeys(turn.front for turn in turns), "**all**"]:
        mine = [turn for turn in turns if name in (turn.front, "**all**")]
        counts = [
            sum(t.seconds for t in mine),
            sum(t.changes for t in mine),
            sum(t.readings for t in mine),
            sum(t.refused for t in mine),
            sum(t.findings for t in mine),
        ]
        lines.append((name, *(f"{count:,.0f}" for count in counts)))
    today = datetime.datetime.now(datetime.UTC).date()
    return (
        f"leastnoise {leastnoise.__version__}, Python {platform.python_version()}, {today}, seeds "
        f"{min(t.seed for t in turns)} to {max(t.seed for t in turns)}.\n\n"
        + "\n".join(f"| {' | '.join(line)} |" for line in lines)
    )


def recorded(path: Path | None) -> list[Turn]:
    text = path.read_text() if path is not None and path.exists() else ""
    return [Turn(**json.loads(line)) for line in text.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="of each turn; default: 1")
    parser.add_argument("--hours", type=float, help="for all turns; default: one of each front end")
    parser.add_argument("--seed", type=int, default=0, help="of the first turn of each")
    parser.add_argument("--record", type=Path, help="a file of turns, to which these are added")
    parser.add_argument("--narrow", action="store_true", help="with low limits of engines")
    parser.add_argument(
        "--front", action="append", choices=list(FRONTS), help="default: all of them"
    )
    options = parser.parse_args()
    names = options.front or list(FRONTS)
    turns, end = recorded(options.record), time.monotonic() + 3600 * (options.hours or 0)
    left = len(names)
    with narrow() if options.narrow else nullcontext():
        while left > 0 if options.hours is None else time.monotonic() < end:
            left -= 1
            seen = {name: [t for t in turns if t.front == name] for name in names}
            name = min(names, key=lambda name: sum(t.seconds for t in seen[name]))
            seed = max((t.seed + 1 for t in seen[name]), default=options.seed)
            turns.append(look(name, 60 * options.minutes, seed))
            if options.record is not None:
                with options.record.open("a") as file:
                    file.write(json.dumps(asdict(turns[-1])) + "\n")
    print(table(turns))
    return int(any(turn.findings for turn in turns))


if __name__ == "__main__":
    sys.exit(main())
