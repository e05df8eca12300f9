"""Runs tests on a library with one function changed, in a process that has everything loaded.

Importing the library and collecting its tests takes far longer than the tests that see a small
change. So one process collects once, and forks for each change: the child puts the changed code
into the functions that are already there and runs the tests that are known to call them, the
cheapest first, until one fails. Which tests call which functions is found beforehand in the same
way, a fork for each test (``Gate.look``), and kept in a file.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import importlib
import io
import json
import os
import re
import resource
import select
import signal
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from types import CodeType, FrameType, FunctionType
from typing import Any
from zlib import crc32

import pytest
from _pytest.runner import runtestprotocol

from support.mutations import Server, dotted
from support.small_changes import LIBRARY, Change

TESTS = ("tests/laws", "tests/unit", "tests/backends", "tests/statistical")
# Of the parameters of a test so many are looked at, and for so many seconds of processor time each.
PARAMETERS, LOOKED = 3, 4
# A change may make tests so many times slower, and some seconds, before it counts as seen.
TIMES, SPARE = 4, 10
# A child that uses no processor time for so many seconds waits in vain.
STILL = 5.0
# What is known of a test whose process died.
_DIED: dict[str, Any] = {"seconds": None, "functions": []}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Touched:
    """What a test calls of the library, and its processor time; None where it was cut off."""

    test: str
    seconds: float | None
    functions: frozenset[str]


def family(test: str) -> str:
    """The function of a test, without its parameters."""
    return test.partition("[")[0]


def named(targets: Iterable[str]) -> set[str]:
    """The functions and classes of the modules, and the modules themselves."""
    found: set[str] = set()
    for target in targets:
        found.add(Path(target).stem)
        tree = ast.parse((LIBRARY / target).read_text(encoding="utf-8"))
        found |= {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    return found


def called(code: CodeType) -> str:
    """Module and function of the code, as ``small_changes`` writes them."""
    target = Path(code.co_filename).relative_to(LIBRARY).as_posix()
    parts = [p for p in code.co_qualname.replace(".<locals>", "").split(".") if p[0] != "<"]
    return f"{target} {'.'.join(parts)}"


class Gate:
    """The tests of the gate, collected once; ``job`` is what is done with them."""

    def __init__(self, kept: Path, job: Callable[[Gate], None]) -> None:
        self.kept, self.job = kept, job
        self.items: dict[str, pytest.Item] = {}
        self.touched: dict[str, Touched] = {}
        self.catches: Counter[tuple[str, str]] = Counter()
        self.sound: dict[str, bool] = {}
        self.server: Server | None = None

    def run(self, tests: Iterable[str] = TESTS) -> None:
        """Collect the tests, and do the job."""
        pytest.main(["-q", "-p", "no:cacheprovider", *tests], plugins=[self])

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        import hypothesis  # here: pytest rewrites it first

        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutations", deadline=None, derandomize=True, database=None, phases=phases
        )
        hypothesis.settings.load_profile("mutations")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {i.nodeid: i for i in session.items if "spark" not in i.nodeid}
        if self.kept.is_file():
            for line in self.kept.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                found = Touched(entry["test"], entry["seconds"], frozenset(entry["functions"]))
                self.touched[found.test] = found
        self.load()
        self.job(self)
        return True

    def load(self) -> None:
        """Find the functions that are in memory."""
        gc.unfreeze()
        self.functions = loaded()
        gc.freeze()  # so that children share its pages

    def look(self, targets: Iterable[str], seconds: float = inf) -> None:
        """Find which functions tests call, where that is not known, for so long at most.

        One test of each kind comes first, and of these the files that name most of the modules.
        """
        near = named(targets)
        close = {
            path: -len(near.intersection(_WORD.findall(path.read_text(encoding="utf-8"))))
            for path in {item.path for item in self.items.values()}
        }
        families: defaultdict[str, list[str]] = defaultdict(list)
        for test in self.items:
            families[family(test)].append(test)
        chosen = sorted(
            (place, close[self.items[test].path], crc32(kind.encode()), test)
            for kind, tests in families.items()
            for place, test in enumerate(sorted(tests, key=lambda t: crc32(t.encode())))
            if place < PARAMETERS and test not in self.touched
        )
        end = monotonic() + seconds
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        with self.kept.open("a", encoding="utf-8") as file:
            for *_, test in chosen:
                if monotonic() > end:
                    break
                item = self.items[test]
                answer = forked(lambda item=item: calls(item), LOOKED + 5) or _DIED
                print(json.dumps({"test": test, **answer}), file=file, flush=True)
                self.touched[test] = Touched(
                    test, answer["seconds"], frozenset(answer["functions"])
                )

    def tests_for(self, functions: frozenset[str]) -> Iterator[tuple[str, float]]:
        """Tests that call one of the functions, and the processor time of each.

        Those of a kind that saw another change of the module come first, then the cheapest; one of
        each kind before a second one of any, and those that were cut off when looked at last.
        """
        modules = {function.partition(" ")[0] for function in functions}
        known: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
        for test, found in self.touched.items():
            if test in self.items and not found.functions.isdisjoint(functions):
                seconds = 2.0 * LOOKED if found.seconds is None else found.seconds
                known[family(test)].append((seconds, test))
        ranked: list[tuple[int, int, float, str]] = []
        for kind, tests in known.items():
            seen = sum(self.catches[module, kind] for module in modules)
            for rank, (seconds, test) in enumerate(sorted(tests)):
                late = PARAMETERS + (seconds > LOOKED)
                ranked.append((late if seconds > LOOKED else rank, -seen, seconds, test))
        most = {kind: max(seconds for seconds, _ in tests) for kind, tests in known.items()}
        for test in self.items:
            if family(test) in most and test not in self.touched:
                seconds = most[family(test)]
                ranked.append((PARAMETERS + (seconds > LOOKED), 0, seconds, test))
        return ((test, seconds) for _, _, seconds, test in sorted(ranked))

    def sees(self, change: Change, old: str, seconds: float) -> str:
        """The test that sees the change, or "" where none does in so much processor time."""
        target = change.name.partition(" ")[0]
        inside = f"{target} {change.function}"
        if change.function and any(inside in t.functions for t in self.touched.values()):
            ordered = self.tests_for(frozenset([inside]))
        else:  # only at import, so by many tests or none: a fresh process for each of a few
            return self.sees_anew(change, old, seconds)
        if target not in self.functions:  # many modules are imported when they are needed
            importlib.import_module(dotted(target))
            self.load()
        after = codes(target, change.text)
        new = {code: after.get(key) for key, code in codes(target, old).items()}

        def child(tests: list[str]) -> dict[str, Any]:
            changed = False
            for function in self.functions[target]:
                code = new.get(function.__code__)
                if code is not None:
                    changed |= code != function.__code__
                    function.__code__ = code
            if not changed:  # it is made anew where it is called, or says the same
                return {"seen": None}
            return {"seen": first_failure([self.items[test] for test in tests])}

        for tests, cost in portions(ordered, seconds):
            most = SPARE + TIMES * cost
            answer = forked(lambda tests=tests: child(tests), most)
            if answer is None and self.ends(tests, most):
                return "takes too long"
            seen = "" if answer is None else answer["seen"]
            if seen is None:
                return self.sees_anew(change, old, seconds)
            if not seen or not self.passes(seen):
                continue
            self.catches[target, family(seen)] += 1
            return seen
        return ""

    def ends(self, tests: list[str], seconds: float) -> bool:
        """Whether the tests come to an end on the library as it is, in a child."""
        items = [self.items[test] for test in tests]
        return forked(lambda: {"seen": first_failure(items)}, seconds) is not None

    def passes(self, test: str) -> bool:
        """Whether the test passes on the library as it is, in a child."""
        if test in self.items and test not in self.sound:
            answer = forked(lambda: {"seen": first_failure([self.items[test]])}, 60)
            self.sound[test] = answer == {"seen": ""}
        return self.sound.get(test, True)

    def sees_anew(self, change: Change, old: str, seconds: float) -> str:
        """As ``sees``, with the library imported anew."""
        target = change.name.partition(" ")[0]
        every = {f for t in self.touched.values() for f in t.functions}
        ordered = self.tests_for(frozenset(f for f in every if f.startswith(f"{target} ")))
        server = self.server = self.server or Server()
        for tests, cost in portions(((t, s) for t, s in ordered if " " not in t), seconds):
            most, asked = int(3 * SPARE + TIMES * cost), " ".join(tests)
            code, output = server.ask(asked, target, change.text, seconds=most)
            if not code or "does not import" in output:
                continue
            if not server.ask(asked, target, old, seconds=most)[0]:
                failed = [line for line in output.splitlines() if line.startswith("FAILED ")]
                return failed[0].split()[1] if failed else "does not start or takes too long"
        return ""


def portions(
    tests: Iterable[tuple[str, float]], seconds: float
) -> Iterator[tuple[list[str], float]]:
    """The first tests, then so many again and more: most changes are seen by the first ones."""
    picked: list[str] = []
    spent = cost = 0.0
    for test, took in tests:
        if spent and spent + took > seconds:
            continue
        picked.append(test)
        spent += took
        cost += took
        if cost > seconds / 8:
            yield picked, cost
            picked, cost = [], 0.0
    if picked:
        yield picked, cost


def first_failure(items: list[pytest.Item]) -> str:
    """Run tests until one fails, and give its name, or ""."""
    for item, after in zip(items, [*items[1:], None], strict=True):
        reports = runtestprotocol(item, nextitem=after, log=False)
        if any(report.failed for report in reports):
            return item.nodeid
    return ""


def calls(item: pytest.Item) -> dict[str, Any]:
    """What a test calls of the library, and how long it takes in this process."""
    codes: dict[int, CodeType] = {}

    def trace(frame: FrameType, event: str, arg: object) -> None:
        codes[id(frame.f_code)] = frame.f_code

    def result(seconds: float | None) -> dict[str, Any]:
        sys.settrace(None)
        inside = [c for c in list(codes.values()) if c.co_filename.startswith(f"{LIBRARY}{os.sep}")]
        return {"seconds": seconds, "functions": sorted({called(code) for code in inside})}

    class CutOff(BaseException):
        pass

    def stop(*_: object) -> None:
        raise CutOff

    signal.signal(signal.SIGPROF, stop)
    start = resource.getrusage(resource.RUSAGE_SELF)
    threading.settrace(trace)
    sys.settrace(trace)
    signal.setitimer(signal.ITIMER_PROF, LOOKED)
    try:
        failed = first_failure([item])
    except CutOff:
        return result(None)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    end = resource.getrusage(resource.RUSAGE_SELF)
    took = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    return result(None if failed else round(took, 3))


def forked(
    work: Callable[[], dict[str, Any]], seconds: float, *, still: float = STILL
) -> dict[str, Any] | None:
    """What the work answers in a child of this process; None where it takes too long or dies."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with contextlib.suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            with contextlib.redirect_stdout(io.StringIO()):
                text = json.dumps(work())
            os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as file:
        used = -1
        while not select.select([file], [], [], still)[0]:
            before, used = used, ticks(child)
            if used == before:  # it waits for something that never comes
                os.kill(child, signal.SIGKILL)
                break
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def ticks(process: int) -> int:
    """The processor time that the process and its children have used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


def loaded() -> dict[str, list[FunctionType]]:
    """The library's functions that are in memory, by module; its caches are emptied."""
    found: defaultdict[str, list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:
            if thing.__code__.co_filename.startswith(f"{LIBRARY}{os.sep}"):
                found[called(thing.__code__).partition(" ")[0]].append(thing)
        elif type(thing) is functools._lru_cache_wrapper:  # some of the tests answer isinstance
            thing.cache_clear()
    return found


def codes(target: str, text: str) -> dict[tuple[str, int], CodeType]:
    """The code of every function of the module: its name, and the how many-th of that name."""

    def inside(code: CodeType) -> Iterator[CodeType]:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield constant
                yield from inside(constant)

    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], CodeType] = {}
    for code in inside(compile(text, str(LIBRARY / target), "exec", dont_inherit=True)):
        found[code.co_qualname, seen[code.co_qualname]] = code
        seen[code.co_qualname] += 1
    return found
