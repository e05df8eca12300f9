"""The asymmetric sensitivity mechanism (Durfee 2024): sparse vector over candidate answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import ceil, floor, log
from typing import Literal

from leastnoise.errors import ParameterError, quoted
from leastnoise.laws import AboveThresholdLaw, Law
from leastnoise.laws.above_threshold import Stream
from leastnoise.mechanisms.candidates import (
    MOST_CANDIDATES,
    fitted_candidates,
    log_candidates,
    parse_beta,
    uniform_candidates,
)
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.params import is_one_of, parse_epsilon, parse_number
from leastnoise.profiles import GridProfile, Profile, on_grid

Side = Literal["up", "down"]
Spacing = Literal["log", "uniform"]
# Used in place of a private number of records.
_ROWS = 2048
# The default scale of a finite range, by powers of two of its width. Above so large an epsilon
# hardly any candidate below the value stops the walk, so there may be many.
_COARSE, _FINE, _LARGE = 20, 50, 8
# The scale where there is no range to derive it from, in the user's units.
_NEAR = Fraction(1, 2**20)


@dataclass(frozen=True, slots=True)
class AsymmetricSensitivity(PureMechanism):
    """Walk through public candidates and stop at the first whose score passes a noisy threshold.

    The score of a candidate is the signed number of records that must change before the profile's
    bounds reach it, so the walk stops near the value, and a large or infinite sensitivity on the
    far side costs little: the bounds of one side may be missing (unbounded data).

    Parameters
    ----------
    beta : number or "auto"
        Growth of the candidates, 1 + 1e-12 <= beta <= 2: they are scale (beta^i - 1) away from 0
        (from the lower end of a nonnegative range). "auto": 1 + 1/max(20, c sqrt(rows epsilon)),
        c = 3/2 for a monotone statistic, else 1, rows the number of records where that is public,
        else 2048; and at most ``apart`` scales of Laplace noise apart (see Notes).
    scale : number, optional
        Width near 0 below which candidates are spaced evenly, in the user's units. Default: the
        width of the range / 2**20, above epsilon 8 / 2**50, but at most the scale of Laplace noise;
        or 2**-20 for a range without end. With beta "auto" the nearest beta^j 2**-20, so that
        candidates are the same for every range that holds them.
    split : number, optional
        e1 : e2, the shares of the threshold and of the candidates. Default: 1 for a finite range,
        2 without end.
    side : "up" or "down"
        Walk through ascending or descending candidates. The answer leans towards the start.
    spacing : "log" or "uniform"
        "uniform": evenly spaced candidates, for a finite range.
    apart : number
        With beta "auto" and a finite range: the most that candidates are apart, in scales of
        Laplace noise (global sensitivity / epsilon). Default 1.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; from ``law`` for scores or a vector, and with spacing "uniform"
        for a statistic without a finite range. Checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP with e1 + e2 = epsilon where the statistic is proved monotone under the
    relation, e1 + 2 e2 = epsilon otherwise (errata 1 and 3, ``docs/proofs/above-threshold.md``).
    Levels are read to the public depth ceil((ln(candidates) + 20)/e2), beyond which they are the
    range ends (the paper's fixed c = 100 is too small at small epsilon). The answer is the
    candidate itself, the end of its interval: walks stop early, so the middle measured worse
    (``docs/decisions``). Source: Durfee (2024), (M.3), with one-sided geometric noise.

    With H candidates a factor e the walk passes the value by more than a factor e^x with
    probability about (H x)^-(e1/e2), and each of the many candidates before it is one more chance
    to stop too early: at small rows times epsilon few candidates are better, at large ones their
    spacing limits the error (``docs/decisions``, ``benchmarks/paper_metrics.py``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> pairs = [10, 20, 30] * 500, [11, 18, 30] * 500  # targets and predictions
    >>> error = ln.MeanSquaredError()  # no bounds: only this mechanism needs none
    >>> r = ln.release(error, pairs, epsilon=1, mechanism=ln.AsymmetricSensitivity())
    >>> 0.5 < r.value < 5
    True
    """

    beta: object = "1.005"
    scale: object = None
    split: object = None
    side: Side = "up"
    spacing: Spacing = "log"
    apart: object = 1

    def __post_init__(self) -> None:
        if not is_one_of(self.beta, ("auto",)):
            parse_beta(parse_number(self.beta, "beta"))
        for name in ("scale", "split", "apart"):
            value = getattr(self, name)
            if value is not None and not parse_number(value, name) > 0:
                raise ParameterError(f"{name} must be greater than 0, got {quoted(value)}")
        if not is_one_of(self.side, ("up", "down")):
            raise ParameterError(f'side must be "up" or "down", got {quoted(self.side)}')
        if not is_one_of(self.spacing, ("log", "uniform")):
            raise ParameterError(f'spacing must be "log" or "uniform", got {quoted(self.spacing)}')

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        fixed = self.beta != "auto"
        shown = [f"beta={parse_number(self.beta, 'beta')}" if fixed else "beta='auto'"]
        for key, default in (
            ("scale", None),
            ("split", None),
            ("side", "up"),
            ("spacing", "log"),
            ("apart", 1),
        ):
            value = getattr(self, key)
            if value != default:
                shown.append(f"{key}={value!r}" if isinstance(value, str) else f"{key}={value}")
        return f"AsymmetricSensitivity({', '.join(shown)})"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The output law at this profile."""
        grid = on_grid(profile)
        exponent = parse_epsilon(epsilon)
        e1, e2 = self.shares(exponent, monotone=grid.monotone, finite=grid.high is not None)
        candidates = self._candidates(grid, exponent)
        sign = 1 if self.side == "up" else -1
        depth = threshold_depth(e2)
        if grid.depth is not None:
            depth = min(depth, grid.depth)
        # searches for neighbouring candidates read the same levels, which can be expensive
        upper, lower, centre = cache(grid.upper), cache(grid.lower), grid.centre
        if sign > 0:
            stream = Stream(candidates, centre, upper, lower, depth)
        else:
            mirrored = tuple(-c for c in reversed(candidates))
            stream = Stream(
                mirrored, -centre, lambda level: -lower(level), lambda level: -upper(level), depth
            )
        return AboveThresholdLaw(stream, e1, e2, grid.step, sign)

    def shares(
        self, epsilon: Fraction, *, monotone: bool, finite: bool
    ) -> tuple[Fraction, Fraction]:
        """(e1, e2) with e1 + e2 = epsilon (monotone) or e1 + 2 e2 = epsilon."""
        ratio = Fraction(1 if finite else 2)
        if self.split is not None:
            ratio = parse_number(self.split, "split")
        e2 = epsilon / (ratio + (1 if monotone else 2))
        return ratio * e2, e2

    def _candidates(self, grid: GridProfile, epsilon: Fraction) -> Sequence[int]:
        low, high = grid.low, grid.high
        if self.spacing == "uniform":
            low, high = grid.finite_range(self.name)
            return uniform_candidates(low, high)
        if self.scale is not None:
            scale = parse_number(self.scale, "scale") / grid.step
        elif low is not None and high is not None:
            scale = Fraction(high - low, 2 ** (_FINE if epsilon > _LARGE else _COARSE))
            if grid.sensitivity:
                scale = min(scale, grid.sensitivity / epsilon)
        else:
            scale = _NEAR / grid.step
        scale = max(scale, Fraction(1))
        if self.beta != "auto":
            beta = parse_beta(parse_number(self.beta, "beta"))
            return log_candidates(low, high, scale, beta)
        records = (grid.rows or _ROWS) * epsilon * (Fraction(9, 4) if grid.monotone else 1)
        apart = parse_number(self.apart, "apart") / epsilon
        widest = None if grid.sensitivity is None else floor(grid.sensitivity * apart)
        unit = _NEAR / grid.step if self.scale is None else None
        return fitted_candidates(low, high, scale, records, widest, unit)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels read: enough for the smallest share that e2 can have."""
        ratio = Fraction(2) if self.split is None else parse_number(self.split, "split")
        return threshold_depth(epsilon / (ratio + 2))


@lru_cache(maxsize=64)
def threshold_depth(e2: Fraction) -> int:
    """Level after which all candidates together fire by accident with probability e^-20."""
    return ceil((Fraction(log(MOST_CANDIDATES)) + 20) / e2)
