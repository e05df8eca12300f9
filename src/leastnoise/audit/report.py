"""What an exact audit found, and what its pass does not prove."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from typing import Any

from leastnoise.audit.losses import Number
from leastnoise.foreign import is_list_or_tuple
from leastnoise.guarantees import Guarantee

# An enclosure that holds the claim and is narrower than this counts as attaining it.
_ATTAINED = Fraction(1, 2**40)

MEASURES = {
    "pure": "worst log-ratio",
    "bounded-range": "worst range of the log-ratio",
    "zcdp": "zCDP rho",
    "approx": "delta",
}

NOT_PROVED_EXACT = (
    "A pass covers this universe and these sizes only; not the sampler's randomness, not running "
    "time, not what happens before the profile (reading, clipping)."
)


@dataclass(frozen=True, slots=True)
class ExactReport:
    """The worst loss over all neighbouring pairs of a small universe.

    Attributes
    ----------
    subject : str
        Statistic and mechanism.
    claim : Guarantee
        What was claimed. ``measure`` says which number of it was audited.
    lo, hi : Fraction or float
        Certified ends: the worst value lies in [lo, hi]. Equal when it is known exactly; inf where
        an output of one data set is impossible for its neighbour.
    claimed : Fraction
        The number that must not be exceeded.
    pair : tuple of two data sets, or None
        Where the worst value is attained; None if there was no pair.
    output : object
        The output where it is attained, in the user's units; None where a set of outputs matters.
    pairs, datasets : int
        How many neighbouring pairs and data sets were compared.
    relation, universe, n, sampled
        What was enumerated; ``sampled`` when the pairs were drawn at random.
    reason : str
        Why the loss is infinite or the audit failed, where the numbers do not say it.
    """

    subject: str
    claim: Guarantee
    measure: str
    lo: Number
    hi: Number
    claimed: Fraction
    pair: tuple[tuple[Any, ...], tuple[Any, ...]] | None
    output: object
    pairs: int
    datasets: int
    relation: str
    universe: tuple[Any, ...]
    n: int
    sampled: bool = False
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether the claim holds on every pair (or is attained within 2^-40)."""
        return self.hi <= self.claimed or self.attained

    @property
    def attained(self) -> bool:
        """Whether the worst value equals the claim, exactly or within 2^-40."""
        if not self.lo <= self.claimed <= self.hi or self.hi == inf:
            return False
        return Fraction(self.hi) - Fraction(self.lo) < _ATTAINED

    @property
    def slack(self) -> Number:
        """claimed - hi: what the claim leaves unused; negative or -inf for a violation."""
        return -inf if self.hi == inf else self.claimed - Fraction(self.hi)

    @property
    def verdict(self) -> str:
        """One word, or three."""
        if not self.passed:
            return "VIOLATED" if self.lo > self.claimed else "NOT CERTIFIED"
        return "attained" if self.attained else "holds"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; exact numbers as text, infinity as "inf"."""
        return {
            "subject": self.subject,
            "claim": self.claim.to_dict(),
            "measure": self.measure,
            "claimed": str(self.claimed),
            "worst": [number_text(self.lo), number_text(self.hi)],
            "slack": number_text(self.slack),
            "passed": self.passed,
            "verdict": self.verdict,
            "pair": None if self.pair is None else [_json(data) for data in self.pair],
            "output": None if self.output is None else str(self.output),
            "pairs": self.pairs,
            "datasets": self.datasets,
            "relation": self.relation,
            "universe": [str(record) for record in self.universe],
            "n": self.n,
            "sampled": self.sampled,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        how = "random" if self.sampled else "all"
        lines = [
            f"{self.subject}: {self.verdict}",
            f"  claim      {self.claim}",
            f"  {MEASURES[self.measure]:<10} {number_text(self.lo)}"
            + ("" if self.lo == self.hi else f" .. {number_text(self.hi)}")
            + f" of {self.claimed}, slack {number_text(self.slack)}",
            f"  compared   {how} {self.pairs:,} neighbouring pairs of {self.datasets:,} data sets, "
            f"n = {self.n}, over {list(self.universe)}",
        ]
        if self.pair is not None:
            where = "" if self.output is None else f" at output {self.output}"
            lines.append(f"  worst pair {self.pair[0]} against {self.pair[1]}{where}")
        if self.reason:
            lines.append(f"  reason     {self.reason}")
        return "\n".join([*lines, f"  {NOT_PROVED_EXACT}"])


def _json(record: object) -> object:
    """A record in JSON; NaN, infinity and whatever else JSON has no number for are text."""
    if is_list_or_tuple(record):
        return [_json(part) for part in record]
    if isinstance(record, float) and not isfinite(record):
        return str(record)
    return record if isinstance(record, (int, float, str, type(None))) else str(record)


def number_text(value: Number) -> str:
    """Exact text of a short fraction, else six significant digits."""
    if isinstance(value, Fraction) and value.denominator <= 10_000:
        return str(value)
    return f"{float(value):.6g}"
