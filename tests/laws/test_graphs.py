"""Graphs: every graph on five nodes, in exact arithmetic, and what breaks each condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.frames.memory.common_neighbours import summarise_graph
from leastnoise.frames.readers.graphs import open_graph
from leastnoise.profiles import Profile, from_local_sensitivity, from_steady_sensitivity
from leastnoise.statistics import graphs
from leastnoise.statistics.graphs import _local
from leastnoise.summaries.graphs import TriangleSummary
from leastnoise.testing import PrivacyViolation, check_statistic

FIVE, FOUR = (tuple(combinations(range(n), 2)) for n in (5, 4))
GRAPHS = range(1 << len(FIVE))
LEVELS = range(len(FIVE) + 2)
Edges = list[tuple[int, int]]


def edges_of(graph: int) -> Edges:
    return [edge for i, edge in enumerate(FIVE) if graph >> i & 1]


def summary_of(statistic: Any, edges: Edges) -> Any:
    spec = statistic.spec()
    return summarise_graph(open_graph(edges, spec), spec.resolve())


def profile_of(statistic: Any, edges: Edges) -> Profile:
    return statistic.profile(summary_of(statistic, edges), "edge")


def triangles(edges: Edges) -> int:
    known = set(edges)
    return sum({(a, b), (a, c), (b, c)} <= known for a, b, c in combinations(range(5), 3))


def stars(k: int) -> Callable[[Edges], int]:
    def count(edges: Edges) -> int:
        return sum(comb(sum(node in edge for edge in edges), k) for node in range(5))

    return count


@cache
def balls(count: Callable[[Edges], int]) -> tuple[list[int], np.ndarray, np.ndarray]:
    """By brute force: all values, and the least and the largest within every distance."""
    values = np.array([count(edges_of(graph)) for graph in GRAPHS])
    high, low = [values], [values]
    for _ in FIVE:
        steps = [np.arange(len(GRAPHS)) ^ (1 << i) for i in range(len(FIVE))]
        high.append(np.max([high[-1], *(high[-1][step] for step in steps)], axis=0))
        low.append(np.min([low[-1], *(low[-1][step] for step in steps)], axis=0))
    return values.tolist(), np.array(low), np.array(high)


TWO_STARS, THREE_STARS = stars(2), stars(3)
COUNTS = [
    (ln.TriangleCount(nodes=5), triangles),
    (ln.KStarCount(k=2, nodes=5), TWO_STARS),
    (ln.KStarCount(k=3, nodes=5), THREE_STARS),
    (ln.EdgeCount(nodes=5), len),
]


@pytest.mark.parametrize(("statistic", "count"), COUNTS, ids=lambda x: getattr(x, "k", None))
def test_bounds_hold_on_every_graph_of_five_nodes(statistic: Any, count: Any):
    """Values, bounds and sensitivity are what brute force finds, and neighbours keep the law."""
    values, low, high = balls(count)
    read = []
    for graph in GRAPHS:
        p = profile_of(statistic, edges_of(graph))
        assert p.value == values[graph]
        read.append(([p.upper(l) for l in LEVELS], [p.lower(l) for l in LEVELS]))
    uppers, lowers = (np.array(side) for side in zip(*read, strict=True))
    assert (uppers[:, : len(high)] >= high.T).all()
    assert (lowers[:, : len(low)] <= low.T).all()
    if count in (len,):
        assert (uppers[:, : len(high)] == high.T).all()
        assert (lowers[:, : len(low)] == low.T).all()
    # an edge more is the other way an edge less
    assert profile_of(statistic, edges_of(0)).sensitivity == (high[1] - high[0]).max()
    for i in range(len(FIVE)):
        other = np.arange(len(GRAPHS)) ^ (1 << i)
        assert (uppers[other, :-1] <= uppers[:, 1:]).all()
        assert (lowers[other, :-1] >= lowers[:, 1:]).all()


def test_local_sensitivity_is_exact_at_every_distance():
    """Nissim, Raskhodnikova and Smith's formula equals brute force on all 1,024 graphs."""
    values = np.array(balls(triangles)[0])
    places = np.arange(len(GRAPHS))
    steps = [places ^ (1 << i) for i in range(len(FIVE))]
    expected = [np.max([abs(values - values[step]) for step in steps], axis=0)]
    for _ in range(5):
        before = expected[-1]
        expected.append(np.max([before, *(before[step] for step in steps)], axis=0))
    for graph in GRAPHS:
        p = profile_of(ln.TriangleCount(nodes=5), edges_of(graph))
        assert [p.local_sensitivity(s) for s in range(6)] == [e[graph] for e in expected]


