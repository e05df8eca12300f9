"""Histograms and cross-tabulations: all cells together cost epsilon, and no less."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.testing import check_release, check_statistic, simulate

WORDS = ["lo", "hi", "other", None]
NUMBERS = [0, 1, 5, float("nan")]
BOTH = [*product(["lo", "hi"], [0, 1]), ("other", 0), ("lo", None)]


def as_pair(rows: tuple[Any, ...]) -> Any:
    return [r[0] for r in rows], [r[1] for r in rows]


CASES: list[tuple[Any, list[Any], Any]] = [
    (ln.Histogram(categories=["lo", "hi"]), WORDS, list),
    (ln.Histogram(categories=["lo", "hi"], nonnegative=True), WORDS, list),
    (ln.Histogram(bins=[0, 1, 2]), NUMBERS, list),
    (ln.CrossTab(rows=["lo", "hi"], columns=[0, 1]), BOTH, as_pair),
]
IDS = ["categories", "nonnegative", "bins", "crosstab"]


@pytest.mark.parametrize(("statistic", "universe", "as_data"), CASES, ids=IDS)
def test_laws_of_every_cell(statistic: Any, universe: list[Any], as_data: Any) -> None:
    check_statistic(statistic, universe=universe, n=2, max_examples=0, as_data=as_data)


def test_releases_show_nothing_but_the_value() -> None:
    check_release(ln.Histogram(bins=[0, 50, 100]))
    words = [[], ["a"], ["b", None, "c"], [None, 3, float("nan")], ["a\n", b"a", object()]]
    check_release(ln.Histogram(categories=["a", "b"]), data={"words": words})
    rows = [([], []), (["a"], [1]), (["a", None, "x"], [0, "1", None])]
    check_release(ln.CrossTab(rows=["a", "b"], columns=[0, 1]), data={"pairs": rows})


@dataclass(frozen=True)
class OneShareEach:
    """The naive charge: disjoint cells are taken to cost one epsilon under every relation."""

    inner: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def spec(self) -> Any:
        return self.inner.spec()

    def touched(self, relation: str) -> int:
        return 1


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize(("statistic", "universe", "as_data"), CASES, ids=IDS)
def test_all_cells_together_cost_epsilon(
    statistic: Any, universe: list[Any], as_data: Any, relation: str
) -> None:
    def worst(asked: Any) -> audit.ExactReport:
        return audit.exact(
            asked, universe=universe, n=3, relation=relation, epsilon="1/3", build=as_data
        )

    report = worst(statistic)
    assert report.attained
    assert report.lo == report.hi == Fraction(1, 3)
    naive = worst(OneShareEach(statistic))
    assert naive.passed == (relation == "add-remove")
    assert naive.hi == (1 if relation == "add-remove" else 2) * Fraction(1, 3)


def in_two_cells(data: tuple[Any, ...]) -> list[Any]:
    """Cells that overlap: every entry is counted under two labels."""
    return [label for x in data for label in (x, f"{x} or more")]


def by_rank(data: tuple[Any, ...]) -> list[Any]:
    """Edges of the data: a record is "hi" if it lies above the middle of all."""
    order = sorted(data)
    return ["hi" if x > order[(len(order) - 1) // 2] else "lo" for x in data]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize(("build", "universe", "n"), [
    (in_two_cells, ["lo", "hi"], 2), (by_rank, range(5), 5),
], ids=["two cells", "ranks"])  # fmt: skip
def test_a_record_that_counts_in_more_than_its_own_cell_is_seen(
    build: Any, universe: Any, n: int, relation: str
) -> None:
    cells = ln.Histogram(categories=["lo", "hi", "lo or more", "hi or more"])
    report = audit.exact(cells, universe=universe, n=n, relation=relation, epsilon=1, build=build)
    assert not report.passed
    assert report.lo > 1


@dataclass(frozen=True)
class CellsOfTheData(OneShareEach):
    """Answers the cells that some record is in and no others."""

    def touched(self, relation: str) -> int:
        return self.inner.touched(relation)

    def profiles(self, summary: Any, relation: str) -> list[ln.Profile]:
        return [p for p in self.inner.profiles(summary, relation) if p.value > 0]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_cells_that_occur_in_the_data_are_seen(relation: str) -> None:
    report = audit.exact(
        CellsOfTheData(ln.Histogram(categories=["lo", "hi"])),
        universe=["lo", "hi"], n=2, relation=relation, epsilon=1, build=list,
    )  # fmt: skip
    assert not report.passed
    assert report.lo == inf


def rows_of(data: tuple[Any, ...]) -> Any:
    return {"g": [g for g, _ in data], "x": np.array([x for _, x in data], dtype=np.int64)}


@pytest.mark.parametrize(("relation", "charged", "lost"), [
    ("replace-one", 2, 1), ("edit", 2, 1), ("add-remove", 1, 1),
])  # fmt: skip
def test_cells_of_groups_cost_no_more_than_is_charged(
    relation: str, charged: int, lost: int
) -> None:
    """A record that moves leaves one cell of one group and enters one of another: two half shares.
    The charge of two groups is valid and not tight; a cross-tabulation has half of it."""
    universe = [*product(["a", "b"], [0, 1]), ("c", 0), ("a", 9)]
    common: dict[str, Any] = {"universe": universe, "n": 2, "relation": relation, "epsilon": 1}
    report = audit.exact(
        ln.Histogram("x", bins=[0, 1, 2]), build=rows_of, group_by={"g": ["a", "b"]}, **common
    )
    assert report.passed
    assert report.claimed == charged
    assert report.hi == lost
    crossed = ln.CrossTab("g", "x", rows=["a", "b"], columns=[0, 1])
    report = audit.exact(crossed, build=rows_of, **common)
    assert report.attained
    assert report.claimed == 1


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_cells_behind_a_filter(relation: str) -> None:
    universe = [*product(["a", "b"], [0, 1])]
    report = audit.exact(
        ln.Histogram("x", bins=[0, 1, 2]), universe=universe, n=3, relation=relation, epsilon=1,
        build=rows_of, where=ln.col("g") == "a",
    )  # fmt: skip
    assert report.attained


def test_the_record_shows_the_shares_and_the_axes() -> None:
    for relation, share in (("replace-one", "1/2"), ("add-remove", "1"), ("edit", "1/2")):
        release = ln.release(ln.Histogram(bins=[0, 5, 9.5]), [1], epsilon=1, relation=relation)
        assert release.parts == {"each cell": share}
        assert release.missing == "in no cell"
        assert release.axes == (("[0, 5)", "[5, 9.5]"),)
        assert ln.Release.from_json(release.to_json()) == release


def test_values_have_the_declared_shape() -> None:
    with simulate(1):
        votes = ln.release(ln.Histogram(categories=["b", "a", "c"]), ["a", "a", "b"], epsilon=500)
        table = ln.release(
            ln.CrossTab(rows=["f", "m", "x"], columns=[0, 1]),
            (["f", "m", "m"], [1, 0, 0]),
            epsilon=500,
        )
    assert votes.value == [1, 2, 0]
    assert table.value == [[0, 1], [2, 0], [0, 0]]
    assert table.axes == (("f", "m", "x"), (0, 1))
    for release in (votes, table):
        for count in np.ravel(np.array(release.value, dtype=object)):
            assert type(count) is int


def test_counts_are_unbiased_and_signed() -> None:
    with simulate(7):
        draws = [ln.release(ln.Histogram(bins=[0, 1, 2]), [], epsilon=1).value for _ in range(500)]
        cut = ln.release(ln.Histogram(bins=range(99), nonnegative=True), [], epsilon=1)
    mean = np.mean(draws, axis=0)
    assert (abs(mean) < 4 * np.std(draws) / np.sqrt(500)).all()
    assert np.min(draws) < 0
    assert min(cut.value) == 0
    assert "biased" in cut.notes[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ln.Histogram(), "bins=.*or categories="),
        (lambda: ln.Histogram(bins=[0, 1], categories=[0, 1]), "either bins="),
        (lambda: ln.Histogram(bins=[0]), "at least two increasing"),
        (lambda: ln.Histogram(bins=[0, 1, 1]), "increasing"),
        (lambda: ln.Histogram(bins=[0, float("nan"), 1]), "finite number"),
        (lambda: ln.Histogram(bins=[0, float("inf"), 1]), "finite number"),
        (lambda: ln.Histogram(bins=[0, "1,5"]), "finite number"),
        (lambda: ln.Histogram(categories=["a"]), "at least two"),
        (lambda: ln.Histogram(categories=["a", "a"]), "different"),
        (lambda: ln.Histogram(categories=["a", " b"]), "without blanks"),
        (lambda: ln.Histogram(categories=["a", ""]), "not blank"),
        (lambda: ln.CrossTab(rows=["a", "b"]), "columns are required"),
        (lambda: ln.CrossTab("a", rows=["a", "b"], columns=[0, 1]), "name both columns"),
    ],
)
def test_wrong_parameters_are_named(make: Any, message: str) -> None:
    with pytest.raises((ParameterError, ParameterTypeError), match=message):
        make()
