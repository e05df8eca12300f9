"""Private keys: the law of the whole set for every pair of neighbours, and what a release shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.report import ExactReport
from leastnoise.errors import ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.memory.keys import key_counts
from leastnoise.randomness import HashedBits
from leastnoise.sampling.keep import ONE, KeepChances
from leastnoise.statistics import PrivateKeys
from leastnoise.summaries.keys import KeyRequest
from leastnoise.testing import simulate
from support.optional import optional

EPSILON, DELTA = Fraction(1, 2), Fraction(1, 20)
RELATIONS = ["replace-one", "add-remove", "edit"]


def law_of_keys(shares: int) -> Callable[[tuple[Any, ...]], audit.Probabilities]:
    """The law of the set of shown keys; a record is a person, a tuple of keys (or one key)."""
    chances = KeepChances(EPSILON / shares, DELTA / shares)

    def law(data: tuple[Any, ...]) -> audit.Probabilities:
        counts = Counter(key for person in data for key in set(person))
        keys = sorted(counts)
        table: dict[Any, Fraction] = {}
        for shown in product((False, True), repeat=len(keys)):
            mass = Fraction(1)
            for key, kept in zip(keys, shown, strict=True):
                chance = Fraction(chances.of(counts[key]), ONE)
                mass *= chance if kept else 1 - chance
            table[tuple(k for k, kept in zip(keys, shown, strict=True) if kept)] = mass
        return audit.Probabilities(table)

    return law


def audited(relation: str, shares: int, universe: list[Any], n: int) -> ExactReport:
    return audit.exact_law(
        law_of_keys(shares), universe=universe, n=n, relation=relation,
        claim=ln.ApproxDP(EPSILON, DELTA, ln.Scope(relation)),
    )  # fmt: skip


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_set_of_keys_is_private(relation: str) -> None:
    rows = [("a",), ("b",), ("c",)]
    shares = PrivateKeys.reached(relation, 1)
    assert audited(relation, shares, rows, 6).passed
    if relation != "add-remove":
        # a changed row leaves one key and enters another: one share is not enough
        assert not audited(relation, 1, rows, 6).passed


@pytest.mark.parametrize("relation", RELATIONS)
def test_keys_of_persons_are_private(relation: str) -> None:
    persons: list[tuple[str, ...]] = [(), ("a",), ("a", "b"), ("c", "d"), ("a", "a")]
    assert audited(relation, PrivateKeys.reached(relation, 2), persons, 4).passed
    pairs = [("a", "b"), ("c", "d")] if relation != "add-remove" else [("a", "b")]
    assert audited(relation, PrivateKeys.reached(relation, 2), pairs, 10).passed
    assert not audited(relation, PrivateKeys.reached(relation, 1), pairs, 10).passed


@pytest.mark.parametrize("relation", RELATIONS)
def test_keys_that_depend_on_other_rows_are_seen(relation: str) -> None:
    """A key that tells whether a row lies above the middle one of its table."""

    def law(data: tuple[int, ...]) -> audit.Probabilities:
        order = sorted(data)
        keys = [("above" if x > order[(len(order) - 1) // 2] else "below",) for x in data]
        return law_of_keys(PrivateKeys.reached(relation, 1))(tuple(keys))

    report = audit.exact_law(
        law, universe=range(6), n=6, relation=relation, claim=ln.ApproxDP(EPSILON, DELTA)
    )
    assert not report.passed


def test_keys_in_the_order_of_the_file_are_seen() -> None:
    def law(data: tuple[str, ...], *, of_file: bool) -> audit.Probabilities:
        sets = law_of_keys(2)(tuple((key,) for key in data)).table
        first = data.index if of_file else ord
        return audit.Probabilities({tuple(sorted(keys, key=first)): m for keys, m in sets.items()})

    settings: dict[str, Any] = {"universe": ("a", "b"), "n": 4, "permutations": True}
    settings["claim"] = ln.ApproxDP(EPSILON, DELTA)
    assert audit.exact_law(lambda data: law(data, of_file=False), **settings).passed
    report = audit.exact_law(lambda data: law(data, of_file=True), **settings)
    assert not report.passed
    assert "order of the records" in report.reason


def test_a_release_of_keys_is_private() -> None:
    """Through everything a release does: filter, groups and persons included."""
    rows = [("a", 0), ("b", 0), ("b", 1)]
    keys = ln.PrivateKeys("k", delta="1/10")

    def build(data: tuple[Any, ...]) -> object:
        persons = [row if isinstance(row[0], tuple) else (row,) for row in data if row]
        flat = [(i, *row) for i, person in enumerate(persons) for row in person]
        return {name: [row[j] for row in flat] for j, name in enumerate(("id", "k", "g"))}

    for relation in RELATIONS:
        options: dict[str, Any] = {"relation": relation, "epsilon": 1, "build": build}
        for n, universe, subset in (
            (5, rows, {}),
            (5, rows, {"where": ln.col("g") == 0}),
            (3, rows, {"group_by": {"g": [0, 1]}}),
            (4, [(), (rows[0], rows[1]), (rows[1], rows[1])], {"unit": "id", "max_rows": 2}),
        ):
            report = audit.exact(keys, universe=universe, n=n, **options, **subset)
            times = 2 if "group_by" in subset and relation != "add-remove" else 1
            scope = ln.Scope(relation, "id" if "unit" in subset else "row")
            assert report.claim == ln.ApproxDP(times, Fraction(times, 10), scope)
            assert report.passed, report


def test_the_chances_are_the_greatest_that_are_allowed() -> None:
    """Both inequalities hold exactly, and one of them with equality up to the rounding."""
    for epsilon, delta in ((Fraction(1), Fraction(1, 10**9)), (EPSILON, DELTA)):
        chances = KeepChances(epsilon, delta)
        grown = Fraction(np.exp(float(epsilon)))
        p = [Fraction(chances.of(n), ONE) for n in range(80)]
        assert p[0] == 0
        assert p[1] == Fraction(int(delta * ONE), ONE)
        assert p[-1] == 1
        slack = Fraction(1, 10**12)
        for one, more in pairwise(p):
            assert one <= more <= grown * one + delta + slack
            assert 1 - one <= grown * (1 - more) + delta + slack
            tight = min(grown * one + delta, 1 - (1 - one - delta) / grown, Fraction(1))
            assert abs(more - tight) < slack
    # what the docstring says
    chances = KeepChances(Fraction(1), Fraction(1, 10**9))
    assert chances.of(20) / ONE < 0.5 <= chances.of(21) / ONE


def test_one_row_more_breaks_the_inequality() -> None:
    """Chances of a count one larger: a key of one row is shown too often."""
    chances = KeepChances(EPSILON, DELTA)
    assert Fraction(chances.of(2), ONE) > DELTA


def test_draws_follow_the_chances() -> None:
    chances, source = KeepChances(EPSILON, DELTA), HashedBits(b"keys")
    for count in range(12):
        p = chances.of(count) / ONE
        seen = sum(chances.draw(count, source) for _ in range(4000))
        assert abs(seen - 4000 * p) <= 4 * np.sqrt(4000 * p * (1 - p)) + 1e-9


TOWNS = ["Ulm"] * 300 + [" Aach "] * 300 + ["Zell"] + [None, "", "  "] * 200
FRONTS: dict[str, Callable[[Path], object]] = {
    "list": lambda folder: {"town": TOWNS},
    "numpy": lambda folder: {"town": np.array(TOWNS, dtype=object)},
    "pandas": lambda folder: optional("pandas").DataFrame({"town": TOWNS}),
    "polars": lambda folder: optional("polars").DataFrame({"town": TOWNS}),
    "arrow": lambda folder: optional("pyarrow").table({"town": TOWNS}),
}


def in_csv(folder: Path) -> object:
    text = "town,other\n" + "".join(f"{town or ''},1\n" for town in TOWNS)
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return folder / "t.csv"


def in_parquet(folder: Path) -> object:
    table: Any = FRONTS["arrow"](folder)
    optional("pyarrow.parquet").write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


FRONTS |= {"csv": in_csv, "parquet": in_parquet}


@pytest.mark.parametrize("front", FRONTS)
def test_every_table_has_the_same_keys(front: str, tmp_path: Path) -> None:
    data = FRONTS[front](tmp_path)
    counts = key_counts(open_table(data), KeyRequest("town")).counts
    assert counts == {"Ulm": 300, "Aach": 300, "Zell": 1}
    made = ln.release(ln.PrivateKeys("town", delta="1e-9"), data, epsilon=2)
    assert made.value == ["Aach", "Ulm"]
    assert made.guarantee == ln.ApproxDP(2, "1e-9")
    assert made.parts == {"each key": "1", "delta of each key": "1/2000000000"}
    assert ln.Release.from_json(made.to_json()) == made


def test_numbers_are_keys_too() -> None:
    floats = np.array([1.5] * 200 + [np.nan, np.inf, -np.inf] * 200 + [2.0] * 200)
    whole = np.repeat([7, -3], 200)
    keys = ln.PrivateKeys("k", delta="1e-6")
    assert ln.release(keys, {"k": floats}, epsilon=2).value == [1.5, 2.0]
    assert ln.release(keys, {"k": whole}, epsilon=2).value == [-3, 7]
    assert ln.release(ln.PrivateKeys(delta="1e-6"), whole, epsilon=2).value == [-3, 7]


def test_persons_are_counted_once_a_key() -> None:
    data = {"k": ["a"] * 500 + ["b"] * 500, "id": [1] * 500 + list(range(500))}
    counts = key_counts(open_table(data), KeyRequest("k", "id")).counts
    assert counts == {"a": 1, "b": 500}
    with ln.open(data, unit="id", max_rows=501) as opened:
        made = opened.release(ln.PrivateKeys("k", delta="1e-9"), epsilon=2000)
    assert made.value == ["b"]
    assert made.parts["each key"] == str(Fraction(2000, 1002))


def test_keys_then_groups(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    ln.Ledger.create(path, dataset="d", budget=ln.ApproxDP(10, "1e-6")).close()
    data = {"town": TOWNS, "pay": np.arange(len(TOWNS))}
    with ln.open(data, ledger=path, dataset="d") as opened:
        keys = opened.where(ln.col("pay") >= 0).release(
            ln.PrivateKeys("town", delta="1e-9"), epsilon=2, reuse=True
        )
        assert opened.spent.numbers == {"epsilon": 2, "delta": Fraction(1, 10**9)}
        again = opened.where(ln.col("pay") >= 0).release(
            ln.PrivateKeys("town", delta="1e-9"), epsilon=2, reuse=True
        )
        assert again.value == keys.value == ["Aach", "Ulm"]
        table = opened.group_by({"town": keys.value}).release(ln.Count(), epsilon=1)
        assert opened.spent.epsilon == 4
    assert list(table) == [("Aach",), ("Ulm",)]


def test_keys_inside_groups_cost_both() -> None:
    data = {"town": TOWNS, "half": [0, 1] * (len(TOWNS) // 2) + [0] * (len(TOWNS) % 2)}
    with simulate(seed=0), ln.open(data) as opened:
        made = opened.group_by({"half": [0, 1]}).release(
            ln.PrivateKeys("town", delta="1e-9"), epsilon=2
        )
    assert made.guarantee == ln.ApproxDP(4, "2e-9")
    assert made[0].value == ["Aach", "Ulm"]


@pytest.mark.parametrize("data", [{"k": []}, {"k": [None, "", float("nan")]}, {"k": [object()]}])
def test_no_data_raises(data: Any) -> None:
    assert ln.release(ln.PrivateKeys("k", delta="1e-9"), data, epsilon=1).value == []


def test_errors_come_from_parameters() -> None:
    wrong: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: ln.PrivateKeys("k"), ParameterError, "delta is required"),
        (lambda: ln.PrivateKeys("k", delta=0), ParameterError, "delta"),
        (lambda: ln.PrivateKeys("k", delta="x"), ParameterError, "delta"),
        (
            lambda: ln.release(ln.PrivateKeys("no", delta=0.1), {"k": [1]}, epsilon=1),
            SchemaError,
            "no column",
        ),
        (
            lambda: ln.release(
                ln.PrivateKeys("k", delta=0.1), {"k": [1]}, epsilon=1, mechanism=ln.Laplace()
            ),
            ParameterTypeError,
            "omit",
        ),
    ]
    for make, error, text in wrong:
        with pytest.raises(error, match=text):
            make()


def test_a_table_of_keys_has_gaps() -> None:
    data = {"t": ["a"] * 300 + ["b"] * 300, "g": [0] * 300 + [1] * 100 + [0] * 200}
    keys = {"k": ln.PrivateKeys("t", delta="1e-9"), "n": ln.Histogram("g", categories=[0, 1])}
    with simulate(seed=0), ln.open(data) as opened:
        made = opened.group_by({"g": [1, 0]}).release(keys, epsilon=40)
    assert made.to_csv().splitlines() == ["g,k 1,n 0,n 1,k 2", "1,b,0,100,", "0,a,500,0,b"]
    assert made.to_markdown()
    assert made.to_csv(layout="long").splitlines()[1] == "1,k,1,b"
