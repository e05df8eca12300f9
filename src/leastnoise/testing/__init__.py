"""Verdicts on statistics, mechanisms, laws and summaries, and simulation for tests.

Whoever adds one of these to the library, or writes one of their own, gets a verdict in
seconds: a ``PrivacyViolation`` with the smallest counterexample that was found, or a report
of what was checked. A pass is evidence, not a proof: see ``docs/privacy-guarantee.md``.
"""

from leastnoise.testing.law import check_law
from leastnoise.testing.simulate import simulate
from leastnoise.testing.statistic import check_statistic
from leastnoise.testing.violations import PrivacyViolation

__all__ = ["PrivacyViolation", "check_law", "check_statistic", "simulate"]
