"""The model of the proofs, computed by Coq, gives the library's laws over small universes.

The library answers first: bounds, exponents, blocks of the sampler, heights, all integers or
fractions. Coq is handed the questions with these answers and computes which it would have answered
otherwise: none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.laws import AboveThresholdLaw, LevelsLaw, ShiftedLevelsLaw
from leastnoise.laws.nested import NestedLaw
from leastnoise.laws.selection import _alone_or_shared
from leastnoise.mechanisms.laplace import LaplaceRatio
from leastnoise.profiles import on_grid, strided
from support.model import compiled, needs_coq, tool

LOW, HIGH = 0, 4
UNIVERSE = (0, 1, 2, 4)
MOST_RECORDS = 5
ORDERS = (Fraction(1, 2), Fraction(9, 10))
EPSILONS = (Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(7, 3), Fraction(30))
# The shifted form over one cell, and over cells that grow with the distance from an anchor.
SHIFTED = (
    ln.PiecewiseLaplace(shift=-2),
    ln.PiecewiseLaplace(shift=1, above=Fraction(1, 4)),
    ln.PiecewiseLaplace(base="log"),
    ln.PiecewiseLaplace(base="log", scale=3, shift=2),
)
MECHANISMS = (
    ln.InverseSensitivity(),
    ln.InverseSensitivity(rho=1),
    ln.PiecewiseLaplace(),
    ln.PiecewiseLaplace(rho=1),
    ln.PiecewiseLaplace(shift=-2),
    ln.PiecewiseLaplace(shift=1, above=Fraction(1, 4)),
    ln.AsymmetricSensitivity(spacing="uniform"),
    ln.AsymmetricSensitivity(spacing="uniform", side="down"),
)
# Questions that one list of the file holds.
LIST = 100


def number(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"


def ratio(value: Fraction | int) -> str:
    value = Fraction(value)
    return f"({number(value.numerator)}, {value.denominator})"


def several(texts: Sequence[str]) -> str:
    return f"[{'; '.join(texts)}]"


def integers(values: Sequence[int]) -> str:
    return several([number(v) for v in values])


def table(records: Sequence[int], order: Fraction, relation: str, rows: int) -> str:
    exact = "true" if relation == "add-remove" else "false"
    return (
        f"(Table {exact} (Limits {LOW} {HIGH}) {ratio(order)} {rows}%nat {integers(list(records))})"
    )


def profile(records: Sequence[int], order: Fraction, relation: str, rows: int) -> ln.Profile:
    statistic = ln.Quantile(q=order, bounds=(LOW, HIGH), step=1)
    return strided(ln.profile(statistic, np.array(records, np.int64), relation=relation), rows)


def question(text: str, mechanism: Any, found: ln.Profile, epsilon: Fraction) -> str:
    """What a law's exponents are, as the model is asked."""
    law = mechanism.law(found, epsilon)
    points = range(LOW, HIGH + 1)
    if isinstance(law, LevelsLaw):
        blocks = law.blocks
        in_blocks = [
            integers([s * d for s, d in (blocks.point(b, i) for i in range(blocks.count(b)))])
            for b in range(len(blocks.weights))
        ]
        # an integer weight 2^(top - b) a point, as the model's tickets have it
        top = len(blocks.weights) - 1
        assert all(w == blocks.count(b) << top - b for b, w in enumerate(blocks.weights))
        sloped = "true" if law.levels.sloped else "false"
        exponents = several([ratio(law.exponent(y)) for y in points])
        return (
            f"levels_agree {text} {law.levels.depth}%nat {int(mechanism.rho)} {ratio(epsilon)} "
            f"{sloped} {exponents} {several(in_blocks)}"
        )
    if isinstance(law, ShiftedLevelsLaw):
        shifted = law.shifted
        exponents = several([ratio(shifted.exponent_at(shifted.cells.first_at(y))) for y in points])
        return (
            f"shifted_agrees {text} {shifted.score.depth}%nat {number(shifted.tau)} "
            f"{ratio(shifted.above)} {ratio(shifted.below)} {exponents}"
        )
    assert isinstance(law, AboveThresholdLaw)
    stream = law.stream
    heights = [stream.height(i) for i in range(len(stream.candidates))]
    down = "true" if law.sign < 0 else "false"
    return (
        f"heights_agree {text} {stream.depth}%nat {down} {integers(list(stream.candidates))} "
        f"{integers(heights)}"
    )


# Lists of corners are long: a file of questions names them.
CORNERS: dict[tuple[int, ...], str] = {}


def corners_name(corners: Sequence[int]) -> str:
    return CORNERS.setdefault(tuple(corners), f"corners_{len(CORNERS)}")


