"""A private confidence interval for a quantile of the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction

from leastnoise.errors import ParameterError, quoted
from leastnoise.laws.interval import IntervalLaw
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.candidates import log_candidates
from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.params import parse_number, parse_order
from leastnoise.profiles import Profile
from leastnoise.statistics.quantiles.interval_steps import private_targets
from leastnoise.statistics.quantiles.interval_targets import Noise, public_target
from leastnoise.statistics.statistic import JointStatistic
from leastnoise.summaries import spec
from leastnoise.summaries.columns import Shown
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import RankSummary
from leastnoise.summaries.records import records_of

# Growth of the candidates away from 0, until so many would fill the bounds evenly; whole numbers
# are all candidates up to this many.
_BETA, _EVEN = Fraction(401, 400), 1 << 10
_WHOLE = 1 << 14
_MOST = 1 << 20
# The share of the threshold noise; from .35 to .5 the widths differ by less than 2 %.
_THRESHOLD = Fraction(2, 5)


@dataclass(frozen=True, slots=True)
class QuantileInterval(JointStatistic):
    """An interval [lower, upper] that holds a population quantile with stated confidence.

    The records are a random sample, of one row a person; the interval covers the population's
    q-quantile with probability at least ``confidence`` over sampling *and* noise, for every
    population, ties included. It is a release of its own, paid for in addition to the quantile
    itself.

    Parameters
    ----------
    column : str, optional
        Column of a frame or file; omitted for a bare array.
    q : number
        Order of the quantile, 0 < q < 1.
    confidence : number
        0 < confidence < 1; each end misses with probability at most (1 - confidence) / 2.
    bounds : pair of numbers
        Public limits; the interval is for the quantile of the population clipped to them, and
        rounded to ``step`` where that is given.
    resolution : number, optional
        Even spacing of the candidates for the ends, in the user's units. Default: every whole
        number where there are at most 2**14 between the bounds, else candidates that grow by one
        part in 400 away from 0 (from the nearer bound where 0 lies outside), and lie at most 1/1024
        of the bounds apart. Ends are rounded outwards to candidates: for data that are close
        together, far from 0, within wide bounds, declare it.
    step, missing
        As for ``leastnoise.Median``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is missing or invalid; checked before any data is read.

    Notes
    -----
    Guarantee: both ends together are epsilon-DP with e1 + e2 = epsilon, under "replace-one" with a
    public row count and, by targets that move in one end at a time, under "add-remove" and "edit"
    (``docs/proofs/quantile-interval.md``). No mechanism can be chosen. Source: errata 4.12.

    Examples
    --------
    >>> import leastnoise as ln
    >>> r = ln.release(ln.QuantileInterval(bounds=(0, 100)), list(range(100)), epsilon=1)
    >>> 0 <= r.value[0] <= r.value[1] <= 100
    True
    """

    column: str | None = None
    _: KW_ONLY
    q: object = Fraction(1, 2)
    confidence: object = Fraction(95, 100)
    bounds: object = None
    resolution: object = None
    step: object = None
    missing: object = None

    @property
    def shown(self) -> Shown:
        """Entries."""
        return "time"

    @property
    def axes(self) -> tuple[tuple[str, ...], ...]:
        """What the positions of the value stand for."""
        return (("lower end", "upper end"),)

    def __post_init__(self) -> None:
        self._order()
        self._tail()
        if self.resolution is not None and not parse_number(self.resolution, "resolution") > 0:
            raise ParameterError(
                f"resolution must be greater than 0, got {quoted(self.resolution)}"
            )
        self.spec()

    def _order(self) -> Fraction:
        order = parse_order(self.q)
        if not 0 < order < 1:
            raise ParameterError(
                f"q must lie strictly between 0 and 1 for an interval, got {quoted(self.q)}: no "
                "sample "
                "bounds the extremes of a population"
            )
        return order

    def _tail(self) -> Fraction:
        confidence = parse_number(self.confidence, "confidence")
        if not 0 < confidence < 1:
            raise ParameterError(
                f"confidence must lie strictly between 0 and 1, got {quoted(self.confidence)}"
            )
        return (1 - confidence) / 2

    def spec(self) -> spec.RankSpec:
        """All records in order."""
        return spec.ranks(
            self.column, at=(self._order(),), bounds=self.bounds, step=self.step,
            missing=self.missing,
        )  # fmt: skip

    def shares(self, epsilon: Fraction) -> Noise:
        """(e1, e2): the noise of the thresholds and of the counts."""
        e1 = _THRESHOLD * epsilon
        return Noise(e1, epsilon - e1)

    def joint_law(self, summary: RankSummary, relation: str, epsilon: Fraction) -> IntervalLaw:
        """NOT PRIVATE. The law of both ends."""
        noise = self.shares(epsilon)
        order, tail, n = self._order(), self._tail(), summary.n
        if relation == "replace-one":
            targets = public_target(order, tail, noise, n), public_target(1 - order, tail, noise, n)
        else:
            targets = private_targets(order, tail, noise, n)
        records = records_of(summary.runs[0].values)
        return IntervalLaw(records, self.candidates(summary.lattice), targets, *noise)

    def candidates(self, lattice: Lattice) -> Sequence[int]:
        """Public candidates on the input lattice, both limits included."""
        low, high = lattice.low, lattice.high
        if self.resolution is not None:
            spacing = max(1, round(parse_number(self.resolution, "resolution") / lattice.step))
            if (high - low) // spacing > _MOST:
                raise ParameterError(
                    f"resolution {quoted(self.resolution)} is too fine for these bounds: at most "
                    "2**20 "
                    "candidates fit between them"
                )
            return (*range(low, high, spacing), high)
        if lattice.integer and high - low <= _WHOLE:
            return range(low, high + 1)
        scale = max(Fraction(1), Fraction(high - low, 2**20))
        return log_candidates(low, high, scale, _BETA, widest=-(-(high - low) // _EVEN))

    def profile(self, summary: RankSummary, relation: str) -> Profile:
        """Refused: an interval has no profile, and no other mechanism fits."""
        raise ParameterError("QuantileInterval has its own mechanism: omit mechanism=")

    def default_mechanism(self, relation: str) -> Mechanism:
        """Two searches, one for each end."""
        return JointMechanism("AboveThreshold(lower end) + AboveThreshold(upper end)")

    def parts(self, relation: str, epsilon: Fraction) -> dict[str, str]:
        """How epsilon is spent: both ends share it, because a record moves them together."""
        e1, e2 = self.shares(epsilon)
        return {"thresholds of both ends": str(e1), "counts of both ends": str(e2)}
