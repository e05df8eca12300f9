"""The mechanism of a statistic whose answers are drawn from one joint law."""

from __future__ import annotations

from dataclasses import dataclass

from leastnoise.errors import ParameterError
from leastnoise.laws import Law
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.profiles import Profile


@dataclass(frozen=True, slots=True)
class JointMechanism(PureMechanism):
    """Stands for a statistic's own search, which is not defined on a single profile.

    Notes
    -----
    Guarantee: epsilon-DP for all answers together, as the statistic's docstring states.
    """

    called: str

    @property
    def name(self) -> str:
        """The search as a record shows it."""
        return self.called

    def law(self, profile: Profile, epsilon: object) -> Law:
        """Refused: there is no law for a single profile."""
        raise ParameterError(f"{self.name} draws its answers jointly: no answer has its own law")
