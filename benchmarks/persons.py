"""Expected errors where persons are protected: levels m rows apart against epsilon divided by m.

    python benchmarks/persons.py

Public data: N persons of m rows each, exponential values, half of each value the person's own;
the median within bounds (0, 100) under add-remove. Exact expected errors from the laws themselves.
Each cell is the error with levels m rows apart, and how many times larger it is with epsilon / m
for every row (smooth noise: delta divided by the sum of e^(i epsilon / m), i < m, as groups need).
"""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset, Unit

STATISTIC = ln.Median("x", bounds=(0, 100))
DELTA = 1e-6
MECHANISMS = {
    "PiecewiseLaplace": ln.PiecewiseLaplace(),
    "InverseSensitivity": ln.InverseSensitivity(),
    "AsymmetricSensitivity": ln.AsymmetricSensitivity(),
    "SmoothLaplace": ln.SmoothLaplace(delta=DELTA),
}


def data(persons: int, rows: int) -> dict[str, Any]:
    """Every person has ``rows`` rows."""
    rng = np.random.default_rng(7)
    own = rng.exponential(5, persons).repeat(rows)
    values = own + rng.exponential(5, persons * rows)
    return {"id": np.arange(persons).repeat(rows), "x": values}


def error(mechanism: Any, table: Any, rows: int, epsilon: Fraction, *, stride: bool) -> float:
    """The exact expected distance of the answer from the median."""
    prepared = plan(STATISTIC, table, "add-remove", None, subset=Subset(unit=Unit("id", rows)))
    if not stride:
        prepared, epsilon = prepared.by_rows(), epsilon / rows
        if isinstance(mechanism, ln.SmoothLaplace):
            group = sum(exp(i * float(epsilon)) for i in range(rows))
            mechanism = ln.SmoothLaplace(delta=DELTA / group)
    levels = prepared.levels(mechanism, epsilon)
    (profile,) = prepared.profiles(prepared.table.summarise(prepared.request, levels))
    law = mechanism.law(profile, epsilon)
    return law.mean_absolute_error(centre=profile.in_users_units().value)


def main() -> None:
    """One line of a table a setting."""
    print(f"| persons | epsilon | m | {' | '.join(MECHANISMS)} |")
    print("|---:|---:|---:|" + "---|" * len(MECHANISMS))
    for persons in (20, 100, 1000):
        for epsilon in (Fraction(1), Fraction(4)):
            for rows in (2, 8):
                table = data(persons, rows)
                cells: list[str] = []
                for mechanism in MECHANISMS.values():
                    ours, divided = (
                        error(mechanism, table, rows, epsilon, stride=stride)
                        for stride in (True, False)
                    )
                    cells.append(f"{ours:.4g} (x {divided / ours:.2f})")
                print(f"| {persons} | {epsilon} | {rows} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
