"""Robust regression in several coefficients: objective perturbation of the smooth absolute loss.

In units of its width alpha the loss of a record has slope tanh(t / 2) = 2 sigma(t) - 1 and second
derivative 2 sigma (1 - sigma) = (1 - slope^2) / 2, a matrix of rank one in the coefficients: what
objective perturbation needs, with an exact minimiser and no delta. The inverse sensitivity
mechanism has no exact sampler that we can prove in more than one dimension; a Metropolis-Hastings
chain would need a delta whose constant the paper does not give (Lemma 5.5 says "there exists"), so
it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.design import Design
from leastnoise.estimators.losses import SmoothAbsoluteLoss, parse_loss
from leastnoise.estimators.matrix import Target
from leastnoise.estimators.minimiser import FEATURE_BITS
from leastnoise.estimators.objective import Perturbation, parse_ball, perturbed
from leastnoise.estimators.perturbation import SMOOTH_ABSOLUTE
from leastnoise.params import parse_number
from leastnoise.session.search.columns import FoundLimits, SearchedColumn

if TYPE_CHECKING:
    from leastnoise.geometry import Ball

Floats = NDArray[np.float64]
_FARTHEST = float(1 << 20)
"""Targets are cut to this many widths alpha: the slope is constant long before."""


# Half of the width of the target's limits is so many times ``alpha``.
_WIDTHS = 4


def target_column(target: Target, loss: object) -> tuple[SearchedColumn, ...]:
    """What the width of a loss given by its name is found from."""
    if not isinstance(loss, str):
        return ()
    return (SearchedColumn("the target", None, float(target.whole), weight=2, shown=True),)


@dataclass(frozen=True, slots=True)
class Several:
    """Checked parameters of a fit with several coefficients.

    Residuals are in units of ``alpha``, from ``centre``. Without ``slopes`` there is an intercept
    alone.
    """

    design: Design
    policy: str | float
    alpha: Fraction
    steps: Perturbation
    centre: Fraction = Fraction(0)
    slopes: bool = True

    @property
    def step(self) -> Fraction:
        """Lattice spacing of the scaled coefficients in the units of the target."""
        return self.steps.step * self.alpha

    def at(self, limits: FoundLimits, epsilon: Fraction, relation: str) -> Several:
        """The same in released limits, with the epsilon that finding them left."""
        if not limits.spent:
            return self
        features, target = limits.bounds, None
        if len(features) > len(self.design.bounds):
            *features, target = features
        made = replace(self, design=replace(self.design, bounds=tuple(features)))
        ball = self.steps.ball
        if limits.alone:
            made, ball = replace(made, slopes=False), parse_ball("linf", 1)
        steps = _steps(epsilon - limits.cost, ball, ball.dimension, relation)
        if target is None:
            return replace(made, steps=steps)
        scale = Design((target,), self.design.intercept, 0)
        alpha, centre = scale.halves[0] / _WIDTHS, scale.middles[0]
        return replace(made, steps=steps, alpha=alpha, centre=centre)

    def draw(self, matrix: Floats, target: Target) -> list[float]:
        """Intercept, if there is one, and coefficients in the user's units, epsilon-DP."""
        features, counts = self.design.records(matrix, self.policy)
        given = target.floats()
        features[np.isnan(given) | ~counts] = 0.0
        features = features if self.slopes else features[:, :1]
        with np.errstate(all="ignore"):
            left = (float(self.centre) - given) / float(self.alpha)
        offsets = np.clip(np.nan_to_num(left), -_FARTHEST, _FARTHEST)
        found = self.steps.draw(features, offsets, np.ones(len(given)), height=2).coefficients
        found += [0.0] * (self.design.width - len(found))
        plain = self.design.unscaled([x * float(self.alpha) for x in found])
        return [plain[0] + float(self.centre), *plain[1:]]


def many_coefficients(
    epsilon: Fraction,
    design: Design,
    policy: str | float,
    *,
    loss: object,
    alpha: object,
    ball: object,
    relation: str,
) -> Several:
    """Check what this way of fitting needs."""
    chosen = parse_loss(loss, 1 if alpha is None else alpha)
    if not isinstance(chosen, SmoothAbsoluteLoss):
        raise ParameterError(
            'loss must be "smooth-absolute" with more than one coefficient: objective perturbation '
            "needs a second derivative"
        )
    width = parse_number(chosen.alpha, "alpha")
    if not Fraction(1, 10**100) < width < 10**100:
        raise ParameterError(f"alpha must lie between 1e-100 and 1e100, got {quoted(chosen.alpha)}")
    steps = _steps(epsilon, parse_ball(ball, design.width), design.width, relation)
    return Several(Design(design.bounds, design.intercept, FEATURE_BITS), policy, width, steps)


def _steps(epsilon: Fraction, ball: Ball, width: int, relation: str) -> Perturbation:
    none = [Fraction(0)] * width
    return perturbed(
        epsilon,
        Fraction(19, 20),
        ball,
        none,
        SMOOTH_ABSOLUTE,
        relation=relation,
        joint=True,
        correct=True,
    )
