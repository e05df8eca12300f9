"""How many different entries are counted if each person is counted with a few of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from leastnoise.frames.memory.persons import NOBODY, Codes


@dataclass(frozen=True, slots=True, repr=False)
class PersonEntries:
    """NOT PRIVATE. Each person with each of their entries once, both as numbers from 0 on."""

    persons: Codes
    entries: Codes

    @classmethod
    def of(cls, persons: Codes, entries: Codes) -> Self:
        """From one of each a row; below 0 where there is none."""
        there = (persons != NOBODY) & (entries != NOBODY)
        owners, kinds = (np.unique(c[there], return_inverse=True)[1] for c in (persons, entries))
        many = max(1, int(kinds.max(initial=0)) + 1)
        pairs = np.unique(owners * many + kinds)
        return cls(pairs // many, pairs % many)

    def counted(self, most: int) -> int:
        """The most entries that persons can stand for, each for ``most`` of their own.

        A function of the rows alone, whatever their order. One person more or less moves it by at
        most ``most``.
        """
        free = np.zeros(int(self.entries.max(initial=-1)) + 1, np.bool_)
        many = np.bincount(self.persons)[self.persons] > most
        free[self.entries[~many]] = True  # these persons stand for all of theirs
        left = many & ~free[self.entries]
        return int(np.count_nonzero(free)) + _matched(self.persons[left], self.entries[left], most)


def _matched(persons: Codes, entries: Codes, most: int) -> int:
    """A largest flow from persons, ``most`` from each, to entries, one into each."""
    if not len(persons):
        return 0
    owners, owner_of = np.unique(persons, return_inverse=True)
    kinds, kind_of = np.unique(entries, return_inverse=True)
    first, end = 1 + len(owners), 1 + len(owners) + len(kinds)
    ways = [
        (np.zeros(len(owners), np.int64), 1 + np.arange(len(owners)), most),
        (1 + owner_of, first + kind_of, 1),
        (first + np.arange(len(kinds)), np.full(len(kinds), end), 1),
    ]
    sources, targets = (np.concatenate([way[i] for way in ways]) for i in (0, 1))
    rooms = np.concatenate([np.full(len(a), room, np.int32) for a, _, room in ways])
    graph = csr_array((rooms, (sources, targets)), shape=(end + 1, end + 1))
    return int(maximum_flow(graph, 0, end).flow_value)
