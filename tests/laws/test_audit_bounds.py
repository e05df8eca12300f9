"""What an audit says of two laws holds what their definition gives, also of several parts."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import exp, inf, log, prod
from typing import Any

import pytest

from leastnoise.audit.divergence import concentrated, hockey_stick
from leastnoise.audit.enclosure import ZERO, Enclosure
from leastnoise.audit.forms import Form, Masses, Product
from leastnoise.audit.losses import log_ratio_of

Table = dict[Any, Fraction]
ORDERS = [1 + 2**k for k in (-6, -2, 0, 1, 3, 5)]


def table(draw: random.Random, outputs: str) -> Table:
    weights = [draw.choice([1, 2, 3, 9, 40]) for _ in outputs]
    return {y: Fraction(w, sum(weights)) for y, w in zip(outputs, weights, strict=True)}


def masses(law: Table, unlisted: set[str]) -> Masses:
    """The law with some outputs known by a bound on all of them alone."""
    rest = sum((p for y, p in law.items() if y in unlisted), Fraction(0))
    listed = {y: Enclosure.of(p) for y, p in law.items() if y not in unlisted}
    return Masses(listed, Enclosure(0, Enclosure.of(rest).hi) if rest else ZERO)


def joint(laws: list[Table]) -> Table:
    return {
        tuple(y for y, _ in one): prod((p for _, p in one), start=Fraction(1))
        for one in product(*(law.items() for law in laws))
    }


def loss(a: Table, b: Table) -> float:
    """The greatest log ratio; infinite where the second law has no such output."""
    return max(log(p / b[y]) if y in b else inf for y, p in a.items())


def within(low: Any, exact: float, high: Any) -> None:
    spare = 1e-9
    assert float(low) - spare <= exact <= float(high) + spare


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("unlisted", [0, 1, 2])
def test_bounds_hold_what_the_definition_gives(parts: int, unlisted: int) -> None:
    draw, epsilons = random.Random(parts), [Fraction(0), Fraction(1, 2), Fraction(2), Fraction(4)]
    for turn in range(6):
        pairs = [(table(draw, "abcd"), table(draw, "abcd")) for _ in range(parts)]
        if unlisted:  # the second law never has the last output, and one of both does not list it
            last = {"d"}
            pairs = [(a, {y: p / (1 - b["d"]) for y, p in b.items() if y != "d"}) for a, b in pairs]
        else:
            last = set[str]()
        made = [(masses(a, last if unlisted == 1 else set()), masses(b, set())) for a, b in pairs]
        one, other = (joint([pair[i] for pair in pairs]) for i in (0, 1))
        first: Form = Product(tuple(a for a, _ in made)) if parts > 1 else made[0][0]
        second: Form = Product(tuple(b for _, b in made)) if parts > 1 else made[0][1]
        for a, b, p, q in ((first, second, one, other), (second, first, other, one)):
            found = log_ratio_of(a, b)
            within(found.greatest.lo, loss(p, q), found.greatest.hi)
            if max(loss(p, q), loss(q, p)) < inf:
                within(found.worst.lo, max(loss(p, q), loss(q, p)), found.worst.hi)
                within(found.range.lo, loss(p, q) + loss(q, p), found.range.hi)
            if not unlisted and parts < 3 and turn == 0:  # many orders, each with exact powers
                rho = concentrated(a, b, Fraction(0))
                for order in ORDERS:
                    total = sum(float(p[y]) ** order * float(q[y]) ** (1 - order) for y in p)
                    assert log(total) / (order - 1) / order <= float(rho.hi) + 1e-9
            for epsilon in epsilons:
                delta = sum(
                    max(0.0, float(mass) - exp(epsilon) * float(q.get(y, 0)))
                    for y, mass in p.items()
                )
                bound = hockey_stick(a, b, epsilon)
                within(bound.lo, delta, bound.hi)
