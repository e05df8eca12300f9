"""The piecewise Laplace mechanism (Durfee 2025)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.guarantees import Guarantee, PureDP, Scope
from leastnoise.laws import Law
from leastnoise.mechanisms.levels import levels_law, parse_rho, read_depth
from leastnoise.profiles import Profile


@dataclass(frozen=True, slots=True)
class PiecewiseLaplace:
    """Draw y with probability proportional to exp(-(epsilon/2) s(y)), s linear in every level.

    s is 0 at the value and l at the bounds of level l, linear between them, so between
    upper(l-1) and upper(l) the noise is Laplace with scale proportional to that local change.

    Parameters
    ----------
    rho : number
        Smoothing radius in the user's units, >= 0: the score is that of the inner edge of level 1
        within rho of the value (errata 1). Public. Rarely useful here.

    Notes
    -----
    Guarantee: epsilon-DP for every profile that obeys the neighbour law, also after one monotone
    rounding to a lattice (``docs/proofs/piecewise-laplace.md``); it also has epsilon-bounded
    range. Needs a finite public range. Source: Durfee (2025), Definition 3.1 and Theorem 1; the
    lattice form is exact_sampling 3.
    """

    rho: object = 0

    def __post_init__(self) -> None:
        parse_rho(self.rho)

    @property
    def name(self) -> str:
        """The mechanism as a record shows it."""
        rho = parse_rho(self.rho)
        return f"PiecewiseLaplace(rho={rho})" if rho else "PiecewiseLaplace()"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The output law at this profile."""
        return levels_law(
            profile, epsilon, rho=parse_rho(self.rho), sloped=True, mechanism=self.name
        )

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """epsilon-DP."""
        return PureDP(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels read, from public parameters only."""
        return read_depth(epsilon, range_bits)
