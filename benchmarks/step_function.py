"""Figure 1 of Asi and Duchi (2020), corrected: likely answers of three mechanisms for f_step.

    python benchmarks/step_function.py [--width 100] [--epsilon 1] [--delta 1e-4]

f_step is the number of ones divided by the width and rounded down. For each number of ones the
table gives the smallest interval that holds at least 90 % of a mechanism's answers, from its law.
The paper says that the inverse sensitivity mechanism answers f - 1 at a step; it answers f or
f - 1, and f is the likelier.
"""

from __future__ import annotations

import argparse

import numpy as np

import leastnoise as ln
from leastnoise import theory

ROWS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--delta", default="1e-4")
    asked = parser.parse_args()
    mechanisms = {
        "Laplace": ln.Laplace(),
        "smooth Laplace": ln.SmoothLaplace(delta=asked.delta),
        "inverse sensitivity": ln.InverseSensitivity(),
    }
    print("| ones | f | " + " | ".join(mechanisms) + " | P(f) | P(f - 1) |")
    print("|---:|---:|" + "---|" * len(mechanisms) + "---:|---:|")
    start = 3 * asked.width
    for ones in range(start, start + asked.width + 1, max(1, asked.width // 20)):
        data = np.array([1] * ones + [0] * (ROWS - ones), dtype=np.int64)
        p = ln.profile(theory.StepCount(width=asked.width, max_rows=ROWS), data)
        sets = [
            "[{}, {}]".format(*theory.likely_set(m.law(p, asked.epsilon)))
            for m in mechanisms.values()
        ]
        law, f = mechanisms["inverse sensitivity"].law(p, asked.epsilon), int(p.value)
        shown = f"{law.pmf(f):.2f} | {law.pmf(f - 1):.2f}"
        print(f"| {ones} | {f} | " + " | ".join(sets) + f" | {shown} |")


if __name__ == "__main__":
    main()
