"""The hull of the differences of two records of a moment vector, by its support: analysis only."""

from __future__ import annotations

from itertools import product

import numpy as np

from leastnoise.errors import ParameterError
from leastnoise.geometry.ball import Floats
from leastnoise.geometry.moment_space import MomentSpace, as_space
from leastnoise.geometry.space import SensitivitySpace
from leastnoise.params import parse_count


def moment_hull(space: MomentSpace, *, grid: int = 5) -> SensitivitySpace:
    """The differences of two records as a space whose hull norm can be computed: analysis only.

    The support is found by coordinate ascent from a grid of records, each coordinate's best value
    being exact, so it comes from below where the ascent ends beside the maximum. For few columns.

    Parameters
    ----------
    space : MomentSpace
        At most six columns, no groups.
    grid : int
        Values an axis of the grid, at least 2; more find the maximum more surely.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``space`` is not a moment space, has more columns or has groups, or ``grid`` is out of
        range.
    """
    space, grid = as_space(space), parse_count(grid, "grid", least=2)
    if space.exclusive or space.columns > 6:
        raise ParameterError("moment_hull is for at most six columns without groups")
    first, second, cross = space.places()
    m = space.columns
    axis = np.linspace(-1, 1, grid)
    starts = np.array(list(product(axis, repeat=m)))

    def images(z: Floats) -> Floats:
        parts = [z, *([2 * z[:, [j]] ** 2 - 1 for j in second])]
        parts += [z[:, [j]] * z[:, [k]] for j, k in space.crosses]
        return np.concatenate(parts, axis=1)

    def best(c: Floats) -> Floats:
        z = starts.copy()
        for _ in range(40):
            before = z.copy()
            for j in range(m):
                slope = np.full(len(z), c[first[j]])
                for k in range(m):
                    if k != j:
                        slope += c[cross[j, k]] * z[:, k]
                curve = 2 * c[second[j]] if j in second else 0.0
                ends = np.where(slope >= 0, 1.0, -1.0)
                top = np.clip(-slope / (2 * curve), -1, 1) if curve < 0 else ends
                z[:, j] = top
            if np.abs(z - before).max() < 1e-12:
                break
        values = images(z) @ c
        return images(z[[int(np.argmax(values))]])[0]

    def oracle(c: Floats) -> tuple[float, Floats]:
        u = best(c) - best(-c)
        return float(c @ u), u

    return SensitivitySpace.from_oracle(space.dimension, oracle)
