"""Events that may tell two output samples apart, for anything that a release can return.

An output (number, tuple, index, text) is turned into *features*: numeric ones give thresholds and
windows, categorical ones give single values and sets of values ordered by likelihood ratio. Floats
also give the place of their lowest set bit, so "is a multiple of 2^-k" is a threshold of it, and
their last bits: that is where textbook floating-point noise betrays its input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.foreign import is_list_or_tuple, is_tuple

Array = NDArray[Any]
Outputs = list[Any]

_THRESHOLDS = 128
_WINDOWS = 16
_VALUES = 64
_SETS = 64
_BINS = 24
_EXACT = 2.0**53


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outputs with a name; ``contains`` says for a sample which outputs lie in it."""

    name: str
    contains: Callable[[Features], NDArray[np.bool_]]


class Category:
    """A categorical feature: every draw's value as a place in a list of distinct values."""

    def __init__(self, values: Iterable[Hashable]) -> None:
        self.places: dict[Hashable, int] = {}
        known = self.places
        self.codes = np.array([known.setdefault(v, len(known)) for v in values], dtype=np.int64)

    def counts(self) -> Counter[Hashable]:
        """How often each value occurs."""
        found = np.bincount(self.codes, minlength=len(self.places)).tolist()
        return Counter(dict(zip(self.places, found, strict=True)))

    def among(self, values: Collection[Hashable]) -> NDArray[np.bool_]:
        """Which draws have one of the values."""
        chosen = np.zeros(len(self.places), dtype=np.bool_)
        chosen[[self.places[v] for v in values if v in self.places]] = True
        return chosen[self.codes]


@dataclass(frozen=True, slots=True)
class Features:
    """One sample seen through its features, each with one entry a draw."""

    numeric: dict[str, Array]
    categorical: dict[str, Category]
    size: int


def plain(output: object) -> Hashable:
    """An output as a number, a text or a tuple of such; a release counts as its value."""
    value: Any = getattr(output, "value", output)
    if issubclass(type(value), (np.ndarray, np.generic)):
        value = value.tolist()
    if is_list_or_tuple(value):
        return tuple(plain(part) for part in value)
    if isinstance(value, (int, float, str, bytes, type(None))):
        return value
    return _float(value) if isinstance(value, Real) else repr(value)


