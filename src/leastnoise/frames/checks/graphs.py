"""NOT PRIVATE. Edges that vanish, because their ends are no declared nodes."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise.foreign import is_list_or_tuple, is_path
from leastnoise.frames.checks.report import Checked, Finding
from leastnoise.frames.libraries.on_numpy import is_array
from leastnoise.frames.readers.edge_names import ends_elsewhere
from leastnoise.frames.readers.graphs import open_graph
from leastnoise.frames.readers.no_tables import graph_of
from leastnoise.frames.readers.options import EDGES, PARQUET, TextFormat, check_path, suffix_of
from leastnoise.summaries.graphs import MOST_NODES, Nodes, graph

_SEPARATORS = {";": "';'", "\t": "'tab'", "|": "'|'", ",": "','", " ": "' '", ":": "':'"}
_FIRST, _MOSTLY = 1000, 0.8  # lines that are looked at for a separator, and those that it must part
_MANY = 4  # lines before those of one length are lists of neighbours
_FEW = 2  # numbers of labels on lines: where there are more, these are neighbours and no edges
_COMMENTS, _SHOWN = ("#", "%"), 60
_DIMACS = re.compile(r"(?:c|p|[ae] \d+ \d+)(?: .*)?")
_SIGNS = re.compile(  # 0 -> 1, (0, 1), {0, 1}
    r"\s*(?:[\[({]\s*)?(['\"]?\w+['\"]?)\s*(->|--|=>|<->|\u2192|,)\s*(['\"]?\w+['\"]?)\s*[\])}]?[,;]?\s*"
)
_WHOLE = re.compile(r"\d+", re.ASCII)
_EVERY = "relabel=True in its place, which takes every id"
_ELSE = "which separator= tells, or the ends are not in the first two columns: name theirs"


def check_graph(data: object, nodes: object, **options: Any) -> Checked:
    """Which edges join two declared nodes, and which do not."""
    spec = graph(None, None, nodes=nodes, what="degrees")
    if is_path(data) and (wrong := ends_elsewhere(data, spec, options)) is not None:
        return _found(*wrong)
    table = open_graph(data, spec, **options)
    path = (
        check_path(data) if is_path(data) and suffix_of(check_path(data)) not in PARQUET else None
    )
    lines = [] if path is None else _lines(path)
    if path is not None:
        if (told := _no_list(path, lines, options)) is not None:
            return told
        if not options and (told := _neighbours(path, lines)) is not None:
            return told
    if (told := _matrix(data)) is not None:
        return told
    one, other = table.ends(spec.nodes)
    ids = np.stack(table.ends(Nodes(MOST_NODES) if spec.nodes.labels is None else spec.nodes))
    named = path is not None and "header" not in options
    if named and len(one) and (ids[:, 0] < 0).all():
        one, other, ids = one[1:], other[1:], ids[:, 1:]  # a line of names
    if path is not None and spec.nodes.labels is None and (told := _counts(ids, lines)) is not None:
        return told
    outside = int(np.count_nonzero((one < 0) | (other < 0)))
    if len(one) and not outside:
        plain = spec.nodes.labels is None and options.keys() <= {"header", "separator"}
        return _zeros(lines) if plain else Checked()
    sign = _separator(lines, spec.nodes, _used(path, options)) if 2 * outside >= len(one) else None
    if sign is not None:
        what = f"the two ids of a line are separated by {_SEPARATORS[sign]}, so no line is an edge"
        separator = "tab" if sign == "\t" else sign
        return _found(what, f"give separator={separator!r}", {"separator": separator})
    if not len(one):
        return _found("no line has two ids", "give separator= as it stands between them")
    told = f"{outside} of {len(one)} edges have an end that is none of the nodes and are left out"
    if spec.nodes.labels is not None:
        cure = f"add the ids that are missing to nodes=, from a public list, or {_EVERY}"
        if outside == len(one):
            cure += f"; or fields are separated differently, {_ELSE}"
        return _found(told + _other_case(lines, spec.nodes.labels) + _as_read(lines), cure)
    whole = ids[ids >= 0]
    known = f"nodes={spec.nodes.count} are the ids 0 to {spec.nodes.count - 1}"
    if len(whole) < ids.size or not len(whole):
        cure = (
            f"{known}; the file has others than whole numbers: give nodes= as a list of public "
            f"ids, or {_EVERY}; or fields are separated differently, {_ELSE}"
        )
        return _found(told + _two_cases(lines) + _as_read(lines), cure)
    low, high, different = int(whole.min()), int(whole.max()), len(np.unique(whole))
    cure = (
        f"{known}, and the file has {different} different ids from {low} to {high}: give "
        f"nodes={high + 1}, or nodes= as a list of the public ids, or {_EVERY}"
    )
    return _found(told, cure)


def _lines(path: Path) -> list[str]:
    """Some of the first lines that are no comments, unpacked; but for those of another format."""
    opener: Any = gzip.open if _packed(path) else open
    with (
        suppress(OSError, EOFError, zlib.error),
        opener(path, "rt", encoding="utf-8", errors="replace") as file,
    ):
        return [x.rstrip("\r\n") for x in islice(file, _FIRST)]
    return []


def _packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _no_list(path: Path, lines: Sequence[str], options: dict[str, Any]) -> Checked | None:
    """What is said of a file that is packed, as only its name can tell, or no list of edges."""
    by_content = options.get("header", False) and suffix_of(path) not in EDGES
    if _packed(path) and not by_content and path.suffix.lower() != ".gz":
        told = "the file begins as gzip writes it, and its name does not end so: no line is read"
        return _found(told, "add .gz to its name, or unpack it")
    if any("\0" in line for line in lines[:1]):
        return _found("the file is written in UTF-16", "write it in UTF-8")
    if lines and (reader := graph_of(lines[0])) is not None:
        return _found(f"the file is no list of edges, but begins {lines[0][:40]!r}", reader)
    full = [x for x in lines if x.strip()]
    if any(x.startswith("p ") for x in full) and all(map(_DIMACS.fullmatch, full)):
        told = "the file is in the form of DIMACS, with a letter before each edge"
        return _found(told, "write each line 'e 1 2' as '1 2'; nodes are numbered from 1")
    marked = [
        x for x in map(_SIGNS.fullmatch, full) if x and (x[2] != "," or x[0].strip()[0] in "([{")
    ]
    if marked and len(marked) >= _MOSTLY * len(full):
        told = (
            f"a line is {marked[0][0].strip()!r}, and the signs of it are read as part of the ids"
        )
        return _found(told, f"write each line as {marked[0][1]},{marked[0][3]}")
    return None


def _neighbours(path: Path, lines: Sequence[str]) -> Checked | None:
    """What is said of lines that hold a node and all its neighbours."""
    plain = [x.replace(",", " ") for x in lines if not x.startswith(_COMMENTS)]
    widths = {len(x.split()) for x in plain if x.strip()}
    fields = [x.split() for x in plain[1:] if x.strip()]  # below a line of names
    if len(fields) > _FEW and min(widths) > _FEW and {*chain.from_iterable(fields)} <= {"0", "1"}:
        return _found(
            "lines hold 0 and 1 alone, as the rows of a matrix do, and the first two of each are "
            "read as an edge",
            "give scipy.sparse.csr_array(numpy.loadtxt(path)), with delimiter=',' and skiprows=1 "
            "where the file has commas and names",
        )
    firsts = {x[0] for x in fields}
    if suffix_of(path) in EDGES and len(firsts) == len(fields) > _MANY and min(widths) > _FEW:
        ends = firsts | {x[1] for x in fields}
        behind = [x for row in fields for x in row[2:]]
        if 2 * len({*behind}) > len(fields) and sum(map(ends.__contains__, behind)) > (
            _MOSTLY * len(behind)
        ):
            return _found(
                f"lines hold {min(widths)} nodes, each line begins with another, and the first two "
                "of each are read as an edge: they may be lists of neighbours",
                "where they are, write a line for each edge, or give what "
                "networkx.read_adjlist(path) makes of it",
            )
    if suffix_of(path) in EDGES and len(widths) > _FEW:
        return _found(
            f"lines hold from {min(widths)} to {max(widths)} labels, as lists of neighbours do, "
            "and the first two of each are read as an edge",
            "write a line for each edge, or give what networkx.read_adjlist(path) makes of it",
        )
    return None


def _counts(ids: Any, lines: Sequence[str]) -> Checked | None:
    """What is said of a first line that tells how many nodes and edges there are."""
    edges = ids.shape[1] - 1
    if edges <= _FEW:
        return None
    first, last = ids[:, 0], ids[:, 1:].max()
    if first.max() > last and (edges in first or first.min() == last + 1):
        told = f"the first line, {lines[0][:_SHOWN]!r}, tells how many lines follow, and is no edge"
        return _found(told, "delete it, or begin it with #")
    return None


def _matrix(data: object) -> Checked | None:
    """What is said of rows that are those of a matrix: as many as each of them is long."""
    rows: Any = data
    if not (is_list_or_tuple(data) or is_array(data)) or len(rows) < 2:
        return None
    if not all(is_list_or_tuple(x) or is_array(x) for x in rows):
        return None
    if len(rows) == 2 < len(rows[0]) == len(rows[1]):
        told = "there are two rows, all sources and all targets, which are read as two edges"
        return _found(told, "give list(zip(*data))")
    if all(len(x) == len(rows) and all(y in (0, 1) for y in x) for x in rows):
        told = (
            "the rows are those of a matrix, and the first two entries of each are read as an edge"
        )
        return _found(told, "give scipy.sparse.csr_array(numpy.array(data))")
    return None


def _as_read(lines: Sequence[str]) -> str:
    """The first line that may be an edge, as an example."""
    first = next((x for x in lines if x.strip() and not x.startswith(_COMMENTS)), "")
    return f"; a line is {first[:_SHOWN]!r}" if first else ""


def _other_case(lines: Sequence[str], labels: Iterable[object]) -> str:
    """An id that is one of the nodes in other letters."""
    known = frozenset(map(str, labels))
    folded = {x.casefold() for x in known}
    for one in _ids(lines):
        if one not in known and one.casefold() in folded:
            return f"; {one!r} is one of them in capital or small letters"
        if one not in known and one.startswith("0") and one.lstrip("0") in known:
            return f"; {one!r} is one of them with zeros in front"
    return ""


def _ids(lines: Iterable[str]) -> Iterator[str]:
    return (x.strip('"') for line in lines for x in re.split(r"[\s,;|]+", line) if x)


def _zeros(lines: Iterable[str]) -> Checked:
    """What is said of ids that stand there with zeros in front and with others or none."""
    written: dict[str, str] = {}
    for line in lines:
        for one in filter(_WHOLE.fullmatch, islice(_ids([line]), 2)):
            other = written.setdefault(one.lstrip("0"), one)
            if other != one:
                return _found(
                    f"{other!r} and {one!r} are one node by their number, and two with "
                    "relabel=True or with labels as nodes=",
                    "where they are two, give nodes= as a list of the public ids, as text",
                )
    return Checked()


def _two_cases(lines: Sequence[str]) -> str:
    """An id that stands there in capital and in small letters."""
    seen: dict[str, str] = {}
    for one in _ids(lines):
        if seen.setdefault(one.casefold(), one) != one:
            return f"; {seen[one.casefold()]!r} and {one!r} are two nodes"
    return ""


def _used(path: Path | None, options: dict[str, Any]) -> str:
    """The signs that part the ids of a line."""
    if path is None or (not options and suffix_of(path) in EDGES):
        return ", \t"
    return TextFormat(separator=options.get("separator")).of(path).separator or ","


def _separator(lines: Sequence[str], nodes: Nodes, used: str) -> str | None:
    """A sign that parts two ids of most lines, if it is another than those used."""
    plain = [x for x in lines if x.strip() and not x.startswith(_COMMENTS)]
    known = None if nodes.labels is None else frozenset(map(str, nodes.labels))

    def is_id(text: str) -> bool:
        text = text.strip().strip('"')
        return _WHOLE.fullmatch(text) is not None if known is None else text in known

    def parted(sign: str) -> int:
        ends = (line.split(sign)[:2] for line in plain)
        return sum(len(two) == 2 and all(map(is_id, two)) for two in ends)

    best = max(_SEPARATORS, key=parted)
    often = bool(plain) and parted(best) >= _MOSTLY * len(plain)
    return best if often and best not in used else None


def _found(what: str, cure: str, options: dict[str, Any] | None = None) -> Checked:
    return Checked(findings=(Finding("", what, cure, options or {}),))
