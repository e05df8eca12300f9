"""The default for spread: noise for the whole range if bounds are tight, otherwise a walk."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import cast

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.laws import AboveThresholdLaw, Gate, GatedLaw, Law
from leastnoise.mechanisms.asymmetric import AsymmetricSensitivity
from leastnoise.mechanisms.centred_laplace import CentredLaplace
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.mechanisms.piecewise_laplace import PiecewiseLaplace
from leastnoise.params import parse_epsilon, parse_number
from leastnoise.profiles import GridProfile, Profile, on_grid
from leastnoise.sampling.dyadic import level_reaching

# Used in place of a private number of records.
_ROWS = 2048
# The gate counts on to _SURELY / e1 records past 0: the noise of the threshold, whose rate is e1,
# keeps it shut once in 4 e^6 times there, and one time in four at 0.
_SURELY = 6
# The gate's part of epsilon where it opens.
_PART = Fraction(1, 6)
# What the largest records must count for, beside the most that a record can: 500 / (rows epsilon)
# within these limits, since it falls with the noise. Twice that for the piecewise law.
_WEIGHT, _LIGHTEST, _HEAVIEST = 500, Fraction(1, 20), Fraction(1, 4)
_CENTRED, _LEVELS = CentredLaplace(), PiecewiseLaplace()
_WALK = AsymmetricSensitivity(beta="auto", split=2)


@dataclass(frozen=True, slots=True)
class TightOrLoose(PureMechanism):
    """Ask privately whether the bounds are tight; if so, noise for the whole range, else a walk.

    Where the largest records reach a good part of the bounds, ``CentredLaplace()`` (or
    ``PiecewiseLaplace()`` where the number of rows is private) is more accurate; elsewhere the
    asymmetric walk is, by orders of magnitude.

    Parameters
    ----------
    walk : AsymmetricSensitivity, optional
        The walk. Default: ``AsymmetricSensitivity(beta="auto", split=2)``.
    part : number
        The part of epsilon that the answer "tight" costs, above 0 and at most 1/2. Default 1/6.
    sure : number, optional
        Loose bounds are taken for tight with probability about e^-sure. Default 12.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid; from ``law`` for an invalid epsilon, and for scores or a vector.
        Checked before any data is read.

    Notes
    -----
    Guarantee: epsilon-DP for every profile that obeys the neighbour law. The question comes first
    in the sparse vector of the walk, whose threshold noise serves it too: "loose" costs nothing
    more than the walk, "tight" leaves (1 - part) epsilon for the other mechanism. It asks how many
    records must change until dropping c / 2 more of the largest, after c of them, would no longer
    lower the answer by enough. With d = sure / (part epsilon) records the answer is "tight" three
    times in four; with c = d + 6 / e1, e1 the rate of the walk's threshold, nearly always. Enough
    is 500 / (rows epsilon) times what as many records can raise it, at least 1/20 and at most 1/4
    of that, twice as much for the piecewise law (rows: their number where it is public, else 2048).
    No question is asked for a statistic that is monotone, whose walk is charged less, or that has
    no upper limit (``docs/proofs/tight-or-loose.md``, ``docs/decisions``).
    """

    walk: AsymmetricSensitivity | None = None
    part: object = _PART
    sure: object = 12

    def __post_init__(self) -> None:
        walk = cast("object", self.walk)
        if walk is not None and not isinstance(walk, AsymmetricSensitivity):
            raise ParameterTypeError(
                f"walk must be an AsymmetricSensitivity(...), got {type(walk).__name__}"
            )
        if not 0 < parse_number(self.part, "part") <= Fraction(1, 2):
            raise ParameterError(
                f"part must lie above 0 and not above 1/2, got {quoted(self.part)}"
            )
        if not parse_number(self.sure, "sure") > 0:
            raise ParameterError(f"sure must be greater than 0, got {quoted(self.sure)}")

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        shown = [] if self.walk is None else [f"walk={self.walk.name}"]
        if self._share != _PART:
            shown.append(f"part={self._share}")
        if self.sure != 12:
            shown.append(f"sure={parse_number(self.sure, 'sure')}")
        return f"TightOrLoose({', '.join(shown)})"

    def law(self, profile: Profile, epsilon: object) -> Law:
        """NOT PRIVATE. The output law at this profile."""
        exponent = parse_epsilon(epsilon)
        grid = on_grid(profile)
        walk = self._walk.law(profile, exponent)
        if grid.monotone or grid.low is None or grid.high is None or grid.low == grid.high:
            return walk
        if not isinstance(walk, AboveThresholdLaw):
            raise TypeError("walk must be an AsymmetricSensitivity(...) over candidates")
        records = max(1, _ROWS if grid.rows is None else grid.rows)
        weight = min(_HEAVIEST, max(_LIGHTEST, _WEIGHT / (records * exponent)))
        tight = _CENTRED
        if profile.moments is None:  # the piecewise law is worth half as much
            tight, weight = _LEVELS, 2 * weight
        rate = self._share * exponent
        most = self._most(exponent)
        gate = Gate(self._reach(rate) - tightness(grid, most, weight), rate)
        return GatedLaw(gate, tight.law(profile, exponent - rate), walk)

    @property
    def _walk(self) -> AsymmetricSensitivity:
        return _WALK if self.walk is None else self.walk

    @property
    def _share(self) -> Fraction:
        return parse_number(self.part, "part")

    def _reach(self, rate: Fraction) -> int:
        return ceil(parse_number(self.sure, "sure") / rate)

    def _most(self, epsilon: Fraction) -> int:
        """The most records that the question counts, a public number."""
        e1, _ = self._walk.shares(epsilon, monotone=False, finite=True)
        return self._reach(self._share * epsilon) + ceil(_SURELY / e1)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels read: by the gate, the walk and the piecewise law."""
        rate = self._share * epsilon
        levels = _LEVELS.depth(epsilon - rate, range_bits)
        walk = self._walk.depth(epsilon, range_bits)
        return max(levels_read(self._most(epsilon)), walk, levels)


def levels_read(most: int) -> int:
    """The last level that ``tightness`` looks at."""
    return 2 * most + _window(most)


def _window(most: int) -> int:
    return -(-most // 2)


def tightness(grid: GridProfile, most: int, weight: Fraction) -> int:
    """NOT PRIVATE. How many records must change until the largest no longer matter, 0 to ``most``.

    The number of l < most for which dropping the largest records from the l-th to the
    (2 most + w - l)-th, w = most / 2, lowers the answer by more than 0 and by at least
    ``weight`` times what as many records can raise it:

        (lower(l) - lower(2 most + w - l)) / w
            >= weight (upper(most + w + l) - lower(l)) / (2 most + w).

    Between neighbours levels move by at most one, so what holds for x at l holds for x' at l - 1:
    there the left side is no smaller and the right side no larger. So the number moves by at most 1
    per record.
    """
    window, levels = _window(most), levels_read(most)

    def fails(level: int) -> int:
        """At least 1 where dropping no longer counts; rises with the level."""
        start = grid.lower(level)
        lost = start - grid.lower(levels - level)
        gained = grid.upper(most + window + level) - start
        short = gained * window * weight.numerator - lost * levels * weight.denominator
        return short if lost > 0 else max(1, short)

    if fails(most - 1) < 1:
        return most
    return level_reaching(fails, 1, 0, most - 1)
