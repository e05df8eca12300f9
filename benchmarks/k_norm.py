"""K-norm noise: how much, and how fast beside numpy's unsafe equivalents.

    python benchmarks/k_norm.py               noise of second moments, draws per second, K_T
    python benchmarks/k_norm.py --page        the table of docs/k-norm.md only, no times
    python benchmarks/k_norm.py --volumes     also the hull's share of the paper's ball (minutes)

"Noise" is the root mean square of one coordinate's noise at epsilon = 1 under replace-one, columns
scaled to [-1, 1], squares as 2 z^2 - 1; "ms" is the CPU time of one exact draw, rounded to a
lattice of 2^-40. numpy's draws use doubles and a generator that is not cryptographic: they are
fast and not private. Everything is measured in this one run.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable
from fractions import Fraction
from math import sqrt
from time import process_time
from typing import Any

import numpy as np

from leastnoise import geometry as g
from leastnoise.geometry.cone import cone_rms
from leastnoise.randomness import HashedBits, SystemBits
from leastnoise.sampling.bodies import rejected

UNIT = Fraction(1, 2**40)
SOURCE = SystemBits()
RNG = np.random.default_rng(0)
# Draws of each ball, fewer where one takes long.
SMALL = {"linf": 1500, "paper": 1500, "plus": 600, "tri": 1500, "cycles": 1000, "sdp": 400}
SMALL |= {"blocks": 1500}
LARGE = {"linf": 500, "paper": 400, "blocks": 800}
CALLED = {"l1": "independent Laplace (l1)", "linf": "cube (l∞)", "paper": "paper's K_T"}


def per_call(call: Callable[[], object], seconds: float = 0.6) -> float:
    """CPU milliseconds of one call: the best of three batches."""
    best = float("inf")
    for _ in range(3):
        start, calls = process_time(), 0
        while process_time() - start < seconds / 3:
            call()
            calls += 1
        best = min(best, (process_time() - start) / calls)
    return 1000 * best


def numpy_draw(kind: str, d: int) -> Callable[[], Any]:
    """Algorithms 5, 6 and 7 of the paper in doubles."""
    if kind == "l1":
        return lambda: RNG.laplace(size=d)
    if kind == "linf":
        return lambda: RNG.gamma(d + 1) * RNG.uniform(-1, 1, size=d)

    def l2() -> Any:
        z = RNG.normal(size=d)
        return RNG.gamma(d) * z / np.linalg.norm(z)

    return l2


def lp_speed() -> list[str]:
    lines = ["| ball | d | ours, ms | numpy (unsafe), ms | ratio |", "|---|---:|---:|---:|---:|"]
    for kind, p in (("l1", 1), ("l2", 2), ("linf", "inf")):
        for d in (2, 3, 26, 103):
            ball, units = g.LpBall(p, d), [UNIT] * d
            ours = per_call(lambda b=ball, u=units: b.noise(1, SOURCE).round_to(u))
            theirs = per_call(numpy_draw(kind, d), 0.15)
            lines.append(f"| {kind} | {d} | {ours:.3f} | {theirs:.4f} | {ours / theirs:.0f} |")
    return lines


def moment_sizes(
    features: int, kinds: dict[str, int], *, timed: bool = True
) -> dict[str, tuple[list[float], float]]:
    """p features and one response: noise by kind of coordinate and of all, and milliseconds."""
    space = g.MomentSpace(features + 1, squares=tuple(range(features)))
    first, second, cross = space.places()
    d = space.dimension
    groups = [list(first), list(second.values()), sorted(set(cross.values()))]
    scale = sqrt((d + 1) * (d + 2))
    found: dict[str, tuple[list[float], float]] = {}

    def add(
        name: str, sizes: list[float], draw: Callable[[], object], seconds: float = 0.6
    ) -> None:
        whole = sqrt(sum(len(x) * s * s for x, s in zip(groups, sizes, strict=True)) / d)
        found[name] = [*sizes, whole], per_call(draw, seconds) if timed else 0.0

    units = [UNIT] * d
    # independent Laplace noise of the sensitivity 2 d: the standard deviation is known
    add("l1", [2 * d * sqrt(2)] * 3, lambda: g.LpBall(1, d).noise(1, SOURCE).floats())
    fixed = HashedBits(b"k-norm")  # so that the table comes out again
    for kind, draws in kinds.items():
        ball = g.moment_ball(kind, space)
        points = np.array([ball.uniform(fixed).floats() for _ in range(draws)])
        sizes = [float(scale * np.sqrt((points[:, x] ** 2).mean())) for x in groups]
        add(kind, sizes, lambda b=ball: b.noise(1, SOURCE).round_to(units))
    plain, cone = g.MomentCone(space, triangles=False), g.MomentCone(space)
    sizes = list(cone_rms(features + 1))
    add("cone, no triangles", sizes, lambda: plain.noise(1, SOURCE).round_to(units))
    points = cone.sample_noise(6000, 1.0, RNG)
    sizes = [float(np.sqrt((points[:, x] ** 2).mean())) for x in groups]
    add("cone", sizes, lambda: cone.noise(1, SOURCE).round_to(units), 2)
    return found


def moment_noise(features: int, kinds: dict[str, int]) -> list[str]:
    """Noise by kind of coordinate, and time."""
    lines = [
        f"p = {features}",
        "",
        "| law | first order | square | cross product | all | ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, (sizes, ms) in moment_sizes(features, kinds).items():
        lines.append(f"| {name} | {' | '.join(f'{s:.2f}' for s in sizes)} | {ms:.2f} |")
    return lines


def page() -> list[str]:
    """The table of docs/k-norm.md: noise of a cross product and of all, for 5 and 12 features."""
    both = moment_sizes(5, SMALL, timed=False), moment_sizes(12, LARGE, timed=False)
    lines = [
        "| law | cross product, p = 5 | all, p = 5 | cross product, p = 12 | all, p = 12 |",
        "|---|---:|---:|---:|---:|",
    ]
    for name in both[0]:
        cells = [
            f"{found[name][0][k]:.1f}" if name in found else "-" for found in both for k in (2, 3)
        ]
        lines.append(f"| {CALLED.get(name, name)} | {' | '.join(cells)} |")
    return lines


def paper_ball_speed(features: int = 12) -> str:
    """The sequential sampler of K_T against plain rejection from the cube, both exact."""
    space = g.MomentSpace(features + 1, squares=tuple(range(features)))
    ball = g.moment_ball("paper", space)
    ours = per_call(lambda: ball.uniform(SOURCE), 3)
    tried = [0]
    start, points = process_time(), 0
    while points < 5:
        rejected(ball.half_widths, ball.decide, SOURCE, tried)
        points += 1
    naive = 1000 * (process_time() - start) / points
    return (
        f"K_T, p = {features}: {ours:.2f} ms a point; naive exact rejection {naive:.0f} ms "
        f"({tried[0] / points:.0f} points tried): {naive / ours:.0f} times"
    )


def volumes() -> list[str]:
    """The hull's share of the paper's ball, step by step: cycles, then sdp, then the hull."""
    lines = [
        "| p | cycles / paper | sdp / cycles | hull / sdp | hull / paper | 3 errors | errata |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for p, points, first, second, known in (
        (1, 100_000, 4000, 200, 0.795),
        (2, 100_000, 8000, 150, 0.284),
        (3, 400_000, 12_000, 100, 0.0435),
    ):
        space = g.MomentSpace(p + 1, squares=tuple(range(p)))
        paper, cycles, sdp = (g.moment_ball(kind, space) for kind in ("paper", "cycles", "sdp"))
        drawn = paper.sample(points, np.random.default_rng(p))
        share = float((cycles.norms(drawn) <= 1).mean())
        one, one_error = g.volume_ratio(sdp, cycles, first, seed=p)
        two, two_error = g.volume_ratio(g.moment_hull(space), sdp, second, seed=p)
        whole = share * one * two
        relative = sqrt(
            (1 - share) / share / points + (one_error / one) ** 2 + (two_error / two) ** 2
        )
        steps = f"{share:.4f} | {one:.4f} | {two:.4f} | {whole:.5f}"
        lines.append(f"| {p} | {steps} | {300 * relative:.1f} % | {known} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--volumes", action="store_true", help="measure the hull's volumes too")
    parser.add_argument("--page", action="store_true", help="only the table of docs/k-norm.md")
    options = parser.parse_args()
    if options.page:
        print("\n".join(page()))
        return
    print("\n".join(lp_speed()), "\n")
    print("\n".join(moment_noise(5, SMALL)), "\n")
    print("\n".join(moment_noise(12, LARGE)), "\n")
    print(paper_ball_speed(), "\n")
    if options.volumes:
        print("\n".join(volumes()), "\n")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
