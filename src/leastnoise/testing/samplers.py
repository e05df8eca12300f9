"""The verdict on the basic samplers of the installed version, at the edges of their decisions.

Chance alone cannot find a bias of 2**-64 or a float among the integers. So the samplers are
handed uniforms that lie 2**-150 beside an exact threshold, where only an exact decision with one
and the same uniform is right; their laws at ordinary scales, and the lowest bits at enormous ones,
are compared by chi-square over fixed streams.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from math import exp
from typing import Any

from leastnoise.numbers import scaled_exp_enclosure
from leastnoise.params import parse_count
from leastnoise.randomness import BitSource
from leastnoise.sampling import (
    bernoulli_exp,
    bernoulli_real,
    bernoulli_scaled,
    discrete_gaussian,
    discrete_laplace,
    geometric,
)
from leastnoise.sampling.above_threshold import failures_before_success
from leastnoise.testing import goodness
from leastnoise.testing.scripted import CLOSE, LENGTH, ScriptedBits, exp_digits, uniform_beside
from leastnoise.testing.violations import Subject

_RATIOS = (
    Fraction(1, 3),
    Fraction(1),
    Fraction(5, 2),
    Fraction(22, 1),
    Fraction(1, 1000),
    Fraction(1, 2**40),
    Fraction(3**40, 5**30),
    Fraction(7, 2**70),
)


def check_samplers(*, draws: int = 2000) -> None:
    """Try to refute that the basic samplers are exact.

    Parameters
    ----------
    draws : int
        Draws for each chi-square; 0 for none.

    Raises
    ------
    ParameterError, ParameterTypeError
        For draws that are not whole numbers of at least 0.
    PrivacyViolation
        Naming the sampler, its parameters and the decision that was wrong.

    Notes
    -----
    The samplers of whole laws are checked by ``check_law``.
    """
    draws = parse_count(draws, "draws", least=0)
    _bernoulli()
    _sequences()
    _gaps()
    if draws:
        _laws(draws)
        _lowest_bits(draws)


def _bernoulli() -> None:
    """Accept exactly the uniforms below the threshold, however close they are to it."""
    for ratio in _RATIOS:
        p, q = ratio.numerator, ratio.denominator
        _decide("bernoulli_exp", ratio, 0, lambda s, p=p, q=q: bernoulli_exp(p, q, s))
        _decide("bernoulli_real", ratio, 0, _real(p, q))
        for shift in (-3, 1, 30):
            _decide(
                "bernoulli_scaled",
                ratio,
                shift,
                lambda s, p=p, q=q, shift=shift: bernoulli_scaled(shift, p, q, s),
            )


def _real(p: int, q: int) -> Callable[[BitSource], bool]:
    return lambda source: bernoulli_real(lambda bits: scaled_exp_enclosure(0, p, q, bits), source)


def _decide(name: str, ratio: Fraction, shift: int, draw: Callable[[BitSource], bool]) -> None:
    threshold = exp_digits(ratio) * Fraction(2) ** shift
    if threshold >= 1:
        return
    for side in (-1, 1):
        u = uniform_beside(threshold, side)
        if u is None:
            continue
        if draw(ScriptedBits(u, LENGTH)) != (side < 0):
            raise Subject(name, ratio=ratio, shift=shift).violation(
                "a draw is True exactly when its one uniform lies below the threshold",
                f"wrong for a uniform 2**-{CLOSE} {'below' if side < 0 else 'above'} "
                "2**shift exp(-ratio)",
            )


def _sequences() -> None:
    """Samplers made of several decisions, each decided at its edge."""
    below, above = (uniform_beside(exp_digits(Fraction(1)), side) or 0 for side in (-1, 1))
    # scale 1: the magnitude is the number of uniforms below exp(-1) before one above it
    for size in range(4):
        uniforms = [below] * size + [above]
        _expect("geometric", size, geometric(1, 1, _script(uniforms)))
        for sign in (0, 1):
            if size or not sign:
                drawn = discrete_laplace(1, 1, _script(uniforms, sign))
                _expect("discrete_laplace", -size if sign else size, drawn)
    # variance 1/4: 1 is proposed and kept below exp(-9/8), else 0 is proposed and kept
    keep = exp_digits(Fraction(9, 8))
    for side, expected in ((-1, 1), (1, 0)):
        first = [below, above, None, uniform_beside(keep, side)]
        source = _script([*first, above, None, 0])
        _expect("discrete_gaussian", expected, discrete_gaussian(Fraction(1, 4), source))


def _gaps() -> None:
    """Failures before a coin of probability 2^-j lands: K >= k exactly for U < (1 - 2^-j)^k."""
    for block in (1, 2, 9, 30):
        for k in (1, 2, 5):
            threshold = (1 - Fraction(1, 1 << block)) ** k
            for side, expected in ((-1, k), (1, k - 1)):
                u = uniform_beside(threshold, side) or 0
                drawn = failures_before_success(block, 1 << 60, ScriptedBits(u, LENGTH))
                _expect("failures_before_success", expected, drawn)


def _script(uniforms: Sequence[int | None], sign: int | None = None) -> ScriptedBits:
    """Uniforms of full length one after the other; None is a single 0 bit, ``sign`` the last."""
    value, length = 0, 0
    for uniform in uniforms:
        wide = 1 if uniform is None else LENGTH
        value, length = value << wide | (uniform or 0), length + wide
    if sign is not None:
        value, length = value << 1 | sign, length + 1
    return ScriptedBits(value, length)


def _expect(name: str, expected: int, drawn: int) -> None:
    if drawn != expected:
        raise Subject(name).violation(
            "every decision uses one exact uniform",
            f"uniforms beside the thresholds gave {drawn}, not {expected}",
        )


def _laws(draws: int) -> None:
    """Chi-square at ordinary scales."""
    for name, draw, mass in _cases():
        source = goodness.stream(name)
        counts = Counter[Any](draw(source) for _ in range(draws))
        reach = max(abs(k) for k in counts) + 60
        cells: dict[Hashable, float] = {k: mass(k) for k in range(-reach, reach + 1)}
        total = sum(cells.values())
        chance = goodness.p_value(counts, {k: v / total for k, v in cells.items()})
        if chance < goodness.LEAST:
            raise Subject(name).violation(
                "draws follow the law", f"chi-square of {draws} draws has p = {chance:.1e}"
            )


def _cases() -> Iterator[tuple[str, Callable[[BitSource], int], Callable[[int], float]]]:
    for p, q in ((1, 1), (1, 4), (3, 2), (2, 7)):
        rate = p / q
        yield (
            f"geometric({p}, {q})",
            lambda s, p=p, q=q: geometric(p, q, s),
            lambda k, rate=rate: exp(-rate * k) if k >= 0 else 0.0,
        )
        yield (
            f"discrete_laplace({p}, {q})",
            lambda s, p=p, q=q: discrete_laplace(p, q, s),
            lambda k, rate=rate: exp(-rate * abs(k)),
        )
    for variance in (Fraction(1, 4), Fraction(9, 2), Fraction(30)):
        yield (
            f"discrete_gaussian({variance})",
            lambda s, variance=variance: discrete_gaussian(variance, s),
            lambda k, variance=variance: exp(-k * k / float(2 * variance)),
        )


def _lowest_bits(draws: int) -> None:
    """At a scale of 2**90 the lowest four bits are uniform; floats leave zeros there."""
    wide = 2**90 + 1
    samplers: tuple[tuple[str, Callable[[BitSource], int]], ...] = (
        ("geometric", lambda s: geometric(1, wide, s)),
        ("discrete_laplace", lambda s: discrete_laplace(1, wide, s)),
        ("discrete_gaussian", lambda s: discrete_gaussian(Fraction(wide) ** 2, s)),
    )
    uniform: dict[Hashable, float] = dict.fromkeys(range(goodness.RESIDUES), 1 / goodness.RESIDUES)
    for name, draw in samplers:
        source = goodness.stream(f"{name}, lowest bits")
        points = [draw(source) for _ in range(draws)]
        chance = goodness.p_value(goodness.residues(points), uniform)
        if chance < goodness.LEAST:
            raise Subject(name).violation(
                "the lowest bits of draws follow the law",
                f"at scale 2**90 their chi-square has p = {chance:.1e}",
            )
