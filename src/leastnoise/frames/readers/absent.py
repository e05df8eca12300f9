"""Which entries count as missing beside blank ones: declared texts and numbers, or the default.

One rule for all that is read: an entry is missing if its text, without the blanks around it, is one
of the texts, or if it is one of the numbers, or is text that reads as one where its column has no
type or is one of numbers. A text that reads as a number, as an entry would, stands for that number
too. A text that is declared as a label or a constant counts as that, whatever else is declared:
"NA" may be Namibia. A number that is declared as both is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.numbers import as_fraction
from leastnoise.typeguards import is_list_or_tuple

if TYPE_CHECKING:
    from leastnoise.summaries.columns import ColumnType

STANDARD = (
    *("NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None"),
    "\\N",
)
"""What programs write for a missing entry: R, Excel, pandas, Python, C, SQL, MySQL."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Texts and numbers that stand for a missing entry.

    Parameters
    ----------
    texts
        Without blanks around them.
    written
        The numbers that were not given as text, as Python writes them: texts of columns that are
        declared to hold text.
    numbers
        Those given, and those that the texts read as.
    infinite
        The infinities that texts read as.
    """

    texts: frozenset[str] = frozenset(STANDARD)
    written: frozenset[str] = frozenset()
    numbers: tuple[Fraction, ...] = ()
    infinite: frozenset[float] = frozenset()

    @classmethod
    def of(cls, values: object, read: Callable[[str], Fraction | float | None]) -> Absent:
        """Check what was declared; None for the default.

        Parameters
        ----------
        values
            Texts and numbers.
        read
            The number that a text reads as, infinite ones as doubles; None if it is none.

        Raises
        ------
        ParameterTypeError, ParameterError
            If it is no list of texts and finite numbers.
        """
        if values is None:
            return cls()
        if not is_list_or_tuple(values):
            raise ParameterTypeError(
                "missing_values must be a list of texts and numbers, such as ['NA', -999], not "
                f"{type(values).__name__}"
            )
        texts, written, numbers = set[str](), set[str](), list[Fraction | float]()
        for value in values:
            if isinstance(value, str):
                texts.add(value.strip())
                number = read(value)
                numbers += [] if number is None else [number]
            elif isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool):
                numbers.append(_number(value))
                written.add(str(value))
            else:
                raise ParameterTypeError(
                    f"missing_values holds texts and numbers, not {type(value).__name__}; what is "
                    "blank, None or NaN is missing anyway"
                )
        finite = dict.fromkeys(x for x in numbers if isinstance(x, Fraction))
        infinite = frozenset(x for x in numbers if isinstance(x, float))
        return cls(frozenset(texts), frozenset(written), tuple(finite), infinite)

    @property
    def doubles(self) -> frozenset[float]:
        """All numbers, as text and objects are read."""
        return frozenset({*map(float, self.numbers), *self.infinite})

    def typed(self, kind: ColumnType) -> ColumnType:
        """The public type of a column of numbers in which some of them stand for none."""
        known = self.numbers or self.infinite
        return replace(kind, nullable=True, absent=self.numbers) if known else kind


def _number(value: float | Decimal | Fraction) -> Fraction:
    """A number that a double can be, of no more digits than are ever written."""
    try:
        if isfinite(value):
            str(value)
            return as_fraction(value)
    except (ArithmeticError, ValueError):
        pass
    raise ParameterError(
        "missing_values holds finite numbers that a double can hold, of at most 4,000 digits; NaN "
        "is missing anyway"
    )
