"""Measure the way of one release through the house: files, rooms, functions, calls and depth.

    python tools/measure_release.py [--files]

The release is a median of a list of ten numbers, with everything loaded before. ``made`` counts how
often one release makes what should be made once after the rehearsal. ``--files`` lists the files
first.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType

import leastnoise as ln

HOUSE = Path(ln.__file__).parent
MADE = {
    "spec": ("/statistics/quantiles/order.py", "spec"),
    "profile": ("/profiles/order.py", "order_profile"),
    "law": ("/mechanisms/piecewise_laplace.py", "law"),
    "on_grid": ("/profiles/grid.py", "on_grid"),
}


def main() -> None:
    statistic, data = ln.Median(bounds=(0, 100)), list(range(10))
    ln.release(statistic, data, epsilon=1)
    calls: Counter[tuple[str, str]] = Counter()
    depth = deepest = 0

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth, deepest
        if not frame.f_code.co_filename.startswith(str(HOUSE)):
            return
        if event == "call":
            depth += 1
            deepest = max(deepest, depth)
            calls[frame.f_code.co_filename, frame.f_code.co_qualname] += 1
        elif event == "return":
            depth -= 1

    sys.setprofile(watch)
    try:
        ln.release(statistic, data, epsilon=1)
    finally:
        sys.setprofile(None)
    files = {Path(file).relative_to(HOUSE) for file, _ in calls}
    if "--files" in sys.argv[1:]:
        print(*sorted(file.as_posix() for file in files), sep="\n")
    rooms = {file.parts[0] for file in files if len(file.parts) > 1}
    print(f"{len(files)} files in {len(rooms)} rooms, {len(calls)} functions")
    print(f"{deepest} frames deep, {sum(calls.values())} calls")
    for what, (end, name) in MADE.items():
        times = sum(
            n
            for (file, function), n in calls.items()
            if file.endswith(end) and function.split(".")[-1] == name
        )
        print(f"{what} made {times} times")


if __name__ == "__main__":
    main()
