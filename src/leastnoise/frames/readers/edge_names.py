"""Files of edges whose line of names says that the ends do not stand in the first two columns."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import combinations
from typing import Any, Final

from leastnoise.errors import SchemaError
from leastnoise.frames.readers.csv import CsvTable
from leastnoise.frames.readers.open import open_table
from leastnoise.summaries.graphs import GraphSpec

# Names of both ends, without the signs and the words for a node around them.
_PAIRS: Final = frozenset(
    map(
        frozenset,
        (
            ("from", "to"),
            ("source", "target"),
            ("source", "destination"),
            ("source", "dest"),
            ("src", "dst"),
            ("src", "dest"),
            ("src", "tgt"),
            ("origin", "destination"),
            ("origin", "dest"),
            ("u", "v"),
            ("i", "j"),
            ("head", "tail"),
            ("start", "end"),
            ("first", "second"),
            ("left", "right"),
            ("sender", "receiver"),
            ("sender", "recipient"),
            ("caller", "callee"),
            ("follower", "followee"),
            ("follower", "followed"),
            ("follower", "following"),
            ("parent", "child"),
            ("ego", "alter"),
            ("citing", "cited"),
            ("von", "nach"),
            ("quelle", "ziel"),
            ("de", "a"),
            ("origen", "destino"),
            ("origine", "destination"),
        ),
    )
)
_TIMES: Final = frozenset({"start", "end"})  # where no word for a node stands beside them
_NODE: Final = re.compile(
    r"^(?:nodes?|vertex|user|person)(?=[a-z])|(?:node|vertex)?(?:id|node|nr)$"
)
_NUMBERED: Final = re.compile(r"([a-z]*?)(?:id)?([12ab])(?:id)?")
_ROW_NUMBERS: Final = re.compile(
    r"|id|nr|no|num|number|index|idx|edge|edges|row|line|(?:edge|row|line|link|record)"
    r"(?:id|nr|no|num|number|index)|link|lfdnr|unnamed0"
)
_TWO: Final = 2


def ends_elsewhere(data: Any, spec: GraphSpec, options: dict[str, Any]) -> tuple[str, str] | None:
    """What is wrong and the cure, where the names of a file are those of other ends.

    Only the line of names is looked at, as every table shows it, and only if no option says that
    there is none. Two names that are declared nodes may be an edge, and decide nothing.
    """
    if spec.columns is not None or "header" in options:
        return None
    with suppress(SchemaError):  # a first line of numbers is none of names
        table = open_table(data, **options)
        if not isinstance(table, CsvTable) or not table.names_are_public:
            return None
        names = table.column_names()
        if len(names) <= _TWO or _are_nodes(names[:_TWO], spec):
            return None
        ends = [two for two in combinations(names, _TWO) if _is_pair(*two)]
        numbered = _ROW_NUMBERS.fullmatch(_plain(names[0])) is not None
        if names[:_TWO] in ends or not (ends or numbered):
            return None
        told = "'source', 'target'" if not ends else f"{ends[0][0]!r}, {ends[0][1]!r}"
        return (
            f"the first two columns are {names[0]!r} and {names[1]!r}, which the line of names "
            "does not call the ends of an edge",
            f"name the columns of the ends, as in TriangleCount({told}, nodes=...); where the ends "
            "are the first two columns all the same, or the first line is an edge, give "
            "header=False",
        )
    return None


def _are_nodes(names: tuple[str, ...], spec: GraphSpec) -> bool:
    labels = spec.nodes.labels
    return labels is not None and set(names) <= set(labels)


def _is_pair(one: str, other: str) -> bool:
    first, second = _plain(one), _plain(other)
    a, b = _NUMBERED.fullmatch(first), _NUMBERED.fullmatch(second)
    if a and b and a[1] == b[1] and {a[2], b[2]} in ({"1", "2"}, {"a", "b"}):
        return first not in ("a", "b")
    return frozenset((first, second)) != _TIMES and frozenset(map(_bare, (first, second))) in _PAIRS


def _bare(name: str) -> str:
    return _NODE.sub("", name) or name


def _plain(name: str) -> str:
    """A name in small letters, without the signs between its words."""
    return re.sub(r"[\W_]+", "", name).lower()
