"""The expected error of the answer a release would give, exactly, from the law.

NOT PRIVATE: for public or synthetic data only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from leastnoise.laws import DiscreteGaussianLaw, DiscreteLaplaceLaw, RoundedLaplaceLaw
from leastnoise.profiles import Profile, exact, on_grid

if TYPE_CHECKING:
    from leastnoise.mechanisms import Mechanism


def expected_error(mechanism: Mechanism, profile: Profile, epsilon: object) -> float:
    """NOT PRIVATE. The mean of |released answer - value|, after the cut to the public range.

    Parameters
    ----------
    mechanism
        Any mechanism of this library.
    profile : Profile
        In the user's units, as ``leastnoise.profile`` gives it.
    epsilon
        The privacy parameter.

    Notes
    -----
    With v inside [low, high], |cut(Y) - v| = |Y - v| - (Y - high)+ - (low - Y)+. Laws that reach
    beyond the range are symmetric about their centre c, so with g = high - c >= 0 the second term
    has the mean (E|Y - c - g| - g) / 2, a closed form, and so has the third.
    """
    law = mechanism.law(profile, epsilon)
    value = Fraction(exact(profile.value))
    error = law.mean_absolute_error(centre=value)
    if not profile.clamp or not isinstance(
        law, DiscreteLaplaceLaw | DiscreteGaussianLaw | RoundedLaplaceLaw
    ):
        return error
    grid, middle = on_grid(profile), law.centre * law.step
    for end in (grid.low, grid.high):
        if end is not None:
            gap = abs(end * law.step - middle)
            error -= (law.mean_absolute_error(centre=middle + gap) - float(gap)) / 2
    return error