@pytest.mark.parametrize("make", [ln.TriangleCount, ln.KStarCount, ln.EdgeCount])
def test_every_label_is_one_of_very_many_nodes(make: Any):
    """Whatever the labels: the values of five nodes, bounds as wide as brute force, and one profile
    for all labels, in which nothing but the edges is seen."""
    values, low, high = balls({"TriangleCount": triangles, "KStarCount": TWO_STARS}.get(
        make.__name__, len))  # fmt: skip
    names = [("zoe", 10**15, "3", "_", "é"), (1, 2, 3, 4, 5)]
    for graph in GRAPHS[::5]:
        edges = edges_of(graph)
        one, other = (
            profile_of(make(relabel=True), [(to[a], to[b]) for a, b in edges[::step]])
            for to, step in zip(names, (1, -1), strict=True)
        )
        told = [(one.lower(l), one.upper(l)) for l in LEVELS]
        assert one.value == values[graph]
        assert (
            one.sensitivity == other.sensitivity == profile_of(make(relabel=True), []).sensitivity
        )
        assert told == [(other.lower(l), other.upper(l)) for l in LEVELS]
        for l in range(len(high)):
            assert told[l][0] <= low[l][graph]
            assert told[l][1] >= high[l][graph]


@pytest.mark.parametrize("make", [ln.TriangleCount, ln.KStarCount])
def test_a_count_of_every_label_ends_and_keeps_the_law(make: Any, monkeypatch: pytest.MonkeyPatch):
    """As if no memory held more than three nodes that are all joined."""
    values, low, high = balls({ln.TriangleCount: triangles, ln.KStarCount: TWO_STARS}[make])
    monkeypatch.setattr(graphs, "_LARGEST", 3)
    most = {ln.TriangleCount: 1, ln.KStarCount: 3}[make]
    read = []
    for graph in GRAPHS:
        p = profile_of(make(relabel=True), edges_of(graph))
        assert (p.value, p.support) == (min(most, values[graph]), (0, most))
        read.append(([p.upper(l) for l in LEVELS], [p.lower(l) for l in LEVELS]))
    uppers, lowers = (np.array(side) for side in zip(*read, strict=True))
    assert (uppers[:, : len(high)] >= np.minimum(high.T, most)).all()
    assert (lowers[:, : len(low)] <= np.minimum(low.T, most)).all()
    for i in range(len(FIVE)):
        other = np.arange(len(GRAPHS)) ^ (1 << i)
        assert (uppers[other, :-1] <= uppers[:, 1:]).all()
        assert (lowers[other, :-1] >= lowers[:, 1:]).all()


@pytest.mark.nightly
def test_every_label_is_private_on_every_graph_of_five_nodes():
    names = [(f"n{a}", f"n{b}") for a, b in FIVE]
    report = audit_of(ln.TriangleCount(relabel=True), ln.PiecewiseLaplace(), names)
    assert report.passed, report
    assert (report.datasets, report.pairs) == (1024, 5120)


