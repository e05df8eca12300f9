"""Laplace noise on squares about a noisy centre: its law, its privacy, and what breaks it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.laws import CentredLaw
from leastnoise.laws.centred import CentredParts
from leastnoise.mechanisms.centred_laplace import nearest_cube_root
from leastnoise.testing import check_law

F = Fraction
STATISTICS = (ln.Variance(bounds=(0, 6), step=1), ln.StandardDeviation(bounds=(0, 6), step=1))


def law_of(
    statistic: Any, records: Any, epsilon: object, resolution: F | None = None
) -> CentredLaw:
    p = ln.profile(statistic, np.array(records, dtype=np.int64), relation="replace-one")
    if resolution is not None:
        p = replace(p, resolution=resolution)
    law = ln.CentredLaplace().law(p, epsilon)
    assert isinstance(law, CentredLaw)
    return law


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("epsilon", ["1/2", 4])
def test_the_law_is_that_of_the_draws(statistic: Any, epsilon: object) -> None:
    check_law(law_of(statistic, (0, 1, 1, 2, 6), epsilon, F(1, 2)), draws=4_000)


@pytest.mark.parametrize(
    ("epsilon", "fine", "reach", "more"), [(F(1), 1, 400, 6000), (F(3), 3, 360, 10_800)]
)
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
def test_the_law_follows_the_definition(
    statistic: Any, epsilon: F, fine: int, reach: int, more: Any
) -> None:
    """Both noises by a loop, and the answer by its formula, on the lattice of the centre."""
    whole = (0, 1, 6)
    law = law_of(statistic, whole, epsilon, F(1, 4))
    p, n = law.parts, len(whole)
    assert p.width == 6 * fine
    records = [fine * x for x in whole]
    rate, expected = float(p.centre_rate), np.zeros(law.parts.high + 1)
    more = np.arange(-more, more + 1)
    for noise in range(-reach, reach + 1):
        weight = np.tanh(rate / 2) * exp(-rate * abs(noise))
        mean = F(sum(records) + noise, n)
        steps = (mean / p.spacing + F(1, 2)).__floor__()
        nearest = min(6 * fine, max(0, p.spacing * steps))
        squares = sum((x - nearest) ** 2 for x in records)
        inner = float(p.rate(nearest))
        mass = weight * np.tanh(inner / 2) * np.exp(-inner * abs(more))
        number = np.maximum(0, (squares + more) / n - float(p.bias)) / fine**2
        point = np.floor(4 * number ** (0.5 if p.moments.root else 1) + 0.5)
        np.add.at(expected, np.clip(point, p.low, p.high).astype(int), mass)
    for point, mass in enumerate(expected):
        assert law.point_mass(point) == pytest.approx(mass, abs=1e-9)
    # a fine lattice has the mean error of the reals, which a coarse one has up to its step
    value = ln.profile(statistic, np.array(whole), relation="replace-one").value
    direct = float(np.dot(expected, np.abs(np.arange(len(expected)) / 4 - float(value))))
    reals = law_of(statistic, whole, epsilon).mean_absolute_error(centre=value)
    assert law.mean_absolute_error(centre=value) == pytest.approx(direct, rel=1e-9)
    assert reals == pytest.approx(direct, rel=0.02)


@pytest.mark.parametrize("mean", ["45", "45.5"])
def test_whole_numbers_are_no_worse_than_others(mean: str) -> None:
    """The centre lies on a lattice as fine as its noise, not on that of the records."""
    spread = np.arange(-40, 41).repeat(2000)
    x = np.floor(float(mean) + spread + 0.5 * (np.arange(len(spread)) % 2)).astype(np.int64)
    p = ln.profile(ln.Variance(bounds=(0, 125), missing="none"), x)
    # 80 squared is the most that one record can add to the sum of squares about the mean
    laplace = 80**2 / len(x)
    assert ln.CentredLaplace().law(p, 1).mean_absolute_error(centre=p.value) < 1.1 * laplace


def test_the_noise_is_at_most_a_third_of_laplace_about_the_middle() -> None:
    x = np.random.default_rng(0).uniform(0, 100, 10_000)
    p = ln.profile(ln.Variance(bounds=(0, 100)), x, missing="none")
    ours, plain, levels = (
        mechanism.law(p, 1).mean_absolute_error(centre=p.value)
        for mechanism in (ln.CentredLaplace(), ln.Laplace(), ln.PiecewiseLaplace())
    )
    assert ours < plain / 3
    assert ours < 0.6 * levels
    sampled = ln.CentredLaplace().law(p, 1).sample(40_000, np.random.default_rng(5))
    assert np.mean(np.abs(sampled - float(p.value))) == pytest.approx(ours, rel=0.03)
    assert np.mean(sampled) == pytest.approx(float(p.value), abs=ours / 30)


def test_refused_where_the_number_of_rows_is_private() -> None:
    for relation in ("add-remove", "edit"):
        p = ln.profile(STATISTICS[0], np.array([1, 2]), relation=relation)
        with pytest.raises(ParameterError, match="number of rows is public"):
            ln.CentredLaplace().law(p, 1)


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
def test_a_private_number_of_rows_is_refuted(relation: str) -> None:
    """The law of replace-one, for tables of different sizes: the mean has another lattice."""
    settings: dict[str, Any] = {"universe": (0, 1, 6), "n": 2, "claim": ln.PureDP(1)}
    law = lambda x: law_of(STATISTICS[0], (0, 6, *x), 1)
    assert audit.exact_law(law, **settings).passed
    assert not audit.exact_law(law, relation=relation, **settings).passed


@pytest.mark.parametrize("records", [(), (3,), (0, 0, 0), (6, 6)])
def test_every_table_has_an_answer_in_range(records: tuple[int, ...]) -> None:
    p = ln.profile(STATISTICS[0], np.array(records, dtype=np.int64), relation="replace-one")
    law = ln.CentredLaplace().law(p, 2)
    with ln.testing.simulate("centred"):
        draws = [law.value_of(law.draw(ln.randomness.active())) for _ in range(20)]
    assert all(0 <= y <= 9 for y in draws)


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)])
def test_centre_and_squares_together_lose_epsilon(statistic: Any, epsilon: F) -> None:
    for n in (1, 2, 3):
        report = audit.exact_law(
            lambda x: law_of(statistic, x, epsilon),
            universe=(0, 1, 3, 6),
            n=n,
            claim=ln.PureDP(epsilon),
        )
        assert report.passed, report


class _Broken(CentredParts):
    """What a careless reading would do."""


class _Narrow(_Broken):
    """The distance to the near end, which a record of the far side exceeds."""

    def rate(self, centre: int) -> F:
        near = min(self.moments.high - centre, centre - self.moments.low)
        return (self.cost - self.centre_cost) / max(1, near) ** 2


class _Free(_Broken):
    """The centre at no charge."""

    def rate(self, centre: int) -> F:
        far = max(self.moments.high - centre, centre - self.moments.low)
        return self.cost / far**2


class _Half(_Broken):
    """Half the charge of the centre everywhere, which holds for a centre in the middle only."""

    def rate(self, centre: int) -> F:
        far = max(self.moments.high - centre, centre - self.moments.low)
        return (self.cost - self.centre_cost / 2) / far**2


@pytest.mark.parametrize("broken", [_Narrow, _Free, _Half])
def test_wrong_noise_of_the_squares_is_refuted(broken: type[CentredParts]) -> None:
    def spoiled(x: Any) -> CentredLaw:
        law = law_of(STATISTICS[0], x, 1)
        fields = CentredParts.__dataclass_fields__
        return CentredLaw(broken(*(getattr(law.parts, name) for name in fields)), law.step)

    report = audit.exact_law(spoiled, universe=(0, 1, 3, 6), n=3, claim=ln.PureDP(1))
    assert not report.passed


def test_a_correction_that_follows_the_data_is_refuted() -> None:
    def spoiled(x: Any) -> CentredLaw:
        law = law_of(STATISTICS[0], x, 1)
        return CentredLaw(replace(law.parts, bias=F(x[0])), law.step)

    report = audit.exact_law(spoiled, universe=(0, 1, 6), n=2, claim=ln.PureDP(1))
    assert not report.passed
    assert "public parameters depend on the data" in report.reason


def test_nearest_cube_root() -> None:
    for value in (F(0), F(1, 9), F(1, 8), F(1), F(27, 8), F(7, 2), F(8), F(10**9), F(10**9) - 1):
        root = nearest_cube_root(value)
        assert (root - F(1, 2)) ** 3 <= value or root == 0
        assert value < (root + F(1, 2)) ** 3