def shifted_question(text: str, law: Any) -> str:
    """Where the blocks of a shifted law end, as the model is asked."""
    shifted, blocks = law.shifted, law.blocks
    ends = [f"({r}, {l})" for r, l in zip(blocks.right[1:], blocks.left[1:], strict=True)]
    return (
        f"shifted_blocks_agree {text} {shifted.score.depth}%nat {number(shifted.tau)} "
        f"{ratio(shifted.above)} {ratio(shifted.below)} {corners_name(shifted.cells.corners)} "
        f"{shifted.mode} {ratio(shifted.least)} {several(ends)}"
    )


def shifted_questions() -> Iterator[str]:
    """Values a hundred times as far apart, so that cells of all widths are used."""
    far = 100
    limits = f"(Limits 0 {HIGH * far})"
    for records in data_sets(3):
        values = np.array([far * x for x in records], np.int64)
        for relation in ("edit", "add-remove"):
            exact = "true" if relation == "add-remove" else "false"
            text = f"(Table {exact} {limits} (1, 2) 1%nat {integers(values.tolist())})"
            statistic = ln.Quantile(q=Fraction(1, 2), bounds=(0, HIGH * far), step=1)
            found = ln.profile(statistic, values, relation=relation)
            for mechanism in SHIFTED:
                if mechanism.above is not None and not found.monotone:
                    continue  # refused
                for epsilon in EPSILONS:
                    law = mechanism.law(found, epsilon)
                    corners = law.shifted.cells.corners
                    assert all(a < b for a, b in pairwise(corners))  # what the proof asks of them
                    yield shifted_question(text, law)


def data_sets(most_records: int = MOST_RECORDS) -> Iterator[tuple[int, ...]]:
    for n in range(most_records + 1):
        yield from combinations_with_replacement(UNIVERSE, n)


def law_questions() -> Iterator[str]:
    """Every data set, relation, epsilon and mechanism; orders and rows of persons in turn."""
    turn = 0
    for records in data_sets():
        for relation in ("replace-one", "add-remove", "edit"):
            if relation == "replace-one" and not records:
                continue  # no neighbours
            for epsilon in EPSILONS:
                turn += 1
                order, rows = ORDERS[turn % len(ORDERS)], 1 + (turn % 3 == 0)
                found = profile(records, order, relation, rows)
                for mechanism in MECHANISMS:
                    if getattr(mechanism, "above", None) is not None and not found.monotone:
                        continue  # refused
                    text = table(records, order, relation, rows)
                    yield question(text, mechanism, found, epsilon)


def bound_questions() -> Iterator[str]:
    for records in data_sets():
        for relation in ("edit", "add-remove"):
            for order in (Fraction(0), Fraction(1, 3), *ORDERS, Fraction(1)):
                found = profile(records, order, relation, 1)
                levels = range(MOST_RECORDS + 2)
                bounds = [f"({found.lower(l)}, {found.upper(l)})" for l in levels]
                yield f"bounds_agree {table(records, order, relation, 1)} {several(bounds)}"


def sum_questions() -> Iterator[str]:
    for low, high in ((0, 4), (-3, 2), (1, 5), (-5, -2)):
        for records in data_sets():
            values = np.array([x - 2 for x in records], np.int64)
            by = {
                relation: ln.profile(ln.Sum(bounds=(low, high)), values, relation=relation)
                for relation in ("replace-one", "add-remove", "edit")
            }
            moves = " ".join(str(p.sensitivity) for p in by.values())
            total = number(int(by["edit"].value))
            limits = f"(Limits {number(low)} {number(high)})"
            yield f"sum_agrees {limits} {integers(values.tolist())} {total} {moves}"


def pair_questions() -> Iterator[str]:
    for low, high in ((0, 4), (-3, 2), (1, 5), (-5, -2)):
        for records in data_sets():
            values = np.array([x - 2 for x in records], np.int64)
            statistic = ln.Mean(bounds=(low, high), step=1)
            found = ln.profile(statistic, values, relation="edit")
            parts = LaplaceRatio().law(found, Fraction(1)).parts
            assert parts.rate_total == Fraction(1, 2) / (high - low)
            assert parts.rate_count == Fraction(1, 2)
            limits = f"(Limits {number(low)} {number(high)})"
            text = f"pair_agrees {limits} {integers(values.tolist())}"
            yield f"{text} {number(parts.total)} {parts.count}"


def sum_bound_questions() -> Iterator[str]:
    kinds = {"replace-one": "None", "add-remove": "(Some true)", "edit": "(Some false)"}
    for low, high in ((0, 4), (-3, 2), (1, 5), (-5, -2)):
        for records in data_sets(4):
            values = np.array([x - 2 for x in records], np.int64)
            for relation, kind in kinds.items():
                statistic = ln.Sum(bounds=(low, high), max_rows=6)
                found = ln.profile(statistic, values, relation=relation)
                bounds = [
                    f"({number(int(found.lower(l)))}, {number(int(found.upper(l)))})"
                    for l in range(MOST_RECORDS + 2)
                ]
                yield (
                    f"sum_bounds_agree {kind} 6 (Limits {number(low)} {number(high)}) "
                    f"{integers(values.tolist())} {several(bounds)}"
                )


