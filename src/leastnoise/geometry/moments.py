"""Balls for second moments: sums, squares and cross products of columns scaled to [-1, 1].

``leastnoise.geometry.moment_space`` says which coordinates the vector T(z) of a record z has; all
lie in [-1, 1]. With a public number of rows the constant cancels, so that this is the scaling
of Awan and Slavkovic (section 5.1): differences of two records lie in [-2, 2]^d, and every ball
here has K-norm sensitivity 1 under replace-one: it contains S = {T(z) - T(z')}.

All balls but ``blocks``, ``cycles`` and ``sdp`` are *unconditional*, and all norms but that of
``sdp`` are rational. Written with u for the difference,
K_2 = {|s| <= 2 - 2 (max(|a|, 1) - 1)^2, |a| <= 2} and K_3 = {|a| + |b| + |c| <= 4, each <= 2}:

    l1      |u_1| + ... + |u_d| <= 2 d
    linf    |u| <= 2 in every coordinate
    paper   (u_j, u_jj) in K_2, (u_j, u_k, u_jk) in K_3         (their K_T)
    plus    and (u_jk, u_jj), (u_jk, u_kk) in K_2
    tri     and (u_jk, u_jl, u_kl) in K_3
    cycles  and +-u_jk +-u_kl +-u_lm +-u_mj <= 4 with an odd number of minus signs
    sdp     differences of two points of the moment relaxation (``relaxation``)
    blocks  (u_j, u_jj) in K_2, and the cross products of disjoint groups of up to four columns in
            the exact hull of their differences; groups share no pair, so the ball is a product

The radius of ``l1`` is the sum of the coordinates' sensitivities, as in the paper, whose Remark 5.1
says that it is not exact: with p features and a response, z = (1, ..., 1) and z' = (0, ..., 0, -1)
give 4 p + p (p - 1)/2 + 2 (.75 of it for p = 1, .62 for p = 5). All pairs of a grid for p <= 3, and
a search from 250 starts for p <= 8, gave no more; no proof is known to us that no pair does, so
nothing smaller is used.

Proofs: ``docs/proofs/k-norm.md``, ``docs/proofs/semidefinite-ball.md``. Source: errata 4.4;
``cycles`` and ``blocks`` are ours (``docs/decisions/0008-second-moments-without-a-ball.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike

from leastnoise.errors import ParameterError, quoted
from leastnoise.geometry.ball import Ball, Exact, Floats
from leastnoise.geometry.combined import Intersection, Product
from leastnoise.geometry.designs import cliques
from leastnoise.geometry.lp import LpBall
from leastnoise.geometry.moment_space import MomentSpace, as_space
from leastnoise.randomness import BitSource
from leastnoise.sampling.bodies import Verdict
from leastnoise.sampling.moment_bodies import MomentBody, draw_moments, holds
from leastnoise.sampling.paper_body import draw_paper
from leastnoise.sampling.reals import RealVector

# First-order terms and squares together, so that a draw takes some tenths of a second at most.
_MOST_COORDINATES = {"plus": 17, "tri": 15, "cycles": 13}
KINDS = ("l1", "linf", "paper", "plus", "tri", "cycles", "sdp", "blocks")


def moment_ball(kind: str, space: MomentSpace) -> Ball:
    """A ball of sensitivity 1 for the differences of two records of a moment vector.

    Parameters
    ----------
    kind : "l1", "linf", "paper", "plus", "tri", "cycles", "sdp" or "blocks"
        See the module. From "linf" to "paper", "plus", "tri", "cycles" and "sdp" each is contained
        in the one before; "blocks" is not comparable with them, and is sampled fast in any
        dimension.
    space : MomentSpace
        The columns.

    Returns
    -------
    Ball
        Exact norm, decision and sampler. ``sensitivity`` under replace-one is 1.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the kind is unknown or cannot be sampled for so many columns, or ``space`` is not a
        moment space.

    Notes
    -----
    Every kind holds all differences of two records, so noise of it with Delta = 1 is epsilon-DP
    (``docs/proofs/k-norm.md``, ``docs/proofs/semidefinite-ball.md``). Source: Awan and Slavkovic,
    section 5.1 ("paper"); errata 2 and 4.4 for the smaller ones.

    Examples
    --------
    >>> from leastnoise import geometry
    >>> space = geometry.MomentSpace(2, squares=(0,))
    >>> tri, paper = (geometry.moment_ball(kind, space) for kind in ("tri", "paper"))
    >>> geometry.is_contained(tri, paper)
    True
    """
    space = as_space(space)
    if kind not in KINDS:
        raise ParameterError(f"ball must be one of {', '.join(KINDS)}, got {quoted(kind)}")
    if kind == "l1":
        return LpBall(1, space.dimension).scaled(2 * space.dimension)
    if kind == "linf" or space.degree == 1:  # the first order alone fills its cube
        return LpBall("inf", space.dimension).scaled(2)
    if space.exclusive:
        return _with_groups(kind, space)
    if kind == "sdp":
        from leastnoise.geometry.semidefinite import SemidefiniteBall

        return SemidefiniteBall(space)
    return _blocks(space) if kind == "blocks" else MomentBall(kind, space)


class MomentBall(Ball):
    """One of the balls ``paper``, ``plus``, ``tri``, ``cycles`` of the module, without groups."""

    __slots__ = ("_body", "_kind", "_space")

    def __init__(self, kind: str, space: MomentSpace) -> None:
        self._kind, self._space = kind, space
        self._body = _body(kind, space)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._space.dimension

    @property
    def name(self) -> str:
        """The ball as a record shows it."""
        return f"{self._kind}, d={self.dimension}"

    def content(self) -> tuple[object, ...] | None:
        """The kind and the space."""
        space = self._space
        whole = (space.columns, space.squares, space.exclusive, space.degree)
        return (self._kind, *whole, self._body.order)

    @property
    def orthant_monotone(self) -> bool:
        """All constraints but those of cycles are on sizes, and grow with them."""
        return not self._body.cycles

    def bound(self, point: Sequence[Exact]) -> Fraction:
        """The norm: the largest over coordinates and constraints."""
        u = [Fraction(x) for x in point]
        found = [max(abs(x) for x in u) / 2]
        found += [_pair_norm(abs(u[a]), abs(u[s])) for a, s in self._body.pairs]
        found += [sum((abs(u[i]) for i in t), Fraction(0)) / 4 for t in self._body.triples]
        found += [_cycle_norm([u[i] for i in c]) for c in self._body.cycles]
        return max(found)

    def box_sensitivity(self, widths: Sequence[Exact]) -> Fraction:
        """The norm of the worst corner; a cycle's worst has one minus sign."""
        worst = [Fraction(abs(w)) for w in widths]
        found = [self.bound(worst)]
        found += [sum((worst[i] for i in c), Fraction(0)) / 4 for c in self._body.cycles]
        return max(found)

    def decide(self, low: Sequence[int], high: Sequence[int], one: int) -> Verdict:
        """Constraint by constraint in integers."""
        if any(a > 2 * one or b < -2 * one for a, b in zip(low, high, strict=True)):
            return False
        found: Verdict = True
        if any(b > 2 * one or a < -2 * one for a, b in zip(low, high, strict=True)):
            found = None
        for constraint in self._body.constraints:
            verdict = holds([(low[i], high[i]) for i in constraint], one)
            if verdict is False:
                return False
            if verdict is None:
                found = None
        return found

    @property
    def half_widths(self) -> tuple[Fraction, ...]:
        """The cube [-2, 2]^d."""
        return (Fraction(2),) * self.dimension

    def check_sampler(self) -> None:
        """Refuse more columns than rejection in sequence can take (some tenths of a second)."""
        m, squares = self._space.columns, len(self._space.squares or ())
        most = _MOST_COORDINATES.get(self._kind)
        if most is not None and m + squares > most:
            raise ParameterError(
                f"ball {self._kind!r} cannot be drawn from in reasonable time with {m} columns "
                f"and {squares} squares, only up to {most} of both together: use 'blocks' or the "
                "mechanism ConeLaplace()"
            )

    def uniform(self, source: BitSource) -> RealVector:
        """A uniform point: of K_T by an envelope, of the others by early rejection."""
        if self._kind == "paper":
            return draw_paper(*self._space.places(), source)
        return draw_moments(self._body, source)

    def norms(self, points: ArrayLike) -> Floats:
        """Norms in doubles."""
        u = np.asarray(points, dtype=float)
        size = np.abs(u)
        found = size.max(axis=-1) / 2
        for a, s in self._body.pairs:
            x, y = size[..., a], size[..., s]
            curved = 2 * x * x / np.where(x > y / 2, 4 * x - y, 1.0)
            np.maximum(found, np.where(x > y / 2, curved, y / 2), out=found)
        for i, j, k in self._body.triples:
            np.maximum(found, (size[..., i] + size[..., j] + size[..., k]) / 4, out=found)
        for c in self._body.cycles:
            part = u[..., list(c)]
            total = np.abs(part).sum(axis=-1)
            even = (part < 0).sum(axis=-1) % 2 == 0
            total -= np.where(even, 2 * np.abs(part).min(axis=-1), 0)
            np.maximum(found, total / 4, out=found)
        return found

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """NOT PRIVATE: uniform points in doubles, for studies; by the exact sampler."""
        from leastnoise.randomness import HashedBits

        source = HashedBits(rng.bytes(32))
        return np.array([self.uniform(source).floats() for _ in range(count)])


