"""A small table with everything awkward in it, and the rows that conditions keep of it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import leastnoise as ln

col = ln.col

# region: text with blanks, missing and undeclared entries; code: text that looks like numbers
COLUMNS: dict[str, list[Any]] = {
    "region": ["N", " N", "S ", None, "", "  ", "W", "n"],
    "code": ["01", "1", "1.0", None, "one", "01 ", "10", "1"],
    "age": [17, 18, None, 65, 30, 18, 99, 2**53 + 1],
    "score": [0.1, 0.3, None, -0.0, 2.5, 0.1, float("inf"), 1e300],
    "member": [True, False, None, True, False, True, False, True],
}

KEYS = {"region": ["N", "S", "X"], "member": [True, False]}

CONDITIONS: list[tuple[Any, list[int]]] = [
    (col("region") == "N", [0, 1]),
    (col("region") == " N ", [0, 1]),
    (col("region") != "N", [2, 6, 7]),
    (~(col("region") == "N"), [2, 6, 7]),
    (~~(col("region") == "N"), [0, 1]),
    (col("region").is_in(["S", "W", "X"]), [2, 6]),
    (~col("region").is_in(["S", "W", "X"]), [0, 1, 7]),
    (col("region").is_missing(), [3, 4, 5]),
    (~col("region").is_missing(), [0, 1, 2, 6, 7]),
    (col("code") == "1", [1, 7]),
    (col("code") == "01", [0, 5]),
    (col("age") >= 18, [1, 3, 4, 5, 6, 7]),
    (col("age") > 18, [3, 4, 6, 7]),
    (col("age") > 17.5, [1, 3, 4, 5, 6, 7]),
    (col("age") < Fraction(37, 2), [0, 1, 5]),
    (col("age") <= 18, [0, 1, 5]),
    (18 <= col("age"), [1, 3, 4, 5, 6, 7]),  # noqa: SIM300  # the reflected comparison
    (col("age") == 18.5, []),
    (col("age") != 18.5, [0, 1, 3, 4, 5, 6, 7]),
    (col("age") == 18, [1, 5]),
    (col("age") < 10**30, [0, 1, 3, 4, 5, 6, 7]),
    (col("age") > -(10**30), [0, 1, 3, 4, 5, 6, 7]),
    (col("age") >= 10**30, []),
    (col("age").between(18, 65), [1, 3, 4, 5]),
    (~col("age").between(18, 65), [0, 6, 7]),
    (col("age").is_in([17, 18, 200]), [0, 1, 5]),
    (col("age").is_missing(), [2]),
    (col("score") == 0.1, [0, 5]),
    (col("score") >= 0.3, [1, 4, 6, 7]),
    (col("score") == 0, [3]),
    (col("score") < 0.1, [3]),
    (col("score") > 10**300, [6]),
    (col("member") == True, [0, 3, 5, 7]),  # noqa: E712  # a column, not a truth value
    (col("member") == 0, [1, 4, 6]),
    (~(col("member") == 0), [0, 3, 5, 7]),
    (col("member").is_in([True, False]), [0, 1, 3, 4, 5, 6, 7]),
    ((col("age") >= 18) & (col("region") == "N"), [1]),
    ((col("age") >= 18) | (col("region") == "N"), [0, 1, 3, 4, 5, 6, 7]),
    (~((col("age") >= 18) | (col("region") == "N")), []),
    (~((col("age") >= 18) & (col("region") == "N")), [0, 2, 6, 7]),
    ((col("age") >= 18) | col("age").is_missing(), [1, 2, 3, 4, 5, 6, 7]),
]  # fmt: skip
