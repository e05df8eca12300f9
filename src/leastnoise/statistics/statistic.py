"""The contract of a statistic: the summary that it needs, and what it derives from it.

Every statistic of this library derives from one of these classes and overrides the defaults that do
not fit. A user's own object needs no base class: only ``leastnoise.statistics.foreign`` looks for
its methods by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol

from leastnoise.errors import ParameterError
from leastnoise.laws import unsaturated
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
    """A statistic as callers may give it: any object with a spec."""

    def spec(self) -> Any:
        """The spec: which summary of the data is needed."""
        ...


_ASKED: Final = "write leastnoise.release({}(...), data, epsilon=1)"
_COMPUTING: Final = frozenset(
    ("fit", "release", "compute", "run", "fit_transform", "quick_result", "value", "result")
)


class Statistic:
    """A frozen dataclass that says which summary it needs and how far its answer can move.

    A statistic with one answer gives ``profile``; one with several answers, each from its own law,
    gives ``profiles`` and ``combine``. The other methods have defaults.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        made = vars(cls).get("__init__")  # of a dataclass with slots, once it is complete
        if made is not None and not TYPE_CHECKING:
            cls.__init__ = explained(made, cls.__name__, vars(cls).get("__annotations__", ()))

    if not TYPE_CHECKING:  # a type checker tells of such calls itself

        def __getattr__(self, name: str) -> NoReturn:
            told = f"a {type(self).__name__} has no {name!r}"
            if name in _COMPUTING:
                told += f": {_ASKED.format(type(self).__name__)}"
            raise AttributeError(told, name=name, obj=self)

    @property
    def name(self) -> str:
        """The name in records."""
        return type(self).__name__

    @property
    def own(self) -> object:
        """The object that the caller gave."""
        return self

    def spec(self) -> Any:
        """The spec: which summary of the data is needed."""
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
        """NOT PRIVATE. The values of all profiles of several tables, if only these differ.

        Resolution (1), range, sensitivity and unit are then public and the same for all profiles.
        With the values they are all that ``Laplace()`` reads. None: each table has its own profile.
        """
        return None

    def ratios(self, summaries: Sequence[Any]) -> Sequence[tuple[int, int]] | None:
        """NOT PRIVATE. The sum and count of each ``ratio``, if profiles differ only in these."""
        return None

    def order_profiles(self, summaries: Sequence[Any], relation: str) -> OrderProfiles | None:
        """NOT PRIVATE. The profiles of several tables together, if they are order statistics."""
        return None

    def combine(self, values: Sequence[Value]) -> Any:
        """The value of the record, made from private answers only."""
        (value,) = values
        return value

    def touched(self, relation: str) -> int | None:
        """The most profiles that one changed record can move; None: all of them."""
        return None

    @property
    def summed(self) -> int:
        """How many means and variances in public limits determine the answer; see ``sums``."""
        return 0

    def sums(self, summary: Any) -> Sequence[MomentSummary | SpreadSummary]:
        """NOT PRIVATE. The summaries of columns for these means and variances."""
        return ()

    def of_sums(self, values: Sequence[Fraction]) -> float:
        """The answer as a function of these means and variances, monotone in each."""
        (value,) = values
        return unsaturated(value)

    def default_mechanism(self, relation: str) -> Mechanism:
        """The mechanism where none is given, by a public rule."""
        return PiecewiseLaplace()

    def settled_mechanism(self, relation: str) -> Mechanism:
        """The default where limits are already fixed, so that none are searched for."""
        return self.default_mechanism(relation)

    def limited_mechanism(
        self, relation: str, records: Fraction, width: Fraction
    ) -> Mechanism | None:
        """The mechanism inside limits that fit; None where ``PrivateLimits()`` is not supported.

        ``records`` is rows times epsilon, public or released, ``width`` that of the limits.
        """
        return None

    def far_mechanism(self, records: Fraction, width: Fraction) -> Mechanism | None:
        """The mechanism inside limits of a width that may be far too wide; None: there is none.

        ``records`` is rows times epsilon, public or released.
        """
        return None

    def default_of_persons(self, relation: str) -> Mechanism:
        """The default mechanism where a person has several rows, by public facts."""
        return self.default_mechanism(relation)

    @property
    def searched(self) -> PrivateBounds | None:
        """The search for bounds, if ``PrivateBounds()`` was given."""
        return None

    @property
    def shown(self) -> Shown:
        """How an answer is shown where the entries are times."""
        return "number"

    @property
    def axes(self) -> tuple[tuple[Any, ...], ...]:
        """The labels of the positions of the value, axis by axis."""
        return ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the record."""
        return ()


class BoundedStatistic(Statistic):
    """A statistic of one column in declared bounds, or in bounds that are searched for."""

    __slots__ = ()

    bounds: object

    @property
    def searched(self) -> PrivateBounds | None:
        """Given as ``bounds=PrivateBounds()``."""
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
    """A statistic with several numbers, whose noise is drawn jointly."""

    __slots__ = ()

    def vector(self, summary: Any, request: Any, relation: str) -> VectorProfile:
        """NOT PRIVATE. The exact vector, and how far one record can move it."""
        raise NotImplementedError

    def answer(self, values: Sequence[Fraction], rows: int | None, request: Any) -> Any:
        """The value of the record; ``rows`` is their number where it is public."""
        raise NotImplementedError

    def ends(self, request: Any) -> tuple[tuple[Value, Value], ...]:
        """The limits that the columns are clipped to."""
        return request.ends


class KeyStatistic(Statistic):
    """The entries of a column that occur in enough rows or for enough persons."""

    __slots__ = ()

    def profile(self, summary: Any, relation: str) -> Profile | Scores:
        """Refused: a key is shown or not; there is no profile."""
        raise ParameterError(f"{self.name} has no profile")

    @staticmethod
    def reached(relation: str, rows: int) -> int:
        """The most keys that one unit of privacy with that many rows can change."""
        raise NotImplementedError


def cut_notes(nonnegative: bool) -> tuple[str, ...]:
    """The note of a record whose counts are clipped at 0."""
    return (_CUT,) if nonnegative else ()
