"""What narwhals does not say alike for every engine: exact totals, a thin sample, plain errors.

An engine runs queries on data that this process does not hold. Everything else about it is written
once, as narwhals expressions, in the other modules of this folder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from leastnoise.errors import LeastNoiseError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import narwhals as nw
    from numpy.typing import NDArray

Given = ParamSpec("Given")
Result = TypeVar("Result")
Lazy = Any  # narwhals leaves the type of a lazy frame's native side open


# Rows of a bracket that are read as they are, and of a batch.
FEW, _BATCH = 1 << 20, 1 << 17


@dataclass(frozen=True, slots=True)
class Tally:
    """What is added up over rows: whole numbers below 2**63, products of two such numbers, or the
    rows in which a condition holds. The total is below 2**126. Or a value that they share, or NULL.
    """

    kind: Literal["sum", "products", "rows", "shared"]
    of: nw.Expr
    by: nw.Expr | None = None


def _rows_of(
    frame: Lazy, keys: Sequence[str], tallies: Mapping[str, Tally], kept: nw.Expr | None
) -> Lazy:
    """Keys, what tallies add up as t0, t1, ..., and whether a row's x is kept."""
    import narwhals as nw

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

    def names(self, frame: Lazy) -> list[str]:
        """The names of all columns in order, repeated ones too."""
        ...

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """The frame with these names in place of its own, whatever those are."""
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

    def required(self, frame: Lazy) -> frozenset[str]:
        """The columns that cannot hold missing values by their declared type."""
        ...

    def untyped(self, frame: Lazy) -> list[str]:
        """The columns whose declared type is that of NULL, which holds no entry."""
        ...

    def collect(self, frame: Lazy) -> Any:
        """Run a query; its result is a small eager frame."""
        ...

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """Run a query whose result may be large: its columns, some thousand rows at a time."""
        ...

    def lists(self, column: Any) -> list[NDArray[Any] | None]:
        """The lists of a collected column; None for a NULL."""
        ...


