"""Private selection among declared candidates: the exponential mechanism, permute and flip."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from leastnoise.errors import ParameterError
from leastnoise.guarantees import BoundedRange, Guarantee, Scope
from leastnoise.laws import Law, PermuteAndFlipLaw, SelectionLaw
from leastnoise.mechanisms.inverse_sensitivity import InverseSensitivity
from leastnoise.mechanisms.mechanism import PureMechanism
from leastnoise.params import parse_epsilon
from leastnoise.profiles import Profile, Scores


@dataclass(frozen=True, slots=True)
class Exponential(PureMechanism):
    """Choose candidate r with probability proportional to exp(epsilon s_r / (2 Delta)).

    On ``Scores`` that are monotone, or that are distances of two candidates, the factor is epsilon
    / Delta. On the profile of a number every point of the output lattice is a candidate, and its
    score is minus the number of records that must change: that is ``InverseSensitivity()``.

    Raises
    ------
    ParameterError, ParameterTypeError
        From ``law``, for an invalid epsilon, for scores that are not exact numbers, for a vector,
        and for a number without a finite range.

    Notes
    -----
    Guarantee: epsilon-DP, and epsilon-bounded range but for the distances of two candidates, where
    the range is 2 epsilon. Condition: the neighbour law of ``Scores`` (or of a profile), and
    ``monotone`` only with a proof. Source: McSherry and Talwar (2007);
    ``docs/proofs/selection.md``.
    """

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return "Exponential()"

    def law(self, profile: Profile | Scores, epsilon: object) -> Law:
        """NOT PRIVATE. The law of the choice."""
        if isinstance(profile, Scores):
            exponent = parse_epsilon(epsilon)
            costs, rate = _costs_and_rate(profile, exponent)
            if profile.binary and not profile.monotone:
                rate *= 2
            return SelectionLaw(costs, rate, profile.candidates)
        return InverseSensitivity().law(profile, epsilon)

    def strongest(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        """epsilon-bounded range, which implies epsilon-DP and composes better."""
        return BoundedRange(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        """Levels read of a profile, from public parameters only."""
        return InverseSensitivity().depth(epsilon, range_bits)


@dataclass(frozen=True, slots=True)
class PermuteAndFlip(PureMechanism):
    """Choose by coins: in random order, the first success of probability exp(-epsilon d_r / 2).

    d_r is the distance of the score from the best one, in units of Delta. On ``Scores`` that are
    monotone the exponent is epsilon d_r. Its expected score is never below that of ``Exponential``.

    Raises
    ------
    ParameterError, ParameterTypeError
        From ``law``, for an invalid epsilon, for scores that are not exact numbers, and for
        anything that is not ``Scores``.

    Notes
    -----
    Guarantee: epsilon-DP, and nothing stronger: it has no epsilon-bounded range. It chooses as the
    largest score with exponential noise of mean 2 Delta / epsilon would. Needs ``Scores``. Source:
    McKenna and Sheldon (2020); Ding et al. (2021); ``docs/proofs/selection.md``.
    """

    @property
    def name(self) -> str:
        """The mechanism as shown in a record."""
        return "PermuteAndFlip()"

    def law(self, profile: Profile | Scores, epsilon: object) -> Law:
        """NOT PRIVATE. The law of the choice."""
        exponent = parse_epsilon(epsilon)
        if not isinstance(profile, Scores):
            raise ParameterError(
                "PermuteAndFlip() chooses among declared candidates by their scores, but this "
                "statistic is a number; use InverseSensitivity() or PiecewiseLaplace()"
            )
        costs, rate = _costs_and_rate(profile, exponent)
        return PermuteAndFlipLaw(costs, rate, profile.candidates)


def _costs_and_rate(scores: Scores, epsilon: Fraction) -> tuple[object, Fraction]:
    """Costs in integers and the exponent of one unit of cost."""
    costs, sensitivity = scores.costs()
    return costs, epsilon / sensitivity / (1 if scores.monotone else 2)
