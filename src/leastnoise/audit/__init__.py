"""Audits: every claim attacked by enumeration, and by samples where nothing else is open."""

from leastnoise.audit.adapt import Adapter, Exponents, Mixture, Probabilities
from leastnoise.audit.coverage import MatrixRow, matrix, render
from leastnoise.audit.enumeration import exact, exact_law
from leastnoise.audit.report import ExactReport
from leastnoise.audit.samples import StatisticalReport, statistical

__all__ = [
    "Adapter",
    "ExactReport",
    "Exponents",
    "MatrixRow",
    "Mixture",
    "Probabilities",
    "StatisticalReport",
    "exact",
    "exact_law",
    "matrix",
    "render",
    "statistical",
]
