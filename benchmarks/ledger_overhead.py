"""What a ledger adds to a release, beside a bare durable SQLite commit on the same disk.

    python benchmarks/ledger_overhead.py [FOLDER]

Interleaves, in one run: a release without a ledger, one with a ledger, and one INSERT in an
otherwise empty database in write-ahead mode with synchronous=FULL. Ends with 1 if the median time
that the ledger adds exceeds three commits.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

import leastnoise as ln

ROUNDS, WARM_UP, LIMIT = 300, 20, 3.0


def timed(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory(dir=arguments[0] if arguments else ".") as folder:
        path = Path(folder)
        bare = sqlite3.connect(path / "bare.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE charges (epsilon TEXT)")
        ln.Ledger.create(path / "pay.db", dataset="d", budget=ln.PureDP(1000)).close()
        data, statistic = np.arange(1000), ln.Median(bounds=(0, 1000))
        plain = ln.open(data)
        times: dict[str, list[float]] = {"commit": [], "release": [], "release with ledger": []}
        with ln.open(data, ledger=path / "pay.db", dataset="d") as tracked:
            for i in range(ROUNDS + WARM_UP):
                found = {
                    "commit": timed(lambda: bare.execute("INSERT INTO charges VALUES ('1/10')")),
                    "release": timed(lambda: plain.release(statistic, epsilon=1)),
                    "release with ledger": timed(lambda: tracked.release(statistic, epsilon=1)),
                }
                if i >= WARM_UP:
                    for name, seconds in found.items():
                        times[name].append(seconds)
        bare.close()
    middle = {name: median(seconds) for name, seconds in times.items()}
    for name, seconds in middle.items():
        print(f"{name:20s} {seconds * 1e3:8.3f} ms (median of {ROUNDS})")
    ratio = (middle["release with ledger"] - middle["release"]) / middle["commit"]
    print(f"{'the ledger adds':20s} {ratio:8.2f} commits (at most {LIMIT:g})")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
