"""Sensitivity profiles: how far a function moves when l records change."""

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.profiles.combine import clip as clip
    from leastnoise.profiles.combine import maximum as maximum
    from leastnoise.profiles.combine import minimum as minimum
    from leastnoise.profiles.combine import monotone_map as monotone_map
    from leastnoise.profiles.combine import quotient as quotient
    from leastnoise.profiles.combine import scale as scale
    from leastnoise.profiles.combine import shift as shift
    from leastnoise.profiles.combine import tightest as tightest
    from leastnoise.profiles.combine import total as total
    from leastnoise.profiles.equation import from_equation as from_equation
    from leastnoise.profiles.equation import from_lipschitz as from_lipschitz
    from leastnoise.profiles.grid import LIMITLESS as LIMITLESS
    from leastnoise.profiles.grid import GridProfile as GridProfile
    from leastnoise.profiles.grid import on_grid as on_grid
    from leastnoise.profiles.maps import square_root as square_root
    from leastnoise.profiles.maps import strided as strided
    from leastnoise.profiles.profile import Moments as Moments
    from leastnoise.profiles.profile import NoisyRatio as NoisyRatio
    from leastnoise.profiles.profile import Profile as Profile
    from leastnoise.profiles.profile import Rational as Rational
    from leastnoise.profiles.profile import exact as exact
    from leastnoise.profiles.radius import from_local_sensitivity as from_local_sensitivity
    from leastnoise.profiles.radius import from_radius as from_radius
    from leastnoise.profiles.radius import from_steady_sensitivity as from_steady_sensitivity
    from leastnoise.profiles.scores import Scores as Scores
else:
    __getattr__, __dir__, __all__ = lazy_names(
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
            "equation": ("from_equation", "from_lipschitz"),
            "grid": ("LIMITLESS", "GridProfile", "on_grid"),
            "maps": ("square_root", "strided"),
            "profile": ("Moments", "NoisyRatio", "Profile", "Rational", "exact"),
            "radius": ("from_local_sensitivity", "from_radius", "from_steady_sensitivity"),
            "scores": ("Scores",),
        },
    )
