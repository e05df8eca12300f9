"""DuckDB relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.errors import ParameterError
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

_DUCK = {
    "sum": "CAST(coalesce(sum({0}), 0) AS DECIMAL(38, 0))",
    "products": "CAST(coalesce(sum(CAST({0} AS HUGEINT) * CAST({1} AS HUGEINT)), 0)"
    " AS DECIMAL(38, 0))",
    "rows": "CAST(count_if({0}) AS BIGINT)",
    "shared": "any_value({0})",
}
_FUNCTIONS = "SELECT {} FROM system.main.duckdb_functions() WHERE {}internal"
_NAMES = "system.main.list(DISTINCT function_name ORDER BY function_name)"
_MACROS = _FUNCTIONS.format(_NAMES, "NOT ")
_SHADOWS = f"{_MACROS} AND function_name IN ({_FUNCTIONS.format('function_name', '')})"
_THIN = "SELECT * FROM leastnoise_sample USING SAMPLE {:.12f} PERCENT ({})"


class DuckEngine:
    """DuckDB relations. A sum of BIGINT is a HUGEINT."""

    name = "DuckDB"
    in_process = False
    most_held = 1 << 25

    def __init__(self, *, fresh: bool = False) -> None:
        """``fresh``: on a connection that nobody else has seen, which thus has no macros."""
        self._connection: Any = None
        self._fresh = fresh

    def held(self, connection: Any) -> Any:
        """A connection of our own; before version 2, DuckDB closes one that nobody holds."""
        self._connection = connection
        return connection

    def names(self, frame: Lazy) -> list[str]:
        """A join or a SELECT may repeat one."""
        return list(frame.to_native().columns)

    def renamed(self, frame: Lazy, names: Sequence[str]) -> Lazy:
        """By position, so that no name becomes part of a query's text.

        TRY passes on every value and nothing that DuckDB has inferred about a column: from the
        statistics of a file or a table, which leave out NaN and may be wrong, it would delete
        conditions and skip rows. Text is compared byte by byte, whatever collation a column or the
        connection declares: 'n' would be the key 'N' there, and two persons one. What is no UTF-8
        is missing: Arrow may hand it over, and it would end the query.
        """
        native = frame.to_native()
        if not self._fresh:
            _check_macros(native)
        plain = [f'TRY(#{i + 1}) AS "{name}"' for i, name in enumerate(names)]
        # types by position too: names may be repeated
        schema = nw.from_native(native.project(", ".join(plain))).collect_schema()
        for i, (name, dtype) in enumerate(schema.items()):
            if isinstance(dtype, (nw.String, nw.Enum)):
                text = f"decode(encode(CAST(#{i + 1} AS VARCHAR)))"
                plain[i] = f'TRY({text}) COLLATE C AS "{name}"'
        return nw.from_native(native.project(", ".join(plain)))

    def tallied(
        self,
        frame: Lazy,
        keys: Sequence[str],
        tallies: Mapping[str, Tally],
        kept: nw.Expr | None = None,
    ) -> Lazy:
        """Sums of HUGEINT, as decimals: what those are in Arrow no setting of a connection changes.

        All names are our own.
        """
        by = [f'"{key}"' for key in keys]
        asked = [*by, 'count(*) AS "n"']
        for i, (name, tally) in enumerate(tallies.items()):
            asked.append(f'{_DUCK[tally.kind].format(f"t{i}", f"s{i}")} AS "{name}"')
        if kept is not None:
            found = "coalesce(list(x) FILTER (WHERE kept), [])"  # a list of no rows is NULL
            asked.append(f'CASE WHEN count_if(kept) <= {FEW} THEN {found} END AS "kept"')
        rows = rows_of(frame, keys, tallies, kept).to_native()
        return nw.from_native(rows.aggregate(", ".join(asked), ", ".join(by)))

    def sample(self, frame: Lazy, rows: int, of: int, *, apart: bool = False) -> Lazy:
        """Whole vectors of 2,048 rows, drawn where the table stands, or else rows one by one.

        Before DuckDB 2 a query of a relation leaves a view in the user's database: rows one by one.
        """
        import duckdb

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
        return nw.from_native(frame.to_native().project(f'*, hash({", ".join(columns)}) AS "hash"'))

    def counted(self, frame: Lazy, name: str, dtype: DType, clock: Clock) -> Lazy:
        """Whole numbers only, whose quotient is rounded down; infinite dates are NULL."""
        if isinstance(dtype, nw.Date):
            since = f"date_diff('day', DATE '1970-01-01', {name})"
            count = f"{since} * {Clock.DAY.seconds // clock.seconds}"
        else:
            fine = isinstance(dtype, nw.Datetime) and dtype.time_unit == "ns"
            at = name
            if isinstance(dtype, nw.Datetime) and dtype.time_unit in ("s", "ms"):
                at = f"CAST({name} AS TIMESTAMP)"  # else of 1677 to 2262 only
            exact = f"epoch_{'ns' if fine else 'us'}({at})"
            per = 10 ** (9 if fine else 6) * clock.seconds
            count = f"IF({exact} < 0, -1 - (-1 - {exact}) // {per}, {exact} // {per})"
        fits = f"isfinite({name})"
        if isinstance(dtype, nw.Duration):  # a month has no number of seconds
            fits = f"datepart('year', {name}) = 0 AND datepart('month', {name}) = 0"
        native = frame.to_native()
        counted = f'TRY(CASE WHEN {fits} THEN CAST({count} AS BIGINT) END) AS "{name}"'
        columns = [counted if one == name else f'"{one}"' for one in native.columns]
        return nw.from_native(native.project(", ".join(columns)))

    def required(self, frame: Lazy) -> list[bool]:
        """None: a relation does not tell which columns are NOT NULL."""
        return [False] * len(self.names(frame))

    def untyped(self, frame: Lazy) -> list[str]:
        """Of type "NULL"."""
        relation = frame.to_native()
        kinds = zip(relation.columns, relation.types, strict=True)
        return [name for name, kind in kinds if str(kind).strip('"') == "NULL"]

    def spans(self, frame: Lazy) -> list[str]:
        """None: narwhals knows them."""
        return []

    def collect(self, frame: Lazy) -> Any:
        """Run the query; what is true or false is so again, in the form that all libraries know."""
        plain, truth = _plain(frame)
        found = plain.collect("pyarrow")
        return found.with_columns(nw.col(*truth).cast(nw.Boolean)) if truth else found

    def batches(self, frame: Lazy) -> Iterator[dict[str, Any]]:
        """Record batches, while the query runs."""
        arrow = arrow_module()
        plain, truth = _plain(frame)
        native = plain.to_native()
        read = getattr(native, "to_arrow_reader", None) or native.fetch_record_batch
        for part in read(BATCH):
            table = arrow.Table.from_batches([part])
            found = dict(zip(table.column_names, table.columns, strict=True))
            yield found | {name: found[name].cast(arrow.bool_()) for name in truth}

    def lists(self, column: Any) -> Lists:
        """From an array of arrays."""
        return arrow_lists(column)

    def wholes(self, column: Any) -> list[int]:
        """From decimals."""
        return arrow_wholes(column)


def _plain(frame: Lazy) -> tuple[Lazy, list[str]]:
    """The query without the types whose form in Arrow is a setting of the connection, and which
    columns hold what is true or false: that as 0 and 1, integers of 128 bits as doubles.
    """
    schema = frame.collect_schema()
    truth = [name for name, dtype in schema.items() if isinstance(dtype, nw.Boolean)]
    wide = [name for name, dtype in schema.items() if isinstance(dtype, (nw.Int128, nw.UInt128))]
    casts = [nw.col(name).cast(nw.Int8) for name in truth]
    casts += [nw.col(name).cast(nw.Float64) for name in wide]
    return (frame.with_columns(*casts) if casts else frame), truth


def _check_macros(relation: Any) -> None:
    """Refuse macros that take the place of functions: queries would call them.

    Raises
    ------
    ParameterError
        If there is one, wherever in the database it stands.
    """
    for query in (_MACROS, _SHADOWS):  # the second takes a while
        found = relation.limit(0).aggregate(f"system.main.count(*), ({query})").fetchall()[0][1]
        if found is None:
            return
    raise ParameterError(
        "the database has macros that take the place of DuckDB's functions: "
        f"{', '.join(found)}; drop or rename them, because queries would call them"
    )
