"""Private keys: the law of the whole set for every pair of neighbours, and what a release shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.report import ExactReport
from leastnoise.errors import ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.memory.keys import key_counts
from leastnoise.mechanisms import weighted_keys
from leastnoise.numbers import exp_enclosure
from leastnoise.randomness import HashedBits
from leastnoise.sampling.keep import ONE, WEIGHTS, KeepChances, NoisySum, beyond
from leastnoise.session.kinds import keys as keys_kind
from leastnoise.session.kinds.keys import WeightedKeyLaw
from leastnoise.statistics import PrivateKeys
from leastnoise.summaries.keys import HolderRequest, KeyRequest
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
        top, bottom = epsilon.numerator, epsilon.denominator
        grown = Fraction(1 << 600, exp_enclosure(top, bottom, 600)[1])  # less than e^epsilon
        p = [Fraction(chances.of(n), ONE) for n in range(80)]
        assert p[0] == 0
        assert p[1] == Fraction(int(delta * ONE), ONE)
        assert p[-1] == 1
        slack = Fraction(1, 10**12)
        for one, more in pairwise(p):
            assert one <= more <= grown * one + delta
            assert 1 - one <= grown * (1 - more) + delta
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


def law_of_weights(rounds: tuple[NoisySum, ...]) -> Callable[[tuple[Any, ...]], Any]:
    """The law of the set of shown keys by weights; a record is a person, a tuple of keys."""

    def law(data: tuple[Any, ...]) -> audit.Probabilities:
        rows = [(i, key) for i, person in enumerate(data) for key in person]
        table = open_table({"id": [i for i, _ in rows], "k": [key for _, key in rows]})
        return audit.Probabilities(WeightedKeyLaw(table, HolderRequest("k", "id"), rounds).sets())

    return law


# persons of two keys and of one, where a replaced person moves both; persons of four, near the
# threshold together; a person whose keys are nobody else's
FEW: tuple[list[Any], int] = [("a", "b"), ("c",)], 14
FOUR: tuple[list[Any], int] = [("a", "b", "c", "d"), ("a",)], 6


def weighed(
    relation: str, persons: tuple[list[Any], int], delta: Fraction, law: Any = law_of_weights
) -> ExactReport:
    universe, n = persons
    most = max(map(len, universe))
    made = weighted_keys.rounds(Fraction(1), delta, most, replaced=relation != "add-remove")
    return audit.exact_law(
        law(made), universe=universe, n=n, relation=relation,
        claim=ln.ApproxDP(1, delta, ln.Scope(relation)),
    )  # fmt: skip


@pytest.mark.parametrize("relation", RELATIONS)
def test_weighted_keys_are_private(relation: str) -> None:
    few = (FEW[0], 14 if relation == "replace-one" else 7)
    assert weighed(relation, few, Fraction(1, 100)).passed
    if relation == "add-remove":
        assert weighed(relation, FOUR, Fraction(1, 10)).passed
    alone = Fraction(1, 10**6)
    assert weighed(relation, ([(), ("a", "b", "c")], 1), alone).passed


def test_weighted_rounds_have_their_price(monkeypatch: pytest.MonkeyPatch) -> None:
    def dearer(made: tuple[NoisySum, ...]) -> Any:
        return law_of_weights(
            tuple(NoisySum(x.threshold, made[-1].variance) for x in made[-1:] * 3)
        )

    assert not weighed("add-remove", FOUR, Fraction(1, 10), dearer).passed
    plain = weighted_keys.rounds
    monkeypatch.setattr(weighted_keys, "rounds", lambda *a, replaced: plain(*a, replaced=False))
    assert not weighed("replace-one", FEW, Fraction(1, 100)).passed


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_release_takes_the_rounds_of_its_relation(
    monkeypatch: pytest.MonkeyPatch, relation: str
) -> None:
    asked: list[bool] = []
    plain = keys_kind.rounds

    def noted(*given: Any, replaced: bool) -> Any:
        asked.append(replaced)
        return plain(*given, replaced=replaced)

    monkeypatch.setattr(keys_kind, "rounds", noted)
    table = {"id": [1, 1, 2], "k": ["a", "b", "a"]}
    with ln.open(table, unit="id", max_rows=2, relation=relation) as data:
        data.release(ln.PrivateKeys("k", delta=DELTA), epsilon=1)
    assert set(asked) == {relation != "add-remove"}


def test_weights_by_what_others_have_are_seen() -> None:
    """Where a person gives less to a key because four persons have it, one moves all of them."""

    def law(made: tuple[NoisySum, ...]) -> Any:
        def of(data: tuple[Any, ...]) -> audit.Probabilities:
            counts = Counter(key for person in data for key in person)
            sums: Counter[str] = Counter()
            for person in data:
                held = max(1, sum(counts[key] > 3 for key in person))
                sums.update({key: weighted_keys.weight_of(held) for key in person})
            chances = {k: Fraction(made[-1].chance(n, 256)[0], 1 << 256) for k, n in sums.items()}
            table: dict[Any, Fraction] = {(): Fraction(1)}
            for key, chance in sorted(chances.items()):
                table = {
                    (*found, *([key] if kept else [])): mass * (chance if kept else 1 - chance)
                    for found, mass in table.items()
                    for kept in (True, False)
                }
            return audit.Probabilities(table)

        return of

    assert not weighed("add-remove", (FOUR[0], 8), Fraction(1, 10), law).passed


def test_weights_that_are_not_shared_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys_kind, "weight_of", lambda keys: 1 << WEIGHTS)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert not weighed("add-remove", FOUR, Fraction(1, 10)).passed


def test_weighted_keys_of_one_person_have_their_part_of_delta() -> None:
    """A threshold one weight lower shows them more often."""
    delta, bits = Fraction(1, 10**6), 128
    for one, part in zip(
        weighted_keys.rounds(Fraction(1), delta, 9, replaced=True),
        weighted_keys.ROUNDS,
        strict=True,
    ):
        limit = delta * part * Fraction(2, 5) * (1 << bits)
        for lower, fits in ((0, True), (1, False)):
            reached = weighted_keys.missed(
                one.threshold - lower, one.variance, 9, bits, replaced=True
            )
            assert (reached <= limit) == fits
        # what it bounds: t keys of one weight each, and nine that nobody has
        for t in range(1, 10):
            total = t * one.chance(weighted_keys.weight_of(t), bits)[1]
            assert total + 9 * one.chance(0, bits)[1] <= limit


def test_draws_follow_the_noisy_sum() -> None:
    one, source = NoisySum(Fraction(3), Fraction(2)), HashedBits(b"weights")
    assert not any(one.draw(0, source) for _ in range(100))
    for total in (1, 2, 3, 5):
        low, high = one.chance(total << WEIGHTS, 64)
        assert 0 <= high - low <= 8
        p = low / 2**64
        assert abs(p - NormalDist(3, 2**0.5).cdf(total)) < 1e-12
        seen = sum(one.draw(total << WEIGHTS, source) for _ in range(4000))
        assert abs(seen - 4000 * p) <= 4 * np.sqrt(4000 * p * (1 - p))


def test_persons_of_ten_keys_show_half_as_many_again() -> None:
    rng = np.random.default_rng(3)
    people = np.repeat(np.arange(3000), 10)
    liked = rng.gumbel(size=(3000, 400)) - np.log(np.arange(1, 401))
    held = np.argsort(liked, axis=1)[:, -10:].ravel()
    with simulate(seed=1), ln.open({"id": people, "k": held}, unit="id", max_rows=10,
                                   relation="add-remove") as data:  # fmt: skip
        made = data.release(ln.PrivateKeys("k", delta="1e-6"), epsilon=1)
    chances = KeepChances(Fraction(1, 10), Fraction(1, 10**7))
    counts = key_counts(open_table({"id": people, "k": held}), KeyRequest("k", "id")).counts
    before = sum(chances.of(n) for n in counts.values()) / ONE
    assert len(made.value) >= 1.5 * before > 10
    assert made.value == sorted(made.value)
    assert "rounds" in made.notes[1]
    assert made.guarantee == ln.ApproxDP(1, "1e-6", ln.Scope("add-remove", "id"))


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


def test_the_weights_of_a_person_are_no_longer_than_one() -> None:
    for keys in (*range(1, 300), 1000, 2**20, 3**13):
        length = keys * weighted_keys.weight_of(keys) ** 2
        assert 0 <= (1 << 2 * WEIGHTS) - length < 4 * keys << WEIGHTS


@pytest.mark.parametrize("most", [1, 8, 100])
@pytest.mark.parametrize("replaced", [False, True])
def test_no_number_of_keys_is_shown_more_often_than_is_allowed_for(
    replaced: bool, most: int
) -> None:
    """Each number of keys by itself, with more digits than the bound has."""
    threshold, variance, bits, more = Fraction(4), Fraction(1), 64, 64

    def alone(weight: int) -> int:
        return beyond(threshold - Fraction(weight, 1 << WEIGHTS), variance, bits + more)[0]

    worst = max(t * alone(weighted_keys.weight_of(t)) for t in range(1, most + 1))
    worst += most * alone(0) * replaced
    bound = weighted_keys.missed(threshold, variance, most, bits, replaced=replaced)
    assert worst <= bound << more <= worst * 5 // 4
