"""NOT PRIVATE. One data set's difficulty in one record, and mechanisms measured against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.mechanisms import (
    AsymmetricSensitivity,
    InverseSensitivity,
    Laplace,
    Mechanism,
    PiecewiseLaplace,
)
from leastnoise.mechanisms.foreign import as_mechanism
from leastnoise.params import parse_epsilon, parse_list
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile
from leastnoise.session.profiles import expected_error
from leastnoise.theory.bounds import asymmetry, growth_ratio, minimax_risk, theorem_1, theorem_2

MECHANISMS: tuple[Mechanism, ...] = (
    Laplace(),
    InverseSensitivity(),
    PiecewiseLaplace(),
    PiecewiseLaplace(base="log"),
    AsymmetricSensitivity(),
)


@dataclass(frozen=True, slots=True)
class Optimality:
    """NOT PRIVATE. How hard one data set is at one epsilon, and how near mechanisms come.

    Attributes
    ----------
    epsilon : Fraction
        The privacy parameter.
    minimax : float
        The exact local minimax risk of the absolute error, in the user's units.
    lower, upper : float
        The papers' bounds on it (Asi and Duchi, Theorem 2).
    unbiased : float
        The papers' lower bound for mechanisms whose median is the value (Theorem 1).
    growth, asymmetry : float
        R_f of Asi and Duchi, (10), and Definition C.1 of Durfee (2024).
    ratios : dict
        For each mechanism its exact expected error over ``minimax``; None where it refuses.
    """

    epsilon: Fraction
    minimax: float
    lower: float
    upper: float
    unbiased: float
    growth: float
    asymmetry: float
    ratios: Mapping[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "private": False,
            "epsilon": str(self.epsilon),
            "minimax": self.minimax,
            "lower": self.lower,
            "upper": self.upper,
            "unbiased": self.unbiased,
            "growth": self.growth,
            "asymmetry": self.asymmetry,
            "ratios": dict(self.ratios),
        }


def error_ratio(mechanism: Mechanism, profile: Profile, epsilon: object) -> float:
    """NOT PRIVATE. The exact expected error of a mechanism over the exact local minimax risk.

    Below 1 is possible at one data set: the risk is that of this data set or its hardest
    alternative. 1 where both are 0.

    Parameters
    ----------
    mechanism : Mechanism
        Such as ``PiecewiseLaplace()``.
    profile, epsilon
        As for ``minimax_risk``.

    Raises
    ------
    ParameterError, ParameterTypeError
        As for ``minimax_risk``; also if ``mechanism`` is not a mechanism, or refuses the profile.
    """
    forbid_in_production("theory")
    as_mechanism(mechanism)
    e = parse_epsilon(epsilon)
    return ratio_of(expected_error(mechanism, profile, e), minimax_risk(profile, e))


def optimality(
    profile: Profile, epsilon: object, mechanisms: Sequence[Mechanism] = MECHANISMS
) -> Optimality:
    """NOT PRIVATE. All measures of one profile at one epsilon.

    Parameters
    ----------
    profile : Profile
        From ``leastnoise.profile``, in the user's units, of public or synthetic data.
    epsilon
        As for ``leastnoise.release``.
    mechanisms : sequence
        What is measured.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the profile has no finite public range, an entry is not a mechanism, or epsilon is out of
        range.
    ProductionError
        When the environment variable LEASTNOISE_PRODUCTION is set.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise import theory
    >>> p = ln.profile(ln.Median(bounds=(0, 100)), list(range(100)))
    >>> found = theory.optimality(p, 1)
    >>> found.lower <= found.minimax <= found.upper
    True
    """
    forbid_in_production("theory")
    e = parse_epsilon(epsilon)
    least = minimax_risk(profile, e)
    below, above = theorem_2(profile, e)
    ratios: dict[str, float | None] = {}
    for mechanism in parse_list(mechanisms, "mechanisms", "mechanisms"):
        as_mechanism(mechanism)
        try:
            ratios[mechanism.name] = ratio_of(expected_error(mechanism, profile, e), least)
        except ParameterError:
            ratios[mechanism.name] = None
    return Optimality(
        e,
        least,
        below,
        above,
        theorem_1(profile, e),
        growth_ratio(profile, e),
        asymmetry(profile, e),
        ratios,
    )


def ratio_of(error: float, least: float) -> float:
    """Error over risk; 1 where both are 0."""
    if least > 0:
        return error / least
    return 1.0 if error == 0 else inf
