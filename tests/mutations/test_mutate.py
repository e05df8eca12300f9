"""The tool that makes small changes by itself: what it changes, and what it leaves alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from mutations import mutate
from support.gate import forked
from support.mutations import MUTATIONS, SOURCE, Server
from support.small_changes import LIBRARY, Change, changes, harmless

F4 = Fraction(1, 4)

TEXT = '''
def kept(low: int, high: int = 3) -> tuple[int, int]:
    """Docstrings, types and messages stay."""
    if low > high:
        raise ValueError(f"{low + 1} is above")
    return low, high
'''


def test_every_part_that_decides_is_changed_and_nothing_else() -> None:
    found = [change.name.removeprefix("small.py kept: ") for change in changes("small.py", TEXT)]
    assert found == [
        "3 -> 4",
        "3 -> 2",
        "if low > high: raise ValueError(f'{low + 1} is above') -> pass",
        "low > high -> low >= high",
        "low -> high",
        "high -> low",
        "return (low, high) -> return high, low",
        "low -> high (#2)",
        "high -> low (#2)",
    ]


@pytest.mark.parametrize("target", ["profiles/maps.py", "frames/engines/lattice.py"])
def test_changes_compile_and_have_names_of_their_own(target: str) -> None:
    text = (LIBRARY / target).read_text(encoding="utf-8")
    made = list(changes(target, text))
    assert len({change.name for change in made}) == len(made) > 40
    for change in made:
        assert change.text != text
        compile(change.text, target, "exec")


def test_a_change_knows_in_whose_code_it_is() -> None:
    text = "A = 1\nclass B:\n    c: int = 2\n    def d(self, e=3):\n        f = lambda: 4\n"
    found = {change.name.split(": ")[1]: change.function for change in changes("small.py", text)}
    assert found == {
        "1 -> 2": "",
        "1 -> 0": "",
        "2 -> 3": "",
        "2 -> 1": "",
        "3 -> 4": "",
        "3 -> 2": "",
        "4 -> 5": "B.d",
        "4 -> 3": "B.d",
    }


def test_what_was_judged_harmless_is_still_there() -> None:
    judged = harmless()
    targets = {change.partition(" ")[0] for change in judged}
    made = {
        change.name
        for target in targets
        for change in changes(target, (LIBRARY / target).read_text(encoding="utf-8"))
    }
    assert set(judged) <= made, sorted(set(judged) - made)
    assert all(judged.values())


def test_a_larger_share_holds_a_smaller_one_and_reports_say_what_a_sample_proves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = "profiles/order.py"
    asked: list[str] = []

    class Nobody:
        def sees(self, change: Change, old: str, seconds: float) -> str:
            asked.append(change.name)
            return "" if len(asked) == 1 else "some test"

    monkeypatch.setattr(mutate, "RECORD", tmp_path / "record.json")
    everything = list(changes(target, (LIBRARY / target).read_text(encoding="utf-8")))
    for share in (Fraction(1, 4), Fraction(1, 8), Fraction(1, 2), Fraction(1)):
        mutate.tried(Nobody(), [target], share)
        # nothing is tried twice, and each share is that of the names
        assert set(asked) == {c.name for c in everything if mutate.chance(c) < max(share, F4)}
        assert len(set(asked)) == len(asked)
    assert mutate.known()[target].survived == asked[:1]
    line, total = mutate.report([target])
    assert line.startswith(f"profiles: {len(everything)} changes, {len(everything)} tried, ")
    assert f"{len(everything) - 1} caught" in line
    assert total.startswith("all: ")


TRIAL = """
from pathlib import Path
import sys
from support.gate import Gate
from support.small_changes import LIBRARY, Change, changes

target = "profiles/order.py"
text = (LIBRARY / target).read_text(encoding="utf-8")
other = next(c for c in changes(target, text) if "upper: k + level ->" in c.name)

def job(gate):
    gate.look([target])
    moved = Change("same", 1, "#\\n" + text, "order_profile.upper")
    print("same:", gate.sees(moved, text, 5), end=";")
    print("other:", gate.sees(other, text, 5), end=";")

Gate(Path(sys.argv[1]), job).run(["tests/laws/test_combinators.py", "-k", "no_limit"])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the gate forks")
def test_a_bound_of_the_other_side_is_seen_and_the_same_text_is_not(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", TRIAL, str(tmp_path / "touched.jsonl")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [SOURCE, MUTATIONS.parent]))},
        cwd=SOURCE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "same: ;other: tests/" in found.stdout, found.stdout + found.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the gate forks")
def test_a_child_that_waits_for_ever_dies_and_one_that_answers_is_heard() -> None:
    assert forked(lambda: {"seen": "it"}, 5) == {"seen": "it"}
    assert forked(signal.pause, 5, still=0.2) is None


def test_a_check_that_goes_on_for_too_long_has_caught_its_change() -> None:
    target = "profiles/order.py"
    endless = (LIBRARY / target).read_text(encoding="utf-8") + "\nwhile True:\n    pass\n"
    server = Server()
    try:
        code, output = server.ask("order", target, endless, seconds=1)
    finally:
        server.close()
    assert code
    assert "died" in output