def _pair_norm(a: Fraction, s: Fraction) -> Fraction:
    """The least t with (a, s) in t K_2: s/2 where a <= s/2, else 2 a^2 / (4 a - s)."""
    return s / 2 if 2 * a <= s else 2 * a * a / (4 * a - s)


def _cycle_norm(u: Sequence[Fraction]) -> Fraction:
    total = sum((abs(x) for x in u), Fraction(0))
    if sum(x < 0 for x in u) % 2 == 0:
        total -= 2 * min(abs(x) for x in u)
    return total / 4


def _body(kind: str, space: MomentSpace) -> MomentBody:
    """The constraints of a kind; coordinates are drawn column by column."""
    first, second, cross = space.places()
    m = space.columns
    order: list[int] = []
    pairs: list[tuple[int, int]] = []
    triples: list[tuple[int, int, int]] = []
    cycles: list[tuple[int, int, int, int]] = []
    for k in range(m):
        order.append(first[k])
        if k in second:
            order.append(second[k])
            pairs.append((first[k], second[k]))
        for j in range(k):
            order.append(cross[j, k])
            triples.append((first[j], first[k], cross[j, k]))
            if kind != "paper":
                pairs += [(cross[j, k], second[i]) for i in (j, k) if i in second]
    if kind in ("tri", "cycles"):
        triples += [
            (cross[j, k], cross[j, l], cross[k, l]) for j, k, l in combinations(range(m), 3)
        ]
    if kind == "cycles":
        # the constant is one more column: a first-order term is its product with the constant
        edge = {**cross, **{(-1, j): first[j] for j in range(m)}}
        edge |= {(j, -1): first[j] for j in range(m)}
        for a, b, c, d in combinations(range(-1, m), 4):
            for w, x, y, z in ((a, b, c, d), (a, b, d, c), (a, c, b, d)):
                cycles.append((edge[w, x], edge[x, y], edge[y, z], edge[z, w]))
    return MomentBody(tuple(order), tuple(pairs), tuple(triples), tuple(cycles))


