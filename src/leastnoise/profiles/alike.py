"""The profiles of many counts that differ only in their values, made when they are accessed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from leastnoise.profiles.profile import Profile


class AlikeProfiles(Sequence["Profile"]):
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

    @overload
    def __getitem__(self, index: int) -> Profile: ...

    @overload
    def __getitem__(self, index: slice) -> list[Profile]: ...

    def __getitem__(self, index: int | slice) -> Profile | list[Profile]:
        """A profile, or a list of some."""
        if isinstance(index, slice):
            return [self._made(value) for value in self.values[index]]
        return self._made(self.values[index])

    def __repr__(self) -> str:
        return "AlikeProfiles(NOT PRIVATE: computed from the data, numbers hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("profiles look at private data and cannot be copied or pickled")
