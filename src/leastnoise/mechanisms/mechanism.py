"""The contract between a profile and a law."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from leastnoise.guarantees import Guarantee, PureDP, Scope
from leastnoise.params import explained

if TYPE_CHECKING:
    from leastnoise.laws.vector import VectorLaw
    from leastnoise.profiles import Profile
    from leastnoise.profiles.vector import VectorProfile


class Mechanism:
    """A frozen dataclass whose main method gives the law of a profile.

    ``name``, ``law`` and ``guarantee`` must be given, the rest has a default. A user's own object
    needs no base class (``leastnoise.mechanisms.foreign``).
    """

    __slots__ = ()

    for_vectors: ClassVar[bool] = False
    """Whether it answers a vector as a whole."""
    public_noise: ClassVar[bool] = False
    """Whether the size of its noise depends on public parameters alone."""

    def __init_subclass__(cls) -> None:
        made = vars(cls).get("__init__")  # of a dataclass with slots, once it is complete
        if made is not None and not TYPE_CHECKING:
            cls.__init__ = explained(made, cls.__name__)

    @property
    def name(self) -> str:
        """The mechanism as a record shows it, with its public parameters."""
        raise NotImplementedError

    @property
    def own(self) -> object:
        """The object that the caller gave."""
        return self

    def law(self, profile: Any, epsilon: object) -> Any:
        """The output law at this profile. NOT PRIVATE: for analysis; a release draws from it."""
        raise NotImplementedError

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """The guarantee of one draw."""
        raise NotImplementedError

    def strongest(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """The strongest guarantee of one draw, such as a bounded range besides epsilon."""
        return self.guarantee(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels of the profile to read, for a range of at most 2**range_bits lattice points."""
        return 0

    def parts(self, epsilon: Fraction) -> Mapping[str, Fraction]:
        """How epsilon is split inside the mechanism, for the record."""
        return {}

    def noise_scale(self, profile: Profile, epsilon: Fraction) -> Fraction:
        """The public scale of the noise, in the user's units."""
        raise NotImplementedError

    def vector_law(self, profile: VectorProfile, epsilon: Fraction, rows: int) -> VectorLaw:
        """NOT PRIVATE. The law of a vector where a person has at most ``rows`` rows."""
        raise NotImplementedError

    def vector_strongest(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """The strongest guarantee of one draw of a vector."""
        return self.guarantee(epsilon, scope)

    def named(self, profile: VectorProfile) -> str:
        """The mechanism as the record of a vector shows it."""
        return self.name


class PureMechanism(Mechanism):
    """A mechanism that is epsilon-DP, and promises no more."""

    __slots__ = ()

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """epsilon-DP."""
        return PureDP(epsilon, scope)


class VectorMechanism(PureMechanism):
    """A mechanism for vectors only, with noise in the shape of a ball."""

    __slots__ = ()

    for_vectors: ClassVar[bool] = True
    ball: Any

    def vector_law(self, profile: VectorProfile, epsilon: Fraction, rows: int) -> VectorLaw:
        """The rows of a person are changed one after the other, each within its share."""
        return self.law(profile, epsilon / rows)

    def named(self, profile: VectorProfile) -> str:
        """The name, with the default ball of the statistic where none is given."""
        if self.ball is not None:
            return self.name
        return f"{type(self).__name__}({profile.default_ball!r})"
