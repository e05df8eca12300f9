"""Audits: every claim attacked by enumeration, and by samples where nothing else is open."""

from leastnoise.audit.adapt import Exponents, Probabilities
from leastnoise.audit.enumeration import exact, exact_law
from leastnoise.audit.report import ExactReport

__all__ = ["ExactReport", "Exponents", "Probabilities", "exact", "exact_law"]
