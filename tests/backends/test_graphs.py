"""One graph through every front end, and all that real edge lists hold beside edges."""

from __future__ import annotations

import gzip
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import leastnoise as ln
from leastnoise.errors import (
    ColumnTypeError,
    LedgerError,
    ParameterError,
    ParameterTypeError,
    ProductionError,
    SchemaError,
)
from leastnoise.testing import check_release
from support.optional import optional

# Two triangles that share the edge 1-2, a tail to 4, and node 5 on its own.
EDGES = [(0, 1), (1, 2), (0, 2), (1, 3), (2, 3), (3, 4)]
NAMES = ["ann", "bob", "cy", "dot", "eve", "flo"]
NAMED = [(NAMES[a], NAMES[b]) for a, b in EDGES]
N = 6


def value(data: Any, nodes: Any = N, *columns: str, **options: Any) -> Any:
    return ln.profile(ln.TriangleCount(*columns, nodes=nodes), data, **options).value


def columns(edges: Any = EDGES) -> dict[str, list[Any]]:
    return {"source": [a for a, _ in edges], "target": [b for _, b in edges]}


def matrix(kind: str) -> Any:
    ends = np.array(EDGES).T
    return sparse.coo_array((np.ones(len(EDGES)), ends), shape=(N, N)).asformat(kind)


def written(path: Path, text: str) -> Path:
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


GRAPHS = {
    "pairs": lambda _: EDGES,
    "lists": lambda _: [list(edge) for edge in EDGES],
    "tuple of pairs": lambda _: tuple(EDGES),
    "set of pairs": lambda _: set(EDGES),
    "numpy": lambda _: np.array(EDGES),
    "numpy unsigned": lambda _: np.array(EDGES, dtype=np.uint64),
    "numpy floats": lambda _: np.array(EDGES, dtype=np.float64),
    "numpy objects": lambda _: np.array(EDGES, dtype=object),
    "networkx": lambda _: nx.Graph(EDGES),
    "networkx directed": lambda _: nx.MultiDiGraph([*EDGES, *EDGES]),
    "mapping": lambda _: columns(),
    "pandas": lambda _: pd.DataFrame(columns()),
    "polars": lambda _: pl.DataFrame(columns()),
    "arrow": lambda _: pa.table(columns()),
    "csr": lambda _: matrix("csr"),
    "coo": lambda _: matrix("coo"),
    "csc matrix": lambda _: sparse.csc_matrix(matrix("csc")),
    "text": lambda d: written(d / "g.txt", "# a comment\n" + text(" ")),
    "text with tabs": lambda d: written(d / "g.edges", "% a comment\n" + text("\t")),
    "packed text": lambda d: written(d / "g.txt.gz", text(" , ")),
    "csv": lambda d: written(d / "g.csv", "source,target\n" + text(",")),
    "parquet": lambda d: parquet(d / "g.parquet"),
}


def text(between: str) -> str:
    return "".join(f"{a}{between}{b}\n" for a, b in EDGES)


def parquet(path: Path) -> Path:
    pl.DataFrame(columns()).write_parquet(path)
    return path


@pytest.mark.parametrize("kind", GRAPHS)
def test_every_front_end_gives_the_same_graph(kind: str, tmp_path: Path):
    data = GRAPHS[kind](tmp_path)
    assert value(data) == 2
    assert ln.profile(ln.EdgeCount(nodes=N), data).value == len(EDGES)
    assert ln.profile(ln.KStarCount(nodes=N), data).value == 1 + 3 + 3 + 3
    assert isinstance(ln.release(ln.TriangleCount(nodes=N), data, epsilon=9).value, int)


