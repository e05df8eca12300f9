"""Shares and thresholds of means and variances over persons: all of them public."""

from __future__ import annotations

from fractions import Fraction

from leastnoise.mechanisms.private_limits import centre_share

PERSONS_SHARE = Fraction(1, 50)
"""Of epsilon, for a number of persons that decides what is looked for."""
ZERO_SHARE = Fraction(1, 50)
"""Of epsilon, for how many persons are not at 0."""
LOOSE_SHARE = Fraction(1, 50)
"""Of epsilon, for how many persons are far from the centre of a variance."""
FIT_SHARE = Fraction(1, 12)
"""Of epsilon, for how many persons are far from 0, by the declared bounds."""
# Persons times epsilon from which a centre is found, and from which it is asked whether bounds fit.
_CENTRED, _ASKED = 500, 150
# Bounds fit where more than one person in so many is farther away than so much of their reach.
_ONE_IN, _PART = 3, Fraction(1, 4)
# The share of the number of rows about a centre that was found, where the sum is next to 0, and
# about one that was not.
_ABOUT, _ELSEWHERE = Fraction(1, 5), Fraction(1, 3)
FAR = 16
"""Distances are squared up to so many limits of what persons add up to."""
ROWS_SHARE, SUM_SHARE = Fraction(1, 8), Fraction(1, 4)
"""Of what a centre leaves, for the number of rows and for the sum; the rest is for the squares."""
# Persons times epsilon from which variances are of sums.
_SQUARED = 800
# Sums whose limits were not found are not squared where fewer than one person in so many is farther
# from the centre than so small a part of the reach of the bounds.
_OUTSIDE, _NEARBY = 20, Fraction(1, 1024)
# The mean about the centre counts where its noise, squared, is so many times below the squares.
_SHOWN = 8
# Up to so many rows of a person have noise by themselves where bounds fit by public facts.
_FEW = 16


def share_of_centre(persons: Fraction) -> Fraction:
    """The part of epsilon for a centre, 0 for none; ``persons`` is their number times epsilon."""
    return centre_share(persons) if persons >= _CENTRED else Fraction(0)


def are_at_zero(off: int, persons: int) -> bool:
    """Whether most persons are at 0, by released numbers."""
    return 2 * off < persons


def share_of_fit(persons: Fraction) -> Fraction:
    """The part of epsilon for the question whether bounds fit, 0 where it is not asked."""
    return FIT_SHARE if _ASKED <= persons < _CENTRED else Fraction(0)


def share_of_rows(persons: Fraction) -> Fraction:
    """The part of the rest for the number of rows."""
    return _ABOUT if persons >= _CENTRED else _ELSEWHERE


def is_far(reach: Fraction) -> Fraction:
    """From how far on a person is far away, by how far the bounds reach."""
    return _PART * reach


def fits(far: int, persons: int) -> bool:
    """Whether so many far ones of all persons, both released, show that bounds fit."""
    return far * _ONE_IN > persons


def adds_up_squares(most: int, *, narrow: bool) -> bool:
    """Whether variances are of sums of persons, by the most rows of one.

    In bounds that fit by public facts noise for few rows by themselves is less.
    """
    return not narrow or most > _FEW


def enough_for_squares(persons: Fraction) -> bool:
    """Whether sums of squares are taken; ``persons`` is their number times epsilon."""
    return persons >= _SQUARED


def shows_mean(square: Fraction, noise: float) -> bool:
    """Whether a mean square is far above that of the noise of the mean, both about the centre.

    The centre is near the mean, which is left out where it would be noise.
    """
    return noise**2 * _SHOWN < square


def nearby(reach: Fraction) -> Fraction:
    """Within which persons are near a centre, by how far the bounds reach."""
    return _NEARBY * reach


def are_loose(far: int, persons: int) -> bool:
    """Whether so few far ones of all persons, both released, are a sign of loose bounds."""
    return _OUTSIDE * far < persons
