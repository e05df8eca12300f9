"""Smooth Laplace against 80 digits: the decay it takes, and the largest of all its levels."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.mechanisms.smooth_laplace import _is_smooth, decay
from leastnoise.profiles import Profile

DIGITS = 80
EPSILONS = ["1/100", "1/2", "3", "10", "47/4", "12", "16", "48", "64", "300"]
DELTAS = ["9/10", "1/3", "1/100", "1/10000000", "1/1000000000000"]


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def lost(b: Fraction, epsilon: Fraction) -> Fraction:
    """e^-t (1 - e^-b), t = (epsilon/2 + b) / (e^b - 1): the delta that scales e^b apart need."""
    with localcontext() as context:
        context.prec = DIGITS
        small = (-decimal(b)).exp()
        t = decimal(epsilon / 2 + b) * small / (1 - small)
        return Fraction((-t).exp() * (1 - small))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_decay_is_the_largest_that_delta_allows(epsilon: str, delta: str) -> None:
    e, d = Fraction(epsilon), Fraction(delta)
    b = decay(e, d)
    assert 0 < b <= e / 2
    assert lost(b, e) <= d
    with localcontext() as context:
        context.prec = DIGITS
        published = e / (2 * Fraction((2 / decimal(d)).ln()))
    # neither above what was published nor far below both limits
    near = Fraction(1, 2**18)
    assert b <= published
    assert b > min(published, e / 2) * (1 - near) or lost(b * (1 + near), e) > d


@pytest.mark.parametrize("b", ["1/1000", "1/40", "1/3", "1", "5"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_is_certain_is_rounded_against_the_claim(epsilon: str, b: str) -> None:
    """A delta that is smaller by less than 64 bits tell apart is not allowed."""
    e, scale = Fraction(epsilon), Fraction(b)
    needed = lost(scale, e)
    assert not _is_smooth(scale, e, needed * (1 - Fraction(1, 10**30)))
    if needed > Fraction(1, 2**40):
        assert _is_smooth(scale, e, needed * (1 + Fraction(1, 2**15)))


def profile_of(sizes: list[int], width: int, depth: int | None) -> Profile:
    """The local sensitivity of each level; the width of the range beyond the last of them."""
    return Profile(
        value=width // 3,
        lower=lambda level: 0 if level else width // 3,
        upper=lambda level: width if level else width // 3,
        support=(0, width),
        local_sensitivity=lambda level: sizes[min(level, len(sizes) - 1)],
        integral=True,
        depth=depth,
    )


LEVELS = st.lists(st.one_of(st.just(0), st.integers(1, 3), st.integers(1, 400)), max_size=60)


@settings(max_examples=60, deadline=None)
@given(
    steps=LEVELS,
    wider=st.integers(0, 3000),
    depth=st.one_of(st.none(), st.integers(0, 70)),
    epsilon=st.sampled_from(["1/2", "1", "6", "40"]),
    delta=st.sampled_from(["1/3", "1/1000", "1/1000000000"]),
)
@example(steps=[1, 0, 2, 0, 50, 0, 0, 400], wider=0, depth=6, epsilon="1", delta="1/3")
@example(steps=[0] * 40 + [9], wider=0, depth=None, epsilon="6", delta="1/1000")
@example(steps=[0] * 5 + [400], wider=0, depth=6, epsilon="1", delta="1/3")  # the last that is read
@example(steps=[], wider=3000, depth=3, epsilon="1", delta="1/3")
@example(steps=[], wider=3000, depth=None, epsilon="40", delta="1/3")
def test_the_scale_is_the_largest_of_all_levels(
    steps: list[int], wider: int, depth: int | None, epsilon: str, delta: str
) -> None:
    """max over l of e^(-b l) A(l), every level one by one, and one step of the lattice."""
    sizes = [1]
    for step in steps:
        sizes.append(sizes[-1] + step)
    width = sizes[-1] + wider
    e, d = Fraction(epsilon), Fraction(delta)
    mechanism = ln.SmoothLaplace(delta=d)
    law: Any = mechanism.law(profile_of(sizes, width, depth), e)
    far = mechanism.depth(e, width.bit_length())
    known = far if depth is None else min(far, depth)
    with localcontext() as context:
        context.prec = DIGITS
        b = decimal(decay(e, d))

        def at(level: int, size: int) -> Decimal:
            return (-b * level).exp() * size

        # what is read no more may change by all of the range
        assert at(far + 1, width) < 1
        found = [at(level, sizes[min(level, len(sizes) - 1)]) for level in range(known + 1)]
        exact = Fraction(2 * max(Decimal(1), at(known + 1, width), *found) / decimal(e))
    for bits in (64, 200):
        low, high = law.scale(bits)
        assert low <= exact * 2**bits <= high
        assert high - low <= 4


@pytest.mark.parametrize("epsilon", ["1", "6"])
def test_levels_that_are_nearly_alike_are_told_apart(epsilon: str) -> None:
    """Doubles only leave out what is far below the largest; the scale holds the largest itself."""
    e, d, most = Fraction(epsilon), Fraction(1, 1000), 10**15
    with localcontext() as context:
        context.prec = DIGITS
        b = decimal(decay(e, d))
        for more in range(-3, 4):
            alike = [int(most * (b * level).exp()) + more * level for level in range(8)]
            law: Any = ln.SmoothLaplace(delta=d).law(profile_of(alike, alike[-1], None), e)
            exact = max((-b * level).exp() * size for level, size in enumerate(alike))
            low, high = law.scale(64)
            assert low <= Fraction(2 * exact / decimal(e)) * 2**64 <= high
