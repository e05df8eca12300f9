"""The geometry of sensitivity: norm balls, sensitivity spaces, and how balls compare.

For whoever needs noise of a K-norm mechanism::

    ball = geometry.LpBall("inf", 3)                 # or geometry.moment_ball("tri", space)
    noise = ball.noise(epsilon / sensitivity, randomness.active())        # exact numbers in
    noise.enclose(64)       # of every coordinate v integers low <= 2**64 v <= high <= low + 4
    noise.round_to(units)   # of every coordinate floor(v / unit + 1/2), of the same draw

``noise`` is one draw of the density proportional to exp(-rate ||v||_K) as a *real* vector
(``leastnoise.sampling.reals.RealVector``). Ask for as many bits as are needed, as often as needed:
the answers are nested, all of one and the same draw, and nothing in them was decided by a float.

* norm balls: ``LpBall``, ``Polytope``, ``Ellipsoid``, ``Linear``,
  ``Intersection``, ``Product``, ``Custom``, each with ``norm``, ``bound`` (exact),
  ``contains`` (exact), ``support``, ``volume``, ``sensitivity(points)``, ``uniform``, ``noise``;
* second moments: ``MomentSpace`` says where sums, squares and cross products stand, and
  ``moment_ball`` gives balls of sensitivity 1 for them ("linf", "paper", "plus", "tri",
  "cycles", "sdp", "blocks"); ``MomentCone`` has a ``noise`` of the same kind that is no ball's
  and is drawn without rejection;
* ``SensitivitySpace`` and its convex hull; ``histogram_space``, ``marginals_space``,
  ``moment_hull``;
* ``compare``, ``is_contained``, ``entropy``, ``conditional_variance``,
  ``expected_loss``, ``coordinate_rms``, ``estimate_volume``, ``volume_ratio``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise._lazy import lazy_names

if TYPE_CHECKING:
    from leastnoise.geometry.ball import Ball
    from leastnoise.geometry.combined import Custom, Intersection, Linear, Product
    from leastnoise.geometry.cone import MomentCone
    from leastnoise.geometry.hulls import moment_hull
    from leastnoise.geometry.lp import Ellipsoid, LpBall
    from leastnoise.geometry.measure import VolumeEstimate, estimate_volume, volume_ratio
    from leastnoise.geometry.moments import MomentSpace, moment_ball
    from leastnoise.geometry.orders import (
        Comparison,
        compare,
        conditional_variance,
        coordinate_rms,
        entropy,
        expected_loss,
        is_contained,
        lp_balls,
    )
    from leastnoise.geometry.polytope import Polytope
    from leastnoise.geometry.space import SensitivitySpace, histogram_space, marginals_space

__getattr__ = lazy_names(
    __name__,
    {
        "ball": ("Ball",),
        "combined": ("Custom", "Intersection", "Linear", "Product"),
        "cone": ("MomentCone",),
        "hulls": ("moment_hull",),
        "lp": ("Ellipsoid", "LpBall"),
        "measure": ("VolumeEstimate", "estimate_volume", "volume_ratio"),
        "moments": ("MomentSpace", "moment_ball"),
        "orders": (
            "Comparison",
            "compare",
            "conditional_variance",
            "coordinate_rms",
            "entropy",
            "expected_loss",
            "is_contained",
            "lp_balls",
        ),
        "polytope": ("Polytope",),
        "space": ("SensitivitySpace", "histogram_space", "marginals_space"),
    },
)

__all__ = [
    "Ball",
    "Comparison",
    "Custom",
    "Ellipsoid",
    "Intersection",
    "Linear",
    "LpBall",
    "MomentCone",
    "MomentSpace",
    "Polytope",
    "Product",
    "SensitivitySpace",
    "VolumeEstimate",
    "compare",
    "conditional_variance",
    "coordinate_rms",
    "entropy",
    "estimate_volume",
    "expected_loss",
    "histogram_space",
    "is_contained",
    "lp_balls",
    "marginals_space",
    "moment_ball",
    "moment_hull",
    "volume_ratio",
]
