"""Discrete inverse sensitivity: distances by brute force, laws by definition, exact privacy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.laws import SelectionLaw
from leastnoise.profiles import Scores
from leastnoise.profiles.enumeration import distances, enumerated_scores, tabulate
from leastnoise.statistics.tables.choice import _distance
from leastnoise.testing import PrivacyViolation, check_release, check_statistic

F = Fraction
ABC = ("a", "b", "c")


def first_largest(counts: tuple[int, ...]) -> int:
    return counts.index(max(counts))


@pytest.mark.parametrize("relation", ["edit", "add-remove"])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_distances_of_the_mode_equal_brute_force(relation: str, size: int):
    """Against the nearest of all data sets in which the category is the mode."""
    most = {2: 9, 3: 7, 4: 4}[size]
    table = tabulate(first_largest, size, 2 * most)  # room to add
    for counts in product(range(most + 1), repeat=size):
        found = [_distance(counts, place, relation) for place in range(size)]
        scores = enumerated_scores(table, counts, relation, range(size))
        assert [-d for d in found] == list(scores.values), counts


def naive(counts: tuple[int, ...], other: tuple[int, ...], relation: str) -> int:
    """Changes between two multisets, one at a time."""
    add = sum(max(0, b - a) for a, b in zip(counts, other, strict=True))
    drop = sum(max(0, a - b) for a, b in zip(counts, other, strict=True))
    if relation == "add-remove":
        return add + drop
    return min(add, drop) + abs(add - drop)  # replace as many as possible


@pytest.mark.parametrize("relation", ["edit", "add-remove"])
def test_distances_between_data_sets(relation: str):
    table = tabulate(first_largest, 3, 4)
    for counts in product(range(6), repeat=3):
        near = tuple(min(c, 4) for c in counts)
        expected = [naive(near, other, relation) for other in product(range(5), repeat=3)]
        assert distances(table, counts, relation).tolist() == expected


def test_an_enumerated_number_is_exact():
    """Bounds equal the extremes of the ball."""
    f = lambda c: c[0] * c[0] - 3 * c[1]
    for relation in ("edit", "add-remove"):
        for counts in product(range(5), repeat=2):
            data = [0] * counts[0] + [1] * counts[1]
            statistic = ln.SmallFunction(function=f, categories=[0, 1], most=4)
            p = ln.profile(statistic, data, relation=relation)
            assert (p.value, p.support) == (f(counts), (-12, 16))
            for level in range(9):
                ball = [
                    f(other)
                    for other in product(range(5), repeat=2)
                    if naive(counts, other, relation) <= level
                ]
                assert (p.lower(level), p.upper(level)) == (min(ball), max(ball))


# --- laws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [F(1, 2), F(2)])
def test_the_law_is_the_papers(epsilon: Fraction):
    """P(t) proportional to exp(-(epsilon / 2) len(t)), and exp(-epsilon len(t)) for two (M.1)."""
    far = [0, 3, 1]
    law = ln.InverseSensitivity().law(Scores.from_distances(far, ABC), epsilon)
    weights = [exp(-float(epsilon) / 2 * d) for d in far]
    assert [law.pmf(c) for c in ABC] == pytest.approx([w / sum(weights) for w in weights])
    two = ln.InverseSensitivity().law(Scores.from_distances([3, 0]), epsilon)
    assert two.pmf(0) == pytest.approx(1 / (1 + exp(3 * float(epsilon))))


def majority(data: Any) -> list[int]:
    """Distances of "no" and "yes" for "is there a 1?", by records to change."""
    ones = sum(data)
    return [ones, 0 if ones else 1]


def loss(law_of: Any, n: int, relation: str, claim: Any) -> Any:
    return audit.exact_law(law_of, universe=(0, 1), n=n, relation=relation, claim=claim)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("epsilon", [F(1, 2), F(2)])
def test_two_answers_cost_half(relation: str, epsilon: Fraction):
    """exp(-epsilon len) loses exactly epsilon for two answers, exp(-epsilon len / 2) half of it."""
    sharp = lambda data: ln.Exponential().law(Scores.from_distances(majority(data)), epsilon)
    report = loss(sharp, 4, relation, ln.PureDP(epsilon))
    assert report.passed
    assert float(report.hi) == pytest.approx(float(epsilon))
    printed = lambda data: SelectionLaw(majority(data), epsilon / 2)
    assert loss(printed, 4, relation, ln.PureDP(epsilon / 2)).passed


def test_three_answers_do_not():
    """With three answers exp(-epsilon len) loses more than epsilon."""
    far = {0: [0, 1, 1], 1: [1, 0, 0]}
    law_of = lambda data: SelectionLaw(far[data[0]], F(2))
    assert not loss(law_of, 1, "replace-one", ln.PureDP(2)).passed


def test_distances_that_are_none_lose_more():
    """Without a 0 among two distances the winner can change by more than one step."""
    far = {0: [4, 3], 1: [3, 4]}
    law_of = lambda data: ln.Exponential().law(Scores.from_distances(far[data[0]]), 2)
    assert loss(law_of, 1, "replace-one", ln.PureDP(2)).passed  # still in step
    worse = {0: [0, 4], 1: [4, 0]}
    law_of = lambda data: ln.Exponential().law(Scores.from_distances(worse[data[0]]), 2)
    assert not loss(law_of, 1, "replace-one", ln.PureDP(2)).passed


def mean_distance(law: Any, far: list[int]) -> float:
    return sum(law.pmf(i) * d for i, d in enumerate(far))


@pytest.mark.parametrize("epsilon", ["0.1", 1, 4])
def test_the_better_choice_is_the_default(epsilon: Any):
    """Permute and flip for three answers or more, the sharper exponents for two."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        size = int(rng.integers(2, 9))
        far = [0, *(int(d) for d in rng.integers(0, 12, size - 1))]
        scores = Scores.from_distances(far)
        flip = mean_distance(ln.PermuteAndFlip().law(scores, epsilon), far)
        plain = mean_distance(ln.Exponential().law(scores, epsilon), far)
        if size == 2:
            assert plain <= flip + 1e-12
        else:
            assert flip <= plain + 1e-12


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_counts_are_sharper_than_distances(relation: str):
    """The mode is at least as likely by counts, with three categories or more."""
    for counts in product(range(0, 9, 2), repeat=3):
        data = [c for c, count in zip(ABC, counts, strict=True) for _ in range(count)]
        by = {}
        for score in ("count", "distance"):
            scores = ln.profile(ln.Mode(categories=ABC, score=score), data, relation=relation)
            law = ln.PermuteAndFlip().law(scores, 1)
            by[score] = sum(
                law.pmf(c) for c, count in zip(ABC, counts, strict=True) if count == max(counts)
            )
        assert by["count"] >= by["distance"] - 1e-9


