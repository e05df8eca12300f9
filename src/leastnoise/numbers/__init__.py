"""Exact numbers: rationals at the door, certified integer enclosures of exp and log."""

from leastnoise.numbers.definite import is_definite
from leastnoise.numbers.exact import (
    as_fraction,
    exp_enclosure,
    ln2_enclosure,
    log_enclosure,
    round_half_up,
    scaled_exp_enclosure,
    short_text,
)

__all__ = [
    "as_fraction",
    "exp_enclosure",
    "is_definite",
    "ln2_enclosure",
    "log_enclosure",
    "round_half_up",
    "scaled_exp_enclosure",
    "short_text",
]
