"""Sensitivity profiles: how far a function moves when l records change."""

from leastnoise.profiles.combine import (
    clip,
    maximum,
    minimum,
    monotone_map,
    quotient,
    scale,
    shift,
    tightest,
    total,
)
from leastnoise.profiles.equation import from_equation, from_lipschitz
from leastnoise.profiles.grid import LIMITLESS, GridProfile, on_grid
from leastnoise.profiles.maps import square_root, strided
from leastnoise.profiles.profile import Moments, NoisyRatio, Profile, Rational, exact
from leastnoise.profiles.radius import (
    from_local_sensitivity,
    from_radius,
    from_steady_sensitivity,
)
from leastnoise.profiles.scores import Scores

__all__ = [
    "LIMITLESS",
    "GridProfile",
    "Moments",
    "NoisyRatio",
    "Profile",
    "Rational",
    "Scores",
    "clip",
    "exact",
    "from_equation",
    "from_lipschitz",
    "from_local_sensitivity",
    "from_radius",
    "from_steady_sensitivity",
    "maximum",
    "minimum",
    "monotone_map",
    "on_grid",
    "quotient",
    "scale",
    "shift",
    "square_root",
    "strided",
    "tightest",
    "total",
]
