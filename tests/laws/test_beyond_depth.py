"""Nothing reads a bound of a profile beyond its depth: there it may be anything, or fail."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.profiles import (
    Profile,
    clip,
    maximum,
    minimum,
    monotone_map,
    quotient,
    scale,
    shift,
    square_root,
    strided,
    tightest,
    total,
)
from leastnoise.randomness import HashedBits

Ends = tuple[int | None, int | None]
SUPPORTS: list[Ends] = [(0, 40), (0, None), (None, 40), (None, None)]


def part(support: Ends, depth: int) -> Profile:
    """A value of 5 that moves by 1 a record."""
    low, high = support

    def until_depth(bound: Callable[[int], int]) -> Callable[[int], int]:
        def read(level: int) -> int:
            assert level <= depth
            return bound(level)

        return read

    return Profile(
        value=5,
        lower=until_depth(lambda level: 5 - level if low is None else max(low, 5 - level)),
        upper=until_depth(lambda level: 5 + level if high is None else min(high, 5 + level)),
        local_sensitivity=until_depth(lambda level: 1),
        support=support,
        sensitivity=1,
        depth=depth,
        integral=True,
    )


FORMS: dict[str, Callable[[Ends, int], Profile]] = {
    "by itself": part,
    "shift": lambda s, d: shift(part(s, d), 1),
    "scale": lambda s, d: scale(part(s, d), 2),
    "turned": lambda s, d: scale(part(s, d), -1),
    "clip": lambda s, d: clip(part(s, d), 2, 9),
    "maximum": lambda s, d: maximum([part(s, d), part(s, d + 2)]),
    "minimum": lambda s, d: minimum([part(s, d), part(s, d + 2)]),
    "total": lambda s, d: total([part(s, d), part(s, d + 2)]),
    "tightest": lambda s, d: tightest([part(s, d), part(s, d + 2)]),
    "map": lambda s, d: monotone_map(part(s, d), lambda x: 3 * x, resolution=1),
    "persons": lambda s, d: strided(part(s, d), 2),
    "users' units": lambda s, d: part(s, d).in_users_units(),
}
BOUNDED: dict[str, Callable[[Ends, int], Profile]] = {
    "quotient": lambda s, d: quotient(part(s, d), shift(part(s, d), 1), resolution=Fraction(1, 64)),
    "root": lambda s, d: square_root(part(s, d), resolution=Fraction(1, 8), unit=Fraction(1)),
}
MECHANISMS: list[Any] = [
    ln.PiecewiseLaplace(),
    ln.InverseSensitivity(),
    ln.AsymmetricSensitivity(),
    ln.AsymmetricSensitivity(beta="auto", side="down"),
    ln.SmoothLaplace(delta="1e-3"),
    ln.TightOrLoose(),
    ln.CentredLaplace(),
    ln.Laplace(),
]


@pytest.mark.parametrize("form", [*FORMS, *BOUNDED])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_no_mechanism_reads_beyond_the_depth_of_a_part(mechanism: Any, form: str) -> None:
    made, laws = {**FORMS, **BOUNDED}[form], 0
    for support in SUPPORTS if form in FORMS else SUPPORTS[:1]:
        for depth in (0, 3):
            profile = made(support, depth)
            try:
                law = mechanism.law(profile, Fraction(1, 5))
            except ParameterError:  # it needs a finite range, or moments
                continue
            laws += 1
            for seed in range(12):
                law.draw(HashedBits(b"depth %d" % seed))
    assert laws or isinstance(mechanism, ln.CentredLaplace)
