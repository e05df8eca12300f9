"""What may be asked of a table: a request names the one method of a reader that answers it.

Each is a frozen class with ``read`` and ``empty``, and every reader (of columns in memory, of an
engine, of one of its groups) has the method that ``read`` calls.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from leastnoise.summaries.cells import CellRequest, CellSummary
    from leastnoise.summaries.distinct import DistinctRequest, DistinctSummary
    from leastnoise.summaries.graphs import GraphRequest, GraphSummary
    from leastnoise.summaries.keys import HolderRequest, HolderSummary, KeyRequest, KeySummary
    from leastnoise.summaries.lattice import Lattice, MissingPolicy
    from leastnoise.summaries.metrics import ConfusionSummary, DeterminationSummary, RankingSummary
    from leastnoise.summaries.moments import MomentSummary, RowSummary
    from leastnoise.summaries.ordered import OrderedRequest, OrderedSummary
    from leastnoise.summaries.pairs import (
        ConfusionRequest,
        DeterminationRequest,
        LossRequest,
        RankingRequest,
    )
    from leastnoise.summaries.ranks import RankRequest, RankSummary
    from leastnoise.summaries.spec import MomentRequest, RowRequest, SpreadRequest
    from leastnoise.summaries.spread import SpreadSummary
    from leastnoise.summaries.vectors import VectorRequest, VectorSummary
    from leastnoise.summaries.weighted import WeightedRequest, WeightedSummary


class Summary(Protocol):
    """NOT PRIVATE. All that a profile needs of a table."""

    @property
    def step(self) -> Fraction:
        """The user's units of one step of the profile."""
        ...


class Counted:
    """A summary without a unit of its own: rows, persons or edges are counted in ones."""

    __slots__ = ()

    @property
    def step(self) -> Fraction:
        """One."""
        return Fraction(1)


Given = TypeVar("Given", bound=Summary, covariant=True)


class OneColumn:
    """A request of one column, or of whole rows."""

    __slots__ = ()

    column: str | None

    @property
    def names(self) -> tuple[str | None]:
        """The column of the opened table."""
        return (self.column,)


class Request(Protocol[Given]):
    """What a statistic asks of a table, in public terms only."""

    @property
    def column(self) -> str | None:
        """The column, or columns, as a record shows them."""
        ...

    @property
    def names(self) -> tuple[str | None, ...]:
        """The columns of the opened table that are read."""
        ...

    @property
    def missing(self) -> MissingPolicy:
        """What happens to missing entries."""
        ...

    @property
    def lattice(self) -> Lattice | None:
        """The public lattice of the values, where there is one."""
        ...

    def empty(self, depth: int | None) -> Given:
        """The summary of no rows: public, and enough to rehearse a release."""
        ...

    def read(self, reader: Reader, depth: int | None) -> Given:
        """NOT PRIVATE. The summary of a table, by the method of its reader for such requests."""
        ...


class Reader(Protocol):
    """NOT PRIVATE. Reads what requests ask for; no method raises because of a value.

    ``depth`` is how far profiles will look: a function of public parameters, None for all the way.
    Missing values follow the request's policy, the rest are clipped.
    """

    def ranks(self, request: RankRequest, depth: int | None) -> RankSummary:
        """Order statistics around chosen ranks."""
        ...

    def moments(self, request: MomentRequest, depth: int | None) -> MomentSummary:
        """The exact sum and the extreme values."""
        ...

    def spread(self, request: SpreadRequest, depth: int | None) -> SpreadSummary:
        """Exact power sums, the extremes and the values near the mean."""
        ...

    def rows(self, request: RowRequest) -> RowSummary:
        """The number of rows."""
        ...

    def cells(self, request: CellRequest) -> CellSummary:
        """The number of rows in every cell."""
        ...

    def distinct(self, request: DistinctRequest) -> DistinctSummary:
        """The number of different entries."""
        ...

    def keys(self, request: KeyRequest) -> KeySummary:
        """The number of rows, or persons, of every entry."""
        ...

    def holders(self, request: HolderRequest) -> HolderSummary:
        """The persons of every entry, by how many entries they have."""
        ...

    def losses(self, request: LossRequest, depth: int | None) -> MomentSummary:
        """The exact sum and the extremes of losses."""
        ...

    def confusion(self, request: ConfusionRequest) -> ConfusionSummary:
        """The number of rows of every pair of labels."""
        ...

    def ranking(self, request: RankingRequest) -> RankingSummary:
        """The number of pairs that are ranked right."""
        ...

    def determination(
        self, request: DeterminationRequest, depth: int | None
    ) -> DeterminationSummary:
        """Squared errors, and the spread of the targets."""
        ...

    def weighted(self, request: WeightedRequest, depth: int | None) -> WeightedSummary:
        """Values in order, beside sums of their weights."""
        ...

    def vectors(self, request: VectorRequest) -> VectorSummary:
        """Exact sums of the coordinates of a moment space."""
        ...

    def ordered(self, request: OrderedRequest) -> OrderedSummary:
        """Exact sums of the middle records of several columns."""
        ...

    def graph(self, request: GraphRequest) -> GraphSummary:
        """Degrees, or common neighbours, of the nodes of a graph."""
        ...
