"""Users' own mechanisms: objects with some methods of ``Mechanism``, and no base class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterTypeError, quoted
from leastnoise.guarantees import Guarantee, Scope
from leastnoise.laws import Law
from leastnoise.mechanisms.laplace import Laplace
from leastnoise.mechanisms.mechanism import Mechanism


def as_mechanism(mechanism: object) -> Mechanism:
    """A mechanism, or a user's own object wrapped as one.

    Raises
    ------
    ParameterTypeError
        If it is a class, or has no method ``law(profile, epsilon)``.
    """
    if isinstance(mechanism, Mechanism):
        return mechanism
    if isinstance(mechanism, type) or not hasattr(mechanism, "law"):
        name = mechanism.__name__ if isinstance(mechanism, type) else quoted(mechanism)
        raise ParameterTypeError(
            f"mechanism must be an object such as {Laplace().name}, got {name}"
            + (f", a class: give {name}(...)" if isinstance(mechanism, type) else "")
        )
    return Foreign(mechanism)


@dataclass(frozen=True, slots=True)
class Foreign(Mechanism):
    """The methods that the object defines, and defaults for the rest."""

    given: Any

    def _optional(self, name: str, default: Any) -> Any:
        return getattr(self.given, name, default)

    @property
    def name(self) -> str:
        """Its name."""
        return self.given.name

    @property
    def own(self) -> object:
        """The object itself."""
        return self.given

    def law(self, profile: Any, epsilon: object) -> Law:
        """Its law."""
        return self.given.law(profile, epsilon)

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """Its guarantee."""
        return self.given.guarantee(epsilon, scope)

    def strongest(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """Its guarantee, unless the object promises more."""
        return self._optional("strongest", self.given.guarantee)(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Its depth."""
        return self.given.depth(epsilon, range_bits)

    def parts(self, epsilon: Fraction) -> Mapping[str, Fraction]:
        """None, unless the object overrides it."""
        method = self._optional("parts", None)
        return {} if method is None else method(epsilon)
