"""Laplace noise on the squares about a centre that is itself noisy: for variances."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from leastnoise.errors import ParameterError
from leastnoise.laws import ConstantLaw, Law
from leastnoise.laws.centred import CentredLaw, CentredParts
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.params import parse_epsilon
from leastnoise.profiles import Moments, Profile, exact, on_grid


@dataclass(frozen=True, slots=True)
class CentredLaplace(PureMechanism):
    """Release a noisy mean C, then the mean of (x - C)^2 with Laplace noise.

    One record moves the sum of squares about C by at most D^2, D the distance from C to the far end
    of the bounds, where it can move n times the variance by the square of the whole width: the
    noise is a quarter of that of ``Laplace()`` for data about the middle of their bounds, and never
    more than slightly larger. The square of the distance from C to the mean is subtracted on
    average.

    Raises
    ------
    ParameterError
        From ``law``, for an invalid epsilon, and for anything but a variance or standard deviation
        whose number of rows is public.

    Notes
    -----
    Guarantee: epsilon-DP under replace-one, for ``Variance`` and ``StandardDeviation`` with a
    public row count n; refused elsewhere, where n is private. C gets the share
    1 / max(2, round((n epsilon / 8)^(1/3))) of epsilon. A record that moves C much moves the
    squares little, and the noise of the squares is fitted to that
    (``docs/proofs/centred-laplace.md``). ``law`` is that of the answer after the cut to the public
    range. Source: errata 4.11, the centred second moment.
    """

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return "CentredLaplace()"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The law of the released variance or standard deviation."""
        exponent = parse_epsilon(epsilon)
        grid, moments = on_grid(profile), profile.moments
        if moments is None:
            raise ParameterError(
                "CentredLaplace() is for a variance or standard deviation whose number of rows is "
                "public (relation 'replace-one', missing='none'); use Laplace() or "
                "PiecewiseLaplace() here"
            )
        low, high = grid.finite_range(self.name)
        rows = moments.rows
        if low == high or not rows or moments.low == moments.high:
            return ConstantLaw(grid.centre, grid.step)
        points = moments.scale / Fraction(exact(profile.resolution))
        return CentredLaw(centred_parts(moments, exponent, points, (low, high)), grid.step)


def centred_parts(
    moments: Moments, epsilon: Fraction, points: Fraction, ends: tuple[int, int]
) -> CentredParts:
    """NOT PRIVATE. Both noisy numbers at this epsilon: the range and the rows are not empty.

    ``points`` are the lattice points of 1, before the records' lattice is made ``finer``.
    """
    rows = moments.rows
    share = epsilon / max(2, nearest_cube_root(rows * epsilon / 8))
    # a centre on the records' own lattice, such as that of whole numbers, can be half a step
    # away from the mean however many records there are
    finer = moments.finer(max(1, ceil(4 * rows * share / (moments.high - moments.low))))
    width = finer.high - finer.low
    noise = width / share  # of the sum of the records, at least 4 steps a record
    low, high = ends
    return CentredParts(
        moments=finer,
        cost=epsilon,
        centre_cost=share,
        spacing=min(width, (noise / (4 * rows)).__floor__()),
        bias=2 * (noise / rows) ** 2,
        points=points * finer.scale / moments.scale,
        low=low,
        high=high,
    )


def nearest_cube_root(value: Fraction) -> int:
    """The integer nearest to the cube root of a number >= 0."""
    whole = (8 * value).__floor__()  # twice the root, rounded down, decides
    low, high = 0, 1 << (whole.bit_length() // 3 + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**3 <= whole:
            low = middle
        else:
            high = middle - 1
    return (low + 1) // 2
