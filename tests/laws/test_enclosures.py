"""What is enclosed with few bits holds what is enclosed with more: no end is on the wrong side."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from leastnoise import AsymmetricSensitivity, PiecewiseLaplace
from leastnoise import geometry as g
from leastnoise.estimators.sigmoid import sigmoid_enclosure
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.laws.interval import IntervalLaw
from leastnoise.laws.selection import PermuteAndFlipLaw
from leastnoise.numbers.exact import exp_enclosure, ln2_enclosure, log_enclosure
from leastnoise.numbers.normal import pi_enclosure
from leastnoise.profiles import Profile
from leastnoise.randomness import BitSource, HashedBits, bernoulli_real
from leastnoise.sampling import discrete, rounded_gaussian
from leastnoise.sampling.reals import RealVector
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


def space(**more: Any) -> g.MomentSpace:
    return g.MomentSpace(3, **more)


VECTORS: dict[str, Callable[[BitSource], RealVector]] = {
    "normal": lambda source: rounded_gaussian.NormalVector(4, Fraction(7, 3), source),
    "cone of squares": lambda source: g.MomentCone(space(squares=(0, 2))).noise(1, source),
    "cone and count": lambda source: g.MomentCone(space(), count=True).noise(
        Fraction(1, 9), source
    ),
    "cone of groups": lambda source: g.MomentCone(space(exclusive=[[0, 1]])).noise(1, source),
    **{
        f"{way} {name}": lambda source, b=ball, w=way: (
            b.uniform(source) if w == "uniform" else b.noise(Fraction(1, 7), source)
        )
        for way in ("uniform", "noise")
        for name, ball in {
            "l1": g.LpBall(1, 3),
            "l2": g.LpBall(2, 4),
            "l3": g.LpBall(3, 2),
            "linf": g.LpBall("inf", 2),
            "ellipsoid": g.Ellipsoid([1, 2, 3]),
            "map": g.Linear([[2, -1], [0, "-1/3"]], g.LpBall(1, 2)),
            "common": g.Intersection(g.LpBall(1, 2), g.LpBall("inf", 2).scaled("3/4")),
            "product": g.Product([(g.LpBall(2, 2), (0, 2)), (g.LpBall("inf", 1), (1,))]),
            "polytope": g.Polytope(facets=[(1, -1), ("1/9", "1/9")]),
            **{kind: g.moment_ball(kind, space()) for kind in ("paper", "tri", "cycles", "sdp")},
        }.items()
    },
}


@pytest.mark.parametrize("kind", VECTORS)
def test_more_digits_of_a_real_draw_lie_inside_fewer(kind: str) -> None:
    source = HashedBits(kind.encode())
    for _ in range(20):
        drawn = VECTORS[kind](source)
        fine = drawn.enclose(MORE)
        for bits in range(FEW):
            for (low, high), (least, most) in zip(drawn.enclose(bits), fine, strict=True):
                assert low << (MORE - bits) <= most  # both hold the draw
                assert least <= high << (MORE - bits)
        assert all(least <= most for least, most in fine)


@pytest.mark.parametrize(
    "draw",
    [
        lambda source: rounded_gaussian.NormalVector(1, Fraction(1), source),
        lambda source: discrete.geometric(1, 9, source),
    ],
    ids=["normal", "geometric"],
)
def test_the_chances_of_coins_are_enclosed(
    monkeypatch: pytest.MonkeyPatch, draw: Callable[[BitSource], object]
) -> None:
    tossed = 0

    def checked(enclosure: Callable[[int], tuple[int, int]], source: BitSource) -> bool:
        nonlocal tossed
        tossed += 1
        few = [(bits, enclosure(bits)) for bits in (4, 9, 14, FEW, 40)]
        least, most = enclosure(MORE)
        for bits, (low, high) in few:
            assert low << (MORE - bits) <= most
            assert least <= high << (MORE - bits)
        return bernoulli_real(enclosure, source)

    for module in (discrete, rounded_gaussian):
        monkeypatch.setattr(module, "bernoulli_real", checked)
    source = HashedBits(b"coins")
    while tossed < 300:
        draw(source)
