"""Which entries count as missing beside blank ones: declared texts and numbers, or the default.

One rule for all that is read: an entry is missing if its text, without the blanks around it, is one
of the texts, or if it is one of the numbers, or is text that reads as one where its column has no
type or is one of numbers. A text that is declared as a label or a constant counts as that, whatever
else is declared: "NA" may be Namibia. A number that is declared as both is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, cast

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.numbers import as_fraction

if TYPE_CHECKING:
    from leastnoise.summaries.columns import ColumnType

STANDARD = (
    *("NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None"),
    "\\N",
)
"""What programs write for a missing entry: R, Excel, pandas, Python, C, SQL, MySQL."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Texts and numbers that stand for a missing entry."""

    texts: frozenset[str] = frozenset(STANDARD)
    numbers: tuple[Fraction, ...] = ()

    @classmethod
    def of(cls, values: object) -> Absent:
        """Check what was declared; None for the default.

        Raises
        ------
        ParameterTypeError, ParameterError
            If it is no list of texts and finite numbers.
        """
        if values is None:
            return cls()
        if not isinstance(values, (list, tuple)):
            raise ParameterTypeError(
                "missing_values must be a list of texts and numbers, such as ['NA', -999], not "
                f"{type(values).__name__}"
            )
        texts, numbers = set[str](), list[Fraction]()
        for value in cast("Iterable[object]", values):
            if isinstance(value, bool) or not isinstance(
                value, (str, int, float, Decimal, Fraction)
            ):
                raise ParameterTypeError(
                    f"missing_values holds texts and numbers, not {type(value).__name__}; what is "
                    "blank, None or NaN is missing anyway"
                )
            texts.add(str(value).strip())
            number = _number(value)
            if number is not None and number not in numbers:
                numbers.append(number)
        return cls(frozenset(texts), tuple(numbers))

    def typed(self, kind: ColumnType) -> ColumnType:
        """The public type of a column of numbers in which some of them stand for none."""
        return replace(kind, nullable=True, absent=self.numbers) if self.numbers else kind


def _number(value: str | float | Decimal | Fraction) -> Fraction | None:
    if isinstance(value, str):
        try:
            return (
                Fraction(value.strip()) if value.isascii() and not set(value) & set("_/") else None
            )
        except ValueError:
            return None
    if not isinstance(value, (int, Fraction)) and not isfinite(value):
        raise ParameterError("missing_values holds finite numbers: NaN is missing anyway")
    return as_fraction(value)
