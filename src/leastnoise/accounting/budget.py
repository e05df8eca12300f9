"""What releases take from a budget, and what is left of it: exact numbers by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact, localcontext
from fractions import Fraction
from functools import reduce, total_ordering
from typing import Any, Final

from leastnoise.accounting.composition import basic
from leastnoise.accounting.conversions import to_relation, to_zcdp
from leastnoise.errors import (
    BudgetExceededError,
    LedgerError,
    ParameterError,
    ParameterTypeError,
    quoted,
)
from leastnoise.guarantees import ZCDP, BoundedRange, Guarantee, RandomDP, Scope
from leastnoise.numbers import as_fraction

Numbers = Mapping[str, Fraction]

_ZERO: Final = Fraction(0)
# Bits of a denominator whose digits can still be read.
_LONGEST: Final = 12_000
_DECIMALS: Final = Context(
    prec=12, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, traps=[Inexact]
)
_CURES: Final = {
    "delta": "use a mechanism without delta, or a ledger with budget=ApproxDP(epsilon, delta)",
    "gamma": "use a mechanism without gamma, or a ledger with budget=RandomDP(...)",
    "beta": "use a mechanism without beta, or a ledger with budget=RandomDP(...)",
}


def exact_text(value: Fraction) -> str:
    """The number as a person writes it: decimals where they are exact and short, else a ratio."""
    top, bottom = Decimal(value.numerator), Decimal(value.denominator)
    try:
        return f"{_DECIMALS.divide(top, bottom):f}"
    except Inexact:
        text = str(value)
    if len(text) <= 24:
        return text
    with localcontext(_DECIMALS) as near:
        near.traps[Inexact] = False
        return f"about {top / bottom:.6g}"


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """An amount of budget: epsilon, and delta; or rho. Zero is possible, unlike for a guarantee.

    A balance of one number compares with plain numbers and turns into a float: ``remaining == 1``.

    Attributes
    ----------
    epsilon, delta : Fraction or None
        Of a budget in PureDP, ApproxDP or RandomDP.
    rho : Fraction or None
        Of a budget in ZCDP.
    gamma, beta : Fraction or None
        Of a budget in RandomDP.

    Examples
    --------
    >>> from fractions import Fraction
    >>> left = Balance(epsilon=Fraction(3, 2))
    >>> left == 1.5, float(left), str(left)
    (True, 1.5, 'epsilon 1.5')
    """

    epsilon: Fraction | None = None
    delta: Fraction | None = None
    rho: Fraction | None = None
    gamma: Fraction | None = None
    beta: Fraction | None = None

    @property
    def numbers(self) -> dict[str, Fraction]:
        """The amounts by name."""
        return {
            name: value
            for name in ("epsilon", "delta", "rho", "gamma", "beta")
            if (value := getattr(self, name)) is not None
        }

    def to_dict(self) -> dict[str, str]:
        """The amounts as exact text."""
        return {name: str(value) for name, value in self.numbers.items()}

    def _single(self) -> Fraction:
        held = [v for name, v in self.numbers.items() if v or name in ("epsilon", "rho")]
        if len(held) != 1:
            raise TypeError(f"{self} is more than one number; use .epsilon or .delta")
        return held[0]

    def __float__(self) -> float:
        return float(self._single())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Balance):
            return self.numbers == other.numbers
        try:
            return self._single() == as_fraction(other)
        except (TypeError, ValueError):
            return False

    def __lt__(self, other: object) -> bool:
        if isinstance(other, Balance):
            return self._single() < other._single()
        return self._single() < as_fraction(other)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.numbers.items())))

    def __str__(self) -> str:
        return ", ".join(f"{name} {exact_text(value)}" for name, value in self.numbers.items())


def check_budget(budget: object, scope: Scope) -> Guarantee:
    """The budget as a guarantee of the ledger's scope.

    Raises
    ------
    ParameterTypeError
        If it is not a guarantee.
    ParameterError
        If it is a bounded range, or has a scope of its own that contradicts the ledger's.
    """
    if not isinstance(budget, Guarantee):
        raise ParameterTypeError(
            f"budget must be a guarantee such as PureDP(2) or ZCDP('0.5'), got {quoted(budget)}"
        )
    if isinstance(budget, BoundedRange):
        raise ParameterError("a budget cannot be kept in bounded range; use budget=PureDP(epsilon)")
    if budget.scope not in (Scope(), scope):
        raise ParameterError(
            f"the budget is for relation {budget.scope.relation!r} and unit "
            f"{budget.scope.unit!r}, but the ledger for {scope.relation!r} and {scope.unit!r}; "
            "give the same relation= and unit="
        )
    return replace(budget, scope=scope)


def cost(draws: Sequence[Guarantee], budget: Guarantee) -> dict[str, Fraction]:
    """What draws of one release take from this budget, by exact basic sums.

    In a ledger of rho a bounded-range draw costs eta^2/8 and a pure one epsilon^2/2. A draw under
    "add-remove" enters a replace-one or edit ledger at twice its epsilon.

    Raises
    ------
    LedgerError
        If a draw says nothing about the relation, the unit or the kind of the budget.
    """
    scope, converted = budget.scope, list[Guarantee]()
    for draw in draws:
        if draw.scope.unit != scope.unit:
            raise LedgerError(
                f"this ledger protects one {scope.unit}, but the release one {draw.scope.unit}; "
                "open a ledger for that unit, or release for the unit of this ledger"
            )
        try:
            same = to_relation(draw, scope.relation)
            converted.append(to_zcdp(same) if isinstance(budget, ZCDP) else same)
        except ParameterError as error:
            raise LedgerError(f"this ledger is kept in {_kind(budget)}: {error}") from None
    if not isinstance(budget, ZCDP) and any(isinstance(draw, ZCDP) for draw in converted):
        raise LedgerError(
            f"this ledger is kept in {_kind(budget)}, but the release is in ZCDP; use a ledger "
            "with budget=ZCDP(rho)"
        )
    if not isinstance(budget, RandomDP) and any(isinstance(d, RandomDP) for d in converted):
        raise LedgerError(
            "a random guarantee is weaker than the budget of this ledger and is not added to it; "
            "use a ledger with budget=RandomDP(...)"
        )
    total = basic(converted, allow_random=True)
    if isinstance(total, BoundedRange):
        return {"epsilon": total.eta}
    return {name: value for name, value in total.numbers().items() if value}


def _kind(budget: Guarantee) -> str:
    return f"{type(budget).__name__} under {budget.scope.relation!r}"


def zeros(budget: Guarantee) -> dict[str, Fraction]:
    """Nothing spent, in the budget's numbers."""
    return dict.fromkeys(budget.numbers(), _ZERO)


