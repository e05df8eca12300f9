"""Exact numbers: rationals at the door, certified integer enclosures of exp and log."""

from leastnoise.numbers.definite import is_definite
from leastnoise.numbers.exact import (
    MOST_DIGITS,
    as_fraction,
    exp_enclosure,
    is_short,
    ln2_enclosure,
    log_enclosure,
    round_half_up,
    scaled_exp_enclosure,
    short_text,
)

__all__ = [
    "MOST_DIGITS",
    "as_fraction",
    "exp_enclosure",
    "is_definite",
    "is_short",
    "ln2_enclosure",
    "log_enclosure",
    "round_half_up",
    "scaled_exp_enclosure",
    "short_text",
]
