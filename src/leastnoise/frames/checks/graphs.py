"""NOT PRIVATE. Edges that vanish, because their ends are no declared nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from leastnoise.foreign import is_path
from leastnoise.frames.checks.report import Checked, Finding
from leastnoise.frames.readers.graphs import open_graph
from leastnoise.frames.readers.options import check_path, suffix_of
from leastnoise.summaries.graphs import MOST_NODES, Nodes, graph

if TYPE_CHECKING:
    from pathlib import Path

_LISTS = (".txt", ".edges")
_NAMED = (".csv", ".tsv")  # files that may have a line of names
_SEPARATOR = "which separator= tells, or the ends are not in the first two columns: name theirs"


def check_graph(data: object, nodes: object, **options: Any) -> Checked:
    """Which edges join two declared nodes, and which do not."""
    spec = graph(None, None, nodes=nodes, what="degrees")
    table = open_graph(data, spec, **options)
    if is_path(data) and _packed(check_path(data)):
        told = "the file begins as gzip writes it, and its name does not end so: no line is read"
        return _found(told, "add .gz to its name, or unpack it")
    one, other = table.ends(spec.nodes)
    ids = np.stack(table.ends(Nodes(MOST_NODES) if spec.nodes.labels is None else spec.nodes))
    text = is_path(data) and suffix_of(check_path(data)) in _NAMED
    if text and len(one) and "header" not in options and (ids[:, 0] < 0).all():
        one, other, ids = one[1:], other[1:], ids[:, 1:]  # a line of names
    outside = int(np.count_nonzero((one < 0) | (other < 0)))
    if not len(one):
        return _found("no line has two ids", "give separator= as it stands between them")
    if not outside:
        return Checked()
    told = f"{outside} of {len(one)} edges have an end that is none of the nodes and are left out"
    if spec.nodes.labels is not None:
        cure = "add the ids that are missing to nodes=, from a public list"
        if outside == len(one):
            cure += f"; or lines are parted otherwise, {_SEPARATOR}"
        return _found(told, cure)
    whole = ids[ids >= 0]
    known = f"nodes={spec.nodes.count} are the ids 0 to {spec.nodes.count - 1}"
    if len(whole) < ids.size or not len(whole):
        cure = (
            f"{known}; the file has others than whole numbers: give nodes= as a list of public "
            f"ids; or lines are parted otherwise, {_SEPARATOR}"
        )
        return _found(told, cure)
    low, high, different = int(whole.min()), int(whole.max()), len(np.unique(whole))
    cure = (
        f"{known}, and the file has {different} different ids from {low} to {high}: give "
        f"nodes={high + 1}, or nodes= as a list of the public ids"
    )
    return _found(told, cure)


def _packed(path: Path) -> bool:
    """Whether a list of edges is packed and its name does not say so; of tables the bytes tell."""
    if path.suffix.lower() not in _LISTS:
        return False
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _found(what: str, cure: str) -> Checked:
    return Checked(findings=(Finding("", what, cure),))