def add(spent: Numbers, extra: Numbers) -> dict[str, Fraction]:
    """Two amounts, number by number."""
    names = [*spent, *(name for name in extra if name not in spent)]
    return {name: spent.get(name, _ZERO) + extra.get(name, _ZERO) for name in names}


def add_all(amounts: Iterable[Numbers]) -> dict[str, Fraction]:
    """The sum of these amounts, number by number."""
    return reduce(add, amounts, dict[str, Fraction]())


def check_fits(spent: Numbers, extra: Numbers, budget: Guarantee, path: str) -> dict[str, Fraction]:
    """What is spent after the charge.

    Raises
    ------
    BudgetExceededError
        If any number would go beyond the budget.
    LedgerError
        If its exact sum would be too long for a text.
    """
    total, limits = add(spent, extra), budget.numbers()
    if any(value.denominator.bit_length() > _LONGEST for value in total.values()):
        raise LedgerError(
            f"the exact sum in {path} would have thousands of digits: give epsilon with fewer "
            "digits, or weights whose sum is a round number. Nothing was spent"
        )
    for name, value in total.items():
        if name not in limits and value:
            raise BudgetExceededError(
                f"this release needs {name} {exact_text(value)}, but the budget of {path} has no "
                f"{name}; {_CURES.get(name, 'use a ledger of that kind')}. Nothing was spent"
            )
        if name in limits and value > limits[name]:
            left = limits[name] - spent.get(name, _ZERO)
            raise BudgetExceededError(
                f"this release needs {name} {exact_text(extra[name])} and {exact_text(left)} of "
                f"{exact_text(limits[name])} is left in {path}; use less, or have the owner of "
                "the data raise the budget. Nothing was spent"
            )
    return {name: total[name] for name in limits}


def lacking(left: Balance, charges: Iterable[Balance]) -> bool:
    """Whether less is left than these take together."""
    needed = add_all(one.numbers for one in charges)
    return any(value > left.numbers.get(name, _ZERO) for name, value in needed.items())


def told_left(left: Balance, charges: Iterable[Balance]) -> str:
    """What is left, and whether these fit, before they are charged."""
    lacks = "; less than the charge: refused, unless reuse gives an earlier answer"
    return f"{left}{lacks if lacking(left, charges) else ''}"


def to_text(numbers: Numbers) -> dict[str, str]:
    """Amounts as exact text."""
    return {name: str(value) for name, value in numbers.items()}


def from_text(numbers: Mapping[str, Any]) -> dict[str, Fraction]:
    """Amounts that `to_text` wrote."""
    return {name: Fraction(value) for name, value in numbers.items()}


def balance(numbers: Numbers) -> Balance:
    """The amounts as a balance."""
    return Balance(**dict(numbers))
