"""The lattice that input values are rounded to before anything else happens, and missing ones.

A lattice is fixed by public parameters only: the bounds, the declared step or
the column's integer type. Record by record a value x becomes the integer

    Z(x) = base + clip(rint((x - origin) / step), low - base, high - base)

so one record moves one integer, sums are exact and independent of the order of
rows, and every later decision is made on integers. The map is monotone and the
same in every front end. Source: exact_sampling 1; Mironov (2012); Casacuberta
et al. (2022).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, inf
from sys import float_info
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError
from leastnoise.numbers import short_text
from leastnoise.params import Missing, parse_bounds, parse_column, parse_missing, parse_step
from leastnoise.summaries.columns import Clock, ColumnType, declared

Purpose = Literal["order", "moments", "spread", "vector"]

# Levels across the bounds. Order statistics only compare, so they may use every bit of a double;
# sums carry two 30-bit limbs, so chunks of 2**16 rows stay exact in doubles.
# Squares are summed from two 18-bit limbs.
# Products of two columns are summed in doubles, exactly, from limbs of 20 bits.
_LEVELS = {"order": 2**52, "moments": 2**60, "spread": 2**36, "vector": 2**20}
_FINEST_STEP = Fraction(1, 2**1000)
_LARGEST = Fraction(float_info.max)


def power_of_two_at_least(value: Fraction) -> Fraction:
    """The smallest power of two >= value > 0."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - 1
    power = Fraction(2) ** exponent
    while power < value:
        power *= 2
    return power


