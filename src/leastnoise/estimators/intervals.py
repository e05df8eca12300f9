"""Intervals of the coefficients of a linear regression, from what its fit released.

The noise on the moments has a known law, and so has the sampling error of least squares, given the
moments of the data. Which moments can lie behind the released ones? Those with a draw of the noise
taken off. Each such draw gives least squares coefficients, to which a draw of their sampling error
is added; an interval holds the middle of these draws. That is the posterior of a flat prior on
moments, cut to matrices that are moments of something: post-processing, at no cost
(``docs/regression.md`` has its coverage).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, quoted
from leastnoise.estimators.design import Design
from leastnoise.estimators.interface import check_is_fitted
from leastnoise.estimators.linear_fit import Behind
from leastnoise.estimators.moments import NoisyMoments, matrices_of, over_linf
from leastnoise.estimators.released import ReleasedRegressor
from leastnoise.estimators.residuals import Slopes
from leastnoise.params import parse_number
from leastnoise.record import Release

if TYPE_CHECKING:
    from leastnoise.geometry import MomentSpace

Floats = NDArray[np.float64]

_DRAWS = 1000
# The highest level for which the draws beyond an end are more than one.
_HIGHEST = Fraction(998, 1000)
# Standard errors are those of this level, whichever is asked for.
_USUAL = 0.95
# Root mean squares of the noise of "sdp" at rate 1 for one to five features: first order, squares
# and products, from 250 to 4,000 draws.
_SDP = (
    (5.4, 5.5, 5.05), (8.3, 8.9, 7.7), (11.5, 12.8, 10.7), (15.1, 17.5, 14.3), (19.3, 22.9, 18.6),
)  # fmt: skip
# Directions in which a matrix of moments bends less than this, a row, are taken to bend as much.
_LEAST = 2.0**-20
# Limits found from few rows can be wide beyond all measure: one draw in ten goes down to this.
_WILD, _WILDEST = 0.1, 2.0**-200
# Where it bends less than this part of the norm of the noise, all sizes down to that are as likely:
# a flat prior would say that it bends as much as the noise.
_HIDDEN = 0.3
# With more columns draws are those of the cone without its triangles, which is drawn from in a
# tenth of the time; its noise is a twentieth larger.
_TRIANGLES = 12
# Draws for that norm.
_NORMS = 50
# By how much, as parts of a coefficient's change, a step may go wrong: residuals that are cut make
# it too short, entries beyond limits that were found too long. After it coefficients are off by
# such a part of themselves, either way.
_SHORT, _LONG, _TAILS = 0.03, 0.3, 0.01
# So are those from moments of columns that are clipped to limits that were found, whatever few rows
# are clipped. Clipping makes them too large: a column of mean square m has at most the part m of
# its rows at the limits, and its coefficient is less by up to so many times m, but not by more than
# the last but one, which leaves its sign open. A clipped target makes them too small: the part of
# its rows that is clipped is taken to be the mean square of the residuals, at most the last.
_CLIPPED, _SATURATED, _OPEN, _FULL = 0.25, 2.5, 1.25, 1 - 2.0**-10


@dataclass(frozen=True, slots=True)
class BehindMoments:
    """What was released of a fit in scaled columns, and the public law of its noise.

    ``residuals`` is the noisy sum of squares and ``spread`` the scale of its noise; ``step`` are
    the slopes of residuals at earlier coefficients, if these were released. ``clipped`` tells the
    columns, the target last, whose limits were found, which some entries are beyond.
    """

    moments: NoisyMoments
    space: MomentSpace
    kind: str
    epsilon: Fraction
    counted: bool
    alone: bool
    intercept: bool
    residuals: float
    spread: float
    step: Slopes | None
    clipped: NDArray[np.bool_]

    def draws(self) -> Floats:
        """Coefficients that may be behind the release, one row a draw, the intercept first."""
        rng = np.random.default_rng(0)
        noise = self._noise(rng)
        off = matrices_of(noise[:, 1:], noise[:, 0], self.space)
        grams = self.moments.gram - off
        rows = np.maximum(1.0, self.moments.count - noise[:, :1])
        first = 0 if self.intercept else 1
        few = np.linalg.norm(off[:_NORMS, first:-1, first:-1], 2, axis=(1, 2))
        hidden = _HIDDEN * float(np.median(few))
        values, basis = np.linalg.eigh(grams[:, first:-1, first:-1])
        least = _LEAST * rows
        if self.step is None and self.clipped.any():
            least = np.where(rng.uniform(size=rows.shape) < _WILD, _WILDEST * rows, least)
        drowned = least * np.maximum(1.0, hidden / least) ** rng.uniform(size=values.shape)
        bent = np.where(values < hidden, drowned, np.maximum(values, least))
        squares = self.residuals + rng.laplace(0, self.spread, (_DRAWS, 1))
        target = grams[:, first:-1, -1] if self.step is None else slopes_behind(self.step, rng)
        along = np.einsum("kji,kj->ki", basis, target) / bent
        if self.step is not None:  # residuals are those before the step
            taken = np.square(along) * bent
            squares = np.maximum(squares - taken.sum(axis=1, keepdims=True), squares / 16)
        variance = np.maximum(squares, self.spread / 8) / np.maximum(1.0, rows - values.shape[1])
        along += rng.normal(size=bent.shape) * np.sqrt(variance / bent)
        found: Floats = np.einsum("kij,kj->ki", basis, along)
        off = np.concatenate([np.zeros(1 - first), self.clipped[:-1]])
        if self.step is None:
            means = np.diagonal(grams, axis1=1, axis2=2)[:, first:-1] / rows
            less = np.clip(_SATURATED * means, _CLIPPED, _OPEN)
            cut: Floats = np.clip(squares / rows, 0, _FULL) * self.clipped[-1]
            found *= 1 + rng.uniform(0, 1, cut.shape) * cut / (1 - cut)
            return found * (1 + off * rng.uniform(-less, _CLIPPED))
        tails = 1 + _TAILS * off * rng.uniform(-1, 1, found.shape)
        off = rng.uniform(-_SHORT, _LONG * off, found.shape)
        return (self.step.start + found / (1 + off)) * tails

    def _noise(self, rng: np.random.Generator) -> Floats:
        """Draws of the noise on the number of rows, 0 where it is public, and on the moments."""
        from leastnoise.geometry import LpBall, MomentCone

        d, epsilon = self.space.dimension, float(self.epsilon)
        if self.kind in ("cone", "sdp") and not (self.kind == "sdp" and self.counted):
            few = self.space.columns <= _TRIANGLES
            cone = MomentCone(self.space, count=self.counted, triangles=few)
            found = cone.sample_noise(_DRAWS, epsilon * (2 if self.alone else 1), rng)
            if self.kind == "sdp":
                found *= self._sdp() / np.sqrt(np.square(found).mean(axis=0))
        elif self.kind == "l1":
            found = LpBall(1, d + self.counted).sample_noise(_DRAWS, epsilon, rng)
            found *= sum(self.space.reach) * (1 if self.alone else 2)
        else:
            radius = rng.gamma(d + self.counted + 1, 1 / epsilon, (_DRAWS, 1))
            found = radius * rng.uniform(-1, 1, (_DRAWS, d + self.counted))
            found[:, int(self.counted) :] *= 1 if self.alone else 2 * over_linf(self.kind)
        return found if self.counted else np.column_stack([np.zeros(_DRAWS), found])

    def _sdp(self) -> Floats:
        """The root mean square of every coordinate."""
        first, square, cross = _SDP[min(len(_SDP), self.space.columns - 1) - 1]
        _, squares, crosses = self.space.places()
        sizes = np.full(self.space.dimension, first)
        sizes[[*squares.values()]] = square
        sizes[[*crosses.values()]] = cross
        return sizes / float(self.epsilon)


def slopes_behind(step: Slopes, rng: np.random.Generator) -> Floats:
    """Released slopes minus draws of their noise, in units of the target."""
    d = len(step.values)
    radii = rng.gamma(d + 1, 1 / float(step.epsilon), (_DRAWS, 1)) * (1 if step.alone else 2)
    return (step.values - radii * rng.uniform(-1, 1, (_DRAWS, d))) * step.radius


class CoefficientTable(ABC):
    """A fitted model that shows its coefficients with their errors."""

    release_: Release

    def summary(self, level: object = 0.95) -> str:
        """A table of coefficients, errors and intervals, in the form of statsmodels'."""
        low, high = self._interval(level)
        least, most = self._interval(_USUAL)
        _, value = self._coefficients()
        errors = (most - least) / 2 / NormalDist().inv_cdf((1 + _USUAL) / 2)
        errors = np.maximum(errors, np.finfo(np.float64).tiny)
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{k + 1}" for k in range(len(value) - self._constant)]
        shown = [*(["const"] if self._constant else []), *names]
        note = f"{self.release_.guarantee}; errors and intervals of sampling and noise together"
        return _table_of(shown, value, errors, low, high, parse_level(level), note)

    def conf_int(self, level: object = 0.95, *, intercept: bool = False) -> Floats:
        """Intervals of the coefficients, of both sampling and noise; post-processing, at no cost.

        Parameters
        ----------
        level : number
            The chance to hold a coefficient, between 0 and 1.
        intercept : bool
            Whether the first row is the interval of the intercept.

        Returns
        -------
        ndarray of shape (d, 2), or (d + 1, 2)
            Lower and upper end for each coefficient, in logistic regression of the log odds of the
            second class. They are finite, and very wide where the noise hides the data. The
            estimate itself is always inside.

        Raises
        ------
        ParameterError
            If the fit was made with ``intervals=False``, or with ``alpha``.

        Notes
        -----
        Of records as they were clipped a linear model with independent errors of one variance is
        assumed, or log odds that are linear in the features, without a penalty: what limits cut off
        is not part of the error. Measured coverage is in ``docs/regression.md``.
        """
        ends = np.column_stack(self._interval(level))
        return ends if intercept or not self._constant else ends[1:]

    def _with_constant(self, rows: Floats) -> Floats:
        """Rows of features behind a column of ones, where an intercept was fitted."""
        return np.column_stack([np.ones(len(rows)), rows]) if self._constant else rows

    @property
    @abstractmethod
    def _constant(self) -> bool:
        """Whether an intercept was fitted, whatever the parameter says by now."""

    @abstractmethod
    def _coefficients(self) -> tuple[Floats, Floats]:
        """Plausible coefficients, given the release, and the released ones, in the user's units."""

    @abstractmethod
    def _interval(self, level: object) -> tuple[Floats, Floats]:
        """Lower and upper ends of the coefficients."""


