"""One table that tells engines apart, what is asked of it, and what memory answers."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

import leastnoise as ln
from leastnoise.frames.table import split
from leastnoise.randomness import active
from leastnoise.session.prepare import plan
from leastnoise.summaries.subset import Subset, Unit
from support.footers import LARGEST
from support.optional import optional

pa = optional("pyarrow")

RANDOM = np.random.default_rng(8)
N = 2_400
W = (-20, 100)


def nans(kind: str, bits: str, patterns: list[int]) -> list[float]:
    """NaN as it comes: quiet, signalling, negative, with a payload."""
    return np.array(patterns, dtype=bits).view(kind).tolist()


def rows() -> Any:
    """Few values, so that statistics say much, and one row in which each column is larger."""
    half = N // 2
    doubles = [1.0, 2.0, *[math.nan] * 40, -0.0, None]
    odd = nans("f8", "u8", [0x7FF8000000000001, 0xFFF8000000000000, 0xFFFFFFFFFFFFFFFF])
    x = [*RANDOM.choice(np.array([*doubles, *odd], dtype=object), N - 1), LARGEST["x"]]
    f = [*RANDOM.choice(np.array([1.0, 2.0, math.nan, None], dtype=object), N - 1), LARGEST["f"]]
    k = [*RANDOM.choice(np.array([0, 1, 3, None], dtype=object), N - 1), LARGEST["k"]]
    s = [*RANDOM.choice(np.array(["a", " a", "", None], dtype=object), N - 1), LARGEST["s"]]
    d = [Decimal("1.50"), Decimal("2.25"), None] * (N // 3)
    order = RANDOM.permutation(N)
    columns = {
        "x": pa.array(x, pa.float64()),
        "y": pa.array([1.0, math.inf, -math.inf, math.nan] * (N // 4)),
        "f": pa.array(f, pa.float32()),
        "k": pa.array(k, pa.int64()),
        "c": pa.array([3] * (N - 1) + [LARGEST["k"]]),
        "s": pa.array(s, pa.string()),
        "u": pa.array([1, 2] * half, pa.uint8()),
        "t": pa.array([True, False, None] * (N // 3)),
        "d": pa.array(d, pa.decimal128(9, 2)),
        "who": pa.array([f"p{i % 97}" for i in range(N)]),
    }
    return pa.table(columns).take(order)


TABLE = rows()
PLAIN, PERSONS = Subset(), Subset(unit=Unit("who", N))
ASKED: dict[str, tuple[Any, Subset]] = {
    "count": (ln.Count("x"), PLAIN),
    "count of singles": (ln.Count("f"), PLAIN),
    "count of text": (ln.Count("k"), PERSONS),
    "sum": (ln.Sum("x", bounds=W), PLAIN),
    "sum of integers": (ln.Sum("k", bounds=(0, 10_000)), PLAIN),
    "sum, imputed": (ln.Sum("f", bounds=W, missing="none"), PLAIN),
    "mean": (ln.Mean("d", bounds=W), PLAIN),
    "median": (ln.Median("x", bounds=W), PLAIN),
    "maximum": (ln.Maximum("k", bounds=(0, 10_000)), PLAIN),
    "maximum of singles": (ln.Maximum("f", bounds=W), PLAIN),
    "variance": (ln.Variance("x", bounds=W), PLAIN),
    "bins": (ln.Histogram("y", bins=[-math.inf, 0, 50, math.inf]), PLAIN),
    "texts": (ln.Histogram("s", categories=["a", LARGEST["s"]]), PLAIN),
    "numbers": (ln.Histogram("k", categories=[1, LARGEST["k"]]), PLAIN),
    "distinct": (ln.CountDistinct("x"), PLAIN),
    "distinct texts": (ln.CountDistinct("s"), PLAIN),
    "keys": (ln.PrivateKeys("s", delta="1e-6"), PERSONS),
    "keys of numbers": (ln.PrivateKeys("x", delta="1e-6"), PLAIN),
    "filter": (ln.Count(), Subset(where=(ln.col("x") > 50) | (ln.col("k") > 50))),
    "filter of equal numbers": (ln.Sum("k", bounds=W), Subset(where=ln.col("c") > 50)),
    "groups of equal numbers": (ln.Count(), PLAIN.grouped({"c": [3, LARGEST["k"]]}, None)),
    "filter of missing": (
        ln.Sum("k", bounds=W),
        Subset(where=ln.col("x").is_missing() & ~(ln.col("f") >= 50)),
    ),
    "filter of text": (ln.Count(), Subset(where=ln.col("s") == LARGEST["s"])),
    "groups": (ln.Median("x", bounds=W), PLAIN.grouped({"s": ["a", LARGEST["s"]]}, None)),
    "groups of numbers": (ln.Sum("x", bounds=W), PLAIN.grouped({"k": [1, LARGEST["k"]]}, None)),
    "persons": (ln.Sum("u", bounds=(0, 2)), PERSONS.grouped({"t": [0, 1]}, 2)),
}


def answers(data: Any, names: list[str], depth: int = 6) -> dict[str, list[Any]]:
    """Summaries as they can be compared."""
    found: dict[str, list[Any]] = {}
    for name in names:
        statistic, subset = ASKED[name]
        p = plan(statistic, data, "add-remove", None, subset=subset)
        parts = [p.table] if subset == PLAIN else split(p.table, subset, active())
        found[name] = [plain(part.summarise(p.request, depth)) for part in parts]
    return found


def plain(summary: Any) -> Any:
    names = getattr(summary, "__dataclass_fields__", None)
    if names is None:
        return summary.tolist() if hasattr(summary, "tolist") else summary
    return [plain(getattr(summary, name)) for name in names]


EXPECTED = answers(TABLE, list(ASKED))
SOME = [
    "count",
    "filter of equal numbers",
    "sum of integers",
    "maximum",
    "texts",
    "filter of missing",
    "groups",
]
