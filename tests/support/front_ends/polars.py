"""Polars: series, frames and lazy frames of every type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from leastnoise.testing import ColumnKind, FrontEnd, entries
from support.front_ends import arrow
from support.front_ends.memory import FEW, SHORT, TEXTS, WHOLE
from support.front_ends.pandas import NULLABLE
from support.optional import optional

missing = entries.or_missing


def kinds() -> list[ColumnKind]:
    pl = optional("polars")

    def typed(name: str, dtype: Any, draw: Any, cast: Any = None) -> ColumnKind:
        def make(xs: list[Any]) -> Any:
            made = pl.Series("v", xs, dtype=dtype)
            return made if cast is None else made.cast(cast)

        return ColumnKind(name, make, missing(draw))

    def floats(bits: int) -> ColumnKind:
        make: Callable[[list[Any]], Any] = partial(arrow.floats, bits=bits)
        return ColumnKind(
            f"Float{bits}", lambda xs: pl.Series("v", make(xs)), missing(entries.floats(bits))
        )

    def listed(xs: list[Any]) -> Any:
        return pl.Series("v", [[x] for x in xs], dtype=pl.List(pl.Int64))

    def struct(xs: list[Any]) -> Any:
        return pl.Series("v", [{"f": x} for x in xs], dtype=pl.Struct({"f": pl.Int64}))

    whole = {NULLABLE[name]: ends for name, ends in WHOLE.items()}
    whole |= {"Int128": (-(2**127), 2**127 - 1), "UInt128": (0, 2**128 - 1)}
    few = ["a", "b", "1", " b"]
    return [
        *(
            typed(name, getattr(pl, name), entries.integers(*ends))
            for name, ends in whole.items()
            if hasattr(pl, name)
        ),
        *(floats(bits) for bits in (16, 32, 64, 64) if hasattr(pl, f"Float{bits}")),
        typed("Boolean", pl.Boolean, entries.booleans()),
        typed("String", pl.String, TEXTS),
        typed("Categorical", pl.Categorical, SHORT),
        typed("Enum", pl.Enum(few), lambda random: random.choice(few)),
        typed("Decimal(38, 10)", pl.Decimal(38, 10), arrow.CENTS),
        typed("Decimal(5, 2)", pl.Decimal(5, 2), entries.decimals(5, 2)),
        typed("Null", pl.Null, lambda _: None),
        ColumnKind("Object", lambda xs: pl.Series("v", xs, dtype=pl.Object), entries.objects()),
        typed("Date", pl.Int32, FEW, pl.Date),
        typed("Datetime", pl.Int64, entries.counts(), pl.Datetime),
        typed("Datetime of a zone", pl.Int64, entries.counts(), pl.Datetime("ns", "Asia/Tokyo")),
        typed("Duration", pl.Int64, entries.counts(), pl.Duration("ms")),
        ColumnKind("List", listed, FEW),
        ColumnKind("Struct", struct, FEW),
        typed("Binary", pl.Binary, arrow.BYTES),
    ]


def table(columns: dict[str, Any]) -> Any:
    return optional("polars").DataFrame(columns)


def _lazy() -> FrontEnd:
    held = [kind for kind in kinds() if kind.name != "Object"]  # a query cannot hold those
    return FrontEnd(
        "polars lazy", held, lambda made: table(made).lazy(), bare=False, reference=table
    )


FRONTS: dict[str, Callable[[], FrontEnd]] = {
    "polars": lambda: FrontEnd("polars", kinds(), table),
    "polars lazy": _lazy,
}