def naive_local(edges: Edges, n: int, distance: int) -> int:
    near = {node: {a + b - node for a, b in edges if node in (a, b)} for node in range(n)}
    best = 0
    for i, j in combinations(range(n), 2):
        shared, single = len(near[i] & near[j]), len((near[i] ^ near[j]) - {i, j})
        best = max(best, min(shared + (distance + min(distance, single)) // 2, n - 2))
    return best


@pytest.mark.parametrize("n", [2, 3, 9, 14])
@pytest.mark.parametrize("density", [0, 0.05, 0.2, 0.6, 1])
def test_the_sparse_summary_equals_all_pairs(n: int, density: float):
    rng = np.random.default_rng(n)
    for _ in range(6):
        edges = [edge for edge in combinations(range(n), 2) if rng.random() < density]
        p = profile_of(ln.TriangleCount(nodes=n), edges)
        found = [p.local_sensitivity(s) for s in range(3 * n)]
        assert found == [naive_local(edges, n, s) for s in range(3 * n)]


def test_blocks_and_empty_nodes_change_nothing(monkeypatch: pytest.MonkeyPatch):
    from leastnoise.frames.memory import common_neighbours

    rng = np.random.default_rng(3)
    edges = rng.integers(0, 60, (300, 2))
    statistic = ln.TriangleCount(nodes=60)
    whole = summary_of(statistic, edges)
    monkeypatch.setattr(common_neighbours, "_WORK", 50)
    assert summary_of(statistic, edges) == whole
    monkeypatch.setattr(common_neighbours, "_DENSE", -(10**6))
    assert summary_of(statistic, edges) == whole
    far = summary_of(ln.TriangleCount(nodes=2**31 - 1), edges * 35_000_000)
    assert replace(far, nodes=60, frontier=()) == replace(whole, frontier=())


def test_many_nodes_use_wide_integers():
    """Past 2**15 nodes with an edge the packed product needs 64 bits."""
    n = 40_000
    ring = np.arange(n)
    edges = np.concatenate(
        [np.stack([ring, (ring + step) % n], axis=1) for step in (1, 2)]
    )  # every node with its two neighbours on either side: n triangles
    p = profile_of(ln.TriangleCount(nodes=n), edges)
    assert (p.value, p.local_sensitivity(0)) == (n, 2)


MECHANISMS = [
    ln.PiecewiseLaplace(),
    ln.InverseSensitivity(),
    ln.Laplace(),
    ln.SmoothLaplace(delta="1e-6"),
    ln.AsymmetricSensitivity(beta=2, scale=2),
]


@pytest.mark.share(1 / 3)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
def test_triangles_are_private_on_every_graph_of_five_nodes(mechanism: Any):
    report = audit_of(ln.TriangleCount(nodes=5), mechanism)
    assert report.passed, report
    assert (report.datasets, report.pairs) == (1024, 5120)


def audit_of(statistic: Any, mechanism: Any, universe: Any = FIVE) -> Any:
    return audit.exact(
        statistic, mechanism, universe=universe, n=10, relation="edge", epsilon=1, build=list
    )


@dataclass(frozen=True, slots=True)
class Changed:
    """A count of graphs on four nodes with another profile of its summary."""

    make: Callable[[Any, Profile], Profile]
    count: Any

    def spec(self):
        return self.count.spec()

    def profile(self, summary, relation):
        return self.make(summary, self.count.profile(summary, relation))


TRIANGLES = ln.TriangleCount(nodes=4)


def radius_only(s: TriangleSummary, p: Profile) -> Profile:
    """Corollary 5.1 with the exact local sensitivities."""
    return from_local_sensitivity(
        p.value, _local(s), support=p.support, sensitivity=2, integral=True
    )


def one_number(s: TriangleSummary, p: Profile) -> Profile:
    """Corollary 5.2: the local sensitivity moves by at most 1."""
    return from_steady_sensitivity(
        p.value, _local(s)(0), 1, support=p.support, sensitivity=2, integral=True
    )


@pytest.mark.parametrize("make", [radius_only, one_number])
def test_the_papers_radius_forms_are_private(make: Any):
    assert audit_of(Changed(make, TRIANGLES), ln.PiecewiseLaplace(), FOUR).passed


def largest(tally: Any, level: int) -> int:
    return sum([value for value, count in tally for _ in range(count)][:level])


def no_new_pairs(s: TriangleSummary, p: Profile) -> Profile:
    """Upper bounds without the triangles that two new edges close: no C(l, 2)."""
    return replace(p, upper=lambda l: min(4, p.value + largest(s.apart, l)))


def this_graph_only(s: TriangleSummary, p: Profile) -> Profile:
    """The local sensitivity of this graph at every distance."""
    return from_steady_sensitivity(
        p.value, _local(s)(0), 0, support=p.support, sensitivity=2, integral=True
    )


def too_small(s: TriangleSummary, p: Profile) -> Profile:
    return replace(p, sensitivity=1)


def nodes_of_the_data(s: TriangleSummary, p: Profile) -> Profile:
    """Nodes that have an edge, instead of the declared ones."""
    active = 4 if s.joined else 3
    return replace(p, sensitivity=active - 2, support=(0, comb(active, 3)))


def test_nodes_that_are_counted_in_the_data_are_seen():
    with pytest.raises(PrivacyViolation):
        check_statistic(
            Changed(nodes_of_the_data, ln.TriangleCount(relabel=True)), universe=FOUR, n=6
        )


@pytest.mark.parametrize("make", [no_new_pairs, this_graph_only, too_small, nodes_of_the_data])
def test_what_is_broken_is_seen(make: Any):
    with pytest.raises(PrivacyViolation):
        check_statistic(Changed(make, TRIANGLES), max_examples=0)


def test_a_new_edge_gives_others_new_neighbours():
    """value - T_l(a of edges) alone breaks the neighbour law, on graphs of 20 nodes.

    a and b share w and v; each of their four edges is in two triangles of its own, and two
    triangles stand apart. The edge a-b gives each of the four one common neighbour more.
    """
    a, b, w, v = range(4)
    edges, new = [(a, w), (a, v), (b, w), (b, v)], 4
    for one, other in list(edges):
        for top in (new, new + 1):
            edges += [(one, top), (other, top)]
        new += 2
    for corner in (new, new + 3):
        edges += [(corner, corner + 1), (corner, corner + 2), (corner + 1, corner + 2)]
    statistic = ln.TriangleCount(nodes=20)
    x, other = (summary_of(statistic, graph) for graph in (edges, [*edges, (a, b)]))
    p, q = statistic.profile(x, "edge"), statistic.profile(other, "edge")
    assert (p.value, q.value) == (10, 12)
    assert all(q.lower(l) >= p.lower(l + 1) for l in range(30))
    assert all(p.lower(l) >= q.lower(l + 1) for l in range(30))
    plain = [s.triangles - largest(s.joined, l) for s, l in ((x, 5), (other, 4))]
    assert plain == [1, 0]  # lower(x, 5) and lower(x', 4): the second must not be the smaller


@pytest.mark.parametrize("mechanism", [ln.PiecewiseLaplace(), ln.Laplace()], ids=lambda m: m.name)
def test_broken_bounds_lose_more_than_epsilon(mechanism: Any):
    """Not only the law: the loss itself is above epsilon."""
    make = this_graph_only if mechanism == ln.PiecewiseLaplace() else too_small
    report = audit_of(Changed(make, TRIANGLES), mechanism, FOUR)
    assert report.verdict == "VIOLATED", report


def lone_star(s: Any, p: Profile) -> Profile:
    """l edges raise one node only, as if an edge had one end."""

    def upper(level: int) -> int:
        top = s.degrees[0][0] if s.degrees else 0
        return p.value + comb(min(top + level, 3), 2) - comb(top, 2)

    return replace(p, upper=upper)


def test_an_edge_has_two_ends():
    with pytest.raises(PrivacyViolation, match="neighbour law"):
        check_statistic(Changed(lone_star, ln.KStarCount(nodes=4)), max_examples=0)


@pytest.mark.parametrize(
    "statistic",
    [
        ln.TriangleCount(nodes=7),
        ln.KStarCount(k=3, nodes=[f"n{i}" for i in range(8)]),
        ln.EdgeCount(nodes=2),
        ln.TriangleCount(nodes=1),
    ],
    ids=repr,
)
def test_laws_hold_on_larger_random_graphs(statistic: Any):
    check_statistic(statistic, max_examples=60)


def book(pages: int) -> Edges:
    """Two nodes with this many common neighbours, every edge of which is in a triangle already."""
    edges: Edges = [(end, 2 + page) for page in range(pages) for end in (0, 1)]
    corners = range(2 + pages, 2 + 3 * pages)
    return [
        *edges,
        *(side for a, c in zip(edges, corners, strict=True) for side in ((a[0], c), (a[1], c))),
    ]


def bipartite(one: int, other: int) -> Edges:
    return [(i, one + j) for i in range(one) for j in range(other)]


DENSE: dict[str, Edges] = {
    "book": book(9),
    "two parts": bipartite(4, 6),
    "a part of two": bipartite(2, 12),
    "complete but one": list(combinations(range(9), 2))[1:],
    "star": [(2, i) for i in (0, 1, *range(3, 12))],
}


@pytest.mark.parametrize("graph", DENSE)
@pytest.mark.parametrize(
    "make", [ln.TriangleCount, lambda **how: ln.KStarCount(k=3, **how)], ids=["triangles", "stars"]
)
def test_an_edge_that_many_others_are_beside_keeps_the_laws(make: Any, graph: str):
    """Random graphs have no edge that changes as much."""
    edges = DENSE[graph]
    nodes = 1 + max(max(edge) for edge in edges)
    one, other = (profile_of(make(nodes=nodes), e) for e in (edges, [(0, 1), *edges]))
    for level in range(45):
        for p, q in ((one, other), (other, one)):
            assert p.upper(level) <= q.upper(level + 1)
            assert p.lower(level) >= q.lower(level + 1)


GRAPH_FILES = [
    ("ca_grqc", 48_260),
    ("pgp_giant", 54_788),
    pytest.param("facebook_combined", 1_612_010, marks=pytest.mark.nightly),
    pytest.param("wiki_vote_undirected", 608_389, marks=pytest.mark.nightly),
]


@pytest.mark.parametrize(("name", "expected"), GRAPH_FILES)
def test_counts_of_real_graphs_equal_networkx(shared_data: Any, name: str, expected: int):
    import networkx as nx

    path = shared_data / f"graph_{name}.txt.gz"
    edges = np.loadtxt(path, dtype=np.int64)
    labels = np.unique(edges)
    graph = nx.Graph(edges.tolist())
    assert sum(nx.triangles(graph).values()) // 3 == expected
    for data in (edges, graph, path):
        assert ln.profile(ln.TriangleCount(nodes=labels), data).value == expected
    two = sum(comb(degree, 2) for _, degree in graph.degree())
    assert ln.profile(ln.KStarCount(nodes=labels), edges).value == two
    assert ln.profile(ln.EdgeCount(nodes=labels), edges).value == graph.number_of_edges()


EVERY_MECHANISM = [
    *MECHANISMS,
    ln.InverseSensitivity(rho=1),
    ln.PiecewiseLaplace(rho=1),
    ln.PiecewiseLaplace(base="log"),
    ln.PiecewiseLaplace(shift=1),
    ln.Gaussian(delta="1e-3"),
    ln.AsymmetricSensitivity(beta=2, scale=2, side="down"),
]


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", EVERY_MECHANISM, ids=lambda m: m.name)
def test_every_mechanism_on_every_graph_of_five_nodes(mechanism: Any):
    """Triangles and stars, at small and large epsilon."""
    for statistic in (ln.TriangleCount(nodes=5), ln.KStarCount(nodes=5)):
        for epsilon in ("1/2", 2):
            report = audit.exact(
                statistic,
                mechanism,
                universe=FIVE,
                n=10,
                relation="edge",
                epsilon=epsilon,
                build=list,
            )
            assert report.passed, report


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", MECHANISMS[:2], ids=lambda m: m.name)
def test_triangles_have_bounded_range(mechanism: Any):
    report = audit.exact(
        ln.TriangleCount(nodes=5),
        mechanism,
        universe=FIVE,
        n=10,
        relation="edge",
        epsilon=1,
        build=list,
        measure="bounded-range",
    )
    assert report.passed, report
