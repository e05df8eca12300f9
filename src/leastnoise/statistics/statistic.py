"""The contract of a statistic: what it needs summarised, and what it derives from the summary.

Every statistic of this library derives from one of these classes and overrides the defaults that do
not fit. A user's own object needs no base class: ``leastnoise.statistics.foreign`` is the one place
that looks for its methods by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from leastnoise.errors import ParameterError
from leastnoise.laws import saturated
from leastnoise.mechanisms import Mechanism, PiecewiseLaplace
from leastnoise.params import PrivateBounds, explained

if TYPE_CHECKING:
    from leastnoise.profiles import Profile, Scores
    from leastnoise.profiles.orders import OrderProfiles
    from leastnoise.profiles.vector import VectorProfile
    from leastnoise.randomness import BitSource
    from leastnoise.summaries.columns import Shown
    from leastnoise.summaries.lattice import Lattice
    from leastnoise.summaries.moments import MomentSummary
    from leastnoise.summaries.spread import SpreadSummary

Value = int | float
_CUT = "biased: negative answers were clipped to 0"


class Described(Protocol):
    """What a caller may ask for: any object that states what must be summarised."""

    def spec(self) -> Any:
        """What must be summarised."""
        ...


class Statistic:
    """A frozen dataclass that states what it needs and how far its answer can move.

    A statistic with one answer gives ``profile``; one with several answers, each from its own law,
    gives ``profiles`` and ``combine``. The other methods have defaults.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        made = vars(cls).get("__init__")  # of a dataclass with slots, once it is complete
        if made is not None and not TYPE_CHECKING:
            cls.__init__ = explained(made, cls.__name__, vars(cls).get("__annotations__", ()))

    @property
    def name(self) -> str:
        """What a record calls it."""
        return type(self).__name__

    @property
    def own(self) -> object:
        """The object that the caller gave."""
        return self

    def spec(self) -> Any:
        """What must be summarised."""
        raise NotImplementedError

    def profile(self, summary: Any, relation: str) -> Profile | Scores:
        """The sensitivity profile of the answer under "replace-one", "add-remove" or "edit"."""
        raise ParameterError(
            f"{self.name} has several profiles; use one of its parts, such as Quantile(q=...)"
        )

    def profiles(self, summary: Any, relation: str) -> Sequence[Profile | Scores]:
        """One profile for each answer that gets a law of its own."""
        return [self.profile(summary, relation)]

    def values(self, summaries: Sequence[Any], relation: str) -> Sequence[int] | None:
        """NOT PRIVATE. The values of all profiles of several tables, if these differ so alone.

        Their resolution is 1, and their range, sensitivity and unit are public, and those of every
        other: all that ``Laplace()`` reads. None: each table is asked for its own profile.
        """
        return None

    def ratios(self, summaries: Sequence[Any]) -> Sequence[tuple[int, int]] | None:
        """NOT PRIVATE. Sum and count of the ``ratio`` of each of several profiles, likewise."""
        return None

    def order_profiles(self, summaries: Sequence[Any], relation: str) -> OrderProfiles | None:
        """NOT PRIVATE. The profiles of several tables together, if they are order statistics."""
        return None

    def combine(self, values: Sequence[Value]) -> Any:
        """The value of the record, from private answers only."""
        (value,) = values
        return value

    def touched(self, relation: str) -> int | None:
        """How many of the profiles one changed record can move at most; None: all of them."""
        return None

    @property
    def summed(self) -> int:
        """From how many means and variances in public limits the answer is told: ``sums``."""
        return 0

    def sums(self, summary: Any) -> Sequence[MomentSummary | SpreadSummary]:
        """NOT PRIVATE. Summaries of columns: of a mean, or of a variance."""
        return ()

    def of_sums(self, values: Sequence[Fraction]) -> float:
        """The answer from these means and variances, in each of which it is monotone."""
        (value,) = values
        return saturated(value)

    def default_mechanism(self, relation: str) -> Mechanism:
        """The mechanism where none is asked for, by a public rule."""
        return PiecewiseLaplace()

    def settled_mechanism(self, relation: str) -> Mechanism:
        """The default inside limits that are settled, without a search for others."""
        return self.default_mechanism(relation)

    def limited_mechanism(self, relation: str) -> Mechanism | None:
        """The one inside limits that were found for a column, where ``PrivateLimits()`` may be
        asked for."""
        return None

    def default_of_persons(self, relation: str) -> Mechanism:
        """The same where a person has several rows, by public facts too."""
        return self.default_mechanism(relation)

    @property
    def searched(self) -> PrivateBounds | None:
        """The search for limits that are not declared, if it is asked for."""
        return None

    @property
    def shown(self) -> Shown:
        """What an answer is where the entries are times."""
        return "number"

    @property
    def axes(self) -> tuple[tuple[Any, ...], ...]:
        """What the positions of the value stand for, axis by axis."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a record says besides the value."""
        return ()


class BoundedStatistic(Statistic):
    """A statistic of one column in declared bounds, or in bounds that are searched for."""

    __slots__ = ()

    bounds: object

    @property
    def searched(self) -> PrivateBounds | None:
        """Asked for by ``bounds=PrivateBounds()``."""
        return self.bounds if isinstance(self.bounds, PrivateBounds) else None


@dataclass(frozen=True, slots=True)
class ColumnStatistic(BoundedStatistic):
    """A statistic with the parameters that most statistics of one column have."""

    column: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    missing: object = None

    def __post_init__(self) -> None:
        self.spec()


class JointLaw(Protocol):
    """NOT PRIVATE. The law of several lattice points."""

    def draw(self, source: BitSource) -> Sequence[int]:
        """One exact draw."""
        ...


class JointStatistic(BoundedStatistic):
    """Several answers of one column that a ``JointMechanism`` draws together."""

    __slots__ = ()

    def combine(self, values: Sequence[Value]) -> Any:
        """All answers, unless overridden."""
        return list(values)

    def joint_law(self, summary: Any, relation: str, epsilon: Fraction) -> JointLaw:
        """NOT PRIVATE. The law of all answers."""
        raise NotImplementedError

    def parts(self, relation: str, epsilon: Fraction) -> dict[str, str]:
        """How epsilon is spent, for the record."""
        raise NotImplementedError

    def candidates(self, lattice: Lattice) -> Sequence[int] | None:
        """The public points that answers are chosen from; None: all of the lattice."""
        return None


class VectorStatistic(Statistic):
    """Several numbers per record, which get their noise jointly."""

    __slots__ = ()

    def vector(self, summary: Any, request: Any, relation: str) -> VectorProfile:
        """The exact vector, and how far one record can move it."""
        raise NotImplementedError

    def answer(self, values: Sequence[Fraction], rows: int | None, request: Any) -> Any:
        """The value of the record; ``rows`` where their number is public."""
        raise NotImplementedError

    def ends(self, request: Any) -> tuple[tuple[Value, Value], ...]:
        """What the columns are clipped to."""
        return request.ends


class KeyStatistic(Statistic):
    """Which entries of a column occur in enough rows or for enough persons."""

    __slots__ = ()

    def profile(self, summary: Any, relation: str) -> Profile | Scores:
        """Refused: keys are shown or not, and have no profile."""
        raise ParameterError(f"{self.name} has no profile")

    @staticmethod
    def reached(relation: str, rows: int) -> int:
        """How many keys one unit of privacy with so many rows can change."""
        raise NotImplementedError


def cut_notes(nonnegative: bool) -> tuple[str, ...]:
    """What a record says of counts that are clipped at 0."""
    return (_CUT,) if nonnegative else ()
