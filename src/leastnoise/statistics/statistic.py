"""The contract of a statistic: no base class, no registry, two methods.

A statistic may also say which mechanism it takes by default with
``default_mechanism(relation)``; otherwise a finite range gives the piecewise Laplace
mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from leastnoise.profiles import Profile
from leastnoise.summaries.spec import Spec


class Statistic(Protocol):
    """A frozen dataclass that says what it needs and how far it can move."""

    def spec(self) -> Spec:
        """What must be summarised."""
        ...

    def profile(self, summary: Any, relation: str) -> Profile:
        """The sensitivity profile of the summary under "replace-one", "add-remove" or "edit"."""
        ...


class VectorStatistic(Protocol):
    """Several numbers of one summary, each with its own profile and share of epsilon."""

    def spec(self) -> Spec:
        """What must be summarised."""
        ...

    def profiles(self, summary: Any, relation: str) -> Sequence[Profile]:
        """One profile a part."""
        ...

    def combine(self, values: Sequence[int | float]) -> list[int | float]:
        """The answer, from the parts' private values only."""
        ...
