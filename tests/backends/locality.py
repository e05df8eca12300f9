"""Look for a row that decides how another is read, for as long as there is time.

    python3 tools/dev.py locality --minutes 60 --front pandas

Prints every kind of violation once, with its smallest counterexample, and how much was tried.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

if __name__ == "__main__":  # as pytest has it
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from leastnoise.testing import PrivacyViolation
from leastnoise.testing.locality.front_ends import Search
from support.front_ends.every import FRONTS, front_end, narrow

_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|0x[0-9a-fp.+-]+|[0-9]+")


def kind_of(violation: PrivacyViolation) -> tuple[str, str]:
    """What violations of one cause most likely share: law and detail without particulars."""
    return violation.law, _PARTICULARS.sub("#", violation.detail)[:80]


def look(name: str, seconds: float, seed: int) -> int:
    """Search one front end; the number of violations."""
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
    return found.total()


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
        found = sum(look(name, 60 * options.minutes, options.seed) for name in names)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
