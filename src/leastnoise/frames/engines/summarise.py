"""From a resolved request to a summary, by queries that an engine runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np
from narwhals.dtypes import DType

from leastnoise.frames.engines.engine import Engine, Lazy, Tally, check_same
from leastnoise.frames.engines.lattice import (
    LIMB,
    is_whole,
    limbs,
    plain_number,
    present,
    reach_of,
    relative,
    rounded,
)
from leastnoise.frames.engines.passes import Pass, passed_by
from leastnoise.frames.engines.windows import (
    GLANCE,
    SMALL,
    Array,
    Bracket,
    Ends,
    Window,
    around_mean,
    count_brackets,
    proposal,
    ranked_runs,
    sorted_numbers,
    thin_sample,
)
from leastnoise.frames.memory.summarise import integers, packed
from leastnoise.frames.memory.sums import HIGHEST, takes_three_limbs
from leastnoise.summaries.lattice import Lattice, MissingPolicy
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.ranks import RankRequest, RankSummary, Run, window_ranks
from leastnoise.summaries.spec import MomentRequest, SpreadRequest
from leastnoise.summaries.spread import SpreadSummary, middle_limits, shortened


def row_count(engine: Engine, frame: Lazy) -> int:
    """The number of rows."""
    return int(engine.collect(frame.select(n=nw.len())).rows()[0][0])


def _inside(x: nw.Expr, lattice: Lattice, dtype: DType) -> nw.Expr:
    """Values of an integer column moved inside the limits: their own lattice integers."""
    least, most = reach_of(dtype)
    return x.clip(max(lattice.low, least), min(lattice.high, most))


@dataclass(frozen=True, slots=True)
class Selected:
    """One column of an engine under a lattice and a policy: x is there in every row that counts.

    ``loose`` has all rows where x is a float, and NaN or NULL where it is not there.
    """

    engine: Engine
    frame: Lazy
    loose: Lazy
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
        dtype = frame.collect_schema()[column]
        raw, whole = nw.col(column), is_whole(dtype, lattice)
        there = present(raw, dtype)
        x = plain_number(raw, dtype)
        if not whole and dtype.is_integer():
            x = x.cast(nw.Float64)
        if policy.impute is None:
            loose = frame.select(x=x) if dtype.is_float() else None
            frame = frame.filter(there).select(*keys, x=x)
            loose = frame if loose is None else loose
            return cls(engine, frame, loose, lattice, dtype if whole else None, rows)
        if not whole:
            x = nw.when(there).then(x).otherwise(nw.lit(policy.raw))
            frame = frame.select(*keys, x=x)
            return cls(engine, frame, frame, lattice, None, rows)
        least, most = reach_of(dtype)
        if not least <= policy.impute <= most:  # a negative number among unsigned ones
            x, dtype = _inside(x, lattice, dtype).cast(nw.Int64), nw.Int64()
        kind = nw.Int64 if reach_of(dtype)[0] else nw.UInt64
        x = nw.when(there).then(x).otherwise(nw.lit(policy.impute, kind)).cast(kind)
        frame = frame.select(*keys, x=x)
        return cls(engine, frame, frame, lattice, dtype, rows)

    def sums(self) -> dict[str, Tally]:
        """The limbs of the exact sum."""
        if self.whole is not None:
            return {"lower": Tally("sum", _inside(nw.col("x"), self.lattice, self.whole))}
        y, top = relative(nw.col("x"), self.lattice), dict[str, Tally]()
        if takes_three_limbs(self.lattice):
            above = rounded(y, 2 * LIMB)
            y, top = y - above, {"top": Tally("sum", (above / HIGHEST).cast(nw.Int64))}
        upper, lower = limbs(y)
        return {
            **top,
            "upper": Tally("sum", (upper * 2.0**-LIMB).cast(nw.Int64)),
            "lower": Tally("sum", lower.cast(nw.Int64)),
        }

    def points(self) -> nw.Expr:
        """The lattice integers as doubles, of a lattice of origin 0 that doubles hold."""
        if self.whole is not None:
            return _inside(nw.col("x"), self.lattice, self.whole).cast(nw.Float64)
        upper, lower = limbs(relative(nw.col("x"), self.lattice))
        return upper + lower

    def sum_of(self, counts: dict[str, int]) -> int:
        """The sum of lattice integers."""
        base = 0 if self.whole is not None else self.lattice.base
        upper = (counts.get("top", 0) << LIMB) + counts.get("upper", 0)
        return (upper << LIMB) + counts["lower"] + base * counts["n"]

    def sums_of(self, counts: Mapping[str, list[int]]) -> list[int]:
        """The same of several groups."""
        totals = counts["lower"]
        if "upper" in counts:
            pairs = zip(counts["upper"], totals, strict=True)
            totals = [(upper << LIMB) + lower for upper, lower in pairs]
        base = 0 if self.whole is not None else self.lattice.base
        if not base:
            return totals
        return [total + base * n for total, n in zip(totals, counts["n"], strict=True)]

    @property
    def _centre(self) -> int:
        """The middle of the limits, rounded to a double."""
        if self.whole is not None:
            return self.lattice.middle
        return self.lattice.base + int(float(self.lattice.middle - self.lattice.base))

    def _squares(self) -> dict[str, Tally]:
        """The exact sums of u = Z - centre and of its square."""
        if self.whole is not None:
            least = max(self.lattice.low, reach_of(self.whole)[0])
            above = _inside(nw.col("x"), self.lattice, self.whole) - least
            u = above.cast(nw.Int64) + (least - self._centre)
        else:
            upper, lower = limbs(relative(nw.col("x"), self.lattice))
            u = ((upper - float(self._centre - self.lattice.base)) + lower).cast(nw.Int64)
        return {"first": Tally("sum", u), "second": Tally("products", u, u)}

    def _squares_of(self, counts: dict[str, int]) -> tuple[int, int]:
        """(sum of Z, sum of Z^2)."""
        n, first, centre = counts["n"], counts["first"], self._centre
        second = counts["second"] + 2 * centre * first + n * centre**2
        return first + n * centre, second

    def sample(self) -> Array:
        """Some values in ascending order; none of a small table."""
        if self.rows <= SMALL:
            return np.empty(0)
        return thin_sample(self.engine, self.loose, self.rows)

    @property
    def passes_by(self) -> bool:
        """Whether rows are added up here, because they are in this process anyhow."""
        return self.engine.in_process and self.rows > SMALL

    def glance(self) -> Array:
        """The first rows where they pass by here, at no cost and as if all were like them."""
        if not self.passes_by:
            return self.sample()
        first = next(self.engine.batches(self.loose.head(GLANCE)), None)
        return np.empty(0) if first is None else sorted_numbers(first["x"].to_numpy())

    def ranked(self, ends: Sequence[Ends], n: int | None = None) -> tuple[list[Bracket], int]:
        """One pass: the rows below and inside of brackets, and their number, n if it is known."""
        brackets, counts = count_brackets(self.engine, self.frame, ends, {})
        check_same(self.engine, counts["n"], counts["n"] if n is None else n)
        return brackets, counts["n"]

    def summed(self, ends: Sequence[Ends]) -> tuple[list[Bracket], int, int]:
        """The same, and the sum of the lattice integers."""
        passed = self._passed(ends, squares=False)
        if passed is not None:
            return passed.brackets(), passed.n, passed.total
        brackets, counts = count_brackets(self.engine, self.frame, ends, self.sums())
        return brackets, counts["n"], self.sum_of(counts)

    def squared(self, ends: Sequence[Ends]) -> tuple[list[Bracket], int, tuple[int, int]]:
        """The same, and the sums of the lattice integers and of their squares."""
        passed = self._passed(ends, squares=True)
        if passed is not None:
            return passed.brackets(), passed.n, (passed.total, passed.squares)
        brackets, counts = count_brackets(self.engine, self.frame, ends, self._squares())
        return brackets, counts["n"], self._squares_of(counts)

    def _passed(self, ends: Sequence[Ends], *, squares: bool) -> Pass | None:
        """The pass over rows that are in this process; None where the engine should do it."""
        if not self.passes_by:
            return None
        return passed_by(self.engine, self.loose, self.lattice, ends, squares=squares)


def summarise_ranks(selected: Selected, request: RankRequest, depth: int | None) -> RankSummary:
    """Runs of order statistics."""
    lattice, rows = request.lattice, max(1, selected.rows)
    sample = selected.sample()
    ends = [proposal(sample, rows, window_ranks(order, rows, depth)) for order in request.at]
    brackets, n = selected.ranked(ends)
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

    def ends(sample: Array) -> list[Ends]:
        return [proposal(sample, rows, w) for w in ((1, reach), (rows - reach + 1, rows))]

    brackets, n, total = selected.summed(ends(selected.glance()) if reach else [])
    smallest: list[int] = []
    largest: list[int] = []
    reach = n if depth is None else min(depth, n)
    if reach:
        windows = [(1, reach), (n - reach + 1, n)]
        if selected.passes_by and not _hold(brackets, windows):
            brackets, _ = selected.ranked(ends(selected.sample()), n)
        low, high = ranked_runs(selected.engine, selected.frame, n, windows, brackets)
        smallest, largest = integers(low, lattice), integers(high, lattice)[::-1]
    return MomentSummary(n, total, lattice, smallest, largest, depth)


def summarise_spread(
    selected: Selected, request: SpreadRequest, depth: int | None
) -> SpreadSummary:
    """Power sums, the extremes and the records around the mean."""
    lattice, rows = request.lattice, max(1, selected.rows)
    reach = rows if depth is None else min(depth, rows)

    def ends(sample: Array) -> list[Ends]:
        extremes = [proposal(sample, rows, w) for w in ((1, reach), (rows - reach + 1, rows))]
        return [*extremes, around_mean(sample, rows, lattice, reach)]

    brackets, n, sums = selected.squared(ends(selected.glance()) if reach else [])
    reach = n if depth is None else depth
    if reach == 0 or n == 0:
        return SpreadSummary(n, *sums, lattice, (), (), Run(1, ()), depth)
    limits = middle_limits(n, sums[0], lattice, reach)
    reach = min(reach, n)
    extremes = [(1, reach), (n - reach + 1, n)]
    middle = _around(brackets[2], limits, n, reach)
    if selected.passes_by and not _hold(brackets, [*extremes, middle]):
        brackets, _ = selected.ranked(ends(selected.sample()), n)
        middle = _around(brackets[2], limits, n, reach)
    guess = brackets[2]
    if guess.values is None or not guess.holds(middle):
        (inner,), _ = selected.ranked([Ends(*limits, None)], n)
        middle = _window(inner.below, inner.until, n, reach)
        guess = Bracket(None, None, 0, n)
    low, high, run = ranked_runs(
        selected.engine, selected.frame, n, [*extremes, middle], [*brackets[:2], guess], reach
    )
    return SpreadSummary(
        n,
        *sums,
        lattice,
        packed(low, lattice),
        packed(high, lattice)[::-1],
        Run(middle[0], packed(shortened(run, reach), lattice)),
        depth,
    )


def _hold(brackets: Sequence[Bracket], windows: Sequence[Window]) -> bool:
    return all(b.holds(w) for b, w in zip(brackets, windows, strict=True))


def _window(below: int, until: int, n: int, reach: int) -> Window:
    """The ranks of the values between some limits and ``reach`` more on either side."""
    return max(1, below - reach + 1), min(n, until + reach)


def _around(guess: Bracket, limits: tuple[float, float], n: int, reach: int) -> Window:
    """The same, if the values of a bracket enclose them; else ranks beyond that bracket."""
    if guess.values is None:
        return 0, 0
    below = guess.below + int(np.count_nonzero(guess.values < limits[0]))
    until = guess.below + int(np.count_nonzero(guess.values <= limits[1]))
    return _window(below, until, n, reach)
