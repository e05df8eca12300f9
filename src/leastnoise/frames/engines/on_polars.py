"""Polars lazy frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from narwhals.dtypes import DType

from leastnoise.frames.engines.engine import FEW, Lazy, Lists, Tally, rows_of
from leastnoise.summaries.columns import Clock

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class PolarsEngine:
    """Polars lazy frames, run by the streaming engine, which never holds the whole column."""

    name = "Polars"
    in_process = True
    most_held = 1 << 25

    def names(self, frame: Lazy) -> list[str]:
        """No two are equal."""
        return frame.collect_schema().names()

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By a mapping, in which Polars takes no name for a pattern.

        Each column goes through a field of a struct, of which Polars knows nothing but the type. A
        file says what its rows contain, and a frame that a column is in order, by mistake too:
        Polars would answer conditions, groups and extremes from that, without a look at the rows.
        """
        old = frame.collect_schema().names()
        native = frame.to_native().rename(dict(zip(old, names, strict=True)))
        plain = [
            name if dtype == pl.Object else pl.struct(name).struct.field(name)
            for name, dtype in native.collect_schema().items()
        ]
        return nw.from_native(native.select(plain))

    def tallied(
        self,
        frame: Lazy,
        keys: Sequence[str],
        tallies: Mapping[str, Tally],
        kept: nw.Expr | None = None,
    ) -> Lazy:
        """Sums of 64 bits wrap in Polars: 128 bits."""
        rows = rows_of(frame, keys, tallies, kept).to_native()
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
        if kept is not None:  # an empty list is not NULL
            found = found.with_columns(kept=pl.when("few").then("kept")).drop("few")
        return nw.from_native(found)

    def sample(self, frame: Lazy, rows: int, of: int, *, apart: bool = False) -> Lazy:
        """Every n-th row."""
        thin = frame.to_native().select(pl.all().gather_every(max(1, of // rows)))
        return nw.from_native(thin)

    def hashed(self, frame: Lazy, columns: Sequence[str]) -> Lazy:
        """By the hash of a struct."""
        return nw.from_native(
            frame.to_native().with_columns(pl.struct(list(columns)).hash().alias("hash"))
        )

    def counted(self, frame: Lazy, name: str, dtype: DType, clock: Clock) -> Lazy:
        """The whole numbers that Polars holds, divided."""
        count, per = pl.col(name).to_physical().cast(pl.Int64), clock.seconds
        if isinstance(dtype, nw.Datetime | nw.Duration):
            there = count != -(2**63)  # which numpy calls no time, in memory too
            count = pl.when(there).then(count // (_PER_SECOND[dtype.time_unit] * per))
        elif clock is not Clock.DAY:
            count = count * (Clock.DAY.seconds // per)
        return nw.from_native(frame.to_native().with_columns(count.alias(name)))

    def required(self, frame: Lazy) -> list[bool]:
        """None: every column of Polars can hold a null."""
        return [False] * len(self.names(frame))

    def untyped(self, frame: Lazy) -> list[str]:
        """Of type Null."""
        schema = frame.to_native().collect_schema()
        return [name for name, dtype in schema.items() if dtype == pl.Null]

    def spans(self, frame: Lazy) -> list[str]:
        """None: narwhals knows them."""
        return []

    def collect(self, frame: Lazy) -> Any:
        """Run the query."""
        return frame.collect("polars", engine="streaming")

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """As the streaming engine makes them.

        A panic, or the StopIteration of a function in the query, ends them early without an error.
        """
        native, rows = frame.to_native(), 0
        for part in native.collect_batches(maintain_order=False, engine="streaming"):
            rows += part.height
            yield {column.name: column for column in part.get_columns()}
        if rows != native.select(pl.len()).collect(engine="streaming").item():
            raise RuntimeError("rows are missing")

    def lists(self, column: Any) -> Lists:
        """From a series of series."""
        found = column.to_native()
        sizes = found.list.len().fill_null(0)
        values = found.filter(sizes > 0).explode().to_numpy()
        return Lists(
            values.copy(), sizes.to_numpy().astype(np.int64), (~found.is_null()).to_numpy()
        )

    def wholes(self, column: Any) -> list[int]:
        """Of 128 bits."""
        return column.to_native().fill_null(0).to_list()
