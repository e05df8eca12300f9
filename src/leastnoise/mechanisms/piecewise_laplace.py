"""The piecewise Laplace mechanism (Durfee 2025) and its log-scale shifted form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Literal

from leastnoise.errors import ParameterError, quoted
from leastnoise.guarantees import BoundedRange, Guarantee, Scope
from leastnoise.laws import ConstantLaw, Law, LevelsLaw, ShiftedLevelsLaw
from leastnoise.mechanisms.candidates import log_candidates, round_candidates
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.numbers import ln2_enclosure
from leastnoise.params import is_one_of, parse_epsilon, parse_number
from leastnoise.profiles import Profile, on_grid
from leastnoise.sampling.dyadic import LevelLaw, Side
from leastnoise.sampling.shifted import Cells, Score, ShiftedLaw

_LN2_UPPER = Fraction(ln2_enclosure(64)[1], 2**64)
# Cells grow by this factor: the base density is within half a percent of 1 / (scale + t).
_GROWTH = Fraction(201, 200)


@dataclass(frozen=True, slots=True)
class PiecewiseLaplace(PureMechanism):
    """Draw y with probability proportional to exp(-(epsilon/2) |s(y)|), s linear in every level.

    s is 0 at the value, l at upper(l) and -l at lower(l), linear between them, so between
    upper(l-1) and upper(l) the noise is Laplace with scale proportional to that local change.

    Parameters
    ----------
    rho : number
        Smoothing radius in the user's units, >= 0: the score is that of the inner edge of level 1
        within rho of the value (errata 1). Public. Flat base only; rarely useful.
    base : "flat", "log" or "round"
        "log": probability is proportional to dt / (scale + t) times exp(-(epsilon/2) |s - shift|),
        t the distance from 0 (from the lower end of a nonnegative range). Better for spread and
        losses, whose upper bounds are far away. "round": a part of it is flat, one falls with
        the distance from 0, and one is on round numbers. Better for order statistics of few
        records, or of columns of whole numbers whose type does not say so.
    shift : int, optional
        The score at which the law has its mode; public. Default: 0 for a flat base,
        -round(2 / epsilon) for a log base, which makes up for the long upper tail.
    scale : number, optional
        Where the log base turns flat, in the user's units. Default: width of the range / 2**20.
    above : number, optional
        The share of epsilon that penalises answers above the mode, 0 < above < 1; the rest is for
        those below, with weights
        exp(-(above epsilon) (s - shift)+ - ((1 - above) epsilon) (shift - s)+). Default: one half.
        Anything else only for a statistic that is proved monotone.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; from ``law`` for an invalid epsilon, for scores or a vector, for
        a statistic without a finite range, and for ``above`` with one that is not proved monotone.
        Checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP for every profile that obeys the neighbour law, also after one monotone
    rounding to a lattice, for any public base and shift (``docs/proofs/piecewise-laplace.md``); it
    has epsilon-bounded range too. For a monotone statistic s moves in one direction between
    neighbours, so any shares of epsilon for the two sides hold. Needs a finite public range.
    Source: Durfee (2025), Definition 3.1 and Theorem 1.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.Median(bounds=(0, 100)), [45.0, 48.5, 50.0, 52.5, 55.0])
    >>> law = ln.PiecewiseLaplace().law(p, epsilon=2)
    >>> round(float(law.quantile(0.25)), 1), round(float(law.quantile(0.75)), 1)
    (37.4, 62.6)
    """

    rho: object = 0
    base: Literal["flat", "log", "round"] = "flat"
    shift: int | None = None
    scale: object = None
    above: object = None

    def __post_init__(self) -> None:
        rho = parse_rho(self.rho)
        if not is_one_of(self.base, ("flat", "log", "round")):
            raise ParameterError(f'base must be "flat", "log" or "round", got {quoted(self.base)}')
        if self.shift is not None and parse_number(self.shift, "shift").denominator != 1:
            raise ParameterError(
                f"shift must be a whole number of records, got {quoted(self.shift)}"
            )
        if self.scale is not None and not parse_number(self.scale, "scale") > 0:
            raise ParameterError(f"scale must be greater than 0, got {quoted(self.scale)}")
        if self.above is not None and not 0 < parse_number(self.above, "above") < 1:
            raise ParameterError(
                f"above must lie strictly between 0 and 1, got {quoted(self.above)}"
            )
        if rho and (self.base != "flat" or self.shift or self.above is not None):
            raise ParameterError("rho is only for base='flat' without shift and above")

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        rho = parse_rho(self.rho)
        shown = [f"rho={rho}"] if rho else []
        if self.base != "flat":
            shown.append(f"base={self.base!r}")
        if self.shift is not None:
            shown.append(f"shift={self.shift}")
        if self.scale is not None:
            shown.append(f"scale={self.scale}")
        if self.above is not None:
            shown.append(f"above={parse_number(self.above, 'above')}")
        return f"PiecewiseLaplace({', '.join(shown)})"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The output law at this profile."""
        share = Fraction(1, 2) if self.above is None else parse_number(self.above, "above")
        if self.base == "flat" and not self.shift and share == Fraction(1, 2):
            return levels_law(
                profile, epsilon, rho=parse_rho(self.rho), sloped=True, mechanism=self.name
            )
        exponent = parse_epsilon(epsilon)
        grid = on_grid(profile)
        if share != Fraction(1, 2) and not grid.monotone:
            raise ParameterError(
                "above must be 1/2 unless the statistic is monotone under its relation"
            )
        low, high = grid.finite_range(self.name)
        if low == high:
            return ConstantLaw(low, grid.step)
        above, below = exponent * share, exponent * (1 - share)
        depth = read_depth(2 * min(above, below), (high - low).bit_length())
        if grid.depth is not None:
            depth = min(depth, grid.depth)
        score = Score(grid.centre, grid.upper, grid.lower, low, high, depth)
        corners = (low, high)
        if self.base == "log":
            scale = Fraction(high - low, 2**20)
            if self.scale is not None:
                scale = parse_number(self.scale, "scale") / grid.step
            corners = log_candidates(low, high, max(scale, Fraction(1)), _GROWTH)
        elif self.base == "round":
            corners = round_candidates(low, high, grid.step)
        law = ShiftedLaw(score, Cells(corners), self._shift(exponent), above, below)
        return ShiftedLevelsLaw(law, grid.step)

    def _shift(self, epsilon: Fraction) -> int:
        if self.shift is not None:
            return int(self.shift)
        return -round(2 / epsilon) if self.base == "log" else 0

    def strongest(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """epsilon-bounded range, which implies epsilon-DP and composes better."""
        return BoundedRange(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels read, from public parameters only."""
        share = Fraction(1, 2) if self.above is None else parse_number(self.above, "above")
        return read_depth(2 * epsilon * min(share, 1 - share), range_bits)


@lru_cache(maxsize=64)
def read_depth(epsilon: Fraction, range_bits: int) -> int:
    """Levels after which even the whole range weighs less than 2^-64 of the centre.

    Level l has weight exp(-epsilon l / 2) per point. Beyond this depth every bound is the range
    end: the neighbour law holds for any public depth, so this is a matter of accuracy only.
    """
    return floor(2 * (64 + range_bits) * _LN2_UPPER / epsilon) + 2


def parse_rho(rho: object) -> Fraction:
    """The smoothing radius in the user's units, rho >= 0."""
    number = parse_number(rho, "rho")
    if number < 0:
        raise ParameterError(f"rho must be at least 0, got {quoted(rho)}")
    return number


def levels_law(
    profile: Profile, epsilon: object, *, rho: Fraction, sloped: bool, mechanism: str
) -> Law:
    """exp(-(epsilon/2) score) over the public range, the plateau widened by rho."""
    rate = parse_epsilon(epsilon) / 2
    grid = on_grid(profile)
    low, high = grid.finite_range(mechanism)
    if low == high:
        return ConstantLaw(low, grid.step)
    centre, wider = grid.centre, floor(rho / grid.step)
    right = Side(grid.upper, high - centre, wider - centre)
    left = Side(grid.lower, centre - low, wider + centre, sign=-1)
    depth = read_depth(2 * rate, (high - low).bit_length())
    if grid.depth is not None:
        depth = min(depth, grid.depth)
    return LevelsLaw(centre, LevelLaw(right, left, rate, sloped, depth), grid.step)