@dataclass(frozen=True, slots=True)
class Lattice:
    """Integers Z stand for the values Z * step; ``low`` and ``high`` are the public limits.

    Parameters
    ----------
    step : Fraction
        Spacing in the user's units.
    low, high : int
        First and last lattice point inside the bounds.
    base : int
        Lattice coordinate of the floating-point origin, 0 unless the bounds lie far from 0
        compared with their width.
    integer : bool
        True when the lattice holds whole numbers only, so answers are Python ints.
    """

    step: Fraction
    low: int
    high: int
    base: int = 0
    integer: bool = False

    @property
    def width(self) -> int:
        """The number of steps between the limits: the most one record can move."""
        return self.high - self.low

    @property
    def middle(self) -> int:
        """The lattice point in the middle, rounded down: the public value of an empty table."""
        return (self.low + self.high) // 2

    def quantise(self, values: NDArray[Any]) -> NDArray[Any]:
        """Absolute lattice integers of a few values (int64 where they fit, else objects).

        Missing values (NaN) must be gone before.
        """
        relative = self.relative(values)
        if relative.dtype.kind in "iuO":
            return relative  # an integer type: base is 0
        if max(abs(float(self.low - self.base)), abs(float(self.high - self.base))) >= 2.0**63:
            return np.array([int(z) + self.base for z in relative.tolist()], dtype=object)
        whole = relative.astype(np.int64)
        if self.base == 0:
            return whole
        return whole.astype(object) + self.base

    def relative(self, values: NDArray[Any]) -> NDArray[Any]:
        """Lattice coordinates less ``base``: integers for an integer column, else whole doubles.

        Objects are Python ints that are lattice points already.
        """
        if values.dtype == object:
            return values
        if self.whole(values):
            return self.clip_integers(values)
        with np.errstate(all="ignore"):
            scaled = self.scale(values.astype(np.float64))
            np.rint(scaled, out=scaled)
            low, high = float(self.low - self.base), float(self.high - self.base)
            return np.clip(scaled, low, high, out=scaled)

    def scale(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(x - origin) / step in doubles; exact for a power of two and origin 0.

        A product, because engines turn a quotient into one, which is rounded differently.
        """
        if self.base:
            values = values - float(self.base * self.step)
        return values * float(1 / self.step)

    @property
    def ends(self) -> tuple[float, float]:
        """Finite doubles that are read as the limits, as is everything beyond them."""
        return self._beyond(Fraction(self.low + 1), -1), self._beyond(Fraction(self.high - 1), 1)

    def bracket(self, least: Fraction, most: Fraction) -> tuple[float, float]:
        """Doubles between which every entry lies that is read as a point of [least, most]."""
        return self._beyond(least, -1), self._beyond(most, 1)

    def _beyond(self, point: Fraction, sign: int) -> float:
        """A double that is read as a point beyond this one; infinity if there is none.

        It is asked what it is read as, because doubles and limits are rounded, and by many steps
        where the lattice is finer than doubles: of integers, the limit may be read of none.
        """

        def read(number: float) -> int:
            return int(self.quantise(np.array([number]))[0])

        if sign * (read(sign * float_info.max) - point) <= 0:
            return sign * inf
        room = 2
        while True:
            far = float(max(-_LARGEST, min(_LARGEST, (point + sign * room) * self.step)))
            if sign * (read(far) - point) > 0:
                return far
            room *= 2

    def whole(self, values: NDArray[Any]) -> bool:
        """Whether these values are lattice points but for the limits: integers, step 1."""
        return self.step == 1 and values.dtype.kind in "iub"

    @property
    def holder(self) -> Any:
        """The integer type that holds every lattice point; objects where none does."""
        if self.low >= -(2**63) and self.high < 2**63:
            return np.int64
        return np.uint64 if self.low >= 0 and self.high < 2**64 else object

    def clip_integers(self, values: NDArray[Any]) -> NDArray[Any]:
        """Integers of any type, each moved to the nearest limit; no float in between."""
        if values.dtype.kind == "b" or values.dtype.itemsize < 8:
            values = values.astype(np.int64)
        info = np.iinfo(values.dtype)
        low, high = max(self.low, info.min), min(self.high, info.max)
        if low > high:  # the limits lie outside the type: every record sits at one limit
            end = self.low if self.low > info.max else self.high
            return np.full(values.shape, end, dtype=self.holder)
        return np.clip(values, values.dtype.type(low), values.dtype.type(high))

    def within(self, low: Fraction, high: Fraction) -> Lattice:
        """Nearer limits on the same points: outwards to points that doubles hold, two at least."""
        moved = floor(low / self.step), ceil(high / self.step)
        ends = [max(self.low, min(self.high, end)) for end in moved]
        grain = 1 << max(0, max(abs(end - self.base) for end in ends).bit_length() - 53)
        first = (ends[0] - self.base) // grain * grain + self.base
        last = max(first + grain, -((self.base - ends[1]) // grain) * grain + self.base)
        last = min(last, self.high)
        first = max(self.low, min(first, last - grain))
        return replace(self, low=first, high=last)

    def number(self, value: int) -> int | float:
        """A lattice point in the user's units: an int on an integer lattice, else a float."""
        exact = value * self.step
        return int(exact) if self.integer else float(exact)


class OnLattice:
    """A summary of numbers on one lattice."""

    __slots__ = ()

    lattice: Lattice

    @property
    def limits(self) -> tuple[int, int]:
        """The public limits as lattice integers."""
        return self.lattice.low, self.lattice.high

    @property
    def step(self) -> Fraction:
        """The user's units of one lattice step."""
        return self.lattice.step


def choose_lattice(
    bounds: tuple[Fraction, Fraction],
    *,
    purpose: Purpose,
    integer_column: bool,
    step: Fraction | None,
    name: str = "bounds",
) -> Lattice:
    """The lattice of a column, from public facts only; ``name`` is the bounds' name in messages.

    Raises
    ------
    ParameterError
        When no lattice point lies inside the bounds, or when the lattice is too fine for doubles.
    """
    lower, upper = bounds
    declared = step
    typed = integer_column and step in (None, 1)
    if step is None:
        width = upper - lower
        step = Fraction(1) if typed else power_of_two_at_least(width / _LEVELS[purpose])
    low, high = ceil(lower / step), floor(upper / step)
    integer = step.denominator == 1 and (typed or step >= 1)
    base = 0
    if not typed:
        if step < _FINEST_STEP or high - low > 2**62:
            limits = f"{name} [{short_text(lower)}, {short_text(upper)}]"
            if declared is None:
                raise ParameterError(
                    f"{limits} are too narrow: the finest lattice of answers has the step 2**-1000,"
                    " about 9.3e-302. Give wider bounds, or the data and bounds in a smaller unit"
                )
            raise ParameterError(
                f"step {short_text(step)} is too fine for {limits}: at most 2**62 steps fit "
                "between them, and a step is at least 2**-1000"
            )
        if max(abs(low), abs(high)) > 2**62:
            base = floor(Fraction(float(lower)) / step)
            if max(abs(low - base), abs(high - base)) > 2**62:
                raise ParameterError(
                    f"{name} [{short_text(lower)}, {short_text(upper)}] lie too far from 0 for "
                    "their width: the doubles around them are farther apart. Give wider bounds, or "
                    "subtract a public number from the data and the bounds"
                )
        low, high = base + _inward(low - base, up=True), base + _inward(high - base, up=False)
    if low > high:
        kind = "an integer column" if typed else f"step={short_text(step)}"
        raise ParameterError(
            f"{name} [{short_text(lower)}, {short_text(upper)}] contain no value of {kind}: give "
            "wider bounds"
        )
    return Lattice(step, low, high, base, integer)


def _inward(limit: int, *, up: bool) -> int:
    """The nearest integer in the stated direction that a double holds exactly."""
    grain = 1 << max(0, abs(limit).bit_length() - 53)
    return -(-limit // grain) * grain if up else limit // grain * grain


@dataclass(frozen=True, slots=True)
class MissingPolicy:
    """What happens to missing values of one column.

    A missing value counts as an entry ``raw`` would: that is the double which stands for it among
    doubles, and ``impute`` the lattice point that it is read as. None: such rows are dropped, which
    makes the number of remaining rows private.
    """

    name: str
    impute: int | None
    raw: float = 0.0

    @property
    def drops(self) -> bool:
        """True when rows are removed by their content, so the row count is private."""
        return self.impute is None


def imputed(name: str, number: Fraction, kind: ColumnType, lattice: Lattice) -> MissingPolicy:
    """A missing value counts as an entry with this number would."""
    return MissingPolicy(name, *imputed_point(number, kind, lattice))


def imputed_point(number: Fraction, kind: ColumnType, lattice: Lattice) -> tuple[int, float]:
    """The lattice point that an entry with this number is read as, and its double.

    Entries of a column of doubles are doubles, and their lattice may be finer: the number's own
    lattice point is then one that no entry has.
    """
    if kind.integer and lattice.step == 1:
        point = min(max(round(number), lattice.low), lattice.high)
        return point, float(point)
    raw = float(number)
    (point,) = lattice.quantise(np.array([raw]))
    return int(point), raw


def drops_rows(
    declared: Missing | Fraction | None, session: Missing | Fraction | None, kind: ColumnType
) -> tuple[Missing | Fraction, bool]:
    """The choice that holds, and whether it removes rows.

    A column that is declared never to miss a value drops none, so the row count stays public: a
    null that its library holds there all the same counts as an entry.
    """
    choice = declared if declared is not None else session
    if choice is None:
        choice = "drop" if kind.nullable else "none"
    return choice, choice == "drop" and kind.nullable


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column clipped to bounds, as a statistic declares it; bounds of times count their clock."""

    form: ClassVar[Literal["column"]] = "column"
    column: str | None
    bounds: tuple[Fraction, Fraction]
    step: Fraction | None
    missing: Missing | Fraction | None
    clock: Clock | None

    @classmethod
    def of(cls, column: str | None, bounds: object, step: object, missing: object) -> Self:
        """From what a user gives, checked."""
        named = parse_column(column)  # first, as bounds that are given in its place
        clock, ends = declared(bounds)
        if clock is not None:
            step = clock.step(step)
            missing = clock.constant(missing, "missing")
        limits = parse_bounds(ends, searched=True), parse_step(step), parse_missing(missing)
        return cls(named, *limits, clock)

    def read_as(
        self, purpose: Purpose, kind: ColumnType, session: Missing | Fraction | None
    ) -> tuple[Lattice, MissingPolicy]:
        """The lattice of a column of this public type, and what a missing entry counts as."""
        kind.check_reach(self.bounds, "bounds", ends=True)
        lattice = choose_lattice(
            self.bounds, purpose=purpose, integer_column=kind.integer, step=self.step
        )
        choice, drops = drops_rows(self.missing, session, kind)
        if drops:
            return lattice, MissingPolicy("drop", None)
        if not isinstance(choice, Fraction):
            return lattice, imputed("none", lattice.middle * lattice.step, kind, lattice)
        if not self.bounds[0] <= choice <= self.bounds[1]:
            raise ParameterError("missing must be a number inside the bounds, or 'drop' or 'none'")
        return lattice, imputed(f"impute {choice}", choice, kind, lattice)
