"""The tool that makes small changes by itself: what it changes, and what it leaves alone."""

from __future__ import annotations

import os

import pytest

from support.mutations import Server
from support.small_changes import LIBRARY, Change, changes, checks_for, harmless, survives

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


def test_checks_of_the_module_come_before_those_of_its_room() -> None:
    assert checks_for("profiles/order.py")[0] == "order"
    assert {"subsets", "combined", "moments"} < set(checks_for("profiles/order.py"))
    assert "order" in checks_for("profiles/order.py", near_only=True)
    assert "combined" not in checks_for("profiles/order.py", near_only=True)
    assert not checks_for("nowhere/else.py")


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the server of the checks needs os.fork")
def test_a_bound_one_level_late_is_caught_and_the_same_text_survives() -> None:
    target = "profiles/order.py"
    text = (LIBRARY / target).read_text(encoding="utf-8")
    late = next(c for c in changes(target, text) if "lower: k - level ->" in c.name)
    server = Server()
    try:
        assert survives(Change("the same", 1, text), target, {"rounded": 20.0}, server)
        assert not survives(late, target, {"order": 20.0}, server)
    finally:
        server.close()


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