# --- the kit ------------------------------------------------------------------------------------

STATISTICS = [
    ln.Mode(categories=[0, 1, 2]),
    ln.Mode(categories=[0, 1, 2], score="distance"),
    ln.Mode(categories=[0, 1], score="distance"),
    ln.SmallFunction(function=lambda c: c[0] * c[1], categories=[0, 1], most=3),
    ln.SmallFunction(
        function=lambda c: "x" if c[0] > c[1] else "y",
        categories=[0, 1],
        most=3,
        answers=["x", "y", "z"],
    ),
]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: f"{type(s).__name__}")
def test_shipped_choices_obey_every_law(statistic: Any):
    check_statistic(statistic, universe=(0, 1, 2), n=4, max_examples=25)


@dataclass(frozen=True, slots=True)
class Broken:
    """A mode with other scores."""

    change: Any
    score: str = "count"

    def spec(self):
        return ln.Mode(categories=[0, 1, 2]).spec()

    def profile(self, summary, relation):
        base = ln.Mode(categories=[0, 1, 2], score=self.score)
        return self.change(base.profile(summary, relation), summary.counts)


BROKEN = {
    "twice the count": Broken(lambda s, c: replace(s, values=[2 * v for v in s.values])),
    "monotone": Broken(lambda s, c: replace(s, monotone=True)),
    "sensitivity of the data": Broken(lambda s, c: replace(s, sensitivity=1 + sum(c))),
    "candidates of the data": Broken(
        lambda s, c: Scores(values=s.values[: 1 + (c[2] > 0)], candidates=[0, 1][: 1 + (c[2] > 0)])
    ),
    "no answer at 0": Broken(
        lambda s, c: replace(s, values=[v - 1 for v in s.values]), score="distance"
    ),
    "ties": Broken(
        # the first of several wins, but a later one is said to need no change
        lambda s, c: Scores.from_distances([2 * (max(c) - v) for v in c], [0, 1, 2])
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_seen(name: str):
    with pytest.raises(PrivacyViolation):
        check_statistic(BROKEN[name], universe=(0, 1, 2), n=3, max_examples=0)


def steps_to(answer: str, counts: tuple[int, ...]) -> int:
    """Distances of "is there a majority of the second?", under every relation: half the gap."""
    gap = counts[1] - counts[0]
    return max(0, (gap + 1) // 2) if answer == "no" else max(0, (2 - gap) // 2)


def own(distance: Any, **changes: Any) -> Any:
    given: dict[str, Any] = {"categories": [0, 1], "most": 4, "answers": ["no", "yes"]}
    return ln.SmallFunction(distance=distance, **given | changes)


def test_a_distance_of_ones_own():
    statistic = own(steps_to)
    check_statistic(statistic, universe=(0, 1, 2), n=4, max_examples=20)
    for relation in ("replace-one", "add-remove"):
        report = audit.exact(statistic, universe=(0, 1, 2), n=4, relation=relation, epsilon=1)
        assert report.passed, report
    assert ln.release(statistic, [1] * 9, epsilon=9).value == "yes"
    assert ln.release(statistic, [], epsilon=9).value == "no"


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (lambda a, c: 2 * steps_to(a, c), "more than 1"),
        (lambda a, c: 1 + steps_to(a, c), "0 for at least one answer"),
        (lambda a, c: steps_to(a, c) / 2, "whole numbers"),
    ],
)
def test_a_distance_that_is_none_is_refused_before_data(distance: Any, message: str):
    with pytest.raises(ParameterError, match=message):
        own(distance)


def test_a_distance_may_hold_under_one_relation_only():
    """The whole gap moves by two with a replaced record, by one with an added one."""
    gap = lambda a, c: max(0, c[1] - c[0]) if a == "no" else max(0, c[0] - c[1] + 1)
    statistic = own(lambda a, c: gap(a, c) if a == "yes" or c[1] > c[0] else 0)
    assert ln.release(statistic, [1, 0], epsilon=1, relation="add-remove").value in ("no", "yes")
    with pytest.raises(ParameterError, match="replaced record once"):
        ln.release(statistic, [1, 0], epsilon=1)


def test_persons_pay_for_all_their_rows():
    data = {"who": [1, 1, 2, 2, 3], "x": ["a", "a", "b", "b", "c"]}
    with ln.open(data, relation="add-remove", unit="who", max_rows=2) as session:
        record = session.release(ln.Mode("x", categories=ABC), epsilon=1)
    assert record.value in ABC
    assert record.guarantee.scope == ln.Scope("add-remove", "who")
    scores = Scores(values=[1, 2], monotone=True).strided(2)
    assert (scores.sensitivity, scores.monotone) == (2, False)
    assert not Scores.from_distances([0, 2]).strided(2).binary


def test_nothing_but_the_answer_depends_on_data():
    words = [[], ["a"], ["b", None, "c"], [None, 3, float("nan")], ["a ", b"a", object()]]
    for statistic in (
        ln.Mode(categories=ABC),
        ln.Mode(categories=ABC[:2], score="distance"),
        ln.SmallFunction(function=lambda c: c[0] - c[1], categories=ABC[:2], most=3),
    ):
        assert check_release(statistic, data={"words": words}).releases > 10


# --- what a user sees ----------------------------------------------------------------------------


def test_records_hold_labels():
    record = ln.release(ln.Mode(categories=ABC), ["b"] * 99, epsilon=2)
    assert (record.value, record.mechanism) == ("b", "PermuteAndFlip()")
    assert ln.Release.from_json(record.to_json()) == record
    with pytest.raises(TypeError, match="label"):
        float(record)
    with pytest.raises(ValueError, match="noise width"):
        record.noise_interval()
    numbers = ln.release(ln.Mode(categories=[10, 20]), [20] * 99, epsilon=2)
    assert (numbers.value, float(numbers)) == (20, 20.0)
    assert isinstance(numbers.draws[0], ln.PureDP)
    assert isinstance(
        ln.release(ln.Mode(categories=ABC), ["b"], epsilon=1, mechanism=ln.Exponential()).draws[0],
        ln.BoundedRange,
    )


@pytest.mark.parametrize("data", [[], ["zzz"], [None, None], ["a"], ["a", "a", "b", ""]])
def test_every_data_set_gives_a_declared_answer(data: list[Any]):
    for score in ("count", "distance"):
        assert ln.release(ln.Mode(categories=ABC, score=score), data, epsilon=1).value in ABC
    small = ln.SmallFunction(function=first_largest, categories=ABC, most=2, answers=[0, 1, 2])
    assert ln.release(small, data * 5, epsilon=1).value in (0, 1, 2)


def test_default_mechanisms():
    three, two = ln.Mode(categories=ABC), ln.Mode(categories=ABC[:2], score="distance")
    assert three.default_mechanism("edit") == ln.PermuteAndFlip()
    assert two.default_mechanism("edit") == ln.Exponential()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ln.Mode(), ParameterError, "categories"),
        (lambda: ln.Mode(categories=["a"]), ParameterError, "two"),
        (lambda: ln.Mode(categories=ABC, score="len"), ParameterError, "score"),
        (lambda: small(function=None), ParameterTypeError, "function"),
        (lambda: small(distance=steps_to), ParameterTypeError, "either function="),
        (lambda: own(steps_to, answers=None), ParameterError, "answers are required"),
        (lambda: own(steps_to, most=10**4), ParameterError, "too many"),
        (lambda: small(most=0), ParameterError, "most"),
        (lambda: small(most=10**6), ParameterError, "data sets"),
        (lambda: small(function=lambda c: 0.5), ParameterError, "exact numbers"),
        (lambda: small(function=lambda c: "a"), ParameterError, "exact numbers"),
        (lambda: small(function=lambda c: "a", answers=["b", "c"]), ParameterError, "declare"),
        (lambda: small(answers=[1]), ParameterError, "two labels"),
        (lambda: small(answers=[(1,), (2,)]), ParameterTypeError, "text or numbers"),
        (lambda: small(resolution=0), ParameterError, "resolution"),
    ],
)
def test_parameters_are_refused(make: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        make()


def small(**changes: Any) -> Any:
    given: dict[str, Any] = {"function": first_largest, "categories": [0, 1], "most": 3}
    return ln.SmallFunction(**given | changes)


@pytest.mark.parametrize(
    "mechanism",
    [ln.Laplace(), ln.PiecewiseLaplace(), ln.InverseSensitivity()],
    ids=lambda m: m.name,
)
def test_mechanisms_of_numbers_are_refused_before_data_is_read(mechanism: Any):
    with pytest.raises(ParameterError, match="PermuteAndFlip"):
        ln.release(ln.Mode(categories=ABC), ["a"], epsilon=1, mechanism=mechanism)


def test_a_vote_is_found():
    """300 votes for one of five: wrong with the chance that the law says, about 1e-6."""
    votes = ["x"] * 300 + list("abcd") * 60
    law = ln.PermuteAndFlip().law(ln.profile(ln.Mode(categories=list("abcdx")), votes), F(1, 10))
    assert law.pmf("x") > 1 - 5 * exp(-0.05 * 240)
    assert log(1 - law.pmf("x")) < -9


def test_wrong_parameters_of_a_small_function_name_the_cure() -> None:
    def first(counts: tuple[int, ...]) -> str:
        return "x" if counts[0] else "y"

    wrong: list[tuple[dict[str, Any], str]] = [
        ({"most": 0}, "most must be a whole number"),
        ({"answers": 3}, "answers must be a list"),
        ({"answers": "xy"}, "answers must be a list"),
        ({"answers": [["x"], ["y"]]}, "text or numbers"),
        ({"answers": ["x", float("nan")]}, "NaN"),
        ({"answers": ["x", "x"]}, "all different"),
        ({"function": lambda counts: [1], "answers": ["x", "y"]}, "labels or numbers, not list"),
        (
            {"function": None, "distance": lambda a, c: 10**30, "answers": ["x", "y"]},
            "below 2\\^31",
        ),
    ]
    for given, cure in wrong:
        asked = {"function": first, "categories": ["a", "b"], "most": 3, **given}
        with pytest.raises((ParameterError, ParameterTypeError), match=cure):
            ln.SmallFunction(**asked)
    for most in ("4", 4.0, Fraction(4)):
        made = ln.SmallFunction(
            function=first, categories=["a", "b"], most=most, answers=["x", "y"]
        )
        assert ln.release(made, ["a", "b"], epsilon=50).value == "x"


def test_whole_numbers_of_stars_may_be_written_as_text() -> None:
    for k in ("3", 3.0, Fraction(3)):
        assert (
            ln.release(ln.KStarCount(k=k, nodes=4), [(0, 1), (0, 2), (0, 3)], epsilon=99).value == 1
        )


def test_answers_stay_what_was_declared() -> None:
    both = ln.SmallFunction(
        function=lambda counts: counts[0] > 1, categories=["no", "yes"], most=5,
        answers=[True, False],
    )  # fmt: skip
    record = ln.release(both, ["no"] * 5, epsilon=50)
    assert record.value is True
    assert '"value": true' in record.to_json() or '"value":true' in record.to_json()


def test_answers_too_large_for_a_record_are_refused() -> None:
    with pytest.raises(ParameterError, match="10\\*\\*300"):
        ln.SmallFunction(function=lambda c: 10**5000 * c[0], categories=["no", "yes"], most=5)


@pytest.mark.parametrize("mechanism", [None, ln.Exponential(), ln.InverseSensitivity()])
def test_two_answers_have_no_bounded_range(mechanism: Any) -> None:
    """Both log ratios reach epsilon, so the range is twice that: only pure privacy is charged."""
    two = ln.Mode(categories=[0, 1], score="distance")
    record = ln.release(two, [0, 1], epsilon="1/10", mechanism=mechanism)
    assert record.draws == (ln.PureDP("1/10", record.guarantee.scope),)
    composed = ln.compose([record] * 100, delta="1e-6", fixed="guarantees")
    plain = ln.compose([*record.draws] * 100, delta="1e-6", fixed="guarantees")
    assert composed.smallest.epsilon == plain.smallest.epsilon
    asked: dict[str, Any] = {"universe": [0, 1], "n": 3, "epsilon": 1, "measure": "bounded-range"}
    measured = audit.exact(two, ln.Exponential(), **asked)
    assert measured.passed
    assert 1.5 < float(measured.hi) <= 2
    assert not audit.exact(two, ln.Exponential(), claim=ln.BoundedRange(1), **asked).passed


def test_three_answers_keep_their_bounded_range() -> None:
    three = ln.Mode(categories=["a", "b", "c"], score="distance")
    record = ln.release(three, ["a", "b"], epsilon=1, mechanism=ln.Exponential())
    assert isinstance(record.draws[0], ln.BoundedRange)
