"""Parameters at their limits are refused before a charge, or there is an answer on every data set.

Every public statistic, alone and with an interval, by every public mechanism and kind of subset, in
turns; a new one is among them by itself. Epsilon is paid for by a ledger that notes it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.session import door
from support.catalogue import MECHANISMS, STATISTICS, known
from support.paths import exchanged

INF = float("inf")
LARGEST, LEAST = 1.7976931348623157e308, Fraction(1, 2**1074)
FINE = Fraction(1, 10**500)
LIMITS: list[Any] = [
    *((0, 8e307), (-4e307, 4e307), (0, LARGEST), (1e300, 1e300 * (1 + 1e-9)), (-1e155, 1e155)),
    *((0, 1e200), (0, 5e-324), (-1e-300, 1e-300), (Fraction(1, 3), Fraction(1, 3) + FINE)),
    *((0, 1), (2**53, 2**53 + 8), (0, 2**64), ln.PrivateBounds(share=1e-12)),
]
LEVELS = [0.5, 1e-12, 1 - 1e-12, 1 - 1e-15]
PARTS = [1e-12, 1 - 1e-12, Fraction(1, 10**80)]
# What a parameter of this name is at its limits; others are those of the catalogue.
AT_LIMITS: dict[str, list[Any]] = {
    "bounds": [*LIMITS, *([pair, (0, 1)] for pair in LIMITS)],
    "box": [(pair,) for pair in LIMITS],
    "step": [None, LEAST, FINE, 1e-15, 1, 1e300, 8e307],
    "missing": ["drop", "none", 0, 1e300, FINE],
    "q": [0, 1, 1e-300, FINE, 1 - FINE, (0, 1), ("1e-12", "0.5")],
    "level": LEVELS,
    "confidence": LEVELS,
    "max_rows": [1, 2**60, 10**500],
    "bins": [(-8e307, 0, 8e307), (0, 5e-324, 1e-300)],
    "categories": [(1e300, 2), (0,), range(50)],
    "labels": [(1e300, 5), None, True],
    "nodes": [1, 2, 4],
    "relabel": [False],  # millions of nodes at a tiny epsilon take minutes
    "k": [1, 4, 2**40, 10**30],
    "largest": [1, 1e-300, 1e300, 2**60],
    "most": [1, 12],
    "delta": ["1e-30", "0.5", 1 - 1e-12],
    "loss_bound": [1e-300, 1e300, 8e307],
    "top": [1, 1 - 1e-12, 1 - FINE],
    "bottom": [0, 1e-12, FINE],
    "floor": [0, -1e300, 1 - 1e-12],
    "trim": [0, 1e-12, "0.4999999"],
    "degree": [1, 4],
    "lattice": [1, 5],
    "order": [1, 3],
    "rho": [0, 1e-300, 50, 1e300],
    "shift": [0, 1e-300, 1e300],
    "scale": [1e-300, 1, 1e300],
    "above": [1e-300, -1e300, 1e300],
    "beta": [2, 1 + FINE, 1 + 1e-12],
    "split": PARTS,
    "part": PARTS,
    "apart": [1e-300, 100, 2**60],
    "fewest": [1, 2**60],
    "sure": [1e-12, 1e300],
    "of": ["data", "population"],
    "favour": [None, "value", "interval"],
}
EPSILONS = ["1e-60", "1e-50", 1e-30, 1e-6, 1, 10, 40, 1e6, 1e30, 1e60, 1e61]
PERSON: dict[str, Any] = {"unit": "id", "max_rows": 2}
# How the table is opened, and what is asked of the session.
WAYS: dict[str, tuple[dict[str, Any], Callable[[Any], Any]]] = {
    "rows": ({}, lambda data: data),
    "some rows": ({}, lambda data: data.where(ln.col("g") == 1)),
    "groups": ({}, lambda data: data.group_by({"g": [0, 1, 7]})),
    "persons": (PERSON, lambda data: data),
    "persons of many rows": ({"unit": "id", "max_rows": 2**10}, lambda data: data),
    "groups of persons": (PERSON, lambda data: data.group_by({"g": [1, 0]}, max_groups=1)),
    "rows found": ({**PERSON, "max_rows": ln.PrivateLimit()}, lambda data: data),
}
HOSTILE = [float("nan"), INF, -INF, -0.0, 5e-324, LARGEST, -LARGEST, 1e155, 2.5]


def table(numbers: list[float]) -> dict[str, Any]:
    n = len(numbers)
    whole = {name: np.arange(n) // 2 % most for name, most in (("id", 9), ("a", 3), ("g", 2))}
    whole["b"] = (whole["a"] + 1) % 4
    shown = np.array(numbers, np.float64)
    return {**whole, "x": shown, "y": shown[::-1].copy(), "z": np.roll(shown, 1)}


TABLES = [table([]), table([3.0]), table(HOSTILE)]


def made(kind: Any, dice: Random, **given: Any) -> Any:
    """An object of a class with parameters at their limits, or none if they never fit together."""
    chosen = [field for field in fields(kind) if not field.name.startswith("_")]
    for _ in range(50):
        values = {
            field.name: dice.choice(AT_LIMITS.get(field.name, known(field)))
            for field in chosen
            if field.default is MISSING or {field.name} - {*AT_LIMITS} or dice.random() < 0.5
        }
        try:
            return kind(**{**values, **given})
        except LeastNoiseError:
            continue
    return None


@pytest.fixture(scope="module")
def paid() -> Iterator[list[object]]:
    """What was paid for since it was cleared."""
    charged: list[object] = []
    pay = door.pay

    def noted(ledger: Any, charges: Iterable[Any], *given: Any, **options: Any) -> Any:
        charged.extend(charges)
        return pay(ledger, (), *given, **options)

    with exchanged([(pay, noted)]):
        yield charged


def outcome(paid: list[object], ask: Callable[[], Any]) -> str:
    """The refusal, which was free of charge, or that there is an answer that JSON can hold."""
    paid.clear()
    refusal = ""
    answer: Any = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = ask()
    except LeastNoiseError as error:
        refusal = str(error)
    assert bool(paid) is not bool(refusal), f"charged for {refusal or 'nothing'}"
    if refusal:
        return refusal
    for record in answer.values() if hasattr(answer, "values") else [answer]:
        json.loads(record.to_json())
        assert repr(record)
    return "an answer"


def attempt(paid: list[object], statistic: Any, dice: Random) -> bool:
    """Whether it has an answer, on all data sets alike, by some mechanism and kind of subset."""
    graph = hasattr(getattr(statistic, "statistic", statistic), "nodes")
    plain = dice.random() < 0.3
    relations = ["replace-one", *([] if plain else ["add-remove", "edit"])]
    relation = "edge" if graph else dice.choice(relations)
    opening, view = WAYS["rows" if graph or plain else dice.choice([*WAYS])]
    own = plain or dice.random() < 0.4
    mechanism = None if own else made(MECHANISMS[dice.choice([*MECHANISMS])], dice)
    epsilon = dice.choice(EPSILONS)
    found = set[str]()
    for rows in TABLES:

        def ask(rows: Any = rows) -> Any:
            with ln.open(dict(rows), relation=relation, **opening) as data:
                return view(data).release(statistic, epsilon=epsilon, mechanism=mechanism)

        found.add(outcome(paid, ask))
        if found != {"an answer"}:
            break
    assert len(found) == 1, (statistic, mechanism, relation, epsilon, found)
    return found == {"an answer"}


def with_intervals(kind: Any, dice: Random) -> Iterator[Any]:
    """A statistic at its limits, and the same with an interval where it takes one."""
    one = made(kind, dice)
    if one is not None:
        yield one
        interval = made(ln.WithInterval, dice, statistic=one)
        if interval is not None:
            yield interval


def answered(paid: list[object], statistic: str, times: int) -> int:
    """How many of so many requests have an answer; of more, until there is one."""
    dice, found = Random(statistic), 0
    for i in range(20 * times):
        if i >= times and found:
            break
        found += sum(
            attempt(paid, one, dice) for one in with_intervals(STATISTICS[statistic], dice)
        )
    return found


@pytest.mark.parametrize("statistic", STATISTICS)
def test_extremes(paid: list[object], statistic: str) -> None:
    assert answered(paid, statistic, 8)


@pytest.mark.nightly
@pytest.mark.parametrize("statistic", STATISTICS)
def test_many_extremes(paid: list[object], statistic: str) -> None:
    assert answered(paid, statistic, 300)


def test_a_variance_beyond_doubles_has_an_interval_that_holds_it() -> None:
    """Its ends were infinite, and an error after the charge."""
    rows, widest = [0, 8e307] * 50, Fraction(8e307) ** 2 / 4
    inner = ln.Variance(bounds=(0, 8e307))
    asked = [
        ln.WithInterval(inner),
        ln.WithInterval(inner, favour="interval"),
        ln.WithInterval(inner, of="population"),
    ]
    for one in asked:
        low, high = ln.release(one, rows, epsilon=1000).interval or (0, 0)
        assert isinstance(high, int)
        assert low <= widest * (1 - Fraction(1, 10**6)) <= high


FOUND: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "levels beyond words": (
        lambda: ln.Median("x", bounds=(0, 1)),
        1e-30,
        {"way": "groups of persons"},
    ),
    "a shift beyond words": (
        *(lambda: ln.Maximum("x", bounds=(0, 1)), 1),
        {"way": "groups", "mechanism": ln.PiecewiseLaplace(shift=10**300)},
    ),
    "heights beyond words": (
        *(lambda: ln.Mean("x", bounds=ln.PrivateBounds(share=1e-12)), 1e6),
        {"rows": [1.0] * 900},
    ),
    "a step beyond limits": (lambda: ln.Mean("x", bounds=ln.PrivateBounds(), step=8e307), 1, {}),
    "a fine step without limits": (lambda: ln.MeanAbsoluteError("x", "y", step=LEAST), 1, {}),
    "a coarse step without limits": (lambda: ln.MeanSquaredError("x", "y", step=8e307), 1, {}),
    "a delta of one double": (
        *(lambda: ln.Median("x", bounds=(0, 1)), 1),
        {"mechanism": ln.SmoothLaplace(delta="1e-300")},
    ),
    "a scale beyond doubles": (
        *(lambda: ln.Mean("x", bounds=(0, 1e-200)), 1),
        {"mechanism": ln.AsymmetricSensitivity(scale=1e300)},
    ),
    "a range beyond doubles": (
        *(lambda: ln.Count(max_rows=10**500), 1),
        {"mechanism": ln.AsymmetricSensitivity()},
    ),
    "keys of many persons": (lambda: ln.PrivateKeys("x", delta=0.5), 1e-30, {"persons": 10**80}),
    "many rows of a person": (lambda: ln.Mean("x", bounds=(0, 1)), 1e-30, {"persons": 10**80}),
}


@pytest.mark.parametrize("case", FOUND)
def test_what_was_an_error_after_the_charge_or_no_refusal(paid: list[object], case: str) -> None:
    statistic, epsilon, more = FOUND[case]
    usual, view = WAYS[more.get("way", "rows")]
    opening: dict[str, Any] = {"unit": "id", "max_rows": more.get("persons", 1)}
    opening = opening if "persons" in more else usual
    for rows in [*TABLES, *([table(more["rows"])] if "rows" in more else [])]:

        def ask(rows: Any = rows) -> Any:
            with ln.open(dict(rows), relation="add-remove", **opening) as data:
                mechanism = more.get("mechanism")
                return view(data).release(statistic(), epsilon=epsilon, mechanism=mechanism)

        assert outcome(paid, ask)


def test_a_growth_and_a_share_at_their_limits_are_refused_by_name() -> None:
    for made, name in (
        (lambda: ln.AsymmetricSensitivity(beta=1 + FINE), "beta"),
        (lambda: ln.PrivateBounds(share=FINE), "share"),
        (lambda: ln.PrivateLimit(share=1 - FINE), "share"),
    ):
        with pytest.raises(LeastNoiseError, match=name):
            made()