def _float(value: Any) -> float:
    """A number as a double; infinity if it is too large."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _number_or_nan(value: Any) -> float:
    return value if isinstance(value, (int, float)) else np.nan


def _name(value: Hashable) -> Hashable:
    """What equal outputs have in common: NaN equals itself here, also inside a tuple."""
    if is_tuple(value):
        return tuple(map(_name, value))
    return "nan" if isinstance(value, float) and value != value else value


def features_of(outputs: Outputs | Array, edges: dict[str, Array]) -> Features:
    """The features of a sample; ``edges`` are bin edges chosen on other draws."""
    numeric: dict[str, Array] = {}
    categorical: dict[str, Category] = {"output": Category(map(_name, _listed(outputs)))}
    if isinstance(outputs, np.ndarray):
        _number("output", outputs, numeric)
        _low_bits(numeric, categorical, edges)
        return Features(numeric, categorical, len(outputs))
    numbers = [y for y in outputs if isinstance(y, (int, float))]
    if numbers:  # what is none, an exception say, stands as NaN among them and has its own name
        _number("output", list(map(_number_or_nan, outputs)), numeric)
        _low_bits(numeric, categorical, edges)
    if len(numbers) < len(outputs):
        shown = ("a number" if isinstance(y, (int, float)) else _name(y) for y in outputs)
        categorical["kind of output"] = Category(shown)
    tuples = [y for y in outputs if is_tuple(y)]
    if len(tuples) == len(outputs):
        _tuples(tuples, numeric, categorical)
    return Features(numeric, categorical, len(outputs))


def _number(name: str, values: Sequence[Any] | Array, numeric: dict[str, Array]) -> None:
    y = np.array([_float(v) for v in values]) if not isinstance(values, np.ndarray) else values
    numeric[name] = y.astype(np.float64)
    numeric[f"lowest bit of {name}"] = _lowest_bit(values, numeric[name])


def _listed(outputs: Sequence[Any] | Array) -> Sequence[Any]:
    return outputs.tolist() if isinstance(outputs, np.ndarray) else outputs


def _lowest_bit(values: Sequence[Any] | Array, y: Array) -> Array:
    """The exponent of the lowest set bit: y is a multiple of 2^k iff it is at least k."""
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(np.where(np.isfinite(y), y, 0.0))
        digits = (fraction * _EXACT).astype(np.int64)
        lowest = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    found = np.where(digits == 0, np.inf, (lowest + exponent - 53).astype(np.float64))
    if not isinstance(values, np.ndarray) or values.dtype.kind in "iu":
        for i, v in enumerate(_listed(values)):
            if isinstance(v, int) and abs(v) >= _EXACT:  # not whole as a double
                found[i] = float((v & -v).bit_length() - 1)
    return found


def _low_bits(
    numeric: dict[str, Array], categorical: dict[str, Category], edges: dict[str, Array]
) -> None:
    y, lowest = numeric["output"], numeric["lowest bit of output"]
    last = np.ascontiguousarray(y).view(np.int64) & 7
    categorical["last three bits of output"] = Category(last.tolist())
    if "output" in edges:
        bins = np.searchsorted(edges["output"], y)
        level = np.searchsorted(edges["lowest bit of output"], lowest)
        pairs = zip(bins.tolist(), level.tolist(), strict=True)
        categorical["bin and lowest bit of output"] = Category(pairs)


def _tuples(
    outputs: list[tuple[Any, ...]],
    numeric: dict[str, Array],
    categorical: dict[str, Category],
) -> None:
    lengths = {len(y) for y in outputs}
    if len(lengths) > 1:
        numeric["length of output"] = np.array([float(len(y)) for y in outputs])
    shared = min(lengths, default=0)
    for i in range(min(shared, 8)):
        column = [y[i] for y in outputs]
        if any(isinstance(v, (int, float)) for v in column):
            _number(f"output[{i}]", list(map(_number_or_nan, column)), numeric)
        if i + 1 < max(lengths):
            categorical[f"output[:{i + 1}]"] = Category(_name(y[: i + 1]) for y in outputs)
    if shared > 1 and all(isinstance(v, (int, float)) for y in outputs for v in y):
        numeric["sum of output"] = np.array([_float(sum(y)) for y in outputs])


def bin_edges(outputs: Outputs | Array, others: Outputs | Array) -> dict[str, Array]:
    """Edges of the bins of numeric features, from the pooled draws."""
    pooled = [features_of(sample, {}).numeric for sample in (outputs, others)]
    found: dict[str, Array] = {}
    for name in pooled[0]:
        if name in pooled[1]:
            both = np.concatenate([pooled[0][name], pooled[1][name]])
            found[name] = _quantiles(both, _BINS)
    return found


def _quantiles(values: Array, count: int) -> Array:
    finite = values[np.isfinite(values)]
    if len(finite) == 0:
        return np.zeros(0)
    chosen = np.quantile(finite, np.linspace(0, 1, count), method="inverted_cdf")
    return np.unique(chosen)


def candidates(one: Features, other: Features) -> Iterator[Event]:
    """Events worth a try, chosen on these draws only."""
    for name in one.numeric:
        if name in other.numeric:
            both = np.concatenate([one.numeric[name], other.numeric[name]])
            yield from _thresholds(name, both)
    for name in one.categorical:
        if name in other.categorical:
            yield from _values(name, one, other)


def _thresholds(name: str, values: Array) -> Iterator[Event]:
    for cut in _quantiles(values, _THRESHOLDS).tolist():
        yield Event(f"{name} <= {cut!r}", lambda f, c=cut: f.numeric[name] <= c)
        yield Event(f"{name} >= {cut!r}", lambda f, c=cut: f.numeric[name] >= c)
    cuts = _quantiles(values, _WINDOWS).tolist()
    for i, low in enumerate(cuts):
        for high in cuts[i + 1 :]:
            yield Event(
                f"{low!r} <= {name} < {high!r}",
                lambda f, a=low, b=high: (f.numeric[name] >= a) & (f.numeric[name] < b),
            )


def _values(name: str, one: Features, other: Features) -> Iterator[Event]:
    mine, theirs = one.categorical[name].counts(), other.categorical[name].counts()
    common = [value for value, count in (mine + theirs).most_common(2048) if count > 1]
    for value in common[:_VALUES]:
        yield Event(f"{name} = {value!r}", lambda f, v=value: f.categorical[name].among((v,)))
    # sets of values by their likelihood ratio, smoothed so that rare values come last
    share = (one.size + 1) / (other.size + 1)
    ratio = {v: (mine[v] + 1) / (theirs[v] + 1) / share for v in common}
    for reverse in (True, False):
        ordered = sorted(common, key=lambda v: ratio[v], reverse=reverse)
        for size in np.unique(np.geomspace(2, max(2, len(ordered)), _SETS).astype(int)).tolist():
            if size <= len(ordered):
                yield Event(
                    f"{name} among {size} values",
                    lambda f, c=ordered[:size]: f.categorical[name].among(c),
                )
