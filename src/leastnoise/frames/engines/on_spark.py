"""Spark data frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import narwhals as nw
from narwhals.dtypes import DType
from pyspark.sql import functions as functions

from leastnoise.frames.engines.engine import (
    BATCH,
    FEW,
    Lazy,
    Lists,
    Tally,
    arrow_lists,
    arrow_module,
    arrow_wholes,
    rows_of,
)
from leastnoise.summaries.columns import Clock

# Days are whole numbers of 32 bits, and products of two such keep to them: they are longs first.
_SPAN = (
    "floor(((CAST(extract(DAY FROM {0}) AS BIGINT) * 24 + extract(HOUR FROM {0})) * 60"
    " + extract(MINUTE FROM {0})) * 60 + extract(SECOND FROM {0}))"
)


class SparkEngine:
    """Spark data frames, classic or connect. Sums of longs raise or wrap: decimals of 38 digits."""

    name = "Spark"
    in_process = False
    most_held = FEW

    def names(self, frame: Lazy) -> list[str]:
        """A join may repeat one."""
        return list(frame.to_native().columns)

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By position; text is compared byte by byte, whatever collation a column declares, and
        has replacement characters where it is no UTF-8.

        Spark asks no file for less than all rows because of a condition on what is not
        deterministic, and partitions have no negative numbers.
        """
        native = frame.to_native().toDF(*names)
        always = functions.spark_partition_id() >= 0
        plain: dict[str, Any] = {}
        for name, dtype in nw.from_native(native).collect_schema().items():
            column = functions.col(name)
            if isinstance(dtype, nw.String):
                column = functions.collate(functions.make_valid_utf8(column), "UTF8_BINARY")
            plain[name] = functions.when(always, column)
        return nw.from_native(native.withColumns(plain) if plain else native)

    def tallied(
        self,
        frame: Lazy,
        keys: Sequence[str],
        tallies: Mapping[str, Tally],
        kept: nw.Expr | None = None,
    ) -> Lazy:
        """Sums of decimals."""
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
        rows = rows_of(frame, keys, tallies, kept).to_native()
        return nw.from_native(rows.groupBy(*keys).agg(*asked))

    def sample(self, frame: Lazy, rows: int, of: int, *, apart: bool = False) -> Lazy:
        """Rows drawn one by one."""
        return nw.from_native(frame.to_native().sample(fraction=min(1.0, rows / of)))

    def hashed(self, frame: Lazy, columns: Sequence[str]) -> Lazy:
        """By xxHash."""
        native = frame.to_native()
        return nw.from_native(native.withColumn("hash", functions.xxhash64(*columns)))

    def counted(self, frame: Lazy, name: str, dtype: DType, clock: Clock) -> Lazy:
        """Days since 1970 and seconds of a day, which no time zone of the session changes."""
        column = functions.col(name)
        if isinstance(dtype, nw.Date):
            count = functions.unix_date(column).cast("long") * (Clock.DAY.seconds // clock.seconds)
        elif clock is Clock.SPAN:
            count = functions.expr(_SPAN.format(name))
        elif clock is Clock.INSTANT:
            count = functions.unix_seconds(column)
        else:
            days = functions.unix_date(functions.to_date(column)).cast("long")
            parts = (functions.hour, functions.minute, functions.second)
            hours, minutes, seconds = (part(column) for part in parts)
            count = days
            if clock is not Clock.DAY:
                count = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        return nw.from_native(frame.to_native().withColumn(name, count.cast("long")))

    def required(self, frame: Lazy) -> list[bool]:
        """Those that the schema declares not nullable."""
        return [not field.nullable for field in frame.to_native().schema.fields]

    def untyped(self, frame: Lazy) -> list[str]:
        """Of type void."""
        return [name for name, kind in frame.to_native().dtypes if kind == "void"]

    def spans(self, frame: Lazy) -> list[str]:
        """Intervals of days to seconds."""
        kinds = frame.to_native().dtypes
        return [name for name, kind in kinds if kind == "interval day to second"]

    def collect(self, frame: Lazy) -> Any:
        """Run the query."""
        return frame.collect("pyarrow")

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """Partition by partition: one at a time is held here."""
        arrow = arrow_module()
        native = frame.to_native()
        schema = native.limit(0).toArrow().schema
        rows: Iterator[Any] = native.toLocalIterator()
        while block := list(islice(rows, BATCH)):
            columns = zip(schema, zip(*block, strict=True), strict=True)
            yield {f.name: arrow.chunked_array([arrow.array(c, f.type)]) for f, c in columns}

    def lists(self, column: Any) -> Lists:
        """From an array of arrays."""
        return arrow_lists(column)

    def wholes(self, column: Any) -> list[int]:
        """From decimals."""
        return arrow_wholes(column)
