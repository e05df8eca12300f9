"""Sensitivity profiles: how far a function moves when l records change."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
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

__getattr__ = lazy_names(
    __name__,
    {
        "combine": (
            "clip",
            "maximum",
            "minimum",
            "monotone_map",
            "quotient",
            "scale",
            "shift",
            "tightest",
            "total",
        ),
        "equation": (
            "from_equation",
            "from_lipschitz",
        ),
        "grid": (
            "LIMITLESS",
            "GridProfile",
            "on_grid",
        ),
        "maps": (
            "square_root",
            "strided",
        ),
        "profile": (
            "Moments",
            "NoisyRatio",
            "Profile",
            "Rational",
            "exact",
        ),
        "radius": (
            "from_local_sensitivity",
            "from_radius",
            "from_steady_sensitivity",
        ),
        "scores": ("Scores",),
    },
)

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
