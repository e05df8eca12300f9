"""How epsilon is divided over the statistics of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.foreign import is_mapping, is_sequence
from leastnoise.params import parse_total

# So many wrong names are shown.
_SHOWN = 5


def parse_several(statistics: Mapping[Any, object]) -> dict[str, object]:
    """The statistics of a call, checked, by the caller's names."""
    if not statistics:
        raise ParameterError("give at least one statistic, such as {'median': Median(...)}")
    for name in statistics:
        if not isinstance(name, str) or not name:
            raise ParameterTypeError(f"the name of a statistic must be text, got {quoted(name)}")
    return dict(statistics)


def split(epsilon: Fraction, names: Sequence[str], weights: object) -> dict[str, Fraction]:
    """The exact share of epsilon of each name; equal shares without weights.

    ``weights`` is a mapping of the names to numbers > 0, or the numbers in the names' order.
    """
    if weights is None:
        parsed = dict.fromkeys(names, Fraction(1))
    elif is_mapping(weights):
        if set(weights) != set(names):
            shown = [quoted(name) for name in list(weights)[:_SHOWN]] or ["none"]
            more = ", ..." if len(weights) > _SHOWN else ""
            raise ParameterError(
                f"weights must name each statistic once ({', '.join(names)}), got "
                f"{', '.join(shown)}{more}"
            )
        parsed = {name: parse_total(weights[name], "weights") for name in names}
    elif is_sequence(weights) and not isinstance(weights, str):
        listed = list(weights)
        if len(listed) != len(names):
            raise ParameterError(
                f"weights: got {len(listed)} for {len(names)} statistics; give one each"
            )
        parsed = {n: parse_total(w, "weights") for n, w in zip(names, listed, strict=True)}
    else:
        raise ParameterTypeError(
            f"weights must be a mapping or a list of numbers, not {type(weights).__name__}"
        )
    total = sum(parsed.values(), Fraction(0))
    return {name: epsilon * weight / total for name, weight in parsed.items()}