class _Clique(MomentBall):
    """The exact hull of the differences of the cross products of up to four columns."""

    __slots__ = ()

    def __init__(self, columns: int) -> None:
        self._kind, self._space = "clique", MomentSpace(columns, squares=())
        edge = {pair: i for i, pair in enumerate(combinations(range(columns), 2))}
        edge |= {(k, j): i for (j, k), i in edge.items()}
        triples = [
            (edge[a, b], edge[a, c], edge[b, c]) for a, b, c in combinations(range(columns), 3)
        ]
        cycles = [
            (edge[w, x], edge[x, y], edge[y, z], edge[z, w])
            for a, b, c, d in combinations(range(columns), 4)
            for w, x, y, z in ((a, b, c, d), (a, b, d, c), (a, c, b, d))
        ]
        size = columns * (columns - 1) // 2
        self._body = MomentBody(tuple(range(size)), (), tuple(triples), tuple(cycles))

    @property
    def dimension(self) -> int:
        """The number of pairs."""
        return len(self._body.order)


def clique_ball(columns: int) -> Ball:
    """The exact hull of the differences of the cross products of two, three or four columns."""
    return _Clique(columns)


def _blocks(space: MomentSpace) -> Product:
    """Disjoint groups of cross products, and each column with its square."""
    first, second, cross = space.places()
    parts: list[tuple[Ball, Sequence[int]]] = []
    for j in range(space.columns):
        if j in second:
            parts.append((_column_ball(), (first[j], second[j])))
        else:
            parts.append((LpBall("inf", 1).scaled(2), (first[j],)))
    for clique in cliques(space.columns):
        parts.append((clique_ball(len(clique)), [cross[p] for p in combinations(clique, 2)]))
    return Product(parts, name=f"blocks, d={space.dimension}")


def _column_ball() -> MomentBall:
    """K_2: one column and its square."""
    return MomentBall("paper", MomentSpace(1))


def _with_groups(kind: str, space: MomentSpace) -> Product:
    """The ball of the free columns, and small balls for indicators that exclude each other.

    A record has at most one 1 in a group. So the first order of a group differs by at most 2 in
    two places, x_j z_k over the group is one number of size at most 1 (the differences have l1
    norm at most 2), and 2 x_j x_k over two groups is one 2 (l1 norm at most 4, each at most 2).
    """
    first, second, cross = space.places()
    group = space.group
    free = [j for j in range(space.columns) if j not in group]
    parts: list[tuple[Ball, Sequence[int]]] = []
    if free:
        inner = MomentSpace(len(free), tuple(i for i, j in enumerate(free) if j in second))
        places = [first[j] for j in free] + [second[j] for j in free if j in second]
        places += [cross[p] for p in combinations(free, 2)]
        parts.append((moment_ball(kind, inner), places))
    for members in space.exclusive:
        parts.append((_at_most_two(len(members)), [first[j] for j in members]))
        for k in free:
            ball = LpBall(1, len(members)).scaled(2)
            parts.append((ball, [cross[j, k] for j in members]))
    for one, two in combinations(space.exclusive, 2):
        places = [cross[j, k] for j, k in product(one, two)]
        parts.append((_at_most_two(len(places)), places))
    return Product(parts, name=f"{kind} with groups, d={space.dimension}")


def _at_most_two(size: int) -> Ball:
    """|u_j| <= 2 and sum |u_j| <= 4."""
    cube: Ball = LpBall("inf", size).scaled(2)
    return cube if size <= 2 else Intersection(LpBall(1, size).scaled(4), cube)
