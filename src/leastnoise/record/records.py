"""The records of one statistic in many groups, each made when it is accessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from leastnoise._lazy import LazySequence
from leastnoise.record.release import Label, Release, plain_value, written
from leastnoise.record.stored import parse_value

Key = tuple[Label | None, ...]


class GroupRecords(LazySequence[Release]):
    """Releases of one statistic: one for each table, or one record with several values.

    Parameters
    ----------
    alike : sequence of Release
        The record of each, or one that stands for all.
    values : sequence, optional
        Where there is one: the values of all.
    by, keys
        The columns that were grouped by, and the key of each record.
    """

    __slots__ = ("_alike", "_by", "_keys", "_made", "_values")

    def __init__(
        self,
        alike: Sequence[Release],
        values: Sequence[Any] | None = None,
        by: tuple[str, ...] = (),
        keys: Sequence[Key] = (),
    ) -> None:
        self._alike, self._values, self._by, self._keys = alike, values, by, keys
        self._made: dict[int, Release] = {}

    def completed(self, added: Mapping[str, Any], notes: tuple[str, ...]) -> GroupRecords:
        """The same records with further fields, the same in all."""
        return GroupRecords(
            [replace(one, **added, notes=(*one.notes, *notes)) for one in self._alike], self._values
        )

    def of_groups(self, by: tuple[str, ...], keys: Sequence[Key]) -> GroupRecords:
        """The same as records of groups, in the order of their keys."""
        if len(keys) != len(self):
            raise ValueError("there is one record a group")
        return GroupRecords(self._alike, self._values, by, keys)

    def stored(self) -> dict[str, Any]:
        """Plain values of all of them, as ``read`` takes them: one record and all values."""
        if self._values is None or not len(self):
            return {"groups": [record.to_dict() for record in self]}
        values = [written(plain_value(value)) for value in self._values]
        keys = [list(key) for key in self._keys]
        return {"alike": self[0].to_dict(), "by": list(self._by), "keys": keys, "values": values}

    @staticmethod
    def read(kept: Mapping[str, Any], change: Callable[[Release], Release]) -> GroupRecords:
        """Stored records, each with a change; errors as in ``parse_fields``."""
        if "groups" in kept:
            return GroupRecords([change(Release.from_dict(record)) for record in kept["groups"]])
        model = kept["alike"]
        values = [parse_value(value, model["times"]) for value in kept["values"]]
        by, keys = tuple(kept["by"]), [tuple(key) for key in kept["keys"]]
        return GroupRecords([change(Release.from_dict(model))], values).of_groups(by, keys)

    def __len__(self) -> int:
        return len(self._alike if self._values is None else self._values)

    def __iter__(self) -> Iterator[Release]:
        return map(self.entry, range(len(self)))

    def __repr__(self) -> str:
        return repr(list(self))

    def entry(self, place: int) -> Release:
        """One record."""
        made = self._made.get(place)
        if made is None:
            made = self._made[place] = self._new(place)
        return made

    def _new(self, place: int) -> Release:
        own: dict[str, Any] = {}
        if self._by:
            own["group"] = dict(zip(self._by, self._keys[place], strict=True))
        if self._values is None:
            model = self._alike[place]
        else:
            model = self._alike[0]
            own |= {"value": plain_value(self._values[place]), "parts": dict(model.parts)}
        made = copy(model)  # far cheaper than a new one, and nobody else holds it yet
        for name, what in own.items():
            object.__setattr__(made, name, what)
        return made
