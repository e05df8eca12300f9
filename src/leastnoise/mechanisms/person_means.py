"""Shares and thresholds of a mean over persons: all of them public."""

from __future__ import annotations

from fractions import Fraction

from leastnoise.mechanisms.private_limits import centre_share

PERSONS_SHARE = Fraction(1, 50)
"""Of epsilon, for a number of persons that decides what is looked for."""
FIT_SHARE = Fraction(1, 12)
"""Of epsilon, for how many persons are far from 0, by the declared bounds."""
# Persons times epsilon from which a centre is found, and from which it is asked whether bounds fit.
_CENTRED, _ASKED = 500, 150
# Bounds fit where more than one person in so many is farther away than so much of their reach.
_ONE_IN, _PART = 3, Fraction(1, 4)
# The share of the number of rows about a centre that was found, where the sum is next to 0, and
# about one that was not.
_ABOUT, _ELSEWHERE = Fraction(1, 5), Fraction(1, 3)


def share_of_centre(persons: Fraction) -> Fraction:
    """The part of epsilon for a centre, 0 for none; ``persons`` is their number times epsilon."""
    return centre_share(persons) if persons >= _CENTRED else Fraction(0)


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
