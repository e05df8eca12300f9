"""A linear fit from noisy second moments, with a step along the slopes of residuals or without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.estimators.elastic import ElasticNet
from leastnoise.estimators.intervals import BehindMoments, unscaled
from leastnoise.estimators.linear_fit import REACH, DrawnFit, LinearColumns, LinearFit
from leastnoise.estimators.linear_noise import noise_of
from leastnoise.estimators.moments import (
    UNIT,
    NoisyMoments,
    exact_sums,
    exclusive_only,
    from_vector,
    moment_vector,
    noise_size,
    noisy,
    solve,
    solve_pseudo,
)
from leastnoise.estimators.private import Promise, record
from leastnoise.estimators.residuals import (
    ENOUGH,
    SHARE,
    STEP,
    Shares,
    Slopes,
    residuals_of,
    slopes_of,
    squares_of,
)
from leastnoise.guarantees import PureDP
from leastnoise.session.search.columns import FoundLimits

if TYPE_CHECKING:
    from leastnoise.geometry import Ball, MomentCone, MomentSpace

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MomentsFit(LinearFit):
    """Checked parameters of one fit."""

    space: MomentSpace
    ball: Ball | MomentCone
    rate: Fraction
    counted: bool
    ridge: float | str
    elastic: ElasticNet | None
    noise: float
    kind: str
    epsilon: Fraction
    residuals: Fraction
    mechanism: str
    step: Shares | None = None

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return f"FunctionalMechanism(ball={self.ball.name!r})"

    def parts(self, limits: FoundLimits) -> dict[str, str]:
        """How epsilon is split, where it is."""
        rest = {"moments": self.epsilon}
        if self.step is not None:
            rest |= {"radius": self.step.radius, "slopes": self.step.slopes}
        if self.residuals:
            rest["residuals"] = self.residuals
        return limits.parts(rest) if limits.spent or len(rest) > 1 else {}

    def behind(
        self,
        moments: NoisyMoments,
        squares: float,
        relation: str,
        step: Slopes | None,
        limits: FoundLimits,
    ) -> BehindMoments:
        """The numbers that intervals are made of."""
        unit = 1.0 if step is None else step.radius**2
        return BehindMoments(
            moments,
            self.space,
            self.kind,
            self.epsilon,
            self.counted,
            relation == "add-remove",
            self.columns.design.intercept,
            squares * unit,
            unit / float(self.residuals),
            step,
            np.array(limits.moved, dtype=np.bool_),
        )

    def at(self, limits: FoundLimits, epsilon: Fraction) -> MomentsFit:
        """The same with the epsilon that finding limits left."""
        left = (epsilon - limits.cost) / epsilon
        records = limits.rows * (epsilon - limits.cost)
        steps = self.mechanism == "residuals" or (self.mechanism == "auto" and records >= ENOUGH)
        step = STEP.times(self.epsilon * left, float(records)) if steps else None
        if steps:
            left *= 1 - STEP.total
        return replace(
            self,
            rate=self.rate * left,
            noise=self.noise / float(left),
            epsilon=self.epsilon * left,
            residuals=self.residuals * (epsilon - limits.cost) / epsilon,
            step=step,
        )

    def drawn_within(
        self,
        limits: FoundLimits,
        matrix: Floats,
        column: Floats,
        promised: Promise,
        guarantee: PureDP,
        fields: Mapping[str, Any],
    ) -> DrawnFit:
        """Moments, coefficients from them, and what was asked for of the residuals."""
        fit = self.at(limits, promised.epsilon)
        columns = fit.columns
        features, counts = columns.design.scaled(matrix, columns.policy)
        response, present = columns.target.scaled(column.reshape(-1, 1), columns.target_policy)
        joined = exclusive_only(np.column_stack([features, response]), fit.space.exclusive)
        sums = exact_sums(joined, counts & present)
        values = moment_vector(sums, fit.space)
        if fit.counted:
            values.insert(0, sums.count * int(1 / UNIT))
        released = noisy(values, fit.ball, fit.rate, randomness.active())
        seen = [float(value * UNIT) for value in released]
        count = seen.pop(0) if fit.counted else float(sums.count)
        moments = from_vector(seen, count, fit.space)
        intercept = columns.design.intercept
        if fit.ridge == "pinv":
            solved = solve_pseudo(moments, intercept=intercept)
        else:
            ridge = None if isinstance(fit.ridge, str) else fit.ridge
            solved = solve(moments, ridge, fit.noise, intercept=intercept)
        kept, step = counts & present, None
        if fit.step is None:
            reach = np.ones(len(limits.moved))
            left = residuals_of(features, response[:, 0], solved, intercept=intercept)
        else:
            reach = columns.reach(limits)
            wide, target = columns.wide(matrix, column, reach)
            wide = exclusive_only(wide, fit.space.exclusive)
            left = residuals_of(wide, target, solved, intercept=intercept)
            # which records take part is up to their features alone, and that biases no slope
            inside = (np.abs(wide) < REACH).all(axis=1)
            step, left = slopes_of(
                joined[:, :-1],
                left,
                kept & inside,
                fit.step,
                solved,
                alone=promised.relation == "add-remove",
                intercept=intercept,
            )
            solved = step.step(moments, fit.noise, intercept=intercept)
        if fit.elastic is not None:
            solved = fit.elastic.applied(solved, moments, columns.design, columns.target)
        value = unscaled(solved, columns.design, columns.target)
        behind = None
        if fit.residuals:
            law = squares_of(left, kept, fit.residuals)
            squares = float(law.value_of(law.draw(randomness.active())))
            behind = fit.behind(moments, squares, promised.relation, step, limits)
        edited = fit.counted and promised.relation == "replace-one"
        ends = columns.design.limits
        release = record(
            promised,
            guarantee,
            value=value,
            mechanism=fit.name,
            bounds=ends,
            limits=ends if any(limits.moved[:-1]) else None,
            step=str(UNIT),
            sensitivity="global",
            profile_relation="edit" if edited else promised.relation,
            parts=fit.parts(limits),
            notes=("computed from noisy moments; step is the lattice of these",),
            **fields,
        )
        return DrawnFit(release, columns, reach, behind, moments.gram)


def moments_fit(
    columns: LinearColumns,
    promised: Promise,
    kind: str,
    groups: tuple[tuple[int, ...], ...],
    ridge: float | str,
    elastic: ElasticNet | None,
    mechanism: str,
    *,
    counted: bool,
    intervals: bool,
) -> MomentsFit:
    """The fit of these columns, with the noise of a ball or the cone by its ``kind``."""
    from leastnoise.geometry import MomentSpace

    width = len(columns.design.bounds)
    # the small balls of groups hold differences of two records, not one record by itself
    kept = groups if kind == "cone" or not counted else ()
    space = MomentSpace(width + 1, tuple(range(width)), kept)
    alone = promised.relation == "add-remove"
    ball = noise_of(kind, space, counted=counted, alone=alone)
    # the cone's rate is stated for replacement; one record by itself changes half as much
    residuals = promised.epsilon * SHARE if intervals else Fraction(0)
    epsilon = promised.epsilon - residuals
    return MomentsFit(
        columns,
        space,
        ball,
        epsilon * (2 if alone and kind == "cone" else 1),
        counted,
        ridge,
        elastic,
        noise_size(kind, space, epsilon, alone=alone),
        kind,
        epsilon,
        residuals,
        mechanism,
    )
