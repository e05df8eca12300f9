"""pandas: numpy's types, masked ones, those of Arrow, texts of every flavour, categories."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from leastnoise.testing import ColumnKind, FrontEnd, entries
from support.front_ends import arrow
from support.front_ends.memory import (
    FEW,
    FLOATS,
    INT64,
    LONE,
    TEXTS,
    WHOLE,
    covered,
    exact_floats,
    gone,
    objects_of,
)
from support.optional import optional

missing = entries.or_missing
NULLABLE = {
    name: name.replace("uint", "UInt").replace("int", "Int", name[0] == "i") for name in WHOLE
}


def kinds() -> list[ColumnKind]:
    pd, pa = optional("pandas"), optional("pyarrow")

    def of(name: str, make: Callable[[list[Any]], Any], draw: Any) -> ColumnKind:
        return ColumnKind(name, lambda xs: pd.Series(make(xs)), draw)

    def typed(dtype: Any, draw: Any, name: str = "") -> ColumnKind:
        return ColumnKind(name or str(dtype), lambda xs: pd.Series(xs, dtype=dtype), missing(draw))

    def masked(xs: list[Any], dtype: str) -> Any:
        kinds = {"f": "FloatingArray", "b": "BooleanArray"}
        kind = kinds.get(np.dtype(dtype).kind, "IntegerArray")
        return getattr(pd.arrays, kind)(covered(xs, dtype), gone(xs))

    def by_arrow(make: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
        return lambda xs: pd.arrays.ArrowExtensionArray(make(xs))

    def intervals(xs: list[Any]) -> Any:
        ends = [None if x is None else (x, x + 1) for x in xs]
        return pd.arrays.IntervalArray.from_tuples(ends, dtype="interval[float64, right]")

    def objects(xs: list[Any]) -> Any:
        return pd.Series(objects_of(xs), dtype=object)

    def encoded(xs: list[Any]) -> Any:
        return pa.array(xs, pa.string()).dictionary_encode()

    def zoned(xs: list[Any]) -> Any:
        return pd.Series(np.array(xs, "i8").view("M8[us]")).dt.tz_localize("UTC")

    return [
        of("int64", partial(np.array, dtype="i8"), INT64),
        of("uint8", partial(np.array, dtype="u1"), entries.integers(*WHOLE["uint8"])),
        of("bool", partial(np.array, dtype=bool), entries.booleans()),
        of("float64", exact_floats, FLOATS),
        of("float32", partial(exact_floats, dtype="f4"), entries.floats(32)),
        *(
            of(dtype, partial(masked, dtype=name), missing(entries.integers(*WHOLE[name])))
            for name, dtype in NULLABLE.items()
        ),
        of("boolean", partial(masked, dtype="bool"), missing(entries.booleans())),
        of("Float64", partial(masked, dtype="float64"), missing(FLOATS)),
        of("Float32", partial(masked, dtype="float32"), missing(entries.floats(32))),
        ColumnKind("object", objects, entries.objects()),
        ColumnKind("object of texts", objects, missing(LONE)),
        *(typed(dtype, TEXTS) for dtype in ("str", "string[python]", "string[pyarrow]")),
        typed(pd.ArrowDtype(pa.string()), TEXTS, "ArrowDtype(string)"),
        typed(pd.ArrowDtype(pa.int64()), INT64, "ArrowDtype(int64)"),
        typed(pd.ArrowDtype(pa.bool_()), entries.booleans(), "ArrowDtype(bool)"),
        typed(pd.ArrowDtype(pa.decimal128(38, 10)), arrow.CENTS, "ArrowDtype(decimal128)"),
        of("ArrowDtype(double)", by_arrow(arrow.floats), missing(FLOATS)),
        of("ArrowDtype(string of any bytes)", by_arrow(arrow.any_bytes), missing(arrow.BYTES)),
        of("ArrowDtype(dictionary)", by_arrow(encoded), missing(TEXTS)),
        of("datetime64", lambda xs: np.array(xs, "i8").view("M8[ns]"), entries.counts()),
        of("zoned", zoned, entries.counts()),
        ColumnKind("object of times", objects, missing(entries.times())),
        *_categories(),
        of("interval", intervals, missing(FEW)),
        of("Sparse[float]", lambda xs: pd.arrays.SparseArray(exact_floats(xs)), FLOATS),
        of("Sparse[int]", lambda xs: pd.arrays.SparseArray(np.array(xs, "i8")), FEW),
        of("period", lambda xs: pd.PeriodIndex.from_ordinals(xs, freq="D"), FEW),
    ]


def _categories() -> list[ColumnKind]:
    """Categories of every type: their entries are drawn by place."""
    pd = optional("pandas")
    known: dict[str, Any] = {
        "str": ["a", "b", "1"],
        "int": [1, 2],
        "int beyond 2^53": [2**60 + 7, 2**60 + 14, 2**53 + 1],
        "float": [0.1, 1.0, 2.0],
        "bool": [False, True],
        "intervals": pd.IntervalIndex.from_breaks([0, 1, 2]),
        "intervals of floats": pd.IntervalIndex.from_breaks([0.0, 1.0, 2.5], closed="left"),
        "dates": pd.to_datetime(["2020-01-01", "2021-01-01"]),
        "nullable integers": pd.array([1, 2], dtype="Int64"),
        "several types": ["a", 1, 2.5],
    }

    def category(values: Any, xs: list[Any]) -> Any:
        codes = [-1 if x is None else x for x in xs]
        return pd.Series(pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(values)))

    return [
        ColumnKind(
            f"category of {name}",
            partial(category, values),
            missing(entries.integers(0, len(values) - 1)),
        )
        for name, values in known.items()
    ]


def _table(columns: dict[str, Any]) -> Any:
    return optional("pandas").concat(columns, axis=1)


def _part(columns: dict[str, Any]) -> Any:
    """The first rows of a frame twice as long, with an index that is nobody's order."""
    pd = optional("pandas")
    made = _table(columns)
    part = pd.concat([made, made], axis=0).iloc[: len(made)]
    part.index = pd.Index([0] * len(part))
    return part


def _options() -> dict[str, Any]:
    pd = optional("pandas")
    wanted = {
        "mode.string_storage": "python",
        "future.distinguish_nan_and_na": True,
        "future.python_scalars": True,
        "compute.use_bottleneck": False,
        "display.max_rows": 1,
    }

    def known(name: str) -> bool:
        with suppress(KeyError):
            pd.get_option(name)
            return True
        return False

    return {
        f"pandas.set_option({name!r}, {value!r})": partial(pd.option_context, name, value)
        for name, value in wanted.items()
        if known(name)
    }


FRONTS: dict[str, Callable[[], FrontEnd]] = {
    "pandas": lambda: FrontEnd("pandas", kinds(), table=_table, settings=_options()),
    "pandas parts": lambda: FrontEnd("pandas parts", kinds(), table=_part, bare=False),
}
