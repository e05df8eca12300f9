"""NOT PRIVATE. The entries of a column, counted once for all that looks at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from leastnoise.frames.readers.values import Dialect


class Entries(list[str]):
    """The entries of a column in order, without the blanks around them.

    Parameters
    ----------
    entries
        As they are written.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        super().__init__(map(str.strip, entries))
        self._read: dict[Dialect, dict[str, float]] = {}

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each is there."""
        return Counter(self)

    def numbers(self, dialect: Dialect) -> dict[str, float]:
        """Those that read as numbers, each with its number."""
        if dialect not in self._read:
            self._read[dialect] = dialect.numbers(self.counts)
        return self._read[dialect]

    def below(self, count: int) -> Entries:
        """Those after the first ``count``."""
        return Entries(self[count:]) if count else self
