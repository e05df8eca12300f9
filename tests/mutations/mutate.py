"""Makes small changes in modules by itself and lists those that no test of the gate sees.

    python3 tools/dev.py mutate profiles/maps.py
    python3 tools/dev.py mutate --share 1/20
    python3 tools/dev.py mutate --report

Every change is of one expression or one line: an operator, a constant one higher or lower, the
other end of a range, a line left out. The tests that call the changed function run on a library
with that change, the cheapest first (``gate.py``); the first that fails, or takes far longer than
without the change, has seen it. Without a module all that decide about privacy are changed.
``--share`` tries a part of the changes, chosen by a hash of their names: a larger share holds the
smaller one. ``record.json`` keeps what was found, so that a run goes on where the last one of the
same text stopped. ``harmless.toml`` holds the changes that make no answer less private, with the
reason; they are not tried. Exit code 1: something survived.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if __name__ == "__main__":  # as pytest has it
    sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from support.mutations import MUTATIONS
from support.small_changes import LIBRARY, Change, changes, harmless

if TYPE_CHECKING:
    from support.gate import Gate

RECORD = MUTATIONS / "record.json"
TOUCHED = MUTATIONS.parents[1] / ".mutations" / "touched.jsonl"
ROOMS = (
    *("profiles", "laws", "sampling", "mechanisms", "accounting", "session/door.py"),
    *("session/shares.py", "session/batch.py", "frames/engines/persons.py"),
    *("frames/engines/lattice.py", "estimators/moments.py"),
)
# For a survivor the tests that call its function run for so many seconds of processor time.
SECONDS = 40.0


@dataclass
class Found:
    """What is known of the changes of one module, whose text has this digest."""

    text: str
    changes: int
    share: str = "0"
    tried: int = 0
    survived: list[str] = field(default_factory=list[str])


def modules(names: list[str]) -> list[str]:
    """Paths below the library of these modules and folders."""
    found: list[str] = []
    for name in names:
        path = LIBRARY / name.removeprefix("src/leastnoise/")
        paths = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        found += [p.relative_to(LIBRARY).as_posix() for p in paths]
    return found


def chance(change: Change) -> Fraction:
    """A number in [0, 1) that depends on the name of the change alone."""
    return Fraction(int.from_bytes(sha256(change.name.encode()).digest()[:8], "big"), 2**64)


def known() -> dict[str, Found]:
    if not RECORD.is_file():
        return {}
    entries = json.loads(RECORD.read_text(encoding="utf-8"))
    return {target: Found(**entry) for target, entry in entries.items()}


def kept(record: dict[str, Found]) -> None:
    entries = {target: asdict(found) for target, found in sorted(record.items())}
    RECORD.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


def tried(gate: Gate, targets: list[str], share: Fraction) -> None:
    """Try the changes of the modules that were not yet tried."""
    judged, record = harmless(), known()
    for target in targets:
        text = (LIBRARY / target).read_text(encoding="utf-8")
        made = list(changes(target, text))
        digest = sha256(text.encode()).hexdigest()[:16]
        found = record.get(target)
        if found is None or found.text != digest:
            found = Found(digest, len(made))
        start = Fraction(found.share)
        for change in made:
            if start <= chance(change) < share and change.name not in judged:
                found.tried += 1
                seen = gate.sees(change, text, SECONDS)
                print(f"{target}:{change.line} {seen or 'SURVIVES'} {change.name}", flush=True)
                if not seen:
                    found.survived.append(change.name)
        found.share = str(max(start, share))
        record[target] = found
        kept(record)


def again(gate: Gate, targets: list[str]) -> None:
    """Try the survivors once more."""
    record = known()
    for target in targets:
        if target in record and record[target].survived:
            text = (LIBRARY / target).read_text(encoding="utf-8")
            made = {change.name: change for change in changes(target, text)}
            survived = [made[name] for name in record[target].survived if name in made]
            left = [change for change in survived if not gate.sees(change, text, SECONDS)]
            record[target].survived = [change.name for change in left]
    kept(record)


def report(targets: list[str]) -> Iterator[str]:
    """A line for each room: changes, tried, caught, and what that says of the others."""
    from scipy.stats import beta

    judged, record = harmless(), known()
    rooms = sorted({target.partition("/")[0] for target in targets})
    for room in [*rooms, ""]:
        some = [record[t] for t in targets if t in record and t.startswith(room)]
        missed = sum(name not in judged for found in some for name in found.survived)
        count = sum(found.tried for found in some)
        count -= sum(name in judged for found in some for name in found.survived)
        least = beta.ppf(0.05, count - missed, missed + 1) if count > missed else 0.0
        yield (
            f"{room or 'all'}: {sum(found.changes for found in some)} changes, {count} tried, "
            f"{count - missed} caught ({(count - missed) / max(1, count):.1%}; of all not judged "
            f"harmless at least {least:.1%}, with 95 % confidence)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="dev.py mutate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("modules", nargs="*", default=ROOMS, help="paths below src/leastnoise")
    parser.add_argument("--share", type=Fraction, default=Fraction(1), help="such as 1/20")
    parser.add_argument(
        "--look", type=float, default=600, help="seconds to find which tests call what; 600"
    )
    parser.add_argument("--again", action="store_true", help="try the survivors of the record")
    parser.add_argument("--report", action="store_true", help="only say what the record holds")
    options = parser.parse_args()
    targets = modules(list(options.modules))
    absent = [target for target in targets if not (LIBRARY / target).is_file()]
    if absent:
        parser.error(f"{absent[0]} is no file below {LIBRARY}")

    if not options.report:
        from support.gate import Gate

        def job(gate: Gate) -> None:
            gate.look(targets, options.look)
            if options.again:
                again(gate, targets)
            else:
                tried(gate, targets, options.share)

        Gate(TOUCHED, job).run()
    judged, record = harmless(), known()
    left = [name for t in targets if t in record for name in record[t].survived]
    for name in left:
        if name not in judged:
            print(f"survives: {name}")
    print(*report(targets), sep="\n")
    sys.exit(1 if set(left) - set(judged) else 0)


if __name__ == "__main__":
    main()
