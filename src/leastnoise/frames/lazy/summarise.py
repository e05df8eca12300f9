"""From a resolved request to a summary, by queries that an engine runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from leastnoise.frames.columns import integers
from leastnoise.frames.lazy.lattice import (
    is_whole,
    plain_number,
    present,
    reach_of,
    relative,
    rounded,
)
from leastnoise.frames.lazy.windows import (
    FEW,
    SMALL,
    Array,
    Bracket,
    Ends,
    around_mean,
    count_brackets,
    proposal,
    ranked_runs,
    thin_sample,
)
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.ranks import RankSummary, Run, window_ranks
from leastnoise.summaries.spec import (
    MissingPolicy,
    MomentRequest,
    RankRequest,
    SpreadRequest,
)
from leastnoise.summaries.spread import SpreadSummary, mean_reach, shortened

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.dtypes import DType

    from leastnoise.frames.lazy.engines import Engine, Lazy

_LIMB = 30


@dataclass(frozen=True, slots=True)
class Selected:
    """One column of an engine under a lattice and a policy: x is there in every row that counts."""

    engine: Engine
    frame: Lazy
    lattice: Lattice
    whole: DType | None  # the integer type, where values are lattice points but for the limits
    rows: int

    @classmethod
    def of(
        cls,
        engine: Engine,
        frame: Lazy,
        column: str,
        lattice: Lattice,
        policy: MissingPolicy,
        rows: int,
        keys: Sequence[str] = (),
    ) -> Selected:
        """The values that a request means, as column x beside key columns."""
        import narwhals as nw

        dtype = frame.collect_schema()[column]
        raw, whole = nw.col(column), is_whole(dtype, lattice)
        there = present(raw, dtype)
        x = plain_number(raw, dtype)
        if not whole and dtype.is_integer():
            x = x.cast(nw.Float64)
        if policy.impute is None:
            frame = frame.filter(there)
        else:
            point = policy.impute if whole else float(policy.impute * lattice.step)
            x = nw.when(there).then(x).otherwise(nw.lit(point))
        return cls(engine, frame.select(*keys, x=x), lattice, dtype if whole else None, rows)

    def _integer(self, dtype: DType) -> nw.Expr:
        """An integer column inside the limits, which is its own lattice integer."""
        import narwhals as nw

        least, most = reach_of(dtype)
        low, high = max(self.lattice.low, least), min(self.lattice.high, most)
        return nw.col("x").clip(low, high)

    def sums(self) -> dict[str, nw.Expr]:
        """The limbs of the exact sum."""
        import narwhals as nw

        total = self.engine.total
        if self.whole is not None:
            return {"lower": total(self._integer(self.whole))}
        y = relative(nw.col("x"), self.lattice)
        upper = rounded(y, _LIMB)
        lower = rounded(y - upper)
        return {
            "upper": total((upper * 2.0**-_LIMB).cast(nw.Int64)),
            "lower": total(lower.cast(nw.Int64)),
        }

    def sum_of(self, counts: dict[str, int]) -> int:
        """The sum of lattice integers."""
        base = 0 if self.whole is not None else self.lattice.base
        return (counts.get("upper", 0) << _LIMB) + counts["lower"] + base * counts["n"]

    def power_sums(self) -> dict[str, nw.Expr]:
        """The exact sums of u = Z - middle and of its square."""
        import narwhals as nw

        if self.whole is not None:
            u = self._integer(self.whole).cast(nw.Int64) - self.lattice.middle
        else:
            y = rounded(relative(nw.col("x"), self.lattice))
            u = (y - float(self.lattice.middle - self.lattice.base)).cast(nw.Int64)
        return {"first": self.engine.total(u), "second": self.engine.squares(u)}

    def power_sums_of(self, counts: dict[str, int]) -> tuple[int, int]:
        """(sum of Z, sum of Z^2)."""
        n, first, middle = counts["n"], counts["first"], self.lattice.middle
        second = counts["second"] + 2 * middle * first + n * middle**2
        return first + n * middle, second

    def sample(self) -> Array:
        """Some values in ascending order; none of a small table."""
        if self.rows <= SMALL:
            return np.empty(0)
        return thin_sample(self.engine, self.frame, self.rows)

    def counted(
        self, ends: Sequence[Ends], more: dict[str, nw.Expr]
    ) -> tuple[list[Bracket], dict[str, int]]:
        """One pass: sums beside the rows below and inside of brackets."""
        return count_brackets(self.engine, self.frame, ends, more)


def summarise_ranks(selected: Selected, request: RankRequest, depth: int | None) -> RankSummary:
    """Runs of order statistics."""
    lattice, rows = request.lattice, max(1, selected.rows)
    sample = selected.sample()
    ends = [proposal(sample, rows, window_ranks(order, rows, depth)) for order in request.at]
    brackets, counts = selected.counted(ends, {})
    n = counts["n"]
    if n == 0:
        runs = tuple(Run(1, ()) for _ in request.at)
        return RankSummary(0, lattice, request.at, runs, depth)
    windows = [window_ranks(order, n, depth) for order in request.at]
    found = ranked_runs(selected.engine, selected.frame, n, windows, brackets)
    runs = tuple(
        Run(first, integers(run, lattice)) for (first, _), run in zip(windows, found, strict=True)
    )
    return RankSummary(n, lattice, request.at, runs, depth)


def summarise_moments(
    selected: Selected, request: MomentRequest, depth: int | None
) -> MomentSummary:
    """The exact sum and the extremes."""
    lattice, rows = request.lattice, max(1, selected.rows)
    reach = rows if depth is None else min(depth, rows)
    sample = selected.sample() if reach else np.empty(0)
    guesses = [(1, reach), (rows - reach + 1, rows)] if reach else []
    ends = [proposal(sample, rows, w) for w in guesses]
    brackets, counts = selected.counted(ends, selected.sums())
    n, total = counts["n"], selected.sum_of(counts)
    smallest: list[int] = []
    largest: list[int] = []
    reach = n if depth is None else min(depth, n)
    if reach:
        windows = [(1, reach), (n - reach + 1, n)]
        low, high = ranked_runs(selected.engine, selected.frame, n, windows, brackets or None)
        smallest, largest = integers(low, lattice), integers(high, lattice)[::-1]
    return MomentSummary(n, total, lattice, smallest, largest, depth)


def summarise_spread(
    selected: Selected, request: SpreadRequest, depth: int | None
) -> SpreadSummary:
    """Power sums, the extremes and the records around the mean."""
    lattice, rows = request.lattice, max(1, selected.rows)
    reach = rows if depth is None else min(depth, rows)
    sample = selected.sample() if reach else np.empty(0)
    guesses = [(1, reach), (rows - reach + 1, rows)] if reach else []
    ends = [proposal(sample, rows, w) for w in guesses]
    ends.append(around_mean(sample, rows, lattice, reach))
    brackets, counts = selected.counted(ends, selected.power_sums())
    n, sums = counts["n"], selected.power_sums_of(counts)
    reach = n if depth is None else depth
    if reach == 0 or n == 0:
        return SpreadSummary(n, *sums, lattice, (), (), Run(1, ()), depth)
    least, most = Fraction(lattice.low), Fraction(lattice.high)
    if reach < n:
        least, most = mean_reach(n, sums[0], lattice, reach)
    # two steps of room for the rounding of the records and of these limits
    limits = (float((least - 2) * lattice.step), float((most + 2) * lattice.step))
    low, high, first, run = _runs(selected, n, min(reach, n), limits, brackets)
    return SpreadSummary(
        n,
        *sums,
        lattice,
        integers(low, lattice),
        integers(high, lattice)[::-1],
        Run(first, integers(shortened(run, reach), lattice)),
        depth,
    )


def _runs(
    selected: Selected,
    n: int,
    reach: int,
    limits: tuple[float, float],
    brackets: Sequence[Bracket],
) -> tuple[Array, Array, int, Array]:
    """(smallest, largest, first, middle): the extremes, and from rank ``first`` on all values
    between the limits with ``reach`` more on either side.
    """
    engine, frame = selected.engine, selected.frame
    extremes = [(1, reach), (n - reach + 1, n)]
    guess = brackets[2]
    if 0 < guess.inside <= FEW and guess.low is not None and guess.high is not None:
        windows = [*extremes, (guess.below + 1, guess.until)]
        low, high, run = ranked_runs(engine, frame, n, windows, brackets)
        below = guess.below + int(np.count_nonzero(run < limits[0]))
        until = guess.below + int(np.count_nonzero(run <= limits[1]))
        first, last = max(1, below - reach + 1), min(n, until + reach)
        if guess.below < first and last <= guess.until:
            return low, high, first, run[first - guess.below - 1 : last - guess.below]
    (inner,), _ = selected.counted([limits], {})
    first, last = max(1, inner.below - reach + 1), min(n, inner.until + reach)
    whole = Bracket(None, None, 0, n)
    windows = [*extremes, (first, last)]
    low, high, run = ranked_runs(engine, frame, n, windows, [*brackets[:2], whole], reach)
    return low, high, first, run