def nested_questions() -> Iterator[str]:
    """Every table and value: how many records must change to leave intervals about the value."""
    radii, margin, share = (0, 1, 2, 4), 2, Fraction(1)
    for records in data_sets():
        for relation in ("edit", "add-remove"):
            grid = on_grid(profile(records, ORDERS[0], relation, 1))
            text = table(records, ORDERS[0], relation, 1)
            for value in range(LOW, HIGH + 1):
                for depth in (2, 7):
                    limits = LOW, HIGH
                    law = NestedLaw(
                        grid.upper, grid.lower, limits, value, radii, margin, depth, share, share
                    )
                    stream = law._stream
                    asked = [law._interval(len(radii) - 2 - i) for i in range(stream.count)]
                    heights = [stream.height(i) for i in range(stream.count)]
                    intervals = several([f"({number(a)}, {number(b)})" for a, b in asked])
                    yield (
                        f"nested_agrees {text} {depth}%nat {margin} {intervals} {integers(heights)}"
                    )


def choice_questions() -> Iterator[str]:
    """Permute and flip among up to four candidates whose coins are eighths, one of them 1."""
    bits = 32  # products of four of them are exact
    for count in range(1, 5):
        for coins in product((1, 3, 6, 8), repeat=count):
            if max(coins) < 8:
                continue  # the least cost always succeeds
            scaled = [(c << bits - 3, c << bits - 3) for c in coins]
            chances: list[Fraction] = []
            for i, coin in enumerate(scaled):
                least, most = _alone_or_shared(coin, scaled[:i] + scaled[i + 1 :], bits)
                assert least == most
                chances.append(least)
            quotients = several([ratio(Fraction(c, 8)) for c in coins])
            yield f"choice_agrees {quotients} {several([ratio(c) for c in chances])}"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("model"))


def answered_otherwise(build: Path, questions: Sequence[str]) -> list[int]:
    """The places of the questions that Coq answers in another way."""
    lines = [
        "From Coq Require Import ZArith List. Import ListNotations. Open Scope Z_scope.",
        "From LeastNoise Require Import Score OrderStatistics Model.",
    ]
    lines += [f"Definition {name} := {integers(c)}." for c, name in CORNERS.items()]
    for start in range(0, len(questions), LIST):
        asked = ";\n".join(questions[start : start + LIST])
        lines.append(f"Eval vm_compute in otherwise {start} [{asked}].")
    (build / "Asked.v").write_text("\n".join(lines), encoding="utf-8")
    code, text = tool().coqc(build, "Asked.v")
    assert code == 0, text[-3000:]
    lists = re.findall(r"= \[([^]]*)\]\s*: list Z", text)
    assert len(lists) == -(-len(questions) // LIST)
    return [int(place) for found in lists for place in found.split(";") if place.strip()]


@needs_coq
@pytest.mark.nightly
def test_laws_of_the_library_are_those_of_the_model(build: Path) -> None:
    questions = list(law_questions())
    triples = set(product(data_sets(), EPSILONS, MECHANISMS))  # each under two relations or three
    assert len(triples) >= 5_000
    assert len(questions) >= 2 * len(triples)
    assert [questions[i] for i in answered_otherwise(build, questions)] == []


@needs_coq
@pytest.mark.nightly
def test_blocks_of_shifted_laws_end_where_those_of_the_model_do(build: Path) -> None:
    questions = list(shifted_questions())
    assert len(questions) >= 900
    assert [questions[i] for i in answered_otherwise(build, questions)] == []


@needs_coq
@pytest.mark.nightly
def test_bounds_and_choices_of_the_library_are_those_of_the_model(
    build: Path,
) -> None:
    questions = [*bound_questions(), *sum_questions(), *sum_bound_questions()]
    questions += [*pair_questions(), *nested_questions(), *choice_questions()]
    assert [questions[i] for i in answered_otherwise(build, questions)] == []


@needs_coq
@pytest.mark.nightly
def test_another_answer_is_found(build: Path) -> None:
    text = table((0, 2, 4), Fraction(1, 2), "edit", 1)
    right = "[(2, 2); (0, 4); (0, 4)]"
    wrong = "[(2, 2); (1, 4); (0, 4)]"
    questions = [f"bounds_agree {text} {right}", f"bounds_agree {text} {wrong}"]
    assert answered_otherwise(build, questions) == [1]
    heights = f"heights_agree {text} 9%nat false [0; 2; 3]"
    assert answered_otherwise(build, [f"{heights} [1; 0; 0]", f"{heights} [1; 1; 0]"]) == [1]
    law = ln.PiecewiseLaplace(shift=-2).law(profile((0, 2, 4), Fraction(1, 2), "edit", 1), 1)
    right = shifted_question(text, law)
    assert answered_otherwise(build, [right, right.replace("[(", "[(1")]) == [1]
