"""Bounds that no double can serve: the error names the bounds, briefly, and the cure."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.numbers import short_text


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Fraction(0), "0"),
        (Fraction(-12), "-12"),
        (Fraction(1, 4), "0.25"),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 10**300), "1e-300"),
        (Fraction(10**300), "1e+300"),
        (Fraction(1, 3), "about 0.333333"),
        (Fraction(2**2000), "about 1.14813e+602"),
        (Fraction(123456789012345678), "123456789012345678"),
        (Fraction(1, 2**1000), "about 9.33264e-302"),
    ],
)
def test_numbers_in_messages_are_short(value: Fraction, told: str) -> None:
    assert short_text(value) == told


def quantiles(bounds: Any, **given: Any) -> object:
    return ln.Quantiles(q=[0.1, 0.5, 0.9], bounds=bounds, **given)


def vector(bounds: Any, **given: Any) -> object:
    return ln.MeanVector(bounds=[bounds], **given)


COLUMN = (ln.Median, ln.Mean, ln.Sum, ln.Variance, ln.StandardDeviation, ln.InterquartileRange)
LOSSES = (ln.MeanSquaredError, ln.MeanAbsoluteError, ln.RootMeanSquaredError)


def refused(statistic: Any, bounds: Any, **given: Any) -> str:
    data: Any = ([1.0], [2.0]) if statistic in LOSSES else [[1.0]]
    if statistic in (*COLUMN, quantiles):
        data = [1.0]
    with pytest.raises(ParameterError) as caught:
        ln.release(statistic(bounds=bounds, **given), data, epsilon=1)
    return str(caught.value)


@pytest.mark.parametrize("statistic", [*COLUMN, quantiles, vector, *LOSSES])
def test_narrow_bounds_are_named_and_not_a_step(statistic: Any) -> None:
    for bounds in ((0, 1e-306), (1, 1 + Fraction(1, 10**306)), (0, Fraction(1, 10**400))):
        told = refused(statistic, bounds)
        assert "too narrow" in told
        assert "wider bounds" in told
        assert "bounds [" in told or "limits of a loss" in told
        assert len(told) < 250


@pytest.mark.parametrize("statistic", [*COLUMN, quantiles, vector, *LOSSES])
def test_wide_bounds_are_named_briefly(statistic: Any) -> None:
    for bounds in ((0, 10**308), (-1e308, 1e308), (0, Fraction(10**400, 3))):
        told = refused(statistic, bounds)
        assert told.startswith("bounds [")
        assert "too wide" in told
        assert len(told) < 200


def test_a_step_that_was_given_is_named() -> None:
    for bounds in ((0, 1e300), (1e300, 2e300)):
        told = refused(ln.Median, bounds, step=Fraction(1, 3))
        assert told.startswith("step about 0.333333 is too fine for bounds [")
        assert len(told) < 200
    assert refused(ln.Median, (0, 1), step="1e-400").startswith("step 1e-400 is too fine")
    assert refused(ln.Median, (0, 1), step="1e400") == "step must be below 2**1023, got 1e+400"


def test_other_errors_about_bounds_are_short_too() -> None:
    assert refused(ln.Mean, (10**300, 0)) == (
        "bounds must satisfy lower < upper, got [1e+300, 0]; give the smaller number first"
    )
    told = refused(ln.Median, (Fraction(1, 3), Fraction(1, 2)), step=5)
    assert told == ("bounds [about 0.333333, 0.5] contain no value of step=5: give wider bounds")
    assert "too wide for a finite loss" in refused(ln.MeanSquaredError, (0, 10**300))
    assert len(refused(ln.MeanSquaredError, (0, 10**300))) < 150