@pytest.mark.parametrize(
    "make",
    [
        lambda d: NAMED,
        lambda d: np.array(NAMED),
        lambda d: nx.Graph(NAMED),
        lambda d: pd.DataFrame(columns(NAMED)),
        lambda d: pl.DataFrame(columns(NAMED)),
        lambda d: pa.table(columns(NAMED)),
        lambda d: columns(NAMED),
        lambda d: written(d / "g.txt", "".join(f"{a} {b} 0.5\n" for a, b in NAMED)),
        lambda d: written(d / "g.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in NAMED)),
    ],
)
def test_text_labels(make: Any, tmp_path: Path):
    assert value(make(tmp_path), NAMES) == 2
    assert value(make(tmp_path), NAMES[:3]) == 1  # edges to others are left out
    assert value(make(tmp_path), ["x", "y", "z"]) == 0


def test_rustworkx():
    rx = optional("rustworkx")
    graph = rx.PyGraph()
    graph.add_nodes_from(["gone", *NAMES])
    graph.add_edges_from([(a + 1, b + 1, None) for a, b in EDGES])
    graph.remove_node(0)  # indices 1..6 stay
    assert value(graph, NAMES) == 2
    assert value(graph, 7) == 2
    assert value(graph, 4) == 1  # indices 0..3
    directed = rx.PyDiGraph()
    directed.add_nodes_from(range(N))
    directed.add_edges_from([(b, a, 1) for a, b in EDGES])
    assert value(directed) == 2
    assert value(rx.PyGraph(), 3) == value(rx.PyGraph(), NAMES) == 0


def test_labels_of_any_kind():
    grid = nx.grid_2d_graph(3, 3)
    grid.add_edge((0, 0), (1, 1))  # two triangles
    assert value(grid, list(grid)) == 2
    assert value(grid, grid.nodes) == 2
    large = [(2**60 + a, 2**60 + b) for a, b in EDGES]  # beyond what doubles can tell apart
    labels = [2**60 + i for i in range(N)]
    assert (
        value(large, labels)
        == value(np.array(large), labels)
        == value(np.array(large), np.array(labels))
        == 2
    )
    assert value(columns(large), labels) == 2
    mixed = [7, "b", (1, 2), None, frozenset({3}), Fraction(1, 2)]
    assert value([(mixed[a], mixed[b]) for a, b in EDGES], mixed) == 2
    assert value(EDGES, range(N)) == value(EDGES, range(10)) == 2
    assert value([(a + 5, b + 5) for a, b in EDGES], range(5, 11)) == 2
    assert value(EDGES, [5, 4, 3, 2, 1, 0]) == 2
    assert value([(str(a), str(b)) for a, b in EDGES]) == 2
    assert value([(str(a), str(b)) for a, b in EDGES], list(range(N))) == 2
    assert value([(Decimal(a), float(b)) for a, b in EDGES]) == 2


def test_large_labels_in_a_file(tmp_path: Path):
    labels = [2**60 + i for i in range(N)]
    rows = "".join(f"{labels[a]},{labels[b]}\n" for a, b in EDGES)
    assert value(written(tmp_path / "g.csv", "a,b\n" + rows), labels) == 2
    assert value(written(tmp_path / "g.txt", rows), labels) == 2


class Hostile:
    """A label that fails whatever is asked of it."""

    def __hash__(self) -> int:
        raise RuntimeError("secret")

    def __str__(self) -> str:
        raise RuntimeError("secret")

    def __float__(self) -> float:
        raise RuntimeError("secret")


AWKWARD = [
    (0, 0),  # a loop
    (2, 1),  # the other direction
    (0, 1),
    (0, 1),  # repeats
    (0, 99),
    (-1, 2),  # nodes that are not declared
    (0, None),
    (float("nan"), 1),
    (1, float("inf")),
    (0.5, 1),
    ("x", "y"),
    ([1], {2: 3}),  # cannot be hashed
    (Hostile(), 3),
    (0, 10**400),
    (1,),
    (),
    None,
    "01",
    7,
    (4, 5, {"weight": 2}),
    [2, 4, 0.5],
    np.array([0, 4]),
]


@pytest.mark.parametrize("nodes", [N, NAMES, list(range(N))], ids=["number", "text", "numbers"])
def test_what_is_no_edge_is_left_out(nodes: Any):
    base = NAMED if nodes is NAMES else EDGES
    plain = ln.profile(ln.EdgeCount(nodes=nodes), base).value
    found = ln.profile(ln.EdgeCount(nodes=nodes), [*base, *AWKWARD]).value
    assert found == plain + (0 if nodes is NAMES else 3)  # 4-5, 2-4 and 0-4
    for entry in AWKWARD:  # and none of them raises on its own
        ln.release(ln.TriangleCount(nodes=nodes), [entry], epsilon=1)
    array = np.empty(len(AWKWARD), dtype=object)
    array[:] = AWKWARD
    ln.release(ln.TriangleCount(nodes=nodes), array, epsilon=1)


@pytest.mark.parametrize(
    "data",
    [
        [],
        (),
        set(),
        np.array([]),
        np.empty((0, 2)),
        {"a": [], "b": []},
        nx.Graph(),
        nx.empty_graph(3),
        sparse.csr_array((3, 3)),
        pd.DataFrame({"a": [], "b": []}),
    ],
    ids=lambda d: type(d).__name__,
)
@pytest.mark.parametrize("statistic", [ln.TriangleCount, ln.KStarCount, ln.EdgeCount])
def test_no_edges(data: Any, statistic: Any):
    assert ln.profile(statistic(nodes=3), data).value == 0
    record = ln.release(statistic(nodes=3), data, epsilon=1)
    assert isinstance(record.value, int)


@pytest.mark.parametrize("columns", [1, 3])
def test_an_array_of_another_form_is_refused_however_many_edges_it_has(columns: int):
    said = set[str]()
    for edges in (0, 1, 7):
        with pytest.raises(SchemaError) as caught:
            ln.release(ln.TriangleCount(nodes=5), np.zeros((edges, columns)), epsilon=1)
        said.add(str(caught.value))
    assert len(said) == 1
    for edges in (0, 1, 7):
        assert ln.profile(ln.EdgeCount(nodes=5), np.zeros(edges)).value == 0
    with pytest.raises(SchemaError, match="two columns"):
        ln.release(ln.TriangleCount(nodes=5), np.zeros(4, np.int64), epsilon=1)


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_nodes_for_a_triangle_give_0(n: int):
    assert ln.release(ln.TriangleCount(nodes=n), EDGES, epsilon="1/100").value == 0


def test_a_matrix_may_store_zeros_repeats_and_both_directions():
    rows, cols = [0, 1, 1, 2, 0, 0, 2, 1], [1, 0, 2, 0, 1, 3, 2, 4]
    stored = sparse.coo_array(([1, 1, 2, -1, 1, 0, 5, np.nan], (rows, cols)), shape=(N, N))
    assert value(stored) == 1
    assert ln.profile(ln.EdgeCount(nodes=N), stored).value == 4  # 0-1, 1-2, 0-2 and the NaN 1-4
    assert value(stored, 2) == 0
    assert value(matrix("csr"), NAMES) == 2  # positions in the order of the labels


@pytest.mark.parametrize("first", ["source,target", "0,1", "3,3", ","])
def test_the_first_line_of_a_text_file_may_be_an_edge(first: str, tmp_path: Path):
    """Whatever stands there: names are no declared nodes, and an edge is not lost."""
    rest = [edge for edge in EDGES if f"{edge[0]},{edge[1]}" != first]
    path = written(tmp_path / "g.csv", first + "\n" + "".join(f"{a},{b}\n" for a, b in rest))
    assert ln.profile(ln.EdgeCount(nodes=N), path).value == len(EDGES)
    named = written(tmp_path / "named.csv", "a,b\n0,1\n1,2\n0,2\n")
    assert value(named, N, "a", "b") == value(named) == 1
    assert value(named, N, header=False) == value(named, N, header=True) == 1


def test_columns_are_named_where_there_are_more():
    frame = pd.DataFrame({"weight": [1.0] * len(EDGES), **columns()})
    assert value(frame, N, "source", "target") == 2
    with pytest.raises(SchemaError, match="name their columns"):
        value(frame)
    with pytest.raises(SchemaError, match="did you mean 'source'"):
        value(frame, N, "sources", "target")
    with pytest.raises(ParameterError, match="name both columns"):
        ln.TriangleCount("source", nodes=3)


def test_missing_entries_are_no_nodes():
    masked = np.ma.array(EDGES, mask=[[0, 1], *[[0, 0]] * 5])
    assert value(masked) == 1
    frame = pl.DataFrame({"a": [0, 1, None, 0, None], "b": [1, 2, 2, 2, None]})
    assert value(frame) == 1
    named = pl.DataFrame({"a": ["ann", "bob", None, "ann"], "b": ["bob", "cy", "cy", "cy"]})
    assert value(named, NAMES) == 1


# --- parameters, before any edge is read --------------------------------------------------------


@pytest.mark.parametrize("statistic", [ln.TriangleCount, ln.KStarCount, ln.EdgeCount])
@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        (None, ParameterError, "nodes are required"),
        (0, ParameterError, "nodes must be a whole number"),
        (-3, ParameterError, "nodes"),
        (2.5, ParameterError, "nodes"),
        (True, ParameterTypeError, "nodes"),
        ("many", ParameterError, "nodes"),
        (2**31, ParameterError, "at most"),
        ([], ParameterError, "between 1"),
        ([1, 2, 1], ParameterError, "different"),
        ([[1], [2]], ParameterTypeError, "labels that can be compared"),
        (b"abc", ParameterTypeError, "nodes"),
    ],
)
def test_nodes_are_declared(statistic: Any, nodes: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        statistic(nodes=nodes)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (np.zeros((3, 3)), SchemaError, "scipy.sparse"),
        (np.zeros((2, 2, 2)), SchemaError, "shape"),
        (sparse.csr_array((3, 4)), SchemaError, "square"),
        (pd.Series([1, 2]), SchemaError, "two columns"),
        (7, ParameterTypeError, "one value"),
        (None, ParameterTypeError, "NoneType"),
        ("no such file.txt", SchemaError, "no file"),
        ({"a": [1]}, SchemaError, "1 columns"),
    ],
)
def test_data_that_is_no_graph(data: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        ln.release(ln.TriangleCount(nodes=3), data, epsilon=1)


def test_the_relation_is_edge_and_no_other():
    for relation in ("replace-one", "add-remove", "edit"):
        with pytest.raises(ParameterError, match="only relation is 'edge'"):
            ln.release(ln.TriangleCount(nodes=N), EDGES, epsilon=1, relation=relation)
    with pytest.raises(ParameterError, match="for graphs"):
        ln.release(ln.Median(bounds=(0, 1)), [0, 1], epsilon=1, relation="edge")
    record = ln.release(ln.TriangleCount(nodes=N), EDGES, epsilon=1, relation="edge")
    assert record.guarantee == ln.PureDP(1, ln.Scope("edge", "edge"))
    assert (record.relation, record.n_public) == ("edge", False)
    assert record.protects.startswith("protects one edge: with or without")
    assert "edge-level privacy" in record.notes[0]
    assert ln.Release.from_json(record.to_json()) == record


def test_k_of_a_star():
    with pytest.raises(ParameterError, match="EdgeCount"):
        ln.KStarCount(k=1, nodes=3)
    assert ln.profile(ln.KStarCount(k=9, nodes=3), EDGES).upper(5) == 0
    assert ln.release(ln.KStarCount(k=9, nodes=3), EDGES, epsilon=1).value == 0


def test_a_damaged_file_says_nothing_of_its_content(tmp_path: Path):
    broken = tmp_path / "g.txt.gz"
    broken.write_bytes(gzip.compress(b"0 1\n1 2\n" * 1000)[:-20])
    with pytest.raises(SchemaError, match="damaged"):
        ln.release(ln.TriangleCount(nodes=3), broken, epsilon=1)


def test_a_ledger_of_graphs_remembers_no_first_line(tmp_path: Path):
    path = written(tmp_path / "g.csv", "0,1\n1,2\n")
    ln.Ledger.create(tmp_path / "l.db", dataset="g", budget=ln.PureDP(1), relation="edge")
    with ln.open(path, ledger=tmp_path / "l.db", dataset="g") as session:
        session.release(ln.EdgeCount(nodes=3), epsilon=1)
        assert "column_1" not in str(session.history)


def test_a_graph_has_a_ledger_of_its_own(tmp_path: Path):
    path = tmp_path / "friends.db"
    ln.Ledger.create(path, dataset="friends", budget=ln.PureDP(2), relation="edge")
    for data in (EDGES, np.array(EDGES), nx.Graph(EDGES), matrix("csr")):
        with ln.open(data, ledger=path, dataset="friends", table=type(data).__name__) as session:
            record = session.release(ln.TriangleCount(nodes=N), epsilon="1/2")
            assert record.guarantee.scope == ln.Scope("edge", "edge")
    with ln.open(EDGES, ledger=path, dataset="friends") as session:
        assert session.remaining == 0
        with pytest.raises(ParameterError, match="for graphs"):
            session.release(ln.Count(), epsilon=1)
    rows = tmp_path / "rows.db"
    ln.Ledger.create(rows, dataset="rows", budget=ln.PureDP(2))
    with (
        ln.open(EDGES, ledger=rows, dataset="rows") as session,
        pytest.raises((LedgerError, ParameterError), match="edge"),
    ):
        session.release(ln.TriangleCount(nodes=N), epsilon=1)


def test_profiles_are_forbidden_in_production(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
    with pytest.raises(ProductionError):
        value(EDGES)
    assert isinstance(ln.release(ln.TriangleCount(nodes=N), EDGES, epsilon=1).value, int)


def test_nothing_but_the_count_depends_on_the_edges():
    pairs = [[], [(0, 1)], [(0, 1), (1, 2), (2, 0)], [(0, 99)], [(None, 1)], ["xx", 7], [([1], {})]]
    arrays = [np.empty((0, 2)), np.array([(0, 1), (1, 2)]), np.array([(9.5, np.nan)])]
    for statistic in (ln.TriangleCount(nodes=4), ln.KStarCount(nodes=4), ln.EdgeCount(nodes=4)):
        families = {"pairs": pairs, "arrays": arrays}
        assert check_release(statistic, relations=["edge"], data=families).releases > 10


def test_graphs_are_counted_whole(tmp_path: Path):
    frame = pd.DataFrame(columns())
    with ln.open(frame) as session:
        assert session.release(ln.TriangleCount(nodes=N), epsilon=1).relation == "edge"
        both = session.release(
            {"t": ln.TriangleCount(nodes=N), "e": ln.EdgeCount(nodes=N)}, epsilon=1
        )
        assert both["e"].guarantee.epsilon == Fraction(1, 2)
        for part in (session.where(ln.col("source") > 0), session.group_by({"source": [0, 1]})):
            with pytest.raises(ParameterError, match="no filters"):
                part.release(ln.TriangleCount(nodes=N), epsilon=1)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz"])
def test_no_line_of_an_edge_list_decides_whether_it_is_read(ending: str, tmp_path: Path) -> None:
    """The form of a file without names must not hang on its first line, which may be an edge."""
    separator = "\t" if ending == ".tsv" else ","
    texts = {
        "": 0,
        "0,1\n": 1,
        "0,1,5\n1,2\n": 2,
        "1,2\n0,1,5\n": 2,
        "0\n1,2\n": 1,
        '"0,1\n1,2\n': 0,
        '"0"," 1 "\n\n1,2\n': 2,
        "a,b\n1,2\n": 1,
        "a,b,w\n1,2,9\n": 1,
    }
    for text, edges in texts.items():
        path = tmp_path / f"e{ending}"
        raw = text.replace(",", separator).encode()
        path.write_bytes(gzip.compress(raw) if ending.endswith(".gz") else raw)
        for nodes in (4, ["0", "1", "2", "3"]):
            for reading in ({}, {"separator": separator}, {"encoding": "latin-1"}):
                r = ln.release(ln.EdgeCount(nodes=nodes), str(path), epsilon=10**6, **reading)
                assert r.value == edges, text


def test_entries_of_one_place_are_added() -> None:
    twice = sparse.coo_array(([1, -1], ([0, 0], [1, 1])), shape=(4, 4))
    for matrix in (twice, twice.tocsr()):
        assert ln.release(ln.EdgeCount(nodes=4), matrix, epsilon=10**6).value == 0


@pytest.mark.parametrize("size", [2**31, 2**33, 2**61])
def test_a_matrix_of_any_shape_keeps_its_edges_apart(size: int) -> None:
    """Places of a huge matrix are too large for two of them to be one number of 64 bits."""
    ends = np.array([[0, size - 1, size - 2, 5, 5], [size - 1, size - 2, 0, 5, size // 2]])
    huge = sparse.coo_array((np.ones(5), ends), shape=(size, size))
    for statistic, expected in ((ln.TriangleCount, 1), (ln.EdgeCount, 4)):
        assert ln.profile(statistic(relabel=True), huge).value == expected
    assert ln.profile(ln.EdgeCount(nodes=2**31 - 1), huge).value == int(size == 2**31) * 2


def test_numbers_are_read_as_the_text_they_would_be_in_a_file() -> None:
    whole = np.array([[1.0, 2.0], [2.0, 3.0], [np.inf, 1.0], [1.5, 2.0]])
    count = ln.EdgeCount(nodes=["1", "2", "3"])
    assert ln.profile(count, whole).value == 2
    assert ln.profile(count, whole[:2].astype(int)).value == 2
    assert ln.profile(count, [(1.0, np.float32(2)), (2, "3")]).value == 2


def test_nodes_are_not_the_name_of_a_column() -> None:
    with pytest.raises(ParameterTypeError, match="nodes="):
        ln.TriangleCount(4)


@pytest.mark.parametrize(
    ("nodes", "edge", "expected"),
    [
        ([0, 1, 2], (2**63 + 5, 1), 0),
        ([2**63 + 5, 1], (2**63 + 5, 1), 1),
        ([2**53, 1], (2**53 + 1, 1), 0),
        ([0.5, 1.5], (0, 1), 0),
        ([Fraction(1), Decimal(2)], (1, 2), 1),
        ([float("inf"), 1, 2], (1, 2), 1),
    ],
)
def test_numbers_are_compared_exactly(nodes: Any, edge: Any, expected: int) -> None:
    count = ln.EdgeCount(nodes=nodes)
    array = np.array([edge], dtype=np.uint64)
    frame = pl.DataFrame({"a": array[:, 0], "b": array[:, 1]})
    for data in ([edge], array, array.astype(object), frame):
        assert ln.profile(count, data).value == expected


def test_labels_that_no_column_holds_are_refused_at_no_cost(tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "g.db", dataset="g", budget=ln.PureDP(2), relation="edge")
    for frame in (pd.DataFrame({"a": [0, 1], "b": [1, 0]}), {"a": [0, 1], "b": [1, 0]}):
        for nodes in ([(0, 0), (0, 1)], [1, "2"], ["1", 2]):
            with (
                ln.open(frame, ledger=ledger, dataset="g", relation="edge") as data,
                pytest.raises(ParameterError, match="all text or all numbers"),
            ):
                data.release(ln.EdgeCount(nodes=nodes), epsilon=1)
    assert ledger.remaining.epsilon == 2


def test_pairs_of_any_class_raise_nothing() -> None:
    class Hostile(tuple[int, int]):
        def __iter__(self) -> Any:
            raise ValueError("secret")

        def __len__(self) -> int:
            raise SystemExit("secret")

    assert ln.profile(ln.EdgeCount(nodes=3), [Hostile((0, 1)), (1, 2)]).value == 1


def test_what_cannot_be_a_list_of_pairs_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"shape \(m, 2\)"):
        ln.profile(ln.EdgeCount(nodes=3), np.array([0, 1]))
    with pytest.raises(ParameterError, match="4000 digits"):
        ln.KStarCount(nodes=20_000, k=10_000)


@pytest.mark.parametrize("ends", [np.array([1.5]), pa.array([1]), pd.Series([True])])
def test_ends_of_another_kind_are_refused_before_the_charge(ends: Any, tmp_path: Path) -> None:
    count = ln.EdgeCount("a", "b", nodes=["x", "y"])
    data = {"a": ["x"], "b": ends}
    path = tmp_path / "edges.db"
    ln.Ledger.create(path, dataset="edges", budget=ln.PureDP(1), relation="edge").close()
    with ln.open(data, ledger=path, dataset="edges") as session:
        with pytest.raises(ColumnTypeError, match="write the declared labels as numbers"):
            session.release(count, epsilon=1)
        session.release(ln.EdgeCount("a", "a", nodes=["x", "y"]), epsilon=1)  # all is left


QUOTED = '"ann b" bob 3\nbob,"cy ""d"""\n"ann b" "cy ""d"""\n'


def test_labels_of_edge_lists_may_stand_in_quotes(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text(QUOTED, encoding="utf-8")
    found = ln.profile(ln.TriangleCount(nodes=["ann b", "bob", 'cy "d"']), path)
    assert found.value == 1
    path.write_text('"0 1\n1 2\n"2" 0\n0 1\n', encoding="utf-8")  # a quote takes no other line
    assert ln.profile(ln.TriangleCount(nodes=3), path).value == 1


# --- every label is a node -----------------------------------------------------------------------

FAR = [10**12 + 7 * i for i in range(N)]  # ids with gaps, which no number of nodes reaches
EVERY = ln.TriangleCount(relabel=True), ln.EdgeCount(relabel=True)


def every(data: Any, *columns: str, **options: Any) -> tuple[Any, ...]:
    """The triangles and edges of a graph whose nodes nobody declares."""
    counts = ln.TriangleCount(*columns, relabel=True), ln.EdgeCount(*columns, relabel=True)
    return tuple(ln.profile(count, data, **options).value for count in counts)


@pytest.mark.parametrize("kind", GRAPHS)
def test_every_label_is_a_node_in_every_front_end(kind: str, tmp_path: Path):
    options = {"header": True} if kind == "csv" else {}
    assert every(GRAPHS[kind](tmp_path), **options) == (2, len(EDGES))


@pytest.mark.parametrize(
    "make",
    [
        *(lambda d: NAMED, lambda d: np.array(NAMED), lambda d: nx.Graph(NAMED)),
        *(lambda d: pd.DataFrame(columns(NAMED)), lambda d: pl.DataFrame(columns(NAMED))),
        *(lambda d: pa.table(columns(NAMED)), lambda d: pl.DataFrame(columns(NAMED)).lazy()),
        lambda d: pd.DataFrame(columns(NAMED)).astype("category"),
        lambda d: [(FAR[a], FAR[b]) for a, b in EDGES],
        lambda d: np.array(FAR)[np.array(EDGES)],
        lambda d: pd.DataFrame({"a": [FAR[a] for a, _ in EDGES], "b": [FAR[b] for _, b in EDGES]}),
        lambda d: {"a": [FAR[a] for a, _ in EDGES], "b": [float(FAR[b]) for _, b in EDGES]},
        lambda d: {"a": [str(FAR[a]) for a, _ in EDGES], "b": [FAR[b] for _, b in EDGES]},
        lambda d: written(d / "g.txt", "".join(f"{FAR[a]} {FAR[b]} .5\n" for a, b in EDGES)),
    ],
)
def test_labels_that_nobody_declared(make: Any, tmp_path: Path):
    assert every(make(tmp_path)) == (2, len(EDGES))
    assert ln.release(EVERY[0], make(tmp_path), epsilon=50).value == 2


def test_a_query_of_duckdb_gives_both_ends_of_an_edge_at_once():
    duckdb = optional("duckdb")
    edges = pd.DataFrame(columns(NAMED))  # noqa: F841  # which the query reads
    query = duckdb.sql("SELECT source, target FROM edges ORDER BY random()")
    assert every(query) == (2, len(EDGES))
    assert value(query, NAMES) == 2


def test_what_is_missing_is_no_label():
    awkward = [(None, 1), (float("nan"), 2), ("", 3), (" ", 4), ("NA", 5), (Hostile(), 6), (), "xy"]
    assert every([*EDGES, *awkward]) == (2, len(EDGES))
    same = [(0, 1), (1.0, 0), ("1", "0"), (" 1 ", np.float32(0)), (0, 0), (-0.0, 1)]
    assert every(same) == (0, 1)
    assert every([("01", "1"), ("1", "01"), ("a", "A")]) == (0, 2)
    frame = pl.DataFrame({"a": [0, 1, None, 0, None], "b": [1, 2, 2, 2, None]})
    assert every(frame) == (1, 3)


def test_the_first_line_of_a_text_file_is_declared_where_every_label_is_a_node(tmp_path: Path):
    rows = "".join(f"{a},{b}\n" for a, b in EDGES)
    bare, named = written(tmp_path / "b.csv", rows), written(tmp_path / "n.csv", "a,b\n" + rows)
    said = set[str]()
    for path in (bare, named):
        with pytest.raises(SchemaError, match="header=True") as caught:
            ln.release(EVERY[0], path, epsilon=1)
        said.add(str(caught.value))
    assert len(said) == 1
    assert every(bare, header=False) == every(named, header=True) == every(named, "a", "b")
    assert every(bare, header=False) == (2, len(EDGES))
    assert every(named, header=False) == (2, len(EDGES) + 1)


def test_every_label_excludes_declared_nodes():
    for statistic in (ln.TriangleCount, ln.EdgeCount, ln.KStarCount):
        with pytest.raises(ParameterError, match="leave nodes= out"):
            statistic(nodes=5, relabel=True)
        with pytest.raises(ParameterError, match="relabel=True, which makes a node"):
            statistic()
        record = ln.release(statistic(relabel=True), EDGES, epsilon=1)
        assert "every label is a node" in record.notes[0]
        assert record.missing == "edges without two labels are left out"
    with pytest.raises(ParameterError, match="smaller k"):
        ln.KStarCount(k=10**6, relabel=True)
    assert isinstance(ln.release(ln.KStarCount(k=50, relabel=True), EDGES, epsilon=1).value, int)


def test_types_that_hold_no_labels_are_refused_before_an_edge_is_read():
    day = np.array(["2024-01-01"], "datetime64[D]")
    for data in (
        pd.DataFrame({"a": pd.to_datetime(["2024-01-01"]), "b": [1]}),
        pa.table({"a": pa.array([Decimal(1)]), "b": pa.array([1])}),
        np.array([day, day]).reshape(1, 2),
    ):
        with pytest.raises(ColumnTypeError):
            ln.release(EVERY[0], data, epsilon=1)


def test_data_that_is_no_graph_of_any_label():
    families = {
        "pairs": [[], [(0, 1)], [("x", "y"), (None, 1)], ["xx", 7], [([1], {})]],
        "arrays": [np.empty((0, 2)), np.array([(0, 1.5), (1, np.nan)])],
    }
    for statistic in (*EVERY, ln.KStarCount(relabel=True)):
        assert check_release(statistic, relations=["edge"], data=families).releases > 10
