"""Disjoint groups of columns: every pair of columns is in exactly one group.

Up to 13 columns the groups are the lines of the projective plane of order 3 (13 points, 13 lines
of 4 points, any two points on exactly one line), restricted to the columns there are; beyond, a
greedy packing of groups of four, then three, then pairs.
"""

from __future__ import annotations

from itertools import combinations

# Residues mod 13 with every difference exactly once: a perfect difference set (Singer).
_LINE = (0, 1, 3, 9)
_POINTS = 13


def cliques(columns: int) -> tuple[tuple[int, ...], ...]:
    """Groups of at most four columns that share no pair and together hold every pair."""
    if columns <= _POINTS:
        lines = (sorted((x + i) % _POINTS for x in _LINE) for i in range(_POINTS))
        cut = (tuple(x for x in line if x < columns) for line in lines)
        return tuple(group for group in cut if len(group) > 1)
    return _greedy(columns)


def _greedy(columns: int) -> tuple[tuple[int, ...], ...]:
    left = set(combinations(range(columns), 2))
    found: list[tuple[int, ...]] = list(cliques(_POINTS))
    for group in found:
        left -= set(combinations(group, 2))
    for size in (4, 3, 2):
        for start in sorted(left):
            group = start
            if start not in left:
                continue
            for x in range(start[1] + 1, columns):
                if len(group) < size and all((y, x) in left for y in group):
                    group = (*group, x)
            if len(group) == size:
                found.append(group)
                left -= set(combinations(group, 2))
    return tuple(found)
