"""Small changes of a module's text, the checks that look at it, and which changes are harmless."""

from __future__ import annotations

import ast
import copy
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from time import monotonic

from support.mutations import CATALOGUE, MUTATIONS, SECONDS, SOURCE, Server

LIBRARY = SOURCE / "leastnoise"
HARMLESS = MUTATIONS / "harmless.toml"
# How long a check may take with a change: so many times as long as without, and some seconds.
TIMES, LEAST_SECONDS = 4, 20

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
WORKED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
ENDS = [
    *(("min", "max"), ("any", "all"), ("floor", "ceil"), ("lower", "upper"), ("low", "high")),
    *(("smallest", "largest"), ("minimum", "maximum"), ("left", "right"), ("below", "above")),
]
OTHER_END = {a: b for pair in ENDS for a, b in (pair, pair[::-1])}
BUILTIN = {"min", "max", "any", "all"}


@dataclass(frozen=True)
class Change:
    """One small change of a module's text."""

    name: str
    line: int
    text: str


@dataclass(frozen=True)
class _Place:
    """Where a node stands: the function around it, and the names that can be had there."""

    function: str
    names: frozenset[str]


def changes(target: str, text: str) -> Iterator[Change]:
    """All small changes of the module, in the order of its lines."""
    tree = ast.parse(text)
    attributes = frozenset(n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    seen: Counter[str] = Counter()
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, place in _nodes(tree, _Place("", frozenset())):
        first = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        last = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        for other in _others(node, place.names, attributes):
            before, after = " ".join(ast.unparse(node).split()), " ".join(other.split())
            name = f"{target} {place.function}: {before} -> {after}"
            seen[name] += 1
            if seen[name] > 1:
                name += f" (#{seen[name]})"
            if isinstance(node, ast.expr):
                other = f"({other})"
            raw = text.encode()
            yield Change(name, node.lineno, (raw[:first] + other.encode() + raw[last:]).decode())  # type: ignore[attr-defined]


def _nodes(node: ast.AST, place: _Place) -> Iterator[tuple[ast.AST, _Place]]:
    """Every statement and expression that decides something; no texts, types or messages."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params", "msg"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.Raise, ast.JoinedStr)):
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            inner = place
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                if child.name in ("__repr__", "__str__"):
                    continue
                names = {n.id for n in ast.walk(child) if isinstance(n, ast.Name)}
                names |= {n.arg for n in ast.walk(child) if isinstance(n, ast.arg)}
                function = ".".join(part for part in (place.function, child.name) if part)
                inner = _Place(function, frozenset(names))
            elif isinstance(child, (ast.stmt, ast.expr)):
                yield child, place
            yield from _nodes(child, inner)


def _others(node: ast.AST, names: frozenset[str], attributes: frozenset[str]) -> Iterator[str]:
    """What the node could read instead."""
    match node:
        case ast.Compare(ops=[op, *_]) if type(op) in COMPARED:
            other = copy.deepcopy(node)
            other.ops[0] = COMPARED[type(op)]()
            yield ast.unparse(other)
        case ast.BinOp(op=op) if type(op) in WORKED:
            yield ast.unparse(ast.BinOp(node.left, WORKED[type(op)](), node.right))
        case ast.BoolOp(op=op):
            swapped = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield ast.unparse(ast.BoolOp(swapped, node.values))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield ast.unparse(node.operand)
        case ast.IfExp():
            yield ast.unparse(node.body)
            yield ast.unparse(node.orelse)
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
            yield str(value - 1)
        case ast.Name(id=name, ctx=ast.Load()) if name in OTHER_END:
            if OTHER_END[name] in names | BUILTIN:
                yield OTHER_END[name]
        case ast.Attribute(attr=attr, ctx=ast.Load()) if OTHER_END.get(attr) in attributes:
            yield ast.unparse(ast.Attribute(node.value, OTHER_END[attr]))
        case ast.Return(value=ast.Tuple(elts=[first, second])):
            yield f"return {ast.unparse(second)}, {ast.unparse(first)}"
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.If(body=[ast.Return() | ast.Raise() | ast.Continue() | ast.Break()], orelse=[]):
            yield "pass"
        case _:
            return


def checks_for(target: str, *, near_only: bool = False) -> list[str]:
    """The catalogue's checks for this module, the tests that bear its name, and those for its room.

    The kit's own come first; ``near_only`` leaves out those of the room where others are.
    """
    room, _, name = target.removesuffix(".py").rpartition("/")
    room = f"{room}/"
    near = [m.check for m in CATALOGUE if m.target == target]
    if near:
        tests = MUTATIONS.parent
        near += [str(p.relative_to(tests.parent)) for p in sorted(tests.glob(f"*/test_{name}*.py"))]
    around = [m.check for m in CATALOGUE if m.target.startswith(room) and "nightly" not in m.check]
    named = dict.fromkeys(near if near and near_only else [*near, *sorted(around)])
    return sorted(named, key=lambda check: (check not in near, check.startswith("tests/")))


def harmless() -> dict[str, str]:
    """Changes that were judged to make no answer less private, with the reason."""
    entries = tomllib.loads(HARMLESS.read_text(encoding="utf-8"))["harmless"]
    return {entry["change"]: entry["why"] for entry in entries}


def timed(checks: Sequence[str], server: Server) -> dict[str, float]:
    """How long each check takes without a change, the shortest first.

    Raises
    ------
    RuntimeError
        If a check fails without a change.
    """
    found: dict[str, float] = {}
    for check in checks:
        start = monotonic()
        code, output = server.ask(check)
        found[check] = monotonic() - start
        if code:
            raise RuntimeError(f"{check} fails without a change\n{output}")
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def survives(change: Change, target: str, checks: Mapping[str, float], server: Server) -> bool:
    """Whether all checks pass; one that takes far longer than it did without the change fails."""
    for check, took in checks.items():
        seconds = min(SECONDS, LEAST_SECONDS + ceil(TIMES * took))
        code, output = server.ask(check, target, change.text, seconds=seconds)
        if code and "does not import" not in output:
            return False
    return True
