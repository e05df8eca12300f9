"""The contract between a profile and a law."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from leastnoise.guarantees import Guarantee, Scope
from leastnoise.laws import Law
from leastnoise.profiles import Profile


class Mechanism(Protocol):
    """A frozen dataclass with one method of weight: the law of a profile.

    ``name`` is what a record shows. ``depth`` says how many levels of a profile the law reads,
    from public parameters only; 0 when it reads none.
    """

    @property
    def name(self) -> str:
        """The mechanism as a record shows it, with its public parameters."""
        ...

    def law(self, profile: Profile, epsilon: object) -> Law:
        """The output law at this profile. NOT PRIVATE: for analysis; a release draws from it."""
        ...

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """What one draw promises."""
        ...

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels of the profile to read, for a range of at most 2**range_bits lattice points."""
        ...
