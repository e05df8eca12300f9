"""What narwhals does not say alike for every engine: exact totals, a thin sample, plain errors.

An engine runs queries on data that this process does not hold. Everything else about it is written
once, as narwhals expressions, in the other modules of this folder.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from leastnoise.errors import LeastNoiseError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    import narwhals as nw

Lazy = Any  # narwhals leaves the type of a lazy frame's native side open


class Engine(Protocol):
    """One engine. A sample decides how fast an exact answer is found and never which one."""

    name: str

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """The frame with these names in place of its own, whatever those are."""
        ...

    def total(self, whole: nw.Expr) -> nw.Expr:
        """The exact sum of a column of whole numbers below 2**63, for any number of rows."""
        ...

    def squares(self, whole: nw.Expr) -> nw.Expr:
        """The exact sum of squares of a column of whole numbers below 2**38."""
        ...

    def sample(self, frame: Lazy, rows: int, of: int) -> Lazy:
        """About ``rows`` of ``of`` rows of a frame of one column x, from all over it."""
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


class PolarsEngine:
    """Polars lazy frames, run by the streaming engine, which never holds the whole column."""

    name = "Polars"

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By a mapping, in which Polars takes no name for a pattern."""
        import narwhals as nw

        old = frame.collect_schema().names()
        return nw.from_native(frame.to_native().rename(dict(zip(old, names, strict=True))))

    def total(self, whole: nw.Expr) -> nw.Expr:
        """Sums of 64 bits wrap in Polars: 128 bits."""
        import narwhals as nw

        return whole.cast(nw.Int128).sum()

    def squares(self, whole: nw.Expr) -> nw.Expr:
        """A sum of wide squares."""
        import narwhals as nw

        wide = whole.cast(nw.Int128)
        return (wide * wide).sum()

    def sample(self, frame: Lazy, rows: int, of: int) -> Lazy:
        """Every so many rows."""
        import narwhals as nw
        import polars as pl

        thin = frame.to_native().select(pl.col("x").gather_every(max(1, of // rows)))
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


class DuckEngine:
    """DuckDB relations. A sum of BIGINT is a HUGEINT."""

    name = "DuckDB"

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By position, so that no name becomes part of a query's text.

        Text is compared byte by byte, whatever collation a column or the connection declares: 'n'
        would be the key 'N' there, and two persons one.
        """
        import narwhals as nw

        text = (nw.String, nw.Enum)
        plain = [
            f"CAST(#{i + 1} AS VARCHAR) COLLATE C" if isinstance(dtype, text) else f"#{i + 1}"
            for i, dtype in enumerate(frame.collect_schema().values())
        ]
        columns = ", ".join(
            f"{column} AS {name}" for column, name in zip(plain, names, strict=True)
        )
        return nw.from_native(frame.to_native().project(columns))

    def total(self, whole: nw.Expr) -> nw.Expr:
        """A plain sum."""
        return whole.sum()

    def squares(self, whole: nw.Expr) -> nw.Expr:
        """A sum of wide squares."""
        import narwhals as nw

        wide = whole.cast(nw.Int128)
        return (wide * wide).sum()

    def sample(self, frame: Lazy, rows: int, of: int) -> Lazy:
        """Whole vectors of 2,048 rows, drawn where the table stands."""
        import narwhals as nw

        relation = frame.to_native()
        share = min(100.0, 100.0 * rows / of)
        thin = relation.query("leastnoise_sample", _THIN.format(share=share))
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


_THIN = "SELECT * FROM leastnoise_sample USING SAMPLE {share:.12f} PERCENT (system)"


class SparkEngine:
    """Spark data frames, classic or connect. Sums of longs raise or wrap: decimals of 38 digits."""

    name = "Spark"

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By position; text is compared byte by byte, whatever collation a column declares."""
        import narwhals as nw
        from pyspark.sql import functions as functions

        native = frame.to_native().toDF(*names)
        text = [c for c, dtype in zip(names, frame.collect_schema().values(), strict=True)
                if isinstance(dtype, nw.String)]  # fmt: skip
        plain = {c: functions.collate(functions.col(c), "UTF8_BINARY") for c in text}
        return nw.from_native(native.withColumns(plain) if plain else native)

    def total(self, whole: nw.Expr) -> nw.Expr:
        """A sum of decimals."""
        import narwhals as nw

        return whole.cast(nw.Decimal(38, 0)).sum()

    def squares(self, whole: nw.Expr) -> nw.Expr:
        """A sum of wide squares."""
        import narwhals as nw

        wide = whole.cast(nw.Decimal(38, 0))
        return (wide * wide).sum()

    def sample(self, frame: Lazy, rows: int, of: int) -> Lazy:
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


@contextmanager
def running(engine: Engine) -> Generator[None]:
    """Replace what an engine raises, because engines quote queries and values.

    Raises
    ------
    SchemaError
        If the engine fails, for whatever reason.
    """
    try:
        yield
    except LeastNoiseError:
        raise
    except Exception as error:
        raise SchemaError(
            f"{engine.name} could not run the query ({type(error).__name__}); its own message may "
            "quote data and is not shown. Check that the connection is open, that the table or "
            "file is still there and whole, and that there is room to work"
        ) from None
