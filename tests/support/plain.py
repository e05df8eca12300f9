"""Statistics of rows as their pages define them, in exact fractions and without the library.

A row is a mapping of column to entry, None where it is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor, log, sqrt
from random import Random
from typing import Any

import leastnoise as ln

Row = Mapping[str, Any]
Rows = Sequence[Row]
Truth = bool | None

LOW, HIGH = -4, 20
MOVED = (0, 0, 10**6, -(10**9))
"""Where the columns x, y and z stand, with their limits."""
# A walk stops at one of some hundred candidates for each power of e.
WALK = 0.01


@dataclass(frozen=True)
class Asked:
    """A statistic and what it is of some rows; None where its page does not say.

    ``rows``: only for a public number of rows. ``several``: any of a list of answers is right.
    ``off``: how far apart the answers are that there are, as a part of one.
    """

    statistic: Any
    truth: Callable[[Rows], Any]
    rows: bool = False
    several: bool = False
    off: float = 1e-6


def clipped(value: Any, at: int) -> Fraction:
    return min(Fraction(at + HIGH), max(Fraction(at + LOW), Fraction(value)))


def complete(rows: Rows, names: Sequence[str], missing: Any, at: int) -> list[list[Fraction]]:
    """Clipped numbers of some columns: a row with a gap is left out, or a number stands there."""
    found = list[list[Fraction]]()
    for row in rows:
        entries = [row[name] for name in names]
        if None in entries and missing == "drop":
            continue
        found.append([clipped(missing if entry is None else entry, at) for entry in entries])
    return found


def numbers(rows: Rows, name: str, missing: Any, at: int) -> list[Fraction]:
    return [x for (x,) in complete(rows, [name], missing, at)]


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def variance(values: Sequence[Fraction]) -> Fraction:
    return mean([(x - mean(values)) ** 2 for x in values]) if values else Fraction(0)


def ranked(values: Sequence[Fraction], order: Any) -> Fraction:
    return sorted(values)[max(1, ceil(Fraction(order) * len(values))) - 1]


def between(values: Sequence[Fraction]) -> Fraction:
    return ranked(values, Fraction(3, 4)) - ranked(values, Fraction(1, 4))


def moments(pairs: Sequence[Sequence[Fraction]]) -> dict[str, Any]:
    columns = [*zip(*pairs, strict=True)] or [(), ()]
    products = [
        [sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0)) for other in columns]
        for one in columns
    ]
    return {
        "count": len(pairs),
        "sums": [sum(c, Fraction(0)) for c in columns],
        "products": products,
    }


def covariance(pairs: Sequence[Sequence[Fraction]]) -> list[list[Fraction]] | None:
    if len(pairs) < 2:
        return None
    centred = [[x - mean(column) for x in column] for column in zip(*pairs, strict=True)]
    return [
        [mean([a * b for a, b in zip(one, other, strict=True)]) for other in centred]
        for one in centred
    ]


def correlation(pairs: Sequence[Sequence[Fraction]]) -> list[list[float]] | None:
    found = covariance(pairs)
    if found is None or not found[0][0] or not found[1][1]:
        return None
    r = float(found[0][1]) / sqrt(found[0][0] * found[1][1])
    return [[1.0, r], [r, 1.0]]


def area(rows: Rows) -> Fraction:
    scored = [(row["b"], row["z"]) for row in rows if row["z"] is not None]
    up, down = ([z for b, z in scored if b == label] for label in (1, 0))
    if not up or not down:
        return Fraction(1, 2)
    twice = sum((u > d) + (u >= d) for u, d in product(up, down))
    return Fraction(twice, 2 * len(up) * len(down))


def entropy(rows: Rows) -> float | None:
    kept = [(row["b"], row["p"]) for row in rows if row["b"] in (0, 1) and row["p"] is not None]
    if not kept:
        return None
    return sum(-log(max(p if b else 1 - p, 2.0**-52)) for b, p in kept) / len(kept)


def weighted(rows: Rows, order: Fraction, at: int) -> Fraction:
    """The least value that so large a part of the weight does not exceed."""
    pairs = [
        (clipped(row["x"], at), min(4, max(0, row["w"])))
        for row in rows
        if row["x"] is not None and row["w"] is not None
    ]
    total = sum(weight for _, weight in pairs)
    heavy = (v for v, _ in sorted(pairs) if sum(w for x, w in pairs if x <= v) >= order * total)
    return next(heavy) if total else Fraction(at + LOW)


def cells(rows: Rows, name: str, labels: Sequence[Any]) -> list[int]:
    return [sum(stripped(row[name]) == label for row in rows) for label in labels]


def stripped(entry: Any) -> Any:
    """A text without the blanks around it; none at all is missing."""
    return (entry.strip() or None) if isinstance(entry, str) else entry


def binned(rows: Rows, edges: Sequence[int]) -> list[int]:
    held = [row["y"] for row in rows if row["y"] is not None]
    found = [sum(a <= y < b for y in held) for a, b in pairwise(edges)]
    found[-1] += sum(y == edges[-1] for y in held)
    return found


def crossed(rows: Rows, first: str, other: str, labels: Sequence[int]) -> list[list[int]]:
    return [
        [sum(row[first] == a and row[other] == b for row in rows) for b in labels] for a in labels
    ]


def losses(rows: Rows, missing: Any, power: int, at: int) -> Fraction | None:
    pairs = complete(rows, ["x", "z"], missing, at)
    return mean([abs(a - b) ** power for a, b in pairs]) if pairs else None


def root(value: Fraction | None) -> float | None:
    return None if value is None else sqrt(value)


def determined(rows: Rows, missing: Any, least: Fraction, at: int) -> Fraction | None:
    pairs = complete(rows, ["x", "z"], missing, at)
    if not pairs:
        return None
    spread = variance([a for a, _ in pairs])
    error = mean([(a - b) ** 2 for a, b in pairs])
    return max(least, 1 - error / spread) if spread else least


def modes(rows: Rows) -> list[str]:
    counts = dict(zip("abc", cells(rows, "t", "abc"), strict=True))
    return [label for label, count in counts.items() if count == max(counts.values())]


def trimmed(rows: Rows, part: Fraction, at: int) -> list[Fraction] | None:
    columns = [numbers(rows, name, at + 3, at) for name in ("x", "y")]
    off = floor(part * len(rows))
    kept = [sorted(column)[off : len(rows) - off] for column in columns]
    return [mean(column) for column in kept] if kept[0] else None


def statistics(dice: Random, at: int) -> dict[str, Asked]:
    """One of each kind, of columns with gaps: left out, or with a number in their place."""
    policy: Any = dice.choice(("drop", "none", at + 3, at - 3, at + HIGH))
    middle, bounds = at + Fraction(LOW + HIGH, 2), (at + LOW, at + HIGH)
    missing: Any = middle if policy == "none" else policy
    x: Any = dice.choice(("x", "y"))
    order = dice.choice((Fraction(1, 10), Fraction(1, 2), Fraction(2, 3), Fraction(1)))
    least = dice.choice((Fraction(0), Fraction(-7, 2)))
    step = dice.choice((None, "1/4"))
    two: Any = ["x", "y"]
    with_gaps: dict[str, Any] = {"bounds": bounds, "missing": policy}
    gap: Any = dice.choice((policy, at + Fraction(5, 2)))  # of what needs no lattice
    losses_with: dict[str, Any] = {"bounds": bounds, "missing": gap}
    stands: Any = middle if gap == "none" else gap
    limits: dict[str, Any] = {**with_gaps, "step": step}

    def of(function: Callable[[list[Fraction]], Any], empty: Any) -> Callable[[Rows], Any]:
        return lambda rows: function(v) if (v := numbers(rows, x, missing, at)) else empty

    # inside limits that are found the middle of "none" is theirs
    of_several: Any = at + 3 if policy == "none" else policy
    several: dict[str, Any] = {"bounds": bounds, "missing": of_several}

    def pairs(function: Callable[[list[list[Fraction]]], Any]) -> Callable[[Rows], Any]:
        return lambda rows: function(complete(rows, two, of_several, at))

    edges = [at - 4, at, at + 2, at + 9]
    found = {
        "Count": Asked(ln.Count(), len),
        "Count of entries": Asked(
            ln.Count(x, missing="drop"), lambda rows: len(numbers(rows, x, "drop", at))
        ),
        "CountDistinct": Asked(
            ln.CountDistinct(x), lambda rows: len({row[x] for row in rows} - {None})
        ),
        "distinct texts": Asked(
            ln.CountDistinct("t"), lambda rows: len({stripped(row["t"]) for row in rows} - {None})
        ),
        "Sum": Asked(ln.Sum(x, **limits), of(lambda v: sum(v, Fraction(0)), 0)),
        "Mean": Asked(ln.Mean(x, **limits), of(mean, middle)),
        "Variance": Asked(ln.Variance(x, **limits), of(variance, 0), off=WALK),
        "StandardDeviation": Asked(
            ln.StandardDeviation(x, **limits), of(lambda v: sqrt(variance(v)), 0), off=WALK
        ),
        "Median": Asked(ln.Median(x, **limits), of(lambda v: ranked(v, Fraction(1, 2)), middle)),
        "Minimum": Asked(ln.Minimum(x, **limits), of(min, middle), off=WALK),
        "Maximum": Asked(ln.Maximum(x, **limits), of(max, middle), off=WALK),
        "Quantile": Asked(
            ln.Quantile(x, q=order, **limits), of(lambda v: ranked(v, order), middle)
        ),
        "Quantiles": Asked(
            ln.Quantiles(x, q=["0.2", "0.7"], **limits),
            of(lambda v: [ranked(v, "0.2"), ranked(v, "0.7")], [middle, middle]),
        ),
        "InterquartileRange": Asked(ln.InterquartileRange(x, **limits), of(between, 0)),
        "WeightedQuantile": Asked(
            ln.WeightedQuantile("x", "w", q=order, bounds=bounds, largest=4, step=1),
            lambda rows: weighted(rows, order, at),
        ),
        "Histogram": Asked(ln.Histogram("y", bins=edges), lambda rows: binned(rows, edges)),
        "texts": Asked(
            ln.Histogram("t", categories=["a", "c"]), lambda rows: cells(rows, "t", ["a", "c"])
        ),
        "CrossTab": Asked(
            ln.CrossTab("b", "g", rows=[0, 1, 3], columns=[0, 1, 3]),
            lambda rows: crossed(rows, "b", "g", [0, 1, 3]),
        ),
        "ConfusionMatrix": Asked(
            ln.ConfusionMatrix("b", "g", labels=[1, 0]),
            lambda rows: crossed(rows, "b", "g", [1, 0]),
        ),
        "Mode": Asked(ln.Mode("t", categories=["a", "b", "c"]), modes, several=True),
        "RocAuc": Asked(ln.RocAuc("b", "z"), area),
        "CrossEntropy": Asked(ln.CrossEntropy("b", "p", missing="drop"), entropy, off=WALK),
        "MeanSquaredError": Asked(
            ln.MeanSquaredError("x", "z", **losses_with),
            lambda rows: losses(rows, stands, 2, at),
            off=WALK,
        ),
        "MeanAbsoluteError": Asked(
            ln.MeanAbsoluteError("x", "z", **losses_with),
            lambda rows: losses(rows, stands, 1, at),
            off=WALK,
        ),
        "RootMeanSquaredError": Asked(
            ln.RootMeanSquaredError("x", "z", **losses_with),
            lambda rows: root(losses(rows, stands, 2, at)),
            off=WALK,
        ),
        "R2": Asked(
            ln.R2("x", "z", floor=least, **losses_with),
            lambda rows: determined(rows, stands, least, at),
            off=WALK,
        ),
        "MeanVector": Asked(
            ln.MeanVector(two, **several),
            pairs(lambda v: [mean(c) for c in zip(*v, strict=True)] if v else None),
        ),
        "MomentVector": Asked(ln.MomentVector(two, **several), pairs(moments)),
        "Covariance": Asked(ln.Covariance(two, **several), pairs(covariance)),
        "Correlation": Asked(ln.Correlation(two, **several), pairs(correlation)),
        "TrimmedMeanVector": Asked(
            ln.TrimmedMeanVector(two, bounds=bounds, trim="0.15", missing=at + 3),
            lambda rows: trimmed(rows, Fraction(3, 20), at),
            rows=True,
        ),
    }
    inner = found[
        dice.choice(("Sum", "Mean", "Variance", "Median", "Quantile", "MeanSquaredError"))
    ]
    return found | {"WithInterval": replace(inner, statistic=ln.WithInterval(inner.statistic))}


def condition(dice: Random, at: int, depth: int = 2) -> tuple[Any, Callable[[Row], Truth]]:
    """A random filter, and what it is of a row: true, false, or neither beside a missing entry."""
    if depth and dice.random() < 0.5:
        (one, first), (other, second) = (condition(dice, at, depth - 1) for _ in range(2))
        match dice.choice(("not", "and", "or")):
            case "not":
                return ~one, lambda row: None if (t := first(row)) is None else not t
            case "and":
                return one & other, lambda row: _all(first(row), second(row))
            case _:
                return one | other, lambda row: _any(first(row), second(row))
    match dice.choice(("missing", "number", "between", "among", "text", "narrow")):
        case "missing":
            name = dice.choice("xytg")
            return ln.col(name).is_missing(), lambda row: stripped(row[name]) is None
        case "between":
            return ln.col("y").between(at, at + 2.5), _there("y", lambda y: at <= y <= at + 2.5)
        case "among":
            return ln.col("g").is_in([0, 3, 1.5]), _there("g", lambda g: g in (0, 3))
        case "narrow":  # decimals are no floats of 32 bits: both are rounded alike
            few = ln.col("p").is_in([0.1, 0.5])
            kinds: list[tuple[Any, Callable[[Any], bool]]] = [
                (few, lambda p: p in (0.1, 0.5)),
                (ln.col("p") == Fraction(1, 10), lambda p: p == 0.1),
                (ln.col("p") > 0.3, lambda p: p > 0.3),
            ]
            made, holds = dice.choice(kinds)
            return made, _there("p", holds)
        case "text":
            same = ln.col("t") == "a"
            return same, _there("t", lambda t: t == "a")
        case _:
            name, than = (
                dice.choice("xyz"),
                at + dice.choice((Fraction(0), Fraction(3), Fraction(5, 2))),
            )
            signs: list[tuple[Any, Callable[[Any], bool]]] = [
                (ln.col(name) < than, lambda v: v < than),
                (ln.col(name) >= than, lambda v: v >= than),
                (ln.col(name) != than, lambda v: v != than),
                (ln.col(name) == than, lambda v: v == than),
            ]
            made, holds = dice.choice(signs)
            return made, _there(name, holds)


def _there(name: str, holds: Callable[[Any], bool]) -> Callable[[Row], Truth]:
    return lambda row: None if (v := stripped(row[name])) is None else holds(v)


def _all(one: Truth, other: Truth) -> Truth:
    if False in (one, other):
        return False
    return None if None in (one, other) else True


def _any(one: Truth, other: Truth) -> Truth:
    if True in (one, other):
        return True
    return None if None in (one, other) else False
