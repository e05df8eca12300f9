"""Arrow arrays, tables and record batches; what files and engines are made of, too."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from leastnoise.testing import ColumnKind, FrontEnd, entries
from support.front_ends.memory import FEW, INT64, TEXTS, WHOLE, covered, gone
from support.optional import optional

missing = entries.or_missing
CENTS = entries.decimals(38, 10)
BYTES = entries.encoded()


def floats(xs: list[Any], bits: int = 64) -> Any:
    return optional("pyarrow").array(covered(xs, f"float{bits}"), mask=gone(xs))


def any_bytes(xs: list[Any], kind: Any = None) -> Any:
    """A text array with any bytes in it, as buffers of other programs may have."""
    pa = optional("pyarrow")
    kind = pa.string() if kind is None else kind
    plain = pa.array(xs, pa.large_binary() if kind == pa.large_string() else pa.binary())
    return pa.Array.from_buffers(kind, len(xs), plain.buffers(), plain.null_count)


def _halves(made: Any) -> Any:
    pa = optional("pyarrow")
    half = len(made) // 2
    return pa.chunked_array([made[:half], made[half:]], type=made.type)


def _sliced(make: Callable[[list[Any]], Any], beside: Any) -> Callable[[list[Any]], Any]:
    """A part of a longer array, whose buffers hold other entries too."""
    return lambda xs: make([beside, *xs, None, beside]).slice(1, len(xs))


def _few_words(xs: list[Any]) -> Any:
    """A dictionary with a word twice, one that is missing and one that no row has."""
    pa = optional("pyarrow")
    places = pa.array([None if x is None else x % 5 for x in xs], pa.int8())
    return pa.DictionaryArray.from_arrays(places, pa.array(["a", None, "b", "a", " a", "unused"]))


def _own_words(xs: list[Any]) -> Any:
    """Chunks with dictionaries of their own."""
    pa = optional("pyarrow")
    chunks = [_dictionary([x]) for x in xs]
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()))


def _runs(xs: list[Any]) -> Any:
    pa = optional("pyarrow")
    return optional("pyarrow.compute").run_end_encode(pa.array(xs, pa.int64()))


def _bool8(xs: list[Any]) -> Any:
    pa = optional("pyarrow")
    return pa.ExtensionArray.from_storage(pa.bool8(), pa.array(xs, pa.int8()))


def _make(of: Callable[[Any], Any]) -> Callable[[list[Any]], Any]:
    """A column of the type that ``of`` takes from pyarrow."""
    return lambda xs: optional("pyarrow").array(xs, of(optional("pyarrow")))


def _dictionary(xs: list[Any]) -> Any:
    return _make(lambda pa: pa.string())(xs).dictionary_encode()


def _cast(of: Callable[[Any], Any], to: str) -> Callable[[list[Any]], Any]:
    return lambda xs: _make(of)(xs).cast(to)


def _instants(xs: list[Any]) -> Any:
    return _make(lambda pa: pa.int64())(xs).cast(optional("pyarrow").timestamp("us", "UTC"))


def _list(xs: list[Any]) -> Any:
    return _make(lambda pa: pa.list_(pa.int64()))([[x] for x in xs])


def _struct(xs: list[Any]) -> Any:
    return _make(lambda pa: pa.struct([("f", pa.int64())]))([{"f": x} for x in xs])


def _typed(name: str, of: Callable[[Any], Any], draw: Any) -> ColumnKind:
    return ColumnKind(name, _make(of), missing(draw))


def stored_kinds() -> list[ColumnKind]:
    """The types that files and engines know."""
    return [
        *(
            _typed(name, lambda pa, name=name: getattr(pa, name)(), entries.integers(*ends))
            for name, ends in WHOLE.items()
        ),
        _typed("bool", lambda pa: pa.bool_(), entries.booleans()),
        # the type that most columns have, and where NaN and missing are two things
        *2 * [ColumnKind("float64", floats, missing(entries.floats()))],
        ColumnKind("float32", partial(floats, bits=32), missing(entries.floats(32))),
        _typed("decimal128(38, 10)", lambda pa: pa.decimal128(38, 10), CENTS),
        _typed("decimal128(5, 2)", lambda pa: pa.decimal128(5, 2), entries.decimals(5, 2)),
        _typed("string", lambda pa: pa.string(), TEXTS),
        _typed("large_string", lambda pa: pa.large_string(), TEXTS),
        ColumnKind("dictionary", _dictionary, missing(TEXTS)),
        ColumnKind("date32", _cast(lambda pa: pa.int32(), "date32"), missing(FEW)),
        ColumnKind("timestamp", _cast(lambda pa: pa.int64(), "timestamp[us]"), missing(FEW)),
        ColumnKind("instant", _instants, missing(entries.counts())),
        ColumnKind("list", _list, FEW),
        _typed("binary", lambda pa: pa.binary(), BYTES),
    ]


def kinds() -> list[ColumnKind]:
    pa = optional("pyarrow")
    text, whole = _make(lambda pa: pa.string()), _make(lambda pa: pa.int64())
    bools = _make(lambda pa: pa.bool_())
    large = partial(any_bytes, kind=pa.large_string())
    hundreds = missing(lambda random: Decimal(random.choice((0, 100, -100, 99900))))
    return [
        *stored_kinds(),
        ColumnKind("float16", partial(floats, bits=16), missing(entries.floats(16))),
        ColumnKind("string in chunks", lambda xs: _halves(text(xs)), missing(TEXTS)),
        ColumnKind("int64 in chunks", lambda xs: _halves(whole(xs)), missing(INT64)),
        ColumnKind("string of any bytes", any_bytes, missing(BYTES)),
        ColumnKind("large_string of any bytes", large, missing(BYTES)),
        ColumnKind(
            "dictionary of any bytes", lambda xs: any_bytes(xs).dictionary_encode(), missing(BYTES)
        ),
        ColumnKind("part of strings", _sliced(text, "beside"), missing(TEXTS)),
        ColumnKind("part of float64", _sliced(floats, 0.5), missing(entries.floats())),
        ColumnKind("part of bool", _sliced(bools, True), missing(entries.booleans())),
        ColumnKind("dictionary of few words", _few_words, missing(entries.integers(0, 4))),
        ColumnKind("dictionary a chunk", _own_words, missing(TEXTS)),
        _typed("string_view", lambda pa: pa.string_view(), TEXTS),
        ColumnKind("decimal128(5, -2)", _make(lambda pa: pa.decimal128(5, -2)), hundreds),
        _typed("decimal256", lambda pa: pa.decimal256(60, 10), CENTS),
        _typed("decimal32", lambda pa: pa.decimal32(7, 2), entries.decimals(7, 2)),
        ColumnKind(
            "dictionary of integers", lambda xs: whole(xs).dictionary_encode(), missing(FEW)
        ),
        ColumnKind("null", lambda xs: pa.nulls(len(xs)), lambda _: None),
        ColumnKind("run-end encoded", _runs, missing(FEW)),
        ColumnKind("struct", _struct, FEW),
        ColumnKind("bool8", _bool8, missing(entries.integers(-1, 2))),
    ]


def table(columns: dict[str, Any]) -> Any:
    return optional("pyarrow").table(columns)


def _promised(columns: dict[str, Any]) -> Any:
    """A table whose schema says that nothing is missing, whatever is."""
    pa = optional("pyarrow")
    fields = [pa.field(name, column.type, nullable=False) for name, column in columns.items()]
    return pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields))


def _record_batch(columns: dict[str, Any]) -> Any:
    pa = optional("pyarrow")
    plain = [c.combine_chunks() if isinstance(c, pa.ChunkedArray) else c for c in columns.values()]
    return pa.RecordBatch.from_arrays(plain, names=list(columns))


FRONTS: dict[str, Callable[[], FrontEnd]] = {
    "arrow": lambda: FrontEnd("arrow", kinds(), table=table),
    "arrow, nothing missing by its schema": lambda: FrontEnd(
        "arrow, nothing missing by its schema", kinds(), table=_promised, bare=False
    ),
    "arrow record batch": lambda: FrontEnd("arrow record batch", kinds(), table=_record_batch),
}
