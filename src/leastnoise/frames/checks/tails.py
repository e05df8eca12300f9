"""NOT PRIVATE. Numbers that limits clip, and few that make most of a sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from leastnoise.frames.checks.report import Finding

# What is told of a sum that few make; by it the finding is known.
_TENTHS, _NEARLY = 10, 0.98  # of the entries lie within as tenths
TAIL: Final = "take a median, or mechanism=LaplaceRatio() for a mean"


def check_bounds(
    where: str, numbers: Sequence[float], limits: tuple[float, float], shown: Sequence[str]
) -> Iterator[Finding]:
    """Whether limits, and how they are shown, clip more than a tenth."""
    low, high = limits
    below, above = (sum(x < low for x in numbers), sum(x > high for x in numbers))
    if 10 * (below + above) > len(numbers):
        tenths = sum(low <= x / _TENTHS <= high for x in numbers) >= _NEARLY * len(numbers)
        tenths = tenths and 2 * (below + above) > len(numbers)
        yield Finding(
            where,
            f"the bounds {shown[0]} to {shown[1]} clip {below + above} of {len(numbers)} entries "
            f"({below} below, {above} above), so an answer is of other numbers"
            + (
                "; a tenth of each lies within: they may be tenths, as 215 for 21.5"
                if tenths
                else ""
            ),
            "declare wider ones from public knowledge; for medians and quantiles they cost little",
        )


def check_tail(where: str, numbers: Counter[float]) -> Iterator[Finding]:
    """Whether few numbers make most of a sum, which limits that are found privately clip."""
    few = left = numbers.total() // 100
    tail = 0.0
    for size in sorted(numbers, key=abs, reverse=True):
        taken = min(left, numbers[size])
        tail, left = tail + taken * abs(size), left - taken
        if not left:
            break
    total = sum(abs(size) * times for size, times in numbers.items())
    if few and 2 * tail > total and not numbers.keys() <= {0, 1}:  # whose bounds are kept
        yield Finding(
            where,
            f"the largest {few} of {numbers.total()} entries make {100 * tail / total:.0f} % of "
            "the sum: limits that are found privately clip them, and means and sums are far too "
            "small",
            TAIL,
        )
