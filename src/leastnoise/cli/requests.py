"""From the words of the command line to statistics, mechanisms and shares of epsilon.

Everything that can be refused is refused here, for all statistics, before the first value is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

from leastnoise import statistics
from leastnoise.cli.names import IntervalOf, MechanismName, RelationName, StatisticName
from leastnoise.cli.rows import Rows, is_number, parse_declared
from leastnoise.errors import ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.readers.no_tables import no_path
from leastnoise.frames.readers.options import is_pattern
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.catalogue import MECHANISMS, WITH_DELTA
from leastnoise.params import parse_delta, parse_epsilon, parse_number
from leastnoise.record import Releases
from leastnoise.session import open
from leastnoise.session.opening import MAIN_TABLE
from leastnoise.session.shares import split
from leastnoise.summaries.columns import Time, declared, duration_of

NEEDS_BOUNDS = (
    "bounds are missing: give --bounds LOWER UPPER from public knowledge, never from the data. For "
    "medians and quantiles wide limits cost almost nothing, so take the widest possible"
)

Point = Fraction | Time
_NUMBER = "1, 0.5, 1/2 or 1e-6"
_LIKE = {"bounds": "--bounds 0 1000000, two finite numbers from public knowledge", "q": "--q 0.9"}
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ].+)?", re.ASCII)

_MONTH = r"[^\W\d_]{3,9}\.?"
# Dates in other forms, and times of day.
_OTHER_TIME = re.compile(
    rf"(\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{1,4}}.*|\d{{4}}[-./]\d{{1,2}}|\d{{1,2}}[./]\d{{4}}"
    rf"|\d{{1,2}}\.?[- ]?{_MONTH}[- ]?\d{{2,4}}|{_MONTH}[- ]?(?:\d{{1,2}},?[- ])?\d{{4}}"
    rf"|\d{{4}}[- ]{_MONTH}(?:[- ]\d{{1,2}})?|today|now)|\d{{1,3}}:\d\d(?::\d\d)?",
    re.ASCII | re.IGNORECASE,
)

LABELLED = ("cross-tab", "mode")
_AGAINST = "--against sex=f,m"


@dataclass(frozen=True, slots=True)
class Question:
    """The options about the column and the statistics, as text."""

    file: str
    names: Sequence[StatisticName]
    column: str | None = None
    bounds: tuple[str, str] | None = None
    q: Sequence[str] = ()
    bins: Sequence[str] = ()
    categories: Sequence[str] = ()
    against: str | None = None
    step: str | None = None
    labels: bool = False
    missing: str | None = None
    interval: str | None = None
    interval_of: IntervalOf | None = None
    reading: dict[str, Any] = field(default_factory=dict[str, Any])

    def check(self) -> None:
        """Refuse options that none of the statistics uses, and name what is missing."""
        check_file(self.file)
        counts = ("count", "count-distinct", "histogram", *LABELLED)
        values = [name for name in self.names if name not in counts]
        orders = [name for name in self.names if name in ("quantile", "quantiles")]
        named = [name for name in self.names if name != "count"]
        if named and self.column is None:
            try:
                open_table(self.file, **self.reading).column_type(None)
            except SchemaError as error:
                columns = str(error).partition("; ")[2]  # the columns, where they may be shown
                raise SchemaError(
                    f"the column is missing: give --column NAME for {named[0]}; {columns}"
                ) from None
        self._check_cells()
        if values and self.bounds is None:
            raise ParameterError(NEEDS_BOUNDS)
        for option, given in (("--bounds", self.bounds), ("--step", self.step)):
            if given is not None and not values:
                raise ParameterError(f"a count takes no {option}: omit it")
        if self.labels and ("count" not in self.names or self.column is None):
            raise ParameterError("--labels is for --stat count with a --column: give both")
        if orders and not self.q:
            raise ParameterError(f"q is missing: give --q ORDER for {orders[0]}, such as --q 0.9")
        if self.q and not orders:
            raise ParameterError("--q is for --stat quantile or quantiles: give one of them")
        if "quantile" in self.names and len(self.q) > 1:
            raise ParameterError("--stat quantile takes one --q; for several give --stat quantiles")

    def _check_cells(self) -> None:
        """The same for what is declared about bins and labels."""
        if "histogram" in self.names and bool(self.bins) + bool(self.categories) != 1:
            raise ParameterError(
                "a histogram needs either --bins EDGE EDGE ... for numbers or --categories LABEL "
                "LABEL ... for labels; they are declared, never taken from the data"
            )
        labelled = [name for name in self.names if name in LABELLED]
        if labelled and not self.categories:
            raise ParameterError(
                f"a {labelled[0]} needs --categories LABEL LABEL ..., the labels of --column that "
                "count; they are declared, never taken from the data"
            )
        if self.bins and "histogram" not in self.names:
            raise ParameterError("--bins is for --stat histogram: give that, or omit --bins")
        if self.categories and not labelled and "histogram" not in self.names:
            raise ParameterError(
                "--categories is for --stat histogram, cross-tab or mode: give one of them"
            )
        if ("cross-tab" in self.names) != (self.against is not None):
            raise ParameterError(
                "give --stat cross-tab and --against together: --against declares the second "
                f"column and its labels, such as {_AGAINST}"
            )

    def named_statistic(self) -> tuple[StatisticName, object]:
        """The name of the first statistic, and the statistic."""
        return self.names[0], self.statistic(self.names[0])

    def written(self) -> list[str]:
        """The parameters of the first statistic as Python writes them."""
        parts = [as_text(self.column)] if self.column is not None else []
        if self.names[0] == "quantile":
            parts.append(f"q={as_number(self.q[0], 'q')}")
        return [*parts, *limits_written(self.bounds, self.step)]

    def statistic(self, name: StatisticName) -> object:
        """The statistic of this name, with an interval where one is asked for."""
        plain = self._plain(name)
        if self.interval is None:
            if self.interval_of is not None:
                raise ParameterError("--interval-of is for intervals: give --interval 0.95 as well")
            return plain
        level = parse_text(parse_number, self.interval, "interval")
        return statistics.WithInterval(plain, level=level, of=self.interval_of or "data")

    def _plain(self, name: StatisticName) -> object:
        if name == "count":
            return statistics.Count(self.column, labels=self.labels)
        if name == "count-distinct":
            return statistics.CountDistinct(self.column)
        if name == "histogram":
            return self._histogram()
        if name == "mode":
            return statistics.Mode(self.column, categories=self._labels())
        if name == "cross-tab":
            column, labels = parse_declared(self.against or "", "--against", _AGAINST)
            return statistics.CrossTab(self.column, column, rows=self._labels(), columns=labels)
        column: Any = {
            "bounds": parse_limits(self.bounds or ("", "")),
            "step": None if self.step is None else _parse_step(self.step),
        }
        match name:
            case "sum":
                return statistics.Sum(self.column, **column)
            case "mean":
                return statistics.Mean(self.column, **column)
            case "median":
                return statistics.Median(self.column, **column)
            case "quantile":
                return statistics.Quantile(self.column, q=self.q[0], **column)
            case "quantiles":
                return statistics.Quantiles(self.column, q=list(self.q), **column)
            case "minimum":
                return statistics.Minimum(self.column, **column)
            case "maximum":
                return statistics.Maximum(self.column, **column)
            case "interquartile-range":
                return statistics.InterquartileRange(self.column, **column)
            case "variance":
                return statistics.Variance(self.column, **column)
            case "standard-deviation":
                return statistics.StandardDeviation(self.column, **column)
            case _:
                assert_never(name)

    def _histogram(self) -> statistics.Histogram:
        if self.bins:
            joined = [edge for edge in self.bins if "," in edge]
            if joined:
                raise ParameterError(
                    "bins are edges with blanks between them, such as --bins 0 18 65 120, got "
                    f"{joined[0]!r}"
                )
            edges = [
                float(edge) if edge.strip().lower().lstrip("+-") == "inf"
                else parse_point(edge, "bins")
                for edge in self.bins
            ]  # fmt: skip
            if len(edges) == 1:
                raise ParameterError(
                    "bins are edges from public knowledge and not a number of them: give two or "
                    f"more, such as --bins 0 18 65 120, got {self.bins[0]}"
                )
            return statistics.Histogram(self.column, bins=edges)
        return statistics.Histogram(self.column, categories=self._labels())

    def _labels(self) -> list[str | int | float]:
        return parse_categories(self.categories)

    def policy(self) -> object:
        """The policy for missing values."""
        return parse_policy(self.missing)


def check_file(path: str) -> None:
    """Refuse a path that does not exist; what a pattern matches is left to the library."""
    if not is_pattern(path) and not Path(path).exists():
        cure = no_path(path)
        raise SchemaError(
            f"there is no file {path!r}: give the path of a .csv, .tsv or .parquet file"
            if cure is None
            else f"there is no file {path!r}, {cure}"
        )


def parse_limits(bounds: tuple[str, str]) -> tuple[Point, Point]:
    """LOWER < UPPER, exact, or two dates, times or durations."""
    low, high = bounds
    limits = parse_point(low, "bounds"), parse_point(high, "bounds")
    if isinstance(limits[0], Fraction) is not isinstance(limits[1], Fraction):
        raise ParameterError(
            f"bounds are a number and a date or duration: {low} {high}; give two of one kind"
        )
    ends: Any = declared(list(limits))[1]
    first, last = ends
    if not first < last:
        raise ParameterError(
            f"bounds must satisfy LOWER < UPPER, got {low} {high}: give --bounds LOWER UPPER"
        )
    return limits


def parse_categories(categories: Sequence[str]) -> list[str | int | float]:
    """The labels: numbers if all are written as such, else text."""
    labels = [label.strip() for label in categories]
    if len(labels) == 1:
        raise ParameterError(
            f"categories must be at least two labels, got {labels[0]!r}: separate them by spaces, "
            "--categories N S"
        )
    if all(map(is_number, labels)):
        return [int(x) if x.lstrip("-").isdigit() else float(x) for x in labels]
    return [*labels]


def parse_policy(missing: str | None) -> object:
    """The policy for missing values."""
    if missing in (None, "drop", "none"):
        return missing
    try:
        return parse_number(missing, "missing")
    except ParameterError:
        raise ParameterError(
            f"missing must be drop, none or a number to impute, got {missing!r}"
        ) from None


def parse_text(parse: Callable[[object, str], Fraction], value: str, name: str) -> Fraction:
    """The exact number that a word stands for; the error says how to write one."""
    try:
        return parse(value, name)
    except ParameterError as error:
        what = str(error).partition("; give ")[0]  # the cure in Python
        raise ParameterError(f"{what}; write it like {_LIKE.get(name, _NUMBER)}") from None


def parse_point(text: str, name: str) -> Point:
    """A date or time in ISO form, a duration such as PT2H or 2h, or an exact number."""
    kind = _ISO.fullmatch(text.strip())
    if kind is None:
        length = duration_of(text)
        if length is not None:
            return length
        try:
            return parse_text(parse_number, text, name)
        except ParameterError:
            if (found := _OTHER_TIME.fullmatch(text.strip())) is None:
                raise
            cure = (
                "a date like 2024-01-31" if found[1] else "a time as a length, like 8h or PT8H30M"
            )
            raise ParameterError(f"{name}: {text!r} is not a number; write {cure}") from None
    try:
        return (datetime if kind[1] else date).fromisoformat(text.strip())
    except ValueError:
        raise ParameterError(f"{name}: {text} is not a date; write it like 2024-01-31") from None


def _parse_step(text: str) -> Fraction | timedelta:
    length = duration_of(text)
    return parse_text(parse_epsilon, text, "step") if length is None else length


def as_text(value: str) -> str:
    """A string as Python writes it, in double quotes where that is the same."""
    plain = value.isprintable() and '"' not in value and "\\" not in value
    return f'"{value}"' if plain else repr(value)


def as_number(text: str, name: str) -> str:
    """The date or the exact number as Python writes it."""
    value = parse_point(text, name)
    if not isinstance(value, Fraction):
        return repr(value)
    if value.denominator == 1:
        return str(value.numerator)
    near: Any = float(value)
    return repr(near) if Fraction(repr(near)) == value else repr(value)


def limits_written(bounds: tuple[str, str] | None, step: str | None) -> list[str]:
    """Bounds and step, where they are given, as Python writes them."""
    parts: list[str] = []
    if bounds is not None:
        low, high = (as_number(end, "bounds") for end in bounds)
        parts.append(f"bounds=({low}, {high})")
    if step is not None:
        parts.append(f"step={as_number(step, 'step')}")
    return parts


def mechanism(name: MechanismName, delta: Fraction | None) -> Mechanism:
    """The mechanism of this name."""
    kind = MECHANISMS[name]
    return kind(delta=delta) if name in WITH_DELTA else kind()


@dataclass(frozen=True, slots=True)
class Budget:
    """The options about privacy, as text."""

    epsilon: str
    delta: str | None = None
    weights: Sequence[str] = ()
    mechanism: MechanismName | None = None
    relation: RelationName | None = None
    ledger: str | None = None
    dataset: str | None = None
    table: str | None = None
    purpose: str | None = None
    reuse: bool = False

    def check(self) -> tuple[Fraction, Fraction | None]:
        """Epsilon and delta of the whole call, exact."""
        epsilon = parse_text(parse_epsilon, self.epsilon, "epsilon")
        delta = None if self.delta is None else parse_text(parse_delta, self.delta, "delta")
        if delta is not None and self.mechanism not in WITH_DELTA:
            raise ParameterError(
                f"--delta is for --mechanism {' or '.join(WITH_DELTA)}; the others need none"
            )
        if delta is None and self.mechanism in WITH_DELTA:
            raise ParameterError(
                f"delta is missing: --mechanism {self.mechanism} needs --delta, far below one over "
                "the number of people, such as --delta 1e-9"
            )
        if (self.ledger is None) != (self.dataset is None):
            raise ParameterError("give --ledger and --dataset together, or neither")
        if self.ledger is None and (self.table or self.purpose or self.reuse):
            raise ParameterError("--table, --purpose and --reuse are for a --ledger: give it too")
        return epsilon, delta


def answer(question: Question, budget: Budget, rows: Rows) -> Releases[Any, Any]:
    """Check everything, then release each statistic with its share of epsilon and delta.

    Epsilon and delta are those of the whole call: where one unit of privacy can reach several
    groups, each group's answers get a part.
    """
    epsilon, delta = budget.check()
    question.check()
    names: dict[str, StatisticName] = {}
    for name in question.names:
        times = list(names.values()).count(name)
        names[f"{name} {times + 1}" if times else name] = name
    weights = [parse_text(parse_epsilon, weight, "weights") for weight in budget.weights] or None
    with open(
        question.file,
        ledger=budget.ledger,
        dataset=budget.dataset,
        table=MAIN_TABLE if budget.table is None else budget.table,
        relation=budget.relation,
        missing=question.policy(),
        **rows.persons(),
        **question.reading,
    ) as data:
        asked: dict[str, Any] = {
            "statistics": {key: question.statistic(name) for key, name in names.items()},
            "charge": epsilon,
            "weights": weights,
            **rows.subset(),
        }
        batch = data.batch()
        if budget.mechanism is None:
            batch.add("", **asked)
        else:
            deltas = {} if delta is None else split(delta, list(names), weights)
            mechanisms = {key: mechanism(budget.mechanism, deltas.get(key)) for key in names}
            each = batch.add("", **asked, mechanisms=mechanisms)
            if delta is not None and each < epsilon:  # the delta of the call is shared as well
                deltas = split(delta * each / epsilon, list(names), weights)
                mechanisms = {key: mechanism(budget.mechanism, deltas[key]) for key in names}
                batch.add("", **asked, mechanisms=mechanisms)
        return batch.release(purpose=budget.purpose, reuse=budget.reuse)[""]
