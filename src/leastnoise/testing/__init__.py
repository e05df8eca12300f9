"""Verdicts on statistics, mechanisms, laws and summaries, and simulation for tests.

Whoever adds one of these to the library, or writes one of their own, gets a verdict in
seconds: a ``PrivacyViolation`` with the smallest counterexample that was found, or a report
of what was checked. A pass is evidence, not a proof: see ``docs/privacy-guarantee.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.testing import entries
from leastnoise.testing.law import check_law
from leastnoise.testing.locality.front_ends import ColumnKind, FrontEnd, check_front_end
from leastnoise.testing.mechanism import check_mechanism
from leastnoise.testing.outcomes import outcomes
from leastnoise.testing.releases import check_release
from leastnoise.testing.samplers import check_samplers
from leastnoise.testing.simulate import simulate
from leastnoise.testing.statistic import check_statistic
from leastnoise.testing.summary import check_summary
from leastnoise.testing.vector_statistic import check_vector
from leastnoise.testing.violations import PrivacyViolation

if TYPE_CHECKING:
    from leastnoise.testing import strategies

__all__ = [
    "ColumnKind",
    "FrontEnd",
    "PrivacyViolation",
    "check_front_end",
    "check_law",
    "check_mechanism",
    "check_release",
    "check_samplers",
    "check_statistic",
    "check_summary",
    "check_vector",
    "entries",
    "outcomes",
    "simulate",
    "strategies",
]


def __getattr__(name: str) -> Any:
    # the strategies need Hypothesis, which nothing else here imports before it is used
    if name == "strategies":
        from importlib import import_module

        return import_module("leastnoise.testing.strategies")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
