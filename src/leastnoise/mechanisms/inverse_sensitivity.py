"""The inverse sensitivity mechanism (Asi and Duchi 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.errors import ParameterError
from leastnoise.guarantees import BoundedRange, Guarantee, Scope
from leastnoise.laws import Law
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.mechanisms.piecewise_laplace import levels_law, parse_rho, read_depth
from leastnoise.profiles import Profile, Scores


@dataclass(frozen=True, slots=True)
class InverseSensitivity(PureMechanism):
    """Draw y with probability proportional to exp(-(epsilon/2) len(y)).

    ``len(y)`` is the number of records that must change before the profile's bounds reach y: the
    least l with lower(l) <= y <= upper(l). It always comes from the bounds, so a function that is
    not sample-monotone is covered too (errata 1, D24 (M.2)).

    Parameters
    ----------
    rho : number
        Smoothing radius in the user's units, >= 0: len is 0 within rho of the value. Public.

    Raises
    ------
    ParameterError, ParameterTypeError
        If rho is invalid; from ``law`` for an invalid epsilon, for a vector, for scores that do not
        count records, and for a statistic without a finite range. Checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP for every profile that obeys the neighbour law, because len changes by
    at most 1 between neighbours; it also has epsilon-bounded range. Needs a finite public range.
    Source: Asi and Duchi (2020), (M.1), (M.2); ``docs/proofs/piecewise-laplace.md``.

    Examples
    --------
    >>> import leastnoise as ln
    >>> p = ln.profile(ln.Median(bounds=(0, 10), step=1), [4, 5, 5, 5, 6])
    >>> law = ln.InverseSensitivity().law(p, epsilon=4)
    >>> round(law.pmf(5), 3)  # how likely the true answer is
    0.947
    """

    rho: object = 0

    def __post_init__(self) -> None:
        parse_rho(self.rho)

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        rho = parse_rho(self.rho)
        return f"InverseSensitivity(rho={rho})" if rho else "InverseSensitivity()"

    def law(self, profile: Profile | Scores, epsilon: object) -> Law:
        """NOT PRIVATE. The output law at this profile, or among declared candidates."""
        if isinstance(profile, Scores):
            if not profile.distances:
                raise ParameterError(
                    "InverseSensitivity() needs scores that count the records that must change, "
                    "and these do not; use Exponential() or PermuteAndFlip()"
                )
            from leastnoise.mechanisms.selection import Exponential  # which imports this module

            return Exponential().law(profile, epsilon)
        return levels_law(
            profile, epsilon, rho=parse_rho(self.rho), sloped=False, mechanism=self.name
        )

    def strongest(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """epsilon-bounded range, which implies epsilon-DP and composes better."""
        return BoundedRange(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels read, from public parameters only."""
        return read_depth(epsilon, range_bits)
