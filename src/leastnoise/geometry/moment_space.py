"""The coordinates of a vector of moments: sums, squares and cross products of scaled columns.

A record z in [-1, 1]^m gives the vector T(z) with the coordinates

    z_j                      first order, j = 1 .. m,
    2 z_j^2 - 1              squares, for the columns named in ``squares``,
    z_j z_k, j < k           cross products, in the order (1,2), (1,3), ..., (2,3), ...

All lie in [-1, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.geometry.ball import Exact
from leastnoise.params import parse_count, parse_list


@dataclass(frozen=True, slots=True)
class MomentSpace:
    """Where the coordinates of T(z) stand.

    Parameters
    ----------
    columns : int
        m, the number of columns.
    squares : tuple of int
        The columns whose square is a coordinate; all of them by default, but for indicators.
    exclusive : tuple of tuples of int
        Groups of indicator columns, coded -1 and 1, of which at most one is 1 in a record. Their
        squares are constant and the products inside a group follow from the first order, so these
        are no coordinates. With x_j = (z_j + 1) / 2 the first order is 2 x_j, the products with
        other columns are x_j z_k, and 2 x_j x_k between two groups.
    degree : 1 or 2
        1: the first order alone.

    Raises
    ------
    ParameterError, ParameterTypeError
        If there are no columns, or squares or groups are not lists of columns 0 .. m - 1.

    Examples
    --------
    >>> space = MomentSpace(2, squares=(0,))      # a feature and a response
    >>> space.dimension, space.vector((Fraction(1, 2), -1))
    (4, [Fraction(1, 2), -1, Fraction(-1, 2), Fraction(-1, 2)])
    """

    columns: int
    squares: tuple[int, ...] | None = None
    exclusive: tuple[tuple[int, ...], ...] = ()
    degree: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", parse_count(self.columns, "columns"))
        if isinstance(self.degree, bool) or self.degree not in (1, 2):
            raise ParameterError(f"degree must be 1 or 2, got {quoted(self.degree)}")
        listed = parse_list(self.exclusive, "exclusive", "lists of columns")
        groups = tuple(_places(group, "exclusive") for group in listed)
        members = [j for group in groups for j in group]
        if len(set(members)) < len(members) or not all(0 <= j < self.columns for j in members):
            raise ParameterError("exclusive must be disjoint groups of columns")
        given = self.squares
        squares = range(self.columns) if given is None else _places(given, "squares")
        squares = squares if self.degree == 2 else ()
        kept = tuple(sorted({j for j in squares if j not in members}))
        if kept and not kept[-1] < self.columns:
            raise ParameterError("squares must be column numbers")
        object.__setattr__(self, "squares", kept)
        object.__setattr__(self, "exclusive", groups)

    @property
    def group(self) -> dict[int, int]:
        """The number of the group of every indicator column."""
        return {j: g for g, members in enumerate(self.exclusive) for j in members}

    @property
    def crosses(self) -> tuple[tuple[int, int], ...]:
        """The pairs of columns whose product is a coordinate, in order."""
        if self.degree == 1:
            return ()
        group = self.group
        return tuple(
            (j, k)
            for j, k in combinations(range(self.columns), 2)
            if j not in group or group[j] != group.get(k)
        )

    @property
    def dimension(self) -> int:
        """The number of coordinates d."""
        return self.columns + len(self.squares or ()) + len(self.crosses)

    @property
    def reach(self) -> tuple[int, ...]:
        """The largest size of every coordinate of T(z): 2 for x_j and x_j x_k, doubled, else 1."""
        group = self.group
        first = [2 if j in group else 1 for j in range(self.columns)]
        cross = [2 if j in group and k in group else 1 for j, k in self.crosses]
        return (*first, *(1 for _ in self.squares or ()), *cross)

    def places(self) -> tuple[list[int], dict[int, int], dict[tuple[int, int], int]]:
        """The coordinates of the columns, of the squares, and of the products (both orders)."""
        m, squares = self.columns, self.squares or ()
        first = list(range(m))
        second = {j: m + i for i, j in enumerate(squares)}
        start = m + len(squares)
        cross = {pair: start + i for i, pair in enumerate(self.crosses)}
        cross |= {(k, j): i for (j, k), i in cross.items()}
        return first, second, cross

    def vector(self, record: Sequence[Exact]) -> list[Exact]:
        """T(z) of one record z, exact."""
        group = self.group
        z = [Fraction(x) if isinstance(x, Fraction) else x for x in record]
        found: list[Exact] = [x + 1 if j in group else x for j, x in enumerate(z)]
        found += [2 * z[j] ** 2 - 1 for j in self.squares or ()]
        for j, k in self.crosses:
            if j in group and k in group:
                found.append(Fraction((z[j] + 1) * (z[k] + 1), 2))
            elif j in group:
                found.append(Fraction((z[j] + 1) * z[k], 2))
            elif k in group:
                found.append(Fraction((z[k] + 1) * z[j], 2))
            else:
                found.append(z[j] * z[k])
        return found


def _places(columns: object, name: str) -> tuple[int, ...]:
    """Numbers of columns, from 0."""
    return tuple(parse_count(j, name, least=0) for j in parse_list(columns, name, "columns"))


def as_space(space: object) -> MomentSpace:
    """The moment space that a parameter must be, else a ParameterTypeError."""
    if not isinstance(space, MomentSpace):
        raise ParameterTypeError(f"space must be a MomentSpace, not {type(space).__name__}")
    return space
