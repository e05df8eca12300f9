"""What narwhals does not say alike for every engine: exact totals, a thin sample, plain errors.

An engine runs queries on data that this process does not hold. Everything else about it is written
once, as narwhals expressions, in the other modules of this folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from traceback import walk_tb
from typing import (
    Any,
    Concatenate,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeVar,
)

import narwhals as nw
import numpy as np
from narwhals.dtypes import DType
from numpy.typing import NDArray

from leastnoise import foreign
from leastnoise.errors import LeastNoiseError, SchemaError
from leastnoise.summaries.columns import Clock

Given = ParamSpec("Given")
Result = TypeVar("Result")
Lazy = Any  # narwhals leaves the type of a lazy frame's native side open


_LIBRARIES = frozenset({"duckdb", "narwhals", "polars", "py4j", "pyarrow", "pyspark"})

# Rows of a bracket that are read as they are, and of a batch.
FEW, BATCH = 1 << 20, 1 << 17


@dataclass(frozen=True, slots=True)
class Tally:
    """What is added up over rows: whole numbers below 2**63, products of two such numbers, or the
    rows in which a condition holds. The total is below 2**126. Or a value that they share, or NULL.
    """

    kind: Literal["sum", "products", "rows", "shared"]
    of: nw.Expr
    by: nw.Expr | None = None


class Lists(NamedTuple):
    """Lists, one after the other: all their values, and of each its size and whether it is no NULL.

    The values may be put in another order.
    """

    values: NDArray[Any]
    sizes: NDArray[np.int64]
    there: NDArray[np.bool_]


def rows_of(
    frame: Lazy, keys: Sequence[str], tallies: Mapping[str, Tally], kept: nw.Expr | None
) -> Lazy:
    """Keys, what tallies add up as t0, t1, ..., and whether a row's x is kept."""
    columns = {f"t{i}": tally.of for i, tally in enumerate(tallies.values())}
    columns |= {f"s{i}": t.by for i, t in enumerate(tallies.values()) if t.by is not None}
    if kept is not None:
        columns |= {"x": nw.col("x"), "kept": kept}
    return frame.select(*keys, **columns) if keys or columns else frame


class Engine(Protocol):
    """One engine. A sample decides how fast an exact answer is found and never which one."""

    name: str
    in_process: bool
    """Whether rows that are worked on stand in this process's own memory, run by run."""
    most_held: int
    """How many entries of a column are read into this process at most, where each query for them
    would put the rows of persons in order anew."""

    def names(self, frame: Lazy) -> list[str]:
        """The names of all columns in order, repeated ones too."""
        ...

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """The frame with these names in place of its own, whatever those are.

        From here on nothing is known of its columns but their type, and conditions on them are
        asked of every row: what a file, a table or a frame says of its rows leaves out NaN, or is
        wrong, and then one row would decide how others are read.
        """
        ...

    def tallied(
        self,
        frame: Lazy,
        keys: Sequence[str],
        tallies: Mapping[str, Tally],
        kept: nw.Expr | None = None,
    ) -> Lazy:
        """Keys, "n" rows of each, and the tallies by name: exact for any number of rows.

        ``kept`` asks for a list "kept" of the values x of the rows where it is true; NULL if they
        are more than ``FEW``.
        """
        ...

    def sample(self, frame: Lazy, rows: int, of: int, *, apart: bool = False) -> Lazy:
        """About ``rows`` of ``of`` rows of a frame, from all over it; ``apart``: one by one, not
        some neighbours together.
        """
        ...

    def hashed(self, frame: Lazy, columns: Sequence[str]) -> Lazy:
        """The frame with a column "hash": a function of these columns, any at all."""
        ...

    def counted(self, frame: Lazy, name: str, dtype: DType, clock: Clock) -> Lazy:
        """The frame with a column of times as whole numbers of a clock, rounded down; NULL where
        one cannot be counted.
        """
        ...

    def required(self, frame: Lazy) -> list[bool]:
        """Which columns cannot hold missing values by their declared type."""
        ...

    def untyped(self, frame: Lazy) -> list[str]:
        """The columns whose declared type is that of NULL, which holds no entry."""
        ...

    def spans(self, frame: Lazy) -> list[str]:
        """The columns of durations whose type narwhals does not know."""
        ...

    def collect(self, frame: Lazy) -> Any:
        """Run a query; its result is a small eager frame."""
        ...

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """Run a query whose result may be large: its columns, some thousand rows at a time."""
        ...

    def lists(self, column: Any) -> Lists:
        """The lists of a collected column of lists without NULL in them."""
        ...

    def wholes(self, column: Any) -> list[int]:
        """The whole numbers of a collected column of any width; 0 for a NULL."""
        ...


