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
    from leastnoise.geometry.ball import Ball as Ball
    from leastnoise.geometry.combined import Custom as Custom
    from leastnoise.geometry.combined import Intersection as Intersection
    from leastnoise.geometry.combined import Linear as Linear
    from leastnoise.geometry.combined import Product as Product
    from leastnoise.geometry.cone import MomentCone as MomentCone
    from leastnoise.geometry.hulls import moment_hull as moment_hull
    from leastnoise.geometry.lp import Ellipsoid as Ellipsoid
    from leastnoise.geometry.lp import LpBall as LpBall
    from leastnoise.geometry.measure import VolumeEstimate as VolumeEstimate
    from leastnoise.geometry.measure import estimate_volume as estimate_volume
    from leastnoise.geometry.measure import volume_ratio as volume_ratio
    from leastnoise.geometry.moment_space import MomentSpace as MomentSpace
    from leastnoise.geometry.moments import moment_ball as moment_ball
    from leastnoise.geometry.orders import Comparison as Comparison
    from leastnoise.geometry.orders import compare as compare
    from leastnoise.geometry.orders import conditional_variance as conditional_variance
    from leastnoise.geometry.orders import coordinate_rms as coordinate_rms
    from leastnoise.geometry.orders import entropy as entropy
    from leastnoise.geometry.orders import expected_loss as expected_loss
    from leastnoise.geometry.orders import is_contained as is_contained
    from leastnoise.geometry.orders import lp_balls as lp_balls
    from leastnoise.geometry.polytope import Polytope as Polytope
    from leastnoise.geometry.space import SensitivitySpace as SensitivitySpace
    from leastnoise.geometry.space import histogram_space as histogram_space
    from leastnoise.geometry.space import marginals_space as marginals_space
else:
    __getattr__, __dir__, __all__ = lazy_names(
        __name__,
        {
            "ball": ("Ball",),
            "combined": ("Custom", "Intersection", "Linear", "Product"),
            "cone": ("MomentCone",),
            "hulls": ("moment_hull",),
            "lp": ("Ellipsoid", "LpBall"),
            "measure": ("VolumeEstimate", "estimate_volume", "volume_ratio"),
            "moment_space": ("MomentSpace",),
            "moments": ("moment_ball",),
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
