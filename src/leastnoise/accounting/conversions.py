"""Conversions of guarantees: the implications between kinds of privacy, rounded up.

Every function returns a guarantee that holds whenever the given one does. Numbers that are not
rational are certified upper bounds: intervals of integers decide, never a float. The proofs of the
tight constants stand in ``docs/proofs/zcdp-constants.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import exp
from math import log as float_log
from typing import assert_never

from leastnoise.accounting.rounding import bits_for, exp_minus, log, round_up
from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.guarantees import (
    ZCDP,
    ApproxDP,
    BoundedRange,
    Guarantee,
    PureDP,
    RandomDP,
    Scope,
)
from leastnoise.params import parse_count, parse_delta, parse_epsilon, parse_relation


@dataclass(frozen=True, slots=True)
class LaplaceNoise:
    """A release by Laplace noise: epsilon-DP, and more than every epsilon-DP release promises.

    Parameters
    ----------
    epsilon : number
        Sensitivity over scale, > 0.
    steps : int, optional
        The integer sensitivity in lattice steps of discrete noise, >= 1. Default: noise on the
        real line.
    scope : Scope
        Relation and unit.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a number is out of range.

    Notes
    -----
    Source: Harrison and Manurangsi (2025) for its concentrated privacy;
    ``docs/proofs/zcdp-constants.md``.
    """

    epsilon: Fraction
    steps: int | None = None
    scope: Scope = field(default_factory=Scope)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", parse_epsilon(self.epsilon))
        if self.steps is not None:
            object.__setattr__(self, "steps", parse_count(self.steps, "steps"))


Loss = Guarantee | LaplaceNoise
"""What the accountants compose: a guarantee, or noise of a known law."""


def check_loss(loss: object, name: str = "loss") -> None:
    """Refuse what is neither a guarantee nor Laplace noise."""
    if not isinstance(loss, Loss):
        raise ParameterTypeError(
            f"{name} must be a guarantee, such as PureDP(1), got {quoted(loss)}"
        )


def to_pure(loss: Loss) -> PureDP:
    """The pure guarantee that follows: eta-bounded range is eta-DP.

    Parameters
    ----------
    loss : guarantee or LaplaceNoise
        What a release promises.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``loss`` is not a guarantee, or is approximate, concentrated or random: none of these
        implies a pure one.
    """
    check_loss(loss)
    match loss:
        case PureDP():
            return loss
        case LaplaceNoise():
            return PureDP(loss.epsilon, loss.scope)
        case BoundedRange():
            return PureDP(loss.eta, loss.scope)
        case ApproxDP() if loss.delta == 0:
            return PureDP(loss.epsilon, loss.scope)
        case ApproxDP() | ZCDP() | RandomDP():
            raise ParameterError(
                f"{loss} does not imply a pure guarantee; use a budget of its own kind, or a "
                "mechanism with a pure guarantee"
            )
        case _:
            assert_never(loss)


def to_bounded_range(loss: Loss) -> BoundedRange:
    """The range of the log-ratio: epsilon-DP has 2 epsilon-bounded range, and no less.

    Parameters
    ----------
    loss : guarantee or LaplaceNoise
        What a release promises.

    Raises
    ------
    ParameterError, ParameterTypeError
        As for ``to_pure``.
    """
    if isinstance(loss, BoundedRange):
        return loss
    pure = to_pure(loss)
    return BoundedRange(2 * pure.epsilon, pure.scope)


def to_zcdp(loss: Loss, *, tight: bool = False) -> ZCDP:
    """The concentrated guarantee that follows.

    Parameters
    ----------
    loss
        Pure: epsilon^2/2 (Bun and Steinke 2016). Bounded range: eta^2/8 (Cesar and Rogers 2021);
        only for mechanisms that are proven to have it, a factor 4 below pure privacy.
    tight
        Take the smallest valid constant instead, rounded up to 15 digits: epsilon tanh(epsilon/2)
        for pure privacy, x - 1 - ln x with x = eta/(e^eta - 1) for bounded range,
        epsilon + e^-epsilon - 1 for Laplace noise on the real line and
        epsilon - (1 - e^-epsilon) a/sinh(a), a = epsilon/steps, for discrete Laplace noise
        (Harrison and Manurangsi 2025).

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``loss`` is not a guarantee, is random, or is approximate and carries no rho.
    """
    check_loss(loss)
    match loss:
        case ZCDP():
            return loss
        case ApproxDP() if loss.rho is not None:
            rho = loss.rho
        case BoundedRange():
            rho = _range_constant(loss.eta) if tight else loss.eta**2 / 8
        case LaplaceNoise() if tight:
            rho = _laplace_constant(loss)
        case PureDP() | LaplaceNoise() | ApproxDP() | RandomDP():
            epsilon = to_pure(loss).epsilon
            rho = _pure_constant(epsilon) if tight else epsilon**2 / 2
        case _:
            assert_never(loss)
    return ZCDP(rho, loss.scope)


def to_approx(loss: Loss, delta: object) -> ApproxDP:
    """(epsilon, delta) for a chosen delta, 0 < delta < 1.

    For ZCDP the smallest epsilon of Canonne, Kamath and Steinke (2020), Corollary 13: the minimum
    over a > 1 of a rho + (ln(1/delta) + (a - 1) ln(a - 1) - a ln a) / (a - 1). Every a is valid;
    floats choose one, its value is certified and rounded up.

    Parameters
    ----------
    loss : guarantee or LaplaceNoise
        What a release promises.
    delta : number
        0 < delta < 1.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``loss`` is not a guarantee, is random, or is approximate with a larger delta, or if
        ``delta`` is invalid.
    """
    check_loss(loss)
    chosen = parse_delta(delta)
    match loss:
        case ZCDP():
            return ApproxDP(_zcdp_epsilon(loss.rho, chosen), chosen, loss.scope)
        case ApproxDP() if loss.delta <= chosen:
            return ApproxDP(loss.epsilon, chosen, loss.scope)
        case ApproxDP():
            raise ParameterError(f"delta {chosen} is below the delta of {loss}; give a larger one")
        case PureDP() | BoundedRange() | LaplaceNoise() | RandomDP():
            return ApproxDP(to_pure(loss).epsilon, chosen, loss.scope)
        case _:
            assert_never(loss)


def to_relation(guarantee: Guarantee, relation: str) -> Guarantee:
    """The guarantee under another relation, which replacing or editing follows from.

    To change a record is to remove one and to add one, so add-remove enters "replace-one" and
    "edit" at twice epsilon (group privacy of two). "edit" covers every other relation as it is.
    The reverse never holds: where only replaced records are covered, the number of rows is public.

    Parameters
    ----------
    guarantee : guarantee
        Under its own relation.
    relation : "replace-one", "add-remove", "edit" or "edge"
        The wanted one.

    Raises
    ------
    ParameterError, ParameterTypeError
        If nothing follows, or ``guarantee`` is not a guarantee.
    """
    check_loss(guarantee, "guarantee")
    wanted, given = parse_relation(relation), guarantee.scope.relation
    scope = Scope(wanted, guarantee.scope.unit)
    if "edge" in (wanted, given) and wanted != given:
        raise ParameterError(
            f"a guarantee under {given!r} implies none under {wanted!r}: edges of a graph are not "
            "rows of a table. Keep graphs in a ledger of their own, with relation='edge'"
        )
    if given in (wanted, "edit"):
        return replace(guarantee, scope=scope)
    if given != "add-remove":
        raise ParameterError(
            f"a guarantee under {given!r} implies none under {wanted!r}: it treats the number of "
            f"rows as public. Release under relation={wanted!r} instead"
        )
    match guarantee:
        case PureDP():
            return PureDP(2 * guarantee.epsilon, scope)
        case BoundedRange():
            return BoundedRange(2 * guarantee.eta, scope)
        case ZCDP():
            return ZCDP(4 * guarantee.rho, scope)
        case ApproxDP():
            # P(S) <= e^eps (e^eps P''(S) + delta) + delta
            low, _ = exp_minus(guarantee.epsilon, 1024)
            delta = round_up((1 + 1 / low) * guarantee.delta) if low else Fraction(1)
            if delta >= 1:
                raise ParameterError(f"{guarantee} implies nothing under {wanted!r}: delta >= 1")
            rho = None if guarantee.rho is None else 4 * guarantee.rho
            return ApproxDP(2 * guarantee.epsilon, delta, scope, rho)
        case RandomDP():
            raise ParameterError(
                "a random guarantee holds for pairs that differ as they were sampled; release "
                f"under relation={wanted!r} instead"
            )
        case _:
            assert_never(guarantee)


def _pure_constant(epsilon: Fraction) -> Fraction:
    """An upper bound of epsilon tanh(epsilon/2)."""
    low, _ = exp_minus(epsilon, bits_for(epsilon, 2))
    return round_up(min(epsilon * (1 - low) / (1 + low), epsilon**2 / 2))


def _laplace_constant(noise: LaplaceNoise) -> Fraction:
    """The loss of order 1, which bounds every other order."""
    epsilon = noise.epsilon
    if noise.steps is None:
        _, high = exp_minus(epsilon, bits_for(epsilon, 2))
        return round_up(min(epsilon + high - 1, epsilon**2 / 2))
    a = epsilon / noise.steps
    bits = bits_for(a, 4)
    low, _ = exp_minus(a, bits)
    _, high = exp_minus(epsilon, bits)
    ratio = 2 * a * low / (1 - low * low)  # a/sinh(a), from below
    return round_up(min(epsilon - ratio * (1 - high), _pure_constant(epsilon)))


def _range_constant(eta: Fraction) -> Fraction:
    """An upper bound of x - 1 - ln x, x = eta/(e^eta - 1): decreasing in x below 1."""
    bits = bits_for(eta, 4) + 192
    if eta > 64:  # x < 2 eta e^-eta < 2^-80, and -ln x < eta - ln eta
        return round_up(Fraction(1, 2**80) - 1 + eta - log(eta, bits)[0])
    low, _ = exp_minus(eta, bits)
    x = eta * low / (1 - low)
    return round_up(min(x - 1 - log(x, bits)[0], eta**2 / 8))


def _zcdp_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The conversion of one rho at the best order that floats find."""
    slope, target = float(min(rho, Fraction(10**300))), -float_log(delta)

    def epsilon(excess: float) -> float:  # a = 1 + excess
        a = 1 + excess
        return a * slope + (target + excess * float_log(excess) - a * float_log(a)) / excess

    # the function is smooth with one valley; sqrt(target/rho) is its order of magnitude
    middle = float_log(max(target, 1e-9) / max(slope, 1e-300)) / 2
    best = min((middle + i / 8 for i in range(-96, 97)), key=lambda v: epsilon(exp(v)))
    for width in (1 / 64, 1 / 512, 1 / 4096):
        best = min((best + i * width for i in range(-8, 9)), key=lambda v: epsilon(exp(v)))
    excess = max(Fraction(exp(best)).limit_denominator(10**9), Fraction(1, 10**9))
    a, bits = 1 + excess, 192
    entropy = excess * log(excess, bits)[1] - a * log(a, bits)[0]
    bound = a * rho + (log(1 / delta, bits)[1] + entropy) / excess
    return round_up(max(bound, Fraction(1, 10**12)))
