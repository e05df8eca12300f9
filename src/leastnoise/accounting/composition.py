"""The guarantee of several releases together, and the theorem that gives it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from leastnoise.accounting.accountants import (
    ACCOUNTANTS,
    FIXED,
    Fixed,
    Unavailable,
    parse_fixed,
    spent_delta,
)
from leastnoise.accounting.conversions import Loss, check_loss
from leastnoise.errors import ParameterError, ParameterTypeError, kind_of
from leastnoise.guarantees import (
    ZCDP,
    ApproxDP,
    BoundedRange,
    Guarantee,
    PureDP,
    RandomDP,
    Scope,
)
from leastnoise.params import parse_delta, parse_list, parse_number
from leastnoise.record import Release, Releases


@dataclass(frozen=True, slots=True)
class Bound:
    """All releases together are (epsilon, delta)-private, by the named theorem.

    ``certified`` says that exact arithmetic decided; otherwise double precision with a margin.
    """

    epsilon: Fraction
    delta: Fraction
    method: str
    certified: bool = True

    def __str__(self) -> str:
        return f"epsilon {float(self.epsilon):.6g} at delta {float(self.delta):.3g} ({self.method})"


@dataclass(frozen=True, slots=True)
class Composition:
    """Every bound that is valid for a sequence of releases, the smallest first.

    Attributes
    ----------
    bounds : tuple of Bound
        Valid bounds, ascending.
    left_out : tuple of (method, reason)
        Theorems that do not apply, and why.
    scope : Scope
        Relation and unit of them all.
    gamma, beta : Fraction
        Summed over random guarantees: the share of pairs, and the sampler's bad luck.
    """

    bounds: tuple[Bound, ...]
    left_out: tuple[tuple[str, str], ...]
    scope: Scope
    gamma: Fraction = Fraction(0)
    beta: Fraction = Fraction(0)

    @property
    def smallest(self) -> Bound:
        """The smallest valid bound."""
        return self.bounds[0]

    def __str__(self) -> str:
        lines = [str(bound) for bound in self.bounds]
        if self.gamma:
            lines.append(
                f"random: for all but a share {float(self.gamma):.6g} of pairs, with probability "
                f"{float(1 - self.beta):.6g} over the sampler"
            )
        lines += [f"left out: {method}: {reason}" for method, reason in self.left_out]
        return "\n".join(lines)


def compose(
    releases: Iterable[object],
    *,
    delta: object = 0,
    fixed: Fixed = "nothing",
    allow_random: bool = False,
) -> Composition:
    """All valid bounds for a sequence of releases of the same data, the smallest first.

    Parameters
    ----------
    releases
        Guarantees, `LaplaceNoise`, or releases (their guarantees, in their strongest form). A table
        of groups counts as often as one changed row or person can reach them.
    delta : number
        The failure probability of the answer, 0 <= delta < 1; 0 leaves only basic sums.
    fixed : "nothing", "guarantees" or "plan"
        What was fixed before the first answer was seen; see `leastnoise.accounting.accountants`.
        With "nothing" only basic sums are valid, because epsilons chosen after seeing answers void
        the other theorems.
    allow_random : bool
        Whether random guarantees may join, which weakens the whole to a random guarantee.

    Raises
    ------
    ParameterError, ParameterTypeError
        If relations or units differ, a random guarantee was not asked for, an entry has no
        guarantee, or no theorem applies.

    Notes
    -----
    Which theorem gives which bound, under which condition, and its source: docs/accounting.md and
    ``docs/proofs/bounded-range-composition.md``.

    Examples
    --------
    >>> compose([PureDP("0.1")] * 10).smallest.epsilon
    Fraction(1, 1)
    >>> compose([BoundedRange("0.1")] * 100, delta=1e-6, fixed="plan").smallest.method
    'optimal bounded range'
    """
    given = parse_list(releases, "releases", "guarantees or releases")
    losses = [loss for item in given for loss in _losses(item)]
    target = Fraction(0) if parse_number(delta, "delta") == 0 else parse_delta(delta)
    allowed = FIXED.index(parse_fixed(fixed))
    scope = common_scope(losses)
    gamma, beta = _random(losses, allow_random)
    bounds: list[Bound] = []
    left_out: list[tuple[str, str]] = []
    for accountant in ACCOUNTANTS:
        if FIXED.index(accountant.premise) > allowed:
            reason = f"it needs fixed={accountant.premise!r}, before the first answer"
            left_out.append((accountant.name, reason))
            continue
        try:
            epsilon = accountant.epsilon(losses, target)
        except Unavailable as error:
            left_out.append((accountant.name, str(error)))
            continue
        certified = accountant.name != "privacy loss distribution"
        bounds.append(Bound(epsilon, target, accountant.name, certified))
    if not bounds:
        reasons = "; ".join(f"{method}: {reason}" for method, reason in left_out)
        raise ParameterError(f"no theorem composes these releases at delta {target}: {reasons}")
    ordered = sorted(bounds, key=lambda bound: bound.epsilon)  # stable: basic first among equals
    return Composition(tuple(ordered), tuple(left_out), scope, gamma, beta)


def basic(guarantees: Sequence[Guarantee], *, allow_random: bool = False) -> Guarantee:
    """The exact sum of guarantees, valid whatever was chosen after seeing answers.

    Concentrated guarantees add up to a concentrated one and join no other kind; bounded ranges add
    up to a bounded range, and count as pure beside others; a random guarantee makes the sum random.

    Parameters
    ----------
    guarantees : sequence of guarantees
        At least one, of one relation and unit.
    allow_random : bool
        Whether random guarantees may join.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the list is empty, an entry is not a guarantee, relations or units differ, ZCDP is mixed
        with other kinds, or a random guarantee comes without ``allow_random=True``.
    """
    guarantees = _guarantees(guarantees)
    if not guarantees:
        raise ParameterError("give at least one guarantee: an empty sum promises nothing")
    scope = common_scope(guarantees)
    gamma, beta = _random(guarantees, allow_random)
    if all(isinstance(g, ZCDP) for g in guarantees):
        return ZCDP(sum(map(_amount, guarantees), Fraction(0)), scope)
    if all(isinstance(g, BoundedRange) for g in guarantees):
        return BoundedRange(sum(map(_amount, guarantees), Fraction(0)), scope)
    if any(isinstance(g, ZCDP) for g in guarantees):
        raise ParameterError(
            "a concentrated guarantee does not add to pure or approximate ones; convert it "
            "with leastnoise.accounting.to_approx, or the others with to_zcdp"
        )
    epsilon = sum(map(_amount, guarantees), Fraction(0))
    delta = spent_delta(guarantees)
    if any(isinstance(g, RandomDP) for g in guarantees):
        return RandomDP(epsilon, delta, gamma, beta, scope)
    return ApproxDP(epsilon, delta, scope) if delta else PureDP(epsilon, scope)


def parallel(guarantees: Sequence[Guarantee]) -> Guarantee:
    """The guarantee of releases over disjoint groups of rows together.

    Under "add-remove" one record is in one group: the largest guarantee. Under "replace-one" and
    "edit" a changed record may leave one group and enter another: the sum of the two largest, so
    2 epsilon for equal ones, and it is tight. Each group's release must then be private under
    "edit" of its own rows (errata 4.14).

    Parameters
    ----------
    guarantees : sequence of guarantees
        One a group, of one kind, relation and unit.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the list is empty, an entry is not a guarantee, or kinds, relations or units differ.

    Notes
    -----
    Proof: ``docs/proofs/groups.md``.
    """
    guarantees = _guarantees(guarantees)
    if not guarantees:
        raise ParameterError("give at least one guarantee")
    scope = common_scope(guarantees)
    if len({type(g) for g in guarantees}) > 1:
        raise ParameterError(
            "the groups have guarantees of different kinds; convert them to one kind first"
        )
    if isinstance(guarantees[0], RandomDP):
        raise ParameterError(
            "a random guarantee does not compose over groups; add them up with basic instead"
        )
    met = 1 if scope.relation == "add-remove" else 2
    if isinstance(guarantees[0], ApproxDP):
        epsilons = sorted(map(_amount, guarantees), reverse=True)[:met]
        deltas = sorted((g.delta for g in guarantees if isinstance(g, ApproxDP)), reverse=True)
        return ApproxDP(sum(epsilons, Fraction(0)), sum(deltas[:met], Fraction(0)), scope)
    return basic(sorted(guarantees, key=_amount, reverse=True)[:met])


def _guarantees(given: object) -> list[Guarantee]:
    listed = parse_list(given, "guarantees", "guarantees")
    for each in listed:
        check_loss(each, "guarantees")
    return listed


def common_scope(losses: Sequence[Loss]) -> Scope:
    """The one relation and unit of all, or an error that says how to make them one."""
    scopes = {loss.scope for loss in losses}
    if len(scopes) > 1:
        names = ", ".join(sorted(f"{s.relation}/{s.unit}" for s in scopes))
        raise ParameterError(
            f"guarantees over different relations or units do not add up ({names}); convert them "
            "with leastnoise.accounting.to_relation"
        )
    return scopes.pop() if scopes else Scope()


def _losses(item: object) -> Sequence[Loss]:
    """The guarantees of a release in their strongest form, or the item itself.

    Of the groups of one statistic count as many as one unit of privacy can change: all have the
    same guarantees (``docs/proofs/groups.md``).
    """
    if isinstance(item, Releases):
        (first, *_) = item.rows()
        return [
            loss
            for record in first.records.values()
            for loss in (record.draws or (record.guarantee,)) * int(record.split.get("times", 1))
        ]
    if isinstance(item, Release):
        return item.draws or (item.guarantee,)
    if isinstance(item, Loss):
        return (item,)
    raise ParameterTypeError(
        f"releases must be guarantees, such as PureDP(1), or releases; got {kind_of(item)}"
    )


def _random(losses: Sequence[Loss], allowed: bool) -> tuple[Fraction, Fraction]:
    found = [loss for loss in losses if isinstance(loss, RandomDP)]
    if found and not allowed:
        raise ParameterError(
            "a random guarantee is weaker than a pure or approximate one and is added to them "
            "only with allow_random=True, which makes the total random"
        )
    gamma = sum((loss.gamma for loss in found), Fraction(0))
    beta = sum((loss.beta for loss in found), Fraction(0))
    if max(gamma, beta) >= 1:
        raise ParameterError(
            f"gamma adds up to {gamma} and beta to {beta} over the random guarantees; at 1 or "
            "more they promise nothing: sample more pairs for a smaller gamma"
        )
    return gamma, beta


def _amount(guarantee: Guarantee) -> Fraction:
    """The number that adds up in a basic sum."""
    match guarantee:
        case PureDP() | ApproxDP() | RandomDP():
            return guarantee.epsilon
        case BoundedRange():
            return guarantee.eta
        case ZCDP():
            return guarantee.rho
        case _:
            assert_never(guarantee)
