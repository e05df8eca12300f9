"""Positions of declared labels inside an engine, by the rule of ``frames.labels``."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
from narwhals.dtypes import DType

from leastnoise.frames.engines.conditions import Entry, is_one_of
from leastnoise.frames.memory.labels import NO_LABEL
from leastnoise.summaries.pairs import Label, exact


def label_code(column: nw.Expr, dtype: DType, labels: Sequence[Label]) -> nw.Expr:
    """The position of a row's label; -1 for what is missing or not declared."""
    entry = Entry.of(column, dtype)
    code: nw.Expr = nw.lit(NO_LABEL)
    for i, label in enumerate(exact(labels)):
        code = nw.when(is_one_of(entry, [label])).then(nw.lit(i)).otherwise(code)
    return code
