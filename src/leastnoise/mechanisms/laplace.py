"""Laplace noise scaled to the global sensitivity, and its form for means with a private count."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from leastnoise.errors import ParameterError
from leastnoise.laws import ConstantLaw, DiscreteLaplaceLaw, Law, RatioLaw
from leastnoise.laws.ratio import RatioParts
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.params import parse_epsilon
from leastnoise.profiles import Profile, exact, on_grid


@dataclass(frozen=True, slots=True)
class Laplace(PureMechanism):
    """Add discrete Laplace noise, P(k) proportional to exp(-epsilon |k| / Delta) lattice steps.

    Delta is the *global* sensitivity of the statistic under its relation and unit, after rounding
    to the output lattice; of the profile, only the value is read.

    Raises
    ------
    ParameterError, ParameterTypeError
        From ``law``, for an invalid epsilon, for scores or a vector, and for a statistic without a
        finite global sensitivity; checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP. The answer is cut to the public range after the draw where the statistic
    says so, which is post-processing. ``law`` describes the noisy value before that cut. The noise
    is public: its scale is Delta / epsilon. Source: Dwork et al. (2006); discrete form Ghosh,
    Roughgarden and Sundararajan (2009); ``docs/proofs/rounding.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> law = ln.Laplace().law(ln.profile(ln.Count(), [1, 1, 0]), epsilon=1)
    >>> round(law.pmf(3), 3), round(law.mean_absolute_error(centre=3), 3)
    (0.462, 0.851)
    """

    public_noise: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return "Laplace()"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The law of the noisy value, before it is cut to the public range."""
        grid = on_grid(profile)
        if grid.sensitivity is None:
            raise ParameterError(
                "Laplace() needs a finite global sensitivity, and this statistic has none: give "
                "bounds, or another mechanism"
            )
        exponent = parse_epsilon(epsilon)
        if grid.sensitivity == 0:
            return ConstantLaw(grid.centre, grid.step)
        return DiscreteLaplaceLaw(grid.centre, exponent / grid.sensitivity, grid.step)

    def noise_scale(self, profile: Profile, epsilon: Fraction) -> Fraction:
        """Delta / epsilon in the user's units: fixed by public parameters."""
        grid = on_grid(profile)
        return Fraction(grid.sensitivity or 0) * grid.step / epsilon


@dataclass(frozen=True, slots=True)
class LaplaceRatio(PureMechanism):
    """A noisy centred sum over a noisy count: the mean of a table whose row count is private.

    Both parts get half of epsilon: T = sum(2 x - low - high) plus discrete Laplace noise of scale
    2 (high - low) / epsilon, N = row count plus discrete Laplace noise of scale 2 / epsilon; both
    scales times the number of rows of a person, where persons are protected.

    Raises
    ------
    ParameterError, ParameterTypeError
        From ``law``, for an invalid epsilon, and for anything but a mean whose row count is
        private.

    Notes
    -----
    Guarantee: epsilon-DP under "add-remove" and under "edit". One added or removed record moves N
    by 1 and T by at most high - low: epsilon/2 + epsilon/2. One changed record leaves N and moves
    T by at most 2 (high - low): 2 epsilon/2. So the count is free (errata 4.11,
    ``docs/proofs/mean.md``), and m changes move either at most m times as far. Only for statistics
    whose profile offers ``ratio``.
    """

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return "LaplaceRatio()"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The law of the released mean."""
        half = parse_epsilon(epsilon) / 2
        grid, ratio = on_grid(profile), profile.ratio
        if ratio is None:
            raise ParameterError(
                "LaplaceRatio() is for a mean whose row count is private (relation 'add-remove' or "
                "'edit', or missing='drop'); use Laplace() here"
            )
        low, high = grid.finite_range(self.name)
        if low == high:
            return ConstantLaw(low, grid.step)
        parts = RatioParts(
            total=ratio.total,
            count=ratio.count,
            middle=ratio.middle,
            scale=ratio.scale / Fraction(exact(profile.resolution)),
            rate_total=half / (ratio.weight * ratio.rows),
            rate_count=half / ratio.rows,
            low=low,
            high=high,
        )
        return RatioLaw(parts, grid.step)

    def parts(self, epsilon: Fraction) -> dict[str, Fraction]:
        """How epsilon is split, for the record."""
        return {"noisy sum": epsilon / 2, "noisy count": epsilon / 2}