class ReleasedLinear(CoefficientTable, ReleasedRegressor):
    """A released linear regression, with intervals of its coefficients."""

    release_: Release
    _behind: Behind | None
    _scales: tuple[Design, Design]
    _draws: Floats | None

    def predict_conf_int(self, X: Any, level: object = 0.95) -> Floats:
        """Intervals of the mean target for every row, as ``conf_int``; shape (n, 2)."""
        rows = self._with_constant(self._complete(X))
        draws, value = self._coefficients()
        return np.column_stack(ends_of(draws @ rows.T, rows @ value, parse_level(level)))

    @property
    def _constant(self) -> bool:
        return self._scales[0].intercept

    def _coefficients(self) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        if self._behind is None:
            raise ParameterError(
                "the model was fitted with intervals=False or a penalty, so its errors are not "
                "known: fit it with intervals=True and alpha=0"
            )
        if self._draws is None:
            self._draws = all_unscaled(self._behind.draws(), *self._scales)
        return self._draws, np.array(self.release_.value, dtype=np.float64)

    def _interval(self, level: object) -> tuple[Floats, Floats]:
        draws, value = self._coefficients()
        return ends_of(draws, value, parse_level(level))


def parse_level(level: object) -> float:
    """A level for which there are enough draws of the noise."""
    number = parse_number(level, "level")
    if not Fraction(1, 1000) <= number <= _HIGHEST:
        raise ParameterError(
            f"level must lie between .001 and {float(_HIGHEST)}, beyond which {_DRAWS:,} draws of "
            f"the noise cannot locate the ends of an interval; got {quoted(level)}"
        )
    return float(number)


