"""Users' own statistics: objects with some methods of ``Statistic``, and no base class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterTypeError, quoted
from leastnoise.foreign import is_list_or_tuple
from leastnoise.params import PrivateBounds
from leastnoise.statistics.statistic import (
    JointLaw,
    JointStatistic,
    Statistic,
    Value,
    VectorStatistic,
)

if TYPE_CHECKING:
    from leastnoise.mechanisms import Mechanism
    from leastnoise.profiles import Profile, Scores
    from leastnoise.profiles.vector import VectorProfile
    from leastnoise.summaries.vectors import VectorRequest


def as_statistic(statistic: object) -> Statistic:
    """A statistic, or a user's own object wrapped as one.

    Raises
    ------
    ParameterTypeError
        If it is a class, or has no method ``spec()``.
    """
    if isinstance(statistic, Statistic):
        return statistic
    if is_list_or_tuple(statistic):
        raise ParameterTypeError(
            "statistic must be one object or, for several, a dict of them by name, such as "
            f"{{'rows': Count(), 'middle': Median(...)}}, not {type(statistic).__name__}"
        )
    if isinstance(statistic, type) or not callable(getattr(statistic, "spec", None)):
        name = statistic.__name__ if isinstance(statistic, type) else quoted(statistic)
        raise ParameterTypeError(
            f"statistic must be an object such as Median(bounds=(0, 100)), got {name}"
            + (f", a class: give {name}(...)" if isinstance(statistic, type) else "")
        )
    if hasattr(statistic, "vector"):
        return ForeignVector(statistic)
    return ForeignJoint(statistic) if hasattr(statistic, "joint_law") else Foreign(statistic)


@dataclass(frozen=True, slots=True)
class Foreign(Statistic):
    """The methods that the object defines, and defaults for the rest."""

    given: Any

    @property
    def name(self) -> str:
        """The name of its class."""
        return type(self.given).__name__

    @property
    def own(self) -> object:
        """The object itself."""
        return self.given

    def _optional(self, name: str, default: Any) -> Any:
        return getattr(self.given, name, default)

    def spec(self) -> Any:
        """What must be summarised."""
        return self.given.spec()

    def profile(self, summary: Any, relation: str) -> Profile | Scores:
        """The single profile of the object."""
        method = self._optional("profile", None)
        return (
            Statistic.profile(self, summary, relation)
            if method is None
            else method(summary, relation)
        )

    def profiles(self, summary: Any, relation: str) -> Sequence[Profile | Scores]:
        """The profiles of the object, or its single one."""
        method = self._optional("profiles", None)
        return [self.profile(summary, relation)] if method is None else method(summary, relation)

    def combine(self, values: Sequence[Value]) -> Any:
        """The first answer, unless the object overrides it."""
        method = self._optional("combine", None)
        return values[0] if method is None else method(values)

    def touched(self, relation: str) -> int | None:
        """All parts, unless the object overrides it."""
        method = self._optional("touched", None)
        return None if method is None else method(relation)

    def default_mechanism(self, relation: str) -> Mechanism:
        """The default of all statistics, unless the object overrides it."""
        method = self._optional("default_mechanism", None)
        if method is None:
            return Statistic.default_mechanism(self, relation)
        return method(relation)

    @property
    def searched(self) -> PrivateBounds | None:
        """Asked for by ``bounds`` or ``loss_bound``."""
        limits = (self._optional(name, None) for name in ("bounds", "loss_bound"))
        return next((limit for limit in limits if isinstance(limit, PrivateBounds)), None)

    @property
    def axes(self) -> tuple[tuple[Any, ...], ...]:
        """None, unless the object overrides it."""
        return self._optional("axes", ())

    @property
    def notes(self) -> tuple[str, ...]:
        """None, unless the object overrides it."""
        return tuple(self._optional("notes", ()))


@dataclass(frozen=True, slots=True)
class ForeignJoint(Foreign, JointStatistic):
    """An object with a joint law."""

    def joint_law(self, summary: Any, relation: str, epsilon: Fraction) -> JointLaw:
        """Its joint law."""
        return self.given.joint_law(summary, relation, epsilon)

    def parts(self, relation: str, epsilon: Fraction) -> dict[str, str]:
        """How it spends epsilon."""
        return self.given.parts(relation, epsilon)

    def candidates(self, lattice: Any) -> Sequence[int] | None:
        """The public answers, if the object names them."""
        method = self._optional("candidates", None)
        return None if method is None else method(lattice)


@dataclass(frozen=True, slots=True)
class ForeignVector(Foreign, VectorStatistic):
    """An object with a vector."""

    def vector(self, summary: Any, request: Any, relation: str) -> VectorProfile:
        """Its vector."""
        return self.given.vector(summary, request, relation)

    def answer(self, values: Sequence[Fraction], rows: int | None, request: VectorRequest) -> Any:
        """The released coordinates, unless the object overrides it."""
        method = self._optional("answer", None)
        return [float(v) for v in values] if method is None else method(values, rows, request)