def arrow_module() -> Any:
    """PyArrow, whose types are not declared."""
    import pyarrow

    return pyarrow


def arrow_lists(column: Any) -> Lists:
    """The lists of a column of lists."""
    native = column.to_native().combine_chunks()
    sizes = native.value_lengths().fill_null(0).to_numpy().astype(np.int64)
    values = native.flatten().to_numpy(zero_copy_only=False)
    return Lists(values.copy(), sizes, native.is_valid().to_numpy(zero_copy_only=False))


def arrow_wholes(column: Any) -> list[int]:
    """The whole numbers of a column of integers or decimals; 0 for a NULL."""
    arrow = arrow_module()
    found: list[int] = []
    for chunk in column.to_native().chunks:
        try:
            found += chunk.cast(arrow.int64()).fill_null(0).to_numpy().tolist()
        except arrow.ArrowInvalid:  # one is longer than 64 bits
            found += [int(value or 0) for value in chunk.to_pylist()]
    return found


def engine_of(frame: nw.LazyFrame[Any]) -> Engine | None:
    """The engine behind a lazy frame; None for any other frame."""
    implementation = frame.implementation
    if implementation.is_polars():
        from leastnoise.frames.engines.on_polars import PolarsEngine

        return PolarsEngine()
    if implementation.is_duckdb():
        from leastnoise.frames.engines.on_duckdb import DuckEngine

        return DuckEngine()
    if implementation.is_pyspark() or implementation.is_pyspark_connect():
        from leastnoise.frames.engines.on_spark import SparkEngine

        return SparkEngine()
    return None


def _by_engine(error: BaseException) -> bool:
    """Whether an engine called what raised it: a function in a query may raise our errors too."""
    names = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(error.__traceback__))
    return any(name.partition(".")[0] in _LIBRARIES for name in names)


_CURE = (
    "Check that the connection is open, that the table or file is still there and whole, and that "
    "there is room to work"
)
# By the class of what DuckDB raises where a connection cannot be used.
_CURES = {
    "ResourceInUseException": (
        "The connection is busy: another thread uses it, or a query was made on it whose rows "
        "nobody has fetched. Give a table of connection.cursor(), or fetch the rows first"
    ),
    "TransactionException": (
        "A transaction of the connection has failed: call connection.rollback(), or give a table "
        "of connection.cursor()"
    ),
    "ConnectionException": "The connection is closed: open it again, and give its table",
    "CatalogException": "A table, view or function that the query names is not there any more",
    "FileNotFoundError": "A file that the query reads is not there: see its path",
    "IOException": "A file that the query reads is not there, or is damaged: see its path",
}


def run(engine: Engine, work: Callable[[], Result]) -> Result:
    """Do work with an engine, and replace what it raises: engines quote queries and values.

    The error has no context either, because logs and debuggers show that.

    Raises
    ------
    SchemaError
        If the engine fails, for whatever reason.
    """
    with foreign.guarded():
        try:
            return work()
        except BaseException as error:  # a panic of Polars is not an Exception
            foreign.stop_if_signalled()
            if isinstance(error, LeastNoiseError) and not _by_engine(error):
                raise
            failed = SchemaError(
                f"{engine.name} could not run the query ({type(error).__name__}); its own message "
                f"may quote data and is not shown. {_CURES.get(type(error).__name__, _CURE)}"
            )
    raise failed


def guarded(
    method: Callable[Concatenate[Any, Given], Result],
) -> Callable[Concatenate[Any, Given], Result]:
    """A method of what has an ``engine``, done by `run`."""

    @wraps(method)
    def work(self: Any, *args: Given.args, **options: Given.kwargs) -> Result:
        return run(self.engine, lambda: method(self, *args, **options))

    return work


def check_same(engine: Engine, one: int, other: int) -> None:
    """Refuse numbers of rows that differ between two queries of one summary.

    Raises
    ------
    SchemaError
        If they differ.
    """
    if one != other:
        raise SchemaError(
            f"{engine.name} gave different rows in two queries; a query must give the same rows "
            "each time (no sampling, no random numbers), and the table must not change meanwhile: "
            "store the rows in a table of their own, or read a snapshot"
        )
