"""What the benchmark scripts measure with: CPU seconds and allocated memory of a job."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable


def least(job: Callable[[], object], runs: int = 5, calls: int = 1) -> float:
    """CPU seconds of one call: the least over some runs of ``calls`` each."""
    spent: list[float] = []
    for _ in range(runs):
        start = time.process_time()
        for _ in range(calls):
            job()
        spent.append((time.process_time() - start) / calls)
    return min(spent)


def peak(job: Callable[[], object]) -> int:
    """Bytes allocated at the peak of a job, beyond what was there before."""
    tracemalloc.start()
    job()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found
