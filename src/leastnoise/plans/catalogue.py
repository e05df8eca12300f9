"""The statistics and mechanisms that a plan can name, and the keys that each takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from leastnoise import statistics
from leastnoise._lazy import did_you_mean
from leastnoise.document import Section, is_table
from leastnoise.errors import ParameterError
from leastnoise.foreign import is_list_or_tuple
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.catalogue import MECHANISMS
from leastnoise.params import PrivateBounds
from leastnoise.summaries.columns import duration_of

PRIVATE = "private"
# Parameters that may be durations, which TOML has no type for.
_TIMED = frozenset({"bounds", "bins", "step"})


def _written(name: str) -> str:
    """``StandardDeviation`` as a plan and the command line write it: "standard-deviation"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


STATISTICS: dict[str, type[Any]] = {
    _written(name): getattr(statistics, name)
    for name in (
        *("Count", "CountDistinct", "Histogram", "CrossTab", "Mode", "PrivateKeys"),
        *("Sum", "Mean", "Variance", "StandardDeviation"),
        *("Median", "Quantile", "Quantiles", "Minimum", "Maximum"),
        *("InterquartileRange", "QuantileInterval"),
        *("MeanSquaredError", "RootMeanSquaredError", "MeanAbsoluteError", "CrossEntropy", "R2"),
        *("ConfusionMatrix", "RocAuc", "MeanVector", "Covariance", "Correlation"),
    )
}
"""By name; each takes the fields of its class as keys."""


def make_statistic(section: Section, others: tuple[str, ...]) -> object:
    """The statistic that a table of the plan describes; ``others`` are keys for something else."""
    name = section.text("statistic", needed=f"name one of {', '.join(STATISTICS)}")
    if name not in STATISTICS:
        raise section.error(
            f"there is no {name!r}{did_you_mean(name, STATISTICS)}; take one of "
            f"{', '.join(STATISTICS)}",
            "statistic",
        )
    kind = STATISTICS[name]
    keys = [field.name for field in fields(kind) if not field.name.startswith("_")]
    section.only(("statistic", *others, *keys))
    given = {key: section.entries[key] for key in keys if key in section}
    for key in _TIMED & given.keys():
        given[key] = _with_durations(given[key])
    if given.get("bounds") == PRIVATE:
        given["bounds"] = PrivateBounds()
    interval = _interval(section)
    with section.locating_errors():
        plain = kind(**given)
        return plain if interval is None else statistics.WithInterval(plain, **interval)


def _with_durations(value: object) -> object:
    """A value, or a list of them, with the durations that are text read as such."""
    if is_list_or_tuple(value):
        return [_with_durations(one) for one in value]
    length = duration_of(value) if isinstance(value, str) else None
    return value if length is None else length


def _interval(section: Section) -> Mapping[str, Any] | None:
    """The entry ``interval``: a level, or a table of the parameters of ``WithInterval``."""
    if is_table(section.entries.get("interval")) and (inner := section.section("interval")):
        inner.only(("level", "of", "simultaneous", "favour"))
        return inner.entries
    level = section.number("interval")
    return None if level is None else {"level": level}


def make_mechanism(section: Section, key: str = "mechanism") -> Mechanism | None:
    """The mechanism that a key of the plan names, None where there is none."""
    value = section.entries.get(key)
    if value is None:
        return None
    parameters: Mapping[str, Any] = {}
    if isinstance(value, Mapping):
        inner = section.section(key)
        if inner is None or inner.text("name", needed="name the mechanism") is None:
            raise section.error("is missing a name", key)
        name = str(inner.text("name"))
        parameters = {k: v for k, v in inner.entries.items() if k != "name"}
    else:
        name = str(section.text(key))
    if name not in MECHANISMS:
        raise section.error(
            f"there is no {name!r}{did_you_mean(name, MECHANISMS)}; take one of "
            f"{', '.join(MECHANISMS)}",
            key,
        )
    kind = MECHANISMS[name]
    known = [field.name for field in fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            listed = ", ".join(known) or "none"
            raise section.error(f"{name} has no parameter {parameter}; known are {listed}", key)
    with section.locating_errors(key):
        try:
            return kind(**parameters)
        except TypeError:
            given = "".join(f", {parameter} = ..." for parameter in known)
            raise ParameterError(
                f'{name} needs {", ".join(known)}: give {{name = "{name}"{given}}}'
            ) from None
