"""The noise of a linear fit: which ball or cone, by its name and by public facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leastnoise.errors import ParameterError, quoted

if TYPE_CHECKING:
    from leastnoise.geometry import Ball, MomentCone, MomentSpace

# Up to so many features "sdp" is drawn in some 0.1 s; it has the least noise there.
_SEMIDEFINITE = 5


def kind_of(ball: object, columns: int, counted: bool) -> str:
    """The kind of noise by its name; "auto" depends on public facts alone."""
    from leastnoise.geometry.moments import KINDS

    if isinstance(ball, str) and ball == "auto":
        return "sdp" if columns <= _SEMIDEFINITE and not counted else "cone"
    if not isinstance(ball, str) or ball not in (*KINDS, "cone"):
        names = ", ".join(("auto", "cone", *KINDS))
        raise ParameterError(f"ball must be one of {names}, got {quoted(ball)}")
    return ball


def noise_of(kind: str, space: MomentSpace, *, counted: bool, alone: bool) -> Ball | MomentCone:
    """What draws the noise of the count (where it is private) and of T."""
    from leastnoise.geometry import LpBall, MomentCone, Product

    if kind == "cone":
        return MomentCone(space, count=counted)
    ball = ball_of(kind, space, alone=alone)
    ball.check_sampler()
    if not counted:
        return ball
    parts = [(LpBall("inf", 1), [0]), (ball, range(1, space.dimension + 1))]
    return Product(parts, name=f"count and {ball.name}")


def ball_of(kind: str, space: MomentSpace, *, alone: bool) -> Ball:
    """A ball that holds the differences of two records, or (``alone``) every record's own moments.

    A record's own moments lie in the box of ``space.reach``, without groups [-1, 1]^d, half of the
    cube that holds the differences: no curved ball is as small in the norm of the box.
    """
    from leastnoise.geometry import Linear, LpBall, moment_ball

    if not alone:
        return moment_ball(kind, space)
    d = space.dimension
    if kind == "l1":
        return LpBall(1, d).scaled(sum(space.reach))
    cube = LpBall("inf", d)
    if max(space.reach) == 1:
        return cube
    return Linear([[r * (i == j) for j in range(d)] for i, r in enumerate(space.reach)], cube)
