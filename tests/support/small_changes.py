"""Small changes of a module's text, and which of them are harmless."""

from __future__ import annotations

import ast
import copy
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from support.mutations import MUTATIONS, SOURCE

LIBRARY = SOURCE / "leastnoise"
HARMLESS = MUTATIONS / "harmless.toml"

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
    function: str = ""  # in whose code it is; "" where it is no function's


@dataclass(frozen=True)
class _Place:
    """Where a node stands: what is around it, the names that can be had there, whose code it is."""

    around: str
    names: frozenset[str]
    function: str


def changes(target: str, text: str) -> Iterator[Change]:
    """All small changes of the module, in the order of its lines."""
    tree = ast.parse(text)
    attributes = frozenset(n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    seen: Counter[str] = Counter()
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, place in _nodes(tree, _Place("", frozenset(), "")):
        first = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        last = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        for other in _others(node, place.names, attributes):
            before, after = " ".join(ast.unparse(node).split()), " ".join(other.split())
            name = f"{target} {place.around}: {before} -> {after}"
            seen[name] += 1
            if seen[name] > 1:
                name += f" (#{seen[name]})"
            if isinstance(node, ast.expr):
                other = f"({other})"
            raw = text.encode()
            new = (raw[:first] + other.encode() + raw[last:]).decode()
            yield Change(name, node.lineno, new, place.function)  # type: ignore[attr-defined]


def _nodes(node: ast.AST, place: _Place) -> Iterator[tuple[ast.AST, _Place]]:
    """Every statement and expression that decides something; no texts, types or messages."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_params", "msg"):
            continue
        if isinstance(node, ast.FunctionDef) and field == "body":
            place = replace(place, function=place.around)
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
                around = ".".join(part for part in (place.around, child.name) if part)
                inner = _Place(around, frozenset(names), place.function)
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


def harmless() -> dict[str, str]:
    """Changes that were judged to make no answer less private, with the reason."""
    entries = tomllib.loads(HARMLESS.read_text(encoding="utf-8"))["harmless"]
    return {entry["change"]: entry["why"] for entry in entries}
