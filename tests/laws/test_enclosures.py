"""What is enclosed with few bits holds what is enclosed with more: no end is on the wrong side."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from leastnoise import AsymmetricSensitivity, PiecewiseLaplace
from leastnoise.estimators.sigmoid import sigmoid_enclosure
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.laws.interval import IntervalLaw
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.numbers.exact import exp_enclosure, ln2_enclosure, log_enclosure
from leastnoise.numbers.normal import pi_enclosure
from leastnoise.profiles import Profile
from leastnoise.session.search.ends import nested_law
from leastnoise.summaries.records import records_of

Ends = tuple[Any, Any]
Enclosed = Callable[[int], Iterable[Ends]]
FEW, MORE = 20, 90


def ratio(draw: random.Random) -> Fraction:
    return Fraction(draw.randrange(1, 6), draw.randrange(1, 9))


def profile(draw: random.Random) -> Profile:
    value, step = draw.randrange(41), draw.randrange(1, 5)
    return Profile(
        value=value,
        lower=lambda level: max(0, value - step * level),
        upper=lambda level: min(40, value + step * level),
        support=(0, 40),
        integral=True,
    )


def first(draw: random.Random) -> Enclosed:
    heights = [draw.randrange(-3, 60) for _ in range(draw.choice([1, 5, 40, 200]))]
    e1, e2, gate = (
        Fraction(draw.randrange(1, 5)),
        ratio(draw),
        (draw.randrange(-5, 20), ratio(draw)),
    )
    given = draw.choice([None, gate])
    return lambda bits: enclose_indices(heights, e1, e2, bits, gate=given)


def interval(draw: random.Random) -> Enclosed:
    records = records_of(sorted(draw.randrange(9) for _ in range(7)))
    law = IntervalLaw(records, range(9), (draw.randrange(5), draw.randrange(4, 9)), ratio(draw),
                      ratio(draw))  # fmt: skip
    return lambda bits: law.enclosures(bits).values()


def of_law(make: Callable[[random.Random], Any]) -> Callable[[random.Random], Enclosed]:
    def made(draw: random.Random) -> Enclosed:
        law = make(draw)
        return lambda bits: [ends for _, ends in sorted(law.enclosures(bits).items())]

    return made


def number(
    of: Callable[[int, int, int], tuple[int, int]],
) -> Callable[[random.Random], Enclosed]:
    def made(draw: random.Random) -> Enclosed:
        asked = ratio(draw)

        def ends(bits: int) -> Iterator[Ends]:
            low, high = of(asked.numerator, asked.denominator, bits)
            yield Fraction(low, 1 << bits), Fraction(high, 1 << bits)

        return ends

    return made


KINDS: dict[str, Callable[[random.Random], Enclosed]] = {
    "first firing": first,
    "interval": interval,
    "above threshold": of_law(
        lambda draw: AsymmetricSensitivity(beta="1.3").law(profile(draw), ratio(draw))
    ),
    "levels": of_law(lambda draw: PiecewiseLaplace(base="log").law(profile(draw), ratio(draw))),
    "nested": of_law(
        lambda draw: nested_law(profile(draw), Fraction(20), ratio(draw), Fraction(1, 10))
    ),
    "permute and flip": of_law(
        lambda draw: PermuteAndFlipLaw([draw.randrange(9) for _ in range(12)], ratio(draw))
    ),
    "exponential": number(exp_enclosure),
    "logarithm": number(log_enclosure),
    "sigmoid": number(sigmoid_enclosure),
    "logarithm of 2": number(lambda _, __, bits: ln2_enclosure(bits)),
    "pi": number(lambda _, __, bits: pi_enclosure(bits)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_more_bits_lie_inside_fewer(kind: str) -> None:
    for seed in range(90 if kind == "first firing" else 8):
        enclosed = KINDS[kind](random.Random(seed))
        for (low, high), (least, most) in zip(enclosed(FEW), enclosed(MORE), strict=True):
            assert low <= least <= most <= high
