"""Many groups and many persons beside each front end's own GROUP BY.

    python benchmarks/grouped_speed.py [--rows 1e6 1e7] [--groups 1e4 1e5] [--persons 5e5 1e6]
    python benchmarks/grouped_speed.py --page docs/speed.md --front-ends numpy pandas DuckDB

One run of each, after one of few groups: processor seconds of this process, in Spark seconds on the
clock, because its work is done in another.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from asv.grouped import FRONT_ENDS, WHAT, Job, columns, jobs, release

MARK = "<!-- measured groups:"


def table(front_ends: list[str], rows: int, groups: int, persons: int) -> Iterator[str]:
    """A Markdown table, line by line."""
    yield f"{rows:,} rows, {groups:,} groups, {persons:,} persons:"
    yield ""
    yield "| front end | " + " | ".join(f"{what} | GROUP BY | ratio" for what in WHAT) + " |"
    yield "|---|" + "---:|" * (3 * len(WHAT))
    small, large = columns(10_000, 10, 5000), columns(rows, groups, persons)
    for front_end in front_ends:
        clock = time.perf_counter if front_end == "Spark" else time.process_time

        def seconds(job: Job, clock=clock) -> float:
            start = clock()
            job()
            return clock() - start

        few, _ = jobs(front_end, small, 10)
        data, plain = jobs(front_end, large, groups)
        cells: list[str] = []
        for what in WHAT:
            release(what, few, 10)()
            ours = seconds(release(what, data, groups))
            bare = min(seconds(plain[what]) for _ in range(3))
            cells += [f"{ours:.2f} s", f"{bare:.3f} s", f"{ours / bare:.1f}"]
            print(front_end, what, *cells[-3:], flush=True)
        yield f"| {front_end} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table, or write it between the marks of a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 1e7])
    parser.add_argument("--groups", type=float, nargs="+", default=[1e4, 1e5])
    parser.add_argument("--persons", type=float, nargs="+", default=[5e5, 1e6])
    parser.add_argument("--front-ends", nargs="+", default=list(FRONT_ENDS))
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    lines: list[str] = []
    for sizes in zip(options.rows, options.groups, options.persons, strict=True):
        lines += ["", *table(options.front_ends, *map(int, sizes))]
    if options.page is None:
        print("\n".join(lines))
        return
    text = options.page.read_text()
    start = text.index("\n", text.index(MARK))
    end = text.index("<!-- /groups -->")
    options.page.write_text(text[:start] + "\n" + "\n".join(lines) + "\n" + text[end:])


if __name__ == "__main__":
    main()
