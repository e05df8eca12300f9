"""What a record says of any release with such an epsilon."""

from __future__ import annotations

from fractions import Fraction

# Below this no table on earth has enough rows for an answer.
_NOISE_ONLY = Fraction(1, 10**6)


def of_epsilon(epsilon: Fraction) -> tuple[str, ...]:
    """Warnings about an epsilon so small that noise is all, or so large that it protects little."""
    if epsilon < _NOISE_ONLY:
        return ("noise swamps the data: epsilon is below 1e-6",)
    return ("weak guarantee: epsilon is above 10",) if epsilon > 10 else ()
