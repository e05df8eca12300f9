"""The guarantees of releases: frozen, exact values that cannot be confused with one another.

A guarantee names the neighbouring relation and the unit that it protects. Two
guarantees over different relations or units are different promises.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.numbers import as_fraction
from leastnoise.params import explained


def _parameter(
    value: object, name: str, *, below_one: bool = False, zero_allowed: bool = False
) -> Fraction:
    try:
        number = as_fraction(value)
    except TypeError:
        raise ParameterTypeError(f"{name} must be a finite number, got {quoted(value)}") from None
    except ValueError:
        raise ParameterError(f"{name} must be a finite number, got {quoted(value)}") from None
    if not (number >= 0 if zero_allowed else number > 0):
        least = "at least" if zero_allowed else "above"
        raise ParameterError(f"{name} must be {least} 0, got {quoted(value)}")
    if below_one and not number < 1:
        raise ParameterError(f"{name} must be below 1, got {quoted(value)}")
    return number


@dataclass(frozen=True, slots=True)
class Scope:
    """Whom a guarantee protects: the neighbouring relation and the unit of privacy.

    Parameters
    ----------
    relation : str
        "replace-one" (one record changed), "add-remove" (one more or less), "edit" (either) or
        "edge" (one edge of a graph).
    unit : str
        "row", "edge", or the name of the column that identifies persons.
    """

    relation: str = "replace-one"
    unit: str = "row"


class _Described:
    """Shared text and JSON form of the guarantees."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        made = vars(cls).get("__init__")  # of a dataclass with slots, once it is complete
        if made is not None and not TYPE_CHECKING:
            cls.__init__ = explained(made, cls.__name__)

    def numbers(self) -> dict[str, Fraction]:
        """The privacy parameters by name."""
        return {
            name: value
            for name in ("rho", "eta", "epsilon", "delta", "gamma", "beta")
            if isinstance(value := getattr(self, name, None), Fraction)
        }

    def to_dict(self) -> dict[str, str]:
        """Plain values: numbers as exact text."""
        scope: Scope = getattr(self, "scope", Scope())
        return {
            "type": type(self).__name__,
            **{name: str(value) for name, value in self.numbers().items()},
            "relation": scope.relation,
            "unit": scope.unit,
        }

    def __str__(self) -> str:
        scope: Scope = getattr(self, "scope", Scope())
        inner = ", ".join(f"{name}={value}" for name, value in self.numbers().items())
        return f"{type(self).__name__}({inner}; {scope.relation}, one {scope.unit})"


@dataclass(frozen=True, slots=True)
class PureDP(_Described):
    """epsilon-differential privacy: P(M(x) in S) <= e^epsilon P(M(x') in S) for neighbours.

    Parameters
    ----------
    epsilon : number
        Above 0; kept as an exact fraction. epsilons of releases about the same data add up.
    scope : Scope, optional
        Whom it protects. Default: one row under "replace-one".

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is not a number (text such as "1/2" is one), or lies outside its domain.
    """

    epsilon: Fraction
    scope: Scope = Scope()

    def __post_init__(self) -> None:
        _set(self, epsilon=_parameter(self.epsilon, "epsilon"))


@dataclass(frozen=True, slots=True)
class ApproxDP(_Described):
    """(epsilon, delta): like pure privacy, up to an additional probability delta >= 0.

    Parameters
    ----------
    epsilon : number
        Above 0; kept as an exact fraction.
    delta : number
        0 <= delta < 1: the probability with which the promise may fail. Choose it far below 1 / the
        number of persons.
    scope : Scope, optional
        Whom it protects. Default: one row under "replace-one".
    rho : number, optional
        Given only where proved: the same noise is also rho-zero-concentrated, and this is what it
        costs in a ledger with ``budget=ZCDP(rho)``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is not a number (text such as "1/2" is one), or lies outside its domain.
    """

    epsilon: Fraction
    delta: Fraction
    scope: Scope = Scope()
    rho: Fraction | None = None

    def __post_init__(self) -> None:
        _set(
            self,
            epsilon=_parameter(self.epsilon, "epsilon"),
            delta=_parameter(self.delta, "delta", below_one=True, zero_allowed=True),
        )
        if self.rho is not None:
            _set(self, rho=_parameter(self.rho, "rho"))


