"""What 100 releases of a fixed plan add up to: this library's accounting beside others.

Compares piecewise-Laplace releases (bounded range), the same releases by Laplace noise, and what
dp-accounting answers for an event of which it knows only epsilon. Prints the table of
docs/accounting.md (``python tools/dev.py readme`` writes it there). Needs the extra ``accounting``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from math import ceil

from dp_accounting.pld import common, privacy_loss_distribution

from leastnoise.accounting import LaplaceNoise, compose
from leastnoise.accounting.conversions import Loss
from leastnoise.guarantees import BoundedRange, PureDP

EPSILON, DELTA = Fraction(1, 10), Fraction(1, 10**6)
COUNTS = (1, 10, 30, 100, 300)


def theirs(count: int) -> float:
    """dp-accounting's own answer for ``count`` events of which it only knows epsilon."""
    parameters = common.DifferentialPrivacyParameters(float(EPSILON), 0.0)
    single = privacy_loss_distribution.from_privacy_parameters(parameters)
    return single.self_compose(count).get_epsilon_for_delta(float(DELTA))


def ours(loss: Loss, count: int, fixed: str) -> tuple[float, str]:
    """The smallest valid bound, and by which theorem."""
    bound = compose([loss] * count, delta=DELTA, fixed=fixed).smallest
    return float(bound.epsilon), bound.method


def rows() -> list[tuple[str, str, Callable[[int], float], str]]:
    """Name, what must be fixed, the numbers, and the theorem at 100 releases."""
    piecewise, laplace = BoundedRange(EPSILON), LaplaceNoise(EPSILON, 1000)
    generic = PureDP(EPSILON)
    made: list[tuple[str, str, Callable[[int], float], str]] = [
        ("basic composition", "nothing", lambda k: float(k * EPSILON), "sum")
    ]
    for name, loss, fixed in (
        ("any epsilon-DP release", generic, "guarantees"),
        ("Laplace", laplace, "guarantees"),
        ("piecewise Laplace", piecewise, "guarantees"),
        ("piecewise Laplace", piecewise, "plan"),
    ):
        method = ours(loss, 100, fixed)[1]
        made.append((name, fixed, lambda k, x=loss, f=fixed: ours(x, k, f)[0], method))
    made.append(("dp-accounting, epsilon-DP event", "guarantees", theirs, "its own"))
    return made


def table() -> str:
    """The table in Markdown; numbers rounded up to three decimals."""
    head = ["k releases of", "fixed before the first answer", *(f"k = {k}" for k in COUNTS)]
    lines = [
        f"| {' | '.join([*head, 'theorem at k = 100'])} |",
        "|---|---|" + "---:|" * len(COUNTS),
    ]
    lines[1] += "---|"
    for name, fixed, number, method in rows():
        numbers = [f"{ceil(number(k) * 1000 - 1e-6) / 1000:.3f}" for k in COUNTS]
        lines.append(f"| {' | '.join([name, fixed, *numbers, method])} |")
    return "\n".join(lines)


def main() -> int:
    print(table())
    best = ours(BoundedRange(EPSILON), 100, "plan")[0]
    others = (10.0, ours(LaplaceNoise(EPSILON, 1000), 100, "plan")[0], theirs(100))
    if not best < min(others):
        print(f"{best} is not below {others}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
