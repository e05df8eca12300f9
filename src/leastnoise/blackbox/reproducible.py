"""Whether drawn records are a function of the generator they are given.

The confidence in an estimate is over independent pairs. A ``draw_record`` with randomness of its
own repeats it in every process that works on pairs, and one with a fixed seed gives few pairs that
differ; both end in an estimate that covers less than it says.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from leastnoise.errors import ParameterError
from leastnoise.foreign import is_list_or_tuple
from leastnoise.frames.libraries.on_numpy import is_array

_OTHERS = 8


def check_drawing(drawn: Callable[[int], Any]) -> None:
    """Draw one database again from the same seed, and others from other seeds.

    ``drawn`` takes the number of a seed. Records that are all equal whatever the seed are a law.

    Raises
    ------
    ParameterError
        If the same seed gives other records, or other seeds give the same.
    """
    first, other = drawn(0), drawn(1)
    if not alike(first, drawn(0)):
        raise ParameterError(
            "draw_record returns different records for a generator in the same state: take all "
            "randomness from rng, without a generator of its own, a counter or global state"
        )
    if not alike(first, other) or _constant(first):
        return
    if all(alike(first, drawn(place)) for place in range(2, _OTHERS)):
        raise ParameterError(
            "draw_record returns the same records for every generator, so pairs would not be "
            "independent: take all randomness from rng, without a seed of its own"
        )


def alike(one: Any, other: Any) -> bool:
    """Whether two databases or records are equal, missing entries to each other too."""
    if type(one) is not type(other):
        return False
    if is_array(one):
        return _alike_arrays(one, other)
    if is_list_or_tuple(one):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(alike(a, b) for a, b in pairs)
    if isinstance(one, dict):
        return alike([*one.items()], [*other.items()])
    if hasattr(one, "equals"):  # frames, series, Arrow and Polars tables
        return bool(one.equals(other))
    try:
        same = bool(one == other) or bool(one != one and other != other)
    except Exception:  # whatever objects do
        same = False
    return same or _stored(one) == _stored(other)


def _alike_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.hasobject:
        return alike(one.tolist(), other.tolist())
    return one.tobytes() == other.tobytes()


def _stored(record: Any) -> bytes | object:
    """An object's content; something that equals nothing else where it has none."""
    try:
        return pickle.dumps(record)
    except Exception:
        return object()


def _constant(database: Any) -> bool:
    """Whether all records of a database are equal."""
    if hasattr(database, "iloc"):
        return len(database.drop_duplicates()) <= 1
    return all(alike(database[0], record) for record in database[1:])