class PolarsEngine:
    """Polars lazy frames, run by the streaming engine, which never holds the whole column."""

    name = "Polars"
    in_process = True

    def names(self, frame: Lazy) -> list[str]:
        """No two are equal."""
        return frame.collect_schema().names()

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By a mapping, in which Polars takes no name for a pattern."""
        import narwhals as nw

        old = frame.collect_schema().names()
        return nw.from_native(frame.to_native().rename(dict(zip(old, names, strict=True))))

    def tallied(
        self,
        frame: Lazy,
        keys: Sequence[str],
        tallies: Mapping[str, Tally],
        kept: nw.Expr | None = None,
    ) -> Lazy:
        """Sums of 64 bits wrap in Polars: 128 bits."""
        import narwhals as nw
        import polars as pl

        rows = _rows_of(frame, keys, tallies, kept).to_native()
        asked = [pl.len().alias("n")]
        for i, (name, tally) in enumerate(tallies.items()):
            column = pl.col(f"t{i}")
            if tally.kind in ("sum", "products"):
                column = column.cast(pl.Int128)
            if tally.by is not None:
                column = column * pl.col(f"s{i}").cast(pl.Int128)
            total = column.first() if tally.kind == "shared" else column.sum()
            asked.append(total.alias(name))
        if kept is not None:
            few = pl.col("kept").sum() <= FEW
            asked.append(pl.col("x").filter(pl.col("kept") & few).implode().alias("kept"))
            asked.append(few.alias("few"))
        found = rows.group_by(keys).agg(asked) if keys else rows.select(asked)
        if kept is not None:  # an empty list is no NULL
            found = found.with_columns(kept=pl.when("few").then("kept")).drop("few")
        return nw.from_native(found)

    def sample(self, frame: Lazy, rows: int, of: int, *, apart: bool = False) -> Lazy:
        """Every so many rows."""
        import narwhals as nw
        import polars as pl

        thin = frame.to_native().select(pl.all().gather_every(max(1, of // rows)))
        return nw.from_native(thin)

    def hashed(self, frame: Lazy, columns: Sequence[str]) -> Lazy:
        """By the hash of a struct."""
        import narwhals as nw
        import polars as pl

        return nw.from_native(
            frame.to_native().with_columns(pl.struct(list(columns)).hash().alias("hash"))
        )

    def required(self, frame: Lazy) -> frozenset[str]:
        """None: every column of Polars can hold a null."""
        return frozenset()

    def untyped(self, frame: Lazy) -> list[str]:
        """Of type Null."""
        import polars as pl

        schema = frame.to_native().collect_schema()
        return [name for name, dtype in schema.items() if dtype == pl.Null]

    def collect(self, frame: Lazy) -> Any:
        """Run the query."""
        return frame.collect("polars", engine="streaming")

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """As the streaming engine makes them.

        A panic, or the StopIteration of a function in the query, ends them early without an error.
        """
        import polars as pl

        native, rows = frame.to_native(), 0
        for part in native.collect_batches(maintain_order=False, engine="streaming"):
            rows += part.height
            yield {column.name: column for column in part.get_columns()}
        if rows != native.select(pl.len()).collect(engine="streaming").item():
            raise RuntimeError("rows are missing")

    def lists(self, column: Any) -> list[NDArray[Any] | None]:
        """From a series of series."""
        return [None if found is None else found.to_numpy() for found in column.to_native()]


class DuckEngine:
    """DuckDB relations. A sum of BIGINT is a HUGEINT."""

    name = "DuckDB"
    in_process = False

    def __init__(self) -> None:
        self._connection: Any = None

    def held(self, connection: Any) -> Any:
        """A connection of our own; before version 2, DuckDB closes one that nobody holds."""
        self._connection = connection
        return connection

    def names(self, frame: Lazy) -> list[str]:
        """A join or a SELECT may repeat one."""
        return list(frame.to_native().columns)

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By position, so that no name becomes part of a query's text.

        Text is compared byte by byte, whatever collation a column or the connection declares: 'n'
        would be the key 'N' there, and two persons one.
        """
        import narwhals as nw

        native = frame.to_native()
        plain = [f"#{i + 1} AS {name}" for i, name in enumerate(names)]
        # types by position too: names may be repeated
        schema = nw.from_native(native.project(", ".join(plain))).collect_schema()
        for i, (name, dtype) in enumerate(schema.items()):
            if isinstance(dtype, (nw.String, nw.Enum)):
                plain[i] = f"CAST(#{i + 1} AS VARCHAR) COLLATE C AS {name}"
        return nw.from_native(native.project(", ".join(plain)))

    def tallied(
        self,
        frame: Lazy,
        keys: Sequence[str],
        tallies: Mapping[str, Tally],
        kept: nw.Expr | None = None,
    ) -> Lazy:
        """Sums of BIGINT and HUGEINT are HUGEINT. All names are our own."""
        import narwhals as nw

        asked = [*keys, "count(*) AS n"]
        for i, (name, tally) in enumerate(tallies.items()):
            asked.append(f'{_DUCK[tally.kind].format(f"t{i}", f"s{i}")} AS "{name}"')
        if kept is not None:
            found = "coalesce(list(x) FILTER (WHERE kept), [])"  # a list of no rows is NULL
            asked.append(f"CASE WHEN count_if(kept) <= {FEW} THEN {found} END AS kept")
        rows = _rows_of(frame, keys, tallies, kept).to_native()
        return nw.from_native(rows.aggregate(", ".join(asked), ", ".join(keys)))

    def sample(self, frame: Lazy, rows: int, of: int, *, apart: bool = False) -> Lazy:
        """Whole vectors of 2,048 rows, drawn where the table stands, or else rows one by one.

        Before DuckDB 2 a query of a relation leaves a view in the user's database: rows one by one.
        """
        import duckdb
        import narwhals as nw

        relation = frame.to_native()
        share = min(1.0, rows / of)
        if int(duckdb.__version__.partition(".")[0]) < 2:
            return nw.from_native(relation.filter(f"random() < {share:.14f}"))
        thin = relation.query(
            "leastnoise_sample", _THIN.format(100 * share, "bernoulli" if apart else "system")
        )
        return nw.from_native(thin)

    def hashed(self, frame: Lazy, columns: Sequence[str]) -> Lazy:
        """By the hash function of its joins. The columns have names of our own."""
        import narwhals as nw

        return nw.from_native(frame.to_native().project(f"*, hash({', '.join(columns)}) AS hash"))

    def required(self, frame: Lazy) -> frozenset[str]:
        """None: a relation does not tell which columns are NOT NULL."""
        return frozenset()

    def untyped(self, frame: Lazy) -> list[str]:
        """Of type "NULL"."""
        relation = frame.to_native()
        kinds = zip(relation.columns, relation.types, strict=True)
        return [name for name, kind in kinds if str(kind).strip('"') == "NULL"]

    def collect(self, frame: Lazy) -> Any:
        """Run the query."""
        return frame.collect("pyarrow")

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """Record batches, while the query runs."""
        arrow = _arrow()
        native = frame.to_native()
        read = getattr(native, "to_arrow_reader", None) or native.fetch_record_batch
        for part in read(_BATCH):
            table = arrow.Table.from_batches([part])
            yield dict(zip(table.column_names, table.columns, strict=True))

    def lists(self, column: Any) -> list[NDArray[Any] | None]:
        """From an array of arrays."""
        return _arrow_lists(column)


