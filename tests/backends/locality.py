"""Look for a row that decides how another is read, for as long as there is time.

    python3 tools/dev.py locality --minutes 60 --front pandas

Prints every kind of violation once, with its smallest counterexample, and at the end a table of how
much was tried in each front end.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import re
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

if __name__ == "__main__":  # as pytest has it
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import leastnoise
from leastnoise.testing import PrivacyViolation
from leastnoise.testing.locality.front_ends import FrontEndReport, Search
from support.front_ends.every import FRONTS, front_end, narrow

_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|0x[0-9a-fp.+-]+|[0-9]+")


def kind_of(violation: PrivacyViolation) -> tuple[str, str]:
    """What violations of one cause most likely share: law and detail without particulars."""
    return violation.law, _PARTICULARS.sub("#", violation.detail)[:80]


def look(name: str, seconds: float, seed: int) -> tuple[FrontEndReport, int]:
    """Search one front end: how much was tried, and the number of violations."""
    found: Counter[tuple[str, str]] = Counter()
    with front_end(name) as front:
        search = Search(front, seed, None, seconds)
        for violation in search:
            kind = kind_of(violation)
            found[kind] += 1
            if found[kind] == 1:
                print(violation, end="\n\n", flush=True)
        report = search.report()
    print(report if not found else report.counts(), flush=True)
    for (law, detail), times in found.most_common():
        print(f"  {times} x {law!r}: {detail}", flush=True)
    return report, found.total()


def table(found: Sequence[tuple[FrontEndReport, int]], minutes: float, seed: int) -> str:
    """What was tried, in Markdown."""
    lines = [
        "| front end | changes of one row | readings of both | refused by the schema | findings |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {report.front} | {report.frames:,} | {report.readings:,} | {report.refused:,} | {n:,} |"
        for report, n in found
    ]
    frames = sum(report.frames for report, _ in found)
    readings = sum(report.readings for report, _ in found)
    refused = sum(report.refused for report, _ in found)
    lines.append(
        f"| **all** | {frames:,} | {readings:,} | {refused:,} | {sum(n for _, n in found):,} |"
    )
    today = datetime.datetime.now(datetime.UTC).date()
    return (
        f"leastnoise {leastnoise.__version__}, Python {platform.python_version()}, {today}: "
        f"{minutes:g} minutes for each front end, seed {seed}.\n\n" + "\n".join(lines)
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="for each front end; default: 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--narrow", action="store_true", help="with low limits of engines")
    parser.add_argument(
        "--front", action="append", choices=list(FRONTS), help="default: all of them"
    )
    options = parser.parse_args()
    names = options.front or list(FRONTS)
    with narrow() if options.narrow else nullcontext():
        found = [look(name, 60 * options.minutes, options.seed) for name in names]
    print(table(found, options.minutes, options.seed))
    return int(any(n for _, n in found))


if __name__ == "__main__":
    sys.exit(main())
