"""Random questions about random data: statistics, filters, groups and persons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from leastnoise import mechanisms, statistics
from leastnoise.errors import LeastNoiseError
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.predicates import Predicate, col
from leastnoise.summaries.subset import WHOLE, Subset, parse_subset

# Some of them are entries as they are drawn, or as a library may write them after a conversion.
TEXTS = (
    *("a", "b", "1", "2", "1.0", "2.0", "0.1", "é", "nan", "True", "true", "N", "S", "None"),
    *("9007199254740993", "1152921504606846983", "9.007199254740993e+15", "a" * 300),
    *("[1, 2)", "[1, 2]", "(0, 1]", "(0.0, 1.0]", "1.000000"),
)
NUMBERS: tuple[tuple[Any, ...], ...] = (
    (0, 1),
    (1, 2, 3),
    (0.1, 0.2),
    (-1, 0.5, 7),
    (2**53, 2**53 + 1, 2**53 + 3),
    (2**60 + 7, 2**60 + 14),
    (False, True),
    (2**63 - 1, 2**63 + 1),
)
_BOUNDS: tuple[tuple[Any, Any], ...] = (
    *((0, 1), (0, 10), (-1, 3), (0, 500_000), (0.1, 0.7), (-(2**63), 2**63 - 1)),
    *((2**53, 2**53 + 8), (2**60, 2**60 + 40), (-1e308, 1e308), (0, 1e-200), (0, 10**320)),
    *((0, 1e-12), (-100, 100), (3, 3.5), (0, 2**53 + 1)),
)  # fmt: skip
# Where doubles are wider apart than a step.
_FINE = ((2**53, 2**53 + 8), (2**60, 2**60 + 40))
_STEPS = (None, None, None, 1, "0.1", 2, "1/3", 0.5)
MECHANISMS: tuple[Callable[[], object], ...] = (
    *(lambda: None, lambda: None, mechanisms.Laplace, mechanisms.InverseSensitivity),
    *(mechanisms.PiecewiseLaplace, mechanisms.AsymmetricSensitivity),
    lambda: mechanisms.SmoothLaplace(delta="1e-6"),
)


def limits(random: Random) -> dict[str, Any]:
    """Public bounds, a step or none, and a policy for missing values."""
    low, high = random.choice(random.choice((_BOUNDS, _BOUNDS, _BOUNDS, _FINE)))
    given: dict[str, Any] = {"bounds": (low, high)}
    step = random.choice(_STEPS)
    if step is not None:
        given["step"] = step
    missing = random.choice((None, None, "none", "drop", "number", "number"))
    if missing == "number":  # inside the bounds, and where it can be none that a double holds
        inside = Fraction(low) + 3, (Fraction(low) + Fraction(high)) / 3
        missing = random.choice((low, high, *inside, *inside))
    if missing is not None:
        given["missing"] = missing
    return given


Statistic = Callable[[], object]


def _made(make: Statistic) -> object | None:
    """The statistic; None where its parameters do not fit together."""
    try:
        return make()
    except LeastNoiseError:
        return None


def of_numbers(random: Random, name: str | None) -> object | None:
    """A statistic of one column of numbers."""
    bounds = limits(random)
    numbers = list(random.choice(NUMBERS))
    kinds: tuple[Statistic, ...] = (
        lambda: statistics.Count(name),
        lambda: statistics.Sum(name, **bounds),
        lambda: statistics.Sum(name, **bounds),
        lambda: statistics.Mean(name, **bounds),
        lambda: statistics.Median(name, **bounds),
        lambda: statistics.Quantile(name, q="0.9", **bounds),
        lambda: statistics.Maximum(name, **bounds),
        lambda: statistics.Variance(name, **bounds),
        lambda: statistics.InterquartileRange(name, **bounds),
        lambda: statistics.Histogram(name, bins=[0, 1, 2.5, 7]),
        lambda: statistics.Histogram(name, categories=numbers),
        lambda: statistics.Mode(name, categories=numbers),
        lambda: statistics.CountDistinct(name),
        lambda: statistics.PrivateKeys(name),
        lambda: statistics.MeanVector([name] if name else None, bounds=[bounds["bounds"]]),
    )
    return _made(random.choice(kinds))


_TIMES: dict[Clock, tuple[tuple[Any, Any], ...]] = {
    Clock.DAY: ((date(1969, 12, 31), date(1970, 1, 2)), (date.min, date.max)),
    Clock.LOCAL: ((datetime(1969, 12, 31), datetime(1970, 1, 1, 1)), (datetime.min, date.max)),
    Clock.INSTANT: (
        (datetime(1969, 12, 31, tzinfo=UTC), datetime(1970, 1, 1, 1, tzinfo=UTC)),
        (datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)),
    ),
    Clock.SPAN: ((timedelta(-1), timedelta(hours=2)), (timedelta.min, timedelta(days=10**6))),
}


def of_times(random: Random, name: str | None, clock: Clock) -> object | None:
    """A statistic of one column of times."""
    ends = random.choice(_TIMES[clock])
    kinds: tuple[Statistic, ...] = (
        lambda: statistics.Median(name, bounds=ends),
        lambda: statistics.Mean(name, bounds=ends),
        lambda: statistics.InterquartileRange(name, bounds=ends),
        lambda: statistics.Histogram(name, bins=list(ends)),
        lambda: statistics.Count(name),
    )
    return _made(random.choice(kinds))


def since(random: Random, name: str, clock: Clock) -> Predicate:
    """A condition on a column of times."""
    low, high = random.choice(_TIMES[clock])
    one = col(name)
    kinds = (one >= low, one < high, one == low, one.between(low, high), one.is_in([low, high]))
    return random.choice(kinds)


def of_texts(random: Random, name: str | None) -> object | None:
    """A statistic of one column of texts."""
    labels = random.sample(TEXTS, 2)
    kinds: tuple[Statistic, ...] = (
        lambda: statistics.Histogram(name, categories=labels),
        lambda: statistics.Mode(name, categories=labels),
        lambda: statistics.CountDistinct(name),
        lambda: statistics.PrivateKeys(name),
    )
    return _made(random.choice(kinds))


def of_pairs(
    random: Random, names: tuple[str | None, str | None], texts: tuple[bool, bool]
) -> object | None:
    """A statistic of two columns, each of text or of numbers."""
    bounds = limits(random)
    limit: dict[str, Any] = {"bounds": bounds["bounds"]}
    labels = [random.sample(TEXTS, 2) if text else list(random.choice(NUMBERS)) for text in texts]
    two = labels[0][:2]
    both: list[Statistic] = [
        lambda: statistics.CrossTab(*names, rows=labels[0], columns=labels[1]),
    ]
    if texts[0] == texts[1]:
        both.append(lambda: statistics.ConfusionMatrix(*names, labels=labels[0]))
    if not texts[1]:
        both += [
            lambda: statistics.RocAuc(*names, labels=two),
            lambda: statistics.CrossEntropy(*names, labels=two, loss_bound=4),
        ]
    if not any(texts):
        policy = {k: v for k, v in bounds.items() if k == "missing"}
        both += 3 * [
            lambda: statistics.MeanSquaredError(*names, **limit, **policy),
            lambda: statistics.MeanAbsoluteError(*names, **limit, **policy),
            lambda: statistics.WeightedQuantile(*names, q="0.5", largest=9, **limit),
            lambda: statistics.R2(*names, floor=-1, **limit, **policy),
        ]
    return _made(random.choice(both))


def of_edges(random: Random, names: tuple[str | None, str | None], *, text: bool) -> object | None:
    """A statistic of graphs, whose nodes are texts or numbers, or every label."""
    nodes: Any = random.sample(TEXTS, 3) if text else list(random.choice(NUMBERS))
    form = random.random()
    if form < 0.2:
        nodes = 4
    declared: dict[str, Any] = {"nodes": nodes} if form < 0.8 else {"relabel": True}
    kinds: tuple[Statistic, ...] = (
        lambda: statistics.EdgeCount(*names, **declared),
        lambda: statistics.TriangleCount(*names, **declared),
    )
    return _made(random.choice(kinds))


def of_vectors(random: Random, names: Sequence[Any] | None, width: int) -> object | None:
    """A statistic of several columns of numbers."""
    bounds = [random.choice(_BOUNDS[:5]) for _ in range(width)]
    kind: Any = random.choice((statistics.MeanVector, statistics.MeanVector, statistics.Covariance))
    if kind is statistics.Covariance and width < 2:
        kind = statistics.MeanVector
    return _made(lambda: kind(None if names is None else list(names), bounds=bounds))


def condition(random: Random, texts: Sequence[Any], numbers: Sequence[Any]) -> Predicate:
    """A condition on columns of texts and of numbers."""

    def leaf() -> Predicate:
        name = random.choice([*texts, *numbers])
        if random.random() < 0.3:
            return col(name).is_missing()
        if name in texts:
            words = random.sample(TEXTS, 2)
            return random.choice(
                (col(name) == words[0], col(name) != words[0], col(name).is_in(words))
            )
        known = random.choice(NUMBERS)
        number = random.choice(known)
        one = col(name)
        kinds = (one == number, one != number, one < number, one >= number, one.is_in(known))
        return random.choice(kinds)

    found = leaf()
    kindly = random.random()
    if kindly < 0.2:
        return ~found
    if kindly < 0.4:
        return found & ~leaf()
    return found | leaf() if kindly < 0.5 else found


def subset(random: Random, texts: Sequence[Any], numbers: Sequence[Any]) -> Subset:
    """Rows chosen by a filter, declared keys, persons, or several of these."""
    if not (texts or numbers):
        return WHOLE
    where = condition(random, texts, numbers) if random.random() < 0.5 else None
    keys: dict[str, list[Any]] = {}
    if where is None or random.random() < 0.4:
        name = random.choice([*texts, *numbers])
        keys[name] = random.sample(TEXTS, 2) if name in texts else list(random.choice(NUMBERS))
    unit = random.choice([*texts, *numbers]) if random.random() < 0.2 else None
    return parse_subset(
        where,
        keys or None,
        unit,
        None if unit is None else 1,
        1 if keys and unit is not None else None,
    )