_DUCK = {
    "sum": "coalesce(sum({0}), 0)",
    "products": "coalesce(sum(CAST({0} AS HUGEINT) * CAST({1} AS HUGEINT)), 0)",
    "rows": "count_if({0})",
    "shared": "any_value({0})",
}
_THIN = "SELECT * FROM leastnoise_sample USING SAMPLE {:.12f} PERCENT ({})"


class SparkEngine:
    """Spark data frames, classic or connect. Sums of longs raise or wrap: decimals of 38 digits."""

    name = "Spark"
    in_process = False

    def names(self, frame: Lazy) -> list[str]:
        """A join may repeat one."""
        return list(frame.to_native().columns)

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By position; text is compared byte by byte, whatever collation a column declares."""
        import narwhals as nw
        from pyspark.sql import functions as functions

        native = frame.to_native().toDF(*names)
        schema = nw.from_native(native).collect_schema()
        text = [c for c, dtype in schema.items() if isinstance(dtype, nw.String)]
        plain = {c: functions.collate(functions.col(c), "UTF8_BINARY") for c in text}
        return nw.from_native(native.withColumns(plain) if plain else native)

    def tallied(
        self,
        frame: Lazy,
        keys: Sequence[str],
        tallies: Mapping[str, Tally],
        kept: nw.Expr | None = None,
    ) -> Lazy:
        """Sums of decimals."""
        import narwhals as nw
        from pyspark.sql import functions as functions

        asked = [functions.count(functions.lit(1)).alias("n")]
        for i, (name, tally) in enumerate(tallies.items()):
            column = functions.col(f"t{i}")
            wide = column.cast("int" if tally.kind == "rows" else "decimal(38,0)")
            if tally.by is not None:
                wide = wide * functions.col(f"s{i}").cast("decimal(38,0)")
            shared = tally.kind == "shared"
            total = functions.any_value(column) if shared else functions.sum(wide)
            asked.append(total.alias(name))
        if kept is not None:
            few = functions.count_if(functions.col("kept")) <= FEW
            values = functions.collect_list(
                functions.when(functions.col("kept"), functions.col("x"))
            )
            asked.append(functions.when(few, values).alias("kept"))
        rows = _rows_of(frame, keys, tallies, kept).to_native()
        return nw.from_native(rows.groupBy(*keys).agg(*asked))

    def sample(self, frame: Lazy, rows: int, of: int, *, apart: bool = False) -> Lazy:
        """Rows drawn one by one."""
        import narwhals as nw

        return nw.from_native(frame.to_native().sample(fraction=min(1.0, rows / of)))

    def hashed(self, frame: Lazy, columns: Sequence[str]) -> Lazy:
        """By xxHash."""
        import narwhals as nw
        from pyspark.sql import functions as functions

        native = frame.to_native()
        return nw.from_native(native.withColumn("hash", functions.xxhash64(*columns)))

    def required(self, frame: Lazy) -> frozenset[str]:
        """The fields that the schema declares not nullable."""
        return frozenset(f.name for f in frame.to_native().schema.fields if not f.nullable)

    def untyped(self, frame: Lazy) -> list[str]:
        """Of type void."""
        return [name for name, kind in frame.to_native().dtypes if kind == "void"]

    def collect(self, frame: Lazy) -> Any:
        """Run the query."""
        return frame.collect("pyarrow")

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """Partition by partition: one at a time is held here."""
        arrow = _arrow()
        native = frame.to_native()
        schema = native.limit(0).toArrow().schema
        rows: Iterator[Any] = native.toLocalIterator()
        while block := list(islice(rows, _BATCH)):
            columns = zip(schema, zip(*block, strict=True), strict=True)
            yield {f.name: arrow.chunked_array([arrow.array(c, f.type)]) for f, c in columns}

    def lists(self, column: Any) -> list[NDArray[Any] | None]:
        """From an array of arrays."""
        return _arrow_lists(column)


def _arrow() -> Any:
    import pyarrow

    return pyarrow


def _arrow_lists(column: Any) -> list[NDArray[Any] | None]:
    found: list[NDArray[Any] | None] = []
    for chunk in column.to_native().chunks:
        ends = chunk.offsets.to_numpy().tolist()
        values = chunk.values.to_numpy(zero_copy_only=False)
        there = chunk.is_valid().to_pylist()
        found += [
            values[a:b] if valid else None
            for a, b, valid in zip(ends, ends[1:], there, strict=False)
        ]
    return found


def engine_of(frame: nw.LazyFrame[Any]) -> Engine | None:
    """The engine behind a lazy frame; None if it is none of ours."""
    implementation = frame.implementation
    if implementation.is_polars():
        return PolarsEngine()
    if implementation.is_duckdb():
        return DuckEngine()
    if implementation.is_pyspark() or implementation.is_pyspark_connect():
        return SparkEngine()
    return None


def run(engine: Engine, work: Callable[[], Result]) -> Result:
    """Do work with an engine, and replace what it raises: engines quote queries and values.

    The error has no context either, because logs and debuggers show that.

    Raises
    ------
    SchemaError
        If the engine fails, for whatever reason.
    """
    try:
        return work()
    except LeastNoiseError:
        raise
    # a function in a query may raise these two as well, with data for their arguments
    except KeyboardInterrupt:
        failed: BaseException = KeyboardInterrupt()
    except SystemExit:
        failed = SystemExit(1)
    except BaseException as error:  # a panic of Polars is no Exception
        failed = SchemaError(
            f"{engine.name} could not run the query ({type(error).__name__}); its own message may "
            "quote data and is not shown. Check that the connection is open, that the table or "
            "file is still there and whole, and that there is room to work"
        )
    raise failed


def guarded(
    method: Callable[Concatenate[Any, Given], Result],
) -> Callable[Concatenate[Any, Given], Result]:
    """A method of a table that has an engine, done by `run`."""

    @wraps(method)
    def work(self: Any, *args: Given.args, **options: Given.kwargs) -> Result:
        return run(self._engine, lambda: method(self, *args, **options))

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
            "each time (no sampling, no random numbers), and the table must stand still meanwhile: "
            "store the rows in a table of their own, or read a snapshot"
        )
