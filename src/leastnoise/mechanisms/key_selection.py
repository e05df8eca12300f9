"""Showing the keys that occur in enough rows or for enough persons."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.errors import ParameterError
from leastnoise.guarantees import ApproxDP, Guarantee, Scope
from leastnoise.laws import Law
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.params import parse_delta
from leastnoise.profiles import Profile


@dataclass(frozen=True, slots=True)
class KeySelection(Mechanism):
    """Show each key with the greatest probability that its share of (epsilon, delta) allows.

    Parameters
    ----------
    delta : number
        0 < delta < 1, of the whole set of keys; far below one over the number of persons. A key of
        one row is shown with probability delta at most.

    Notes
    -----
    Guarantee: (epsilon, delta)-DP. Source: Desfontaines et al. (2022), Theorem 1;
    ``docs/proofs/private-keys.md``.
    """

    delta: object

    def __post_init__(self) -> None:
        parse_delta(self.delta)

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return f"KeySelection(delta={parse_delta(self.delta)})"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """Refused: keys have no profile."""
        raise ParameterError(f"{self.name} is for PrivateKeys only: omit mechanism=")

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """(epsilon, delta)-DP."""
        return ApproxDP(epsilon, parse_delta(self.delta), scope)
