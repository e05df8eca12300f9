"""A check of somebody's privacy claim: two neighbours, and three ways to try the claim on them.

*Sampled* takes outputs alone and gives a lower confidence bound on epsilon, *Selected* one on rho
from how often one answer comes out. *Replayed* puts known values in the place of the noise, reads
off where the noise is centred and how wide it is, and computes the loss of that law.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from math import inf, log
from typing import Any, Literal, Protocol

from leastnoise.audit.peers.replay import Additive, gaussian_loss, laplace_loss
from leastnoise.audit.samples import statistical
from leastnoise.errors import ParameterError
from leastnoise.guarantees import ZCDP, ApproxDP, PureDP, Scope

# A hundred checks by samples together accuse wrongly once in a million.
CONFIDENCE = 1 - 1e-8
# A replay reads doubles: it accuses of no less than this share above the claim.
_ROUNDING = 1e-6

Claim = PureDP | ApproxDP | ZCDP
Verdict = Literal["held", "VIOLATED", "not in this version", "not run"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A privacy loss that the pair certainly has (at the confidence, if sampled), and its reason.

    In the claim's own number: epsilon (at the claimed delta), or rho.
    """

    loss: float
    how: str


class Evidence(Protocol):
    """A way to try a claim."""

    def find(self, claim: Claim) -> Finding:
        """The loss that the evidence shows."""
        ...


@dataclass(frozen=True, slots=True)
class Sampled:
    """Outputs of ``release`` at both neighbours; every draw counts, also one that raises."""

    release: Callable[[Any], object]
    pair: tuple[Any, Any]
    draws: int

    def find(self, claim: Claim) -> Finding:
        """The bound of `leastnoise.audit.statistical`."""
        if isinstance(claim, ZCDP):
            raise ParameterError("outputs of any kind are compared by epsilon, not by rho")
        report = statistical(
            self.release, *self.pair, claimed=claim, draws=self.draws, confidence=CONFIDENCE
        )
        mine, theirs = report.counts
        how = f"{report.event}: {mine:,} against {theirs:,} of {report.tested:,} draws"
        return Finding(report.epsilon_lower, how if report.epsilon_lower else "nothing seen")


