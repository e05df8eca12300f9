"""What a release reads of a data set before its mechanism comes in: plan, groups, summaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.frames.foreign import Foreign
from leastnoise.frames.memory.summarise import ColumnReader
from leastnoise.frames.table import Found, split
from leastnoise.session.prepare import StatisticPlan, plan
from leastnoise.summaries.requests import Request, Summary
from leastnoise.summaries.subset import WHOLE, Subset

Dataset = tuple[Any, ...]


class Inputs:
    """NOT PRIVATE. From a data set to the summaries that a release of one statistic reads.

    With ``keep`` every data set is read once, and its summary is made once for each depth: audits
    of several mechanisms then share them. The records must outlive it: they are told apart by
    identity, since 1, 1.0 and True are equal.
    """

    def __init__(
        self,
        statistic: object,
        relation: str,
        missing: object,
        build: Callable[[Dataset], object],
        subset: Subset = WHOLE,
        *,
        cached: bool = False,
    ) -> None:
        self.statistic, self.subset = statistic, subset
        self._relation, self._missing, self._build = relation, missing, build
        self._cached = cached
        self._plans: dict[tuple[int, ...], tuple[StatisticPlan, Sequence[StatisticPlan]]] = {}

    def plan(self, data: Dataset) -> StatisticPlan:
        """The plan of the whole table."""
        return self._read(data)[0]

    def groups(self, data: Dataset) -> Sequence[StatisticPlan]:
        """The plans of all groups; one where there are none."""
        return self._read(data)[1]

    def _read(self, data: Dataset) -> tuple[StatisticPlan, Sequence[StatisticPlan]]:
        key = tuple(map(id, data))
        found = self._plans.get(key)
        if found is None:
            found = self._planned(data)
            if self._cached:
                self._plans[key] = found
        return found

    def _planned(self, data: Dataset) -> tuple[StatisticPlan, Sequence[StatisticPlan]]:
        table = self._build(data)
        whole = plan(self.statistic, table, self._relation, self._missing, subset=self.subset)
        tables = split(whole.table, self.subset, _NoBits())
        if self._cached:
            tables = [_Remembering(table) for table in tables]
        return whole, [replace(whole, table=part) for part in tables]


class _Remembering(Foreign):
    """A table that makes each summary once: audits of several mechanisms then share them."""

    __slots__ = ("_inner", "_known")

    def __init__(self, inner: Table) -> None:
        super().__init__(inner)
        self._inner = inner
        self._known: list[tuple[Request[Summary], int | None, Any]] = []

    def reader(self) -> ColumnReader:
        """NOT PRIVATE. What answers for the table itself."""
        return self._inner.reader()

    def summarise(self, request: Request[Found], depth: int | None) -> Found:
        """NOT PRIVATE. The summary, made when it is first asked for."""
        for asked, levels, found in self._known:
            if asked == request and levels == depth:
                return found
        found = self._inner.summarise(request, depth)
        self._known.append((request, depth, found))
        return found


class _NoBits:
    """Stands for random bits where a law can be written down without."""

    def bits(self, k: int) -> int:
        return self.below(k)

    def below(self, n: int) -> int:
        raise ParameterError(
            "a person of the universe has more rows than max_rows (or is in more groups than "
            "max_groups), so a release draws some of them at random; audit the data sets after "
            "that draw: a mixture of private laws is private"
        )
