"""A table that an engine holds: Polars lazy frames, DuckDB relations, Spark data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.frames.dataframes import (
    no_numbers,
    series_column,
    series_text_codes,
    series_text_ids,
)
from leastnoise.frames.labels import AS_NUMBERS, no_text
from leastnoise.frames.lazy.cells import summarise_cells
from leastnoise.frames.lazy.engines import engine_of, running
from leastnoise.frames.lazy.lattice import is_whole, present, reach_of
from leastnoise.frames.lazy.summarise import (
    Selected,
    summarise_moments,
    summarise_ranks,
    summarise_spread,
)
from leastnoise.frames.power_sums import WIDEST
from leastnoise.frames.table import find_column, list_names
from leastnoise.frames.values import Dialect
from leastnoise.summaries.cells import CellRequest, CellSummary
from leastnoise.summaries.columns import Column, ColumnType
from leastnoise.summaries.moments import MomentSummary, RowSummary
from leastnoise.summaries.pairs import PairRequest
from leastnoise.summaries.ranks import RankSummary
from leastnoise.summaries.spec import (
    RankRequest,
    Request,
    RowRequest,
    SpreadRequest,
)
from leastnoise.summaries.spread import SpreadSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw
    import numpy as np
    from numpy.typing import NDArray

    from leastnoise.frames.lazy.engines import Engine, Lazy

    Summary = RankSummary | MomentSummary | SpreadSummary | RowSummary | CellSummary


class LazyTable:
    """NOT PRIVATE: a query that has not run, with its public schema."""

    __slots__ = ("_engine", "_frame", "_names", "_required", "_schema")

    def __init__(self, frame: nw.LazyFrame[Any], engine: Engine) -> None:
        with running(engine):
            self._names = tuple(frame.collect_schema().names())
            required = engine.required(frame)
            # names of our own from here on: no engine reads anything into those
            inner = [f"c{i}" for i in range(len(self._names))]
            self._frame, self._engine = engine.renamed(frame, inner), engine
            self._schema = self._frame.collect_schema()
        self._required = frozenset(inner[self._names.index(name)] for name in required)

    def _find(self, name: str | None) -> str:
        return f"c{find_column(name, self._names)}"

    def column_names(self) -> tuple[str, ...]:
        """Give the names in order."""
        return self._names

    def column_type(self, name: str | None) -> ColumnType:
        """Give the type that the engine declares."""
        import narwhals as nw

        inner = self._find(name)
        dtype, nullable = self._schema[inner], inner not in self._required
        if dtype.is_integer() or isinstance(dtype, nw.Boolean):
            return ColumnType(name, str(dtype), integer=True, nullable=nullable)
        if dtype.is_float() or isinstance(dtype, nw.Object):
            return ColumnType(name, str(dtype), integer=False, nullable=True)
        if dtype.is_decimal():
            return ColumnType(name, str(dtype), integer=False, nullable=nullable)
        raise no_numbers(name, str(dtype), dtype)

    def column(self, name: str | None) -> Column:
        """NOT PRIVATE: read a whole column into this process."""
        kind = self.column_type(name)
        with running(self._engine):
            return series_column(kind, self._read(self._find(name)), Dialect())

    def text_type(self, name: str | None) -> ColumnType:
        """Give the type that the engine declares, for a column read as text labels."""
        import narwhals as nw

        dtype = self._schema[self._find(name)]
        kind = str(dtype).split("(")[0]  # the categories themselves may be anything
        if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
            return ColumnType(name, kind, integer=False, nullable=True)
        numbers = dtype.is_numeric() or isinstance(dtype, nw.Boolean)
        raise no_text(name, kind, AS_NUMBERS if numbers else "convert the column to text first")

    def text_codes(self, name: str | None, labels: Sequence[str | float]) -> NDArray[np.int64]:
        """NOT PRIVATE: read a whole column into this process, as positions in text labels."""
        self.text_type(name)
        with running(self._engine):
            return series_text_codes(self._read(self._find(name)), labels)

    def text_ids(self, name: str | None) -> NDArray[np.int64]:
        """NOT PRIVATE: read a whole column into this process, as numbers of its texts."""
        self.text_type(name)
        with running(self._engine):
            return series_text_ids(self._read(self._find(name)))

    def _read(self, inner: str) -> Any:
        import narwhals as nw

        found = self._engine.collect(self._frame.select(nw.col(inner)))
        return found.get_column(inner).to_native()

    def row_count(self) -> int:
        """Count the rows."""
        with running(self._engine):
            return self._count(self._frame)

    def _count(self, frame: Lazy) -> int:
        import narwhals as nw

        return int(self._engine.collect(frame.select(n=nw.len())).rows()[0][0])

    def summarise(
        self, request: Request | PairRequest | CellRequest, depth: int | None
    ) -> Summary | None:
        """NOT PRIVATE. The summary, by queries; None where only the values themselves will do."""
        if isinstance(request, CellRequest):
            columns = [self._find(name) for name in request.names]
            with running(self._engine):
                return summarise_cells(self._engine, self._frame, columns, request)
        if isinstance(request, PairRequest):
            return None
        if isinstance(request, RowRequest):
            return self._rows(request)
        inner = self._find(request.column)
        dtype, lattice = self._schema[inner], request.lattice
        least, most = reach_of(dtype)
        if is_whole(dtype, lattice) and (lattice.low > most or lattice.high < least):
            return None
        if isinstance(request, SpreadRequest) and lattice.width >= WIDEST:
            return None
        rows = self.row_count()
        with running(self._engine):
            selected = Selected.of(self._engine, self._frame, inner, lattice, request.missing, rows)
            if isinstance(request, RankRequest):
                return summarise_ranks(selected, request, depth)
            if isinstance(request, SpreadRequest):
                return summarise_spread(selected, request, depth)
            return summarise_moments(selected, request, depth)

    def _rows(self, request: RowRequest) -> RowSummary:
        import narwhals as nw

        if request.column is None or not request.missing.drops:
            return RowSummary(self.row_count())
        inner = self._find(request.column)
        there = self._frame.filter(present(nw.col(inner), self._schema[inner]))
        with running(self._engine):
            return RowSummary(self._count(there))

    def __repr__(self) -> str:
        """List the names; print nothing of the data."""
        return f"LazyTable({list_names(self._names, found='columns')}, NOT PRIVATE)"


def open_lazy(frame: nw.LazyFrame[Any]) -> LazyTable | None:
    """Open a lazy frame of narwhals; None if its engine is not one of ours."""
    engine = engine_of(frame)
    return None if engine is None else LazyTable(frame, engine)
