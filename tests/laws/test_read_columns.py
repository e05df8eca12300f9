"""Privacy of releases from the column on: how values are read, imputed, summed and counted.

Whole releases are enumerated over small universes with missing entries, in column types whose own
integers cannot hold an imputed number or a sum, in memory and where an engine answers queries.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln
from leastnoise import PureDP, audit
from leastnoise.frames.engines import edges, weighted, windows
from leastnoise.session.prepare import plan
from support.engines import on_engine
from support.optional import optional

pa = optional("pyarrow")

TOP = 2**64 - 1
Case = tuple[Callable[[], Any], Any, tuple[Any, ...]]
IMPUTED: dict[str, Case] = {
    "a mean, a negative number among unsigned ones": (
        lambda: ln.Mean("x", bounds=(-2, 4), missing=-2), pa.uint8(), (None, 0, 3, 200)
    ),
    "a variance, the same": (
        lambda: ln.Variance("x", bounds=(-2, 4), missing=-2), pa.uint8(), (None, 0, 3, 200)
    ),
    "a median, the same": (
        lambda: ln.Median("x", bounds=(-2, 4), missing=-2), pa.uint8(), (None, 0, 3, 200)
    ),
    "a variance far from zero": (
        lambda: ln.Variance("x", bounds=(TOP - 6, TOP), missing=TOP - 1),
        pa.uint64(),
        (None, 0, TOP - 3, TOP),
    ),
    "a median beyond the type": (
        lambda: ln.Median("x", bounds=(TOP - 6, TOP + 3), missing=TOP + 2),
        pa.uint64(),
        (None, 0, TOP - 3, TOP),
    ),
    "a variance of doubles far from zero": (
        lambda: ln.Variance("x", bounds=(2**60, 2**60 + 2048), step=256, missing=2**60 + 512),
        pa.float64(),
        (None, 0.0, 2.0**60 + 1024, float("inf")),
    ),
    "a sum of doubles": (
        lambda: ln.Sum("x", bounds=(-1, 3), step="1/2", missing=0.5),
        pa.float32(),
        (None, -9.0, 1.25, float("nan")),
    ),
}  # fmt: skip
WEIGHTED: dict[str, Case] = {
    "a weighted median": (
        lambda: ln.WeightedQuantile("x", "w", q="1/2", bounds=(0, 9), largest=4, step=1),
        pa.float64(),
        ((1.0, 1.0), (8.0, 1.0), (8.0, 4.0), (None, 2.0)),
    ),
    "a weighted quantile": (
        lambda: ln.WeightedQuantile("x", "w", q="1/4", bounds=(0, 9), largest=4, step=1),
        pa.int16(),
        ((1, 1.0), (8, 9.0), (3, None)),
    ),
}


def columns(data: tuple[Any, ...], kind: Any) -> Any:
    if data and isinstance(data[0], tuple):
        x, w = zip(*data, strict=True)
        return pa.table({"x": pa.array(x, kind), "w": pa.array(w, pa.float64())})
    pairs = {"x": pa.array(data, kind), "w": pa.array([1.0] * len(data), pa.float64())}
    return pa.table(pairs)


def loss(
    case: Case, relation: str, where: str, n: int, depth: int | None = None
) -> audit.ExactReport:
    make, kind, universe = case
    epsilon = Fraction(2)

    def law_of(data: tuple[Any, ...]) -> Any:
        table = columns(data, kind)
        held = table if where == "memory" else on_engine(where, table)
        prepared = plan(make(), held, relation, None)
        mechanism = prepared.statistic.settled_mechanism(prepared.profile_relation)
        levels = prepared.levels(mechanism, epsilon) if depth is None else depth
        (profile,) = prepared.profiles(prepared.table.summarise(prepared.request, levels))
        return mechanism.law(profile, epsilon)

    return audit.exact_law(law_of, universe=universe, n=n, relation=relation, claim=PureDP(epsilon))


@pytest.mark.share(1 / 5)
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("name", list(IMPUTED))
def test_imputed_columns(name: str, relation: str) -> None:
    assert loss(IMPUTED[name], relation, "memory", 2 if "variance" in name else 3).passed


@pytest.mark.nightly  # a minute
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("name", [name for name in IMPUTED if "variance" in name])
def test_imputed_columns_of_three_rows(name: str, relation: str) -> None:
    assert loss(IMPUTED[name], relation, "memory", 3).passed


@pytest.mark.share(1 / 5)
@pytest.mark.parametrize("where", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("name", list(IMPUTED))
def test_imputed_columns_of_engines(name: str, where: str) -> None:
    assert loss(IMPUTED[name], "edit", where, 2).passed


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("name", list(WEIGHTED))
def test_weighted_quantiles_to_a_depth(name: str, relation: str) -> None:
    """Beyond the depth the range ends; a depth of 1 is where a wrong end would show."""
    assert loss(WEIGHTED[name], relation, "memory", 3, depth=1).passed


@pytest.mark.parametrize("where", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("name", list(WEIGHTED))
def test_weighted_quantiles_of_engines(
    name: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the values at which the weight passes a wanted sum come back."""
    for module in (weighted, windows, edges):
        monkeypatch.setattr(module, "FEW", 0, raising=False)
    assert loss(WEIGHTED[name], "add-remove", where, 2, depth=1).passed


def test_a_number_imputed_by_the_data_breaks_the_claim() -> None:
    """The imputed number is public: one that follows the largest entry is not."""

    def law_of(data: tuple[Any, ...]) -> Any:
        there = [x for x in data if x is not None]
        statistic = ln.Mean("x", bounds=(-2, 4), missing=min(4, max(there, default=0)))
        prepared = plan(statistic, columns(data, pa.uint8()), "replace-one", None)
        summary = prepared.table.summarise(prepared.request, 8)
        (profile,) = prepared.profiles(summary)
        return ln.Laplace().law(profile, Fraction(2))

    found = audit.exact_law(
        law_of, universe=(None, 0, 4), n=3, relation="replace-one", claim=PureDP(Fraction(2))
    )
    assert not found.passed
