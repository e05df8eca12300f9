"""Metrics of a target and a prediction in the words of ``leastnoise compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from leastnoise import statistics
from leastnoise.cli.names import PairName
from leastnoise.cli.requests import (
    as_text,
    check_file,
    limits_written,
    parse_categories,
    parse_limits,
    parse_policy,
    parse_text,
)
from leastnoise.errors import ParameterError
from leastnoise.params import parse_epsilon

_LABELLED = ("cross-entropy", "roc-auc")


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """The options about two columns and their metric, as text."""

    file: str
    name: PairName
    column: str | None = None
    against: Sequence[str] = ()
    bounds: tuple[str, str] | None = None
    categories: Sequence[str] = ()
    logits: bool = False
    step: str | None = None
    missing: str | None = None
    reading: dict[str, Any] = field(default_factory=dict[str, Any])

    def check(self) -> None:
        """Refuse options that the metric does not use, and name what is missing."""
        check_file(self.file)
        name = self.name
        if self.column is None or not self.against:
            raise ParameterError(
                f"--stat {name} needs two columns: give --column TARGET and --against PREDICTION"
            )
        if len(self.against) > 1 and name != "cross-entropy":
            raise ParameterError(
                f"--stat {name} takes one --against PREDICTION; only a cross-entropy may have one "
                "per label"
            )
        if self.categories and name not in _LABELLED:
            raise ParameterError(f"--categories is for --stat {' or '.join(_LABELLED)}")
        if self.logits and name != "cross-entropy":
            raise ParameterError("--logits is for --stat cross-entropy: omit it")
        if self.bounds is not None and name == "cross-entropy" and not self.logits:
            raise ParameterError(
                "--bounds of a cross-entropy are limits of logits: give --logits too, or omit "
                "them for probabilities"
            )
        if self.bounds is None and (name not in _LABELLED or self.logits):
            raise ParameterError(
                f"a {name.replace('-', ' ')} without --bounds has no upper limit, so its mean "
                "error is dominated by very rare answers: give --bounds LOWER UPPER of the "
                f"{'logits' if self.logits else 'targets'}. A release needs none"
            )
        if name == "roc-auc":
            for option, given in (("--bounds", self.bounds), ("--step", self.step)):
                if given is not None:
                    raise ParameterError(f"an area under a curve takes no {option}: omit it")

    def named_statistic(self) -> tuple[PairName, object]:
        """The name of the metric, and the metric."""
        prediction = self.against[0] if len(self.against) == 1 else list(self.against)
        labels: dict[str, Any] = {}
        if self.categories:
            labels = {"labels": parse_categories(self.categories)}
        if self.name == "roc-auc":
            return self.name, statistics.RocAuc(self.column, self.against[0], **labels)
        given: dict[str, Any] = {
            "bounds": None if self.bounds is None else parse_limits(self.bounds),
            "step": None if self.step is None else parse_text(parse_epsilon, self.step, "step"),
        }
        match self.name:
            case "mean-squared-error":
                metric = statistics.MeanSquaredError
            case "mean-absolute-error":
                metric = statistics.MeanAbsoluteError
            case "root-mean-squared-error":
                metric = statistics.RootMeanSquaredError
            case "cross-entropy":
                return self.name, statistics.CrossEntropy(
                    self.column, prediction, logits=self.logits, **labels, **given
                )
            case _:
                assert_never(self.name)
        return self.name, metric(self.column, self.against[0], **given)

    def written(self) -> list[str]:
        """The parameters of the metric as Python writes them."""
        predictions = [as_text(one) for one in self.against]
        several = f"[{', '.join(predictions)}]"
        parts = [
            as_text(self.column or ""),
            predictions[0] if len(predictions) == 1 else several,
        ]
        if self.categories:
            labels = (
                as_text(one) if isinstance(one, str) else repr(one)
                for one in parse_categories(self.categories)
            )
            parts.append(f"labels=[{', '.join(labels)}]")
        if self.logits:
            parts.append("logits=True")
        return [*parts, *limits_written(self.bounds, self.step)]

    def policy(self) -> object:
        """The policy for missing values."""
        return parse_policy(self.missing)
