"""NOT PRIVATE. Edges that vanish, because their ends are no declared nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from leastnoise.frames.checks.report import Checked, Finding
from leastnoise.frames.readers.graphs import open_graph
from leastnoise.summaries.graphs import MOST_NODES, Nodes, graph

_SEPARATOR = "which separator= tells, or the ends are not in the first two columns: name theirs"


def check_graph(data: object, nodes: object, **options: Any) -> Checked:
    """Which edges join two declared nodes, and which do not."""
    spec = graph(None, None, nodes=nodes, what="degrees")
    table = open_graph(data, spec, **options)
    one, other = table.ends(spec.nodes)
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
    ids = np.concatenate(table.ends(Nodes(MOST_NODES)))
    whole = ids[ids >= 0]
    known = f"nodes={spec.nodes.count} are the ids 0 to {spec.nodes.count - 1}"
    if len(whole) < len(ids) or not len(whole):
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


def _found(what: str, cure: str) -> Checked:
    return Checked(findings=(Finding("", what, cure),))
