"""What an aggregate asks of the data, and what it is of the numbers that were released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Wanted:
    """A statistic; ``part`` is the place of the one number that is meant, in a matrix.

    What is that of a sample has ``rows``, the number of rows by which it is scaled; ``root`` says
    that it is the root of a variance, ``truth`` that 1 and 0 are true and false.
    """

    statistic: Any
    part: tuple[int, int] | None = None
    rows: Any = None
    root: bool = False
    truth: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Where the numbers of an aggregate stand among all statistics, and what it is of them."""

    place: int
    part: tuple[int, int] | None = None
    rows: int | None = None
    root: bool = False
    truth: bool = False

    @property
    def places(self) -> tuple[int, ...]:
        """All that it is worked out from."""
        return (self.place,) if self.rows is None else (self.place, self.rows)

    def of(self, numbers: Sequence[Any]) -> Any:
        """What the query asked for, from what was released: arithmetic on it, and free."""
        value = numbers[self.place]
        if self.part is not None:
            value = value[self.part[0]][self.part[1]]
        if self.truth:
            return bool(value)
        if self.rows is None:
            return value
        n = max(2, numbers[self.rows])  # of one row there is no such number
        return value * ((n / (n - 1)) ** 0.5 if self.root else n / (n - 1))

    def between(self, ends: Sequence[Any]) -> tuple[Any, Any]:
        """An interval, from those of the numbers: it holds where all of them do."""
        lows, highs = ([each and each[i] for each in ends] for i in (0, 1))
        if self.rows is not None:  # the fewer rows, the larger
            lows[self.rows], highs[self.rows] = highs[self.rows], lows[self.rows]
        return self.of(lows), self.of(highs)
