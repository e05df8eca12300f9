"""One fit by objective perturbation: noise, minimiser, and the correction of its shrinkage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.correction import SHARE, Correction, curvature
from leastnoise.estimators.float_objective import Objective
from leastnoise.estimators.minimiser import minimise
from leastnoise.estimators.perturbation import Curvature, Price, price

if TYPE_CHECKING:
    from leastnoise.geometry import Ball

Floats = NDArray[np.float64]

STEP = Fraction(1, 1 << 24)
"""Lattice spacing of the scaled coefficients."""

# More ridge is always private; this much is lost in any data, and keeps coefficients moderate.
_LEAST_RIDGE = Fraction(1, 1 << 30)
_BALLS = {"l1": 1, "l2": 2, "linf": "inf"}


class Drawn(NamedTuple):
    """The rounded minimiser, and the same with its shrinkage undone: the coefficients."""

    minimiser: list[float]
    coefficients: list[float]


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Public constants of one fit: the ball, the rate of its noise, the ridge, the lattice."""

    ball: Ball
    reach: Fraction
    price: Price
    wanted: tuple[Fraction, ...]
    epsilon: Fraction
    corrected: bool
    name: str
    step: Fraction = STEP

    @property
    def ridge(self) -> tuple[Fraction, ...]:
        """The ridge of every coefficient: what was asked for, or what privacy needs."""
        return tuple(max(d, self.price.ridge, _LEAST_RIDGE) for d in self.wanted)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the record must know."""
        lattice = (
            "step is the lattice of the minimiser in scaled features; the value follows from it"
        )
        if not self.corrected:
            return (lattice,)
        return ("coefficients were scaled up to offset the ridge that privacy needs", lattice)

    def parts(self) -> dict[str, str]:
        """How epsilon is split."""
        if not self.corrected:
            return {}
        share = self.epsilon * SHARE
        return {"coefficients": str(self.epsilon - share), "curvature": str(share)}

    def draw(
        self,
        features: Floats,
        offsets: Floats,
        targets: Floats,
        *,
        height: int,
        times: Floats | float = 1.0,
        most: int = 1,
    ) -> Drawn:
        """NOT PRIVATE until released: the coefficients of one fit, epsilon-DP.

        ``features`` in [-1, 1] on the lattice of the minimiser, rows of zeros for records that do
        not count; the loss of a record has slope ``height`` sigma(z + offset) - target, ``times``
        over ``most`` of it, of whole numbers up to that.
        """
        source = randomness.active()
        # the objective times ``most``, which has the same minimiser
        noise = self.ball.noise(self.price.rate / self.reach / most, source)
        ridge = tuple(d * most for d in self.ridge)
        times = np.clip(times, 0.0, float(most))
        objective = Objective(features, offsets, targets, height, ridge, noise, times)
        points = minimise(objective, self.step)
        found = [float(point * self.step) for point in points]
        if not self.corrected:
            return Drawn(found, found)
        law = curvature(features, offsets, height, found, self.epsilon * SHARE, times / most)
        seen = float(law.value_of(law.draw(source)))
        correction = Correction(self.ridge, self.wanted, self.noise_size)
        released = np.array(found)
        return Drawn(found, [float(x) for x in released * correction.factors(released, seen)])

    @property
    def noise_size(self) -> float:
        """The mean square length of the noise on the gradient, of a ball like the cube."""
        m = len(self.wanted)
        widths = [float(w) for w in self.ball.half_widths]
        scale = float(self.reach / self.price.rate)
        return sum(w * w for w in widths) * (m + 1) * (m + 2) / 3 * scale**2


def perturbed(
    epsilon: Fraction,
    q: Fraction,
    ball: Ball,
    wanted: Sequence[Fraction],
    shape: Curvature,
    *,
    relation: str,
    joint: bool,
    correct: bool,
    records: tuple[Fraction, int] | None = None,
) -> Perturbation:
    """The constants for a fit with this epsilon, of which the curvature takes its share.

    ``records``: the largest norm of a record in the ball's norm, and its largest squared length;
    by default those of [-1, 1]^m.

    Where the ridge that the user asked for is as large as all of epsilon needs, there is nothing to
    correct, and no share is taken: a condition on public numbers.
    """
    m = len(wanted)
    reach, length = records or (ball.box_sensitivity([1] * m), m)

    def cost(share: Fraction) -> Price:
        return price(share, q, length, shape, relation=relation, joint=joint)

    if correct and min(wanted) >= max(cost(epsilon).ridge, _LEAST_RIDGE):
        correct = False
    main = epsilon * (1 - SHARE) if correct else epsilon
    accountant = "joint" if joint else "split"
    name = f"ObjectivePerturbation(ball={ball.name!r}, accountant={accountant!r}, q={q})"
    return Perturbation(ball, reach, cost(main), tuple(wanted), epsilon, correct, name)


def grouped_ball(width: int, groups: Sequence[Sequence[int]]) -> tuple[Ball, int]:
    """The least ball of records whose groups of indicators exclude each other, and their largest
    squared length: 1 for each group, and for each other column."""
    from leastnoise.geometry import LpBall, Product

    alone = [j for j in range(width) if all(j not in group for group in groups)]
    parts = [(LpBall("inf", len(alone)), alone)] if alone else []
    parts += [(LpBall(1, len(group)), [*group]) for group in groups]
    return Product(parts, name=f"linf, d={width}, exclusive"), len(alone) + len(groups)


def parse_ball(ball: object, dimension: int) -> Ball:
    """A norm ball by its name, or one of ``leastnoise.geometry`` of this dimension."""
    from leastnoise.geometry import Ball, LpBall

    if isinstance(ball, str) and ball in _BALLS:
        return LpBall(_BALLS[ball], dimension)
    if not isinstance(ball, Ball):
        raise ParameterError(
            f'ball must be "linf", "l2", "l1" or a ball of leastnoise.geometry, got {quoted(ball)}'
        )
    if ball.dimension != dimension:
        raise ParameterError(
            f"ball has {ball.dimension} coordinates, but the model has {dimension} coefficients"
        )
    return ball
