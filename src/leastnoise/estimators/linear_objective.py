"""Linear regression by objective perturbation: no noisy moments, but an exact minimiser.

The loss log(cosh t + 2) of a residual in units of a released scale has a slope that is linear about
0 (no cubic term, so skewed errors move it little) and ends at 1. A record whose features are
farther out than the limits is shrunk as a whole, target and all, until it is as long as they are:
that changes what it weighs, not the line that it lies on. A first fit finds where residuals are
small, a second starts there, and its ridge pulls it there. Proof: ``docs/proofs/smooth-huber.md``;
where it is taken: decision 0028.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise import randomness
from leastnoise.estimators.correction import heights_at
from leastnoise.estimators.information import information_of
from leastnoise.estimators.intervals import unscaled
from leastnoise.estimators.linear_fit import DrawnFit, LinearColumns, LinearFit
from leastnoise.estimators.minimiser import FEATURE_BITS
from leastnoise.estimators.objective import Perturbation, grouped_ball, parse_ball, perturbed
from leastnoise.estimators.objective_intervals import BehindObjective
from leastnoise.estimators.perturbation import HUBER_SHIFT, SMOOTH_HUBER
from leastnoise.estimators.private import Promise, record
from leastnoise.estimators.residuals import ENOUGH, residuals_of, scale_of, squares_of
from leastnoise.frames.memory.numbers import HeldNumbers
from leastnoise.guarantees import PureDP
from leastnoise.session.search.columns import ROUGH, FoundLimits
from leastnoise.session.search.draws import Draws

if TYPE_CHECKING:
    from leastnoise.geometry import Ball

Floats = NDArray[np.float64]

INFORMATION = Fraction(1, 3)
"""The part of epsilon, after limits, that second derivatives take, for intervals."""

SQUARES = Fraction(1, 32)
"""The same of the squares of slopes."""

SCALE, PILOT = Fraction(3, 100), Fraction(1, 5)
"""Parts of the rest that each scale takes, and the first of two fits."""

FEWEST_FEATURES = 3
"""With so many features the public rule takes this way, whatever the number of rows."""

_Q = Fraction(19, 20)
# Two fits pay where the first is not all noise: from so many rows times epsilon, for each pair of
# coefficients.
_PER_PAIR = 40
# Slopes are nearly linear up to so many widths of the loss, of which a scale has two.
_LINEAR = 3.0
# Residuals inside of a scale for one beyond: where most targets are one number, half of them tell
# no scale.
_INSIDE = 4
# Offsets are cut to so many widths of the loss: its slope is constant long before.
_FAR = float(1 << 20)
# The lattice of coefficients in widths of the loss, which are wider than what is looked for.
_STEP = Fraction(1, 1 << 27)
# Widths are at most so many times as wide as with few rows: beyond that nothing is cut.
_WIDEST = 16.0
# The first of two fits, whose noise is larger, cuts residuals so much earlier, where that is wide.
_WIDER = 4.0
# Slopes that explain half of the target, in equal parts, are shrunk by the ridge that is best for
# them: so many times the number of features, times the mean square of the noise, over the rows.
_SHRINK = 4
# The loss bends most where it is 0.
_STEEPEST = 1 / 3


@dataclass(frozen=True, slots=True)
class Round:
    """What one fit and the scale before it get; without a scale, limits are what is known."""

    scale: Fraction
    fit: Fraction
    stretch: float


def rounds_of(epsilon: Fraction, records: float, width: int) -> list[Round]:
    """One fit or two, by the public or released rows times epsilon and the number of coefficients.

    With many records residuals are cut farther out, as in ``residuals.Shares``.
    """
    if records < ENOUGH:
        return [Round(Fraction(0), epsilon, 1.0)]
    stretch, scale = min(_WIDEST, (records / ENOUGH) ** 0.25), SCALE * epsilon
    if records < _PER_PAIR * width * width:
        return [Round(scale, epsilon - scale, stretch)]
    pilot = PILOT * epsilon
    last = Round(scale, epsilon - 2 * scale - pilot, stretch)
    return [Round(scale, pilot, max(1.0, stretch / _WIDER)), last]


@dataclass(frozen=True, slots=True, repr=False)
class Records:
    """NOT PRIVATE. Rows as the objective sees them.

    ``features`` and ``target`` are clipped as far as the model is linear; ``shrunk`` (m) in
    [-1, 1], a part 1 / ``sizes`` of a row and of the 1 of its intercept; zeros where it is dropped.
    """

    features: Floats
    target: Floats
    shrunk: Floats
    sizes: Floats
    counts: NDArray[np.bool_]

    def __repr__(self) -> str:
        return "Records(NOT PRIVATE)"

    def missed(self, coefficients: Floats, *, intercept: bool) -> Floats:
        """What released coefficients miss of shrunk records."""
        left = residuals_of(self.features, self.target, coefficients, intercept=intercept)
        return left / self.sizes


def records_of(columns: LinearColumns, matrix: Floats, column: Floats, reach: Floats) -> Records:
    """NOT PRIVATE. Every row by itself, on the lattice of the minimiser."""
    features, target = columns.wide(matrix, column, reach)
    sizes = np.maximum(1.0, np.abs(features).max(axis=1, initial=0.0))
    whole = np.column_stack([np.ones(len(features)), features])
    one = float(1 << FEATURE_BITS)
    shrunk = np.rint(whole / sizes[:, None] * one)[:, 1 - columns.design.intercept :] / one
    counts = np.ones(len(features), dtype=np.bool_)
    if columns.policy == "drop":
        counts = ~(np.isnan(matrix).any(axis=1) | np.isnan(column))
    shrunk[~counts] = 0.0
    return Records(features, target, shrunk, sizes, counts)


@dataclass(frozen=True, slots=True, repr=False)
class Fitted:
    """One fit: from ``start``, in units of ``width``, to the released ``minimiser``.

    ``offsets`` are private: what the start misses of every record.
    """

    start: Floats
    width: float
    offsets: Floats
    minimiser: Floats
    steps: Perturbation

    def __repr__(self) -> str:
        return "Fitted(NOT PRIVATE)"

    @property
    def coefficients(self) -> Floats:
        """Released coefficients of scaled columns."""
        return self.start + self.width * self.minimiser


@dataclass(frozen=True, slots=True)
class ObjectiveFit(LinearFit):
    """Checked parameters of a fit by objective perturbation.

    ``ball`` holds every record, whose squared length is at most ``length``.
    """

    ball: Ball
    length: int
    relation: str
    intervals: bool

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return self.steps(Fraction(1)).name

    def steps(self, epsilon: Fraction, rows: int = 0) -> Perturbation:
        """Noise and ridge of one fit; with ``rows`` a ridge that shrinks what noise would drown."""
        design = self.columns.design
        ridge = [Fraction(0)] * design.width

        def made() -> Perturbation:
            return perturbed(
                epsilon, _Q, self.ball, ridge, SMOOTH_HUBER,
                relation=self.relation, joint=True, correct=False,
                records=(Fraction(1), self.length),
            )  # fmt: skip

        if rows:
            noise, features = made().noise_size / design.width, len(design.bounds)
            ridge = [Fraction(round(_SHRINK * features * noise / rows))] * design.width
            if design.intercept:
                ridge[0] = Fraction(0)
        return replace(made(), step=_STEP)

    def drawn_within(
        self,
        limits: FoundLimits,
        matrix: Floats,
        column: Floats,
        promised: Promise,
        guarantee: PureDP,
        fields: Mapping[str, Any],
    ) -> DrawnFit:
        """Rounds of a scale and a fit, then what intervals need."""
        design = self.columns.design
        reach, left = self.columns.reach(limits), promised.epsilon - limits.cost
        rows = records_of(self.columns, matrix, column, reach)
        shares = (INFORMATION * left, SQUARES * left) if self.intervals else ()
        parts, at = dict[str, object](), np.zeros(design.width)
        rest, records = left - sum(shares), float(limits.rows * left)
        if design.intercept and not limits.moved[-1] and records >= ENOUGH:
            # the middle of declared bounds may be far from the data
            parts["centre"] = price = SCALE * rest
            at[0], rest = self.centre(column, price), rest - price
        *first, last = rounds_of(rest, records, design.width)
        for one in first:
            at = self.minimised(rows, at, one, limits.rows).coefficients
            parts |= {"first scale": one.scale, "first coefficients": one.fit}
        fit = self.minimised(rows, at, last, 0 if first else limits.rows)
        parts |= {"scale": last.scale} if last.scale else {}
        parts["coefficients"] = last.fit
        behind = None
        if shares:
            behind = self.behind(rows, fit, shares, limits)
            parts |= dict(zip(("information", "residuals"), shares, strict=True))
        ends = design.limits
        release = record(
            promised,
            guarantee,
            value=unscaled(fit.coefficients, design, self.columns.target),
            mechanism=self.name,
            bounds=ends,
            limits=ends if any(limits.moved[:-1]) else None,
            step=str(fit.steps.step),
            sensitivity="global",
            parts=limits.parts(parts),
            notes=fit.steps.notes,
            **fields,
        )
        return DrawnFit(release, self.columns, reach, behind)

    def centre(self, column: Floats, price: Fraction) -> float:
        """A released median of the target, scaled."""
        # an entry may be missing, so a replaced row may add or remove one
        entries = "add-remove" if self.relation == "add-remove" else "edit"
        numbers = HeldNumbers(column[~np.isnan(column)])
        found = float(Draws(randomness.active()).median(numbers, price, entries))
        scaled = self.columns.target.reaching(np.array([[found]]), "none", np.ones(1))
        return float(scaled[0, 0])

    def minimised(self, rows: Records, start: Floats, one: Round, many: int = 0) -> Fitted:
        """NOT PRIVATE until released: a scale of what released coefficients miss, and a fit.

        ``many``: the number of rows, public or released, where coefficients are shrunk.
        """
        source, intercept = randomness.active(), self.columns.design.intercept
        missed, width = rows.missed(start, intercept=intercept), 1 / _LINEAR
        if one.scale:
            scale = scale_of(missed, rows.counts, one.scale, Draws(source), _INSIDE)
            width = one.stretch * min(scale / 2, width)
        offsets = np.clip(-missed / width, -_FAR, _FAR)
        steps = self.steps(one.fit, many)
        # the loss of a record is that of two, HUBER_SHIFT to either side
        found = steps.draw(
            np.concatenate([rows.shrunk, rows.shrunk]),
            np.concatenate([offsets + HUBER_SHIFT, offsets - HUBER_SHIFT]),
            np.repeat([1.0, 0.0], len(offsets)),
            height=1,
        )
        minimiser = np.array(found.minimiser, dtype=np.float64)
        return Fitted(start, width, offsets, minimiser, steps)

    def behind(
        self, rows: Records, fit: Fitted, shares: tuple[Fraction, ...], limits: FoundLimits
    ) -> BehindObjective:
        """Second derivatives and squares of slopes at a released fit, both released."""
        source, intercept = randomness.active(), self.columns.design.intercept
        above, below = (
            heights_at(rows.shrunk, fit.offsets + shift, fit.minimiser.tolist())
            for shift in (HUBER_SHIFT, -HUBER_SHIFT)
        )
        bends = above * (1 - above) + below * (1 - below)
        # the first column of a record that is shrunk is less than 1
        ones = intercept and not any(limits.moved[:-1])
        information = information_of(
            rows.shrunk.shape[1] - ones, shares[0], self.relation, _STEEPEST
        )
        matrix = information.draw(rows.shrunk, bends, rows.counts, source, intercept=ones)
        law = squares_of(above + below - 1, rows.counts, shares[1])
        squares = float(law.value_of(law.draw(source)))
        moved = np.array(limits.moved[:-1], dtype=np.bool_)
        searches = [part for name, part in limits.spent.items() if name != "row count"]
        few = any(limits.rows * part < ROUGH for part in searches)
        return BehindObjective(
            fit.start, fit.width, fit.minimiser, fit.steps, information, matrix, ones,
            squares, 1 / float(shares[1]), few, moved,
        )  # fmt: skip


def objective_fit(columns: LinearColumns, relation: str, *, intervals: bool) -> ObjectiveFit:
    """The fit of these columns."""
    design = columns.design
    first = int(design.intercept)
    ball, length = parse_ball("linf", design.width), design.width
    if design.exclusive:
        groups = [[j + first for j in group] for group in design.exclusive]
        ball, length = grouped_ball(design.width, groups)
    return ObjectiveFit(columns, ball, length, relation, intervals)
