"""The verdict on vector statistics: sound ones pass, and broken ones are told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.geometry import LpBall
from leastnoise.testing import PrivacyViolation, check_vector

ROWS = [[0, 0], [1, 2], [2, 1]]
MEANS = ln.MeanVector(bounds=[(0, 2), (0, 2)])


@dataclass(frozen=True)
class Wrapped:
    """The means with something about their profile changed."""

    change: Any

    def spec(self) -> Any:
        return MEANS.spec()

    def vector(self, summary: Any, request: Any, relation: str) -> ln.VectorProfile:
        return self.change(MEANS.vector(summary, request, relation), summary)


def test_sound_statistics_pass() -> None:
    assert check_vector(MEANS, ROWS, balls=("linf", "l1"), draws=60) > 50
    assert check_vector(Wrapped(lambda p, s: p), ROWS, relations=["edit"], draws=60) > 20


BROKEN: dict[str, Any] = {
    "half the sensitivity": lambda p, s: replace(
        p, named=lambda name: (p.named(name)[0], p.named(name)[1] / 2)
    ),
    "the square of the vector": lambda p, s: replace(p, value=tuple(v * v for v in p.value)),
    "a lattice from the data": lambda p, s: replace(p, units=tuple(u / (1 + s.n) for u in p.units)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_statistics_are_seen(name: str) -> None:
    with pytest.raises(PrivacyViolation):
        check_vector(Wrapped(BROKEN[name]), ROWS, draws=60)


def test_a_ball_whose_noise_is_not_its_law_is_seen() -> None:
    class Smaller(LpBall):
        """Draws its noise at twice the rate."""

        def noise(self, rate: object, source: Any) -> Any:
            return LpBall(1, 2).noise(2 * Fraction(rate), source)

    with pytest.raises(PrivacyViolation, match="Gamma law"):
        check_vector(MEANS, ROWS, relations=["replace-one"], balls=[Smaller(1, 2)])


def test_an_unknown_ball_is_a_parameter_error() -> None:
    with pytest.raises(ParameterError):
        check_vector(MEANS, ROWS, balls=("sphere",))
