"""A search in a function that costs far more than a step of the search."""

from __future__ import annotations

from collections.abc import Callable


def level_reaching(rising: Callable[[int], int], least: int, low: int, high: int) -> int:
    """The smallest i in [low, high] with rising(i) >= least, as ``high`` must.

    Steps interpolate, which takes few of them where the function is smooth; one that has not halved
    the range is followed by one that does.
    """
    below = rising(low)
    if below >= least or low == high:
        return low
    above = rising(high)
    halve = False
    while high - low > 1:  # low does not reach it, high does
        size = high - low
        middle = (low + high) // 2
        if not halve:
            part = size * (least - below) // max(1, above - below)
            middle = max(low + 1, min(high - 1, low + part))
        found = rising(middle)
        if found >= least:
            high, above = middle, found
        else:
            low, below = middle, found
        halve = not halve and 2 * (high - low) > size
    return high
