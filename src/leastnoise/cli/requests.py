"""From the words of the command line to statistics, mechanisms and shares of epsilon.

Everything that can be refused is refused here, for all statistics, before the first value is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

from leastnoise import mechanisms, statistics
from leastnoise.cli.names import MechanismName, RelationName, StatisticName
from leastnoise.errors import ParameterError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.table import list_names
from leastnoise.mechanisms import Mechanism
from leastnoise.params import parse_delta, parse_epsilon, parse_number
from leastnoise.record import Release
from leastnoise.session.prepare import Plan, choose_mechanism, plan
from leastnoise.session.releases import release_plan

NEEDS_BOUNDS = (
    "bounds are missing: give --bounds LOWER UPPER from public knowledge, never from the data. For "
    "medians and quantiles wide limits cost almost nothing, so take the widest possible"
)


@dataclass(frozen=True, slots=True)
class Question:
    """What the options say about the column and the statistics, as text."""

    file: str
    names: Sequence[StatisticName]
    column: str | None = None
    bounds: tuple[str, str] | None = None
    q: Sequence[str] = ()
    step: str | None = None
    missing: str | None = None
    relation: RelationName = "replace-one"
    reading: dict[str, Any] = field(default_factory=dict[str, Any])

    def check(self) -> None:
        """Refuse options that no statistic asked for uses, and name what is missing."""
        if not Path(self.file).exists():
            raise SchemaError(
                f"there is no file {self.file!r}: give the path of a .csv, .tsv or .parquet file"
            )
        values = [name for name in self.names if name != "count"]
        orders = [name for name in self.names if name in ("quantile", "quantiles")]
        if values and self.column is None:
            names = open_table(self.file, **self.reading).column_names() or ()
            raise SchemaError(
                f"the column is missing: give --column NAME for {values[0]}; {list_names(names)}"
            )
        if values and self.bounds is None:
            raise ParameterError(NEEDS_BOUNDS)
        for option, given in (("--bounds", self.bounds), ("--step", self.step)):
            if given is not None and not values:
                raise ParameterError(f"a count takes no {option}: leave it out")
        if orders and not self.q:
            raise ParameterError(f"q is missing: give --q ORDER for {orders[0]}, such as --q 0.9")
        if self.q and not orders:
            raise ParameterError("--q is for --stat quantile or quantiles: ask for one of them")
        if "quantile" in self.names and len(self.q) > 1:
            raise ParameterError("--stat quantile takes one --q; for several give --stat quantiles")

    def _limits(self) -> tuple[Fraction, Fraction]:
        low, high = self.bounds or ("", "")
        limits = parse_text(parse_number, low, "bounds"), parse_text(parse_number, high, "bounds")
        if not limits[0] < limits[1]:
            raise ParameterError(
                f"bounds must satisfy LOWER < UPPER, got {low} {high}: give --bounds LOWER UPPER"
            )
        return limits

    def statistic(self, name: StatisticName) -> object:
        """The statistic of this name."""
        if name == "count":
            return statistics.Count(self.column)
        column: Any = {
            "bounds": self._limits(),
            "step": None if self.step is None else parse_text(parse_epsilon, self.step, "step"),
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

    def plan(self, name: StatisticName) -> Plan:
        """The statistic on the file's schema; no value is read."""
        missing: object = self.missing
        if missing is not None and missing not in ("drop", "none"):
            try:
                missing = parse_number(missing, "missing")
            except ParameterError:
                raise ParameterError(
                    f"missing must be drop, none or a number to impute, got {missing!r}"
                ) from None
        return plan(self.statistic(name), self.file, self.relation, missing, **self.reading)


def parse_text(parse: Callable[[object, str], Fraction], value: str, name: str) -> Fraction:
    """The exact number that a word stands for; the error says how to write one."""
    try:
        return parse(value, name)
    except ParameterError as error:
        raise ParameterError(f"{error}; write it like 1, 0.5, 1/2 or 1e-6") from None


def split(total: Fraction, weights: Sequence[Fraction]) -> list[Fraction]:
    """Shares of a budget in proportion to the weights; they add up exactly."""
    return [total * weight / sum(weights) for weight in weights]


def parse_weights(weights: Sequence[str], count: int) -> list[Fraction]:
    """One number > 0 a statistic; all equal if none is given."""
    if not weights:
        return [Fraction(1)] * count
    if len(weights) != count:
        raise ParameterError(
            f"weights: got {len(weights)} for {count} statistics; give one a --stat, in their order"
        )
    return [parse_text(parse_epsilon, weight, "weights") for weight in weights]


def mechanism(name: MechanismName, delta: Fraction | None) -> Mechanism:
    """The mechanism of this name."""
    match name:
        case "piecewise-laplace":
            return mechanisms.PiecewiseLaplace()
        case "inverse-sensitivity":
            return mechanisms.InverseSensitivity()
        case "asymmetric-sensitivity":
            return mechanisms.AsymmetricSensitivity()
        case "smooth-laplace":
            return mechanisms.SmoothLaplace(delta=delta)
        case "laplace":
            return mechanisms.Laplace()
        case "laplace-ratio":
            return mechanisms.LaplaceRatio()
        case _:
            assert_never(name)


def answer(
    question: Question,
    *,
    epsilon: str,
    delta: str | None,
    weights: Sequence[str],
    mechanism_name: MechanismName | None,
) -> list[Release]:
    """Check everything, then release each statistic with its share of epsilon and delta."""
    total = parse_text(parse_epsilon, epsilon, "epsilon")
    failure = None if delta is None else parse_text(parse_delta, delta, "delta")
    if failure is not None and mechanism_name != "smooth-laplace":
        raise ParameterError("--delta is for --mechanism smooth-laplace; the others need none")
    if failure is None and mechanism_name == "smooth-laplace":
        raise ParameterError(
            "delta is missing: --mechanism smooth-laplace needs --delta, far below one over the "
            "number of people, such as --delta 1e-9"
        )
    parsed = parse_weights(weights, len(question.names))
    question.check()
    deltas = [None] * len(parsed) if failure is None else split(failure, parsed)
    ready: list[tuple[Plan, Mechanism, Fraction]] = []
    for name, share, part in zip(question.names, split(total, parsed), deltas, strict=True):
        prepared = question.plan(name)
        asked = None if mechanism_name is None else mechanism(mechanism_name, part)
        chosen = choose_mechanism(asked, prepared.statistic, prepared.profile_relation)
        prepared.rehearse(chosen, share)
        ready.append((prepared, chosen, share))
    return [release_plan(*one) for one in ready]
