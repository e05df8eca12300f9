"""Error of the median of block answers, by the lattice it is released on.

    python benchmarks/sample_and_aggregate.py

Answers of 60 blocks in bounds (0, 10), normal about pi with a standard deviation (0: all agree);
mean absolute error over 400 simulated releases, PiecewiseLaplace. "rho" smooths on the finest
lattice by 1/1000 of the width instead.
"""

from __future__ import annotations

from fractions import Fraction
from math import pi
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.testing import simulate

BLOCKS, RUNS, WIDTH = 60, 400, 10
LATTICES: dict[str, dict[str, Any]] = {
    "2^-10": {"step": Fraction(WIDTH, 2**10)},
    "default": {},
    "2^-20": {"step": Fraction(WIDTH, 2**20)},
    "2^-48": {"step": Fraction(WIDTH, 2**48)},
    "rho": {"step": Fraction(WIDTH, 2**48), "rho": Fraction(WIDTH, 1000)},
}


class Answered(ln.SampleAndAggregate):
    """Blocks whose answers are given."""

    answers: Any = None

    def _answers(self, data: Any) -> Any:
        return self.answers


def error(spread: float, epsilon: str, *, step: object = None, rho: object = 0) -> float:
    """Mean distance of a release from the median of the answers."""
    answers = np.random.default_rng(0).normal(pi, spread, (RUNS, BLOCKS))
    program = Answered(np.mean, bounds=(0, WIDTH), blocks=BLOCKS, step=step)
    mechanism = ln.PiecewiseLaplace(rho=rho)
    found: list[float] = []
    with simulate(1):
        for row in answers:
            program.answers = row[:, None]
            value: Any = program.respond([0], epsilon=epsilon, mechanism=mechanism).value
            found.append(abs(value - float(np.median(row))))
    return float(np.mean(found))


def main() -> None:
    """Print the table."""
    print("| epsilon | spread | " + " | ".join(LATTICES) + " |")
    print("|---|---|" + "---|" * len(LATTICES))
    for epsilon in ("0.5", "1", "2"):
        for spread in (0.0, 0.001, 0.1, 1.0):
            cells = (f"{error(spread, epsilon, **asked):.2g}" for asked in LATTICES.values())
            print(f"| {epsilon} | {spread:g} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
