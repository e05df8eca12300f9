"""The theorems that compose releases, each as an accountant with one method.

A theorem is allowed only where its premise holds, and the premise is what was fixed before the
first answer was seen:

================  ================================================  ==================
``fixed=``        what was fixed                                    allowed
================  ================================================  ==================
``"nothing"``     each epsilon may depend on earlier answers        basic sums
``"guarantees"``  every epsilon, but not what is asked              also zCDP, loss distribution
``"plan"``        every epsilon, statistic and mechanism            also optimal bounded range
================  ================================================  ==================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, Protocol, get_args

from leastnoise.accounting.bounded_range import LARGEST, optimal_epsilon
from leastnoise.accounting.conversions import Loss, to_approx, to_pure, to_zcdp
from leastnoise.accounting.loss_distribution import SMALLEST_DELTA, distribution_epsilon
from leastnoise.errors import MissingDependencyError, ParameterError, quoted
from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, RandomDP

Fixed = Literal["nothing", "guarantees", "plan"]
FIXED: Final[tuple[Fixed, ...]] = get_args(Fixed)


def parse_fixed(value: object) -> Fixed:
    """What was fixed before the first release: "nothing", "guarantees" or "plan"."""
    for known in FIXED:
        if isinstance(value, str) and value == known:
            return known
    raise ParameterError(f"fixed must be one of {', '.join(map(repr, FIXED))}, got {quoted(value)}")


class Unavailable(ParameterError):
    """A theorem does not apply to these releases; the message says why."""


class Accountant(Protocol):
    """One composition theorem.

    Contract, checked by the conformance tests: more releases never give a smaller epsilon, the
    answer is never above the basic sum where that is valid, and never negative.
    """

    @property
    def name(self) -> str:
        """The theorem, as reports show it."""
        ...

    @property
    def premise(self) -> Fixed:
        """What must have been fixed before the first release."""
        ...

    def epsilon(self, losses: Sequence[Loss], delta: Fraction) -> Fraction:
        """An epsilon for which all releases together are (epsilon, delta)-private.

        Raises
        ------
        Unavailable
            If the theorem does not cover these releases at this delta.
        """
        ...


def spent_delta(losses: Sequence[Loss]) -> Fraction:
    """The deltas that the releases bring with them, added up."""
    return sum(
        (loss.delta for loss in losses if isinstance(loss, (ApproxDP, RandomDP))), Fraction(0)
    )


def _basic(losses: Sequence[Loss], delta: Fraction) -> Fraction | None:
    """The exact sum of epsilons where it is valid, else None."""
    if any(isinstance(loss, ZCDP) for loss in losses) or spent_delta(losses) > delta:
        return None
    return sum((_epsilon(loss) for loss in losses), Fraction(0))


def _epsilon(loss: Loss) -> Fraction:
    return loss.epsilon if isinstance(loss, (ApproxDP, RandomDP)) else to_pure(loss).epsilon


def _capped(epsilon: Fraction, losses: Sequence[Loss], delta: Fraction) -> Fraction:
    """Never worse than the basic sum, never negative."""
    basic = _basic(losses, delta)
    return max(Fraction(0), epsilon if basic is None else min(epsilon, basic))


@dataclass(frozen=True, slots=True)
class Basic:
    """Epsilons and deltas add up. Exact; also for epsilons chosen after seeing answers."""

    name: str = "basic"
    premise: Fixed = "nothing"

    def epsilon(self, losses: Sequence[Loss], delta: Fraction) -> Fraction:
        """The sum."""
        total = _basic(losses, delta)
        if total is not None:
            return total
        if spent_delta(losses) > delta:
            raise Unavailable(
                f"the deltas of the releases add up to {spent_delta(losses)}, above delta {delta}"
            )
        raise Unavailable("a concentrated guarantee has no epsilon to add; use zCDP")


@dataclass(frozen=True, slots=True)
class Concentrated:
    """rho adds up (Bun and Steinke 2016), then the tight conversion at the best order.

    An (epsilon, d)-private release is d-approximately concentrated: its d goes off ``delta``.
    """

    name: str = "zCDP"
    premise: Fixed = "guarantees"

    def epsilon(self, losses: Sequence[Loss], delta: Fraction) -> Fraction:
        """The epsilon of the summed rho at the delta that is left."""
        left = delta - spent_delta(losses)
        if not left > 0:
            raise Unavailable("the conversion needs a delta above the deltas of the releases")
        if not losses:
            return Fraction(0)
        counts = Counter(losses)
        rho = sum((_rho(loss) * count for loss, count in counts.items()), Fraction(0))
        return _capped(to_approx(ZCDP(rho), left).epsilon, losses, delta)


def _rho(loss: Loss) -> Fraction:
    if isinstance(loss, (ApproxDP, RandomDP)):
        loss = ApproxDP(loss.epsilon, Fraction(0), loss.scope)
    return to_zcdp(loss, tight=True).rho


@dataclass(frozen=True, slots=True)
class OptimalBoundedRange:
    """Equal bounded ranges, non-adaptive: Dong, Durfee and Rogers (2020), certified."""

    name: str = "optimal bounded range"
    premise: Fixed = "plan"

    def epsilon(self, losses: Sequence[Loss], delta: Fraction) -> Fraction:
        """The optimum for releases that all have the same bounded range."""
        ranges = {loss.eta for loss in losses if isinstance(loss, BoundedRange)}
        ranged = all(isinstance(loss, BoundedRange) for loss in losses)
        if not (losses and ranged and len(ranges) == 1):
            raise Unavailable("it needs releases that all have the same bounded range")
        if len(losses) > LARGEST:
            raise Unavailable(f"more than {LARGEST} releases take too long to certify")
        eta = ranges.pop()
        found = optimal_epsilon(eta, len(losses), delta)
        return _capped(len(losses) * eta if found is None else found, losses, delta)


@dataclass(frozen=True, slots=True)
class LossDistribution:
    """The privacy loss distribution, by dp-accounting; floating point with a margin."""

    name: str = "privacy loss distribution"
    premise: Fixed = "guarantees"

    def epsilon(self, losses: Sequence[Loss], delta: Fraction) -> Fraction:
        """The epsilon of the composed distribution."""
        if delta < SMALLEST_DELTA:
            raise Unavailable(f"it needs delta >= {float(SMALLEST_DELTA)}")
        if any(isinstance(loss, ZCDP) for loss in losses):
            raise Unavailable("a concentrated guarantee has no dominating pair")
        if not losses:
            return Fraction(0)
        plain = [
            ApproxDP(loss.epsilon, loss.delta, loss.scope) if isinstance(loss, RandomDP) else loss
            for loss in losses
        ]
        try:
            return _capped(distribution_epsilon(plain, delta), losses, delta)
        except (MissingDependencyError, ParameterError) as error:
            raise Unavailable(str(error)) from None


ACCOUNTANTS: Final[tuple[Accountant, ...]] = (
    Basic(),
    OptimalBoundedRange(),
    Concentrated(),
    LossDistribution(),
)
