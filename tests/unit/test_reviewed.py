"""Faults that a review found, and their whole kind."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import leastnoise as ln

V = 2**53 + 1
STATISTICS = [ln.Median, ln.Minimum, ln.Sum, ln.Mean, ln.Variance, ln.InterquartileRange]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt64])
@pytest.mark.parametrize("top", [2**60, 2**63 - 1, 2**64, 2**65])
@pytest.mark.parametrize("missing", ["none", 5])
def test_a_missing_record_rounds_no_other(dtype: object, top: int, missing: object) -> None:
    """Imputed points join as integers: no common float type, no wrap-around."""
    whole = pl.Series([V] * 200 + [None], dtype=dtype)
    for statistic, value in ((ln.Median, V), (ln.Minimum, min(V, 5 if missing == 5 else V))):
        p = ln.profile(statistic(bounds=(0, top), missing=missing), whole)
        assert p.value == (value if missing == 5 or top // 2 >= V else p.value)
        assert p.value in (V, 5, top // 2)
    p = ln.profile(ln.Sum(bounds=(0, top), missing=missing), whole)
    point = 5 if missing == 5 else top // 2
    assert p.value == 200 * min(V, top) + point
    assert p.lower(2) == p.value - 2 * V if point <= V else p.value - point - V


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(
    "bounds", [(2**63, 2**64), (2**63, 2**64 - 1), (-(2**70), -(2**65)), (0, 2**66)]
)
@pytest.mark.parametrize("data", [[], [None, None], [5, None], [5, 7, 9]])
def test_limits_beyond_the_type_move_every_record_to_a_limit(
    statistic: type, bounds: tuple[int, int], data: list[int | None]
) -> None:
    column = pl.Series(data, dtype=pl.Int64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for missing in (None, "none"):
            p = ln.profile(statistic(bounds=bounds, missing=missing), column)
            assert p.lower(1) <= p.value <= p.upper(1)
            low, high = p.support
            assert low <= p.value <= high
            r = ln.release(statistic(bounds=bounds, missing=missing), column, epsilon=1)
            assert isinstance(r.value, int | float)
    if data == [5, 7, 9] and statistic is ln.Median:
        near = min(max(5, bounds[0]), bounds[1]) if bounds[0] else 7
        assert ln.profile(statistic(bounds=bounds), column).value == near


def test_profiles_laws_and_sessions_refuse_to_be_pickled() -> None:
    p = ln.profile(ln.Median(bounds=(0, 9)), [1, 2, 3])
    law = ln.PiecewiseLaplace().law(p, 1)
    with ln.open(["SECRET77"] * 3) as session:
        for secret in (p, law, session):
            with pytest.raises(TypeError, match="private data"):
                pickle.dumps(secret)


class Warning43:
    def __float__(self) -> float:
        warnings.warn("SECRET 43", stacklevel=1)
        return 1.0


@pytest.mark.parametrize("entry", [np.ma.masked, Warning43()])
def test_no_entry_can_warn(entry: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ln.release(ln.Median(bounds=(0, 9)), [1.0, entry], epsilon=1)


def test_truth_in_text_is_one_and_zero() -> None:
    data = ["True", "false", "TRUE"]
    assert ln.profile(ln.Mean(bounds=(0, 1), step=1), data).value == Fraction(2, 3)


def test_the_record_states_delta_and_the_sensitivity_used() -> None:
    r = ln.release(ln.Sum(bounds=(0, 10)), np.array([1, 2]), epsilon="1/2", relation="add-remove")
    record = r.to_dict()
    assert record["delta"] == "0"
    assert record["epsilon"] == "1/2"
    assert record["sensitivity_used"] == pytest.approx(10)
    assert ln.Release.from_json(r.to_json()) == r


def test_a_tiny_epsilon_is_said_to_be_noise() -> None:
    r = ln.release(ln.Mean(bounds=(0, 10)), [1, 2], epsilon=1e-12)
    assert any("noise swamps" in note for note in r.notes)
    assert 0 <= r.value <= 10


def test_a_law_has_no_mass_at_infinity() -> None:
    p = ln.profile(ln.Median(bounds=(0, 9)), [1, 2, 3])
    law = ln.PiecewiseLaplace().law(p, 1)
    assert law.pmf(float("inf")) == law.pmf(float("nan")) == 0
    assert (law.cdf(float("-inf")), law.cdf(float("inf"))) == (0, 1)


@pytest.mark.parametrize("kind", [list, np.array, pl.Series])
def test_a_column_of_text_without_a_name_has_a_ledger(kind: Any, tmp_path: Path) -> None:
    column = kind(["a", "b"] * 50)
    with ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(9)) as ledger:
        asked = ln.Mode(categories=["a", "b"])
        made = ln.release(asked, column, epsilon=1, ledger=ledger, dataset="d")
    assert made.value in ("a", "b")


def test_a_key_that_is_half_a_character_can_be_written() -> None:
    key = "\ud800 \u00e9 \\"
    r = ln.release(ln.PrivateKeys(delta="1e-9"), [key] * 1000, epsilon=10)
    text = r.to_json()
    assert "\u00e9" in text
    written = key.replace("\ud800", "\ufffd")
    assert ln.Release.from_json(text.encode("utf-8").decode("utf-8")).value == [written]


@pytest.mark.parametrize("bins", [[0, 10**400], [-(10**400), 0], [0, Fraction(10**400)]])
def test_an_edge_that_no_double_holds_is_refused(bins: list[Any]) -> None:
    with pytest.raises(ValueError, match="outer edge may be infinite"):
        ln.Histogram(bins=bins)
