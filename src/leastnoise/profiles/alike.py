"""The profiles of many counts that differ only in their values, made when they are accessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leastnoise._lazy import LazySequence
from leastnoise.profiles.profile import Profile


class AlikeProfiles(LazySequence[Profile]):
    """NOT PRIVATE. One profile for each whole number of ``values``.

    ``made`` gives the profile of a number. Its value is that number, its resolution and unit are 1,
    and range and sensitivity are the same for all, so mechanisms that read nothing else compute
    their noise once.
    """

    __slots__ = ("_made", "values")

    def __init__(self, values: Sequence[int], made: Callable[[int], Profile]) -> None:
        self.values, self._made = values, made

    def __len__(self) -> int:
        """How many there are."""
        return len(self.values)

    def entry(self, place: int) -> Profile:
        """A profile."""
        return self._made(self.values[place])

    def __repr__(self) -> str:
        return "AlikeProfiles(NOT PRIVATE: computed from the data, numbers hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("profiles look at private data and cannot be copied or pickled")
