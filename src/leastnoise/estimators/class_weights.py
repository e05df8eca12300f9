"""Public weights of the classes of a logistic regression, as whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from leastnoise.errors import ParameterError, quoted
from leastnoise.foreign import is_mapping
from leastnoise.params import parse_number

MOST = 1000
"""The largest of the whole numbers that weights are in the ratio of."""


@dataclass(frozen=True, slots=True)
class ClassWeights:
    """How often a loss counts by its class, in whole numbers, and the largest weight as given."""

    times: tuple[int, ...]
    largest: Fraction

    @property
    def most(self) -> int:
        """The largest of the whole numbers."""
        return max(self.times)


def parse_class_weights(given: object, labels: Sequence[str | float]) -> ClassWeights:
    """Weights by label; a class that is not named weighs 1."""
    if given is None:
        return ClassWeights((1,) * len(labels), Fraction(1))
    if isinstance(given, str) and given == "balanced":
        raise ParameterError(
            'class_weight="balanced" weighs classes by how many rows they have, which is private: '
            "give public weights, class_weight={label: weight, ...}, for example from what is "
            "known of the population, or from released counts"
        )
    if not is_mapping(given) or not given:
        raise ParameterError(
            f"class_weight must be None or a dict of public weights by class, got {quoted(given)}"
        )
    weights: dict[object, Fraction] = dict.fromkeys(labels, Fraction(1))
    for label, value in given.items():
        if label not in weights:
            raise ParameterError(
                f"class_weight names {quoted(label)}, which is not one of the declared classes"
            )
        weight = parse_number(value, "class_weight")
        if weight <= 0:
            raise ParameterError(
                f"class_weight must be above 0, got {quoted(value)}: leave a class that "
                "should not count out of classes"
            )
        weights[label] = weight
    found = [*weights.values()]
    unit = lcm(*(weight.denominator for weight in found))
    whole = [int(weight * unit) for weight in found]
    times = tuple(number // gcd(*whole) for number in whole)
    if max(times) > MOST:
        raise ParameterError(
            f"class_weight must be in the ratio of whole numbers up to {MOST}: round the weights, "
            f"got {quoted(given)}"
        )
    return ClassWeights(times, max(found))
