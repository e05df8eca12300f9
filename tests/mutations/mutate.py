"""Makes small changes in one module by itself and lists those that no check sees.

    python3 tools/dev.py mutate profiles/maps.py
    python3 tools/dev.py mutate laws/levels.py --sample 40 --check levels

Every change is of one expression or one line: an operator, a constant one higher or lower, the
other end of a range, a line left out. The checks that the catalogue names for the module and for
other modules of its room run on a library with that change (``server.py``), the quickest first; the
first that fails, or takes far longer than without the change, has caught it. ``harmless.toml``
holds the changes that make no answer less private, with the reason; they are not tried. Exit code
1: something survived.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

if __name__ == "__main__":  # as pytest has it
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from support.mutations import Server
from support.small_changes import LIBRARY, changes, checks_for, harmless, survives, timed


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="dev.py mutate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("module", help="a path below src/leastnoise, such as profiles/maps.py")
    parser.add_argument("--check", action="append", help="what runs instead; may be repeated")
    parser.add_argument("--near", action="store_true", help="no checks of other modules")
    parser.add_argument("--sample", type=int, help="try this many changes, picked at random")
    parser.add_argument("--seed", type=int, default=0, help="which changes are picked")
    options = parser.parse_args()
    target = options.module.removeprefix("src/leastnoise/")
    path = LIBRARY / target
    if not path.is_file():
        parser.error(f"{path} is no file: name a module below src/leastnoise")

    checks = options.check or checks_for(target, near_only=options.near)
    if not checks:
        parser.error(f"the catalogue names no check for {target} or its room: use --check")
    judged = harmless()
    made = list(changes(target, path.read_text(encoding="utf-8")))
    tried = [change for change in made if change.name not in judged]
    if options.sample is not None and options.sample < len(tried):
        tried = random.Random(options.seed).sample(tried, options.sample)
        tried.sort(key=lambda change: change.line)
    print(f"{len(made)} changes of {target}, {len(tried)} to try; checks: {', '.join(checks)}")
    server, unchanged = Server(), Server("loaded")
    left = 0
    try:
        known = timed(checks, unchanged)
        for change in tried:
            if survives(change, target, known, server):
                left += 1
                print(f"survives, line {change.line}: {change.name}", flush=True)
    finally:
        server.close()
        unchanged.close()
    caught = len(tried) - left
    print(f"{caught} of {len(tried)} caught ({caught / max(1, len(tried)):.1%})")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
