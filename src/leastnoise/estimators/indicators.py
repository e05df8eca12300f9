"""Groups of indicator columns of which at most one is 1 in a record, as they are declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leastnoise.errors import ParameterError, SchemaError, quoted
from leastnoise.estimators.matrix import Bounds
from leastnoise.params import parse_number


def parse_groups(
    exclusive: object, columns: int, names: Sequence[str] | None
) -> tuple[tuple[int, ...], ...]:
    """Groups of exclusive indicators as positions."""
    if exclusive is None:
        return ()
    listed: Any = exclusive
    if not isinstance(exclusive, (list, tuple)) or any(
        not isinstance(group, (list, tuple)) for group in listed
    ):
        raise ParameterError("exclusive must be a list of lists of columns")
    known = {} if names is None else {name: k for k, name in enumerate(names)}
    found: list[tuple[int, ...]] = []
    for group in listed:
        members: list[int] = []
        for member in group:
            if isinstance(member, str):
                if member not in known:
                    raise SchemaError(
                        f"exclusive names {quoted(member)}, which is not a column of X"
                    )
                members.append(known[member])
            else:
                place = parse_number(member, "exclusive")
                if place.denominator != 1 or not 0 <= place < columns:
                    raise ParameterError(f"exclusive must contain columns from 0 to {columns - 1}")
                members.append(int(place))
        if not members:
            raise ParameterError("exclusive contains an empty group: omit it")
        found.append(tuple(members))
    listed = [j for group in found for j in group]
    if len(set(listed)) < len(listed):
        raise ParameterError("exclusive must be disjoint groups of columns")
    return tuple(found)


def check_indicators(
    groups: Sequence[Sequence[int]], ends: Sequence[Bounds | None], intercept: bool
) -> None:
    """Indicators are 0 or 1, which the scaled values -1 and 1 stand for."""
    if groups and not intercept:
        raise ParameterError("exclusive needs fit_intercept=True: indicators are centred")
    wrong = [j for group in groups for j in group if ends[j] not in (None, (0, 1))]
    if wrong:
        raise ParameterError(
            f"exclusive columns are indicators, 0 or 1: bounds of feature {wrong[0]} must be (0, 1)"
        )
