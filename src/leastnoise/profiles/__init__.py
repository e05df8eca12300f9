"""Sensitivity profiles: how far a function can move when l records change."""

from leastnoise.profiles.grid import LIMITLESS, GridProfile, on_grid
from leastnoise.profiles.maps import square_root, strided
from leastnoise.profiles.profile import NoisyRatio, Profile, Rational, exact
from leastnoise.profiles.scores import Scores

__all__ = [
    "LIMITLESS",
    "GridProfile",
    "NoisyRatio",
    "Profile",
    "Rational",
    "Scores",
    "exact",
    "on_grid",
    "square_root",
    "strided",
]