@dataclass(frozen=True, slots=True)
class Selected:
    """How often ``release`` gives one ``answer`` that was named before any draw.

    zCDP bounds the divergence of order alpha of the outputs by alpha rho; that of one event is no
    larger, and is bounded from below by Clopper-Pearson on both sides.
    """

    release: Callable[[Any], object]
    pair: tuple[Any, Any]
    answer: object
    draws: int
    alpha: float = 2.0

    def find(self, claim: Claim) -> Finding:
        """The lower bound on rho."""
        if not isinstance(claim, ZCDP):
            raise ParameterError("the frequency of one answer is compared by rho")
        hits = [sum(self.release(x) == self.answer for _ in range(self.draws)) for x in self.pair]
        (low, high), (low_prime, high_prime) = (_interval(k, self.draws) for k in hits)
        # the divergence grows as p leaves q: the nearest ends of both intervals
        p, q = (low, high_prime) if low > high_prime else (high, low_prime)
        apart = low > high_prime or high < low_prime
        rho = _divergence(p, q, self.alpha) / self.alpha if apart else 0.0
        shown = f"{self.answer!r}: {hits[0]:,} against {hits[1]:,} of {self.draws:,} draws"
        return Finding(rho, shown)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The laws of both neighbours, read off by ``law`` with the noise replaced.

    Laplace noise for a claim of pure privacy, normal noise for an approximate one.
    """

    law: Callable[[Any], Additive]
    pair: tuple[Any, Any]

    def find(self, claim: Claim) -> Finding:
        """The loss of the two laws."""
        mine, theirs = (self.law(x) for x in self.pair)
        match claim:
            case PureDP():
                return Finding(*laplace_loss(mine, theirs))
            case ApproxDP():
                return Finding(*gaussian_loss(mine, theirs, float(claim.delta)))
            case ZCDP():
                raise ParameterError("replayed laws are compared by epsilon")


@dataclass(frozen=True, slots=True)
class Check:
    """One claim of a library, and the evidence that is to try it.

    Attributes
    ----------
    name : str
        One word or some with hyphens.
    claim : PureDP, ApproxDP or ZCDP
        What the library says of the call.
    call, neighbours : str
        The call, and how the two data sets differ, for a reader.
    source : str
        The public report, or the page that states the claim.
    evidence
        How it is tried.
    needs : str
        The dotted name that the call needs; a version without it is not accused and not cleared.
    """

    name: str
    claim: Claim
    call: str
    neighbours: str
    source: str
    evidence: Evidence
    needs: str = ""

    @property
    def claimed(self) -> float:
        """The number that the loss must not exceed."""
        return float(self.claim.rho if isinstance(self.claim, ZCDP) else self.claim.epsilon)

    def run(self, library: str, release: str) -> Outcome:
        """Try it on the installed version."""
        if self.needs and not _present(self.needs):
            return Outcome(library, release, self, "not in this version", None, self.needs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = self.evidence.find(self.claim)
            except Exception as error:  # it fails on both data sets: this tells nothing
                return Outcome(library, release, self, "not run", None, _short_error(error))
        beyond = found.loss > self.claimed * (1 + _ROUNDING)
        return Outcome(
            library, release, self, "VIOLATED" if beyond else "held", found.loss, found.how
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found in the installed version; ``loss`` is None where it did not run."""

    library: str
    version: str
    check: Check
    verdict: Verdict
    loss: float | None
    how: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; an infinite loss as "inf"."""
        return {
            "library": self.library,
            "version": self.version,
            "check": self.check.name,
            "call": self.check.call,
            "neighbours": self.check.neighbours,
            "claim": self.check.claim.to_dict(),
            "claimed": self.check.claimed,
            "verdict": self.verdict,
            "loss": "inf" if self.loss == inf else self.loss,
            "how": self.how,
            "source": self.check.source,
        }


@dataclass(frozen=True, slots=True)
class Peer:
    """A library: its name on a package index, and its checks."""

    distribution: str
    checks: Sequence[Check]

    def installed(self) -> str | None:
        """The installed version; None if there is none."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None

    def run(self, advance: Callable[[int, int], None] | None = None) -> list[Outcome]:
        """All checks on the version that is installed here.

        Raises
        ------
        ParameterError
            If it is not.
        """
        here = self.installed()
        if here is None:
            raise ParameterError(
                f"{self.distribution} is not installed in this environment: "
                f"pip install {self.distribution}, with the version that you want audited"
            )
        found: list[Outcome] = []
        for check in self.checks:
            found.append(check.run(self.distribution, here))
            if advance is not None:
                advance(len(found), len(self.checks))
        return found


def pure(epsilon: int | str, relation: str = "replace-one") -> PureDP:
    """epsilon-DP for a row."""
    return PureDP(Fraction(epsilon), Scope(relation))


def approximate(epsilon: int | str, delta: str, relation: str = "replace-one") -> ApproxDP:
    """(epsilon, delta)-DP for a row."""
    return ApproxDP(Fraction(epsilon), Fraction(delta), Scope(relation))


def concentrated(rho: int | str, relation: str = "replace-one") -> ZCDP:
    """rho-zCDP for a row."""
    return ZCDP(Fraction(rho), scope=Scope(relation))


def _interval(hits: int, draws: int) -> tuple[float, float]:
    """Clopper-Pearson; the two intervals of a pair are both right at the confidence."""
    from scipy.special import betaincinv

    level = (1 - CONFIDENCE) / 4
    low = float(betaincinv(hits, draws - hits + 1, level)) if hits else 0.0
    high = float(betaincinv(hits + 1, draws - hits, 1 - level)) if hits < draws else 1.0
    return low, high


def _divergence(p: float, q: float, alpha: float) -> float:
    """The Renyi divergence of order alpha of an event of probabilities p and q."""
    terms = [(a, b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0]
    if any(b == 0 for _, b in terms):
        return inf
    return log(sum(a**alpha * b ** (1 - alpha) for a, b in terms)) / (alpha - 1)


def _present(name: str) -> bool:
    """Whether a dotted name is there: modules first, then attributes."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value: object = import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            value = getattr(value, part, None)
        return value is not None
    return False


def _short_error(error: Exception) -> str:
    """The kind of an error and the start of its message; the data sets here are public."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:120]}"
