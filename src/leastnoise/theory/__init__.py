"""NOT PRIVATE. How far a mechanism is from the least error that any private mechanism can have.

Everything here looks at one data set and says how hard it is: the local modulus, the exact local
minimax risk, the bounds of the papers, and measures of growth and asymmetry. All are for public or
synthetic data. None is ever a release, and all refuse where LEASTNOISE_PRODUCTION is set.
"""

from leastnoise.theory.bounds import (
    asymmetry,
    chain_error,
    growth_ratio,
    minimax_risk,
    modulus,
    theorem_1,
    theorem_2,
    weighted_modulus,
)
from leastnoise.theory.optimality import Optimality, error_ratio, optimality
from leastnoise.theory.step import StepCount, likely_set

__all__ = [
    "Optimality",
    "StepCount",
    "asymmetry",
    "chain_error",
    "error_ratio",
    "growth_ratio",
    "likely_set",
    "minimax_risk",
    "modulus",
    "optimality",
    "theorem_1",
    "theorem_2",
    "weighted_modulus",
]