@dataclass(frozen=True, slots=True)
class ZCDP(_Described):
    """rho-zero-concentrated privacy: Renyi divergence of order a at most rho a, all a > 1.

    Parameters
    ----------
    rho : number
        Above 0; kept as an exact fraction. rhos add up; epsilon-DP implies rho = epsilon^2 / 2.
    scope : Scope, optional
        Whom it protects. Default: one row under "replace-one".

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is not a number (text such as "1/2" is one), or lies outside its domain.

    Notes
    -----
    Source: Bun and Steinke (2016).
    """

    rho: Fraction
    scope: Scope = Scope()

    def __post_init__(self) -> None:
        _set(self, rho=_parameter(self.rho, "rho"))


@dataclass(frozen=True, slots=True)
class BoundedRange(_Described):
    """eta-bounded range: the log-ratio of neighbours' probabilities varies by at most eta.

    Implies eta-DP and, more sharply, eta^2 / 8-zCDP: what the exponential, the inverse sensitivity
    and the piecewise Laplace mechanisms keep.

    Parameters
    ----------
    eta : number
        Above 0; kept as an exact fraction.
    scope : Scope, optional
        Whom it protects. Default: one row under "replace-one".

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is not a number (text such as "1/2" is one), or lies outside its domain.

    Notes
    -----
    Source: Dong, Durfee and Rogers (2020).
    """

    eta: Fraction
    scope: Scope = Scope()

    def __post_init__(self) -> None:
        _set(self, eta=_parameter(self.eta, "eta"))


@dataclass(frozen=True, slots=True)
class RandomDP(_Described):
    """(epsilon, delta) for all but a gamma share of neighbouring pairs of random records.

    A weaker promise than pure or approximate privacy, and never added to either by accident.

    Parameters
    ----------
    epsilon : number
        Above 0; kept as an exact fraction.
    delta : number
        0 <= delta < 1.
    gamma : number
        0 < gamma < 1: the share of pairs, drawn from the declared law, without a promise.
    beta : number
        0 <= beta < 1: the probability that the sampler itself had bad luck.
    scope : Scope, optional
        Whom it protects. Default: one row under "replace-one".

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is not a number (text such as "1/2" is one), or lies outside its domain.

    Notes
    -----
    Source: Rubinstein and Alda (2017), Definition 4; errata 4.8 for the reading of it that holds.
    """

    epsilon: Fraction
    delta: Fraction
    gamma: Fraction
    beta: Fraction = Fraction(0)
    scope: Scope = Scope()

    def __post_init__(self) -> None:
        _set(
            self,
            epsilon=_parameter(self.epsilon, "epsilon"),
            delta=_parameter(self.delta, "delta", below_one=True, zero_allowed=True),
            gamma=_parameter(self.gamma, "gamma", below_one=True),
            beta=_parameter(self.beta, "beta", below_one=True, zero_allowed=True),
        )


Guarantee = PureDP | ApproxDP | ZCDP | BoundedRange | RandomDP


def from_dict(data: dict[str, str]) -> Guarantee:
    """The guarantee that ``to_dict`` described."""
    kinds = {kind.__name__: kind for kind in (PureDP, ApproxDP, ZCDP, BoundedRange, RandomDP)}
    numbers = {k: v for k, v in data.items() if k not in ("type", "relation", "unit")}
    kind: Any = kinds[data["type"]]
    return kind(**numbers, scope=Scope(data["relation"], data["unit"]))


def _set(guarantee: object, **numbers: Fraction) -> None:
    for name, number in numbers.items():
        object.__setattr__(guarantee, name, number)
