"""Sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from itertools import accumulate

from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Laplace, Mechanism, PrivateLimits
from leastnoise.params import parse_count
from leastnoise.profiles import Profile
from leastnoise.statistics.statistic import BoundedStatistic
from leastnoise.statistics.totals.count import MOST_ROWS
from leastnoise.summaries import spec
from leastnoise.summaries.columns import Clock, Shown
from leastnoise.summaries.moments import MomentSummary, sums_of


def prefix_sums(amounts: Sequence[int]) -> Callable[[int], int]:
    """The sum of the first l amounts; of all of them for larger l. Computed at first use."""
    sums: list[int] = []

    def read(level: int) -> int:
        if not sums:
            sums.extend(accumulate(amounts, initial=0))
        return sums[min(level, len(sums) - 1)]

    return read


@dataclass(frozen=True, slots=True)
class Sum(BoundedStatistic):
    """The sum of a column clipped to bounds, exact on the input lattice before the noise.

    Parameters
    ----------
    column, bounds, step, missing
        As for ``leastnoise.Mean``.
    max_rows : int
        Public upper limit on the number of rows, for mechanisms that need a finite range when
        the row count is private.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; checked before any data is read.

    Notes
    -----
    Global sensitivity with public row count ("replace-one"): upper - lower. Under "add-remove":
    max(|lower|, |upper|, 0 included). Under "edit" (replace-one after rows were removed by their
    content): max(upper, 0) - min(lower, 0). Default mechanism: ``PrivateLimits()``, which is
    ``Laplace()`` inside limits that are found privately; of persons (``unit=``) each one's rows are
    added up first, and their sum is what is clipped. Guarantee: epsilon-DP under these three
    relations (errata 3, ``docs/proofs/rounding.md``, ``docs/proofs/private-limits.md``). With a
    public row count n the answer is cut to [n lower, n upper]; otherwise ``Laplace()`` is unbiased.

    Examples
    --------
    >>> import leastnoise as ln
    >>> r = ln.release(ln.Sum(bounds=(0, 10)), [3, 1, 4], epsilon=1, mechanism=ln.Laplace())
    >>> r.noise_scale
    10.0
    """

    column: str | None = None
    _: KW_ONLY
    bounds: object = None
    step: object = None
    max_rows: int = MOST_ROWS
    missing: object = None

    def __post_init__(self) -> None:
        asked = self.spec()
        if asked.clock not in (None, Clock.SPAN):
            raise ParameterError("dates have no sum: take Mean, or a column of durations")
        largest = max(map(abs, asked.bounds))
        if largest * parse_count(self.max_rows, "max_rows") >= 2**1023:
            raise ParameterError(
                "bounds times max_rows exceed the range of a float: narrow one of them"
            )

    @property
    def shown(self) -> Shown:
        """A duration: only those are added up."""
        return "difference"

    def spec(self) -> spec.MomentSpec:
        """The exact sum and the extreme records."""
        return spec.moments(self.column, bounds=self.bounds, step=self.step, missing=self.missing)

    def profile(self, summary: MomentSummary, relation: str) -> Profile:
        """Bounds on the sum after l changes (errata 3)."""
        if relation == "replace-one":
            return _public_count(summary)
        return _private_count(summary, relation, self.max_rows)

    def values(self, summaries: Sequence[MomentSummary], relation: str) -> list[int] | None:
        """Each total inside the public limits, which a public count would fit to it."""
        bottom, top = _reach(*summaries[0].limits, self.max_rows)
        totals = [max(bottom, min(top, total)) for total in sums_of(summaries)[1]]
        return None if relation == "replace-one" else totals

    def default_mechanism(self, relation: str) -> Mechanism:
        """Laplace noise inside limits that are found privately, where there are rows enough."""
        return PrivateLimits()

    def settled_mechanism(self, relation: str) -> Mechanism:
        """Laplace noise."""
        return Laplace()

    def limited_mechanism(self, relation: str, records: Fraction, width: Fraction) -> Mechanism:
        """The same."""
        return Laplace()


def _public_count(s: MomentSummary) -> Profile:
    """Replace the l smallest records by the upper limit, the l largest by the lower one."""
    low, high = s.limits
    n, total = s.n, s.total
    rise = prefix_sums([high - x for x in s.smallest])
    fall = prefix_sums([x - low for x in s.largest])
    return Profile(
        value=total,
        upper=lambda level: total + rise(level),
        lower=lambda level: total - fall(level),
        support=(n * low, n * high),
        sensitivity=high - low,
        local_sensitivity=lambda level: high - low,
        monotone=True,
        depth=s.depth,
        integral=True,
        unit=s.step,
    )


def _reach(low: int, high: int, max_rows: int) -> tuple[int, int]:
    """The least and the largest sum of at most so many records, or of none."""
    return min(low, 0) * max_rows, max(high, 0) * max_rows


def _private_count(s: MomentSummary, relation: str, max_rows: int) -> Profile:
    """Insert the most extreme record or delete one that pulls the other way."""
    low, high = s.limits
    total = s.total
    up, down = max(high, 0), max(-low, 0)  # what one inserted record can add and take away
    if relation == "add-remove":
        # each move is one insertion or one deletion, whichever changes more
        rise = prefix_sums([max(0, -x - up) for x in s.smallest])
        fall = prefix_sums([max(0, x - down) for x in s.largest])
        sensitivity = max(up, down)
    else:
        rise = prefix_sums([max(0, -x) for x in s.smallest])
        fall = prefix_sums([max(0, x) for x in s.largest])
        sensitivity = up + down
    bottom, top = _reach(low, high, max_rows)

    def inside(value: int) -> int:
        return max(bottom, min(top, value))

    return Profile(
        value=inside(total),
        upper=lambda level: inside(total + level * up + rise(level)),
        lower=lambda level: inside(total - level * down - fall(level)),
        support=(bottom, top),
        sensitivity=sensitivity,
        local_sensitivity=lambda level: sensitivity,
        monotone=True,
        depth=s.depth,
        integral=True,
        clamp=False,
        unit=s.step,
    )
