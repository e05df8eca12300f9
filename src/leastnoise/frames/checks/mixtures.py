"""NOT PRIVATE. Numbers of two units in one column that nothing else tells apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from statistics import quantiles
from typing import Final

import numpy as np

from leastnoise.frames.checks.report import Finding

# How many times as large one unit is as another, for what is measured in both.
_FACTORS: Final = {
    2.2046: "pounds beside kilograms",
    2.54: "centimetres beside inches",
    3.2808: "feet beside metres",
    3.7854: "litres beside gallons",
    3.6: "kilometres an hour beside metres a second",
    18.016: "mg/dL beside mmol/L of glucose",
    38.67: "mg/dL beside mmol/L of cholesterol",
    88.42: "µmol/L beside mg/dL of creatinine",
    7.5006: "mmHg beside kPa",
    100: "amounts in cents beside others",
    1000: "thousandths beside others",
}
_WARMEST = 50  # degrees Celsius
_LEAST, _CELLS, _EACH = 100, 40, 0.05
_NEAR, _DEEP, _MOST = 0.06, 0.5, 10_000


def two_units(where: str, of: Counter[float], texts: Mapping[float, str]) -> Iterator[Finding]:
    """Two groups of numbers, of which one has the quartiles of the other in another unit.

    Parameters
    ----------
    where
        The column.
    of, texts
        How often each number is there, and its text.
    """
    if of.total() < _LEAST or len(of) < _CELLS:
        return
    ordered = sorted(of)
    every = np.repeat(ordered, [of[x] for x in ordered])
    numbers: list[float] = every[:: 1 + len(every) // _MOST].tolist()
    turned: list[tuple[float, Finding]] = []
    cut = _valley(numbers)
    if cut is not None:
        small, large = _apart(numbers, cut)
        units = "as large in another unit: perhaps degrees Fahrenheit beside Celsius"
        off = _difference([1.8 * x + 32 for x in small], large)
        if small[1] < _WARMEST:
            turned.append((off, _two_groups(where, units, texts, small, large)))
        units = "273.15 larger: perhaps kelvins beside degrees Celsius"
        off = _difference([x + 273.15 for x in small], large)
        turned.append((off, _two_groups(where, units, texts, small, large)))
    if numbers[0] > 0 and (cut := _valley([*map(log, numbers)])) is not None:
        small, large = _apart(numbers, exp(cut))
        for factor, pair in _FACTORS.items():
            units = f"{factor:g} times as large: perhaps {pair}"
            off = _difference([factor * x for x in small], large)
            turned.append((off, _two_groups(where, units, texts, small, large)))
    off, best = min(turned, key=lambda one: one[0], default=(1.0, None))
    if best is not None and off < 1:
        yield best


def _difference(smaller: Sequence[float], large: Sequence[float]) -> float:
    """How far quartiles that were turned into the other unit are from those of the other group; 1
    is too far.
    """
    near = min(_NEAR * abs(large[1]), (large[2] - large[0]) / 2)
    return max(abs(x - y) for x, y in zip(smaller, large, strict=True)) / near if near else 1


def _valley(numbers: Sequence[float]) -> float | None:
    """Where few numbers lie between two groups; None if there are no two."""
    low, width = numbers[0], numbers[-1] - numbers[0]
    cells = Counter(min(_CELLS - 1, int(_CELLS * (x - low) / width)) for x in numbers)
    smooth = [sum(cells[i + j] * (3 - abs(j)) for j in (-2, -1, 0, 1, 2)) for i in range(_CELLS)]
    few = _EACH * len(numbers)
    below = 0
    best: tuple[float, int] | None = None
    for i in range(1, _CELLS - 1):
        below += cells[i - 1]
        if min(below, len(numbers) - below - cells[i]) < few:
            continue
        depth = smooth[i] / min(max(smooth[:i]), max(smooth[i + 1 :]))
        if best is None or depth < best[0]:
            best = depth, i
    if best is None or best[0] > _DEEP:
        return None
    return low + width * (best[1] + 0.5) / _CELLS


def _apart(numbers: Sequence[float], cut: float) -> tuple[list[float], list[float]]:
    """The quartiles on both sides."""
    below = [x for x in numbers if x < cut]
    return quantiles(below, n=4), quantiles(numbers[len(below) :], n=4)


def _two_groups(
    where: str,
    units: str,
    texts: Mapping[float, str],
    small: Sequence[float],
    large: Sequence[float],
) -> Finding:
    one, other = (
        min(texts, key=lambda x, middle=part[1]: abs(x - middle)) for part in (small, large)
    )
    return Finding(
        where,
        f"numbers lie in two groups, about {texts[one]} and {texts[other]}, and the larger are "
        f"{units}",
        "see which, and rewrite the column, each entry on its own, in one unit",
    )