def ends_of(draws: Floats, value: Floats, level: float) -> tuple[Floats, Floats]:
    """The middle of the draws of every column, and the released value within it."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.minimum(low, value), np.maximum(high, value)


def _table_of(
    names: Sequence[str],
    value: Floats,
    errors: Floats,
    low: Floats,
    high: Floats,
    level: float,
    note: str,
) -> str:
    """Coefficients with errors and intervals, one line each."""
    width = max(12, *map(len, names))
    tails = f"[{(1 - level) / 2:.4g}", f"{(1 + level) / 2:.4g}]"
    lines = [
        f"{'':{width}}" + "".join(f"{x:>12}" for x in ("coef", "std err", "z", "P>|z|", *tails))
    ]
    for name, one, error, a, b in zip(names, value, errors, low, high, strict=True):
        ratio = float(one / error)
        chance = 2 * NormalDist().cdf(-abs(ratio))
        cells = f"{one:12.4g}{error:12.4g}{ratio:12.3f}{chance:12.3f}{a:12.4g}{b:12.4g}"
        lines.append(f"{name:{width}}{cells}")
    rule = "=" * len(lines[0])
    return "\n".join([rule, lines[0], "-" * len(rule), *lines[1:], rule, note])


def unscaled(coefficients: Floats, design: Design, target: Design) -> list[float]:
    """Intercept, if there is one, and coefficients in the user's units."""
    half, middle = float(target.halves[0]), float(target.middles[0])
    plain = design.unscaled([float(x) * half for x in coefficients])
    if design.intercept:
        plain[0] += middle
    limit = np.finfo(np.float64).max / 4
    return [float(x) for x in np.clip(np.nan_to_num(plain), -limit, limit)]


def all_unscaled(coefficients: Floats, design: Design, target: Design) -> Floats:
    """The same for many sets of coefficients, a row each."""
    size = coefficients.shape[1]
    zero, *units = (
        np.array(unscaled(one, design, target), dtype=np.float64)
        for one in (np.zeros(size), *np.eye(size))
    )
    limit = np.finfo(np.float64).max / 4
    with np.errstate(all="ignore"):
        plain = coefficients @ (np.vstack(units) - zero) + zero
    return np.clip(np.nan_to_num(plain), -limit, limit)
