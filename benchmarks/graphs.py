"""Private triangle counts: exact expected errors, then time and memory.

    python benchmarks/graphs.py                     a synthetic graph of 2,000 nodes
    python benchmarks/graphs.py DIR/graph_*.txt.gz  edge lists: two labels a line, also packed
    python benchmarks/graphs.py --epsilon 0.5 ...

Errors are the mean of |answer - triangles| / triangles, from the laws: nothing is drawn. Smooth
Cauchy noise has density proportional to 1 / (1 + |z|^g); for g = 2 its mean is infinite, so its
median error stands beside ours. Times are process CPU times, the least of five runs in turn, of a
whole release and of the plain sparse count of the same array of edges, both from that array.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import leastnoise as ln
from leastnoise.frames.memory.common_neighbours import summarise_graph
from leastnoise.frames.readers.graphs import open_graph
from leastnoise.laws import Law
from leastnoise.profiles import Profile, from_local_sensitivity
from leastnoise.statistics.graphs import _local

DELTA = "1e-6"


@dataclass(frozen=True)
class Graph:
    name: str
    nodes: int
    edges: np.ndarray


def synthetic(nodes: int = 2000, groups: int = 40, seed: int = 1) -> Graph:
    """Communities of falling density, joined by chance: clustered and uneven like real graphs."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, nodes)
    found = [rng.integers(0, nodes, (3 * nodes, 2))]
    for one in range(groups):
        (members,) = np.nonzero(group == one)
        pairs = np.array(np.triu_indices(len(members), 1)).T
        found.append(members[pairs[rng.random(len(pairs)) < 1 / (1 + one / 4)]])
    return Graph("synthetic", nodes, np.concatenate(found))


def read(path: Path) -> Graph:
    edges = np.loadtxt(path, dtype=np.int64)
    labels, places = np.unique(edges, return_inverse=True)
    name = path.name.removeprefix("graph_").split(".")[0]
    return Graph(name, len(labels), places.reshape(edges.shape))


def smooth(p: Profile, rate: float) -> float:
    """max exp(-rate s) A(s)."""
    best, s = 1.0, 0
    while exp(-rate * s) * float(p.sensitivity or 0) > best:
        best = max(best, exp(-rate * s) * float(p.local_sensitivity(s)))
        s += 1
    return best


def median_error(law: Law, centre: int) -> int:
    def inside(distance: int) -> bool:
        return law.cdf(centre + distance) - law.cdf(centre - distance - 1) >= 0.5

    low, high = -1, 0
    while not inside(high):
        low, high = high, 2 * high + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if inside(middle) else (middle, high)
    return high


def errors(graph: Graph, epsilon: float) -> dict[str, float]:
    statistic = ln.TriangleCount(nodes=graph.nodes)
    spec = statistic.spec()
    summary: Any = summarise_graph(open_graph(graph.edges, spec), spec.resolve())
    p = statistic.profile(summary, "edge")
    radius = from_local_sensitivity(
        p.value, _local(summary), support=p.support, sensitivity=p.sensitivity, integral=True
    )
    every = ln.profile(ln.TriangleCount(relabel=True), graph.edges)
    count = int(p.value)

    def mean(mechanism: Any, profile: Profile = p) -> float:
        return mechanism.law(profile, epsilon).mean_absolute_error(centre=count) / count

    return {
        "Laplace": mean(ln.Laplace()),
        "smooth Cauchy, g = 4": sqrt(0.5) * 10 * smooth(p, epsilon / 10) / epsilon / count,
        f"smooth Laplace, delta = {DELTA}": mean(ln.SmoothLaplace(delta=DELTA)),
        "inverse sensitivity": mean(ln.InverseSensitivity()),
        "PLM, radius form": mean(ln.PiecewiseLaplace(), radius),
        "PLM": mean(ln.PiecewiseLaplace()),
        "PLM, every label a node": mean(ln.PiecewiseLaplace(), every),
        "median: smooth Cauchy, g = 2": 6 * smooth(p, epsilon / 6) / epsilon / count,
        "median: PLM": median_error(ln.PiecewiseLaplace().law(p, epsilon), count) / count,
        "triangles": count,
    }


def plain(graph: Graph) -> int:
    one, other = graph.edges.T
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    matrix: Any = csr_array((np.ones(len(ends[0]), np.int32), ends), shape=(graph.nodes,) * 2)
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    matrix.data[:] = 1
    return int((matrix @ matrix).multiply(matrix).sum()) // 6


def times(graph: Graph) -> tuple[float, float]:
    statistic = ln.TriangleCount(nodes=graph.nodes)
    runs: list[tuple[Callable[[], object], list[float]]] = [
        (lambda: plain(graph), []),
        (lambda: ln.release(statistic, graph.edges, epsilon=1), []),
    ]
    for _ in range(5):
        for run, spent in runs:
            start = time.process_time()
            run()
            spent.append(time.process_time() - start)
    return min(runs[0][1]), min(runs[1][1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--epsilon", type=float, default=1.0)
    asked = parser.parse_args()
    graphs = [read(path) for path in asked.files] or [synthetic()]
    found = [(graph, errors(graph, asked.epsilon)) for graph in graphs]
    names = [name for name in found[0][1] if name != "triangles"]
    print(f"Expected relative error at epsilon = {asked.epsilon:g}, per cent\n")
    print("| graph | edges | triangles | " + " | ".join(names) + " |")
    print("|---|" + "---:|" * (len(names) + 2))
    for graph, table in found:
        cells = [format(100 * table[name], ".3g") for name in names]
        edges = ln.profile(ln.EdgeCount(nodes=graph.nodes), graph.edges).value
        print(f"| {graph.name} | {edges:,} | {table['triangles']:,} | " + " | ".join(cells) + " |")
    print("\n| graph | plain sparse count, ms | private count, ms | ratio |\n|---|---:|---:|---:|")
    for graph in graphs:
        base, ours = times(graph)
        print(f"| {graph.name} | {1e3 * base:.1f} | {1e3 * ours:.1f} | {ours / base:.2f} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory of this process: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
