"""Run many tasks in processes, with progress on standard error and a quick end at Ctrl-C.

joblib, where it is installed, works on every system. It is no
dependency of ours, so there are forks beside it: a bare installation uses all processors too, and a
function that cannot be pickled needs nothing more. Either way only drawn, public records are
worked on (docs/decisions/0023-two-ways-to-many-processes.md).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, TypeVar, cast

R = TypeVar("R")

_QUIET_SECONDS = 2.0


class Progress:
    """How much is done and how long the rest will take, after two seconds.

    On standard error where that is a terminal, and nowhere else.
    """

    def __init__(self, total: int, label: str, *, shown: bool = True) -> None:
        self.total, self.label, self.shown = total, label, shown
        self.start = time.monotonic()
        self.bar: Any = None

    def update(self, done: int) -> None:
        """Tell that ``done`` of the total are there."""
        late = time.monotonic() - self.start >= _QUIET_SECONDS
        if self.shown and late and sys.stderr.isatty():
            self._bar(done)

    def _bar(self, done: int) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar
            from rich.progress import TimeElapsedColumn, TimeRemainingColumn

            console = Console(stderr=True)
            columns = (*Bar.get_default_columns()[:-1], TimeElapsedColumn(), TimeRemainingColumn())
            self.bar = Bar(*columns, console=console, transient=True)
            self.bar.add_task(self.label, total=self.total)
            self.bar.start()
        self.bar.update(0, completed=done)

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()


@contextmanager
def progress(total: int, label: str, shown: bool) -> Generator[Progress]:
    """A progress display that is closed whatever happens."""
    bar = Progress(total, label, shown=shown)
    try:
        yield bar
    finally:
        bar.close()


def results(task: Callable[[int], R], items: Sequence[int], workers: int) -> Iterator[R]:
    """Results of ``task`` over ``items``, in any order.

    One process, or ``workers`` of them through joblib where it is installed, else through
    ``multiprocessing`` by forking. At Ctrl-C, or when the caller stops, no worker is left.
    """
    if workers <= 1 or len(items) <= 1:
        yield from map(task, items)
    elif find_spec("joblib") is not None:
        yield from _with_joblib(task, items, workers)
    else:
        yield from _with_fork(task, items, workers)


def _with_joblib(task: Callable[[int], Any], items: Iterable[int], workers: int) -> Iterator[Any]:
    import joblib as untyped
    from joblib.externals import loky

    joblib = cast("Any", untyped)
    parallel = joblib.Parallel(n_jobs=workers, return_as="generator_unordered")
    done = False
    try:
        yield from parallel(joblib.delayed(task)(item) for item in items)
        done = True
    finally:
        if not done:
            cast("Any", loky).get_reusable_executor().shutdown(wait=True, kill_workers=True)


_task: Callable[[int], Any] | None = None  # of this process, where it is a worker


def _begin(task: Callable[[int], Any]) -> None:
    import signal

    global _task
    _task = task
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides


def _call(item: int) -> Any:
    return None if _task is None else _task(item)


def _with_fork(task: Callable[[int], Any], items: Sequence[int], workers: int) -> Iterator[Any]:
    import multiprocessing

    if "fork" not in multiprocessing.get_all_start_methods():
        yield from map(task, items)
        return
    # children inherit the task, so that it need not be pickled; each pool has its own
    with multiprocessing.get_context("fork").Pool(workers, _begin, (task,)) as pool:
        yield from pool.imap_unordered(_call, items)  # the pool is terminated at the end


def cpus() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
