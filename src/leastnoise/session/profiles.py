"""Profiles and expected errors: a look at the private side, for public or synthetic data only."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.frames.table import split
from leastnoise.laws import DiscreteGaussianLaw, DiscreteLaplaceLaw, RoundedLaplaceLaw
from leastnoise.mechanisms import Mechanism
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile, exact, on_grid
from leastnoise.randomness import active
from leastnoise.session.checking import profile_of
from leastnoise.session.opening import check_reading
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import parse_subset


def profile(
    statistic: object,
    data: object,
    *,
    relation: str | None = None,
    missing: object = None,
    where: object = None,
    unit: str | None = None,
    max_rows: int | None = None,
    **options: Any,
) -> Profile:
    """NOT PRIVATE. The sensitivity profile of a statistic at a data set.

    Parameters
    ----------
    statistic, data, relation, missing, where, unit, max_rows
        As for ``leastnoise.release``.
    **options
        How a file is read; see ``leastnoise.release``.

    Returns
    -------
    Profile
        ``value``, ``lower(l)``, ``upper(l)`` and ``support`` as exact ints or Fractions in the
        user's units; ``Scores`` for a choice among declared answers, ``VectorProfile`` for a
        vector. Never a release: use it on public or synthetic data only.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        As for ``leastnoise.release``.
    ProductionError
        When the environment variable LEASTNOISE_PRODUCTION is set.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.Median(bounds=(0, 100)), [20, 30, 40, 50, 60])
    >>> p.value, p.lower(1), p.upper(1)
    (40, 30, 50)
    """
    forbid_in_production("profile")
    subset = parse_subset(where, unit=unit, max_rows=max_rows)
    if subset.searched is not None:
        raise ParameterError(
            "the profile of persons needs max_rows=, the most rows of one person: declare it"
        )
    check_reading(options)
    prepared = plan(statistic, data, relation, missing, subset=subset, **options)
    (table,) = split(prepared.table, subset, active())
    found: Any = profile_of(prepared, table)
    return found


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
