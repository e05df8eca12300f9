"""Positions of declared labels inside an engine, by the rule of ``frames.labels``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leastnoise.frames.engines.lattice import plain_number
from leastnoise.frames.memory.labels import BLANKS, NO_LABEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw
    from narwhals.dtypes import DType


def label_code(column: nw.Expr, dtype: DType, labels: Sequence[str | float]) -> nw.Expr:
    """The position of a row's label; -1 for what is missing or not declared."""
    import narwhals as nw

    if isinstance(labels[0], str):
        text = column.cast(nw.String).str.strip_chars(BLANKS)
        value, there = nw.when(column.is_null()).then(nw.lit("")).otherwise(text), None
    else:
        value, there = plain_number(column, dtype).cast(nw.Float64), ~column.is_null()
    code: nw.Expr = nw.lit(NO_LABEL)
    for i, label in enumerate(labels):
        equal = value == nw.lit(as_read(label, dtype))
        code = nw.when(equal if there is None else there & equal).then(nw.lit(i)).otherwise(code)
    return code


def as_read(label: str | float, dtype: DType) -> str | float:
    """A number rounded to the column's floating-point type, as its entries were."""
    import narwhals as nw

    if isinstance(label, str) or not isinstance(dtype, nw.Float32):
        return label
    with np.errstate(all="ignore"):
        return float(np.float32(label))
